//! What must hold.
//!
//! At any time, on every node:
//! - the data of an instance never gets older while its lease lasts;
//! - an override that nobody takes back stays while the lease lasts, and comes along with a copy;
//! - with repair, an override or its removal gives way to a later one only while the lease lasts: what was
//!   removed stays removed until it is set again;
//! - an override that a peer answered for is not undone by an older batch of the same sender, if nobody else
//!   was told of the instance;
//! - no more waits for a peer than is allowed, and nothing that came from a peer is told to peers
//!   (`exchange`, `node`).
//!
//! One lease after the faults, on all nodes:
//! - each instance that lives is there with its newest data, and nobody else is;
//! - the status is the same everywhere, of those that no operator touched;
//! - the same with overrides, once operators have said again what they want;
//! - nothing waits for a peer.
//!
//! With repair by digest between nodes, also without operators who say anything again:
//! - status and override of every instance are the same everywhere;
//! - an override that nobody takes back is there, unless its instance took it along with a cancel, or no node
//!   had it any more;
//! - of what nodes hold when all is well the last word stands: a removal that is later than all is not undone.
//!
//! In a mixed cluster heartbeats are all that Java's servers and nodes of this program have to mend what
//! differs between them, and Java's leases last twice as long. So what is asked for is what holds without
//! repair, on nodes of both kinds, one of Java's leases after the faults: who is there, with which data, with
//! which status where no operator set one, and with overrides once operators have said again what they want.
//! Besides:
//! - nodes of this program agree among themselves on status and override of every instance, whatever Java's
//!   told some of them;
//! - a Java server is sent no key and asked no question that it does not know.
//!
//! Not asked for in mixed clusters is what rests on stamps and turns: that the last word on an override stands, or
//! that a late batch undoes nothing. Java's servers send no stamps and know no turns.
//!
//! Without repair between nodes, as between Java's servers, these do not hold and are not asked for:
//! - An override, or its removal, that a peer missed (the task waited for too long, or the instance was
//!   not there) is never made up for: heartbeats of equal data say nothing of overrides.
//! - An override is lost on a node that ended the lease, or started without a copy, when the client
//!   registers there again. A node that kept it does not tell.
//! - Of a set and a removal at two nodes at the same moment, each peer has the one that came last. A
//!   registration that still shows a removed override brings it back where it finds none.
//! - A lost cancel leaves the instance for its lease, and a late registration brings it back for one.

use eurekad::model::{Instance, InstanceStatus};
use eurekad::peers::{Task, What};
use eurekad::registry::{self, OverrideStamp};

use super::Repair;
use super::client::{Client, Told, Voice, client_of};
use super::node::Node;
use super::world::{Part, World};

/// What a node held of an instance when it was last looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    dirty: i64,
    /// Since when it holds a lease without a gap.
    since: Option<u64>,
    /// Whether it had the override that is never taken back.
    knows: bool,
    /// The override, or that there was none, and since when.
    word: Option<Word>,
}

/// What was said of an override, and when. The later one is the greater.
pub(crate) type Word = (OverrideStamp, Option<InstanceStatus>);

impl World {
    /// Expects nothing of what was held before.
    pub(crate) fn forget(&mut self, node: usize, client: usize) {
        self.nodes[node].seen[client] = Seen::default();
    }

    /// Looks at an instance after something happened to it on a node.
    pub(crate) fn observe(&mut self, node: usize, client: usize) {
        // Where nothing goes wrong the end tells enough.
        if self.counts.is_some() {
            return;
        }
        let Client { app, id, told, left, words, .. } = &self.clients[client];
        let (repairs, compares) = (self.repairs(), self.repair != Repair::Off);
        let place = &mut self.nodes[node];
        let seen = &mut place.seen[client];
        let Some(lease) = place.up.as_ref().and_then(|server| server.registry.held(app, id)) else {
            *seen = Seen::default();
            return;
        };
        let dirty = lease.instance.last_dirty;
        assert!(dirty >= seen.dirty, "client {client} at {node} goes from {} back to {dirty}", seen.dirty);
        seen.dirty = dirty;
        seen.since.get_or_insert(self.now);
        let word = (lease.override_stamp, lease.override_status);
        if repairs {
            let before = seen.word.unwrap_or_default();
            // A refused heartbeat brings the peer's newer copy, which says nothing of when its override was set. Where that
            // is unknown here too, its own counts, as at a Java server.
            let is_unknown = [before, word].iter().all(|(stamp, status)| stamp.0 == 0 && status.is_some());
            assert!(word >= before || is_unknown, "client {client} at {node} goes from {before:?} back to {word:?}");
            let is_undone = before.1.is_none() && word.1.is_some() && word.0 == before.0 && word.0.0 != 0;
            assert!(!is_undone || words.contains(&word), "client {client} at {node}: {word:?} was taken back");
        }
        seen.word = Some(word);
        // What takes part in a comparison may learn that its override left with it.
        if let Told::Once(status) = told
            && !(compares && *left)
        {
            let has = lease.override_status == Some(*status);
            assert!(has || !seen.knows, "client {client} at {node} loses its override");
            seen.knows = has;
        }
    }

    /// Notes whose override no node has any more, so that no repair can bring it back.
    pub(crate) fn note_lost(&mut self) {
        if self.counts.is_some() {
            return;
        }
        for client in self.clients.iter_mut().filter(|client| client.lives && !client.left) {
            let Told::Once(status) = client.told else { continue };
            let has = |node: &Node| {
                let lease = node.up.as_ref().and_then(|server| server.registry.held(&client.app, &client.id));
                lease.is_some_and(|lease| lease.override_status == Some(status))
            };
            client.left = self.part != Part::Good && !self.nodes.iter().any(has);
        }
    }

