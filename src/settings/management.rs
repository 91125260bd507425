//! Where the actuator is, and what of it.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::health::{HealthSettings, Show, show};
use super::reader::Reader;
use super::secrets::masked;
use super::{http, value};

/// Settings of the actuator (`ManagementServerProperties`, `WebEndpointProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagementSettings {
    /// `management.server.port`: default the port of the API.
    pub port: ManagementPort,
    /// `management.server.address`: where a port of its own listens. Default none, as `server.address`.
    pub address: Option<IpAddr>,
    /// `management.server.base-path`: the path before all others on a port of its own; empty, or begins with a slash
    /// and ends without one. Default empty.
    pub server_base_path: String,
    /// `management.endpoints.web.base-path`: empty, or begins with a slash and ends without one.
    /// Default `/actuator`.
    pub base_path: String,
    /// `management.endpoints.web.exposure.include`: names of endpoints, `*` is all. Default `health` and `info`.
    pub include: Vec<String>,
    /// `management.endpoints.web.exposure.exclude`: what is left out of those. Default none.
    pub exclude: Vec<String>,
    /// `management.endpoints.web.discovery.enabled`: whether there is a list of links. Default true.
    pub discovery: bool,
    /// `server.forward-headers-strategy`: whether links are made of what a proxy says of the request
    /// (`X-Forwarded-Proto` and the like). Default false.
    pub behind_proxy: bool,
    /// `management.endpoints.web.path-mapping.*`: other paths than the names.
    paths: BTreeMap<String, String>,
    /// Of each of [`ENDPOINTS`] that has another than unrestricted.
    access: BTreeMap<&'static str, EndpointAccess>,
    /// What health tells.
    pub health: HealthSettings,
    /// What `info` shows.
    pub info: InfoSettings,
    /// `management.endpoint.env.show-values`: default never.
    pub env_values: Show,
    /// `management.endpoint.env.roles`: who is authorized. Default whoever has logged in.
    pub env_roles: Vec<String>,
}

/// What `info` shows (`InfoContributorProperties`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfoSettings {
    /// `info.*`, without secrets, by their keys as written.
    pub env: Vec<(String, String)>,
    /// `management.info.env.enabled`: whether those are shown. Default false.
    pub shows_env: bool,
    /// `management.info.build.enabled`: whether name and version are told. Default true.
    pub shows_build: bool,
}

impl Default for InfoSettings {
    fn default() -> Self {
        Self { env: Vec::new(), shows_env: false, shows_build: true }
    }
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

/// What may be done with an endpoint (`Access`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndpointAccess {
    /// Nothing: it is not there.
    None,
    /// It may be read.
    ReadOnly,
    /// Everything.
    Unrestricted,
}

/// The endpoints, each with what restricts it alone.
const ENDPOINTS: [(&str, &str, &str); 8] = [
    ("health", "management.endpoint.health.access", "management.endpoint.health.enabled"),
    ("info", "management.endpoint.info.access", "management.endpoint.info.enabled"),
    ("env", "management.endpoint.env.access", "management.endpoint.env.enabled"),
    ("loggers", "management.endpoint.loggers.access", "management.endpoint.loggers.enabled"),
    ("refresh", "management.endpoint.refresh.access", "management.endpoint.refresh.enabled"),
    ("serviceregistry", "management.endpoint.serviceregistry.access", "management.endpoint.serviceregistry.enabled"),
    ("metrics", "management.endpoint.metrics.access", "management.endpoint.metrics.enabled"),
    ("prometheus", "management.endpoint.prometheus.access", "management.endpoint.prometheus.enabled"),
];

