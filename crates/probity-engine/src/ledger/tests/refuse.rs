//! What is refused before anything is written: a second writer, other files, other versions.

use expect_test::{Expect, expect};

use super::*;

/// Opens what `make` leaves at a path; it must be refused with this message, unchanged, and leave no
/// other file. The folder's name is not part of the message.
#[track_caller]
fn check_refused(make: impl FnOnce(&Path), want: &Expect) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    make(&path);
    let content = std::fs::read(&path).ok();
    let error = Store::open(&path).err().unwrap();
    let here = folder.path().canonicalize().unwrap();
    want.assert_eq(
        &error.to_string().replace(here.to_str().unwrap(), "").replace(folder.path().to_str().unwrap(), ""),
    );
    assert_eq!(std::fs::read(&path).ok(), content, "the file is as it was");
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [path], "nothing is left beside it");
}

#[test]
fn a_text_file_is_not_a_store() {
    check_refused(
        |path| std::fs::write(path, "id,reply\n1,Hello\n").unwrap(),
        &expect!["cannot open /store.db: expected a store, found another kind of file"],
    );
    check_refused(
        |path| std::fs::write(path, "{}\n".repeat(10_000)).unwrap(),
        &expect!["cannot open /store.db: expected a store, found another kind of file"],
    );
}

#[test]
fn a_folder_is_not_a_store() {
    check_refused(
        |path| std::fs::create_dir(path).unwrap(),
        &expect!["cannot open /store.db: expected a store, found a folder"],
    );
}

#[test]
fn another_programs_database_is_not_a_store() {
    check_refused(
        |path| {
            let other = rusqlite::Connection::open(path).unwrap();
            other.execute_batch("CREATE TABLE customer (id INTEGER PRIMARY KEY)").unwrap();
        },
        &expect!["cannot open /store.db: expected a store, found the database of another program"],
    );
}

#[test]
fn another_schema_is_refused() {
    let of_version = |version: i64| {
        move |path: &Path| {
            Store::open(path).unwrap().store.close().unwrap();
            let other = rusqlite::Connection::open(path).unwrap();
            other.pragma_update(None, "user_version", version).unwrap();
            drop(other);
            std::fs::remove_file(beside(path, ".lock")).unwrap();
        }
    };
    check_refused(
        of_version(open::SCHEMA_VERSION + 1),
        &expect!["cannot open /store.db: its schema is version 8, and this program knows version 7"],
    );
    check_refused(
        of_version(open::SCHEMA_VERSION - 1),
        &expect![
            "cannot open /store.db: it was made by an unreleased version of probity; to keep its labels, run `probity export` with that version and `probity import` with this one"
        ],
    );
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/store.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "").unwrap();
    let error = Store::open_read_only(&path).err().unwrap();
    assert!(error.to_string().ends_with("expected a store, found an empty file"), "{error}");
    Store::open(&path).unwrap().store.close().unwrap();
    Store::open_read_only(&path).unwrap();
}

#[test]
fn c13_a_second_writer_is_refused() {
    let scene = Scene::new();
    let aliased = scene.folder.path().join(".").join("store.db");
    let error = Store::open(&aliased).err().unwrap();
    let StoreError::Locked { path, holder } = &error else { panic!("{error:?}") };
    assert_eq!((path, *holder), (&scene.path().canonicalize().unwrap(), Some(std::process::id())));
    assert!(error.to_string().contains("one process at a time can write"), "{error}");
    scene.begin("the first writer goes on");
    let path = scene.path();
    scene.store.close().unwrap();
    Store::open(&path).unwrap();
}

#[test]
fn the_last_clone_closes_the_store() {
    let scene = Scene::new();
    let path = scene.path();
    let clone = scene.store.clone();
    drop(scene.store);
    assert!(matches!(Store::open(&path), Err(StoreError::Locked { .. })));
    drop(clone);
    assert!(!beside(&path, "-wal").exists());
    Store::open(&path).unwrap();
}

