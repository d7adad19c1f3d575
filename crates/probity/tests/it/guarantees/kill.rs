//! G02, G03, G04: a process is killed at any instant, and so is its resume, and the resume of that.
//!
//! `PROBITY_KILLS=n` asks for more kills than the few dozen of an ordinary run; every night has 900.

use std::sync::Mutex;

use probity_engine::fault_points::POINTS;

use super::ledger::number;
use super::scene::{Ended, cases};
use super::series::{Kill, N_CASES, N_PACKETS, STANDING, Series, Tally};

/// Kills per test, unless `PROBITY_KILLS` says otherwise.
const N_KILLS: usize = 40;

/// How many series are under attack at a time.
const N_THREADS: u64 = 2;

/// Attacks series after series with one to three kills each, chosen by `kill` from a number, until enough
/// processes were killed.
fn attack(name: &str, kill: impl Fn(u64) -> Kill + Sync) {
    let wanted = std::env::var("PROBITY_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(N_KILLS);
    let total = Mutex::new(Tally::default());
    let attacks = |thread: u64| {
        for round in 0.. {
            if total.lock().expect("no panic").kills >= wanted {
                return;
            }
            let seed = number((name, thread, round));
            let mut series = Series::new(seed);
            let kills: Vec<Kill> = (0..=seed % 3).map(|n| kill(number((seed, n)))).collect();
            println!("{name}: thread {thread}, round {round}: {kills:?}");
            for kill in kills {
                series.kill(kill);
            }
            let tally = series.finish();
            let mut total = total.lock().expect("no panic");
            *total = total.plus(tally);
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..N_THREADS {
            scope.spawn(move || attacks(thread));
        }
    });
    let Tally { kills, requests, lost, repeated } = *total.lock().expect("no panic");
    println!("{name}: {kills} kills, {requests} calls, {lost} lost, {repeated} repeated");
}

#[test]
fn g02_g03_g04_c01_killed_at_any_time() {
    attack("any time", |n| match n % 2 {
        0 => Kill::AfterMs(5 + n / 2 % 150),
        _ => Kill::AtRequest(1 + usize::try_from(n / 2 % 48).expect("below 48")),
    });
}

#[test]
fn g02_g03_g04_c02_killed_at_each_point() {
    // How often a point is reached in a run from the start, roughly.
    let turns = |name: &str| match name {
        "before_send" | "after_body" => N_PACKETS as u64,
        "before_commit" | "after_commit" => 40,
        "during_results" => N_CASES as u64,
        _ => 1,
    };
    attack("points", |n| {
        let (_, name) = POINTS[usize::try_from(n % POINTS.len() as u64).expect("few points")];
        // The first turns of a point are as likely as all others together.
        let turn = match n / 64 % 2 {
            0 => 1 + n / 128 % 4,
            _ => 1 + n / 128 % turns(name),
        };
        Kill::AtPoint(name, turn.min(turns(name)))
    });
}

/// C03: the resume is killed twice, then one byte of one reply changes.
#[test]
fn g04_g10_c03_killed_twice_then_changed() {
    let mut series = Series::new(3);
    // More requests than calls may stand without an end, so some are on record.
    for n in [2 * STANDING, 7, 5] {
        series.kill(Kill::AtRequest(n));
    }
    let before = series.record.clone();
    let n_settled = before.settled.len();
    assert!((1..N_PACKETS).contains(&n_settled), "{n_settled} are settled");

    series
        .scene
        .write("cases.json", cases(N_CASES).replace("\"reply\":\"case-0000\"", "\"reply\":\"case-0000!\""));
    let n_requests = series.judge.n_requests();
    let ended = Ended::of(series.command()).code(0).says(["new run: changed since the last one: cases;"]);
    let after = series.scene.record();
    after.keeps(&before);
    let changed = after.settled.keys().filter(|asked| asked.reply == "case-0000!").count();
    // An answer that was recorded and not yet read needs no call either.
    let recorded = before.ended.values().filter(|attempt| attempt.asked.reply != "case-0000").count();
    assert_eq!(changed, 2);
    assert_eq!(series.judge.n_requests() - n_requests, N_PACKETS - recorded, "{ended:?}");
    for (asked, n) in series.judge.counts() {
        assert!(n <= after.n_ended(&asked) + after.n_lost(&asked), "{asked:?}");
        assert!(after.n_ended(&asked) <= 1 && after.n_lost(&asked) <= 3, "{asked:?}");
    }
    let n_lost: usize = after.lost.values().sum();
    assert!(n_lost <= 3 * STANDING);
}
