//! Passes over cases, plans and results: the same sequence whether cases are in memory or streamed.

use std::io;
use std::sync::Arc;

use super::case_record::CaseRecord;
use super::fixture::{job, line, mixed, run, store};
use super::job::{Job, Screened};
use super::results::Row;
use super::spec::RecordedRun;
use super::work::{PassEnd, Unit, Work as _};
use super::{RunError, report};
use crate::config::Money;
use crate::ledger::{
    AskAgain, AttemptEnd, AttemptStart, JudgeId, Manifest, RunOpening, Settled, Settlement, Store,
};

/// About the size of a group of cases.
const GROUP: usize = 128;

/// What a pass over the units of a job gives.
fn units(job: &Job) -> Result<Vec<String>, RunError> {
    let mut units = Vec::new();
    let ended = job.units(&mut |unit| {
        units.push(match unit {
            Unit::Asked { label, packets } => {
                let hashes: Vec<String> =
                    packets.iter().map(|sized| sized.packet.hash().to_string()).collect();
                format!("{} {}", label.case_id, hashes.join(" "))
            }
            Unit::NotAsked => "blocked".to_owned(),
            Unit::NoReply => "no reply".to_owned(),
            Unit::Skipped(skipped) => format!("skipped {}", skipped.index),
        });
        Ok(())
    });
    PassEnd::failure(ended).map(|()| units)
}

/// The same by a pass on one thread.
fn screened(job: &Job) -> Vec<String> {
    let text = |screened: Result<Screened, RunError>| match screened.expect("a record") {
        Screened::Admitted { admitted, packets, .. } => {
            let hashes: Vec<String> = packets.iter().map(|sized| sized.packet.hash().to_string()).collect();
            format!("{} {}", admitted.entry().case.id, hashes.join(" "))
        }
        Screened::Blocked { .. } => "blocked".to_owned(),
        Screened::NoReply(_) => "no reply".to_owned(),
        Screened::Skipped(skipped) => format!("skipped {}", skipped.index),
    };
    job.screened().expect("a pass").map(text).collect()
}

#[track_caller]
fn check_passes(lines: &[String]) {
    let (_folder, job) = job(lines);
    let alone = screened(&job);
    for of in ["files", "memory"] {
        assert!(units(&job).expect("a pass") == alone, "{} records, from {of}", lines.len());
    }
}

#[test]
fn the_sequence_is_that_of_a_pass_on_one_thread() {
    for n in [1, GROUP - 1, GROUP, GROUP + 1, 5 * GROUP + 7] {
        check_passes(&mixed(n));
    }
}

#[test]
fn large_replies_keep_their_place() {
    let large = "Sorry. ".repeat(50_000);
    check_passes(
        &(0..40).map(|id| line(id, if id % 3 == 0 { &large } else { "Sorry." })).collect::<Vec<_>>(),
    );
}

#[test]
fn a_pass_that_was_left_decides_nothing_about_memory() {
    let (folder, job) = job(&mixed(9 * GROUP));
    let mut n_taken = 0;
    let left = job.units(&mut |_| {
        n_taken += 1;
        if n_taken < 3 { Ok(()) } else { Err(PassEnd::Left) }
    });
    assert!(matches!(left, Err(PassEnd::Left)) && n_taken == 3);
    std::fs::write(folder.path().join("cases.jsonl"), line(1, "Sorry, sorry.")).expect("written");
    let error = units(&job).expect_err("the file was read again, and it changed");
    assert!(error.to_string().ends_with("the file changed while it was in use"), "{error}");
}

#[test]
fn a_file_that_changes_once_the_cases_are_in_memory_changes_nothing() {
    let (folder, job) = job(&mixed(3));
    let before = units(&job).expect("a pass");
    std::fs::write(folder.path().join("cases.jsonl"), line(1, "Sorry, sorry.")).expect("written");
    assert_eq!(units(&job).expect("a pass"), before);
}

#[test]
fn a_plan_counts_equal_packets_once_and_what_is_on_record_not_at_all() {
    // Half of the cases are admitted, with two packets each; the last ten repeat the first five of them.
    let n = 2 * GROUP;
    let lines: Vec<String> =
        mixed(n).into_iter().chain((0..10).map(|id| line(n + id, "The same."))).collect();
    let (folder, job) = job(&lines);
    let store = store(&folder);
    let counts = |ran: &super::Ran| {
        let plan = &ran.plan;
        [
            plan.n_records, plan.n_skipped, plan.n_blocked, plan.n_admitted, plan.n_packets, plan.n_calls,
            plan.n_repeated,
        ]
    };
    let half = n as u64 / 2;
    let admitted = half + 10;
    let want = |n_calls| [n as u64 + 10, half / 2, half / 2, admitted, 2 * admitted, n_calls, 18];
    assert_eq!(counts(&run(&job, &store)), want(2 * admitted - 18));
    assert_eq!(counts(&run(&job, &store)), want(0));
}

/// What a report says, row by row and in all.
fn reported(job: &Job, store: &Store, ran: &super::Ran) -> (Vec<String>, String) {
    let mut rows = Vec::new();
    let summary = report(job, store, ran, &mut |row| {
        rows.push(format!("{row:?}"));
        Ok(())
    });
    (rows, format!("{:?}", summary.expect("a report").record))
}

