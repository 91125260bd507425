//! What holds for every body and every instance.

use proptest::prelude::*;

use super::arbitrary::instance;
use super::samples::KILN_3_TIMES;
use super::{error, read_applications, read_batch, read_instance, read_outcomes, write_instance};
use crate::codec::Limits;

const BODIES: [&str; 5] = [
    include_str!("../../../tests/fixtures/wire/spring-client.json"),
    include_str!("../../../tests/fixtures/wire/amazon.json"),
    include_str!("../../../tests/fixtures/wire/batch-request.json"),
    include_str!("../../../tests/fixtures/wire/batch-response.json"),
    include_str!("../../../tests/fixtures/wire/registry.json"),
];

/// Reads a body in every way there is; an error must be one line that JSON can carry.
fn read_all(body: &[u8]) -> Result<(), TestCaseError> {
    let limits = Limits {
        nesting_depth: 6,
        metadata_entries: 3,
        metadata_length: 20,
        name_length: 10,
        text_length: 20,
        vip_names: 1,
        body_values: 200,
        batch_items: 2,
    };
    for limits in [limits, Limits::default()] {
        let single = read_instance(body, &limits).err();
        let batch = match read_batch(body, &limits) {
            Ok(items) => items.into_iter().filter_map(Result::err).collect(),
            Err(error) => vec![error],
        };
        let answer = read_outcomes(body, &limits, 5).err();
        let list = match read_applications(body, &limits, usize::MAX) {
            Ok(list) => list.instances.into_iter().filter_map(Result::err).collect(),
            Err(error) => vec![error],
        };
        for text in single.into_iter().chain(answer).chain(batch).chain(list).map(|error| error.to_string()) {
            prop_assert!(!text.contains(char::is_control), "{:?}", text);
            prop_assert!(serde_json::from_slice::<serde_json::Value>(&error(&text)).is_ok());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        read_all(&body)?;
    }

    #[test]
    fn no_damage_to_a_body_makes_a_reader_panic(
        base in prop::sample::select(BODIES.to_vec()),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, prop_oneof![
            prop::collection::vec(any::<u8>(), 0..4),
            prop::sample::select(vec![
                "null", "{}", "[]", "[{\"a\":{}}]", "\"\"", "\"\\ud800\"", "1e999", "-1", "{", "}", "\"", ",", ":",
                "\"x\":{\"y\":[]},",
            ]).prop_map(|token| token.as_bytes().to_vec()),
        ]), 1..4),
    ) {
        let mut body = base.as_bytes().to_vec();
        for (place, removed, added) in damage {
            let start = place.index(body.len() + 1);
            let end = (start + removed).min(body.len());
            body.splice(start..end, added);
        }
        read_all(&body)?;
    }

    #[test]
    fn what_is_written_is_read_as_it_was(instance in instance()) {
        let body = write_instance(&instance, KILN_3_TIMES);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok());
        let limits = Limits::default();
        let read = read_instance(&body, &limits).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let accepted = read.accept(&instance.app, 0).map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        prop_assert_eq!(accepted, instance);
    }
}
