//! Differences by example and by property.

use expect_test::expect;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::exact::Exact;
use crate::promote::Standing;
use crate::results::{
    Counts, CriterionFigures, CriterionResult, Facts, FindingRecord, GateRecord, JudgeRecord, PartRecord,
    ResultRow, RowOutcome, RubricName, RunResults, SummaryRecord,
};
use crate::stats::{Estimate, Resampling};

const QUICK: Resampling = Resampling { n_resamples: 60, seed: 1 };

/// A reply of the small rubric below: id, slice, outcome, level of `tone`.
type Reply<'a> = (&'a str, &'a str, &'a str, Option<i64>);

fn row((id, slice, outcome, tone): Reply<'_>) -> ResultRow {
    let outcome: RowOutcome = serde_json::from_value(json!(outcome)).expect("an outcome");
    let finding = |rule: &str, severity: &str| {
        let [rule, severity, message] = [rule, severity, "seen"].map(str::to_owned);
        let (expected, source, version) = (None, None, None);
        FindingRecord { rule, severity, start: 0, end: 1, message, expected, source, version }
    };
    let level = CriterionResult {
        score: tone,
        reasoning: tone.map(|level| format!("said {level}")),
        unscored: (outcome == RowOutcome::Unscored).then(|| "no_json".to_owned().into()),
        ..CriterionResult::default()
    };
    let is_blocked = outcome == RowOutcome::Blocked;
    let is_total = matches!(outcome, RowOutcome::Pass | RowOutcome::Fail);
    ResultRow {
        id: id.to_owned(),
        criteria: [("tone", (!is_blocked).then_some(level))].into_iter().collect(),
        outcome,
        total: tone.filter(|_| is_total).map(|level| Exact::from(level * 25)),
        fail_reasons: if outcome == RowOutcome::Fail {
            vec!["score below 70".to_owned()]
        } else {
            Vec::new()
        },
        slice: Some(slice.to_owned()),
        gate: GateRecord {
            findings: if is_blocked {
                vec![finding("pii.card", "block"), finding("x", "flag")]
            } else {
                Vec::new()
            },
            ..GateRecord::default()
        },
        ..ResultRow::default()
    }
}

fn results(rows: Vec<ResultRow>) -> RunResults {
    let n = rows.len() as u64;
    let levels = ["0", "1", "2", "3", "4"].map(|level| (level, 0)).into_iter().collect();
    let [id, kind, model] = ["j1", "openai", "m"].map(str::to_owned);
    let [name, version, hash] = ["small", "1", "aaaa"].map(str::to_owned);
    let parts = [("cases", "c1"), ("template", "t1"), ("gate", "g1")];
    RunResults {
        results: rows,
        skipped: Vec::new(),
        failed: Vec::new(),
        summary: SummaryRecord {
            all: PartRecord {
                counts: Counts { entered: n, ..Counts::default() },
                pass_rate: Some(Estimate { value: 0.5, low: 0.0, high: 1.0, n }),
                criteria: [("tone", CriterionFigures { levels, ..CriterionFigures::default() })]
                    .into_iter()
                    .collect(),
                ..PartRecord::default()
            },
            rubric: RubricName { name, version, hash },
            facts: Facts {
                judge: JudgeRecord {
                    answered_as: [("m", 3)].into_iter().collect(),
                    ..JudgeRecord { id, kind, model, ..JudgeRecord::default() }
                },
                definition: parts.into_iter().map(|(part, value)| (part, value.to_owned())).collect(),
                ..Facts::default()
            },
            ..SummaryRecord::default()
        },
        standing: Standing::advisory("results from a file have no standing of their own"),
    }
}

