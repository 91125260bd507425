//! Who asks, and whether they may: what the settings say of users, tokens and certificates.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderMap;

use crate::settings::{CertificateSettings, Permissions, Role, Roles, SecuritySettings};

use super::audit::User;
use super::authorization::{Credentials, Unreadable};
use super::failures::{Failures, TooMany};
use super::owners::Login;
use super::passwords::{Key, Passwords, Tag};
use super::refused::{Challenge, Refused};
use super::{Caller, ClientCertificate, Connection, Needs};

/// Somebody who is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Principal {
    login: Login,
    pub(super) name: Arc<str>,
    pub(super) permissions: Permissions,
}

/// The settings of one moment.
pub(super) struct Gate {
    key: Key,
    passwords: Passwords,
    users: HashMap<String, Arc<Principal>>,
    tokens: HashMap<Tag, Token>,
    certificates: Vec<CertificateSettings>,
    anonymous: Arc<Principal>,
    challenge: Challenge,
    pub(super) health_is_public: bool,
    binds_instances: bool,
}

/// Whose a token is, and whether somebody has shown it before.
struct Token {
    owner: Arc<Principal>,
    was_right: Arc<AtomicBool>,
}

/// Who may not come in, as far as is known, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TurnedAway {
    /// Data, where the credentials are wrong.
    pub(super) user: Arc<str>,
    pub(super) refused: Refused,
}

impl TurnedAway {
    /// Whether the user is one of ours.
    pub(super) fn is_known(&self) -> bool {
        self.refused == Refused::NotAllowed
    }

    /// The same for the audit, where a certificate of no user is somebody, too: TLS has verified it.
    pub(super) fn of_audit(&self, from: &Connection) -> User<'_> {
        let is_certified = from.certificate.is_some() && matches!(self.refused, Refused::NoLogin(_));
        if self.is_known() || is_certified { User::Known(&self.user) } else { User::Stranger(&self.user) }
    }
}

/// Whoever has credentials without a name.
const NAMELESS: &str = "-";
/// Whoever does not log in.
pub(super) const ANONYMOUS: &str = "anonymous";

impl Gate {
    /// None where all is open. Goes on with what was right before, as far as that has not changed.
    pub(super) fn of(settings: &SecuritySettings, before: Option<&Self>) -> Option<Self> {
        if settings.is_open() {
            return None;
        }
        let key = before.map_or_else(Key::random, |before| before.key.clone());
        let principal = |login: Login, name: &str, permissions: &Permissions| {
            Arc::new(Principal { login, name: name.into(), permissions: permissions.clone() })
        };
        let users = settings.users.iter();
        let users = users.map(|user| (user.name.clone(), principal(Login::Password, &user.name, &user.permissions)));
        let mut tokens = HashMap::new();
        for entry in &settings.tokens {
            let owner = principal(Login::Token, &entry.name, &entry.permissions);
            for token in &entry.tokens.content {
                let tag = key.tag(None, token.reveal());
                let before = before.and_then(|before| before.tokens.get(&tag));
                let was_right = before.map(|before| Arc::clone(&before.was_right)).unwrap_or_default();
                tokens.entry(tag).or_insert_with(|| Token { owner: Arc::clone(&owner), was_right });
            }
        }
        let anonymous = Permissions { roles: settings.anonymous.unwrap_or(Roles::NONE), apps: Vec::new() };
        let only_tokens = settings.users.is_empty() && !settings.tokens.is_empty();
        Some(Self {
            passwords: Passwords::new(key.clone(), &settings.users, before.map(|before| &before.passwords)),
            key,
            users: users.collect(),
            tokens,
            certificates: settings.certificates.clone(),
            anonymous: principal(Login::Anonymous, ANONYMOUS, &anonymous),
            challenge: if only_tokens { Challenge::Bearer } else { Challenge::Basic },
            health_is_public: settings.public_health,
            binds_instances: settings.bind_instances,
        })
    }

