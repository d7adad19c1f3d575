//! `probity calibrate CASES` against scripted judges: only what people labelled is asked about, and once.

use serde_json::{Value, json};

use super::rehearsal::Rehearsal;
use crate::binary::Ran;

/// Replies to `n_cases` cases in two slices.
fn cases(n_cases: usize, reply: impl Fn(usize) -> String) -> String {
    let line = |n: usize| {
        let slice = if n.is_multiple_of(2) { "late" } else { "lost" };
        let time = "2026-04-02T00:00:00Z";
        json!({ "id": format!("t{n}"), "slice": slice, "time": time, "ticket": format!("Where is order {n}?"), "reply": reply(n) })
            .to_string()
            + "\n"
    };
    (0..n_cases).map(line).collect()
}

fn short(n: usize) -> String {
    format!("Order {n} left today.")
}

fn long(n: usize) -> String {
    format!("Order {n} left today. Reply to this message if it is not there on Friday.")
}

fn lines(rows: impl IntoIterator<Item = Value>) -> String {
    rows.into_iter().map(|row| row.to_string() + "\n").collect()
}

impl Rehearsal {
    fn calibrate(&self, words: &[&str]) -> Ran {
        let call = self.args(["calibrate", "--base-url", &self.mock.url(), "--resamples", "50", "--json"]);
        call.words(words.iter().copied()).run()
    }
}

/// Labels of the tone of `n` replies.
fn tones(n: usize, label: i64) -> String {
    lines(
        (0..n).map(
            |n| json!({ "item": format!("t{n}"), "criterion": "tone", "annotator": "ann", "label": label }),
        ),
    )
}

