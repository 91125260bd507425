//! Clients that have one name for the registry. Each resolves it, holds one connection to one of the addresses, and asks
//! the next address at once when a request fails.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use crate::sockets::wire::{Answer, Wire, get, heartbeat, instance, post};

use super::super::cluster::cancel;

/// Between two requests of those that read, come and go: the machine has other tests to run.
const PAUSE: Duration = Duration::from_millis(100);
/// Wrong things that are told; of more, the first tell enough.
const TOLD: usize = 20;

/// What clients share: the name, what must be there, and what went wrong.
pub(super) struct World<'a> {
    resolve: Box<dyn Fn() -> Vec<IpAddr> + Send + Sync + 'a>,
    port: u16,
    /// How long an instance may be unknown to some nodes.
    known_after: Duration,
    /// Only those that stay go on.
    is_calm: AtomicBool,
    over: AtomicBool,
    /// Registered and not about to be cancelled, and since when.
    there: Mutex<BTreeMap<String, Instant>>,
    requests: AtomicUsize,
    heartbeats: AtomicUsize,
    reads: AtomicUsize,
    failed_at_first: AtomicUsize,
    missing: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

/// Ends the clients, also when the test fails.
pub(super) struct Ends<'a>(&'a World<'a>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.calm();
        self.0.over.store(true, Ordering::Relaxed);
    }
}

impl<'a> World<'a> {
    pub(super) fn new(resolve: impl Fn() -> Vec<IpAddr> + Send + Sync + 'a, port: u16, known_after: Duration) -> Self {
        let [is_calm, over] = [const { AtomicBool::new(false) }; 2];
        let (there, wrong) = Default::default();
        let [requests, heartbeats, reads, failed_at_first, missing] = [const { AtomicUsize::new(0) }; 5];
        let resolve = Box::new(resolve);
        Self {
            resolve,
            port,
            known_after,
            is_calm,
            over,
            there,
            requests,
            heartbeats,
            reads,
            failed_at_first,
            missing,
            wrong,
        }
    }

    pub(super) fn ends(&'a self) -> Ends<'a> {
        Ends(self)
    }

    /// Nobody comes, goes or reads any more.
    pub(super) fn calm(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
    }

    pub(super) fn figures(&self) -> String {
        let of = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        format!(
            "{} requests ({} heartbeats, {} reads), {} failed at first, {} things wrong, {} instances missing",
            of(&self.requests),
            of(&self.heartbeats),
            of(&self.reads),
            of(&self.failed_at_first),
            self.wrong.lock().len(),
            of(&self.missing),
        )
    }

    pub(super) fn assert_nothing_went_wrong(&self) {
        let wrong = self.wrong.lock();
        let first: Vec<_> = wrong.iter().take(TOLD).collect();
        assert!(wrong.is_empty(), "{}: {first:#?}", self.figures());
        assert!(self.heartbeats.load(Ordering::Relaxed) > 50 && self.reads.load(Ordering::Relaxed) > 20);
    }

    /// The instances that must be there.
    pub(super) fn there(&self) -> Vec<String> {
        self.there.lock().keys().cloned().collect()
    }

    fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    fn count(count: &AtomicUsize) {
        count.fetch_add(1, Ordering::Relaxed);
    }

    fn is_wrong(&self, what: String) {
        self.wrong.lock().push(what);
    }

    /// Those that every node has to know by now.
    fn known(&self) -> Vec<String> {
        let there = self.there.lock();
        there.iter().filter(|(_, since)| since.elapsed() > self.known_after).map(|(id, _)| id.clone()).collect()
    }

    /// Compares what a client knows after an answer with what had to be there before it asked.
    fn look_at(&self, what: &str, from: SocketAddr, known: &[String], has: impl Fn(&str) -> bool) {
        Self::count(&self.reads);
        let there = self.there.lock();
        let missing: Vec<_> = known.iter().filter(|id| there.contains_key(*id) && !has(id)).collect();
        if let Some(first) = missing.first() {
            self.missing.fetch_add(missing.len(), Ordering::Relaxed);
            self.is_wrong(format!("{what} of {from} lacks {} instances, {first} among them", missing.len()));
        }
    }
}

/// One client.
pub(super) struct Client<'a> {
    world: &'a World<'a>,
    at: SocketAddr,
    wire: Option<Wire>,
}

impl<'a> Client<'a> {
    pub(super) fn new(world: &'a World<'a>) -> Self {
        let mut client = Self { world, at: ([127, 0, 0, 1], 0).into(), wire: None };
        client.at = client.addresses()[0];
        client
    }

    /// The addresses of the name, in an order of chance.
    fn addresses(&self) -> Vec<SocketAddr> {
        let mut addresses = (self.world.resolve)();
        let turns = rand::random_range(0..addresses.len());
        addresses.rotate_left(turns);
        addresses.into_iter().map(|ip| (ip, self.world.port).into()).collect()
    }

