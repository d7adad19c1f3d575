//! Small sets of labels and verdicts, and what each of the known ways to be wrong gets.

use expect_test::{Expect, expect};
use serde_json::Value;

use super::*;
use crate::compare::Policies;
use crate::json::{self, Object};
use crate::label::*;
use crate::stats::{Resampling, Sampling};

const QUICK: Counting = Counting {
    policies: Policies { conflict: crate::compare::Conflict::Tie, unparsed: crate::compare::Unparsed::Drop },
    votes: Votes::Majority,
    ties: Ties::Keep,
    sampling: Sampling { resampling: Resampling { n_resamples: 50, seed: 0 }, n_min: 8 },
    weak_below: 0.75,
    epsilon: 0.2,
};

fn objects(text: &str) -> Vec<Object> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| json::parse(line).expect("JSON").as_object().expect("an object").clone()).collect()
}

/// The sheet of rows as JSON lines, or what is wrong with them in one line each.
fn joined(labels: &str, verdicts: &str, options: JoinOptions) -> Result<Sheet, String> {
    let fault = |fault: RowFault| fault.reason;
    let labels: Vec<LabelEntry> =
        objects(labels).iter().map(LabelEntry::read).collect::<Result<_, _>>().map_err(fault)?;
    let verdicts: Vec<VerdictEntry> =
        objects(verdicts).iter().map(VerdictEntry::read).collect::<Result<_, _>>().map_err(fault)?;
    sheet(&labels, &verdicts, &[], options).map_err(|faults| {
        let line = |(row, first, reason): &(usize, Option<usize>, String)| match first {
            Some(first) => format!("row {row}, like row {first}: {reason}"),
            None => format!("row {row}: {reason}"),
        };
        faults.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

fn figures_of(labels: &str, verdicts: &str) -> Value {
    let sheet = joined(labels, verdicts, JoinOptions::default()).expect("rows that fit");
    calibration(&sheet, QUICK).to_json()
}

/// The message that labels get.
#[track_caller]
fn check_refused(labels: &str, want: &Expect) {
    want.assert_eq(&joined(labels, "", JoinOptions::default()).expect_err("a fault"));
}

/// The line that labels get.
#[track_caller]
fn check_notice(labels: &str, verdicts: &str, want: &Expect) {
    let sheet = joined(labels, verdicts, JoinOptions::default()).expect("rows that fit");
    want.assert_eq(&sheet.notices().join("\n"));
}

/// An item, its slice, what people said and what a judge said.
type Decision = (&'static str, &'static str, &'static str, &'static str);

/// Eight rows in two slices, people against a judge.
const EIGHT: [Decision; 8] = [
    ("r1", "replacement", "actionable", "actionable"),
    ("r2", "replacement", "brief", "brief"),
    ("r3", "replacement", "tie", "tie"),
    ("r4", "replacement", "actionable", "actionable"),
    ("r5", "address_change", "brief", "brief"),
    ("r6", "address_change", "tie", "actionable"),
    ("r7", "address_change", "actionable", "brief"),
    ("r8", "address_change", "brief", "brief"),
];

/// Rows of `EIGHT`, sides by the names of variants in this order.
fn eight([a, b]: [&str; 2], of: impl Fn(&Decision) -> String) -> String {
    let row = |each: &Decision| {
        format!(
            r#"{{"item":"{}","slice":"{}","variant_a":"{a}","variant_b":"{b}",{}}}"#,
            each.0,
            each.1,
            of(each)
        ) + "\n"
    };
    EIGHT.iter().map(row).collect()
}

#[test]
fn eight_rows_with_a_weak_slice() {
    let label = |each: &Decision| format!(r#""label":"{}""#, each.2);
    let verdict = |each: &Decision| format!(r#""verdict":"{}""#, each.3);
    let straight = ["actionable", "brief"];
    // The verdicts name the variants the other way round: pairs are turned before they are joined.
    for order in [straight, ["brief", "actionable"]] {
        let all = figures_of(&eight(straight, label), &eight(order, verdict));
        let value = |place: &[&str]| {
            let found = place.iter().fold(&all, |json, name| &json[*name]);
            found["value"].as_f64().unwrap_or_else(|| panic!("{place:?}: {found}"))
        };
        assert_eq!(format!("{:.2}", value(&["agreement"])), "0.75");
        assert_eq!(format!("{:.3}", value(&["cohen_kappa"])), "0.610");
        assert_eq!(format!("{:.2}", value(&["by_slice", "replacement", "agreement"])), "1.00");
        assert_eq!(format!("{:.2}", value(&["by_slice", "address_change", "agreement"])), "0.50");
        assert_eq!(all["weak_slices"], serde_json::json!(["address_change"]));
        assert_eq!(all["n"], 8);
        let few = &all["by_slice"]["replacement"]["cohen_kappa"];
        assert_eq!(few["reason"], "n too small: 4 of at least 8");
        assert_eq!((&few["value"], &few["n"]), (&Value::Null, &Value::from(4)));
    }
}

#[test]
fn replies_of_two_variants_to_one_case_are_two_items() {
    let labels = r#"
        {"item":"1","variant":"old","label":"pass"}
        {"item":"1","variant":"new","label":"fail"}"#;
    let verdicts = r#"
        {"item":"1","variant":"new","verdict":"fail"}
        {"item":"1","variant":"old","verdict":"fail"}"#;
    let all = figures_of(labels, verdicts);
    assert_eq!((&all["n"], &all["agreement"]["value"]), (&Value::from(2), &Value::from(0.5)));
    // Where labels do not name them, the item alone does, and two verdicts on it are one too many.
    let nameless = joined(r#"{"item":"1","label":"pass"}"#, verdicts, JoinOptions::default());
    assert_eq!(nameless.expect_err("two"), "row 1, like row 0: is about item '1' by judge '(none)' again");
}

/// One row for each number.
fn lines(numbers: impl Iterator<Item = u32>, row: impl Fn(u32) -> String) -> String {
    numbers.map(row).collect::<Vec<_>>().join("\n")
}

/// Rows of one case need not stand together, and people need not come in the order of their names.
#[test]
fn the_order_of_rows_changes_nothing() {
    let label = |n: u32| {
        let (item, annotator, label) = (n % 24, ["zoe", "ann"][n as usize / 24], (n % 5) / 2 + n / 40);
        format!(r#"{{"item":"{item}","case":"{}","annotator":"{annotator}","label":{label}}}"#, item % 10)
    };
    let verdict = |n: u32| format!(r#"{{"item":"{n}","score":{}}}"#, n % 3);
    let figures = figures_of(&lines(0..48, label), &lines(0..24, verdict));
    assert_eq!(figures["agreement"]["n"], 24);
    assert_eq!(figures, figures_of(&lines((0..48).rev(), label), &lines(0..24, verdict)));
    assert_eq!(figures, figures_of(&lines(0..48, label), &lines((0..24).rev(), verdict)));
}

#[test]
fn the_first_row_that_is_there_again_is_named() {
    let verdict = |n: u32| format!(r#"{{"item":"{}","judge":"j{}","score":1}}"#, n % 3, n / 3 % 2);
    let refused = joined(r#"{"item":"1","label":1}"#, &lines((0..8).rev(), verdict), JoinOptions::default());
    assert_eq!(refused.expect_err("twice"), "row 6, like row 0: is about item '1' by judge 'j0' again");
}

#[test]
fn a_floor_is_measured_and_is_no_judge() {
    let labels = lines(0..8, |n| format!(r#"{{"item":"{n}","label":{}}}"#, n % 4));
    let said = |judge: &str, shift: u32| {
        lines(0..8, |n| format!(r#"{{"item":"{n}","judge":"{judge}","score":{}}}"#, (n + shift) % 4))
    };
    let options = JoinOptions { floor: Some("words".to_owned()), ..JoinOptions::default() };
    let verdicts = [said("j", 0), said("words", 1)].join("\n");
    let sheet = joined(&labels, &verdicts, options).expect("rows that fit");
    let all = calibration(&sheet, QUICK).to_json();
    assert_eq!(all["judges"].as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(all["agreement"]["value"], 1.0);
    assert_eq!(all["baselines"]["baseline"]["agreement"]["value"], 0.0);
    assert_eq!(all["baselines"]["baseline"]["n"], 8);
}

#[test]
fn l01_an_unknown_label_names_its_row() {
    check_refused(
        r#"{"item":"1","label":"good"}"#,
        &expect![
            "row 0: 'label' is 'good', expected a, b or tie, pass or fail, a number, or words that are declared from the lowest to the highest, such as --values no,yes"
        ],
    );
    check_refused(
        "{\"item\":\"1\",\"label\":\"a\"}\n{\"item\":\"2\",\"label\":\"C\"}\n{\"item\":\"3\",\"label\":4}",
        &expect![[r"
            row 1: 'label' is 'C', expected a, tie, b
            row 2: 'label' is '4', expected a, tie, b"]],
    );
    let levels: Vec<String> = ["1", "2", "3"].map(str::to_owned).into();
    let options = JoinOptions { scale: Scale::declared(&levels), ..JoinOptions::default() };
    let off = joined(r#"{"item":"1","score":4}"#, "", options).expect_err("off the scale");
    assert_eq!(off, "row 0: 'label' is '4', expected 1, 2, 3");
}

#[test]
fn l02_the_same_person_twice_is_an_error_unless_it_is_another_round() {
    let twice = r#"{"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"ann ","label":"b"}"#;
    check_refused(twice, &expect!["row 1, like row 0: is about item '1' by 'ann' in round 1 again"]);
    let rounds = r#"{"item":"1","annotator":"ann","round":2,"label":"b"}
        {"item":"1","annotator":"ann","round":1,"label":"a"}"#;
    let sheet = joined(rounds, "", JoinOptions::default()).expect("two rounds");
    assert_eq!((sheet.counts.n_votes, sheet.counts.n_superseded), (1, 1));
    assert_eq!(calibration(&sheet, QUICK).people.votes, [0, 0, 1], "the last round counts");
}

#[test]
fn n10_a_row_that_is_there_twice_counts_once() {
    let twice = r#"{"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"ben","label":"b"}
        {"item":"1","annotator":"ann ","label":"a"}
        {"item":"1","annotator":"ann","label":"a"}"#;
    check_notice(twice, "", &expect!["2 labels repeating an earlier row word for word: counted once"]);
    let sheet = joined(twice, "", JoinOptions::default()).expect("rows that fit");
    assert_eq!((sheet.counts.n_rows, sheet.counts.n_votes, sheet.counts.n_repeated), (4, 2, 2));
    assert_eq!(calibration(&sheet, QUICK).people.votes, [1, 0, 1]);
    let other = twice.replacen(r#""ann ","label":"a""#, r#""ann","label":"b""#, 1);
    check_refused(
        &other,
        &expect![[r"
            row 2, like row 0: is about item '1' by 'ann' in round 1 again
            row 3, like row 2: is about item '1' by 'ann' in round 1 again"]],
    );
    let rounds = r#"{"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"ann","label":"b","round":2}
        {"item":"1","annotator":"ann","label":"b","round":2}"#;
    let counts = joined(rounds, "", JoinOptions::default()).expect("rows that fit").counts.clone();
    assert_eq!((counts.n_votes, counts.n_superseded, counts.n_repeated), (1, 1, 2));
}

#[test]
fn n05_labels_on_several_packets_are_about_several_replies() {
    let labels = r#"{"item":"1","annotator":"ann","label":"a","packet":"p1"}
        {"item":"1","annotator":"ann","label":"b","packet":"p2"}
        {"item":"1","annotator":"ben","label":"a","packet":"p1"}"#;
    let verdict = r#"{"item":"1","judge":"j","verdict":"a"}"#;
    let refused = expect![
        "row 1, like row 0: is about item '1' on another packet, 'p2': several replies share the name, expected their 'variant'"
    ];
    refused
        .assert_eq(&joined(labels, verdict, JoinOptions::default()).expect_err("one verdict, two replies"));
    let apart = JoinOptions { shared_names: SharedNames::Apart, ..JoinOptions::default() };
    let sheet = joined(labels, "", apart.clone()).expect("people alone");
    let people = calibration(&sheet, QUICK).people;
    assert_eq!((people.n_units, people.votes), (2, vec![2, 0, 1]));
    let bare = format!("{labels}\n{}", r#"{"item":"1","annotator":"cem","label":"a"}"#);
    expect!["row 3, like row 0: names no 'packet', and labels of item '1' were given on several"]
        .assert_eq(&joined(&bare, "", apart).expect_err("it could be about either"));
}

#[test]
fn l03_names_that_differ_in_case_are_flagged() {
    let labels = r#"{"item":"1","annotator":"Ann","label":"a"}
        {"item":"1","annotator":"ann ","label":"a"}"#;
    check_notice(labels, "", &expect!["annotators 'Ann' and 'ann' differ in case only and count as two"]);
}

#[test]
fn l04_labels_without_a_verdict_are_listed() {
    let labels = r#"{"item":"1","label":"a"}
        {"item":"2","label":"b"}"#;
    check_notice(
        labels,
        r#"{"item":"1","verdict":"a"}"#,
        &expect!["1 label for 1 item without a verdict, such as '2': not counted"],
    );
    let all = figures_of(labels, r#"{"item":"1","verdict":"a"}"#);
    assert_eq!(all["labels"]["items_without_verdict"], serde_json::json!(["2"]));
    assert_eq!(all["n"], 1);
}

/// So many items with these labels and verdicts.
fn many(labels: &[&str], verdicts: &[&str]) -> Value {
    let rows = |said: &[&str], name: &str| -> String {
        let row = |(item, text): (usize, &&str)| format!(r#"{{"item":"{item}","{name}":"{text}"}}"#) + "\n";
        said.iter().enumerate().map(row).collect()
    };
    figures_of(&rows(labels, "label"), &rows(verdicts, "verdict"))
}

#[test]
fn l05_few_labels_give_no_number() {
    let all = many(&["pass", "fail", "pass"], &["pass", "fail", "fail"]);
    for name in ["cohen_kappa", "krippendorff_alpha", "gwet_ac1"] {
        assert_eq!(all[name]["value"], Value::Null);
        assert_eq!(all[name]["reason"], "n too small: 3 of at least 8");
    }
}

#[test]
fn l06_one_class_is_said_to_be_one() {
    let all = many(&["pass"; 20], &["pass"; 20]);
    for name in ["cohen_kappa", "krippendorff_alpha", "gwet_ac1"] {
        assert_eq!(all[name]["reason"], "undefined: only one class is in use");
    }
    assert_eq!(all["specificity"]["reason"], "undefined: no label of this class");
    assert_eq!(all["agreement"]["value"], 1.0);
}

#[test]
fn l07_one_person_has_nobody_to_agree_with() {
    let all = many(&["pass", "fail", "pass", "fail", "pass", "fail", "pass", "fail"], &["pass"; 8]);
    assert_eq!(all["human_human"]["agreement"]["value"], Value::Null);
    assert_eq!(all["human_human"]["krippendorff_alpha"]["reason"], "no labels");
    assert_eq!(all["agreement"]["value"], 0.5);
    assert_eq!(all["cohen_kappa"]["value"], 0.0);
}

#[test]
fn n09_items_on_which_all_people_say_the_same_are_unanimous() {
    let votes = [("1", "aaa"), ("2", "aab"), ("3", "bb"), ("4", "b")];
    let label = |item: &str, at: usize, vote: char| {
        format!(r#"{{"item":"{item}","annotator":"p{at}","label":"{vote}"}}"#) + "\n"
    };
    let of = |(item, votes): (&str, &str)| {
        votes.chars().enumerate().map(|(at, vote)| label(item, at, vote)).collect::<String>()
    };
    let all = figures_of(&votes.map(of).concat(), "");
    let unanimous = &all["human_human"]["unanimous"];
    assert_eq!((&unanimous["value"], &unanimous["n"]), (&(2.0 / 3.0).into(), &3.into()), "{unanimous}");
    let alone = many(&["pass", "fail"], &["pass"; 2]);
    assert_eq!(alone["human_human"]["unanimous"]["value"], Value::Null);
}

#[test]
fn l08_people_without_an_item_in_common() {
    let label =
        |item: usize, by: &str| format!(r#"{{"item":"{item}","annotator":"{by}","label":"a"}}"#) + "\n";
    let labels: String = (0..20).map(|item| label(item, if item < 10 { "ann" } else { "bob" })).collect();
    let all = figures_of(&labels, "");
    assert_eq!(all["human_human"]["pairs"], serde_json::json!([]));
    assert_eq!(all["human_human"]["disjoint_pairs"], 1);
    assert_eq!(all["human_human"]["krippendorff_alpha"]["value"], Value::Null);
}

#[test]
fn l09_adjudicated_labels_are_what_counts_and_all_rows_say_so() {
    let mixed = r#"{"item":"1","annotator":"ann","label":"a","adjudicated":false}
        {"item":"1","annotator":"bob","label":"b"}"#;
    check_refused(mixed, &expect!["row 1: expected 'adjudicated' in every row, as other rows have it"]);
    let settled = r#"{"item":"1","annotator":"ann","label":"a","adjudicated":false}
        {"item":"1","annotator":"bob","label":"b","adjudicated":"false"}
        {"item":"1","annotator":"ann","label":"b","adjudicated":true}"#;
    let all = figures_of(settled, r#"{"item":"1","verdict":"b"}"#);
    assert_eq!(all["agreement"]["value"], 1.0);
    assert_eq!(all["human_human"]["agreement"]["value"], 0.0, "people are compared before they are settled");
}

#[test]
fn labels_that_come_one_by_one_are_settled_item_by_item() {
    let labels = r#"{"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"bob","label":"b"}
        {"item":"1","annotator":"lea","label":"b","adjudicated":true}
        {"item":"2","annotator":"ann","label":"a"}"#;
    let verdicts = r#"{"item":"1","verdict":"b"}
        {"item":"2","verdict":"b"}"#;
    check_refused(
        labels,
        &expect![[r"
        row 0: expected 'adjudicated' in every row, as other rows have it
        row 1: expected 'adjudicated' in every row, as other rows have it
        row 3: expected 'adjudicated' in every row, as other rows have it"]],
    );
    let options = JoinOptions { settling: Settling::ByItem, ..JoinOptions::default() };
    let all = calibration(&joined(labels, verdicts, options).expect("rows that fit"), QUICK).to_json();
    assert_eq!((&all["n"], &all["agreement"]["value"]), (&2.into(), &0.5.into()));
    assert_eq!((&all["labels"]["votes"], &all["labels"]["adjudicated"]), (&3.into(), &1.into()));
    assert_eq!(all["human_human"]["votes"], serde_json::json!({ "a": 2, "tie": 0, "b": 1 }));
}

#[test]
fn l10_labels_with_the_verdict_in_sight_do_not_count() {
    let labels = r#"{"item":"1","annotator":"ann","label":"a","blind":true}
        {"item":"1","annotator":"bob","label":"b","blind":false}"#;
    let verdicts = r#"{"item":"1","verdict":"a"}"#;
    assert_eq!(figures_of(labels, verdicts)["agreement"]["value"], 1.0);
    let options = JoinOptions { not_blind: NotBlind::Keep, ..JoinOptions::default() };
    let kept = joined(labels, verdicts, options).expect("rows that fit");
    assert_eq!(kept.counts.n_votes, 2);
    check_notice(labels, verdicts, &expect!["1 label given with the verdict in sight: not counted"]);
}

#[test]
fn l11_labels_that_took_no_time_are_flagged_and_kept() {
    let labels = r#"{"item":"1","label":"a","seconds":0.2}"#;
    check_notice(labels, "", &expect!["1 label took less than 1 s each: counted all the same"]);
    assert_eq!(figures_of(labels, "")["labels"]["votes"], 1);
}

#[test]
fn l12_who_cannot_tell_is_counted_and_says_nothing() {
    let labels = r#"{"item":"1","annotator":"ann","label":"abstain"}
        {"item":"1","annotator":"bob","label":4}
        {"item":"1","annotator":"cat","label":null}"#;
    let all = figures_of(labels, r#"{"item":"1","score":4}"#);
    assert_eq!(all["labels"]["abstained"], 2);
    assert_eq!(all["agreement"]["value"], 1.0);
}

#[test]
fn l13_names_that_a_spreadsheet_rewrote() {
    check_refused(
        r#"{"item":"1.23E+15","label":"a"}"#,
        &expect![
            "'item' is '1.23E+15', a number as spreadsheets write it, expected the name that was exported"
        ],
    );
    let fine = joined(r#"{"item":"v1.2e-3","label":"a"}"#, "", JoinOptions::default());
    assert!(fine.is_ok(), "{fine:?}");
}

#[test]
fn scores_of_several_criteria() {
    let row = |item: usize, criterion: &str, name: &str, score: usize| {
        format!(r#"{{"item":"{item}","criterion":"{criterion}","{name}":{score}}}"#) + "\n"
    };
    let each = |name: &str, more: usize| -> String {
        let both = |item: usize| {
            row(item, "tone", name, 1 + item % 4)
                + &row(item, "relevance", name, (1 + item % 4 + more).min(5))
        };
        (0..12).map(both).collect()
    };
    let all = figures_of(&each("score", 0), &each("score", 1));
    assert_eq!(all["by_criterion"]["tone"]["mean_error"]["value"], 0.0);
    assert_eq!(all["by_criterion"]["relevance"]["mean_error"]["value"], 1.0);
    assert_eq!(all["by_criterion"]["relevance"]["spearman"]["value"], 1.0);
    assert_eq!(all["agreement"]["value"], 0.5);
    assert_eq!(all["n"], 24);
}

#[test]
fn judges_that_do_not_look_are_the_floor() {
    let label = |(item, label): (usize, &str)| {
        format!(r#"{{"item":"{item}","label":"{label}","len_a":{},"len_b":5}}"#, 4 + item % 3) + "\n"
    };
    let labels: String =
        ["a", "b", "b", "b", "tie", "a", "b", "b"].into_iter().enumerate().map(label).collect();
    let floors = &figures_of(&labels, "")["baselines"];
    assert_eq!(
        (&floors["constant"]["says"], &floors["constant"]["agreement"]["value"]),
        (&"b".into(), &0.625.into())
    );
    assert_eq!(floors["constant"]["cohen_kappa"]["value"], 0.0);
    // Longer: b, tie, a, b, tie, a, b, tie.
    assert_eq!(floors["prefer_longer"]["agreement"]["value"], 0.5);
}

/// Three people who say the class of an item but for every tenth, and a judge.
fn replaced(judge: impl Fn(usize) -> usize) -> Value {
    let said = |wrong: bool, item: usize| if wrong { 1 - item % 2 } else { item % 2 };
    let row = |item: usize, by: usize| {
        let label = said(item % 10 == 3 * by, item);
        format!(r#"{{"item":"{item}","annotator":"p{by}","label":{label}}}"#) + "\n"
    };
    let labels: String = (0..100).flat_map(|item| (0..3).map(move |by| row(item, by))).collect();
    let verdict = |item: usize| format!(r#"{{"item":"{item}","score":{}}}"#, judge(item)) + "\n";
    figures_of(&labels, &(0..100).map(verdict).collect::<String>())["replacement"].clone()
}

#[test]
fn a_judge_as_good_as_people_may_replace_one() {
    // Always right: it loses to no person and each person wins as often but for every tenth item.
    let good = replaced(|item| item % 2);
    assert_eq!((&good["winning_rate"], &good["allowed"]), (&1.0.into(), &true.into()));
    assert_eq!(good["annotators"][0]["judge_advantage"], 1.0);
    assert_eq!(good["annotators"][0]["person_advantage"], 0.9);
    let poor = replaced(|_| 0);
    assert_eq!((&poor["winning_rate"], &poor["allowed"]), (&0.0.into(), &false.into()));
    let few =
        figures_of(r#"{"item":"1","label":"a"}"#, r#"{"item":"1","verdict":"a"}"#)["replacement"].clone();
    assert_eq!(
        (&few["winning_rate"], &few["reason"]),
        (&Value::Null, &"n too small: 0 of at least 3".into())
    );
}

#[test]
fn pooled_orders_and_votes_are_observations_each() {
    let labels = r#"{"item":"1","annotator":"ann","label":"a"}
        {"item":"1","annotator":"bob","label":"b"}"#;
    let verdicts = r#"{"item":"1","verdict_ab":"a","verdict_ba":"b"}"#;
    let sheet = joined(labels, verdicts, JoinOptions::default()).expect("rows that fit");
    let policies = Policies { conflict: crate::compare::Conflict::Pool, ..QUICK.policies };
    let pooled = calibration(&sheet, Counting { policies, votes: Votes::Pooled, ..QUICK }).to_json();
    assert_eq!((&pooled["agreement"]["n"], &pooled["agreement"]["value"]), (&4.into(), &0.5.into()));
    // One label, a tie between the two people, and orders that disagree, which is a tie as well.
    let tied = calibration(&sheet, QUICK).to_json();
    assert_eq!((&tied["agreement"]["n"], &tied["agreement"]["value"]), (&1.into(), &1.0.into()));
}
