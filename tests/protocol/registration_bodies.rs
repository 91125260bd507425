//! Registrations of real clients, and 75 variations on them, held against what Java's decoders made
//! of each: what Java accepted is accepted and means the same, what Java refused is accepted only on
//! purpose.

use serde_json::{Map, Value, json};

use super::deviations::{Difference, judge};
use super::exchange::{Answer, Ask, Server, fixture};
use super::golden::RECORDED_WITH;
use super::json_form::{self, TIMES, is_about};
use super::xml_form::{self, Element};

/// The recording that is replayed.
pub(crate) const FILE: &str = "decode-of-registration-bodies.json";

#[tokio::test(start_paused = true)]
async fn mean_what_java_took_them_for() {
    let text = std::fs::read(fixture("captures/java-codec").join(FILE)).unwrap();
    let recording: Value = serde_json::from_slice(&text).unwrap();
    let server = Server::fresh(&RECORDED_WITH);
    let cases = recording["cases"].as_array().unwrap();
    let mut differences = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let case = Case::of(case);
        let difference = case.first_difference(&server).await;
        if let Some(text) = difference {
            differences.push(Difference { index, name: case.name, request: case.body.to_owned(), text });
        }
    }
    judge(&server, FILE, cases.len(), &differences);
}

struct Case<'r> {
    name: String,
    content_type: &'r str,
    body: &'r str,
    /// The decoded instance, encoded again; `None` if Java refused.
    accepted: Option<Accepted<'r>>,
}

struct Accepted<'r> {
    json: Value,
    xml: Element,
    id: &'r str,
}

impl<'r> Case<'r> {
    fn of(case: &'r Value) -> Self {
        let text = |name: &str| case[name].as_str();
        let name =
            text("name").map_or_else(|| format!("{} #{}", text("from").unwrap(), case["seq"]), ToOwned::to_owned);
        let accepted = (case["ok"] == true).then(|| {
            let json: Value = serde_json::from_str(text("reencoded_json_full").unwrap()).unwrap();
            let xml = xml_form::parse(text("reencoded_xml_full").unwrap()).unwrap();
            Accepted { json: json["instance"].clone(), xml, id: text("effective_id").unwrap() }
        });
        // The decoder lets pass what the checks after it refuse.
        let accepted = accepted.filter(|accepted| accepted.json.get("dataCenterInfo").is_some());
        Self { name, content_type: text("content_type").unwrap(), body: text("body").unwrap(), accepted }
    }

    /// Registers the body, reads it back in both formats and cancels it.
    async fn first_difference(&self, server: &Server) -> Option<String> {
        let app = self.app();
        let path = format!("/eureka/apps/{app}");
        let register = Ask::with_body("POST", &path, &[("Content-Type", self.content_type)], self.body);
        let answer = answer(server, &register).await;
        match (&self.accepted, answer.status) {
            (Some(accepted), 204) => {
                let difference = self.reading_difference(server, &path, accepted).await;
                let cancel = Ask::new("DELETE", &format!("{path}/{}", accepted.id), &[]);
                let cancelled = self::answer(server, &cancel).await.status;
                assert_eq!(cancelled, 200, "{}: no instance of the id {}", self.name, accepted.id);
                difference
            }
            (None, 400) => None,
            (None, 204) => {
                self.cancel_all(server, &path).await;
                Some("accepted, was refused".to_owned())
            }
            (_, status) => Some(format!("status {status}: {}", answer.text())),
        }
    }