fn run(replies: &[Reply<'_>]) -> RunResults {
    results(replies.iter().map(|reply| row(*reply)).collect())
}

#[test]
fn figures_by_hand() {
    let before = run(&[
        ("a", "x", "pass", Some(4)),
        ("b", "x", "pass", Some(3)),
        ("c", "y", "fail", Some(1)),
        ("d", "y", "blocked", None),
        ("e", "y", "unscored", None),
        ("f", "y", "pass", Some(3)),
    ]);
    let after = run(&[
        ("a", "x", "fail", Some(2)),
        ("b", "x", "fail", Some(2)),
        ("c", "y", "pass", Some(4)),
        ("d", "y", "fail", Some(0)),
        ("e", "y", "pass", Some(4)),
        ("g", "y", "pass", Some(3)),
    ]);
    let got = difference(&before, &after, QUICK).expect("the same rubric");
    let pass = got.overall.pass.expect("a pass rule");
    // a and b lost, c gained, d failed both times; e counts in no rate, f and g have no partner.
    assert_eq!((pass.n_lost, pass.n_gained, pass.before.n), (2, 1, 4));
    assert_eq!((pass.before.value, pass.after.value, pass.change.value), (0.5, 0.25, -0.25));
    assert_eq!(pass.mcnemar.map(|test| test.exact), Some(1.0));
    assert_eq!(pass.fell, Some(0.5), "1 + 3 of 8 coins");
    // Levels of a, b and c: −2, −1 and +3.
    let tone = got.overall.criteria.0[0].1.expect("levels");
    assert_eq!((tone.change.value, tone.change.n, tone.n_higher, tone.n_lower), (0.0, 3, 1, 2));
    assert_eq!((tone.sign_test, tone.adjusted), (Some(1.0), Some(1.0)));
    assert_eq!(got.by_slice["x"].pass.map(|pass| pass.n_lost), Some(2));
    let ids = |rows: &[&ResultRow]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
    assert_eq!((ids(&got.only_before), ids(&got.only_after)), (vec!["f".to_owned()], vec!["g".to_owned()]));
    let reasons: Vec<String> = got.pairs.iter().map(|pair| pair.before.reasons().join(", ")).collect();
    assert_eq!(reasons, ["", "", "score below 70", "pii.card", "tone: no_json"]);
    assert_eq!(got.coverage(), Some(4.0 / 6.0));
    let flips: Vec<String> =
        got.flips().iter().map(|((from, to), n)| format!("{} {} {n}", from.name(), to.name())).collect();
    assert_eq!(flips, ["pass fail 2", "fail pass 1", "blocked fail 1", "unscored pass 1"]);
    assert_eq!(json!(got.document(&[], ["a", "b"]))["flips"]["pass_to_fail"], 2);
}

#[test]
fn another_rubric_has_no_figures_and_another_judge_a_warning() {
    let before = run(&[("a", "x", "pass", Some(4))]);
    let mut after = before.clone();
    after.summary.rubric.hash = "bbbb".to_owned();
    after.summary.rubric.version = "2".to_owned();
    let refused = difference(&before, &after, QUICK).expect_err("another hash").to_string();
    expect!["the runs were scored by different rubrics: small 1 (aaaa) and small 2 (bbbb)"]
        .assert_eq(&refused);
    let mut after = before.clone();
    after.summary.facts.judge.id = "j2".to_owned();
    after.summary.facts.definition.0[1].1 = "t2".to_owned();
    let got = difference(&before, &after, QUICK).expect("the same rubric");
    let parts: Vec<&str> = got.definition.iter().map(|change| change.part.as_str()).collect();
    assert_eq!(parts, ["judge.id", "template"]);
    assert!(got.warnings[0].starts_with("the judge changed (openai m to openai m)"), "{:?}", got.warnings);
    after.summary.facts.judge.id = "j1".to_owned();
    after.summary.facts.judge.answered_as = [("n", 3)].into_iter().collect();
    let got = difference(&before, &after, QUICK).expect("the same rubric");
    assert!(got.warnings[0].contains("answers as another model (m to n)"), "{:?}", got.warnings);
}

#[test]
fn what_each_run_warns_of_is_said_with_the_run() {
    let mut before = run(&[("a", "x", "pass", Some(4))]);
    let mut after = before.clone();
    before.summary.facts.warnings = vec!["the judge and the target are one model".to_owned()];
    after.summary.facts.warnings = vec!["confidence says little".to_owned()];
    let got = difference(&before, &after, QUICK).expect("the same rubric");
    assert_eq!(
        got.warnings,
        ["the first run: the judge and the target are one model", "the second run: confidence says little"]
    );
}

#[test]
fn a_run_without_a_round_is_the_first() {
    let before = run(&[("a", "x", "pass", Some(4))]);
    let mut after = before.clone();
    after.summary.facts.definition.0.push(("round".to_owned(), "2".to_owned()));
    let got = difference(&before, &after, QUICK).expect("the same rubric");
    let [change] = got.definition.as_slice() else { panic!("{:?}", got.definition) };
    let sides = (change.part.as_str(), change.before.as_deref(), change.after.as_deref());
    assert_eq!(sides, ("round", Some("1"), Some("2")));
}

fn scored(level: i64) -> CriterionResult {
    CriterionResult { score: Some(level), ..CriterionResult::default() }
}

/// Gives each row of `run` a variant.
fn written_by(mut run: RunResults, variants: &[&str]) -> RunResults {
    for (row, variant) in run.results.iter_mut().zip(variants.iter().cycle()) {
        row.variant = Some((*variant).to_owned());
    }
    run
}

#[test]
fn variants_decide_about_pairs_where_both_runs_have_them() {
    let two = || run(&[("a", "x", "pass", Some(4)), ("a", "x", "fail", Some(1))]);
    let one = || run(&[("a", "x", "pass", Some(4))]);
    let (before, after) = (written_by(two(), &["v1", "v2"]), written_by(two(), &["v2", "v3"]));
    let got = difference(&before, &after, QUICK).expect("v2 is in both");
    assert_eq!((got.paired_by, got.pairs.len()), (PairedBy::CaseAndVariant, 1));
    assert_eq!(
        (got.pairs[0].before.outcome, got.pairs[0].after.outcome),
        (RowOutcome::Fail, RowOutcome::Pass)
    );
    let (before, after) = (written_by(one(), &["v1"]), written_by(one(), &["v2"]));
    let got = difference(&before, &after, QUICK).expect("one reply each");
    assert_eq!((got.paired_by, got.pairs.len()), (PairedBy::Case, 1));
    let (before, after) = (written_by(two(), &["v1", "v2"]), written_by(one(), &["v3"]));
    let refused = difference(&before, &after, QUICK).expect_err("v1 or v2").to_string();
    expect![
        "case 'a' has several variants in one run, and no variant is in both, so its pair cannot be told"
    ]
    .assert_eq(&refused);
    let before = written_by(two(), &["v1"]);
    let refused = difference(&before, &written_by(one(), &["v1"]), QUICK).expect_err("twice").to_string();
    expect!["case 'a' stands twice in one run for variant 'v1'"].assert_eq(&refused);
}

#[test]
fn n07_the_rate_of_each_run_takes_a_case_as_one_draw() {
    let ids: Vec<String> = (0..20).map(|case| format!("c{case}")).collect();
    let outcome = |case: usize| if case.is_multiple_of(4) { "fail" } else { "pass" };
    let replies = |times: usize| -> RunResults {
        let cases = ids.iter().enumerate().flat_map(|(case, id)| std::iter::repeat_n((case, id), times));
        let replies: Vec<Reply<'_>> =
            cases.map(|(case, id)| (id.as_str(), "x", outcome(case), Some(3))).collect();
        written_by(run(&replies), &["v1", "v2", "v3"][..times])
    };
    let rate = |times: usize| {
        let run = replies(times);
        difference(&run, &run, QUICK).expect("the same cases").overall.pass.expect("rated").before
    };
    let (once, thrice) = (rate(1), rate(3));
    assert_eq!((once.n, thrice.n), (20, 60));
    assert!(thrice.high - thrice.low > 0.95 * (once.high - once.low), "{once:?} {thrice:?}");
}

#[test]
fn replies_to_one_case_are_drawn_together() {
    let replies: Vec<Reply<'_>> = vec![
        ("a", "x", "pass", Some(4)),
        ("a", "x", "fail", Some(1)),
        ("b", "x", "pass", Some(4)),
        ("b", "x", "pass", Some(4)),
    ];
    let before = written_by(run(&replies), &["v1", "v2"]);
    let mut after = before.clone();
    after.results[0].outcome = RowOutcome::Fail;
    let got = difference(&before, &after, QUICK).expect("comparable");
    assert!(got.warnings[0].starts_with("4 pairs are about 2 cases"), "{:?}", got.warnings);
    // Case a lost one of two, case b none: what is drawn lies between.
    let change = got.overall.pass.expect("a pass rule").change;
    assert_eq!((change.value, change.low, change.high, change.n), (-0.25, -0.5, 0.0, 4));
}

