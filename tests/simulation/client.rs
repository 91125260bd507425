//! Instances: what they call, and what they make of the answers.

mod operator;

use rand::RngExt as _;
use rand::seq::SliceRandom as _;

use eurekad::model::{
    AppName, DataCenter, GivenDataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, NonAmazon, Registration,
};
use eurekad::registry::{Origin, Renewal};

use super::checks::Word;
use super::event::Event;
use super::network::Place;
use super::world::{START, World};

/// An instance.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) app: AppName,
    pub(crate) id: InstanceId,
    /// The node beside which it runs: a partition cuts it off with that.
    zone: usize,
    /// The nodes in the order of its settings; the first that answered stays in use.
    pub(crate) order: Vec<usize>,
    /// Seconds.
    pub(crate) lease: LeaseRequest,
    /// Its wall clock against everybody's.
    skew: i64,
    pub(crate) dirty: i64,
    pub(crate) status: InstanceStatus,
    pub(crate) lives: bool,
    /// Whether its data has not been registered yet.
    unsent: bool,
    /// Whether it counts its data as changed when it must register again, as Java's does.
    dirties: bool,
    pub(crate) told: Told,
    /// Whether it took its override along with a cancel, or that was gone everywhere for a time.
    pub(crate) left: bool,
    /// What operators set.
    pub(crate) words: Vec<Word>,
    /// The last word that any node held when all was well again.
    pub(crate) last_word: Option<Word>,
    /// When an operator first did something to it.
    pub(crate) told_at: Option<u64>,
    pub(crate) voice: Voice,
    /// Numbers the plans for its next heartbeat.
    turn: u64,
}

/// What operators do to an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Nothing; it changes its own status.
    Never,
    /// This is set while all is well, and never taken back.
    Once(InstanceStatus),
    /// Something at any time; the last is what they want.
    Often(Option<InstanceStatus>),
}

/// Which nodes were told of an instance by itself and by operators, heartbeats aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    None,
    /// One process alone.
    One(Place),
    Many,
}

/// A call that may reach a stopped process.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Register(Box<Instance>),
    Renew(i64),
    Cancel,
}

/// What a client learns of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Done,
    /// 404.
    Unknown,
    /// Nothing; it may have happened nevertheless.
    Lost,
}

impl Client {
    pub(crate) fn new(number: usize, world: &mut World) -> Self {
        let nodes = world.nodes.len();
        let random = &mut world.random;
        let mut order: Vec<_> = (0..nodes).collect();
        order.shuffle(random);
        let told = match random.random_range(0..4) {
            0 => Told::Once(InstanceStatus::OutOfService),
            1 => Told::Often(None),
            _ => Told::Never,
        };
        let lease = if random.random_bool(0.5) { LeaseRequest::new(30, 90) } else { LeaseRequest::new(10, 30) };
        Self {
            app: AppName::new(&format!("APP-{}", number % 7)),
            id: InstanceId::new(number.to_string()),
            zone: random.random_range(0..nodes),
            order,
            lease,
            skew: random.random_range(-120_000..120_000),
            dirty: 0,
            status: InstanceStatus::Up,
            lives: false,
            unsent: true,
            dirties: random.random_bool(0.7),
            told,
            told_at: None,
            left: false,
            words: Vec::new(),
            last_word: None,
            voice: Voice::None,
            turn: 0,
        }
    }

    fn instance(&self) -> Instance {
        let mut registration = Registration::new(self.app.as_str());
        registration.instance_id = Some(self.id.as_str().into());
        registration.host_name = Some("ord-1.test".into());
        registration.ip_addr = Some("10.20.0.11".into());
        registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
        registration.lease = self.lease;
        registration.status = self.status;
        registration.last_dirty = Some(self.dirty);
        registration.accept(&self.app, self.dirty).unwrap()
    }

    fn heard_at(&mut self, at: Place) {
        self.voice = match self.voice {
            Voice::None => Voice::One(at),
            Voice::One(before) if before == at => self.voice,
            Voice::One(_) | Voice::Many => Voice::Many,
        };
    }

    fn change(&mut self, now: u64) {
        let wall = START + i64::try_from(now).unwrap() + self.skew;
        self.dirty = wall.max(self.dirty + 1);
        self.unsent = true;
    }
}

/// The client with this id, which ends with its number.
pub(crate) fn client_of(id: &str) -> usize {
    id.rsplit(':').next().unwrap().parse().unwrap()
}

