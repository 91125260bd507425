//! eurekad: a stand-alone Eureka service registry.

pub mod cli;
pub mod clock;
pub mod codec;
pub mod model;
pub mod settings;