    /// Lets somebody in, or not; who guesses waits.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        from: &Connection,
        needs: Needs<'_>,
        failures: &Failures,
    ) -> Result<Arc<Principal>, TurnedAway> {
        let address = from.ip();
        let (user, found) = match Credentials::of(headers) {
            Ok(None) => return self.judge(self.without_credentials(from), needs),
            Ok(Some(credentials)) => self.holder(credentials, address, failures).await,
            // Nothing that could be right was guessed.
            Err(Unreadable) => (NAMELESS.to_owned(), Ok(None)),
        };
        let refused = match found {
            Ok(Some(principal)) => return self.judge(principal, needs),
            Ok(None) => Refused::WrongLogin(self.challenge),
            Err(TooMany) => Refused::TooMany,
        };
        Err(TurnedAway { user: user.into(), refused })
    }

    /// What it takes to judge by the owners of instances; none where these do not count.
    pub(super) fn caller(&self, principal: &Principal) -> Option<Caller> {
        let Principal { login, name, permissions: Permissions { roles, .. } } = principal;
        let changes_all = roles.allow(Role::Operate) || roles.allow(Role::Peer);
        self.binds_instances.then(|| Caller { login: *login, name: Arc::clone(name), changes_all })
    }

    /// Who has these credentials; and who they say that it is.
    async fn holder(
        &self,
        credentials: Credentials,
        address: Option<IpAddr>,
        failures: &Failures,
    ) -> (String, Result<Option<Arc<Principal>>, TooMany>) {
        match credentials {
            Credentials::Basic { user, password } => {
                let is_right = self.passwords.is_right(failures, address, &user, &password).await;
                let holder = is_right.map(|is_right| self.users.get(&user).filter(|_| is_right).cloned());
                (user, holder)
            }
            Credentials::Bearer(token) => (NAMELESS.to_owned(), self.owner(&token, address, failures).await),
        }
    }

    /// Whose a token is. What was right before costs a look; all else is a guess.
    async fn owner(
        &self,
        token: &str,
        address: Option<IpAddr>,
        failures: &Failures,
    ) -> Result<Option<Arc<Principal>>, TooMany> {
        let tag = self.key.tag(None, token);
        let found = self.tokens.get(&tag);
        let known = || found.filter(|token| token.was_right.load(Ordering::Relaxed));
        if let Some(token) = known() {
            return Ok(Some(Arc::clone(&token.owner)));
        }
        let _alone = failures.alone(address, &tag).await;
        if known().is_none() && !self.passwords.was_wrong(&tag) {
            let attempt = failures.begin(address, NAMELESS).await?;
            if let Some(token) = found {
                token.was_right.store(true, Ordering::Relaxed);
                attempt.was_right();
            } else {
                self.passwords.remember_wrong(tag);
            }
        }
        Ok(found.map(|token| Arc::clone(&token.owner)))
    }

    fn without_credentials(&self, from: &Connection) -> Arc<Principal> {
        let certified = from.certificate.as_ref().and_then(|certificate| {
            let fitting = self.certificates.iter().find(|known| fits(known, certificate))?;
            let name = fitting.name.as_deref().unwrap_or(&certificate.subject);
            let permissions = fitting.permissions.clone();
            Some(Arc::new(Principal { login: Login::Certificate, name: name.into(), permissions }))
        });
        certified.unwrap_or_else(|| Arc::clone(&self.anonymous))
    }

    fn judge(&self, principal: Arc<Principal>, needs: Needs<'_>) -> Result<Arc<Principal>, TurnedAway> {
        let is_anonymous = Arc::ptr_eq(&principal, &self.anonymous);
        if needs.are_met_by(&principal.permissions) && !(is_anonymous && matches!(needs, Needs::Login | Needs::Health))
        {
            return Ok(principal);
        }
        let refused = if is_anonymous { Refused::NoLogin(self.challenge) } else { Refused::NotAllowed };
        Err(TurnedAway { user: Arc::clone(&principal.name), refused })
    }
}

fn fits(known: &CertificateSettings, certificate: &ClientCertificate) -> bool {
    let CertificateSettings { subject, san, .. } = known;
    subject.as_ref().is_none_or(|pattern| pattern.matches(&certificate.subject))
        && san.as_ref().is_none_or(|pattern| certificate.names.iter().any(|name| pattern.matches(name)))
}

#[cfg(test)]
mod tests;
