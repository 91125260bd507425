//! Where the actuator is, and what of it.

use std::net::IpAddr;

use super::reader::Reader;
use super::{http, value};

/// Settings of the actuator (`ManagementServerProperties`, `WebEndpointProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagementSettings {
    /// `management.server.port`: default the port of the API.
    pub port: ManagementPort,
    /// `management.server.address`: where a port of its own listens. Default none, as `server.address`.
    pub address: Option<IpAddr>,
    /// `management.endpoints.web.base-path`: empty, or begins with a slash and ends without one.
    /// Default `/actuator`.
    pub base_path: String,
    /// `management.endpoints.web.exposure.include`: names of endpoints, `*` is all. Default `health`.
    pub include: Vec<String>,
    /// `management.endpoints.web.exposure.exclude`: what is left out of those. Default none.
    pub exclude: Vec<String>,
}

/// Which port the actuator answers on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagementPort {
    /// That of the API.
    Same,
    /// One of its own; 0 is any that is free.
    Own(u16),
    /// None (`-1`).
    Off,
}

impl Default for ManagementSettings {
    fn default() -> Self {
        Self {
            port: ManagementPort::Same,
            address: None,
            base_path: "/actuator".to_owned(),
            include: vec!["health".to_owned()],
            exclude: Vec::new(),
        }
    }
}

impl ManagementSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let port = reader.get(&["management.server.port"], value::whole::<i32>(-1..=65_535));
        Self {
            port: port
                .map_or(default.port, |port| u16::try_from(port).map_or(ManagementPort::Off, ManagementPort::Own)),
            address: reader.get(&["management.server.address"], http::address),
            base_path: reader
                .get(&["management.endpoints.web.base-path"], http::context_path)
                .unwrap_or(default.base_path),
            include: reader.get(&["management.endpoints.web.exposure.include"], value::list).unwrap_or(default.include),
            exclude: reader.get(&["management.endpoints.web.exposure.exclude"], value::list).unwrap_or(default.exclude),
        }
    }

    /// Whether an endpoint is to be seen.
    pub fn exposes(&self, endpoint: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == "*" || name == endpoint);
        names(&self.include) && !names(&self.exclude)
    }
}
