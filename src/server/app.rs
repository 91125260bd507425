//! What requests are answered by, without sockets and timers.

use std::sync::Arc;

use arc_swap::ArcSwap;
use axum::Router;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::access::tls::Tls;
use crate::access::{Access, FetchLimiter, OverLimit};
use crate::catalog::Catalog;
use crate::clock::{Clock, Monotonic};
use crate::http::{Api, BodiesInFlight, Overload, RequestSettings, Service, Traffic};
use crate::logging::LogLevels;
use crate::model::Instance;
use crate::ops::actuator::{self, InForce, Refresh};
use crate::ops::events::Events;
use crate::ops::webhooks::Webhooks;
use crate::ops::{self, Context};
use crate::peers::{self, Calls, Credentials, NodeId, OutboxLimits, Outboxes, Peers, Receiver, Refusals, Regions};
use crate::registry::Registry;
use crate::settings::{CatalogSettings, Settings};

use super::own_record::own_record;
use super::parts::{own_identity, request_settings, rules, status_document};
use super::schedule;
use super::tasks::Tasks;

/// What operators may work on beside the registry.
#[derive(Clone, Default)]
pub struct Ops {
    /// Cancelled when clients are to go elsewhere.
    pub leaving: CancellationToken,
    /// The log's levels.
    pub levels: Option<LogLevels>,
    /// Reads the settings again.
    pub refresh: Option<Refresh>,
    /// Tells which settings are in force.
    pub in_force: Option<InForce>,
}

/// A server: registry, read model and API.
#[derive(Clone)]
pub struct App {
    registry: Arc<Registry>,
    catalog: Arc<Catalog>,
    peers: Peers,
    regions: Regions,
    api: Service,
    own: Arc<Instance>,
    clock: Clock,
    requests: Arc<ArcSwap<RequestSettings>>,
    overload: Arc<Overload>,
    over_limit: Arc<OverLimit>,
    events: Events,
    webhooks: Webhooks,
    traffic: Arc<Traffic>,
    walks: ops::Walks,
    access: Access,
    operations: ops::Memory,
    /// For peers, and for regions.
    credentials: [Credentials; 2],
    started: Monotonic,
    /// The settings in force; timers follow them.
    settings: watch::Sender<Settings>,
}

impl App {
    /// Makes one whose calls trust the system's roots; see [`with_tls`](Self::with_tls).
    pub fn new(settings: &Settings, clock: Clock) -> Self {
        Self::with_tls(settings, clock, &Tls::default())
    }

    /// Makes one, with an empty registry that is not open for traffic yet.
    pub fn with_tls(settings: &Settings, clock: Clock, tls: &Tls) -> Self {
        let outboxes = Arc::new(Outboxes::default());
        let registry = Registry::with_replicas(rules(settings), clock.clone(), outboxes.clone())
            .with_regions(settings.regions.regions.iter().map(|region| region.name.as_str()));
        let registry = Arc::new(registry);
        let node = NodeId::random();
        let refusals = Arc::new(Refusals::default());
        let over_limit = Arc::new(OverLimit::default());
        let receiver =
            Receiver::new(Arc::clone(&registry), Arc::clone(&refusals), Arc::clone(&over_limit), clock.clone());
        let credentials = [&settings.peer_credentials, &settings.region_credentials]
            .map(|settings| Credentials::new(settings, clock.clone()));
        let [for_peers, for_regions] = credentials.clone();
        let peers = Peers::new(peers::Context {
            node,
            registry: Arc::clone(&registry),
            outboxes,
            limits: OutboxLimits { tasks: settings.replication.most_tasks, longest: settings.replication.longest_wait },
            refusals,
            calls: Calls::new(&settings.replication, for_peers, &tls.peers, own_identity(node, Arc::clone(&registry))),
            digest_interval: settings.replication.digest_interval,
            clock: clock.clone(),
        });
        let to_regions =
            Calls::to_regions(&settings.regions, for_regions, &tls.regions, own_identity(node, Arc::clone(&registry)));
        let regions = Regions::new(settings.regions.clone(), Arc::clone(&registry), to_regions, node, clock.clone());
        let catalog = Arc::new(Catalog::new(Arc::clone(&registry), settings.catalog.clone(), clock.clone()));
        let own = Arc::new(own_record(settings, clock.now().wall));
        let requests = Arc::new(ArcSwap::from_pointee(request_settings(settings)));
        let overload = Arc::new(Overload::default());
        let CatalogSettings { history_changes, history_bytes, .. } = settings.catalog;
        let events = Events::new(node, Arc::clone(&registry), peers.clone(), history_changes, history_bytes);
        let webhooks = Webhooks::new(&settings.events.webhooks, &tls.peers, &clock);
        let traffic = Arc::new(Traffic::default());
        let access = Access::new(&settings.security, settings.management.behind_proxy, clock.clone());
        let walks = ops::Walks::new(Arc::clone(&over_limit), Arc::clone(&overload));
        let api = Api {
            access: access.clone(),
            registry: Arc::clone(&registry),
            catalog: Arc::clone(&catalog),
            settings: Arc::clone(&requests),
            fetches: FetchLimiter::new(Arc::clone(&over_limit)),
            over_limit: Arc::clone(&over_limit),
            overload: Arc::clone(&overload),
            traffic: Arc::clone(&traffic),
            bodies: BodiesInFlight::new(settings.http.bodies_in_flight),
            status: status_document(settings, Arc::clone(&own), &clock, peers.clone()),
            receiver,
            peers: peers.clone(),
            node,
            clock: clock.clone(),
        };
        let api = Service::new(api, &settings.http.context_path);
        let started = clock.mono();
        let (settings, _) = watch::channel(settings.clone());
        Self {
            registry,
            catalog,
            peers,
            regions,
            api,
            own,
            clock,
            requests,
            overload,
            over_limit,
            events,
            webhooks,
            traffic,
            walks,
            access,
            operations: ops::Memory::default(),
            credentials,
            started,
            settings,
        }
    }

