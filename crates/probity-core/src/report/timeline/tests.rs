//! Which runs make a series, what is left out, and which anchor speaks.

use serde_json::{Value, json};

use super::*;
use crate::promote::Standing;
use crate::results::{
    Counts, CriterionFigures, CriterionResult, Facts, Members, PartRecord, ResultRow, RowOutcome, RunResults,
    SummaryRecord,
};

/// The timeline of runs between whose judges nothing is known.
fn timeline(runs: &[PastRun], looks: &[PastRun], anchors: &[Anchor]) -> Timeline {
    super::timeline(runs, looks, anchors, &|_, _| None)
}

fn estimate(value: f64, n: u64) -> Estimate {
    Estimate { value, low: value, high: value, n }
}

/// Figures of `n` replies of which `passed` pass.
fn part(passed: u64, n: u64) -> PartRecord {
    let levels = [("1", n - passed), ("3", passed)].into_iter().collect();
    PartRecord {
        counts: Counts { entered: n, passed, failed: n - passed, ..Counts::default() },
        pass_rate: Some(estimate(0.5, n)),
        criteria: [("help", CriterionFigures { levels, ..CriterionFigures::default() })]
            .into_iter()
            .collect(),
        ..PartRecord::default()
    }
}

fn desk() -> RubricName {
    RubricName { name: "desk".to_owned(), version: "1".to_owned(), hash: "h1".to_owned() }
}

fn openai(id: &str, model: &str) -> crate::results::JudgeRecord {
    let [id, kind, model] = [id, "openai", model].map(str::to_owned);
    crate::results::JudgeRecord { id, kind, model, ..crate::results::JudgeRecord::default() }
}

/// A run of `files` in which `passed` of 40 replies pass, half of them in each of two slices.
fn run(run: u64, files: &str, passed: u64) -> PastRun {
    let slices = [("late", passed / 2), ("lost", passed - passed / 2)];
    let summary = SummaryRecord {
        all: part(passed, 40),
        by_slice: slices.into_iter().map(|(name, passed)| (name.to_owned(), part(passed, 20))).collect(),
        coverage: Some(1.into()),
        rubric: desk(),
        facts: Facts {
            judge: openai("j1", "m"),
            definition: [("cases", format!("digest of {files}"))].into_iter().collect(),
            ..Facts::default()
        },
        ..SummaryRecord::default()
    };
    let at = format!("2026-01-{run:02}").parse().unwrap();
    let figures = PastFigures::Scores(Box::new(summary));
    PastRun { run, at, command: "run".to_owned(), files: files.to_owned(), figures }
}

/// The summary of a run by `run`.
fn summary(run: &mut PastRun) -> &mut SummaryRecord {
    let PastFigures::Scores(summary) = &mut run.figures else { panic!("a run of `run`") };
    summary
}

fn weeks(passed: &[u64]) -> Vec<PastRun> {
    let week =
        |(at, passed): (usize, &u64)| run(at as u64 + 1, &format!("week-{:02}.jsonl", at + 1), *passed);
    passed.iter().enumerate().map(week).collect()
}

/// The results of a look in which the first `passed` of 40 fixed replies pass.
fn look(at: u64, passed: usize, judge: &str) -> AnchorRun {
    let row = |i: usize| {
        let is_pass = i < passed;
        let score = Some(if is_pass { 3 } else { 1 });
        ResultRow {
            id: format!("a{i}"),
            slice: Some(if i.is_multiple_of(2) { "late" } else { "lost" }.to_owned()),
            outcome: if is_pass { RowOutcome::Pass } else { RowOutcome::Fail },
            criteria: Members(vec![(
                "help".to_owned(),
                Some(CriterionResult { score, ..CriterionResult::default() }),
            )]),
            ..ResultRow::default()
        }
    };
    let results = RunResults {
        results: (0..40).map(row).collect(),
        skipped: Vec::new(),
        failed: Vec::new(),
        summary: SummaryRecord {
            all: part(20, 40),
            rubric: desk(),
            facts: Facts { judge: openai(judge, "m"), ..Facts::default() },
            ..SummaryRecord::default()
        },
        standing: Standing::default(),
    };
    AnchorRun { run: 100 + at, at: format!("2026-01-{at:02}").parse().unwrap(), results }
}

