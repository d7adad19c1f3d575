//! One small run, figure by figure, and the rules that decide whether a target is met.
//!
//! What holds for any run stands in `report::properties`.

use expect_test::{Expect, expect, expect_file};
use serde_json::json;

use super::*;
use crate::case::{Case, CaseId, Confidence, Entry, Reply, Situation, Slice, Variant};
use crate::gate::Gate;
use crate::promote::Standing;
use crate::results::{AuthorRecord, JudgeRecord, Tokens};
use crate::rubric;
use crate::score::{CriterionOutcome, Scored, Unscored};
use crate::stats::proportion;

/// A reply by its slice, text, confidence and what the criteria, which mostly are facts and effort, came to.
type ReplyCounts<const N: usize = 2> = (Option<&'static str>, &'static str, Option<f64>, [Given; N]);

#[derive(Clone, Copy)]
enum Given {
    Level(i64),
    Lost(&'static str),
}

use Given::{Level, Lost};

const ROWS: [ReplyCounts; 9] = [
    (Some("refund"), "Sure.", Some(0.9), [Level(2), Level(0)]),
    (Some("refund"), "", Some(0.5), [Level(2), Level(1)]),
    (Some("parcel"), "Sure.", None, [Level(1), Level(0)]),
    (None, "Sure.", Some(0.25), [Level(0), Level(2)]),
    (Some("refund"), "Sure.", None, [Lost("timeout"), Level(1)]),
    (Some("parcel"), "Sure.", None, [Lost("refused"), Lost("timeout")]),
    (Some("parcel"), "Sure.", None, [Level(2), Level(2)]),
    (None, "Sure.", None, [Level(1), Level(1)]),
    (Some("refund"), "", None, [Level(1), Level(1)]),
];

fn rubric() -> Rubric {
    rubric::read(include_str!("rubric.toml")).expect("a good rubric").rubric
}

fn entry(at: usize, slice: Option<&str>, text: &str, confidence: Option<f64>) -> Entry {
    let id = CaseId::new(format!("case {at}")).expect("an id");
    let slice = slice.map(|name| Slice::new(name).expect("a slice"));
    let case = Case { slice, ..Case::new(id, Situation::Ticket("Help".into())) };
    let confidence = confidence.map(|share| Confidence::new(share).expect("a share"));
    Entry { case, reply: Reply { confidence, ..Reply::new(text) } }
}

fn result<const N: usize>(
    rubric: &Rubric,
    at: usize,
    (slice, text, confidence, given): ReplyCounts<N>,
) -> ResultRow {
    let entry = entry(at, slice, text, confidence);
    let admitted = Gate::default().screen(entry).expect("no rule blocks these");
    let outcome = |given: Given| match given {
        Level(level) => CriterionOutcome::Scored(Scored {
            level,
            reasoning: String::new(),
            violations: Vec::new(),
            repairs: Vec::new(),
            suspicions: Vec::new(),
        }),
        Lost(why) => CriterionOutcome::Unscored(Unscored {
            cause: why.to_owned(),
            detail: format!("seen at case {at}"),
            attempts: 1,
        }),
    };
    let criteria = rubric.criteria().iter().zip(given).map(|(c, given)| (c.id.clone(), outcome(given)));
    ResultRow::judged(&admitted, rubric, criteria.collect())
}

fn facts() -> Facts {
    Facts {
        judge: JudgeRecord {
            id: "abc".to_owned(),
            kind: "openai".to_owned(),
            model: "judge-1".to_owned(),
            answered_as: [("judge-1", 7)].into_iter().collect(),
            fingerprints: Some([("fp", 6)].into_iter().collect()),
            ..JudgeRecord::default()
        }
        .with_standing(Standing::default()),
        definition: [("cases", "c0ffee".to_owned())].into_iter().collect(),
        packets_repeated: 1,
        calls: 20,
        calls_lost: 2,
        saved_usd: None,
        service_tiers: crate::results::Members::default(),
        tokens: Tokens { input: 300, output: 40, cached: 0 },
        calls_without_usage: 5,
        calls_without_cost: 3,
        cost_usd: Some("0.25".parse().expect("a decimal")),
        warnings: vec!["careful".to_owned()],
        target: None,
        panel: None,
    }
}

/// The run: nine replies that were judged, three that were blocked and three records that were skipped.
fn summary() -> Summary {
    let rubric = rubric();
    let mut builder = SummaryBuilder::new(&rubric);
    for (at, row) in ROWS.into_iter().enumerate() {
        builder.add(&result(&rubric, at, row));
    }
    for at in [9, 10, 11] {
        builder.add(&ResultRow::blocked(&entry(at, ROWS[2].0, "Sure.", None), &[], &rubric));
    }
    (0..3).for_each(|_| builder.skip());
    builder.finish(facts())
}

#[test]
fn every_figure_of_a_small_run() {
    let run = summary();
    let mut figures = json!(run.record);
    let hash = figures["rubric"]["hash"].take();
    assert_eq!(hash, json!(run.rubric.hash()));
    let text = serde_json::to_string_pretty(&figures).expect("serializable");
    expect_file!["expected.json"].assert_eq(&(text + "\n"));
}

#[track_caller]
fn check(got: &str, want: &Expect) {
    want.assert_eq(got);
}

#[test]
fn what_can_be_asked_of_a_summary() {
    let run = summary();
    let counts = [
        run.record.all.counts.entered, run.record.all.counts.blocked, run.record.all.counts.passed,
        run.record.all.counts.failed, run.record.all.counts.scored,
    ];
    check(&format!("{counts:?}"), &expect!["[12, 3, 3, 4, 0]"]);
    let counts = [run.record.all.counts.unscored, run.record.skipped, run.record.flagged];
    check(&format!("{counts:?}"), &expect!["[2, 3, 2]"]);
    check(&run.record.coverage.expect("admitted").to_string(), &expect!["0.777777777778"]);
    let rate = run.record.all.pass_rate.expect("rated");
    check(&format!("{:.4} of {}", rate.value, rate.n), &expect!["0.3000 of 10"]);
    let scored: Vec<u64> = run.record.all.criteria.iter().map(|(_, each)| each.n).collect();
    check(
        &format!("{} {scored:?} {:?}", run.rubric.name(), run.record.facts.calls),
        &expect!["desk [7, 8] 20"],
    );
}

#[test]
fn the_worst_come_first_and_of_equals_the_first() {
    let run = summary();
    let listed = run.worst.iter().take(run.record.worst.len());
    let worst: Vec<String> = listed.map(|worst| format!("{} {}", worst.row.id, worst.quality_max)).collect();
    check(&worst.join(", "), &expect!["case 3 0, case 6 0.6, case 7 0.5, case 8 0.5, case 2 0.7"]);
}

/// Whatever else is missing: a level that fails the reply, and a total that cannot be reached any more, count.
#[test]
fn n01_a_reply_that_is_known_to_fail_is_failed_and_covered() {
    let rubric = rubric();
    let mut builder = SummaryBuilder::new(&rubric);
    builder.add(&result(&rubric, 0, (None, "Sure.", None, [Level(2), Level(0)])));
    let violation = result(&rubric, 1, (None, "Sure.", None, [Lost("timeout"), Level(2)]));
    let beyond = result(&rubric, 2, (None, "Sure.", None, [Level(0), Lost("timeout")]));
    let unknown = result(&rubric, 3, (None, "Sure.", None, [Lost("timeout"), Level(1)]));
    for result in [&violation, &beyond, &unknown] {
        builder.add(result);
        assert_eq!((result.total, result.failed_rows().count()), (None, 1));
    }
    let reasons = |row: &ResultRow| json!(row.fail_reasons).to_string();
    check(&reasons(&violation), &expect![[r#"["effort","score at most 60, below 70"]"#]]);
    check(&reasons(&beyond), &expect![[r#"["score at most 40, below 70"]"#]]);
    assert_eq!(unknown.outcome.name(), "unscored");
    let run = builder.finish(Facts::default());
    assert_eq!(
        (run.record.all.counts.passed, run.record.all.counts.failed, run.record.all.counts.unscored),
        (1, 2, 1)
    );
    assert_eq!(run.record.coverage.map(|share| share.to_string()), Some("0.75".to_owned()));
    let rates: Vec<Option<String>> =
        run.record.targets.iter().map(|target| target.value.map(|value| value.to_string())).collect();
    let third = |n: &str| Some(n.to_owned());
    assert_eq!([&rates[0], &rates[3]], [&third("0.333333333333"), &third("0.333333333333")]);
    let worst: Vec<&str> = run.worst.iter().map(|worst| worst.row.id.as_str()).collect();
    assert_eq!(worst, ["case 1", "case 2"]);
    assert_eq!(run.worst.iter().map(RankedReply::quality).collect::<Vec<_>>(), [None, None]);
    assert_eq!(run.record.worst[0].quality, None);
}

/// A reply to `support-gold` with these levels and this named violation, whose verdicts are suspect for these reasons.
fn graded(at: usize, levels: [i64; 5], violation: Option<&str>, suspicions: &[&str]) -> ResultRow {
    let gold = rubric::built_in("support-gold").expect("built in");
    let criteria = gold.criteria().iter().zip(levels).map(|(criterion, level)| {
        let is_safety = criterion.id.as_str() == "safety";
        let scored = Scored {
            level,
            reasoning: format!("Level {level}."),
            violations: violation.filter(|_| is_safety).map(str::to_owned).into_iter().collect(),
            repairs: Vec::new(),
            suspicions: suspicions.iter().map(|doubt| (*doubt).to_owned()).collect(),
        };
        (criterion.id.clone(), CriterionOutcome::Scored(scored))
    });
    let case = Case::new(CaseId::new(format!("case {at}")).expect("an id"), Situation::Ticket("Help".into()));
    let admitted =
        Gate::default().screen(Entry { case, reply: Reply::new("Sure.") }).expect("no rule blocks");
    ResultRow::judged(&admitted, &gold, criteria.collect())
}

#[test]
fn n21_a_reply_lists_its_points_and_what_to_put_right() {
    let row = json!(graded(0, [1, 1, 2, 1, 0], Some("harmful_content"), &[]));
    let points: Vec<String> = ["accuracy", "completeness", "tone", "actionability", "safety"]
        .map(|id| row[id]["points"].to_string())
        .into();
    assert_eq!(points, ["10", "6.25", "7.5", "2.5", "0"]);
    assert_eq!(row["safety"]["violations"], json!(["harmful_content"]));
    check(
        &serde_json::to_string_pretty(&row["issues"]).expect("serializable"),
        &expect![[r#"
            [
              "safety 0 (0 points, harmful_content): Level 0.",
              "accuracy 1 (10 points): Level 1.",
              "completeness 1 (6.25 points): Level 1.",
              "tone 2 (7.5 points): Level 2.",
              "actionability 1 (2.5 points): Level 1."
            ]"#]],
    );
    assert!(graded(1, [4; 5], None, &[]).issues.is_empty());
    let doubted = graded(2, [4; 5], None, &["contradiction"]);
    let issue = "safety: the verdict should be looked at (contradiction)";
    assert_eq!(doubted.issues[4], issue);
}

#[test]
fn n21_violations_are_counted_by_name() {
    let gold = rubric::built_in("support-gold").expect("built in");
    let mut builder = SummaryBuilder::new(&gold);
    let named = [Some("pii_leakage"), Some("pii_leakage"), Some("hallucination"), None];
    for (at, violation) in named.into_iter().enumerate() {
        builder.add(&graded(at, [4, 4, 4, 4, 0], violation, &[]));
    }
    builder.add(&graded(4, [4; 5], None, &[]));
    let safety = json!(builder.finish(Facts::default()).record)["criteria"]["safety"].clone();
    assert_eq!(safety["points"], 2);
    let counts = json!({
        "hallucination": 1, "pii_leakage": 2, "harmful_content": 0, "unauthorized_promise": 0,
        "competitor_recommendation": 0, "unnamed": 1,
    });
    assert_eq!(safety["violations"], counts);
}

/// The warning about `n` cases with two replies each.
fn gold_notice(n: usize) -> Vec<String> {
    let gold = rubric::built_in("support-gold").expect("built in");
    let mut builder = SummaryBuilder::new(&gold);
    for at in (0..n).chain(0..n) {
        builder.add(&graded(at, [4; 5], None, &[]));
    }
    let warnings = builder.finish(Facts::default()).record.facts.warnings.clone();
    warnings.into_iter().filter(|warning| warning.contains("gold set")).collect()
}

#[test]
fn n21_a_gold_set_that_is_too_small_or_too_large_is_said_to_be() {
    let asks = "support-gold asks for a gold set of 100 to 150 cases; this one has ";
    assert_eq!(gold_notice(99), [format!("{asks}99")]);
    assert_eq!(gold_notice(100), Vec::<String>::new());
    assert_eq!(gold_notice(150), Vec::<String>::new());
    assert_eq!(gold_notice(151), [format!("{asks}more than 150")]);
}

#[test]
fn n21_the_best_replies_are_such_as_pass() {
    let gold = rubric::built_in("support-gold").expect("built in");
    let mut builder = SummaryBuilder::new(&gold);
    builder.add(&graded(0, [4, 4, 4, 4, 0], None, &[]));
    builder.add(&graded(1, [3, 3, 3, 3, 4], None, &[]));
    let run = builder.finish(Facts::default());
    let best: Vec<&str> = run.best.iter().map(|best| best.row.id.as_str()).collect();
    assert_eq!(best, ["case 1"]);
}

#[test]
fn a_cause_keeps_its_first_example() {
    let run = summary();
    let causes: Vec<String> =
        run.causes.iter().map(|count| format!("{} {} {}", count.cause, count.n, count.example)).collect();
    check(&causes.join(", "), &expect!["refused 1 seen at case 5, timeout 2 seen at case 4"]);
}

/// A silent target lowers the coverage and no figure of quality.
#[test]
fn a_case_without_a_reply_is_unscored_and_nothing_else() {
    let rubric = rubric();
    let case = Case::new(CaseId::new("quiet").expect("an id"), Situation::Ticket("Help".into()));
    let why = Unscored { cause: "connect".to_owned(), detail: "connect: refused".to_owned(), attempts: 3 };
    let silent = ResultRow::no_reply(&case, &Variant::new("bot").expect("a name"), &rubric, &why);
    assert_eq!(json!(silent.gate), json!({ "status": "no_reply", "findings": [] }));
    assert_eq!(json!([silent.ticket, silent.reply]), json!(["Help", null]));
    assert_eq!(silent.quality_max(&rubric), None);
    let mut builder = SummaryBuilder::new(&rubric);
    builder.add(&result(&rubric, 0, ROWS[0]));
    let without = builder.clone().finish(facts());
    builder.add(&silent);
    let target = AuthorRecord { name: "bot".to_owned(), calls: 3, ..AuthorRecord::default() };
    let run = builder.finish(Facts { target: Some(target), ..facts() });
    assert_eq!(
        (run.record.all.counts.entered, run.record.all.counts.unscored, run.record.no_reply),
        (2, 1, 1)
    );
    assert_eq!(run.record.coverage.map(|share| share.to_string()), Some("0.5".to_owned()));
    assert_eq!(run.record.all.pass_rate, without.record.all.pass_rate);
    let value = |run: &Summary| run.record.targets.iter().map(|target| target.value).collect::<Vec<_>>();
    assert_eq!(value(&run), value(&without));
    let figures = json!(run.record);
    assert_eq!(figures["unscored_by_cause"], json!({ "no_reply": 2 }));
    assert_eq!(json!([figures["target"]["name"], figures["target"]["calls"]]), json!(["bot", 3]));
    let failed: Vec<String> = silent.failed_rows().map(|row| row.detail).collect();
    assert_eq!(failed, ["connect: refused", "connect: refused"]);
}

#[test]
fn without_a_pass_rule_there_is_no_rate() {
    let unweighted = rubric::built_in("relevance-tone").expect("built in");
    let mut builder = SummaryBuilder::new(&unweighted);
    builder.add(&result(&unweighted, 0, (None, "Sure.", None, [Level(5), Level(1)])));
    let run = builder.finish(Facts::default());
    assert_eq!((run.record.all.counts.scored, run.record.all.pass_rate), (1, None));
    assert_eq!(run.record.all.pass_rate, None);
}

#[test]
fn the_upper_end_is_a_limit_unless_more_is_better() {
    let rubric = rubric();
    let ceilings = rubric.targets().iter();
    let ceilings: Vec<String> =
        ceilings.map(|target| format!("{:?} {:?}", target.metric, Ceiling::of(target, &rubric))).collect();
    check(
        &ceilings.join("\n"),
        &expect![[r#"
        PassRate Usual
        Mean(CriterionId("facts")) Usual
        Mean(CriterionId("effort")) Limit
        AutomaticFailRate Limit
        MeanConfidence Limit"#]],
    );
}

/// Each of `ROWS` three times, as replies to one case; those of one case stand apart.
fn answered_three_times() -> Vec<ResultRow> {
    let rubric = rubric();
    let all = (0..3).flat_map(|_| ROWS.into_iter().enumerate());
    all.map(|(at, row)| result(&rubric, at, row)).collect()
}

fn summary_of(results: &[ResultRow]) -> Summary {
    let mut builder = SummaryBuilder::new(&rubric());
    for result in results {
        builder.add(result);
    }
    builder.finish(facts())
}

fn n_clusters(run: &Summary) -> Option<u64> {
    run.record.all.clusters.as_ref().map(|clusters| clusters.n)
}

#[test]
fn n07_replies_to_one_case_are_one_draw() {
    let (once, thrice) = (summary_of(&answered_three_times()[..9]), summary_of(&answered_three_times()));
    assert_eq!((n_clusters(&once), n_clusters(&thrice)), (None, Some(9)));
    let rates = [once.record.all.pass_rate, thrice.record.all.pass_rate].map(|rate| rate.expect("rated"));
    assert_eq!(rates.map(|rate| rate.n), [7, 21]);
    assert_eq!(rates[0].value.to_bits(), rates[1].value.to_bits());
    // As sure as of seven replies, by another formula: not as of twenty-one.
    let independent = proportion(9, 21).expect("rated");
    let width = |estimate: Estimate| estimate.high - estimate.low;
    assert!(
        width(rates[1]) > 1.5 * width(independent) && width(rates[1]) > 0.95 * width(rates[0]),
        "{rates:?}"
    );
    let ends = |value: Option<Exact>, low: Option<f64>, high: Option<f64>| {
        [value.map(Exact::to_f64), low, high].map(|figure| figure.expect("measured"))
    };
    let means = |run: &Summary| -> Vec<[f64; 3]> {
        let all = run.record.all.criteria.iter().chain(run.record.by_slice["parcel"].criteria.iter());
        all.map(|(_, each)| ends(each.mean, each.low, each.high)).collect()
    };
    let targets = |run: &Summary| -> Vec<[f64; 3]> {
        run.record.targets.iter().map(|each| ends(each.value, each.low, each.high)).collect()
    };
    // Whether a criterion's mean or the confidence: three equal replies to a case say what one says.
    let near = |one: &[f64; 3], other: &[f64; 3]| {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-9)
    };
    assert!(means(&once).iter().zip(&means(&thrice)).all(|(one, other)| near(one, other)));
    let [first, second] = [&once, &thrice].map(targets);
    assert!([1, 2, 4].iter().all(|at| near(&first[*at], &second[*at])), "{first:?} {second:?}");
    assert!(second[3][2] - second[3][1] > 1.5 * width(proportion(3, 21).expect("rated")));
    let json = json!(thrice.record);
    assert_eq!(json["clusters"], json!({ "by": "case", "n": 9 }));
    assert_eq!(json["by_slice"]["parcel"]["clusters"]["n"], 3);
    assert_eq!(json["warnings"][1], "27 replies answer 9 cases: intervals take each case as one draw");
    assert_eq!(json!(once.record).get("clusters"), None);
}

#[test]
fn n07_the_order_of_replies_does_not_matter() {
    let mut results = answered_three_times();
    let figures = |results: &[ResultRow]| {
        let run = json!(summary_of(results).record);
        ["pass_rate", "criteria", "by_slice", "targets", "weight_sensitivity"].map(|key| run[key].to_string())
    };
    let forth = figures(&results);
    results.reverse();
    assert_eq!(figures(&results), forth);
}

#[test]
fn n07_weights_are_moved_with_intervals_by_case() {
    let (once, thrice) = (summary_of(&answered_three_times()[..9]), summary_of(&answered_three_times()));
    for (first, second) in once.record.weight_sensitivity.iter().zip(thrice.record.weight_sensitivity) {
        let [first, second] = [first.pass_rate, second.pass_rate].map(|rate| rate.expect("rated"));
        assert_eq!(first.value.to_bits(), second.value.to_bits());
        assert!(second.high - second.low > 0.9 * (first.high - first.low), "{first:?} {second:?}");
    }
}

/// A rubric with a pass mark of 70 and a criterion of three levels for each weight.
fn weighing(weights: [i64; 4]) -> Rubric {
    let criterion = |(at, weight): (usize, i64)| {
        format!(
            "[[criterion]]\nid = \"c{at}\"\ntitle = \"C\"\nquestion = \"Is it so?\"\nweight = {weight}\n\
             [criterion.scale]\nlevels = [0, 1, 2]\n\
             [criterion.anchors]\n0 = \"No.\"\n1 = \"Partly.\"\n2 = \"Yes.\"\n"
        )
    };
    let criteria: String = weights.into_iter().enumerate().map(criterion).collect();
    let head = "name = \"four\"\nversion = \"1\"\ntitle = \"Four\"\n";
    rubric::read(&format!("{head}{criteria}[pass]\ntotal_min = 70\n")).expect("a good rubric").rubric
}

#[test]
fn n07_a_reply_without_a_level_passes_under_no_weights() {
    // At most 2 + 30 + 28 = 60. The levels that are known, one criterion too far ahead, would come to 40 + 30 = 70.
    let rubric = weighing([2, 40, 30, 28]);
    let row = (None, "Sure.", None, [Lost("timeout"), Level(0), Level(2), Level(2)]);
    let mut builder = SummaryBuilder::new(&rubric);
    // Two replies to one case.
    (0..2).for_each(|_| builder.add(&result(&rubric, 0, row)));
    let summary = builder.finish(facts());
    assert_eq!((summary.record.all.counts.failed, n_clusters(&summary)), (2, Some(1)));
    let rates: Vec<f64> =
        summary.record.weight_sensitivity.iter().map(|each| each.pass_rate.expect("rated").value).collect();
    assert_eq!(rates, [0.0; 8], "no weight makes up for a level that is missing");
}
