//! How much one batch of a peer may bring, and how much is answered.

use serde_json::{Value, json};

use eurekad::access::Limit;

use crate::server::list::array;
use crate::server::{JSON, SENDS_JSON, Server, XML, body_with, packed};

pub(super) fn heartbeat(id: &str) -> Value {
    json!({"appName": "ORDERS", "id": id, "lastDirtyTimestamp": 1, "action": "Heartbeat"})
}

#[tokio::test(start_paused = true)]
async fn a_batch_holds_only_so_many_items() {
    for (words, most) in [(&[][..], 1000), (&["--eurekad.limits.batch-items=3"], 3)] {
        let server = Server::new(words);
        let list = |length: usize| json!({"replicationList": vec![heartbeat("ghost"); length]});
        let reply = server.post("/eureka/peerreplication/batch/", &list(most)).await;
        assert_eq!(array(&reply.json()["responseList"]).len(), most);
        let reply = server.post("/eureka/peerreplication/batch/", &list(most + 1)).await;
        assert_eq!(reply.status, 400);
        assert!(reply.text().contains("eurekad.limits.batch-items"), "{}", reply.text());
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_batch_has_an_end() {
    const LARGE: usize = 1 << 20;
    let server = Server::new(&["--eurekad.limits.metadata-size=2MB"]);
    let metadata: Value = (0..LARGE >> 14).map(|n| (n.to_string(), json!("x".repeat(1 << 14)))).collect();
    for n in 0..20 {
        let id = format!("ord-{n}");
        let large = body_with("ORDERS", &id, &json!({"metadata": metadata}));
        assert_eq!(server.register(&large).await.status, 204);
    }
    let list: Vec<_> = (0..1000).map(|n| heartbeat(&format!("ord-{}", n % 20))).collect();
    for accepts in [JSON, XML] {
        let sent = json!({ "replicationList": list }).to_string();
        let headers = [SENDS_JSON, accepts];
        let reply = server.send("POST", "/eureka/peerreplication/batch/", &headers, sent.as_bytes()).await;
        assert!(reply.body.len() > 2 * LARGE && reply.body.len() < 6 * LARGE, "{} bytes", reply.body.len());
        if accepts == JSON {
            let reply = reply.json();
            let items = array(&reply["responseList"]);
            assert!(items.len() == 1000 && items.iter().all(|item| item["statusCode"] == 409));
            let shown = |item: &&Value| item["responseEntity"].is_object();
            assert_eq!(items.iter().take_while(shown).count(), items.iter().filter(shown).count());
        }
    }
    let few = json!({"replicationList": [heartbeat("ord-1"), heartbeat("ord-2"), heartbeat("ord-1")]});
    let reply = server.post("/eureka/peerreplication/batch/", &few).await.json();
    let shown: Vec<_> = array(&reply["responseList"]).iter().map(|item| item["responseEntity"].is_object()).collect();
    assert_eq!(shown, [true, true, false], "an instance is shown once");
}

#[tokio::test(start_paused = true)]
async fn a_batch_has_a_size_of_its_own_and_one_large_item_fails_alone() {
    let server = Server::new(&["--eurekad.limits.body-size=4KB", "--eurekad.limits.batch-size=40KB"]);
    let register = |id: &str, members: &Value| {
        let instance = body_with("ORDERS", id, members)["instance"].take();
        json!({"appName": "ORDERS", "id": id, "action": "Register", "instanceInfo": instance})
    };
    let large = json!({"homePageUrl": "x".repeat(17_000)});
    let metadata: Value = (0..1001).map(|n| (n.to_string(), json!("v"))).collect();
    let items = [register("a", &large), register("b", &json!({"metadata": metadata})), register("c", &json!({}))];
    let batch = json!({ "replicationList": items });
    let path = "/eureka/peerreplication/batch/";
    let reply = server.post(path, &batch).await.json();
    let codes: Vec<_> = array(&reply["responseList"]).iter().map(|item| item["statusCode"].as_u64()).collect();
    assert_eq!(codes, [Some(400), Some(400), Some(200)]);
    assert_eq!(server.app.over_limit().of(Limit::Content), 2);
    let gzip = [SENDS_JSON, ("Content-Encoding", "gzip")];
    assert_eq!(server.send("POST", path, &gzip, &packed(batch.to_string().as_bytes())).await.status, 200);
    let long = format!("{batch}{}", " ".repeat(40 << 10));
    for reply in [
        server.send("POST", path, &[SENDS_JSON], long.as_bytes()).await,
        server.send("POST", path, &gzip, &packed(long.as_bytes())).await,
    ] {
        assert_eq!(reply.status, 413);
        assert!(reply.text().ends_with("eurekad.limits.batch-size"), "{}", reply.text());
    }
    assert_eq!(server.app.over_limit().of(Limit::BodySize), 2);
}
