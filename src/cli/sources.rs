//! What the process was started with, and where.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use crate::server::machine;
use crate::settings::Sources;

use super::SERVER_VARIABLE;

/// The sources of settings of this process, whose arguments have these words: files below the working folder, and the
/// environment over what the machine says of itself.
pub fn sources(words: &[String]) -> Sources<'_, BTreeMap<String, String>> {
    let readable = |(name, value): (OsString, OsString)| name.into_string().ok().zip(value.into_string().ok());
    let mut environment: BTreeMap<String, String> = machine().into();
    environment.extend(std::env::vars_os().filter_map(readable));
    // It is no property.
    environment.remove(SERVER_VARIABLE);
    Sources { dir: Path::new("."), environment, words }
}