#[test]
fn n07_tests_take_each_case_as_one_draw() {
    // Two of three cases lose all five replies each: ten pairs down, and two signs.
    let ids = ["a", "b", "c"].into_iter().flat_map(|id| [id; 5]);
    let replies: Vec<Reply<'_>> = ids.map(|id| (id, "x", "pass", Some(4))).collect();
    let mut before = written_by(run(&replies), &["v1", "v2", "v3", "v4", "v5"]);
    before.summary.facts.warnings =
        vec!["15 replies answer 3 cases: intervals take each case as one draw".to_owned()];
    let mut after = before.clone();
    for row in after.results.iter_mut().take(10) {
        row.outcome = RowOutcome::Fail;
        row.criteria.0[0].1 = Some(scored(1));
    }
    let got = difference(&before, &after, QUICK).expect("comparable");
    let pass = got.overall.pass.expect("a pass rule");
    assert_eq!((pass.n_lost, pass.fell, pass.mcnemar.map(|test| test.exact)), (10, Some(0.25), Some(0.5)));
    let tone = got.overall.criteria.0[0].1.expect("levels");
    assert_eq!((tone.n_lower, tone.sign_test), (10, Some(0.5)));
    let said = ["15 pairs are about 3 cases: intervals and tests take each case as one draw"];
    assert_eq!(got.warnings, said, "and it is said once");
    // What a case gains by one reply and loses by another is no move of the case.
    after = before.clone();
    after.results[0].criteria.0[0].1 = Some(scored(3));
    before.results[1].criteria.0[0].1 = Some(scored(3));
    let got =
        difference(&before, &after, QUICK).expect("comparable").overall.criteria.0[0].1.expect("levels");
    assert_eq!((got.n_higher, got.n_lower, got.sign_test), (1, 1, None));
}

