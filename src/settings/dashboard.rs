//! Where the dashboard is.

use super::reader::Reader;
use super::{ManagementPort, ManagementSettings, http, value};

/// Settings of the dashboard (`EurekaDashboardProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DashboardSettings {
    /// `eureka.dashboard.enabled`: default true.
    pub enabled: bool,
    /// `eureka.dashboard.path`: below the context path; empty, or begins with a slash and ends without one. Default
    /// `/`, which is empty.
    pub path: String,
}

impl Default for DashboardSettings {
    fn default() -> Self {
        Self { enabled: true, path: String::new() }
    }
}

impl DashboardSettings {
    pub(super) fn read(reader: &mut Reader<'_>, management: &ManagementSettings) -> Self {
        let default = Self::default();
        let settings = Self {
            enabled: reader.get(&["eureka.dashboard.enabled"], value::boolean).unwrap_or(default.enabled),
            path: reader.get(&["eureka.dashboard.path"], http::context_path).unwrap_or(default.path),
        };
        let is_actuators = management.port == ManagementPort::Same && settings.path == management.base_path;
        if settings.enabled && is_actuators && !settings.path.is_empty() {
            reader.unfit("eureka.dashboard.path", "is where the actuator is (management.endpoints.web.base-path)");
        }
        settings
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::Settings;

    #[test]
    fn it_is_not_where_the_actuator_is() {
        let mistakes = |words: &[&str]| Settings::from_words(words).err().map(|errors| errors.to_string());
        let both = mistakes(&["--eureka.dashboard.path=/actuator/"]);
        assert!(both.is_some_and(|text| text.contains("eureka.dashboard.path: is where the actuator is")));
        for words in [
            &["--eureka.dashboard.path=/actuator", "--management.server.port=8762"][..],
            &["--eureka.dashboard.path=/actuator", "--eureka.dashboard.enabled=false"],
            &["--eureka.dashboard.path=/", "--management.endpoints.web.base-path=/"],
            &["--eureka.dashboard.path=/board"],
        ] {
            assert_eq!(mistakes(words), None, "{words:?}");
        }
    }
}
