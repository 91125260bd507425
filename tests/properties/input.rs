//! No input panics, is answered with a 5xx, or makes a later answer fail for anybody.

use axum::body::Body;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{COMPACT, JSON, Server, XML, body, body_with, encoded};

/// A request as it comes, whatever it says.
#[derive(Clone, Debug)]
struct Input {
    method: String,
    target: Vec<u8>,
    headers: Vec<(&'static str, Vec<u8>)>,
    body: Vec<u8>,
}

impl Input {
    /// The request, unless not even the HTTP library would let it through.
    fn request(&self) -> Option<Request<Body>> {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = Method::from_bytes(self.method.as_bytes()).ok()?;
        *request.uri_mut() = Uri::try_from(&*self.target).ok()?;
        for (name, value) in &self.headers {
            request.headers_mut().append(HeaderName::from_static(name), HeaderValue::from_bytes(value).ok()?);
        }
        Some(request)
    }
}

fn any_input() -> impl Strategy<Value = Input> {
    prop_oneof![
        3 => odd_registration(),
        2 => (any_method(), any_target(), vec(any_header(), 0..5), any_body())
            .prop_map(|(method, target, headers, body)| Input { method, target, headers, body }),
        2 => (select(vec!["/eureka/apps/POTTERY", "/eureka/apps/WEAVING", "/eureka/peerreplication/batch/"]), damaged_body())
            .prop_map(|(target, (content_type, body))| Input {
                method: "POST".into(),
                target: target.into(),
                headers: vec![("content-type", content_type.into())],
                body,
            }),
        1 => (select(vec!["PUT", "DELETE"]), any_id(), select(vec!["", "/status", "/metadata"]), any_query())
            .prop_map(|(method, id, what, query)| Input {
                method: method.into(),
                target: [format!("/eureka/apps/ODD/{}{what}?", encoded(&id)).as_bytes(), &query].concat(),
                headers: Vec::new(),
                body: Vec::new(),
            }),
    ]
}

/// What somebody is bound to choke on, more often than chance would have it.
fn any_text() -> impl Strategy<Value = String> {
    let touchy = select(vec![
        '\0', '\u{1}', '\t', '\n', '\r', ' ', '<', '>', '&', '"', '\'', ']', '_', '$', ',', '.', ':', '/', '\\', '%',
        '+', ';', '1', 'a', 'ß', 'ŉ', '\u{7f}', '\u{85}', '\u{2028}', '\u{fdd0}', '\u{fffe}', '\u{ffff}', '🏺',
    ]);
    prop_oneof![
        3 => vec(prop_oneof![touchy, any::<char>()], 0..8).prop_map(|chars| chars.into_iter().collect()),
        1 => select(vec!["", "UP", "null", "na", "@class", "class", "Amazon", "instanceId", "xml:lang", "-1", "1e999"])
            .prop_map(str::to_owned),
        1 => (1..600_usize).prop_map(|length| "long ".repeat(length)),
    ]
}

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![4 => select(vec!["odd-1", "odd-2", "a/b"]).prop_map(str::to_owned), 1 => any_text()]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A registration that is often whole, and never ordinary.
fn odd_registration() -> impl Strategy<Value = Input> {
    let text = any_text().prop_map(Value::from);
    let texts = vec((any_text(), any_text()), 0..4)
        .prop_map(|entries| Value::Object(entries.into_iter().map(|(key, value)| (key, value.into())).collect()));
    let texts = texts.boxed();
    let amazon = texts.clone().prop_map(|metadata| json!({"name": "Amazon", "metadata": metadata}));
    let ports = any::<i32>().prop_map(|number| json!({"$": number}));
    let member = prop_oneof![
        (
            select(vec![
                "hostName",
                "ipAddr",
                "sid",
                "status",
                "overriddenStatus",
                "appGroupName",
                "homePageUrl",
                "vipAddress",
                "secureVipAddress",
                "asgName",
                "actionType",
                "lastDirtyTimestamp",
                "healthCheckUrl",
                "secureHealthCheckUrl",
            ]),
            text
        ),
        (Just("metadata"), texts),
        (Just("dataCenterInfo"), amazon),
        (select(vec!["port", "securePort"]), ports),
        (
            select(vec!["leaseInfo", "countryId", "isCoordinatingDiscoveryServer", "lastUpdatedTimestamp", "x"]),
            any_json()
        ),
    ];
    let app = prop_oneof![3 => Just("ODD".to_owned()), 1 => any_text().prop_filter("a name", |app| !app.is_empty())];
    (app, any_id(), vec(member, 1..4), any::<bool>()).prop_map(|(app, id, members, peer)| {
        let members = members.into_iter().map(|(name, value): (&str, Value)| (name.to_owned(), value)).collect();
        let mut body = body_with(&app, &id, &Value::Object(members));
        let target = format!("/eureka/apps/{}", encoded(&app));
        let mut headers = vec![("content-type", b"application/json".to_vec())];
        if peer {
            let item = json!({"appName": app, "id": id, "instanceInfo": body["instance"].take(), "action": "Register"});
            let batch = json!({ "replicationList": [item] });
            headers.push(("accept", b"application/json".to_vec()));
            return post("/eureka/peerreplication/batch/", headers, &batch);
        }
        post(&target, headers, &body)
    })
}

fn post(target: &str, headers: Vec<(&'static str, Vec<u8>)>, body: &Value) -> Input {
    Input { method: "POST".into(), target: target.into(), headers, body: body.to_string().into_bytes() }
}

fn any_method() -> impl Strategy<Value = String> {
    select(vec!["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get"])
        .prop_map(str::to_owned)
}

fn any_target() -> impl Strategy<Value = Vec<u8>> {
    let segment = prop_oneof![
        6 => select(vec![
            "eureka", "v2", "apps", "delta", "ODD", "odd-1", "status", "metadata", "instances", "vips", "svips",
            "peerreplication", "batch", "serverinfo", "statusoverrides", "asg", "", ";v=1", "%2F", "%", "%00", "%ff",
        ]).prop_map(|segment| segment.as_bytes().to_vec()),
        1 => any_text().prop_map(|text| encoded(&text).into_bytes()),
        1 => vec(any::<u8>(), 0..6),
    ];
    let root = select(vec!["/eureka/", "/eureka/v2/", "/", "", "*", "http://else.test/eureka/"]);
    (root, vec(segment, 0..6), prop::option::of(any_query())).prop_map(|(root, segments, query)| {
        let mut target = [root.as_bytes(), &segments.join(&b'/')].concat();
        if let Some(query) = query {
            target.push(b'?');
            target.extend(query);
        }
        target
    })
}

fn any_query() -> impl Strategy<Value = Vec<u8>> {
    let name =
        select(vec!["value", "status", "lastDirtyTimestamp", "overriddenstatus", "regions", "k", "", "%zz", "a+b"]);
    let value = prop_oneof![
        2 => select(vec!["UP", "UNKNOWN", "up", "", "0", "-1", "9223372036854775807", "99999999999999999999", "1e3", "%", "%ff"])
            .prop_map(|value| value.as_bytes().to_vec()),
        1 => any_text().prop_map(|text| encoded(&text).into_bytes()),
        1 => vec(any::<u8>(), 0..6),
    ];
    vec((name, value), 0..4).prop_map(|pairs| {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| [name.as_bytes(), b"=", value].concat()).collect();
        pairs.join(&b'&')
    })
}

fn any_header() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let name = select(vec![
        "accept",
        "accept-encoding",
        "content-type",
        "content-encoding",
        "content-length",
        "x-eureka-accept",
        "x-netflix-discovery-replication",
        "expect",
        "if-none-match",
        "range",
        "connection",
    ]);
    let value = prop_oneof![
        3 => select(vec![
            "application/json", "application/xml", "*/*", "text/html", "application/json;q=0.1, */*", "/", "a/b;q=x",
            "gzip", "gzip;q=0", "*;q=nan", "br", "compact", "true", "100-continue", "application/json;charset=utf-16",
            "", ";", ",", "=", "application/;", "0", "-1",
        ]).prop_map(|value| value.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..20),
    ];
    (name, value)
}

