//! Where the peers of this server are (`EurekaClientConfigBean`, `EndpointUtils`).

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::names::squash;
use super::peer_name::PeerName;
use super::peer_url::{PeerUrl, PeerUrlError};
use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of the search for peers. Nothing set is no peers.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerSettings {
    /// `eureka.client.service-url.*`: by zone, in the order of their names. Java's default, one on
    /// localhost, is none here.
    pub service_urls: Vec<(String, Vec<PeerUrl>)>,
    /// `eureka.client.region`: default `us-east-1`.
    pub region: String,
    /// `eureka.client.availability-zones.*`: the zones of each region.
    pub zones: Vec<(String, Vec<String>)>,
    /// `eureka.client.prefer-same-zone-eureka`: whether the first zone's peers come first. Default true.
    pub prefer_same_zone: bool,
    /// TXT records instead of [`service_urls`](Self::service_urls). Default none.
    pub txt: TxtSettings,
    /// `eurekad.peers.dns`: names each of whose A and AAAA records is a peer. Default none.
    pub dns: Vec<PeerName>,
    /// `eurekad.peers.srv`: names each of whose SRV records is a peer. Default none.
    pub srv: Vec<PeerName>,
    /// `eurekad.peers.file`: a file that lists URLs. Default none.
    pub file: Option<PathBuf>,
    /// `eurekad.peers.dns-server`: what is asked instead of the system's name servers. Default none.
    pub dns_server: Option<SocketAddr>,
    /// `eureka.server.my-url`: the one that is no peer, since it is this server. Default none.
    pub my_url: Option<PeerUrl>,
    /// `eureka.server.peer-eureka-nodes-update-interval-ms`: how often names are looked up. Default
    /// 10 s (Java: 10 min), at least 1 ms.
    pub refresh: Duration,
}

/// Peers in TXT records, as servers on Amazon's cloud keep them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TxtSettings {
    /// `eureka.client.use-dns-for-fetching-service-urls`: default false.
    pub enabled: bool,
    /// `eureka.client.eureka-server-dns-name`: `txt.<region>.` in front of it has the zones. Set where
    /// [`enabled`](Self::enabled) is.
    pub name: Option<String>,
    /// `eureka.client.eureka-server-port`: default none, that of this server.
    pub port: Option<u16>,
    /// `eureka.client.eureka-server-url-context`: default none, that of this server (Java: `/`).
    pub context: Option<String>,
}

impl Default for PeerSettings {
    fn default() -> Self {
        Self {
            service_urls: Vec::new(),
            region: "us-east-1".to_owned(),
            zones: Vec::new(),
            prefer_same_zone: true,
            txt: TxtSettings::default(),
            dns: Vec::new(),
            srv: Vec::new(),
            file: None,
            dns_server: None,
            my_url: None,
            refresh: Duration::from_secs(10),
        }
    }
}

/// The zone that stands for each that has no URLs of its own.
const DEFAULT_ZONE: &str = "defaultZone";