    /// All that the server answers, of one that runs in no process of its own.
    pub fn router(&self) -> Router {
        self.with_operations(Ops::default(), true)
    }

    /// The Eureka API alone.
    pub(super) fn api(&self) -> &Service {
        &self.api
    }

    /// The Eureka API, and beside it what operators ask and do; the actuator only where it has no port of its own.
    pub(super) fn with_operations(&self, lent: Ops, with_actuator: bool) -> Router {
        let context_path = self.settings.borrow().http.context_path.clone();
        let operations = ops::router(&self.context(lent), with_actuator);
        self.traffic.over(operations, &context_path).fallback_service(self.api.router())
    }

    /// The actuator alone, for a port of its own, where there is no context path.
    pub(super) fn actuator(&self, ops: Ops) -> Router {
        let base_path = self.settings.borrow().management.server_base_path.clone();
        let routes = actuator::router(&self.context(ops), &base_path);
        let routes = if base_path.is_empty() { routes } else { Router::new().nest(&base_path, routes) };
        self.traffic.over(routes, "").fallback_service(self.access.nothing())
    }

    fn context(&self, ops: Ops) -> Context {
        let Ops { leaving, levels, refresh, in_force } = ops;
        Context {
            registry: Arc::clone(&self.registry),
            catalog: Arc::clone(&self.catalog),
            peers: self.peers.clone(),
            regions: self.regions.clone(),
            events: self.events.clone(),
            webhooks: self.webhooks.clone(),
            access: self.access.clone(),
            over_limit: Arc::clone(&self.over_limit),
            overload: Arc::clone(&self.overload),
            traffic: Arc::clone(&self.traffic),
            walks: self.walks.clone(),
            own: Arc::clone(&self.own),
            settings: self.settings.subscribe(),
            operations: self.operations.clone(),
            clock: self.clock.clone(),
            started: self.started,
            leaving,
            levels,
            refresh,
            in_force,
        }
    }

    /// The registry.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The read model.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The peers.
    pub fn peers(&self) -> &Peers {
        &self.peers
    }

    /// The remote regions.
    pub fn regions(&self) -> &Regions {
        &self.regions
    }

    /// What happens.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// Who is told of it.
    pub fn webhooks(&self) -> &Webhooks {
        &self.webhooks
    }

    /// Opens for traffic, without a copy from a peer.
    pub fn open(&self) {
        self.registry.open(0);
    }

    /// Goes by other settings from now on, as far as they can change while the server runs: leases,
    /// self-preservation, the life of answers, the delta, bounds of bodies and rates, who may come in, credentials for
    /// other servers, and the timers of all that.
    /// Addresses, ports, time limits of connections, the frozen copy, the size of the delta, remote regions
    /// and the own record stay as they were at the start.
    pub fn change_settings(&self, settings: &Settings) {
        self.registry.change_rules(rules(settings));
        self.catalog.change_settings(settings.catalog.clone());
        self.requests.store(Arc::new(request_settings(settings)));
        self.access.change(&settings.security);
        let [for_peers, for_regions] = &self.credentials;
        for_peers.change(&settings.peer_credentials);
        for_regions.change(&settings.region_credentials);
        self.settings.send_replace(settings.clone());
    }

    /// What limits refused.
    pub fn over_limit(&self) -> &Arc<OverLimit> {
        &self.over_limit
    }

    /// What was asked.
    pub(super) fn traffic(&self) -> &Arc<Traffic> {
        &self.traffic
    }

    /// Who may come in.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Whether there is too much to do.
    pub(super) fn overload(&self) -> &Arc<Overload> {
        &self.overload
    }

    /// The settings in force.
    pub(super) fn settings(&self) -> &watch::Sender<Settings> {
        &self.settings
    }

    /// The server's own record.
    pub(super) fn own(&self) -> &Arc<Instance> {
        &self.own
    }

    pub(super) fn start_tasks(&self, tasks: &Tasks) {
        schedule::start(tasks, self, &self.settings.subscribe());
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }
}
