//! Calls under way when the process dies: what is noted beside the database comes into it, once and whole.

use super::*;

/// A store in which "a" is recorded, "b" has ended and "c" is in flight, as it is before the database hears of "b":
/// the file and journal, and the notes.
fn before_the_database_heard() -> (Scene, [Vec<u8>; 3]) {
    let scene = Scene::new();
    let [first, second, _third] = ["a", "b", "c"].map(|text| scene.begin(text));
    scene.end(first, b"raw of a");
    let read = |suffix| std::fs::read(beside(&scene.path(), suffix)).unwrap();
    let (file, journal) = (read(""), read("-wal"));
    scene.end(second, b"raw of b");
    let notes = read("-calls");
    (scene, [file, journal, notes])
}

/// Opens a store of these files.
fn opened([file, journal, notes]: [&[u8]; 3]) -> (tempfile::TempDir, Opened) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    for (suffix, bytes) in [("", file), ("-wal", journal), ("-calls", notes)] {
        std::fs::write(beside(&path, suffix), bytes).unwrap();
    }
    let opened = Store::open(&path).unwrap();
    (folder, opened)
}

fn outcomes(store: &Store, judge: &JudgeId) -> Vec<String> {
    let reader = store.reader().unwrap();
    let outcome = |text| {
        let attempts = reader.attempts_of(&packet(text), judge, 0).unwrap();
        let shown = attempts
            .iter()
            .map(|one| format!("{} {}", one.outcome.name(), String::from_utf8_lossy(&one.raw)));
        format!("{text}: {}", shown.collect::<Vec<_>>().join(", "))
    };
    ["a", "b", "c"].map(outcome).to_vec()
}

#[test]
fn g03_an_answer_that_only_the_notes_have_is_not_lost() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let (folder, opened) = opened([&file, &journal, &notes]);
    assert_eq!(outcomes(&opened.store, &scene.judge), ["a: ok raw of a", "b: ok raw of b", "c: lost "]);
    let lost: Vec<_> = opened.lost.iter().map(|call| (call.packet, call.n, call.run)).collect();
    assert_eq!(lost, [(packet("c"), 1, scene.run)]);
    let accepted = wait(opened.store.settle(scene.settlement("b", None, verdict("{}")))).unwrap();
    assert_eq!(accepted, Accepted::First, "what was answered can be settled");
    drop(opened);
    let path = folder.path().join("store.db");
    assert!(!beside(&path, "-calls").exists(), "a closed store has no calls under way");
    let again = Store::open(&path).unwrap();
    assert_eq!((again.lost.len(), again.warnings.len()), (0, 0));
}

#[test]
fn g04_taking_in_can_be_killed_and_done_again() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let (folder, opened) = opened([&file, &journal, &notes]);
    // As if the process had died after the commit and before the notes were gone.
    let (_copy, copy) = copied(&folder.path().join("store.db"));
    std::fs::write(beside(&copy, "-calls"), &notes).unwrap();
    drop(opened);
    let again = Store::open(&copy).unwrap();
    assert_eq!(outcomes(&again.store, &scene.judge), ["a: ok raw of a", "b: ok raw of b", "c: lost "]);
    assert_eq!((again.lost.len(), again.warnings.len()), (0, 0), "listed once");
}

#[test]
fn c07_torn_notes_lose_only_their_tail() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let mut n_known_before = 0;
    for cut in (0..=notes.len()).step_by(7).chain([notes.len() - 1, notes.len()]) {
        let (_folder, opened) = opened([&file, &journal, &notes[..cut]]);
        let outcomes = outcomes(&opened.store, &scene.judge);
        assert_eq!(outcomes[0], "a: ok raw of a", "the database has it (cut at {cut})");
        assert!(["b: ", "b: lost ", "b: ok raw of b"].contains(&&*outcomes[1]), "{outcomes:?}");
        assert!(["c: ", "c: lost "].contains(&&*outcomes[2]), "{outcomes:?}");
        let n_known = outcomes.iter().map(String::len).sum();
        assert!(n_known >= n_known_before || cut == notes.len() - 1, "more notes tell more (cut at {cut})");
        n_known_before = n_known;
    }
}

