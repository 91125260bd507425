//! What a client says is data wherever it goes, and leads this server nowhere.

use std::io::ErrorKind;
use std::net::TcpListener;

use serde_json::json;

use crate::server::socket::Running;
use crate::server::{JSON, SENDS_JSON, SENDS_XML, Server, XML, body, body_with, encoded};

/// A page, a line end that would begin another header, an escape sequence for a terminal.
const HOSTILE: &str = "<script>alert(1)</script>\r\nSet-Cookie: a=b\u{1b}[2J";

#[tokio::test(start_paused = true)]
async fn a_refusal_is_short_and_no_page() {
    let server = Server::new(&[]);
    server.register(&body("ORDERS", "ord-1")).await;
    let long = HOSTILE.repeat(200);
    let value = encoded(&long);
    let heartbeat = format!("/eureka/apps/ORDERS/ord-1?lastDirtyTimestamp={value}");
    let status = format!("/eureka/apps/ORDERS/ord-1/status?value={value}");
    let port = body_with("ORDERS", "ord-1", &json!({"port": {"$": long}})).to_string();
    let xml = format!("<instance><port>{}</port></instance>", long.replace(['<', '\u{1b}'], ""));
    let stray = [("eurekad-node", "00000000000000aa; digest=1"), JSON];
    let digest = json!({ &long: 1 }).to_string();
    for (method, target, headers, sent) in [
        ("PUT", &*heartbeat, &[][..], ""),
        ("PUT", &*status, &[], ""),
        ("POST", "/eureka/apps/ORDERS", &[SENDS_JSON], &*port),
        ("POST", "/eureka/apps/ORDERS", &[SENDS_XML], &*xml),
        ("POST", "/eureka/peerreplication/digest", &stray, &*digest),
        ("GET", "/eureka/apps/%00", &[], ""),
    ] {
        let reply = server.send(method, target, headers, sent.as_bytes()).await;
        let about = format!("{method} {target:.60} {headers:?}: {reply:?}");
        assert_eq!(reply.status, 400, "{about}");
        assert!(reply.body.len() < 1024 && !reply.text().contains(char::is_control), "{about}");
        let kind = reply.header("content-type").expect("a type");
        let is_text = kind == "text/plain;charset=utf-8";
        assert!(is_text || matches!(kind, "application/json" | "application/xml"), "{about}");
        assert_eq!(reply.header("x-content-type-options"), is_text.then_some("nosniff"), "{about}");
        assert_eq!(reply.header("set-cookie"), None, "{about}");
    }
}

/// The type of an answer may carry what the client put after it, and nothing that ends the line.
#[tokio::test(start_paused = true)]
async fn no_answer_is_a_page_or_leads_elsewhere() {
    let server = Server::new(&[]);
    server.register(&body_with("ORDERS", "ord-1", &json!({"metadata": {"a": HOSTILE}, "homePageUrl": HOSTILE}))).await;
    for accept in
        ["text/html", "application/xhtml+xml", "application/xml;a=\"text/html\"", "application/json, text/html"]
    {
        for target in
            ["/eureka/apps", "/eureka/apps/ORDERS/ord-1", "/eureka/status", "//else.test/", "/eureka/\\else.test"]
        {
            let Ok(uri) = target.parse::<http::Uri>() else { continue };
            let request = http::Request::get(uri).header("accept", accept).header("host", "else.test");
            let reply = server.answer(request.body(axum::body::Body::empty()).expect("a request")).await;
            let kind = reply.header("content-type").unwrap_or_default();
            let is_no_page = kind.starts_with("application/") || kind.starts_with("text/plain;");
            assert!(reply.body.is_empty() || is_no_page, "{target} {accept}: {kind}");
            assert!(reply.header("location").is_none() && reply.status / 100 != 3, "{target} {accept}");
        }
    }
    for form in [JSON, XML] {
        let shown = server.get("/eureka/apps", &[form]).await.text();
        assert!(!shown.contains(['\r', '\u{1b}']), "{shown}");
        assert!(form == JSON || !shown.contains("<script>"), "{shown}");
    }
}

/// Java's server calls nobody either; but what calls nobody today may begin to.
#[tokio::test]
async fn no_call_goes_to_an_address_that_a_client_names() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("set");
    let address = listener.local_addr().expect("an address");
    let (url, port) = (format!("http://{address}/eureka/"), address.port());
    let server = Running::start(&["--eureka.server.enable-self-preservation=false"]).await;
    let mut connection = server.connect().await;
    let instance = json!({
        "hostName": "127.0.0.1", "ipAddr": "127.0.0.1", "port": {"$": port}, "homePageUrl": url, "statusPageUrl": url,
        "healthCheckUrl": url, "secureHealthCheckUrl": url, "vipAddress": url,
        "metadata": {"management.port": port.to_string(), "url": url}});
    // Under the name of the servers themselves, too.
    for app in ["ORDERS", "EUREKA", "EUREKA-SERVER"] {
        let sent = body_with(app, &url, &instance).to_string();
        let reply = connection.send("POST", &format!("/eureka/apps/{app}"), &[SENDS_JSON], sent.as_bytes()).await;
        assert_eq!(reply.status, 204);
    }
    let peer = [
        SENDS_JSON,
        JSON,
        ("x-netflix-discovery-replication", "true"),
        ("eurekad-node", "00000000000000aa; state=open; digest=1"),
        ("forwarded", &format!("host=\"{address}\"")),
        ("x-forwarded-host", &address.to_string()),
    ];
    let item = body_with("BILLING", &url, &instance)["instance"].take();
    let batch = json!({"replicationList": [
        {"appName": "BILLING", "id": url, "instanceInfo": item, "action": "Register"}]});
    for (target, sent) in [
        ("/eureka/peerreplication/batch/", batch.to_string()),
        ("/eureka/peerreplication/digest", json!({"compare": {"after": null, "until": null, "apps": {}}}).to_string()),
    ] {
        assert_eq!(connection.send("POST", target, &peer, sent.as_bytes()).await.status, 200, "{target}");
    }
    for target in ["/eureka/apps", "/eureka/apps/delta", "/eureka/status", "/eureka/apps?regions=http://else.test"] {
        assert_eq!(connection.get(target, &[JSON, ("host", &address.to_string())]).await.status, 200);
    }
    let id = encoded(&url);
    assert_eq!(
        connection.send("PUT", &format!("/eureka/apps/ORDERS/{id}/status?value=DOWN"), &[], b"").await.status,
        200
    );
    assert_eq!(connection.send("DELETE", &format!("/eureka/apps/ORDERS/{id}"), &[], b"").await.status, 200);
    drop(connection);
    server.stop().await;
    assert_eq!(listener.accept().expect_err("a call").kind(), ErrorKind::WouldBlock);
}
