//! What cascades decide on published verdicts and labels, over random splits of the cases.
//!
//! Thresholds come from one half of the cases, the figures from the other. Both orders of a pair are the signal; MT-Bench
//! and Auto-J have one judge, so there the question is what that may decide by itself.

#[allow(dead_code, reason = "figures of references have tests of their own")]
mod published;
#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use std::collections::BTreeMap;

use probity_core::json::{self, Object};
use probity_core::label::{JoinOptions, LabelEntry, VerdictEntry, sheet};
use probity_core::panel::{
    Looks, MemberLooks, PanelRow, Promise, Signal, decided, fit_cascade, fit_jury, panel_rows, reliability,
};
use probity_core::stats::Random;
use published::Set;
use skipped::skipped;

const CONFIDENCE: f64 = 0.9;

/// Splits in the short form, and in the long one.
const N_SPLITS: [usize; 2] = [40, 500];

/// A set with the stages of a cascade, each with what one of its calls costs in calls of the last.
struct Subject {
    set: &'static str,
    labels: &'static str,
    stages: &'static [(&'static str, f64)],
    promises: &'static [f64],
    /// Pairs about one question are of one case: the question is what stands before the first dash.
    by_question: bool,
}

impl Subject {
    /// Both orders of a pair, where the set has them.
    fn looks(&self) -> Vec<Looks> {
        let n = if self.set == "mtbench_human" { 1 } else { 2 };
        vec![Looks { n, signal: Signal::Looks }; self.stages.len()]
    }
}

const SUBJECTS: &[Subject] = &[
    Subject {
        set: "llmbar",
        labels: "items.jsonl",
        stages: &[("PaLM2/Metrics_Reference", 0.1), ("GPT-4/Metrics_Reference", 1.0)],
        promises: &[0.7, 0.75, 0.8, 0.85],
        by_question: false,
    },
    Subject {
        set: "llmbar",
        labels: "items.jsonl",
        stages: &[("ChatGPT/Vanilla", 0.05), ("GPT-4/Vanilla", 1.0)],
        promises: &[0.8],
        by_question: false,
    },
    Subject {
        set: "prd_vicuna80",
        labels: "human.jsonl",
        stages: &[("gpt35", 0.05), ("claude", 0.3), ("gpt4", 1.0)],
        promises: &[0.5, 0.55, 0.6],
        by_question: true,
    },
    Subject {
        set: "autoj_pairwise",
        labels: "human.jsonl",
        stages: &[("auto-j-13b", 1.0)],
        promises: &[0.6, 0.65],
        by_question: false,
    },
    Subject {
        set: "mtbench_human",
        labels: "human.jsonl",
        stages: &[("gpt-4-pair", 1.0)],
        promises: &[0.5, 0.55, 0.6],
        by_question: true,
    },
];

fn objects(text: &str) -> impl Iterator<Item = Object> + '_ {
    text.lines().map(|line| json::parse(line).expect("JSON").as_object().expect("an object").clone())
}

/// The rows of a set for these judges, with the question that each is about as its case, and the number of cases.
fn rows(set: &Set, subject: &Subject) -> (Vec<PanelRow>, usize) {
    let labels: Vec<LabelEntry> =
        objects(&set.file(subject.labels)).map(|row| LabelEntry::read(&row).expect("a label")).collect();
    let is_stage =
        |entry: &VerdictEntry| subject.stages.iter().any(|(name, _)| entry.judge.as_deref() == Some(*name));
    let mut verdicts: Vec<VerdictEntry> =
        objects(&set.file("judge.jsonl")).map(|row| VerdictEntry::read(&row).expect("a verdict")).collect();
    verdicts.retain(is_stage);
    let sheet = sheet(&labels, &verdicts, &[], JoinOptions::default()).expect("rows that fit");
    let member =
        |(name, _): &(&str, f64)| MemberLooks { names: vec![(*name).to_owned()], signal: Signal::Looks };
    let members: Vec<MemberLooks> = subject.stages.iter().map(member).collect();
    let mut rows = panel_rows(&sheet, &members);
    let mut questions: BTreeMap<String, usize> = BTreeMap::new();
    let mut question_of = BTreeMap::new();
    for (case, item) in sheet.cases() {
        let name = if subject.by_question { item.split('-').next().unwrap_or(item) } else { item };
        let next = questions.len();
        question_of.insert(case, *questions.entry(name.to_owned()).or_insert(next));
    }
    for row in &mut rows {
        row.case = question_of[&row.case];
    }
    (rows, questions.len())
}

