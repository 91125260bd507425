//! The lists of another server: its registry, a delta, or one application.
//!
//! A list is read whole or not at all: nobody may take half of one for all there is, so an answer that ends
//! too early, or that is followed by anything, is an error. An instance that cannot be read is an error in its
//! place. Each instance is interpreted as soon as its last byte is reached, and its tree dropped; a list of
//! fifty thousand never stands in memory as a tree, and [`Limits`] hold for each instance.
//!
//! Java's reader takes a single object for a list of one, since older servers write it so. So does this.

use std::borrow::Cow;
use std::fmt::Display;

use super::member::{Under as _, over, text, whole, wrong};
use super::read;
use super::tree::{Parser, Tree, walk};
use crate::codec::wanted::{LISTED, SCALAR};
use crate::codec::{Limits, ReadError};
use crate::model::{LeaseTimes, Refusal, Registration, WallMillis};

/// What another server lists (`Applications`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedApplications {
    /// `apps__hashcode`, if there is one.
    pub hash: Option<String>,
    /// `versions__delta`, if there is one.
    pub version: Option<i64>,
    /// The instances of all applications in their order, those that cannot be read among them.
    pub instances: Vec<Result<ListedInstance, ReadError>>,
}

impl ListedApplications {
    /// What is made of those that can be read and are accepted, and of each other one why not, for people to
    /// read.
    pub fn sorted_out<T>(self, accept: impl Fn(ListedInstance) -> Result<T, Refusal>) -> (Vec<T>, Vec<String>) {
        let (mut accepted, mut refusals) = (Vec::with_capacity(self.instances.len()), Vec::new());
        for listed in self.instances {
            match listed.map(&accept) {
                Ok(Ok(instance)) => accepted.push(instance),
                Ok(Err(refusal)) => refusals.push(refusal.to_string()),
                Err(error) => refusals.push(error.to_string()),
            }
        }
        (accepted, refusals)
    }
}

/// An instance as another server lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstance {
    /// The instance; in a delta its `action` tells what happened to it.
    pub registration: Registration,
    /// Its lease there, in milliseconds of that server's clock.
    pub times: LeaseTimes,
}

/// With more unreadable instances than this a list is refused as a whole: their errors would take many times
/// the memory of what was sent.
const MOST_UNREADABLE: usize = 10_000;

/// Reads the answer to `GET apps` or `GET apps/delta`, or to `GET apps/{app}`, which has neither hash code nor
/// version. A list of more than `most` instances is refused ([`ReadError::Limit`]) when the first that is too
/// many is reached: instances take many times the memory of a short text of them.
pub fn read_applications(body: &[u8], limits: &Limits, most: usize) -> Result<ListedApplications, ReadError> {
    let mut reading = Reading { limits, most, list: ListedApplications::default(), unreadable: 0 };
    let mut found = false;
    let root = |parser: &mut Parser<'_>| {
        parser.members(|parser, name| {
            let known = matches!(&*name, "applications" | "application") && parser.ahead() == Some(b'{');
            found |= known;
            match &*name {
                _ if !known => parser.skip(),
                "application" => reading.application(parser, "application"),
                _ => parser.members(|parser, name| reading.member(parser, &name)),
            }
        })
    };
    walk(body, limits, root).map_err(ReadError::of_answer)?;
    if found { Ok(reading.list) } else { Err(wrong(r#"must be {"applications": {…}}"#)).under("body") }
}

struct Reading<'a> {
    limits: &'a Limits,
    most: usize,
    list: ListedApplications,
    unreadable: usize,
}

impl Reading<'_> {
    /// A member of `applications`.
    fn member(&mut self, parser: &mut Parser<'_>, name: &str) -> Result<(), ReadError> {
        match name {
            "versions__delta" => {
                let version = parser.value(&SCALAR)?;
                self.list.version = whole(&version).under("applications.versions__delta")?;
            }
            "apps__hashcode" => {
                let hash = parser.value(&SCALAR)?;
                self.list.hash = text(&hash).under("applications.apps__hashcode")?.map(Cow::into_owned);
            }
            "application" => {
                each(parser, |parser, at| self.application(parser, format_args!("applications.application[{at}]")))?;
            }
            _ => parser.skip()?,
        }
        Ok(())
    }

    fn application(&mut self, parser: &mut Parser<'_>, place: impl Display) -> Result<(), ReadError> {
        parser.members(|parser, name| match &*name {
            "instance" => each(parser, |parser, at| {
                if self.list.instances.len() >= self.most {
                    return Err(over(format!("it lists more than {} instances", self.most))).under("body");
                }
                let listed = parser.apart(&LISTED)?.and_then(|tree| instance(&tree, self.limits));
                self.take(listed.under(format_args!("{place}.instance[{at}]")))
            }),
            _ => parser.skip(),
        })
    }

    fn take(&mut self, listed: Result<ListedInstance, ReadError>) -> Result<(), ReadError> {
        self.unreadable += usize::from(listed.is_err());
        if self.unreadable > MOST_UNREADABLE {
            return Err(wrong(format!("more than {MOST_UNREADABLE} instances cannot be read"))).under("body");
        }
        self.list.instances.push(listed);
        Ok(())
    }
}

/// Goes through the items of a list; a single value is a list of one, null one of none.
fn each<'a>(
    parser: &mut Parser<'a>,
    mut item: impl FnMut(&mut Parser<'a>, usize) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    match parser.ahead() {
        Some(b'[') => {
            let mut places = 0..;
            parser.items(|parser| item(parser, places.next().unwrap_or_default()))
        }
        Some(b'n') => parser.skip(),
        _ => item(parser, 0),
    }
}

fn instance(tree: &Tree<'_>, limits: &Limits) -> Result<ListedInstance, ReadError> {
    let registration = read::instance(tree, limits)?;
    let millis = |name| -> Result<WallMillis, ReadError> {
        let lease = tree.get("leaseInfo").and_then(|lease| lease.get(name));
        Ok(lease.map_or(Ok(None), whole).under(name).under("leaseInfo")?.unwrap_or_default())
    };
    let times = LeaseTimes {
        registration: millis("registrationTimestamp")?,
        last_renewal: millis("lastRenewalTimestamp")?,
        eviction: millis("evictionTimestamp")?,
        service_up: millis("serviceUpTimestamp")?,
    };
    Ok(ListedInstance { registration, times })
}

#[cfg(test)]
mod tests;
