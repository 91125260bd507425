//! What is to be said about the settings: mistakes, which stop the start, and notices.

use std::fmt;

use super::sources::Origin;

/// One mistake. Its text is one line that says what is wrong, where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A file that cannot be read, or not as what its name says it is, or that says what it cannot;
    /// or a place where there is none.
    #[error("{origin}: {problem}")]
    File {
        /// Which file, with the line where it is known, or what names a place without one.
        origin: Origin,
        /// What is wrong.
        problem: String,
    },
    /// An argument that is neither `--name=value` nor `-Dname=value`.
    #[error("argument {word:?}: write --name=value, with the value in the same argument")]
    Word {
        /// The argument.
        word: String,
    },
    /// A value that its property cannot take.
    #[error("{name} = {value:?} ({origin}): must be {expected}")]
    Value {
        /// The property.
        name: String,
        /// What was given, with placeholders put in and without secrets.
        value: String,
        /// Where.
        origin: Origin,
        /// What would be right.
        expected: String,
    },
    /// Something that does not go together, or what a property leads to.
    #[error("{name}: {problem}")]
    Unfit {
        /// The property, or the root of several.
        name: String,
        /// What is wrong, without secrets.
        problem: String,
    },
    /// A value whose placeholders lead nowhere.
    #[error("{name} = {value:?} ({origin}): {problem}")]
    Placeholder {
        /// The property.
        name: String,
        /// The value as written, without secrets.
        value: String,
        /// Where.
        origin: Origin,
        /// What is wrong.
        problem: String,
    },
}

/// All mistakes of one load, in the order of the sources and then of the properties; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsErrors(Vec<SettingsError>);

impl SettingsErrors {
    /// These; none if there are none.
    pub fn of(errors: Vec<SettingsError>) -> Option<Self> {
        (!errors.is_empty()).then_some(Self(errors))
    }

    /// The exit code of a program that could not start for its settings (`EX_CONFIG`).
    pub const EXIT_CODE: u8 = 78;

    /// The mistakes, one by one.
    pub fn iter(&self) -> impl Iterator<Item = &SettingsError> {
        self.0.iter()
    }
}

impl fmt::Display for SettingsErrors {
    /// One line for each mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for SettingsErrors {}

/// Something about the settings that does not stop the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How much it matters.
    pub level: NoticeLevel,
    /// One line.
    pub text: String,
}

impl Notice {
    /// Something that is probably not what was meant; one line.
    pub fn warning(text: String) -> Self {
        Self { level: NoticeLevel::Warning, text }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How much a [`Notice`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Probably not what was meant: to be logged as a warning.
    Warning,
    /// Of interest to somebody who looks for it: to be logged at debug level.
    Detail,
}

/// Collects both while the settings are read.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: Vec<SettingsError>,
    notices: Vec<Notice>,
}

impl Findings {
    pub(super) fn error(&mut self, error: SettingsError) {
        self.errors.push(error);
    }

    pub(super) fn warn(&mut self, text: impl Into<String>) {
        self.notices.push(Notice { level: NoticeLevel::Warning, text: text.into() });
    }

    pub(super) fn detail(&mut self, text: impl Into<String>) {
        self.notices.push(Notice { level: NoticeLevel::Detail, text: text.into() });
    }

    /// The mistakes, if there are any, and the notices.
    pub(super) fn conclude(self) -> (Result<(), SettingsErrors>, Vec<Notice>) {
        let outcome = SettingsErrors::of(self.errors).map_or(Ok(()), Err);
        (outcome, self.notices)
    }
}
