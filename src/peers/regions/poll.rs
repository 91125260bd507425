//! What to ask a remote region next, and what its answer means: no I/O, time is an argument.
//!
//! First everything is asked for, then what changed. A delta is taken in if the copy has the hash code
//! that comes with it then; otherwise everything is asked for at once, and nothing is changed until that is
//! there. So is it after a silence in which the region may have forgotten changes, and when deltas have brought
//! more than one whole answer may: they could make the copy grow for ever. A region that fails
//! is asked again after waits that grow up to the usual interval, less a random part; what is known of it
//! stays.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::catalog::hash_code;
use crate::clock::Monotonic;
use crate::model::{ActionType, AppName, InstanceId, InstanceStatus};
use crate::peers::line::{Failure, Line, News};
use crate::registry::{RegionChange, RemoteInstance};
use crate::settings::RegionSettings;

/// Servers keep changes for three minutes, less what their answers may be late.
const GAP: Duration = Duration::from_secs(140);

/// What to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Everything.
    Full,
    /// What changed lately.
    Delta,
}

/// What a region answered.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) hash: Option<String>,
    /// Its length on the wire, unpacked.
    pub(super) bytes: usize,
    pub(super) instances: Vec<RemoteInstance>,
}

/// What an answer leads to.
#[derive(Debug)]
pub(super) enum Outcome {
    /// This is all there is.
    Replace(Vec<RemoteInstance>),
    /// This happened.
    Change(Vec<RegionChange>),
    /// It does not fit: everything is to be asked for.
    Mismatch,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Poll {
    interval: Duration,
    delta: bool,
    most_bytes: usize,
    most_instances: usize,
    line: Line,
    /// All that the region holds, shown or not: what its hash code is of.
    held: HashMap<(AppName, InstanceId), InstanceStatus>,
    /// The length of the last whole answer and of all deltas since: no less than what is held takes.
    bytes: usize,
    /// When the last answer came that left nothing open.
    good: Option<Monotonic>,
    due: Monotonic,
}

impl Poll {
    /// Nothing was asked yet.
    pub(super) fn new(settings: &RegionSettings, seed: u64) -> Self {
        let RegionSettings { interval, delta, most_bytes, most_instances, .. } = *settings;
        let line = Line::with_longest_wait(seed, interval);
        let held = HashMap::new();
        Self { interval, delta, most_bytes, most_instances, line, held, bytes: 0, good: None, due: Monotonic(0) }
    }

    /// When to ask.
    pub(super) fn due(&self) -> Monotonic {
        self.due
    }

    /// What to ask for. An empty copy is too little to change.
    pub(super) fn ask(&self, now: Monotonic) -> Ask {
        match self.good {
            Some(good) if self.delta && !self.held.is_empty() && now.since(good) < GAP => {
                if self.bytes <= self.most_bytes { Ask::Delta } else { Ask::Full }
            }
            _ => Ask::Full,
        }
    }

    /// Takes an answer.
    pub(super) fn answered(&mut self, ask: Ask, list: List, now: Monotonic) -> (Outcome, Option<News>) {
        let news = self.line.succeeded(now);
        let outcome = match ask {
            Ask::Full => {
                let key = |listed: &RemoteInstance| (listed.instance.app.clone(), listed.instance.id.clone());
                self.bytes = list.bytes;
                self.held = list.instances.iter().map(|listed| (key(listed), listed.instance.status)).collect();
                Outcome::Replace(list.instances)
            }
            Ask::Delta => {
                let changes: Vec<_> = list.instances.into_iter().map(change).collect();
                self.bytes = self.bytes.saturating_add(list.bytes);
                for change in &changes {
                    self.follow(change);
                }
                if list.hash != Some(self.hash()) || self.held.len() > self.most_instances {
                    (self.good, self.due) = (None, now);
                    return (Outcome::Mismatch, news);
                }
                Outcome::Change(changes)
            }
        };
        self.good = Some(now);
        self.due = now.after(self.interval);
        (outcome, news)
    }

    /// Notes that there was no answer of use.
    pub(super) fn failed(&mut self, failure: Failure, now: Monotonic) -> Option<News> {
        let news = self.line.failed(failure, now);
        self.due = self.line.retry_at().unwrap_or_else(|| now.after(self.interval));
        news
    }

    fn follow(&mut self, change: &RegionChange) {
        match change {
            RegionChange::Put(listed) => {
                let instance = &listed.instance;
                self.held.insert((instance.app.clone(), instance.id.clone()), instance.status);
            }
            RegionChange::Removed(app, id) => {
                self.held.remove(&(app.clone(), id.clone()));
            }
        }
    }

