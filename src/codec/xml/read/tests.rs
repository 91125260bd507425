//! What is read out of a body, and what is said about one that cannot be read.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::model::Refusal;

/// A registration of nothing but an application's name and these members.
fn with(members: &str) -> Result<Registration, ReadError> {
    read_instance(format!("<instance><app>orders</app>{members}</instance>").as_bytes(), &Limits::default())
}

fn read(members: &str) -> Registration {
    with(members).unwrap()
}

fn refusal(members: &str) -> String {
    with(members).unwrap_err().to_string()
}

fn amazon(entries: &[(&str, &str)]) -> GivenDataCenter {
    GivenDataCenter::Given(DataCenter::Amazon(Metadata::new(entries.iter().copied())))
}

#[test]
fn what_is_missing_has_the_defaults_of_java() {
    assert_eq!(read(""), Registration::new("ORDERS"));
    assert_eq!(read("<unknown x='1'><deep><er/></deep></unknown><vipaddress>x</vipaddress>"), read(""));
}

#[test]
fn the_root_is_an_instance() {
    let named = |root: &str| {
        read_instance(
            format!("<{root}><app>a</app></{}>", root.split(' ').next().unwrap()).as_bytes(),
            &Limits::default(),
        )
    };
    for root in ["instance", "com.netflix.appinfo.InstanceInfo", "instance xmlns='urn:x'", "instance class='instance'"]
    {
        assert!(named(root).is_ok(), "{root}");
    }
    for root in ["application", "applications", "Instance", "p:instance", "instance class='java.io.File'"] {
        assert!(named(root).is_err(), "{root}");
    }
    assert_eq!(
        read_instance(b"<replicationList/>", &Limits::default()).unwrap_err().to_string(),
        "cannot parse request body: the root element is \"replicationList\" instead of \"instance\" (line 1, column 1)"
    );
}

#[test]
fn the_application_must_be_named() {
    let error = read_instance(b"<instance><hostName>h</hostName></instance>", &Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read instance.app: it is missing; it is the application's name (line 1, column 1)"
    );
    let empty = read_instance(b"<instance><app/></instance>", &Limits::default()).unwrap();
    assert_eq!(empty.app.as_str(), "", "refused later, with Java's words");
}

#[test]
fn texts_are_taken_as_they_are_and_empty_ones_are_texts() {
    let read = read("<vipAddress> a,b </vipAddress><sid/><asgName></asgName><appGroupName>Group</appGroupName>");
    assert_eq!(read.vip_address.as_deref(), Some(" a,b "));
    assert_eq!((read.sid.as_deref(), read.asg_name.as_deref()), (Some(""), Some("")));
    assert_eq!(read.app_group_name.as_deref(), Some("Group"), "not upper-cased, unlike from JSON");
}

#[test]
fn empty_ids_hosts_and_addresses_are_missing() {
    let read = read("<instanceId/><hostName>h</hostName><hostName></hostName><ipAddr/>");
    assert_eq!((read.instance_id, read.host_name.as_deref(), read.ip_addr), (None, Some("h"), None));
}

#[test]
fn of_several_elements_the_last_counts() {
    let read = read(
        "<app>x</app><app>other</app><overriddenStatus>UP</overriddenStatus><overriddenstatus>DOWN</overriddenstatus>",
    );
    assert_eq!(read.app.as_str(), "OTHER");
    assert_eq!(read.overridden_status, InstanceStatus::Down);
}

#[test]
fn a_status_is_known_in_any_letter_case() {
    for (word, status) in [
        ("out_of_service", InstanceStatus::OutOfService),
        ("Up", InstanceStatus::Up),
        (" UP", InstanceStatus::Unknown),
        ("", InstanceStatus::Unknown),
        ("SLEEPY", InstanceStatus::Unknown),
    ] {
        assert_eq!(read(&format!("<status>{word}</status>")).status, status, "{word}");
    }
}

#[test]
fn ports_are_enabled_each_by_its_own_rule() {
    let ports = |attribute: &str| {
        let read = read(&format!("<port{attribute}>+80</port><securePort{attribute}>-1</securePort>"));
        assert_eq!((read.port.number, read.secure_port.number), (80, -1));
        (read.port.enabled, read.secure_port.enabled)
    };
    assert_eq!(ports(""), (true, false));
    assert_eq!(ports(" enabled='true'"), (true, true));
    assert_eq!(ports(" enabled='false'"), (false, false));
    assert_eq!(ports(" enabled='FALSE'"), (true, false));
}

#[test]
fn case_009_what_is_no_number_is_named() {
    assert_eq!(
        refusal("<port>eighty</port>"),
        "cannot read instance.port: \"eighty\" is not a whole number, or too large a one (line 1, column 28)"
    );
    for text in ["", " 80", "80.5", "99999999999"] {
        assert!(refusal(&format!("<securePort>{text}</securePort>")).contains("instance.securePort"), "{text}");
        assert!(refusal(&format!("<countryId>{text}</countryId>")).contains("instance.countryId"), "{text}");
    }
}

#[test]
fn times_and_actions_that_do_not_parse_are_missing() {
    let read = read(
        "<lastDirtyTimestamp>17</lastDirtyTimestamp><lastDirtyTimestamp>x</lastDirtyTimestamp>\
                     <lastUpdatedTimestamp/><actionType>added</actionType>",
    );
    assert_eq!((read.last_dirty, read.last_updated, read.action), (Some(17), None, None));
}

