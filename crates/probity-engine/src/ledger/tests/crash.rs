//! What is left when the process, the journal or the file comes to harm.

use super::*;

const N_PAIRS: usize = 24;

/// A store with `N_PAIRS` acknowledged pairs, each in commits of its own, and its files as bytes.
fn written() -> (Scene, Vec<u8>, Vec<u8>) {
    let scene = Scene::new();
    for n in 0..N_PAIRS {
        let attempt = scene.begin(&n.to_string());
        scene.end(attempt, b"raw");
    }
    let file = std::fs::read(scene.path()).unwrap();
    let journal = std::fs::read(beside(&scene.path(), "-wal")).unwrap();
    (scene, file, journal)
}

/// Opens a store with this file and this journal, which must succeed, and counts the pairs in it: they
/// must be the first ones, with nothing after the first that is missing.
#[track_caller]
fn n_pairs_kept(scene: &Scene, file: &[u8], journal: &[u8]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::fs::write(&path, file).unwrap();
    std::fs::write(beside(&path, "-wal"), journal).unwrap();
    let opened = Store::open(&path).unwrap();
    let reader = opened.store.reader().unwrap();
    let kept = |n: usize| reader.attempts_of(&packet(&n.to_string()), &scene.judge, 0).unwrap();
    let is_whole = |n: &usize| {
        kept(*n).iter().any(|attempt| attempt.outcome != AttemptOutcome::Lost && attempt.raw == b"raw")
    };
    let n_whole = (0..N_PAIRS).take_while(is_whole).count();
    for n in n_whole + 1..N_PAIRS {
        assert_eq!(kept(n), [], "pair {n} is there without pair {n_whole}");
    }
    assert!(opened.lost.len() <= 1, "one call at a time was in flight: {:?}", opened.lost);
    n_whole
}

#[test]
fn g02_acknowledged_writes_are_in_the_files() {
    let (scene, file, journal) = written();
    assert_eq!(n_pairs_kept(&scene, &file, &journal), N_PAIRS);
}

#[test]
fn c07_a_torn_journal_loses_only_its_tail() {
    const FRAME: usize = 4096 + 24;
    let (scene, file, journal) = written();
    let last = journal.len();
    let mut cuts: Vec<usize> = (0..16).map(|n| last.saturating_sub(64 << 10) + n * 4099).collect();
    cuts.extend((0..3).flat_map(|frame| [1, 0].map(|byte| last - frame * FRAME - byte)));
    cuts.extend([1, 31, 32, 33]);
    cuts.sort_unstable();
    let mut n_kept_before = 0;
    for cut in cuts.into_iter().filter(|cut| *cut <= last) {
        let n_kept = n_pairs_kept(&scene, &file, &journal[..cut]);
        assert!(n_kept >= n_kept_before, "a longer journal cannot hold less (cut at {cut})");
        n_kept_before = n_kept;
    }
    assert_eq!(n_kept_before, N_PAIRS, "the last cut takes nothing away");
}

#[test]
fn c07_a_flipped_bit_ends_the_journal_there() {
    let (scene, file, journal) = written();
    for place in [journal.len() - 1, journal.len() - 5000, journal.len() / 2, 40] {
        let mut flipped = journal.clone();
        flipped[place] ^= 1;
        let n_kept = n_pairs_kept(&scene, &file, &flipped);
        assert!(n_kept < N_PAIRS, "a damaged page at {place} must not be taken for a good one");
    }
}

#[test]
fn a_closed_store_is_one_file() {
    let (scene, _, _) = written();
    let path = scene.path();
    let Scene { folder, store, judge, run } = scene;
    store.close().unwrap();
    assert!(!beside(&path, "-wal").exists(), "everything is in the file");
    let (_copy, copy) = copied(&path);
    let opened = Store::open(&copy).unwrap();
    assert_eq!(opened.lost, []);
    assert_eq!(opened.store.totals(&judge, run).unwrap().calls, N_PAIRS as u64);
    drop(folder);
}

#[test]
fn g03_beside_an_open_store_are_its_log_and_one_lock() {
    let (scene, _, _) = written();
    let files = || {
        let entries = std::fs::read_dir(scene.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(files(), ["store.db", "store.db-shm", "store.db-wal", "store.db.lock"]);
    scene.store.clone().close().unwrap();
    assert_eq!(files(), ["store.db", "store.db.lock"]);
}

#[test]
fn a_closed_store_refuses_writes_and_still_reads() {
    let scene = Scene::new();
    let attempt = scene.begin("a");
    scene.end(attempt, b"raw");
    scene.store.clone().close().unwrap();
    let error = wait(scene.store.intend(scene.start("b"))).unwrap_err();
    assert!(matches!(error, StoreError::Closed { .. }), "{error:?}");
    assert_eq!(scene.attempts("a").len(), 1);
    assert!(matches!(scene.store.close(), Err(StoreError::Closed { .. })));
}

#[test]
fn c08_a_log_taken_away_is_told_once() {
    let (scene, _, _) = written();
    let missing_log = |path: &Path| Store::open(path).unwrap().missing_log;
    let (_folder, path) = copied(&scene.path());
    Store::open_for_review(&path).unwrap().close().unwrap();
    assert_eq!(missing_log(&path), None, "the room leaves the log of a run that died");
    let (_folder, path) = copied(&scene.path());
    std::fs::remove_file(beside(&path, "-wal")).unwrap();
    Store::open_for_review(&path).unwrap().close().unwrap();
    assert_eq!(missing_log(&path), Some(beside(&path, "-wal")));
    assert_eq!(missing_log(&path), None, "it was closed");
    scene.store.clone().close().unwrap();
    assert_eq!(missing_log(&scene.path()), None, "it was closed as well");
}
