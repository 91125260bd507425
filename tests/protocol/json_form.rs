//! JSON documents in the form in which two servers' answers may be compared.
//!
//! Times become "0" or "T", the version counter "V"; applications and instances are sorted, since
//! Java's order is that of its hash maps. All else counts: types, the text of numbers, absent keys.

use serde_json::{Map, Value};

/// Members that hold a time of the server's own.
pub(crate) const TIMES: [&str; 5] = [
    "registrationTimestamp",
    "lastRenewalTimestamp",
    "serviceUpTimestamp",
    "evictionTimestamp",
    "lastUpdatedTimestamp",
];

/// A day: how far a time may lie from now and still mean "now", milliseconds.
const ABOUT: u64 = 86_400_000;

/// The comparable form of a scalar under this name, if it has another than its own.
///
/// `now` is the server's wall time, milliseconds.
pub(crate) fn comparable_scalar(name: &str, text: &str, now: i64) -> Option<&'static str> {
    if TIMES.contains(&name) {
        return Some(if text == "0" { "0" } else { "T" });
    }
    match name {
        "lastDirtyTimestamp" if is_about(text, now) => Some("NOW"),
        "versions__delta" => Some("V"),
        _ => None,
    }
}

/// Whether these digits are a time within a day of now.
pub(crate) fn is_about(digits: &str, now: i64) -> bool {
    digits.parse::<i64>().is_ok_and(|time| time.abs_diff(now) < ABOUT)
}

/// The comparable form of a document.
pub(crate) fn comparable(value: Value, now: i64) -> Value {
    under(None, value, now)
}

fn under(name: Option<&str>, value: Value, now: i64) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let value = under(Some(&name), value, now);
                (name, value)
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items.into_iter().map(|item| under(None, item, now)).collect();
            if matches!(name, Some("application" | "instance")) {
                items.sort_by_cached_key(label);
            }
            Value::Array(items)
        }
        scalar => match name.and_then(|name| comparable_scalar(name, &scalar_text(&scalar), now)) {
            Some(form) => Value::from(form),
            None => scalar,
        },
    }
}

/// The text of a scalar, without quotes.
pub(crate) fn scalar_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// What an application or an instance is called.
fn label(item: &Value) -> String {
    let named = ["name", "instanceId", "hostName"].into_iter().filter_map(|name| item.get(name)?.as_str());
    named.into_iter().find(|name| !name.is_empty()).unwrap_or("").to_owned()
}

fn labels(items: &[Value]) -> String {
    format!("{} items ({})", items.len(), items.iter().map(label).collect::<Vec<_>>().join(", "))
}

/// The first difference of two comparable documents in words, `None` if they are equal.
pub(crate) fn first_difference(want: &Value, got: &Value, path: &str) -> Option<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => first_member_difference(want, got, path),
        (Value::Array(want), Value::Array(got)) => {
            if want.len() != got.len() {
                return Some(format!("{path}: {}, was {}", labels(got), labels(want)));
            }
            let pairs = want.iter().zip(got).enumerate();
            pairs.map(|(index, (want, got))| first_difference(want, got, &item_path(path, index, want))).find_map(|d| d)
        }
        _ => (want != got).then(|| format!("{path}: {}, was {}", brief(got), brief(want))),
    }
}

fn first_member_difference(want: &Map<String, Value>, got: &Map<String, Value>, path: &str) -> Option<String> {
    let added = got.keys().filter(|name| !want.contains_key(*name));
    want.keys().chain(added).find_map(|name| match (want.get(name), got.get(name)) {
        (Some(want), Some(got)) => first_difference(want, got, &format!("{path}/{name}")),
        (want, got) => {
            let [want, got] = [want, got].map(|side| side.map_or_else(|| "absent".to_owned(), brief));
            Some(format!("{path}/{name}: {got}, was {want}"))
        }
    })
}

/// The first object whose keys stand in another order. The documents are comparable and equal.
/// Metadata is left out: its order is told by `byte_equality` where it can be.
pub(crate) fn first_key_order_difference(want: &Value, got: &Value, path: &str) -> Option<String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            if path.ends_with("metadata") {
                return None;
            }
            if !want.keys().eq(got.keys()) {
                let [want, got] = [want, got].map(|side| side.keys().cloned().collect::<Vec<_>>().join(" "));
                return Some(format!("{path}: key order {got}, was {want}"));
            }
            want.iter()
                .zip(got.values())
                .find_map(|((name, want), got)| first_key_order_difference(want, got, &format!("{path}/{name}")))
        }
        (Value::Array(want), Value::Array(got)) => {
            let pairs = want.iter().zip(got).enumerate();
            pairs
                .map(|(index, (want, got))| first_key_order_difference(want, got, &item_path(path, index, want)))
                .find_map(|difference| difference)
        }
        _ => None,
    }
}

fn item_path(path: &str, index: usize, item: &Value) -> String {
    let label = label(item);
    if label.is_empty() { format!("{path}[{index}]") } else { format!("{path}[{label}]") }
}

fn brief(value: &Value) -> String {
    shortened(&value.to_string())
}

/// At most 200 characters of a text.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= 200 { text.to_owned() } else { text.chars().take(200).chain("…".chars()).collect() }
}
