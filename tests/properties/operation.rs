//! Anything that a client, a peer or time can do to a registry, on a few names so that they meet.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::server::list::array;
use crate::server::{FROM_PEER, JSON, SENDS_JSON, SENDS_XML, Server, XML, body_with};

pub(crate) const APPS: [&str; 3] = ["BILLING", "ORDERS", "STOCK"];
/// The same in every application.
const IDS: [&str; 3] = ["i-1", "i-2", "i/3 ü"];
pub(crate) const VIPS: [&str; 4] = ["alpha", "beta", "alpha,beta", "alpha,alpha,,beta"];
const STATUSES: [&str; 5] = ["UP", "DOWN", "STARTING", "OUT_OF_SERVICE", "UNKNOWN"];

/// One of the instances that there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who {
    app: &'static str,
    id: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A client registers, or a peer tells of it in a single call; in JSON, or XML as shown by a server.
    Register {
        who: Who,
        body: Box<Value>,
        peer: bool,
        xml: bool,
    },
    /// A heartbeat, with a version of the data and, from a peer, an override.
    Beat {
        who: Who,
        dirty: Option<i64>,
        overridden: Option<&'static str>,
        peer: bool,
    },
    SetStatus {
        who: Who,
        status: &'static str,
        dirty: Option<i64>,
    },
    RemoveStatus {
        who: Who,
        status: Option<&'static str>,
        dirty: Option<i64>,
    },
    SetMetadata {
        who: Who,
        key: &'static str,
        value: u8,
    },
    Cancel {
        who: Who,
    },
    /// What a peer sends.
    Batch(Vec<Value>),
    /// Seconds in which the server's timers run.
    Pass(u64),
    /// A reader looks.
    Read,
}

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    let dirty = || prop::option::of(any_dirty());
    prop_oneof![
        6 => (any_who(), any::<(bool, bool)>()).prop_flat_map(|(who, (peer, xml))| {
            any_body(who).prop_map(move |body| Operation::Register { who, body: Box::new(body), peer, xml })
        }),
        3 => (any_who(), dirty(), prop::option::of(any_status()), any::<bool>())
            .prop_map(|(who, dirty, overridden, peer)| Operation::Beat { who, dirty, overridden, peer }),
        3 => (any_who(), any_status(), dirty())
            .prop_map(|(who, status, dirty)| Operation::SetStatus { who, status, dirty }),
        2 => (any_who(), prop::option::of(any_status()), dirty())
            .prop_map(|(who, status, dirty)| Operation::RemoveStatus { who, status, dirty }),
        2 => (any_who(), select(vec!["weight", "build_no", "zone"]), any::<u8>())
            .prop_map(|(who, key, value)| Operation::SetMetadata { who, key, value }),
        2 => any_who().prop_map(|who| Operation::Cancel { who }),
        2 => prop::collection::vec(any_item(), 1..6).prop_map(Operation::Batch),
        3 => (1..60_u64).prop_map(Operation::Pass),
        4 => Just(Operation::Read),
    ]
}

fn any_who() -> impl Strategy<Value = Who> {
    (select(&APPS[..]), select(&IDS[..])).prop_map(|(app, id)| Who { app, id })
}

fn any_status() -> impl Strategy<Value = &'static str> {
    select(&STATUSES[..])
}

/// A few versions, so that they are often equal.
fn any_dirty() -> impl Strategy<Value = i64> {
    1_700_000_000_000..1_700_000_000_004_i64
}

prop_compose! {
    fn any_body(who: Who)(
        status in any_status(),
        overridden in prop_oneof![4 => Just("UNKNOWN"), 1 => any_status()],
        dirty in any_dirty(),
        vip in prop::option::of(select(&VIPS[..])),
        secure_vip in prop::option::of(select(&VIPS[..])),
        (interval, duration) in (5..40, 10..120),
        has_id in prop::bool::weighted(0.8),
    ) -> Value {
        // One without an id is told by its host name.
        body_with(who.app, who.id, &json!({
            "instanceId": if has_id { json!(who.id) } else { Value::Null },
            "hostName": who.id,
            "status": status, "overriddenstatus": overridden, "lastDirtyTimestamp": dirty.to_string(),
            "vipAddress": vip, "secureVipAddress": secure_vip,
            "leaseInfo": {"renewalIntervalInSecs": interval, "durationInSecs": duration},
        }))
    }
}

