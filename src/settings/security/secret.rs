//! Passwords and tokens, in a setting or in a file. Nothing shows them, and they are wiped when they go.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

/// A text that nothing shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("******")
    }
}

/// What a password is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Password {
    /// The password itself: plain, or `{noop}…`.
    Plain(Secret),
    /// `{bcrypt}$2a$10$…`: its hash.
    Bcrypt(Secret),
}

/// A hash of a higher cost takes seconds.
const MOST_COST: u32 = 15;

impl Password {
    /// Reads one as Spring writes them (`DelegatingPasswordEncoder`); the error ends "must be …" and repeats
    /// nothing of the text but the name of an encoding.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let encoded = text.strip_prefix('{').and_then(|text| text.split_once('}')).filter(|(id, _)| !id.is_empty());
        match encoded {
            None => Ok(Self::Plain(Secret::new(text))),
            Some(("noop", "")) => Err("a password that is not empty".to_owned()),
            Some(("noop", password)) => Ok(Self::Plain(Secret::new(password))),
            Some(("bcrypt", hash)) => {
                let cost = hash.parse::<bcrypt::HashParts>().ok().map(|parts| parts.get_cost());
                match cost {
                    Some(4..=MOST_COST) => Ok(Self::Bcrypt(Secret::new(hash))),
                    Some(_) => Err(format!("a bcrypt hash of a cost from 4 to {MOST_COST}")),
                    None => {
                        Err("a bcrypt hash after {bcrypt}: $2a$, $2b$ or $2y$, the cost and 53 characters".to_owned())
                    }
                }
            }
            Some(_) => Err("a plain password, {noop} and a plain password, or {bcrypt} and a bcrypt hash; other \
                            encodings are not served"
                .to_owned()),
        }
    }
}

/// What a setting says, or a file that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<T> {
    /// The file, if it is in one; it is read again when it changes.
    pub file: Option<PathBuf>,
    /// What is there now.
    pub content: T,
}

impl<T> Kept<T> {
    /// Not in a file.
    pub(super) fn here(content: T) -> Self {
        Self { file: None, content }
    }

    pub(super) fn in_file(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<Self, String> {
        let text = text_of_file(path).map_err(|error| format!("a file that can be read: {error}"))?;
        let content = parse(&text)?;
        Ok(Self { file: Some(path.to_owned()), content })
    }

    /// The same, with what the file has now.
    pub(super) fn again(&self, parse: impl Fn(&str) -> Result<T, String>) -> Result<Self, String>
    where
        T: Clone,
    {
        match &self.file {
            Some(path) => {
                Self::in_file(path, parse).map_err(|expected| format!("{}: must hold {expected}", path.display()))
            }
            None => Ok(self.clone()),
        }
    }
}

/// More is no file of passwords.
const MOST_BYTES: u64 = 64 << 10;

/// The text of a file of secrets, without the line ends at its end. Blocks.
pub fn text_of_file(path: &Path) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let bytes = File::open(path)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if u64::try_from(bytes).is_ok_and(|bytes| bytes > MOST_BYTES) {
        return Err(io::Error::other(format!("it has more than {MOST_BYTES} bytes")));
    }
    let length = text.trim_end_matches(['\n', '\r']).len();
    text.truncate(length);
    Ok(text)
}

/// A file's password: its whole text.
pub(super) fn password(text: &str) -> Result<Password, String> {
    if text.is_empty() { Err("a password; the file is empty".to_owned()) } else { Password::parse(text) }
}

/// Tokens, one a line.
pub(super) fn tokens(text: &str) -> Result<Vec<Secret>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let tokens: Result<Vec<_>, _> = lines.map(token).collect();
    tokens.and_then(
        |tokens| if tokens.is_empty() { Err("a token a line; the file is empty".to_owned()) } else { Ok(tokens) },
    )
}

/// One token. What a header cannot carry (RFC 6750) would never be right.
pub(super) fn token(text: &str) -> Result<Secret, String> {
    let text = text.trim();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if text.len() >= 16 && text.bytes().all(plain) {
        Ok(Secret::new(text))
    } else {
        Err("a token of at least 16 letters, digits and -._~+/= (openssl rand -hex 32)".to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const HASH: &str = "$2a$04$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";

    #[test]
    fn passwords_are_read_as_spring_writes_them() {
        let plain = |text: &str| Ok(Password::Plain(Secret::new(text)));
        for (written, meant) in
            [("s3cret", "s3cret"), ("{noop}s3cret", "s3cret"), ("{}x", "{}x"), ("{x", "{x"), (" a ", " a ")]
        {
            assert_eq!(Password::parse(written), plain(meant), "{written}");
        }
        let hashed = Password::parse(&format!("{{bcrypt}}{HASH}")).unwrap();
        assert!(matches!(&hashed, Password::Bcrypt(hash) if hash.reveal() == HASH));
        for wrong in ["{pbkdf2}hidden", "{bcrypt}hidden", "{noop}", "{argon2@SpringSecurity_v5_8}hidden"] {
            let problem = Password::parse(wrong).unwrap_err();
            assert!(!problem.contains("hidden"), "{problem}");
        }
        let costly = format!("{{bcrypt}}{}", HASH.replacen("$04$", "$31$", 1));
        assert!(Password::parse(&costly).unwrap_err().contains("cost"));
    }

    #[test]
    fn a_file_is_read_without_its_last_line_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secret");
        std::fs::write(&path, "pass word\r\n").unwrap();
        let kept = Kept::in_file(&path, password).unwrap();
        assert_eq!(kept.content, Password::Plain(Secret::new("pass word")));
        std::fs::write(&path, "0123456789abcdef\n\n fedcba9876543210 \n").unwrap();
        assert_eq!(Kept::in_file(&path, tokens).unwrap().content.len(), 2);
        std::fs::write(&path, "\n").unwrap();
        assert!(kept.again(password).unwrap_err().contains("empty"));
        assert!(Kept::in_file(&path, tokens).is_err());
        std::fs::write(&path, "x".repeat(70_000)).unwrap();
        assert!(Kept::in_file(&path, password).unwrap_err().contains("65536"));
        assert!(Kept::in_file(&dir.path().join("none"), password).unwrap_err().contains("No such file"));
    }

    #[test]
    fn nothing_shows_a_secret() {
        assert_eq!(
            format!("{:?}", Kept::here(Password::Plain(Secret::new("hidden")))),
            "Kept { file: None, content: Plain(******) }"
        );
    }
}
