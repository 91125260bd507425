//! What is logged of which target, changeable while the server runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::Mutex;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Registry;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::reload::{self, Handle};

use crate::settings::{LogLevel, LoggingSettings, java_loggers, target_of};

/// The rooms that log something.
const ROOMS: [&str; 10] = [
    "eurekad",
    "eurekad::server",
    "eurekad::http",
    "eurekad::ops",
    "eurekad::peers",
    "eurekad::access",
    "eurekad::catalog",
    "eurekad::registry",
    "eurekad::snapshot",
    "eurekad::logging",
];

/// A library that warns of what is told by whoever uses it.
const QUIET: (&str, LevelFilter) = ("hickory", LevelFilter::ERROR);

/// The levels of all targets: those of the settings, and over them those set at run time
/// (`/actuator/loggers`). Copies are the same levels.
#[derive(Clone, Debug)]
pub struct LogLevels(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    filter: Handle<Targets, Registry>,
    levels: Mutex<Levels>,
}

/// By target; the empty one stands for all.
#[derive(Debug, Default)]
struct Levels {
    settings: BTreeMap<String, LogLevel>,
    /// Set at run time; none: what the settings say was taken back.
    set: BTreeMap<String, Option<LogLevel>>,
}

/// A logger as `/actuator/loggers` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggerLevel {
    /// `ROOT`, a target, or the name of a Java logger that stands for one.
    pub name: String,
    /// What is set for it. The root has always a level.
    pub configured: Option<LogLevel>,
    /// What holds for it.
    pub effective: LogLevel,
}

/// A logger's name that means nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is a name without a counterpart")]
pub struct UnknownLogger(pub String);

impl LogLevels {
    /// Levels, and the filter that they change.
    pub(super) fn new(settings: &LoggingSettings) -> (Self, reload::Layer<Targets, Registry>) {
        let levels = Levels { settings: settings.levels.iter().cloned().collect(), ..Levels::default() };
        let (layer, filter) = reload::Layer::new(levels.targets());
        (Self(Arc::new(Shared { filter, levels: Mutex::new(levels) })), layer)
    }

    /// Sets the level of a logger, until the next start or until its level in the settings changes;
    /// none: what is set for it is taken back, and it has the level of the target above it. Names are
    /// those of `logging.level.*`.
    pub fn set(&self, logger: &str, level: Option<LogLevel>) -> Result<(), UnknownLogger> {
        let target = target_of(logger).ok_or_else(|| UnknownLogger(logger.to_owned()))?;
        self.change(|levels| {
            levels.set.insert(target, level);
        });
        let to = level.map_or("none".to_owned(), |level| level.to_string());
        tracing::info!(logger, to, "log level set");
        Ok(())
    }

    /// Takes the levels of settings that were read again. What was set at run time stays, unless its
    /// level in the settings has changed.
    pub fn reload(&self, settings: &LoggingSettings) {
        let new: BTreeMap<_, _> = settings.levels.iter().cloned().collect();
        self.change(|levels| {
            levels.set.retain(|target, _| levels.settings.get(target) == new.get(target));
            levels.settings = new;
        });
    }

    /// All loggers that are known or have a level, by name, the root first.
    pub fn list(&self) -> Vec<LoggerLevel> {
        let levels = self.0.levels.lock();
        let set = levels.configured().into_keys().filter(|target| !target.is_empty());
        let names: BTreeSet<String> =
            ROOMS.iter().copied().chain(java_loggers()).map(str::to_owned).chain(set).collect();
        let loggers = names.iter().filter_map(|name| levels.logger(name));
        levels.logger("ROOT").into_iter().chain(loggers).collect()
    }

    /// One logger, by a name that [`set`](Self::set) takes.
    pub fn get(&self, logger: &str) -> Result<LoggerLevel, UnknownLogger> {
        self.0.levels.lock().logger(logger).ok_or_else(|| UnknownLogger(logger.to_owned()))
    }

    fn change(&self, change: impl FnOnce(&mut Levels)) {
        let mut levels = self.0.levels.lock();
        change(&mut levels);
        // It can fail only when the log has gone, and then nothing is logged at all.
        let _ = self.0.filter.reload(levels.targets());
    }
}

impl Levels {
    fn configured(&self) -> BTreeMap<String, LogLevel> {
        let mut configured = self.settings.clone();
        for (target, level) in &self.set {
            match level {
                Some(level) => configured.insert(target.clone(), *level),
                None => configured.remove(target),
            };
        }
        configured.entry(String::new()).or_insert(LogLevel::Info);
        configured
    }

    fn targets(&self) -> Targets {
        self.configured().into_iter().fold(Targets::new().with_targets([QUIET]), |targets, (target, level)| {
            if target.is_empty() {
                targets.with_default(filter(level))
            } else {
                targets.with_target(target, filter(level))
            }
        })
    }

