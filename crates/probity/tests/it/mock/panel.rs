//! Judges made of judges, with two mock judges as members: who is asked about what, what is kept, and what is refused.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::process::{MockJudge, ledger};
use crate::binary::{Probity, QUICK, Ran};

/// A folder with cases, labels, and a cascade and a jury of two mock judges.
struct Panel {
    folder: Probity,
    /// Kept alive for as long as the folder is.
    _judges: [MockJudge; 2],
}

fn cases(n: usize, reply: &str) -> String {
    let line = |i: usize| {
        let slice = if i.is_multiple_of(2) { "late" } else { "lost" };
        json!({ "id": format!("t{i}"), "slice": slice, "ticket": format!("Order {i}?"), "reply": format!("Order {i} left{reply}.") })
            .to_string()
    };
    (0..n).map(line).collect::<Vec<_>>().join("\n")
}

impl Panel {
    /// So many cases, of which the first `n_labels` have a label: people prefer the longer reply, and its tone is 4.
    fn new(n_cases: usize, n_labels: usize, judges: [&[&str]; 2]) -> Panel {
        let folder = Probity::new();
        folder.write("old.jsonl", cases(n_cases, ""));
        folder.write("new.jsonl", cases(n_cases, " today, write to us if it is not there on Friday"));
        let label =
            |i: usize| json!({ "item": format!("t{i}"), "annotator": "ann", "label": "b" }).to_string();
        folder.write("labels.jsonl", (0..n_labels).map(label).collect::<Vec<_>>().join("\n"));
        let tone = |i: usize| {
            json!({ "item": format!("t{i}"), "annotator": "ann", "criterion": "tone", "label": 4 })
                .to_string()
        };
        folder.write("tones.jsonl", (0..n_labels).map(tone).collect::<Vec<_>>().join("\n"));
        let names = ["small", "large"];
        let mocks: [MockJudge; 2] = std::array::from_fn(|at| {
            let path = folder.path(&format!("{}.ledger", names[at]));
            MockJudge::start(&[&["--ledger", path.to_str().unwrap()], judges[at]].concat())
        });
        let mut settings = QUICK.to_owned();
        for (name, mock) in names.iter().zip(&mocks) {
            settings += &format!(
                "[judges.{name}]\nkind = \"openai\"\nmodel = \"m-{name}\"\nbase_url = \"{}\"\napi_key_env = \"\"\n\
                 [prices.m-{name}]\ninput_usd_per_mtok = {1}\noutput_usd_per_mtok = {1}\n",
                mock.url(),
                if *name == "small" { 1 } else { 10 }
            );
        }
        settings += "[judges.cascade]\nstages = [\"small\", \"large\"]\n[judges.jury]\nmembers = [\"small\", \"large\"]\n";
        folder.write("probity.toml", settings);
        Panel { folder, _judges: mocks }
    }

    fn calibrate(&self, judge: &str, words: &[&str]) -> Ran {
        let call = self.folder.args(["calibrate", "--judge", judge, "--json"]);
        call.words(words.iter().copied()).run()
    }

    fn fit(&self, judge: &str) -> Ran {
        let flag = format!("--{judge}");
        let pairs = ["old.jsonl", "new.jsonl", "--rubric", "pairwise-support", "--labels", "labels.jsonl"];
        self.calibrate(judge, &[&pairs[..], &[flag.as_str()]].concat())
    }

    fn compare(&self, judge: &str) -> Ran {
        self.folder.args(["compare", "old.jsonl", "new.jsonl", "--judge", judge, "--json"]).run()
    }

    /// Calls so far, to the small judge and to the large one.
    fn calls(&self) -> [usize; 2] {
        ["small", "large"].map(|name| {
            let path: PathBuf = self.folder.path(&format!("{name}.ledger"));
            if path.exists() { ledger(&path).len() } else { 0 }
        })
    }
}

fn decided(report: &Value) -> Vec<u64> {
    let members = report["panel"]["members"].as_array().expect("members");
    members.iter().map(|member| member["decided"].as_u64().expect("a count")).collect()
}

