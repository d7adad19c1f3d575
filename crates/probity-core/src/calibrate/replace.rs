//! May this judge take a person's place? The alternative-annotator test of Calderon, Reichart and Dror (2025).
//!
//! Each person is left out in turn. On every unit that the person and at least one other labelled, the judge
//! wins where it is at least as close to the others as the person is, and the person wins likewise; both may.
//! Close means: equal to as many of the others as possible, or on a scale of numbers the root of the mean
//! square distance. A one-sided t test asks whether the person wins more often than the judge by less than ε,
//! and over all persons at most 5 % of such findings are false (Benjamini and Yekutieli). The judge's winning
//! rate ω is the share of persons for whom it was found; from one half on it may replace them.
//!
//! The test needs at least two people per unit, three people, and 30 units for each; a person with fewer does
//! not count.

use std::sync::Arc;

use super::counting::Counting;
use crate::label::{ScaleKind, Sheet, Unit};
use crate::stats::{Undefined, falsely_rejected_at_most, t_test_p_value};

/// What the authors ask for.
const UNITS_MIN: u64 = 30;
const ANNOTATORS_MIN: u64 = 3;
const FALSE_SHARE: f64 = 0.05;
const WINNING_RATE_MIN: f64 = 0.5;

/// The judge against one person.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatorOutcome {
    /// Who was left out.
    pub annotator: Arc<str>,
    /// Units that both and others said something about.
    pub n: u64,
    /// The share on which the judge is at least as close to the others.
    pub judge_advantage: f64,
    /// The share on which the person is.
    pub person_advantage: f64,
    /// The p-value of the person's advantage being less than ε.
    pub p_value: f64,
    /// Whether it was found to be, over all persons.
    pub replaceable: bool,
}

/// Whether a judge may take a person's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// What a person may cost more.
    pub epsilon: f64,
    /// One for each person with enough units.
    pub annotators: Vec<AnnotatorOutcome>,
    /// The share of persons that could be replaced, ω.
    pub winning_rate: Result<f64, Undefined>,
    /// The mean of the judge's advantages, ρ.
    pub mean_advantage: Result<f64, Undefined>,
}

impl Replacement {
    /// Whether it may; `None` where too little is known.
    pub fn allowed(&self) -> Option<bool> {
        self.winning_rate.ok().map(|rate| rate >= WINNING_RATE_MIN)
    }
}

/// The test on units with what the judge said about them: a category, or one past the last for nothing.
pub(super) fn replacement(sheet: &Sheet, said: &[(&Unit, usize)], counting: &Counting) -> Replacement {
    let epsilon = counting.epsilon;
    let mut annotators: Vec<AnnotatorOutcome> =
        (0..sheet.annotators.len()).filter_map(|left_out| outcome(sheet, said, left_out, epsilon)).collect();
    annotators.sort_by(|one, other| one.annotator.cmp(&other.annotator));
    let p_values: Vec<f64> = annotators.iter().map(|each| each.p_value).collect();
    for (each, rejected) in annotators.iter_mut().zip(falsely_rejected_at_most(FALSE_SHARE, &p_values)) {
        each.replaceable = rejected;
    }
    let n = annotators.len() as u64;
    let mean = |of: &dyn Fn(&AnnotatorOutcome) -> f64| {
        if n < ANNOTATORS_MIN {
            return Err(Undefined::TooFew { n, n_min: ANNOTATORS_MIN });
        }
        Ok(annotators.iter().map(of).sum::<f64>() / n as f64)
    };
    Replacement {
        epsilon,
        winning_rate: mean(&|each| f64::from(u8::from(each.replaceable))),
        mean_advantage: mean(&|each| each.judge_advantage),
        annotators,
    }
}

fn outcome(
    sheet: &Sheet,
    said: &[(&Unit, usize)],
    left_out: usize,
    epsilon: f64,
) -> Option<AnnotatorOutcome> {
    let (mut n, mut judge_wins, mut person_wins, mut draws) = (0_u64, 0_u64, 0_u64, 0_u64);
    for (unit, said) in said {
        let Some((_, person)) = unit.votes.iter().find(|(annotator, _)| *annotator == left_out) else {
            continue;
        };
        let others = || unit.votes.iter().filter(|(other, _)| *other != left_out).map(|(_, vote)| *vote);
        if others().next().is_none() {
            continue;
        }
        let (judge, person) = (closeness(sheet, *said, others()), closeness(sheet, *person, others()));
        n += 1;
        judge_wins += u64::from(judge >= person);
        person_wins += u64::from(person >= judge);
        draws += u64::from((judge - person).abs() < f64::EPSILON);
    }
    if n < UNITS_MIN {
        return None;
    }
    // The difference is one where only the person wins, minus one where only the judge does, else nothing.
    let total = n as f64;
    let mean = (person_wins as f64 - judge_wins as f64) / total;
    let squares = (n - draws) as f64;
    let variance = (squares - total * mean * mean) / (total - 1.0);
    Some(AnnotatorOutcome {
        annotator: Arc::clone(&sheet.annotators[left_out]),
        n,
        judge_advantage: judge_wins as f64 / total,
        person_advantage: person_wins as f64 / total,
        p_value: t_test_p_value(mean - epsilon, variance, n)?,
        replaceable: false,
    })
}

/// How close one saying is to others: more is closer.
fn closeness(sheet: &Sheet, said: usize, others: impl Iterator<Item = usize>) -> f64 {
    let positions = sheet.scale.positions();
    let (mut sum, mut n) = (0.0, 0.0);
    for other in others {
        n += 1.0;
        sum += match (sheet.scale.kind(), positions.get(said)) {
            (ScaleKind::Levels, Some(position)) => -(position - positions[other]).powi(2),
            (ScaleKind::Levels, None) => f64::NEG_INFINITY,
            _ => f64::from(u8::from(said == other)),
        };
    }
    // A mean of squares orders as its root does.
    sum / n
}
