//! A registration as it came in, before it is known to be whole.

use super::{
    ActionType, AppName, DataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, Metadata, Port, Text,
    WallMillis,
};

/// What a body said about an instance: what may be missing is an `Option`, the rest has Java's
/// defaults already. [`Registration::accept`] makes an [`Instance`] of it or says what is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Absent when it was missing, null or empty (Java keeps an empty one and shows it).
    pub instance_id: Option<Text>,
    /// Upper case; empty when the body had an empty name.
    pub app: AppName,
    /// Absent when it was missing, null or empty.
    pub host_name: Option<Text>,
    /// Absent when it was missing, null or empty.
    pub ip_addr: Option<Text>,
    /// See [`Instance::sid`].
    pub sid: Option<Text>,
    /// UP when it was missing, UNKNOWN when it was no known word.
    pub status: InstanceStatus,
    /// UNKNOWN when it was missing.
    pub overridden_status: InstanceStatus,
    /// See [`Port::DEFAULT`].
    pub port: Port,
    /// See [`Port::DEFAULT_SECURE`].
    pub secure_port: Port,
    /// 1 when it was missing.
    pub country_id: i32,
    /// Its three states differ in what the refusal says.
    pub data_center: GivenDataCenter,
    /// See [`LeaseRequest::DEFAULT`].
    pub lease: LeaseRequest,
    /// Empty when it was missing.
    pub metadata: Metadata,
    /// See [`Instance::app_group_name`].
    pub app_group_name: Option<Text>,
    /// See [`Instance::home_page_url`].
    pub home_page_url: Option<Text>,
    /// See [`Instance::status_page_url`].
    pub status_page_url: Option<Text>,
    /// See [`Instance::health_check_url`].
    pub health_check_url: Option<Text>,
    /// See [`Instance::secure_health_check_url`].
    pub secure_health_check_url: Option<Text>,
    /// See [`Instance::vip_address`].
    pub vip_address: Option<Text>,
    /// See [`Instance::secure_vip_address`].
    pub secure_vip_address: Option<Text>,
    /// Absent when it was missing; the time of the request is taken then.
    pub last_updated: Option<WallMillis>,
    /// Absent when it was missing; the time of the request is taken then.
    pub last_dirty: Option<WallMillis>,
    /// See [`Instance::action`]; the registry sets its own.
    pub action: Option<ActionType>,
    /// See [`Instance::asg_name`].
    pub asg_name: Option<Text>,
}

/// How much of a data centre a body named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenDataCenter {
    /// No `dataCenterInfo`, or null.
    Missing,
    /// One without a name.
    Nameless,
    /// A whole one.
    Given(DataCenter),
}

/// Why a readable registration is refused (`ApplicationResource.addInstance`); the texts are Java's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Neither an id nor anything that could stand for one.
    #[error("Missing instanceId")]
    InstanceId,
    /// No `hostName`.
    #[error("Missing hostname")]
    HostName,
    /// No `ipAddr`.
    #[error("Missing ip address")]
    IpAddr,
    /// An empty `app`.
    #[error("Missing appName")]
    AppName,
    /// Posted under another application's path.
    #[error("Mismatched appName, expecting {expected} but was {found}")]
    OtherApp {
        /// The path's name.
        expected: AppName,
        /// The body's name.
        found: AppName,
    },
    /// No `dataCenterInfo`.
    #[error("Missing dataCenterInfo")]
    DataCenter,
    /// A `dataCenterInfo` without a name.
    #[error("Missing dataCenterInfo Name")]
    DataCenterName,
}

impl Registration {
    /// A registration with nothing but a name and Java's defaults.
    pub fn new(app: &str) -> Self {
        Self {
            instance_id: None,
            app: AppName::new(app),
            host_name: None,
            ip_addr: None,
            sid: None,
            status: InstanceStatus::Up,
            overridden_status: InstanceStatus::Unknown,
            port: Port::DEFAULT,
            secure_port: Port::DEFAULT_SECURE,
            country_id: 1,
            data_center: GivenDataCenter::Missing,
            lease: LeaseRequest::DEFAULT,
            metadata: Metadata::default(),
            app_group_name: None,
            home_page_url: None,
            status_page_url: None,
            health_check_url: None,
            secure_health_check_url: None,
            vip_address: None,
            secure_vip_address: None,
            last_updated: None,
            last_dirty: None,
            action: None,
            asg_name: None,
        }
    }

    /// The same for one that comes by itself, not under the path of an application.
    pub fn accept_alone(self, now: WallMillis) -> Result<Instance, Refusal> {
        let app = self.app.clone();
        self.accept(&app, now)
    }

    /// Whether it is of the same instance of the same application.
    pub fn is_of(&self, instance: &Instance) -> bool {
        self.app == instance.app && self.id() == Some(instance.id.as_str())
    }

    /// Its own id, or what stands for one (`InstanceInfo.getId`).
    fn id(&self) -> Option<&str> {
        let machine = || match &self.data_center {
            GivenDataCenter::Given(data_center) => data_center.amazon_instance_id(),
            GivenDataCenter::Missing | GivenDataCenter::Nameless => None,
        };
        self.instance_id.as_deref().or_else(machine).or(self.host_name.as_deref())
    }

    /// Makes an instance of it, with the checks in Java's order. An Amazon machine without an
    /// `instance-id` gets the instance's id for one.
    pub fn accept(self, expected: &AppName, now: WallMillis) -> Result<Instance, Refusal> {
        let id = Text::from(self.id().ok_or(Refusal::InstanceId)?);
        let host_name = self.host_name.ok_or(Refusal::HostName)?;
        let ip_addr = self.ip_addr.ok_or(Refusal::IpAddr)?;
        if self.app.as_str().is_empty() {
            return Err(Refusal::AppName);
        }
        if self.app != *expected {
            return Err(Refusal::OtherApp { expected: expected.clone(), found: self.app });
        }
        let mut data_center = match self.data_center {
            GivenDataCenter::Missing => return Err(Refusal::DataCenter),
            GivenDataCenter::Nameless => return Err(Refusal::DataCenterName),
            GivenDataCenter::Given(data_center) => data_center,
        };
        if let DataCenter::Amazon(metadata) = &mut data_center
            && metadata.get("instance-id").is_none_or(str::is_empty)
        {
            *metadata = metadata.with([("instance-id".into(), id.clone())]);
        }
        Ok(Instance {
            id: InstanceId::new(id),
            instance_id: self.instance_id,
            app: self.app,
            host_name,
            ip_addr,
            sid: self.sid,
            status: self.status,
            overridden_status: self.overridden_status,
            port: self.port,
            secure_port: self.secure_port,
            country_id: self.country_id,
            data_center,
            lease: self.lease,
            metadata: self.metadata,
            app_group_name: self.app_group_name,
            home_page_url: self.home_page_url,
            status_page_url: self.status_page_url,
            health_check_url: self.health_check_url,
            secure_health_check_url: self.secure_health_check_url,
            vip_address: self.vip_address,
            secure_vip_address: self.secure_vip_address,
            is_coordinating_discovery_server: false,
            last_updated: self.last_updated.unwrap_or(now),
            last_dirty: self.last_dirty.unwrap_or(now),
            action: self.action,
            asg_name: self.asg_name,
        })
    }
}
