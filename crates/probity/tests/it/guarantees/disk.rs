//! C09, C10, C11 and the rest of C02: each write, sync and truncation fails in turn, once and for good, and
//! each is the last thing a process does before it is killed or the power goes.
//!
//! What must hold: exit code 4 and the file's name, results that are whole or not there, nothing recorded
//! lost, no call without a record, and the same command without the fault ends as if nothing had been.

use std::path::Path;

use super::scene::{Ended, RESULTS, cases};
use super::series::{N_PACKETS, Series};
use super::shim::{Fault, library};

/// Every store file: the database, its write-ahead log, the log's index and the lock.
const STORE: &str = "store/store.db";

/// The results file under either of its names, and its folder.
const OUTBOX: &str = "/outbox";

/// Turns that are tried one by one; later ones are sampled.
const TURNS_EACH: u32 = 10;

/// Turns tried in all.
const TURNS_MAX: usize = 30;

/// What a fault did to a process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It ends by itself with exit code 4 and names the file.
    Reported,
    /// It is killed there and then.
    Killed,
}

/// Lets the fault strike at its first turn, its second, and so on, until a run is untouched.
fn sweep(fault: Fault<'_>, effect: Effect) {
    let Some(library) = library() else { return };
    let (mut turn, mut n_struck) = (1, 0);
    loop {
        let fault = Fault { turn, ..fault };
        let mut series = Series::new(u64::from(turn));
        let hit = series.scene.path("hit");
        let mut command = series.command();
        fault.aim(&mut command, library, &hit);
        let ended = Ended::of(command);
        if !hit.exists() {
            series.ended(&ended);
            break;
        }
        n_struck += 1;
        match effect {
            Effect::Killed => assert_eq!(ended.signal, Some(9), "{fault:?}: {ended:?}"),
            Effect::Reported => reported(&fault, &ended, &hit),
        }
        series.disturbed();
        let _tally = series.finish();
        if n_struck == TURNS_MAX {
            break;
        }
        turn = if turn < TURNS_EACH { turn + 1 } else { turn + turn / 2 };
    }
    let Fault { mark, calls, kind, .. } = fault;
    println!("{mark} {calls} {kind}: {n_struck} turns up to {turn}");
    assert!(n_struck > 1, "the fault strikes");
}

#[track_caller]
fn reported(fault: &Fault<'_>, ended: &Ended, hit: &Path) {
    let struck = std::fs::read_to_string(hit).expect("the fault names its call");
    assert_eq!(ended.code, Some(4), "{struck} went unheard: {fault:?} {ended:?}");
    let named = if fault.mark == STORE { "store.db" } else { RESULTS };
    assert!(ended.stderr.contains(named), "{struck}: {}", ended.stderr);
}

#[test]
fn c09_each_call_to_the_store_fails_once() {
    let fault = Fault { mark: STORE, calls: "wst", turn: 1, kind: "EIO", lasting: "once" };
    sweep(fault, Effect::Reported);
}

#[test]
fn c09_syncs_of_the_store_fail_for_good() {
    let fault = Fault { mark: STORE, calls: "s", turn: 1, kind: "EIO", lasting: "for_good" };
    sweep(fault, Effect::Reported);
}

#[test]
fn g12_c10_the_disk_is_full_from_some_write_on() {
    let fault = Fault { mark: STORE, calls: "w", turn: 1, kind: "ENOSPC", lasting: "for_good" };
    sweep(fault, Effect::Reported);
}

#[test]
fn c10_the_disk_is_full_while_results_are_written() {
    for (kind, lasting) in [("ENOSPC", "for_good"), ("EIO", "once")] {
        let fault = Fault { mark: OUTBOX, calls: "wst", turn: 1, kind, lasting };
        sweep(fault, Effect::Reported);
    }
}

#[test]
fn c11_the_store_becomes_read_only_during_the_run() {
    let fault = Fault { mark: STORE, calls: "wt", turn: 1, kind: "EROFS", lasting: "for_good" };
    sweep(fault, Effect::Reported);
}

#[test]
fn g02_c02_killed_in_the_middle_of_each_write() {
    let fault = Fault { mark: STORE, calls: "wst", turn: 1, kind: "kill", lasting: "once" };
    sweep(fault, Effect::Killed);
}

/// Nothing that a sync has not covered is there after the power comes back, and still every call that was sent is.
#[test]
fn g02_g03_c06_the_power_goes_at_each_write_and_sync() {
    let fault = Fault { mark: STORE, calls: "ws", turn: 1, kind: "power", lasting: "once" };
    sweep(fault, Effect::Killed);
}

#[test]
fn c10_killed_while_results_are_written() {
    let fault = Fault { mark: OUTBOX, calls: "ws", turn: 1, kind: "kill", lasting: "once" };
    sweep(fault, Effect::Killed);
}

#[test]
fn c11_a_read_only_store_is_refused_before_any_call() {
    let Some(library) = library() else { return };
    let series = Series::new(1);
    Ended::of(series.command()).code(0);
    series.scene.write("cases.json", cases(30));
    let fault = Fault { mark: STORE, calls: "o", turn: 1, kind: "EROFS", lasting: "for_good" };
    let mut command = series.command();
    fault.aim(&mut command, library, &series.scene.path("hit"));
    let _ended = Ended::of(command).code(4).says(["store.db"]).says(["read-only"]);
    assert_eq!(series.judge.n_requests(), N_PACKETS, "nothing was asked that could not be kept");
}

/// Where the results cannot be put in their place, what was paid for is safe and the old results stay.
#[test]
fn c10_results_that_cannot_be_put_in_place() {
    let mut series = Series::new(2);
    std::fs::create_dir_all(series.scene.path(RESULTS).join("in-the-way")).expect("a folder");
    let _ended = Ended::of(series.command()).code(4).says([RESULTS]);
    series.disturbed();
    std::fs::remove_dir_all(series.scene.path(RESULTS)).expect("a folder");
    let tally = series.finish();
    assert_eq!((tally.requests, tally.lost), (N_PACKETS, 0), "each packet is paid for once");
}
