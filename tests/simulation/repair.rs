//! Comparing what two nodes hold: what `peers::digest::compare` does around HTTP.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;

use eurekad::peers::Failure;
use eurekad::peers::digest::{self, Exchange};

use super::Repair;
use super::event::Event;
use super::network::{Body, Place};
use super::node::Purpose;
use super::scale::DIGEST_INTERVAL;
use super::world::World;

/// Milliseconds until the first comparison.
pub(crate) const FIRST_REPAIR: u64 = 5_000;
/// Between two, and until what differs is looked at again.
const INTERVAL: u64 = 30_000;
const SETTLE: u64 = 10_000;

impl World {
    /// Plans the next comparison with a peer.
    pub(crate) fn plan_repair(&mut self, at: Place, peer: usize, whole: u64) {
        if self.repair != Repair::Off && !self.is_java(at) {
            let wait = self.random.random_range(whole * 3 / 4..=whole);
            self.plan(wait, Event::Repair { at, peer });
        }
    }

    fn repair_interval(&self) -> u64 {
        if self.counts.is_some() { DIGEST_INTERVAL } else { INTERVAL }
    }

    /// The timer of a comparison.
    pub(crate) fn repair(&mut self, at: Place, peer: usize) {
        let server = self.nodes[at.node].up.as_ref().unwrap();
        if !server.registry.was_opened() || !self.compares(at, self.place(peer)) {
            return self.plan_repair(at, peer, self.repair_interval());
        }
        let (exchange, request) = Exchange::begin(&server.registry, None).unwrap();
        let exchange = exchange.mending(Arc::clone(&server.differing[peer]));
        self.ask_to_compare(at.node, peer, Rc::new(RefCell::new(exchange)), request);
    }

    fn ask_to_compare(&mut self, node: usize, peer: usize, exchange: Rc<RefCell<Exchange>>, request: Vec<u8>) {
        self.trace.add_bytes(&request);
        let purpose = Purpose::Repair { peer, exchange, asked: self.now };
        self.ask(node, peer, Body::Compare(request.into()), purpose);
    }

    /// A comparison at the node that is asked.
    pub(crate) fn compare_at(&mut self, node: usize, request: &[u8]) -> Body {
        let server = self.nodes[node].up.as_ref().unwrap();
        if !server.registry.was_opened() {
            return Body::NotOpen;
        }
        let answer = digest::answer(&server.registry, request).unwrap();
        self.trace.add_bytes(&answer);
        Body::Ok(answer.into())
    }

    /// The peer answered, or did not.
    pub(crate) fn compared(
        &mut self,
        node: usize,
        peer: usize,
        exchange: &Rc<RefCell<Exchange>>,
        asked: u64,
        answer: Result<Body, Failure>,
    ) {
        let at = self.place(node);
        let Ok(Body::Ok(bytes)) = answer else { return self.plan_repair(at, peer, self.repair_interval()) };
        let interval = self.repair_interval();
        let server = self.nodes[node].up.as_mut().unwrap();
        let (took, now) = (Duration::from_millis(self.now - asked), server.clock.now().wall);
        let next = exchange.borrow_mut().answered(&server.registry, &bytes, took, now).unwrap();
        if let Some(request) = next {
            self.ask_to_compare(node, peer, Rc::clone(exchange), request);
        } else {
            let findings = exchange.borrow().findings().clone();
            let wait = if findings.fresh.is_empty() { interval } else { SETTLE };
            let (found, mended) = (findings.differences, findings.mended);
            server.differing[peer] = Arc::new(findings.fresh);
            self.report.mended += u64::try_from(mended).unwrap();
            self.note(format_args!("{node} compares itself with {peer}: {found} found, {mended} mended"));
            self.plan_repair(at, peer, wait);
        }
        self.repaired(node);
    }
}
