//! Settings that are read again while the server runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::access::tls::Tls;
use crate::logging::LogLevels;
use crate::ops::actuator::{Environment, Refreshed};
use crate::settings::{ConfigTrees, Effect, Effective, Examined};

use super::App;

/// What was read from all sources of settings at the start, and how it is read again.
pub struct ReadSettings {
    /// What counts so far.
    pub first: Examined,
    /// Blocks on files.
    pub again: Box<dyn Fn() -> Examined + Send + Sync>,
}

/// Puts settings in force that were read again, as far as they can change while the server runs. Wrong
/// ones change nothing. Certificates are looked at as well, whatever becomes of the settings.
pub(super) struct Reload {
    app: App,
    read: Box<dyn Fn() -> Examined + Send + Sync>,
    levels: Option<LogLevels>,
    tls: Tls,
    /// What was read last; held while it is read again, so that one reload ends before the next.
    last: Mutex<Last>,
    /// What was read last and was right, as people look at it; held for a look.
    environment: Mutex<Environment>,
}

struct Last {
    in_force: BTreeMap<String, String>,
    /// What was seen, also if nothing came of it: that is not told again and again.
    trees: ConfigTrees,
}

impl Reload {
    /// Of an app that began with what was read first.
    pub(super) fn new(app: App, settings: ReadSettings, levels: Option<LogLevels>, tls: Tls) -> Self {
        let ReadSettings { first: Examined { effective, profiles, trees, .. }, again: read } = settings;
        let last = Mutex::new(Last { in_force: values(&effective), trees });
        let environment = Mutex::new(Environment { profiles, effective: Arc::new(effective) });
        Self { app, read, levels, tls, last, environment }
    }

    /// Reads again if a folder of secrets has changed since it was read. To be called now and then.
    pub(super) fn look_at_trees(&self) {
        let have_changed = self.last.lock().trees.have_changed();
        if have_changed {
            // It is logged there.
            let _mistakes = self.run();
        }
    }

    /// What was read last and was right. What counts after a restart only is as it will be then.
    pub(super) fn in_force(&self) -> Environment {
        self.environment.lock().clone()
    }

    /// Reads again; the error lists what is wrong.
    pub(super) fn run(&self) -> Result<Refreshed, String> {
        self.tls.look_again(true);
        let mut last = self.last.lock();
        let Examined { outcome, effective, profiles, trees, .. } = (self.read)();
        last.trees = trees;
        let settings = outcome.map_err(|mistakes| {
            tracing::warn!(%mistakes, "the settings are wrong, the old ones stay in force");
            mistakes.to_string()
        })?;
        if self.app.access().is_guarded() && settings.security.is_open() {
            // A file that is empty for a moment would let everybody in.
            tracing::warn!("no logins are set any more, the old settings stay in force; a restart opens the server");
            return Err("no logins are set any more: restart the server to open it to everybody".to_owned());
        }
        let found = values(&effective);
        let refreshed = compare(&last.in_force, &found, &effective);
        self.app.change_settings(&settings);
        if let Some(levels) = &self.levels {
            levels.reload(&settings.logging);
        }
        last.in_force = found;
        *self.environment.lock() = Environment { profiles, effective: Arc::new(effective) };
        let (changed, after_restart) = (refreshed.changed.join(", "), refreshed.after_restart.join(", "));
        tracing::info!(changed, after_restart, "settings read again");
        Ok(refreshed)
    }
}

/// What has an effect. An empty value is none.
fn values(effective: &[Effective]) -> BTreeMap<String, String> {
    let works = effective
        .iter()
        .filter(|property| !matches!(property.effect, Effect::None(_)) && !property.value.trim().is_empty());
    works.map(|property| (property.name.clone(), property.value.clone())).collect()
}

/// Maps whose entries all change at once.
const AT_ONCE: [&str; 5] = [
    "logging.level.",
    "eureka.client.service-url.",
    "eureka.client.availability-zones.",
    "eurekad.security.",
    "spring.security.user.",
];

