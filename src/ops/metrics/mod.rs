//! Figures for those who watch the server, and targets for Prometheus.
//!
//! Nothing is gathered beforehand: whoever reads figures has them put together from what the rooms count anyway.
//! `docs/metrics.md` lists them all. The labels of each are bounded: templates of paths, names of settings, and
//! applications up to a limit.
//!
//! | file | what |
//! | --- | --- |
//! | `family` | figures as they are shown, whatever the format |
//! | `state`, `applications`, `requests`, `cluster`, `followers`, `process` | where they come from |
//! | `text` | Prometheus' text format, OpenMetrics |
//! | `targets` | `/eureka/prometheus/sd`: instances for Prometheus to scrape |

mod applications;
mod cluster;
mod family;
mod followers;
mod process;
mod requests;
mod state;
mod targets;
mod text;

use std::sync::Arc;

use super::Context;
use super::walks::Busy;

use applications::Applications;
pub(super) use family::{Family, Kind, Value};
pub(super) use targets::router;
pub(super) use text::Format;

/// Puts figures together. Copies are the same one.
#[derive(Clone, Debug)]
pub(super) struct Metrics {
    shows_instances: bool,
    applications: Arc<Applications>,
}

impl Metrics {
    /// By the settings of the start.
    pub(super) fn new(context: &Context) -> Self {
        let settings = &context.settings.borrow().metrics;
        Self {
            shows_instances: settings.instances,
            applications: Arc::new(Applications::new(settings.most_applications)),
        }
    }

    /// All figures of now, those without samples among them.
    pub(super) async fn gather(&self, context: &Context) -> Result<Vec<Family>, Busy> {
        let (this, context, walks) = (self.clone(), context.clone(), &context.walks);
        let gather = move || {
            let counted = this.applications.count(&context.catalog.listed());
            let mut families = Vec::new();
            if this.shows_instances {
                families.push(state::instances(&counted));
            }
            families.extend(state::families(&context, &counted));
            families.extend(state::lists(&context));
            families.extend(requests::families(&context));
            families.extend(cluster::families(&context));
            families.extend(followers::families(&context));
            families.extend(process::families(&context));
            families
        };
        // It looks at every instance.
        walks.figures(gather).await
    }
}
