//! The least of an HTTP client: one request per connection, its target and headers sent untouched.
//!
//! A real client library would refuse or repair half of what the recordings send.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use super::exchange::{Answer, Ask};

/// Sends a request and reads the answer to the end of the connection.
///
/// Errors: no connection, none that ends within 20 s, or an answer that is no HTTP.
pub(crate) fn send(address: SocketAddr, ask: &Ask) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(&request(address, ask))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    answer(&bytes, ask.method == "HEAD").ok_or_else(|| io::Error::other("not an HTTP answer"))
}

fn request(address: SocketAddr, ask: &Ask) -> Vec<u8> {
    let mut head = format!("{} {} HTTP/1.1\r\n", ask.method, ask.target);
    let mut add = |name: &str, value: &str| head.extend([name, ": ", value, "\r\n"]);
    if ask.header("host").is_none() {
        add("Host", &format!("localhost:{}", address.port()));
    }
    let own = ask.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("connection"));
    own.for_each(|(name, value)| add(name, value));
    if let Some(length) = ask.content_length() {
        add("Content-Length", &length.to_string());
    }
    add("Connection", "close");
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    if ask.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked")) {
        bytes.extend(format!("{:x}\r\n", ask.body.len()).into_bytes());
        bytes.extend_from_slice(&ask.body);
        bytes.extend_from_slice(if ask.body.is_empty() { b"\r\n" } else { b"\r\n0\r\n\r\n" });
    } else {
        bytes.extend_from_slice(&ask.body);
    }
    bytes
}

fn answer(bytes: &[u8], without_body: bool) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect();
    let mut answer = Answer { status, headers, body: Vec::new() };
    let body = &bytes[end + 4..];
    if !without_body {
        let chunked = answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
        answer.body = if chunked { joined(body)? } else { body.to_vec() };
    }
    Some(answer)
}

/// The chunks of a body, joined; `None` unless the last, empty one is there.
fn joined(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = bytes.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&bytes[..line]).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        let chunk = line + 2;
        whole.extend_from_slice(bytes.get(chunk..chunk + size)?);
        bytes = bytes.get(chunk + size + 2..)?;
    }
}