#[test]
fn n26_a_limit_on_a_mean_is_held_against_the_interval_that_a_run_has() {
    let run = mixed(12, &[("", "", "fail", Some(1)); 5]);
    let changed = difference(&run, &run, QUICK).expect("the same run");
    let text = "[[guardrail]]\nfigure = \"mean\"\ncriterion = \"tone\"\nmin = 2\n";
    let found = guarded(&read_guardrails(text).expect("a guardrail"), &changed);
    let levels = [(0.0, 0), (1.0, 5), (2.0, 0), (3.0, 7), (4.0, 0)];
    assert_eq!(found[0].measured, crate::stats::mean(&levels));
}

#[test]
fn n03_a_standing_in_a_file_is_not_read() {
    let mut typed = run(&[("a", "s", "pass", Some(4))]);
    typed.summary.facts.judge.standing = "promoted".to_owned();
    let typed = RunResults::read(&json!(typed).to_string()).expect("a results file");
    let changed = difference(&typed, &typed, QUICK).expect("the same run");
    let reason = "results from a file have no standing of their own";
    assert_eq!(changed.advisory(), Some(Advisory { run: "first", reason }));
}

#[test]
fn without_a_pass_rule_blocked_replies_are_no_rate() {
    let mut before = run(&[("a", "x", "scored", Some(4)), ("b", "x", "blocked", None)]);
    assert!(difference(&before, &before, QUICK).expect("comparable").overall.pass.is_some());
    before.summary.all.pass_rate = None;
    assert_eq!(difference(&before, &before, QUICK).expect("comparable").overall.pass, None);
}

