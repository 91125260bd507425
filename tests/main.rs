//! The integration tests: one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod leases;
