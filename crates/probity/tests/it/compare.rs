//! `probity compare --verdicts`: files in, figures out, and what is wrong with the files.

use serde_json::{Value, json};

use crate::binary::{Probity, Ran};

fn row(item: &str, ab: &str, ba: &str) -> String {
    json!({ "item": item, "slice": "s", "judge": "j", "verdict_ab": ab, "verdict_ba": ba }).to_string() + "\n"
}

/// Runs on these files with a few resamples.
fn run<const N: usize>(files: &[(&str, &str)], args: [&str; N]) -> Ran {
    let mut probity = Probity::new();
    for (name, content) in files {
        probity = probity.file(name, content);
    }
    probity.args(["compare", "--resamples", "50"]).words(args.into_iter()).run()
}

/// Expects exit code 2, all of `parts` on standard error and nothing else.
#[track_caller]
fn check_refused<const N: usize, const M: usize>(files: &[(&str, &str)], args: [&str; N], parts: [&str; M]) {
    assert_eq!(run(files, args).code(2).says(parts).stdout, "");
}

#[test]
fn the_shape_that_others_rely_on() {
    let verdicts = row("1", "a", "a") + &row("2", "b", "b") + &row("3", "a", "b") + &row("4", "b", "b");
    let out = run(&[("v.jsonl", &verdicts)], ["--verdicts", "v.jsonl", "--json"]).code(0).json();
    assert_eq!([&out["pairs"], &out["judged"]], [4, 4]);
    let status = json!({
        "stable": 3, "tie": 0, "unstable_after_swap": 1, "needs_human_review": 0, "unscored": 0, "graded": 0
    });
    assert_eq!(out["status"], status);
    assert_eq!(out["win_rate"]["b"]["value"], 0.625);
    assert_eq!(out["win_rate"]["b"]["n"], 4);
    assert_eq!(out["first_slot_lean"]["value"], 0.625);
    assert_eq!(out["policy"], json!({ "conflict": "tie", "unparsed": "drop" }));
    assert_eq!(out["by_slice"]["s"]["win_rate"], out["win_rate"]);
    assert_eq!(out["judges"]["j"]["win_rate"], out["win_rate"]);
    let review = json!([{
        "judge": "j", "item": "3", "slice": "s", "variants": ["a", "b"], "status": "unstable_after_swap"
    }]);
    assert_eq!(out["review"], review);
    for figure in ["tie_rate", "instability_rate", "consistency"] {
        let keys: Vec<&String> = out[figure].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["value", "low", "high", "n"], "{figure}");
    }
}

#[test]
fn a_lover_of_the_first_slot_has_no_winner() {
    let verdicts: String = (0..30).map(|i| row(&i.to_string(), "a", "b")).collect::<Vec<_>>().concat();
    let out = run(&[("v.jsonl", &verdicts)], ["--verdicts", "v.jsonl", "--json"]).code(0).json();
    assert_eq!(out["status"]["unstable_after_swap"], 30);
    assert_eq!(out["first_slot_lean"]["value"], 1.0);
    assert_eq!(out["win_rate"]["a"]["value"], 0.5);
    assert_eq!(out["decisive_win_rate"]["a"], Value::Null);
    assert_eq!(out["variants"]["a"]["sign_test"], Value::Null);
}