    fn logger(&self, name: &str) -> Option<LoggerLevel> {
        let target = target_of(name)?;
        let configured = self.configured().get(&target).copied();
        let effective = effective(&self.targets(), &target);
        Some(LoggerLevel { name: name.to_owned(), configured, effective })
    }
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

fn effective(targets: &Targets, target: &str) -> LogLevel {
    let enabled =
        |level: &LogLevel| filter(*level).into_level().is_some_and(|level: Level| targets.would_enable(target, &level));
    LogLevel::ALL.into_iter().rfind(enabled).unwrap_or(LogLevel::Off)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::{Context, SubscriberExt as _};

    use super::*;
    use crate::settings::Settings;

    fn settings(words: &[&str]) -> LoggingSettings {
        Settings::from_words(words).unwrap().logging
    }

    fn levels(words: &[&str]) -> LogLevels {
        LogLevels::new(&settings(words)).0
    }

    fn level(levels: &LogLevels, logger: &str) -> (Option<LogLevel>, LogLevel) {
        let LoggerLevel { configured, effective, .. } = levels.get(logger).unwrap();
        (configured, effective)
    }

    #[test]
    fn a_library_that_repeats_what_is_logged_is_quiet_until_its_level_is_set() {
        let settings = |words: &[&str]| crate::settings::Settings::from_words(words).unwrap().logging;
        let (levels, _layer) = LogLevels::new(&settings(&["--logging.level.root=debug"]));
        assert_eq!(levels.get("hickory_resolver").unwrap().effective, LogLevel::Error);
        levels.reload(&settings(&["--logging.level.hickory_resolver=debug"]));
        assert_eq!(levels.get("hickory_resolver").unwrap().effective, LogLevel::Debug);
        assert_eq!(levels.get("hickory_net").unwrap().effective, LogLevel::Error);
    }

    #[test]
    fn a_target_has_the_level_of_the_one_above_it() {
        let levels = levels(&["--logging.level.root=warn", "--logging.level.eurekad.registry=debug"]);
        assert_eq!(level(&levels, "ROOT"), (Some(LogLevel::Warn), LogLevel::Warn));
        assert_eq!(level(&levels, "eurekad::registry"), (Some(LogLevel::Debug), LogLevel::Debug));
        assert_eq!(level(&levels, "com.netflix.eureka.registry"), (Some(LogLevel::Debug), LogLevel::Debug));
        assert_eq!(level(&levels, "eurekad.registry.renew"), (None, LogLevel::Debug));
        assert_eq!(level(&levels, "eurekad::http"), (None, LogLevel::Warn));
        assert_eq!(level(&levels, "hyper"), (None, LogLevel::Warn));
        assert_eq!(levels.get("org.springframework.web"), Err(UnknownLogger("org.springframework.web".to_owned())));
        assert!(levels.set("", Some(LogLevel::Off)).is_err());
    }

    #[test]
    fn what_was_set_can_be_taken_back_and_outlives_a_reload_that_does_not_touch_it() {
        let levels = levels(&["--logging.level.eurekad=debug"]);
        levels.set("hyper", Some(LogLevel::Off)).unwrap();
        levels.set("com.netflix.eureka.resources", Some(LogLevel::Trace)).unwrap();
        levels.set("eurekad", None).unwrap();
        assert_eq!(level(&levels, "hyper"), (Some(LogLevel::Off), LogLevel::Off));
        assert_eq!(level(&levels, "eurekad::http"), (Some(LogLevel::Trace), LogLevel::Trace));
        assert_eq!(level(&levels, "eurekad"), (None, LogLevel::Info));
        levels.reload(&settings(&["--logging.level.eurekad=debug", "--logging.level.hyper=error"]));
        assert_eq!(level(&levels, "hyper"), (Some(LogLevel::Error), LogLevel::Error));
        assert_eq!(level(&levels, "eurekad::http"), (Some(LogLevel::Trace), LogLevel::Trace));
        assert_eq!(level(&levels, "eurekad"), (None, LogLevel::Info));
        levels.reload(&settings(&[]));
        assert_eq!(level(&levels, "hyper"), (None, LogLevel::Info));
        levels.set("root", None).unwrap();
        assert_eq!(level(&levels, "root"), (Some(LogLevel::Info), LogLevel::Info));
    }

    #[test]
    fn the_list_has_rooms_java_names_and_what_was_set() {
        let levels = levels(&["--logging.level.hyper=off"]);
        let list = levels.list();
        let names: Vec<_> = list.iter().map(|logger| logger.name.as_str()).collect();
        for name in ["eurekad", "eurekad::registry", "com.netflix.eureka.registry", "hyper"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert_eq!(names.first(), Some(&"ROOT"));
        assert_eq!(names.iter().filter(|name| name.eq_ignore_ascii_case("root")).count(), 1);
    }

    struct Counting(Arc<AtomicUsize>);

    impl<S: tracing::Subscriber> Layer<S> for Counting {
        fn on_event(&self, _: &tracing::Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_change_holds_at_once() {
        let (levels, filter) = LogLevels::new(&settings(&[]));
        let events = Arc::new(AtomicUsize::new(0));
        let subscriber = Registry::default().with(filter).with(Counting(Arc::clone(&events)));
        let counted = || {
            let before = events.load(Ordering::Relaxed);
            tracing::trace!(target: "eurekad::registry::renew", "lease renewed");
            events.load(Ordering::Relaxed) - before
        };
        tracing::subscriber::with_default(subscriber, || {
            assert_eq!(counted(), 0);
            levels.set("eurekad::registry", Some(LogLevel::Trace)).unwrap();
            assert_eq!(counted(), 1);
            levels.reload(&settings(&["--logging.level.eurekad.registry=off"]));
            assert_eq!(counted(), 0);
        });
    }
}
