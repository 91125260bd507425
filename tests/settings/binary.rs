//! The commands, asked as a shell asks them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::snippets;

/// Runs the program in a folder, without any variable but these.
fn eurekad(dir: &Path, environment: &[(String, String)], arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_eurekad"))
        .args(arguments)
        .current_dir(dir)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// What is typically wrong with a file.
const MISTAKES: &str = "\
spring:
  application:
    name: registry
server:
  port: 87610
eureka:
  client:
    server-url:
      defaultZone: http://admin:hidden@peer:8761/eureka/
    register-with-eureka: flase
  server:
    eviction-interval-timer-in-ms: 60 sec
    batch-replication: true
  instance:
    hostname: ${HOST_NAME}
";

#[test]
fn check_names_five_mistakes_with_line_and_remedy() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("application.yml"), MISTAKES).unwrap();
    let output = eurekad(dir.path(), &[], &["check"]);
    assert_eq!(output.status.code(), Some(78));
    let told = text(&output.stdout);
    for (line, problem, remedy) in [
        (5, "server.port = \"87610\"", "must be a whole number from 0 to 65535"),
        (9, "eureka.client.server-url.defaultZone", "the nearest is eureka.client.service-url.defaultZone"),
        (10, "eureka.client.register-with-eureka = \"flase\"", "must be true or false"),
        (12, "eureka.server.eviction-interval-timer-in-ms = \"60 sec\"", "with a unit (30000, 30s, PT30S)"),
        (15, "eureka.instance.hostname", "give it a default, ${HOST_NAME:default}"),
        (13, "eureka.server.batch-replication", "has no effect: Java reads it nowhere either"),
    ] {
        let place = format!("(application.yml line {line})");
        let found = told.lines().find(|told| told.contains(problem) && told.contains(&place));
        assert!(found.is_some_and(|told| told.contains(remedy)), "{problem} {place} {remedy}:\n{told}");
    }
    assert!(told.ends_with("Mistakes: 3, warnings: 2.\n"), "{told}");
    assert!(!told.contains("hidden"), "{told}");
    // The server says the same of the three, and does not start.
    let output = eurekad(dir.path(), &[], &["--server.port=0"]);
    assert_eq!(output.status.code(), Some(78));
    assert_eq!(text(&output.stderr).lines().count(), 2, "{}", text(&output.stderr));
}

#[test]
fn check_finds_nothing_wrong_where_nothing_is() {
    for snippet in snippets().into_iter().filter(|snippet| snippet.warnings.is_empty()) {
        let words: Vec<&str> = snippet.words.iter().map(String::as_str).collect();
        let arguments = [words.as_slice(), &["check"]].concat();
        let output = eurekad(snippet.dir.path(), &snippet.environment, &arguments);
        let told = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}: {told}", snippet.name);
        assert!(told.ends_with("\nThe settings are right.\n"), "{}: {told}", snippet.name);
    }
}

#[test]
fn config_shows_what_holds_and_where_it_comes_from() {
    let project = snippets().into_iter().find(|snippet| snippet.name == "17-project").unwrap();
    let words: Vec<&str> = project.words.iter().map(String::as_str).collect();
    let output = eurekad(project.dir.path(), &project.environment, &[words.as_slice(), &["config", "--json"]].concat());
    assert_eq!(output.status.code(), Some(0));
    assert!(!text(&output.stdout).contains("hidden"));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["profiles"], serde_json::json!(["prod", "peers"]));
    assert_eq!(
        document["files"],
        serde_json::json!(["application.yml", "overrides.properties", "application-peers.yml"])
    );
    let property = |name: &str| {
        let mut properties = document["properties"].as_array().unwrap().iter();
        properties.find(|property| property["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    for (name, value) in &project.effective {
        assert_eq!(property(name)["value"], value.as_str(), "{name}");
    }
    assert_eq!(property("server.port")["origin"], "argument");
    assert_eq!(property("server.shutdown")["origin"], "default");
    let zones = property("eureka.client.service-url.defaultZone");
    assert_eq!((&zones["file"], zones["line"].as_u64()), (&Value::from("application-peers.yml"), Some(5)));
    assert_eq!(property("server.compression.enabled")["effect"], false);
    assert_eq!(property("server.compression.enabled")["reason"], "it tunes a Java web server");

    let output = eurekad(project.dir.path(), &project.environment, &["config", "-Dserver.port=1"]);
    let lines = text(&output.stdout);
    assert!(lines.lines().any(|line| line.starts_with("server.port=1 ") && line.ends_with("# argument -D")), "{lines}");
    assert!(!lines.contains("hidden"), "{lines}");
}

#[test]
fn config_tells_mistakes_too() {
    let dir = tempfile::tempdir().unwrap();
    let output = eurekad(dir.path(), &[], &["config", "--server.port=x", "--spring.security.user.password=hidden"]);
    assert_eq!(output.status.code(), Some(78));
    let told = text(&output.stdout);
    assert!(
        told.ends_with("# MISTAKE: server.port = \"x\" (argument): must be a whole number from 0 to 65535\n"),
        "{told}"
    );
    assert!(told.contains("spring.security.user.password=******"), "{told}");
    assert!(!told.contains("hidden"), "{told}");
}

#[test]
fn completions_are_printed_and_help_is_short() {
    let dir = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let output = eurekad(dir.path(), &[], &["completions", shell, "-Dserver.port=x"]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(text(&output.stdout).contains("completions"), "{shell}");
    }
    let output = eurekad(dir.path(), &[], &["--help"]);
    assert!(text(&output.stdout).lines().count() <= 26);
}

#[test]
fn settings_may_speak_of_the_machine_as_spring_cloud_does() {
    let dir = tempfile::tempdir().unwrap();
    let yaml = "eureka.instance.instance-id: ${spring.cloud.client.hostname}/${spring.cloud.client.ip-address}\n";
    fs::write(dir.path().join("application.yml"), yaml).unwrap();
    let id = |environment: &[(String, String)]| {
        let answer = eurekad(dir.path(), environment, &["config", "--json"]);
        let document: Value = serde_json::from_slice(&answer.stdout).unwrap();
        let properties = document["properties"].as_array().unwrap();
        let id = properties.iter().find(|property| property["name"] == "eureka.instance.instance-id").unwrap();
        id["value"].as_str().unwrap().to_owned()
    };
    let (host, address) = id(&[]).split_once('/').map(|(host, address)| (host.to_owned(), address.to_owned())).unwrap();
    assert!(!host.is_empty() && !host.contains('$'), "{host}");
    assert!(address.parse::<std::net::IpAddr>().is_ok(), "{address}");
    let set = [("SPRING_CLOUD_CLIENT_HOSTNAME".to_owned(), "elsewhere".to_owned())];
    assert!(id(&set).starts_with("elsewhere/"), "what somebody sets wins");
}
