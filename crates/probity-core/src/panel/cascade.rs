//! The thresholds of a cascade: what each stage may decide, so that the whole keeps its promise.
//!
//! The chance of a promise that is not kept is shared out before any label is looked at: among the stages, among the
//! slices that have enough labels for thresholds of their own, and, since what comes to a stage depends on what those
//! before it may decide, among the thresholds that those could have had. Whatever was tested, all of it holds at once
//! with the confidence that was promised, so any mixture of stages and slices keeps the promise as well.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::opinion::Looks;
use super::record::{CascadeRecord, Group, Promise, SeenElsewhere, StageTest};
use super::rows::PanelRow;
use super::{N_FOLDS, fold};
use crate::stats::{Graded, fewest_to_show, lowest_threshold};

/// A slice has thresholds of its own from so many labelled cases on, and from so many times those that would show the
/// promise if all agreed: each slice that stands by itself makes the tests of all others stricter.
const SLICE_CASES_MIN: u64 = 300;
const SLICE_TIMES_MIN: u64 = 8;

/// What became of labelled questions in a cascade, by stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decided {
    /// Questions that came to each stage.
    pub asked: Vec<u64>,
    /// Those that each stage decided.
    pub decided: Vec<u64>,
    /// Those of them on which it agrees with people.
    pub right: Vec<u64>,
    /// Questions that no stage may decide.
    pub n_review: u64,
}

impl Decided {
    /// Decided by any stage.
    pub fn n_decided(&self) -> u64 {
        self.decided.iter().sum()
    }

    /// Decided by any stage as people do.
    pub fn n_right(&self) -> u64 {
        self.right.iter().sum()
    }

    /// All questions.
    pub fn n(&self) -> u64 {
        self.n_decided() + self.n_review
    }

    fn add(&mut self, other: &Decided) {
        for (sums, more) in [
            (&mut self.asked, &other.asked),
            (&mut self.decided, &other.decided),
            (&mut self.right, &other.right),
        ] {
            sums.resize(more.len(), 0);
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
        self.n_review += other.n_review;
    }
}

/// What cascades decided about cases that they were not made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldOut {
    /// Over all parts.
    pub decided: Decided,
    /// Parts for which no threshold kept the promise, so that everything is for a person.
    pub n_refused: usize,
}

/// The thresholds that keep a promise.
#[derive(Debug, Clone, PartialEq)]
pub struct CascadeFit {
    /// What is kept of them.
    pub record: CascadeRecord,
    /// What became of the labelled questions themselves.
    pub seen: Decided,
    /// What becomes of questions in one part of the labels with thresholds from the others, split by case.
    pub held_out: HeldOut,
    /// What the last stage says by itself, whether it is sure or not: questions with an opinion, and right ones.
    pub last_alone: [u64; 2],
}

/// Why there is no cascade: no threshold of any stage keeps the promise.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// What was tested, as far as it came.
    pub groups: Vec<Group>,
    /// The fewest labelled cases that would show the promise if a stage agreed on all of them.
    pub fewest: u64,
}

/// The thresholds of stages that look so at questions, from labelled ones. `labels` is the digest of the labels.
pub fn fit_cascade(
    rows: &[PanelRow],
    looks: &[Looks],
    promise: Promise,
    labels: &str,
) -> Result<CascadeFit, Refusal> {
    let groups = groups(rows, looks, promise);
    let is_open = |group: &Group| group.stages.iter().any(|test| test.threshold.is_some());
    if !groups.iter().any(is_open) {
        let fewest = fewest(looks, promise).unwrap_or(u64::MAX);
        return Err(Refusal { groups, fewest });
    }
    let held_out = held_out(rows, looks, promise);
    let Decided { n_review, .. } = held_out.decided;
    let (decided_elsewhere, right) = (held_out.decided.n_decided(), held_out.decided.n_right());
    let by_stage = held_out.decided.decided.clone();
    let seen = SeenElsewhere { n: decided_elsewhere + n_review, decided: decided_elsewhere, right, by_stage };
    let record = CascadeRecord { promise, labels: labels.to_owned(), groups, seen };
    let last: Vec<(f64, bool)> =
        rows.iter().filter_map(|row| row.graded(looks.len().checked_sub(1)?)).collect();
    let n_right = last.iter().filter(|(_, right)| *right).count() as u64;
    Ok(CascadeFit {
        seen: decided(&record, rows),
        held_out,
        record,
        last_alone: [last.len() as u64, n_right],
    })
}

