//! JSON as the strictest readers among the clients demand it.
//!
//! Spring Cloud's reader fails on any key that it does not know, on a single object in place of a
//! list and on an unknown status; fargo and xuanbo insist on strings here and numbers there; APISIX
//! needs both ports. What all of them read is exactly the form that a Java server writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

const STATUSES: [&str; 5] = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];
const AMAZON: &str = "com.netflix.appinfo.AmazonInfo";
const DEFAULT: &str = "com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo";

/// Members of an instance in Java's order; `?` marks those that may be missing, `#` numbers.
const FULL: &str = "instanceId? hostName app ipAddr sid? status overriddenStatus port securePort countryId# \
    dataCenterInfo leaseInfo metadata appGroupName? homePageUrl? statusPageUrl? healthCheckUrl? \
    secureHealthCheckUrl? vipAddress? secureVipAddress? isCoordinatingDiscoveryServer lastUpdatedTimestamp \
    lastDirtyTimestamp actionType asgName?";

/// The same for `X-Eureka-Accept: compact`.
const COMPACT: &str = "instanceId? app ipAddr vipAddress? secureVipAddress? dataCenterInfo hostName status \
    lastUpdatedTimestamp# actionType asgName? port securePort";

const LEASE_INFO: &str = "renewalIntervalInSecs# durationInSecs# registrationTimestamp# lastRenewalTimestamp# \
    evictionTimestamp# serviceUpTimestamp#";

/// What a strict reader objects to, in words.
pub(crate) type Objections = Vec<String>;

/// Reads `{"applications":…}`; `whole` if its hash has to be that of its own instances.
pub(crate) fn applications(document: &Value, compact: bool, whole: bool) -> Objections {
    let mut objections = Vec::new();
    let keys = if compact {
        "application registeredApplicationsEmpty? versions__delta apps__hashcode"
    } else {
        "versions__delta apps__hashcode application"
    };
    let Some(root) = only_member(document, "applications", &mut objections) else { return objections };
    keys_as(root, keys, "applications", &mut objections);
    for name in ["versions__delta", "apps__hashcode"] {
        if !root.get(name).is_some_and(Value::is_string) {
            objections.push(format!("{name} is no string"));
        }
    }
    for application in list(root, "application", &mut objections) {
        one_application(application, compact, &mut objections);
    }
    if whole && root.get("apps__hashcode").and_then(Value::as_str) != Some(&hash_code(document)) {
        objections.push(format!("apps__hashcode is not {}, that of the instances", hash_code(document)));
    }
    objections
}

/// Reads `{"application":…}`.
pub(crate) fn application(document: &Value, compact: bool) -> Objections {
    let mut objections = Vec::new();
    if let Some(application) = document.get("application") {
        one_application(application, compact, &mut objections);
    } else {
        objections.push("no application".to_owned());
    }
    objections
}

/// Reads `{"instance":…}`, which has no compact form.
pub(crate) fn instance(document: &Value) -> Objections {
    let mut objections = Vec::new();
    if let Some(instance) = only_member(document, "instance", &mut objections) {
        one_instance(instance, false, &mut objections);
    }
    objections
}

/// The hash that a client computes over the instances of a registry: `DOWN_1_UP_2_`.
pub(crate) fn hash_code(document: &Value) -> String {
    let applications = document["applications"]["application"].as_array().into_iter().flatten();
    let instances = applications.flat_map(|application| application["instance"].as_array().into_iter().flatten());
    let mut counts = BTreeMap::<&str, usize>::new();
    for instance in instances {
        *counts.entry(instance["status"].as_str().unwrap_or_default()).or_default() += 1;
    }
    counts.into_iter().fold(String::new(), |mut hash, (status, count)| {
        write!(hash, "{status}_{count}_").expect("memory");
        hash
    })
}