#[test]
fn a_report_is_the_same_from_memory_from_files_and_from_records_read_back() {
    let lines = mixed(3 * GROUP + 5);
    let (folder, judged) = job(&lines);
    let store = store(&folder);
    let ran = run(&judged, &store);
    let in_memory = reported(&judged, &store, &ran);
    let (_folder, fresh) = job(&lines);
    let streamed = reported(&fresh, &store, &ran);
    assert_eq!(in_memory.0.len(), lines.len());
    assert!(in_memory.1 == streamed.1);

    // From the record alone, when neither the job nor its file is left.
    drop(judged);
    std::fs::remove_file(folder.path().join("cases.jsonl")).expect("the file was there");
    let reader = store.reader().expect("a reader");
    let record = reader.runs().expect("runs").pop().expect("the run");
    let recorded = RecordedRun::open(&reader, record).expect("a run on record");
    let mut rows = Vec::new();
    let summary = recorded.report(&store, &mut |row| {
        rows.push(format!("{row:?}"));
        Ok(())
    });
    assert!((rows, format!("{:?}", summary.expect("a report").record)) == in_memory);
}

#[test]
fn runs_of_the_same_cases_share_their_records() {
    let (folder, job) = job(&mixed(GROUP));
    let store = store(&folder);
    let n_records = || {
        let reader = store.reader().expect("a reader");
        reader
            .ask(|db| db.row("SELECT count(*) FROM case_record", &[], |row| row.get::<i64>(0)))
            .expect("a count")
    };
    run(&job, &store);
    assert_eq!(n_records(), Some(128));
    run(&job, &store);
    assert_eq!(n_records(), Some(128));
}

/// What an output that takes `n_rows` is given of `n` cases, and how that ends, where the stored verdict about the
/// case at `damaged` is none: from files, and from memory.
fn told(n: usize, damaged: Option<usize>, n_rows: usize) -> [String; 2] {
    let lines: Vec<String> = (0..n).map(|id| line(id, &format!("Sorry, {id}."))).collect();
    let (folder, job) = job(&lines);
    let store = store(&folder);
    let judge = JudgeId::of_identity("{}");
    let manifest = &Manifest { name: "run".to_owned(), parts: Vec::new(), body: "{}".to_owned() };
    let opening = RunOpening {
        judge: &judge,
        identity: "{}",
        manifest,
        invocation: None,
        spec: None,
        budget: None,
        lane: None,
    };
    let run = store.begin_judged_run(opening).expect("a run").run();
    if let Some(at) = damaged {
        let case = job.screened().expect("a pass").nth(at).expect("a record").expect("it is whole");
        let packet = CaseRecord::from(&case).packets()[0].hash;
        let start = AttemptStart {
            packet,
            packet_body: Arc::from("{}"),
            judge: judge.clone(),
            run,
            repeat: 0,
            n: 1,
            cause: "first".to_owned(),
            tokens_planned: 100,
            decisions: 1,
            started_unix_ms: 0,
            most: Money::default(),
            batch: None,
            again: AskAgain::Always,
        };
        let end = AttemptEnd { outcome: "answered".to_owned(), ..AttemptEnd::default() };
        let settlement = Settlement { attempts: 1, decision: Settled::Verdict { body: "{}".to_owned() } };
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let attempt = runtime.block_on(store.intend(start)).expect("an intent").recorded().expect("a place");
        runtime.block_on(store.conclude(attempt, end, Some(settlement))).expect("settled");
    }
    let tell = || {
        let mut ids = Vec::new();
        let mut reader = store.snapshot().expect("a reader");
        let given = job.results(&mut reader, &judge, &mut |row| {
            let Row::Reply(result) = row else { panic!("expected a reply, found {row:?}") };
            ids.push(result.id.parse::<usize>().expect("ids are numbers"));
            if ids.len() < n_rows { Ok(()) } else { Err(io::Error::other("full")) }
        });
        assert!(ids.iter().copied().eq(0..ids.len()), "rows come in the order of the input: {ids:?}");
        match given {
            Ok(_) => format!("{} rows", ids.len()),
            Err(RunError::Damaged { .. }) => format!("{} rows, then damage", ids.len()),
            Err(RunError::Output(_)) => format!("{} rows, then no room", ids.len()),
            Err(other) => format!("{} rows, then {other}", ids.len()),
        }
    };
    let streamed = tell();
    units(&job).expect("a pass");
    [streamed, tell()]
}

#[track_caller]
fn check_rows(n: usize, damaged: Option<usize>, n_rows: usize, want: &str) {
    assert_eq!(told(n, damaged, n_rows), [want, want]);
}

#[test]
fn rows_come_in_the_order_of_the_input() {
    for n in [1, GROUP - 1, GROUP, GROUP + 1, 5 * GROUP + 7] {
        check_rows(n, None, usize::MAX, &format!("{n} rows"));
    }
}

#[test]
fn what_was_found_before_an_error_is_given_first() {
    let n = 9 * GROUP;
    for at in [0, 1, GROUP - 1, GROUP, 4 * GROUP + 5, n - 1] {
        check_rows(n, Some(at), usize::MAX, &format!("{at} rows, then damage"));
    }
}

#[test]
fn an_output_that_fails_ends_the_pass() {
    for n_rows in [1, GROUP, 3 * GROUP + 1] {
        check_rows(12 * GROUP, Some(8 * GROUP), n_rows, &format!("{n_rows} rows, then no room"));
    }
}
