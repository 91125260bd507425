//! Memory does not grow with reading.

use super::server::Server;
use super::wire::{get, request};

const ALLOCATOR: u64 = 8 << 20;

/// Bytes that the process holds.
#[cfg(target_os = "linux")]
pub(crate) fn resident(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("its status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

#[cfg(target_os = "linux")]
#[test]
fn case_093_memory_does_not_rise_with_list_calls() {
    let server = Server::start(&[]);
    server.fill("ORDERS", (0..500).map(|n| format!("ord-{n}")));
    let mut wire = server.connect();
    let mut fetch = |times: usize| {
        for n in 0..times {
            if n % 10 == 0 {
                let path = format!("/eureka/apps/ORDERS/ord-1/metadata?n={n}");
                assert_eq!(wire.ask(request("PUT", &path, "")).status, 200);
            }
            let gzip = if n % 2 == 0 { "Accept-Encoding: gzip\r\n" } else { "" };
            let list = wire.ask(get("/eureka/apps", &format!("Accept: application/json\r\n{gzip}")));
            assert_eq!(list.status, 200);
        }
        resident(&server)
    };
    let begin = fetch(500);
    let end = fetch(1_500);
    // The allocator takes some more now and then; 150 lists of 400 KB that are kept would be 60 MB.
    assert!(end < begin + begin / 5 + ALLOCATOR, "{begin} bytes after 500 fetches, {end} after 2,000");
}
