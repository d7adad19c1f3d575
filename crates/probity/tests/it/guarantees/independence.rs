//! G07: the same answers give the same bytes, whatever the concurrency and the order of arrival.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::ledger::{Asked, Gate, Judge, number};
use super::scene::{PROVEN, QUICK, Scene, assert_same, cases, cases_named};
use crate::answers::says;
use crate::support::Act;

/// Cases, two packets each: more packets than may be in flight. `PROBITY_LONG_TESTS=1` has four times as many.
fn n_cases() -> usize {
    if is_long() { 1001 } else { 251 }
}

fn is_long() -> bool {
    std::env::var_os("PROBITY_LONG_TESTS").is_some()
}

/// What a packet meets, by its number: most are answered, some at the second call, some never.
fn act(asked: &Asked, n_earlier: usize) -> Act {
    match asked.number(9) % 20 {
        0 if n_earlier == 0 => Act::respond(500, &[], "later"),
        1 => says("no verdict"),
        2 => says(r#"{"score": 7, "reasoning": "Beyond."}"#),
        3 => Act::respond(500, &[], "never"),
        _ => asked.answer(),
    }
}

/// One round of a judge that answers the same in every round, with latencies shuffled anew.
struct Round {
    seed: u64,
    ms_max: u64,
    gate: Gate,
    asked_before: Mutex<HashMap<Asked, usize>>,
}

impl Round {
    /// Answers take up to `ms_max` milliseconds; none comes before `n_open` questions are open.
    fn new(seed: u64, ms_max: u64, n_open: usize) -> Round {
        Round { seed, ms_max, gate: Gate::new(n_open), asked_before: Mutex::default() }
    }

    fn act(&self, asked: &Asked) -> Act {
        let n_earlier = {
            let mut counts = self.asked_before.lock().expect("no panic");
            let count = counts.entry(asked.clone()).or_insert(0);
            *count += 1;
            *count - 1
        };
        let ms = number((asked, self.seed)) % self.ms_max;
        self.gate.hold(Act::After(Duration::from_millis(ms), Box::new(act(asked, n_earlier))))
    }
}

/// Rounds by concurrency. One call at a time has no order of arrival, so it need not take long.
fn rounds() -> [(usize, Round); 4] {
    let (many, most) = if is_long() { (500, 2000) } else { (100, 500) };
    [
        (1, Round::new(1, 1, 1)),
        (7, Round::new(2, 8, 7)),
        (many, Round::new(3, 60, many)),
        (most, Round::new(4, 200, most)),
    ]
}

#[test]
fn g07_c27_results_do_not_depend_on_concurrency() {
    let current = Arc::new(Mutex::new(Round::new(0, 1, 1)));
    let judge = Judge::with({
        let current = Arc::clone(&current);
        move |asked, _| current.lock().expect("no panic").act(asked)
    });
    let mut first: Option<[String; 3]> = None;
    let rounds = rounds();
    let most = rounds.iter().map(|(concurrency, _)| *concurrency).max();
    for (concurrency, round) in rounds {
        *current.lock().expect("no panic") = round;
        let concurrency = &concurrency.to_string();
        let scene = Scene::new(cases(n_cases()), &judge.base_url()).settings(&format!("{QUICK}{PROVEN}"));
        let report = ["--min-coverage", "0.5", "--report", "report.html"];
        let ended = scene.run(&[&["--concurrency", concurrency], &report[..]].concat()).code(0);
        assert!(!ended.stderr.contains("lowered"), "{}", ended.stderr);
        let causes = scene.results()["summary"]["unscored_by_cause"].clone();
        assert!(
            ["no_json", "out_of_range", "server_error"].iter().all(|cause| causes[*cause] != json!(null))
        );
        let page = std::fs::read_to_string(scene.path("report.html")).expect("there is a page");
        let said = [scene.results_text(), ended.stdout, page];
        let want = first.get_or_insert_with(|| said.clone());
        said.iter().zip(want).for_each(|(said, want)| assert_same(said, want, concurrency));
    }
    assert_eq!(Some(judge.n_open_calls_peak()), most);
}

/// Replies in another order are other inputs, but each reply's result is the same.
#[test]
fn g07_a_replies_result_does_not_depend_on_its_neighbours() {
    let judge = Judge::sound(5, 1);
    let row = |cases: String, id: &str| {
        let scene = Scene::new(cases, &judge.base_url());
        let _ended = scene.run(&[]).code(0);
        let results = scene.results();
        let rows = results["results"].as_array().expect("rows");
        rows.iter().find(|row| row["id"] == id).expect("the case").clone()
    };
    let alone = row(cases_named(["case-0003"]), "case-0003");
    assert_eq!(alone, row(cases(12), "case-0003"));
}