fn anchor(passed: &[usize]) -> Anchor {
    let looks = passed.iter().enumerate().map(|(at, passed)| look(at as u64 + 1, *passed, "j1"));
    Anchor { files: "anchor.jsonl".to_owned(), looks: looks.collect() }
}

/// What is said of the pass rate, of `help` and of a slice.
#[track_caller]
fn check(runs: &[PastRun], anchors: &[Anchor], want: [&str; 3]) {
    let timeline = timeline(runs, &[], anchors);
    assert_eq!(timeline.series.len(), 1, "{:?}", timeline.series);
    let figures = [
        TrackedFigure::PassRate,
        TrackedFigure::Level("help".to_owned()),
        TrackedFigure::SlicePassRate("late".to_owned()),
    ];
    let said = figures.map(|figure| {
        let tracks = timeline.series[0].tracks.iter();
        let drift = &tracks.clone().find(|track| track.figure == figure).unwrap().drift;
        format!("{} {}", json!(drift.movement), json!(drift.cause)).replace('"', "")
    });
    assert_eq!(said.each_ref().map(String::as_str), want, "{:#?}", timeline.series[0].anchor);
}

#[test]
fn bots_and_judges_are_told_apart() {
    let fell = weeks(&[34, 36, 35, 35, 14]);
    let cannot_tell = ["moved cannot_tell"; 3];
    check(&fell, &[], cannot_tell);
    check(&fell, &[anchor(&[30; 5])], ["moved replies"; 3]);
    check(&fell, &[anchor(&[36, 36, 36, 36, 15])], ["moved judge"; 3]);
    check(&weeks(&[34, 36, 35, 35, 34]), &[anchor(&[30; 5])], ["steady no_change"; 3]);
    check(&weeks(&[34, 36, 35]), &[anchor(&[30; 3])], ["too_few no_change"; 3]);
}

#[test]
fn n07_replies_to_one_case_are_one_look_at_it() {
    let mut runs = weeks(&[34, 36, 35, 35, 14]);
    for run in &mut runs {
        // Twenty replies to each of two cases cannot tell that anything moved.
        let all = &mut summary(run).all;
        all.pass_rate = Some(Estimate { value: 0.5, low: 0.125, high: 0.875, n: 40 });
        all.clusters = Some(crate::results::ClusterCount { by: "case".to_owned(), n: 2 });
    }
    check(&runs, &[], ["steady no_change", "moved cannot_tell", "moved cannot_tell"]);
    let timeline = timeline(&runs, &[], &[]);
    let rate = timeline.series[0].tracks.iter().find(|track| track.figure == TrackedFigure::PassRate);
    let last = rate.and_then(|track| track.values[4]).unwrap();
    assert_eq!((last.low.to_bits(), last.high.to_bits()), (0.125_f64.to_bits(), 0.875_f64.to_bits()));
}

#[test]
fn an_anchor_speaks_for_its_own_week_and_judge() {
    let fell = weeks(&[34, 36, 35, 35, 14]);
    let stale = anchor(&[30; 3]);
    check(&fell, std::slice::from_ref(&stale), ["moved cannot_tell"; 3]);
    assert!(
        matches!(&timeline(&fell, &[], &[stale]).series[0].anchor, AnchorUse::Silent { reason, .. } if reason.contains("older"))
    );
    let mut other = anchor(&[30; 5]);
    other.looks[4] = look(5, 30, "j2");
    check(&fell, std::slice::from_ref(&other), ["moved cannot_tell"; 3]);
    check(&fell, &[other, anchor(&[30; 4])], ["moved replies"; 3]);
}

