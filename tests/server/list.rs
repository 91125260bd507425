//! What a list of applications shows, read from JSON or XML.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Reply;
use super::xml::Element;

/// A list: everything, a delta, or one VIP's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List {
    pub(crate) hash: String,
    pub(crate) records: Vec<Record>,
}

/// One instance in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) app: String,
    /// What Java's client tells it by: its id, else the machine's, else the host name.
    pub(crate) id: String,
    pub(crate) status: String,
    pub(crate) action: String,
    /// All of it but the time of the last renewal: heartbeats change that one and are no changes.
    pub(crate) content: Value,
}

impl List {
    /// Reads an answer by the type that it names.
    pub(crate) fn of(reply: &Reply) -> Self {
        assert_eq!(reply.status, 200);
        match reply.header("content-type") {
            Some("application/json") => Self::from_json(&reply.json()),
            Some("application/xml") => Self::from_xml(&reply.xml()),
            other => panic!("{other:?}"),
        }
    }

    fn from_json(document: &Value) -> Self {
        let list = &document["applications"];
        let mut records = Vec::new();
        for app in array(&list["application"]) {
            for instance in array(&app["instance"]) {
                let record = Record::from_json(instance);
                assert_eq!(app["name"], record.app);
                records.push(record);
            }
        }
        Self { hash: text(&list["apps__hashcode"]), records }
    }

    fn from_xml(list: &Element) -> Self {
        assert_eq!(list.name, "applications");
        let mut records = Vec::new();
        for app in list.all("application") {
            for instance in app.all("instance") {
                let record = Record::from_xml(instance);
                assert_eq!(app.text_of("name"), Some(record.app.as_str()));
                records.push(record);
            }
        }
        Self { hash: list.text_of("apps__hashcode").expect("a hash code").to_owned(), records }
    }

    /// The record of an instance.
    pub(crate) fn find(&self, app: &str, id: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.app == app && record.id == id)
    }

    /// Application, id and action of each record, in order.
    pub(crate) fn entries(&self) -> Vec<(&str, &str, &str)> {
        self.records.iter().map(|record| (&*record.app, &*record.id, &*record.action)).collect()
    }
}

impl Record {
    pub(crate) fn from_json(instance: &Value) -> Self {
        let mut content = instance.clone();
        if let Some(lease) = content.get_mut("leaseInfo") {
            lease["lastRenewalTimestamp"] = json!(0);
        }
        let id = [&instance["instanceId"], &instance["dataCenterInfo"]["metadata"]["instance-id"]];
        let id = id.into_iter().find_map(Value::as_str).map_or_else(|| text(&instance["hostName"]), str::to_owned);
        let text = |key: &str| text(&instance[key]);
        Self { app: text("app"), id, status: text("status"), action: text("actionType"), content }
    }

    fn from_xml(instance: &Element) -> Self {
        let text = |key: &str| instance.text_of(key).unwrap_or_else(|| panic!("no {key}")).to_owned();
        let machine = || instance.child("dataCenterInfo")?.child("metadata")?.text_of("instance-id");
        let id = instance.text_of("instanceId").or_else(machine).map_or_else(|| text("hostName"), str::to_owned);
        Self { app: text("app"), id, status: text("status"), action: text("actionType"), content: as_json(instance) }
    }
}

/// An element with all that is in it, but for the time of the last renewal.
fn as_json(element: &Element) -> Value {
    let children = element.children.iter().filter(|child| child.name != "lastRenewalTimestamp").map(as_json);
    json!([element.name, element.attributes, element.text, children.collect::<Vec<_>>()])
}

/// A list as it must be with any number of members: an array.
pub(crate) fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}"))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

/// `Applications.getReconcileHashCode`, as a client computes it over what it holds.
pub(crate) fn hash_code<'a>(statuses: impl IntoIterator<Item = &'a str>) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for status in statuses {
        *counts.entry(status).or_default() += 1;
    }
    counts.iter().fold(String::new(), |hash, (status, count)| hash + &format!("{status}_{count}_"))
}
