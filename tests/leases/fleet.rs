//! A registry with a held clock, and clients that do as they are told.

use std::time::Duration;

use eurekad::clock::Clock;
use eurekad::model::{
    AppName, DataCenter, GivenDataCenter, Instance, InstanceId, LeaseRequest, NonAmazon, Registration,
};
use eurekad::registry::{Origin, Renewal, Round};
use eurekad::server::App;
use eurekad::settings::Settings;

/// Wall time at which every held clock begins.
pub(crate) const START: i64 = 1_760_000_000_000;

pub(crate) struct Fleet {
    pub(crate) app: App,
    pub(crate) clock: Clock,
}

impl Fleet {
    /// A server with these words, open for traffic. Needs a paused runtime.
    pub(crate) fn new(words: &[&str]) -> Self {
        let settings = Settings::from_words(words).expect("valid words");
        let clock = Clock::held(START);
        let app = App::new(&settings, clock.clone());
        app.open();
        Self { app, clock }
    }

    /// Registers with a lease of so many seconds.
    pub(crate) fn register(&self, app: &str, id: &str, interval: i32, duration: i32) {
        self.app.registry().register(instance(app, id, interval, duration), Origin::Client);
    }

    /// Registers so many with Java's default lease: `{app}-{n}`.
    pub(crate) fn register_many(&self, app: &str, count: usize) {
        for n in 0..count {
            self.register(app, &format!("{app}-{n}"), 30, 90);
        }
    }

    pub(crate) fn beat(&self, app: &str, id: &str) {
        let renewal = self.app.registry().renew(app, id, None, None, Origin::Client);
        assert!(matches!(renewal, Renewal::Renewed), "{app}/{id} is not there");
    }

    /// Lets time pass with these instances renewing every `interval` and a lease clock that beats and
    /// an eviction round at the end of each. Gives how many were evicted.
    pub(crate) async fn live(&self, seconds: u64, interval: u64, alive: &[(String, String)]) -> usize {
        let mut evicted = 0;
        for second in 1..=seconds {
            self.pass(1).await;
            if second % interval == 0 {
                for (app, id) in alive {
                    self.beat(app, id);
                }
                evicted += self.evict().expired;
            }
        }
        evicted
    }

    /// Lets so many seconds pass in which the process runs.
    pub(crate) async fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            tokio::time::advance(Duration::from_secs(1)).await;
            self.app.registry().lease_clock().beat(self.clock.mono());
        }
    }

    /// Stops the process for so long: nothing runs meanwhile.
    pub(crate) async fn stop(&self, seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
        self.app.registry().lease_clock().beat(self.clock.mono());
    }

    pub(crate) fn evict(&self) -> Round {
        self.app.registry().evict()
    }

    pub(crate) fn len(&self) -> usize {
        self.app.registry().len()
    }

    pub(crate) fn has(&self, app: &str, id: &str) -> bool {
        self.app.registry().instance(app, id).is_some()
    }
}

pub(crate) fn instance(app: &str, id: &str, interval: i32, duration: i32) -> Instance {
    let mut registration = Registration::new(app);
    registration.instance_id = Some(id.into());
    registration.host_name = Some("host.test".into());
    registration.ip_addr = Some("10.20.0.11".into());
    registration.data_center = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    registration.lease = LeaseRequest::new(interval, duration);
    registration.last_dirty = Some(1_700_000_000_000);
    registration.vip_address = Some(app.to_lowercase().into());
    registration.accept(&AppName::new(app), START).expect("whole")
}

pub(crate) fn id(id: &str) -> InstanceId {
    InstanceId::new(id)
}
