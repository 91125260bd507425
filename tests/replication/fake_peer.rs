//! A peer whose answers a test holds in its hand, byte by byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use socket2::{Domain, SockAddr, Socket, Type};

use super::cluster::address;

/// How a fake peer answers.
#[derive(Clone)]
pub(crate) enum Manner {
    /// As a Java server does: each item well, an empty registry.
    Well,
    /// With a registry of its own; batches well.
    With(Value),
    /// With these bytes, after which the connection is closed.
    Bytes(Vec<u8>),
    /// Not at all: the connection stays open.
    Never,
    /// By closing the connection of the next request; well from then on.
    BreaksOnce,
}

/// A peer on an address of its own. It lasts as long as the test's process.
pub(crate) struct FakePeer {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    manner: Mutex<Manner>,
    /// Items of batches that were answered well, as `Action id`.
    items: Mutex<Vec<String>>,
    requests: AtomicUsize,
    closed: AtomicBool,
}

impl FakePeer {
    pub(crate) fn start(manner: Manner) -> Self {
        Self::start_at(address(), manner)
    }

    pub(crate) fn start_at(address: SocketAddr, manner: Manner) -> Self {
        let listener = TcpListener::bind(address).expect("an address");
        let shared = Arc::new(Shared {
            manner: Mutex::new(manner),
            items: Mutex::default(),
            requests: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
        });
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if served.closed.load(Ordering::Relaxed) {
                    return;
                }
                let served = Arc::clone(&served);
                // A connection that ends in the middle is the other side's business.
                thread::spawn(move || serve(&connection, &served));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn behave(&self, manner: Manner) {
        *self.shared.manner.lock() = manner;
    }

    /// Requests that came, whole.
    pub(crate) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// What it took.
    pub(crate) fn items(&self) -> Vec<String> {
        self.shared.items.lock().clone()
    }
}

impl Drop for FakePeer {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // So that it notices.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
        let is_get = line.starts_with("GET");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        shared.requests.fetch_add(1, Ordering::Relaxed);
        let manner = shared.manner.lock().clone();
        let mut writer = connection;
        match manner {
            Manner::Never => {
                // Until the other side gives up.
                let _ = reader.read(&mut [0]);
                return None;
            }
            Manner::BreaksOnce => {
                *shared.manner.lock() = Manner::Well;
                return None;
            }
            Manner::Bytes(bytes) => {
                writer.write_all(&bytes).ok()?;
                return None;
            }
            Manner::With(list) if is_get => writer.write_all(&ok(&list.to_string())).ok()?,
            Manner::Well if is_get => writer.write_all(&ok(&registry(&[]).to_string())).ok()?,
            Manner::Well | Manner::With(_) => {
                let batch: Value = serde_json::from_slice(&body).ok()?;
                let items = batch["replicationList"].as_array()?;
                let answers: Vec<_> = items.iter().map(|_| json!({"statusCode": 200})).collect();
                let texts = items.iter().map(|item| {
                    let text = |name: &str| item[name].as_str().unwrap_or_default();
                    format!("{} {}", text("action"), text("id"))
                });
                shared.items.lock().extend(texts);
                writer.write_all(&ok(&json!({"responseList": answers}).to_string())).ok()?;
            }
        }
    }
}

/// An answer as a server gives it.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", "Content-Type: application/json\r\n", body)
}

/// A registry with these instances of one application.
pub(crate) fn registry(ids: &[&str]) -> Value {
    let instances: Vec<Value> = ids
        .iter()
        .map(|id| {
            let one: Value = serde_json::from_str(&crate::sockets::wire::instance("ORDERS", id)).expect("JSON");
            one["instance"].clone()
        })
        .collect();
    let apps = if ids.is_empty() { json!([]) } else { json!([{"name": "ORDERS", "instance": instances}]) };
    json!({"applications": {"versions__delta": "1", "apps__hashcode": "", "application": apps}})
}

/// An address where connections are neither taken nor refused: its backlog is full.
pub(crate) struct Deaf {
    pub(crate) address: SocketAddr,
    _listener: Socket,
    _waiting: Vec<Socket>,
}

impl Deaf {
    pub(crate) fn listen() -> Self {
        let address = address();
        let target = SockAddr::from(address);
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        listener.bind(&target).expect("an address");
        listener.listen(0).expect("a listener");
        let mut waiting = Vec::new();
        loop {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
            let taken = socket.connect_timeout(&target, Duration::from_millis(300)).is_ok();
            waiting.push(socket);
            if !taken {
                return Self { address, _listener: listener, _waiting: waiting };
            }
            assert!(waiting.len() < 10, "the backlog does not fill");
        }
    }
}