#[test]
fn runs_without_a_common_case_are_refused() {
    let (before, after) = (
        run(&[("a", "x", "pass", Some(4)), ("b", "x", "pass", Some(4))]),
        run(&[("c", "x", "pass", Some(4))]),
    );
    let refused = difference(&before, &after, QUICK).expect_err("nothing in common").to_string();
    expect!["no case is in both runs: the first has 'a' and 1 more, the second has 'c'"].assert_eq(&refused);
}

/// Any replies: an id from a few, a slice, an outcome and a level.
fn replies() -> impl Strategy<Value = RunResults> {
    let reply = (prop::sample::select(vec!["pass", "fail", "blocked", "unscored"]), 0_i64..=4);
    prop::collection::btree_map(0_usize..12, reply, 1..12).prop_map(|replies| {
        let rows = replies.into_iter().map(|(id, (outcome, level))| {
            let level = (!matches!(outcome, "blocked" | "unscored")).then_some(level);
            // The slice is the case's, so both runs have the same.
            row((&format!("case {id}"), ["x", "y", "z"][id % 3], outcome, level))
        });
        results(rows.collect())
    })
}

/// What levels and the total did.
fn levels(part: &PartChange) -> Vec<LevelChange> {
    part.criteria.iter().filter_map(|(_, change)| *change).chain(part.total).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A run against itself has no change.
    #[test]
    fn nothing_changes_from_a_run_to_itself(run in replies()) {
        let got = difference(&run, &run, QUICK).expect("the same cases");
        prop_assert!(got.flips().is_empty() && got.definition.is_empty() && got.warnings.is_empty());
        prop_assert!(got.only_before.is_empty() && got.only_after.is_empty());
        prop_assert_eq!(&json!(got.document(&[], ["a", "b"]))["changed"], &json!([]));
        for part in std::iter::once(&got.overall).chain(got.by_slice.values()) {
            let pass = part.pass.map(|pass| pass.change);
            for change in levels(part).iter().map(|c| c.change).chain(pass) {
                prop_assert!(change.value.abs() < 1e-15);
                prop_assert!(change.low <= 0.0 && 0.0 <= change.high);
            }
        }
    }

    /// Exchanging the runs negates every change and keeps every p-value.
    #[test]
    fn exchanging_the_runs_negates_everything(one in replies(), other in replies()) {
        let (there, back) = (difference(&one, &other, QUICK), difference(&other, &one, QUICK));
        let (Ok(there), Ok(back)) = (there, back) else { return Ok(()) };
        prop_assert_eq!(there.pairs.len(), back.pairs.len());
        let parts = |d: &Difference<'_>| -> Vec<PartChange> {
            std::iter::once(d.overall.clone()).chain(d.by_slice.values().cloned()).collect()
        };
        for (there, back) in parts(&there).iter().zip(parts(&back)) {
            for (there, back) in levels(there).iter().zip(levels(&back)) {
                let (a, b) = (there.change, back.change);
                prop_assert_eq!((a.value, a.n), (-b.value, b.n));
                // A quantile lies between two draws, and from the other side its last digit can differ.
                let is_near = |one: f64, other: f64| (one - other).abs() < 1e-9;
                prop_assert!(is_near(a.low, -b.high) && is_near(a.high, -b.low), "{a:?} {b:?}");
                prop_assert_eq!((there.sign_test, there.adjusted), (back.sign_test, back.adjusted));
            }
            prop_assert_eq!(there.pass.map(|pass| pass.change.value), back.pass.map(|pass| -pass.change.value));
            prop_assert_eq!(there.pass.map(|pass| pass.adjusted), back.pass.map(|pass| pass.adjusted));
        }
    }

    /// What was not scored moves nothing.
    #[test]
    fn unscored_replies_move_no_figure(one in replies(), other in replies()) {
        let Ok(plain) = difference(&one, &other, QUICK) else { return Ok(()) };
        let lost = |run: &RunResults| {
            let mut run = run.clone();
            run.results.push(row(("lost", "x", "unscored", None)));
            run
        };
        let (one, other) = (lost(&one), lost(&other));
        let more = difference(&one, &other, QUICK).expect("as before");
        prop_assert_eq!(plain.overall.pass, more.overall.pass);
        prop_assert_eq!(plain.overall.criteria, more.overall.criteria);
        prop_assert_eq!(plain.overall.total, more.overall.total);
    }
}

