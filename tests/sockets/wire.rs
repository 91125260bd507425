//! A client that speaks HTTP/1.1 by hand: every byte counts.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, SockRef, Socket, Type};

use super::server::SOON;

/// A connection.
pub(crate) struct Wire {
    socket: TcpStream,
    /// What came and was not looked at yet.
    came: Vec<u8>,
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// A header by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }
}

impl Wire {
    pub(crate) fn open(address: SocketAddr) -> Self {
        Self::try_open(address).expect("a connection")
    }

    /// None if nobody takes the connection.
    pub(crate) fn try_open(address: SocketAddr) -> Option<Self> {
        Some(Self::over(TcpStream::connect_timeout(&address, SOON).ok()?))
    }

    /// From another address of this machine.
    pub(crate) fn open_from(from: IpAddr, address: SocketAddr) -> Self {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None).expect("a socket");
        socket.bind(&SocketAddr::new(from, 0).into()).expect("an address of this machine");
        socket.connect_timeout(&address.into(), SOON).expect("a connection");
        Self::over(socket.into())
    }

    fn over(socket: TcpStream) -> Self {
        socket.set_nodelay(true).expect("an option");
        socket.set_read_timeout(Some(SOON)).expect("an option");
        socket.set_write_timeout(Some(SOON)).expect("an option");
        Self { socket, came: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket.write_all(bytes.as_ref()).expect("sent");
    }

    /// Sends what the server may not want to have.
    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.socket.write_all(bytes.as_ref()).is_ok()
    }

    /// Sends a request and reads its answer.
    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Answer {
        self.send(request);
        self.answer()
    }

    /// As [`Self::ask`]; none if the connection ended before an answer came.
    pub(crate) fn try_ask(&mut self, request: impl AsRef<[u8]>) -> Option<Answer> {
        (self.try_send(request) && self.hears_within(SOON)).then(|| self.answer())
    }

    /// The next answer, whole.
    pub(crate) fn answer(&mut self) -> Answer {
        let (status, head) = self.head();
        let mut answer = Answer { status, head, body: Vec::new() };
        if answer.header("transfer-encoding").is_none() {
            // RFC 9112: none of these has a body.
            let length = if status == 204 { "0" } else { answer.header("content-length").expect("a length") };
            answer.body = self.take(length.parse().expect("a length"));
            return answer;
        }
        loop {
            let line = self.take_until(b"\r\n");
            let length = usize::from_str_radix(String::from_utf8(line).expect("a chunk").trim(), 16).expect("a chunk");
            let chunk = self.take(length);
            answer.body.extend(chunk);
            assert_eq!(self.take(2), b"\r\n");
            if length == 0 {
                return answer;
            }
        }
    }

    /// The next chunk of an answer whose head was read; none at its end, or when the connection ends.
    pub(crate) fn chunk(&mut self) -> Option<Vec<u8>> {
        while !self.came.windows(2).any(|pair| pair == b"\r\n") {
            if !self.more() {
                return None;
            }
        }
        let line = self.take_until(b"\r\n");
        let length = usize::from_str_radix(String::from_utf8(line).expect("a chunk").trim(), 16).expect("a chunk");
        let chunk = self.take(length);
        assert_eq!(self.take(2), b"\r\n");
        (length > 0).then_some(chunk)
    }

    /// Status and head of the next answer, which has no body or one that is not read yet.
    pub(crate) fn head(&mut self) -> (u16, String) {
        let head = String::from_utf8(self.take_until(b"\r\n\r\n")).expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_else(|| panic!("no status: {head}")), head)
    }

    /// How long it takes until the server has closed the connection; nothing may come before.
    pub(crate) fn closed(mut self) -> Duration {
        let begin = Instant::now();
        let more = self.more();
        assert_eq!(String::from_utf8_lossy(&self.came), "", "the connection is not closed");
        assert!(!more);
        begin.elapsed()
    }

    /// No more requests from here; answers are still read.
    pub(crate) fn half_close(&mut self) {
        self.socket.shutdown(std::net::Shutdown::Write).expect("shut down");
    }

    /// The same if there still is a connection.
    pub(crate) fn half_close_if_open(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Write);
    }

    /// Vanishes: the server gets a reset and no end.
    pub(crate) fn vanish(self) {
        SockRef::from(&self.socket).set_linger(Some(Duration::ZERO)).expect("an option");
    }

    /// Gives the connection a small buffer for what comes.
    pub(crate) fn take_little(&self) {
        SockRef::from(&self.socket).set_recv_buffer_size(4096).expect("an option");
    }

    /// The status of the next answer if one comes; none if the connection ends before.
    pub(crate) fn try_status(&mut self) -> Option<u16> {
        self.hears_within(SOON).then(|| self.head().0)
    }

    /// Whether the server has closed the connection; what it sent before is thrown away.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.socket.set_nonblocking(true).expect("an option");
        let mut piece = [0; 4 << 10];
        let closed = loop {
            match self.uninterrupted(|mut socket| socket.read(&mut piece)) {
                Ok(0) => break true,
                Ok(_) => {}
                Err(error) => break error.kind() != ErrorKind::WouldBlock,
            }
        };
        self.socket.set_nonblocking(false).expect("an option");
        closed
    }

    /// Whether something comes within this time.
    pub(crate) fn hears_within(&mut self, time: Duration) -> bool {
        self.socket.set_read_timeout(Some(time)).expect("an option");
        let heard = !self.came.is_empty() || self.uninterrupted(|socket| socket.peek(&mut [0])).is_ok_and(|n| n > 0);
        self.socket.set_read_timeout(Some(SOON)).expect("an option");
        heard
    }

    /// Calls again when a signal came in between.
    fn uninterrupted<T>(&self, mut call: impl FnMut(&TcpStream) -> io::Result<T>) -> io::Result<T> {
        loop {
            match call(&self.socket) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        while self.came.len() < length {
            assert!(self.more(), "closed in the middle of {:?}", String::from_utf8_lossy(&self.came));
        }
        self.came.drain(..length).collect()
    }

    fn take_until(&mut self, end: &[u8]) -> Vec<u8> {
        loop {
            if let Some(at) = self.came.windows(end.len()).position(|window| window == end) {
                return self.came.drain(..at + end.len()).collect();
            }
            assert!(self.more(), "closed in the middle of {:?}", String::from_utf8_lossy(&self.came));
        }
    }

    /// Reads on; false when there is nothing more.
    fn more(&mut self) -> bool {
        let mut piece = [0; 16 << 10];
        match self.uninterrupted(|mut socket| socket.read(&mut piece)) {
            Ok(length) => {
                self.came.extend_from_slice(&piece[..length]);
                length > 0
            }
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => false,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("waited in vain after {:?}", String::from_utf8_lossy(&self.came))
            }
            Err(error) => panic!("cannot read: {error}"),
        }
    }
}

