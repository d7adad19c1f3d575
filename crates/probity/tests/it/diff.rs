//! `probity diff`: two runs in, what changed out, and what is refused.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::answers::{Asked, level, says};
use crate::binary::{Probity, Ran};
use crate::support::{Act, ScriptedServer};
use probity_engine::ledger::Store;

const RUBRIC: &str = r#"
name = "desk"
version = "1"
title = "Help desk"
[scale]
min = 0
max = 4
[[criterion]]
id = "help"
title = "Help"
question = "Does the reply help?"
weight = 60
[criterion.anchors]
0 = "not at all"
1 = "hardly"
2 = "in part"
3 = "mostly"
4 = "fully"
[[criterion]]
id = "tone"
title = "Tone"
question = "Is the tone right?"
weight = 40
[criterion.anchors]
0 = "rude"
1 = "cold"
2 = "neutral"
3 = "friendly"
4 = "warm"
[pass]
total_min = 70
"#;

/// A judge that reads the level of `help` in the first digit of the reply and finds every tone friendly.
fn reading_judge() -> ScriptedServer {
    ScriptedServer::with(|request| answer(&Asked::of(request)))
}

fn answer(asked: &Asked) -> Act {
    let digit = asked.reply.chars().find(char::is_ascii_digit).and_then(|digit| digit.to_digit(10));
    match (asked.criterion(), digit) {
        (_, None) => says("I would rather not say."),
        ("help", Some(help)) => level(i64::from(help), &format!("It helps at {help}.")),
        _ => level(3, "Friendly enough."),
    }
}

/// One case per reply; cases alternate between two slices.
fn cases(replies: &[&str]) -> String {
    let case = |(i, reply): (usize, &&str)| {
        let slice = ["billing", "shipping"][i % 2];
        json!({ "id": format!("case-{i:02}"), "slice": slice, "ticket": format!("Question {i}?"), "reply": reply })
    };
    Value::Array(replies.iter().enumerate().map(case).collect()).to_string()
}

/// Two runs by one judge and rubric, as `a.json` and `b.json`.
fn two_runs(before: &[&str], after: &[&str]) -> Probity {
    let server = reading_judge();
    let probity = Probity::new().file("desk.toml", RUBRIC).server(&server);
    for (name, replies) in [("a", before), ("b", after)] {
        probity.write(&format!("{name}-cases.json"), cases(replies));
        let (cases, out) = (format!("{name}-cases.json"), format!("{name}.json"));
        let args = ["run", &cases, "--rubric", "desk.toml", "--output", &out, "--min-coverage", "0"];
        probity.args(args).run().code(0);
    }
    probity
}

/// Makes both runs those of a judge that the store has promoted.
fn promoted(probity: Probity) -> Probity {
    promote(&probity, |_| true);
    probity
}

/// Puts a standing of the judge into the store, under which the runs with these numbers were made.
fn promote(probity: &Probity, is_promoted: impl Fn(&str) -> bool) {
    let store = Store::open(&probity.path(".probity/store.db")).expect("a store").store;
    for outcome in store.reader().expect("a reader").outcomes().expect("outcomes") {
        let mut figures: Value = serde_json::from_str(&outcome.body).expect("figures");
        if is_promoted(&outcome.run.to_string()) {
            figures["judge"]["standing"] = "promoted".into();
        }
        store.note_outcome(outcome.run, ("run", &figures.to_string()), &outcome.at).expect("a note");
    }
    let Value::Object(summary) = probity.json("a.json")["summary"].take() else { panic!("no summary") };
    let (judge, rubric) = (&summary["judge"], &summary["rubric"]);
    let standing = json!({
        "v": 1, "judge": judge["id"], "kind": judge["kind"], "rubric": rubric["name"],
        "contract": ["desk", "1", "quality"], "granted": "2020-01-01", "until": null,
        "parts": { "rubric": rubric["hash"] }, "sources": {}, "withdrawn": null,
    });
    store.note("standings", &json!([standing]).to_string()).expect("a note");
    store.close().expect("closed");
}

