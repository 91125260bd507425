//! Which parts of a body anybody asks for.
//!
//! A body becomes a tree, whatever stands in it; what no reader asks for is checked for its syntax and
//! skipped, so that a body cannot make a tree that is many times its size.

/// What is kept of a value: of an object or element by the names within, of a list by its items. A
/// scalar is always kept.
#[derive(Debug)]
pub(super) struct Wanted {
    /// What is kept of the member of that name; none if it is skipped.
    pub(super) member: fn(&str) -> Option<&'static Wanted>,
    /// What is kept of each item; without it a list is kept as an empty one.
    pub(super) items: Option<&'static Wanted>,
    /// Whether its reader goes by what follows a member: of skipped ones in a row, the first that is not
    /// null is kept then by name and shape.
    pub(super) gaps: bool,
}

/// A scalar alone.
pub(super) static SCALAR: Wanted = Wanted { member: |_| None, items: None, gaps: false };

/// A map of texts.
static TEXTS: Wanted = Wanted { member: |_| Some(&SCALAR), items: None, gaps: false };

/// An instance, in JSON or XML.
pub(super) static INSTANCE: Wanted = Wanted { member: instance, items: None, gaps: true };

/// An instance of another server's list, with its lease as it stands there.
pub(super) static LISTED: Wanted = Wanted {
    member: |name| if name == "leaseInfo" { Some(&LEASE_TIMES) } else { instance(name) },
    items: None,
    gaps: true,
};

static PORT: Wanted =
    Wanted { member: |name| matches!(name, "$" | "@enabled").then_some(&SCALAR), items: None, gaps: false };

static LEASE: Wanted = Wanted {
    member: |name| matches!(name, "renewalIntervalInSecs" | "durationInSecs").then_some(&SCALAR),
    items: None,
    gaps: false,
};

static LEASE_TIMES: Wanted = Wanted {
    member: |name| match name {
        "registrationTimestamp" | "lastRenewalTimestamp" | "evictionTimestamp" | "serviceUpTimestamp" => Some(&SCALAR),
        _ => (LEASE.member)(name),
    },
    items: None,
    gaps: false,
};

static DATA_CENTER: Wanted = Wanted {
    member: |name| match name {
        "@class" | "name" => Some(&SCALAR),
        "metadata" => Some(&TEXTS),
        _ => None,
    },
    items: None,
    gaps: false,
};

fn instance(name: &str) -> Option<&'static Wanted> {
    Some(match name {
        "port" | "securePort" => &PORT,
        "dataCenterInfo" => &DATA_CENTER,
        "leaseInfo" => &LEASE,
        "metadata" => &TEXTS,
        "instanceId"
        | "hostName"
        | "app"
        | "ipAddr"
        | "sid"
        | "status"
        | "overriddenStatus"
        | "overriddenstatus"
        | "countryId"
        | "appGroupName"
        | "homePageUrl"
        | "statusPageUrl"
        | "healthCheckUrl"
        | "secureHealthCheckUrl"
        | "vipAddress"
        | "secureVipAddress"
        | "lastUpdatedTimestamp"
        | "lastDirtyTimestamp"
        | "actionType"
        | "asgName" => &SCALAR,
        _ => return None,
    })
}

/// For tests of the trees alone.
#[cfg(test)]
pub(super) static EVERYTHING: Wanted = Wanted { member: |_| Some(&EVERYTHING), items: Some(&EVERYTHING), gaps: false };
