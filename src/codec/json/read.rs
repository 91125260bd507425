//! An instance, read: `{"instance":{…}}`.
//!
//! What is missing or null has Java's defaults. Whether the rest is enough to be registered is
//! for [`Registration::accept`] to say.

use super::data_center::{data_center, metadata};
use super::member::{Under as _, quoted, switch, text, whole, wrong};
use super::tree::Tree;
use super::{id_from_metadata, tree};
use crate::codec::wanted::{INSTANCE, Wanted};
use crate::codec::{Limits, ReadError, lengths};
use crate::model::{ActionType, AppName, InstanceStatus, LeaseRequest, Port, Registration, Text};

static BODY: Wanted = Wanted { member: |name| (name == "instance").then_some(&INSTANCE), items: None, gaps: false };

/// Reads the body of a registration.
pub fn read_instance(body: &[u8], limits: &Limits) -> Result<Registration, ReadError> {
    tree::read(body, limits, &BODY, |tree| match tree.get("instance") {
        Some(instance) => self::instance(instance, limits).under("instance"),
        None => Err(wrong(r#"must be {"instance": {…}}"#)).under("body"),
    })
}

/// Reads an instance without its wrapper, as it stands in a batch.
pub(super) fn instance(value: &Tree<'_>, limits: &Limits) -> Result<Registration, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong("must be an object"));
    };
    let Some(app) = members.get("app").map_or(Ok(None), text).under("app")? else {
        return Err(wrong("missing; it must be the application's name")).under("app");
    };
    let mut registration = Registration::new(&app);
    let mut members = members.iter().filter(|(_, value)| **value != Tree::Null).peekable();
    while let Some((key, value)) = members.next() {
        // Java's reader takes a bare value here for the beginning of an object, and so the members
        // of the next object for the lease's. That goes well if it is the very next member.
        let misread = key == "leaseInfo" && !matches!(value, Tree::Object(_) | Tree::List(_));
        if misread && members.next_if(|(_, next)| matches!(next, Tree::Object(_))).is_some() {
            continue;
        }
        member(&mut registration, key, value, limits).under(key)?;
    }
    if registration.instance_id.is_none() {
        let host_name = registration.host_name.as_deref().unwrap_or_default();
        registration.instance_id = id_from_metadata(&registration.metadata, host_name).map(Text::from);
    }
    lengths::check(&registration, limits)?;
    Ok(registration)
}

fn member(into: &mut Registration, key: &str, value: &Tree<'_>, limits: &Limits) -> Result<(), ReadError> {
    match key {
        "instanceId" => into.instance_id = filled(value)?,
        "hostName" => into.host_name = filled(value)?,
        "ipAddr" => into.ip_addr = filled(value)?,
        "sid" => into.sid = shared(value)?,
        "status" => into.status = status(value)?,
        "overriddenStatus" | "overriddenstatus" => into.overridden_status = status(value)?,
        "port" => into.port = port(value, Port::DEFAULT)?,
        "securePort" => into.secure_port = port(value, Port::DEFAULT_SECURE)?,
        "countryId" => into.country_id = whole(value)?.unwrap_or(0),
        "dataCenterInfo" => into.data_center = data_center(value, limits)?,
        "leaseInfo" => into.lease = lease(value)?,
        "metadata" => into.metadata = metadata(value, |key| key != "@class", limits)?,
        "appGroupName" => into.app_group_name = text(value)?.map(|name| AppName::upper(&name).into()),
        "homePageUrl" => into.home_page_url = shared(value)?,
        "statusPageUrl" => into.status_page_url = shared(value)?,
        "healthCheckUrl" => into.health_check_url = shared(value)?,
        "secureHealthCheckUrl" => into.secure_health_check_url = shared(value)?,
        "vipAddress" => into.vip_address = shared(value)?,
        "secureVipAddress" => into.secure_vip_address = shared(value)?,
        "lastUpdatedTimestamp" => into.last_updated = Some(whole(value)?.unwrap_or(0)),
        "lastDirtyTimestamp" => into.last_dirty = Some(whole(value)?.unwrap_or(0)),
        "actionType" => into.action = text(value)?.and_then(|name| ActionType::from_name(&name)),
        "asgName" => into.asg_name = shared(value)?,
        _ => {}
    }
    Ok(())
}

fn shared(value: &Tree<'_>) -> Result<Option<Text>, ReadError> {
    Ok(text(value)?.map(|text| (&*text).into()))
}

fn filled(value: &Tree<'_>) -> Result<Option<Text>, ReadError> {
    Ok(shared(value)?.filter(|text| !text.is_empty()))
}

fn status(value: &Tree<'_>) -> Result<InstanceStatus, ReadError> {
    let known = text(value)?.and_then(|name| InstanceStatus::from_name(&name));
    Ok(known.unwrap_or(InstanceStatus::Unknown))
}

fn port(value: &Tree<'_>, default: Port) -> Result<Port, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong(r#"must be an object such as {"$": 8080, "@enabled": "true"}"#));
    };
    let mut port = default;
    for (name, value) in members.iter() {
        match name {
            "$" => port.number = port_number(value).under(name)?,
            "@enabled" => port.enabled = switch(value).under(name)?,
            _ => {}
        }
    }
    Ok(port)
}

/// Java takes 0 for a text that is no number, and so hides a mistake from whoever made it.
fn port_number(value: &Tree<'_>) -> Result<i32, ReadError> {
    match value {
        Tree::Null => Ok(0),
        Tree::Text(text) => whole(value)?.ok_or_else(|| wrong(format!("{} is no port number", quoted(text)))),
        Tree::Bool(_) => Err(wrong("must be a port number")),
        _ => Ok(whole(value)?.unwrap_or(0)),
    }
}

/// The times that it holds are the sender's and never read.
fn lease(value: &Tree<'_>) -> Result<LeaseRequest, ReadError> {
    let Tree::Object(members) = value else {
        return Err(wrong(r#"must be an object such as {"renewalIntervalInSecs": 30, "durationInSecs": 90}"#));
    };
    let seconds = |key| members.get(key).map_or(Ok(None), whole).map(Option::unwrap_or_default).under(key);
    Ok(LeaseRequest::new(seconds("renewalIntervalInSecs")?, seconds("durationInSecs")?))
}

#[cfg(test)]
mod tests;
