//! A server whose disk is full, read-only or hangs goes on, and keeps what it can.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::server::{Server, command, eventually};
use super::wire::{get, instance, post, register, request};

/// A server with a small disk of its own at `disk` in its folder, or none where the system does not let one be made.
struct OnSmallDisk {
    server: Server,
    dir: tempfile::TempDir,
}

impl OnSmallDisk {
    /// `options` are those of mount; `then` is done in a shell before the server starts.
    #[expect(clippy::print_stderr, reason = "whoever reads the output learns what was not tested")]
    fn start(options: &str, then: &str) -> Option<Self> {
        let dir = tempfile::tempdir().expect("a folder");
        fs::create_dir(dir.path().join("disk")).expect("a folder");
        let mount = format!("mount -t tmpfs -o {options} none disk");
        let own = |script: &str| {
            let mut shell = Command::new("unshare");
            shell.args(["--map-root-user", "--mount", "/bin/sh", "-c", script]).current_dir(dir.path());
            shell
        };
        if !own(&mount).status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: no disk can be made here");
            return None;
        }
        let words = ["--eurekad.snapshot.path=disk/registry.snapshot", "--eurekad.snapshot.interval=100"];
        let inner = command(dir.path(), &words);
        let mut shell = own(&format!("{mount} && {then} && exec \"$0\" \"$@\""));
        shell.arg(inner.get_program()).args(inner.get_args());
        Some(Self { server: Server::run(shell, None), dir })
    }

    /// What is on its disk, seen from outside.
    fn snapshot(&self) -> std::path::PathBuf {
        let within = self.dir.path().join("disk/registry.snapshot");
        Path::new(&format!("/proc/{}/root", self.server.pid())).join(within.strip_prefix("/").expect("absolute"))
    }

    fn ended(mut self) -> String {
        self.server.signal("TERM");
        assert_eq!(self.server.exit_code(), Some(0));
        self.server.log()
    }
}

/// With so many thousand bytes of metadata.
fn large(id: &str, thousands: usize) -> String {
    let entries: Vec<_> = (0..thousands).map(|n| format!("\"text-{n}\":\"{}\"", "x".repeat(1000))).collect();
    let metadata = format!("\"metadata\":{{{}}},\"hostName\"", entries.join(","));
    post("ORDERS", &instance("ORDERS", id).replacen("\"hostName\"", &metadata, 1))
}

#[test]
fn a_full_disk_stops_nothing_and_what_fits_again_is_written() {
    let Some(node) = OnSmallDisk::start("size=64k", "true") else { return };
    let holds = |id: &str| fs::read_to_string(node.snapshot()).is_ok_and(|file| file.contains(&format!("\"{id}\"")));
    let mut wire = node.server.connect();
    assert_eq!(wire.ask(register("ORDERS", "ord-1")).status, 204);
    eventually("the first is on disk", || holds("ord-1").then_some(()));
    for n in 0..3 {
        assert_eq!(wire.ask(large(&format!("big-{n}"), 30)).status, 204);
    }
    eventually("the disk is full", || node.server.log().contains("the snapshot cannot be written").then_some(()));
    assert_eq!(node.server.hash_code(), "UP_4_");
    assert!(holds("ord-1"), "what was there is there");
    for n in 0..3 {
        assert_eq!(wire.ask(request("DELETE", &format!("/eureka/apps/ORDERS/big-{n}"), "")).status, 200);
    }
    assert_eq!(wire.ask(register("ORDERS", "ord-2")).status, 204);
    eventually("what fits is on disk", || holds("ord-2").then_some(()));
    let log = node.ended();
    assert!(log.contains("the snapshot is written again"), "{log}");
}

#[test]
fn a_read_only_disk_stops_nothing() {
    let Some(node) = OnSmallDisk::start("size=64k", "mount -o remount,ro disk") else { return };
    assert_eq!(node.server.connect().ask(register("ORDERS", "ord-1")).status, 204);
    assert_eq!(node.server.hash_code(), "UP_1_");
    let log = node.ended();
    assert!(log.contains("there is no snapshot, a restart will forget everything"), "{log}");
}

#[test]
fn a_disk_too_full_for_two_files_has_the_new_one_in_place_of_the_old() {
    let Some(node) = OnSmallDisk::start("size=64k", "true") else { return };
    let holds = |text: &str| fs::read_to_string(node.snapshot()).is_ok_and(|file| file.contains(text));
    let mut wire = node.server.connect();
    assert_eq!(wire.ask(large("ord-1", 40)).status, 204);
    eventually("the first is on disk", || holds("ord-1").then_some(()));
    assert_eq!(wire.ask(large("ord-1", 38)).status, 204);
    let length = || fs::metadata(node.snapshot()).map_or(0, |file| file.len());
    eventually("the second is on disk", || (length() < 40_000 && holds("ord-1")).then_some(()));
    let log = node.ended();
    assert!(log.contains("the snapshot is written again"), "{log}");
}

/// Opening a pipe waits for somebody at its other end, as a disk that hangs does for its cable.
struct Hanging {
    dir: tempfile::TempDir,
    lock: std::path::PathBuf,
    snapshot: String,
}

impl Hanging {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let lock = dir.path().join("registry.snapshot.lock");
        assert!(Command::new("mkfifo").arg(&lock).status().expect("mkfifo").success());
        let snapshot = format!("--eurekad.snapshot.path={}", dir.path().join("registry.snapshot").display());
        Self { dir, lock, snapshot }
    }
}

#[test]
fn a_disk_that_hangs_holds_up_neither_the_start_nor_clients() {
    let disk = Hanging::new();
    let server = Server::start(&[&disk.snapshot]);
    let mut wire = server.connect();
    assert_eq!(wire.ask(register("ORDERS", "ord-1")).status, 204);
    assert_eq!(wire.ask(get("/eureka/apps", "")).status, 403, "it may know more than it says");
    let _cable = fs::File::open(&disk.lock).expect("the pipe");
    eventually("it opens when the disk is back", || (wire.ask(get("/eureka/apps", "")).status == 200).then_some(()));
}

#[test]
fn a_disk_that_hangs_does_not_take_the_time_for_requests_at_the_end() {
    let disk = Hanging::new();
    let phase = "--spring.lifecycle.timeout-per-shutdown-phase=1h";
    let mut server = Server::start(&[&disk.snapshot, phase, "--eurekad.snapshot.interval=100"]);
    assert_eq!(server.connect().ask(register("ORDERS", "ord-1")).status, 204);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    assert!(server.log().contains("all requests are answered"), "{}", server.log());
}

#[test]
fn a_disk_that_hangs_does_not_keep_a_node_closed_that_has_copied_a_peer() {
    let whole = Server::start(&[]);
    whole.fill("ORDERS", ["ord-1".to_owned()]);
    let peer = format!("--eureka.client.service-url.defaultZone=http://{}/eureka/", whole.address);
    let disk = Hanging::new();
    let node = Server::run(command(disk.dir.path(), &[&peer, &disk.snapshot]), None);
    let mut wire = node.connect();
    eventually("it is open", || (wire.ask(get("/eureka/apps/ORDERS/ord-1", "")).status == 200).then_some(()));
    assert_eq!(wire.ask(get("/eureka/apps", "")).status, 200);
    let _cable = fs::File::open(&disk.lock).expect("the pipe");
}
