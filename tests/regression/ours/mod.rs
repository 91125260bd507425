//! The deliberate differences from Java, one by one.
//!
//! Those about leases and self-preservation are in `leases`; that an override goes with its lease and
//! belongs to one application, and that a client gets itself out of service and back, in `overrides`
//! here and there; that a delta and its hash code are from one moment and that a read sees every
//! write before it, in `properties`; the order of metadata with the codecs.

mod batches;
mod registry;
mod repair;
mod wire;
