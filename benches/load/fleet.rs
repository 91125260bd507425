//! The clients: who they are, and what each of them sends, byte for byte what Spring Cloud's client sends.
//!
//! Nine tenths are calm: they send heartbeats and register again with the same body. The last tenth are
//! restless: all changes are theirs, each with a newer `lastDirtyTimestamp`. So a registration of a calm
//! instance is never refused for being older than what is held.

use std::borrow::Cow;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

/// `lastDirtyTimestamp` of instances that did not change yet.
const DIRTY: i64 = 1_700_000_000_000;
/// Long enough for nobody to be evicted during a run of hours.
const LEASE_SECONDS: u32 = 86_400;
/// Steps through the fleet in no order that a cache could learn; a prime, larger than no size divides.
const STRIDE: usize = 7_919;

/// In which form a list is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) xml: bool,
    pub(crate) gzip: bool,
}

impl Form {
    pub(crate) const JSON_GZIP: Self = Self { xml: false, gzip: true };
    pub(crate) const JSON: Self = Self { xml: false, gzip: false };
    pub(crate) const ALL: [Self; 4] =
        [Self::JSON_GZIP, Self::JSON, Self { xml: true, gzip: true }, Self { xml: true, gzip: false }];

    pub(crate) fn name(self) -> &'static str {
        match (self.xml, self.gzip) {
            (false, true) => "JSON gzip",
            (false, false) => "JSON plain",
            (true, true) => "XML gzip",
            (true, false) => "XML plain",
        }
    }
}

/// What is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Load {
    /// Heartbeats of calm instances.
    Heartbeats,
    /// The heartbeat of one instance, again and again.
    OneHeartbeat,
    /// Registrations of calm instances, with the body they had.
    Registrations,
    /// The first registration of everybody.
    Everybody,
    /// Registrations of restless instances, each with something new.
    Changes,
    /// The whole registry.
    Fetch(Form),
    /// The recent changes.
    Delta(Form),
    /// What a fleet does: of 100 requests 50 heartbeats, 48 deltas, one start, with its registration and
    /// its full fetch. (A Java client sends as many deltas as heartbeats.)
    Mixed,
    /// Restless instances come and go.
    Churn,
}

/// A request and the codes that are good answers.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) good: &'static [u16],
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Fleet {
    pub(crate) instances: usize,
    pub(crate) apps: usize,
    heartbeats: Vec<Vec<u8>>,
    registrations: Vec<Vec<u8>>,
    fetches: Vec<(Load, Vec<u8>)>,
    cursor: AtomicUsize,
    dirty: AtomicI64,
}

impl Fleet {
    pub(crate) fn new(instances: usize, apps: usize) -> Self {
        let fleet = Self {
            instances,
            apps,
            heartbeats: Vec::new(),
            registrations: Vec::new(),
            fetches: fetches(),
            cursor: AtomicUsize::new(0),
            dirty: AtomicI64::new(DIRTY),
        };
        let heartbeats = (0..instances).map(|n| fleet.heartbeat(n)).collect();
        let registrations = (0..instances).map(|n| fleet.registration(n, DIRTY)).collect();
        Self { heartbeats, registrations, ..fleet }
    }

    /// How many instances change.
    pub(crate) fn restless(&self) -> usize {
        (self.instances / 10).max(1)
    }

    /// A number for the next request; numbers go on from measure to measure, so that all have their turn.
    pub(crate) fn next(&self) -> usize {
        self.cursor.fetch_add(1, Ordering::Relaxed)
    }

