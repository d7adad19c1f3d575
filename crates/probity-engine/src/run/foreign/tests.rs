//! Foreign scores against the figures in their own files, and labels that are never verdicts.

use std::path::PathBuf;

use super::*;
use crate::input::LoadOptions;

/// The replies of a sample, or `None` with a line that says that there is no folder of samples.
fn sample(names: &[&str]) -> Option<ForeignReplies> {
    let Some(folder) = std::env::var_os("PROBITY_BRIDGES").map(PathBuf::from) else {
        println!("skipped: PROBITY_BRIDGES does not name the folder of samples");
        return None;
    };
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let dataset = Dataset::open(&paths, LoadOptions::default()).expect("a sample is read");
    Some(ForeignReplies::of(&dataset).expect("read").expect("another tool's file"))
}

/// What a judge said about the replies of one variant, or of all.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    sum: f64,
    n: u64,
    passes: u64,
    fails: u64,
    unscored: u64,
}

fn tally(replies: &ForeignReplies, judge: &str, variant: Option<&str>) -> Tally {
    let mut tally = Tally::default();
    let of = |reply: &&ForeignReply| variant.is_none() || reply.facts.variant.as_deref() == variant;
    for reply in replies.replies.iter().filter(of) {
        for verdict in reply.verdicts.iter().filter(|verdict| verdict.judge == judge) {
            match &verdict.said {
                ForeignScore::Unscored { .. } => tally.unscored += 1,
                ForeignScore::Scored { score, passed, .. } => {
                    tally.n += 1;
                    tally.sum += score.as_ref().and_then(|score| replies.number(score)).unwrap_or(0.0);
                    tally.passes += u64::from(*passed == Some(true));
                    tally.fails += u64::from(*passed == Some(false));
                }
            }
        }
    }
    tally
}

#[track_caller]
fn check_near(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9, "{got} instead of {want}");
}

#[test]
fn figures_of_deepeval_come_out_of_its_scores() {
    let Some(single) = sample(&["deepeval/test_run_single_turn.json"]) else { return };
    let grounded = tally(&single, "deepeval:Grounded", None);
    check_near(grounded.sum / grounded.n as f64, 0.520_837_5);
    assert_eq!([grounded.passes, grounded.fails, grounded.unscored], [3, 5, 2], "an error is no fail");
    let length = tally(&single, "deepeval:Completeness by length", None);
    check_near(length.sum / length.n as f64, 0.671);
    assert_eq!([length.passes, length.fails, length.unscored], [6, 4, 0]);
}

#[test]
fn figures_of_inspect_come_out_of_its_scores() {
    let Some(v1) = sample(&["inspect/support-v1.zstd.eval"]) else { return };
    let mean = |replies: &ForeignReplies, judge| {
        let tally = tally(replies, judge, None);
        tally.sum / tally.n as f64
    };
    check_near(mean(&v1, "inspect:grounded"), 2.0 / 3.0);
    check_near(mean(&v1, "inspect:length"), 0.95);
    let edited = sample(&["inspect/support-v1-edited.zstd.eval"]).expect("the same folder");
    check_near(mean(&edited, "inspect:grounded"), 2.0 / 3.0);
    let labels = edited.labels();
    let said: Vec<_> =
        labels.iter().map(|(_, label)| (label.annotator.as_deref(), label.label.as_deref())).collect();
    assert_eq!(
        said,
        [(Some("reviewer-1"), Some("0")), (Some("reviewer-2"), Some("1"))],
        "people's edits are labels"
    );
    assert!(
        labels.iter().all(|(_, label)| label.at.is_some() && label.criterion.as_deref() == Some("grounded"))
    );
    let held = edited.held(labels, &HeldAgainst::default());
    let judges: BTreeSet<_> =
        held.verdicts.iter().filter_map(|(_, verdict)| verdict.judge.as_deref()).collect();
    assert_eq!(judges.into_iter().collect::<Vec<_>>(), ["inspect:grounded"], "no other was asked that");
}

#[test]
fn figures_of_promptfoo_come_out_of_its_components() {
    for name in ["promptfoo/results.json", "promptfoo/rated.json"] {
        let Some(replies) = sample(&[name]) else { return };
        for (judge, variant, want) in [
            ("promptfoo:helpful", "bot-v1", 5.72),
            ("promptfoo:length", "bot-v1", 6.0),
            ("promptfoo:safety", "bot-v1", 1.0),
            ("promptfoo:helpful", "bot-v2", 1.29),
            ("promptfoo:length", "bot-v2", 4.0),
        ] {
            check_near(tally(&replies, judge, Some(variant)).sum, want);
        }
    }
}

#[test]
fn a_judge_without_a_pass_rule_is_held_against_pass_and_fail_only_by_a_threshold() {
    let files = ["langfuse/observations-v2.json", "langfuse/scores-v3.json"];
    let Some(replies) = sample(&files) else { return };
    let has = |held: &HeldRows, judge: &str| {
        held.verdicts.iter().any(|(_, verdict)| verdict.judge.as_deref() == Some(judge))
    };
    let held = replies.held(replies.labels(), &HeldAgainst::default());
    assert!(
        !has(&held, "langfuse:EVAL:helpfulness") && held.notices[0].contains("--pass-at"),
        "{:?}",
        held.notices
    );
    let held = replies.held(replies.labels(), &HeldAgainst { pass_at: Some(0.5), criterion: None });
    assert!(has(&held, "langfuse:EVAL:helpfulness"));
    assert!(held.labels.iter().all(|(_, label)| label.criterion.as_deref() == Some("quality")));
    let tone = HeldAgainst { criterion: Some("tone".to_owned()), pass_at: None };
    assert_eq!(replies.held(replies.labels(), &tone).labels.len(), 1);
}
