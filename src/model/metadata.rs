//! Free text entries in the order in which a Java server lists them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::Text;
use super::instance::share;

/// A small map of texts, kept in the order of `java.util.HashMap`.
///
/// Java's server holds metadata in a `HashMap` (wire-format: only a byte-for-byte comparison can
/// tell), so the order depends on the keys' hashes and on nothing that a client can see or choose.
/// It is computed once, when the map is made.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Metadata(Arc<[(Text, Text)]>);

impl Metadata {
    /// Takes entries in the order in which they were sent; the last of equal keys wins and keeps
    /// the place of the first, as `HashMap.put` does.
    pub fn new<K: Into<Text>, V: Into<Text>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let entries: Vec<(Text, Text)> = entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        let mut unique: Vec<(Text, Text)> = Vec::with_capacity(entries.len());
        // A look through a few entries is cheaper than a map of them.
        let mut places = (entries.len() > FEW).then(HashMap::new);
        for (key, value) in entries {
            let known = match &mut places {
                None => unique.iter().position(|(known, _)| *known == key),
                Some(places) => match places.entry(Arc::clone(&key)) {
                    Entry::Occupied(place) => Some(*place.get()),
                    Entry::Vacant(free) => {
                        free.insert(unique.len());
                        None
                    }
                },
            };
            match known.and_then(|place| unique.get_mut(place)) {
                Some(known) => known.1 = value,
                None => unique.push((key, value)),
            }
        }
        let buckets = capacity(unique.len());
        // A stable sort: within one bucket the order of insertion stays.
        unique.sort_by_cached_key(|(key, _)| spread(java_hash(key)) & (buckets - 1));
        Self(unique.into())
    }

    /// The same map, with the texts of a known one where they are equal.
    pub(super) fn sharing(mut self, known: &Self) -> Self {
        if self == *known {
            return known.clone();
        }
        // Where others have the same map, it is shared already.
        for (entry, known) in Arc::get_mut(&mut self.0).into_iter().flatten().zip(&*known.0) {
            share(&mut entry.0, &known.0);
            share(&mut entry.1, &known.1);
        }
        self
    }

    /// The same map with these entries added or replaced.
    #[must_use]
    pub fn with(&self, entries: impl IntoIterator<Item = (Text, Text)>) -> Self {
        Self::new(self.0.iter().cloned().chain(entries))
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| &**k == key).map(|(_, v)| &**v)
    }

    /// All entries in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (&**k, &**v))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// So many entries are looked through one by one.
const FEW: usize = 16;

/// `HashMap`'s table: 16 buckets, doubled while more than three quarters are taken.
fn capacity(entries: usize) -> u32 {
    let mut buckets = 16_u32;
    while entries as u64 * 4 > u64::from(buckets) * 3 {
        buckets *= 2;
    }
    buckets
}

/// `String.hashCode`, over UTF-16 units.
fn java_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0, |hash: u32, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)))
}

/// `HashMap.hash`.
fn spread(hash: u32) -> u32 {
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keys_in_the_order_of_a_java_hash_map() {
        let sent = "zone management.port jmx.port a b Zeta user.name startup profile instanceId weight version cluster";
        let shown =
            "a cluster b profile user.name weight management.port version Zeta instanceId zone startup jmx.port";
        let map = Metadata::new(sent.split(' ').map(|key| (key, "")));
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>().join(" "), shown);

        let sent = "instance-id ami-id instance-type local-ipv4 local-hostname availability-zone public-hostname \
                    public-ipv4 mac vpc-id accountId";
        let shown = "public-ipv4 accountId local-hostname public-hostname instance-id local-ipv4 instance-type vpc-id \
                     ami-id mac availability-zone";
        let map = Metadata::new(sent.split(' ').map(|key| (key, "")));
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>().join(" "), shown);
    }

    #[test]
    fn the_last_of_equal_keys_wins() {
        let map = Metadata::new([("a", "1"), ("b", "2"), ("a", "3")]);
        assert_eq!(map.get("a"), Some("3"));
        assert_eq!(map.len(), 2);
        assert_eq!(map.with([(Text::from("c"), Text::from("4"))]).len(), 3);
    }
}
