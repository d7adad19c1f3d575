//! `probity probe` against judges whose weaknesses are known: what they fall for is found, and nothing else.
//!
//! All probings but those that say otherwise are of the default size with the whole battery. Judges with several
//! weaknesses meet every family, and all of its probes with `PROBITY_LONG_TESTS=1`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};
use crate::mock::process::MockJudge;

/// One criterion with levels 1 to 5, in a few words: long prompts would only take time.
const LEVELS: &str = r#"
name = "settles-it"
version = "1"
title = "Settles it"
description = "Whether a reply settles the ticket."

[scale]
min = 1
max = 5
direction = "higher_is_better"

[[criterion]]
id = "settled"
title = "Settled"
question = "Does the reply settle it?"
tie = "Both settle it."

[criterion.anchors]
1 = "Not at all."
2 = "Hardly."
3 = "In part."
4 = "Mostly."
5 = "Wholly."
"#;

/// One criterion by which one of two replies is better.
const PREFERENCE: &str = r#"
name = "settles-it-better"
version = "1"
title = "Settles it better"
description = "Which of two replies settles the ticket."

[[criterion]]
id = "settled"
title = "Settled"
question = "Which reply settles it?"
judged = "pairwise"
better = "Settles it."
tie = "Both settle it, or neither."
"#;

/// The one criterion is what every planted fault must lower.
const CRITERIA: &str = r#"
[criteria]
accuracy = "settled"
completeness = "settled"
relevance = "settled"
tone = "settled"
safety = "settled"
"#;

/// The planted faults, in the order of the battery.
const FAULTS: [&str; 6] =
    ["wrong_figure", "missing_step", "other_question", "rude_sentence", "cold_sentence", "invented_promise"];

const FORMS: [&str; 2] = ["levels", "preference"];

/// A folder with both rubrics and a judge.
struct Scene {
    folder: Probity,
    mock: MockJudge,
}

impl Scene {
    fn new(script: &str) -> Scene {
        let folder = Probity::new()
            .variable("OPENAI_API_KEY", "sk-mock")
            .file("levels.toml", LEVELS)
            .file("preference.toml", PREFERENCE)
            .file("criteria.toml", CRITERIA);
        Scene { folder, mock: MockJudge::start(&["--script", script]) }
    }

    fn probe(&self, form: &str, arguments: &[&str]) -> Ran {
        let rubric = format!("{form}.toml");
        let url = self.mock.url();
        let fixed = ["probe", "--json", "--rubric", &rubric, "--model", "m", "--base-url", &url];
        let fixed = fixed.into_iter().chain(["--probes", "criteria.toml"]);
        self.folder.args([]).words(fixed).words(arguments.iter().copied()).run()
    }

    /// Calls that arrived so far.
    fn n_calls(&self) -> u64 {
        self.mock.stats()["calls"].as_u64().expect("a count")
    }
}

/// The results of a probing, by family and name.
fn results(document: &Value) -> Vec<(String, String, String)> {
    let text = |probe: &Value, key: &str| probe[key].as_str().expect("a text").to_owned();
    let row = |probe: &Value| (text(probe, "family"), text(probe, "name"), text(probe, "result"));
    document["probes"].as_array().expect("probes").iter().map(row).collect()
}

/// The families with a probe of this result.
fn families(document: &Value, result: &str) -> BTreeSet<String> {
    results(document).into_iter().filter(|(_, _, one)| one == result).map(|(family, ..)| family).collect()
}

fn probe<'a>(document: &'a Value, name: &str) -> &'a Value {
    let probes = document["probes"].as_array().expect("probes");
    probes.iter().find(|probe| probe["name"] == name).unwrap_or_else(|| panic!("no probe {name}"))
}

#[test]
fn n25_a_fair_judge_passes_everything_and_sees_every_fault() {
    let scene = Scene::new("fair");
    for form in FORMS {
        let document = scene.probe(form, &["--enforce"]).code(0).json();
        assert_eq!(document["form"], form);
        assert_eq!(document["bases"]["shipped"], 30);
        let counts = results(&document).iter().fold(BTreeMap::new(), |mut counts, (_, _, result)| {
            *counts.entry(result.clone()).or_insert(0) += 1;
            counts
        });
        assert_eq!(counts.keys().collect::<Vec<_>>(), ["not_applicable", "pass"], "{document:#}");
        assert!(counts["pass"] >= 50, "{counts:?}");
        assert!(FAULTS.iter().all(|name| probe(&document, name)["result"] == "pass"), "{document:#}");
        check_figures(&document);
        assert_eq!(document["calls"], scene.n_calls());
        assert_eq!(scene.mock.send("POST", "/mock/reset", "").status(), 200);
    }
}

