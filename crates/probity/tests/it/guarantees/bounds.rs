//! G12, G13, C16: memory, money and a storm, with two thousand calls allowed at once.

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::ledger::{Asked, Gate, Judge};
use super::scene::{Ended, PROVEN, QUICK, Scene, cases};
use crate::answers::{TOKENS_INPUT, TOKENS_OUTPUT, completion, says};
use crate::support::{Act, http_ok};

/// The most memory a process has had, in MiB, while it ran `command` to its end.
fn peak_mib(mut command: std::process::Command) -> (u64, Ended) {
    let mut child = command.spawn().expect("the binary starts");
    let mut peak_kib = 0;
    while child.try_wait().expect("a child").is_none() {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
        peak_kib = peak_kib.max(kib.unwrap_or(0));
        sleep(Duration::from_millis(5));
    }
    (peak_kib / 1024, Ended::after(child))
}

/// Every answer is larger than the cap of four MiB, and a hundred come at once.
#[test]
fn g12_floods_are_cut_and_memory_is_bounded() {
    let judge = Judge::with(|asked, _| match asked.number(0) % 2 {
        0 => Act::Endless,
        _ => Act::GzipBomb { decoded_bytes: 5 << 20 },
    });
    let n = 50;
    let settings = format!("{QUICK}body_bytes_max = 4194304\n");
    let scene = Scene::new(cases(n), &judge.base_url()).settings(&settings);
    let (peak, ended) = peak_mib(scene.command(&["--concurrency", "100"]));
    let ended = ended.code(3);
    let results = scene.results();
    assert_eq!(results["summary"]["unscored_by_cause"], json!({ "too_large": 2 * n }), "{}", ended.stderr);
    println!("{peak} MiB at the most for {} answers without end", 2 * n);
    assert!(peak < 300, "{peak} MiB, where {} MiB were sent", 8 * n);
}

/// The price of a call whose usage is what every answer says.
const PRICE: &str = "[prices.\"gpt-4o-mini\"]\ninput_usd_per_mtok = 2\noutput_usd_per_mtok = 10\n";

/// What a call costs, in millionths of a dollar.
const MICROS_PER_CALL: u64 = 2 * TOKENS_INPUT + 10 * TOKENS_OUTPUT;

#[test]
fn g13_the_budget_is_hard_with_two_thousand_calls() {
    let judge = Judge::sound(20, 0);
    let scene = Scene::new(cases(1000), &judge.base_url()).settings(&format!("{QUICK}{PRICE}"));
    // A call may cost $0.0102 for its answer alone, so at most 19 fit at a time; what they do cost is
    // $0.0003, so that many more follow.
    let budget_micros = 200_000;
    let ended = scene.run(&["--concurrency", "2000", "--budget-usd", "0.2"]).code(3);
    let n_calls = judge.n_requests() as u64;
    let spent = n_calls * MICROS_PER_CALL;
    println!("{n_calls} calls, ${} of $0.2", spent as f64 / 1e6);
    assert!(spent <= budget_micros, "{spent} millionths were spent");
    assert!(judge.n_open_calls_peak() <= 19, "{} calls were reserved at once", judge.n_open_calls_peak());
    let cost = scene.results()["summary"]["cost_usd"].as_f64().expect("a cost");
    assert!((cost * 1e6 - spent as f64).abs() < 0.5, "{cost} for {n_calls} calls");
    let _ended = ended.says(["stopped: the budget of $0.2 does not cover another call"]);
    // What is left of the budget would not have covered another call.
    assert!(spent + 17_000 > budget_micros, "stopped early, after {spent} of {budget_micros} millionths");
}

/// Each answer says that it took a quintillion tokens.
#[test]
fn n14_a_run_with_absurd_token_counts_is_resumed_and_reported() {
    let judge = Judge::with(|asked, _| {
        let mut completion = completion(&asked.verdict().to_string(), "stop");
        completion["usage"] = json!({ "prompt_tokens": 10_u64.pow(18), "completion_tokens": 10_u64.pow(18) });
        http_ok(&completion.to_string())
    });
    let scene = Scene::new(cases(3), &judge.base_url()).settings(&format!("{QUICK}{PRICE}"));
    for _resumed in 0..2 {
        let _ended = scene.run(&[]).code(0);
        let summary = &scene.results()["summary"];
        let counts = json!([summary["scored"], summary["calls"], summary["calls_without_usage"]]);
        assert_eq!(counts, json!([3, 6, 6]), "{summary}");
    }
    assert_eq!(judge.n_requests(), 6);
    let _reported = scene.run(&["--offline"]).code(0);
}