fn compare(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>, effective: &[Effective]) -> Refreshed {
    let at_once =
        |name: &str| effective.iter().any(|property| property.name == name && property.effect == Effect::WorksAtOnce);
    let mut refreshed = Refreshed::default();
    let names: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    for name in names.into_iter().filter(|name| before.get(*name) != after.get(*name)) {
        // A map's entry that is gone has no effect to look at, but its family has.
        if at_once(name) || AT_ONCE.iter().any(|map| name.starts_with(map)) {
            refreshed.changed.push(name.clone());
        } else {
            refreshed.after_restart.push(name.clone());
        }
    }
    refreshed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::access::tls::Tls;
    use crate::clock::Clock;
    use crate::settings::{Settings, Sources};

    use super::*;

    fn effective(words: &[&str]) -> Vec<Effective> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let dir = tempfile::tempdir().unwrap();
        Settings::examine(Sources { dir: dir.path(), environment: [], words: &words }).effective
    }

    #[tokio::test]
    async fn a_server_with_logins_does_not_become_open_by_a_file_that_is_empty_for_a_moment() {
        let guarded = Settings::from_words(&["--spring.security.user.password=secret"]).unwrap();
        let app = App::new(&guarded, Clock::held(0));
        let read = || {
            let dir = tempfile::tempdir().unwrap();
            Settings::examine(Sources { dir: dir.path(), environment: [], words: &[] as &[String] })
        };
        let settings = ReadSettings { first: read(), again: Box::new(read) };
        let reload = Reload::new(app.clone(), settings, None, Tls::default());
        assert!(reload.run().unwrap_err().contains("restart"));
        assert!(app.access().is_guarded());
    }

    #[tokio::test]
    async fn a_mounted_password_counts_when_it_changes_and_an_empty_one_opens_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (file, words) = (
            dir.path().join("spring.security.user.password"),
            [format!("--spring.config.import=configtree:{}/", dir.path().display())],
        );
        std::fs::write(&file, "one").unwrap();
        let (folder, runs) = (dir.path().to_owned(), Arc::new(Mutex::new(0)));
        let counted = Arc::clone(&runs);
        let read = move || {
            *counted.lock() += 1;
            Settings::examine(Sources { dir: &folder, environment: [], words: &words })
        };
        let first = read();
        let app = App::new(first.outcome.as_ref().unwrap(), Clock::held(0));
        let settings = ReadSettings { first, again: Box::new(read) };
        let reload = Reload::new(app.clone(), settings, None, Tls::default());
        let password = || app.settings().borrow().security.users[0].password.clone();
        let first = password();
        reload.look_at_trees();
        assert_eq!((*runs.lock(), password()), (1, first.clone()), "read once, and nothing changed");
        std::fs::write(&file, "").unwrap();
        reload.look_at_trees();
        reload.look_at_trees();
        assert_eq!((*runs.lock(), password()), (2, first.clone()), "it is told once");
        assert!(app.access().is_guarded());
        std::fs::write(&file, "two").unwrap();
        reload.look_at_trees();
        assert_ne!(password(), first);
    }

    #[test]
    fn an_entry_of_a_map_that_is_gone_has_changed_at_once_where_the_map_does() {
        let before = effective(&[
            "--eureka.client.service-url.eu=http://a/",
            "--eureka.client.service-url.defaultZone=http://a/",
            "--eureka.instance.metadata-map.zone=eu",
        ]);
        let after = effective(&["--eureka.client.service-url.defaultZone=http://b/"]);
        let refreshed = compare(&values(&before), &values(&after), &after);
        let zones = ["eureka.client.service-url.defaultZone", "eureka.client.service-url.eu"];
        assert_eq!(refreshed.changed, zones);
        assert_eq!(refreshed.after_restart, ["eureka.instance.metadata-map.zone"]);
    }
}