    fn hash(&self) -> String {
        let mut counts = BTreeMap::new();
        for status in self.held.values() {
            *counts.entry(*status).or_default() += 1;
        }
        hash_code(&counts)
    }
}

/// What an instance in a delta says.
fn change(listed: RemoteInstance) -> RegionChange {
    if listed.instance.action == Some(ActionType::Deleted) {
        RegionChange::Removed(listed.instance.app, listed.instance.id)
    } else {
        RegionChange::Put(Box::new(listed))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use crate::model::{DataCenter, GivenDataCenter, LeaseTimes, NonAmazon, Registration};

    fn listed(id: &str, status: InstanceStatus, action: ActionType) -> RemoteInstance {
        let registration = Registration {
            instance_id: Some(id.into()),
            host_name: Some("a.test".into()),
            ip_addr: Some("10.20.0.11".into()),
            data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
            status,
            action: Some(action),
            ..Registration::new("A")
        };
        let times = LeaseTimes { registration: 0, last_renewal: 0, eviction: 0, service_up: 0 };
        RemoteInstance { instance: registration.accept(&AppName::new("A"), 0).unwrap(), times }
    }

    fn list(hash: &str, instances: Vec<RemoteInstance>) -> List {
        List { hash: Some(hash.to_owned()), bytes: 1, instances }
    }

    fn up(id: &str) -> RemoteInstance {
        listed(id, InstanceStatus::Up, ActionType::Added)
    }

    fn loaded(ids: &[&str]) -> Poll {
        let settings = RegionSettings { most_bytes: 10, most_instances: 3, ..RegionSettings::default() };
        let mut poll = Poll::new(&settings, 1);
        assert_eq!((poll.due(), poll.ask(Monotonic(0))), (Monotonic(0), Ask::Full));
        let all = ids.iter().map(|id| up(id)).collect();
        assert!(matches!(poll.answered(Ask::Full, list("", all), Monotonic(0)).0, Outcome::Replace(_)));
        assert_eq!(poll.due(), Monotonic(30_000));
        poll
    }

    #[test]
    fn a_delta_that_fits_is_taken_in() {
        let mut poll = loaded(&["a", "b"]);
        let now = Monotonic(30_000);
        assert_eq!(poll.ask(now), Ask::Delta);
        let delta = vec![
            listed("a", InstanceStatus::Down, ActionType::Modified),
            listed("b", InstanceStatus::Up, ActionType::Deleted),
            up("c"),
        ];
        let (outcome, news) = poll.answered(Ask::Delta, list("DOWN_1_UP_1_", delta.clone()), now);
        let Outcome::Change(changes) = outcome else { panic!("{outcome:?}") };
        assert!(matches!(&changes[..], [RegionChange::Put(_), RegionChange::Removed(..), RegionChange::Put(_)]));
        assert_eq!((news, poll.due(), poll.ask(Monotonic(60_000))), (None, Monotonic(60_000), Ask::Delta));
        let again = poll.answered(Ask::Delta, list("DOWN_1_UP_1_", delta), Monotonic(60_000)).0;
        assert!(matches!(again, Outcome::Change(_)), "a delta shows its changes for minutes");
    }

    #[test]
    fn another_hash_code_or_none_leads_to_everything_at_once() {
        for hash in [Some("UP_7_".to_owned()), None] {
            let mut poll = loaded(&["a"]);
            let now = Monotonic(30_000);
            let outcome = poll.answered(Ask::Delta, List { hash, bytes: 1, instances: vec![up("b")] }, now).0;
            assert!(matches!(outcome, Outcome::Mismatch));
            assert_eq!((poll.due(), poll.ask(now)), (now, Ask::Full));
            poll.failed(Failure::TimedOut, now);
            assert_eq!(poll.ask(poll.due()), Ask::Full, "until it is there");
        }
    }

    #[test]
    fn a_long_silence_an_empty_copy_and_the_setting_ask_for_everything() {
        let poll = loaded(&["a"]);
        assert_eq!((poll.ask(Monotonic(139_000)), poll.ask(Monotonic(140_000))), (Ask::Delta, Ask::Full));
        assert_eq!(loaded(&[]).ask(Monotonic(30_000)), Ask::Full);
        let mut poll = Poll::new(&RegionSettings { delta: false, ..RegionSettings::default() }, 1);
        let _taken = poll.answered(Ask::Full, list("", vec![up("a")]), Monotonic(0));
        assert_eq!(poll.ask(Monotonic(30_000)), Ask::Full);
    }

    #[test]
    fn deltas_do_not_make_a_copy_grow_beyond_what_one_answer_may_hold() {
        let mut poll = loaded(&["a", "b"]);
        let now = Monotonic(30_000);
        assert!(matches!(poll.answered(Ask::Delta, list("UP_3_", vec![up("c")]), now).0, Outcome::Change(_)));
        assert!(matches!(poll.answered(Ask::Delta, list("UP_4_", vec![up("d")]), now).0, Outcome::Mismatch));
        assert_eq!(poll.ask(now), Ask::Full, "too many instances");
        let mut poll = loaded(&["a"]);
        for _ in 0..9 {
            assert_eq!(poll.ask(now), Ask::Delta);
            assert!(matches!(poll.answered(Ask::Delta, list("UP_1_", vec![up("a")]), now).0, Outcome::Change(_)));
        }
        poll.answered(Ask::Delta, list("UP_1_", vec![up("a")]), now);
        assert_eq!(poll.ask(now), Ask::Full, "too many bytes");
        poll.answered(Ask::Full, list("UP_1_", vec![up("a")]), now);
        assert_eq!(poll.ask(now), Ask::Delta);
    }

    #[test]
    fn a_region_that_fails_is_asked_ever_more_rarely_and_named_once() {
        let mut poll = loaded(&["a"]);
        let (mut now, mut news, mut waits) = (Monotonic(30_000), Vec::new(), Vec::new());
        for _ in 0..12 {
            news.extend(poll.failed(Failure::Busy(503), now));
            waits.push(poll.due().since(now).as_millis());
            now = poll.due();
        }
        for (wait, whole) in waits.iter().zip([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]) {
            assert!((whole / 2..=whole).contains(wait), "{waits:?}");
        }
        assert_eq!(news, [News::Down(Failure::Busy(503))]);
        let (_, news) = poll.answered(poll.ask(now), list("UP_1_", vec![up("a")]), now);
        assert!(matches!(news, Some(News::Back(_))));
        assert_eq!(poll.due(), now.after(Duration::from_secs(30)));
    }
}
