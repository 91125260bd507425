//! Operators: what they set from outside and take back.

use rand::RngExt as _;

use eurekad::model::InstanceStatus;
use eurekad::registry::Origin;

use super::{Client, Told};
use crate::simulation::event::Event;
use crate::simulation::world::World;

impl World {
    /// An operator sets a status or takes it back. Whether there was an instance.
    pub(crate) fn override_at(&mut self, node: usize, client: usize, status: Option<InstanceStatus>) -> bool {
        let Client { app, id, .. } = self.clients[client].clone();
        let taken_back = if self.random.random_bool(0.5) { InstanceStatus::Up } else { InstanceStatus::Unknown };
        let (at, now) = (self.place(node), self.now);
        self.clients[client].heard_at(at);
        self.clients[client].told_at.get_or_insert(now);
        let server = self.nodes[node].up.as_ref().unwrap();
        let known = server.called(|registry| match status {
            Some(status) => registry.set_status(app.as_str(), id.as_str(), status, None, Origin::Client),
            None => registry.remove_status(app.as_str(), id.as_str(), taken_back, None, Origin::Client),
        });
        if let Some(lease) = server.registry.held(&app, &id).filter(|_| status.is_some()) {
            self.clients[client].words.push((lease.override_stamp, lease.override_status));
        }
        self.note(format_args!("operator at {node}: {client} {status:?}, known: {known}"));
        self.observe(node, client);
        self.wake(node);
        known
    }

    /// An operator does something to one of those that it is done to often.
    pub(crate) fn operate(&mut self, client: usize) {
        let any = self.random.random_range(0..self.nodes.len());
        let node = if self.random.random_bool(0.7) { self.clients[client].order[0] } else { any };
        let wants = match self.random.random_range(0..4) {
            0 => Some(InstanceStatus::Down),
            1 => Some(InstanceStatus::OutOfService),
            _ => None,
        };
        if self.nodes[node].runs() && self.override_at(node, client, wants) {
            self.clients[client].told = Told::Often(wants);
            // One who is not sure does it again, or something else.
            if self.random.random_bool(0.7) {
                let wait = self.random.random_range(100..15_000);
                self.plan(wait, Event::Operate(client));
            }
        }
    }

    /// An operator says again what he wants, after the faults.
    pub(crate) fn insist(&mut self, client: usize) {
        let wants = match self.clients[client].told {
            Told::Never => return,
            Told::Once(status) => Some(status),
            Told::Often(wants) => wants,
        };
        let node = self.clients[client].order[0];
        assert!(self.override_at(node, client, wants), "client {client} is not where it sends its heartbeats");
    }
}
