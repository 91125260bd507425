//! A whole server on a port, and a client that keeps its connection and looks at every byte.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use eurekad::server::{Process, Sockets};
use eurekad::settings::Settings;

use super::Reply;

/// A server on a port of this machine, with the system's clock.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    serving: JoinHandle<bool>,
}

impl Running {
    pub(crate) async fn start(words: &[&str]) -> Self {
        // Tests keep the runtime busier than any client; what they read is not to be refused for that.
        let words = [&["--eurekad.overload.shed-after=0"], words].concat();
        let settings = Settings::from_words(&words).expect("valid words");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (shutdown, ended) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let ended = async {
                let _ = ended.await;
            };
            let sockets = Sockets { api: vec![listener], management: None };
            eurekad::serve(&settings, sockets, Process::default(), ended).await
        });
        Self { address, shutdown, serving }
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }

    /// Ends it; running requests must have finished.
    pub(crate) async fn stop(self) {
        self.shutdown.send(()).expect("still serving");
        assert!(self.serving.await.expect("no panic"), "something did not end in time");
    }
}

/// One connection, kept open over many requests.
pub(crate) struct Connection {
    stream: TcpStream,
    received: BytesMut,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("set");
        Self { stream, received: BytesMut::new() }
    }

    /// Sends a request and reads its answer; nothing may be left of the one before.
    pub(crate) async fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        assert!(self.received.is_empty(), "stray bytes: {:?}", self.received);
        self.write(method, target, headers, body).await;
        self.read().await
    }

    pub(crate) async fn get(&mut self, target: &str, headers: &[(&str, &str)]) -> Reply {
        self.send("GET", target, headers, b"").await
    }

    /// Sends a request without waiting for its answer.
    pub(crate) async fn write(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) {
        let lines = headers.iter().fold(String::new(), |lines, (name, value)| lines + name + ": " + value + "\r\n");
        let length = body.len();
        let head =
            format!("{method} {target} HTTP/1.1\r\nHost: registry.test\r\n{lines}Content-Length: {length}\r\n\r\n");
        self.stream.write_all(&[head.as_bytes(), body].concat()).await.expect("sent");
    }

    /// Reads the next answer: its head, and as many bytes as that says. One that does not say how
    /// long it is fails the test, save a 204.
    pub(crate) async fn read(&mut self) -> Reply {
        let end = loop {
            if let Some(end) = self.received.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            self.more().await;
        };
        let head = String::from_utf8(self.received[..end].to_vec()).expect("a text");
        self.received.advance(end + 4);
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
        let status = status.expect("a status");
        let headers: HeaderMap = lines.map(header).collect();
        let length = match headers.get("content-length").map(|length| length.to_str().expect("a text").parse()) {
            Some(length) => length.expect("a number"),
            None if status == 204 => 0,
            None => panic!("no length: {head}"),
        };
        while self.received.len() < length {
            self.more().await;
        }
        Reply { status, headers, body: self.received.split_to(length).freeze() }
    }

    async fn more(&mut self) {
        assert_ne!(self.stream.read_buf(&mut self.received).await.expect("read"), 0, "the server hung up");
    }
}

fn header(line: &str) -> (HeaderName, HeaderValue) {
    let (name, value) = line.split_once(": ").expect("a header");
    (name.parse().expect("a name"), HeaderValue::from_maybe_shared(Bytes::from(value.to_owned())).expect("a value"))
}