#[test]
fn n02_four_wins_and_six_ties_are_no_winner() {
    let rows = |parts: &[(&str, usize)]| -> String {
        let each = parts.iter().flat_map(|(verdict, n)| vec![*verdict; *n]).enumerate();
        each.map(|(i, verdict)| row(&i.to_string(), verdict, verdict)).collect()
    };
    let report = |verdicts: &str| {
        let files = [("v.jsonl", verdicts)];
        let json = run(&files, ["--verdicts", "v.jsonl", "--json"]).code(0).json();
        (json["decision"].clone(), run(&files, ["--verdicts", "v.jsonl"]).code(0).stdout)
    };
    let (decision, text) = report(&rows(&[("a", 4), ("tie", 6)]));
    let want = json!({
        "winner": null, "complete": true, "standing": "advisory",
        "standing_reason": "verdicts from a file have no standing", "test": "sign_test",
    });
    for (key, value) in want.as_object().unwrap() {
        assert_eq!(&decision[key], value, "{key}");
    }
    let p = |decision: &Value| decision["p_value"].as_f64().expect("a p-value");
    assert!((p(&decision) - 0.125).abs() < 1e-9, "{decision}");
    assert!(text.contains("No difference shown: b wins 30.0 % of 10 cases"), "{text}");
    assert!(
        text.contains("(exact sign test, p 0.1250). This sample could not have detected any difference: that needs 6 cases with a winner, and there are 4."),
        "{text}"
    );
    assert!(text.contains("standing: advisory, verdicts from a file have no standing."), "{text}");

    let (decision, text) = report(&rows(&[("a", 6), ("tie", 4)]));
    assert!(decision["winner"] == "a" && (p(&decision) - 0.03125).abs() < 1e-9, "{decision}");
    assert!(text.contains("a answers better than b: it wins 80.0 % of 10 cases"), "{text}");
    // Of 22 pairs without a verdict for three, 86 % have one.
    let (decision, text) = report(&rows(&[("a", 19), ("?", 3)]));
    assert_eq!((&decision["winner"], &decision["complete"]), (&Value::Null, &json!(false)));
    assert!(
        text.contains("No difference shown: the comparison is incomplete; so far b wins 0.0 % of 19 cases")
    );
    assert!(text.contains("The smallest difference this sample could have detected is"), "{text}");
    // What two pairs could show is not ±99 points.
    let (decision, text) = report(&rows(&[("a", 1), ("b", 1)]));
    assert_eq!(decision["smallest_difference"], Value::Null);
    assert!(text.contains("with a winner, and there are 2.") && !text.contains('±'), "{text}");
    let (_, text) = report(&rows(&[("tie", 10)]));
    assert!(
        text.contains("No difference shown: no case has a winner. This sample could not have detected"),
        "{text}"
    );
    let (_, text) = report(&rows(&[("a", 1)]));
    assert!(text.contains("a wins 100.0 % of 1 case,") || text.contains("b wins 0.0 % of 1 case,"), "{text}");
    assert!(text.contains("with a winner, and there is 1."), "{text}");
    // Nine of twelve with a winner: 7 to 2 is not shown, 9 to 0 is.
    let (decision, text) = report(&rows(&[("a", 5), ("b", 4), ("tie", 3)]));
    let least = decision["smallest_difference"].as_f64().expect("a difference");
    assert!((least - 0.407_373 * 0.75).abs() < 1e-6, "{decision}");
    assert!(text.contains("could have detected is 30.6 points from 50 %."), "{text}");
}

#[test]
fn n09_each_win_rate_at_equal_length_is_named_after_its_model() {
    let lines = |with_difficulty: bool| -> String {
        let line = |i: usize| {
            let verdict = ["a", "b", "b", "tie"][i % 4];
            let mut row = json!({
                "item": i.to_string(), "verdict_ab": verdict, "verdict_ba": verdict,
                "len_a": 100 + 7 * (i % 13), "len_b": 110 + 5 * (i % 17),
            });
            if with_difficulty {
                row["difficulty"] = json!((i % 5) as f64 / 2.0);
            }
            row.to_string() + "\n"
        };
        (0..60).map(line).collect()
    };
    let of = |text: &str| run(&[("v.jsonl", text)], ["--verdicts", "v.jsonl", "--json"]).code(0).json();
    let with = of(&lines(true));
    for name in ["length_difficulty_win_rate", "length_slice_win_rate", "length_only_win_rate"] {
        assert!(with[name]["a"]["value"].is_number(), "{name}: {}", with[name]);
    }
    assert_ne!(with["length_difficulty_win_rate"], with["length_slice_win_rate"]);
    assert_eq!(with["length_missing"], json!({}));
    let without = of(&lines(false));
    assert_eq!(without["length_difficulty_win_rate"]["a"], Value::Null);
    let why = "60 of its 60 pairs have no difficulty, expected a number for every case";
    assert_eq!(without["length_missing"], json!({ "length_difficulty_win_rate": { "a": why, "b": why } }));
    assert_eq!(without.get("length_controlled_win_rate"), None, "no figure has a name that is not its own");
}