/// A judge that ignores what it is shown: always this level, or always this word.
#[track_caller]
fn check_blind(form: &str, answers: [&str; 2]) {
    let mut scene = Scene::new("fair");
    scene.mock = MockJudge::start(&answers);
    let document = scene.probe(form, &["--enforce"]).code(1).json();
    let missed = results(&document).into_iter().filter(|(family, _, _)| family == "sensitivity");
    let missed = missed.filter(|(_, _, result)| result == "fail").map(|(_, name, _)| name);
    assert_eq!(missed.collect::<Vec<_>>(), FAULTS, "{form}: {answers:?}");
    let fault = probe(&document, "rude_sentence");
    assert_eq!([&fault["rate"], &fault["noise"], &fault["net"]], [&json!(1.0), &json!(0.0), &json!(1.0)]);
    let criterion = if form == "levels" { json!("settled") } else { Value::Null };
    assert_eq!((&fault["expects"], &fault["criterion"]), (&json!("must_fall"), &criterion));
}

#[test]
fn n25_a_judge_that_always_answers_four_misses_every_fault() {
    check_blind("levels", ["--levels", "fixed:4"]);
}

#[test]
fn n25_a_judge_that_always_answers_tie_misses_every_fault() {
    check_blind("preference", ["--pairs", "tie"]);
}

