//! What does not fit into one exchange, and what a peer may not make of it.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_large_registry_is_compared_piece_by_piece() {
    let [a, b] = [Node::new(0), Node::new(0)];
    for n in 0..20_500 {
        b.register(&format!("ord-{n:05}"), 1);
    }
    let (mut exchange, request) = Exchange::begin(&a.registry, None).unwrap();
    let mut next = Some(request);
    let mut requests = 0;
    while let Some(request) = next {
        requests += 1;
        let answer = answer(&b.registry, &request).unwrap();
        assert!(request.len() < MOST_REQUEST_BYTES && answer.len() < MOST_ANSWER_BYTES);
        next = exchange.answered(&a.registry, &answer, Duration::ZERO, START).unwrap();
    }
    let findings = exchange.findings().clone();
    assert_eq!((findings.mended, requests), (20_000, 21));
    let (mut exchange, request) = Exchange::begin(&a.registry, findings.rest).unwrap();
    let mut next = Some(request);
    while let Some(request) = next {
        next = exchange.answered(&a.registry, &answer(&b.registry, &request).unwrap(), Duration::ZERO, START).unwrap();
    }
    assert_eq!((exchange.findings().mended, exchange.findings().rest.clone()), (500, None));
    assert_eq!(summary(&a.registry), summary(&b.registry));
}

#[tokio::test(start_paused = true)]
async fn what_has_left_is_told_piece_by_piece() {
    let [a, b] = [Node::new(0), Node::new(0)];
    for n in 0..21_000 {
        let id = format!("ord-{n:05}");
        a.register(&id, 1);
        if n % 1_000 < 990 {
            b.register(&id, 1);
        }
    }
    advance(Duration::from_secs(1)).await;
    for n in 0..21_000 {
        a.cancel(&format!("ord-{n:05}"));
    }
    let (mut rest, mut pieces) = (None, 0);
    loop {
        let (mut exchange, request) = Exchange::begin(&b.registry, rest).unwrap();
        let mut next = Some(request);
        while let Some(request) = next {
            let answer = answer(&a.registry, &request).unwrap();
            next = exchange.answered(&b.registry, &answer, Duration::ZERO, START).unwrap();
        }
        pieces += 1;
        rest = exchange.findings().rest.clone();
        if rest.is_none() {
            break;
        }
    }
    assert_eq!((pieces, b.registry.len()), (2, 0));
}

/// One answer to a comparison that tells of so many instances, which are not held anywhere else.
fn told(count: usize) -> Vec<u8> {
    let entries: Vec<_> = (0..count)
        .map(|n| serde_json::json!(["ORDERS", format!("ord-{n:05}"), 1, "UP", null, 0, 1, 0, 90, 30]))
        .collect();
    serde_json::to_vec(&serde_json::json!({ "held": entries, "ended": [], "next": null })).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_answers_bit_by_bit_is_not_asked_for_ever() {
    let a = Node::new(0);
    let (exchange, _) = Exchange::begin(&a.registry, None).unwrap();
    let all = (0..1_000).map(|n| (AppName::new("ORDERS"), InstanceId::new(format!("ord-{n:05}")))).collect();
    let mut exchange = exchange.mending(Arc::new(all));
    let mut next = exchange.answered(&a.registry, &told(1_000), Duration::ZERO, START).unwrap();
    let mut requests = 0;
    while next.is_some() {
        requests += 1;
        let bit = br#"{"instances":[],"answered":1}"#;
        next = exchange.answered(&a.registry, bit, Duration::ZERO, START).unwrap();
    }
    assert_eq!(requests, 100);
    let left = &exchange.findings().fresh;
    assert_eq!(left.len(), 900, "these are asked for in the next exchange");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_leads_nowhere_or_tells_of_too_much_is_none() {
    let a = Node::new(0);
    let place = |app: &str, id: &str| (app.to_owned(), id.to_owned());
    let rest = Some(place("ORDERS", "ord-5"));
    for (next, goes_on) in
        [(place("ORDERS", "ord-5"), false), (place("BILLING", "x"), false), (place("ORDERS", "ord-6"), true)]
    {
        let (mut exchange, _) = Exchange::begin(&a.registry, rest.clone()).unwrap();
        let answer = serde_json::to_vec(&serde_json::json!({ "held": [], "ended": [], "next": next })).unwrap();
        let answered = exchange.answered(&a.registry, &answer, Duration::ZERO, START);
        assert_eq!(answered.is_ok(), goes_on, "{next:?}");
    }
    let (mut exchange, _) = Exchange::begin(&a.registry, None).unwrap();
    assert!(exchange.answered(&a.registry, &told(20_001), Duration::ZERO, START).is_err());
}
