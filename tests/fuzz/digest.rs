//! A comparison with a peer, from both ends: the first line of the input is what it asks, and each line what it
//! answers.

use std::time::Duration;

use eurekad::peers::digest::{Exchange, answer};

use crate::server::{START, body};

use super::lists::assert_whole;
use super::{DEFAULTS, assert_is_a_line, held, server};

pub(super) fn check(input: &[u8]) {
    held(async {
        let server = server(&DEFAULTS);
        for (app, id) in [("KILN", "kiln-1"), ("KILN", "kiln-2"), ("ORDERS", "ord-1")] {
            assert_eq!(server.register(&body(app, id)).await.status, 204);
        }
        server.delete("/eureka/apps/KILN/kiln-2").await;
        let registry = server.app.registry();
        let mut lines = input.split(|byte| *byte == b'\n');
        match answer(registry, lines.clone().next().unwrap_or_default()) {
            Ok(answer) => assert!(serde_json::from_slice::<serde_json::Value>(&answer).is_ok()),
            Err(error) => assert_is_a_line(&error.to_string()),
        }
        let (mut exchange, _) = Exchange::begin(registry, None).expect("a request");
        for line in lines.by_ref().take(4) {
            match exchange.answered(registry, line, Duration::from_millis(3), START) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(error) => return assert_is_a_line(&error.to_string()),
            }
        }
        assert_whole(&server).await;
    });
}
