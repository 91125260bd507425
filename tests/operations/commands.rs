//! The commands, asked as a shell asks them, and a running server.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::body_with;
use crate::sockets::server::{Server, command, eventually, output};
use crate::sockets::wire::{heartbeat, post};

/// Exit code, standard output, standard error.
type Told = (Option<i32>, String, String);

fn eurekad(dir: &Path, arguments: &[&str]) -> Told {
    let output = output(command(dir, arguments));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A server with three instances, and how a command finds it.
fn server(words: &[&str]) -> (Server, TempDir, String) {
    let server = Server::start(words);
    let url = format!("http://{}", server.address);
    (server, TempDir::new().expect("a folder"), url)
}

fn fill(server: &Server) {
    let mut wire = server.connect();
    for (number, version) in [(1, "1.4"), (2, "1.4"), (3, "1.5")] {
        let members = json!({"metadata": {"version": version, "zone": "a"}, "ipAddr": format!("10.20.0.{number}")});
        let body = body_with("ORDERS", &format!("ord-{number}"), &members);
        assert_eq!(wire.ask(post("ORDERS", &body.to_string())).status, 204);
    }
}

#[test]
fn instances_are_listed_drained_and_put_back() {
    let (server, dir, url) = server(&[]);
    fill(&server);
    let run = |arguments: &[&str]| eurekad(dir.path(), &[arguments, &["--server", &url]].concat());
    let (code, told, _) = run(&["ls", "--metadata", "version=1.4"]);
    let expected = "\
APP     INSTANCE  STATUS  ADDRESS         ZONE  SET FROM OUTSIDE
ORDERS  ord-1     UP      10.20.0.1:8080  a     -
ORDERS  ord-2     UP      10.20.0.2:8080  a     -
";
    assert_eq!((code, told.as_str()), (Some(0), expected));
    assert_eq!(run(&["ls", "nothing"]), (Some(1), String::new(), String::new()));

    let drain = ["drain", "--metadata=version=1.4", "--reason", "bad release", "--owner", "ann", "--for", "30m"];
    let (code, told, error) = run(&drain);
    assert_eq!((code, told.as_str()), (Some(2), ""));
    assert_eq!(error, "eurekad: there is nobody to ask: say --yes, or --dry-run\n");
    let (code, told, _) = run(&[&drain[..], &["--dry-run"]].concat());
    assert_eq!(code, Some(0));
    assert!(told.ends_with("ORDERS  ord-2     UP      OUT_OF_SERVICE\n\n2 of 2 would change.\n"), "{told}");
    let (code, told, _) = run(&[&drain[..], &["--yes"]].concat());
    assert_eq!(code, Some(0));
    assert!(told.contains("2 of 2 changed.\nEnds by itself at "), "{told}");
    let (_, undo) = told.split_once("Undo: eurekad resume --operation ").expect("a way back");

    let (code, told, _) = run(&["overrides"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("ORDERS  ord-1     OUT_OF_SERVICE  ann    bad release  20"), "{told}");
    let (code, told, _) = run(&["explain", "orders", "ord-1"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("from outside by ann (bad release).\n"), "{told}");
    let (code, told, _) = run(&["show", "orders", "ord-1"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("status: OUT_OF_SERVICE\n") && told.contains("metadata.version: 1.4\n"), "{told}");
    let (code, told, _) = run(&["show", "orders"]);
    assert_eq!((code, told.lines().count()), (Some(0), 4));

    let (code, told, _) = run(&["resume", "--operation", undo.trim(), "--json"]);
    assert_eq!(code, Some(0));
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(
        told["changed"][0],
        json!({"app": "ORDERS", "instance": "ord-1", "before": "OUT_OF_SERVICE", "after": "UP"})
    );
    assert_eq!(run(&["overrides"]).0, Some(1));

    let (code, told, _) = run(&["evict", "--instance", "ord-3", "--yes", "--reason", "gone"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("ORDERS  ord-3     UP      gone\n"), "{told}");
    assert_eq!(run(&["ls", "--app", "ORDERS"]).1.lines().count(), 3);
}

#[test]
fn what_is_known_from_before_a_restart_alone_is_marked() {
    let state = TempDir::new().expect("a folder");
    let path = format!("--eurekad.snapshot.path={}", state.path().join("registry.snapshot").display());
    let (mut before, dir, url) = server(&[&path]);
    fill(&before);
    let drain = ["drain", "--instance=ord-3", "--reason=disk", "--owner=ann", "--for=30m", "--yes", "--server", &url];
    assert_eq!(eurekad(dir.path(), &drain).0, Some(0));
    let overrides = eurekad(dir.path(), &["overrides", "--server", &url]);
    assert!(overrides.1.contains("ORDERS  ord-3     OUT_OF_SERVICE  ann    disk    20"), "{}", overrides.1);
    before.signal("TERM");
    assert_eq!(before.exit_code(), Some(0));

    let (after, dir, url) = server(&[&path]);
    let run = |arguments: &[&str]| eurekad(dir.path(), &[arguments, &["--server", &url]].concat());
    assert_eq!(run(&["overrides"]), overrides, "with its reason, its owner and its end");
    assert_eq!(after.connect().ask(heartbeat("ORDERS", "ord-1")).status, 200);
    let expected = "\
APP     INSTANCE  STATUS           ADDRESS         ZONE  SET FROM OUTSIDE
ORDERS  ord-1     UP               10.20.0.1:8080  a     -
ORDERS  ord-2     UP, unconfirmed  10.20.0.2:8080  a     -
";
    assert_eq!(run(&["show", "orders", "--json"]).0, Some(0));
    assert_eq!(run(&["ls", "--metadata", "version=1.4"]).1, expected);
    assert!(!run(&["show", "orders", "ord-1"]).1.contains("unconfirmed"));
    assert!(run(&["show", "orders", "ord-2"]).1.ends_with("\nunconfirmed: true\n"));
    assert!(run(&["explain", "orders", "ord-2"]).1.starts_with("It is known from before the restart and unconfirmed;"));
}

#[test]
fn a_loss_is_accepted_by_a_command() {
    let (server, dir, url) = server(&[]);
    let run = |arguments: &[&str]| eurekad(dir.path(), &[&["accept"], arguments, &["--server", &url]].concat());
    let mut wire = server.connect();
    for (id, renewal) in [("ord-1", 1), ("ord-2", 1), ("ord-3", 3_600)] {
        let members = json!({"leaseInfo": {"renewalIntervalInSecs": renewal, "durationInSecs": 7_200}});
        assert_eq!(wire.ask(post("ORDERS", &body_with("ORDERS", id, &members).to_string())).status, 204);
    }
    assert_eq!(run(&[]), (Some(2), String::new(), "eurekad: there is nobody to ask: say --yes, or --dry-run\n".into()));
    let expected = "APP     LEASES  SILENT\nORDERS  3       2\n\n2 of 3 leases would end.\n";
    eventually("two are silent", || (run(&["--dry-run"]).1 == expected).then_some(()));
    let ended = (Some(0), "2 leases ended.\n".to_owned(), String::new());
    assert_eq!(run(&["--yes", "--reason", "scaled in"]), ended);
    let none = (Some(1), "0 of 1 leases would end.\n".to_owned(), String::new());
    assert_eq!(run(&["--dry-run"]), none);
    assert_eq!(run(&["--yes", "--json"]).1, "{\"accepted\":0}\n");
}

#[test]
fn what_goes_wrong_has_an_exit_code_of_its_own() {
    let (server, dir, url) = server(&[]);
    fill(&server);
    let run = |arguments: &[&str]| eurekad(dir.path(), &[arguments, &["--server", &url]].concat());
    let (code, _, error) = run(&["drain", "--yes"]);
    assert_eq!(code, Some(2));
    assert!(error.starts_with("eurekad: say which instances are meant, by one of --app, "), "{error}");
    let (code, _, error) = run(&["drain", "--app", "orders", "--for", "soon", "--yes"]);
    assert_eq!(code, Some(2));
    assert!(error.starts_with("eurekad: for: \"soon\" must be a time"), "{error}");
    let (code, _, error) = run(&["drain", "--app", "none", "--yes"]);
    assert_eq!((code, error.as_str()), (Some(1), "eurekad: select: no instance is meant\n"));
    let (code, _, error) = run(&["explain", "orders", "none"]);
    assert_eq!((code, error.as_str()), (Some(1), "eurekad: ORDERS has no instance none\n"));
    let (code, _, error) = eurekad(dir.path(), &["ls", "--server", "localhost"]);
    assert_eq!(code, Some(2));
    assert!(error.starts_with("eurekad: --server: "), "{error}");
    let mut named = command(dir.path(), &["ls"]);
    named.env("EUREKAD_SERVER", &url);
    assert_eq!(output(named).status.code(), Some(0));
    let mut checked = command(dir.path(), &["check"]);
    checked.env("EUREKAD_SERVER", &url);
    let checked = output(checked);
    assert!(!String::from_utf8_lossy(&checked.stdout).contains("EUREKAD_SERVER"), "it is no property");
    drop(server);
    let (code, told, error) = run(&["ls"]);
    assert_eq!((code, told.as_str()), (Some(69), ""));
    assert!(error.starts_with(&format!("eurekad: no answer from {url}/eureka/: ")), "{error}");
}

#[test]
fn a_command_logs_in() {
    let words = ["--eurekad.security.users[0].name=ann", "--eurekad.security.users[0].password=a:\u{df}"];
    let roles = ["--eurekad.security.users[0].roles=read,operate"];
    let token = ["--eurekad.security.tokens[0].name=bot", "--eurekad.security.tokens[0].token=0123456789abcdef"];
    let words = [&words[..], &roles, &token, &["--eurekad.security.tokens[0].roles=read"]].concat();
    let (server, dir, url) = server(&words);
    let file = |name: &str, content: &str| {
        let path = dir.path().join(name);
        fs::write(&path, content).expect("a file");
        path.display().to_string()
    };
    let (password, token) = (file("password", "a:\u{df}\n"), file("token", "0123456789abcdef\n"));
    let run = |arguments: &[&str]| eurekad(dir.path(), &[arguments, &["--server", &url]].concat());
    let (code, _, error) = run(&["ls"]);
    assert_eq!(code, Some(1));
    assert!(error.contains("takes a login: --user with --password-file"), "{error}");
    assert_eq!(run(&["ls", "--token-file", &token]), (Some(1), String::new(), String::new()), "nothing is there");
    let drain = ["drain", "--app", "none", "--yes"];
    let (_, _, error) = run(&[&drain[..], &["--token-file", &token]].concat());
    assert!(error.contains("does not allow this to this login"), "{error}");
    let (_, _, error) = run(&[&drain[..], &["--user", "ann", "--password-file", &password]].concat());
    assert_eq!(error, "eurekad: select: no instance is meant\n");
    // The settings of the server are the settings of the command.
    let port = format!("--server.port={}", server.address.port());
    let mut own = command(dir.path(), &drain);
    own.args(words).arg(port);
    let told = output(own);
    assert_eq!(String::from_utf8_lossy(&told.stderr), "eurekad: select: no instance is meant\n");
}

/// Answers each connection with the next of these and closes it; gives the heads of the requests.
fn answering(answers: &'static [&'static str]) -> (String, thread::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/eureka/", listener.local_addr().expect("an address"));
    let heads = thread::spawn(move || {
        let answer = |answer: &&str| {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") {
                stream.read_exact(&mut byte).expect("a head");
                head.extend_from_slice(&byte);
            }
            stream.write_all(answer.as_bytes()).expect("an answer");
            String::from_utf8(head).expect("a text")
        };
        answers.iter().map(answer).collect()
    });
    (url, heads)
}

#[test]
fn a_watch_goes_on_where_its_stream_broke() {
    const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    static FIRST: std::sync::LazyLock<[String; 2]> = std::sync::LazyLock::new(|| {
        let event = |id: &str, status: &str| {
            let data = json!({
                "version": 2, "app": "ORDERS", "instance": "ord-1", "status": status, "before": "UP",
                "cause": "status set", "origin": "operator", "at": 1_764_500_400_000_i64,
            });
            format!("{HEAD}id: {id}\nevent: status\ndata: {data}\n\nid: 9-9\ndata: {{\"cut")
        };
        [event("7-2", "DOWN"), event("7-3", "OUT_OF_SERVICE")]
    });
    let gone = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let answers: Vec<&'static str> = FIRST.iter().map(String::as_str).chain([gone]).collect();
    let (url, heads) = answering(answers.leak());
    let dir = TempDir::new().expect("a folder");
    let (code, told, error) = eurekad(dir.path(), &["watch", "--app", "orders", "--server", &url]);
    assert_eq!(
        told,
        "2025-11-30T11:00:00Z status       ORDERS/ord-1 UP -> DOWN cause=status-set origin=operator\n\
         2025-11-30T11:00:00Z status       ORDERS/ord-1 UP -> OUT_OF_SERVICE cause=status-set origin=operator\n"
    );
    assert_eq!(code, Some(1), "{error}");
    let heads = heads.join().expect("its requests");
    assert!(heads[0].starts_with("GET /eureka/events?app=orders HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(!heads[0].contains("last-event-id"));
    assert!(heads[1].contains("last-event-id: 7-2\r\n") && heads[2].contains("last-event-id: 7-3\r\n"), "{heads:?}");
}
