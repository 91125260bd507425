#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::HeaderValue;
use http::header::AUTHORIZATION;
use tokio::task::JoinSet;

use crate::clock::Clock;
use crate::logging::PeerAddress;
use crate::settings::{AlternativeName, Settings};

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn gate(words: &[&str]) -> Gate {
    Gate::of(&Settings::from_words(words).unwrap().security, None).unwrap()
}

fn with_a_user_and_a_token() -> Gate {
    gate(&[
        "--eurekad.security.users[0].name=orders",
        "--eurekad.security.users[0].password=pass",
        "--eurekad.security.tokens[0].name=ci",
        &format!("--eurekad.security.tokens[0].token={TOKEN}"),
        "--eurekad.security.tokens[0].roles=metrics",
        "--eurekad.security.certificates[0].subject=CN=node-*",
        "--eurekad.security.certificates[0].roles=peer",
    ])
}

fn headers(authorization: &str) -> HeaderMap {
    HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_str(authorization).unwrap())])
}

fn basic(user: &str, password: &str) -> HeaderMap {
    headers(&format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}"))))
}

fn from(last: u8) -> Connection {
    Connection { address: Some(PeerAddress(([10, 20, 0, last], 4711).into())), certificate: None }
}

async fn ask(
    gate: &Gate,
    failures: &Failures,
    headers: &HeaderMap,
    from: &Connection,
    needs: Needs<'_>,
) -> Result<String, Refused> {
    let admitted = gate.admit(headers, from, needs, failures).await;
    admitted.map(|principal| principal.name.to_string()).map_err(|away| away.refused)
}

