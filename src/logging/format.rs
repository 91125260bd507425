//! How a line looks: text for people, JSON for machines (`StructuredLogFormatter`).

use std::fmt::Write as _;

use tracing::Level;

use super::escape::{is_dangerous, push_plain, push_quotable};
use super::event::{Line, Value};
use super::stamps::Stamps;

/// The look of an output's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `2026-01-31T13:05:06.007+01:00  INFO registry::register: instance registered app=A id=a-1`.
    Text { colours: bool },
    /// `ElasticCommonSchemaStructuredLogFormatter`, with dotted names as Spring Boot 3.4 and the
    /// specification of ECS logging have them; Elasticsearch takes them for the nested form of later
    /// Spring Boots.
    Ecs {
        /// `spring.application.name`.
        service: String,
    },
    /// `LogstashStructuredLogFormatter`.
    Logstash,
}

impl Format {
    /// A line, without its end.
    pub(super) fn line(&self, line: &Line, stamps: &Stamps) -> String {
        match self {
            Self::Text { colours } => text(line, stamps, *colours),
            Self::Ecs { service } => ecs(line, service),
            Self::Logstash => logstash(line, stamps),
        }
    }
}

const FAINT: &str = "\u{1b}[2m";
const CYAN: &str = "\u{1b}[36m";
const RESET: &str = "\u{1b}[0m";

fn text(line: &Line, stamps: &Stamps, colours: bool) -> String {
    let mut out = String::with_capacity(160);
    let painted = |out: &mut String, colour: &str, text: &str| {
        let (begin, end) = if colours { (colour, RESET) } else { ("", "") };
        // Writing into a String cannot fail.
        let _ = write!(out, "{begin}{text}{end}");
    };
    painted(&mut out, FAINT, &stamps.iso(line.at));
    out.push(' ');
    painted(&mut out, level_colour(line.level), &format!("{:>5}", line.level.as_str()));
    out.push(' ');
    painted(&mut out, CYAN, line.target.strip_prefix("eurekad::").unwrap_or(line.target));
    out.push_str(": ");
    push_plain(&mut out, &line.message);
    for (name, value) in &line.fields {
        out.push(' ');
        painted(&mut out, FAINT, name);
        out.push('=');
        match value {
            Value::Literal(literal) => out.push_str(literal),
            Value::Text(text) => push_field(&mut out, text),
        }
    }
    out
}

/// Spring's colours (`ColorConverter`).
fn level_colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\u{1b}[31m",
        Level::WARN => "\u{1b}[33m",
        _ => "\u{1b}[32m",
    }
}

/// In quotes, where it would not be clear where it ends.
fn push_field(out: &mut String, text: &str) {
    let unclear = |c: char| c.is_whitespace() || matches!(c, '"' | '\\' | '=') || is_dangerous(c);
    if text.is_empty() || text.contains(unclear) {
        out.push('"');
        push_quotable(out, text);
        out.push('"');
    } else {
        out.push_str(text);
    }
}

fn ecs(line: &Line, service: &str) -> String {
    let mut object = Object::new();
    object.text("@timestamp", &Stamps::iso_utc(line.at));
    object.text("log.level", line.level.as_str());
    object.literal("process.pid", &std::process::id().to_string());
    object.text("service.name", service);
    object.text("log.logger", line.target);
    object.text("message", &line.message);
    for (name, value) in &line.fields {
        // An error is an object there.
        object.value(if *name == "error" { "error.message" } else { name }, value);
    }
    object.text("ecs.version", "8.11");
    object.end()
}

fn logstash(line: &Line, stamps: &Stamps) -> String {
    let mut object = Object::new();
    object.text("@timestamp", &stamps.iso(line.at));
    object.text("@version", "1");
    object.text("message", &line.message);
    object.text("logger_name", line.target);
    object.text("level", line.level.as_str());
    object.literal("level_value", level_value(line.level));
    for (name, value) in &line.fields {
        object.value(name, value);
    }
    object.end()
}

/// Logback's numbers.
fn level_value(level: Level) -> &'static str {
    match level {
        Level::ERROR => "40000",
        Level::WARN => "30000",
        Level::INFO => "20000",
        Level::DEBUG => "10000",
        Level::TRACE => "5000",
    }
}

/// A JSON object that is being written. Names are the program's own.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self(String::with_capacity(320))
    }

    fn name(&mut self, name: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        let _ = write!(self.0, "\"{name}\":");
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        self.0.push('"');
        push_quotable(&mut self.0, text);
        self.0.push('"');
    }

    fn literal(&mut self, name: &str, literal: &str) {
        self.name(name);
        self.0.push_str(literal);
    }

    fn value(&mut self, name: &str, value: &Value) {
        match value {
            Value::Text(text) => self.text(name, text),
            Value::Literal(literal) => self.literal(name, literal),
        }
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}
