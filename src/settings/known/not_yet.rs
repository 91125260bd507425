//! What a later version will serve. What somebody would miss is apart, so that it can be said aloud.

use super::Kind;

pub(super) const NOT_YET: &[(Kind, &[&str])] = &[
    (
        Kind::Flag,
        &[
            "eureka.instance.instance-enabled-onit",
            "eureka.client.on-demand-update-status-change",
            "eureka.client.healthcheck.enabled",
            "eureka.client.transport.applications-resolver-use-ip",
        ],
    ),
    (
        Kind::Seconds,
        &[
            "eureka.client.instance-info-replication-interval-seconds",
            "eureka.client.initial-instance-info-replication-interval-seconds",
        ],
    ),
    (
        Kind::Text,
        &[
            "eureka.instance.initial-status",
            "management.server.*",
            "management.endpoints.*",
            "management.endpoint.*",
            "management.health.*",
            "management.info.*",
            "management.context-path",
            "management.security.*",
            "spring.cloud.inetutils.*",
        ],
    ),
];

pub(super) const MISSED: &[(&str, &[&str])] = &[
    (
        "ciphers cannot be chosen, all that there are here are safe",
        &["server.ssl.ciphers[]", "management.server.ssl.ciphers[]"],
    ),
    (
        "there is one certificate a port",
        &["server.ssl.server-name-bundles.*", "management.server.ssl.server-name-bundles.*"],
    ),
    ("logins by OAuth 2 are not served", &["spring.security.oauth2.*"]),
    ("it is management.server.port and .address since Spring Boot 2", &["management.port", "management.address"]),
];
