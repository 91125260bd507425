//! Out of traffic and back.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{fleet, ids, operate, states};
use crate::server::{JSON, SENDS_JSON, START, Server, body_with};

const SIX: [&str; 6] = ["ord-1", "ord-2", "ord-3", "ord-4", "ord-5", "ord-6"];

async fn overrides(server: &Server) -> Value {
    server.json("/eureka/operations/overrides").await["overrides"].take()
}

#[tokio::test(start_paused = true)]
async fn case_103_a_version_is_drained_and_comes_back_with_one_request_each() {
    let server = fleet(&[]).await;
    let before = states(&server).await;
    let request = json!({"select": {"metadata": {"version": "1.4"}}, "reason": "bad release", "owner": "ann"});
    let mut trial = request.clone();
    trial["dryRun"] = true.into();
    let tried = operate(&server, "drain", &trial, 200).await;
    assert_eq!((ids(&tried, "changed"), &tried["operation"]), (SIX.map(str::to_owned).to_vec(), &Value::Null));
    assert_eq!(states(&server).await, before);

    let drained = operate(&server, "drain", &request, 200).await;
    assert_eq!(drained["changed"], tried["changed"]);
    let first = json!({"app": "ORDERS", "instance": "ord-1", "before": "UP", "after": "OUT_OF_SERVICE"});
    assert_eq!(drained["changed"][0], first);
    assert_eq!(drained["visibleToAllBy"], START + 65_000);
    for (id, status, overridden) in states(&server).await {
        let expected = if SIX.contains(&&*id) { ("OUT_OF_SERVICE", "OUT_OF_SERVICE") } else { ("UP", "UNKNOWN") };
        assert_eq!((&*status, &*overridden), expected, "{id}");
    }
    let listed = overrides(&server).await;
    assert_eq!(listed.as_array().unwrap().len(), 6);
    let expected = json!({
        "status": "OUT_OF_SERVICE", "reason": "bad release", "owner": "ann", "since": START, "until": null,
        "app": "ORDERS", "instance": "ord-1",
    });
    assert_eq!(listed[0], expected);
    let drains = server.json("/eureka/operations/drains").await;
    assert_eq!(drains["drains"][0]["instances"], 6);

    let undo = json!({"operation": drained["operation"]});
    let mut trial = undo.clone();
    trial["dryRun"] = true.into();
    let tried = operate(&server, "resume", &trial, 200).await;
    assert_eq!(overrides(&server).await, listed, "it was a trial");
    let resumed = operate(&server, "resume", &undo, 200).await;
    assert_eq!((ids(&resumed, "changed"), &resumed["changed"]), (SIX.map(str::to_owned).to_vec(), &tried["changed"]));
    assert_eq!(states(&server).await, before);
    assert_eq!(overrides(&server).await, json!([]));
    operate(&server, "resume", &trial, 409).await;
    let again = operate(&server, "resume", &undo, 409).await;
    assert_eq!(again, json!({"error": "operation: it was undone before"}));
}

#[tokio::test(start_paused = true)]
async fn an_undo_puts_back_what_was_there_and_leaves_alone_what_came_since() {
    let server = fleet(&[]).await;
    let drain =
        |select: Value, status: &str, reason: &str| json!({"select": select, "status": status, "reason": reason});
    operate(&server, "drain", &drain(json!({"instance": "ord-1"}), "DOWN", "disk"), 200).await;
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-2/status?value=OUT_OF_SERVICE").await.status, 200);
    let all = operate(&server, "drain", &drain(json!({"app": "orders"}), "OUT_OF_SERVICE", "move"), 200).await;
    assert_eq!(ids(&all, "changed").len(), 10);
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-3/status?value=DOWN").await.status, 200);
    assert_eq!(server.delete("/eureka/apps/ORDERS/ord-4").await.status, 200);

    let undone = operate(&server, "resume", &json!({"operation": all["operation"]}), 200).await;
    assert_eq!(ids(&undone, "unchanged"), ["ord-3"]);
    let listed = overrides(&server).await;
    let listed: Vec<_> = listed.as_array().unwrap().iter().map(|each| (&each["instance"], &each["reason"])).collect();
    let (disk, none) = (json!("disk"), Value::Null);
    assert_eq!(listed, [(&json!("ord-1"), &disk), (&json!("ord-2"), &none), (&json!("ord-3"), &none)]);
    let after = states(&server).await;
    let status = |id: &str| after.iter().find(|state| state.0 == id).map(|state| state.1.as_str());
    assert_eq!(
        ["ord-1", "ord-2", "ord-3", "ord-4", "ord-5"].map(status),
        [Some("DOWN"), Some("OUT_OF_SERVICE"), Some("DOWN"), None, Some("UP"),]
    );
}

