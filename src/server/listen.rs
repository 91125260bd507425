//! Sockets to listen on, and the limit of open files.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use listenfd::ListenFd;
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

/// Why a socket cannot be listened on.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// A port of the settings.
    #[error("cannot listen on port {port} ({property}): {error}")]
    Port {
        /// The port.
        port: u16,
        /// Which property has it.
        property: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A socket of whoever started the process.
    #[error("cannot use a socket that was handed over (LISTEN_FDS): {0}")]
    Inherited(#[from] io::Error),
}

/// Sockets that whoever started the process listens on for it (`sd_listen_fds(3)`). Connections wait there while no
/// process runs, so that a restart refuses none.
#[derive(Debug, Default)]
pub struct Inherited(Vec<std::net::TcpListener>);

impl Inherited {
    /// Takes them out of the environment. To be called before there are other threads, which might read that.
    pub fn take() -> Result<Self, BindError> {
        // The crate would take those of whoever did not say whom they are for.
        if !std::env::var("LISTEN_PID").is_ok_and(|whose| whose.parse() == Ok(std::process::id())) {
            return Ok(Self::default());
        }
        let mut given = ListenFd::from_env();
        let listeners = (0..given.len()).filter_map(|place| given.take_tcp_listener(place).transpose());
        Ok(Self(listeners.collect::<io::Result<_>>()?))
    }
}

impl Sockets {
    /// Listens where the settings say, for the API on inherited sockets in the place of `server.port`. Must be called
    /// within the runtime.
    pub fn bind(settings: &Settings, Inherited(inherited): Inherited) -> Result<Self, BindError> {
        let on =
            |address, port, property| bind(address, port).map_err(|error| BindError::Port { port, property, error });
        let (http, management) = (&settings.http, &settings.management);
        Ok(Self {
            api: if inherited.is_empty() {
                vec![on(http.address, http.port, "server.port")?]
            } else {
                inherited.into_iter().map(adopt).collect::<io::Result<_>>()?
            },
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

fn adopt(inherited: std::net::TcpListener) -> io::Result<TcpListener> {
    inherited.set_nonblocking(true)?;
    TcpListener::from_std(inherited)
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