fn any_body() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(Vec::new()),
        vec(any::<u8>(), 0..200),
        any_json().prop_map(|value| value.to_string().into_bytes()),
        damaged_body().prop_map(|(_, body)| body),
    ]
}

/// A body that was whole, with pieces of it replaced.
fn damaged_body() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let whole = select(vec![
        ("application/json", include_str!("../fixtures/wire/spring-client.json")),
        ("application/json", include_str!("../fixtures/wire/instance.json")),
        ("application/json", include_str!("../fixtures/wire/amazon.json")),
        ("application/json", include_str!("../fixtures/wire/batch-request.json")),
        ("application/xml", include_str!("../fixtures/wire/instance.xml")),
        ("application/xml", include_str!("../fixtures/wire/instance-amazon.xml")),
    ]);
    let piece = prop_oneof![
        2 => select(vec![
            "", "null", "{}", "[]", "\"\"", "\\u0000", "\\ud800", "1e999", "-1", "{", "}", "\"", ",", "\"x\":{\"y\":[]},", "<", "&",
            "</", "]]>", "<![CDATA[", "<!DOCTYPE a>", "&#1;", "&#xfffe;", "_.0000", "<x/>", "<__/>", "POTTERY", "Amazon",
        ]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => any_text().prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..4),
    ];
    (whole, vec((any::<Index>(), 0..12_usize, piece), 0..4)).prop_map(|((content_type, whole), damage)| {
        let mut body = whole.as_bytes().to_vec();
        for (place, removed, added) in damage {
            let start = place.index(body.len() + 1);
            let end = (start + removed).min(body.len());
            body.splice(start..end, added);
        }
        (content_type, body)
    })
}

