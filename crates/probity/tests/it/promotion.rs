//! `probity promote` and what is left of a promotion when anything changes.

use probity_engine::ledger::Store;
use serde_json::{Value, json};

use crate::answers::{Asked, completion};
use crate::binary::{Probity, QUICK, Ran};
use crate::mock::process::MockJudge;
use crate::support::{ScriptedServer, http_ok};

const N_CASES: usize = 56;

const RUBRIC: &str = r#"
name = "plain"
version = "1"
title = "Plain"
[scale]
min = 1
max = 5
[[criterion]]
id = "help"
title = "Help"
question = "Does it help?"
[criterion.anchors]
1 = "useless"
2 = "little use"
3 = "some use"
4 = "good"
5 = "excellent"
[[target]]
metric = "mean"
criterion = "help"
min = 1
"#;

const CONTRACT: &str = r#"
name = "support-judge"
version = "1"
owner = "quality team"
[gates]
block = ["pii", "safety"]
[agreement]
lower_bound_min = 0.6
human_share_min = 0.8
beats = ["baseline", "constant"]
[slices]
rows_min = 20
agreement_lower_bound_min = 0.5
[probes]
pass = ["all"]
[review]
path = "second line"
[coverage]
min = 0.95
[model]
fingerprints = "one"
[expiry]
valid_days = 90
"#;

/// A template of one's own, which asks as the built-in one does.
const TEMPLATE: &str = include_str!("../../../probity-engine/prompts/score.jinja");

fn cases(first: usize, n_cases: usize) -> String {
    let case = |n: usize| {
        let slice = if n.is_multiple_of(2) { "late" } else { "lost" };
        json!({
            "id": format!("t{n}"),
            "slice": slice,
            "ticket": format!("Where is parcel {n}, please?"),
            "reply": format!("Open the tracking page of parcel {n} in the app."),
        })
    };
    Value::Array((first..first + n_cases).map(case).collect()).to_string()
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}

/// What two people said who agree with the results of a run.
fn labels(results: &Value) -> String {
    let rows = results["results"].as_array().expect("rows").iter();
    lines(rows.flat_map(|row| {
        ["ann", "ben"].map(|name| {
            let label = row["help"]["score"].clone();
            json!({ "item": row["id"], "criterion": "help", "annotator": name, "label": label })
        })
    }))
}

/// A probing of the judge of `results` in which nothing fails.
pub(crate) fn probing(results: &Value) -> String {
    let summary = &results["summary"];
    json!({
        "battery": "b",
        "judge": { "id": summary["judge"]["id"] },
        "rubric": { "hash": summary["rubric"]["hash"] },
        "probes": [
            { "name": "again", "family": "repeat", "result": "pass", "message": "0 of 30" },
            { "name": "wrong_figure", "family": "sensitivity", "result": "pass", "message": "0 of 30" },
        ],
    })
    .to_string()
}

/// Keeps a probing in the store of a folder.
pub(crate) fn note_probing(folder: &Probity, [judge, rubric]: [&str; 2], text: &str) {
    let store = Store::open(&folder.path(".probity/store.db")).expect("a store").store;
    store.note(&format!("probe:{judge}:{rubric}"), text).expect("a note");
    store.close().expect("closed");
}

/// A folder with a judge, labels that agree with it and a probing that it passed.
struct Scene {
    folder: Probity,
    judge: Judge,
}

enum Judge {
    Mock(MockJudge),
    Scripted(ScriptedServer),
}

impl Judge {
    fn url(&self) -> String {
        match self {
            Judge::Mock(mock) => mock.url(),
            Judge::Scripted(server) => server.url("/v1"),
        }
    }
}

