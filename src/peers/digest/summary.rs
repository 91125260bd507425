//! Count and hash of each application.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher as _;

use fnv::FnvHasher;

use crate::model::{AppName, InstanceId};
use crate::registry::{Facts, Registry};

/// Of one application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Its instances.
    pub count: u64,
    /// The sum of their hashes, so that no order matters.
    pub hash: u64,
}

/// Of all applications, by name.
pub type Summary = BTreeMap<AppName, Digest>;

/// What this node holds, as far as nodes are to agree on it. One look at each lease, without the commit lock.
pub fn summary(registry: &Registry) -> Summary {
    let mut all = Summary::new();
    registry.each_fact(|app, id, facts| {
        let hash = hash(id, &facts);
        let digest = match all.get_mut(app) {
            Some(digest) => digest,
            None => all.entry(app.clone()).or_default(),
        };
        digest.count += 1;
        digest.hash = digest.hash.wrapping_add(hash);
    });
    all
}

/// The applications that differ.
pub fn differing(mine: &Summary, theirs: &Summary) -> BTreeSet<AppName> {
    let differs = |app: &&AppName| mine.get(*app) != theirs.get(*app);
    mine.keys().chain(theirs.keys()).filter(differs).cloned().collect()
}

/// FNV-1a, which is the same in every process and version, with its bits mixed: short texts alone leave
/// the upper ones nearly equal, and sums of such hashes would be too.
fn hash(id: &InstanceId, facts: &Facts) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(id.as_str().as_bytes());
    hasher.write(&[0]);
    hasher.write(&facts.last_dirty.to_le_bytes());
    hasher.write(facts.status.as_str().as_bytes());
    hasher.write(&[0]);
    hasher.write(facts.override_status.map_or("", |status| status.as_str()).as_bytes());
    hasher.write(&[0]);
    hasher.write(&facts.override_stamp.0.to_le_bytes());
    // The last step of SplitMix64.
    let mut mixed = hasher.finish();
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::InstanceStatus::{OutOfService, Up};
    use crate::registry::OverrideStamp;

    #[test]
    fn the_hash_is_the_same_everywhere_and_tells_all_facts_apart() {
        let facts = Facts { last_dirty: 1, status: Up, override_status: None, override_stamp: OverrideStamp(0) };
        let id = InstanceId::new("ord-1");
        let hashes: BTreeSet<_> = [
            hash(&id, &facts),
            hash(&InstanceId::new("ord-2"), &facts),
            hash(&id, &Facts { last_dirty: 2, ..facts }),
            hash(&id, &Facts { status: OutOfService, ..facts }),
            hash(&id, &Facts { override_status: Some(Up), ..facts }),
            hash(&id, &Facts { override_stamp: OverrideStamp(1), ..facts }),
        ]
        .into();
        assert_eq!(hashes.len(), 6);
        assert_eq!(hash(&id, &facts), FIXED, "other versions of this program are asked as well");
    }

    const FIXED: u64 = 15_689_444_660_164_265_399;
}
