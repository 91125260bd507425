//! TLS both ways over real sockets: the running binary with certificates made here.

mod authority;
#[cfg(target_os = "linux")]
mod peers;
mod regions;
mod reload;
mod server;
