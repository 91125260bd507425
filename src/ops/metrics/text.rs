//! Prometheus' text format and OpenMetrics.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet, prometheus_text, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

use super::family::{Family, Kind, Labels, Value};

/// A text format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ops) enum Format {
    /// Prometheus' own, version 0.0.4.
    Prometheus,
    /// OpenMetrics 1.0.0.
    OpenMetrics,
}

impl Format {
    /// The type of a document.
    pub(in crate::ops) fn content_type(self) -> &'static str {
        match self {
            Self::Prometheus => prometheus_text::CONTENT_TYPE,
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Writes a document; of families without samples it has the names alone.
    pub(in crate::ops) fn write(self, families: Vec<Family>) -> Result<String, fmt::Error> {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Gathered(families)));
        let mut document = String::new();
        match self {
            Self::Prometheus => prometheus_text::encode(&mut document, &registry)?,
            Self::OpenMetrics => text::encode(&mut document, &registry)?,
        }
        Ok(document)
    }
}

#[derive(Debug)]
struct Gathered(Vec<Family>);

impl Collector for Gathered {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for family in &self.0 {
            let kind = match family.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
                Kind::Histogram => MetricType::Histogram,
                Kind::Info => MetricType::Info,
            };
            let mut metric = encoder.encode_descriptor(family.name, family.help, family.unit.as_ref(), kind)?;
            for sample in &family.samples {
                if family.kind == Kind::Info {
                    metric.encode_info(&shown(&sample.labels).as_slice())?;
                } else if sample.labels.is_empty() {
                    write(&mut metric, family.kind, &sample.value)?;
                } else {
                    let labels = shown(&sample.labels);
                    write(&mut metric.encode_family(&labels)?, family.kind, &sample.value)?;
                }
            }
        }
        Ok(())
    }
}

fn shown(labels: &Labels) -> Vec<(&str, &str)> {
    labels.iter().map(|(name, value)| (*name, &**value)).collect()
}

fn write(metric: &mut MetricEncoder<'_>, kind: Kind, value: &Value) -> fmt::Result {
    match (kind, value) {
        (Kind::Counter, Value::Count(count)) => metric.encode_counter::<NoLabelSet, _, u64>(count, None),
        (Kind::Counter, value) => metric.encode_counter::<NoLabelSet, _, f64>(&value.number(), None),
        (_, Value::Sizes { buckets, sum }) => {
            let count = buckets.iter().map(|(_, count)| count).sum();
            metric.encode_histogram::<NoLabelSet>(*sum, count, buckets, None)
        }
        (_, Value::Count(count)) => metric.encode_gauge(count),
        (_, Value::Number(number)) => metric.encode_gauge(number),
    }
}
