//! A read that begins after a write was answered sees the write, whoever else reads and writes; and
//! whoever lives on deltas never has to fetch everything. Over sockets, without waiting for anything
//! but answers.

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::follower::Follower;
use crate::server::list::{List, hash_code};
use crate::server::socket::{Connection, Running};
use crate::server::xml::Element;
use crate::server::{GZIP, JSON, Reply, SENDS_JSON, XML, body_with};

const WRITERS: usize = 4;
/// Deltas that a follower reads while others write, at most.
const MOST_DELTAS: usize = 300;

/// What a list shows of an instance: status, action, weight.
type Seen = Option<(String, String, String)>;

fn seen(reply: &Reply, id: &str) -> Seen {
    // An application is gone with its last instance.
    if reply.status == 404 {
        return None;
    }
    assert_eq!(reply.status, 200);
    if reply.header("content-type") == Some("application/json") {
        let document = reply.json();
        let instance = find_json(&document, id)?;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Some((text(&instance["status"]), text(&instance["actionType"]), text(&instance["metadata"]["weight"])))
    } else {
        let document = reply.xml();
        let instance = find_xml(&document, id)?;
        let text = |element: &Element, name: &str| element.text_of(name).expect("there").to_owned();
        let weight = text(instance.child("metadata").expect("there"), "weight");
        Some((text(instance, "status"), text(instance, "actionType"), weight))
    }
}

fn find_json<'a>(value: &'a Value, id: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) if members.get("instanceId").is_some_and(|its| its == id) => Some(value),
        Value::Object(members) => members.values().find_map(|member| find_json(member, id)),
        Value::Array(items) => items.iter().find_map(|item| find_json(item, id)),
        _ => None,
    }
}

fn find_xml<'a>(element: &'a Element, id: &str) -> Option<&'a Element> {
    if element.text_of("instanceId") == Some(id) {
        return Some(element);
    }
    element.children.iter().find_map(|child| find_xml(child, id))
}

/// A client with an application that it shares and a VIP of its own. It writes on one connection and
/// reads on another, so that nothing but the server puts the two in order.
struct Writer {
    app: String,
    vip: String,
    id: String,
    writes: Connection,
    reads: Connection,
}

impl Writer {
    async fn new(server: &Running, number: usize) -> Self {
        let (app, vip, id) = (format!("APP-{}", number % 2), format!("vip-{number}"), format!("i-{number}"));
        Self { app, vip, id, writes: server.connect().await, reads: server.connect().await }
    }

    async fn write(&mut self, method: &str, what: &str, status: u16) {
        let target = format!("/eureka/apps/{}/{}{what}", self.app, self.id);
        assert_eq!(self.writes.send(method, &target, &[JSON], b"").await.status, status, "{method} {target}");
    }

    async fn register(&mut self, weight: usize) {
        let members = json!({"vipAddress": self.vip, "metadata": {"weight": weight}});
        let body = body_with(&self.app, &self.id, &members).to_string();
        let target = format!("/eureka/apps/{}", self.app);
        assert_eq!(self.writes.send("POST", &target, &[SENDS_JSON], body.as_bytes()).await.status, 204);
    }

    /// Reads everything that could show the instance; nothing may show what was before.
    async fn expect(&mut self, status: &str, action: &str, weight: usize) {
        let shown = Some((status.to_owned(), action.to_owned(), weight.to_string()));
        let listed = if action == "DELETED" { None } else { shown.clone() };
        let (app, vip) = (format!("/eureka/apps/{}", self.app), format!("/eureka/vips/{}", self.vip));
        for (target, headers, expected) in [
            ("/eureka/apps", &[JSON][..], &listed),
            ("/eureka/apps/delta", &[JSON], &shown),
            (&app, &[JSON], &listed),
            (&vip, &[JSON], &listed),
            ("/eureka/apps", &[XML, GZIP], &listed),
            ("/eureka/apps/delta", &[XML, GZIP], &shown),
            (&app, &[XML], &listed),
            (&vip, &[XML], &listed),
            ("/eureka/apps", &[JSON, GZIP], &listed),
            ("/eureka/apps/delta", &[JSON, GZIP], &shown),
        ] {
            let reply = self.reads.get(target, headers).await;
            assert_eq!(&seen(&reply, &self.id), expected, "{} in {target} {headers:?}", self.id);
        }
    }

