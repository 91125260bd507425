//! `/app/{app}/{instance}`: all that is known of an instance, also when it is gone.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use crate::codec::json;
use crate::model::{AppName, DataCenter, Instance, InstanceId, Port, Text};
use crate::registry::{Change, Explanation, Fate, Lease};

use super::links::web_address;
use super::moments::length;
use super::row::why;
use super::{Asker, Dashboard, Frame};

#[derive(Template)]
#[template(path = "dashboard/instance.html")]
struct Page<'a> {
    frame: Frame,
    app: &'a str,
    /// The page of that.
    application: String,
    id: &'a str,
    held: Option<Held>,
    history: Vec<Line>,
}

/// An instance that is there.
struct Held {
    status: &'static str,
    /// Why the status is not what the instance says.
    why: Option<String>,
    overridden: bool,
    is_unconfirmed: bool,
    /// None of one that another region holds.
    ends: Option<Ends>,
    lease: Vec<Field>,
    fields: Vec<Field>,
    metadata: Vec<(String, String)>,
    machine: Vec<(String, String)>,
    /// Where the API has it; none where no path leads there.
    raw: Option<String>,
    json: String,
}

/// When the lease ends.
struct Ends {
    /// For the script, which counts down.
    milliseconds: i64,
    text: String,
}

struct Field {
    name: &'static str,
    value: String,
    link: Option<String>,
}

/// One line of the history.
struct Line {
    time: String,
    version: u64,
    cause: &'static str,
    origin: &'static str,
    before: &'static str,
    after: &'static str,
}

/// `GET /app/{app}/{instance}`.
pub(super) async fn page(
    State(dashboard): State<Dashboard>,
    Path((app, id)): Path<(String, String)>,
    asker: Asker,
) -> Response {
    answer(dashboard, &app, &id, asker, "../../").await
}

/// The page of that instance, from which `home` leads to the dashboard.
pub(super) async fn answer(dashboard: Dashboard, app: &str, id: &str, asker: Asker, home: &'static str) -> Response {
    let (app, id) = (AppName::new(app), InstanceId::new(id));
    dashboard
        .answer(asker, move |dashboard, asker| {
            let frame = dashboard.frame_of(&app, asker, home);
            let registry = &dashboard.context.registry;
            let lease = dashboard.context.catalog.lease(&app, &id);
            let history = registry.changes_of(&app, &id);
            let page = Page {
                app: app.as_str(),
                application: frame.links.app(app.as_str()),
                id: id.as_str(),
                held: lease.map(|lease| dashboard.held(&lease, &frame, asker)),
                history: history.iter().map(|change| dashboard.history_line(change)).collect(),
                frame,
            };
            let status = if page.held.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            Ok((status, page.render()?))
        })
        .await
}

impl Dashboard {
    fn held(&self, lease: &Lease, frame: &Frame, asker: &Asker) -> Held {
        let instance = &*lease.instance;
        let (app, id) = (instance.app.as_str(), instance.id.as_str());
        let explained = match lease.region {
            None => self.context.registry.explain(&instance.app, &instance.id),
            Some(_) => None,
        };
        let entries = |metadata: &crate::model::Metadata| {
            metadata.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
        };
        Held {
            status: instance.status.as_str(),
            why: why(lease, asker.now),
            overridden: lease.override_status.is_some(),
            is_unconfirmed: lease.is_unconfirmed(),
            ends: explained.as_ref().map(|explained| ends(explained, asker)),
            lease: self.lease_fields(lease, explained.as_ref()),
            fields: self.fields(instance),
            metadata: entries(&instance.metadata),
            machine: match &instance.data_center {
                DataCenter::Amazon(machine) => entries(machine),
                DataCenter::Own(_) => Vec::new(),
            },
            raw: frame.links.raw(app, id),
            json: pretty(&json::write_instance(instance, lease.times())),
        }
    }

