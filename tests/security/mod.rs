//! Who may come in, and what they may do there.

mod every_request;
mod logins;
mod pages;
#[cfg(target_os = "linux")]
mod peers;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// The header of HTTP Basic.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
}

/// A user for each role, called like it, with the password `pass`.
fn a_user_a_role() -> Vec<String> {
    let roles = ["read", "register", "operate", "peer", "metrics"];
    let words = |(place, role): (usize, &str)| {
        let at = format!("--eurekad.security.users[{place}]");
        [format!("{at}.name={role}"), format!("{at}.password=pass"), format!("{at}.roles={role}")]
    };
    roles.into_iter().enumerate().flat_map(words).collect()
}
