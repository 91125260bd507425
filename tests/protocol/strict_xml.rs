//! XML as the strictest readers among the clients demand it.
//!
//! py-eureka-client raises unless both ports have their `enabled` and the data centre its `class`;
//! Prometheus and go-eureka-client decode numbers and truth values into typed fields; fargo reads
//! the version as an integer.

use super::xml_form::Element;

const STATUSES: [&str; 5] = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];

/// Elements that hold a whole number.
const WHOLE_NUMBERS: [&str; 9] = [
    "port",
    "securePort",
    "countryId",
    "lastUpdatedTimestamp",
    "lastDirtyTimestamp",
    "leaseInfo/renewalIntervalInSecs",
    "leaseInfo/durationInSecs",
    "leaseInfo/registrationTimestamp",
    "leaseInfo/lastRenewalTimestamp",
];

/// What a strict reader objects to in `<applications>`, in words.
pub(crate) fn applications(root: &Element) -> Vec<String> {
    let mut objections = named(root, "applications");
    let version = root.child("versions__delta").map(|version| version.text.parse::<i64>());
    if !matches!(version, Some(Ok(_))) {
        objections.push("versions__delta is no whole number".to_owned());
    }
    if root.child("apps__hashcode").is_none() {
        objections.push("no apps__hashcode".to_owned());
    }
    objections.extend(root.children_named("application").flat_map(application));
    objections
}

/// The same for `<application>`.
pub(crate) fn application(root: &Element) -> Vec<String> {
    let mut objections = named(root, "application");
    if root.child("name").is_none_or(|name| name.text.is_empty()) {
        objections.push("an application without a name".to_owned());
    }
    objections.extend(root.children_named("instance").flat_map(instance));
    objections
}

/// The same for `<instance>`.
pub(crate) fn instance(root: &Element) -> Vec<String> {
    let mut objections = named(root, "instance");
    let mut demand = |what: &str, is_met: bool| {
        if !is_met {
            objections.push(format!("{what} is missing or not as it has to be"));
        }
    };
    for name in ["hostName", "app", "ipAddr"] {
        demand(name, root.child(name).is_some_and(|element| !element.text.is_empty()));
    }
    for name in ["status", "overriddenstatus"] {
        demand(name, root.child(name).is_some_and(|element| STATUSES.contains(&element.text.as_str())));
    }
    for name in ["port", "securePort"] {
        let enabled = root.child(name).and_then(|port| port.attribute("enabled"));
        demand(&format!("{name}/@enabled"), matches!(enabled, Some("true" | "false")));
    }
    for path in WHOLE_NUMBERS {
        let element = path.split('/').try_fold(root, |element, name| element.child(name));
        demand(path, element.is_some_and(|element| element.text.parse::<i64>().is_ok()));
    }
    let data_center = root.child("dataCenterInfo");
    demand("dataCenterInfo/@class", data_center.is_some_and(|data_center| data_center.attribute("class").is_some()));
    demand("dataCenterInfo/name", data_center.is_some_and(|data_center| data_center.child("name").is_some()));
    demand("metadata", root.child("metadata").is_some());
    let coordinating = root.child("isCoordinatingDiscoveryServer").map(|element| element.text.as_str());
    demand("isCoordinatingDiscoveryServer", matches!(coordinating, Some("true" | "false")));
    demand("actionType", root.child("actionType").is_some());
    objections
}

fn named(root: &Element, name: &str) -> Vec<String> {
    if root.name == name { Vec::new() } else { vec![format!("<{}> where <{name}> has to be", root.name)] }
}
