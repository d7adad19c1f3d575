//! A jury: all members vote, each with the weight that labels give it.
//!
//! A member's weight is the logarithm of the odds that it is right against any one wrong answer, as for raters who err
//! independently of each other and of the question; few labels pull it towards the mean of all members. Judges err
//! together, so a jury is often worth less than its best member: both are compared with labels that the weights were not
//! made from.

use serde::{Deserialize, Serialize};

use super::rows::PanelRow;
use super::{N_FOLDS, fold};
use crate::stats::{McNemar, mcnemar};

/// So many labels count for the mean of all members beside a member's own.
const SHRINKAGE: f64 = 8.0;

/// A weight is at most that of a member that is right in so large a share.
const SHARE_MAX: f64 = 0.99;

/// The weights of a jury.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Jury {
    /// The digest of the labels.
    pub labels: String,
    /// One per member, 0 or more.
    pub weights: Vec<f64>,
    /// Whether it beat its best member on labels that it was not made from.
    pub beats_best: bool,
}

impl Jury {
    /// What the members' `votes` come to, with the share of the weight of those who voted that says so. `None` where no
    /// answer has the most weight.
    pub fn verdict<T: Clone + PartialEq>(&self, votes: &[Option<T>]) -> Option<(T, f64)> {
        let mut answers: Vec<(&T, f64)> = Vec::new();
        for (vote, weight) in votes.iter().zip(&self.weights) {
            let Some(vote) = vote else { continue };
            match answers.iter_mut().find(|(answer, _)| *answer == vote) {
                Some((_, sum)) => *sum += weight,
                None => answers.push((vote, *weight)),
            }
        }
        let all: f64 = answers.iter().map(|(_, weight)| weight).sum();
        let (best, most) = answers.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
        let is_alone = answers.iter().filter(|(_, weight)| *weight >= most - 1e-12).count() == 1;
        (is_alone && *most > 0.0).then(|| ((*best).clone(), most / all))
    }
}

/// A jury with what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct JuryFit {
    /// What is kept of it.
    pub jury: Jury,
    /// Labelled questions.
    pub n: u64,
    /// Those that each member answers as people do.
    pub members_right: Vec<u64>,
    /// Those that juries answer so which were not made from them.
    pub jury_right: u64,
    /// Those that the member answers so which is the best on the other parts.
    pub best_right: u64,
    /// The place of the best member over all labels.
    pub best: usize,
    /// The jury against the best member on the same questions; `None` where both always agree.
    pub test: Option<McNemar>,
    /// Votes by members that err independently which would be worth as much, 1 to the number of members.
    pub effective_votes: f64,
}

/// The weights of `n_members` from labelled questions with so many possible answers. `None` without a question.
pub fn fit_jury(rows: &[PanelRow], n_members: usize, n_answers: usize, labels: &str) -> Option<JuryFit> {
    if rows.is_empty() || n_members == 0 {
        return None;
    }
    let all: Vec<&PanelRow> = rows.iter().collect();
    let weights = weights(&all, n_members, n_answers);
    let members_right = right(&all, n_members);
    let (mut jury_right, mut best_right, mut jury_only, mut best_only) = (0, 0, 0, 0);
    for part in 0..N_FOLDS {
        let (test, train): (Vec<&PanelRow>, Vec<&PanelRow>) =
            rows.iter().partition(|row| fold(row.case) == part);
        let best = best(&right(&train, n_members));
        let jury = Jury {
            labels: String::new(),
            weights: self::weights(&train, n_members, n_answers),
            beats_best: false,
        };
        for row in test {
            let by_jury = jury.verdict(&votes(row)).is_some_and(|(said, _)| said == row.gold);
            let by_best = is_right(row, best);
            jury_right += u64::from(by_jury);
            best_right += u64::from(by_best);
            jury_only += u64::from(by_jury && !by_best);
            best_only += u64::from(by_best && !by_jury);
        }
    }
    let test = mcnemar(jury_only, best_only);
    let beats_best = jury_only > best_only && test.is_some_and(|test| test.exact <= 0.05);
    Some(JuryFit {
        effective_votes: effective_votes(&all, &weights),
        jury: Jury { labels: labels.to_owned(), weights, beats_best },
        n: rows.len() as u64,
        best: best(&members_right),
        members_right,
        jury_right,
        best_right,
        test,
    })
}

fn votes(row: &PanelRow) -> Vec<Option<usize>> {
    row.opinions.iter().map(|opinion| opinion.map(|opinion| opinion.said)).collect()
}

fn is_right(row: &PanelRow, member: usize) -> bool {
    row.graded(member).is_some_and(|(_, right)| right)
}

fn right(rows: &[&PanelRow], n_members: usize) -> Vec<u64> {
    (0..n_members).map(|member| rows.iter().filter(|row| is_right(row, member)).count() as u64).collect()
}

fn best(right: &[u64]) -> usize {
    let most = right.iter().max().copied().unwrap_or(0);
    right.iter().position(|right| *right == most).unwrap_or(0)
}

fn weights(rows: &[&PanelRow], n_members: usize, n_answers: usize) -> Vec<f64> {
    let voted = |member: usize| rows.iter().filter(|row| row.opinions[member].is_some()).count() as f64;
    let counts: Vec<(f64, f64)> =
        right(rows, n_members).iter().enumerate().map(|(member, n)| (*n as f64, voted(member))).collect();
    let (n_right, n_voted) = counts.iter().fold((0.0, 0.0), |(a, b), (right, voted)| (a + right, b + voted));
    let mean = if n_voted > 0.0 { n_right / n_voted } else { 1.0 / n_answers as f64 };
    let others = n_answers.saturating_sub(1).max(1) as f64;
    let weight = |(n_right, n_voted): &(f64, f64)| {
        let share = ((n_right + SHRINKAGE * mean) / (n_voted + SHRINKAGE)).clamp(0.0, SHARE_MAX);
        if share <= 0.0 { 0.0 } else { (share * others / (1.0 - share)).ln().max(0.0) }
    };
    counts.iter().map(weight).collect()
}

/// Weighted votes whose errors hang together are worth fewer: (Σw)² / Σ wᵢ wⱼ ρᵢⱼ, with the correlation ρ of two
/// members' errors, none of them below zero (Kish 1965 for ρ = 0 between members).
fn effective_votes(rows: &[&PanelRow], weights: &[f64]) -> f64 {
    let errors = |member: usize| -> Vec<f64> {
        rows.iter().map(|row| f64::from(u8::from(!is_right(row, member)))).collect()
    };
    let errors: Vec<Vec<f64>> = (0..weights.len()).map(errors).collect();
    let mut spread = 0.0;
    for (i, one) in weights.iter().enumerate() {
        for (j, other) in weights.iter().enumerate() {
            let rho = if i == j { 1.0 } else { correlation(&errors[i], &errors[j]).max(0.0) };
            spread += one * other * rho;
        }
    }
    let sum: f64 = weights.iter().sum();
    if spread > 0.0 { sum * sum / spread } else { 1.0 }
}

fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let n = one.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let (a, b) = (mean(one), mean(other));
    let product: f64 = one.iter().zip(other).map(|(x, y)| (x - a) * (y - b)).sum();
    let square = |values: &[f64], mean: f64| values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    let norm = (square(one, a) * square(other, b)).sqrt();
    if norm > 0.0 { product / norm } else { 0.0 }
}
