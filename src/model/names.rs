//! The two keys of the registry, and the shared text that fields are made of.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::sync::Arc;

/// A text shared between all copies of an instance.
pub type Text = Arc<str>;

/// The name of an application: upper case, whatever the letter case in the body or the path.
///
/// Upper-casing follows Unicode's full mapping and no locale (`ß` becomes `SS`, a Turkish `i` stays
/// `I`), like `String.toUpperCase(Locale.ROOT)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AppName(Text);

impl AppName {
    /// Takes a name in any letter case.
    pub fn new(name: &str) -> Self {
        Self(Self::upper(name).into())
    }

    /// The upper-case form to look a name up with; copies only what is not upper case already.
    pub fn upper(name: &str) -> Cow<'_, str> {
        if name.bytes().all(|b| b.is_ascii() && !b.is_ascii_lowercase()) {
            Cow::Borrowed(name)
        } else {
            Cow::Owned(name.to_uppercase())
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as shared text.
    pub fn text(&self) -> Text {
        Arc::clone(&self.0)
    }
}

/// What tells instances of one application apart; compared exactly, never changed in case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(Text);

impl InstanceId {
    /// Takes an id as it is.
    pub fn new(id: impl Into<Text>) -> Self {
        Self(id.into())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! key {
    ($name:ident) => {
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

key!(AppName);
key!(InstanceId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_casing_ignores_the_locale_and_maps_fully() {
        assert_eq!(AppName::new("billing-info").as_str(), "BILLING-INFO");
        assert_eq!(AppName::new("straße").as_str(), "STRASSE");
        assert_eq!(AppName::new("order svc & co/ü").as_str(), "ORDER SVC & CO/Ü");
    }

    #[test]
    fn an_upper_case_name_is_not_copied() {
        assert!(matches!(AppName::upper("ORDERS-1"), Cow::Borrowed(_)));
        assert!(matches!(AppName::upper("ORDERs"), Cow::Owned(_)));
    }
}
