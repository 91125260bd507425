//! Every route of the server is described.
//!
//! A router does not tell its routes, so that they are read off the source: the literals in `.route("…`. The paths of
//! the API are no routes; `http/resource` has a test of its own, and so have the actuator's, which the user may move.

use std::fs;
use std::path::{Path, PathBuf};

use super::document;

fn files(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_owned()];
    }
    fs::read_dir(at).unwrap().flat_map(|entry| files(&entry.unwrap().path())).collect()
}

/// A path with its parameters without names, and without what serves a trailing slash.
fn plain(path: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0;
    for c in path.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 => plain.push(c),
            _ => {}
        }
        if c == '}' {
            plain.push('*');
        }
    }
    plain
}

#[tokio::test(start_paused = true)]
async fn every_route_is_described() {
    let document = document().await;
    let described: Vec<_> = document["paths"].as_object().expect("paths").keys().map(|path| plain(path)).collect();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops");
    let mut seen = 0;
    for file in files(&source) {
        let text = fs::read_to_string(&file).unwrap();
        let (code, _tests) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        for literal in
            code.split(".route(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        {
            seen += 1;
            // Below a path that is said elsewhere.
            // It is the same below both.
            let route = plain(&literal.replace("/eureka/v2/", "/eureka/"));
            let is_described = described.iter().any(|path| path.ends_with(&route));
            assert!(is_described, "{}: {literal} is not in docs/openapi.yaml", file.display());
        }
    }
    assert!(seen > 0, "no route was found");
}
