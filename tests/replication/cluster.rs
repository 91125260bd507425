//! Nodes with known addresses, and what an operator sees of them.

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sockets::server::{SOON, Server, eventually};
use crate::sockets::wire::{get, heartbeat, request};

/// Where the nodes of all tests listen.
const PORT: u16 = 8761;

/// An address that nobody else has: the second and third byte are this process's.
pub(crate) fn address() -> SocketAddr {
    static LAST: AtomicU8 = AtomicU8::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let last = LAST.fetch_add(1, Ordering::Relaxed);
    assert!(last < 250, "there are no more addresses");
    (Ipv4Addr::new(127, 100 + high % 100, low, last + 1), PORT).into()
}

/// As many of them.
pub(crate) fn addresses<const N: usize>() -> [SocketAddr; N] {
    std::array::from_fn(|_| address())
}

/// What a setting has for a node.
pub(crate) fn url(address: SocketAddr) -> String {
    format!("http://{address}/eureka/")
}

/// The word that lists these peers.
pub(crate) fn peers(of: &[SocketAddr]) -> String {
    let urls: Vec<_> = of.iter().map(|address| url(*address)).collect();
    format!("--eureka.client.service-url.defaultZone={}", urls.join(","))
}

/// A node at an address, once it listens.
pub(crate) fn node(address: SocketAddr, others: &[SocketAddr], words: &[&str]) -> Server {
    let peers = peers(others);
    let words: Vec<_> = words.iter().copied().chain([peers.as_str()]).collect();
    Server::start_at(address, &words)
}

/// Nodes that are all peers of each other, open for traffic and with a line to each.
pub(crate) fn cluster<const N: usize>(words: &[&str]) -> [Server; N] {
    let all: [SocketAddr; N] = addresses();
    let nodes = all.map(|own| {
        let others: Vec<_> = all.into_iter().filter(|other| *other != own).collect();
        let quick = ["--eureka.server.registry-sync-retries=1", "--eureka.server.registry-sync-retry-wait-ms=100"];
        let words: Vec<_> = words.iter().copied().chain(quick).collect();
        node(own, &others, &words)
    });
    for node in &nodes {
        is_open(node);
        eventually("the peers answer", || (replicas(node).available.len() == N - 1).then_some(()));
    }
    nodes
}

/// Waits until clients may read.
pub(crate) fn is_open(node: &Server) {
    eventually("the node is open", || (ask(node, get("/eureka/apps", "")) == 200).then_some(()));
}

/// The status of an answer, on a connection of its own.
pub(crate) fn ask(node: &Server, request: String) -> u16 {
    node.connect().ask(request).status
}

/// Status and override of an instance.
pub(crate) fn state(node: &Server, app: &str, id: &str) -> Option<(String, String)> {
    let answer = node.connect().ask(get(&format!("/eureka/apps/{app}/{id}"), "Accept: application/json\r\n"));
    let found: Value = (answer.status == 200).then(|| serde_json::from_slice(&answer.body).expect("JSON"))?;
    Some(state_of(&found["instance"]))
}

fn state_of(instance: &Value) -> (String, String) {
    let text = |name: &str| instance[name].as_str().expect(name).to_owned();
    (text("status"), text("overriddenStatus"))
}

/// Whether a node has an instance.
pub(crate) fn holds(node: &Server, app: &str, id: &str) -> bool {
    state(node, app, id).is_some()
}

/// Status and override of every instance, in the order of their names.
pub(crate) fn everything(node: &Server) -> BTreeMap<String, (String, String)> {
    let answer = node.connect().ask(get("/eureka/apps", "Accept: application/json\r\n"));
    assert_eq!(answer.status, 200);
    let list: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let apps = list["applications"]["application"].as_array().expect("applications");
    let instances = apps.iter().flat_map(|app| app["instance"].as_array().expect("instances"));
    instances.map(|one| (one["instanceId"].as_str().expect("an id").to_owned(), state_of(one))).collect()
}

