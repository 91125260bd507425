//! What a node says of its peers, in this process.

use crate::server::{JSON, SENDS_JSON, Server};

#[tokio::test(start_paused = true)]
async fn case_065_a_server_that_tells_this_one_and_is_no_peer_is_shown_after_a_minute() {
    let server = Server::new(&[]);
    let batch = async || {
        let headers = [SENDS_JSON, JSON, ("eurekad-node", "0000000000000007; state=open; digest=1")];
        let reply = server.send("POST", "/eureka/peerreplication/batch/", &headers, br#"{"replicationList":[]}"#).await;
        assert_eq!(reply.status, 200);
        server.app.peers().strangers().iter().map(|stranger| stranger.node.to_string()).collect::<Vec<_>>()
    };
    for _ in 0..6 {
        assert_eq!(batch().await, [""; 0]);
        server.pass(10).await;
    }
    assert_eq!(batch().await, ["0000000000000007"]);
    server.pass(121).await;
    assert!(server.app.peers().strangers().is_empty(), "it is gone");
}
