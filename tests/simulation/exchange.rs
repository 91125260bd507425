//! Batches and their answers: what `peers::peer` and `http::peerreplication` do around HTTP.

use std::rc::Rc;

use rand::RngExt as _;

use eurekad::clock::Monotonic;
use eurekad::codec::{Limits, json};
use eurekad::model::{OutgoingItem, ReplicationAction};
use eurekad::peers::{self, Failure, Home, Next, Outcome, Sender, Stream, Task, Turn};

use super::client::client_of;
use super::event::Event;
use super::network::{Body, Packet, Place};
use super::node::Purpose;
use super::world::World;

/// `peer-node-read-timeout-ms`.
const TIME_OUT: u64 = 5_000;

impl World {
    /// Plans a look into the outbox for a peer, in place of an earlier plan.
    pub(crate) fn look_in(&mut self, node: usize, peer: usize, wait: u64) {
        let at = self.place(node);
        let Some(server) = &mut self.nodes[node].up else { return };
        server.looks[peer] += 1;
        let turn = server.looks[peer];
        self.plan(wait, Event::Look { at, peer, turn });
    }

    /// The sending task's turn.
    pub(crate) fn look(&mut self, at: Place, peer: usize, turn: u64) {
        let server = self.nodes[at.node].up.as_ref().unwrap();
        if server.looks[peer] != turn {
            return;
        }
        let Some(post) = server.posts[peer].clone() else { return self.look_as_java(at, peer) };
        if post.outbox.lock().is_sending() {
            return;
        }
        let registry = &server.registry;
        let next = post.outbox.lock().next(server.clock.mono(), |app, id| registry.held(app, id));
        let waiting = post.outbox.lock().len();
        assert!(waiting <= self.queue + peers::BATCH, "{waiting} wait for a peer");
        match next {
            Next::Wait(Monotonic(until)) => {
                let wait = server.at(Monotonic(until)).saturating_sub(self.now).max(1);
                self.look_in(at.node, peer, wait);
            }
            Next::Send(tasks) => {
                let item = if self.compares(at, self.place(peer)) { peers::stamped_item } else { peers::item };
                let items: Vec<_> = tasks.iter().map(item).collect();
                self.tell(at.node, peer, &items, Purpose::Outbox { peer, tasks });
            }
        }
    }

    /// Sends a batch.
    pub(crate) fn tell(&mut self, node: usize, peer: usize, items: &[OutgoingItem], purpose: Purpose) {
        let bytes = json::write_batch(items);
        self.report.items += u64::try_from(items.len()).unwrap();
        self.note(format_args!("{node} tells {peer} {} items", items.len()));
        self.trace.add_bytes(&bytes);
        self.ask(node, peer, Body::Batch(bytes.into()), purpose);
    }

    /// Begins an exchange.
    pub(crate) fn ask(&mut self, from: usize, to: usize, body: Body, purpose: Purpose) {
        self.exchanges += 1;
        let (from, to, exchange) = (self.place(from), self.place(to), self.exchanges);
        self.nodes[from.node].up.as_mut().unwrap().exchanges.insert(exchange, purpose);
        self.plan(TIME_OUT, Event::TimeOut { at: from, exchange });
        self.send(&Packet { from, to, exchange, body });
    }

    fn send(&mut self, packet: &Packet) {
        if !self.network.joins(packet.from.node, packet.to.node) {
            return;
        }
        for delay in self.network.delays(&mut self.random) {
            self.plan(delay, Event::Arrive(packet.clone()));
        }
    }

    /// A packet reaches its node, or the place where it was.
    pub(crate) async fn arrive(&mut self, packet: Packet) {
        let Packet { from, to, exchange, body } = packet;
        if !self.network.joins(from.node, to.node) {
            return;
        }
        let there = self.place(to.node) == to && self.nodes[to.node].up.is_some();
        match body {
            Body::Batch(_) | Body::AskList | Body::Compare(_) if !there => {
                self.reply(to, from, exchange, Body::NoConnection);
            }
            Body::Batch(ref bytes) => {
                let (answer, items) = self.take(from, exchange, to, bytes).await;
                self.count(from, to, &body, items, &answer);
                self.reply(to, from, exchange, answer);
            }
            Body::Compare(ref bytes) => {
                assert!(self.compares(from, to), "{from:?} asks {to:?} for a digest");
                let answer = self.compare_at(to.node, bytes);
                self.count(from, to, &body, 0, &answer);
                self.reply(to, from, exchange, answer);
            }
            Body::AskList => {
                let list = self.list(to.node);
                self.reply(to, from, exchange, list);
            }
            answer if there => self.answered(to.node, exchange, Ok(answer)),
            _ => {}
        }
    }

