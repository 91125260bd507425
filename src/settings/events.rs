//! Who may follow what happens, and who is told.

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::model::{AppName, EventKind};

use super::reader::Reader;
use super::value::{self, Unit};
use super::{OutgoingSecret, Secret};

/// Settings of event streams and webhooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSettings {
    /// `eurekad.events.max-readers`: how many may follow at a time. Default 2000.
    pub max_readers: usize,
    /// `eurekad.events.keep-alive`: how often a reader hears something. Default 15 s, at least 1 s and at most
    /// [`LONGEST_KEEP_ALIVE`].
    pub keep_alive: Duration,
    /// `eurekad.webhooks`: who is told.
    pub webhooks: Vec<WebhookSettings>,
}

/// A connection over HTTP/2 on which nothing is sent for longer than this is taken for dead.
pub const LONGEST_KEEP_ALIVE: Duration = Duration::from_secs(25);

/// Somebody who is told what happens.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// `….url`: where.
    pub url: Url,
    /// `….apps`: of which applications; none listed: all.
    pub apps: Vec<AppName>,
    /// `….kinds`: which kinds of events; none listed: all.
    pub kinds: Vec<EventKind>,
    /// `….secret` or `….secret-file`: what requests are signed with; none: they are not.
    pub secret: Option<OutgoingSecret>,
}

impl std::fmt::Debug for WebhookSettings {
    /// Without what the URL may hold of secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { url, apps, kinds, secret } = self;
        let place = url.origin().ascii_serialization();
        f.debug_struct("WebhookSettings")
            .field("url", &place)
            .field("apps", apps)
            .field("kinds", kinds)
            .field("secret", secret)
            .finish()
    }
}

impl Default for EventSettings {
    fn default() -> Self {
        Self { max_readers: 2_000, keep_alive: Duration::from_secs(15), webhooks: Vec::new() }
    }
}

const WEBHOOKS: &str = "eurekad.webhooks";

impl EventSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let keep_alive = value::duration(Unit::Seconds, Duration::from_secs(1));
        Self {
            max_readers: reader
                .get(&["eurekad.events.max-readers"], value::whole(0..=i64::from(i32::MAX)))
                .unwrap_or(default.max_readers),
            keep_alive: reader
                .get(&["eurekad.events.keep-alive"], keep_alive)
                .map_or(default.keep_alive, |time| time.min(LONGEST_KEEP_ALIVE)),
            webhooks: webhooks(reader),
        }
    }
}

fn webhooks(reader: &mut Reader<'_>) -> Vec<WebhookSettings> {
    let places = reader.records(WEBHOOKS, &["url", "apps", "kinds", "secret", "secret-file"]);
    places.into_iter().filter_map(|place| webhook(reader, place)).collect()
}

fn webhook(reader: &mut Reader<'_>, place: u32) -> Option<WebhookSettings> {
    let at = (WEBHOOKS, place);
    let missing = reader.written(&format!("{WEBHOOKS}[{place}].url")).is_none();
    if let Some((name, property)) = reader.first_below(&format!("{WEBHOOKS}[{place}].")).filter(|_| missing) {
        reader.mistake(name, property, "given with url: where events are sent");
    }
    let url = reader.field(at, "url", url);
    let apps = reader.field(at, "apps", |text| {
        let names = value::list(text)?;
        Ok(names.iter().map(|name| AppName::new(name)).collect())
    });
    let kinds = reader.field(at, "kinds", kinds);
    let text = reader.field(at, "secret", value::text).map(|text| OutgoingSecret::Text(Secret::new(text)));
    let file = reader.field(at, "secret-file", value::text);
    let file = file.map(|path| OutgoingSecret::File(PathBuf::from(path.trim())));
    Some(WebhookSettings {
        url: url?,
        apps: apps.unwrap_or_default(),
        kinds: kinds.unwrap_or_default(),
        secret: text.or(file),
    })
}

fn url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).ok().filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    url.ok_or_else(|| "a URL that begins with http:// or https://".to_owned())
}

fn kinds(text: &str) -> Result<Vec<EventKind>, String> {
    let kinds: Option<Vec<_>> = value::list(text)?.iter().map(|name| EventKind::from_name(name)).collect();
    kinds.ok_or_else(|| format!("some of {}", EventKind::names()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn webhooks_are_read_with_what_they_want() {
        let words = [
            "--eurekad.webhooks[0].url=https://user:pass@hooks.example:8443/path?key=x",
            "--eurekad.webhooks[0].apps=orders, Billing",
            "--eurekad.webhooks[0].kinds=Status,expired",
            "--eurekad.webhooks[0].secret=hidden",
            "--eurekad.webhooks[3].url=http://10.0.0.1/",
            "--eurekad.webhooks[3].secretFile=/run/secrets/hook",
            "--eurekad.events.keep-alive=1h",
        ];
        let events = Settings::from_words(&words).unwrap().events;
        assert_eq!(events.keep_alive, LONGEST_KEEP_ALIVE);
        let [first, second] = &events.webhooks[..] else { panic!("{events:?}") };
        assert_eq!(first.apps, [AppName::new("ORDERS"), AppName::new("BILLING")]);
        assert_eq!(first.kinds, [EventKind::Status, EventKind::Expired]);
        assert_eq!(second.secret, Some(OutgoingSecret::File("/run/secrets/hook".into())));
        let shown = format!("{events:?}");
        assert!(shown.contains("https://hooks.example:8443"), "{shown}");
        for secret in ["pass", "key", "hidden", "path"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }

    #[test]
    fn mistakes_name_what_is_wrong_and_no_secret() {
        for (word, named) in [
            ("--eurekad.webhooks[0].secret=hidden", "given with url"),
            ("--eurekad.webhooks[0].url=ftp://u:hidden@a/", "http://"),
            ("--eurekad.webhooks[0].kinds=status,hidden", "registered, updated"),
            ("--eurekad.webhooks[0].when=hidden", "eurekad.webhooks[0].url"),
        ] {
            let mistake = Settings::from_words(&[word]).unwrap_err().to_string();
            assert!(mistake.contains(named), "{mistake}");
            assert!(word.contains("kinds") || word.contains("when") || !mistake.contains("hidden"), "{mistake}");
        }
    }
}
