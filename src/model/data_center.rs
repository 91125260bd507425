//! Where an instance runs, as it says itself.

use super::Metadata;

/// `DataCenterInfo`: its name, and what Amazon tells a machine about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataCenter {
    /// Anything but Amazon: only a name.
    Own(NonAmazon),
    /// `AmazonInfo` with its metadata (`instance-id`, `ami-id`, `availability-zone`, …).
    Amazon(Metadata),
}

/// The names of data centres that carry no metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonAmazon {
    /// `MyOwn`, what nearly everybody sends.
    MyOwn,
    /// `Netflix`.
    Netflix,
}

impl DataCenter {
    /// The name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Own(NonAmazon::MyOwn) => "MyOwn",
            Self::Own(NonAmazon::Netflix) => "Netflix",
            Self::Amazon(_) => "Amazon",
        }
    }

    /// The machine's id, where Amazon is the data centre and told one.
    pub fn amazon_instance_id(&self) -> Option<&str> {
        match self {
            Self::Amazon(metadata) => metadata.get("instance-id").filter(|id| !id.is_empty()),
            Self::Own(_) => None,
        }
    }
}
