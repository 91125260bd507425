#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base64::prelude::{BASE64_STANDARD, Engine as _};
use http::HeaderValue;
use http::header::AUTHORIZATION;

use crate::clock::Clock;
use crate::logging::PeerAddress;
use crate::settings::Settings;

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn gate(words: &[&str]) -> Gate {
    Gate::of(&Settings::from_words(words).unwrap().security).unwrap()
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
        certificate: Some(Arc::new(ClientCertificate { subject: "CN=node-1".to_owned(), names: Vec::new() })),
        ..from(1)
    };
    let stranger = Connection {
        certificate: Some(Arc::new(ClientCertificate { subject: "CN=other".to_owned(), names: Vec::new() })),
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
async fn wrong_passwords_slow_nobody_but_themselves() {
    let clock = Clock::held(0);
    let (gate, failures) = (with_a_user_and_a_token(), Failures::new(clock.clone()));
    let read = Needs::Role(Role::Read);
    for _ in 0..6 {
        let wrong = ask(&gate, &failures, &basic("orders", "wrong"), &from(1), read).await;
        assert_eq!(wrong, Err(Refused::WrongLogin(Challenge::Basic)));
    }
    let begun = clock.mono();
    assert_eq!(ask(&gate, &failures, &basic("orders", "pass"), &from(1), read).await.as_deref(), Ok("orders"));
    assert_eq!(clock.mono(), begun, "the right one, from the same address and by the same name");
    assert!(ask(&gate, &failures, &basic("orders", "wrong"), &from(2), read).await.is_err());
    assert_eq!(clock.mono().since(begun).as_millis(), 250, "a first failure from elsewhere");
    let before = clock.mono();
    assert!(ask(&gate, &failures, &basic("orders", "wrong"), &from(1), read).await.is_err());
    assert_eq!(clock.mono().since(before).as_millis(), 4000);
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
    assert!(Gate::of(&SecuritySettings::default()).is_none());
}
