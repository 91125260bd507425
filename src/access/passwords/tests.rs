#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::clock::Clock;
use crate::settings::Settings;

use super::*;

/// Of `pass`, as libxcrypt hashes it.
const HASHED: &str = "{bcrypt}$2a$04$gUmb6ts1FIWGnRaKJeJK5.K8/vorrLn6wmIIOxPwO9QWqPzW4oLrq";

fn users(users: &[(&str, &str)]) -> Vec<UserSettings> {
    let word = |(place, (name, password)): (usize, &(&str, &str))| {
        let at = format!("--eurekad.security.users[{place}]");
        [format!("{at}.name={name}"), format!("{at}.password={password}")]
    };
    let words: Vec<_> = users.iter().enumerate().flat_map(word).collect();
    Settings::from_words(&words).unwrap().security.users
}

fn passwords(all: &[(&str, &str)]) -> Passwords {
    Passwords::new(Key::random(), &users(all), None)
}

/// From an address where nobody else guesses.
async fn ask(passwords: &Passwords, user: &str, password: &str) -> bool {
    passwords.is_right(&Failures::new(Clock::held(0)), None, user, password).await.unwrap()
}

fn is_known(passwords: &Passwords, user: &str, password: &str) -> bool {
    passwords.checks[user].was_right(&passwords.key, user, password)
}

#[tokio::test]
async fn plain_and_hashed_passwords_are_told_from_wrong_ones() {
    let passwords = passwords(&[("plain", "pass"), ("hashed", HASHED)]);
    for (user, password, right) in [
        ("plain", "pass", true),
        ("plain", "pass", true),
        ("plain", "Pass", false),
        ("plain", "", false),
        ("hashed", "pass", true),
        ("hashed", "pass", true),
        ("hashed", "pas", false),
        ("hashed", "pas", false),
        ("hashed", HASHED, false),
        ("nobody", "pass", false),
        ("", "", false),
    ] {
        assert_eq!(ask(&passwords, user, password).await, right, "{user} {password}");
    }
    assert_eq!(passwords.wrong.0.lock().len(), 6);
}

async fn all_turns(passwords: &Passwords) -> Vec<Turn> {
    let mut all = Vec::new();
    while let Ok(turn) = tokio::time::timeout(Duration::ZERO, passwords.turns.take(None)).await {
        all.push(turn.unwrap());
    }
    all
}

#[tokio::test]
async fn what_was_right_is_right_while_others_are_computed() {
    let passwords = passwords(&[("hashed", HASHED)]);
    assert!(ask(&passwords, "hashed", "pass").await);
    let _busy = all_turns(&passwords).await;
    assert!(ask(&passwords, "hashed", "pass").await);
    let wrong = tokio::time::timeout(Duration::ZERO, ask(&passwords, "hashed", "wrong"));
    assert!(wrong.await.is_err(), "it waits");
}

/// Anybody could take the processors from those who log in, under names that nobody has.
#[tokio::test(start_paused = true)]
async fn a_name_that_nobody_has_waits_for_no_processor_and_takes_as_long() {
    let passwords = passwords(&[("plain", "pass"), ("hashed", HASHED)]);
    let _busy = all_turns(&passwords).await;
    passwords.lately.store(90_000, Ordering::Relaxed);
    for user in ["nobody", "plain"] {
        let begun = tokio::time::Instant::now();
        assert!(!ask(&passwords, user, "wrong").await);
        assert_eq!(begun.elapsed().as_secs(), 90, "{user}");
    }
}

#[tokio::test]
async fn what_was_right_stays_known_while_another_password_changes() {
    let before = passwords(&[("plain", "pass"), ("hashed", HASHED), ("other", "old"), ("new", HASHED)]);
    for (user, password) in [("plain", "pass"), ("hashed", "pass"), ("other", "old"), ("new", "pass")] {
        assert!(ask(&before, user, password).await);
    }
    let users = users(&[("plain", "pass"), ("hashed", HASHED), ("other", "new"), ("new", "pass")]);
    let after = Passwords::new(before.key.clone(), &users, Some(&before));
    assert!(is_known(&after, "plain", "pass") && is_known(&after, "hashed", "pass"));
    assert!(!is_known(&after, "other", "new") && !is_known(&after, "other", "old"));
    assert!(!is_known(&after, "new", "pass"));
    assert!(!ask(&after, "other", "old").await);
    assert!(ask(&after, "other", "new").await);
}

/// bcrypt passes over the rest, so that many passwords would be right.
#[tokio::test]
async fn a_password_that_is_too_long_for_bcrypt_is_wrong() {
    let long = "x".repeat(72);
    let hash = bcrypt::hash(&long, 4).unwrap();
    let passwords = passwords(&[("hashed", &format!("{{bcrypt}}{hash}"))]);
    assert!(ask(&passwords, "hashed", &long).await);
    assert!(!ask(&passwords, "hashed", &format!("{long}y")).await);
}

#[test]
fn the_stand_in_takes_as_long_as_any() {
    let costly = HASHED.replace("$04$", "$06$");
    let passwords = passwords(&[("a", HASHED), ("b", &costly), ("c", HASHED)]);
    assert_eq!(passwords.stand_in.as_deref().map(cost), Some(6));
}

#[test]
fn nothing_can_be_moved_from_the_name_to_the_password() {
    let key = Key::random();
    assert_ne!(key.tag(Some("ab"), "c"), key.tag(Some("a"), "bc"));
    assert_ne!(key.tag(Some(""), "a"), key.tag(Some("a"), ""));
    assert_ne!(key.tag(Some(""), "a"), key.tag(None, "a"));
    assert_ne!(key.tag(Some("a"), "b"), Key::random().tag(Some("a"), "b"));
}
