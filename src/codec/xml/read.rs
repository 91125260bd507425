//! A registration out of a tree of elements (`Converters.InstanceInfoConverter` and its like).
//!
//! As lenient as Java, and more so where its strictness is an accident: the class of a data centre
//! may be missing, its metadata may stand before its name, and a lease that cannot be read is an
//! error instead of the silent loss of all that follows it.

use std::str::FromStr;

use super::source::{Source, quoted, shortened, text_of};
use super::tree::{self, Element};
use crate::codec::limits::Under as _;
use crate::codec::wanted::INSTANCE;
use crate::codec::{Limits, ReadError, lengths};
use crate::model::{
    ActionType, DataCenter, GivenDataCenter, InstanceStatus, LeaseRequest, Metadata, NonAmazon, Port, Registration,
    Text,
};

/// The class of an instance, which `XStream` takes for the name of its element too.
const INSTANCE_CLASS: &str = "com.netflix.appinfo.InstanceInfo";

/// Reads the body of `POST /apps/{app}`: the root element is `instance`. Missing members get Java's
/// defaults, unknown ones are ignored, of several the last counts.
pub fn read_instance(body: &[u8], limits: &Limits) -> Result<Registration, ReadError> {
    let text = text_of(body)?;
    let source = Source(&text);
    let root = tree::parse(source, limits, &INSTANCE)?;
    Reading { source, limits }.instance(&root)
}

struct Reading<'a> {
    source: Source<'a>,
    limits: &'a Limits,
}

