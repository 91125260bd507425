//! Lists of some instances alone, and lists that a caller has already.

use serde_json::json;

use crate::server::{COMPACT, GZIP, JSON, Reply, Server, XML, body_with};

/// Two UP, one DOWN, of two applications in two zones.
async fn filled() -> Server {
    let server = Server::new(&[]);
    for (app, id, status, zone, version) in [
        ("ORDERS", "ord-1", "UP", "z1", "1.4"),
        ("ORDERS", "ord-2", "DOWN", "z2", "1.5"),
        ("STOCK", "st-1", "UP", "z2", "1.4"),
    ] {
        let members = json!({"hostName": "h.test", "homePageUrl": null, "statusPageUrl": null, "healthCheckUrl": null, "status": status, "metadata": {"zone": zone, "version": version}});
        assert_eq!(server.register(&body_with(app, id, &members)).await.status, 204);
    }
    server
}

/// Ids and hash code, whatever the form.
fn shown(reply: &Reply) -> (Vec<String>, Option<String>) {
    assert_eq!(reply.status, 200, "{}", reply.text());
    let text = reply.text();
    let ids = ["ord-1", "ord-2", "st-1"].into_iter().filter(|id| text.contains(id)).map(str::to_owned).collect();
    let hash = |(before, after): (&str, &str)| Some(text.split_once(before)?.1.split_once(after)?.0.to_owned());
    (ids, hash(("\"apps__hashcode\":\"", "\"")).or_else(|| hash(("<apps__hashcode>", "</apps__hashcode>"))))
}

async fn ids(server: &Server, target: &str) -> Vec<String> {
    shown(&server.get(target, &[JSON]).await).0
}

#[tokio::test(start_paused = true)]
async fn case_107_who_wants_those_that_are_up_gets_no_others() {
    let server = filled().await;
    let forms = [JSON, XML]
        .map(|format| [vec![format], vec![format, COMPACT], vec![format, GZIP], vec![format, COMPACT, GZIP]]);
    for form in forms.into_iter().flatten() {
        for root in ["/eureka", "/eureka/v2"] {
            let up = server.get(&format!("{root}/apps?status=UP"), &form).await;
            assert_eq!(shown(&up), (vec!["ord-1".into(), "st-1".into()], Some("UP_2_".into())), "{form:?}");
            let all = server.get(&format!("{root}/apps"), &form).await;
            assert_eq!(shown(&all).1.as_deref(), Some("DOWN_1_UP_2_"), "the whole list is as it was");
            assert_eq!(up.headers.get("content-type"), all.headers.get("content-type"));
            assert_eq!(up.headers.get("content-encoding"), all.headers.get("content-encoding"));
        }
    }
    assert_eq!(server.put("/eureka/apps/STOCK/st-1/status?value=OUT_OF_SERVICE").await.status, 200);
    assert_eq!(ids(&server, "/eureka/apps?status=UP").await, ["ord-1"], "the effective status counts");
}

#[tokio::test(start_paused = true)]
async fn every_list_takes_every_filter() {
    let server = filled().await;
    for (query, expected) in [
        ("apps?zone=z2", &["ord-2", "st-1"][..]),
        ("apps?zone=z1,z2", &["ord-1", "ord-2", "st-1"]),
        ("apps?metadata.version=1.4", &["ord-1", "st-1"]),
        ("apps?metadata.version=1.4&metadata.zone=z2", &["st-1"]),
        ("apps?apps=orders,NONE", &["ord-1", "ord-2"]),
        ("apps?apps=ORDERS&apps=STOCK&status=UP,STARTING", &["ord-1", "st-1"]),
        ("apps?status=STARTING", &[]),
        ("apps/ORDERS?status=UP", &["ord-1"]),
        ("apps/ORDERS?status=STARTING", &[]),
        ("vips/orders?zone=z2", &["ord-2", "st-1"]),
        ("svips/orders?apps=STOCK", &["st-1"]),
        ("svips/nothing?apps=STOCK", &[]),
        ("apps/delta?status=UP", &["ord-1", "ord-2", "st-1"]),
        ("apps?Status=UP&what=ever", &["ord-1", "ord-2", "st-1"]),
    ] {
        assert_eq!(ids(&server, &format!("/eureka/{query}")).await, expected, "{query}");
    }
    assert_eq!(server.get("/eureka/apps/NONE?status=UP", &[JSON]).await.status, 404);
    let none = server.json("/eureka/apps?status=STARTING").await;
    assert_eq!(none, json!({"applications": {"versions__delta": "1", "apps__hashcode": "", "application": []}}));
    let none = server.json("/eureka/apps/ORDERS?status=STARTING").await;
    assert_eq!(none, json!({"application": {"name": "ORDERS", "instance": []}}));
}

