//! Which resource a path names, and what may be done with it.
//!
//! Nearly all that a registry gets is heartbeats, and what they cost is mostly the way to their lease.
//! So this is a match over the segments of the path, which copies nothing.

use std::borrow::Cow;

use super::error::ApiError;
use super::path::{decoded, segments};

/// A resource of the API, with the names that its path holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resource<'a> {
    /// `apps`
    Apps,
    /// `apps/delta`
    Delta,
    /// `apps/{app}`
    App(Cow<'a, str>),
    /// `apps/{app}/{id}`
    Instance(Key<'a>),
    /// `apps/{app}/{id}/status`
    Status(Key<'a>),
    /// `apps/{app}/{id}/metadata`
    Metadata(Key<'a>),
    /// `instances/{id}`
    Anywhere(Cow<'a, str>),
    /// `vips/{vip}`
    Vip(Cow<'a, str>),
    /// `svips/{vip}`
    SecureVip(Cow<'a, str>),
    /// `peerreplication/batch`
    Batch,
    /// `peerreplication/digest`
    Digest,
    /// `status`
    ServerStatus,
    /// `serverinfo/statusoverrides`
    Overrides,
    /// `asg/{name}/status`
    Asg,
}

/// An instance as a path names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key<'a> {
    /// In any letter case.
    pub(super) app: Cow<'a, str>,
    pub(super) id: Cow<'a, str>,
}

impl<'a> Resource<'a> {
    /// The resource of a path below `/eureka` or `/eureka/v2`, below the segments of the context path; none
    /// if there is no such resource. A path that cannot be decoded is 400.
    pub(super) fn of(path: &'a str, context_path: &[String]) -> Result<Option<Self>, ApiError> {
        let mut segments = segments(path)?;
        let is_below =
            context_path.iter().map(String::as_str).chain(["eureka"]).all(|own| segments.next() == Some(own));
        let mut kept = [""; 5];
        let mut count = 0;
        for segment in segments.by_ref() {
            let Some(free) = kept.get_mut(count) else { return Ok(None) };
            *free = segment;
            count += 1;
        }
        let below = if is_below { kept.get(..count).unwrap_or_default() } else { &[] };
        Ok(Self::named(below.strip_prefix(&["v2"]).unwrap_or(below)))
    }

    fn named(segments: &[&'a str]) -> Option<Self> {
        let key = |app, id| Key { app: decoded(app), id: decoded(id) };
        Some(match *segments {
            ["apps"] => Self::Apps,
            ["apps", "delta"] => Self::Delta,
            ["apps", app] => Self::App(decoded(app)),
            ["apps", app, id] => Self::Instance(key(app, id)),
            ["apps", app, id, "status"] => Self::Status(key(app, id)),
            ["apps", app, id, "metadata"] => Self::Metadata(key(app, id)),
            ["instances", id] => Self::Anywhere(decoded(id)),
            ["vips", vip] => Self::Vip(decoded(vip)),
            ["svips", vip] => Self::SecureVip(decoded(vip)),
            ["peerreplication", "batch"] => Self::Batch,
            ["peerreplication", "digest"] => Self::Digest,
            ["status"] => Self::ServerStatus,
            ["serverinfo", "statusoverrides"] => Self::Overrides,
            ["asg", _, "status"] => Self::Asg,
            _ => return None,
        })
    }

    /// The methods, in Jersey's order, to `OPTIONS`; a 405 says the same without `HEAD`. None for what
    /// only our own nodes know.
    pub(super) fn methods(&self) -> Option<&'static str> {
        Some(match self {
            Self::App(_) => "HEAD,POST,GET,OPTIONS",
            Self::Instance(_) => "HEAD,DELETE,GET,OPTIONS,PUT",
            Self::Status(_) => "DELETE,OPTIONS,PUT",
            Self::Metadata(_) => "OPTIONS,PUT",
            Self::Batch => "POST,OPTIONS",
            Self::Asg => "PUT,OPTIONS",
            Self::Digest => return None,
            _ => "HEAD,GET,OPTIONS",
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]
    use super::*;

    fn key(app: &'static str, id: &'static str) -> Key<'static> {
        Key { app: app.into(), id: id.into() }
    }

    #[test]
    fn names_what_clients_ask_for() {
        for (path, resource) in [
            ("/eureka/apps/", Resource::Apps),
            ("/eureka/v2/apps/delta", Resource::Delta),
            ("/eureka/apps/v2", Resource::App("v2".into())),
            ("//eureka//apps/a%20b/h:a%2Fb:1", Resource::Instance(key("a b", "h:a/b:1"))),
            ("/eureka/apps/A/1/status;x=y", Resource::Status(key("A", "1"))),
            ("/eureka/apps/A/1/metadata/", Resource::Metadata(key("A", "1"))),
            ("/eureka/v2/asg/any/status", Resource::Asg),
            ("/eureka/peerreplication/batch/", Resource::Batch),
        ] {
            assert_eq!(Resource::of(path, &[]).unwrap(), Some(resource), "{path}");
        }
        for path in [
            "/",
            "",
            "*",
            "/eureka",
            "/eureka/v2",
            "/apps",
            "/eureka/apps/A/1/other",
            "/eureka/v2/v2/apps",
            "/eureka/app%73",
            "/eureka/v2/apps/A/1/status/more",
            "/eureka/apps/1/2/3/4/5/6",
        ] {
            assert_eq!(Resource::of(path, &[]).unwrap(), None, "{path}");
        }
    }

    #[test]
    fn resources_lie_below_the_context_path() {
        let context_path = ["a".to_owned(), "b".to_owned()];
        for path in ["/a/b/eureka/apps/", "//a/b;v=1/eureka/apps", "/a//b/eureka/v2/apps"] {
            assert_eq!(Resource::of(path, &context_path).unwrap(), Some(Resource::Apps), "{path}");
        }
        for path in ["/eureka/apps", "/a/eureka/apps", "/ab/eureka/apps", "/a/b", "/a/b/apps"] {
            assert_eq!(Resource::of(path, &context_path).unwrap(), None, "{path}");
        }
    }

    /// Where `docs/openapi.yaml` has a resource: another one must be given a place here, and described there.
    fn described(resource: &Resource<'_>) -> &'static str {
        match resource {
            Resource::Apps => "/eureka/apps",
            Resource::Delta => "/eureka/apps/delta",
            Resource::App(_) => "/eureka/apps/{app}",
            Resource::Instance(_) => "/eureka/apps/{app}/{instance}",
            Resource::Status(_) => "/eureka/apps/{app}/{instance}/status",
            Resource::Metadata(_) => "/eureka/apps/{app}/{instance}/metadata",
            Resource::Anywhere(_) => "/eureka/instances/{instance}",
            Resource::Vip(_) => "/eureka/vips/{vip}",
            Resource::SecureVip(_) => "/eureka/svips/{vip}",
            Resource::Batch => "/eureka/peerreplication/batch",
            Resource::Digest => "/eureka/peerreplication/digest",
            Resource::ServerStatus => "/eureka/status",
            Resource::Overrides => "/eureka/serverinfo/statusoverrides",
            Resource::Asg => "/eureka/asg/{name}/status",
        }
    }

    #[test]
    fn every_resource_is_described_with_its_methods() {
        const YAML: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/openapi.yaml"));
        let document: serde_json::Value = serde_saphyr::from_str(YAML).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let mut seen = 0;
        for (path, item) in paths {
            let Some(resource) = Resource::of(path, &[]).unwrap() else { continue };
            assert_eq!(described(&resource), path);
            seen += 1;
            let methods = resource.methods().unwrap_or("GET,POST");
            for method in ["GET", "PUT", "POST", "DELETE"] {
                let is_there = item.get(method.to_lowercase()).is_some();
                assert_eq!(is_there, methods.split(',').any(|own| own == method), "{method} {path}");
            }
        }
        assert_eq!(seen, 14, "each of them once");
    }
}
