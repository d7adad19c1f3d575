//! Judges made of judges, with two mock judges as members: who is asked about what, what is kept, and what is refused.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::process::{MockJudge, ledger};
use crate::binary::{Probity, QUICK, Ran};
use crate::promotion::{note_probing, probing};

/// A folder with cases, labels, and a cascade and a jury of two mock judges.
struct Panel {
    folder: Probity,
    /// Kept alive for as long as the folder is.
    _judges: [MockJudge; 2],
}

/// Every eighth case has the second ending, the others the first.
fn cases(n: usize, endings: [&str; 2]) -> String {
    let line = |i: usize| {
        let reply = endings[usize::from(i.is_multiple_of(8))];
        let slice = if i.is_multiple_of(2) { "late" } else { "lost" };
        json!({ "id": format!("t{i}"), "slice": slice, "ticket": format!("Order {i}?"), "reply": format!("Order {i} left{reply}.") })
            .to_string()
    };
    (0..n).map(line).collect::<Vec<_>>().join("\n")
}

impl Panel {
    /// So many cases, of which the first `n_labels` have a label: people prefer the longer reply, and its tone is 4.
    fn new(n_cases: usize, n_labels: usize, judges: [&[&str]; 2]) -> Panel {
        Panel::of(Probity::new(), n_cases, n_labels, judges)
    }

    /// Pairs of which every second is unclear: people prefer the longer reply, and the shorter one where it is. The small
    /// judge prefers the longer one and is asked as `small` says; the large one prefers the shorter.
    fn unclear(small: &str) -> Panel {
        let judges: [&[&str]; 2] = [&["--pairs", "longer", "--unsure", "unclear"], &["--pairs", "shorter"]];
        let scene = Panel::of(Probity::new(), 0, 0, judges);
        let case = |i: usize, reply: &str| {
            let ticket = if i.is_multiple_of(2) { "unclear" } else { "late" };
            json!({ "id": format!("t{i}"), "ticket": format!("Order {i} is {ticket}."), "reply": format!("Order {i} left{reply}.") })
                .to_string()
        };
        let cases = |reply: &str| (0..48).map(|i| case(i, reply)).collect::<Vec<_>>().join("\n");
        scene.folder.write("old.jsonl", cases(""));
        scene.folder.write("new.jsonl", cases(" today, write to us if it is not there on Friday"));
        let label = |i: usize| {
            let better = if i.is_multiple_of(2) { "a" } else { "b" };
            json!({ "item": format!("t{i}"), "annotator": "ann", "label": better }).to_string()
        };
        scene.folder.write("labels.jsonl", (0..48).map(label).collect::<Vec<_>>().join("\n"));
        let settings = String::from_utf8(scene.folder.bytes("probity.toml")).unwrap();
        let settings = settings.replacen("kind = \"openai\"\n", &format!("{small}\n"), 1);
        let promise = "[judges.cascade]\nagreement = 0.8\nconfidence = 0.8\n";
        scene.folder.write("probity.toml", settings.replace("[judges.cascade]\n", promise));
        scene
    }

