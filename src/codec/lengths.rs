//! How long the fields of an instance may be.
//!
//! Names stand in paths, in log lines and in every list, and each name of a VIP list has an index entry
//! of its own. Java has no limit.

use super::limits::{Limits, ReadError, Under as _, over, wrong};
use crate::model::{GivenDataCenter, Instance, Registration, Text};

/// Whether a registration keeps to the limits; the place in an error is the member's name.
pub(super) fn check(registration: &Registration, limits: &Limits) -> Result<(), ReadError> {
    let host_name = registration.host_name.as_deref();
    let (id, name) = match (&registration.instance_id, &registration.data_center) {
        (Some(id), _) => (Some(&**id), "instanceId"),
        (None, GivenDataCenter::Given(data_center)) if data_center.amazon_instance_id().is_some() => {
            (data_center.amazon_instance_id(), "dataCenterInfo.metadata.instance-id")
        }
        (None, _) => (host_name, "hostName"),
    };
    key(registration.app.as_str(), limits).under("app")?;
    key(id.unwrap_or_default(), limits).under(name)?;
    length(host_name.unwrap_or_default(), limits.name_length, NAME).under("hostName")?;
    for (name, text) in [
        ("ipAddr", &registration.ip_addr),
        ("sid", &registration.sid),
        ("appGroupName", &registration.app_group_name),
        ("homePageUrl", &registration.home_page_url),
        ("statusPageUrl", &registration.status_page_url),
        ("healthCheckUrl", &registration.health_check_url),
        ("secureHealthCheckUrl", &registration.secure_health_check_url),
        ("vipAddress", &registration.vip_address),
        ("secureVipAddress", &registration.secure_vip_address),
        ("asgName", &registration.asg_name),
    ] {
        length(text.as_deref().unwrap_or_default(), limits.text_length, "text-length").under(name)?;
    }
    vips(registration.vip_address.as_ref(), limits).under("vipAddress")?;
    vips(registration.secure_vip_address.as_ref(), limits).under("secureVipAddress")
}

/// Whether a text may be the name of an application or the id of an instance.
pub(super) fn key(key: &str, limits: &Limits) -> Result<(), ReadError> {
    length(key, limits.name_length, NAME)?;
    if key.contains('\0') {
        return Err(wrong("must not hold the character U+0000, which no path can hold"));
    }
    Ok(())
}

const NAME: &str = "name-length";

fn vips(list: Option<&Text>, limits: &Limits) -> Result<(), ReadError> {
    if Instance::vips(list).count() > limits.vip_names {
        return Err(over(format!("at most {} names (eurekad.limits.vip-names)", limits.vip_names)));
    }
    Instance::vips(list).try_for_each(|name| length(name, limits.name_length, NAME))
}

fn length(text: &str, most: usize, setting: &str) -> Result<(), ReadError> {
    if text.len() > most {
        return Err(over(format!("at most {most} bytes (eurekad.limits.{setting})")));
    }
    Ok(())
}
