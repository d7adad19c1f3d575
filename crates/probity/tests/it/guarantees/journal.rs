//! C07, C08, C13: a write-ahead log that is torn, flipped or gone after a crash, and two processes with one store.

use std::thread::sleep;
use std::time::Duration;

use super::ledger::Judge;
use super::scene::{Ended, Scene, assert_same, cases};
use super::series::{CONCURRENCY, Kill, N_CASES, N_PACKETS, Series, comparable, undisturbed};

/// The length of one page in the journal with its head.
const FRAME: usize = 4096 + 24;

/// The files of a store whose process was killed in the middle of its work.
fn killed() -> (Series, Files) {
    let mut series = Series::new(7);
    series.kill(Kill::AtRequest(30));
    let read = |suffix: &str| {
        std::fs::read(series.scene.path(&format!("store/store.db{suffix}"))).expect("a file of the store")
    };
    let files = Files { file: read(""), journal: read("-wal") };
    assert!(files.journal.len() > 8 * FRAME, "the journal has {} bytes", files.journal.len());
    (series, files)
}

/// The files of a store.
struct Files {
    file: Vec<u8>,
    journal: Vec<u8>,
}

/// Resumes from these files. Whatever the journal lost is asked again, and the end is the same.
#[track_caller]
fn resume(judge: &Judge, files: &Files, journal: Option<&[u8]>) -> (usize, Ended) {
    let scene = Scene::new(cases(N_CASES), &judge.base_url());
    scene.write("store/store.db", &files.file);
    if let Some(journal) = journal {
        scene.write("store/store.db-wal", journal);
    }
    let before = scene.record();
    let ended = scene.run(&["--concurrency", &CONCURRENCY.to_string()]).code(0);
    scene.record().keeps(&before);
    let results = scene.results_bytes().expect("there are results");
    assert_same(&comparable(&results), &comparable(&undisturbed().results), "resumed");
    let again = scene.run(&[]).code(0);
    assert!(!again.stderr.contains("its journal"), "told once: {}", again.stderr);
    (before.ended.len(), ended)
}

#[test]
fn g02_c07_a_torn_journal_loses_only_its_tail() {
    let (series, files) = killed();
    let n_recorded = series.record.ended.len();
    let last = files.journal.len();
    let mut cuts: Vec<usize> = (0..12).map(|n| last * n / 12 + 13 * n).collect();
    cuts.extend([0, 1, 31, 32, last - 1, last - FRAME, last - FRAME + 24, last]);
    cuts.sort_unstable();
    let mut n_before = 0;
    for cut in cuts {
        let (n_ended, _) = resume(&series.judge, &files, Some(&files.journal[..cut]));
        assert!(n_ended >= n_before, "a longer journal holds no less (cut at {cut})");
        n_before = n_ended;
    }
    assert_eq!(n_before, n_recorded, "the last cut takes nothing away");
}

#[test]
fn c07_a_flipped_bit_ends_the_journal_there() {
    let (series, files) = killed();
    let last = files.journal.len() - 1;
    for place in [40, last / 2, last - 5000, last] {
        let mut flipped = files.journal.clone();
        flipped[place] ^= 1;
        let (n_ended, _) = resume(&series.judge, &files, Some(&flipped));
        assert!(n_ended <= series.record.ended.len(), "flipped at {place}");
    }
}

#[test]
fn c08_a_journal_taken_away_is_told() {
    let (series, files) = killed();
    let (_, ended) = resume(&series.judge, &files, None);
    let _ended = ended.says(["its journal", "is missing: the latest records may be lost"]);
}

#[test]
fn g01_c13_a_second_process_is_refused_and_calls_nobody() {
    let judge = Judge::with(|asked, _| {
        crate::support::Act::After(Duration::from_millis(60), Box::new(asked.answer()))
    });
    let scene = Scene::new(cases(N_CASES), &judge.base_url());
    let first = scene.command(&["--concurrency", "4"]).spawn().expect("the binary starts");
    while judge.n_requests() == 0 {
        sleep(Duration::from_millis(1));
    }
    let holder = format!("in use by process {}: one process at a time", first.id());
    let _refused = scene.run(&["--concurrency", "40"]).code(4).says([&holder]);
    assert!(judge.n_open_calls_peak() <= 4, "the second process made calls");
    let _first = Ended::after(first).code(0);
    assert_eq!(judge.n_requests(), N_PACKETS);
    assert!(judge.counts().values().all(|n| *n == 1));
    let results = scene.results_bytes().expect("there are results");
    assert_same(&comparable(&results), &comparable(&undisturbed().results), "the first process");
}