#[tokio::test(start_paused = true)]
async fn a_filter_that_cannot_be_read_is_never_everything() {
    let server = filled().await;
    for (query, named) in [("apps?status=GONE", "GONE"), ("apps/ORDERS?zone=", "zone"), ("vips/orders?apps", "apps")] {
        let refused = server.get(&format!("/eureka/{query}"), &[JSON]).await;
        assert_eq!(refused.status, 400, "{query}");
        assert!(refused.text().contains(named), "{}", refused.text());
    }
}

#[tokio::test(start_paused = true)]
async fn a_filtered_list_shows_what_was_answered_before() {
    let server = filled().await;
    let both = ["/eureka/apps?apps=ORDERS,STOCK", "/eureka/apps?status=UP"];
    for (method, path, expected) in [
        ("PUT", "ORDERS/ord-2/status?value=UP", [&["ord-1", "ord-2", "st-1"][..]; 2]),
        ("DELETE", "ORDERS/ord-1", [&["ord-2", "st-1"]; 2]),
        ("DELETE", "ORDERS/ord-2", [&["st-1"]; 2]),
        ("PUT", "STOCK/st-1/status?value=DOWN", [&["st-1"], &[]]),
        ("DELETE", "STOCK/st-1", [&[]; 2]),
    ] {
        assert_eq!(server.send(method, &format!("/eureka/apps/{path}"), &[], b"").await.status, 200);
        for (target, expected) in both.iter().zip(expected) {
            assert_eq!(ids(&server, target).await, expected, "{target} after {method} {path}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_a_list_is_not_sent_it_again() {
    let server = filled().await;
    for target in ["apps", "apps/delta", "apps/ORDERS", "vips/orders", "svips/orders", "apps?status=UP", "vips/none"] {
        let target = format!("/eureka/{target}");
        let mut tags = Vec::new();
        for form in [vec![JSON], vec![XML], vec![JSON, COMPACT], vec![JSON, GZIP]] {
            let first = server.get(&target, &form).await;
            let tag = first.header("etag").expect("a tag").to_owned();
            for given in [tag.clone(), format!("\"x\", W/{tag}")] {
                for method in ["GET", "HEAD"] {
                    let headers = [&form[..], &[("If-None-Match", &*given)]].concat();
                    let again = server.send(method, &target, &headers, b"").await;
                    assert_eq!((again.status, again.body.len()), (304, 0), "{target} {given}");
                    assert_eq!(again.header("etag"), Some(&*tag));
                }
            }
            tags.push(tag);
        }
        let any = server.get(&target, &[JSON, ("If-None-Match", "*")]).await;
        assert_eq!(any.status, 200, "as in Java");
        let of_xml = server.get(&target, &[JSON, ("If-None-Match", &*tags[1])]).await;
        assert_eq!(of_xml.status, 200, "another form is another list");
        assert!(tags[0] != tags[1] && tags[0] != tags[2]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tag_ends_with_a_change_of_what_the_list_shows_and_with_no_other() {
    let server = filled().await;
    let targets = ["/eureka/apps", "/eureka/apps?status=DOWN", "/eureka/apps?apps=ORDERS", "/eureka/apps/STOCK"];
    let mut tags = Vec::new();
    for target in targets {
        tags.push(server.get(target, &[JSON]).await.header("etag").expect("a tag").to_owned());
    }
    assert_eq!(server.put("/eureka/apps/STOCK/st-1/status?value=OUT_OF_SERVICE").await.status, 200);
    let mut statuses = Vec::new();
    for (target, tag) in targets.iter().zip(&tags) {
        statuses.push(server.get(target, &[JSON, ("If-None-Match", tag)]).await.status);
    }
    assert_eq!(statuses, [200, 304, 304, 200]);
    // Lease times are those of the writing, and no older than a list may be.
    tokio::time::advance(std::time::Duration::from_secs(181)).await;
    let old = server.get(targets[2], &[JSON, ("If-None-Match", &tags[2])]).await;
    assert_eq!(old.status, 200);
}
