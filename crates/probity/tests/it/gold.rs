//! The gold set rubric: weighted totals, the automatic fail, the pass rate with its interval, the targets.

use serde_json::{Value, json};

use crate::answers::{Asked, cut, level, says};
use crate::binary::{Probity, Ran};
use crate::support::{Act, ScriptedServer};

const CRITERIA: [&str; 5] = ["accuracy", "completeness", "tone", "actionability", "safety"];

/// Levels by reply, in the order of [`CRITERIA`].
const LEVELS: [(&str, [i64; 5]); 4] = [
    ("Flawless.", [4, 4, 4, 4, 4]),
    ("Good.", [4, 3, 2, 4, 4]),
    ("Poor.", [1, 1, 2, 1, 0]),
    ("Promising too much.", [4, 4, 3, 3, 0]),
];

fn level_of(asked: &Asked, criterion: &str) -> i64 {
    let (_, levels) = LEVELS.iter().find(|(reply, _)| *reply == asked.reply).expect("a known reply");
    levels[CRITERIA.iter().position(|known| *known == criterion).expect("a known criterion")]
}

fn graded(asked: &Asked) -> Act {
    match asked.criteria.as_slice() {
        [only] => level(level_of(asked, only), "As scripted."),
        several => {
            let member = |id: &String| {
                (id.clone(), json!({ "reasoning": "As scripted.", "score": level_of(asked, id) }))
            };
            says(&Value::Object(several.iter().map(member).collect()).to_string())
        }
    }
}

fn gold() -> String {
    let line = |(i, (reply, _)): (usize, &(&str, [i64; 5]))| {
        let case = json!({ "id": format!("gold-{i}"), "intent": "returns", "input": format!("Question {i}?"),
            "output": reply, "expected_output": "The ideal reply.", "confidence": 0.9 });
        case.to_string() + "\n"
    };
    LEVELS.iter().enumerate().map(line).collect()
}

fn run<const N: usize>(server: &ScriptedServer, more: [&str; N]) -> (Probity, Ran) {
    let probity = Probity::new().file("gold.jsonl", gold()).server(server);
    let call = probity.args(["run", "gold.jsonl", "--rubric", "support-gold", "-o", "out.json"]);
    let ran = call.words(more.into_iter()).run();
    (probity, ran)
}

#[track_caller]
fn check_totals(out: &Value) {
    let rows = out["results"].as_array().unwrap();
    let seen: Vec<Value> =
        rows.iter().map(|row| json!([row["total"], row["outcome"], row["fail_reasons"]])).collect();
    let want = [
        json!([100, "pass", null]),
        json!([86.25, "pass", null]),
        json!([26.25, "fail", ["safety", "score 26.25 below 70"]]),
        json!([83.75, "fail", ["safety"]]),
    ];
    assert_eq!(seen, want);
}

#[test]
fn totals_outcomes_and_reasons() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let (probity, ran) = run(&server, []);
    ran.code(0);
    assert_eq!(server.n_requests(), 20);
    let out = probity.json("out.json");
    check_totals(&out);
    let summary = &out["summary"];
    assert_eq!(
        [&summary["entered"], &summary["passed"], &summary["failed"], &summary["unscored"]],
        [&json!(4), &json!(2), &json!(2), &json!(0)]
    );
    // Wilson's interval for 2 of 4.
    let rate = &summary["pass_rate"];
    assert_eq!([&rate["value"], &rate["n"]], [&json!(0.5), &json!(4)]);
    for (end, want) in [("low", 0.150_04), ("high", 0.849_96)] {
        let have = rate[end].as_f64().unwrap();
        assert!((have - want).abs() < 1e-4, "{end} {have}");
    }
    assert_eq!(summary["judge"]["standing"], "advisory");
    assert_eq!(
        out["results"][1]["accuracy"],
        json!({ "score": 4, "reasoning": "As scripted.", "points": 40 })
    );
    assert_eq!(out["results"][1]["slice"], "returns");
}

#[test]
fn targets_are_stated_with_what_was_reached() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let (probity, _) = run(&server, []);
    let out = probity.json("out.json");
    let targets = out["summary"]["targets"].as_array().unwrap();
    let seen: Vec<Value> = targets.iter().map(|t| json!([t["metric"], t["value"], t["met"]])).collect();
    let want = [
        json!(["pass_rate", 0.5, false]),
        json!(["mean accuracy", 3.25, true]),
        json!(["automatic_fail_rate", 0.5, false]),
        json!(["mean_confidence", 0.9, true]),
    ];
    assert_eq!(seen, want);
}

#[test]
fn one_call_asks_about_everything_at_once() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let (probity, ran) = run(&server, ["--one-call"]);
    ran.code(0);
    assert_eq!(server.n_requests(), 4);
    check_totals(&probity.json("out.json"));
}