    /// Notes the last words on overrides that any node holds, none of which is to be undone.
    pub(crate) fn note_last_words(&mut self) {
        for client in &mut self.clients {
            let held = self.nodes.iter().filter_map(|node| node.up.as_ref()?.registry.held(&client.app, &client.id));
            client.last_word = held.map(|lease| (lease.override_stamp, lease.override_status)).max();
        }
    }

    /// A comparison ended. It may have ended leases, and have taken others' overrides.
    pub(crate) fn repaired(&mut self, node: usize) {
        self.observe_all(node);
    }

    pub(crate) fn observe_all(&mut self, node: usize) {
        for client in 0..self.clients.len() {
            self.observe(node, client);
        }
    }

    /// Looks at what a first copy brought, wherever clients registered meanwhile.
    pub(crate) fn observe_copy(&mut self, node: usize, copied: &[Instance]) {
        self.observe_all(node);
        for instance in copied {
            let client = client_of(instance.id.as_str());
            let server = self.nodes[node].up.as_ref().unwrap();
            let Some(lease) = server.registry.held(&instance.app, &instance.id) else { continue };
            // One that left took its override along, as whoever registered it here meanwhile may know.
            if let Told::Once(status) = self.clients[client].told
                && instance.overridden_status == status
                && !(self.repair != Repair::Off && self.clients[client].left)
            {
                assert_eq!(lease.override_status, Some(status), "client {client} at {node}, after the copy");
            }
        }
    }

    /// Notes which overrides a peer has answered for.
    pub(crate) fn note_delivered(&mut self, node: usize, peer: usize, tasks: &[Task]) {
        let server = self.nodes[node].up.as_mut().unwrap();
        for task in tasks {
            let overridden = match task.what {
                What::Change(registry::Told::StatusUpdate(status)) => Some(status),
                What::Change(registry::Told::DeleteStatusOverride(_)) => None,
                _ => continue,
            };
            server.delivered.insert((peer, client_of(task.lease.instance.id.as_str())), overridden);
        }
    }

    /// Where one node alone was told of an instance, a peer that answered for the last override has it.
    pub(crate) fn check_order(&mut self) {
        // A Java server takes batches in any order.
        let checked = self.clients.iter().enumerate().filter(|_| self.repair != Repair::Mixed);
        for (client, it) in checked {
            let (Voice::One(place), Some(told_at)) = (it.voice, it.told_at) else { continue };
            let node = &self.nodes[place.node];
            let Some(server) = node.up.as_ref().filter(|_| node.life == place.life) else { continue };
            let Some(lease) = server.registry.held(&it.app, &it.id) else { continue };
            let lasts = |node: &Node| node.seen[client].since.is_some_and(|since| since <= told_at);
            for (&(peer, _), heard) in server.delivered.iter().filter(|(key, _)| key.1 == client) {
                if *heard != lease.override_status || !lasts(node) || !lasts(&self.nodes[peer]) {
                    continue;
                }
                let there = self.nodes[peer].up.as_ref().unwrap().registry.held(&it.app, &it.id).unwrap();
                assert_eq!(there.override_status, *heard, "client {client}, {} told {peer}", place.node);
                self.report.ordered += 1;
            }
        }
    }

    /// What must hold at the end.
    pub(crate) fn check_end(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            let server = node.up.as_ref().unwrap();
            let living = self.clients.iter().filter(|client| client.lives).count();
            for (client, it) in self.clients.iter().enumerate() {
                let held = server.registry.held(&it.app, &it.id);
                assert_eq!(held.is_some(), it.lives, "client {client} lives: {}, node {number} holds it", it.lives);
                let Some(lease) = held else { continue };
                assert_eq!(lease.instance.last_dirty, it.dirty, "client {client}, data at {number}");
                self.check_last_word(number, client, lease.override_status);
                self.check_status(number, client, lease.instance.status, lease.override_status);
            }
            assert_eq!(server.registry.len(), living, "node {number} holds others");
            for (peer, waiting) in server.waiting() {
                assert_eq!(waiting, 0, "tasks wait at {number} for {peer}");
            }
        }
    }

    /// Whatever it came to: with repair it is the same everywhere.
    fn check_agreed(&self, node: usize, client: usize) {
        let it = &self.clients[client];
        let at = |node: usize| {
            let lease = self.nodes[node].up.as_ref().unwrap().registry.held(&it.app, &it.id)?;
            Some((lease.instance.status, lease.override_status))
        };
        let first = (0..node).find(|first| self.compares(self.place(*first), self.place(node)));
        if let Some(first) = first {
            assert_eq!(at(first), at(node), "client {client}, at {first} and at {node}");
        }
    }

    /// The last word stands; but an override may have left with a cancel that not all had heard of.
    fn check_last_word(&self, node: usize, client: usize, overridden: Option<InstanceStatus>) {
        let it = &self.clients[client];
        let Some((_, wanted)) = it.last_word.filter(|_| self.repairs() && !self.insists) else { return };
        if wanted.is_none() || !it.left {
            assert_eq!(overridden, wanted, "client {client}, last word {:?}, at {node}", it.last_word);
        }
    }

    fn check_status(&self, node: usize, client: usize, status: InstanceStatus, overridden: Option<InstanceStatus>) {
        let it = &self.clients[client];
        let wanted = match it.told {
            Told::Never => None,
            Told::Once(_) if !self.insists && (it.left || !self.repairs()) => return self.check_agreed(node, client),
            Told::Often(_) if !self.insists => return self.check_agreed(node, client),
            Told::Once(status) => Some(status),
            Told::Often(wanted) => wanted,
        };
        assert_eq!(overridden, wanted, "client {client}, override at {node}");
        assert_eq!(status, wanted.unwrap_or(it.status), "client {client}, status at {node}");
    }
}
