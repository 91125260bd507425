#![allow(clippy::unwrap_used, reason = "a test may panic")]

use super::super::read_instance;
use super::*;
use crate::codec::json::write_instance;
use crate::model::{AppName, LeaseTimes, Registration};

fn read(given: &str) -> Result<Registration, String> {
    let body = format!(
        r#"{{"instance":{{"instanceId":"i","hostName":"h","ipAddr":"10.0.0.1","dataCenterInfo":{given},"app":"a",
            "lastUpdatedTimestamp":1,"lastDirtyTimestamp":1}}}}"#
    );
    read_instance(body.as_bytes(), &Limits::default()).map_err(|error| error.to_string())
}

fn given(given: &str) -> GivenDataCenter {
    read(given).unwrap().data_center
}

fn own(name: NonAmazon) -> GivenDataCenter {
    GivenDataCenter::Given(DataCenter::Own(name))
}

fn amazon(entries: &[(&str, &str)]) -> GivenDataCenter {
    GivenDataCenter::Given(DataCenter::Amazon(Metadata::new(entries.iter().copied())))
}

#[test]
fn case_004_a_data_center_without_a_name_is_refused_when_accepted() {
    let refused = |given| read(given).unwrap().accept(&AppName::new("A"), 0).unwrap_err().to_string();
    assert_eq!(refused("null"), "Missing dataCenterInfo");
    for nameless in ["{}", r#"{"name":null}"#, r#"{"@class":"com.netflix.appinfo.MyDataCenterInfo"}"#] {
        assert_eq!(refused(nameless), "Missing dataCenterInfo Name");
    }
    assert!(read("5").unwrap_err().starts_with("cannot read instance.dataCenterInfo: must be"));
    assert!(read("[]").is_err());
}

#[test]
fn case_007_no_order_of_members_matters() {
    let members = [
        r#""@class":"com.netflix.appinfo.AmazonInfo""#,
        r#""metadata":{"instance-type":"t9.test","instance-id":"i-7"}"#,
        r#""name":"Amazon""#,
    ];
    let written = |order: [usize; 3]| {
        let registration = read(&format!("{{{}}}", order.map(|at| members[at]).join(","))).unwrap();
        write_instance(&registration.accept(&AppName::new("A"), 0).unwrap(), LeaseTimes::default())
    };
    let first = written([0, 1, 2]);
    assert!(String::from_utf8_lossy(&first).contains(
        r#"{"@class":"com.netflix.appinfo.AmazonInfo","name":"Amazon","metadata":{"instance-id":"i-7","instance-type":"t9.test"}}"#
    ));
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        assert_eq!(written(order), first, "{order:?}");
    }
}

#[test]
fn case_008_the_name_decides_whatever_the_class() {
    let class = |class: &str, name: &str| given(&format!(r#"{{"@class":{class},"name":"{name}"}}"#));
    for any in [
        "null",
        r#""""#,
        r#""com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo""#,
        r#""com.netflix.appinfo.MyDataCenterInfo""#,
        r#""com.netflix.appinfo.DataCenterInfo""#,
        r#""com.example.X""#,
    ] {
        assert_eq!(class(any, "MyOwn"), own(NonAmazon::MyOwn), "{any}");
        assert_eq!(class(any, "Netflix"), own(NonAmazon::Netflix), "{any}");
        assert_eq!(class(any, "Amazon"), amazon(&[]), "{any}");
    }
    assert_eq!(given(r#"{"name":"MyOwn"}"#), own(NonAmazon::MyOwn));
    assert_eq!(given(r#"{"name":"MyOwn","metadata":[{}]}"#), own(NonAmazon::MyOwn));
    assert_eq!(given(r#"{"name":2}"#), own(NonAmazon::MyOwn));
    assert_eq!(
        read(r#"{"name":"myown"}"#).unwrap_err(),
        "cannot read instance.dataCenterInfo.name: \"myown\" is none of MyOwn, Amazon, Netflix"
    );
}

#[test]
fn the_class_of_amazon_needs_no_name() {
    let class = "com.netflix.appinfo.AmazonInfo";
    for name in ["", r#","name":"MyOwn""#, r#","name":null"#, r#","name":{}"#] {
        assert_eq!(given(&format!(r#"{{"@class":"{class}"{name}}}"#)), amazon(&[]));
    }
    assert_eq!(given(&format!(r#"{{"@class":"{class}","metadata":null}}"#)), amazon(&[]));
}

#[test]
fn the_metadata_of_amazon_becomes_texts_and_keeps_its_class() {
    let read_entries =
        given(r#"{"name":"Amazon","metadata":{"@class":"x","instance-id":"i-1","mac":5,"vpc-id":null}}"#);
    assert_eq!(read_entries, amazon(&[("@class", "x"), ("instance-id", "i-1"), ("mac", "5"), ("vpc-id", "null")]));
    assert_eq!(
        read(r#"{"name":"Amazon","metadata":{"mac":{}}}"#).unwrap_err(),
        "cannot read instance.dataCenterInfo.metadata.mac: must be a text, not a list or an object"
    );
}
