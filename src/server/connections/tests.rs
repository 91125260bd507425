#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;

use axum::routing::any;
use bytes::Bytes;
use http::Request;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::access::Connection;

use super::*;

#[test]
fn a_client_that_is_gone_does_not_hold_up_the_others() {
    assert!(is_of_that_connection(&io::ErrorKind::ConnectionAborted.into()));
    assert!(!is_of_that_connection(&io::Error::from_raw_os_error(24)), "EMFILE");
}

/// What serves this, without a port.
fn connections(patience: Patience, per_address: PerAddress, router: Router) -> Connections {
    let (tasks, draining) = (TaskTracker::new(), CancellationToken::new());
    let leftovers = Leftovers {
        time: patience.head,
        bytes: 0,
        tasks: tasks.clone(),
        runtime: tokio::runtime::Handle::current(),
        draining: draining.clone(),
    };
    Connections {
        api: None,
        router,
        tls: None,
        refused: Arc::default(),
        patience,
        head_limit: 8 << 10,
        leftovers: Arc::new(leftovers),
        permits: Arc::new(Semaphore::new(10)),
        per_address,
        over_limit: Arc::default(),
        traffic: Arc::default(),
        tasks,
        answers_are_last: Arc::default(),
        draining,
        killed: CancellationToken::new(),
    }
}

/// Serves a port of its own; gives where, and what limits refused.
async fn served(patience: Duration, per_address: PerAddress) -> (SocketAddr, Arc<OverLimit>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let patience = Patience { head: patience, idle: patience, exchanges: patience, write: patience };
    let connections = connections(patience, per_address, Router::new());
    let over_limit = Arc::clone(&connections.over_limit);
    connections.tasks.clone().spawn(connections.serve(listener));
    (address, over_limit)
}

/// Sends something and reads until the server closes the connection.
async fn until_closed(address: SocketAddr, bytes: &[u8]) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let _ = socket.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn heads_and_connections_that_are_refused_are_counted() {
    let (address, over_limit) = served(Duration::from_millis(100), PerAddress::default()).await;
    let counted = |limits: [Limit; 3]| limits.map(|limit| over_limit.of(limit));
    let limits = [Limit::Head, Limit::HeadTime, Limit::ConnectionsPerAddress];
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(20_000));
    assert!(until_closed(address, long.as_bytes()).await.starts_with("HTTP/1.1 431 "));
    assert_eq!(counted(limits), [1, 0, 0]);
    assert_eq!(until_closed(address, b"GET / HTTP/1.1\r\nHo").await, "");
    assert_eq!(counted(limits), [1, 1, 0]);
    let idle = until_closed(address, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert!(idle.starts_with("HTTP/1.1 404 "), "{idle}");
    assert_eq!(counted(limits), [1, 1, 0], "being silent is no mistake");

    let (address, over_limit) = served(Duration::from_mins(1), PerAddress::new(Some(1))).await;
    let _kept = TcpStream::connect(address).await.unwrap();
    assert_eq!(until_closed(address, b"").await, "");
    assert_eq!(over_limit.of(Limit::ConnectionsPerAddress), 1);
}

/// One who speaks HTTP/2 on one connection, and what limits refused. So many bytes of an answer come unasked.
async fn multiplexed(window: u32, short: Duration) -> (h2::client::SendRequest<Bytes>, Arc<OverLimit>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap());
    let (client, accepted) = tokio::join!(client, listener.accept());
    let long = Duration::from_mins(10);
    let patience = Patience { head: short, idle: long, exchanges: long, write: short };
    let router = Router::new()
        .route("/", any(async || "small"))
        .route("/body", any(async |body: Bytes| body))
        .route("/big", any(async || vec![0; 1 << 20]));
    let connections = connections(patience, PerAddress::default(), router);
    let over_limit = Arc::clone(&connections.over_limit);
    let tasks = connections.tasks.clone();
    tasks.spawn(connections.talk_http2(accepted.unwrap().0, Connection::default(), std::future::pending()));
    let builder = h2::client::Builder::new().initial_window_size(window).handshake(client.unwrap()).await;
    let (requests, connection) = builder.unwrap();
    tasks.spawn(connection);
    (requests, over_limit)
}

/// The status of an answer, whose body is read; none if the connection is over.
async fn status(requests: &h2::client::SendRequest<Bytes>, request: Request<()>) -> Option<u16> {
    let mut requests = requests.clone().ready().await.ok()?;
    let (head, mut body) = requests.send_request(request, true).ok()?.0.await.ok()?.into_parts();
    while let Some(data) = body.data().await {
        body.flow_control().release_capacity(data.ok()?.len()).ok()?;
    }
    Some(head.status.as_u16())
}

fn ask(path: &str) -> Request<()> {
    Request::get(format!("http://a{path}")).body(()).unwrap()
}

#[tokio::test]
async fn more_than_a_hundred_headers_are_refused_in_http2_as_well() {
    let (requests, over_limit) = multiplexed(1 << 20, Duration::from_mins(10)).await;
    let with = |headers: usize| {
        let mut request = ask("/");
        for number in 0..headers {
            request.headers_mut().append("x", number.into());
        }
        request
    };
    assert_eq!(status(&requests, with(100)).await, Some(200));
    assert_eq!(status(&requests, with(101)).await, Some(431));
    assert_eq!(status(&requests, ask("/big")).await, Some(200), "the connection goes on");
    assert_eq!(over_limit.of(Limit::Head), 1);
}

/// An answer that waited for its reader in the connection's own buffer had no time limit while others were asked for.
#[tokio::test]
async fn an_answer_that_nobody_takes_ends_its_connection_whatever_else_goes_on() {
    let (mut requests, _) = multiplexed(1000, Duration::from_millis(300)).await;
    let (_unread, _) = requests.send_request(ask("/big"), true).unwrap();
    let others = async { while status(&requests, ask("/")).await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(20), others).await.unwrap();
}

#[tokio::test]
async fn a_body_that_never_ends_holds_its_own_request_alone() {
    let (mut requests, _) = multiplexed(1 << 20, Duration::from_millis(300)).await;
    let (answer, body) = requests.send_request(ask("/"), false).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200, "nobody reads it");
    // The server waits for the rest, and no longer than for any body.
    let mut body = body;
    let reset = std::future::poll_fn(|cx| body.poll_reset(cx));
    tokio::time::timeout(Duration::from_secs(20), reset).await.unwrap().unwrap();
    assert_eq!(status(&requests, ask("/")).await, Some(200));
}

/// What a certificate said counted as long as its connection.
#[tokio::test]
async fn a_connection_ends_after_its_answer_when_it_is_over() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap());
    let (client, accepted) = tokio::join!(client, listener.accept());
    let long = Duration::from_mins(10);
    let patience = Patience { head: long, idle: long, exchanges: long, write: long };
    let over = CancellationToken::new();
    let ends = over.clone();
    let router = Router::new().route(
        "/",
        any(async move || {
            ends.cancel();
            tokio::task::yield_now().await;
            "small"
        }),
    );
    let connections = connections(patience, PerAddress::default(), router);
    let tasks = connections.tasks.clone();
    tasks.spawn(connections.talk_http1(accepted.unwrap().0, Connection::default(), over.cancelled_owned()));
    let (mut client, mut answer) = (client.unwrap(), String::new());
    client.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), client.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("small"), "{answer}");
}
