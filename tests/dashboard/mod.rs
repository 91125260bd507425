//! The dashboard: what Spring's page tells, for people and for programs that read it.

mod access;
mod data;
mod golden;
mod hostile;
mod links;
mod page;
mod pages;
mod unconfirmed;

use serde_json::{Value, json};

use crate::server::{Server, body_with};

/// An instance on a machine of Amazon.
fn amazon(app: &str, id: &str, machine: &Value) -> Value {
    let data_center = json!({"@class": "com.netflix.appinfo.AmazonInfo", "name": "Amazon", "metadata": machine});
    body_with(app, id, &json!({"dataCenterInfo": data_center}))
}

async fn register(server: &Server, body: &Value) {
    assert_eq!(server.register(body).await.status, 204, "{body}");
}
