//! Bodies made to cost much: bombs, depth, numbers of things, broken chunks.

use std::fmt::Write as _;

use super::bystander::{Bystander, ROUNDS};
use super::server::Server;
#[cfg(target_os = "linux")]
use super::server::eventually;
use super::size_limits::packed;
use super::wire::{instance, request};

/// More than any of these bodies may cost for good, on an allocator that keeps some.
#[cfg(target_os = "linux")]
const FOR_GOOD: u64 = 192 << 20;

fn post(path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let headers = format!("{headers}Content-Length: {}\r\n", body.len());
    [request("POST", path, &headers).as_bytes(), body].concat()
}

const APP: &str = "/eureka/apps/ORDERS";
const BATCH: &str = "/eureka/peerreplication/batch/";
const JSON: &str = "Content-Type: application/json\r\n";
const XML: &str = "Content-Type: application/xml\r\n";
const JSON_GZIP: &str = "Content-Type: application/json\r\nContent-Encoding: gzip\r\n";

fn numbered(times: usize, piece: impl Fn(usize) -> String) -> String {
    (0..times).map(piece).collect::<Vec<_>>().concat()
}

/// Entities that stand for ten of the one before each, ten times.
fn laughs() -> String {
    let mut xml = "<!DOCTYPE instance [<!ENTITY l0 \"ha\">".to_owned();
    for n in 1..=10 {
        let _ = write!(xml, "<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10));
    }
    xml + "]><instance><app>&l10;</app></instance>"
}

fn metadata(keys: usize) -> String {
    let entries: Vec<_> = (0..keys).map(|n| format!("\"k{n}\":\"v\"")).collect();
    format!("\"metadata\":{{{}}}", entries.join(","))
}

fn with(member: &str) -> String {
    instance("ORDERS", "ord-1").replacen("\"status\"", &format!("{member},\"status\""), 1)
}

fn batch_of(instance: &str, times: usize) -> String {
    let inner = instance.trim_start_matches("{\"instance\":");
    let inner = &inner[..inner.len() - 1];
    let item = format!("{{\"appName\":\"ORDERS\",\"id\":\"ord-1\",\"action\":\"Register\",\"instanceInfo\":{inner}}}");
    format!("{{\"replicationList\":[{}]}}", vec![item; times].join(","))
}

fn bombs() -> Vec<(&'static str, Vec<u8>, u16)> {
    let megabytes = |n: usize, piece: &str| piece.repeat((n << 20) / piece.len());
    let attributes = numbered(100_000, |n| format!(" a{n}=\"1\""));
    let tags = |n: usize| format!("<instance>{}{}</instance>", "<a>".repeat(n), "</a>".repeat(n));
    let keys = numbered(100_000, |n| format!("<k{n}>v</k{n}>"));
    vec![
        ("gzip of 100 MB of blanks", post(APP, JSON_GZIP, &packed(&vec![b' '; 100 << 20])), 413),
        ("gzip of 100 MB in a batch", post(BATCH, JSON_GZIP, &packed(&vec![b' '; 100 << 20])), 413),
        ("gzip of gzip", post(APP, JSON_GZIP, &packed(&packed(&vec![b' '; 10 << 20]))), 400),
        ("no gzip", post(APP, JSON_GZIP, b"\x1f\x8b\x08\0\0\0\0\0\0\xff\xff\xff\xff\xff"), 400),
        ("entities of entities", post(APP, XML, laughs().as_bytes()), 400),
        (
            "a foreign entity",
            post(
                APP,
                XML,
                b"<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><instance><app>&x;</app></instance>",
            ),
            400,
        ),
        (
            "a foreign DTD",
            post(APP, XML, b"<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/x.dtd\"><instance><app>A</app></instance>"),
            400,
        ),
        ("100,000 elements deep", post(APP, XML, tags(100_000).as_bytes()), 400),
        ("open elements without end", post(APP, XML, megabytes(9, "<a>").as_bytes()), 400),
        (
            "100,000 attributes",
            post(APP, XML, format!("<instance{attributes}><app>A</app></instance>").as_bytes()),
            400,
        ),
        (
            "100,000 metadata elements",
            post(APP, XML, format!("<instance><app>ORDERS</app><metadata>{keys}</metadata></instance>").as_bytes()),
            400,
        ),
        ("a comment of 9 MB", post(APP, XML, format!("<!--{}", megabytes(9, "x")).as_bytes()), 400),
        ("9,000,000 lists deep", post(APP, JSON, megabytes(9, "[").as_bytes()), 400),
        ("objects without end", post(APP, JSON, megabytes(9, "{\"instance\":").as_bytes()), 400),
        ("a number of 9 MB", post(APP, JSON, format!("{{\"instance\":{}}}", megabytes(9, "1")).as_bytes()), 400),
        ("100,000 metadata keys", post(APP, JSON, with(&metadata(100_000)).as_bytes()), 400),
        (
            "a metadata value of 9 MB",
            post(APP, JSON, with(&format!("\"metadata\":{{\"a\":\"{}\"}}", megabytes(9, "x"))).as_bytes()),
            400,
        ),
        (
            "half a surrogate pair, a million times",
            post(APP, JSON, with(&format!("\"sid\":\"{}\"", "\\ud800".repeat(1_000_000))).as_bytes()),
            400,
        ),
        (
            "bytes that are not UTF-8",
            post(APP, JSON, &[b"{\"instance\":{\"app\":\"".as_slice(), &[0xff; 1000], b"\"}}"].concat()),
            400,
        ),
        (
            "a batch of a thousand lists deep",
            post(BATCH, JSON, format!("{{\"replicationList\":[{}]}}", "[".repeat(1_000)).as_bytes()),
            400,
        ),
        (
            "a batch of a million nulls",
            post(BATCH, JSON, format!("{{\"replicationList\":[null{}]}}", ",null".repeat(1_000_000)).as_bytes()),
            400,
        ),
        (
            "a batch of 300 with 1,000 metadata keys each",
            post(BATCH, JSON, batch_of(&with(&metadata(1_000)), 300).as_bytes()),
            200,
        ),
        (
            "a batch of 20 with 100,000 metadata keys each",
            post(BATCH, JSON, batch_of(&with(&metadata(100_000)), 20).as_bytes()),
            200,
        ),
    ]
}

#[test]
fn bombs_are_refused_and_cost_nobody_anything() {
    let server = Server::start(&[]);
    let others = Bystander::of(&server);
    #[cfg(target_os = "linux")]
    let before = super::memory::resident(&server);
    for round in 0..2 {
        for (what, bomb, status) in bombs() {
            let mut wire = server.connect();
            // Not all of what is refused is taken in.
            wire.try_send(&bomb);
            let answered = wire.try_status();
            assert!(answered == Some(status) || status == 413 && answered.is_none(), "{what}: {answered:?}, {round}");
        }
        #[cfg(target_os = "linux")]
        eventually("memory is given back", || (super::memory::resident(&server) < before + FOR_GOOD).then_some(()));
    }
    others.was_answered("bodies are bombs");
    assert!(!server.log().contains("ERROR"), "{}", server.log());
}

#[test]
fn broken_chunks_are_400_and_end_the_connection() {
    let server = Server::start(&[]);
    let others = Bystander::of(&server);
    let head = request("POST", APP, &format!("{JSON}Transfer-Encoding: chunked\r\n"));
    let body = instance("ORDERS", "ord-1");
    let whole = format!("{:x}\r\n{body}\r\n", body.len());
    let broken = [
        ("a length of more than 64 bits", "fffffffffffffffff\r\nx\r\n".to_owned()),
        ("a negative length", "-1\r\nx\r\n".to_owned()),
        ("a length with 0x", "0x4\r\nabcd\r\n0\r\n\r\n".to_owned()),
        ("a length with blanks between", "1 1\r\nx\r\n".to_owned()),
        ("no length", "\r\nx\r\n".to_owned()),
        ("no line end after a chunk", format!("{:x}\r\n{body}0\r\n\r\n", body.len())),
        ("a bare line feed after a length", format!("{:x}\n{body}\r\n0\r\n\r\n", body.len())),
        ("an extension without end", format!("1;{}\r\nx\r\n", "e".repeat(1 << 20))),
        ("extensions of a byte each", "1;ext=12345678\r\nx\r\n".repeat(100_000)),
        ("trailers without end", format!("{whole}0\r\n{}\r\n", "X-Trailer: x\r\n".repeat(100_000))),
        ("a trailer of 1 MB", format!("{whole}0\r\nX-Trailer: {}\r\n\r\n", "x".repeat(1 << 20))),
    ];
    for (what, chunks) in broken.iter().cycle().take(broken.len() * ROUNDS) {
        let mut wire = server.connect();
        wire.try_send(format!("{head}{chunks}"));
        wire.half_close_if_open();
        let status = wire.try_status();
        assert!(matches!(status, Some(400 | 413 | 431) | None), "{what}: {status:?}");
        assert!(super::server::eventually("it is closed", || wire.is_closed().then_some(true)), "{what}");
    }
    others.was_answered("chunks are broken");
}