#[test]
fn c07_a_flipped_bit_ends_the_notes_there() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    for place in [30, notes.len() / 2, notes.len() - 1] {
        let mut flipped = notes.clone();
        flipped[place] ^= 1;
        let (_folder, opened) = opened([&file, &journal, &flipped]);
        let outcomes = outcomes(&opened.store, &scene.judge);
        assert_ne!(
            outcomes[1], "b: ok raw of b",
            "a damaged note at {place} must not be taken for a good one"
        );
        assert_eq!(outcomes[0], "a: ok raw of a");
    }
}

#[test]
fn c06_notes_that_were_never_written_are_their_end() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    for n_zeros in [4, 12, 4096] {
        let whole = [notes.as_slice(), &vec![0; n_zeros]].concat();
        let (_folder, opened) = opened([&file, &journal, &whole]);
        assert_eq!(outcomes(&opened.store, &scene.judge)[1], "b: ok raw of b", "{n_zeros} zeros");
    }
}

#[test]
fn c09_notes_that_cannot_be_made_smaller_still_take_what_was_paid_for() {
    let scene = Scene::new();
    let in_flight = scene.begin("in flight");
    std::fs::create_dir(beside(&scene.path(), "-calls.new")).unwrap();
    let raw = vec![b'r'; 1 << 20];
    let mut refused = None;
    for n in 0..20 {
        match scene.store.begin_attempt(scene.start(&n.to_string())) {
            Ok(attempt) => scene.end(attempt, &raw),
            Err(error) => refused = Some(error),
        }
    }
    let error = refused.expect("no further call is begun");
    scene.end(in_flight, b"paid");
    let (_folder, path) = scene.killed();
    assert_eq!(scene.store.clone().close(), Err(error), "it does not go unheard");
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.lost, []);
    let kept = opened.store.reader().unwrap().attempts_of(&packet("in flight"), &scene.judge, 0).unwrap();
    assert_eq!(kept[0].raw, b"paid");
}

#[test]
fn notes_of_another_state_of_the_store_are_told_and_not_taken_in() {
    let (scene, [file, journal, mut notes]) = before_the_database_heard();
    notes[16] ^= 0x40;
    let (folder, opened) = opened([&file, &journal, &notes]);
    let calls = beside(&folder.path().canonicalize().unwrap().join("store.db"), "-calls.old");
    assert!(calls.exists());
    assert_eq!(opened.warnings, [OpenWarning::ForeignCalls { calls }]);
    assert_eq!((opened.lost.len(), &*outcomes(&opened.store, &scene.judge)[1]), (0, "b: "));
}

#[test]
fn g12_the_notes_stay_small_and_keep_what_is_in_flight() {
    let scene = Scene::new();
    let notes = beside(&scene.path(), "-calls");
    let long: Vec<AttemptId> = ["x", "y"].map(|text| scene.begin(text)).to_vec();
    let (raw, mut n_bytes_max) = (vec![b'r'; 200 << 10], 0);
    for n in 0..160 {
        scene.end(scene.begin(&n.to_string()), &raw);
        n_bytes_max = n_bytes_max.max(notes.metadata().unwrap().len());
    }
    assert!((4 << 20..10 << 20).contains(&n_bytes_max), "{n_bytes_max} bytes of 32 MB of answers");
    let (_folder, path) = scene.killed();
    let opened = Store::open(&path).unwrap();
    let lost: Vec<AttemptId> = opened.lost.iter().map(|call| call.attempt).collect();
    assert_eq!(lost, long, "rewriting the notes loses nothing");
    for attempt in long {
        scene.end(attempt, b"late");
    }
    scene.store.close().unwrap();
    assert!(!notes.exists());
}

#[test]
fn a_store_that_is_open_for_labels_takes_no_calls() {
    let scene = Scene::new();
    let review = Store::open_for_review(&scene.path()).unwrap();
    let refused = review.begin_attempt(scene.start("a")).unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly { .. }), "{refused:?}");
}

#[test]
fn c09_a_note_that_cannot_be_written_is_told_to_everybody() {
    let scene = Scene::new();
    std::fs::create_dir(beside(&scene.path(), "-calls")).unwrap();
    let first = scene.store.begin_attempt(scene.start("a")).unwrap_err();
    assert!(matches!(first, StoreError::Io { .. }), "{first:?}");
    std::fs::remove_dir(beside(&scene.path(), "-calls")).unwrap();
    assert_eq!(scene.store.begin_attempt(scene.start("b")).unwrap_err(), first, "for good");
}