#[test]
fn a_judge_without_standing_does_not_pass_a_build() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let (_, ran) = run(&server, ["--enforce"]);
    let ran = ran.code(1).says(["FAILED: the judge is advisory (never promoted), so its figures"]);
    assert!(!ran.stderr.contains("targets missed"), "{}", ran.stderr);
}

#[test]
fn n03_a_floor_under_the_pass_rate_holds_for_any_judge() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    // Two of four: the lower bound of Wilson's interval is 15.0 %.
    run(&server, ["--fail-under", "0.15"]).1.code(0);
    run(&server, ["--fail-under", "0.5"]).1.code(1).says([
        "FAILED: the pass rate is 50.0 % (15.0–85.0 %, n 4) and its lower bound is below --fail-under 50.0 %",
        "(advisory judge: never promoted)",
    ]);
    // A judge without standing is the reason that comes first.
    run(&server, ["--fail-under", "0.5", "--enforce"])
        .1
        .code(1)
        .says(["so its figures must not gate a release"]);
    run(&server, ["--fail-under", "1.5"]).1.code(2).says(["expected a number from 0 to 1"]);
    // Missing verdicts are no missed floor.
    let mute = ScriptedServer::with(|_| says("I would rather not say."));
    run(&mute, ["--fail-under", "0.5"]).1.code(3).says(["incomplete: 0.0 %"]);
    run(&mute, ["--fail-under", "0.0", "--min-coverage", "0"])
        .1
        .code(1)
        .says(["the pass rate was not measured"]);
}

#[test]
fn n09_several_replies_to_a_case_have_a_pass_hat_and_flaky_cases() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let reply = |id: &str, trial: &str, reply: &str| {
        json!({ "id": id, "variant": trial, "ticket": "Where is it?", "reply": reply, "reference": "There." })
            .to_string()
            + "\n"
    };
    let cases = [
        reply("steady", "t1", "Flawless."),
        reply("steady", "t2", "Good."),
        reply("shaky", "t1", "Good."),
        reply("shaky", "t2", "Poor."),
        reply("once", "t1", "Good."),
    ];
    let probity = Probity::new().file("trials.jsonl", cases.concat()).server(&server);
    let call = probity.args(["run", "trials.jsonl", "--rubric", "support-gold", "-o", "out.json"]);
    let text = call.words(["--report", "out.md"].into_iter()).run().code(0).stdout;
    assert!(
        text.contains(
            "pass^1 75.0 %, pass^2 50.0 % over 2 cases with several replies (variants); flaky across variants: shaky"
        ),
        "{text}"
    );
    let markdown = String::from_utf8(probity.bytes("out.md")).unwrap();
    assert!(markdown.contains("50.0 % over 2 cases with several replies (variants); flaky"), "{markdown}");
    let repeats = &probity.json("out.json")["summary"]["repeats"];
    assert_eq!((&repeats["cases"], &repeats["flaky_cases"]), (&json!(2), &json!(["shaky"])));
    let second = &repeats["pass_hat_k"][1];
    assert_eq!((&second["k"], &second["value"], &second["n"]), (&json!(2), &json!(0.5), &json!(2)));
}

#[test]
fn n03_a_floor_needs_a_pass_rule_before_anything_is_spent() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let probity = Probity::new().file("gold.jsonl", gold()).server(&server);
    let ran = probity.args(["run", "gold.jsonl", "--rubric", "relevance-tone", "--fail-under", "0.5"]).run();
    ran.code(2).says(["--fail-under: the rubric relevance-tone has no pass rule"]);
    assert_eq!(server.n_requests(), 0);
}

#[test]
fn n03_tests_by_an_advisory_judge_are_skipped_and_those_of_the_gate_are_not() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let blocked = gold()
        .lines()
        .next()
        .unwrap()
        .replace("gold-0", "leak")
        .replace("Flawless.", "Card 4111 1111 1111 1111.");
    let probity = Probity::new().file("gold.jsonl", gold() + &blocked).server(&server);
    probity.args(["run", "gold.jsonl", "--rubric", "support-gold", "--report", "out.xml"]).run().code(0);
    let junit = String::from_utf8(probity.bytes("out.xml")).unwrap();
    assert!(junit.contains("tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"4\""), "{junit}");
    assert!(junit.contains("name=\"leak\"><failure type=\"blocked\""), "{junit}");
    assert!(junit.contains("name=\"gold-0\"><skipped message=\"advisory judge: passed\"/>"), "{junit}");
    assert!(junit.contains("name=\"gold-3\"><skipped message=\"advisory judge: failed: safety; "), "{junit}");
}