/// What one limit, as a file has it, comes to between two runs: its result, and whether it fails.
#[track_caller]
fn check_guardrail(lines: &str, before: &RunResults, after: &RunResults, want: &str) {
    let guardrails = read_guardrails(&format!("[[guardrail]]\n{lines}\n")).expect("a guardrail");
    let changed = difference(before, after, QUICK).expect("comparable runs");
    let found = &guarded(&guardrails, &changed)[0];
    let fails = if found.fails() { " fails" } else { "" };
    assert_eq!(format!("{}{fails}", found.kept.name()), want, "{}", found.message());
}

/// So many cases in two slices, of which the first ones come out otherwise.
fn mixed(n: usize, others: &[Reply<'static>]) -> RunResults {
    let ids: Vec<String> = (0..n).map(|case| format!("c{case}")).collect();
    let reply = |(case, id)| {
        let slice = if case % 2 == 0 { "even" } else { "odd" };
        match others.get(case) {
            Some((_, _, outcome, tone)) => (id, slice, *outcome, *tone),
            None => (id, slice, "pass", Some(3)),
        }
    };
    let replies: Vec<Reply<'_>> = ids.iter().map(String::as_str).enumerate().map(reply).collect();
    run(&replies)
}

#[test]
fn n26_a_limit_is_held_against_the_interval_of_its_figure() {
    let before = mixed(40, &[]);
    let fell = mixed(40, &[("", "", "fail", Some(1)); 8]);
    let dipped = mixed(40, &[("", "", "fail", Some(1)); 2]);
    let rate = "figure = \"pass_rate\"\n";
    check_guardrail(&format!("{rate}drop_max = 0"), &before, &fell, "broken fails");
    check_guardrail(&format!("{rate}drop_max = 0"), &before, &dipped, "open");
    check_guardrail(&format!("{rate}drop_max = 0\nstrict = true"), &before, &dipped, "open fails");
    check_guardrail(&format!("{rate}drop_max = 0.5"), &before, &dipped, "kept");
    check_guardrail(&format!("{rate}drop_max = 0.5\nstrict = true"), &before, &dipped, "kept");
    check_guardrail(&format!("{rate}min = 0.95"), &before, &fell, "broken fails");
    check_guardrail(&format!("{rate}min = 0.8"), &before, &fell, "open");
    check_guardrail(&format!("{rate}min = 0.5"), &before, &fell, "kept");
    check_guardrail(&format!("{rate}max = 0.5"), &before, &fell, "broken fails");
    // In a slice four of twenty are lost, and twenty pairs show no fall below five.
    check_guardrail(&format!("{rate}slice = \"even\"\ndrop_max = 0"), &before, &fell, "open");
    check_guardrail(&format!("{rate}slice = \"even\"\nmin = 0.2"), &before, &fell, "kept");
    let tone = "figure = \"mean\"\ncriterion = \"tone\"\n";
    check_guardrail(&format!("{tone}drop_max = 0"), &before, &fell, "broken fails");
    check_guardrail(&format!("{tone}rise_max = 0"), &before, &fell, "kept");
    check_guardrail(&format!("{tone}min = 3.5"), &before, &fell, "broken fails");
    check_guardrail("figure = \"mean_total\"\ndrop_max = 20", &before, &fell, "kept");
}

#[test]
fn n26_blocked_unscored_and_automatic_fails_have_limits_of_their_own() {
    let before = mixed(30, &[]);
    let blocked = mixed(30, &[("", "", "blocked", None); 9]);
    check_guardrail("figure = \"blocked_rate\"\nrise_max = 0.05", &before, &blocked, "broken fails");
    check_guardrail("figure = \"blocked_rate\"\nmax = 0.6", &before, &blocked, "kept");
    check_guardrail("figure = \"automatic_fail_rate\"\nmax = 0", &before, &blocked, "broken fails");
    let unscored = mixed(30, &[("", "", "unscored", None); 9]);
    check_guardrail("figure = \"unscored_rate\"\nmax = 0.1", &before, &unscored, "broken fails");
    check_guardrail("figure = \"pass_rate\"\ndrop_max = 0", &before, &unscored, "open");
    let mut by_tone = mixed(30, &[("", "", "fail", Some(0)); 1]);
    check_guardrail("figure = \"automatic_fail_rate\"\nmax = 0", &before, &by_tone, "open");
    by_tone.results[0].fail_reasons = vec!["tone".to_owned(), "score below 70".to_owned()];
    check_guardrail("figure = \"automatic_fail_rate\"\nmax = 0", &before, &by_tone, "broken fails");
    let by = "figure = \"automatic_fail_rate\"\ncriterion = \"tone\"\nmax = 0";
    check_guardrail(by, &before, &by_tone, "broken fails");
    check_guardrail(by, &before, &blocked, "open");
}

#[test]
fn n26_a_figure_that_is_absent_fails_closed() {
    let run = mixed(20, &[]);
    check_guardrail("figure = \"pass_rate\"\nslice = \"none such\"\nmin = 0", &run, &run, "absent fails");
    check_guardrail(
        "figure = \"pass_rate\"\nslice = \"none such\"\ndrop_max = 1",
        &run,
        &run,
        "absent fails",
    );
    check_guardrail("figure = \"mean\"\ncriterion = \"wit\"\nmin = 0", &run, &run, "absent fails");
    let nothing = mixed(20, &[("", "", "unscored", None); 20]);
    check_guardrail("figure = \"pass_rate\"\ndrop_max = 1", &run, &nothing, "absent fails");
    check_guardrail("figure = \"mean_total\"\nmin = 0", &run, &nothing, "absent fails");
}

#[test]
fn n26_the_smallest_change_that_could_have_been_shown_stands_beside_it() {
    let (before, fell) = (mixed(40, &[]), mixed(40, &[("", "", "fail", Some(1)); 8]));
    let changed = difference(&before, &fell, QUICK).expect("comparable runs");
    let text = "[[guardrail]]\nfigure = \"pass_rate\"\ndrop_max = 0.02\n\
        [[guardrail]]\nfigure = \"mean\"\ncriterion = \"tone\"\nslice = \"odd\"\nmin = 2\n\
        [[guardrail]]\nfigure = \"blocked_rate\"\nmax = 0\n\
        [[guardrail]]\nfigure = \"mean\"\ncriterion = \"wit\"\nmin = 2\n";
    let found = guarded(&read_guardrails(text).expect("guardrails"), &changed);
    let messages: Vec<String> = found.iter().map(Guarded::message).collect();
    expect![[r"
        pass rate changed by −20.0 points (−34.8 to −7.1), a fall of at most 2.0 allowed; the smallest fall these 40 pairs could have shown is 15.0
        mean of tone in slice 'odd' is 2.60 (2.13 to 2.96), at least 2.00 wanted; the smallest shortfall these 20 replies could have shown is 0.36
        blocked rate is 0.0 % (0.0 to 8.8), at most 0.0 wanted; the smallest excess these 40 replies could have shown is 2.5
        mean of wit: absent, the rubric has no criterion `wit`, only tone"]].assert_eq(&messages.join("\n"));
    let json = json!(changed.document(&found, ["a", "b"]))["guardrails"][0].clone();
    assert_eq!(
        (&json["rule"], &json["result"], &json["fails"]),
        (&json!("drop_max"), &json!("broken"), &json!(true))
    );
    assert!(json["smallest_shown"].as_f64() < json["measured"]["value"].as_f64().map(f64::abs), "{json}");
}
