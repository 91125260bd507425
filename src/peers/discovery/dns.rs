//! Questions to name servers.
//!
//! Each question reads the system's configuration anew (`/etc/resolv.conf`, `/etc/hosts`) and nothing
//! is kept of the answer, so that a change counts at the next one.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{RData, RecordType};
use hickory_resolver::{Resolver, TokioResolver};

/// How long an answer is waited for, with all search domains.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long one server is: twice, for a packet may be lost.
const TRY: Duration = Duration::from_millis(900);

/// Asks the system's name servers, or another.
pub(super) struct Dns {
    resolver: TokioResolver,
}

/// An SRV record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Service {
    /// The least is the best.
    pub(super) priority: u16,
    /// The greatest is the best.
    pub(super) weight: u16,
    pub(super) host: String,
    pub(super) port: u16,
}

impl Dns {
    /// The error is for people to read, like all here.
    pub(super) async fn new(server: Option<SocketAddr>) -> Result<Self, String> {
        // It reads files.
        let resolver =
            tokio::task::spawn_blocking(move || resolver(server)).await.map_err(|error| error.to_string())?;
        resolver.map(|resolver| Self { resolver }).map_err(|error| error.to_string())
    }

    /// The IPv4 and the IPv6 addresses of a name, each in their order.
    ///
    /// With search domains both families are to be of the same one: a name that has the one is not
    /// looked up further for the other.
    pub(super) async fn addresses(&self, name: &str) -> [Result<Vec<IpAddr>, String>; 2] {
        let (four, six) = tokio::join!(self.look_up(name, RecordType::A), self.look_up(name, RecordType::AAAA));
        let foreign = match (&four, &six) {
            (Ok(Some(four)), Ok(Some(six))) => four.query().name() != six.query().name(),
            _ => false,
        };
        let six = if foreign { Ok(None) } else { six };
        [four, six].map(|found| Ok(sorted(found?.as_ref(), RData::ip_addr)))
    }

    /// The SRV records of a name, the best first.
    pub(super) async fn services(&self, name: &str) -> Result<Vec<Service>, String> {
        let found = self.look_up(name, RecordType::SRV).await?;
        let service = |record: &RData| match record {
            // A root as the host: there is no such service here.
            RData::SRV(srv) if !srv.target.is_root() => Some(Service {
                priority: srv.priority,
                weight: srv.weight,
                host: srv.target.to_ascii().trim_end_matches('.').to_owned(),
                port: srv.port,
            }),
            _ => None,
        };
        let mut services = sorted(found.as_ref(), service);
        services.sort_by_key(|service| (service.priority, u16::MAX - service.weight));
        Ok(services)
    }

    /// The words in the TXT records of a name, in their order.
    pub(super) async fn words(&self, name: &str) -> Result<Vec<String>, String> {
        let found = self.look_up(name, RecordType::TXT).await?;
        let words = |record: &RData| match record {
            RData::TXT(txt) => {
                Some(txt.txt_data.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect())
            }
            _ => None,
        };
        let texts: Vec<Vec<String>> = sorted(found.as_ref(), words);
        let mut words: Vec<String> =
            texts.iter().flatten().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect();
        words.sort();
        words.dedup();
        Ok(words)
    }

    /// None if there is no such name, or no such record of it.
    async fn look_up(&self, name: &str, kind: RecordType) -> Result<Option<Lookup>, String> {
        match tokio::time::timeout(PATIENCE, self.resolver.lookup(name, kind)).await {
            Ok(Ok(found)) => Ok(Some(found)),
            Ok(Err(error)) if error.is_no_records_found() => Ok(None),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {PATIENCE:?}")),
        }
    }
}

fn resolver(server: Option<SocketAddr>) -> Result<TokioResolver, NetError> {
    let mut builder = match server {
        Some(server) => {
            let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
                connection.port = server.port();
                connection
            });
            let server = NameServerConfig::new(server.ip(), true, connections.to_vec());
            let config = ResolverConfig::from_name_servers(vec![server]);
            let mut builder = Resolver::builder_with_config(config, TokioRuntimeProvider::default());
            builder.options_mut().use_hosts_file = ResolveHosts::Never;
            builder
        }
        None => Resolver::builder_tokio()?,
    };
    let options = builder.options_mut();
    options.timeout = TRY;
    options.attempts = 1;
    options.cache_size = 0;
    builder.build()
}

/// What is looked for in the records of an answer.
fn sorted<T: Ord>(found: Option<&Lookup>, pick: impl Fn(&RData) -> Option<T>) -> Vec<T> {
    let records = found.map(Lookup::answers).unwrap_or_default();
    let mut picked: Vec<T> = records.iter().filter_map(|record| pick(&record.data)).collect();
    picked.sort();
    picked.dedup();
    picked
}