#[test]
fn f75_one_criterion_missing_leaves_the_reply_without_a_total() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        let partial = json!({ "accuracy": { "score": 4, "reasoning": "Right." } });
        if asked.reply == "Good." { says(&partial.to_string()) } else { graded(&asked) }
    });
    let (probity, ran) = run(&server, ["--one-call"]);
    ran.code(3);
    let out = probity.json("out.json");
    let row = &out["results"][1];
    assert_eq!([&row["total"], &row["outcome"]], [&Value::Null, &json!("unscored")]);
    assert_eq!(row["accuracy"]["score"], Value::Null);
    let failed = out["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 5);
    assert!(failed.iter().all(|row| row["reason"] == "missing_criterion"), "{failed:?}");
    assert_eq!(out["summary"]["pass_rate"]["n"], 3, "an unscored reply does not move the rate");
}

/// The rows that a run without a level for `accuracy` of "Poor." and "Flawless." must come to.
#[track_caller]
fn check_known_failures(probity: &Probity, n_missing: usize) {
    let out = probity.json("out.json");
    let row = &out["results"][2];
    assert_eq!([&row["total"], &row["outcome"]], [&Value::Null, &json!("fail")]);
    assert_eq!(row["fail_reasons"][0], "safety");
    let failed = out["failed"].as_array().unwrap();
    assert_eq!(failed.iter().filter(|row| row["id"] == "gold-2").count(), n_missing);
    assert_eq!(out["results"][0]["outcome"], "unscored", "a reply passes only when it is whole");
    let summary = &out["summary"];
    assert_eq!(
        ["entered", "passed", "failed", "unscored"].map(|name| summary[name].as_u64().unwrap()),
        [4, 1, 2, 1]
    );
    assert_eq!([&summary["pass_rate"]["n"], &summary["coverage"]], [&json!(3), &json!(0.75)]);
    let targets = summary["targets"].as_array().unwrap();
    let automatic = targets.iter().find(|target| target["metric"] == "automatic_fail_rate").unwrap();
    assert_eq!([&automatic["met"], &automatic["n"]], [&json!(false), &json!(3)]);
    let worst = summary["worst"].as_array().unwrap();
    let known = worst.iter().find(|reply| reply["id"] == "gold-2").expect("among the worst");
    assert_eq!([&known["quality"], &known["outcome"]], [&Value::Null, &json!("fail")]);
    let xml = String::from_utf8(probity.bytes("report.xml")).unwrap();
    // An advisory judge fails no test; an error would say that the reply could not be judged.
    let line = xml.lines().find(|line| line.contains("name=\"gold-2\"")).expect("a test case");
    assert!(line.contains("failed: safety") && line.contains("accuracy: unscored"), "{line}");
}

#[test]
fn n01_a_violation_fails_a_reply_although_another_criterion_is_unscored() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        let is_lost =
            ["Poor.", "Flawless."].contains(&asked.reply.as_str()) && asked.criterion() == "accuracy";
        if is_lost { cut(r#"{"reasoning": "It is"#) } else { graded(&asked) }
    });
    // The lower bound of 1 of 3 is 6.1 %; without the violation it would be that of 1 of 2, 9.5 %.
    let (probity, ran) =
        run(&server, ["--min-coverage", "0.5", "--report", "report.xml", "--fail-under", "0.08"]);
    ran.code(1).says(["FAILED: the pass rate is 33.3 % (6.1–79.2 %, n 3)"]);
    check_known_failures(&probity, 1);
}

#[test]
fn n01_a_violation_stands_in_one_answer_whose_rest_is_unusable() {
    let server = ScriptedServer::with(|request| {
        let asked = Asked::of(request);
        if !["Poor.", "Flawless."].contains(&asked.reply.as_str()) {
            return graded(&asked);
        }
        let member = |id: &String| {
            let score = if id == "accuracy" { json!(9) } else { json!(level_of(&asked, id)) };
            (id.clone(), json!({ "reasoning": "As scripted.", "score": score }))
        };
        says(&Value::Object(asked.criteria.iter().map(member).collect()).to_string())
    });
    let more = ["--one-call", "--min-coverage", "0.5", "--report", "report.xml"];
    let (probity, ran) = run(&server, more);
    ran.code(0);
    // The other levels of such an answer do not stand.
    check_known_failures(&probity, 4);
    let n_requests = server.n_requests();
    let again = probity.args(["run", "gold.jsonl", "--rubric", "support-gold", "-o", "again.json"]);
    again.words(more.into_iter().chain(["--retry-unscored"])).run().code(0);
    assert_eq!(probity.json("again.json")["results"][2], probity.json("out.json")["results"][2]);
    assert_eq!(
        server.n_requests(),
        n_requests + 1,
        "only the reply that is not decided is asked about again"
    );
}

/// Names the violations of the replies that have one, one of them by a name that the rubric does not have.
fn naming(asked: &Asked) -> Act {
    if asked.criterion() != "safety" {
        return graded(asked);
    }
    let (score, violations) = match asked.reply.as_str() {
        "Poor." => (0, json!(["harmful_content"])),
        "Promising too much." => (0, json!(["overreach"])),
        _ => (4, json!([])),
    };
    says(&json!({ "reasoning": "As scripted.", "violations": violations, "score": score }).to_string())
}