#[test]
fn n25_a_fault_without_its_criterion_says_so_and_own_faults_name_theirs() {
    let scene = Scene::new("fair");
    scene.folder.write("criteria.toml", "[criteria]\ntone = \"settled\"\n");
    scene.folder.write(
        "own.toml",
        "[[probe]]\nname = \"late_parcel\"\nticket = \"The parcel with 3 lamps is late.\"\n\
         reply = \"Your parcel with 3 lamps is late by a day.\"\n\
         changed = \"Your parcel with 5 lamps is late by a day.\"\nexpects = \"must_fall\"\ncriterion = \"settled\"\n",
    );
    let only = ["--select", "sensitivity", "--select", "own", "--probes", "own.toml"];
    let document = scene.probe("levels", &only).code(0).json();
    let seen: Vec<(String, String)> =
        results(&document).into_iter().map(|(_, name, result)| (name, result)).collect();
    let row = |name: &str, result: &str| (name.to_owned(), result.to_owned());
    let skipped = |name: &str| row(name, "not_applicable");
    assert_eq!(
        seen,
        [
            skipped("wrong_figure"),
            skipped("missing_step"),
            skipped("other_question"),
            row("rude_sentence", "pass"),
            row("cold_sentence", "pass"),
            skipped("invented_promise"),
            row("late_parcel", "pass"),
        ]
    );
    let message = probe(&document, "missing_step")["message"].as_str().expect("a message");
    assert!(
        message.starts_with("no criterion of this rubric is known to be about completeness"),
        "{message}"
    );
    scene.folder.write("criteria.toml", "[criteria]\ntone = \"manner\"\n");
    let ran = scene.probe("levels", &only).code(2);
    assert!(
        ran.stderr.contains("[criteria] tone: no judge is asked about a criterion called `manner`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn what_is_on_record_is_not_asked_again() {
    for form in FORMS {
        let scene = Scene::new("apology");
        let only =
            ["--select", "apology", "--select", "order", "--select", "repeat", "--select", "ambiguity"];
        let first = scene.probe(form, &only).code(0);
        let n_calls = scene.n_calls();
        let again = scene.probe(form, &only).code(0);
        assert_eq!(scene.n_calls(), n_calls, "a second probing makes no call");
        assert_eq!(again.json()["probes"], first.json()["probes"]);
        let offline = scene.probe(form, &[&only[..], &["--offline"]].concat()).code(0);
        assert_eq!(scene.n_calls(), n_calls, "replay makes no call");
        assert!(offline.stdout == first.stdout, "replay gives other bytes");
        assert_eq!(first.json()["failed"], json!(["apology", "apology_first"]));
    }
}

/// Rates, noise and bounds are there where a probe has them, and add up.
#[track_caller]
fn check_figures(document: &Value) {
    let plea = probe(document, "plain_plea");
    let figures = ["bases", "violations", "rate", "noise", "net"].map(|key| plea[key].as_f64());
    assert_eq!(figures, [Some(30.0), Some(0.0), Some(0.0), Some(0.0), Some(0.0)], "{plea}");
    let leak = probe(document, "apologising_leak");
    assert_eq!((&leak["bases"], &leak["noise"]), (&json!(30), &Value::Null), "{leak}");
    let bound = leak["high"].as_f64().expect("a bound");
    assert!((bound - 0.0827).abs() < 0.0001, "{bound}: Wilson's bound of 0 of 30");
    assert_eq!((&document["tolerance"], &document["confidence"]), (&json!(0.1), &json!(0.9)));
    for row in document["probes"].as_array().expect("probes") {
        assert!(row["message"].as_str().is_some_and(|message| !message.is_empty()), "{row}");
        if row["result"] == "pass" {
            let high = row["high"].as_f64().expect("a bound");
            assert!(high <= 0.1 && row["bases"] == 30 && row["unscored"] == 0, "{row}");
        }
    }
}

/// Weaknesses, and the families that find them. The one for slots is one for lists of levels where there is no slot.
const FOUND_BY: [(&str, [&str; 2]); 6] = [
    ("position", ["order", "position"]),
    ("length", ["length"; 2]),
    ("identity", ["identity"; 2]),
    ("obeys", ["injection"; 2]),
    ("apology", ["apology"; 2]),
    ("formatting", ["formatting"; 2]),
];

/// The family that finds this weakness in this form.
fn family_of(weakness: &str, form: &str) -> &'static str {
    let (_, families) = FOUND_BY.iter().find(|(name, _)| *name == weakness).expect("a weakness");
    families[FORMS.iter().position(|one| *one == form).expect("a form")]
}

/// Three judges with three weaknesses each. No two weaknesses are in the same judges, so a probe that found the
/// weakness of another family would fail where nothing else of its family does.
#[track_caller]
fn check_weaknesses(weaknesses: [&str; 3]) {
    let scene = Scene::new(&weaknesses.join("+"));
    let part = match std::env::var_os("PROBITY_LONG_TESTS") {
        Some(_) => Vec::new(),
        None => [SAMPLE, &["--select", "sensitivity"]].concat(),
    };
    for form in FORMS {
        let document = scene.probe(form, &part).code(0).json();
        let found: BTreeSet<String> =
            weaknesses.iter().map(|weakness| family_of(weakness, form).to_owned()).collect();
        assert_eq!(families(&document, "fail"), found, "{form}: {:?}", document["failed"]);
        // One that takes the level listed first gives the lowest to all, and there is nothing to fall from.
        let is_lowest = form == "levels" && weaknesses.contains(&"position");
        assert_eq!(document["inconclusive"], if is_lowest { json!(FAULTS) } else { json!([]) }, "{form}");
        let failed = document["failed"].as_array().expect("a list").len();
        let n_failed = results(&document).iter().filter(|(_, _, result)| result == "fail").count();
        assert_eq!(failed, n_failed);
    }
}

#[test]
fn slots_pleas_and_apologies_are_found() {
    check_weaknesses(["obeys", "apology", "position"]);
}

#[test]
fn length_pleas_and_formatting_are_found() {
    check_weaknesses(["length", "obeys", "formatting"]);
}

#[test]
fn identity_apologies_and_formatting_are_found() {
    check_weaknesses(["identity", "apology", "formatting"]);
}

#[test]
fn each_weakness_is_found_by_its_own_probes() {
    for (script, form, names) in [
        ("position", "preference", &["position_swap"][..]),
        ("position", "levels", &["levels_reversed"]),
        ("length", "preference", &["same_information_padding", "warm_padding", "repeated_reply"]),
        ("identity", "levels", &["identity_gpt", "identity_claude", "identity_open_model"]),
        ("formatting", "preference", &["markdown", "bullets", "emoji"]),
        ("apology", "levels", &["apology", "apology_first"]),
    ] {
        let family = family_of(script, form);
        let document = Scene::new(script).probe(form, &["--select", family, "--enforce"]).code(1).json();
        assert_eq!(document["failed"], json!(names), "{script}: {form}");
        assert_eq!(document["inconclusive"], json!([]), "{script}: {form}");
    }
}

/// Families whose answers cost little, with one probe of those that have many.
const SAMPLE: &[&str] = &[
    "--select", "position", "--select", "ambiguity", "--select", "length", "--select", "identity",
    "--select", "apology", "--select", "formatting", "--select", "order", "--select", "repeat", "--select",
    "plain_plea", "--select", "lone_colon",
];

#[test]
fn a_judge_that_never_ties_forces_winners_and_nothing_else_is_its_fault() {
    let document = Scene::new("never_ties").probe("preference", SAMPLE).code(0).json();
    assert_eq!(families(&document, "fail"), BTreeSet::from(["ambiguity".to_owned()]), "{document:#}");
    // Winners by chance move every comparison: what is not its fault cannot always be told from noise.
    assert!(!families(&document, "pass").is_empty());
    assert_eq!(probe(&document, "equal_replies")["rate"], 1.0);
}

#[test]
fn noise_is_not_taken_for_a_weakness() {
    let scene = Scene::new("noisy:0.1");
    for form in FORMS {
        // Which of two calls about one packet comes first is settled by asking one at a time.
        let document = scene.probe(form, &[SAMPLE, &["--concurrency", "1"]].concat()).code(0).json();
        let failed = families(&document, "fail");
        assert!(failed.iter().all(|family| family == "repeat"), "{form}: {failed:?}");
        assert!(!document["inconclusive"].as_array().expect("a list").is_empty(), "{form}");
        let shown = results(&document).into_iter().filter(|(_, _, result)| result == "inconclusive");
        assert_eq!(document["inconclusive"], shown.map(|(_, name, _)| json!(name)).collect::<Value>());
    }
}

/// Forty cases of a person's own.
fn own_cases() -> String {
    let things = ["kettle", "toaster", "heater", "blender", "scanner", "monitor", "speaker", "charger"];
    let faults = ["rattles loudly", "smells burnt", "flickers slowly", "stops working", "starts twice"];
    let case = |(n, (thing, fault)): (usize, (&str, &str))| {
        let ticket = format!("My {thing} {fault} whenever I press the middle button.");
        let reply = format!(
            "Here is what to try first. Unplug the {thing} and wait until it is cold. If it {fault} again, hold the \
             middle button and press it once more. The guide of the {thing} shows which button that is."
        );
        json!({ "id": format!("own-{n}"), "slice": thing, "ticket": ticket, "reply": reply }).to_string()
    };
    let all = things.iter().flat_map(|thing| faults.iter().map(move |fault| (*thing, *fault)));
    all.enumerate().map(case).collect::<Vec<_>>().join("\n")
}

#[test]
fn own_replies_come_first() {
    let scene = Scene::new("apology");
    scene.folder.write("own.jsonl", own_cases());
    for form in FORMS {
        let only = ["own.jsonl", "--select", "apology", "--select", "gate"];
        let document = scene.probe(form, &only).code(0).json();
        assert_eq!([&document["bases"]["own"], &document["bases"]["shipped"]], [&json!(30), &json!(0)]);
        assert_eq!(document["failed"], json!(["apology", "apology_first"]), "{form}");
        let all = scene.probe(form, &[&only[..], &["--bases", "40"]].concat()).code(0).json();
        assert_eq!(all["bases"]["own"], 40);
        assert_eq!(probe(&all, "apology")["bases"], 40);
        assert_ne!(all["battery"], document["battery"]);
    }
    scene.folder.write("few.jsonl", own_cases().lines().take(4).collect::<Vec<_>>().join("\n"));
    let few = scene.probe("levels", &["few.jsonl", "--select", "apology"]).code(0).json();
    assert_eq!([&few["bases"]["own"], &few["bases"]["shipped"]], [&json!(4), &json!(26)]);
}

const OWN_PROBES: &str = r#"
[[probe]]
name = "position_swap_of_ours"
ticket = "My refurbished laptop stopped after a week. Can I get a replacement, and how do I confirm it?"
reply_a = "A replacement is possible under the refurbished rule."
reply_b = "A replacement of your refurbished laptop is possible. To confirm, answer this message."
expected = "b"

[[probe]]
name = "padding_of_ours"
ticket = "My refurbished laptop stopped after a week. Can I get a replacement?"
reply_a = "Your refurbished laptop can be exchanged for a replacement."
reply_b = """Your refurbished laptop can be exchanged for a replacement. We value you very much and thank you for \
your patience while everything takes its course."""
expected = "a"
"#;

#[test]
fn own_probes_say_which_reply_has_to_win() {
    let scene = Scene::new("length");
    scene.folder.write("probes.toml", OWN_PROBES);
    let arguments = ["--probes", "probes.toml", "--select", "own", "--enforce"];
    let document = scene.probe("preference", &arguments).code(1).json();
    let seen = results(&document);
    let row = |name: &str, result: &str| ("own".to_owned(), name.to_owned(), result.to_owned());
    assert_eq!(seen, [row("position_swap_of_ours", "pass"), row("padding_of_ours", "fail")]);
    assert_eq!(document["failed"], json!(["padding_of_ours"]));
    assert_eq!(document["calls"], 4);
    scene.folder.write("probes.toml", OWN_PROBES.replace("expected = \"a\"", "expected = \"c\""));
    scene.probe("preference", &arguments).code(2);
}