    fn of(folder: Probity, n_cases: usize, n_labels: usize, judges: [&[&str]; 2]) -> Panel {
        let longer = " today, write to us if it is not there on Friday";
        folder.write("old.jsonl", cases(n_cases, ["", longer]));
        folder.write("new.jsonl", cases(n_cases, [longer, ""]));
        let label = |i: usize| {
            let better = if i.is_multiple_of(8) { "a" } else { "b" };
            json!({ "item": format!("t{i}"), "annotator": "ann", "label": better }).to_string()
        };
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
    scene.folder.write("old.jsonl", cases(8, [" yesterday at noon"; 2]));
    scene.folder.write("new.jsonl", cases(8, [" yesterday at nine"; 2]));
    let report = scene.compare("cascade").code(0).json();
    let reviewed = report["panel"]["needs_human_review"].as_u64().expect("a count");
    assert_eq!(decided(&report)[0] + reviewed, 8);
    assert_eq!(report["status"]["needs_human_review"], reviewed);
}

#[test]
fn without_agreement_there_is_no_cascade() {
    let scene = Panel::new(40, 40, [&["--pairs", "shorter"], &["--pairs", "shorter"]]);
    let refused = scene.fit("cascade").code(1);
    let report = refused.says(["FAILED: no threshold keeps the promise; nothing was saved"]).json();
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

const CONTRACT: &str = "name = \"pairs\"\nversion = \"1\"\nowner = \"o\"\n[agreement]\nlower_bound_min = 0.6\n\
    [review]\npath = \"p\"\n";

#[test]
fn a_cascade_is_promoted_gates_and_loses_that_with_the_labels_of_its_thresholds() {
    let scene = Panel::new(56, 56, [&["--pairs", "longer"], &["--pairs", "longer"]]);
    let folder = &scene.folder;
    folder.write("contract.toml", CONTRACT);
    folder.args(["import", "labels", "labels.jsonl"]).run().code(0);
    let pairs = ["old.jsonl", "new.jsonl", "--rubric", "pairwise-support"];
    let fit = || scene.calibrate("cascade", &[&pairs[..], &["--cascade"]].concat()).code(0);
    let promote = || {
        let words =
            ["--judge", "cascade", "--contract", "contract.toml", "--json", "--quiet", "--resamples", "50"];
        folder.args(["promote"]).words(pairs.into_iter().chain(words)).run()
    };
    let standing = || scene.compare("cascade").code(0).json()["judge"].clone();
    promote().code(2).says(["judge cascade has no thresholds for rubric pairwise-support"]);
    fit();
    // Everything is shown but how it behaves under probes.
    let refused = promote().code(1).json();
    assert_eq!((&refused["standing"], refused["unmet"].as_array().unwrap().len()), (&json!("advisory"), 1));
    assert!(refused["unmet"].to_string().contains("probing"), "{}", refused["unmet"]);
    let compared = scene.compare("cascade").code(0).json();
    assert_eq!(compared["judge"]["standing"], "advisory");
    let evidence = json!({ "summary": { "judge": compared["judge"], "rubric": compared["rubric"] } });
    let [judge, rubric] =
        [&compared["judge"]["id"], &compared["rubric"]["hash"]].map(|id| id.as_str().unwrap());
    note_probing(folder, [judge, rubric], &probing(&evidence));
    assert_eq!(promote().code(0).json()["standing"], "promoted");
    let calls = scene.calls();
    let gated = scene.compare("cascade").code(0).json();
    let decision = &gated["decision"];
    assert_eq!(
        (&decision["winner"], &decision["standing"]),
        (&json!("new"), &json!("promoted")),
        "{decision}"
    );
    assert_eq!(scene.calls(), calls, "promoting it and gating with it asks no judge again");

    // Another label: what was promoted rested on others.
    folder.write("more.jsonl", json!({ "item": "t1", "annotator": "bob", "label": "a" }).to_string());
    folder.args(["import", "labels", "more.jsonl"]).run().code(0);
    let revoked = standing();
    assert_eq!(revoked["standing"], "advisory");
    assert!(revoked["standing_reason"].as_str().unwrap().contains("labels"), "{revoked}");
    fit();
    let other = standing();
    assert_eq!(other["standing"], "advisory", "thresholds from other labels make another judge");
    assert_ne!(other["id"], judge);
}

#[test]
fn the_price_before_goes_by_what_each_stage_is_expected_to_be_asked() {
    let scene = Panel::new(40, 30, [&["--pairs", "longer"], &["--pairs", "longer"]]);
    let words = ["calibrate", "--judge", "cascade", "--cascade", "--labels", "labels.jsonl"];
    let pairs = ["old.jsonl", "new.jsonl", "--rubric", "pairwise-support", "--dry-run", "--json"];
    let said = scene.folder.args(words).words(pairs.into_iter()).run().code(0).json();
    let of = |said: &Value, name: &str| -> Vec<f64> {
        said["stages"].as_array().unwrap().iter().map(|stage| stage[name].as_f64().unwrap()).collect()
    };
    assert_eq!(of(&said, "calls"), [60.0, 60.0], "every stage about every label, in both orders: {said}");
    scene.fit("cascade").code(0);
    let dry = |judge: &str| {
        let words = ["compare", "old.jsonl", "new.jsonl", "--judge", judge, "--dry-run", "--json"];
        scene.folder.args(words).run().code(0).json()
    };
    let said = dry("cascade");
    let large = dry("large");
    let saving = large["savings"].as_array().unwrap().iter().find(|saving| saving["way"] == "cascade");
    let saving = saving.unwrap_or_else(|| panic!("what the cascade saves: {large}"));
    assert_eq!((&saving["judge"], &saving["calls"]), (&json!("cascade"), &json!(20)));
    assert_eq!(saving["cost_usd_expected"], said["cost_usd_expected"]);
    assert_eq!(dry("small")["savings"], json!([]), "the cascade does not end with the small judge");
    assert_eq!(of(&said, "share"), [1.0], "labels let the second stage decide nothing, so it is not asked");
    assert_eq!((of(&said, "calls"), of(&said, "calls_max")), (vec![20.0], vec![20.0]));
    let cost = |said: &Value, name: &str| said[name].as_f64().unwrap();
    assert!(cost(&said, "cost_usd_expected") * 5.0 < cost(&said, "cost_usd_max"), "{said}");
    let spent = scene.compare("cascade").code(0).json();
    let spent: f64 = spent["panel"]["members"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["cost_usd"].as_f64().unwrap_or(0.0))
        .sum();
    assert!(spent <= cost(&said, "cost_usd_max"), "{spent}: {said}");
    // What is dear is not asked without a word.
    scene.folder.write("new.jsonl", cases(40, [" tomorrow, please write to us", ""]));
    let settings = String::from_utf8(scene.folder.bytes("probity.toml")).unwrap();
    scene.folder.write("probity.toml", settings.replace("mtok = 1\n", "mtok = 9000\n"));
    let calls = scene.calls();
    scene.compare("cascade").code(2).says(["need your confirmation"]);
    assert_eq!(scene.calls(), calls);
}

#[test]
fn a_stage_decides_where_it_is_sure_by_whichever_signal_it_has() {
    for small in [
        "kind = \"openai\"\nsignal = \"logprobs\"",
        "kind = \"openai\"\nsignal = \"stated\"",
        "kind = \"openai-decisions\"",
    ] {
        let scene = Panel::unclear(small);
        let report = scene.fit("cascade").code(0).json();
        assert_eq!(report["thresholds"][0]["stages"][0]["threshold"], 0.6, "{small}: {report}");
        let worth = &report["reliability"][0];
        assert_eq!(
            (&worth["signal"], &worth["bands"][0]["agreement"]["value"]),
            (&json!("confidence"), &json!(1.0))
        );
        assert_eq!(
            (&worth["bands"][1]["signal"], &worth["bands"][1]["agreement"]["value"]),
            (&json!(0.0), &json!(0.0))
        );
        let calls = scene.calls();
        let report = scene.compare("cascade").code(0).json();
        assert_eq!(decided(&report), [24, 24], "{small}");
        assert_eq!(report["decision"]["winner"], Value::Null, "each is better half of the time");
        assert_eq!(scene.calls(), calls, "what was asked for the labels is not asked again");
    }
}

#[test]
fn another_signal_is_another_judge() {
    let scene = Panel::unclear("kind = \"openai\"\nsignal = \"stated\"");
    scene.fit("cascade").code(0);
    let settings = String::from_utf8(scene.folder.bytes("probity.toml")).unwrap();
    scene.folder.write("probity.toml", settings.replace("signal = \"stated\"\n", ""));
    scene.compare("cascade").code(2).says(["judge cascade has no thresholds for rubric pairwise-support"]);
    scene.folder.write(
        "probity.toml",
        settings.replace("\"stated\"", "\"logprobs\"").replace("kind = \"openai\"", "kind = \"groq\""),
    );
    scene.compare("cascade").code(2).says(["no log probabilities are known of the dialect groq"]);
}

#[test]
fn a_judge_without_reasons_is_promoted_as_a_stage_alone() {
    let scene = Panel::unclear("kind = \"openai-decisions\"");
    scene.folder.write("contract.toml", CONTRACT);
    scene.folder.args(["import", "labels", "labels.jsonl"]).run().code(0);
    scene.fit("cascade").code(0);
    let unmet = |judge: &str| -> Vec<String> {
        let words = ["promote", "old.jsonl", "new.jsonl", "--rubric", "pairwise-support", "--judge", judge];
        let more = ["--contract", "contract.toml", "--json", "--quiet", "--resamples", "50"];
        let report = scene.folder.args(words).words(more.into_iter()).run().code(1).json();
        let unmet = report["unmet"].as_array().unwrap().iter();
        unmet.map(|each| each["requirement"].as_str().unwrap().to_owned()).collect()
    };
    assert!(unmet("small").contains(&"reasons".to_owned()));
    assert!(!unmet("cascade").contains(&"reasons".to_owned()));
}

#[test]
fn one_look_is_enough_for_a_judge_that_says_how_sure_it_is() {
    let scene = Panel::new(40, 40, [&["--levels", "fixed:4"], &["--levels", "fixed:4"]]);
    let settings = String::from_utf8(scene.folder.bytes("probity.toml")).unwrap();
    scene
        .folder
        .write("probity.toml", settings.replacen("kind = \"openai\"\n", "kind = \"openai-decisions\"\n", 1));
    scene.calibrate("cascade", &["new.jsonl", "--labels", "tones.jsonl", "--cascade"]).code(0);
    assert_eq!(scene.calls(), [40, 120], "one look at each reply, and three where there is no other signal");
    scene.folder.args(["run", "new.jsonl", "--judge", "cascade", "--output", "out.json"]).run().code(0);
    let tone = &scene.folder.json("out.json")["results"][0]["tone"];
    assert_eq!(
        (&tone["score"], &tone["reasoning"]),
        (&json!(4), &json!("97 % probable; this endpoint gives no reasons"))
    );
}

#[test]
fn a_cascade_is_probed_arm_by_arm() {
    let scene = Panel::new(40, 40, [&["--pairs", "longer"], &["--pairs", "longer"]]);
    scene.fit("cascade").code(0);
    let probe = |judge: &str| {
        let words = [
            "probe", "new.jsonl", "--rubric", "pairwise-support", "--bases", "1", "--judge", judge, "--json",
        ];
        scene.folder.args(words).run().code(0).json()
    };
    let (small, cascade) = (probe("small"), probe("cascade"));
    let rates = |report: &Value| -> Vec<(String, Value, Value)> {
        let probes = report["probes"].as_array().unwrap().iter();
        probes
            .map(|probe| (probe["name"].to_string(), probe["rate"].clone(), probe["result"].clone()))
            .collect()
    };
    // The small judge is sure in both orders, so the cascade says what it says, about each arm by itself.
    assert_eq!(rates(&cascade), rates(&small));
    let moved = |rate: &Value| rate.as_f64().is_some_and(|rate| rate > 0.0);
    assert!(rates(&cascade).iter().any(|(_, rate, _)| moved(rate)), "longer replies win: {cascade}");
}