impl PeerSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let names = |text: &str| each(text, "names of servers (registry, registry:8761)");
        Self {
            service_urls: reader.members("eureka.client.service-url", urls),
            region: reader.get(&["eureka.client.region"], value::text).unwrap_or(default.region),
            zones: reader.members("eureka.client.availability-zones", value::list),
            prefer_same_zone: reader
                .get(&["eureka.client.prefer-same-zone-eureka"], value::boolean)
                .unwrap_or(default.prefer_same_zone),
            txt: TxtSettings::read(reader),
            dns: reader.get(&["eurekad.peers.dns"], names).unwrap_or_default(),
            srv: reader.get(&["eurekad.peers.srv"], srv_names).unwrap_or_default(),
            file: reader.get(&["eurekad.peers.file"], value::text).map(|path| PathBuf::from(path.trim())),
            dns_server: reader.get(&["eurekad.peers.dns-server"], dns_server),
            my_url: reader.get(&["eureka.server.my-url"], |text| {
                text.parse().map_err(|error| format!("a URL (http://host:8761/eureka/), and it {error}"))
            }),
            refresh: reader
                .get(
                    &["eureka.server.peer-eureka-nodes-update-interval-ms"],
                    value::duration(Unit::Millis, Duration::from_millis(1)),
                )
                .unwrap_or(default.refresh),
        }
    }

    /// The URLs that are written in the settings, without duplicates: those of the own zone, then those
    /// of the region's other zones. None where TXT records stand in their place.
    ///
    /// The own zone is the region's first, as in Java; without
    /// [`prefer_same_zone`](Self::prefer_same_zone) that comes last. A URL with port 0 is the own one of
    /// a server that listens on any port.
    pub fn listed(&self) -> Vec<PeerUrl> {
        let mut listed: Vec<PeerUrl> = Vec::new();
        if self.txt.enabled {
            return listed;
        }
        let mut zones = self.own_zones();
        if !self.prefer_same_zone && zones.len() > 1 {
            zones.rotate_left(1);
        }
        for url in zones.into_iter().flat_map(|zone| self.urls_of(zone)) {
            if url.port() != 0 && !listed.iter().any(|other| other.is_same_place(url)) {
                listed.push(url.clone());
            }
        }
        listed
    }

    /// The zones of the own region, at least one.
    pub fn own_zones(&self) -> Vec<&str> {
        let zones: Vec<&str> = find(&self.zones, &self.region).into_iter().flatten().map(String::as_str).collect();
        if zones.is_empty() { vec![DEFAULT_ZONE] } else { zones }
    }

    fn urls_of(&self, zone: &str) -> &[PeerUrl] {
        let own = find(&self.service_urls, zone).filter(|urls| !urls.is_empty());
        own.or_else(|| find(&self.service_urls, DEFAULT_ZONE)).map_or(&[], Vec::as_slice)
    }
}

/// What a map has for a key, whose letter case does not count, nor do the dots that a variable's
/// underscores become.
fn find<'a, T>(map: &'a [(String, T)], key: &str) -> Option<&'a T> {
    let same = map.iter().find(|(other, _)| other.eq_ignore_ascii_case(key));
    let alike = || map.iter().find(|(other, _)| squash(other) == squash(key));
    same.or_else(alike).map(|(_, value)| value)
}

impl TxtSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        let name = reader.get(&["eureka.client.eureka-server-dns-name"], value::text);
        let enabled = reader.get(&["eureka.client.use-dns-for-fetching-service-urls"], |text| {
            let enabled = value::boolean(text)?;
            let possible = !enabled || name.is_some();
            possible.then_some(enabled).ok_or_else(|| "false without eureka.client.eureka-server-dns-name".to_owned())
        });
        Self {
            enabled: enabled.unwrap_or_default(),
            port: reader.get(&["eureka.client.eureka-server-port"], value::whole(1..=65_535)),
            context: reader.get(&["eureka.client.eureka-server-url-context"], value::text),
            name,
        }
    }
}

fn urls(text: &str) -> Result<Vec<PeerUrl>, String> {
    each(text, "URLs of Eureka servers (http://host:8761/eureka/)")
}

fn srv_names(text: &str) -> Result<Vec<PeerName>, String> {
    let names: Vec<PeerName> = each(text, "names of SRV records (_eureka._tcp.registry)")?;
    if names.iter().any(|name| name.port().is_some()) {
        return Err("names of SRV records (_eureka._tcp.registry) without a port, which the record has".to_owned());
    }
    Ok(names)
}

/// Reads a list; `what` is in the plural.
fn each<T: FromStr<Err = PeerUrlError>>(text: &str, what: &str) -> Result<Vec<T>, String> {
    let list = value::list(text)?;
    let read = |(place, item): (usize, &String)| {
        item.parse().map_err(|error| match list.len() {
            1 => format!("{what}, and it {error}"),
            _ => format!("{what}, and number {} {error}", place + 1),
        })
    };
    list.iter().enumerate().map(read).collect()
}

fn dns_server(text: &str) -> Result<SocketAddr, String> {
    const DNS_PORT: u16 = 53;
    let text = text.trim();
    let alone = || text.parse::<IpAddr>().map(|address| SocketAddr::new(address, DNS_PORT));
    text.parse().or_else(|_| alone()).map_err(|_| "an IP address with a port (127.0.0.1:8600, [::1]:53)".to_owned())
}

#[cfg(test)]
mod tests;