/// What becomes of `rows` in the cascade.
pub fn decided(record: &CascadeRecord, rows: &[PanelRow]) -> Decided {
    let n_stages = record.groups.first().map_or(0, |group| group.stages.len());
    let zeros = || vec![0; n_stages];
    let mut all = Decided { asked: zeros(), decided: zeros(), right: zeros(), n_review: 0 };
    for row in rows {
        let mut is_decided = false;
        for stage in 0..n_stages {
            all.asked[stage] += 1;
            let Some((signal, right)) = row.graded(stage) else { continue };
            if record.may_decide(stage, Some(&row.slice), signal) {
                all.decided[stage] += 1;
                all.right[stage] += u64::from(right);
                is_decided = true;
                break;
            }
        }
        all.n_review += u64::from(!is_decided);
    }
    all
}

/// The share of the chance to be wrong that the first stage has where no slice stands by itself.
fn level(looks: &[Looks], promise: Promise) -> f64 {
    (1.0 - promise.confidence) / looks.len().max(1) as f64
}

/// The fewest labelled cases, with a stage right on all of them, that show the promise.
fn fewest(looks: &[Looks], promise: Promise) -> Option<u64> {
    let shares = looks.iter().flat_map(|looks| looks.thresholds()).map(|test| test.share);
    fewest_to_show(promise.agreement, level(looks, promise) * shares.fold(0.0, f64::max))
}

/// The thresholds of each slice that has enough labelled cases, and of all others together.
fn groups(rows: &[PanelRow], looks: &[Looks], promise: Promise) -> Vec<Group> {
    let level = level(looks, promise);
    let enough = fewest(looks, promise).map(|n| SLICE_TIMES_MIN.saturating_mul(n).max(SLICE_CASES_MIN));
    let mut by_slice: BTreeMap<&Arc<str>, Vec<&PanelRow>> = BTreeMap::new();
    for row in rows {
        by_slice.entry(&row.slice).or_default().push(row);
    }
    let has_enough = |rows: &Vec<&PanelRow>| {
        let cases: std::collections::BTreeSet<usize> = rows.iter().map(|row| row.case).collect();
        enough.is_some_and(|enough| cases.len() as u64 >= enough)
    };
    // One slice that holds everything is no slice.
    let is_split = by_slice.len() > 1;
    let mut own: Vec<(Option<String>, Vec<&PanelRow>)> = Vec::new();
    let mut others = Vec::new();
    for (slice, rows) in by_slice {
        if is_split && has_enough(&rows) {
            own.push((Some(slice.to_string()), rows));
        } else {
            others.extend(rows);
        }
    }
    if !others.is_empty() {
        own.push((None, others));
    }
    let level = level / own.len().max(1) as f64;
    let group = |(slice, rows): (Option<String>, Vec<&PanelRow>)| Group {
        slice,
        stages: stage_tests(rows, looks, promise.agreement, level),
    };
    own.into_iter().map(group).collect()
}

/// The threshold of each stage for the questions that those before it leave open.
fn stage_tests(mut rows: Vec<&PanelRow>, looks: &[Looks], agreement: f64, level: f64) -> Vec<StageTest> {
    // Ways in which the stages before could have turned out: each of their thresholds, or none.
    let mut n_ways = 1;
    let mut tests = Vec::with_capacity(looks.len());
    for (stage, looks) in looks.iter().enumerate() {
        let thresholds = looks.thresholds();
        let graded = |row: &&PanelRow| {
            let (signal, right) = row.graded(stage)?;
            Some(Graded { cluster: row.case, signal, right })
        };
        let graded: Vec<Graded> = rows.iter().filter_map(graded).collect();
        let (threshold, above) =
            match lowest_threshold(&graded, &thresholds, agreement, level / f64::from(n_ways)) {
                Some(Ok(above)) => (Some(above.threshold), Some(above)),
                Some(Err(above)) => (None, Some(above)),
                None => (None, None),
            };
        let (n, n_right, low) = above.map_or((0, 0, 0.0), |above| (above.n, above.n_right, above.low));
        tests.push(StageTest { threshold, n, n_right, low });
        let is_decided = |row: &PanelRow| {
            row.graded(stage).zip(threshold).is_some_and(|((signal, _), threshold)| signal >= threshold)
        };
        rows.retain(|row| !is_decided(row));
        n_ways *= 1 + u32::try_from(thresholds.len()).expect("few thresholds");
    }
    tests
}

/// What cascades from all parts of the labels but one decide about that one.
fn held_out(rows: &[PanelRow], looks: &[Looks], promise: Promise) -> HeldOut {
    let mut all = HeldOut::default();
    for part in 0..N_FOLDS {
        let (test, train): (Vec<PanelRow>, Vec<PanelRow>) =
            rows.iter().cloned().partition(|row| fold(row.case) == part);
        let groups = groups(&train, looks, promise);
        let is_open = |group: &Group| group.stages.iter().any(|test| test.threshold.is_some());
        all.n_refused += usize::from(!groups.iter().any(is_open));
        let (labels, seen) = (String::new(), SeenElsewhere::default());
        all.decided.add(&decided(&CascadeRecord { promise, labels, groups, seen }, &test));
    }
    all
}