impl Scene {
    fn new(judge: Judge) -> Scene {
        let folder = Probity::new()
            .variable("OPENAI_API_KEY", "sk-mock")
            .file("probity.toml", QUICK)
            .file("cases.json", cases(0, N_CASES))
            .file("rubric.toml", RUBRIC)
            .file("template.jinja", TEMPLATE)
            .file("contract.toml", CONTRACT);
        let scene = Scene { folder, judge };
        scene.run(&[]).code(0);
        let results = scene.folder.json("out.json");
        scene.folder.write("labels.jsonl", labels(&results));
        scene.folder.write("probes.json", probing(&results));
        scene
    }

    fn mock() -> Scene {
        Scene::new(Judge::Mock(MockJudge::start(&[]))).with_evidence()
    }

    /// The same with what people said and the probing in the store.
    fn with_evidence(self) -> Scene {
        self.folder.args(["import", "labels", "labels.jsonl"]).run().code(0);
        self.note_probing(&String::from_utf8(self.folder.bytes("probes.json")).expect("text"));
        self
    }

    /// Keeps a probing of the judge and the rubric of the last run.
    fn note_probing(&self, text: &str) {
        let summary = self.folder.json("out.json")["summary"].clone();
        let [judge, rubric] =
            [&summary["judge"]["id"], &summary["rubric"]["hash"]].map(|text| text.as_str().expect("text"));
        note_probing(&self.folder, [judge, rubric], text);
    }

    fn promoted() -> Scene {
        let scene = Scene::mock();
        scene.promote(&[]).code(0);
        scene
    }

    fn call(&self, command: &str, words: &[&str]) -> Ran {
        let url = self.judge.url();
        let judge = ["--base-url", &url, "--rubric", "rubric.toml"];
        let mut all: Vec<&str> = words.to_vec();
        all.extend(judge);
        if !words.contains(&"--template") {
            all.extend(["--template", "template.jinja"]);
        }
        if !words.contains(&"--model") {
            all.extend(["--model", "m1"]);
        }
        self.folder.args([command]).words(all.into_iter()).run()
    }

    fn run(&self, words: &[&str]) -> Ran {
        let cases = if words.contains(&"more.json") { &[][..] } else { &["cases.json"] };
        self.call("run", &[cases, &["--output", "out.json"], words].concat())
    }

    fn promote(&self, words: &[&str]) -> Ran {
        let own = ["cases.json", "--contract", "contract.toml", "--resamples", "100"];
        self.call("promote", &[&own[..], words].concat())
    }

    /// Exchanges one text of a file for another.
    fn change(&self, name: &str, from: &str, to: &str) {
        let text = String::from_utf8(self.folder.bytes(name)).expect("text");
        assert!(text.contains(from), "{from:?} is in {name}");
        self.folder.write(name, text.replacen(from, to, 1));
    }

    /// A build with this judge is refused, for a reason with these words in it, and everything says so.
    #[track_caller]
    fn check_refused(&self, words: &[&str], reason: &str) {
        let ran = self.run(&[words, &["--enforce"]].concat()).code(1).says(["the judge is advisory", reason]);
        assert!(ran.stdout.contains("(advisory)") && ran.stdout.contains(reason), "{}", ran.stdout);
        let judge = self.folder.json("out.json")["summary"]["judge"].clone();
        assert_eq!(judge["standing"], "advisory");
        assert!(judge["standing_reason"].as_str().expect("a reason").contains(reason), "{judge}");
    }
}