/// A request without a body; the headers each end in a line break.
pub(crate) fn request(method: &str, path: &str, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")
}

pub(crate) fn get(path: &str, headers: &str) -> String {
    request("GET", path, headers)
}

/// A heartbeat as most clients send it.
pub(crate) fn heartbeat(app: &str, id: &str) -> String {
    request("PUT", &format!("/eureka/apps/{app}/{id}"), "Content-Length: 0\r\n")
}

/// A registration.
pub(crate) fn register(app: &str, id: &str) -> String {
    post(app, &instance(app, id))
}

/// A body posted to an application.
pub(crate) fn post(app: &str, body: &str) -> String {
    let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    format!("{}{body}", request("POST", &format!("/eureka/apps/{app}"), &headers))
}

/// What a client registers.
pub(crate) fn instance(app: &str, id: &str) -> String {
    format!(
        r#"{{"instance":{{"instanceId":"{id}","hostName":"{id}.test","app":"{app}","ipAddr":"10.20.0.11","status":"UP",
        "vipAddress":"orders","port":{{"$":8080,"@enabled":"true"}},"leaseInfo":{{"durationInSecs":90}},
        "dataCenterInfo":{{"@class":"com.netflix.appinfo.InstanceInfo$DefaultDataCenterInfo","name":"MyOwn"}}}}}}"#
    )
}