    fn lease_fields(&self, lease: &Lease, explained: Option<&Explanation>) -> Vec<Field> {
        let times = lease.times();
        let asked = lease.instance.lease;
        let mut fields = vec![
            field("Registered", self.moments.second(times.registration)),
            field("First UP", self.moments.second(times.service_up)),
            field("Last renewal", self.moments.second(times.last_renewal)),
            field("Renews every", format!("{} s, as it says", asked.renewal_interval_secs)),
        ];
        let Some(explained) = explained else {
            fields.push(field("Held by", "another region".to_owned()));
            return fields;
        };
        fields.push(field("Lasts after a renewal", length(explained.lasts)));
        fields.push(field("Silent for", length(explained.silent_for)));
        let fate = match explained.fate() {
            Fate::GoesUnconfirmed => "it goes when it lapses, unless its client renews or registers",
            Fate::IsSilent => "it misses renewals, and ends when it lapses unless kept",
            Fate::Renews => "it renews on time",
            Fate::IsKept => "it has lapsed, and is kept by self-preservation",
            Fate::EndsNext | Fate::Ends => "it has lapsed, and goes with one of the next rounds",
        };
        fields.push(field("What becomes of it", fate.to_owned()));
        fields
    }

    fn fields(&self, instance: &Instance) -> Vec<Field> {
        let port = |port: Port| format!("{}{}", port.number, if port.enabled { "" } else { " (not in use)" });
        let text = |text: &Option<Text>| text.as_deref().unwrap_or("–").to_owned();
        let link = |name, url: &Option<Text>| Field {
            link: web_address(url.as_ref()).map(str::to_owned),
            ..field(name, text(url))
        };
        vec![
            field("Host name", instance.host_name.to_string()),
            field("IP address", instance.ip_addr.to_string()),
            field("Port", port(instance.port)),
            field("Secure port", port(instance.secure_port)),
            field("Zone", instance.zone().unwrap_or("–").to_owned()),
            link("Home page", &instance.home_page_url),
            link("Status page", &instance.status_page_url),
            link("Health check", &instance.health_check_url),
            link("Secure health check", &instance.secure_health_check_url),
            field("VIP address", text(&instance.vip_address)),
            field("Secure VIP address", text(&instance.secure_vip_address)),
            field("Data center", instance.data_center.name().to_owned()),
            field("Status set from outside, as sent", instance.overridden_status.as_str().to_owned()),
            field("Group", text(&instance.app_group_name)),
            field("Auto scaling group", text(&instance.asg_name)),
            field("Country", instance.country_id.to_string()),
            field("sid", text(&instance.sid)),
            field("Coordinating server", instance.is_coordinating_discovery_server.to_string()),
            field("Last change here", self.moments.second(instance.last_updated)),
            field(
                "Version of its data",
                format!("{} ({})", instance.last_dirty, self.moments.second(instance.last_dirty)),
            ),
        ]
    }

    fn history_line(&self, change: &Change) -> Line {
        let after = if change.is_removal() { "gone" } else { change.lease.instance.status.as_str() };
        Line {
            time: self.moments.second(change.wall),
            version: change.version.0,
            cause: change.cause.as_str(),
            origin: change.origin.as_str(),
            before: change.before.map_or("not there", crate::model::InstanceStatus::as_str),
            after,
        }
    }
}

fn ends(explained: &Explanation, asker: &Asker) -> Ends {
    let milliseconds = explained.ends_at.saturating_sub(asker.now.wall);
    let time = length(std::time::Duration::from_millis(milliseconds.unsigned_abs()));
    let text = if explained.is_lapsed { format!("lapsed {time} ago") } else { format!("ends in {time}") };
    Ends { milliseconds, text }
}

fn field(name: &'static str, value: String) -> Field {
    Field { name, value, link: None }
}

/// The API's own answer, with line ends for people.
fn pretty(json: &[u8]) -> String {
    let document = serde_json::from_slice::<serde_json::Value>(json);
    let text = document.and_then(|document| serde_json::to_string_pretty(&document));
    text.unwrap_or_else(|_| String::from_utf8_lossy(json).into_owned())
}
