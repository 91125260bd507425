//! A server that is killed and started again with the registry on disk.

use super::server::{Server, eventually};
use super::wire::{get, heartbeat, instance, post, request};

/// One that lists instances before anybody asks twice, with leases that end soon.
fn start(dir: &std::path::Path) -> Server {
    let path = format!("--eurekad.snapshot.path={}", dir.join("registry.snapshot").display());
    let words = [&path, "--eurekad.snapshot.interval=100", "--eureka.server.eviction-interval-timer-in-ms=200"];
    Server::start(&words)
}

/// With a lease of so many seconds.
fn lasting(app: &str, id: &str, seconds: u32) -> String {
    let lease = format!(r#"{{"renewalIntervalInSecs":1,"durationInSecs":{seconds}}}"#);
    post(app, &instance(app, id).replace(r#"{"durationInSecs":90}"#, &lease))
}

#[test]
fn case_104_a_killed_server_has_all_instances_when_it_is_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = start(dir.path());
    let mut wire = server.connect();
    for n in 0..1000 {
        assert_eq!(wire.ask(lasting("ORDERS", &format!("ord-{n}"), 4)).status, 204);
    }
    let out = request("PUT", "/eureka/apps/ORDERS/ord-7/status?value=OUT_OF_SERVICE", "");
    assert_eq!(wire.ask(out).status, 200);
    let file = dir.path().join("registry.snapshot");
    eventually("the last change is on disk", || {
        std::fs::read_to_string(&file).ok()?.contains("\"overrideStatus\":\"OUT_OF_SERVICE\"").then_some(())
    });
    drop(server);

    let server = start(dir.path());
    assert_eq!(server.hash_code(), "OUT_OF_SERVICE_1_UP_999_", "the first answer has them all");
    let mut wire = server.connect();
    eventually("who does not renew is gone after one lease", || {
        assert_eq!(wire.ask(heartbeat("ORDERS", "ord-7")).status, 200, "who renews stays");
        (server.hash_code() == "OUT_OF_SERVICE_1_").then_some(())
    });
    let kept = wire.ask(get("/eureka/apps/ORDERS/ord-7", "Accept: application/json\r\n")).text();
    assert!(kept.contains(r#""overriddenStatus":"OUT_OF_SERVICE""#), "{kept}");
}

#[test]
fn the_last_changes_before_an_orderly_end_are_on_disk() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = format!("--eurekad.snapshot.path={}", dir.path().join("registry.snapshot").display());
    let words = [&path, "--eurekad.snapshot.interval=3600000"];
    let mut server = Server::start(&words);
    server.fill("ORDERS", (0..3).map(|n| format!("ord-{n}")));
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert_eq!(Server::start(&words).hash_code(), "UP_3_");
}

#[test]
fn a_file_that_cannot_be_used_does_not_stop_the_start() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("registry.snapshot"), "something else\n").expect("a file");
    let mut server = start(dir.path());
    server.fill("ORDERS", ["ord-1".to_owned()]);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert!(server.log().contains("the snapshot cannot be used and was set aside"), "{}", server.log());
    assert!(dir.path().join("registry.snapshot.damaged").exists());
    let folder = dir.path().join("a file");
    std::fs::write(&folder, "").expect("a file");
    let mut server = Server::start(&[&format!("--eurekad.snapshot.path={}/x", folder.display())]);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert!(server.log().contains("there is no snapshot, a restart will forget everything"), "{}", server.log());
}
