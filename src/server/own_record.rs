//! The server's own instance, as `eureka.instance.*` describes it (`EurekaInstanceConfigBean`).

use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::time::Duration;

use crate::model::{
    AppName, DataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, Metadata, NonAmazon, Port, Text,
    WallMillis,
};
use crate::registry::{Origin, Renewal};
use crate::settings::{OwnInstanceSettings, Settings};

use super::App;

/// Makes the record. What the user left open is found out: the machine's name and its first address.
pub(super) fn own_record(settings: &Settings, now: WallMillis) -> Instance {
    let own = &settings.own;
    let machine = machine_name();
    let ip = own.ip_address.clone().unwrap_or_else(|| outgoing_address().to_string());
    let host = if own.prefer_ip_address { Some(ip.clone()) } else { own.host_name.clone() };
    let host = host.unwrap_or_else(|| machine.clone());
    let port = own.non_secure_port.unwrap_or(settings.http.port);
    let base = format!("http://{host}:{port}");
    let url =
        |set: &Option<String>, path: &str| Some(Text::from(set.clone().unwrap_or_else(|| format!("{base}{path}"))));
    let id = Text::from(own.instance_id.clone().unwrap_or_else(|| default_id(own, &machine, settings.http.port)));
    let mut metadata = own.metadata.clone();
    if !metadata.iter().any(|(key, _)| key == "management.port") {
        metadata.push(("management.port".into(), settings.http.port.to_string()));
    }
    Instance {
        id: InstanceId::new(Text::clone(&id)),
        instance_id: Some(id),
        app: AppName::new(&own.app_name),
        host_name: host.into(),
        ip_addr: ip.into(),
        sid: None,
        status: InstanceStatus::Up,
        overridden_status: InstanceStatus::Unknown,
        port: Port { number: port.into(), enabled: own.non_secure_port_enabled },
        secure_port: secure_port(own, settings.http.port),
        country_id: 1,
        data_center: DataCenter::Own(NonAmazon::MyOwn),
        lease: LeaseRequest::new(seconds(own.lease_renewal_interval), seconds(own.lease_duration)),
        metadata: Metadata::new(metadata),
        app_group_name: own.app_group.as_deref().map(|group| group.to_uppercase().into()),
        home_page_url: url(&own.home_page_url, &own.home_page_url_path),
        status_page_url: url(&own.status_page_url, &own.status_page_url_path),
        health_check_url: url(&own.health_check_url, &own.health_check_url_path),
        secure_health_check_url: own.secure_health_check_url.as_deref().map(Text::from),
        vip_address: Some(own.virtual_host_name.as_str().into()),
        secure_vip_address: Some(own.secure_virtual_host_name.as_str().into()),
        is_coordinating_discovery_server: false,
        last_updated: now,
        last_dirty: now,
        action: None,
        asg_name: None,
    }
}

impl App {
    /// Renews the own record's lease, or registers it (`DiscoveryClient.renew`). It is the one instance
    /// of which this server says that it coordinates.
    pub(super) fn keep_own_record(&self) {
        let own = self.own();
        let (app, id) = (own.app.as_str(), own.id.as_str());
        let renewal = self.registry().renew(app, id, Some(own.last_dirty), None, Origin::Client);
        if matches!(renewal, Renewal::RegisterAgain | Renewal::NotYet) {
            let record = Instance { is_coordinating_discovery_server: true, ..Instance::clone(own) };
            self.registry().register(record, Origin::Client);
        }
    }

    /// Takes the own record out.
    pub(super) fn remove_own_record(&self) {
        self.registry().cancel(&self.own().app, &self.own().id, Origin::Client);
    }
}

/// `host:application:port`; what is not set is left out (`IdUtils.getDefaultInstanceId`). The host is
/// the machine's name, whatever `eureka.instance.hostname` says.
fn default_id(own: &OwnInstanceSettings, machine: &str, port: u16) -> String {
    match &own.application_name {
        Some(application) => format!("{machine}:{application}:{port}"),
        None => format!("{machine}:{port}"),
    }
}

fn secure_port(own: &OwnInstanceSettings, server_port: u16) -> Port {
    let unset = if own.secure_port_enabled { server_port } else { 443 };
    Port { number: own.secure_port.unwrap_or(unset).into(), enabled: own.secure_port_enabled }
}

/// What Spring Cloud tells of the machine as properties, so that settings can speak of it:
/// `spring.cloud.client.hostname` and `spring.cloud.client.ip-address` (`HostInfoEnvironmentPostProcessor`),
/// written as environment variables.
pub fn machine() -> [(String, String); 2] {
    [
        ("SPRING_CLOUD_CLIENT_HOSTNAME".to_owned(), machine_name()),
        ("SPRING_CLOUD_CLIENT_IP_ADDRESS".to_owned(), outgoing_address().to_string()),
    ]
}

fn machine_name() -> String {
    gethostname::gethostname().into_string().ok().filter(|name| !name.is_empty()).unwrap_or_else(|| "localhost".into())
}

/// The address that this machine would send from. Nothing is sent: connecting a UDP socket only
/// chooses a route.
fn outgoing_address() -> IpAddr {
    /// An address for documentation (RFC 5737), which nobody has.
    const ELSEWHERE: (Ipv4Addr, u16) = (Ipv4Addr::new(192, 0, 2, 1), 9);
    let address = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).and_then(|socket| {
        socket.connect(ELSEWHERE)?;
        socket.local_addr()
    });
    address.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
}

fn seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs()).unwrap_or(i32::MAX)
}
