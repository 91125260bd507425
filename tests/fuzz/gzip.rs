//! Bodies with `Content-Encoding: gzip`.

use std::io::Read as _;
use std::sync::LazyLock;

use eurekad::settings::Settings;
use flate2::read::MultiGzDecoder;

use crate::server::{JSON, Reply, SENDS_JSON, packed};

use super::{held, server};

/// The longest plain body.
const MOST: u64 = 64 * 1024;

static NARROW: LazyLock<Settings> =
    LazyLock::new(|| Settings::from_words(&[format!("--eurekad.limits.body-size={MOST}B")]).expect("valid words"));

pub(super) fn check(input: &[u8]) {
    held(async {
        // As it is, and as what it unpacks to.
        let as_gzip = post(input, true).await;
        let mut plain = Vec::new();
        let unpacked = MultiGzDecoder::new(input).take(MOST + 1).read_to_end(&mut plain);
        match unpacked {
            Err(_) => assert_eq!(as_gzip.status, 400),
            Ok(_) if plain.len() as u64 > MOST => assert_eq!(as_gzip.status, 413),
            Ok(_) => assert_same(&as_gzip, &post(&plain, false).await),
        }
        // Packed first.
        assert_same(&post(&packed(input), true).await, &post(input, false).await);
    });
}

/// To a server of its own.
async fn post(body: &[u8], is_packed: bool) -> Reply {
    let server = server(&NARROW);
    let packed: &[_] = if is_packed { &[("Content-Encoding", "gzip")] } else { &[] };
    let reply = server.send("POST", "/eureka/apps/KILN", &[&[SENDS_JSON, JSON], packed].concat(), body).await;
    assert!(matches!(reply.status, 204 | 400 | 413), "{reply:?}");
    reply
}

fn assert_same(one: &Reply, other: &Reply) {
    assert_eq!((one.status, &one.body), (other.status, &other.body));
}
