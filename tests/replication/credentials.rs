//! What peers are asked with: credentials from files and from a token server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use eurekad::peers::PeerState;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::fake_peer::answer;
use crate::server::{Server, body};

/// Within this everything that should happen has happened, on a slow machine too.
const SOON: Duration = Duration::from_secs(30);

/// A request as it came.
#[derive(Clone, Debug)]
struct Request {
    head: String,
    body: String,
}

impl Request {
    /// A header by its name in lower case.
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

type Answers = Arc<Mutex<Box<dyn FnMut(&Request) -> Vec<u8> + Send>>>;

/// A server whose answers a test makes. It lasts as long as the test's process.
struct Scripted {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Scripted {
    fn start(answers: impl FnMut(&Request) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, answers): (_, Answers) = (Arc::clone(&requests), Arc::new(Mutex::new(Box::new(answers))));
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (seen, answers) = (Arc::clone(&seen), Arc::clone(&answers));
                // A connection that ends in the middle is the other side's business.
                thread::spawn(move || serve(&connection, &seen, &answers));
            }
        });
        Self { address, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }
}

fn serve(connection: &TcpStream, seen: &Mutex<Vec<Request>>, answers: &Answers) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let request = Request { head, body: String::from_utf8_lossy(&body).into_owned() };
        let answer = answers.lock()(&request);
        seen.lock().push(request);
        let mut writer = connection;
        writer.write_all(&answer).ok()?;
    }
}

fn ok(body: &Value) -> Vec<u8> {
    answer("200 OK", "Content-Type: application/json\r\n", &body.to_string())
}

/// What a peer answers to a request that it takes.
fn taken(request: &Request) -> Vec<u8> {
    let batch: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let items = batch["replicationList"].as_array().map_or(0, Vec::len);
    ok(&json!({"responseList": vec![json!({"statusCode": 200}); items]}))
}

/// A peer that takes only those who know this word.
fn peer(word: &Arc<Mutex<String>>) -> Scripted {
    let word = Arc::clone(word);
    Scripted::start(move |request| {
        if request.header("authorization") == Some(word.lock().as_str()) {
            taken(request)
        } else {
            answer("401 Unauthorized", "", "")
        }
    })
}

/// A token server that gives t1, t2 and so on.
fn token_server() -> Scripted {
    let mut tokens = 1..;
    Scripted::start(move |_| {
        let token = format!("t{}", tokens.next().expect("another"));
        ok(&json!({"access_token": token, "token_type": "Bearer", "expires_in": 3600}))
    })
}

fn oauth2(tokens: &Scripted) -> Vec<String> {
    vec![
        format!("--eurekad.peers.oauth2.token-uri={}", tokens.url("token")),
        "--eurekad.peers.oauth2.client-id=eureka".to_owned(),
        "--eurekad.peers.oauth2.client-secret=secret word".to_owned(),
        "--eurekad.peers.oauth2.scope=peer".to_owned(),
    ]
}

/// A server with one peer.
fn told_to(peer: &str, words: &[String]) -> Server {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let server = Server::new(&words);
    server.app.peers().set(&[peer.parse().expect("a URL")]);
    server
}

