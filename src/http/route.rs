//! The templates of the API's paths: how requests are told apart where figures are shown.

use super::resource::Resource;

/// A template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Apps,
    Delta,
    App,
    Instance,
    Status,
    Metadata,
    Anywhere,
    Vip,
    SecureVip,
    Batch,
    Digest,
    ServerStatus,
    Overrides,
    Asg,
    /// Nothing is there.
    Nothing,
}

impl Route {
    /// All of them, in their order.
    pub(super) const ALL: [Self; 15] = [
        Self::Apps,
        Self::Delta,
        Self::App,
        Self::Instance,
        Self::Status,
        Self::Metadata,
        Self::Anywhere,
        Self::Vip,
        Self::SecureVip,
        Self::Batch,
        Self::Digest,
        Self::ServerStatus,
        Self::Overrides,
        Self::Asg,
        Self::Nothing,
    ];

    /// As it is written, without a context path; `/eureka/v2` is the same as `/eureka`.
    pub(super) fn template(self) -> Option<&'static str> {
        Some(match self {
            Self::Apps => "/eureka/apps",
            Self::Delta => "/eureka/apps/delta",
            Self::App => "/eureka/apps/{app}",
            Self::Instance => "/eureka/apps/{app}/{id}",
            Self::Status => "/eureka/apps/{app}/{id}/status",
            Self::Metadata => "/eureka/apps/{app}/{id}/metadata",
            Self::Anywhere => "/eureka/instances/{id}",
            Self::Vip => "/eureka/vips/{vip}",
            Self::SecureVip => "/eureka/svips/{vip}",
            Self::Batch => "/eureka/peerreplication/batch",
            Self::Digest => "/eureka/peerreplication/digest",
            Self::ServerStatus => "/eureka/status",
            Self::Overrides => "/eureka/serverinfo/statusoverrides",
            Self::Asg => "/eureka/asg/{name}/status",
            Self::Nothing => return None,
        })
    }
}

impl Resource<'_> {
    /// The template of its path.
    pub(super) fn route(&self) -> Route {
        match self {
            Self::Apps => Route::Apps,
            Self::Delta => Route::Delta,
            Self::App(_) => Route::App,
            Self::Instance(_) => Route::Instance,
            Self::Status(_) => Route::Status,
            Self::Metadata(_) => Route::Metadata,
            Self::Anywhere(_) => Route::Anywhere,
            Self::Vip(_) => Route::Vip,
            Self::SecureVip(_) => Route::SecureVip,
            Self::Batch => Route::Batch,
            Self::Digest => Route::Digest,
            Self::ServerStatus => Route::ServerStatus,
            Self::Overrides => Route::Overrides,
            Self::Asg => Route::Asg,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_template_leads_to_its_route() {
        for (place, route) in Route::ALL.into_iter().enumerate() {
            assert_eq!(route as usize, place);
            let path = route.template().unwrap_or("/other");
            let path = path.replace(['{', '}'], "");
            let found = Resource::of(&path, &[]).map(|found| found.map_or(Route::Nothing, |found| found.route()));
            assert!(matches!(found, Ok(found) if found == route), "{path}");
        }
    }
}