impl Default for ManagementSettings {
    fn default() -> Self {
        Self {
            port: ManagementPort::Same,
            address: None,
            server_base_path: String::new(),
            base_path: "/actuator".to_owned(),
            include: vec!["health".to_owned(), "info".to_owned()],
            exclude: Vec::new(),
            discovery: true,
            behind_proxy: false,
            paths: BTreeMap::new(),
            access: BTreeMap::new(),
            health: HealthSettings::default(),
            info: InfoSettings::default(),
            env_values: Show::Never,
            env_roles: Vec::new(),
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
            server_base_path: reader
                .get(&["management.server.base-path"], http::context_path)
                .unwrap_or(default.server_base_path),
            base_path: reader
                .get(&["management.endpoints.web.base-path"], http::context_path)
                .unwrap_or(default.base_path),
            include: reader.get(&["management.endpoints.web.exposure.include"], value::list).unwrap_or(default.include),
            exclude: reader.get(&["management.endpoints.web.exposure.exclude"], value::list).unwrap_or(default.exclude),
            discovery: reader
                .get(&["management.endpoints.web.discovery.enabled"], value::boolean)
                .unwrap_or(default.discovery),
            behind_proxy: reader
                .get(&["server.forward-headers-strategy"], strategy)
                .or_else(|| reader.get(&["server.use-forward-headers"], value::boolean))
                .unwrap_or(default.behind_proxy),
            paths: reader.members("management.endpoints.web.path-mapping", http::context_path).into_iter().collect(),
            access: access(reader),
            health: HealthSettings::read(reader),
            info: InfoSettings::read(reader),
            env_values: reader.get(&["management.endpoint.env.show-values"], show).unwrap_or(default.env_values),
            env_roles: reader.get(&["management.endpoint.env.roles"], value::list).unwrap_or(default.env_roles),
        }
    }

    /// Whether an endpoint is to be seen.
    pub fn exposes(&self, endpoint: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == "*" || name == endpoint);
        names(&self.include) && !names(&self.exclude) && self.access(endpoint) != EndpointAccess::None
    }

    /// What may be done with an endpoint.
    pub fn access(&self, endpoint: &str) -> EndpointAccess {
        self.access.get(endpoint).copied().unwrap_or(EndpointAccess::Unrestricted)
    }

    /// Where an endpoint is below the base path: begins with a slash and ends without one.
    pub fn path(&self, endpoint: &str) -> String {
        let mapped = self.paths.get(endpoint).filter(|path| !path.is_empty());
        mapped.cloned().unwrap_or_else(|| format!("/{endpoint}"))
    }
}

impl InfoSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        let default = Self::default();
        let env = reader.members("info", value::text).into_iter();
        Self {
            env: env.map(|(key, value)| (key.clone(), masked(&format!("info.{key}"), &value))).collect(),
            shows_env: reader.get(&["management.info.env.enabled"], value::boolean).unwrap_or(default.shows_env),
            shows_build: reader
                .get(&["management.info.build.enabled", "management.info.defaults.enabled"], value::boolean)
                .unwrap_or(default.shows_build),
        }
    }
}

fn access(reader: &mut Reader<'_>) -> BTreeMap<&'static str, EndpointAccess> {
    let of = |enabled| if enabled { EndpointAccess::Unrestricted } else { EndpointAccess::None };
    let by_default = reader
        .get(&["management.endpoints.access.default"], named)
        .or_else(|| reader.get(&["management.endpoints.enabled-by-default"], value::boolean).map(of));
    let most = reader.get(&["management.endpoints.access.max-permitted"], named);
    let mut access = BTreeMap::new();
    for (endpoint, own, enabled) in ENDPOINTS {
        let own = reader.get(&[own], named).or_else(|| reader.get(&[enabled], value::boolean).map(of));
        let most = most.unwrap_or(EndpointAccess::Unrestricted);
        let all = own.or(by_default).unwrap_or(EndpointAccess::Unrestricted).min(most);
        if all != EndpointAccess::Unrestricted {
            access.insert(endpoint, all);
        }
    }
    access
}

fn named(text: &str) -> Result<EndpointAccess, String> {
    match super::names::squash(text.trim()).as_str() {
        "none" => Ok(EndpointAccess::None),
        "readonly" => Ok(EndpointAccess::ReadOnly),
        "unrestricted" => Ok(EndpointAccess::Unrestricted),
        _ => Err("none, read-only or unrestricted".to_owned()),
    }
}

/// `ForwardHeadersStrategy`: both ways come to the same here.
fn strategy(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "native" | "framework" => Ok(true),
        "none" => Ok(false),
        _ => Err("native, framework or none".to_owned()),
    }
}
