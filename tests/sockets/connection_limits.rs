//! How many connections there may be.

use std::time::Duration;

use super::server::Server;
use super::wire::{Wire, get, heartbeat};

const A_MOMENT: Duration = Duration::from_millis(300);

#[test]
fn one_connection_too_many_waits_until_another_ends() {
    let server = Server::start(&["--eurekad.http.max-connections=3"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let mut kept: Vec<Wire> = (0..3).map(|_| server.connect()).collect();
    let beat = |wire: &mut Wire| assert_eq!(wire.ask(heartbeat("ORDERS", "ord-1")).status, 200);
    kept.iter_mut().for_each(beat);
    let mut waiting: Vec<Wire> = (0..2).map(|_| server.connect()).collect();
    for wire in &mut waiting {
        wire.send(heartbeat("ORDERS", "ord-1"));
        assert!(!wire.hears_within(A_MOMENT));
    }
    kept.iter_mut().for_each(beat);
    kept.pop();
    assert_eq!(waiting[0].answer().status, 200);
    assert!(!waiting[1].hears_within(A_MOMENT));
    kept.pop().expect("another").vanish();
    assert_eq!(waiting[1].answer().status, 200);
    waiting.iter_mut().chain(&mut kept).for_each(beat);
}

#[test]
fn a_limit_that_is_reached_again_and_again_is_told_once() {
    let mut server = Server::start(&["--eurekad.http.max-connections=2"]);
    let mut kept = server.connect();
    assert_eq!(kept.ask(get("/eureka/apps", "")).status, 200);
    for _ in 0..50 {
        assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 200);
    }
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(server.log().matches("eurekad.http.max-connections").count(), 1, "{}", server.log());
}

#[cfg(target_os = "linux")]
mod open_files {
    use rlimit::Resource;

    use super::super::server::eventually;
    use super::*;

    fn limits(server: &Server) -> (u64, u64) {
        let pid = server.pid().try_into().expect("a pid");
        let mut now = (0, 0);
        rlimit::prlimit(pid, Resource::NOFILE, None, Some((&mut now.0, &mut now.1))).expect("its limits");
        now
    }

    #[test]
    fn the_limit_of_open_files_is_raised_to_the_hard_one() {
        let (_, most) = Resource::NOFILE.get().expect("a limit");
        let few = 5_000.min(most);
        let mut inner = super::super::server::command(std::path::Path::new("/"), &[]);
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", &format!("ulimit -Sn 100 && ulimit -Hn {few} && exec \"$0\" \"$@\"")]);
        shell.arg(inner.get_program()).args(inner.get_args());
        inner = shell;
        let server = Server::run(inner, None);
        assert_eq!(limits(&server), (few, few));
        assert!(server.log().contains("few files may be open"), "{}", server.log());
    }

    #[test]
    fn with_few_files_the_connections_are_fewer_and_none_is_lost() {
        let server = Server::start_with_few_files(80, &[]);
        server.fill("ORDERS", ["ord-1".to_owned()]);
        let mut first = server.connect();
        assert_eq!(first.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        let mut more: Vec<Wire> = (0..120).map(|_| server.connect()).collect();
        for wire in &mut more {
            wire.send(heartbeat("ORDERS", "ord-1"));
        }
        for _ in 0..10 {
            assert_eq!(first.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        }
        drop(first);
        for mut wire in more {
            assert_eq!(wire.answer().status, 200);
        }
        assert!(!server.log().contains("cannot accept"), "{}", server.log());
    }

    #[test]
    fn without_a_free_descriptor_it_goes_on_and_recovers() {
        let server = Server::start(&["--eurekad.http.head-timeout=60s"]);
        server.fill("ORDERS", ["ord-1".to_owned()]);
        let mut first = server.connect();
        assert_eq!(first.ask(heartbeat("ORDERS", "ord-1")).status, 200);
        let (_, hard) = limits(&server);
        let few = u64::try_from(server.open_files()).expect("a number") + 10;
        let pid = server.pid().try_into().expect("a pid");
        rlimit::prlimit(pid, Resource::NOFILE, Some((few, hard)), None).expect("a new limit");
        let more: Vec<Wire> = (0..30).map(|_| server.connect()).collect();
        eventually("the descriptors are gone", || server.log().contains("cannot accept").then_some(()));
        for _ in 0..20 {
            assert_eq!(first.ask(heartbeat("ORDERS", "ord-1")).status, 200);
            std::thread::sleep(A_MOMENT / 10);
        }
        assert_eq!(server.log().matches("cannot accept").count(), 1, "{}", server.log());
        drop(more);
        assert_eq!(server.connect().ask(heartbeat("ORDERS", "ord-1")).status, 200);
    }
}