/// Everybody else is answered as ever.
async fn assert_well(server: &Server) -> TestCaseResult {
    let beat = server.put("/eureka/apps/KNOWN/known").await;
    prop_assert_eq!(beat.bare(), (200, Some("application/xml")));
    let known = server.instance("KNOWN", "known").await;
    prop_assert_eq!((&known["status"], &known["metadata"]["zone"]), (&json!("UP"), &json!("z1")));
    let count = server.app.registry().len();
    for detail in [&[][..], &[COMPACT]] {
        for (target, exact) in [("/eureka/apps", true), ("/eureka/apps/delta", false), ("/eureka/vips/orders", false)] {
            let json = server.get(target, &[&[JSON], detail].concat()).await.json();
            let apps = array(&json["applications"]["application"]);
            let in_json: usize = apps.iter().map(|app| array(&app["instance"]).len()).sum();
            let xml = server.get(target, &[&[XML], detail].concat()).await.xml();
            let in_xml: usize = xml.all("application").map(|app| app.all("instance").count()).sum();
            prop_assert_eq!(in_json, in_xml, "{}", target);
            prop_assert!(!exact || in_json == count, "{} of {}", in_json, count);
        }
    }
    for target in ["/eureka/apps/KNOWN", "/eureka/status", "/eureka/serverinfo/statusoverrides"] {
        prop_assert!(server.json(target).await.is_object());
    }
    Ok(())
}

async fn take(inputs: &[Input]) -> TestCaseResult {
    let server = Server::new(&[]);
    for (app, id) in [("KNOWN", "known"), ("ODD", "odd-1"), ("ODD", "odd-2"), ("ODD", "a/b")] {
        prop_assert_eq!(server.register(&body(app, id)).await.status, 204);
    }
    for input in inputs {
        let Some(request) = input.request() else { continue };
        let reply = server.answer(request).await;
        prop_assert!(reply.status < 500, "{} {:?}", reply.status, reply.body);
        let says_why = !reply.body.is_empty() || input.method == "HEAD";
        prop_assert!(reply.status != 400 || says_why, "a refusal says why");
        assert_well(&server).await?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_that_comes_in_harms_anybody(inputs in vec(any_input(), 1..8)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(take(&inputs))?;
    }
}