#[test]
fn n09_the_sentence_the_table_and_the_test_count_the_same() {
    let verdicts: String = (0..10).map(|i| row(&i.to_string(), "a", "tie")).collect();
    for (policy, rate, n) in [("sum", 1.0, 10), ("pool", 0.75, 20)] {
        let args = ["--verdicts", "v.jsonl", "--conflict", policy];
        let text = run(&[("v.jsonl", &verdicts)], args).code(0).stdout;
        let said =
            "a answers better than b: it wins 100.0 % of 10 cases, 72.2–100.0 % (exact sign test, p 0.0020).";
        assert!(text.contains(said), "{policy}: {text}");
        let args = ["--verdicts", "v.jsonl", "--json", "--conflict", policy];
        let out = run(&[("v.jsonl", &verdicts)], args).code(0).json();
        let a = &out["variants"]["a"];
        assert_eq!([&a["wins"], &a["losses"], &a["ties"]], [10, 0, 0], "{policy}");
        assert_eq!(a["sign_test"], out["decision"]["p_value"], "{policy}");
        assert_eq!([&a["discrete_win_rate"]["value"], &out["decisive_win_rate"]["a"]["value"]], [1.0, 1.0]);
        assert_eq!((&out["win_rate"]["a"]["value"], &out["win_rate"]["a"]["n"]), (&json!(rate), &json!(n)));
        assert_eq!(out["status"]["tie"], 10, "{policy}");
    }
}

#[test]
fn n09_recorded_verdicts_show_the_rate_at_equal_length() {
    let rows = |len_b: fn(usize) -> usize| -> String {
        let line = |i: usize| {
            let verdict = ["a", "b", "b", "tie"][i % 4];
            let lengths = [100 + 7 * (i % 13), len_b(i)];
            json!({
                "item": i.to_string(), "verdict_ab": verdict, "verdict_ba": verdict,
                "len_a": lengths[0], "len_b": lengths[1],
            })
            .to_string()
                + "\n"
        };
        (0..60).map(line).collect()
    };
    let text = |rows: &str| run(&[("v.jsonl", rows)], ["--verdicts", "v.jsonl"]).code(0).stdout;
    let both = text(&rows(|i| 110 + 5 * (i % 17)));
    assert!(both.contains("\nat equal length (length and slice)"), "{both}");
    let longer = rows(|i| 300 + 5 * (i % 17));
    let apart = text(&longer);
    let why = "the reply of b is longer than that of a in all of their 60 pairs, so a rate at equal length would be \
               extrapolated";
    assert!(apart.contains(&format!("\nNo win rate at equal length: {why}.\n")), "{apart}");
    let out = run(&[("v.jsonl", &longer)], ["--verdicts", "v.jsonl", "--json"]).code(0).json();
    for name in ["length_slice_win_rate", "length_only_win_rate"] {
        assert_eq!(out[name], json!({ "a": null, "b": null }), "{name}");
        assert_eq!(out["length_missing"][name], json!({ "a": why, "b": why }), "{name}");
    }
    let unknown: String = (0..12).map(|i| row(&i.to_string(), "a", "a")).collect();
    assert!(!text(&unknown).contains("equal length"), "no length is known");
}

#[test]
fn n09_one_pair_is_not_several() {
    let verdicts = row("1", "a", "b") + &row("2", "a", "a");
    let text = run(&[("v.jsonl", &verdicts)], ["--verdicts", "v.jsonl"]).code(0).stdout;
    assert!(text.contains("The order decided 1 pair for the first slot and 0 for the second"), "{text}");
}

#[test]
fn n09_orders_are_added_up_and_unparsed_calls_counted() {
    let verdicts = row("1", "a", "tie") + &row("2", "b", "b") + &row("3", "a", "b") + &row("4", "?", "??");
    let args = ["--verdicts", "v.jsonl", "--conflict", "sum", "--json"];
    let out = run(&[("v.jsonl", &verdicts)], args).code(0).json();
    assert_eq!((&out["win_rate"]["a"]["value"], &out["win_rate"]["a"]["n"]), (&json!(0.5), &json!(3)));
    assert_eq!(out["policy"]["conflict"], "sum");
    assert_eq!(out["unparsed"], json!({ "pairs": 1, "calls": 2 }));
}