    /// Request number n of a load.
    pub(crate) fn request(&self, load: Load, n: usize) -> Request<'_> {
        const OK: &[u16] = &[200];
        const NO_CONTENT: &[u16] = &[204];
        let calm = n.wrapping_mul(STRIDE) % (self.instances - self.restless()).max(1);
        match load {
            Load::Heartbeats => Request { bytes: kept(&self.heartbeats, calm), good: OK },
            Load::OneHeartbeat => Request { bytes: kept(&self.heartbeats, 0), good: OK },
            Load::Registrations => Request { bytes: kept(&self.registrations, calm), good: NO_CONTENT },
            Load::Everybody => Request { bytes: kept(&self.registrations, n % self.instances), good: NO_CONTENT },
            Load::Changes => {
                let dirty = self.dirty.fetch_add(1, Ordering::Relaxed) + 1;
                Request { bytes: Cow::Owned(self.registration(self.restless_one(n), dirty)), good: NO_CONTENT }
            }
            Load::Fetch(_) | Load::Delta(_) => {
                let request = self.fetches.iter().find(|(other, _)| *other == load);
                Request { bytes: Cow::Borrowed(request.map_or(&[], |(_, bytes)| bytes)), good: OK }
            }
            Load::Mixed => match n % 100 {
                0 => self.request(Load::Changes, n / 100),
                50 => self.request(Load::Fetch(Form::JSON_GZIP), n),
                odd if odd % 2 == 1 => self.request(Load::Heartbeats, n),
                _ => self.request(Load::Delta(Form::JSON_GZIP), n),
            },
            // The second of two may overtake the first.
            Load::Churn if n.is_multiple_of(2) => {
                Request { bytes: Cow::Owned(self.cancel(self.restless_one(n / 2))), good: &[200, 404] }
            }
            Load::Churn => self.request(Load::Changes, n / 2),
        }
    }

    /// The heartbeat of one instance: its path, for generators other than this one.
    pub(crate) fn heartbeat_path(&self, n: usize) -> String {
        format!("/eureka/apps/{}?status=UP&lastDirtyTimestamp={DIRTY}", self.path(n))
    }

    fn restless_one(&self, n: usize) -> usize {
        self.instances - 1 - n % self.restless()
    }

    fn heartbeat(&self, n: usize) -> Vec<u8> {
        let path = self.heartbeat_path(n);
        format!("PUT {path} HTTP/1.1\r\n{HEADERS}Content-Type: application/json\r\nContent-Length: 0\r\n\r\n").into()
    }

    fn cancel(&self, n: usize) -> Vec<u8> {
        format!("DELETE /eureka/apps/{} HTTP/1.1\r\n{HEADERS}\r\n", self.path(n)).into()
    }

    fn registration(&self, n: usize, dirty: i64) -> Vec<u8> {
        let Member { app, host, port, ip } = self.member(n);
        let upper = app.to_uppercase();
        let body = format!(
            concat!(
                r#"{{"instance":{{"instanceId":"{host}:{app}:{port}","app":"{upper}","appGroupName":null,"#,
                r#""ipAddr":"{ip}","sid":"na","homePageUrl":"http://{host}:{port}/","#,
                r#""statusPageUrl":"http://{host}:{port}/actuator/info","#,
                r#""healthCheckUrl":"http://{host}:{port}/actuator/health","secureHealthCheckUrl":null,"#,
                r#""vipAddress":"{app}","secureVipAddress":"{app}","countryId":1,"dataCenterInfo":"#,
                r#"{{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"}},"#,
                r#""hostName":"{host}","status":"UP","overriddenStatus":"UNKNOWN","leaseInfo":"#,
                r#"{{"renewalIntervalInSecs":30,"durationInSecs":{lease},"registrationTimestamp":0,"#,
                r#""lastRenewalTimestamp":0,"evictionTimestamp":0,"serviceUpTimestamp":0}},"#,
                r#""isCoordinatingDiscoveryServer":false,"lastUpdatedTimestamp":{dirty},"#,
                r#""lastDirtyTimestamp":{dirty},"actionType":null,"asgName":null,"#,
                r#""port":{{"$":{port},"@enabled":"true"}},"securePort":{{"$":443,"@enabled":"false"}},"#,
                r#""metadata":{{"management.port":"{port}","zone":"zone-{zone}"}}}}}}"#,
            ),
            app = app,
            upper = upper,
            host = host,
            port = port,
            ip = ip,
            lease = LEASE_SECONDS,
            dirty = dirty,
            zone = n % 3,
        );
        let length = body.len();
        format!(
            "POST /eureka/apps/{upper} HTTP/1.1\r\n{HEADERS}Content-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .into()
    }

    fn path(&self, n: usize) -> String {
        let Member { app, host, port, .. } = self.member(n);
        format!("{}/{host}:{app}:{port}", app.to_uppercase())
    }

    fn member(&self, n: usize) -> Member {
        let app = format!("service-{:04}", n % self.apps);
        let host = format!("node-{:05}.{}.example.internal", n / self.apps, n % 16);
        let [_, a, b, c] = u32::try_from(n).unwrap_or_default().to_be_bytes();
        Member { app, host, port: 8_080 + n % 7, ip: format!("10.{a}.{b}.{c}") }
    }
}

struct Member {
    app: String,
    host: String,
    port: usize,
    ip: String,
}

/// What Spring's `RestClient` over Apache's client sends with each request.
const HEADERS: &str = "Host: localhost\r\nAccept: application/json, application/*+json\r\n\
    Accept-Encoding: gzip, x-gzip, deflate\r\nUser-Agent: Apache-HttpClient/5.5 (Java/17.0.12)\r\n\
    Connection: keep-alive\r\n";

fn kept(requests: &[Vec<u8>], n: usize) -> Cow<'_, [u8]> {
    Cow::Borrowed(requests.get(n).map_or(&[], Vec::as_slice))
}

fn fetches() -> Vec<(Load, Vec<u8>)> {
    let request = |path: &str, form: Form| {
        let accept = if form.xml { "application/xml" } else { "application/json" };
        let coding = if form.gzip { "Accept-Encoding: gzip\r\n" } else { "" };
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n{coding}Connection: keep-alive\r\n\r\n")
    };
    let both = |form| {
        let list = (Load::Fetch(form), request("/eureka/apps/", form).into());
        [list, (Load::Delta(form), request("/eureka/apps/delta", form).into())]
    };
    Form::ALL.into_iter().flat_map(both).collect()
}