/// What a cascade came to over the splits.
#[derive(Default)]
struct Splits {
    n: usize,
    refused: usize,
    kept: usize,
    decided: f64,
    agreement: f64,
    cost: f64,
    found: usize,
}

fn splits(subject: &Subject, promise: f64, n_splits: usize, set: &Set) -> Splits {
    let (rows, n_questions) = rows(set, subject);
    let looks = subject.looks();
    let promise = Promise { agreement: promise, confidence: CONFIDENCE };
    let mut random = Random::new(1);
    let mut splits = Splits { n: n_splits, ..Splits::default() };
    for _ in 0..n_splits {
        let mut order: Vec<usize> = (0..n_questions).collect();
        random.shuffle(&mut order);
        let is_first = |row: &PanelRow| order[row.case] < n_questions / 2;
        let (train, test): (Vec<PanelRow>, Vec<PanelRow>) = rows.iter().cloned().partition(is_first);
        let Ok(fit) = fit_cascade(&train, &looks, promise, "") else {
            splits.refused += 1;
            splits.kept += 1;
            continue;
        };
        let seen = decided(&fit.record, &test);
        let share = seen.n_right() as f64 / seen.n_decided().max(1) as f64;
        let cost: f64 = seen.asked.iter().zip(subject.stages).map(|(n, (_, cost))| *n as f64 * cost).sum();
        splits.kept += usize::from(seen.n_decided() == 0 || share >= promise.agreement);
        splits.found += 1;
        splits.decided += seen.n_decided() as f64 / test.len() as f64;
        splits.agreement += share;
        splits.cost += cost / test.len() as f64;
    }
    splits
}

#[test]
#[allow(clippy::print_stdout, reason = "the table is what the test is for")]
fn cascades_on_published_sets() {
    let n_splits = N_SPLITS[usize::from(std::env::var_os("PROBITY_LONG_TESTS").is_some())];
    for subject in SUBJECTS {
        let Some(set) = Set::open(subject.set) else { return };
        let (rows, _) = rows(&set, subject);
        let n_members = subject.stages.len();
        let names: Vec<&str> = subject.stages.iter().map(|(name, _)| *name).collect();
        for (name, stage) in names.iter().zip(reliability(&rows, &subject.looks())) {
            let top = stage.bands.first().expect("opinions");
            println!(
                "{} {name}: {} of {} consistent, agreement {:.3}",
                subject.set,
                top.agreement.n,
                rows.len(),
                top.agreement.value
            );
            stage.warning(name, 0.6).iter().for_each(|warning| println!("  {warning}"));
        }
        if n_members > 1 {
            let jury = fit_jury(&rows, n_members, 3, "").expect("questions");
            println!(
                "  jury {:.3}, best {:.3}, {:.2} votes, beats: {}",
                jury.jury_right as f64 / jury.n as f64,
                jury.best_right as f64 / jury.n as f64,
                jury.effective_votes,
                jury.jury.beats_best
            );
        }
        for promise in subject.promises {
            let splits = splits(subject, *promise, n_splits, &set);
            let found = splits.found.max(1) as f64;
            println!(
                "| {} | {} | {promise} | {:.1} % | {:.1} % | {:.3} | {:.2} | {:.1} % |",
                subject.set,
                names.join(" → "),
                100.0 * splits.refused as f64 / splits.n as f64,
                100.0 * splits.decided / found,
                splits.agreement / found,
                splits.cost / found,
                100.0 * splits.kept as f64 / splits.n as f64,
            );
            // The other half of the cases is a draw as well, so its agreement is not the true one.
            let kept = splits.kept as f64 / splits.n as f64;
            assert!(kept >= 0.85, "{}: {promise} was kept in {kept} of the splits", subject.set);
        }
    }
}