#[tokio::test(start_paused = true)]
async fn a_drain_ends_by_itself() {
    let server = fleet(&[]).await;
    let request = json!({"select": {"zone": "b"}, "for": "30m", "reason": "rack"});
    let drained = operate(&server, "drain", &request, 200).await;
    assert_eq!(drained["until"], START + 1_800_000);
    server.pass(1_799).await;
    assert_eq!(server.app.registry().lift_ended_overrides(), 0);
    for number in 7..=10 {
        assert_eq!(server.put(&format!("/eureka/apps/ORDERS/ord-{number}")).await.status, 200);
    }
    server.pass(1).await;
    assert_eq!(server.app.registry().lift_ended_overrides(), 4);
    assert!(states(&server).await.iter().all(|(_, status, overridden)| status == "UP" && overridden == "UNKNOWN"));
    let history = server.json("/eureka/operations/explain/ORDERS/ord-7").await["history"][0].take();
    assert_eq!((&history["cause"], &history["origin"]), (&json!("status removed"), &json!("operator")));
}

#[tokio::test(start_paused = true)]
async fn what_is_said_twice_changes_nothing_and_what_is_said_anew_does() {
    let server = fleet(&[]).await;
    let request = json!({"select": {"host": "10.20.0.1"}, "reason": "disk"});
    operate(&server, "drain", &request, 200).await;
    let again = operate(&server, "drain", &request, 200).await;
    assert_eq!((ids(&again, "unchanged"), &again["operation"]), (vec!["ord-1".to_owned()], &Value::Null));
    let other = json!({"select": {"host": "10.20.0.1"}, "reason": "rack"});
    assert_eq!(ids(&operate(&server, "drain", &other, 200).await, "changed"), ["ord-1"]);
    let drain = async |host: &str, span: &str| {
        let request = json!({"select": {"host": host}, "reason": "disk", "for": span});
        ids(&operate(&server, "drain", &request, 200).await, "changed").len()
    };
    assert_eq!((drain("10.20.0.2", "10m").await, drain("10.20.0.2", "10m").await), (1, 0));
    assert_eq!(drain("10.20.0.2", "20m").await, 1, "its time was moved");
}

#[tokio::test(start_paused = true)]
async fn a_drain_without_an_end_takes_the_end_from_one_that_had_it() {
    let server = fleet(&[]).await;
    let instance = |id: &str| json!({"instance": id});
    operate(&server, "drain", &json!({"select": instance("ord-1"), "for": "2s"}), 200).await;
    operate(&server, "drain", &json!({"select": instance("ord-2"), "for": "2s", "reason": "disk"}), 200).await;
    let drained = operate(&server, "drain", &json!({"select": instance("ord-1")}), 200).await;
    assert_eq!((ids(&drained, "changed"), &drained["until"]), (vec!["ord-1".to_owned()], &Value::Null));
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-2/status?value=OUT_OF_SERVICE").await.status, 200);
    server.pass(3).await;
    assert_eq!(server.app.registry().lift_ended_overrides(), 0);
    let listed = overrides(&server).await;
    let ends: Vec<_> = listed.as_array().unwrap().iter().map(|each| (&each["instance"], &each["until"])).collect();
    assert_eq!(ends, [(&json!("ord-1"), &Value::Null), (&json!("ord-2"), &Value::Null)]);
}

