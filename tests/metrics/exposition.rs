//! A text of figures, read as strictly as its format is written down.

use std::collections::{BTreeMap, BTreeSet};

use crate::server::Server;

/// The figures of one name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Family {
    pub(crate) kind: String,
    pub(crate) help: String,
    pub(crate) samples: Vec<Sample>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

/// All figures by the name of their family.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exposition(pub(crate) BTreeMap<String, Family>);

impl Exposition {
    /// What a server exposes, as Prometheus' own format.
    pub(crate) async fn of(server: &Server) -> Self {
        let reply = server.get("/actuator/prometheus", &[]).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
        Self::read(&reply.text(), false)
    }

    /// Reads a text. Each family comes once, with its type, in one piece; no sample comes twice.
    pub(crate) fn read(text: &str, is_open_metrics: bool) -> Self {
        let text = if is_open_metrics { text.strip_suffix("# EOF\n").expect("an end") } else { text };
        let (mut families, mut current, mut seen) = (BTreeMap::<String, Family>::new(), String::new(), BTreeSet::new());
        for line in text.strip_suffix('\n').expect("a whole last line").split('\n') {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, help) = help.split_once(' ').expect("a text");
                let family = Family { help: help.to_owned(), ..Family::default() };
                assert!(families.insert(name.to_owned(), family).is_none(), "{name} comes twice");
                name.clone_into(&mut current);
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a type");
                assert_eq!(name, current);
                let family = families.get_mut(name).expect("help comes first");
                assert!(family.samples.is_empty());
                kind.clone_into(&mut family.kind);
            } else if let Some(unit) = line.strip_prefix("# UNIT ") {
                let (name, unit) = unit.split_once(' ').expect("a unit");
                assert!(is_open_metrics && name == current && name.ends_with(&format!("_{unit}")), "{line}");
            } else {
                let sample = sample(line);
                let family = families.get_mut(&current).expect("a family");
                let suffixes: &[&str] = match (family.kind.as_str(), is_open_metrics) {
                    ("histogram", _) => &["_bucket", "_sum", "_count"],
                    ("counter", true) => &["_total"],
                    ("info", true) => &["_info"],
                    _ => &[""],
                };
                assert!(suffixes.iter().any(|suffix| sample.name == format!("{current}{suffix}")), "{line}");
                assert!(seen.insert((sample.name.clone(), sample.labels.clone())), "{line} comes twice");
                family.samples.push(sample);
            }
        }
        Self(families)
    }

    /// The samples of a name, by the value of a label.
    pub(crate) fn by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let samples = self.0.get(name).map(|family| &family.samples[..]).unwrap_or_default();
        samples.iter().map(|sample| (sample.labels.get(label).cloned().unwrap_or_default(), sample.value)).collect()
    }

    /// The one figure of a name.
    pub(crate) fn one(&self, name: &str) -> f64 {
        let samples = &self.0.get(name).unwrap_or_else(|| panic!("no {name}")).samples;
        assert_eq!(samples.len(), 1, "{name}");
        samples[0].value
    }

    /// All that may only grow.
    pub(crate) fn counters(&self) -> BTreeMap<(String, BTreeMap<String, String>), f64> {
        let families = self.0.values().filter(|family| ["counter", "histogram"].contains(&family.kind.as_str()));
        let samples = families.flat_map(|family| &family.samples);
        samples.map(|sample| ((sample.name.clone(), sample.labels.clone()), sample.value)).collect()
    }
}

fn sample(line: &str) -> Sample {
    let end = line.find(['{', ' ']).expect("a value");
    let (name, mut rest) = line.split_at(end);
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    assert!(is_name(name), "{line}");
    let mut labels = BTreeMap::new();
    if let Some(mut inner) = rest.strip_prefix('{') {
        loop {
            let (label, value) = inner.split_once("=\"").expect("a label");
            assert!(is_name(label), "{line}");
            let (mut text, mut chars) = (String::new(), value.char_indices());
            let end = loop {
                match chars.next().expect("the end of a value") {
                    (end, '"') => break end,
                    (_, '\\') => text.push(match chars.next().expect("an escape").1 {
                        'n' => '\n',
                        c @ ('"' | '\\') => c,
                        c => panic!("{c} is escaped: {line}"),
                    }),
                    (_, c) => text.push(c),
                }
            };
            assert!(labels.insert(label.to_owned(), text).is_none(), "{line}");
            inner = &value[end + 1..];
            match inner.strip_prefix(',') {
                Some(more) => inner = more,
                None => break,
            }
        }
        rest = inner.strip_prefix('}').expect("the end of the labels");
    }
    let value = rest.strip_prefix(' ').expect("a value").parse().expect("a number");
    Sample { name: name.to_owned(), labels, value }
}