#[test]
fn the_first_stage_that_is_sure_decides_and_nothing_is_paid_twice() {
    let scene = Panel::new(70, 50, [&["--pairs", "longer"], &["--pairs", "longer"]]);
    let unfitted = scene.compare("cascade").code(2);
    unfitted.says(["judge cascade has no thresholds for rubric pairwise-support"]);
    assert_eq!(scene.calls(), [0, 0], "nothing is asked before there are thresholds");

    let report = scene.fit("cascade").code(0).json();
    assert_eq!((&report["kept"], &report["seen"]["decided"]), (&json!(true), &json!(50)));
    assert_eq!(report["thresholds"][0]["stages"][0]["threshold"], 1.0);
    assert_eq!(scene.calls(), [100, 100], "both orders of each labelled pair, by each judge");

    let report = scene.compare("cascade").code(0).json();
    assert_eq!(report["status"]["stable"], 70);
    assert_eq!(decided(&report), [70, 0]);
    assert_eq!(report["panel"]["promise"]["agreement"], json!(0.85));
    assert_eq!(scene.calls(), [140, 100], "the new pairs alone, and the large judge not at all");
    let again = scene.compare("cascade").code(0).json();
    assert_eq!(again["comparisons"], report["comparisons"]);
    assert_eq!(scene.calls(), [140, 100]);

    // Its calibration and its promotion are those of any judge.
    let figures = scene.calibrate(
        "cascade",
        &[
            "old.jsonl", "new.jsonl", "--rubric", "pairwise-support", "--labels", "labels.jsonl",
            "--resamples", "50",
        ],
    );
    assert_eq!(figures.code(0).json()["agreement"]["value"], 1.0);
    assert_eq!(scene.calls(), [140, 100]);
}

#[test]
fn a_stage_that_labels_do_not_support_is_not_asked() {
    let scene = Panel::new(50, 40, [&["--pairs", "first"], &["--pairs", "longer"]]);
    let report = scene.fit("cascade").code(0).json();
    assert_eq!(report["thresholds"][0]["stages"][0]["threshold"], Value::Null);
    let report = scene.compare("cascade").code(0).json();
    assert_eq!(decided(&report), [0, 50]);
    assert_eq!(scene.calls(), [80, 100], "the small judge was asked for the labels alone");
}

#[test]
fn what_no_stage_may_decide_is_for_a_person() {
    let scene = Panel::new(50, 40, [&["--pairs", "longer"], &["--pairs", "first"]]);
    scene.fit("cascade").code(0);
    // Replies of the same length are a tie to one judge and turn with the order for the other.
    scene.folder.write("old.jsonl", cases(8, " yesterday at noon"));
    scene.folder.write("new.jsonl", cases(8, " yesterday at nine"));
    let report = scene.compare("cascade").code(0).json();
    let reviewed = report["panel"]["needs_human_review"].as_u64().expect("a count");
    assert_eq!(decided(&report)[0] + reviewed, 8);
    assert_eq!(report["status"]["needs_human_review"], reviewed);
}

#[test]
fn without_agreement_there_is_no_cascade() {
    let scene = Panel::new(40, 40, [&["--pairs", "shorter"], &["--pairs", "shorter"]]);
    let refused = scene.fit("cascade").code(1);
    let report = refused.says(["FAILED: no threshold keeps the promise, so nothing was kept"]).json();
    assert_eq!((&report["kept"], &report["fewest_labels"]), (&json!(false), &json!(19)));
    scene.compare("cascade").code(2);
}

#[test]
fn a_jury_says_that_it_does_not_beat_its_best_member() {
    let scene = Panel::new(40, 40, [&["--pairs", "first"], &["--pairs", "longer"]]);
    let report = scene.fit("jury").code(0).json();
    assert_eq!((&report["beats_best"], &report["best"]), (&json!(false), &json!("large")));
    let report = scene.compare("jury").code(0).json();
    assert_eq!(report["status"]["stable"], 40);
    scene.calibrate("jury", &["old.jsonl", "new.jsonl", "--labels", "labels.jsonl", "--cascade"]).code(2);
}

#[test]
fn levels_are_decided_by_looks_that_agree() {
    let scene = Panel::new(40, 30, [&["--levels", "uniform"], &["--levels", "fixed:4"]]);
    let words = ["new.jsonl", "--labels", "tones.jsonl", "--cascade"];
    let report = scene.calibrate("cascade", &words).code(0).json();
    assert_eq!(report["thresholds"][0]["stages"][0]["threshold"], Value::Null, "it says anything");
    assert_eq!(report["thresholds"][0]["stages"][1]["threshold"], json!(2.0 / 3.0));
    assert_eq!(scene.calls(), [90, 90], "three looks at each reply");
    let call = scene.folder.args(["run", "new.jsonl", "--judge", "cascade", "--output", "out.json"]);
    call.run().code(0);
    let out = scene.folder.json("out.json");
    assert_eq!(out["results"][39]["tone"]["score"], 4);
    let panel = &out["summary"]["panel"];
    assert_eq!((&panel["questions"], &panel["members"][1]["decided"]), (&json!(80), &json!(80)));
    // Relevance of all, and the tone of the ten without a label, three times each.
    assert_eq!(scene.calls(), [90, 90 + 3 * 50]);
    scene.folder.args(["run", "new.jsonl", "--judge", "cascade", "--one-call"]).run().code(2);
}