#[test]
fn a_promoted_judge_passes_a_build() {
    let scene = Scene::mock();
    scene
        .run(&["--enforce"])
        .code(1)
        .says(["the judge is advisory (never promoted), so its figures must not gate a release"]);
    let out = scene.promote(&["--json"]).code(0).json();
    assert_eq!(
        (&out["standing"], &out["recorded"], &out["unmet"]),
        (&json!("promoted"), &json!(true), &json!([]))
    );
    let ran = scene.run(&["--enforce"]).code(0);
    assert!(ran.stdout.contains("judge openai m1 (promoted)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("standing: promoted on 20"), "{}", ran.stdout);
    assert!(ran.stdout.contains("under contract support-judge 1, until 20"), "{}", ran.stdout);
    let first = scene.folder.bytes("out.json");
    assert_eq!(scene.folder.json("out.json")["summary"]["judge"]["standing"], "promoted");
    scene.run(&["--enforce", "--offline"]).code(0);
    assert_eq!(scene.folder.bytes("out.json"), first, "a replay writes the same bytes");
    let calibrated = scene
        .call("calibrate", &["cases.json", "--labels", "labels.jsonl", "--json", "--resamples", "100"])
        .code(0)
        .json();
    assert_eq!(calibrated["judge"]["standing"], "promoted");
    assert!(calibrated["judge"]["standing_reason"].as_str().expect("a reason").contains("support-judge 1"));
}

#[test]
fn n03_results_in_a_file_have_the_standing_that_the_store_knows() {
    let scene = Scene::promoted();
    scene.run(&[]).code(0);
    let limits = "[[guardrail]]\nfigure = \"mean\"\ncriterion = \"help\"\ndrop_max = 9\n";
    scene.folder.write("limits.toml", limits);
    let diff = |before: &str| {
        let words = ["--resamples", "100", "--enforce", "--guardrails", "limits.toml"];
        scene.folder.args(["diff", before, "out.json"]).words(words.into_iter()).run()
    };
    diff("out.json").code(0);
    diff("1").code(0);
    scene.change("contract.toml", "valid_days = ", "valid_days = 1");
    diff("out.json")
        .code(1)
        .says(["advisory in the first run (revoked: contract (file:contract.toml) changed"]);
}

#[test]
fn a_missed_target_fails_a_build_by_a_promoted_judge() {
    let scene = Scene::mock();
    scene.folder.write(
        "rubric.toml",
        RUBRIC.replace("criterion = \"help\"\nmin = 1", "criterion = \"help\"\nmin = 5"),
    );
    scene.run(&[]).code(0);
    scene.note_probing(&probing(&scene.folder.json("out.json")));
    scene.promote(&[]).code(0);
    let ran = scene.run(&["--enforce"]).code(1);
    let mean = scene.folder.json("out.json")["summary"]["targets"][0]["value"].as_f64().expect("measured");
    ran.says([&format!("FAILED: 1 of 1 targets missed (mean help: {mean:.3}, needs at least 5)\n")]);
}

#[test]
fn n21_a_target_without_a_figure_passes_no_build_and_is_named_as_not_measured() {
    let scene = Scene::mock();
    let target = "metric = \"mean\"\ncriterion = \"help\"\nmin = 1";
    assert!(RUBRIC.contains(target));
    scene.folder.write("rubric.toml", RUBRIC.replace(target, "metric = \"mean_confidence\"\nmin = 0.5"));
    scene.run(&[]).code(0);
    scene.note_probing(&probing(&scene.folder.json("out.json")));
    scene.promote(&[]).code(0);
    scene
        .run(&["--enforce"])
        .code(1)
        .says(["FAILED: 1 of 1 targets missed (mean confidence: not measured, needs at least 0.5)\n"]);
    assert_eq!(scene.folder.json("out.json")["summary"]["targets"][0]["met"], Value::Null);
}

#[test]
fn every_part_that_changes_is_named() {
    let scene = Scene::promoted();
    scene.check_refused(&["--model", "m2"], "judge.model changed from m1 to m2");

    scene.folder.write("other.jinja", TEMPLATE.replacen("Reply to grade", "Reply to grade ", 1));
    scene.check_refused(&["--template", "other.jinja"], "judge.template changed from");

    scene.change("rubric.toml", "Does it help?", "Does it help!");
    scene.check_refused(&[], "rubric changed from");
    scene.folder.write("rubric.toml", RUBRIC);
    scene.run(&["--enforce"]).code(0);

    scene.change("contract.toml", "quality team", "quality tean");
    scene.check_refused(&[], "contract (file:contract.toml) changed from");
    scene.folder.write("contract.toml", CONTRACT);

    std::fs::remove_file(scene.folder.path("contract.toml")).expect("a file");
    scene.check_refused(&[], "to missing");
    scene.folder.write("contract.toml", CONTRACT);

    scene.check_refused(&["--one-call"], "run.call_plan changed from");

    scene.folder.write("probity.toml", format!("{QUICK}[gate]\nflag = [\"pii.email\"]\n"));
    scene.check_refused(&[], "gate.pii.email changed from block to no block");
    scene.folder.write("probity.toml", QUICK);
    scene.run(&["--enforce"]).code(0);
}

#[test]
fn a_standing_ends_on_its_day() {
    let scene = Scene::mock();
    scene.promote(&["--as-of", "2026-01-10"]).code(0);
    scene.run(&["--enforce", "--as-of", "2026-04-09"]).code(0);
    scene.check_refused(&["--as-of", "2026-04-10"], "expired on 2026-04-10");
}

#[test]
fn a_withdrawn_standing_stays_withdrawn_with_its_reason() {
    let scene = Scene::promoted();
    let withdrawn =
        scene.call("promote", &["--revoke", "complaints about tone", "--as-of", "2026-02-01"]).code(0);
    assert_eq!(withdrawn.stdout, "withdrew 1 standing of openai under rubric plain\n");
    scene.check_refused(&[], "withdrawn on 2026-02-01: complaints about tone");
    scene.call("promote", &["--revoke", "again"]).code(1).says(["to withdraw"]);
    scene.call("promote", &["--revoke", " "]).code(2).says(["expected a reason"]);
    scene.promote(&[]).code(0);
    scene.run(&["--enforce"]).code(0);
}

#[test]
fn a_contract_that_is_no_longer_met_takes_back_what_it_gave() {
    let scene = Scene::promoted();
    let passed = String::from_utf8(scene.folder.bytes("probes.json")).expect("text");
    scene.note_probing(&passed.replace("\"pass\"", "\"fail\""));
    let ran = scene.promote(&[]).code(1);
    assert!(ran.stdout.contains("2 of 2 probes do not pass: again (fail)"), "{}", ran.stdout);
    scene.check_refused(&[], "contract support-judge is not met: probes");
}

#[test]
fn n04_files_give_an_answer_and_record_nothing() {
    let scene = Scene::mock();
    for (flag, file) in [("--probes", "probes.json"), ("--labels", "labels.jsonl")] {
        let out = scene.promote(&[flag, file, "--json"]).code(0).json();
        assert_eq!(
            (&out["standing"], &out["met"], &out["recorded"], &out["report"]["decision"]["standing"]),
            (&json!("advisory"), &json!(true), &json!(false), &json!("advisory"))
        );
        let reason = out["standing_reason"].as_str().expect("a reason");
        let nothing = format!(
            "nothing was recorded, because a standing rests on the store alone and not on {flag} {file}"
        );
        assert!(reason.starts_with("would be promoted") && reason.contains(&nothing), "{reason}");
        let text = scene.promote(&[flag, file]).code(0).stdout;
        assert!(
            text.contains("\nstanding: advisory, would be promoted: the contract is met; nothing"),
            "{text}"
        );
        scene.run(&["--enforce"]).code(1).says(["never promoted"]);
    }
    scene.promote(&[]).code(0);
    let labels = String::from_utf8(scene.folder.bytes("labels.jsonl")).expect("text");
    scene.folder.write("few.jsonl", labels.lines().take(20).collect::<Vec<_>>().join("\n"));
    let ran = scene.promote(&["--labels", "few.jsonl"]).code(1);
    for line in
        ["labelled rows: 10 labelled rows on help, 50 are needed: 40 more labels", "more labels in late"]
    {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    scene.run(&["--enforce"]).code(0);
}

#[test]
fn n04_a_contract_that_asks_for_nothing_asks_for_what_every_contract_does() {
    let scene = Scene::new(Judge::Mock(MockJudge::start(&[])));
    scene.folder.args(["import", "labels", "labels.jsonl"]).run().code(0);
    scene.folder.write("contract.toml", "name = \"bare\"\nversion = \"1\"\nowner = \"o\"\n");
    let unmet = |ran: Ran| -> Vec<Value> {
        let out = ran.json();
        out["unmet"].as_array().expect("a list").iter().map(|unmet| unmet["requirement"].clone()).collect()
    };
    assert_eq!(unmet(scene.promote(&["--json"]).code(1)), ["probes", "human_review"]);
    scene.folder.write("probity.toml", format!("{QUICK}[gate]\nflag = [\"pii.email\"]\n"));
    assert_eq!(unmet(scene.promote(&["--json"]).code(1)), ["hard_gates", "probes", "human_review"]);
    scene.folder.write("probity.toml", QUICK);
    let scene = scene.with_evidence();
    scene.promote(&["--review-path", " "]).code(2).says(["expected a text that says where replies go"]);
    let out = scene.promote(&["--review-path", "second line", "--json"]).code(0).json();
    assert_eq!((&out["standing"], &out["recorded"]), (&json!("promoted"), &json!(true)));
    scene.run(&["--enforce"]).code(0);
}

/// A judge with another fingerprint from the `n`th call on.
fn turncoat(n: usize) -> ScriptedServer {
    ScriptedServer::with(move |request| {
        let asked = Asked::of(request);
        let level = 1 + asked.reply.bytes().map(usize::from).sum::<usize>() % 5;
        let reason = format!("On {} it says {}.", asked.criterion(), asked.reply);
        let mut answer = completion(&json!({ "score": level, "reasoning": reason }).to_string(), "stop");
        answer["model"] = json!("m1");
        answer["system_fingerprint"] = json!(if request.number < n { "fp_one" } else { "fp_two" });
        http_ok(&answer.to_string())
    })
}

#[test]
fn another_fingerprint_revokes_for_the_output_that_saw_it() {
    let scene = Scene::new(Judge::Scripted(turncoat(N_CASES))).with_evidence();
    let out = scene.promote(&["--json"]).code(0).json();
    assert_eq!(out["bound"]["fingerprint"], "fp_one");
    scene.folder.write("more.json", cases(1000, 5));
    scene.check_refused(&["more.json"], "fingerprint changed from fp_one to fp_two");
    scene.run(&["--enforce"]).code(0);
    let again = scene.promote(&[]).code(1);
    assert!(again.stdout.contains("more than one model answered: m1, fp_one, fp_two"), "{}", again.stdout);
}

#[test]
fn the_baseline_judge_fails_a_sensible_contract() {
    let scene = Scene::mock();
    let words = ["promote", "cases.json", "--contract", "contract.toml", "--labels", "labels.jsonl"];
    let out = scene.folder.args(words).words(
        ["--rubric", "rubric.toml", "--judge", "baseline", "--json", "--resamples", "100"].into_iter(),
    );
    let out = out.run().code(1).json();
    let unmet: Vec<&str> = out["unmet"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|unmet| unmet["requirement"].as_str().unwrap())
        .collect();
    for requirement in ["agreement", "human_share", "beats_baseline", "probes"] {
        assert!(unmet.contains(&requirement), "{unmet:?}");
    }
}

#[test]
fn a_probing_must_be_of_this_judge_and_rubric() {
    let scene = Scene::new(Judge::Mock(MockJudge::start(&[])));
    let promote = |words: &[&str]| scene.promote(&[&["--labels", "labels.jsonl"], words].concat());
    let ran = promote(&[]).code(1);
    assert!(
        ran.stdout.contains("probes: no probing of this judge under rubric plain is on record"),
        "{}",
        ran.stdout
    );
    let of_file = ["--probes", "probes.json"];
    let probes = String::from_utf8(scene.folder.bytes("probes.json")).expect("text");
    scene.folder.write("probes.json", probes.replacen("\"hash\":\"", "\"hash\":\"0", 1));
    let ran = promote(&of_file).code(1);
    assert!(ran.stdout.contains("the probing in probes.json is under another rubric"), "{}", ran.stdout);
    scene.folder.write("probes.json", probes.replacen("\"id\":\"", "\"id\":\"0", 1));
    let ran = promote(&of_file).code(1);
    assert!(ran.stdout.contains("the probing in probes.json is of another judge"), "{}", ran.stdout);
    scene.folder.write("probes.json", "{}");
    promote(&of_file).code(2).says(["probes probes.json: expected what `probity probe --json` writes"]);
}

#[test]
fn the_last_probing_on_record_counts() {
    let scene = Scene::promoted();
    let passed = String::from_utf8(scene.folder.bytes("probes.json")).expect("text");
    scene.run(&["--enforce"]).code(0);
    scene.note_probing(&passed.replace("\"b\"", "\"c\""));
    scene.check_refused(&[], "probes changed from b to c");
    scene.note_probing(&passed.replace("\"pass\"", "\"fail\""));
    scene.check_refused(&[], "probes.not_passed changed from none to again, wrong_figure");
    scene.note_probing("no JSON");
    scene.check_refused(&[], "probes changed from b to missing");
}

#[test]
fn labels_of_the_store_are_bound_as_well() {
    let scene = Scene::promoted();
    scene.run(&["--enforce"]).code(0);
    let one = json!({ "item": "t0", "criterion": "help", "annotator": "cyd", "label": 3 });
    scene.folder.write("more.jsonl", lines([one]));
    scene.folder.args(["import", "labels", "more.jsonl"]).run().code(0);
    scene.check_refused(&[], "labels (store) changed from");
}

#[test]
fn standings_that_cannot_be_read_promote_nobody() {
    let scene = Scene::promoted();
    let store = Store::open(&scene.folder.path(".probity/store.db")).expect("a store").store;
    store.note("standings", "[{\"v\":1}]").expect("a note");
    store.close().expect("closed");
    scene.check_refused(&[], "the standings in the store cannot be read");
    scene.promote(&[]).code(4).says(["the standings in the store cannot be read"]);
}

#[test]
fn one_person_is_no_measure_for_a_judge() {
    let scene = Scene::mock();
    let labels = String::from_utf8(scene.folder.bytes("labels.jsonl")).expect("text");
    let one: Vec<&str> = labels.lines().filter(|line| line.contains("\"ann\"")).collect();
    scene.folder.write("one.jsonl", one.join("\n"));
    let ran = scene.promote(&["--labels", "one.jsonl"]).code(1);
    assert!(ran.stdout.contains("1 of 15 requirements of contract"), "{}", ran.stdout);
    assert!(ran.stdout.contains("one person labelled, so people cannot be compared"), "{}", ran.stdout);
}

#[test]
fn the_report_retains_what_the_decision_rested_on() {
    let scene = Scene::mock();
    scene.change("cases.json", "of parcel 3 in the app.", "of parcel 3, or write to kim@example.org.");
    let report = scene.promote(&["--json"]).code(0).json()["report"].clone();
    let sections: Vec<&String> = report.as_object().expect("an object").keys().collect();
    assert_eq!(sections, ["hard_gates", "rubric", "runs", "probes", "calibration", "decision"]);
    assert_eq!(
        (&report["hard_gates"]["admitted"], &report["hard_gates"]["blocked"]),
        (&json!(55), &json!(1))
    );
    let finding = &report["hard_gates"]["blocked_replies"][0];
    assert_eq!((&finding["id"], &finding["findings"][0]["rule"]), (&json!("t3"), &json!("pii.email")));
    assert!(!report.to_string().contains("kim@example.org"));
    assert_eq!(report["rubric"]["criteria"][0]["anchors"]["4"], "good");
    let runs = report["runs"]["by_criterion"]["help"].as_array().expect("a list");
    assert_eq!(runs.len(), 5);
    assert!(runs.iter().all(|run| run["reasoning"].as_str().unwrap().chars().count() <= 200));
    assert_eq!(report["probes"]["by_family"]["repeat"][0]["result"], "pass");
    assert_eq!(report["calibration"]["by_slice"]["lost"]["n"], 27);
    assert_eq!(
        (&report["decision"]["owner"], &report["decision"]["failed_requirements"]),
        (&json!("quality team"), &json!([]))
    );
}

#[test]
fn a_judge_of_pairs_is_promoted_by_labels_of_pairs() {
    let mock = MockJudge::start(&["--pairs", "longer"]);
    let replies = |words: [&str; 2]| {
        lines((0..N_CASES).map(|n| {
            let words = words[usize::from(n % 8 == 0)];
            json!({ "id": format!("t{n}"), "ticket": format!("Where is parcel {n}?"), "reply": format!("{words} parcel {n}.") })
        }))
    };
    let folder = Probity::new()
        .variable("OPENAI_API_KEY", "sk-mock")
        .file("probity.toml", QUICK)
        .file("old.jsonl", replies(["Look up", "Open the tracking page of"]))
        .file("new.jsonl", replies(["Open the tracking page of", "Look up"]))
        .file(
            "contract.toml",
            "name = \"pairs\"\nversion = \"1\"\nowner = \"o\"\n[agreement]\nlower_bound_min = 0.6\n[review]\npath = \"p\"\n",
        );
    let url = mock.url();
    let call = |words: &[&str]| {
        folder.args([]).words(words.iter().copied().chain(["--base-url", &url, "--json"])).run()
    };
    let compared = call(&["compare", "old.jsonl", "new.jsonl"]).code(0).json();
    assert_eq!(compared["judge"]["standing_reason"], "never promoted");
    // A judge without standing fails no build.
    let junit = || {
        call(&["compare", "new.jsonl", "old.jsonl", "--report", "out.xml"]).code(0);
        String::from_utf8(folder.bytes("out.xml")).expect("XML")
    };
    assert!(junit().contains("tests=\"57\" failures=\"0\" errors=\"0\" skipped=\"57\""), "{}", junit());
    let label = |row: &Value| json!({ "item": row["id"], "annotator": "ann", "label": row["winner"], "variant_a": "old", "variant_b": "new" });
    folder.write("labels.jsonl", lines(compared["comparisons"].as_array().expect("rows").iter().map(label)));
    folder.args(["import", "labels", "labels.jsonl"]).run().code(0);
    let probing =
        probing(&json!({ "summary": { "judge": compared["judge"], "rubric": compared["rubric"] } }));
    let [judge, rubric] =
        [&compared["judge"]["id"], &compared["rubric"]["hash"]].map(|text| text.as_str().expect("text"));
    note_probing(&folder, [judge, rubric], &probing);
    let words = ["promote", "old.jsonl", "new.jsonl", "--contract", "contract.toml"];
    let rubric = ["--rubric", "pairwise-support", "--quiet", "--resamples", "100"];
    let out = call(&[&words[..], &rubric].concat()).code(0).json();
    assert_eq!(out["standing"], "promoted");
    assert_eq!(out["report"]["runs"]["pairs"].as_array().expect("a list").len(), 5);
    assert_eq!(out["report"]["runs"]["pairs"][0]["orders"].as_array().expect("both").len(), 2);
    let compared = call(&["compare", "old.jsonl", "new.jsonl"]).code(0).json();
    assert_eq!(compared["judge"]["standing"], "promoted");
    let decision = &compared["decision"];
    assert_eq!((&decision["winner"], &decision["standing"]), (&json!("new"), &json!("promoted")));
    assert!(junit().contains("tests=\"57\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{}", junit());
    let text = folder.args(["compare", "old.jsonl", "new.jsonl", "--base-url", &url]).run().code(0).stdout;
    assert!(
        text.contains("judge openai mock-judge (promoted)") && text.contains("standing: promoted on"),
        "{text}"
    );
}