#[test]
fn a_lease_is_bounded_below_and_its_numbers_are_numbers() {
    let lease = |members: &str| with(&format!("<leaseInfo>{members}</leaseInfo>")).map(|read| read.lease);
    let both = "<renewalIntervalInSecs>5</renewalIntervalInSecs><durationInSecs>15</durationInSecs>";
    assert_eq!(lease(both).unwrap(), LeaseRequest::new(5, 15));
    assert_eq!(lease("<durationInSecs>-3</durationInSecs><renewalIntervalInSecs/>").unwrap(), LeaseRequest::DEFAULT);
    assert_eq!(lease("<durationInSecs>99999999999</durationInSecs>").unwrap().duration_secs, i32::MAX);
    assert_eq!(lease("<evictionTimestamp>never</evictionTimestamp>").unwrap(), LeaseRequest::DEFAULT);
    let error = lease("<durationInSecs>soon</durationInSecs>").unwrap_err().to_string();
    assert!(error.starts_with("cannot read instance.leaseInfo.durationInSecs: \"soon\""), "{error}");
}

#[test]
fn case_007_metadata_of_amazon_may_stand_before_the_name() {
    let expected = amazon(&[("instance-id", "i-1")]);
    let metadata = "<metadata class='x'><instance-id>i-1</instance-id></metadata>";
    let name = "<name>amazon</name>";
    for info in [format!("{name}{metadata}"), format!("{metadata}{name}")] {
        assert_eq!(read(&format!("<dataCenterInfo>{info}</dataCenterInfo>")).data_center, expected);
    }
    assert_eq!(read(&format!("<dataCenterInfo>{name}</dataCenterInfo>")).data_center, amazon(&[]));
}

#[test]
fn case_008_a_data_center_is_judged_by_its_name() {
    let own = GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn));
    for class in ["", " class='com.netflix.appinfo.AmazonInfo'", " class='io.micronaut.Dc'"] {
        let info = format!("<dataCenterInfo{class}><name>MyOwn</name><metadata><a>b</a></metadata></dataCenterInfo>");
        assert_eq!(read(&info).data_center, own, "{class}");
    }
    let class = "class='com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo'";
    let read_named = |name: &str| with(&format!("<dataCenterInfo {class}><name>{name}</name></dataCenterInfo>"));
    assert_eq!(read_named("Amazon").unwrap().data_center, amazon(&[]));
    assert_eq!(read_named("Netflix").unwrap().data_center, GivenDataCenter::Given(DataCenter::Own(NonAmazon::Netflix)));
    for name in ["", "myown", "Other"] {
        assert!(read_named(name).unwrap_err().to_string().contains("instance.dataCenterInfo.name"), "{name}");
    }
    let nameless =
        "<dataCenterInfo class='com.netflix.appinfo.AmazonInfo'><metadata><a>b</a></metadata></dataCenterInfo>";
    assert_eq!(read(nameless).data_center, amazon(&[("a", "b")]));
}

#[test]
fn case_004_no_data_center_is_told_from_an_odd_one() {
    for members in ["", "<dataCenterInfo/>", "<dataCenterInfo class='x'><metadata/></dataCenterInfo>"] {
        let mut read = read(&format!("<hostName>h</hostName><ipAddr>1</ipAddr>{members}"));
        assert_eq!(read.data_center, GivenDataCenter::Missing);
        let app = read.app.clone();
        read.action = None;
        assert_eq!(read.accept(&app, 0), Err(Refusal::DataCenter));
    }
}

#[test]
fn case_012_names_are_upper_cased_in_no_language() {
    let named = read_instance("<instance><app>billing-straße</app></instance>".as_bytes(), &Limits::default());
    assert_eq!(named.unwrap().app.as_str(), "BILLING-STRASSE");
}

#[test]
fn case_013_doubled_underscores_are_folded() {
    let read = read(
        "<metadata class='x' y='z'><build__no>7</build__no><a_-b/><class>c</class><x_.0020y>v</x_.0020y></metadata>",
    );
    assert_eq!(read.metadata, Metadata::new([("build_no", "7"), ("a$b", ""), ("class", "c"), ("x y", "v")]));
}

#[test]
fn metadata_is_bounded_by_settings_that_the_error_names() {
    let limits = Limits { metadata_entries: 2, metadata_length: 3, ..Limits::default() };
    let read = |entries: &str| {
        let body = format!("<instance><app>a</app><metadata>{entries}</metadata></instance>");
        read_instance(body.as_bytes(), &limits).map_err(|error| error.to_string())
    };
    assert_eq!(read("<abc>123</abc><b/>").unwrap().metadata.len(), 2);
    let many = read("<a/><b/><c/>").unwrap_err();
    assert!(many.starts_with("instance.metadata is over the limit: 3 entries where 2 may be"), "{many}");
    assert!(many.ends_with("eurekad.limits.metadata-entries allows more"), "{many}");
    for entry in ["<k>1234</k>", "<k>ééé</k>"] {
        let long = read(entry).unwrap_err();
        assert!(long.starts_with("instance.metadata.k is over the limit: a key or value of"), "{long}");
        assert!(long.ends_with("eurekad.limits.metadata-length allows more"), "{long}");
    }
    assert!(read("<abcd/>").is_err());
    let machine = "<instance><app>a</app><dataCenterInfo><name>Amazon</name><metadata><a/><b/><c/></metadata></dataCenterInfo></instance>";
    let error = read_instance(machine.as_bytes(), &limits).unwrap_err().to_string();
    assert!(error.starts_with("instance.dataCenterInfo.metadata is over the limit"), "{error}");
}
