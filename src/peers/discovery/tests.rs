//! What is said of sources, and what is kept of them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Seek as _};
use std::sync::Arc;

use super::*;

/// What a run logs.
fn logged(run: impl FnOnce()) -> String {
    let mut log = tempfile::tempfile().unwrap();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_writer(Arc::new(log.try_clone().unwrap()))
        .finish();
    tracing::subscriber::with_default(subscriber, run);
    log.rewind().unwrap();
    let mut said = String::new();
    log.read_to_string(&mut said).unwrap();
    said.replace("eurekad::peers::discovery", "")
}

fn part(name: &str, peers: Result<&[&str], &str>) -> Part {
    let peers = peers.map(|urls| urls.iter().map(|url| url.parse().unwrap()).collect());
    Part { name: name.to_owned(), peers: peers.map_err(str::to_owned) }
}

fn known() -> Known {
    Known::new(Source::Addresses("nodes".parse().unwrap()))
}

fn urls<'a>(peers: impl IntoIterator<Item = &'a PeerUrl>) -> Vec<&'a str> {
    peers.into_iter().map(PeerUrl::as_str).collect()
}

#[test]
fn a_source_that_fails_is_logged_when_that_begins_and_ends() {
    let mut known = known();
    let said = logged(|| {
        known.take(vec![part("A", Err("refused")), part("AAAA", Ok(&[]))]);
        known.take(vec![part("A", Err("refused"))]);
        known.take(vec![part("A", Ok(&[]))]);
        known.take(vec![part("A", Ok(&["http://a/"]))]);
        known.take(vec![part("A", Ok(&["http://b/"]))]);
        known.take(vec![part("A", Ok(&[]))]);
    });
    let source = "source=addresses of nodes";
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            format!("WARN ::known: a source gives no peers, those it gave before stay {source} problem=\"refused\""),
            format!("INFO ::known: a source of peers gives some again {source}"),
            format!(
                "WARN ::known: a source gives no peers, those it gave before stay {source} \
                 problem=\"there are none in it\""
            ),
        ]
    );
    assert_eq!(urls(known.peers()), ["http://b/"]);
}

#[test]
fn a_part_that_fails_stays_and_one_that_is_gone_goes() {
    let mut known = known();
    known.take(vec![part("x", Ok(&["http://a/"])), part("y", Ok(&["http://b/", "http://c:0/"]))]);
    assert_eq!(urls(known.peers()), ["http://a/", "http://b/"], "nobody listens on port 0");
    known.take(vec![part("z", Ok(&["http://d/"])), part("y", Err("refused"))]);
    assert_eq!(urls(known.peers()), ["http://d/", "http://b/"]);
    known.take(vec![part("z", Ok(&["http://d/"])), part("y", Ok(&[]))]);
    assert_eq!(urls(known.peers()), ["http://d/"]);
}

#[test]
fn a_change_of_the_list_is_logged_without_credentials() {
    let (list, _) = watch::channel(Found::default());
    let found =
        |urls: &[&str]| Found { peers: urls.iter().map(|url| url.parse().unwrap()).collect(), ..Found::default() };
    let said = logged(|| {
        publish(&list, found(&[]));
        publish(&list, found(&["http://u:p4ss@a/", "http://b/"]));
        publish(&list, found(&["http://u:p4ss@a/", "http://b/"]));
        publish(&list, found(&["http://u:other@a/", "http://c/"]));
    });
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "INFO : the list of peers changed added=\"http://a/ http://b/\" gone=\"\"",
            "INFO : the list of peers changed added=\"http://c/\" gone=\"http://b/\"",
        ]
    );
    assert_eq!(list.borrow().peers[0].password(), Some("other"));
}

#[tokio::test(start_paused = true)]
async fn without_settings_there_is_nobody_to_ask_and_nothing_to_say() {
    let settings = Settings::default();
    let mut discovery = Discovery::new(settings.peers.clone(), OwnRoot::of(&settings.http));
    assert_eq!(discovery.find().await, Found::default());
    let (list, mut found) = watch::channel(Found::default());
    let (settings, changes) = watch::channel(settings);
    drop(settings);
    let kept = discovery.keep(changes, list);
    let silent = async { found.changed().await.is_ok() };
    tokio::select! {
        () = kept => panic!("it ended"),
        told = silent => panic!("it said something: {told}"),
        () = tokio::time::sleep(Duration::from_hours(1)) => {}
    }
}