    fn reply(&mut self, from: Place, to: Place, exchange: u64, body: Body) {
        self.send(&Packet { from, to, exchange, body });
    }

    /// A batch at its receiver: the answer, and how many items it takes.
    async fn take(&mut self, from: Place, number: u64, to: Place, bytes: &[u8]) -> (Body, usize) {
        let node = to.node;
        let broken = self.network.weather.broken;
        if self.random.random_bool(broken / 2.0) {
            let status = [503, 429, 500, 413][self.random.random_range(0..4)];
            return (Body::Status(status), 0);
        }
        let items = json::read_batch(bytes, &Limits::default()).unwrap();
        let mut touched = Vec::new();
        for item in &items {
            let item = item.as_ref().expect("a node sends what a node can read");
            assert!(
                !self.is_java(to) || (item.override_set.is_none() && item.background.is_empty()),
                "a Java server refuses a key that it does not know"
            );
            let client = client_of(item.id.as_str());
            if matches!(item.action, ReplicationAction::Cancel) {
                self.forget(node, client);
            }
            touched.push(client);
        }
        let receiver = self.nodes[node].up.as_ref().unwrap().receiver.clone();
        let stream = Stream::of(u128::from(from.life) << 8 | u128::try_from(from.node).unwrap());
        // Java's servers neither send nor know any.
        let turn = (!self.is_java(from) && !self.is_java(to)).then_some(Turn { stream, number });
        let outcomes = receiver.take_all(items, Sender { node: None, turn }).await;
        for client in touched {
            self.observe(node, client);
        }
        self.wake(node);
        let Some(outcomes) = outcomes else { return (Body::Status(409), 0) };
        if self.random.random_bool(broken / 2.0) {
            return (Body::Ok(Rc::from(&b"<html>It works!</html>"[..])), 0);
        }
        let bytes = json::write_outcomes(&outcomes);
        self.trace.add_bytes(&bytes);
        (Body::Ok(bytes.into()), outcomes.len())
    }

    /// Nobody answered in time.
    pub(crate) fn timed_out(&mut self, at: Place, exchange: u64) {
        self.answered(at.node, exchange, Err(Failure::TimedOut));
    }

    fn answered(&mut self, node: usize, exchange: u64, answer: Result<Body, Failure>) {
        let server = self.nodes[node].up.as_mut().unwrap();
        match server.exchanges.remove(&exchange) {
            // It was given up, or this is its second answer.
            None => {}
            Some(Purpose::FirstCopy) => self.copy_answered(node, answer),
            Some(Purpose::Repair { peer, exchange, asked }) => {
                self.compared(node, peer, &exchange, asked, answer);
            }
            Some(Purpose::Outbox { peer, tasks }) => self.batch_answered(node, peer, &tasks, answer),
            Some(Purpose::JavaBatch { peer, tasks }) => self.java_hears(node, peer, tasks, answer),
        }
    }

    fn batch_answered(&mut self, node: usize, peer: usize, tasks: &[Task], answer: Result<Body, Failure>) {
        let server = self.nodes[node].up.as_ref().unwrap();
        let post = server.posts[peer].clone().unwrap();
        let outcome: Outcome = match answer {
            Ok(Body::Ok(bytes)) => json::read_outcomes(&bytes, &Limits::default(), tasks.len())
                .map_err(|error| Failure::Faulty(error.to_string())),
            Ok(Body::Status(status)) => Err(Failure::of_status(status)),
            Ok(Body::NotOpen) => Err(Failure::of_status(403)),
            Ok(Body::NoConnection | Body::Batch(_) | Body::AskList | Body::Compare(_)) => {
                Err(Failure::NotThere("refused".into()))
            }
            Err(failure) => Err(failure),
        };
        let failed = outcome.is_err();
        if !failed {
            self.note_delivered(node, peer, tasks);
        }
        let server = self.nodes[node].up.as_ref().unwrap();
        let follow_ups = post.outbox.lock().answered(outcome, server.clock.mono());
        let home = Home { registry: &server.registry, refusals: &server.refusals, clock: &server.clock };
        let taken = follow_ups.len();
        home.settle(&peer, follow_ups);
        if taken > 0 {
            self.observe_all(node);
        }
        self.report.failures += u64::from(failed);
        self.note(format_args!("{node} hears of {peer}, failed: {failed}"));
        self.look_in(node, peer, 0);
    }
}