#[test]
fn series_are_files_that_differ_in_numbers() {
    let mut runs = weeks(&[34, 36, 35]);
    runs.push(run(4, "gold.jsonl", 30));
    runs.push(run(5, "2026/gold.jsonl", 30));
    let mut edited = run(6, "week-06.jsonl", 30);
    summary(&mut edited).rubric.hash = "h2".to_owned();
    runs.push(edited);
    let mut other = run(7, "week-07.jsonl", 30);
    summary(&mut other).facts.judge = openai("j2", "n");
    runs.push(other);
    let timeline = timeline(&runs, &[], &[]);
    let seen: Vec<(&str, usize)> =
        timeline.series.iter().map(|series| (series.files.as_str(), series.points.len())).collect();
    assert_eq!(seen, [("week-#.jsonl", 4), ("gold.jsonl", 1), ("#/gold.jsonl", 1), ("week-#.jsonl", 1)]);
    assert_eq!(
        timeline.notices,
        [
            "week-#.jsonl: run 7 asked another judge (openai m, then openai n); \
             `probity succeed CASES --from j1 --to j2` says what that changes",
            "week-#.jsonl: from run 6 on the rubric desk is another one, so its tracks start anew",
        ]
    );
}

#[test]
fn another_judge_is_a_break_that_no_figure_is_followed_across() {
    let mut runs = weeks(&[34, 36, 35, 35, 14]);
    summary(&mut runs[4]).facts.judge = openai("j2", "n");
    check(&runs, &[], ["too_few no_change"; 3]);
    let bridge = Bridge {
        n_pairs: 60,
        pass_rate: Some(Estimate { value: -0.5, low: -0.6, high: -0.4, n: 60 }),
        levels: [("help", Estimate { value: -1.0, low: -1.25, high: -0.75, n: 60 })].into_iter().collect(),
    };
    let known = |rubric: &str, judges: [&str; 2]| {
        assert_eq!((rubric, judges), ("h1", ["j1", "j2"]));
        Some(bridge.clone())
    };
    let timeline = super::timeline(&runs, &[], &[], &known);
    assert_eq!(timeline.series[0].breaks.len(), 1);
    assert_eq!(
        timeline.notices,
        [
            "week-#.jsonl: run 5 asked another judge (openai m, then openai n); on the same 60 replies the new one \
          gives: pass rate -50.0 (-60.0 to -40.0) points, help -1.00 (-1.25 to -0.75)"
        ]
    );
    let mut more = runs.clone();
    for (at, passed) in [(6, 15), (7, 14), (8, 13), (9, 35)] {
        let mut later = run(at, &format!("week-{at:02}.jsonl"), passed);
        summary(&mut later).facts.judge = openai("j2", "n");
        more.push(later);
    }
    check(&more, &[], ["moved cannot_tell"; 3]);
}

#[test]
fn a_run_that_says_too_little_or_the_same_again_is_left_out() {
    let mut runs = weeks(&[34, 36, 35]);
    summary(&mut runs[1]).coverage = crate::exact::Exact::ratio(1, 2);
    runs.push(run(4, "week-03.jsonl", 20));
    let mut compare = run(5, "week-05.jsonl", 20);
    compare.command = "compare".to_owned();
    compare.figures = PastFigures::read("compare", "{}").unwrap();
    runs.push(compare);
    let timeline = timeline(&runs, &[], &[]);
    let left: Vec<String> =
        timeline.left_out.iter().map(|left| format!("{} {}", left.run, left.reason)).collect();
    assert_eq!(
        left,
        ["2 50.0 % of it has a verdict, 90 % are needed", "3 the same cases were run again as run 4"]
    );
    let points: Vec<u64> = timeline.series[0].points.iter().map(|point| point.run).collect();
    assert_eq!(points, [1, 4]);
}

#[test]
fn a_slice_without_replies_this_week_has_not_moved() {
    let mut runs = weeks(&[34, 36, 35, 35, 14]);
    summary(&mut runs[4]).by_slice.clear();
    check(&runs, &[], ["moved cannot_tell", "moved cannot_tell", "too_few no_change"]);
}

