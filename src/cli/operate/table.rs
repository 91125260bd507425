//! Columns for people, and values in them.

use std::io::{self, Write};

use serde_json::Value;

use crate::cli::printable;

/// Writes rows under their heads, each column as wide as its widest value.
pub(super) fn table<const N: usize>(out: &mut impl Write, heads: [&str; N], rows: &[[String; N]]) -> io::Result<()> {
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|value| printable(value))).collect();
    let mut widths = heads.map(|head| head.chars().count());
    for row in &rows {
        for (width, value) in widths.iter_mut().zip(row) {
            *width = (*width).max(value.chars().count());
        }
    }
    let mut line = |values: [&str; N]| {
        let padded = values.iter().zip(widths).map(|(value, width)| format!("{value:width$}"));
        writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end())
    };
    line(heads)?;
    rows.iter().try_for_each(|row| line(row.each_ref().map(String::as_str)))
}

/// A member as a text; a dash where there is nothing.
pub(super) fn text(value: &Value, name: &str) -> String {
    match &value[name] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A time in milliseconds since 1970, in UTC; a dash where there is none.
pub(super) fn moment(value: &Value, name: &str) -> String {
    let moment = value[name].as_i64().filter(|millis| *millis != 0);
    let moment = moment.and_then(|millis| jiff::Timestamp::from_second(millis.div_euclid(1_000)).ok());
    moment.map_or("-".to_owned(), |moment| moment.to_string())
}

/// The members of a list.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_and_nothing_moves_the_cursor() {
        let mut out = Vec::new();
        let row = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        table(&mut out, ["APP", "STATUS"], &[row("ORDERS", "UP"), row("Ü\u{1b}", "")]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "APP      STATUS\nORDERS   UP\nÜ\\u{1b}\n");
    }

    #[test]
    fn times_are_in_utc() {
        let value = json!({"at": 1_764_500_400_999_i64, "never": 0, "none": null});
        assert_eq!(moment(&value, "at"), "2025-11-30T11:00:00Z");
        assert_eq!((moment(&value, "never"), moment(&value, "none")), ("-".to_owned(), "-".to_owned()));
    }
}
