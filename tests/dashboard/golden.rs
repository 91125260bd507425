//! Pages of a live Java server (Boot 4.0), and what they lead programs to expect.

use serde_json::Value;

use super::page::Page;
use crate::server::Server;

/// What differs: the threshold counts no client that does not exist, and what is in the place of Java's own figures.
const OTHER_VALUES: [&str; 3] = ["Renews threshold", "Lease expiration enabled", "status"];

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// Whether the first is found in the second, in its order.
fn is_part(wanted: &[String], found: &[String]) -> bool {
    let mut found = found.iter();
    wanted.iter().all(|wanted| found.any(|found| found == wanted))
}

/// In any order: Java lists ids as they come out of a hash map.
fn words(cell: &str) -> Vec<&str> {
    let mut words: Vec<_> = cell.split(' ').collect();
    words.sort_unstable();
    words
}

fn check_rows(name: &str, id: &str, want: &Value, got: &Value) {
    let want = want.as_array().unwrap();
    // The recording leaves out the line that says that there is none.
    let got: Vec<_> = got.as_array().unwrap().iter().filter(|row| texts(row).len() > 1).collect();
    let is_last = id.starts_with("lastN");
    if !is_last {
        assert_eq!(want.len(), got.len(), "{name} {id}: {got:?}");
    }
    for (want, got) in want.iter().zip(got) {
        let (want, got) = (texts(want), texts(got));
        for (want_cell, got_cell) in want.iter().zip(&got) {
            let differs = want_cell.contains("{{") || OTHER_VALUES.contains(&want[0].as_str()) && want_cell != &want[0];
            // Cause and origin come after.
            assert!(differs || words(want_cell) == words(got_cell), "{name} {id}: {want:?} {got:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pages_read_as_those_of_a_java_server() {
    let server = Server::new(&["--spring.application.name=eureka-server"]);
    let recording: Value = serde_json::from_str(include_str!("../fixtures/dashboard.json")).unwrap();
    let mut pages = 0;
    for entry in recording.as_array().unwrap() {
        let (name, request) = (entry["name"].as_str().unwrap(), &entry["request"]);
        let pair = |pair: &Value| (pair[0].as_str().unwrap().to_owned(), pair[1].as_str().unwrap().to_owned());
        let headers: Vec<_> = request["headers"].as_array().unwrap().iter().map(pair).collect();
        let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let (method, path) = (request["method"].as_str().unwrap(), request["path"].as_str().unwrap());
        let want = &entry["response"]["extract"];
        if want.is_null() {
            let status = server.send(method, path, &headers, request["body"].as_str().unwrap().as_bytes()).await.status;
            assert_eq!(u64::from(status), entry["response"]["status"], "{name}");
            continue;
        }
        pages += 1;
        let page = Page::get(&server, path, &headers).await;
        let got = page.extract();
        assert_eq!(got["title"], want["title"], "{name}");
        assert!(is_part(&texts(&want["headings"]), &texts(&got["headings"])), "{name}: {}", got["headings"]);
        let language = entry["response"]["headers"][1][1].as_str();
        assert_eq!(page.reply.header("content-language"), language, "{name}");
        let of = |page: &Value, id: &str| {
            let tables = page["tables"].as_array().unwrap().iter().filter(|table| table["id"] == id);
            tables.map(|table| table["rows"].clone()).collect::<Vec<_>>()
        };
        for id in ["instances", "generalInfo", "instanceInfo", "lastNCanceled", "lastNRegistered"] {
            let (want, got) = (of(want, id), of(&got, id));
            assert_eq!(want.len(), got.len(), "{name} {id}");
            for (want, got) in want.iter().zip(&got) {
                check_rows(name, id, want, got);
            }
        }
        for link in want["links"].as_array().into_iter().flatten() {
            let mut links = page.named("a").map(|a| (a.text.as_str(), a.attribute("href").unwrap()));
            let link = (link[0].as_str().unwrap(), link[1].as_str().unwrap());
            assert!(links.any(|found| found == link), "{name}: {link:?}");
        }
    }
    assert_eq!(pages, 6);
}
