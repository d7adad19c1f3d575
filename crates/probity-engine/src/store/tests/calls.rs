//! Calls under way when the process dies: what is noted beside the database comes into it, once and whole.

use std::collections::BTreeSet;

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
fn c07_a_flipped_bit_takes_one_note_and_no_other() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let begins: Vec<usize> =
        (32..notes.len()).filter(|at| notes[*at..].starts_with(&notes[24..32])).collect();
    let [_, second_start, third_start, _, second_end] = begins[..] else { panic!("five notes: {begins:?}") };
    for (flipped, b, c) in [
        (second_start + 40, "b: ", "c: lost "),
        (third_start + 40, "b: ok raw of b", "c: "),
        (second_end + 5, "b: lost ", "c: lost "),
        (notes.len() - 1, "b: lost ", "c: lost "),
    ] {
        let mut damaged = notes.clone();
        damaged[flipped] ^= 1;
        let (_folder, opened) = opened([&file, &journal, &damaged]);
        let outcomes = outcomes(&opened.store, &scene.judge);
        assert_eq!(outcomes, ["a: ok raw of a", b, c], "flipped at {flipped}");
    }
}

#[test]
fn c07_without_their_stamp_notes_are_none() {
    let (scene, [file, journal, mut notes]) = before_the_database_heard();
    // What every note begins with stands at the end of the header.
    notes[27] ^= 1;
    let (_folder, opened) = opened([&file, &journal, &notes]);
    assert_eq!(outcomes(&opened.store, &scene.judge), ["a: ok raw of a", "b: ", "c: "]);
}

#[test]
fn notes_of_version_1_are_taken_in() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let (header, stamp) = notes[..32].split_at(24);
    let mut earlier = header.to_vec();
    earlier[14] = b'1';
    let mut rest = &notes[32..];
    while let Some(note) = rest.strip_prefix(stamp) {
        let length = |at: usize| u32::from_le_bytes(note[at..at + 4].try_into().unwrap()) as usize;
        let (note, behind) = note.split_at(12 + length(0) + length(4));
        earlier.extend_from_slice(note);
        rest = behind;
    }
    assert!(rest.is_empty(), "every note begins with the stamp");
    let (_folder, opened) = opened([&file, &journal, &earlier]);
    assert_eq!(outcomes(&opened.store, &scene.judge), ["a: ok raw of a", "b: ok raw of b", "c: lost "]);
}

#[test]
fn c06_notes_that_were_never_written_are_none() {
    let (scene, [file, journal, notes]) = before_the_database_heard();
    let zeros = vec![0; 4096];
    for n_zeros in [4, 12, 4096] {
        // A process may die before it has written to a place that it took, and another one's note stands behind it.
        let (header, rest) = notes.split_at(32);
        for whole in [[&notes, &zeros[..n_zeros], &[]], [header, &zeros[..n_zeros], rest]] {
            let (_folder, opened) = opened([&file, &journal, &whole.concat()]);
            assert_eq!(outcomes(&opened.store, &scene.judge)[1], "b: ok raw of b", "{n_zeros} zeros");
        }
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

#[test]
fn g03_whoever_notes_at_once_with_others_is_found_after_a_kill() {
    let scene = Scene::new();
    let raw = vec![b'r'; 60 << 10];
    let (n_threads, n_each) = (4, 80);
    let in_flight: Vec<AttemptId> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads)
            .map(|thread| {
                let (scene, raw) = (&scene, &raw);
                scope.spawn(move || {
                    // Answers are large enough for the file to be rewritten, and folding tries to clear it.
                    for n in 0..n_each {
                        scene.end(scene.begin(&format!("{thread} {n}")), raw);
                        scene.store.begin_fold();
                    }
                    scene.begin(&format!("{thread} in flight"))
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (_folder, path) = scene.killed();
    let opened = Store::open(&path).unwrap();
    assert_eq!(opened.warnings, []);
    let lost: BTreeSet<AttemptId> = opened.lost.iter().map(|call| call.attempt).collect();
    assert_eq!(lost, in_flight.into_iter().collect());
    let reader = opened.store.reader().unwrap();
    for (thread, n) in (0..n_threads).flat_map(|thread| (0..n_each).map(move |n| (thread, n))) {
        let attempts = reader.attempts_of(&packet(&format!("{thread} {n}")), &scene.judge, 0).unwrap();
        assert_eq!(attempts.iter().map(|one| one.raw.len()).collect::<Vec<_>>(), [raw.len()], "{thread} {n}");
    }
}

#[test]
fn c09_a_call_is_refused_once_the_store_is_closed_and_leaves_no_file() {
    let scene = Scene::new();
    scene.end(scene.begin("a"), b"raw");
    let store = scene.store.clone();
    scene.store.clone().close().unwrap();
    let refused = store.begin_attempt(scene.start("b")).unwrap_err();
    assert!(matches!(refused, StoreError::Closed { .. }), "{refused:?}");
    assert!(!beside(&scene.path(), "-calls").exists());
}

#[test]
fn g02_a_journal_that_is_folded_while_a_call_is_in_flight_is_cut_and_not_taken_away() {
    let scene = Scene::new();
    let journal = || beside(&scene.path(), "-wal").metadata().unwrap().len();
    let in_flight = scene.begin("in flight");
    scene.store.begin_fold_if_large();
    let raw = vec![b'r'; 512 << 10];
    for n in 0..10 {
        scene.end(scene.begin(&n.to_string()), &raw);
    }
    assert!(journal() > 4 << 20, "a small journal is left alone, and this one has grown: {}", journal());
    scene.store.begin_fold_if_large();
    for text in ["then", "and then"] {
        scene.end(scene.begin(text), b"raw");
        assert!((1..=1 << 20).contains(&journal()), "{}", journal());
        let (_folder, path) = scene.killed();
        let opened = Store::open(&path).unwrap();
        assert_eq!(opened.warnings, []);
        assert_eq!(opened.lost.iter().map(|call| call.attempt).collect::<Vec<_>>(), [in_flight]);
        let kept = opened.store.reader().unwrap().attempts_of(&packet(text), &scene.judge, 0).unwrap();
        assert_eq!(kept[0].raw, b"raw");
    }
}
