//! Stores of earlier versions, and who holds a store.

use std::path::Path;

use super::*;
use crate::store::Store;

/// What a store of `version` does not have, as statements that take it away.
fn without(version: u32) -> String {
    let tables = ["act", "seat", "item", "queue", "session", "invitation", "person", "label"];
    let n_later = if version == 1 { tables.len() } else { tables.len() - 1 };
    let drops: Vec<String> = tables[..n_later].iter().map(|table| format!("DROP TABLE {table};")).collect();
    format!("{} PRAGMA user_version = {version};", drops.concat())
}

/// A store as `version` left it, with a label where it could have one.
fn old_store(folder: &Path, version: u32) -> PathBuf {
    let path = folder.join("store.db");
    let store = Store::open(&path).unwrap().store;
    store.note("key", "value").unwrap();
    store.close().unwrap();
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(&without(version)).unwrap();
    path
}

#[track_caller]
fn check_upgraded(version: u32, open: impl Fn(&Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = old_store(folder.path(), version);
    open(&path);
    let room = Room::open(&path).unwrap();
    let added = wait(room.add_queue(new_queue("first", Form::Levels, 1, 1))).unwrap();
    assert!(matches!(added, Added::New(_)), "{added:?}");
    room.close().unwrap();
    let store = Store::open(&path).unwrap().store;
    assert_eq!(store.noted("key").unwrap().as_deref(), Some("value"));
}

#[test]
fn a_store_of_version_1_gets_a_room() {
    check_upgraded(1, |_| {});
    check_upgraded(1, |path| Store::open(path).unwrap().store.close().unwrap());
}

#[test]
fn a_store_of_version_2_gets_a_room() {
    check_upgraded(2, |_| {});
    check_upgraded(2, |path| Store::open(path).unwrap().store.close().unwrap());
}

#[test]
fn an_older_store_is_not_changed_under_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let running = Store::open(&path).unwrap().store;
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(&without(2)).unwrap();
    let error = Room::open(&path).err().unwrap();
    assert!(matches!(error, StoreError::Locked { .. }), "{error:?}");
    running.close().unwrap();
    Room::open(&path).unwrap();
}

#[test]
fn making_room_takes_nothing_from_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let room = Room::open(&path).unwrap();
    let opened = Store::open(&path).unwrap();
    assert_eq!((opened.lost.len(), opened.warnings.len()), (0, 0), "a run begins beside the room");
    opened.store.close().unwrap();
    wait(room.add_queue(new_queue("first", Form::Levels, 1, 1))).unwrap();
    assert_eq!(room.queues().unwrap().len(), 1);
    room.close().unwrap();
    assert!(!folder.path().join("store.db-wal").exists(), "whoever closes last leaves one file");
    assert_eq!(Store::open(&path).unwrap().warnings, []);
}

#[test]
fn a_store_has_one_room() {
    let scene = Scene::new(Form::Levels, 1, 1);
    let error = Room::open(&scene.path()).err().unwrap();
    let StoreError::InReview { holder, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*holder, Some(std::process::id()));
    assert!(error.to_string().contains("it has one review server at a time, and process"), "{error}");
    let Scene { folder, room, .. } = scene;
    room.close().unwrap();
    Room::open(&folder.path().join("store.db")).unwrap();
}
