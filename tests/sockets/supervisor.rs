//! What a service manager is told, and sockets that it hands over.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;

use super::server::{SOON, Server, command, output};
use super::wire::{Wire, get, heartbeat};

/// A service manager of which there is only the socket.
struct Manager(UnixDatagram);

impl Manager {
    /// The binary in this folder, which is to tell this one.
    fn start(dir: &Path, words: &[&str], watchdog: Option<&str>) -> (Self, Server) {
        let path = dir.join("notify");
        let socket = UnixDatagram::bind(&path).expect("a socket");
        socket.set_read_timeout(Some(SOON)).expect("an option");
        let mut command = command(dir, words);
        command.env("NOTIFY_SOCKET", path).envs(watchdog.map(|micros| ("WATCHDOG_USEC", micros)));
        (Self(socket), Server::run(command, None))
    }

    fn hears(&self) -> String {
        let mut buffer = [0; 4096];
        let length = self.0.recv(&mut buffer).expect("it is told something");
        String::from_utf8_lossy(&buffer[..length]).into_owned()
    }

    /// What it is told next beside signs of life.
    fn hears_news(&self) -> String {
        loop {
            let message = self.hears();
            if message != "WATCHDOG=1\n" {
                return message;
            }
        }
    }
}

#[test]
fn the_manager_is_told_of_the_opening_of_reloads_and_of_the_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let (manager, mut server) = Manager::start(dir.path(), &[], None);
    assert_eq!(manager.hears(), "STATUS=not open for traffic yet\n");
    assert_eq!(manager.hears(), "READY=1\nSTATUS=open for traffic\n");
    assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 200);
    server.signal("HUP");
    let reloading = manager.hears();
    let since = reloading.strip_prefix("RELOADING=1\nMONOTONIC_USEC=").expect("when it began");
    assert!(since.trim().parse::<u64>().is_ok(), "{reloading}");
    assert_eq!(manager.hears(), "READY=1\n");
    server.signal("TERM");
    assert_eq!(manager.hears(), "STOPPING=1\nSTATUS=shutting down\n");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn a_node_that_is_not_open_yet_is_not_ready_for_the_manager() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let peer =
        format!("--eureka.client.service-url.defaultZone=http://{}/eureka/", silent.local_addr().expect("an address"));
    let dir = tempfile::tempdir().expect("a folder");
    let (manager, mut server) = Manager::start(dir.path(), &[&peer], None);
    assert_eq!(manager.hears(), "STATUS=not open for traffic yet\n");
    assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 403);
    server.signal("HUP");
    server.signal("TERM");
    assert_eq!(manager.hears(), "STOPPING=1\nSTATUS=shutting down\n", "it was never ready");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn the_manager_hears_signs_of_life_until_the_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let (manager, mut server) = Manager::start(dir.path(), &[], Some("100000"));
    assert_eq!(manager.hears_news(), "STATUS=not open for traffic yet\n");
    assert_eq!(manager.hears_news(), "READY=1\nSTATUS=open for traffic\n");
    for _ in 0..3 {
        assert_eq!(manager.hears(), "WATCHDOG=1\n");
    }
    server.signal("TERM");
    assert_eq!(manager.hears_news(), "STOPPING=1\nSTATUS=shutting down\n");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn a_manager_that_is_gone_holds_up_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = command(dir.path(), &[]);
    command.env("NOTIFY_SOCKET", dir.path().join("nobody"));
    let mut server = Server::run(command, None);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn a_manager_that_reads_nothing_holds_up_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    let other = UnixDatagram::unbound().expect("a socket");
    other.set_nonblocking(true).expect("an option");
    while other.send_to(b"STATUS=somebody else\n", &path).is_ok() {}
    let mut command = command(dir.path(), &[]);
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "100000");
    let mut server = Server::run(command, None);
    assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 200);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    drop(manager);
}

#[test]
fn a_manager_that_was_busy_hears_of_the_opening_when_it_reads() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("notify");
    let manager = Manager(UnixDatagram::bind(&path).expect("a socket"));
    manager.0.set_read_timeout(Some(SOON)).expect("an option");
    let other = UnixDatagram::unbound().expect("a socket");
    other.set_nonblocking(true).expect("an option");
    while other.send_to(b"STATUS=somebody else\n", &path).is_ok() {}
    let mut command = command(dir.path(), &[]);
    command.env("NOTIFY_SOCKET", &path);
    let server = Server::run(command, None);
    assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 200, "it is open");
    while manager.hears() != "READY=1\nSTATUS=open for traffic\n" {}
}

#[cfg(target_os = "linux")]
#[test]
fn a_manager_whose_socket_is_no_file_is_told() {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;
    let dir = tempfile::tempdir().expect("a folder");
    let name = format!("eurekad-test{}", dir.path().display());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let manager = Manager(UnixDatagram::bind_addr(&address).expect("a socket"));
    manager.0.set_read_timeout(Some(SOON)).expect("an option");
    let mut command = command(dir.path(), &[]);
    command.env("NOTIFY_SOCKET", format!("@{name}"));
    let _server = Server::run(command, None);
    assert_eq!(manager.hears(), "STATUS=not open for traffic yet\n");
    assert_eq!(manager.hears(), "READY=1\nSTATUS=open for traffic\n");
}

#[test]
fn connections_wait_in_a_socket_that_was_handed_over_while_no_process_runs() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    for _ in 0..2 {
        let mut early = Wire::open(address);
        early.send(heartbeat("ORDERS", "ord-1"));
        let dir = tempfile::tempdir().expect("a folder");
        let inner = command(dir.path(), &[]);
        // The shell becomes the binary, so that it knows its number; its input becomes descriptor 3.
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", r#"exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@""#]);
        shell.arg(inner.get_program()).args(inner.get_args()).current_dir(dir.path()).env_clear();
        let socket: OwnedFd = listener.try_clone().expect("the same socket").into();
        let mut server = Server::run_with(shell, socket.into(), None);
        assert_eq!(server.address, address, "it listens nowhere else");
        assert_eq!(early.answer().status, 404);
        server.signal("TERM");
        assert_eq!(server.exit_code(), Some(0));
    }
}

#[test]
fn a_descriptor_that_is_no_socket_stops_the_start() {
    let dir = tempfile::tempdir().expect("a folder");
    let inner = command(dir.path(), &[]);
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"exec 3</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@""#]);
    shell.arg(inner.get_program()).args(inner.get_args()).current_dir(dir.path()).env_clear();
    let ended = output(shell);
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(said.contains("cannot use a socket that was handed over (LISTEN_FDS)"), "{said}");
}

#[test]
fn sockets_that_were_handed_to_another_process_are_left_alone() {
    for whose in ["", "LISTEN_PID= ", "LISTEN_PID=1 "] {
        let dir = tempfile::tempdir().expect("a folder");
        let inner = command(dir.path(), &[]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!(r#"exec 3</dev/null; LISTEN_FDS=1 {whose}exec "$0" "$@""#)]);
        shell.arg(inner.get_program()).args(inner.get_args()).current_dir(dir.path()).env_clear();
        let mut server = Server::run(shell, None);
        server.signal("TERM");
        assert_eq!(server.exit_code(), Some(0), "{whose}");
    }
}
