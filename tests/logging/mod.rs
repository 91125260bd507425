//! The log of the running program, and what is said of it.

mod binary;
mod messages;