    async fn reading_difference(&self, server: &Server, path: &str, accepted: &Accepted<'_>) -> Option<String> {
        let json = answer(server, &Ask::new("GET", path, &[("Accept", "application/json")])).await;
        let json: Value = serde_json::from_slice(&json.body).unwrap();
        let json = &json["application"]["instance"][0];
        let xml = answer(server, &Ask::new("GET", path, &[("Accept", "application/xml")])).await;
        let xml = xml_form::parse(&xml.text()).unwrap();
        let xml = xml.child("instance").expect("the instance");

        let now = server.wall();
        // A time that the body does not give is that of the decoding, then as now.
        let dirty = json["lastDirtyTimestamp"].as_str().unwrap_or_default();
        let told = self.body.contains(accepted.json["lastDirtyTimestamp"].as_str().unwrap_or("?"));
        if !told && !is_about(dirty, now) {
            return Some(format!("lastDirtyTimestamp {dirty}, was the time of the decoding"));
        }
        let [mut want, got] = [&accepted.json, json].map(|instance| meaning(instance, told));
        let [mut want_xml, got_xml] = [&accepted.xml, xml].map(|instance| xml_meaning(instance.clone(), told));
        // An override in an UP registration is stored, and decides.
        if want["status"] == "UP" && want["overriddenStatus"] != "UNKNOWN" {
            want["status"] = want["overriddenStatus"].clone();
            let status = want_xml.children.iter_mut().find(|child| child.name == "status").expect("a status");
            json_form::scalar_text(&want["status"]).clone_into(&mut status.text);
        }
        json_form::first_difference(&want, &got, "")
            .or_else(|| xml_form::first_difference(&want_xml, &got_xml, "as XML "))
    }

    async fn cancel_all(&self, server: &Server, path: &str) {
        let registry = answer(server, &Ask::new("GET", path, &[("Accept", "application/json")])).await;
        let Ok(registry) = serde_json::from_slice::<Value>(&registry.body) else { return };
        for instance in registry["application"]["instance"].as_array().into_iter().flatten() {
            let id = instance.get("instanceId").unwrap_or(&instance["hostName"]).as_str().unwrap_or_default();
            answer(server, &Ask::new("DELETE", &format!("{path}/{id}"), &[])).await;
        }
    }

    /// The app that the body names, wherever it stands.
    fn app(&self) -> String {
        if self.content_type.contains("xml") {
            return xml_form::parse(self.body).unwrap().child("app").unwrap().text.clone();
        }
        let document: Value = serde_json::from_str(self.body).unwrap();
        let instance = document.get("instance").or(document.get("foo")).unwrap_or(&document);
        instance["app"].as_str().unwrap().to_owned()
    }
}

async fn answer(server: &Server, ask: &Ask) -> Answer {
    server.send(ask).await.expect("an answer")
}

/// What the registry, not the decoder, gives an instance; besides the times.
const OF_THE_REGISTRY: [&str; 2] = ["actionType", "isCoordinatingDiscoveryServer"];

/// An instance without what the registry gives it.
fn meaning(instance: &Value, dirty_is_told: bool) -> Value {
    let mut instance = instance.as_object().cloned().unwrap_or_default();
    let mut lease = instance.remove("leaseInfo").unwrap_or_else(|| json!({}));
    if let Some(lease) = lease.as_object_mut() {
        lease.entry("renewalIntervalInSecs").or_insert(json!(30));
        lease.entry("durationInSecs").or_insert(json!(90));
        without_times(lease);
    }
    instance.insert("leaseInfo".to_owned(), lease);
    without_times(&mut instance);
    instance.retain(|name, _| !OF_THE_REGISTRY.contains(&name.as_str()));
    if !dirty_is_told {
        instance.remove("lastDirtyTimestamp");
    }
    Value::Object(instance)
}

fn without_times(members: &mut Map<String, Value>) {
    members.retain(|name, _| !TIMES.contains(&name.as_str()));
}

/// As `meaning`; the lease is told by the JSON already.
fn xml_meaning(mut instance: Element, dirty_is_told: bool) -> Element {
    instance.children.retain(|child| {
        let name = child.name.as_str();
        let is_added = TIMES.contains(&name) || OF_THE_REGISTRY.contains(&name) || name == "leaseInfo";
        !is_added && (dirty_is_told || name != "lastDirtyTimestamp")
    });
    // Of the texts that `comparable` knows, only metadata's order is left.
    instance.comparable(i64::MIN)
}
