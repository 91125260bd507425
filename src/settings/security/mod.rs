//! Who may come in, and what they may do there (`SecurityProperties.User`; the rest has no counterpart in a
//! Java server).
//!
//! Secrets may lie in files. They are read with the settings, so that a file that is not there stops the start,
//! and again when they change.

mod alternative;
mod fields;
mod pattern;
mod roles;
mod secret;
mod subject;

use std::path::PathBuf;

pub use alternative::{AlternativeName, AlternativePattern};
pub use pattern::Pattern;
pub use roles::{Role, Roles};
pub use secret::{Kept, Password, Secret, text_of_file};
pub use subject::SubjectPattern;

use super::reader::Reader;
use super::value;

use fields::{is_written, missing, permissions, refuse_empty, required};

/// Settings of who may come in. Nobody configured: everybody may do everything, as in Java.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecuritySettings {
    /// `spring.security.user.*`, and `eurekad.security.users`. Each name once.
    pub users: Vec<UserSettings>,
    /// `eurekad.security.tokens`.
    pub tokens: Vec<TokenSettings>,
    /// `eurekad.security.certificates`: the first that fits counts.
    pub certificates: Vec<CertificateSettings>,
    /// `eurekad.security.anonymous`: what anybody may do without a login. None set: nothing, once somebody is
    /// configured.
    pub anonymous: Option<Roles>,
    /// `eurekad.security.bind-instances`: whether an instance may be changed by whoever registered it, and else
    /// only by who may operate or replicate. Default false.
    pub bind_instances: bool,
    /// `eurekad.security.public-health`: whether health needs no login. Default true.
    pub public_health: bool,
}

/// What somebody may do, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// What; never empty where somebody lists roles.
    pub roles: Roles,
    /// The applications that may be changed; none listed: all.
    pub apps: Vec<Pattern>,
}

/// Somebody with a password (HTTP Basic).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserSettings {
    /// Without a colon, which Basic could not carry.
    pub name: String,
    /// What the password is compared with.
    pub password: Kept<Password>,
    /// What the user may do.
    pub permissions: Permissions,
}

/// Somebody with tokens (RFC 6750). All of them count, so that one can take another's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSettings {
    /// Who, in logs.
    pub name: String,
    /// Each of 16 characters at least.
    pub tokens: Kept<Vec<Secret>>,
    /// What they may do.
    pub permissions: Permissions,
}

/// Whoever has such a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateSettings {
    /// Who, in logs; none: the certificate's subject.
    pub name: Option<String>,
    /// What the subject must be; none: anything.
    pub subject: Option<SubjectPattern>,
    /// What one of the subject's alternative names must be; none: anything.
    pub san: Option<AlternativePattern>,
    /// What they may do.
    pub permissions: Permissions,
}

impl Default for SecuritySettings {
    fn default() -> Self {
        Self {
            users: Vec::new(),
            tokens: Vec::new(),
            certificates: Vec::new(),
            anonymous: None,
            bind_instances: false,
            public_health: true,
        }
    }
}

const USERS: &str = "eurekad.security.users";
const TOKENS: &str = "eurekad.security.tokens";
const CERTIFICATES: &str = "eurekad.security.certificates";
const REQUIRE: &str = "eurekad.security.require";
/// A user with a password of some encoding, a certificate and so on must have some name.
const NAME: &str = "a name without a colon";

impl SecuritySettings {
    /// Whether anybody may do everything.
    pub fn is_open(&self) -> bool {
        let Self { users, tokens, certificates, anonymous, .. } = self;
        users.is_empty() && tokens.is_empty() && certificates.is_empty() && anonymous.is_none()
    }

    /// Whether a secret lies in a file.
    pub fn has_files(&self) -> bool {
        self.users.iter().any(|user| user.password.file.is_some())
            || self.tokens.iter().any(|token| token.tokens.file.is_some())
    }

    /// The same, with what the files have now, and what is wrong with any of them: each mistake names the file and
    /// none of its text, and what was in that file before stays. Blocks on them.
    pub fn with_files_read_again(&self) -> (Self, Vec<String>) {
        let (mut again, mut mistakes) = (self.clone(), Vec::new());
        for user in &mut again.users {
            match user.password.again(secret::password) {
                Ok(password) => user.password = password,
                Err(mistake) => mistakes.push(mistake),
            }
        }
        for token in &mut again.tokens {
            match token.tokens.again(secret::tokens) {
                Ok(tokens) => token.tokens = tokens,
                Err(mistake) => mistakes.push(mistake),
            }
        }
        (again, mistakes)
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let mut settings = Self {
            users: springs_user(reader).into_iter().collect(),
            tokens: tokens(reader),
            certificates: certificates(reader),
            anonymous: reader.get(&["eurekad.security.anonymous"], roles::roles),
            bind_instances: reader.get(&["eurekad.security.bind-instances"], value::boolean).unwrap_or(false),
            public_health: reader.get(&["eurekad.security.public-health"], value::boolean).unwrap_or(true),
        };
        for place in reader.records(USERS, &["name", "password", "password-file", "roles", "apps"]) {
            let Some(user) = user(reader, place) else { continue };
            if settings.users.iter().any(|other| other.name == user.name) {
                missing(reader, (USERS, place), "name", "a name that no other user has");
            }
            settings.users.push(user);
        }
        settings.check_required(reader);
        settings
    }

