//! Sockets to listen on, and the limit of open files.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use rlimit::Resource;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;

use crate::settings::{ManagementPort, Settings};

/// Connections that may wait for being accepted: a fleet that fetches at once is not refused.
const BACKLOG: i32 = 4096;
/// Fewer open files than this are too few for a registry of any size.
const FEW_FILES: u64 = 10_000;

/// The sockets to serve.
pub struct Sockets {
    /// For the Eureka API, and the actuator unless it has one of its own.
    pub api: Vec<TcpListener>,
    /// For the actuator (`management.server.port`).
    pub management: Option<TcpListener>,
}

/// A port that cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on port {port} ({property}): {error}")]
pub struct BindError {
    port: u16,
    property: &'static str,
    error: io::Error,
}

impl Sockets {
    /// Listens where the settings say. Must be called within the runtime.
    pub fn bind(settings: &Settings) -> Result<Self, BindError> {
        let on = |address, port, property| bind(address, port).map_err(|error| BindError { port, property, error });
        let (http, management) = (&settings.http, &settings.management);
        Ok(Self {
            api: vec![on(http.address, http.port, "server.port")?],
            management: match management.port {
                ManagementPort::Own(port) => {
                    Some(on(management.address.or(http.address), port, "management.server.port")?)
                }
                ManagementPort::Same | ManagementPort::Off => None,
            },
        })
    }

    /// Where they listen, the API first.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.api.iter().chain(&self.management).filter_map(|listener| listener.local_addr().ok()).collect()
    }
}

/// Listens on an address, or on all of them: IPv6 with IPv4, or IPv4 where there is no IPv6. Must be
/// called within the runtime.
fn bind(address: Option<IpAddr>, port: u16) -> io::Result<TcpListener> {
    match address {
        Some(address) => listener(SocketAddr::new(address, port), address.is_ipv6()),
        None => listener(SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port), false).or_else(|error| {
            if error.kind() == io::ErrorKind::AddrInUse {
                return Err(error);
            }
            listener(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), port), false)
        }),
    }
}

fn listener(address: SocketAddr, only_v6: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(only_v6)?;
    }
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// How many files may be open at once; none where there is no such limit.
pub(super) fn file_limit() -> Option<u64> {
    Resource::NOFILE.get_soft().ok().filter(|limit| *limit != rlimit::INFINITY)
}

/// Raises the limit of open files to its hard limit, as the JVM does by itself, and warns when that
/// is too low for a registry.
pub fn raise_file_limit() {
    let raised = Resource::NOFILE.get().and_then(|(soft, hard)| {
        if soft < hard {
            Resource::NOFILE.set(hard, hard)?;
        }
        Ok(hard)
    });
    match raised {
        Ok(limit) if limit < FEW_FILES => {
            tracing::warn!(limit, "few files may be open at once, raise the hard limit of open files (ulimit -Hn)");
        }
        Ok(limit) => tracing::debug!(limit, "the limit of open files is at its hard limit"),
        Err(error) => tracing::warn!(%error, "cannot raise the limit of open files"),
    }
}
