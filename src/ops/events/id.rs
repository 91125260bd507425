//! The number of an event, by which a reader goes on after a break.

use std::fmt;
use std::str::FromStr;

use crate::peers::NodeId;

/// `<process>-<number>`: numbers of another process mean nothing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// The process that gave the number.
    pub epoch: NodeId,
    /// Its place among the events of that process, from 1 on; 0 is before the first.
    pub sequence: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.epoch, self.sequence)
    }
}

impl FromStr for EventId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (epoch, sequence) = text.trim().split_once('-').ok_or(())?;
        if !sequence.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        Ok(Self { epoch: epoch.parse()?, sequence: sequence.parse().map_err(|_| ())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_as_it_is_written() {
        let id = EventId { epoch: NodeId::of(7), sequence: 42 };
        assert_eq!(id.to_string(), "0000000000000007-42");
        assert_eq!(" 0000000000000007-42 ".parse(), Ok(id));
        for nonsense in ["", "-", "42", "7-42", "0000000000000007-", "0000000000000007-+1", "0000000000000007--1"] {
            assert_eq!(nonsense.parse::<EventId>(), Err(()), "{nonsense:?}");
        }
    }
}