#[test]
fn only_what_people_labelled_is_asked_about() {
    let files = [("cases.jsonl", cases(20, short)), ("labels.jsonl", tones(12, 4))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let report = scene.calibrate(&["cases.jsonl", "--labels", "labels.jsonl"]).code(0).json();
    scene.check_asked(12);
    assert_eq!(report["agreement"]["value"], 1.0);
    assert_eq!(report["n"], 12);
    assert_eq!(report["not_asked"], 8);
    assert_eq!(report["coverage"], json!({ "judged": 12, "n": 12 }));
    assert_eq!(report["by_slice"]["late"]["n"], 6);
    assert_eq!(report["by_criterion"]["tone"]["n"], 12);
    assert_eq!(report["judges"].as_object().map(serde_json::Map::len), Some(1), "the floor is no judge");
    assert_eq!(report["baselines"]["baseline"]["n"], 12);
    assert!(report["baselines"]["baseline"]["agreement"]["value"].as_f64().expect("a share") < 1.0);
    assert_eq!(report["judge"]["standing"], "advisory");
    let again = scene.calibrate(&["cases.jsonl", "--labels", "labels.jsonl", "--offline"]).code(0).json();
    scene.check_asked(12);
    assert_eq!(again["agreement"], report["agreement"]);
    assert_eq!(again["baselines"], report["baselines"]);
}

#[test]
fn whole_replies_are_held_against_the_pass_rule() {
    let pass =
        |n: usize| json!({ "item": format!("t{n}"), "annotator": "ann", "label": !n.is_multiple_of(3) });
    let files = [("cases.jsonl", cases(9, short)), ("labels.jsonl", lines((0..9).map(pass)))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let words = ["cases.jsonl", "--labels", "labels.jsonl", "--rubric", "support-gold", "--one-call"];
    let report = scene.calibrate(&words).code(0).json();
    scene.check_asked(9);
    assert_eq!(report["scale"]["kind"], "pass_fail");
    assert_eq!(report["confusion"]["pass"], json!({ "fail": 3.0, "pass": 6.0 }));
}

#[test]
fn pairs_are_asked_about_in_both_orders() {
    let label = |n: usize| match n % 3 {
        0 => {
            json!({ "item": format!("t{n}"), "annotator": "ann", "variant_a": "new", "variant_b": "old", "label": "a" })
        }
        1 => {
            json!({ "item": format!("t{n}"), "annotator": "ann", "variant_a": "old", "variant_b": "new", "label": "new" })
        }
        _ => {
            json!({ "item": format!("t{n}"), "annotator": "ann", "variant_a": "old", "variant_b": "new", "label": "a" })
        }
    };
    let files = [
        ("old.jsonl", cases(12, short)),
        ("new.jsonl", cases(12, long)),
        ("labels.jsonl", lines((0..9).map(label))),
    ];
    let scene = Rehearsal::new(&files, &["--pairs", "longer"]);
    let words = ["old.jsonl", "new.jsonl", "--labels", "labels.jsonl", "--rubric", "pairwise-support"];
    let report = scene.calibrate(&words).code(0).json();
    scene.check_asked(18);
    assert_eq!(report["not_asked"], 3);
    assert_eq!(report["n"], 9);
    assert_eq!(format!("{:.3}", report["agreement"]["value"].as_f64().expect("a share")), "0.667");
    assert_eq!(report["baselines"]["prefer_longer"]["agreement"], report["agreement"]);
    assert_eq!(report["baselines"]["baseline"]["n"], 9);
}

#[test]
fn l04_labels_of_nothing_here_are_rejected_and_listed() {
    let rows = [
        json!({ "item": "t0", "criterion": "tone", "label": 4 }),
        json!({ "item": "gone", "criterion": "tone", "label": 4 }),
        json!({ "item": "t1", "criterion": "charm", "label": 4 }),
        json!({ "item": "t2", "criterion": "tone", "label": 4, "packet": "0".repeat(64) }),
        json!({ "item": "t3", "criterion": "tone", "label": 4, "variant": "other" }),
    ];
    let files = [("cases.jsonl", cases(5, short)), ("labels.jsonl", lines(rows))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let report = scene.calibrate(&["cases.jsonl", "--labels", "labels.jsonl"]).code(0).json();
    scene.check_asked(1);
    let rejected: Vec<(&str, u64)> = report["labels"]["rejected"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|label| (label["item"].as_str().expect("a name"), label["line"].as_u64().expect("a line")))
        .collect();
    assert_eq!(rejected, [("gone", 2), ("t1", 3), ("t2", 4), ("t3", 5)]);
    assert_eq!(report["labels"]["rows"], 5);
}

#[test]
fn n05_labels_of_one_reply_do_not_count_for_another() {
    let files = [("short.jsonl", cases(2, short)), ("long.jsonl", cases(2, long))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let asked = ["check", "short.jsonl", "--show", "--json", "--base-url", &scene.mock.url()];
    let asked = scene.args(asked).run().code(0).json();
    let request =
        asked["requests"].as_array().expect("a list").iter().find(|request| request["case"] == "t0");
    let packet = request.expect("t0 is asked about")["packet"].as_str().expect("a packet").to_owned();
    // Two people were shown the short reply to t0; a third names the case alone.
    let label = |name: &str, packet: Option<&str>| json!({ "item": "t0", "criterion": "tone", "annotator": name, "label": 4, "packet": packet });
    let rows = [label("ann", Some(&packet)), label("ben", Some(&packet)), label("cyd", None)];
    let other = json!({ "item": "t1", "criterion": "tone", "annotator": "ann", "label": 4 });
    scene.write("labels.jsonl", lines(rows.into_iter().chain([other])));
    scene.args(["import", "labels", "labels.jsonl"]).run().code(0);
    let shown = scene.calibrate(&["short.jsonl"]).code(0).json();
    assert_eq!((&shown["labels"]["votes"], &shown["labels"]["rejected"]), (&json!(4), &json!([])));
    let not_shown = scene.calibrate(&["long.jsonl"]).code(0).json();
    assert_eq!(not_shown["labels"]["votes"], 1, "only the label of t1 can be about the long reply");
    let reasons: Vec<&str> = not_shown["labels"]["rejected"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|label| label["reason"].as_str().expect("a reason"))
        .collect();
    assert_eq!(reasons.len(), 3);
    assert!(reasons[0].contains("which is not what is asked today"), "{reasons:?}");
    assert!(reasons[2].contains("cannot be told which reply it is about"), "{reasons:?}");
}

#[test]
fn a_case_with_several_replies_needs_the_variant() {
    let reply = |variant: &str| json!({ "id": "t0", "variant": variant, "ticket": "Where is it?", "reply": format!("On its way, says {variant}.") });
    let named = |variant: &str, label: i64| json!({ "item": "t0", "criterion": "tone", "variant": variant, "label": label });
    let nameless = json!({ "item": "t0", "criterion": "tone", "label": 4 });
    let files = [
        ("cases.jsonl", lines([reply("old"), reply("new")])),
        ("named.jsonl", lines([named("old", 4), named("new", 2)])),
        ("nameless.jsonl", lines([nameless])),
    ];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let report = scene.calibrate(&["cases.jsonl", "--labels", "named.jsonl"]).code(0).json();
    assert_eq!((&report["n"], &report["agreement"]["value"]), (&json!(2), &json!(0.5)));
    let refused = scene.calibrate(&["cases.jsonl", "--labels", "nameless.jsonl"]).code(2);
    refused.says(["expected 'variant', because the case has replies of old, new"]);
}

#[test]
fn l01_a_level_that_the_criterion_does_not_have_costs_nothing() {
    let files = [("cases.jsonl", cases(3, short)), ("labels.jsonl", tones(3, 7))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let ran = scene.calibrate(&["cases.jsonl", "--labels", "labels.jsonl"]).code(2);
    ran.says(["labels.jsonl:1: record 0 'label' is '7', expected 1, 2, 3, 4, 5 for criterion 'tone'"]);
    scene.check_asked(0);
}

#[test]
fn blocked_replies_have_no_verdict_and_unscored_ones_have_none() {
    let leak = |n: usize| if n == 0 { "Card 4111 1111 1111 1111 was charged.".to_owned() } else { short(n) };
    let files = [("cases.jsonl", cases(4, leak)), ("labels.jsonl", tones(4, 4))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let words = ["cases.jsonl", "--labels", "labels.jsonl", "--max-calls", "2"];
    let report = scene.calibrate(&words).code(3).json();
    assert_eq!(report["labels"]["blocked"], 1);
    assert_eq!(report["gate"]["blocked"], 1);
    assert_eq!(report["gate"]["findings_by_rule"]["pii.card"]["blocked"], 1);
    assert_eq!(report["coverage"], json!({ "judged": 2, "n": 3 }));
    assert_eq!(report["n"], 2);
    assert_eq!(report["without_verdict"], 1);
    let words = ["cases.jsonl", "--labels", "labels.jsonl", "--max-calls", "9"];
    let rest = scene.calibrate(&words).code(0).json();
    assert_eq!(rest["coverage"], json!({ "judged": 3, "n": 3 }));
    scene.check_asked(3);
}

#[test]
fn l11_a_label_older_than_its_case_is_worth_a_notice() {
    let row = json!({ "item": "t0", "criterion": "tone", "label": 4, "at": "2026-04-01T09:30:00Z" });
    let files = [("cases.jsonl", cases(1, short)), ("labels.jsonl", lines([row]))];
    let scene = Rehearsal::new(&files, &["--levels", "fixed:4"]);
    let ran = scene.calibrate(&["cases.jsonl", "--labels", "labels.jsonl"]).code(0);
    let ran = ran.says(["1 label older than its case: counted all the same"]);
    assert_eq!(ran.json()["n"], 1);
}
