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
