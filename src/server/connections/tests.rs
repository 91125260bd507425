#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

#[test]
fn a_client_that_is_gone_does_not_hold_up_the_others() {
    assert!(is_of_that_connection(&io::ErrorKind::ConnectionAborted.into()));
    assert!(!is_of_that_connection(&io::Error::from_raw_os_error(24)), "EMFILE");
}

/// Serves a port of its own; gives where, and what limits refused.
async fn served(patience: Duration, per_address: PerAddress) -> (SocketAddr, Arc<OverLimit>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, over_limit) = (listener.local_addr().unwrap(), Arc::new(OverLimit::default()));
    let (tasks, draining) = (TaskTracker::new(), CancellationToken::new());
    let leftovers = Leftovers {
        time: patience,
        bytes: 0,
        tasks: tasks.clone(),
        runtime: tokio::runtime::Handle::current(),
        draining: draining.clone(),
    };
    let connections = Connections {
        api: None,
        router: Router::new(),
        tls: None,
        refused: Arc::default(),
        patience: Patience { head: patience, idle: patience, exchanges: patience, write: patience },
        head_limit: 8 << 10,
        leftovers: Arc::new(leftovers),
        permits: Arc::new(Semaphore::new(10)),
        per_address,
        over_limit: Arc::clone(&over_limit),
        traffic: Arc::default(),
        tasks,
        draining,
        killed: CancellationToken::new(),
    };
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
