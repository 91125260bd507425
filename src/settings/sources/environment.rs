//! Environment variables. Their names are matched like all names (`settings::names`), so that both
//! `EUREKA_SERVER_X` and `eureka.server.x` as the name of a variable work.

use super::{Origin, Written};

/// By name, so that of two spellings of one property the same wins at every start.
pub(super) fn read(environment: impl IntoIterator<Item = (String, String)>) -> Vec<Written> {
    let mut variables: Vec<(String, String)> = environment.into_iter().collect();
    variables.sort_unstable();
    variables
        .into_iter()
        .map(|(name, value)| Written { origin: Origin::Environment { variable: name.clone() }, name, value })
        .collect()
}