    /// Whoever wants the server closed is told what keeps it open.
    fn check_required(&self, reader: &mut Reader<'_>) {
        let Some(property) = reader.there(REQUIRE) else { return };
        if property.value.trim().is_empty() {
            return reader.mistake(REQUIRE, property, "true or false");
        }
        if reader.get(&[REQUIRE], value::boolean) != Some(true) {
            return;
        }
        let changes =
            |roles: Roles| [Role::Register, Role::Operate, Role::Peer].into_iter().any(|role| roles.allow(role));
        if self.is_open() {
            reader.mistake(
                REQUIRE,
                property,
                "false while nobody is configured: set spring.security.user.password, eurekad.security.users, \
                 eurekad.security.tokens or eurekad.security.certificates",
            );
        } else if self.anonymous.is_some_and(changes) {
            reader.mistake(
                REQUIRE,
                property,
                "false while anybody may register, operate or replicate: take these roles out of \
                 eurekad.security.anonymous",
            );
        }
    }
}

/// A single user, as Spring Boot has it. (It makes up a password where none is set, and prints it.)
fn springs_user(reader: &mut Reader<'_>) -> Option<UserSettings> {
    const NAMES: [&str; 4] = [
        "spring.security.user.name",
        "spring.security.user.password",
        "spring.security.user.password-file",
        "spring.security.user.roles",
    ];
    let [name, password, file, roles] = NAMES;
    let (first, property) = NAMES.iter().find_map(|name| Some((*name, reader.written(name)?)))?;
    let permitted = reader.get(&[roles], roles::of_springs_user).unwrap_or(Some(Roles::ALL));
    if permitted.is_none() {
        reader.warn(&format!("{roles} has none of {}: as in Java, this user may do everything", Roles::ALL));
    }
    let called = reader.get(&[name], user_name);
    let kept = match reader.written(file) {
        Some(_) => reader.get(&[file], |path| Kept::in_file(&path_of(path), secret::password)),
        None if reader.written(password).is_some() => {
            reader.get(&[password], |text| Password::parse(text).map(Kept::here))
        }
        None => {
            reader.mistake(first, property, &format!("set together with {password} or {file}"));
            None
        }
    };
    Some(UserSettings {
        name: called.unwrap_or_else(|| "user".to_owned()),
        password: kept?,
        permissions: Permissions { roles: permitted.unwrap_or(Roles::ALL), apps: Vec::new() },
    })
}

fn user(reader: &mut Reader<'_>, place: u32) -> Option<UserSettings> {
    let at = (USERS, place);
    let permissions = permissions(reader, at);
    let name = required(reader, at, "name", NAME, user_name);
    let password = if is_written(reader, at, "password-file") {
        reader.field(at, "password-file", |path| Kept::in_file(&path_of(path), secret::password))
    } else {
        let parse = |text: &str| Password::parse(text).map(Kept::here);
        required(reader, at, "password", "set, or password-file", parse)
    };
    Some(UserSettings { name: name?, password: password?, permissions })
}

fn tokens(reader: &mut Reader<'_>) -> Vec<TokenSettings> {
    let mut all = Vec::new();
    for place in reader.records(TOKENS, &["name", "token", "token-file", "roles", "apps"]) {
        let at = (TOKENS, place);
        let permissions = permissions(reader, at);
        let name = required(reader, at, "name", NAME, user_name);
        let tokens = if is_written(reader, at, "token-file") {
            reader.field(at, "token-file", |path| Kept::in_file(&path_of(path), secret::tokens))
        } else {
            let parse = |text: &str| secret::token(text).map(|token| Kept::here(vec![token]));
            required(reader, at, "token", "set, or token-file", parse)
        };
        if let (Some(name), Some(tokens)) = (name, tokens) {
            all.push(TokenSettings { name, tokens, permissions });
        }
    }
    all
}

fn certificates(reader: &mut Reader<'_>) -> Vec<CertificateSettings> {
    let mut all = Vec::new();
    for place in reader.records(CERTIFICATES, &["name", "subject", "san", "roles", "apps"]) {
        let at = (CERTIFICATES, place);
        let permissions = permissions(reader, at);
        let name = reader.field(at, "name", user_name);
        refuse_empty(reader, at, "subject", "a subject, or left out");
        refuse_empty(reader, at, "san", "a name, or left out");
        let san = reader.field(at, "san", AlternativePattern::parse);
        let subject = if is_written(reader, at, "san") {
            reader.field(at, "subject", SubjectPattern::parse)
        } else {
            required(reader, at, "subject", "set, or san: a name, or a pattern with *", SubjectPattern::parse)
        };
        if subject.is_some() || san.is_some() {
            all.push(CertificateSettings { name, subject, san, permissions });
        }
    }
    all
}

fn user_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.contains(|c: char| c == ':' || c.is_control()) { Err(NAME.to_owned()) } else { Ok(name.to_owned()) }
}

fn path_of(text: &str) -> PathBuf {
    let text = text.trim();
    PathBuf::from(text.strip_prefix("file:").unwrap_or(text))
}

/// Names with commas between them.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests;