fn any_item() -> impl Strategy<Value = Value> {
    let action = select(vec!["Register", "Heartbeat", "Cancel", "StatusUpdate", "DeleteStatusOverride"]);
    any_who().prop_flat_map(move |who| {
        (action.clone(), any_body(who), any_dirty(), any_status(), prop::option::of(any_status())).prop_map(
            move |(action, mut body, dirty, status, overridden)| {
                let instance = if action == "Register" { body["instance"].take() } else { Value::Null };
                json!({"appName": who.app, "id": who.id, "lastDirtyTimestamp": dirty, "overriddenStatus": overridden,
                    "status": status, "instanceInfo": instance, "action": action})
            },
        )
    })
}

impl Who {
    fn path(self) -> String {
        format!("/eureka/apps/{}/{}", self.app, crate::server::encoded(self.id))
    }
}

impl Operation {
    /// Does it, and checks that the answer is one of those that there may be.
    pub(crate) async fn perform(&self, server: &Server) {
        let expect = |reply: crate::server::Reply, allowed: &[u16]| {
            assert!(allowed.contains(&reply.status), "{self:?}: {} {}", reply.status, reply.text());
        };
        let query = |pairs: &[(&str, Option<String>)]| {
            let pairs = pairs.iter().filter_map(|(name, value)| Some(format!("{name}={}", value.as_deref()?)));
            pairs.collect::<Vec<_>>().join("&")
        };
        let from = |peer: bool| if peer { vec![FROM_PEER, JSON] } else { vec![JSON] };
        match self {
            Self::Register { who, body, peer, xml } => {
                let (content_type, sent) =
                    if *xml { (SENDS_XML, as_xml(body).await) } else { (SENDS_JSON, body.to_string().into_bytes()) };
                let headers = [&[content_type][..], &from(*peer)].concat();
                expect(server.send("POST", &format!("/eureka/apps/{}", who.app), &headers, &sent).await, &[204]);
            }
            Self::Beat { who, dirty, overridden, peer } => {
                let query = query(&[
                    ("lastDirtyTimestamp", dirty.map(|dirty| dirty.to_string())),
                    ("overriddenstatus", overridden.map(str::to_owned)),
                ]);
                let target = format!("{}?{query}", who.path());
                let allowed: &[u16] = if *peer { &[200, 404, 409] } else { &[200, 404] };
                expect(server.send("PUT", &target, &from(*peer), b"").await, allowed);
            }
            Self::SetStatus { who, status, dirty } => {
                let query = query(&[
                    ("value", Some((*status).to_owned())),
                    ("lastDirtyTimestamp", dirty.map(|dirty| dirty.to_string())),
                ]);
                expect(server.put(&format!("{}/status?{query}", who.path())).await, &[200, 404]);
            }
            Self::RemoveStatus { who, status, dirty } => {
                let query = query(&[
                    ("value", status.map(str::to_owned)),
                    ("lastDirtyTimestamp", dirty.map(|dirty| dirty.to_string())),
                ]);
                expect(server.delete(&format!("{}/status?{query}", who.path())).await, &[200, 404]);
            }
            Self::SetMetadata { who, key, value } => {
                expect(server.put(&format!("{}/metadata?{key}={value}", who.path())).await, &[200, 404]);
            }
            Self::Cancel { who } => expect(server.delete(&who.path()).await, &[200, 404]),
            Self::Batch(items) => {
                let reply = server.post("/eureka/peerreplication/batch/", &json!({"replicationList": items})).await;
                assert_eq!(reply.status, 200);
                let answers = reply.json();
                let answers = array(&answers["responseList"]);
                assert_eq!(answers.len(), items.len());
                let known = [200, 404, 409].map(Value::from);
                assert!(answers.iter().all(|answer| known.contains(&answer["statusCode"])), "{items:?}: {answers:?}");
            }
            Self::Pass(seconds) => {
                server.pass(*seconds).await;
                server.app.registry().evict();
                server.app.catalog().sweep_delta();
            }
            Self::Read => {}
        }
    }
}

/// A registration as a server would show it in XML.
async fn as_xml(body: &Value) -> Vec<u8> {
    let other = Server::new(&[]);
    let app = body["instance"]["app"].as_str().expect("a name");
    assert_eq!(other.register(body).await.status, 204);
    let list = other.get(&format!("/eureka/apps/{app}"), &[XML]).await.text();
    let (begin, end) = (list.find("<instance>").expect("there"), list.find("</application>").expect("there"));
    list[begin..end].trim_end().as_bytes().to_vec()
}
