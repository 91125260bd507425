//! From an event of `tracing` to lines.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

use super::format::Format;
use super::queue::Queue;
use super::stamps::Stamps;
use crate::model::WallMillis;

/// The most of a text that is logged, in bytes. A name may be as long as a body.
const MOST_TEXT: usize = 4096;

/// What a line is made of.
pub(super) struct Line {
    pub(super) at: WallMillis,
    pub(super) level: Level,
    pub(super) target: &'static str,
    pub(super) message: String,
    /// In the order in which they were written.
    pub(super) fields: Vec<(&'static str, Value)>,
}

/// What a field is.
pub(super) enum Value {
    Text(String),
    /// A number or a boolean: the same in all formats.
    Literal(String),
}

impl Line {
    fn of(event: &Event<'_>, at: WallMillis) -> Self {
        let about = event.metadata();
        let (level, target) = (*about.level(), about.target());
        let mut line = Self { at, level, target, message: String::new(), fields: Vec::new() };
        event.record(&mut line);
        line
    }

    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::Text(text) | Value::Literal(text)) => self.message = text,
            (name, value) => self.fields.push((name, value)),
        }
    }
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = Bounded(String::new());
        // An error only says that the text was too long.
        if write!(text, "{value:?}").is_err() {
            text.0.push('…');
        }
        self.put(field, Value::Text(text.0));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::Literal(value.to_string()));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::Literal(value.to_string()));
    }

    fn record_i128(&mut self, field: &Field, value: i128) {
        self.put(field, Value::Literal(value.to_string()));
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.put(field, Value::Literal(value.to_string()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::Literal(value.to_string()));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no infinity.
        let text = value.to_string();
        self.put(field, if value.is_finite() { Value::Literal(text) } else { Value::Text(text) });
    }
}

/// A text that does not grow beyond its limit.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MOST_TEXT.saturating_sub(self.0.len());
        let fitting = text.split_at_checked(text.floor_char_boundary(room)).map_or(text, |(fitting, _)| fitting);
        self.0.push_str(fitting);
        if fitting.len() == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

/// Writes each event to all outputs.
pub(super) struct Outputs {
    pub(super) stamps: Stamps,
    pub(super) outputs: Vec<(Format, Queue)>,
}

impl<S: Subscriber> Layer<S> for Outputs {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let line = Line::of(event, self.stamps.now());
        for (format, queue) in &self.outputs {
            let mut text = format.line(&line, &self.stamps);
            text.push('\n');
            queue.push(text.as_bytes());
        }
    }
}
