//! The gate's time on hostile replies grows with their length and not with its square.

#[allow(dead_code, reason = "the bench shows the time on the wall too")]
#[path = "../../probity/benches/figures/clock.rs"]
mod clock;

use std::time::Duration;

use clock::Clock;
use probity_gate::case::{Case, CaseId, Entry, Evidence, Reply, Situation, ToolCall};
use probity_gate::gate::policy::PolicyFile;
use probity_gate::gate::{Defaults, Gate, Policies, PolicyTexts, Settings};

/// A reply of so many signs takes a debug build some milliseconds, so that a ratio of times says something.
const SIGNS: usize = 2_000;

/// How much longer four times the text may take. Time by the square of the length takes sixteen times as long.
const RATIO_MAX: f64 = 9.0;

/// The shortest time of at most so many rounds counts, by the clock of the thread: another program can only make a round slower.
const ROUNDS: usize = 9;

fn time(gate: &Gate, reply: &str, result: Option<&str>) -> Duration {
    let case = Case::new(CaseId::new("case").expect("an id"), Situation::Ticket("Where is it?".into()));
    let mut evidence = Evidence::of_sources([("returns", None)]);
    let call = |result: &str| ToolCall { name: "get".into(), arguments: None, result: Some(result.into()) };
    evidence.tools.extend(result.map(call));
    let entry = Entry { case: Case { evidence: evidence.into(), ..case }, reply: Reply::new(reply) };
    let started = Clock::start();
    let outcome = gate.screen(entry);
    let taken = started.elapsed().on_processor;
    std::hint::black_box(outcome).ok();
    taken
}

/// The gate with the policies that ship as an example.
fn gate_with_policies() -> Gate {
    let sources =
        [PolicyFile { name: "policies.toml", text: include_str!("../../../examples/policies.toml") }];
    let texts = PolicyTexts { sources: &sources, words: &[], allowed_claims: &[] };
    let (policies, _) = Policies::read(&texts, Defaults::default()).expect("good policies");
    Gate::new(Settings { policies: Some(policies), ..Settings::default() }).expect("no pattern is set")
}

#[track_caller]
fn check(gate: &Gate, sign: &str) {
    check_times(sign, |text| time(gate, text, None));
}

#[track_caller]
fn check_times(sign: &str, time: impl Fn(&str) -> Duration) {
    let replies = [SIGNS, 4 * SIGNS].map(|n| sign.repeat(n));
    let mut best = [Duration::MAX; 2];
    let mut ratio = f64::INFINITY;
    // Both lengths in each round, so that a busy machine slows both.
    for _ in 0..ROUNDS {
        for (best, reply) in best.iter_mut().zip(&replies) {
            *best = time(reply).min(*best);
        }
        let [short, long] = best.map(|taken| taken.as_secs_f64());
        ratio = long / short;
        if ratio < RATIO_MAX {
            return;
        }
    }
    panic!("four times {sign:?} takes {ratio:.1} times as long");
}

#[test]
fn n19_signs_in_every_line_cost_time_by_the_length_of_the_reply() {
    for sign in ["{\"score\":5,", "dear judge, ", "\u{a0}full marks ", "<|im_end|>"] {
        check(&Gate::default(), sign);
    }
}

#[test]
fn claims_against_policies_cost_time_by_the_length_of_the_reply() {
    let gate = gate_with_policies();
    let parts = [
        "We refund $5. ", "$1 ", "30 days ", "not refund, ", "if ", "RPL-14 ", "1.", "\"", "http://a.b ",
        "a.b@c.d ", "111 ",
    ];
    for part in parts {
        check(&gate, part);
    }
}

#[test]
fn results_of_tools_cost_time_by_their_length() {
    let gate = gate_with_policies();
    let reply = "It costs $12.34 and takes 3 hours, on 5 May at 10:15.";
    for part in ["<a b=\"1\">", "<a>1</a>", "<a/>", "a=1;", "a: 1\n", "a,1\n", "1 ", "1:15 ", "a b. "] {
        check_times(part, |text| time(&gate, reply, Some(&format!("<r>{text}</r>"))));
        check_times(part, |text| time(&gate, reply, Some(text)));
    }
    check_times("{\"a\": 1, \"b\": \"2\"}, ", |text| time(&gate, reply, Some(&format!("[{text}1]"))));
}

#[test]
fn p74_work_grows_with_the_text_and_not_faster() {
    let parts = [
        "4111 1111-1111.1111 ", "4 ", "4", "111 ", "1-2-3-4.", "4\n", "a@a.a", "eyJ.", "12 Oak ", "xx 4 ",
        "one ", "0 ", "4l",
    ];
    for part in parts {
        check(&Gate::default(), part);
    }
}
