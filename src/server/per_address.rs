//! How many connections each address has.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// The connections of each address, as far as there is a limit for them. Copies share the counts.
#[derive(Clone, Debug, Default)]
pub(super) struct PerAddress(Option<Arc<Counts>>);

#[derive(Debug)]
struct Counts {
    most: usize,
    /// Of addresses that have any; held for one look-up when a connection begins or ends.
    held: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection that counts until this is dropped.
#[derive(Debug)]
pub(super) struct Place(Option<(Arc<Counts>, IpAddr)>);

impl PerAddress {
    /// So many for each address; none: any number.
    pub(super) fn new(most: Option<usize>) -> Self {
        Self(most.map(|most| Arc::new(Counts { most, held: Mutex::default() })))
    }

    /// Counts one more; none if the address has too many. An address that nobody knows has no limit.
    pub(super) fn take(&self, address: Option<IpAddr>) -> Option<Place> {
        let (Some(counts), Some(address)) = (&self.0, address) else { return Some(Place(None)) };
        let mut held = counts.held.lock();
        let count = held.entry(address).or_default();
        if *count >= counts.most {
            return None;
        }
        *count += 1;
        Some(Place(Some((Arc::clone(counts), address))))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((counts, address)) = &self.0 else { return };
        let mut held = counts.held.lock();
        if let Some(count) = held.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                held.remove(address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_so_many_and_nothing_is_known_of_those_that_have_none() {
        let per_address = PerAddress::new(Some(2));
        let address = |n: u8| Some(IpAddr::from([10, 0, 0, n]));
        let first = [per_address.take(address(1)), per_address.take(address(1))];
        assert!(first.iter().all(Option::is_some));
        assert!(per_address.take(address(1)).is_none());
        let other = per_address.take(address(2));
        assert!(other.is_some() && per_address.take(None).is_some());
        drop(first);
        assert!(per_address.take(address(1)).is_some());
        drop(other);
        assert_eq!(per_address.0.map(|counts| counts.held.lock().len()), Some(0));
        let unlimited = PerAddress::default();
        assert!((0..100).all(|_| unlimited.take(address(1)).is_some()));
    }
}
