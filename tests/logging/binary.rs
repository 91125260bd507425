//! The real program with all its outputs on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

fn command(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eurekad"));
    command
        .args(["--server.port=0", "--server.address=127.0.0.1"])
        .args(words)
        .current_dir(dir)
        .env_clear()
        .env("TZ", "UTC");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server that ends with its test.
struct Running {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Running {
    fn start(dir: &Path, words: &[&str]) -> Self {
        let mut child = command(dir, words).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "the log ends");
        line
    }

    fn terminate(&mut self) -> String {
        let kill = format!("kill -TERM {}", self.child.id());
        assert!(Command::new("/bin/sh").args(["-c", &kill]).status().unwrap().success());
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(address: SocketAddr, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nHost: registry\r\nUser-Agent: odd \"one\"\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn text<'a>(object: &'a Value, name: &str) -> &'a str {
    object.get(name).and_then(Value::as_str).unwrap_or_else(|| panic!("{name} in {object}"))
}

#[test]
fn a_server_with_a_file_a_json_console_and_an_access_log() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Running::start(
        dir.path(),
        &[
            "--logging.structured.format.console=ecs",
            "--logging.file.path=log",
            "--logging.level.com.netflix.eureka.registry=trace",
            "--spring.application.name=registry",
            "--server.tomcat.accesslog.enabled=true",
            "--server.tomcat.accesslog.rotate=false",
            "--server.tomcat.accesslog.pattern=%h \"%r\" %s %b \"%{User-Agent}i\"",
        ],
    );
    let mut console = Vec::new();
    let address = loop {
        let line: Value = serde_json::from_str(&server.line()).unwrap();
        let listening = (text(&line, "message") == "listening").then(|| text(&line, "address").parse().unwrap());
        console.push(line);
        if let Some(address) = listening {
            break address;
        }
    };
    let id = r"a\n2026-01-31T13:05:06.007Z  INFO registry: forged";
    let instance = format!(
        r#"{{"instance":{{"app":"A","instanceId":"{id}","hostName":"a","ipAddr":"10.20.0.11","dataCenterInfo":{{"name":"MyOwn"}}}}}}"#
    );
    assert!(ask(address, "POST /eureka/apps/A", &instance).starts_with("HTTP/1.1 204"));
    let heartbeat = "/eureka/apps/A/a%0A2026-01-31T13:05:06.007Z%20%20INFO%20registry:%20forged";
    assert!(ask(address, &format!("PUT {heartbeat}"), "").starts_with("HTTP/1.1 200"));
    let rest = server.terminate();
    console.extend(rest.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));

    let messages: Vec<_> = console.iter().map(|line| text(line, "message")).collect();
    assert_eq!(
        messages,
        [
            "starting",
            "listening",
            "registry",
            "peers",
            "access",
            "logging",
            "instance registered",
            "lease renewed",
            "shutting down, running requests may finish",
            "all requests are answered, bye"
        ]
    );
    let registered = &console[6];
    assert_eq!(text(registered, "log.logger"), "eurekad::registry::register");
    assert_eq!(text(registered, "service.name"), "registry");
    assert_eq!(text(registered, "id"), id.replace("\\n", "\n"));

    let file = std::fs::read_to_string(dir.path().join("log/spring.log")).unwrap();
    assert_eq!(file.lines().count(), messages.len(), "{file}");
    let renewed = file.lines().nth(7).unwrap();
    assert!(renewed.ends_with(&format!("Z TRACE registry::renew: lease renewed app=A id=\"{id}\"")), "{renewed}");

    let access = std::fs::read_to_string(dir.path().join("logs/access_log.log")).unwrap();
    let user_agent = r#""odd \"one\"""#;
    let expected = format!(
        "127.0.0.1 \"POST /eureka/apps/A HTTP/1.1\" 204 - {user_agent}\n\
         127.0.0.1 \"PUT {heartbeat} HTTP/1.1\" 200 - {user_agent}\n"
    );
    assert_eq!(access, expected);
}

#[test]
fn a_log_file_that_cannot_be_written_stops_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let Output { status, stderr, .. } = command(dir.path(), &["--logging.file.name=/dev/null/e.log"]).output().unwrap();
    assert_eq!(status.code(), Some(1));
    let complaint = String::from_utf8(stderr).unwrap();
    assert!(complaint.starts_with("eurekad: cannot write to /dev/null/e.log (logging.file.name): "), "{complaint}");
}
