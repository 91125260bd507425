//! `docs/openapi.yaml`: what it describes is there and answers so, and what is there is described.

mod calls;
mod routes;
mod schema;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use crate::server::{JSON, Server};

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// The document as a server gives it.
async fn document() -> Value {
    Server::new(&[]).get("/eureka/openapi.json", &[JSON]).await.json()
}

/// An operation of the document.
struct Operation {
    path: String,
    method: String,
    /// With the parameters of its path.
    parameters: Vec<Value>,
    said: Map<String, Value>,
}

/// What a reference leads to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(to) => {
            let pointer = to.strip_prefix('#').unwrap_or_else(|| panic!("{to} leads elsewhere"));
            document.pointer(pointer).unwrap_or_else(|| panic!("{to} leads nowhere"))
        }
        None => value,
    }
}

fn operations(document: &Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in METHODS.into_iter().filter(|method| item.get(method).is_some()) {
            let lists = [&item["parameters"], &item[method]["parameters"]];
            let parameters = lists.into_iter().filter_map(Value::as_array).flatten();
            operations.push(Operation {
                path: path.clone(),
                method: method.to_uppercase(),
                parameters: parameters.map(|parameter| resolved(document, parameter).clone()).collect(),
                said: item[method].as_object().expect("an operation").clone(),
            });
        }
    }
    operations
}

#[tokio::test(start_paused = true)]
async fn the_document_is_whole() {
    let document = document().await;
    assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")));
    let tags: BTreeSet<_> =
        document["tags"].as_array().expect("tags").iter().map(|tag| tag["name"].clone().to_string()).collect();
    let mut ids = BTreeSet::new();
    for Operation { path, method, parameters, said } in operations(&document) {
        let place = format!("{method} {path}");
        let id = said["operationId"].as_str().unwrap_or_else(|| panic!("{place} has no id"));
        assert!(ids.insert(id.to_owned()), "{id} is there twice");
        assert!(said["summary"].as_str().is_some_and(|summary| summary.ends_with('.')), "{place}");
        assert!(
            said["tags"].as_array().is_some_and(|own| own.iter().all(|tag| tags.contains(&tag.to_string()))),
            "{place}"
        );
        assert!(said["responses"].as_object().is_some_and(|all| !all.is_empty()), "{place}");
        let in_path: BTreeSet<_> = path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
        let declared: BTreeSet<_> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(in_path, declared, "{place}");
    }
    every_reference_leads_somewhere(&document, &document);
}

fn every_reference_leads_somewhere(document: &Value, value: &Value) {
    resolved(document, value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| every_reference_leads_somewhere(document, item)),
        Value::Object(members) => members.values().for_each(|member| every_reference_leads_somewhere(document, member)),
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn the_document_is_the_file_and_knows_the_context_path() {
    let served = Server::new(&["--server.servlet.context-path=/registry"]);
    let served = served.json("/registry/eureka/openapi.json").await;
    assert_eq!(served["servers"][0]["url"], "/registry");
    let file = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.yaml")).expect("it");
    assert_eq!(
        document().await["paths"].as_object().expect("paths").len(),
        file.lines().filter(|line| line.starts_with("  /")).count()
    );
}
