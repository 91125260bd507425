//! What is said at the start: a few lines that tell an operator what is on. No secret is in them.

use std::net::SocketAddr;

use crate::settings::{ManagementPort, Notice, NoticeLevel, PeerSettings, Role, Roles, Settings};

/// Logs what is to be said about settings that were read.
pub fn report(notices: &[Notice]) {
    for notice in notices {
        match notice.level {
            NoticeLevel::Warning => tracing::warn!("{notice}"),
            NoticeLevel::Detail => tracing::debug!("{notice}"),
        }
    }
}

/// Logs the start: version, addresses, and what is on.
pub fn banner(settings: &Settings, addresses: &[SocketAddr]) {
    let Settings { http, preservation, catalog, leases, peers, security, logging, tls, .. } = settings;
    tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "starting");
    let (api, management) = match settings.management.port {
        ManagementPort::Own(_) => addresses.split_at(addresses.len().saturating_sub(1)),
        ManagementPort::Same | ManagementPort::Off => (addresses, [].as_slice()),
    };
    for (addresses, tls) in [(api, &tls.server), (management, &tls.management)] {
        for address in addresses {
            tracing::info!(%address, context_path = %or_root(&http.context_path), tls = on(tls.is_some()), "listening");
        }
    }
    tracing::info!(
        self_preservation = on(preservation.enabled),
        eviction_interval = ?leases.eviction_interval,
        read_only_cache = on(catalog.read_only_copy.is_some()),
        delta = on(catalog.delta_enabled),
        "registry"
    );
    tracing::info!(sources = %sources_of(peers), "peers");
    let anonymous = security.anonymous.unwrap_or(if security.is_open() { Roles::ALL } else { Roles::NONE });
    tracing::info!(
        users = security.users.len(),
        tokens = security.tokens.len(),
        certificates = security.certificates.len(),
        %anonymous,
        "access"
    );
    let changes_all = [Role::Register, Role::Operate, Role::Peer].iter().any(|role| anonymous.allow(*role));
    if changes_all && addresses.iter().any(|address| !address.ip().to_canonical().is_loopback()) {
        tracing::warn!("everybody who reaches this server may change everything, see docs/security.md");
    }
    tracing::info!(
        levels = %logging.directives(),
        log_file = logging.file.path.as_ref().map(|path| tracing::field::display(path.display())),
        access_log = on(logging.access.enabled),
        "logging"
    );
}

/// Where peers are looked for; this node may be among them.
fn sources_of(peers: &PeerSettings) -> String {
    let listed = peers.listed().into_iter().map(|url| url.to_string());
    let names = peers.dns.iter().chain(&peers.srv).map(|name| format!("DNS {}", name.name()));
    let txt = peers.txt.name.iter().filter(|_| peers.txt.enabled).map(|name| format!("TXT {name}"));
    let file = peers.file.iter().map(|path| format!("file {}", path.display()));
    let all: Vec<_> = listed.chain(txt).chain(names).chain(file).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

fn or_root(context_path: &str) -> &str {
    if context_path.is_empty() { "/" } else { context_path }
}

fn on(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}
