//! G07: the same answers give the same bytes, whatever the concurrency and the order of arrival.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::ledger::{Asked, Judge, number};
use super::scene::{Scene, cases};
use crate::support::{Act, http_ok};

/// Cases, two packets each: more packets than may be in flight.
const N_CASES: usize = 1100;

/// What a packet meets, by its number: most are answered, some at the second call, some never.
fn act(asked: &Asked, n_earlier: usize) -> Act {
    match asked.number(9) % 20 {
        0 if n_earlier == 0 => Act::respond(500, &[], "later"),
        1 => http_ok(&asked.completion("no verdict").to_string()),
        2 => http_ok(&asked.completion(r#"{"score": 7, "reasoning": "Beyond."}"#).to_string()),
        3 => Act::respond(500, &[], "never"),
        _ => asked.answer(),
    }
}

/// A judge whose answers are the same in every round and whose latencies are shuffled anew.
fn shuffling(round: &Arc<AtomicU64>) -> Judge {
    let round = Arc::clone(round);
    let asked_before: Mutex<HashMap<(u64, Asked), usize>> = Mutex::default();
    Judge::with(move |asked, _| {
        let round = round.load(Ordering::SeqCst);
        let n_earlier = {
            let mut counts = asked_before.lock().expect("no panic");
            let count = counts.entry((round, asked.clone())).or_insert(0);
            *count += 1;
            *count - 1
        };
        let ms = match round {
            // One at a time has no order of arrival, so it need not take long.
            1 => 0,
            _ => number((asked, round)) % 60,
        };
        Act::After(Duration::from_millis(ms), Box::new(act(asked, n_earlier)))
    })
}

#[test]
fn g07_c27_results_do_not_depend_on_concurrency() {
    let round = Arc::new(AtomicU64::new(0));
    let judge = shuffling(&round);
    let mut first: Option<(Vec<u8>, String)> = None;
    for concurrency in ["1", "7", "500", "2000"] {
        let n = round.fetch_add(1, Ordering::SeqCst) + 1;
        let scene = Scene::new(cases(N_CASES), &judge.base_url());
        let ended = scene.run(&["--concurrency", concurrency, "--min-coverage", "0.5"]).code(0);
        assert!(!ended.stderr.contains("lowered"), "{}", ended.stderr);
        let results = scene.results_bytes().expect("there are results");
        let causes = scene.results()["summary"]["unscored_by_cause"].clone();
        assert!(
            ["no_json", "out_of_range", "server_error"].iter().all(|cause| causes[*cause] != json!(null))
        );
        match &first {
            None => first = Some((results, ended.stdout)),
            Some((bytes, stdout)) => {
                assert!(*bytes == results, "the results differ at concurrency {concurrency} (round {n})");
                assert_eq!(*stdout, ended.stdout, "at concurrency {concurrency}");
            }
        }
    }
    assert!(judge.n_open_calls_peak() > 1000, "{} calls were open at once", judge.n_open_calls_peak());
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
    let alone = row(super::scene::cases_named(["case-0003"]), "case-0003");
    assert_eq!(alone, row(cases(12), "case-0003"));
}
