//! The record that the server shows of itself (`EurekaInstanceConfigBean`).

use std::time::Duration;

use super::reader::Reader;
use super::value::{self, Unit};

/// Settings of the server's own instance. What is not set and depends on the machine or on the port
/// is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnInstanceSettings {
    /// `spring.application.name`: a part of the id that is made when none is set. Default none.
    pub application_name: Option<String>,
    /// `eureka.instance.appname`, else `spring.application.name`, else `unknown`; in any letter case.
    pub app_name: String,
    /// `eureka.instance.app-group-name`: default none.
    pub app_group: Option<String>,
    /// `eureka.instance.instance-id`: default none, it is made of host, application name and port.
    pub instance_id: Option<String>,
    /// `eureka.instance.hostname`: default none, the name of the machine.
    pub host_name: Option<String>,
    /// `eureka.instance.ip-address`: default none, the machine's first.
    pub ip_address: Option<String>,
    /// `eureka.instance.prefer-ip-address`: whether the IP address stands for the host name.
    /// Default false.
    pub prefer_ip_address: bool,
    /// `eureka.instance.virtual-host-name`, else `spring.application.name`, else `unknown`.
    pub virtual_host_name: String,
    /// `eureka.instance.secure-virtual-host-name`, else `spring.application.name`, else `unknown`.
    pub secure_virtual_host_name: String,
    /// `eureka.instance.non-secure-port`: default none, `server.port`.
    pub non_secure_port: Option<u16>,
    /// `eureka.instance.non-secure-port-enabled`: default true.
    pub non_secure_port_enabled: bool,
    /// `eureka.instance.secure-port`: default none, 443, or `server.port` when it is enabled.
    pub secure_port: Option<u16>,
    /// `eureka.instance.secure-port-enabled`: default false.
    pub secure_port_enabled: bool,
    /// `eureka.instance.lease-renewal-interval-in-seconds`: default 30 s, at least 1 s.
    pub lease_renewal_interval: Duration,
    /// `eureka.instance.lease-expiration-duration-in-seconds`: default 90 s, at least 1 s.
    pub lease_duration: Duration,
    /// `eureka.instance.home-page-url`: default none, made of host, port and
    /// [`home_page_url_path`](Self::home_page_url_path).
    pub home_page_url: Option<String>,
    /// `eureka.instance.home-page-url-path`: default `/`.
    pub home_page_url_path: String,
    /// `eureka.instance.status-page-url`: default none, made of host, port and path.
    pub status_page_url: Option<String>,
    /// `eureka.instance.status-page-url-path`: default `/actuator/info`.
    pub status_page_url_path: String,
    /// `eureka.instance.health-check-url`: default none, made of host, port and path.
    pub health_check_url: Option<String>,
    /// `eureka.instance.health-check-url-path`: default `/actuator/health`.
    pub health_check_url_path: String,
    /// `eureka.instance.secure-health-check-url`: default none.
    pub secure_health_check_url: Option<String>,
    /// `eureka.instance.metadata-map.*`: keys in their letter case, in the order of the keys.
    pub metadata: Vec<(String, String)>,
    /// `eureka.client.register-with-eureka`, default false, and
    /// `eureka.client.should-unregister-on-shutdown`, default true.
    pub registration: OwnRegistration,
    /// `eureka.environment`: a label, default `test`.
    pub environment: String,
    /// `eureka.datacenter`: a label, default `default`.
    pub datacenter: String,
}

/// Whether the server is a client of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRegistration {
    /// No. (Java's default is yes, and a lone server shows itself after half a minute.)
    None,
    /// Its record is kept in the registry and leaves at the end.
    UntilShutdown,
    /// Its record is kept in the registry and stays there until its lease ends.
    Left,
}

impl OwnRegistration {
    fn of(register: bool, unregister: bool) -> Self {
        match (register, unregister) {
            (false, _) => Self::None,
            (true, true) => Self::UntilShutdown,
            (true, false) => Self::Left,
        }
    }
}

/// Java's name for an application without one.
const UNKNOWN: &str = "unknown";

