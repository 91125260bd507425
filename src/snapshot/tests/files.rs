//! What may be the matter with the file.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::super::store::Store;
use super::{Node, after_restart, place};
use crate::model::InstanceStatus::OutOfService;

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
fn a_file_of_a_later_version_is_set_aside_and_named_as_such() {
    let (_dir, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let first = br#"{"snapshot":{"format":2,"written":0}}"#;
    let mut sum = flate2::Crc::new();
    sum.update(first);
    let later = [format!("{:08x} ", sum.sum()).as_bytes(), first, b"\n"].concat();
    fs::write(&path, &later).unwrap();
    let error = Store::read(&path, 0).unwrap_err();
    assert_eq!(error.to_string(), "line 1: it has format 2, this version reads 1");
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    assert_eq!(fs::read(path.with_file_name("registry.snapshot.damaged")).unwrap(), later);
    drop(node);
    assert_eq!(after_restart(&path).len(), 1);
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
    node.comes_back_from(&path);
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
    assert_eq!(node.held().len(), 2);
    node.comes_back_from(&path);
}

#[test]
fn two_processes_do_not_share_a_file() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    let second = Node::start(&path);
    assert!(second.held().is_empty());
    second.register("ord-2", &[]);
    second.snapshot.keep();
    let before = node.held();
    drop(node);
    // The first one may only be about to start again.
    second.snapshot.keep();
    assert_eq!(after_restart(&path), before);
}

#[test]
fn a_file_that_can_only_be_read_is_read_and_written_once_it_can_be() {
    let (_dir, path) = place();
    let node = Node::start(&path);
    node.register("ord-1", &[]);
    node.set_status("ord-1", OutOfService);
    node.snapshot.keep();
    let before = node.held();
    drop(node);
    let lock = path.with_file_name("registry.snapshot.lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let node = Node::start(&path);
    assert_eq!(node.held(), before);
    node.register("ord-2", &[]);
    node.snapshot.keep();
    fs::remove_dir(&lock).unwrap();
    node.snapshot.keep();
    assert_eq!(node.held().len(), 2);
    node.comes_back_from(&path);
}

#[test]
fn what_another_process_wrote_before_the_file_could_be_used_is_kept() {
    let (_dir, path) = place();
    let folder = path.parent().unwrap();
    for is_running in [true, false] {
        fs::write(folder, "").unwrap();
        let node = Node::start(&path);
        node.register("ord-1", &[]);
        node.snapshot.keep();
        fs::remove_file(folder).unwrap();
        let other = Node::start(&path);
        other.register("ord-2", &[]);
        other.snapshot.keep();
        let before = fs::read(&path).unwrap();
        if !is_running {
            drop(other);
        }
        node.snapshot.keep();
        let kept = if is_running { path.clone() } else { path.with_file_name("registry.snapshot.damaged") };
        assert_eq!(fs::read(kept).unwrap(), before, "{is_running}");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_used_at_the_start_is_tried_again() {
    let (dir, path) = place();
    let (folder, elsewhere) = (path.parent().unwrap(), dir.path().join("elsewhere"));
    let node = Node::start(&elsewhere);
    node.register("ord-1", &[]);
    node.snapshot.keep();
    fs::write(folder, "").unwrap();
    let node = Node::start(&path);
    node.register("ord-2", &[]);
    node.snapshot.keep();
    // A disk that is mounted late brings what was not taken in.
    fs::remove_file(folder).unwrap();
    fs::create_dir(folder).unwrap();
    fs::copy(&elsewhere, &path).unwrap();
    node.snapshot.keep();
    node.comes_back_from(&path);
    assert_eq!(fs::read(path.with_file_name("registry.snapshot.damaged")).unwrap(), fs::read(&elsewhere).unwrap());
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