    async fn live(mut self, rounds: usize) {
        for round in 0..rounds {
            self.register(round).await;
            self.expect("UP", "ADDED", round).await;
            self.write("PUT", "/status?value=OUT_OF_SERVICE", 200).await;
            self.expect("OUT_OF_SERVICE", "MODIFIED", round).await;
            self.write("PUT", &format!("/metadata?weight={}", round + 1), 200).await;
            self.expect("OUT_OF_SERVICE", "ADDED", round + 1).await;
            self.write("DELETE", "", 200).await;
            self.expect("OUT_OF_SERVICE", "DELETED", round + 1).await;
        }
    }
}

/// One who fetched everything once and lives on deltas while others write.
async fn follow(mut connection: Connection, form: Vec<(&str, &str)>, mut written: watch::Receiver<bool>) {
    let full = List::of(&connection.get("/eureka/apps", &form).await);
    let mut follower = Follower::of(&full);
    for read in 0..MOST_DELTAS {
        if *written.borrow() {
            break;
        }
        follower.catch_up(&List::of(&connection.get("/eureka/apps/delta", &form).await));
        if read % 4 == 0 {
            let full = List::of(&connection.get("/eureka/apps", &form).await);
            assert_eq!(full.hash, hash_code(full.records.iter().map(|record| &*record.status)));
            let beat = connection.send("PUT", "/eureka/apps/STEADY/steady-0", &[], b"").await;
            assert_eq!(beat.status, 200);
        }
    }
    written.wait_for(|written| *written).await.expect("told");
    follower.catch_up(&List::of(&connection.get("/eureka/apps/delta", &form).await));
    let full = List::of(&connection.get("/eureka/apps", &form).await);
    assert_eq!(follower, Follower::of(&full));
    assert!(full.records.iter().all(|record| record.app == "STEADY"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_read_sees_every_write_that_was_answered_before_it() {
    write_and_read(20, 5).await;
}

/// Long lists are written on threads of their own.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_read_of_a_long_list_sees_every_write_that_was_answered_before_it() {
    write_and_read(201, 1).await;
}

/// So many instances stay; each writer changes its own so many times four times.
async fn write_and_read(steady: usize, rounds: usize) {
    let server = Running::start(&[]).await;
    let mut connection = server.connect().await;
    for n in 0..steady {
        let body = body_with("STEADY", &format!("steady-{n}"), &json!({"metadata": {"weight": 0}})).to_string();
        let reply = connection.send("POST", "/eureka/apps/STEADY", &[SENDS_JSON], body.as_bytes()).await;
        assert_eq!(reply.status, 204);
    }
    drop(connection);

    let (all_written, written) = watch::channel(false);
    let mut followers = Vec::new();
    for form in [vec![JSON], vec![JSON, GZIP], vec![XML], vec![XML, GZIP]] {
        followers.push(tokio::spawn(follow(server.connect().await, form, written.clone())));
    }
    let mut writers = Vec::new();
    for number in 0..WRITERS {
        writers.push(tokio::spawn(Writer::new(&server, number).await.live(rounds)));
    }
    for writer in writers {
        ended(writer).await;
    }
    all_written.send(true).expect("somebody listens");
    for follower in followers {
        ended(follower).await;
    }
    server.stop().await;
}

/// Waits for a task; its panic is the test's.
async fn ended(task: JoinHandle<()>) {
    task.await.unwrap_or_else(|failed| std::panic::resume_unwind(failed.into_panic()));
}
