//! Figures as they are shown, whatever the format: families of samples with labels.

use std::borrow::Cow;
use std::time::Duration;

use prometheus_client::registry::Unit;

/// Figures of one name.
#[derive(Clone, Debug)]
pub(in crate::ops) struct Family {
    /// Without unit and suffix, which [`exposed`](Self::exposed) adds.
    pub(in crate::ops) name: &'static str,
    /// What it is, in one sentence.
    pub(in crate::ops) help: &'static str,
    pub(in crate::ops) kind: Kind,
    pub(in crate::ops) unit: Option<Unit>,
    pub(in crate::ops) samples: Vec<Sample>,
}

/// What may become of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ops) enum Kind {
    /// It grows, from the start of the process on.
    Counter,
    /// It goes up and down.
    Gauge,
    /// How many there were of each size.
    Histogram,
    /// Its labels say everything.
    Info,
}

/// Names and values of labels.
pub(in crate::ops) type Labels = Vec<(&'static str, Cow<'static, str>)>;

/// One figure.
#[derive(Clone, Debug)]
pub(in crate::ops) struct Sample {
    pub(in crate::ops) labels: Labels,
    pub(in crate::ops) value: Value,
}

/// What it is.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::ops) enum Value {
    /// A whole number.
    Count(u64),
    /// Any number.
    Number(f64),
    /// How many there were up to each size, not beyond the one before it; and the sum of all sizes.
    Sizes { buckets: Vec<(f64, u64)>, sum: f64 },
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::Count(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

impl From<bool> for Value {
    fn from(is_so: bool) -> Self {
        Self::Count(is_so.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Duration> for Value {
    fn from(duration: Duration) -> Self {
        Self::Number(duration.as_secs_f64())
    }
}

impl Value {
    /// The number that stands for it: of sizes, how many there were.
    pub(in crate::ops) fn number(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "JSON and Prometheus have no other numbers")]
        let float = |count: u64| count as f64;
        match self {
            Self::Count(count) => float(*count),
            Self::Number(number) => *number,
            Self::Sizes { buckets, .. } => float(buckets.iter().map(|(_, count)| count).sum()),
        }
    }
}

impl Family {
    /// Figures that only grow; `_total` is added.
    pub(super) fn counter(name: &'static str, help: &'static str) -> Self {
        Self { name, help, kind: Kind::Counter, unit: None, samples: Vec::new() }
    }

    /// Figures that go up and down.
    pub(super) fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { kind: Kind::Gauge, ..Self::counter(name, help) }
    }

    /// How many there were of each size.
    pub(super) fn histogram(name: &'static str, help: &'static str) -> Self {
        Self { kind: Kind::Histogram, ..Self::counter(name, help) }
    }

    /// Labels; `_info` is added.
    pub(super) fn info(name: &'static str, help: &'static str) -> Self {
        Self { kind: Kind::Info, ..Self::counter(name, help) }
    }

    /// The same in a unit, which is added to the name.
    pub(super) fn in_unit(self, unit: Unit) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// The same with a figure.
    pub(super) fn with(mut self, labels: Labels, value: impl Into<Value>) -> Self {
        self.push(labels, value);
        self
    }

    /// The same with a figure without labels.
    pub(super) fn of(self, value: impl Into<Value>) -> Self {
        self.with(Vec::new(), value)
    }

    /// Adds a figure. Control characters of its labels are U+FFFD: terminals obey them, and the text formats have no
    /// escapes for any but line ends.
    pub(super) fn push(&mut self, mut labels: Labels, value: impl Into<Value>) {
        let is_control = |c: char| c.is_control() && c != '\n';
        for (_, label) in labels.iter_mut().filter(|(_, label)| label.contains(is_control)) {
            *label = label.replace(is_control, "\u{FFFD}").into();
        }
        self.samples.push(Sample { labels, value: value.into() });
    }

    /// The name in the text formats; a histogram's samples add to it.
    pub(in crate::ops) fn exposed(&self) -> String {
        let unit = self.unit.as_ref().map(|unit| format!("_{}", unit.as_str())).unwrap_or_default();
        let suffix = match self.kind {
            Kind::Counter => "_total",
            Kind::Info => "_info",
            Kind::Gauge | Kind::Histogram => "",
        };
        format!("{}{unit}{suffix}", self.name)
    }
}
