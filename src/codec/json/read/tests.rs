#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::super::samples;
use super::*;
use crate::model::{DataCenter, GivenDataCenter, Metadata, NonAmazon};

const SPRING_CLIENT: &str = include_str!("../../../../tests/fixtures/wire/spring-client.json");
const AMAZON: &str = include_str!("../../../../tests/fixtures/wire/amazon.json");
const MINIMAL: &str = include_str!("../../../../tests/fixtures/wire/minimal.json");

fn read(body: &str) -> Result<Registration, String> {
    read_instance(body.as_bytes(), &Limits::default()).map_err(|error| error.to_string())
}

/// Reads an instance with these members besides those it must have.
fn with(members: &str) -> Result<Registration, String> {
    read(&format!(r#"{{"instance":{{"hostName":"h","ipAddr":"10.0.0.1","app":"orders",{members}}}}}"#))
}

fn plain() -> Registration {
    Registration { host_name: Some("h".into()), ip_addr: Some("10.0.0.1".into()), ..Registration::new("orders") }
}

fn metadata_of(members: &str) -> Vec<(String, String)> {
    with(members).unwrap().metadata.iter().map(|(key, value)| (key.into(), value.into())).collect()
}

#[test]
fn what_a_spring_client_sends_is_read() {
    let expected = Registration {
        instance_id: Some("box7:orders:9100".into()),
        host_name: Some("box7".into()),
        ip_addr: Some("10.1.2.3".into()),
        sid: Some("na".into()),
        port: Port { number: 9100, enabled: true },
        secure_port: Port { number: 443, enabled: false },
        data_center: GivenDataCenter::Given(DataCenter::Own(NonAmazon::MyOwn)),
        metadata: Metadata::new([("management.port", "9100")]),
        home_page_url: Some("http://box7:9100/".into()),
        status_page_url: Some("http://box7:9100/actuator/info".into()),
        health_check_url: Some("http://box7:9100/actuator/health".into()),
        vip_address: Some("orders".into()),
        secure_vip_address: Some("orders".into()),
        last_updated: Some(1_700_000_000_100),
        last_dirty: Some(1_700_000_000_000),
        ..Registration::new("orders")
    };
    assert_eq!(read(SPRING_CLIENT), Ok(expected));
}

#[test]
fn what_a_java_server_writes_is_read() {
    assert_eq!(read(AMAZON).unwrap().accept(&AppName::new("weaving"), 0), Ok(samples::loom()));
    assert_eq!(read(MINIMAL).unwrap().accept(&AppName::new("pottery"), 0), Ok(samples::kiln_4()));
}

#[test]
fn the_root_must_be_an_instance() {
    for body in ["[]", "7", "{}", r#"{"Instance":{"app":"a"}}"#, r#"{"app":"a"}"#, r#"{"instance":null}"#] {
        assert_eq!(read(body).unwrap_err(), r#"cannot read body: must be {"instance": {…}}"#, "{body}");
    }
    assert_eq!(read(r#"{"instance":[{}]}"#).unwrap_err(), "cannot read instance: must be an object");
    assert_eq!(read(r#"{"x":[{}],"instance":{"app":"a"},"y":1}"#), Ok(Registration::new("a")));
}

#[test]
fn an_application_must_be_named_and_may_be_named_empty() {
    let missing = "cannot read instance.app: missing; it must be the application's name";
    assert_eq!(read(r#"{"instance":{}}"#).unwrap_err(), missing);
    assert_eq!(read(r#"{"instance":{"app":null}}"#).unwrap_err(), missing);
    assert_eq!(read(r#"{"instance":{"app":""}}"#), Ok(Registration::new("")));
    assert_eq!(read(r#"{"instance":{"app":"straße"}}"#), Ok(Registration::new("STRASSE")));
}

#[test]
fn null_and_unknown_members_of_any_shape_are_as_if_missing() {
    let nulls = "status overriddenStatus port securePort countryId dataCenterInfo leaseInfo metadata sid instanceId \
                 appGroupName homePageUrl vipAddress lastDirtyTimestamp actionType asgName foo";
    let nulls: Vec<_> = nulls.split(' ').map(|name| format!(r#""{name}":null"#)).collect();
    assert_eq!(with(&nulls.join(",")), Ok(plain()));
    let unknown = r#""a":{"b":[1,{"c":null}]},"d":[],"e":{},"isCoordinatingDiscoveryServer":"true",
        "leaseInfo":{"x":{"y":[]},"renewalTimestamp":5},"port":{"enabled":"false","x":{}}"#;
    assert_eq!(with(unknown), Ok(plain()));
}

#[test]
fn texts_may_be_numbers_and_switches() {
    let read = with(r#""hostName":12.50,"vipAddress":true,"sid":1e3,"appGroupName":"grüppe","asgName":"""#).unwrap();
    assert_eq!(read.host_name.as_deref(), Some("12.50"));
    assert_eq!(read.vip_address.as_deref(), Some("true"));
    assert_eq!(read.sid.as_deref(), Some("1e3"));
    assert_eq!(read.app_group_name.as_deref(), Some("GRÜPPE"));
    assert_eq!(read.asg_name.as_deref(), Some(""));
    assert_eq!(
        with(r#""vipAddress":["a"]"#).unwrap_err(),
        "cannot read instance.vipAddress: must be a text, not a list or an object"
    );
}

#[test]
fn an_empty_id_host_or_address_is_an_absent_one() {
    let read = with(r#""instanceId":"","hostName":"","ipAddr":"""#).unwrap();
    assert_eq!((read.instance_id, read.host_name, read.ip_addr), (None, None, None));
}

#[test]
fn an_id_in_the_metadata_stands_in_for_a_missing_one() {
    let id = |members| with(members).unwrap().instance_id;
    assert_eq!(id(r#""metadata":{"instanceId":"abc"}"#).as_deref(), Some("h:abc"));
    assert_eq!(id(r#""metadata":{"instanceId":"h7"},"instanceId":"""#).as_deref(), Some("h7"));
    assert_eq!(id(r#""metadata":{"instanceId":"abc"},"hostName":"""#).as_deref(), Some("abc"));
    assert_eq!(id(r#""metadata":{"instanceId":"abc"},"instanceId":"i""#).as_deref(), Some("i"));
    assert_eq!(id(r#""metadata":{"instanceId":" "}"#), None);
}

#[test]
fn case_009_an_unknown_status_is_unknown() {
    for word in [r#""SLEEPY""#, r#""up""#, r#"" UP""#, r#""""#, "1", "true"] {
        assert_eq!(with(&format!(r#""status":{word}"#)).unwrap().status, InstanceStatus::Unknown, "{word}");
    }
    let both = with(r#""overriddenStatus":"DOWN","overriddenstatus":"OUT_OF_SERVICE","actionType":"added""#).unwrap();
    assert_eq!((both.overridden_status, both.action), (InstanceStatus::OutOfService, None));
    assert!(with(r#""status":{}"#).is_err());
}

#[test]
fn a_port_is_an_object_and_its_parts_have_defaults() {
    for (given, number, enabled) in [
        (r#"{"$":8080}"#, 8080, true),
        (r#"{"@enabled":false,"$":"8080"}"#, 8080, false),
        (r#"{"$":8080.9,"@enabled":"TRUE"}"#, 8080, false),
        (r#"{"$":" +80 ","@enabled":" true "}"#, 80, true),
        (r#"{"$":null,"@enabled":1}"#, 0, true),
        (r#"{"$":-1,"@enabled":0}"#, -1, false),
        (r#"{"$":"1e3","@enabled":null}"#, 1000, false),
        ("{}", 7001, true),
    ] {
        assert_eq!(with(&format!(r#""port":{given}"#)).unwrap().port, Port { number, enabled }, "{given}");
    }
    assert_eq!(with(r#""securePort":{}"#).unwrap().secure_port, Port::DEFAULT_SECURE);
}

#[test]
fn case_009_a_port_that_is_none_is_named() {
    for (given, at, problem) in [
        (r#"{"$":"eighty"}"#, "port.$", "\"eighty\" is no port number"),
        (r#"{"$":""}"#, "port.$", "\"\" is no port number"),
        (r#"{"$":"99999999999"}"#, "port.$", "\"99999999999\" is no port number"),
        (r#"{"$":99999999999}"#, "port.$", "99999999999 is out of range"),
        (r#"{"$":1e999}"#, "port.$", "1e999 is out of range"),
        (r#"{"$":true}"#, "port.$", "must be a port number"),
        (r#"{"$":[1]}"#, "port.$", "must be a number, not a list or an object"),
        (r#"{"@enabled":{}}"#, "port.@enabled", "must be true or false, not a list or an object"),
        ("8080", "port", r#"must be an object such as {"$": 8080, "@enabled": "true"}"#),
        (r#""8080""#, "port", r#"must be an object such as {"$": 8080, "@enabled": "true"}"#),
    ] {
        let expected = format!("cannot read instance.{at}: {problem}");
        assert_eq!(with(&format!(r#""port":{given}"#)).unwrap_err(), expected, "{given}");
    }
}

#[test]
fn numbers_are_cut_off_and_texts_that_are_none_are_nothing() {
    let read = with(r#""lastUpdatedTimestamp":1e3,"lastDirtyTimestamp":"abc","countryId":"7.9""#).unwrap();
    assert_eq!((read.last_updated, read.last_dirty, read.country_id), (Some(1000), Some(0), 7));
    let read = with(r#""lastUpdatedTimestamp":"","lastDirtyTimestamp":true,"countryId":"-inf""#).unwrap();
    assert_eq!((read.last_updated, read.last_dirty, read.country_id), (Some(0), Some(1), 0));
    let read = with(r#""lastUpdatedTimestamp":9223372036854775807,"lastDirtyTimestamp":-0.9"#).unwrap();
    assert_eq!((read.last_updated, read.last_dirty), (Some(i64::MAX), Some(0)));
    assert!(with(r#""lastDirtyTimestamp":9223372036854775808"#).is_err());
    assert!(with(r#""countryId":2147483648"#).is_err());
}

#[test]
fn a_lease_has_defaults_for_what_is_missing_or_nonsense() {
    for (given, renewal, duration) in [
        (r#"{"durationInSecs":"abc","renewalIntervalInSecs":"7"}"#, 7, 90),
        (r#"{"durationInSecs":-1,"renewalIntervalInSecs":0}"#, 30, 90),
        (r#"{"durationInSecs":15.9,"renewalIntervalInSecs":null,"lastRenewalTimestamp":[]}"#, 30, 15),
        ("{}", 30, 90),
    ] {
        let lease = with(&format!(r#""leaseInfo":{given}"#)).unwrap().lease;
        assert_eq!((lease.renewal_interval_secs, lease.duration_secs), (renewal, duration), "{given}");
    }
    assert!(with(r#""leaseInfo":[]"#).is_err());
    assert!(with(r#""leaseInfo":{"durationInSecs":{}}"#).is_err());
}

#[test]
fn a_bare_lease_swallows_the_object_after_it_as_in_java() {
    assert_eq!(with(r#""leaseInfo":5,"metadata":{"a":"b"},"countryId":1"#), Ok(plain()));
    assert!(
        with(r#""leaseInfo":5,"countryId":1,"metadata":{}"#).unwrap_err().starts_with("cannot read instance.lease")
    );
    assert!(with(r#""leaseInfo":"x""#).is_err());
    let port = r#""port":{"$":1}"#;
    let read = with(&format!(r#""leaseInfo":5,"foo":null,"bar":{{"$":2}},"bar":{{}},{port}"#)).unwrap();
    assert_eq!(read.port.number, 1, "an unknown object is one too");
    assert!(with(&format!(r#""leaseInfo":5,"foo":"x",{port}"#)).is_err());
}

#[test]
fn metadata_values_become_texts() {
    let entries = metadata_of(
        r#""metadata":{"@class":"java.util.HashMap","class":"c","n":1.50,"t":true,"z":null,"":"e","f":"","n":2.0E5}"#,
    );
    let mut expected = [("class", "c"), ("n", "2.0E5"), ("t", "true"), ("z", "null"), ("", "e"), ("f", "")]
        .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut entries = entries;
    entries.sort();
    expected.sort();
    assert_eq!(entries, expected);
    assert_eq!(metadata_of(r#""metadata":{"@class":"java.util.Collections$EmptyMap"}"#), []);
}

#[test]
fn nested_metadata_is_refused_by_its_key() {
    let problem = "must be a text, not a list or an object";
    for nested in [r#"{"b":"c"}"#, "{}", r#"["b"]"#, "[]"] {
        let error = with(&format!(r#""metadata":{{"k":"v","a\n":{nested}}}"#)).unwrap_err();
        assert_eq!(error, format!(r"cannot read instance.metadata.a\n: {problem}"));
    }
    for scalar in [r#""x""#, "[]", "5"] {
        let error = with(&format!(r#""metadata":{scalar}"#)).unwrap_err();
        assert_eq!(error, "cannot read instance.metadata: must be an object of texts");
    }
}

#[test]
fn metadata_is_bounded_in_count_and_length() {
    let limits = Limits { metadata_entries: 2, metadata_length: 4, ..Limits::default() };
    let read = |members: &str| {
        let body = format!(r#"{{"instance":{{"app":"a",{members}}}}}"#);
        read_instance(body.as_bytes(), &limits).map_err(|error| error.to_string())
    };
    assert!(read(r#""metadata":{"a":"1234","@class":"far too long","ééé":1}"#).is_err());
    assert!(read(r#""metadata":{"a":"1234","@class":"far too long","éé":1}"#).is_ok());
    assert_eq!(
        read(r#""metadata":{"a":"1","b":"2","c":"3"}"#).unwrap_err(),
        "instance.metadata is over the limit: at most 2 entries (eurekad.limits.metadata-entries)"
    );
    assert_eq!(
        read(r#""dataCenterInfo":{"name":"Amazon","metadata":{"a":"12345"}}"#).unwrap_err(),
        "instance.dataCenterInfo.metadata.a is over the limit: at most 4 bytes in a key or value \
         (eurekad.limits.metadata-length)"
    );
}
