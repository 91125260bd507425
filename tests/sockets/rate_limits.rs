//! Limits on reads, over sockets.

use std::time::{Duration, Instant};

use super::bystander::Bystander;
use super::server::Server;
use super::wire::{get, heartbeat, register};

const RATE: f64 = 5.0;
const BURST: f64 = 5.0;

/// A client that reads everything a hundred times a second for a while; gives how many reads were answered, how
/// many there were, and how many seconds it took.
fn read_on_and_on(server: &Server) -> (f64, usize, f64) {
    let mut wire = server.connect();
    let begin = Instant::now();
    let (mut answered, mut reads) = (0.0, 0);
    while begin.elapsed() < Duration::from_secs(3) {
        let answer = wire.ask(get("/eureka/apps", "Accept: application/json\r\nDiscoveryIdentity-Name: bad\r\n"));
        match answer.status {
            200 => answered += 1.0,
            503 => assert_eq!((answer.header("retry-after"), answer.body.len()), (Some("1"), 0)),
            status => panic!("status {status}"),
        }
        reads += 1;
        std::thread::sleep(Duration::from_millis(10));
    }
    (answered, reads, begin.elapsed().as_secs_f64())
}

#[test]
#[expect(clippy::print_stdout, reason = "CI shows what it cost")]
fn case_090_a_client_that_reads_too_often_is_refused_and_nobody_else() {
    for words in [
        &[
            "--eureka.server.rate-limiter-enabled=true",
            "--eureka.server.rate-limiter-full-fetch-average-rate=5",
            "--eureka.server.rate-limiter-burst-size=5",
        ][..],
        &["--eurekad.limits.client-full-fetch-rate=5", "--eurekad.limits.client-full-fetch-burst=5"],
    ] {
        let server = Server::start(words);
        server.fill("ORDERS", (0..50).map(|n| format!("ord-{n}")));
        let others = Bystander::of(&server);
        let (answered, reads, seconds) = read_on_and_on(&server);
        println!("{answered} of {reads} reads in {seconds} s were answered");
        assert!(answered <= BURST + RATE * seconds + 1.0, "{answered} of {reads} in {seconds} s");
        // A token that is there waits for the next read.
        assert!(answered >= BURST.max(RATE * seconds / 2.0), "{answered} of {reads} in {seconds} s");
        let mut wire = server.connect();
        for _ in 0..100 {
            assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
            assert_eq!(wire.ask(register("ORDERS", "ord-2")).status, 204);
        }
        others.was_answered("a client reads everything on and on");
    }
}