impl Reading<'_> {
    fn instance(&self, root: &Element) -> Result<Registration, ReadError> {
        if root.name != "instance" && root.name != INSTANCE_CLASS {
            let problem = format_args!("the root element is {} instead of \"instance\"", quoted(&root.name));
            return Err(self.source.syntax(root.at, problem));
        }
        if let Some(class) = root.attribute("class").filter(|&class| class != "instance" && class != INSTANCE_CLASS) {
            return Err(self.source.field(root.at, "instance.class", format_args!("{} is no instance", quoted(class))));
        }
        let Some(app) = root.last("app") else {
            return Err(self.source.field(root.at, "instance.app", "it is missing; it is the application's name"));
        };
        let mut to = Registration::new(&app.text);
        for member in &root.children {
            self.member(&mut to, member)?;
        }
        lengths::check(&to, self.limits).under("instance")?;
        Ok(to)
    }

    fn member(&self, to: &mut Registration, member: &Element) -> Result<(), ReadError> {
        // An empty text is one too.
        let text = || Some(Text::from(member.text.as_str()));
        match member.name.as_str() {
            "instanceId" => to.instance_id = filled(member),
            // Java ignores an empty host name, so one that came before it stays.
            "hostName" => to.host_name = filled(member).or(to.host_name.take()),
            "ipAddr" => to.ip_addr = filled(member),
            "sid" => to.sid = text(),
            "status" => to.status = status(member),
            "overriddenstatus" | "overriddenStatus" => to.overridden_status = status(member),
            "port" => {
                let enabled = member.attribute("enabled") != Some("false");
                to.port = Port { number: self.integer(member, "instance.port")?, enabled };
            }
            "securePort" => {
                let enabled = member.attribute("enabled") == Some("true");
                to.secure_port = Port { number: self.integer(member, "instance.securePort")?, enabled };
            }
            "countryId" => to.country_id = self.integer(member, "instance.countryId")?,
            "dataCenterInfo" => to.data_center = self.data_center(member)?,
            "leaseInfo" => to.lease = self.lease(member)?,
            "metadata" => to.metadata = self.metadata(member, "instance.metadata")?,
            "appGroupName" => to.app_group_name = text(),
            "homePageUrl" => to.home_page_url = text(),
            "statusPageUrl" => to.status_page_url = text(),
            "healthCheckUrl" => to.health_check_url = text(),
            "secureHealthCheckUrl" => to.secure_health_check_url = text(),
            "vipAddress" => to.vip_address = text(),
            "secureVipAddress" => to.secure_vip_address = text(),
            "asgName" => to.asg_name = text(),
            // What does not parse leaves the value that was there.
            "lastUpdatedTimestamp" => to.last_updated = member.text.parse().ok().or(to.last_updated),
            "lastDirtyTimestamp" => to.last_dirty = member.text.parse().ok().or(to.last_dirty),
            "actionType" => to.action = ActionType::from_name(&member.text).or(to.action),
            _ => {}
        }
        Ok(())
    }

    /// A number as `Integer.valueOf` and `Long.valueOf` take it: a sign is allowed, blanks are not.
    fn integer<N: FromStr>(&self, member: &Element, path: &str) -> Result<N, ReadError> {
        member.text.parse().map_err(|_| {
            let problem = format_args!("{} is not a whole number, or too large a one", quoted(&member.text));
            self.source.field(member.at, path, problem)
        })
    }

    /// Judged by the name alone. Only where there is no name does the class say that it is Amazon.
    fn data_center(&self, info: &Element) -> Result<GivenDataCenter, ReadError> {
        let given = match info.last("name") {
            Some(name) if name.text == "MyOwn" => DataCenter::Own(NonAmazon::MyOwn),
            Some(name) if name.text == "Netflix" => DataCenter::Own(NonAmazon::Netflix),
            Some(name) if !name.text.eq_ignore_ascii_case("Amazon") => {
                let problem = format_args!("{} is none of MyOwn, Amazon and Netflix", quoted(&name.text));
                return Err(self.source.field(name.at, "instance.dataCenterInfo.name", problem));
            }
            None if info.attribute("class") != Some("com.netflix.appinfo.AmazonInfo") => {
                return Ok(GivenDataCenter::Missing);
            }
            _ => DataCenter::Amazon(match info.last("metadata") {
                Some(metadata) => self.metadata(metadata, "instance.dataCenterInfo.metadata")?,
                None => Metadata::default(),
            }),
        };
        Ok(GivenDataCenter::Given(given))
    }

    /// The times that a client may send are the server's to know.
    fn lease(&self, info: &Element) -> Result<LeaseRequest, ReadError> {
        let seconds = |name: &str| match info.last(name).filter(|member| !member.text.is_empty()) {
            // Java takes a `long` here, and cuts it off.
            Some(member) => self.integer(member, &format!("instance.leaseInfo.{name}")).map(saturated),
            None => Ok(0),
        };
        Ok(LeaseRequest::new(seconds("renewalIntervalInSecs")?, seconds("durationInSecs")?))
    }

    fn metadata(&self, entries: &Element, path: &str) -> Result<Metadata, ReadError> {
        let Limits { metadata_entries, metadata_length, .. } = *self.limits;
        if entries.children.len() > metadata_entries {
            let problem = format!("{} entries where {metadata_entries} may be", entries.children.len());
            return Err(self.source.limit(entries.at, path.to_owned(), problem, "metadata-entries"));
        }
        for entry in &entries.children {
            let length = entry.name.len().max(entry.text.len());
            if length > metadata_length {
                let path = format!("{path}.{}", shortened(&entry.name));
                let problem = format!("a key or value of {length} bytes where {metadata_length} may be");
                return Err(self.source.limit(entry.at, path, problem, "metadata-length"));
            }
        }
        Ok(Metadata::new(entries.children.iter().map(|entry| (entry.name.as_str(), entry.text.as_str()))))
    }
}

/// The text of an element that counts as missing when it is empty.
fn filled(member: &Element) -> Option<Text> {
    Some(member.text.as_str()).filter(|text| !text.is_empty()).map(Text::from)
}

/// In any letter case, unlike in JSON; UNKNOWN for any other word.
fn status(member: &Element) -> InstanceStatus {
    InstanceStatus::from_name(&member.text.to_uppercase()).unwrap_or(InstanceStatus::Unknown)
}

fn saturated(seconds: i64) -> i32 {
    i32::try_from(seconds).unwrap_or(if seconds > 0 { i32::MAX } else { 0 })
}

#[cfg(test)]
mod tests;