    /// Asks until an answer has one of these statuses; at other addresses if it must.
    fn ask(&mut self, what: &str, request: &str, taken: &[u16]) -> Option<Answer> {
        World::count(&self.world.requests);
        let first = match self.try_once(request) {
            Some(answer) if taken.contains(&answer.status) => return Some(answer),
            first => format!("{} says {:?}", self.at, first.map(|answer| answer.status)),
        };
        World::count(&self.world.failed_at_first);
        (self.wire, self.at) = (None, self.addresses().into_iter().find(|other| *other != self.at)?);
        match self.try_once(request) {
            Some(answer) if taken.contains(&answer.status) => return Some(answer),
            second => {
                let second = format!("{} says {:?}", self.at, second.map(|answer| answer.status));
                self.world.is_wrong(format!("{what}: {first}, then {second}"));
            }
        }
        self.wire = None;
        None
    }

    fn try_once(&mut self, request: &str) -> Option<Answer> {
        if self.wire.is_none() {
            self.wire = Wire::try_open(self.at);
        }
        let answer = self.wire.as_mut()?.try_ask(request);
        if answer.as_ref().is_none_or(|answer| answer.header("connection") == Some("close")) {
            self.wire = None;
        }
        answer
    }

    pub(super) fn register(&mut self, app: &str, id: &str, lease: Duration) {
        let lease = format!(r#"{{"renewalIntervalInSecs":1,"durationInSecs":{}}}"#, lease.as_secs());
        let body = instance(app, id).replace(r#"{"durationInSecs":90}"#, &lease);
        if self.ask("a registration", &post(app, &body), &[204]).is_some() {
            self.world.there.lock().insert(id.to_owned(), Instant::now());
        }
    }

    fn beat(&mut self, app: &str, id: &str) {
        World::count(&self.world.heartbeats);
        let answer = self.ask("a heartbeat", &heartbeat(app, id), &[200, 404]);
        if answer.is_some_and(|answer| answer.status == 404) {
            self.world.is_wrong(format!("a heartbeat of {id} at {}: 404", self.at));
        }
    }

    /// Renews leases until the end.
    pub(super) fn renew(&mut self, app: &str, ids: &[String]) {
        while !self.world.over.load(Ordering::Relaxed) {
            for id in ids {
                self.beat(app, id);
                thread::sleep(Duration::from_millis(2));
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Instances that register, renew once or twice and leave.
    pub(super) fn come_and_go(&mut self, prefix: &str) {
        let mut alive: VecDeque<(String, Instant)> = VecDeque::new();
        for number in 0.. {
            if self.world.is_calm() {
                return;
            }
            let id = format!("{prefix}-{number}");
            self.register("PASSES", &id, Duration::from_secs(90));
            alive.push_back((id, Instant::now()));
            if let Some((id, _)) = alive.pop_front_if(|(_, since)| since.elapsed() > self.world.known_after) {
                self.beat("PASSES", &id);
                self.world.there.lock().remove(&id);
                self.ask("a cancel", &cancel("PASSES", &id), &[200]);
            }
            thread::sleep(PAUSE);
        }
    }

    /// The list of all, again and again.
    pub(super) fn read_all(&mut self) {
        while !self.world.is_calm() {
            let known = self.world.known();
            if let Some(list) = self.list("/eureka/apps") {
                let ids: BTreeSet<_> = instances(&list).map(|(id, ..)| id).collect();
                self.world.look_at("the list", self.at, &known, |id| ids.contains(id));
            }
            thread::sleep(PAUSE);
        }
    }

    /// A copy that is kept by deltas, and read anew when the hash codes differ.
    pub(super) fn follow(&mut self) {
        let mut copy: BTreeMap<String, String> = BTreeMap::new();
        while !self.world.is_calm() {
            let known = self.world.known();
            let Some(delta) = self.list("/eureka/apps/delta") else { continue };
            for (id, status, action) in instances(&delta) {
                if action == "DELETED" {
                    copy.remove(id);
                } else {
                    copy.insert(id.to_owned(), status.to_owned());
                }
            }
            let counts = copy.values().fold(BTreeMap::<&str, usize>::new(), |mut counts, status| {
                *counts.entry(status).or_default() += 1;
                counts
            });
            let code = counts.iter().map(|(status, count)| format!("{status}_{count}_")).collect::<Vec<_>>().concat();
            if delta["applications"]["apps__hashcode"] != *code {
                let Some(list) = self.list("/eureka/apps") else { continue };
                copy = instances(&list).map(|(id, status, _)| (id.to_owned(), status.to_owned())).collect();
            }
            self.world.look_at("the delta", self.at, &known, |id| copy.contains_key(id));
            thread::sleep(PAUSE);
        }
    }

    fn list(&mut self, path: &str) -> Option<Value> {
        let answer = self.ask("a read", &get(path, "Accept: application/json\r\n"), &[200])?;
        Some(serde_json::from_slice(&answer.body).expect("JSON"))
    }
}

/// Id, status and action of each instance of a list.
fn instances(list: &Value) -> impl Iterator<Item = (&str, &str, &str)> {
    let apps = list["applications"]["application"].as_array().into_iter().flatten();
    apps.flat_map(|app| app["instance"].as_array().into_iter().flatten()).map(|instance| {
        let text = |name: &str| instance[name].as_str().unwrap_or_default();
        (text("instanceId"), text("status"), text("actionType"))
    })
}