#[test]
fn readers_beside_a_writer_see_what_was_acknowledged() {
    let scene = Scene::new();
    let beside = Store::open_read_only(&scene.path()).unwrap();
    let reader = beside.reader().unwrap();
    for n in 1..=3 {
        let attempt = scene.begin("a");
        scene.end(attempt, b"raw");
        assert_eq!(reader.attempts_of(&packet("a"), &scene.judge, 0).unwrap().len(), n);
    }
}

#[test]
fn a_snapshot_sees_one_moment_and_does_not_hold_up_the_writer() {
    let scene = Scene::new();
    scene.end(scene.begin("a"), b"raw");
    let snapshot = scene.store.snapshot().unwrap();
    scene.end(scene.begin("a"), b"raw");
    assert_eq!(snapshot.attempts_of(&packet("a"), &scene.judge, 0).unwrap().len(), 1);
    assert_eq!(scene.attempts("a").len(), 2);
    scene.store.clone().close().unwrap();
    assert_eq!(snapshot.attempts_of(&packet("a"), &scene.judge, 0).unwrap().len(), 1);
}

#[test]
fn c11_a_store_opened_for_reading_refuses_every_write() {
    let scene = Scene::new();
    let attempt = scene.begin("a");
    let store = Store::open_read_only(&scene.path()).unwrap();
    let errors = [
        wait(store.intend(scene.start("b"))).err(),
        wait(store.conclude(attempt, ended("ok", b""), None)).err(),
        wait(store.settle(attempt, settlement(verdict("{}")))).err(),
        wait(store.withdraw(attempt)).err(),
        store.note("key", "value").err(),
    ];
    for error in errors {
        assert_eq!(error.unwrap().failure(), Some(FailureKind::ReadOnly));
    }
    store.close().unwrap();
    scene.end(attempt, b"the writer is not disturbed");
}

#[test]
fn c11_a_read_only_file_is_refused_for_writing_and_can_be_read() {
    let scene = Scene::new();
    let (path, judge, run) = (scene.path(), scene.judge.clone(), scene.run);
    scene.end(scene.begin("a"), b"raw");
    scene.store.clone().close().unwrap();
    let set_read_only = |path: &Path, is_read_only| {
        let mut permissions = path.metadata().unwrap().permissions();
        permissions.set_readonly(is_read_only);
        std::fs::set_permissions(path, permissions).unwrap();
    };
    set_read_only(&path, true);
    if std::fs::OpenOptions::new().append(true).open(&path).is_ok() {
        println!("skipped: this user may write to read-only files");
        return;
    }
    let error = Store::open(&path).err().unwrap();
    assert!(
        error.to_string().starts_with("failed opening") && error.failure() == Some(FailureKind::ReadOnly),
        "{error:?}"
    );
    std::fs::remove_file(beside(&path, ".lock")).unwrap();
    set_read_only(scene.folder.path(), true);
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(store.totals(&judge, run).unwrap().calls, 1, "a folder without a place for an index will do");
    let error = Store::open(&path).err().unwrap();
    set_read_only(scene.folder.path(), false);
    assert!(
        error.to_string().starts_with("failed locking") && error.failure() == Some(FailureKind::ReadOnly),
        "{error:?}"
    );
}

#[test]
fn what_a_killed_process_left_can_be_read_without_repair() {
    let scene = Scene::new();
    let attempt = scene.begin("a");
    scene.end(attempt, b"raw");
    let (_folder, path) = copied(&scene.path());
    let store = Store::open_read_only(&path).unwrap();
    assert_eq!(store.totals(&scene.judge, scene.run).unwrap().calls, 1);
    assert!(!beside(&path, ".lock").exists());
}

#[test]
fn a_missing_store_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let error = Store::open_read_only(&path).err().unwrap();
    assert_eq!(error, StoreError::Missing { path: path.clone() });
    assert!(!path.exists(), "reading makes no file");
}
