//! Which server is meant, and how to come in there.

use std::fs;
use std::path::Path;

use rustls::ClientConfig;
use zeroize::Zeroizing;

use crate::access::tls::Tls;
use crate::settings::{PeerUrl, Role, Settings, SettingsErrors, Sources};

use super::super::healthcheck::{known_login, local};
use super::arguments::Connect;
use super::{Stopped, USAGE};

/// See the module.
pub(super) struct Target {
    /// Where the API is.
    pub(super) url: PeerUrl,
    pub(super) login: Option<Login>,
    pub(super) tls: ClientConfig,
}

/// As whom.
pub(super) enum Login {
    Password(String, Zeroizing<String>),
    Token(Zeroizing<String>),
}

impl Target {
    /// The server that is named, else the one that these settings start, with a login that they have.
    pub(super) fn of<E>(
        connect: &Connect,
        named: Option<String>,
        sources: Sources<'_, E>,
        changes: bool,
    ) -> Result<Self, Stopped>
    where
        E: IntoIterator<Item = (String, String)>,
    {
        let named = connect.server.clone().or(named).filter(|url| !url.trim().is_empty());
        let login = given(connect)?;
        let loaded = Settings::load(sources);
        let settings = loaded.map_err(|mistakes| wrong_settings(&mistakes))?.settings;
        let Some(named) = named else {
            let role = if changes { Role::Operate } else { Role::Read };
            let login = login.or_else(|| {
                let (user, password) = known_login(&settings.security, role)?;
                Some(Login::Password(user, password))
            });
            return Self::local(&settings, login);
        };
        let url = url_of(&named)?;
        let (tls, _) = Tls::load(&settings.tls).map_err(|mistakes| wrong_settings(&mistakes))?;
        let in_url = || Some((url.user()?.to_owned(), Zeroizing::new(url.password()?.to_owned())));
        let login = login.or_else(|| in_url().map(|(user, password)| Login::Password(user, password)));
        Ok(Self { url, login, tls: tls.peers.config() })
    }

    fn local(settings: &Settings, login: Option<Login>) -> Result<Self, Stopped> {
        let (http, port) = (&settings.http, &settings.tls.server);
        let tls = match port {
            Some(port) => Tls::to_own_port(&settings.tls, port).map_err(|told| Stopped::new(78, told))?,
            None => Tls::default().peers.config(),
        };
        let address = std::net::SocketAddr::new(local(http.address), http.port);
        let scheme = if port.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}{}/eureka/", http.context_path);
        let url = url.parse().map_err(|error| Stopped::new(78, format!("{url}: {error}")))?;
        Ok(Self { url, login, tls })
    }
}

/// The root of the API; the one that is usual where no path is named.
fn url_of(named: &str) -> Result<PeerUrl, Stopped> {
    let parsed = |text: &str| text.parse::<PeerUrl>();
    let url = parsed(named).and_then(|url| match url.path() {
        "/" => parsed(&format!("{}/eureka/", named.trim().trim_end_matches('/'))),
        _ => Ok(url),
    });
    url.map_err(|error| Stopped::new(USAGE, format!("--server: {error}")))
}

fn wrong_settings(mistakes: &SettingsErrors) -> Stopped {
    Stopped::new(SettingsErrors::EXIT_CODE, mistakes.to_string())
}

fn given(connect: &Connect) -> Result<Option<Login>, Stopped> {
    if let Some(file) = &connect.token_file {
        return Ok(Some(Login::Token(secret(file)?)));
    }
    let (Some(user), Some(file)) = (&connect.user, &connect.password_file) else { return Ok(None) };
    Ok(Some(Login::Password(user.clone(), secret(file)?)))
}

/// The first line of a file.
fn secret(file: &Path) -> Result<Zeroizing<String>, Stopped> {
    let content = fs::read_to_string(file).map(Zeroizing::new);
    let content = content.map_err(|error| Stopped::new(USAGE, format!("{}: {error}", file.display())))?;
    let line = content.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(Stopped::new(USAGE, format!("{}: has no secret in its first line", file.display())));
    }
    Ok(Zeroizing::new(line.to_owned()))
}
