//! What somebody wants known of the server (`InfoEndpoint`): it is where the own record's status page leads.

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};

use super::Actuator;

/// `GET info`: the build, and `info.*` if that is wanted.
pub(super) async fn info(State(actuator): State<Actuator>, headers: HeaderMap) -> Response {
    let mut shown = Map::new();
    let settings = &actuator.settings.info;
    for (key, value) in settings.env.iter().filter(|_| settings.shows_env) {
        put(&mut shown, key, value);
    }
    if settings.shows_build {
        let name = env!("CARGO_PKG_NAME");
        shown.insert("build".into(), json!({"artifact": name, "name": name, "version": env!("CARGO_PKG_VERSION")}));
    }
    let mut shown = Value::Object(shown);
    shown.sort_all_objects();
    super::json(&headers, StatusCode::OK, &shown)
}

/// Puts a value where the dots of its key say. Of a key that has a value and keys below it, the value that comes last
/// stays.
fn put(object: &mut Map<String, Value>, key: &str, value: &str) {
    let Some((first, rest)) = key.split_once('.') else {
        object.insert(key.to_owned(), value.into());
        return;
    };
    let below = object.entry(first).or_insert_with(|| Value::Object(Map::new()));
    if !below.is_object() {
        *below = Value::Object(Map::new());
    }
    if let Value::Object(below) = below {
        put(below, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_of_keys_are_objects() {
        let mut shown = Map::new();
        for (key, value) in
            [("team.name", "registry"), ("team.mail", "a@b"), ("x", "1"), ("x.y", "2"), ("team.name", "r")]
        {
            put(&mut shown, key, value);
        }
        assert_eq!(Value::Object(shown), json!({"team": {"name": "r", "mail": "a@b"}, "x": {"y": "2"}}));
    }
}