#[test]
fn several_judges_have_figures_of_their_own_and_none_together() {
    let verdicts = row("1", "a", "a") + &row("1", "b", "b").replace("\"j\"", "\"k\"");
    let labels = r#"{"item":"1","label":"a"}"#;
    let args = ["--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json"];
    let out = run(&[("v.jsonl", &verdicts), ("l.jsonl", labels)], args).code(0).json();
    assert_eq!(
        [&out["pairs"], &out["win_rate"], &out["first_slot_lean"]],
        [&json!(2), &Value::Null, &Value::Null]
    );
    assert_eq!(out["judges"]["j"]["win_rate"]["a"]["value"], 1.0);
    assert_eq!(out["judges"]["k"]["win_rate"]["a"]["value"], 0.0);
    let test = &out["judge_tests"][0];
    assert_eq!([&test["judges"], &test["mcnemar"]["first_only"]], [&json!(["j", "k"]), &json!(1)]);
    assert_eq!(out["people"]["win_rate"]["a"]["value"], 1.0);
    assert_eq!(out["labels"], json!({ "items": 1, "votes": 1, "repeated": 0 }));
}

#[test]
fn a_seed_fixes_every_byte_and_rows_may_stand_in_any_order() {
    let rows: Vec<String> =
        (0..40).map(|i| row(&format!("{i:02}"), ["a", "b", "tie"][i % 3], ["a", "b"][i % 2])).collect();
    let turned: Vec<String> = rows.iter().rev().cloned().collect();
    let (rows, turned) = (rows.concat(), turned.concat());
    let files = [("v.jsonl", rows.as_str()), ("turned.jsonl", turned.as_str())];
    let of =
        |file: &str, seed: &str| run(&files, ["--verdicts", file, "--seed", seed, "--json"]).code(0).stdout;
    assert_eq!(of("v.jsonl", "7"), of("v.jsonl", "7"));
    assert_eq!(of("v.jsonl", "7"), of("turned.jsonl", "7"));
    assert_ne!(of("v.jsonl", "7"), of("v.jsonl", "8"));
}

#[test]
fn bad_rows_are_listed_and_under_strict_an_error() {
    let verdicts = row("1", "a", "a") + "{\"item\":\"2\",\"verdict_ab\":\"a\"}\n[]\n" + &row("4", "b", "b");
    let files = [("v.jsonl", verdicts.as_str())];
    let out = run(&files, ["--verdicts", "v.jsonl", "--json"]).code(0).json();
    assert_eq!(out["pairs"], 2);
    let first = json!({
        "index": 1, "reason": "Missing 'verdict_ba' field", "id": "2", "file": "v.jsonl", "line": 2
    });
    assert_eq!(out["skipped"][0], first);
    assert_eq!(
        [&out["skipped"][1]["line"], &out["skipped"][1]["reason"]],
        [&json!(3), &json!("expected an object, found an array")]
    );
    let text = run(&files, ["--verdicts", "v.jsonl"]).code(0).stdout;
    assert!(text.contains("record 1 at v.jsonl:2 (2): Missing 'verdict_ba' field"), "{text}");
    let strict = ["--verdicts", "v.jsonl", "--strict"];
    check_refused(&files, strict, ["error: v.jsonl:2: record 1: Missing 'verdict_ba' field"]);
}

#[test]
fn d07_d17_files_without_a_usable_row() {
    check_refused(&[("v.jsonl", "")], ["--verdicts", "v.jsonl"], ["v.jsonl: no records"]);
    check_refused(
        &[("v.jsonl", "{\"item\":\"1\"}\n{\"item\":\"2\"}\n")],
        ["--verdicts", "v.jsonl"],
        ["v.jsonl:1: none of the 2 rows can be used; the first one: Missing 'verdict_ab' field"],
    );
    check_refused(&[], ["--verdicts", "none.jsonl"], ["none.jsonl: there is no such file"]);
    check_refused(&[], [], ["<FILE>..."]);
}

