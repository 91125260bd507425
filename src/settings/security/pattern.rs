//! Patterns of names: `*` stands for any text, everything else for itself.

use crate::model::AppName;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern whose letter case counts.
    pub(super) fn exact(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// A pattern of names of applications.
    pub(super) fn of_app(text: &str) -> Self {
        Self(AppName::upper(text.trim()).into_owned())
    }

    /// Whether a text is one of those it stands for.
    pub fn matches(&self, text: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let mut parts: Vec<&str> = parts.collect();
        let Some(last) = parts.pop() else { return rest.is_empty() };
        for part in parts {
            match rest.split_once(part) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, matching, other) in [
            ("orders", &["ORDERS"][..], &["ORDERS2", "ORDER", ""][..]),
            ("orders*", &["ORDERS", "ORDERS-EU"], &["MY-ORDERS"]),
            ("*-eu", &["A-EU", "-EU", "A-EU-EU"], &["A-EU-1"]),
            ("a*b*c", &["ABC", "A1B2C", "ABBCC"], &["ACB", "AB", "AC", "ABCD"]),
            ("a*a", &["AA", "ABA"], &["A"]),
            ("*", &["", "ANY"], &[]),
            ("**", &["", "ANY"], &[]),
        ] {
            let pattern = Pattern::of_app(pattern);
            assert!(matching.iter().all(|name| pattern.matches(name)), "{pattern:?}");
            assert!(!other.iter().any(|name| pattern.matches(name)), "{pattern:?}");
        }
        assert!(!Pattern::exact("CN=a").matches("CN=A"));
    }
}
