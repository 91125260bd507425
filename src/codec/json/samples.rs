//! Instances that the recorded documents show.

use crate::model::{
    ActionType, AppName, DataCenter, Instance, InstanceId, InstanceStatus, LeaseRequest, LeaseTimes, Metadata,
    NonAmazon, Port,
};

/// An instance with everything that most clients send.
pub(super) fn kiln_3() -> Instance {
    Instance {
        id: InstanceId::new("kiln-3.example:pottery:9321"),
        instance_id: Some("kiln-3.example:pottery:9321".into()),
        host_name: "kiln-3.example".into(),
        ip_addr: "10.20.30.3".into(),
        port: Port { number: 9321, enabled: true },
        secure_port: Port { number: 443, enabled: false },
        metadata: Metadata::new([("owner", "Zoë 🏺"), ("glaze_type", "a<b & \"c\"")]),
        app_group_name: Some("CRAFT".into()),
        home_page_url: Some("http://kiln-3.example:9321/".into()),
        status_page_url: Some("http://kiln-3.example:9321/actuator/info".into()),
        health_check_url: Some("http://kiln-3.example:9321/actuator/health".into()),
        secure_health_check_url: Some("".into()),
        vip_address: Some("pottery".into()),
        secure_vip_address: Some("pottery".into()),
        last_updated: 1_760_000_001_000,
        last_dirty: 1_760_000_000_400,
        ..kiln_4()
    }
}

pub(super) const KILN_3_TIMES: LeaseTimes = LeaseTimes {
    registration: 1_760_000_001_000,
    last_renewal: 1_760_000_031_000,
    eviction: 0,
    service_up: 1_760_000_000_500,
};

/// An instance with nothing but what it must have.
pub(super) fn kiln_4() -> Instance {
    Instance {
        id: InstanceId::new("kiln-4.example"),
        instance_id: None,
        app: AppName::new("pottery"),
        host_name: "kiln-4.example".into(),
        ip_addr: "10.20.30.4".into(),
        sid: None,
        status: InstanceStatus::Up,
        overridden_status: InstanceStatus::Unknown,
        port: Port::DEFAULT,
        secure_port: Port::DEFAULT_SECURE,
        country_id: 1,
        data_center: DataCenter::Own(NonAmazon::MyOwn),
        lease: LeaseRequest::DEFAULT,
        metadata: Metadata::default(),
        app_group_name: None,
        home_page_url: None,
        status_page_url: None,
        health_check_url: None,
        secure_health_check_url: None,
        vip_address: None,
        secure_vip_address: None,
        is_coordinating_discovery_server: false,
        last_updated: 1_760_000_003_000,
        last_dirty: 1_760_000_003_000,
        action: Some(ActionType::Added),
        asg_name: None,
    }
}

pub(super) const KILN_4_TIMES: LeaseTimes = LeaseTimes {
    registration: 1_760_000_003_000,
    last_renewal: 1_760_000_003_000,
    eviction: 0,
    service_up: 1_760_000_003_000,
};

/// An instance on a machine of Amazon's, taken out of traffic.
pub(super) fn loom() -> Instance {
    Instance {
        id: InstanceId::new("i-0fe1c0ffee"),
        instance_id: Some("i-0fe1c0ffee".into()),
        app: AppName::new("weaving"),
        host_name: "ec2-203-0-113-9.example".into(),
        ip_addr: "10.20.30.9".into(),
        status: InstanceStatus::OutOfService,
        overridden_status: InstanceStatus::OutOfService,
        port: Port { number: 7101, enabled: false },
        secure_port: Port { number: 7443, enabled: true },
        data_center: DataCenter::Amazon(Metadata::new([
            ("ami-id", "ami-5150"),
            ("accountId", "123123123123"),
            ("availability-zone", "xx-north-1a"),
            ("instance-id", "i-0fe1c0ffee"),
            ("local-ipv4", "10.20.30.9"),
            ("public-hostname", "ec2-203-0-113-9.example"),
            ("public-ipv4", "203.0.113.9"),
        ])),
        lease: LeaseRequest::new(15, 45),
        vip_address: Some("weaving.vip:7101".into()),
        last_updated: 1_760_000_020_000,
        last_dirty: 1_760_000_002_000,
        action: Some(ActionType::Modified),
        asg_name: Some("weaving-v12".into()),
        ..kiln_4()
    }
}

pub(super) const LOOM_TIMES: LeaseTimes =
    LeaseTimes { registration: 1_760_000_002_000, last_renewal: 1_760_000_017_000, eviction: 0, service_up: 0 };