fn diff<const N: usize>(probity: &Probity, args: [&str; N]) -> Ran {
    probity.args(["diff", "a.json", "b.json", "--resamples", "200"]).words(args.into_iter()).run()
}

#[track_caller]
fn check(text: &str, want: &Expect) {
    want.assert_eq(text);
}

#[test]
fn a_change_is_shown_with_its_cases() {
    let before = ["Level 4.", "Level 4.", "Level 4.", "Level 1.", "Level 3.", "Level 3.", "Level 4."];
    let after = ["Level 4.", "Level 1.", "Level 0.", "Level 4.", "no number", "Card 4111 1111 1111 1111."];
    let probity = two_runs(&before, &after);
    let ran = diff(&probity, []).code(0);
    // One judge, one rubric: there is nothing to warn of but what a run warned of itself.
    assert_eq!(ran.stderr, "");
    let hash_free: Vec<&str> = ran.stdout.lines().filter(|line| !line.starts_with("  cases: ")).collect();
    check(
        &(hash_free.join("\n") + "\n"),
        &expect![[r#"
            a.json → b.json · desk 1 · judge openai gpt-4o-mini (advisory)
            6 pairs by id · 5 changed · 1 only before · 0 only after · 71.4 % with an outcome in both runs
            The pass rate fell from 80.0 % to 40.0 %: this may be chance, −80.4 to +31.3 points.
            5 of 6 pairs changed.

            Pass rate, before and after
            pass rate of   before   after  change   95 % interval  n  higher  lower       p  adjusted
            all pairs      80.0 %  40.0 %   −40.0  −80.4 to +31.3  5       1      3  0.6250         –
            billing       100.0 %  50.0 %   −50.0  −90.5 to +27.3  2       0      1  1.0000    1.0000
            shipping       66.7 %  33.3 %   −33.3  −87.7 to +58.5  3       1      2  1.0000    1.0000
            p: McNemar's exact test; adjusted: over the slices.

            What the runs were made of differs

            What moved
            figure     before   after  change     95 % interval  n  higher  lower       p  adjusted
            pass rate  80.0 %  40.0 %   −40.0    −80.4 to +31.3  5       1      3  0.6250         –
            total       78.75   63.75  −15.00  −56.25 to +45.00  4       1      2  1.0000         –
            help         3.25    2.25   −1.00    −3.75 to +3.00  4       1      2  1.0000    1.0000
            tone         3.00    3.00    0.00    −1.96 to +1.96  4       0      0       –         –
            p: exact, McNemar's for the pass rate and the sign test for levels; 200 resamples, seed 0
            adjusted: over the criteria, by Benjamini and Yekutieli

            Slices
            help by slice  before  after  change   95 % interval  n  higher  lower       p  adjusted
            billing          4.00   2.00   −2.00   −4.00 to 0.00  2       0      1  1.0000    1.0000
            shipping         2.50   2.50    0.00  −3.00 to +3.00  2       1      1  1.0000    1.0000
            adjusted: over slices and criteria; slices without a move are not listed

            pass → fail: 2 cases
              case-01 [shipping], score 45 below 70
                help 4 → 1: It helps at 1.
              case-02 [billing], score 30 below 70
                help 4 → 0: It helps at 0.

            pass → blocked: 1 case
              case-05 [shipping], pii.card

            pass → unscored: 1 case
              case-04 [billing], help: no_json, tone: no_json

            fail → pass: 1 case
              case-03 [shipping], was score 45 below 70
                help 1 → 4: It helps at 4.

            only in the first run: 1 case
              case-06 (pass)

            note: the first run: template reasoning: 7 of 7 verdicts on help share a reasoning that stands under more than 5 of them
            note: the first run: template reasoning: 7 of 7 verdicts on tone share a reasoning that stands under more than 5 of them
            standing: advisory, never promoted. Its scores are information only and must not gate a release.
        "#]],
    );
}

#[test]
fn the_shape_that_others_rely_on() {
    let probity = two_runs(&["Level 4.", "Level 4.", "Level 4."], &["Level 4.", "Level 1.", "Level 3."]);
    let out = diff(&probity, ["--json", "--output", "diff.json"]).code(0).json();
    assert_eq!(probity.json("diff.json"), out, "the file says what the terminal does");
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    check(
        &keys(&out),
        &expect![
            "before after rubric judge_changed definition warnings paired_by coverage adjustment resampling pairs pass_rate total criteria by_slice flips changed only_before only_after guardrails"
        ],
    );
    check(&keys(&out["pass_rate"]), &expect!["before after change gained lost mcnemar adjusted fell"]);
    check(&keys(&out["criteria"]["help"]), &expect!["before after change higher lower sign_test adjusted"]);
    assert_eq!(out["pass_rate"]["change"]["n"], 3);
    assert_eq!((&out["pass_rate"]["lost"], &out["pass_rate"]["fell"]), (&json!(1), &json!(0.5)));
    assert_eq!(out["criteria"]["help"]["lower"], 2);
    assert_eq!(out["flips"], json!({ "pass_to_fail": 1 }));
    let changed: Vec<&Value> =
        out["changed"].as_array().unwrap().iter().map(|pair| &pair["after"]["id"]).collect();
    assert_eq!(changed, ["case-01", "case-02"]);
    assert_eq!(out["changed"][0]["after"]["fail_reasons"], json!(["score 45 below 70"]));
    let parts: Vec<&Value> = out["definition"].as_array().unwrap().iter().map(|part| &part["part"]).collect();
    assert_eq!(parts, ["cases"]);
}

#[test]
fn a_run_against_itself_has_nothing_to_show() {
    let probity = promoted(two_runs(&["Level 4.", "Level 1."], &["Level 4.", "Level 1."]));
    let out = diff(&probity, ["--json", "--enforce"]).code(0).json();
    assert_eq!((&out["changed"], &out["flips"], &out["definition"]), (&json!([]), &json!({}), &json!([])));
    assert_eq!(out["pass_rate"]["change"]["value"], 0.0);
    assert_eq!(out["pass_rate"]["mcnemar"], Value::Null);
}

#[test]
fn enforce_ends_with_1_where_the_rate_fell_and_3_where_nobody_can_tell() {
    let (good, bad) = (["Level 4."; 6], ["Level 1."; 6]);
    let runs = |before: &[&str], after: &[&str]| promoted(two_runs(before, after));
    let fell = runs(&good, &bad);
    diff(&fell, ["--enforce"]).code(1).says(["FAILED: the pass rate fell by 100.0 points", "p 0.0156"]);
    diff(&fell, []).code(0);
    // Four of four is a coin's luck once in sixteen.
    diff(&runs(&good[..4], &bad[..4]), ["--enforce"]).code(0);
    diff(&runs(&bad, &good), ["--enforce"]).code(0);
    let lost = runs(&good, &["no number"; 6]);
    diff(&lost, ["--enforce"])
        .code(3)
        .says(["incomplete: only 0.0 % of the first run's replies have an outcome in both"]);
    let dropped = runs(&good, &good[..3]);
    diff(&dropped, ["--enforce"]).code(3).says(["incomplete: only 50.0 %"]);
    diff(&dropped, ["--enforce", "--min-coverage", "0.5"]).code(0);
}

#[test]
fn n03_an_advisory_judge_is_the_reason_and_never_its_figures() {
    for (before, after) in [(["Level 4."; 6], ["Level 1."; 6]), (["Level 1."; 6], ["Level 4."; 6])] {
        let probity = two_runs(&before, &after);
        let reason = "FAILED: the judge is advisory in the first run (never promoted)";
        let ran = diff(&probity, ["--enforce"]).code(1).says([reason]);
        assert!(!ran.stderr.contains("the pass rate fell"), "{}", ran.stderr);
        diff(&probity, []).code(0);
    }
    // A standing that only one of the runs has is none.
    let probity = two_runs(&["Level 4."; 6], &["Level 3."; 6]);
    promote(&probity, |run| run == "1");
    let ran = diff(&probity, ["--enforce"]).code(1).says(["advisory in the second run (never promoted)"]);
    assert!(ran.stdout.contains("judge openai gpt-4o-mini (advisory)"), "{}", ran.stdout);
    promote(&probity, |run| run == "2");
    let ran = diff(&probity, ["--enforce"]).code(0);
    assert!(ran.stdout.contains("judge openai gpt-4o-mini (promoted)"), "{}", ran.stdout);
}

#[test]
fn n03_a_standing_typed_into_a_file_passes_no_build() {
    let probity = two_runs(&["Level 4."; 6], &["Level 4."; 6]);
    for name in ["a.json", "b.json"] {
        let mut results = probity.json(name);
        results["summary"]["judge"]["standing"] = "promoted".into();
        probity.write(name, results.to_string());
    }
    let enforced = |probity: &Probity, reason: &str| {
        let ran = diff(probity, ["--enforce"]).code(1).says([reason]);
        assert!(ran.stdout.contains("(advisory)"), "{}", ran.stdout);
    };
    enforced(&probity, "advisory in the first run (never promoted)");
    // Nor do results that no run of the store has made, by a judge that is promoted.
    let probity = promoted(probity);
    diff(&probity, ["--enforce"]).code(0);
    let mut results = probity.json("a.json");
    results["summary"]["definition"]["cases"] = "0".repeat(64).into();
    probity.write("a.json", results.to_string());
    enforced(&probity, "advisory in the first run (results from a file have no standing of their own)");
    std::fs::remove_dir_all(probity.path(".probity")).expect("a store");
    enforced(&probity, "advisory in the first run (results from a file have no standing of their own)");
}

#[test]
fn n26_below_the_coverage_every_test_is_an_error() {
    let probity = promoted(two_runs(&["Level 4."; 6], &["Level 4.", "Level 4.", "Level 4.", "no number"]));
    probity.write("g.toml", GUARDRAILS);
    let words = ["--report", "d.xml", "--guardrails", "g.toml", "--enforce"];
    diff(&probity, words).code(3);
    let junit = || String::from_utf8(probity.bytes("d.xml")).expect("text");
    assert!(junit().contains("tests=\"4\" failures=\"0\" errors=\"4\" skipped=\"0\""), "{}", junit());
    assert!(junit().contains("50.0 % of the first run"), "{}", junit());
    let probity = two_runs(&["Level 4."; 2], &["no number"; 2]);
    diff(&probity, ["--report", "d.xml", "--enforce"]).code(3);
    let junit = String::from_utf8(probity.bytes("d.xml")).expect("text");
    assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "nothing is not green: {junit}");
}

#[test]
fn another_judge_is_a_warning() {
    let (one, other) = (reading_judge(), reading_judge());
    let probity = Probity::new().file("desk.toml", RUBRIC).file("cases.json", cases(&["Level 4."]));
    for (server, out) in [(&one, "a.json"), (&other, "b.json")] {
        let url = server.url("/v1");
        probity
            .args(["run", "cases.json", "--rubric", "desk.toml", "--base-url", &url, "-o", out])
            .run()
            .code(0);
    }
    let ran = diff(&probity, []).code(0);
    assert!(ran.stdout.contains("note: the judge changed (openai gpt-4o-mini to openai"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("127.0.0.1"), "an address is of one network: {}", ran.stdout);
}

/// Expects exit code 2 and all of `parts` on standard error for `a.json` and what `change` makes of it.
#[track_caller]
fn check_refused<const N: usize>(change: impl Fn(&mut Value), parts: [&str; N]) {
    let probity = two_runs(&["Level 4."], &["Level 4."]);
    let mut document = probity.json("b.json");
    change(&mut document);
    probity.write("b.json", document.to_string());
    let ran = diff(&probity, []).code(2).says(parts);
    assert_eq!(ran.stdout, "");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    check_refused(
        |b| b["summary"]["rubric"]["hash"] = json!("0123456789abcdef"),
        [
            "a.json and b.json: the runs were scored by different rubrics: desk 1 (",
            "desk 1 (0123456789ab)",
            "hint:",
        ],
    );
    check_refused(
        |b| b["results"][0]["id"] = json!("other"),
        ["no case is in both runs: the first has 'case-00', the second has 'other'"],
    );
    check_refused(
        |b| b["results"] = json!([]),
        ["b.json: `results` has 0 rows, and `summary` says 1 entered"],
    );
    check_refused(
        |b| *b = json!([{ "id": "a" }]),
        [
            "b.json: not a results file: invalid type: map, expected a sequence",
            "`probity run CASES --output FILE`",
        ],
    );
    check_refused(
        |b| *b = json!({ "pairs": 3 }),
        ["missing field `results`", "`probity run CASES --output FILE`"],
    );
}

#[test]
fn names_that_are_no_results_file() {
    let probity = Probity::new().file("a.json", "{}").file("utf16.json", b"\xff\xfe{\0");
    let refused = |one: &str, other: &str| probity.args(["diff", one, other]).run().code(2);
    refused("none.json", "a.json").says(["none.json: there is no such file"]);
    refused("latest", "previous").says(["latest: there is no such file"]);
    refused("3", "4").says(["there is no store at .probity/store.db", "`probity run` makes one"]);
    refused("utf16.json", "a.json").says(["utf16.json: not a results file: it is not UTF-8 text"]);
    refused("a.json", "a.json").says(["a.json: not a results file: missing field `results`"]);
}

#[test]
fn rubrics_without_a_pass_rule_have_no_rate_to_enforce() {
    let probity = Probity::new().file("t.json", cases(&["Press the button."]));
    probity.args(["run", "t.json", "--judge", "baseline", "-o", "a.json"]).run().code(0);
    probity.write("b.json", probity.bytes("a.json"));
    assert_eq!(diff(&probity, ["--json"]).code(0).json()["pass_rate"], Value::Null);
    diff(&probity, ["--enforce"]).code(2).says(["--enforce: the rubric relevance-tone has no pass rule"]);
}

const GUARDRAILS: &str = "[[guardrail]]\nfigure = \"mean\"\ncriterion = \"tone\"\ndrop_max = 0\n\
    [[guardrail]]\nfigure = \"pass_rate\"\nslice = \"billing\"\ndrop_max = 0.05\n\
    [[guardrail]]\nfigure = \"blocked_rate\"\nmax = 0\n";

/// Two runs in which ten of 24 replies of a slice no longer pass, and one reply of the other slice is blocked.
fn guarded_runs() -> Probity {
    let mut after = vec!["Level 4."; 48];
    (0..20).step_by(2).for_each(|case| after[case] = "Level 1.");
    after[21] = "Card 4111 1111 1111 1111.";
    // What the slice loses, another gains, so that the pass rate of all shows nothing.
    let mut before = vec!["Level 4."; 48];
    (1..21).step_by(2).for_each(|case| before[case] = "Level 1.");
    two_runs(&before, &after)
}

#[test]
fn n26_enforce_watches_every_guardrail() {
    let probity = promoted(guarded_runs());
    probity.write("guardrails.toml", GUARDRAILS);
    diff(&probity, ["--enforce"]).code(0);
    let ran = diff(
        &probity,
        ["--enforce", "--guardrails", "guardrails.toml", "--report", "d.xml", "--report", "d.md"],
    );
    let ran = ran.code(1);
    assert!(
        ran.stderr.contains("FAILED: 2 of 3 guardrails failed: pass rate in slice 'billing' changed by"),
        "{}",
        ran.stderr
    );
    for (result, came) in
        [("open", "mean of tone changed by 0.00"), ("broken, fails", "blocked rate is 2.1 %")]
    {
        let is_said = |line: &str| line.contains(&format!("  {result}  ")) && line.contains(came);
        assert!(ran.stdout.lines().any(is_said), "{}", ran.stdout);
    }
    let [junit, page] = ["d.xml", "d.md"].map(|name| String::from_utf8(probity.bytes(name)).expect("text"));
    assert!(junit.contains("tests=\"4\" failures=\"2\""), "{junit}");
    assert!(
        page.contains("2 of 3 guardrails failed.") && page.contains("these 24 pairs could have shown"),
        "{page}"
    );
    diff(&probity, ["--guardrails", "guardrails.toml"]).code(0);
    probity.write("probity.toml", "[diff]\nguardrails = \"guardrails.toml\"\n");
    diff(&probity, ["--enforce"]).code(1).says(["2 of 3 guardrails failed"]);
    probity.write("probity.toml", "[[guardrail]]\nfigure = \"pass_rate\"\nmin = 0.5\n");
    diff(&probity, ["--enforce"]).code(2).says(["unknown setting `guardrail`"]);
    probity.write("probity.toml", "");
    let out = diff(&probity, ["--guardrails", "guardrails.toml", "--json"]).code(0).json();
    let results: Vec<&str> =
        out["guardrails"].as_array().unwrap().iter().map(|one| one["result"].as_str().unwrap()).collect();
    assert_eq!(results, ["open", "broken", "broken"]);
    assert!(out["guardrails"][1]["smallest_shown"].as_f64().is_some_and(|least| least < 0.4), "{out}");
}

#[test]
fn n26_an_absent_figure_fails_closed_and_an_advisory_judge_fails_by_its_standing() {
    let probity = guarded_runs();
    probity
        .write("guardrails.toml", "[[guardrail]]\nfigure = \"pass_rate\"\nslice = \"returns\"\nmin = 0.1\n");
    let enforced = ["--enforce", "--guardrails", "guardrails.toml", "--report", "d.xml"];
    let ran = diff(&probity, enforced).code(1);
    assert!(!ran.stderr.contains("guardrail"), "the reason is the standing: {}", ran.stderr);
    let junit = String::from_utf8(probity.bytes("d.xml")).expect("text");
    assert!(junit.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"2\""), "{junit}");
    let probity = promoted(probity);
    let ran = diff(&probity, enforced).code(1);
    assert!(
        ran.stderr.contains("1 of 1 guardrails failed: pass rate in slice 'returns': absent"),
        "{}",
        ran.stderr
    );
    probity.write("guardrails.toml", "[[guardrail]]\nfigure = \"pass\"\nmin = 0.1\n");
    let ran = diff(&probity, enforced).code(2);
    assert!(ran.stderr.contains("guardrails.toml:2: `figure` must be one of pass_rate"), "{}", ran.stderr);
}

#[test]
fn n26_guardrails_need_no_pass_rule() {
    let probity = Probity::new().file("t.json", cases(&["Press the button."; 6]));
    probity.args(["run", "t.json", "--judge", "baseline", "-o", "a.json"]).run().code(0);
    probity.write("b.json", probity.bytes("a.json"));
    let probity = promoted(probity);
    let tone = |limit: &str| {
        probity.write("g.toml", format!("[[guardrail]]\nfigure = \"mean\"\ncriterion = \"tone\"\n{limit}\n"));
        diff(&probity, ["--enforce", "--guardrails", "g.toml"])
    };
    tone("drop_max = 0").code(0);
    tone("drop_max = 0\nstrict = true")
        .code(1)
        .says(["1 of 1 guardrails failed: mean of tone changed by 0.00"]);
}