#[tokio::test(start_paused = true)]
async fn a_drain_that_ends_takes_nothing_along_that_was_there_for_longer() {
    let server = fleet(&[]).await;
    operate(&server, "drain", &json!({"select": {"instance": "ord-1"}, "reason": "disk"}), 200).await;
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-2/status?value=DOWN").await.status, 200);
    operate(&server, "drain", &json!({"select": {"instance": "ord-3"}, "for": "1h"}), 200).await;
    operate(&server, "drain", &json!({"select": {"instance": "ord-4"}, "for": "1m"}), 200).await;
    let before = overrides(&server).await;
    let mut request = json!({"select": {"app": "ORDERS"}, "for": "30m", "reason": "rack", "dryRun": true});
    let tried = operate(&server, "drain", &request, 200).await;
    request["dryRun"] = false.into();
    let drained = operate(&server, "drain", &request, 200).await;
    assert_eq!((&drained["changed"], &drained["unchanged"]), (&tried["changed"], &tried["unchanged"]));
    let why = |at: usize| drained["unchanged"][at]["why"].as_str().unwrap().to_owned();
    assert_eq!(ids(&drained, "unchanged"), ["ord-1", "ord-2", "ord-3"]);
    assert!(why(0).starts_with("a status without an end is set already") && why(1) == why(0), "{drained}");
    assert!(why(2).starts_with("a status that ends later is set already"), "{drained}");
    server.pass(1_800).await;
    assert_eq!(server.app.registry().lift_ended_overrides(), 7);
    let left: Vec<_> = before.as_array().unwrap()[..3].to_vec();
    assert_eq!(overrides(&server).await, json!(left));
}

#[tokio::test(start_paused = true)]
async fn an_undo_that_found_nothing_of_its_own_can_be_done_later() {
    let server = fleet(&[]).await;
    let drain = |reason: &str| json!({"select": {"instance": "ord-1"}, "reason": reason});
    let first = operate(&server, "drain", &drain("disk"), 200).await;
    let second = operate(&server, "drain", &drain("rack"), 200).await;
    let undo = |of: &Value| json!({"operation": of["operation"]});
    assert_eq!(ids(&operate(&server, "resume", &undo(&first), 200).await, "unchanged"), ["ord-1"]);
    let drains = server.json("/eureka/operations/drains").await;
    assert_eq!(drains["drains"][1]["undone"], false);
    assert_eq!(ids(&operate(&server, "resume", &undo(&second), 200).await, "changed"), ["ord-1"]);
    assert_eq!(ids(&operate(&server, "resume", &undo(&first), 200).await, "changed"), ["ord-1"]);
    assert_eq!(overrides(&server).await, json!([]));
    operate(&server, "resume", &undo(&first), 409).await;
}

