//! Who asks, and what they may do; and how often.
//!
//! Java has nothing of the kind but a limit on reads; its users put Spring Security in front.
//!
//! | file | what |
//! | --- | --- |
//! | `connection` | what is known of the other end of a connection |
//! | `fetch_limiter`, `bucket` | how often lists may be read |
//! | `over_limit` | how often a limit refused something |

mod bucket;
mod connection;
mod fetch_limiter;
mod over_limit;

pub use connection::{ClientCertificate, Connection};
pub use fetch_limiter::{Fetch, FetchLimiter, Fetcher};
pub use over_limit::{Limit, OverLimit};