/// What a packet meets in the storm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Fate {
    Sound,
    LimitedWithTime,
    LimitedWithout,
    ServerError,
    Stall,
    BadJson,
    Refused,
}

impl Fate {
    /// By the seed: 10 % rate limits, 5 % server errors, 2 % stalls, 3 % bad JSON, 1 % refusals.
    fn of(asked: &Asked) -> Fate {
        match asked.number(16) % 100 {
            0..5 => Fate::LimitedWithTime,
            5..10 => Fate::LimitedWithout,
            10..15 => Fate::ServerError,
            15..17 => Fate::Stall,
            17..20 => Fate::BadJson,
            20 => Fate::Refused,
            _ => Fate::Sound,
        }
    }

    fn act(self, asked: &Asked, n_earlier: usize) -> Act {
        let refusal = json!({ "content": null, "refusal": "No." });
        match (self, n_earlier) {
            (Fate::LimitedWithTime, 0) => Act::respond(429, &[("retry-after", "0")], "slower"),
            (Fate::LimitedWithout, 0) => Act::respond(429, &[], "slower"),
            (Fate::ServerError, 0) => Act::respond(503, &[], "down"),
            (Fate::Stall, 0) => Act::StallAfter(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{".to_vec()),
            (Fate::BadJson, _) => says("quite good, I would say"),
            (Fate::Refused, _) => {
                let mut completion = completion("", "stop");
                completion["choices"][0]["message"] = refusal;
                http_ok(&completion.to_string())
            }
            _ => asked.answer(),
        }
    }

    /// Calls that such a packet takes.
    fn n_calls(self) -> usize {
        if matches!(self, Fate::Sound | Fate::Refused) { 1 } else { 2 }
    }
}

#[test]
fn g05_g06_c16_a_storm_ends_in_the_counts_of_its_seed() {
    let n = 1000;
    let before: Mutex<HashMap<Asked, usize>> = Mutex::default();
    let gate = Gate::new(2 * n);
    let judge = Judge::with(move |asked, _| {
        let n_earlier = {
            let mut before = before.lock().expect("no panic");
            let count = before.entry(asked.clone()).or_insert(0);
            *count += 1;
            *count - 1
        };
        let act = Fate::of(asked).act(asked, n_earlier);
        gate.hold(Act::After(Duration::from_millis(asked.number(4) % 200), Box::new(act)))
    });
    let settings = format!("{QUICK}idle_ms = 2000\n{PROVEN}");
    let scene = Scene::new(cases(n), &judge.base_url()).settings(&settings);
    let _ended = scene.run(&["--concurrency", "2000"]).code(0);

    let counts = judge.counts();
    let mut fates: HashMap<Fate, usize> = HashMap::new();
    for (asked, n_calls) in &counts {
        let fate = Fate::of(asked);
        *fates.entry(fate).or_insert(0) += 1;
        assert_eq!(*n_calls, fate.n_calls(), "{fate:?} {asked:?}");
    }
    assert_eq!(counts.len(), 2 * n);
    let summary = scene.results()["summary"].clone();
    let want = json!({ "no_json": fates[&Fate::BadJson], "refused": fates[&Fate::Refused] });
    assert_eq!(summary["unscored_by_cause"], want);
    assert_eq!(summary["calls"], judge.n_requests());
    for row in scene.results()["results"].as_array().expect("rows") {
        for criterion in ["relevance", "tone"] {
            let reply = row["id"].as_str().expect("an id");
            let asked = Asked::about(reply, criterion);
            let is_sound = !matches!(Fate::of(&asked), Fate::BadJson | Fate::Refused);
            let score = if is_sound { asked.verdict()["score"].clone() } else { Value::Null };
            assert_eq!(row[criterion]["score"], score, "{row}");
        }
    }
    assert_eq!(judge.n_open_calls_peak(), 2 * n);
    println!("{fates:?}");
}