async fn until(what: &str, mut there: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !there() {
        assert!(begun.elapsed() < SOON, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn delivered(server: &Server, tasks: u64) {
    until("delivered", || server.app.peers().reports().iter().any(|report| report.tally.delivered == tasks)).await;
}

/// Why the only peer fails.
async fn failure(server: &Server) -> String {
    let mut failure = String::new();
    until("a failure", || {
        let reports = server.app.peers().reports();
        if let [report] = &reports[..]
            && let PeerState::Down { failure: last, .. } = &report.state
        {
            failure = last.to_string();
        }
        !failure.is_empty()
    })
    .await;
    failure
}

#[tokio::test]
async fn case_085_peers_are_asked_with_a_token_that_a_server_gives_and_a_401_brings_a_new_one() {
    let word = Arc::new(Mutex::new("Bearer t1".to_owned()));
    let (tokens, peer) = (token_server(), peer(&word));
    let server = told_to(&peer.url("eureka/"), &oauth2(&tokens));
    for id in ["a", "b"] {
        assert_eq!(server.register(&body("ORDERS", id)).await.status, 204);
    }
    delivered(&server, 2).await;
    let [asked] = &tokens.requests()[..] else { panic!("one token is enough: {:?}", tokens.requests()) };
    assert!(asked.head.starts_with("POST /token "), "{}", asked.head);
    assert_eq!(asked.header("authorization"), Some("Basic ZXVyZWthOnNlY3JldCt3b3Jk"));
    assert_eq!(asked.body, "grant_type=client_credentials&scope=peer");

    "Bearer t2".clone_into(&mut word.lock());
    assert_eq!(server.register(&body("ORDERS", "c")).await.status, 204);
    delivered(&server, 3).await;
    assert_eq!(tokens.requests().len(), 2);
    assert!(server.app.peers().reports()[0].is_available());
}

#[tokio::test]
async fn case_085_a_token_server_that_fails_is_why_a_peer_fails() {
    for (answered, reason) in [
        (answer("500 Internal Server Error", "", ""), "status 500"),
        (ok(&json!({"token": 1})), "no access_token"),
        (ok(&json!({"access_token": "a\nb"})), "characters"),
        (answer("302 Found", "Location: http://127.0.0.1:1/\r\n", ""), "status 302"),
    ] {
        let tokens = Scripted::start(move |_| answered.clone());
        let peer = Scripted::start(taken);
        let server = told_to(&peer.url("eureka/"), &oauth2(&tokens));
        let failure = failure(&server).await;
        assert!(failure.contains("127.0.0.1 gives no token") && failure.contains(reason), "{failure}");
        assert!(!failure.contains("secret"), "{failure}");
        assert_eq!(peer.requests().len(), 0, "it is not asked without");
    }
}

#[tokio::test]
async fn case_085_a_token_file_is_read_again() {
    let word = Arc::new(Mutex::new("Bearer first".to_owned()));
    let peer = peer(&word);
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("token");
    std::fs::write(&file, "first\n").expect("written");
    let server = told_to(&peer.url("eureka/"), &[format!("--eurekad.peers.credentials.token-file={}", file.display())]);
    assert_eq!(server.register(&body("ORDERS", "a")).await.status, 204);
    delivered(&server, 1).await;
    std::fs::write(&file, "second\n").expect("written");
    "Bearer second".clone_into(&mut word.lock());
    assert_eq!(server.register(&body("ORDERS", "b")).await.status, 204);
    delivered(&server, 2).await;
}

#[tokio::test]
async fn credentials_of_a_url_win_and_go_nowhere_else() {
    let thief = Scripted::start(taken);
    let elsewhere = thief.url("eureka/peerreplication/batch/");
    let peer = Scripted::start(move |_| answer("307 Temporary Redirect", &format!("Location: {elsewhere}\r\n"), ""));
    let words = ["--eurekad.peers.credentials.token=the-token".to_owned()];
    let url = format!("http://u:p@{}/eureka/", peer.address);
    let server = told_to(&url, &words);
    let reason = failure(&server).await;
    assert!(reason.contains("status 307"), "{reason}");
    assert_eq!(peer.requests()[0].header("authorization"), Some("Basic dTpw"));
    let server = told_to(&peer.url("eureka/"), &words);
    failure(&server).await;
    let last = peer.requests().pop().expect("a request");
    assert_eq!(last.header("authorization"), Some("Bearer the-token"));
    assert_eq!(thief.requests().len(), 0);
}

#[tokio::test]
async fn a_peer_that_wants_other_credentials_says_so() {
    let peer = peer(&Arc::new(Mutex::new("Bearer other".to_owned())));
    let words = ["--eurekad.peers.credentials.token=the-token".to_owned()];
    let server = told_to(&peer.url("eureka/"), &words);
    let reason = failure(&server).await;
    assert!(reason.contains("401") && !reason.contains("the-token"), "{reason}");
    let before = peer.requests().len();
    assert_eq!(before, 1, "the same is not tried twice");
}

#[tokio::test]
async fn regions_have_credentials_of_their_own() {
    let region = Scripted::start(|_| ok(&json!({"applications": {"apps__hashcode": "", "application": []}})));
    let url = format!("--eureka.server.remote-region-urls-with-name.eu={}", region.url("eureka/"));
    let words = [
        url.as_str(),
        "--eurekad.regions.credentials.username=reader",
        "--eurekad.regions.credentials.password=p",
        "--eurekad.peers.credentials.token=for-peers",
    ];
    let server = Server::new(&words);
    let (tasks, ending) = (TaskTracker::new(), CancellationToken::new());
    server.app.regions().start(&tasks, &ending);
    until("the region is asked", || !region.requests().is_empty()).await;
    ending.cancel();
    assert_eq!(region.requests()[0].header("authorization"), Some("Basic cmVhZGVyOnA="));
}
