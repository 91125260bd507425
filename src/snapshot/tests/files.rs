//! What may be the matter with the file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{Node, after_restart, place};

#[test]
fn a_torn_end_is_left_out_and_damage_elsewhere_sets_the_file_aside() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    let base = fs::metadata(&path).unwrap().len();
    node.register("ord-2", &[]);
    node.snapshot.keep();
    drop(node);
    let whole = fs::read(&path).unwrap();
    let ids = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        after_restart(&path).into_keys().collect::<Vec<_>>()
    };
    let base = usize::try_from(base).unwrap();
    for length in (base..whole.len()).step_by(37) {
        assert_eq!(ids(&whole[..length]), ["ord-1"], "{length}");
    }
    for length in (0..base).step_by(61) {
        assert!(ids(&whole[..length]).is_empty(), "{length}");
        assert_eq!(fs::read(path.with_file_name("registry.snapshot.damaged")).unwrap(), &whole[..length]);
        assert!(!path.exists());
    }
    for at in (0..base).step_by(43) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        assert!(ids(&damaged).is_empty(), "{at}");
    }
    for foreign in [&b"PK\x03\x04"[..], b"\n", b"{}\n", b"00000000 {}\n", &[0; 4096]] {
        assert!(ids(foreign).is_empty());
    }
    assert_eq!(ids(&whole), ["ord-1", "ord-2"]);
}

#[test]
fn a_file_that_has_grown_is_written_anew() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    let text = "x".repeat(100_000);
    for n in 0..40 {
        node.register("ord-1", &[("n", &n.to_string()), ("text", &text)]);
        node.snapshot.keep();
    }
    assert!(fs::metadata(&path).unwrap().len() < 1_500_000);
    let before = node.held();
    drop(node);
    assert_eq!(after_restart(&path), before);
}

#[test]
fn a_disk_that_fails_stops_nothing_and_nothing_is_lost_when_it_works_again() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    let obstacle = path.with_file_name("registry.snapshot.new");
    fs::create_dir(&obstacle).unwrap();
    node.register("ord-1", &[]);
    node.snapshot.keep();
    node.register("ord-2", &[]);
    node.snapshot.keep();
    assert!(!path.exists());
    fs::remove_dir(&obstacle).unwrap();
    node.snapshot.keep();
    let before = node.held();
    assert_eq!(before.len(), 2);
    drop(node);
    assert_eq!(after_restart(&path), before);
}

#[test]
fn two_processes_do_not_share_a_file() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    let second = Node::start(&path);
    assert!(second.held().is_empty());
    second.snapshot.keep();
    drop((node, second));
    assert_eq!(after_restart(&path).len(), 1);
}

#[test]
fn what_is_no_regular_file_is_not_used_and_links_are_followed_once() {
    let (dir, path) = place();
    let folder = path.parent().unwrap();
    fs::create_dir_all(folder).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let node = Node::start(&path);
    node.snapshot.keep();
    fs::remove_file(&path).unwrap();

    let precious = dir.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    symlink(&precious, folder.join("registry.snapshot.new")).unwrap();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(node);

    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    let node = Node::start(&link);
    node.register("ord-2", &[]);
    node.snapshot.keep();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    drop(node);
    assert_eq!(after_restart(&path).len(), 2);
}