/// Waits until all nodes hold the same.
pub(crate) fn agree(nodes: &[&Server], within: Duration) {
    let begin = Instant::now();
    loop {
        let lists: Vec<_> = nodes.iter().map(|node| everything(node)).collect();
        if lists.iter().all(|list| list == &lists[0]) {
            return;
        }
        let lengths: Vec<_> = lists.iter().map(BTreeMap::len).collect();
        assert!(begin.elapsed() < within, "the nodes hold {lengths:?} instances and do not agree");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The peers as the status document has them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replicas {
    pub(crate) registered: Vec<String>,
    pub(crate) available: Vec<String>,
    pub(crate) unavailable: Vec<String>,
}

pub(crate) fn replicas(node: &Server) -> Replicas {
    let answer = node.connect().ask(get("/eureka/status", "Accept: application/json\r\n"));
    let document: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let list = |name: &str| {
        let text = find(&document, name).expect(name).as_str().expect("text");
        text.split([',', ' ']).filter(|url| !url.is_empty()).map(str::to_owned).collect()
    };
    Replicas {
        registered: list("registered-replicas"),
        available: list("available-replicas"),
        unavailable: list("unavailable-replicas"),
    }
}

fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let object = value.as_object()?;
    object.get(name).or_else(|| object.values().find_map(|inner| find(inner, name)))
}

pub(crate) fn cancel(app: &str, id: &str) -> String {
    request("DELETE", &format!("/eureka/apps/{app}/{id}"), "")
}

pub(crate) fn set_status(app: &str, id: &str, status: &str) -> String {
    request("PUT", &format!("/eureka/apps/{app}/{id}/status?value={status}"), "Content-Length: 0\r\n")
}

pub(crate) fn remove_status(app: &str, id: &str) -> String {
    request("DELETE", &format!("/eureka/apps/{app}/{id}/status?value=UP"), "")
}

/// `prefix-0`, `prefix-1` and so on.
pub(crate) fn ids(prefix: &str, count: usize) -> impl Iterator<Item = String> + Clone + use<> {
    let prefix = prefix.to_owned();
    (0..count).map(move |number| format!("{prefix}-{number}"))
}

/// A heartbeat of each, on one connection: the statuses of the answers.
pub(crate) fn beat_all(node: &Server, app: &str, ids: impl IntoIterator<Item = String>) -> Vec<u16> {
    let mut wire = node.connect();
    ids.into_iter().map(|id| wire.ask(heartbeat(app, &id)).status).collect()
}

/// Connections of a process on this machine that lead to an address and are established.
pub(crate) fn connections_to(address: SocketAddr) -> usize {
    let IpAddr::V4(ip) = address.ip() else { panic!("not of version 4") };
    let remote = format!("{:08X}:{:04X}", u32::from_le_bytes(ip.octets()), address.port());
    let table = fs::read_to_string("/proc/net/tcp").expect("the kernel's table");
    let fields = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    fields.filter(|fields| fields.get(2) == Some(&remote.as_str()) && fields.get(3) == Some(&"01")).count()
}

/// Processor time that a node has used.
pub(crate) fn processor_time(node: &Server) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", node.pid())).expect("its figures");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let ticks = |place: usize| fields.split_whitespace().nth(place).and_then(|ticks| ticks.parse::<u64>().ok());
    // 100 a second, on every Linux that Rust runs on.
    Duration::from_millis((ticks(11).expect("user") + ticks(12).expect("system")) * 10)
}

/// Memory of a node, in KiB.
pub(crate) fn memory(node: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", node.pid())).expect("its figures");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Lines of a node's log that name an address.
pub(crate) fn lines_about(node: &Server, address: SocketAddr) -> usize {
    let address = address.to_string();
    node.log().lines().filter(|line| line.contains(&address)).count()
}

/// Lines of a log that tell of trouble.
pub(crate) fn troubles(node: &Server) -> Vec<String> {
    let log = node.log();
    let troubles = log.lines().filter(|line| line.contains("WARN") || line.contains("ERROR"));
    // A node on all addresses has no login here, and says so.
    troubles.filter(|line| !line.contains("everybody who reaches this server")).map(str::to_owned).collect()
}

/// Does something again and again for a while.
pub(crate) fn throughout(time: Duration, mut work: impl FnMut()) {
    let begin = Instant::now();
    assert!(time < SOON * 2, "a test is bounded");
    while begin.elapsed() < time {
        work();
    }
}
