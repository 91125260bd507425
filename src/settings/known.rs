//! Every property that this server knows by name, and what it does with it.
//!
//! The names are the canonical ones of Spring (kebab case; capitals that Spring splits apart are
//! joined here, spelling does not matter). A name that ends in `.*` stands for itself and all names
//! below it. `docs/configuration.md` lists what is [`Usage::Works`], and a test holds it to that.

/// A known property.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The canonical name, without the `.*` of a family.
    pub name: &'static str,
    /// Whether names below this one belong to it: a map, a list, or a group of no interest.
    pub family: bool,
    /// What becomes of its value.
    pub usage: Usage,
}

/// What becomes of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    /// It is read by one of the concerns.
    Works,
    /// Accepted without effect; whoever sets it misses little or nothing, for this reason.
    NoEffect(&'static str),
    /// Accepted without effect, and whoever sets it must be told, for this reason.
    Unserved(&'static str),
}

/// All known properties.
pub(super) fn all() -> impl Iterator<Item = Known> {
    let works = WORKS.iter().map(|name| (*name, Usage::Works));
    let idle = NO_EFFECT.iter().flat_map(|(reason, names)| names.iter().map(|name| (*name, Usage::NoEffect(reason))));
    let unserved =
        UNSERVED.iter().flat_map(|(reason, names)| names.iter().map(|name| (*name, Usage::Unserved(reason))));
    works.chain(idle).chain(unserved).map(|(name, usage)| match name.strip_suffix(".*") {
        Some(name) => Known { name, family: true, usage },
        None => Known { name, family: false, usage },
    })
}

/// Whether a canonical name is one of those that work.
pub(super) fn is_in_use(name: &str) -> bool {
    all().any(|known| known.name == name && known.usage == Usage::Works)
}

const WORKS: &[&str] = &[
    // http
    "server.address",
    "server.port",
    "server.servlet.context-path",
    "server.tomcat.max-connections",
    "server.tomcat.keep-alive-timeout",
    "server.max-http-request-header-size",
    "server.max-http-header-size",
    "server.shutdown",
    "spring.lifecycle.timeout-per-shutdown-phase",
    "eurekad.http.max-connections",
    "eurekad.http.head-timeout",
    "eurekad.http.idle-timeout",
    "eurekad.http.request-timeout",
    // limits
    "eurekad.limits.body-size",
    "eurekad.limits.nesting-depth",
    "eurekad.limits.metadata-entries",
    "eurekad.limits.metadata-length",
    // leases
    "eureka.server.eviction-interval-timer-in-ms",
    "eureka.server.sync-when-timestamp-differs",
    "eurekad.lease.java-length",
    // self-preservation
    "eureka.server.enable-self-preservation",
    "eureka.server.renewal-percent-threshold",
    "eureka.server.renewal-threshold-update-interval-ms",
    "eureka.server.expected-client-renewal-interval-seconds",
    "eureka.instance.registry.expected-number-of-clients-sending-renews",
    "eureka.server.expected-number-of-renews-per-min",
    "eurekad.self-preservation.accept-after",
    // opening
    "eureka.instance.registry.default-open-for-traffic-count",
    "eureka.server.default-open-for-traffic-count",
    "eureka.server.wait-time-in-ms-when-sync-empty",
    // catalog
    "eureka.server.use-read-only-response-cache",
    "eureka.server.response-cache-update-interval-ms",
    "eureka.server.response-cache-auto-expiration-in-seconds",
    "eureka.server.disable-delta",
    "eureka.server.retention-time-in-ms-in-delta-queue",
    "eureka.server.delta-retention-timer-interval-in-ms",
    "eurekad.delta.max-entries",
    // replication
    "eureka.server.min-available-instances-for-peer-replication",
    // own instance
    "spring.application.name",
    "eureka.environment",
    "eureka.datacenter",
    "eureka.instance.appname",
    "eureka.instance.app-group-name",
    "eureka.instance.instance-id",
    "eureka.instance.hostname",
    "eureka.instance.ip-address",
    "eureka.instance.prefer-ip-address",
    "eureka.instance.virtual-host-name",
    "eureka.instance.secure-virtual-host-name",
    "eureka.instance.non-secure-port",
    "eureka.instance.non-secure-port-enabled",
    "eureka.instance.secure-port",
    "eureka.instance.secure-port-enabled",
    "eureka.instance.lease-renewal-interval-in-seconds",
    "eureka.instance.lease-expiration-duration-in-seconds",
    "eureka.instance.home-page-url",
    "eureka.instance.home-page-url-path",
    "eureka.instance.status-page-url",
    "eureka.instance.status-page-url-path",
    "eureka.instance.health-check-url",
    "eureka.instance.health-check-url-path",
    "eureka.instance.secure-health-check-url",
    "eureka.instance.metadata-map.*",
    // logging
    "logging.level.*",
];

const NO_EFFECT: &[(&str, &[&str])] = &[
    (
        "not in use by this version",
        &[
            "eureka.server.registry-sync-retries",
            "eureka.server.registry-sync-retry-wait-ms",
            "eureka.server.my-url",
            "eureka.server.max-time-for-replication",
            "eureka.server.max-elements-in-peer-replication-pool",
            "eureka.server.peer-eureka-nodes-update-interval-ms",
            "eureka.server.peer-node-connect-timeout-ms",
            "eureka.server.peer-node-read-timeout-ms",
            "eureka.server.peer-node-connection-idle-timeout-seconds",
            "eureka.server.max-threads-for-peer-replication",
            "eureka.server.remote-region-urls-with-name.*",
            "eureka.server.remote-region-app-whitelist.*",
            "eureka.server.remote-region-registry-fetch-interval",
            "eureka.server.remote-region-connect-timeout-ms",
            "eureka.server.remote-region-read-timeout-ms",
            "eureka.server.remote-region-connection-idle-timeout-seconds",
            "eureka.server.remote-region-trust-store",
            "eureka.server.remote-region-trust-store-password",
            "eureka.server.g-zip-content-from-remote-region",
            "eureka.server.disable-delta-for-remote-regions",
            "eureka.server.disable-transparent-fallback-to-other-region",
            "eureka.server.rate-limiter-enabled",
            "eureka.server.rate-limiter-throttle-standard-clients",
            "eureka.server.rate-limiter-privileged-clients.*",
            "eureka.server.rate-limiter-burst-size",
            "eureka.server.rate-limiter-registry-fetch-average-rate",
            "eureka.server.rate-limiter-full-fetch-average-rate",
            "eureka.server.metrics.enabled",
            "eureka.instance.initial-status",
            "eureka.instance.instance-enabled-onit",
            "eureka.client.service-url.*",
            "eureka.client.register-with-eureka",
            "eureka.client.fetch-registry",
            "eureka.client.region",
            "eureka.client.availability-zones.*",
            "eureka.client.prefer-same-zone-eureka",
            "eureka.client.use-dns-for-fetching-service-urls",
            "eureka.client.eureka-server-dns-name",
            "eureka.client.eureka-server-port",
            "eureka.client.eureka-server-url-context",
            "eureka.client.should-unregister-on-shutdown",
            "eureka.client.instance-info-replication-interval-seconds",
            "eureka.client.initial-instance-info-replication-interval-seconds",
            "eureka.client.on-demand-update-status-change",
            "eureka.client.healthcheck.enabled",
            "eureka.client.transport.applications-resolver-use-ip",
            "eureka.client.tls.*",
            "eureka.dashboard.enabled",
            "eureka.dashboard.path",
        ],
    ),
    (
        "Java reads it nowhere either",
        &[
            "eureka.server.number-of-replication-retries",
            "eureka.server.peer-eureka-status-refresh-time-interval-ms",
            "eureka.server.batch-replication",
            "eureka.server.enable-replicated-request-compression",
            "eureka.server.min-threads-for-peer-replication",
            "eureka.server.min-threads-for-status-replication",
            "eureka.server.max-idle-thread-age-in-minutes-for-peer-replication",
            "eureka.server.max-idle-thread-in-minutes-age-for-status-replication",
            "eureka.server.remote-region-urls.*",
            "eureka.server.experimental.*",
        ],
    ),
    (
        "a size or detail of Java's insides that has no counterpart here",
        &[
            "eureka.server.initial-capacity-of-response-cache",
            "eureka.server.json-codec-name",
            "eureka.server.xml-codec-name",
            "eureka.server.peer-node-total-connections",
            "eureka.server.peer-node-total-connections-per-host",
            "eureka.server.max-threads-for-status-replication",
            "eureka.server.max-elements-in-status-replication-pool",
            "eureka.server.remote-region-fetch-thread-pool-size",
            "eureka.server.remote-region-total-connections",
            "eureka.server.remote-region-total-connections-per-host",
            "eureka.server.log-identity-headers",
            "eureka.server.version.filter.debug.response-header",
            "eureka.instance.async-client-initialization",
            "eureka.instance.namespace",
            "server.servlet.*",
            "server.tomcat.*",
            "server.jetty.*",
            "server.undertow.*",
            "server.netty.*",
            "server.reactive.*",
            "server.compression.*",
            "server.error.*",
            "server.http2.*",
            "server.forward-headers-strategy",
            "server.server-header",
            "server.use-forward-headers",
            "server.context-path",
            "server.display-name",
        ],
    ),
    (
        "it belongs to the client that every Java server contains and this one does not",
        &[
            "eureka.client.enabled",
            "eureka.client.refresh.enable",
            "eureka.client.eureka-service-url-poll-interval-seconds",
            "eureka.client.registry-fetch-interval-seconds",
            "eureka.client.eureka-server-connect-timeout-seconds",
            "eureka.client.eureka-server-read-timeout-seconds",
            "eureka.client.eureka-server-total-connections",
            "eureka.client.eureka-server-total-connections-per-host",
            "eureka.client.eureka-connection-idle-timeout-seconds",
            "eureka.client.should-enforce-registration-at-init",
            "eureka.client.should-enforce-fetch-registry-at-init",
            "eureka.client.filter-only-up-instances",
            "eureka.client.transport.*",
            "eureka.client.heartbeat-executor-thread-pool-size",
            "eureka.client.heartbeat-executor-exponential-back-off-bound",
            "eureka.client.cache-refresh-executor-thread-pool-size",
            "eureka.client.cache-refresh-executor-exponential-back-off-bound",
            "eureka.client.client-data-accept",
            "eureka.client.encoder-name",
            "eureka.client.decoder-name",
            "eureka.client.dollar-replacement",
            "eureka.client.escape-char-replacement",
            "eureka.client.allow-redirects",
            "eureka.client.log-delta-diff",
            "eureka.client.disable-delta",
            "eureka.client.g-zip-content",
            "eureka.client.backup-registry-impl",
            "eureka.client.registry-refresh-single-vip-address",
            "eureka.client.fetch-remote-regions-registry.*",
            "eureka.client.property-resolver",
            "eureka.client.proxy-host",
            "eureka.client.proxy-port",
            "eureka.client.proxy-user-name",
            "eureka.client.proxy-password",
            "eureka.client.order",
            "eureka.client.jersey.enabled",
            "eureka.client.restclient.*",
            "eureka.client.webclient.*",
            "eureka.client.timeout.*",
            "eureka.client.rest-template-timeout.*",
        ],
    ),
    (
        "it is for servers on Amazon's cloud",
        &[
            "eureka.server.aws-access-id",
            "eureka.server.aws-secret-key",
            "eureka.server.binding-strategy",
            "eureka.server.eip-bind-rebind-retries",
            "eureka.server.eip-binding-retry-interval-ms",
            "eureka.server.eip-binding-retry-interval-ms-when-unbound",
            "eureka.server.route53-bind-rebind-retries",
            "eureka.server.route53-binding-retry-interval-ms",
            "eureka.server.route53-domain-ttl",
            "eureka.server.asg-query-timeout-ms",
            "eureka.server.asg-update-interval-ms",
            "eureka.server.asg-cache-expiry-timeout-ms",
            "eureka.server.use-aws-asg-api",
            "eureka.server.list-auto-scaling-groups-role-name",
            "eureka.server.prime-aws-replica-connections",
            "eureka.instance.data-center-info.*",
            "eureka.instance.asg-name",
            "eureka.instance.default-address-resolution-order.*",
        ],
    ),
];

const UNSERVED: &[(&str, &[&str])] = &[
    ("this version serves plain HTTP only", &["server.ssl.*", "spring.ssl.*"]),
    ("this version asks nobody for a password", &["spring.security.*"]),
    (
        "this version reads no settings from there",
        &[
            "spring.profiles.active.*",
            "spring.profiles.include.*",
            "spring.profiles.group.*",
            "spring.config.name",
            "spring.config.location.*",
            "spring.config.additional-location.*",
            "spring.config.import.*",
            "spring.application.json",
        ],
    ),
];
