//! What a node copies before it opens, by the rules of `peers::first_copy`.

use std::collections::BTreeMap;
use std::sync::Arc;

use eurekad::codec::{Detail, Document, Group, Limits, Shown, json};
use eurekad::model::{Instance, InstanceStatus};
use eurekad::peers::Failure;
use eurekad::registry::{Origin, Unconfirmed};

use super::event::Event;
use super::network::{Body, Place};
use super::node::Purpose;
use super::world::World;

/// `registry-sync-retries`, `registry-sync-retry-wait-ms`, `eurekad.first-copy.limit`.
const ROUNDS: u32 = 2;
const WAIT: u64 = 2_000;
const LIMIT: u64 = 120_000;

/// How far it is.
#[derive(Debug)]
pub(crate) struct Copying {
    begun: u64,
    empty_rounds: u32,
    failed: bool,
    /// Who is asked next in this round.
    next: usize,
}

impl Copying {
    pub(crate) fn new(begun: u64) -> Self {
        Self { begun, empty_rounds: 0, failed: false, next: 0 }
    }
}

impl World {
    /// Begins a round through all peers.
    pub(crate) fn copy_round(&mut self, at: Place) {
        if let Some(copying) = &mut self.nodes[at.node].up.as_mut().unwrap().copying {
            (copying.next, copying.failed) = (0, false);
            self.copy_on(at.node);
        }
    }

    fn copy_on(&mut self, node: usize) {
        let (nodes, now, java) = (self.nodes.len(), self.now, self.is_java(self.place(node)));
        let Some(copying) = &mut self.nodes[node].up.as_mut().unwrap().copying else { return };
        if copying.next == node {
            copying.next += 1;
        }
        if copying.next < nodes {
            let peer = copying.next;
            copying.next += 1;
            return self.ask(node, peer, Body::AskList, Purpose::FirstCopy);
        }
        // Java counts rounds, whatever became of them.
        copying.empty_rounds += u32::from(java || !copying.failed);
        let nothing = (java || !copying.failed) && copying.empty_rounds >= ROUNDS;
        if nothing || (copying.failed && now - copying.begun >= LIMIT) {
            return self.open(node, 0);
        }
        let at = self.place(node);
        self.plan(WAIT, Event::CopyRound(at));
    }

    /// A node's whole list.
    pub(crate) fn list(&self, node: usize) -> Body {
        let server = self.nodes[node].up.as_ref().unwrap();
        if !server.registry.is_open() && !self.is_java(self.place(node)) {
            return Body::NotOpen;
        }
        let mut apps: BTreeMap<_, Vec<Shown>> = BTreeMap::new();
        for client in &self.clients {
            if let Some(lease) = server.registry.held(&client.app, &client.id) {
                let shown = Shown { instance: Arc::clone(&lease.instance), times: lease.times() };
                apps.entry(client.app.clone()).or_default().push(shown);
            }
        }
        let apps = apps.into_iter().map(|(name, instances)| Group { name, instances }).collect();
        let document = Document::Applications { version: 1, hash: String::new(), apps };
        Body::Ok(json::write_document(&document, Detail::Full).into())
    }

    /// A peer answered, or did not.
    pub(crate) fn copy_answered(&mut self, node: usize, answer: Result<Body, Failure>) {
        match answer {
            Ok(Body::Ok(bytes)) => return self.copy(node, &bytes),
            Ok(Body::NoConnection | Body::NotOpen) => {}
            _ => {
                if let Some(copying) = &mut self.nodes[node].up.as_mut().unwrap().copying {
                    copying.failed = true;
                }
            }
        }
        self.copy_on(node);
    }

    fn copy(&mut self, node: usize, bytes: &[u8]) {
        let java = self.is_java(self.place(node));
        let server = self.nodes[node].up.as_ref().unwrap();
        let wall = server.clock.now().wall;
        let list = json::read_applications(bytes, &Limits::default(), usize::MAX).unwrap();
        let instances: Vec<Instance> = list
            .instances
            .into_iter()
            .map(|listed| listed.unwrap().registration)
            .map(|registration| registration.accept_alone(wall).unwrap())
            .filter(|instance| !java || instance.status == InstanceStatus::Up)
            .collect();
        let copied = instances.clone();
        let taken = if java {
            let taken = instances.len();
            for instance in instances {
                server.registry.register(instance, Origin::Peer);
            }
            taken
        } else {
            server.registry.take_in(instances, &Unconfirmed::new())
        };
        self.observe_copy(node, &copied);
        self.report.copied += u64::try_from(taken).unwrap();
        if java && taken == 0 {
            // That was the round: Java's client has one list.
            self.nodes[node].up.as_mut().unwrap().copying.as_mut().unwrap().next = self.nodes.len();
            return self.copy_on(node);
        }
        self.open(node, taken);
    }

    fn open(&mut self, node: usize, copied: usize) {
        self.note(format_args!("{node} opens with {copied}"));
        let server = self.nodes[node].up.as_mut().unwrap();
        server.copying = None;
        server.registry.open(copied);
    }
}
