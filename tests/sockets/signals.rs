//! Signals: what is still taken after the first, what the second one does, the end while it starts, and as process 1.

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;

use crate::dns_stub::{DnsStub, Trouble};

use super::server::{SOON, Server, command, eventually, output, output_of};
use super::wire::{get, heartbeat, register};

#[test]
fn requests_are_taken_for_a_while_after_readiness_says_no() {
    let mut server = Server::start(&["--eurekad.http.shutdown-delay=1h"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let mut kept = server.connect();
    let answer = kept.ask(heartbeat("ORDERS", "ord-1"));
    assert_eq!((answer.status, answer.header("connection")), (200, None));
    server.signal("TERM");
    let readiness = get("/actuator/health/readiness", "");
    eventually("it is not ready", || (server.connect().ask(&readiness).status == 503).then_some(()));
    assert_eq!(server.connect().ask(get("/actuator/health/liveness", "")).status, 200, "it lives");
    let answer = kept.ask(heartbeat("ORDERS", "ord-1"));
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")), "the client is to go elsewhere");
    kept.closed();
    let answer = server.connect().ask(register("ORDERS", "ord-2"));
    assert_eq!((answer.status, answer.header("connection")), (204, Some("close")), "on a new connection, too");
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(143), "it would wait for an hour");
}

#[test]
fn after_that_while_it_ends_in_order() {
    let mut server = Server::start(&["--eurekad.http.shutdown-delay=200"]);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let idle = server.connect();
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
    idle.closed();
    let log = server.log();
    assert!(log.contains("requests are still taken for a while delay=200ms"), "{log}");
    assert!(log.contains("all requests are answered"), "{log}");
}

#[test]
fn immediately_means_without_that_while() {
    let mut server = Server::start(&["--eurekad.http.shutdown-delay=1h", "--server.shutdown=immediate"]);
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn a_second_signal_ends_it_at_once() {
    for (first, second, code) in [("TERM", "TERM", 143), ("INT", "INT", 130), ("TERM", "INT", 130)] {
        let mut server = Server::start(&["--spring.lifecycle.timeout-per-shutdown-phase=1h"]);
        let whole = register("ORDERS", "ord-1");
        let mut stuck = server.connect();
        stuck.send(&whole[..whole.len() - 1]);
        assert_eq!(server.connect().ask(heartbeat("ORDERS", "ghost")).status, 404);
        server.signal(first);
        eventually("the end has begun", || TcpStream::connect(server.address).is_err().then_some(()));
        server.signal(second);
        assert_eq!(server.exit_code(), Some(code));
        stuck.closed();
        assert!(server.log().contains("a second signal came, ending at once"), "{}", server.log());
    }
}

#[test]
fn an_end_during_the_first_copy_waits_for_no_peer() {
    // The system takes connections there, and nobody answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let peer =
        format!("--eureka.client.service-url.defaultZone=http://{}/eureka/", silent.local_addr().expect("an address"));
    let mut server = Server::start(&[&peer, "--eureka.server.peer-node-read-timeout-ms=3600000"]);
    let _asked = silent.accept().expect("the node asks");
    assert_eq!(server.connect().ask(get("/eureka/apps", "")).status, 403, "it is not open");
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
}

#[test]
fn an_end_while_names_are_looked_up_waits_for_no_answer() {
    let dns = DnsStub::start();
    dns.trouble("nodes.test", None, Trouble::Silence);
    let server = format!("--eurekad.peers.dns-server={}", dns.address());
    let mut server = Server::start(&["--eurekad.peers.dns=nodes.test", &server]);
    eventually("the name is asked for", || (dns.asked("nodes.test") > 0).then_some(()));
    server.signal("TERM");
    assert_eq!(server.exit_code(), Some(0));
}

/// Opening a pipe waits for somebody at its other end, and reading it for words from there.
#[test]
fn an_end_while_settings_are_read_waits_for_no_file() {
    for is_alone in [false, true] {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("application.yml");
        assert!(Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
        let command = command(dir.path(), &[]);
        let Some(mut command) = (if is_alone { alone(&command) } else { Some(command) }) else { return };
        let node = command.current_dir(dir.path()).stderr(Stdio::piped()).spawn().expect("the binary");
        let (opened, is_opened) = mpsc::channel();
        let other_end = std::thread::spawn(move || opened.send(File::create(file)));
        let _silent = is_opened.recv_timeout(SOON).expect("it reads its settings").expect("the other end");
        let _sent = other_end.join().expect("a thread");
        let pid = if is_alone { child_of(node.id()) } else { node.id().to_string() };
        kill(&pid);
        let said = output_of(node);
        assert_eq!(said.status.code(), Some(0), "{said:?}");
        assert_eq!(String::from_utf8_lossy(&said.stderr), "eurekad: a signal came before the settings were read\n");
    }
}

/// The command as process 1, or none where the system has no namespaces for everybody.
#[expect(clippy::print_stdout, reason = "CI shows why it did not run")]
fn alone(program: &Command) -> Option<Command> {
    let within = |program: &Command| {
        let mut alone = Command::new("unshare");
        alone.args(["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--"]);
        alone.arg(program.get_program()).args(program.get_args());
        alone
    };
    let tried = within(&Command::new("true")).output();
    if !tried.as_ref().is_ok_and(|tried| tried.status.success()) {
        println!("skipped: there are no namespaces here: {tried:?}");
        return None;
    }
    Some(within(program))
}

fn child_of(parent: u32) -> String {
    let children = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).expect("its children");
    children.trim().to_owned()
}

fn kill(pid: &str) {
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", &format!("kill -TERM {pid}")]);
    assert!(output(kill).status.success());
}

/// Process 1 is sent no signal that it has no handler for, and takes over processes that nobody waits for; this one has
/// no children.
#[cfg(target_os = "linux")]
#[test]
fn it_ends_as_process_1() {
    let dir = tempfile::tempdir().expect("a folder");
    let Some(mut command) = alone(&command(dir.path(), &[])) else { return };
    command.current_dir(dir.path());
    let mut server = Server::run(command, None);
    server.fill("ORDERS", ["ord-1".to_owned()]);
    let child = child_of(server.pid());
    let status = std::fs::read_to_string(format!("/proc/{child}/status")).expect("its figures");
    let own = status.lines().find_map(|line| line.strip_prefix("NSpid:")).expect("its numbers");
    assert_eq!(own.split_whitespace().last(), Some("1"), "{own}");
    kill(&child);
    assert_eq!(server.exit_code(), Some(0));
    assert!(server.log().contains("all requests are answered"), "{}", server.log());
}