fn one_application(application: &Value, compact: bool, objections: &mut Objections) {
    let Some(members) = application.as_object() else {
        objections.push("an application is no object".to_owned());
        return;
    };
    keys_as(members, "name instance", "application", objections);
    let instances = list(members, "instance", objections);
    if instances.is_empty() {
        objections.push("an application without instances".to_owned());
    }
    for instance in instances {
        match instance.as_object() {
            Some(instance) => one_instance(instance, compact, objections),
            None => objections.push("an instance is no object".to_owned()),
        }
    }
}

fn one_instance(instance: &Map<String, Value>, compact: bool, objections: &mut Objections) {
    keys_as(instance, if compact { COMPACT } else { FULL }, "instance", objections);
    for (name, value) in instance {
        let accepted = match name.as_str() {
            "port" | "securePort" => is_port(value),
            "dataCenterInfo" => is_data_center(value),
            "leaseInfo" => {
                value.as_object().inspect(|lease| keys_as(lease, LEASE_INFO, "leaseInfo", objections)).is_some()
            }
            "metadata" => is_map_of_strings(value) && *value != Value::Object(Map::new()),
            "status" | "overriddenStatus" => value.as_str().is_some_and(|status| STATUSES.contains(&status)),
            "actionType" => ["ADDED", "MODIFIED", "DELETED"].iter().any(|action| value == action),
            "isCoordinatingDiscoveryServer" => value == "true" || value == "false",
            "lastDirtyTimestamp" => value.as_str().is_some_and(|time| time.parse::<u64>().is_ok()),
            "app" => value.as_str().is_some_and(|app| app == app.to_uppercase()),
            "countryId" | "lastUpdatedTimestamp" => true,
            _ => value.is_string(),
        };
        if !accepted {
            objections.push(format!("{name} is {value}"));
        }
    }
}

fn is_port(port: &Value) -> bool {
    let keys = port.as_object().map(|members| members.keys().map(String::as_str).collect::<Vec<_>>());
    keys.is_some_and(|keys| keys == ["$", "@enabled"])
        && port["$"].is_number()
        && (port["@enabled"] == "true" || port["@enabled"] == "false")
}

fn is_data_center(data_center: &Value) -> bool {
    let first = data_center.as_object().and_then(|members| members.iter().next());
    let Some(("@class", class)) = first.map(|(name, class)| (name.as_str(), class)) else { return false };
    match data_center.get("metadata") {
        Some(metadata) => class == AMAZON && data_center["name"] == "Amazon" && is_map_of_strings(metadata),
        None => class == DEFAULT && data_center["name"].is_string(),
    }
}

fn is_map_of_strings(map: &Value) -> bool {
    map.as_object().is_some_and(|map| map.values().all(Value::is_string))
}

fn only_member<'d>(document: &'d Value, name: &str, objections: &mut Objections) -> Option<&'d Map<String, Value>> {
    let members = document.as_object().filter(|members| members.len() == 1);
    let member = members.and_then(|members| members.get(name)?.as_object());
    if member.is_none() {
        objections.push(format!("the root is not {name}"));
    }
    member
}

fn list<'d>(members: &'d Map<String, Value>, name: &str, objections: &mut Objections) -> &'d [Value] {
    members.get(name).and_then(Value::as_array).map_or_else(
        || {
            objections.push(format!("{name} is no list"));
            &[][..]
        },
        Vec::as_slice,
    )
}

/// The members are those of the form, in its order, numbers where it says so.
fn keys_as(members: &Map<String, Value>, form: &str, what: &str, objections: &mut Objections) {
    let mut given = members.keys().map(String::as_str).peekable();
    for field in form.split_whitespace() {
        let name = field.trim_end_matches(['?', '#']);
        if given.next_if_eq(&name).is_none() {
            if !field.ends_with('?') {
                objections.push(format!("{what} has no {name} in its place"));
            }
        } else if field.ends_with('#') != members[name].is_number() && !members[name].is_object() {
            objections.push(format!("{what}: {name} is {}", members[name]));
        }
    }
    objections.extend(given.map(|name| format!("{what} has a key {name} that is unknown or out of its place")));
}
