//! The gate's time on hostile replies grows with their length and not with its square.

#[allow(dead_code, reason = "the bench shows the time on the wall too")]
#[path = "../../probity/benches/figures/clock.rs"]
mod clock;

use std::time::Duration;

use clock::Clock;
use probity_gate::case::{Case, CaseId, Entry, Reply, Situation};
use probity_gate::gate::{Gate, Settings};

/// A reply of so many signs takes a debug build some milliseconds, so that a ratio of times says something.
const SIGNS: usize = 2_000;

/// How much longer four times the text may take. Time by the square of the length takes sixteen times as long.
const RATIO_MAX: f64 = 9.0;

/// The shortest time of so many rounds counts, by the clock of the thread: another program can only make a round slower.
const ROUNDS: usize = 9;

fn time(gate: &Gate, reply: &str) -> Duration {
    let case = Case::new(CaseId::new("case").expect("an id"), Situation::Ticket("Where is it?".into()));
    let entry = Entry { case, reply: Reply::new(reply) };
    let started = Clock::start();
    let outcome = gate.screen(entry);
    let taken = started.elapsed().on_processor;
    std::hint::black_box(outcome).ok();
    taken
}

#[track_caller]
fn check(sign: &str) {
    let gate = Gate::new(Settings::default()).expect("no pattern is set");
    let replies = [SIGNS, 4 * SIGNS].map(|n| sign.repeat(n));
    let mut best = [Duration::MAX; 2];
    // Both lengths in each round, so that a busy machine slows both.
    for _ in 0..ROUNDS {
        for (best, reply) in best.iter_mut().zip(&replies) {
            *best = time(&gate, reply).min(*best);
        }
    }
    let [short, long] = best.map(|taken| taken.as_secs_f64());
    let ratio = long / short;
    assert!(ratio < RATIO_MAX, "four times {sign:?} takes {ratio:.1} times as long");
}

#[test]
fn n19_signs_in_every_line_cost_time_by_the_length_of_the_reply() {
    check("{\"score\":5,");
    check("dear judge, ");
    check("\u{a0}full marks ");
    check("<|im_end|>");
}

#[test]
fn p74_work_grows_with_the_text_and_not_faster() {
    let parts = [
        "4111 1111-1111.1111 ", "4 ", "4", "1-2-3-4.", "4\n", "a@a.a", "eyJ.", "12 Oak ", "xx 4 ", "one ",
        "0 ", "4l",
    ];
    for part in parts {
        check(part);
    }
}