#[test]
fn an_anchor_is_what_was_asked_again_or_is_named() {
    let mut runs = weeks(&[34, 36]);
    runs.push(run(3, "anchor.jsonl", 30));
    let mut again = run(4, "anchor.jsonl", 30);
    summary(&mut again).facts.definition.0.push(("round".to_owned(), "2".to_owned()));
    assert_eq!(anchor_runs(&runs, &[]), [false; 3]);
    assert_eq!(anchor_runs(&runs, &["anchor.jsonl".to_owned()]), [false, false, true]);
    runs.push(again);
    assert_eq!(anchor_runs(&runs, &[]), [false, false, true, true]);
}

/// The looks of an anchor as the store remembers them.
fn remembered(anchor: &Anchor, passed: &[u64]) -> Vec<PastRun> {
    let look = |(look, passed): (&AnchorRun, &u64)| PastRun {
        run: look.run,
        at: look.at,
        ..run(1, "anchor.jsonl", *passed)
    };
    anchor.looks.iter().zip(passed).map(look).collect()
}

#[test]
fn an_anchor_that_is_all_there_is_is_followed_by_itself() {
    let fell = anchor(&[36, 36, 15]);
    let looks = remembered(&fell, &[36, 36, 15]);
    let anchors = [fell];
    let alone = timeline(&[], &looks, &anchors);
    let [series] = alone.series.as_slice() else { panic!("{alone:?}") };
    assert!(series.is_anchor() && series.files == "anchor.jsonl", "{series:?}");
    assert_eq!(series.points.iter().map(|point| point.run).collect::<Vec<_>>(), [101, 102, 103]);
    assert!(series.tracks.iter().all(|track| track.drift.cause == DriftCause::Judge), "{series:#?}");
    assert!(alone.left_out.is_empty());

    let still = anchor(&[36, 36]);
    let steady = timeline(&[], &remembered(&still, &[36, 36]), &[still]);
    assert!(steady.series[0].tracks.iter().all(|track| track.drift.cause == DriftCause::NoChange));

    let weeks = timeline(&weeks(&[34, 36, 35]), &looks, &anchors);
    assert_eq!(weeks.series.len(), 1, "an anchor that has something to speak for does that");
    assert!(!weeks.series[0].is_anchor());
}

#[test]
fn agreement_and_probes_have_tracks_of_their_own() {
    let body = |yes: u64| {
        json!({
            "agreement": { "value": yes as f64 / 40.0, "n": 40 }, "coverage": { "judged": 40, "n": 40 },
            "rubric": { "name": "desk", "version": "1", "hash": "h1" },
        })
    };
    let with = |command: &str, body: &dyn Fn(u64) -> Value| -> Vec<PastRun> {
        let runs = weeks(&[38, 37, 38, 38, 12]).into_iter().zip([38, 37, 38, 38, 12]);
        let figures = |yes: u64| PastFigures::read(command, &body(yes).to_string()).unwrap();
        runs.map(|(run, yes)| PastRun { command: command.to_owned(), figures: figures(yes), ..run }).collect()
    };
    let agreement = timeline(&with("calibrate", &body), &[], &[]);
    let track = &agreement.series[0].tracks[0];
    assert_eq!(
        (track.figure.name().as_str(), track.values[4].unwrap().value),
        ("agreement with people", 0.3)
    );
    assert_eq!((track.drift.movement, track.drift.cause), (Movement::Moved, DriftCause::CannotTell));
    let probing = |yes: u64| {
        let mut body = body(0);
        body["coverage"] = Value::Null;
        body["probes"] =
            json!([{ "name": "length", "violations": 40 - yes, "bases": 40 }, { "name": "none" }]);
        body
    };
    let probed = timeline(&with("probe", &probing), &[], &[]);
    let track = &probed.series[0].tracks[0];
    assert_eq!((track.figure.name().as_str(), track.drift.cause), ("probe length", DriftCause::Judge));
    assert_eq!(json!(probed)["series"][0]["tracks"][0]["movement"], "moved");
}
