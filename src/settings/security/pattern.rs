//! Patterns of names: `*` stands for any text, everything else for itself.

use crate::model::AppName;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// A pattern whose letter case counts.
    pub(super) fn exact(text: &str) -> Self {
        Self::of_pieces(text.trim().split('*').map(str::to_owned).collect())
    }

    /// A pattern of names of applications.
    pub(super) fn of_app(text: &str) -> Self {
        Self::exact(&AppName::upper(text.trim()))
    }

    /// A pattern of what is between its stars.
    pub(super) fn of_pieces(pieces: Vec<String>) -> Self {
        Self(pieces)
    }

    /// Whether a text is one of those it stands for.
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, others)) = self.0.split_first() else { return text.is_empty() };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, between)) = others.split_last() else { return rest.is_empty() };
        for piece in between {
            match rest.split_once(piece.as_str()) {
                Some((_, after)) => rest = after,
                None => return false,
            }
        }
        rest.ends_with(last.as_str())
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