#[tokio::test(start_paused = true)]
async fn nobody_drains_in_the_name_of_somebody_else() {
    let user = "--eurekad.security.users[0]";
    let words =
        [format!("{user}.name=ann"), format!("{user}.password=secret"), format!("{user}.roles=read,operate,register")];
    let server = Server::new(&words.each_ref().map(String::as_str));
    let login = ("authorization", "Basic YW5uOnNlY3JldA==");
    for (number, owner) in [None, Some("ann"), Some("root")].iter().enumerate() {
        let id = format!("ord-{number}");
        let body = body_with("ORDERS", &id, &json!({})).to_string();
        let reply = server.send("POST", "/eureka/apps/ORDERS", &[SENDS_JSON, login], body.as_bytes()).await;
        assert_eq!(reply.status, 204);
        let request = json!({"select": {"instance": id}, "owner": owner}).to_string();
        let reply = server.send("POST", "/eureka/operations/drain", &[SENDS_JSON, login], request.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let listed = server.send("GET", "/eureka/operations/overrides", &[JSON, login], b"").await.json();
    let owners: Vec<_> = listed["overrides"].as_array().unwrap().iter().map(|each| each["owner"].clone()).collect();
    assert_eq!(owners, ["ann", "ann", "ann for root"]);
}

#[tokio::test(start_paused = true)]
async fn to_take_all_overrides_back_tells_of_no_instance_without_one() {
    let server = fleet(&[]).await;
    operate(&server, "drain", &json!({"select": {"instance": "ord-4"}}), 200).await;
    for dry_run in [true, false] {
        let cleared = operate(&server, "overrides/clear", &json!({"all": true, "dryRun": dry_run}), 200).await;
        assert_eq!((ids(&cleared, "changed"), ids(&cleared, "unchanged")), (vec!["ord-4".to_owned()], vec![]));
    }
    let cleared = operate(&server, "overrides/clear", &json!({"all": true}), 200).await;
    assert_eq!((&cleared["changed"], &cleared["unchanged"]), (&json!([]), &json!([])));
}

#[tokio::test(start_paused = true)]
async fn case_041_all_overrides_are_listed_and_taken_back_by_application_or_all() {
    let server = fleet(&[]).await;
    for (app, id) in [("ORDERS", "ord-1"), ("ORDERS", "ord-2"), ("ORDERS", "ord-3"), ("STOCK", "sto-1")] {
        assert_eq!(server.put(&format!("/eureka/apps/{app}/{id}/status?value=OUT_OF_SERVICE")).await.status, 200);
    }
    operate(&server, "drain", &json!({"select": {"instance": "ord-4"}}), 200).await;
    assert_eq!(overrides(&server).await.as_array().unwrap().len(), 5);
    let cleared = operate(&server, "overrides/clear", &json!({"select": {"app": "ORDERS"}}), 200).await;
    assert_eq!(ids(&cleared, "changed"), ["ord-1", "ord-2", "ord-3", "ord-4"]);
    assert_eq!(overrides(&server).await.as_array().unwrap().len(), 1);
    operate(&server, "overrides/clear", &json!({"all": true}), 200).await;
    assert_eq!(overrides(&server).await, json!([]));
    assert!(states(&server).await.iter().all(|(_, status, _)| status == "UP"));
}

#[tokio::test(start_paused = true)]
async fn case_108_leases_are_ended_by_hand() {
    let server = fleet(&[]).await;
    let request = json!({"select": {"app": "ORDERS", "zone": "a"}, "reason": "gone", "dryRun": true});
    let tried = operate(&server, "evict", &request, 200).await;
    assert_eq!(states(&server).await.len(), 11);
    let request = json!({"select": {"app": "ORDERS", "zone": "a"}, "reason": "gone"});
    let evicted = operate(&server, "evict", &request, 200).await;
    assert_eq!(evicted["changed"], tried["changed"]);
    assert_eq!(ids(&evicted, "changed"), SIX);
    assert_eq!(states(&server).await.len(), 5);
    assert_eq!(server.put("/eureka/apps/ORDERS/ord-1").await.status, 404, "who lives registers again");
}

#[tokio::test(start_paused = true)]
async fn a_loss_is_accepted() {
    let server = fleet(&[]).await;
    server.pass(200).await;
    let preserved = server.json("/eureka/operations/preservation").await;
    assert_eq!((&preserved["silent"], &preserved["keeps"]), (&json!(11), &json!(true)), "{preserved}");
    assert_eq!(operate(&server, "accept", &json!({"reason": "scaled in"}), 200).await, json!({"accepted": 11}));
    assert_eq!(server.json("/eureka/operations/preservation").await["leases"], 0);
}

/// A change by somebody: whose instance, and which status; none takes it back.
fn earlier() -> impl Strategy<Value = Vec<(u8, Option<&'static str>)>> {
    let status = prop::sample::select(vec![Some("OUT_OF_SERVICE"), Some("DOWN"), Some("UP"), Some("STARTING"), None]);
    prop::collection::vec((1_u8..=10, status), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_drain_that_is_undone_leaves_everything_as_it_was(
        earlier in earlier(),
        select in prop::sample::select(vec![
            json!({"app": "ORDERS"}), json!({"metadata": {"version": "1.4"}}), json!({"instance": ["ord-1", "ord-9"]}),
        ]),
        status in prop::sample::select(vec!["OUT_OF_SERVICE", "DOWN", "UP"]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let server = fleet(&[]).await;
            for (number, status) in earlier {
                let path = format!("/eureka/apps/ORDERS/ord-{number}/status");
                match status {
                    Some(status) => server.put(&format!("{path}?value={status}")).await,
                    None => server.delete(&format!("{path}?value=UP")).await,
                };
            }
            let before = (states(&server).await, overrides(&server).await);
            let drained = operate(&server, "drain", &json!({"select": select, "status": status, "reason": "r"}), 200).await;
            if !drained["operation"].is_null() {
                operate(&server, "resume", &json!({"operation": drained["operation"]}), 200).await;
            }
            let mut after = (states(&server).await, overrides(&server).await);
            // When it was set is told anew.
            let stamps = |listed: &mut Value| listed.as_array_mut().unwrap().iter_mut().for_each(|each| each["since"] = Value::Null);
            let mut before = before;
            stamps(&mut before.1);
            stamps(&mut after.1);
            prop_assert_eq!(before, after);
            Ok(())
        })?;
    }
}
