//! What goes wrong, and what clients and operators do meanwhile.

use rand::RngExt as _;

use super::client::Told;
use super::event::Event;
use super::network::Weather;
use super::world::{Part, World};

impl World {
    /// One thing that happens in the time of the faults; plans the next.
    pub(crate) fn stir(&mut self) {
        if self.part != Part::Faults {
            return;
        }
        match self.random.random_range(0..20) {
            14.. if self.mild => self.change_weather(),
            0..=12 => self.stir_clients(),
            13 => self.change_weather(),
            14 | 15 => self.split(),
            16 | 17 => self.stop_some(),
            _ => self.kill_some(),
        }
        let wait = self.random.random_range(50..=self.restlessness);
        self.plan(wait, Event::Stir);
    }

    fn stir_clients(&mut self) {
        let client = self.random.random_range(0..self.clients.len());
        let lives = self.clients[client].lives;
        match self.random.random_range(0..10) {
            _ if !lives => self.come(client),
            0..=2 => self.change(client),
            3 => self.leave(client, false),
            4 | 5 => {
                self.leave(client, true);
                if self.random.random_bool(0.6) {
                    let wait = self.random.random_range(1..15_000);
                    self.plan(wait, Event::Return(client));
                }
            }
            _ if matches!(self.clients[client].told, Told::Often(_)) => self.operate(client),
            _ => self.change(client),
        }
    }

    fn change_weather(&mut self) {
        let random = &mut self.random;
        let mut chance = |most: f64| if random.random_bool(0.5) { random.random_range(0.0..most) } else { 0.0 };
        let mut weather = Weather { lost: chance(0.3), twice: chance(0.3), late: chance(0.3), broken: chance(0.3) };
        if self.mild {
            (weather.lost, weather.broken) = (0.0, 0.0);
        }
        self.note(format_args!("{weather:?}"));
        self.network.weather = weather;
    }

    /// Cuts the cluster in two, or joins it.
    fn split(&mut self) {
        self.network.cut = match self.network.cut {
            Some(_) => None,
            None => Some((0..self.nodes.len()).map(|_| self.random.random_bool(0.5)).collect()),
        };
        let cut = self.network.cut.clone();
        self.note(format_args!("cut: {cut:?}"));
    }

    fn stop_some(&mut self) {
        let node = self.random.random_range(0..self.nodes.len());
        if self.nodes[node].runs() {
            self.pause(node);
            let wait = self.random.random_range(100..40_000);
            let at = self.place(node);
            self.plan(wait, Event::GoOn(at));
        }
    }

    fn kill_some(&mut self) {
        let node = self.random.random_range(0..self.nodes.len());
        if self.nodes[node].up.is_some() {
            self.kill(node);
            let wait = self.random.random_range(100..60_000);
            self.plan(wait, Event::Start(node));
        }
    }

    /// All is well again.
    pub(crate) fn calm(&mut self) {
        self.note(format_args!("all is well"));
        self.part = Part::Calm;
        self.network.weather = Weather::default();
        self.network.cut = None;
        for node in 0..self.nodes.len() {
            self.go_on(node);
            if self.nodes[node].up.is_none() {
                self.start(node);
            }
        }
    }
}
