//! What everybody else is answered, after anything.

use serde_json::json;

use crate::server::list::{List, array, hash_code};
use crate::server::{COMPACT, GZIP, JSON, Server, XML, encoded};

/// Lists in all forms are whole, say the same, and hold the hash code of what they show; each instance is found.
pub(super) async fn assert_whole(server: &Server) {
    let full = List::of(&server.get("/eureka/apps", &[JSON]).await);
    assert_eq!(full.records.len(), server.app.registry().len());
    assert_eq!(full.hash, hash_code(full.records.iter().map(|record| &*record.status)));
    assert_eq!(List::of(&server.get("/eureka/apps", &[JSON, GZIP]).await), full);

    let xml = List::of(&server.get("/eureka/apps", &[XML]).await);
    assert_eq!(xml.hash, full.hash);
    let shown = |list: &List| -> Vec<_> {
        let records = list.records.iter();
        records.map(|record| [&record.app, &record.id, &record.status].map(|text| carried(text))).collect()
    };
    assert_eq!(shown(&xml), shown(&full));

    for target in ["/eureka/apps", "/eureka/apps/delta"] {
        for detail in [&[][..], &[COMPACT]] {
            let json = server.get(target, &[&[JSON], detail].concat()).await.json();
            let apps = array(&json["applications"]["application"]);
            let in_json: usize = apps.iter().map(|app| array(&app["instance"]).len()).sum();
            let xml = server.get(target, &[&[XML], detail].concat()).await.xml();
            let in_xml: usize = xml.all("application").map(|app| app.all("instance").count()).sum();
            assert_eq!(in_json, in_xml, "{target} {detail:?}");
            assert_eq!(json["applications"]["apps__hashcode"], json!(full.hash), "{target} {detail:?}");
        }
    }
    for record in &full.records {
        let target = format!("/eureka/apps/{}/{}", encoded(&record.app), encoded(&record.id));
        assert_eq!(server.json(&target).await["instance"]["status"], json!(record.status), "{target}");
    }
    assert!(server.json("/eureka/status").await.is_object());
    server.get("/eureka/status", &[XML]).await.xml();
    assert!(server.json("/eureka/serverinfo/statusoverrides").await.is_object());
}

/// A text as XML can show it.
fn carried(text: &str) -> String {
    let legal =
        |c: char| !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}');
    text.chars().map(|c| if legal(c) { c } else { '\u{fffd}' }).collect()
}
