//! What the fuzzer starts from, and what it once found.

use std::fs;
use std::path::{Path, PathBuf};

use super::TARGETS;

fn inputs(of: &str, target: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(of).join(target);
    let Ok(files) = fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths
}

fn replay(target: &str) {
    let (_, check) = TARGETS.into_iter().find(|(name, _)| *name == target).unwrap();
    let corpus = inputs("corpus", target);
    assert!(!corpus.is_empty(), "there is no corpus");
    for path in corpus.into_iter().chain(inputs("regressions", target)) {
        let input = fs::read(&path).unwrap();
        let done = std::panic::catch_unwind(|| check(&input));
        assert!(done.is_ok(), "{}", path.display());
    }
}

macro_rules! replayed {
    ($($target:ident),*) => {
        $(#[test]
        fn $target() {
            replay(stringify!($target));
        })*

        #[test]
        fn every_target_is_replayed_and_run() {
            assert_eq!(TARGETS.map(|(name, _)| name), [$(stringify!($target)),*]);
            for (name, check) in TARGETS {
                let program = format!("fuzz/fuzz_targets/{name}.rs");
                assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(program).exists(), "{name}");
                check(b"");
            }
        }
    };
}

replayed!(json, xml, batch, digest, request, gzip, settings);