#[tokio::test(start_paused = true)]
async fn users_tokens_and_certificates_are_known() {
    let (gate, failures) = (with_a_user_and_a_token(), Failures::new(Clock::held(0)));
    let certified = Connection {
        certificate: Some(Arc::new(ClientCertificate {
            subject: "CN=node-1".to_owned(),
            names: Vec::new(),
            end: Duration::MAX,
        })),
        ..from(1)
    };
    let stranger = Connection {
        certificate: Some(Arc::new(ClientCertificate {
            subject: "CN=other".to_owned(),
            names: Vec::new(),
            end: Duration::MAX,
        })),
        ..from(1)
    };
    let bearer = headers(&format!("Bearer {TOKEN}"));
    let (change, read) = (Needs::Change { app: "A" }, Needs::Role(Role::Read));
    for (headers, from, needs, expected) in [
        (basic("orders", "pass"), from(1), change, Ok("orders")),
        (basic("orders", "pass"), from(1), Needs::Operate, Err(Refused::NotAllowed)),
        (bearer.clone(), from(1), Needs::Role(Role::Metrics), Ok("ci")),
        (bearer, from(1), read, Err(Refused::NotAllowed)),
        (HeaderMap::new(), certified.clone(), Needs::Role(Role::Peer), Ok("CN=node-1")),
        (basic("orders", "pass"), certified.clone(), change, Ok("orders")),
        (basic("orders", "wrong"), certified, read, Err(Refused::WrongLogin(Challenge::Basic))),
        (HeaderMap::new(), stranger, read, Err(Refused::NoLogin(Challenge::Basic))),
        (headers("Negotiate x"), from(1), read, Err(Refused::WrongLogin(Challenge::Basic))),
        (headers("Bearer orders"), from(1), read, Err(Refused::WrongLogin(Challenge::Basic))),
    ] {
        let answer = ask(&gate, &failures, &headers, &from, needs).await;
        assert_eq!(answer.as_deref().map_err(|refused| *refused), expected, "{headers:?} {needs:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_certificate_passes_for_no_other_by_what_its_names_hold() {
    let gate = gate(&[
        "--eurekad.security.certificates[0].subject=CN=shop-*,O=Example",
        "--eurekad.security.certificates[1].san=node-*.example.org",
        "--eurekad.security.certificates[1].roles=peer",
    ]);
    let failures = Failures::new(Clock::held(0));
    let uri = |name: &str| AlternativeName::Uri(name.to_owned());
    let dns = |name: &str| AlternativeName::Dns(name.to_owned());
    let (change, peer) = (Needs::Change { app: "A" }, Needs::Role(Role::Peer));
    for (subject, names, needs, comes_in) in [
        ("CN=shop-1,O=Example", vec![], change, true),
        (r"CN=shop-1\,O=Example", vec![], change, false),
        ("CN=shop-1,O=Evil,O=Example", vec![], change, false),
        ("CN=shop-1,OU=x,O=Example", vec![], change, false),
        ("", vec![uri("a:"), dns("Node-1.example.org")], peer, true),
        ("", vec![uri("node-1.example.org")], peer, false),
        ("", vec![dns("node-1.evil.example.org")], peer, false),
    ] {
        let certificate = ClientCertificate { subject: subject.to_owned(), names, end: Duration::MAX };
        let from = Connection { certificate: Some(Arc::new(certificate.clone())), ..from(1) };
        let answer = ask(&gate, &failures, &HeaderMap::new(), &from, needs).await;
        assert_eq!(answer.is_ok(), comes_in, "{certificate:?}: {answer:?}");
    }
}

const READ: Needs<'static> = Needs::Role(Role::Read);

async fn guess(gate: &Gate, failures: &Failures, guesses: std::ops::Range<u32>) {
    for guess in guesses {
        let wrong = ask(gate, failures, &basic("orders", &format!("wrong-{guess}")), &from(1), READ).await;
        assert_eq!(wrong, Err(Refused::WrongLogin(Challenge::Basic)));
    }
}

fn at_once(asked: &Arc<(Gate, Failures)>, passwords: impl Iterator<Item = String>) -> JoinSet<Result<String, Refused>> {
    passwords
        .map(|password| {
            let asked = Arc::clone(asked);
            async move { ask(&asked.0, &asked.1, &basic("orders", &password), &from(1), READ).await }
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_login_that_was_right_before_never_waits_and_a_first_one_only_where_somebody_guesses() {
    let clock = Clock::held(0);
    let (gate, failures) = (with_a_user_and_a_token(), Failures::new(clock.clone()));
    let right = basic("orders", "pass");
    assert_eq!(ask(&gate, &failures, &right, &from(1), READ).await.as_deref(), Ok("orders"));
    guess(&gate, &failures, 0..12).await;
    let begun = clock.mono();
    assert_eq!(ask(&gate, &failures, &right, &from(1), READ).await.as_deref(), Ok("orders"));
    let elsewhere = ask(&gate, &failures, &basic("orders", "wrong"), &from(2), READ).await;
    assert_eq!(elsewhere, Err(Refused::WrongLogin(Challenge::Basic)));
    let bearer = headers(&format!("Bearer {TOKEN}"));
    let token = ask(&gate, &failures, &bearer, &from(1), Needs::Role(Role::Metrics)).await;
    assert_eq!(token.as_deref(), Ok("ci"), "a first one, of another");
    assert_eq!(clock.mono(), begun);
    guess(&gate, &failures, 12..13).await;
    assert_eq!(clock.mono().since(begun).as_millis(), 4000);
    guess(&gate, &failures, 12..13).await;
    assert_eq!(clock.mono().since(begun).as_millis(), 4000, "what was wrong is no guess any more");
}

/// A right login was answered at once and a wrong one was not, so that silence told that it was wrong.
#[tokio::test(start_paused = true)]
async fn whoever_hangs_up_learns_nothing_and_is_slowed_all_the_same() {
    let clock = Clock::held(0);
    let (gate, failures) = (with_a_user_and_a_token(), Failures::new(clock.clone()));
    let (right, here) = (basic("orders", "pass"), from(1));
    guess(&gate, &failures, 0..5).await;
    for _ in 0..5 {
        let silence = ask(&gate, &failures, &right, &here, READ);
        let silence = tokio::time::timeout(std::time::Duration::from_millis(4), silence).await;
        assert!(silence.is_err(), "{silence:?}");
    }
    let begun = clock.mono();
    assert_eq!(ask(&gate, &failures, &right, &from(1), READ).await.as_deref(), Ok("orders"), "a few seconds later");
    assert_eq!(clock.mono().since(begun).as_millis(), 4000, "the others counted");
    assert_eq!(ask(&gate, &failures, &right, &from(1), READ).await.as_deref(), Ok("orders"));
    assert_eq!(clock.mono().since(begun).as_millis(), 4000, "it was right before");
}

/// While enough waited, each further guess was looked at and answered at once.
#[tokio::test(start_paused = true)]
async fn beyond_those_that_wait_nothing_is_checked() {
    let asked = Arc::new((with_a_user_and_a_token(), Failures::new(Clock::held(0))));
    guess(&asked.0, &asked.1, 0..5).await;
    let wrong = at_once(&asked, (10..18).map(|guess| format!("wrong-{guess}")));
    tokio::task::yield_now().await;
    assert_eq!(ask(&asked.0, &asked.1, &basic("orders", "pass"), &from(1), READ).await, Err(Refused::TooMany));
    assert_eq!(wrong.join_all().await, vec![Err(Refused::WrongLogin(Challenge::Basic)); 8]);
}

/// A fleet that comes back is no guesser.
#[tokio::test(start_paused = true)]
async fn many_with_the_same_login_are_one_guess() {
    let asked = Arc::new((with_a_user_and_a_token(), Failures::new(Clock::held(0))));
    guess(&asked.0, &asked.1, 0..5).await;
    let answers = at_once(&asked, (0..100).map(|_| "pass".to_owned())).join_all().await;
    assert_eq!(answers, vec![Ok("orders".to_owned()); 100]);
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_log_in_may_do_what_anybody_may() {
    let words = ["--spring.security.user.password=pass", "--eurekad.security.anonymous=read"];
    let (gate, failures) = (gate(&words), Failures::new(Clock::held(0)));
    let none = HeaderMap::new();
    assert_eq!(ask(&gate, &failures, &none, &from(1), Needs::Role(Role::Read)).await.as_deref(), Ok(ANONYMOUS));
    for needs in [Needs::Change { app: "A" }, Needs::Operate, Needs::Login, Needs::Role(Role::Peer)] {
        let refused = ask(&gate, &failures, &none, &from(1), needs).await;
        assert_eq!(refused, Err(Refused::NoLogin(Challenge::Basic)), "{needs:?}");
    }
}

#[test]
fn where_nobody_has_a_password_a_token_is_asked_for() {
    let token = format!("--eurekad.security.tokens[0].token={TOKEN}");
    assert_eq!(gate(&["--eurekad.security.tokens[0].name=a", &token]).challenge, Challenge::Bearer);
    assert_eq!(gate(&["--spring.security.user.password=a"]).challenge, Challenge::Basic);
    assert!(Gate::of(&SecuritySettings::default(), None).is_none());
}