#[test]
fn d24_d25_l02_one_row_for_each() {
    let twice = row("1", "a", "a") + &row("2", "a", "a") + &row("1", "a", "a");
    check_refused(
        &[("v.jsonl", &twice)],
        ["--verdicts", "v.jsonl"],
        ["v.jsonl:3: record 2 is about item '1' by judge 'j'", "as record 0 at line 1 is"],
    );
}

#[test]
fn n10_a_label_that_is_there_twice_counts_once() {
    let label = |label: &str| format!("{{\"item\":\"1\",\"annotator\":\"ann\",\"label\":\"{label}\"}}\n");
    let verdicts = row("1", "a", "a");
    let (twice, both) = (label("a").repeat(2), label("a") + &label("b"));
    let files = [("v.jsonl", verdicts.as_str()), ("l.jsonl", twice.as_str())];
    let args = ["--verdicts", "v.jsonl", "--labels", "l.jsonl"];
    run(&files, args).code(0).says(["1 label repeating an earlier row word for word: counted once"]);
    let out = run(&files, ["--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json"]).code(0).json();
    assert_eq!(out["labels"], json!({ "items": 1, "votes": 1, "repeated": 1 }));
    check_refused(
        &[("v.jsonl", &verdicts), ("l.jsonl", &both)],
        args,
        ["l.jsonl:2: record 1 is about item '1' by 'ann', as record 0 at line 1 is"],
    );
}

#[test]
fn l04_verdicts_and_labels_without_a_partner_are_told() {
    let verdicts = row("1", "a", "a") + &row("2", "A", "[[B]]");
    let labels = "{\"item\":\"1\",\"label\":\"a\"}\n{\"item\":\"9\",\"label\":\"a\"}\n";
    let files = [("v.jsonl", verdicts.as_str()), ("l.jsonl", labels)];
    let args = ["--verdicts", "v.jsonl", "--labels", "l.jsonl"];
    run(&files, args).code(0).says([
        "labelled items without a verdict: 1, such as '9'",
        "items with a verdict and without a label: 1, such as '2'",
        "v.jsonl: 'A' is none of a, b, tie and needs_human_review",
    ]);
    let quiet = run(&files, ["--verdicts", "v.jsonl", "--labels", "l.jsonl", "--quiet"]).code(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn output_is_what_json_prints() {
    let probity = Probity::new().file("v.csv", "item,verdict_ab,verdict_ba\n1,a,a\n2,,b\n");
    let args = ["compare", "--verdicts", "v.csv", "--json", "--output", "new/out.json"];
    let ran = probity.args(args).run().code(0);
    assert_eq!(probity.bytes("new/out.json"), ran.stdout.as_bytes());
    assert_eq!(ran.json()["status"]["unscored"], 1);
    let ran = probity.args(["compare", "--verdicts", "v.csv", "--output", "v.csv/out.json"]).run().code(4);
    ran.says(["could not write v.csv/out.json"]);
}

#[test]
fn f90_names_from_files_do_not_act_on_the_terminal() {
    let verdicts = row("1", "a", "a").replace("\"j\"", "\"\\u202ej\"");
    let text = run(&[("v.jsonl", &verdicts)], ["--verdicts", "v.jsonl"]).code(0).stdout;
    assert!(text.contains("judge \\u{202e}j"), "{text}");
}

#[test]
fn n08_unparsed_ties_count_in_the_slots() {
    let verdicts = row("1", "a", "a") + &row("2", "no idea", "no idea");
    let rate = |policy| {
        let args = ["--verdicts", "v.jsonl", "--json", "--unparsed", policy];
        run(&[("v.jsonl", &verdicts)], args).code(0).json()["first_slot_rate"].clone()
    };
    let (drop, tie) = (rate("drop"), rate("tie"));
    assert_eq!((&drop["value"], &drop["n"]), (&json!(0.5), &json!(2)));
    assert_eq!((&tie["value"], &tie["n"]), (&json!(0.25), &json!(4)));
}