impl World {
    /// An instance starts, for the first time or again.
    pub(crate) fn come(&mut self, client: usize) {
        let now = self.now;
        let instance = &mut self.clients[client];
        instance.lives = true;
        instance.status = InstanceStatus::Up;
        instance.change(now);
        self.note(format_args!("client {client} comes"));
        self.heartbeat_in(client, 0);
    }

    /// An instance has other data.
    pub(crate) fn change(&mut self, client: usize) {
        let (now, starting) = (self.now, self.random.random_bool(0.5));
        let instance = &mut self.clients[client];
        instance.change(now);
        if instance.told == Told::Never {
            instance.status = if starting { InstanceStatus::Starting } else { InstanceStatus::Up };
        }
        self.note(format_args!("client {client} changes"));
        self.heartbeat_in(client, 0);
    }

    /// An instance ends, with or without a cancel.
    pub(crate) fn leave(&mut self, client: usize, cancels: bool) {
        self.note(format_args!("client {client} leaves, cancels: {cancels}"));
        if cancels {
            self.call_any(client, &Call::Cancel);
        }
        let instance = &mut self.clients[client];
        instance.lives = false;
        instance.left |= cancels;
        instance.turn += 1;
        if let Told::Often(wanted) = &mut instance.told {
            *wanted = None;
        }
    }

    fn heartbeat_in(&mut self, client: usize, wait: u64) {
        self.clients[client].turn += 1;
        let turn = self.clients[client].turn;
        self.plan(wait, Event::Heartbeat { client, turn });
    }

    /// An instance's timer.
    pub(crate) fn heartbeat(&mut self, client: usize, turn: u64) {
        if self.clients[client].turn != turn || self.ended {
            return;
        }
        let Client { unsent, dirty, dirties, lease, .. } = self.clients[client];
        let mut registers = unsent;
        if !unsent && self.call_any(client, &Call::Renew(dirty)) == Answer::Unknown {
            if dirties {
                let now = self.now;
                self.clients[client].change(now);
            }
            registers = true;
        }
        if registers {
            let instance = self.clients[client].instance();
            let answer = self.call_any(client, &Call::Register(Box::new(instance)));
            self.clients[client].unsent = answer != Answer::Done;
        }
        let interval = u64::try_from(lease.renewal_interval_secs).unwrap() * 1_000;
        let jitter = self.random.random_range(0..500);
        self.heartbeat_in(client, interval - jitter);
    }

    /// Calls the node in use, and the others while there is no answer.
    fn call_any(&mut self, client: usize, call: &Call) -> Answer {
        let order = self.clients[client].order.clone();
        for (tries, node) in order.into_iter().enumerate().take(3) {
            let answer = self.call(client, node, call);
            if answer != Answer::Lost {
                self.clients[client].order.swap(0, tries);
                return answer;
            }
        }
        Answer::Lost
    }

    fn call(&mut self, client: usize, node: usize, call: &Call) -> Answer {
        let lost = self.network.weather.lost;
        let joined = self.network.joins(self.clients[client].zone, node);
        if self.nodes[node].up.is_none() || !joined || self.random.random_bool(lost) {
            return Answer::Lost;
        }
        let at = self.place(node);
        if !self.nodes[node].runs() {
            // It lies in the socket of the stopped process.
            self.plan(1, Event::Call { at, client, call: call.clone() });
            return Answer::Lost;
        }
        let known = self.take_call(at, client, call);
        match () {
            () if self.random.random_bool(lost) => Answer::Lost,
            () if known => Answer::Done,
            () => Answer::Unknown,
        }
    }

    /// A call at its node. Whether it knew the instance.
    pub(crate) fn take_call(&mut self, at: Place, client: usize, call: &Call) -> bool {
        let Client { app, id, .. } = self.clients[client].clone();
        let server = self.nodes[at.node].up.as_ref().unwrap();
        let known = server.called(|registry| match call {
            Call::Register(instance) => {
                registry.register(Instance::clone(instance), Origin::Client);
                true
            }
            Call::Renew(dirty) => {
                let renewal = registry.renew(app.as_str(), id.as_str(), Some(*dirty), None, Origin::Client);
                matches!(renewal, Renewal::Renewed)
            }
            Call::Cancel => registry.cancel(&app, &id, Origin::Client),
        });
        let word = match call {
            Call::Register(_) => "register",
            Call::Renew(_) => "renew",
            Call::Cancel => "cancel",
        };
        if matches!(call, Call::Register(_)) {
            self.clients[client].heard_at(at);
            self.note_lost();
        }
        self.note(format_args!("client {client} at {}: {word}, known: {known}", at.node));
        self.observe(at.node, client);
        self.wake(at.node);
        known
    }
}