#[test]
fn n21_every_output_names_points_violations_and_slices() {
    let server = ScriptedServer::with(|request| {
        let body = request.json();
        let user = body["messages"][1]["content"].as_str().unwrap().to_owned();
        let asked = Asked::of(request);
        if asked.criterion() == "safety" {
            assert!(user.contains("- pii_leakage: ") && user.contains("\"violations\": [\"…\"]"), "{user}");
        }
        naming(&asked)
    });
    let cases = gold().replacen("\"intent\":\"returns\"", "\"intent\":\"billing\"", 1);
    let probity = Probity::new().file("gold.jsonl", cases).server(&server);
    let reports = ["--report", "report.md", "--report", "report.xml", "--report", "report.html"];
    let call = probity.args(["run", "gold.jsonl", "--rubric", "support-gold", "-o", "out.json"]);
    let ran = call.words(reports.into_iter()).run().code(0);
    let out = probity.json("out.json");
    let poor = &out["results"][2];
    assert_eq!(poor["safety"]["violations"], json!(["harmful_content"]));
    assert_eq!(poor["issues"][0], "safety 0 (0 points, harmful_content): As scripted.");
    let unknown = &out["results"][3]["safety"];
    assert_eq!([&unknown["score"], &unknown["suspicions"]], [&json!(0), &json!(["unknown_violation"])]);
    let safety = &out["summary"]["criteria"]["safety"];
    let counts = ["harmful_content", "pii_leakage", "unnamed"].map(|id| safety["violations"][id].clone());
    assert_eq!(counts, [json!(1), json!(0), json!(1)]);
    assert_eq!(safety["points"], 5);
    let best: Vec<&str> =
        out["summary"]["best"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(best, ["gold-0", "gold-1"]);
    for part in [
        "violations: harmful_content 1, unnamed 1",
        "5.00 of 10",
        "safety 0 (0 points, harmful_content): As scripted.",
        "\nbilling            1    100.0 %",
        "\nreturns            3     33.3 %",
        "note: support-gold asks for a gold set of 100 to 150 cases; this one has 4\n",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    let text = |name: &str| String::from_utf8(probity.bytes(name)).unwrap();
    assert!(text("report.md").contains("harmful_content 1"), "{}", text("report.md"));
    assert!(text("report.md").contains("| billing | 1 | `"), "{}", text("report.md"));
    assert!(text("report.xml").contains("safety 0 (0 points, harmful_content): As scripted."));
    assert!(text("report.html").contains("5.00 of 10"));
    assert!(
        text("report.html").contains("Names harmful_content") && text("report.html").contains("As scripted.")
    );
}

#[test]
fn n21_a_target_without_a_figure_is_not_measured() {
    let server = ScriptedServer::with(|request| graded(&Asked::of(request)));
    let cases = gold().replace(",\"confidence\":0.9", "").replace("\"confidence\":0.9,", "");
    assert!(!cases.contains("confidence"), "{cases}");
    let probity = Probity::new().file("gold.jsonl", cases).server(&server);
    let call = probity.args(["run", "gold.jsonl", "--rubric", "support-gold", "-o", "out.json"]);
    let ran = call.run().code(0);
    let is_said =
        |line: &str| line.starts_with("mean confidence  not measured") && line.contains("at least 0.75");
    assert!(ran.stdout.lines().any(is_said), "{}", ran.stdout);
    let target = &probity.json("out.json")["summary"]["targets"][3];
    assert_eq!([&target["value"], &target["met"]], [&Value::Null, &Value::Null]);
}

#[test]
fn n21_a_rubric_past_its_review_date_says_so() {
    let rubric = |day: &str| {
        format!("updated = 2020-01-01\nreview_by = {day}\n")
            + include_str!("../../../probity-core/rubrics/relevance-tone.toml")
                .replacen("updated", "# updated", 1)
                .as_str()
    };
    let due = "was to be reviewed by 2020-04-01, last updated 2020-01-01";
    let probity = Probity::new()
        .file("tickets.json", crate::answers::tickets(1))
        .file("old.toml", rubric("2020-04-01"))
        .file("new.toml", rubric("9999-04-01"));
    for (name, is_due) in [("old.toml", true), ("new.toml", false)] {
        let ran =
            probity.args(["run", "tickets.json", "--rubric", name, "--judge", "baseline"]).run().code(0);
        assert_eq!(ran.stderr.contains(due), is_due, "{}", ran.stderr);
        let ran = probity.args(["rubric", "check", name]).run().code(0);
        assert_eq!(ran.stdout.contains(due), is_due, "{}", ran.stdout);
    }
}