impl Default for OwnInstanceSettings {
    fn default() -> Self {
        Self {
            application_name: None,
            app_name: UNKNOWN.to_owned(),
            app_group: None,
            instance_id: None,
            host_name: None,
            ip_address: None,
            prefer_ip_address: false,
            virtual_host_name: UNKNOWN.to_owned(),
            secure_virtual_host_name: UNKNOWN.to_owned(),
            non_secure_port: None,
            non_secure_port_enabled: true,
            secure_port: None,
            secure_port_enabled: false,
            lease_renewal_interval: Duration::from_secs(30),
            lease_duration: Duration::from_secs(90),
            home_page_url: None,
            home_page_url_path: "/".to_owned(),
            status_page_url: None,
            status_page_url_path: "/actuator/info".to_owned(),
            health_check_url: None,
            health_check_url_path: "/actuator/health".to_owned(),
            secure_health_check_url: None,
            metadata: Vec::new(),
            registration: OwnRegistration::None,
            environment: "test".to_owned(),
            datacenter: "default".to_owned(),
        }
    }
}

impl OwnInstanceSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        const APPLICATION: &str = "spring.application.name";
        let default = Self::default();
        let mut text = |names: &[&'static str]| reader.get(names, value::text);
        let named = Self {
            application_name: text(&[APPLICATION]),
            app_name: text(&["eureka.instance.appname", APPLICATION]).unwrap_or(default.app_name),
            app_group: text(&["eureka.instance.app-group-name"]),
            instance_id: text(&["eureka.instance.instance-id"]),
            host_name: text(&["eureka.instance.hostname"]),
            ip_address: text(&["eureka.instance.ip-address"]),
            virtual_host_name: text(&["eureka.instance.virtual-host-name", APPLICATION])
                .unwrap_or(default.virtual_host_name),
            secure_virtual_host_name: text(&["eureka.instance.secure-virtual-host-name", APPLICATION])
                .unwrap_or(default.secure_virtual_host_name),
            home_page_url: text(&["eureka.instance.home-page-url"]),
            home_page_url_path: text(&["eureka.instance.home-page-url-path"]).unwrap_or(default.home_page_url_path),
            status_page_url: text(&["eureka.instance.status-page-url"]),
            status_page_url_path: text(&["eureka.instance.status-page-url-path"])
                .unwrap_or(default.status_page_url_path),
            health_check_url: text(&["eureka.instance.health-check-url"]),
            health_check_url_path: text(&["eureka.instance.health-check-url-path"])
                .unwrap_or(default.health_check_url_path),
            secure_health_check_url: text(&["eureka.instance.secure-health-check-url"]),
            environment: text(&["eureka.environment"]).unwrap_or(default.environment),
            datacenter: text(&["eureka.datacenter"]).unwrap_or(default.datacenter),
            ..Self::default()
        };
        let port = value::whole(1..=65_535);
        let time = value::duration(Unit::Seconds, Duration::from_secs(1));
        let mut flag = |name, or| reader.get(&[name], value::boolean).unwrap_or(or);
        Self {
            prefer_ip_address: flag("eureka.instance.prefer-ip-address", default.prefer_ip_address),
            non_secure_port_enabled: flag("eureka.instance.non-secure-port-enabled", default.non_secure_port_enabled),
            secure_port_enabled: flag("eureka.instance.secure-port-enabled", default.secure_port_enabled),
            registration: OwnRegistration::of(
                flag("eureka.client.register-with-eureka", false),
                flag("eureka.client.should-unregister-on-shutdown", true),
            ),
            non_secure_port: reader.get(&["eureka.instance.non-secure-port"], &port),
            secure_port: reader.get(&["eureka.instance.secure-port"], &port),
            lease_renewal_interval: reader
                .get(&["eureka.instance.lease-renewal-interval-in-seconds"], &time)
                .unwrap_or(default.lease_renewal_interval),
            lease_duration: reader
                .get(&["eureka.instance.lease-expiration-duration-in-seconds"], &time)
                .unwrap_or(default.lease_duration),
            metadata: reader.members("eureka.instance.metadata-map", value::text),
            ..named
        }
    }
}
