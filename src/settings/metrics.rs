//! Which figures are shown, and where.

use super::reader::Reader;
use super::value;

/// Settings of metrics (`EurekaServerMetricsProperties`, `PrometheusProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsSettings {
    /// `eureka.server.metrics.enabled`: how many instances each application has, by status. Default true (in Spring
    /// false).
    pub instances: bool,
    /// `eurekad.metrics.max-applications`: so many applications are shown apart at most. Default 1000.
    pub most_applications: usize,
    /// `management.prometheus.metrics.export.enabled`: whether there is an endpoint `prometheus` to be exposed. Default
    /// true.
    pub prometheus: bool,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        Self { instances: true, most_applications: 1_000, prometheus: true }
    }
}

impl MetricsSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        Self {
            instances: reader.get(&["eureka.server.metrics.enabled"], value::boolean).unwrap_or(default.instances),
            most_applications: reader
                .get(&["eurekad.metrics.max-applications"], value::whole(0..=1_000_000))
                .unwrap_or(default.most_applications),
            prometheus: reader
                .get(&["management.prometheus.metrics.export.enabled"], value::boolean)
                .unwrap_or(default.prometheus),
        }
    }
}
