//! From an event to a line, and from settings to outputs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::model::WallMillis;

const AT: WallMillis = 1_769_861_106_007;

/// What `work` logs, in a format, at [`AT`], an hour east of Greenwich.
fn logged(format: Format, work: impl FnOnce()) -> String {
    let stamps = Stamps::fixed(Clock::held(AT), 1);
    let (queue, written) = queue::kept();
    let settings = Settings::from_words(&["--logging.level.root=trace"]).unwrap().logging;
    let outputs = Outputs { stamps, outputs: vec![(format, queue.clone())] };
    let (_, dispatch) = subscriber(&settings, outputs);
    tracing::dispatcher::with_default(&dispatch, work);
    queue.end(Duration::from_secs(10));
    String::from_utf8(written.lock().clone()).unwrap()
}

const PLAIN: Format = Format::Text { colours: false };

fn ecs() -> Format {
    Format::Ecs { service: "registry".to_owned() }
}

/// A line of each kind of field.
fn event() {
    tracing::info!(
        target: "eurekad::registry::register", app = "A", id = %"a 1", silent = 3_u64, behind = -4, ratio = 0.85,
        healthy = true, "instance registered"
    );
}

#[tokio::test(start_paused = true)]
async fn text_is_one_line_for_people() {
    assert_eq!(
        logged(PLAIN, event),
        "2026-01-31T13:05:06.007+01:00  INFO registry::register: instance registered \
         app=A id=\"a 1\" silent=3 behind=-4 ratio=0.85 healthy=true\n"
    );
    let error = std::io::Error::other("no space left");
    let failure = || tracing::error!(target: "hyper::proto", %error, "cannot write");
    assert_eq!(
        logged(PLAIN, failure),
        "2026-01-31T13:05:06.007+01:00 ERROR hyper::proto: cannot write error=\"no space left\"\n"
    );
}

#[tokio::test(start_paused = true)]
async fn colours_are_springs() {
    let failure = || tracing::warn!(target: "eurekad::server", limit = 10, "few files");
    assert_eq!(
        logged(Format::Text { colours: true }, failure),
        "\u{1b}[2m2026-01-31T13:05:06.007+01:00\u{1b}[0m \u{1b}[33m WARN\u{1b}[0m \u{1b}[36mserver\u{1b}[0m: \
         few files \u{1b}[2mlimit\u{1b}[0m=10\n"
    );
}

#[tokio::test(start_paused = true)]
async fn ecs_has_dotted_names() {
    let pid = std::process::id();
    assert_eq!(
        logged(ecs(), event),
        format!(
            "{{\"@timestamp\":\"2026-01-31T12:05:06.007Z\",\"log.level\":\"INFO\",\"process.pid\":{pid},\
             \"service.name\":\"registry\",\"log.logger\":\"eurekad::registry::register\",\
             \"message\":\"instance registered\",\"app\":\"A\",\"id\":\"a 1\",\"silent\":3,\"behind\":-4,\
             \"ratio\":0.85,\"healthy\":true,\"ecs.version\":\"8.11\"}}\n"
        )
    );
    let line = logged(ecs(), || tracing::error!(error = "broken", share = f64::INFINITY, "failed"));
    assert!(line.contains("\"error.message\":\"broken\",\"share\":\"inf\""), "{line}");
}

#[tokio::test(start_paused = true)]
async fn logstash_has_level_values() {
    assert_eq!(
        logged(Format::Logstash, event),
        "{\"@timestamp\":\"2026-01-31T13:05:06.007+01:00\",\"@version\":\"1\",\"message\":\"instance registered\",\
         \"logger_name\":\"eurekad::registry::register\",\"level\":\"INFO\",\"level_value\":20000,\"app\":\"A\",\
         \"id\":\"a 1\",\"silent\":3,\"behind\":-4,\"ratio\":0.85,\"healthy\":true}\n"
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_forges_a_line() {
    let id = "a\n2026-01-31T13:05:06.007+01:00  INFO registry: forged\r\u{1b}[2J\" app=B";
    let cancelled = || {
        tracing::info!(target: "eurekad::registry", id, "{}", "cancelled\nforged");
        tracing::info!(target: "eurekad::registry", %id, empty = "", path = "C:\\x", "cancelled");
    };
    let escaped = r"a\n2026-01-31T13:05:06.007+01:00  INFO registry: forged\r\u001b[2J\";
    let text = logged(PLAIN, cancelled);
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            format!(r#"2026-01-31T13:05:06.007+01:00  INFO registry: cancelled\nforged id="{escaped}" app=B""#),
            format!(
                r#"2026-01-31T13:05:06.007+01:00  INFO registry: cancelled id="{escaped}" app=B" empty="" path="C:\\x""#
            ),
        ]
    );
    for format in [ecs(), Format::Logstash] {
        let lines = logged(format, cancelled);
        assert_eq!(lines.lines().count(), 2, "{lines}");
        for line in lines.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(object.get("id").and_then(serde_json::Value::as_str), Some(id));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_as_long_as_a_body_is_cut() {
    let id = "ü".repeat(100_000);
    let line = logged(PLAIN, || tracing::info!(%id, "cancelled"));
    assert!(line.ends_with("ü…\n"), "{}", line.len());
    assert!((4096..4300).contains(&line.len()), "{}", line.len());
}

const CONSOLE: Console = Console { terminal: false, no_color: false };

fn open(words: &[String]) -> Result<Log, LogFileError> {
    Log::open(&Settings::from_words(words).unwrap(), CONSOLE, Clock::held(AT))
}

#[test]
fn a_file_is_written_beside_the_console_and_opened_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/eurekad.log");
    let words = [
        format!("--logging.file.name={}", path.display()),
        "--logging.structured.format.file=logstash".to_owned(),
        // The console is the test's.
        "--logging.level.root=error".to_owned(),
    ];
    let log = open(&words).unwrap();
    let say = |text: &str| tracing::dispatcher::with_default(&log.dispatch, || tracing::error!("{text}"));
    say("first");
    while std::fs::read_to_string(&path).unwrap().is_empty() {
        std::thread::yield_now();
    }
    let moved = dir.path().join("moved");
    std::fs::rename(&path, &moved).unwrap();
    log.files().reopen();
    while !path.exists() {
        std::thread::yield_now();
    }
    say("second");
    assert_eq!(log.files().lost_lines(), 0);
    drop(log);
    let messages = |path: &Path| std::fs::read_to_string(path).unwrap().matches("\"message\":\"").count();
    assert_eq!((messages(&moved), messages(&path)), (1, 1), "the last line is out when the log goes");
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"message\":\"second\""));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let taken = dir.path().join("taken");
    std::fs::write(&taken, "").unwrap();
    let error = open(&[format!("--logging.file.path={}", taken.display())]).unwrap_err().to_string();
    let expected = format!("cannot write to {}/spring.log (logging.file.name): ", taken.display());
    assert!(error.starts_with(&expected), "{error}");
    let access =
        ["--server.tomcat.accesslog.enabled=true", &format!("--server.tomcat.accesslog.directory={}", taken.display())]
            .map(str::to_owned);
    let error = open(&access).unwrap_err().to_string();
    assert!(error.contains("/taken/access_log.2026-01-31.log (server.tomcat.accesslog.directory): "), "{error}");
}
