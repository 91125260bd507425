//! Whether JSON is as a schema says, for those keywords of JSON Schema that the document uses: any other one fails.

use serde_json::Value;

use super::resolved;

/// Where and how a value is not as the schema says.
pub(super) fn mistakes(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut mistakes = Vec::new();
    look(document, schema, value, "", &mut mistakes);
    mistakes
}

fn look(document: &Value, schema: &Value, value: &Value, place: &str, mistakes: &mut Vec<String>) {
    let schema = resolved(document, schema).as_object().unwrap_or_else(|| panic!("{place}: no schema: {schema}"));
    let mut wrong = |what: String| mistakes.push(format!("{place}: {what}, found {value}"));
    for (keyword, said) in schema {
        match keyword.as_str() {
            "type" => {
                let types = said.as_array().map_or_else(|| std::slice::from_ref(said), Vec::as_slice);
                if !types.iter().any(|kind| is(kind.as_str().expect("a type"), value)) {
                    wrong(format!("must be {said}"));
                }
            }
            "enum" if !said.as_array().expect("values").contains(value) => wrong(format!("must be one of {said}")),
            "required" => {
                let names = said.as_array().expect("names").iter().filter_map(Value::as_str);
                for name in names.filter(|name| value.is_object() && value.get(name).is_none()) {
                    wrong(format!("lacks {name}"));
                }
            }
            "minimum" if value.as_f64() < said.as_f64() => wrong(format!("must be {said} at least")),
            "minProperties"
                if value.as_object().is_some_and(|own| (own.len() as u64) < said.as_u64().expect("a number")) =>
            {
                wrong(format!("must have {said} members"));
            }
            "enum"
            | "minimum"
            | "minProperties"
            | "properties"
            | "additionalProperties"
            | "items"
            | "description"
            | "format" => {}
            other => panic!("{place}: this test does not know {other}"),
        }
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let own = schema.get("properties").and_then(|all| all.get(name));
        if let Some(schema) = own.or_else(|| schema.get("additionalProperties")) {
            look(document, schema, member, &format!("{place}/{name}"), mistakes);
        }
    }
    if let (Some(schema), Some(items)) = (schema.get("items"), value.as_array()) {
        for (at, item) in items.iter().enumerate() {
            look(document, schema, item, &format!("{place}/{at}"), mistakes);
        }
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("this test does not know the type {other}"),
    }
}

#[test]
fn mistakes_are_found_wherever_they_are() {
    let document = serde_json::json!({"components": {"schemas": {"Word": {"type": "string", "enum": ["a", "b"]}}}});
    let schema = serde_json::json!({
        "type": "object",
        "required": ["list"],
        "properties": {"list": {"type": "array", "items": {"$ref": "#/components/schemas/Word"}}},
        "additionalProperties": {"type": ["integer", "null"]},
    });
    let found = |value: Value| mistakes(&document, &schema, &value).len();
    assert_eq!(found(serde_json::json!({"list": ["a", "b"], "x": 1, "y": null})), 0);
    assert_eq!(found(serde_json::json!({"list": ["c", 1], "x": "1"})), 4);
    assert_eq!(found(serde_json::json!({})), 1);
    assert_eq!(found(serde_json::json!([])), 1);
}
