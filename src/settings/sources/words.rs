//! Arguments of the form `--name=value` (`SimpleCommandLinePropertySource`).

use super::java_options::is_system_property;
use super::{Origin, Written};
use crate::settings::findings::{Findings, SettingsError};

/// Whether an argument is meant as a property and not as an option of the program: it starts with
/// two dashes and has a dot in its name or a value of its own.
pub(crate) fn is_word(argument: &str) -> bool {
    argument.strip_prefix("--").is_some_and(|rest| rest.contains(['.', '=']))
}

/// Name and value of a word; `None` when either the `=` or the name is missing.
pub(crate) fn split(word: &str) -> Option<(&str, &str)> {
    word.strip_prefix("--")?.split_once('=').filter(|(name, _)| !name.is_empty())
}

pub(in crate::settings) fn read<S: AsRef<str>>(words: &[S], findings: &mut Findings) -> Vec<Written> {
    let mut written = Vec::with_capacity(words.len());
    for word in words.iter().map(AsRef::as_ref).filter(|word| !is_system_property(word)) {
        match split(word) {
            Some((name, value)) => {
                written.push(Written { name: name.to_owned(), value: value.to_owned(), origin: Origin::Word });
            }
            None => findings.error(SettingsError::Word { word: word.to_owned() }),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_a_dot_or_a_value() {
        assert!(is_word("--server.port=1"));
        assert!(is_word("--server.port"));
        assert!(is_word("--eureka_client_fetchRegistry=true"));
        assert!(!is_word("--help"));
        assert!(!is_word("-v"));
        assert!(!is_word("server.port=1"));
    }

    #[test]
    fn only_the_first_equals_sign_parts_name_and_value() {
        assert_eq!(split("--a.b=c=d"), Some(("a.b", "c=d")));
        assert_eq!(split("--a.b="), Some(("a.b", "")));
        assert_eq!(split("--a.b"), None);
        assert_eq!(split("--=x"), None);
        assert_eq!(split("a=b"), None);
    }
}
