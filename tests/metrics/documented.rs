//! `docs/metrics.md` has every metric as it is.

use std::collections::{BTreeMap, BTreeSet};

use super::exposition::Exposition;
use super::server;
use crate::server::body;

/// The rows of `docs/metrics.md`: type, labels, meaning, by name.
fn documented() -> BTreeMap<&'static str, [&'static str; 3]> {
    let documentation = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/metrics.md"));
    let rows =
        documentation.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "));
    let rows = rows.filter_map(|(name, cells)| {
        let cells: Vec<_> = cells.splitn(3, '|').map(str::trim).collect();
        Some((name, cells.try_into().ok()?))
    });
    rows.collect()
}

#[tokio::test(start_paused = true)]
async fn every_metric_is_documented_as_it_is() {
    let server = server(&[
        "--eureka.client.fetch-registry=true",
        "--eureka.server.remote-region-urls-with-name.eu=http://10.20.0.2:8761/eureka/",
    ]);
    server.app.peers().set(&["http://10.20.0.1:8761/eureka/".parse().unwrap()]);
    server.register(&body("ORDERS", "1")).await;
    server.get("/eureka/apps", &[]).await;
    let documented = documented();
    let figures = Exposition::of(&server).await;
    for (name, family) in &figures.0 {
        let Some([kind, labels, meaning]) = documented.get(name.as_str()) else {
            panic!("{name} is not in docs/metrics.md: | `{name}` | {} | | {} |", family.kind, family.help);
        };
        assert_eq!((*kind, *meaning), (family.kind.as_str(), family.help.as_str()), "{name}");
        let shown: BTreeSet<String> = family
            .samples
            .iter()
            .flat_map(|sample| sample.labels.keys().cloned())
            .filter(|label| label != "le")
            .collect();
        let listed: BTreeSet<String> = labels
            .split(", ")
            .filter(|label| !label.is_empty())
            .map(|label| label.trim_matches('`').to_owned())
            .collect();
        assert!(family.samples.is_empty() || shown == listed, "{name}: {shown:?}, documented {listed:?}");
    }
    for name in documented.keys() {
        assert!(figures.0.contains_key(*name), "{name} is documented and not there");
    }
}
