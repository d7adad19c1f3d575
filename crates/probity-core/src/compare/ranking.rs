//! Strengths of several variants from comparisons in pairs, with ties.
//!
//! The model is that of Bradley and Terry with Davidson's (1970) ties: with strengths θ on log-odds and a tie
//! term ν, the first wins, ties and loses in the proportion e^θ₁ : ν·e^((θ₁+θ₂)/2) : e^θ₂. A variant's wins
//! plus half its ties are all that its strength depends on, so the ranking agrees with the win rate that
//! counts ties as half.
//!
//! Strengths add up to zero. Variants that no chain of comparisons connects have no common scale, and that is
//! an error which names the groups. Where the likelihood has no largest value (a variant that never lost,
//! say) a weak prior is used and the result says so; otherwise nothing but the data speaks.

mod counts;

use std::collections::BTreeMap;

use serde::Serialize;

use super::length::cases_are;
use crate::stats::logistic::rate_estimate;
use crate::stats::newton::{self, Local, NoPeak, Peak, Symmetric, dot};
use crate::stats::{Estimate, Z_95};
use counts::MeetingCounts;

/// The precision of the weak prior on strengths and tie term: standard deviation 2.5 on the log-odds.
const PRIOR_PRECISION: f64 = 1.0 / (2.5 * 2.5);

/// Who won a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winner {
    /// The first variant.
    First,
    /// The second variant.
    Second,
    /// Neither.
    Tie,
}

/// One decided comparison of two variants on one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariantMatch {
    /// The case, by any number; comparisons on one case are not independent of each other.
    pub case: usize,
    /// A variant by its number, from 0.
    pub first: usize,
    /// Another variant.
    pub second: usize,
    /// Which was better.
    pub winner: Winner,
}

/// How the strengths were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// They make the outcomes most likely; no prior took part.
    MaximumLikelihood,
    /// No strengths make the outcomes most likely, so each was held to zero with a standard deviation of 2.5.
    WeakPrior,
}

/// Where one variant stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct VariantStrength {
    /// The strength on log-odds, against the mean of all variants; `n` counts the variant's comparisons.
    pub strength: Estimate,
    /// The win rate, ties half, to be expected against one of the others drawn at random.
    pub win_rate: Estimate,
}

/// Variants on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Each variant by its number.
    pub places: Vec<VariantStrength>,
    /// Davidson's ν: ties per geometric mean of wins; 0 where nothing was tied.
    pub tie_term: f64,
    /// How the strengths were found.
    pub basis: Basis,
}

/// Why there is no ranking.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RankingError {
    /// Fewer than two cases.
    #[error("{} too few to rank variants, expected at least 2", cases_are(*n_cases))]
    TooFewCases {
        /// How many there are.
        n_cases: usize,
    },
    /// Groups of variants that were never compared with each other.
    #[error("the variants fall into {} groups that were never compared with each other", groups.len())]
    Disconnected {
        /// The groups, each in order, by their smallest number.
        groups: Vec<Vec<usize>>,
    },
    /// The fit has no answer.
    #[error("the strengths could not be fitted")]
    Fit(#[source] NoPeak),
}

/// The ranking of variants 0 to `n_variants` − 1, each compared with others of these. The order of comparisons, and of
/// the two in each, does not matter.
pub fn ranking(n_variants: usize, comparisons: &[VariantMatch]) -> Result<Ranking, RankingError> {
    let counts = MeetingCounts::of(n_variants, comparisons);
    let groups = counts.groups();
    if groups.len() > 1 {
        return Err(RankingError::Disconnected { groups });
    }
    let basis = if counts.has_a_likeliest() { Basis::MaximumLikelihood } else { Basis::WeakPrior };
    let peak = fit(&counts, basis).map_err(RankingError::Fit)?;
    let spread = Spread::of(&counts, comparisons, &peak)?;
    Ok(spread.ranking(&counts, basis))
}

/// The chances of one meeting.
#[derive(Debug, Clone, Copy)]
struct Chances {
    /// Of a tie.
    tie: f64,
    /// The first one's expected score: its chance to win plus half the chance of a tie.
    score: f64,
    /// ln of the sum of the three proportions, the second one's being 1.
    log_sum: f64,
}

impl Chances {
    /// With strengths that differ by `lead`, and ν = e^`tie_log`; `None` where ties do not happen.
    fn of(lead: f64, tie_log: Option<f64>) -> Self {
        let tie_power = tie_log.map_or(f64::NEG_INFINITY, |tie_log| lead / 2.0 + tie_log);
        let most = lead.max(tie_power).max(0.0);
        let [win, tie, loss] = [lead, tie_power, 0.0].map(|power| (power - most).exp());
        let sum = win + tie + loss;
        Chances { tie: tie / sum, score: (win + tie / 2.0) / sum, log_sum: most + sum.ln() }
    }

    /// The variance of the score.
    fn score_variance(self) -> f64 {
        let win = self.score - self.tie / 2.0;
        win + self.tie / 4.0 - self.score * self.score
    }

    /// The covariance of the score with being a tie.
    fn score_tie_covariance(self) -> f64 {
        self.tie * (0.5 - self.score)
    }
}

/// The strengths, followed by ln ν where there are ties.
fn fit(counts: &MeetingCounts, basis: Basis) -> Result<Peak, NoPeak> {
    let n = counts.n_variants();
    let n_terms = n + usize::from(counts.n_ties() > 0);
    let precision = match basis {
        Basis::MaximumLikelihood => 0.0,
        Basis::WeakPrior => PRIOR_PRECISION,
    };
    newton::peak(n_terms, |at| {
        let mut local =
            Local { value: 0.0, gradient: vec![0.0; n_terms], curvature: Symmetric::zeros(n_terms) };
        // Only differences of strengths are seen. A parabola in their sum puts the sum at zero and changes no
        // difference.
        let sum: f64 = at[..n].iter().sum();
        local.value -= sum * sum / 2.0;
        for row in 0..n {
            local.gradient[row] -= sum;
            (0..n).for_each(|column| local.curvature.add(row, column, 1.0));
        }
        for (term, value) in at.iter().enumerate() {
            local.value -= precision * value * value / 2.0;
            local.gradient[term] -= precision * value;
            local.curvature.add(term, term, precision);
        }
        for meeting in counts.met() {
            add_meeting(&mut local, at, &meeting, n);
        }
        local
    })
}

/// Adds the log-likelihood of all comparisons of two variants.
fn add_meeting(local: &mut Local, at: &[f64], met: &counts::Met, n: usize) {
    let (first, second) = (met.first, met.second);
    let lead = at[first] - at[second];
    let tie_log = at.get(n).copied();
    let chances = Chances::of(lead, tie_log);
    let total = met.n();
    let score = met.first_wins + met.ties / 2.0;
    local.value += score * lead + met.ties * tie_log.unwrap_or(0.0) - total * chances.log_sum;
    let pull = score - total * chances.score;
    local.gradient[first] += pull;
    local.gradient[second] -= pull;
    let bend = total * chances.score_variance();
    for (row, column, sign) in
        [(first, first, 1.0), (second, second, 1.0), (first, second, -1.0), (second, first, -1.0)]
    {
        local.curvature.add(row, column, sign * bend);
    }
    if tie_log.is_some() {
        local.gradient[n] += met.ties - total * chances.tie;
        local.curvature.add(n, n, total * chances.tie * (1.0 - chances.tie));
        let cross = total * chances.score_tie_covariance();
        for (term, sign) in [(first, 1.0), (second, -1.0)] {
            local.curvature.add(term, n, sign * cross);
            local.curvature.add(n, term, sign * cross);
        }
    }
}

/// How closely the strengths are known.
struct Spread<'a> {
    peak: &'a Peak,
    /// The sum over cases of the outer product of the case's score vector.
    scores: Symmetric,
    n_cases: usize,
    n_variants: usize,
}

impl<'a> Spread<'a> {
    fn of(
        counts: &MeetingCounts,
        comparisons: &[VariantMatch],
        peak: &'a Peak,
    ) -> Result<Self, RankingError> {
        let n = counts.n_variants();
        let tie_log = peak.at.get(n).copied();
        let mut by_case: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for comparison in comparisons {
            let chances = Chances::of(peak.at[comparison.first] - peak.at[comparison.second], tie_log);
            let (score, tie) = match comparison.winner {
                Winner::First => (1.0, 0.0),
                Winner::Second => (0.0, 0.0),
                Winner::Tie => (0.5, 1.0),
            };
            let case = by_case.entry(comparison.case).or_insert_with(|| vec![0.0; peak.at.len()]);
            case[comparison.first] += score - chances.score;
            case[comparison.second] -= score - chances.score;
            if tie_log.is_some() {
                case[n] += tie - chances.tie;
            }
        }
        let n_cases = by_case.len();
        if n_cases < 2 {
            return Err(RankingError::TooFewCases { n_cases });
        }
        let mut scores = Symmetric::zeros(peak.at.len());
        for case in by_case.values() {
            for (row, left) in case.iter().enumerate() {
                for (column, right) in case.iter().enumerate() {
                    scores.add(row, column, left * right);
                }
            }
        }
        Ok(Spread { peak, scores, n_cases, n_variants: n })
    }

    /// The variance of a figure with this slope in the terms, from the curvature alone: comparisons as if
    /// independent.
    fn information_variance(&self, slope: &[f64]) -> f64 {
        dot(slope, &self.peak.curvature.solve(slope))
    }

    /// The standard error of a figure with this slope in the terms: by the curvature or by the sandwich over
    /// cases (Liang and Zeger 1986), whichever is larger.
    fn standard_error(&self, slope: &[f64]) -> f64 {
        let cases = self.n_cases as f64;
        let sandwich = self.scores.form(&self.peak.curvature.solve(slope)) * cases / (cases - 1.0);
        self.information_variance(slope).max(sandwich).sqrt()
    }

    /// The first one's expected score against the second, and its slope.
    fn meeting(&self, first: usize, second: usize) -> (f64, Vec<f64>) {
        let at = &self.peak.at;
        let chances = Chances::of(at[first] - at[second], at.get(self.n_variants).copied());
        let mut slope = vec![0.0; at.len()];
        slope[first] = chances.score_variance();
        slope[second] = -chances.score_variance();
        if let Some(tie) = slope.get_mut(self.n_variants) {
            *tie = chances.score_tie_covariance();
        }
        (chances.score, slope)
    }

    fn place(&self, variant: usize, n_comparisons: u64) -> VariantStrength {
        let n = self.n_variants;
        let mut slope = vec![0.0; self.peak.at.len()];
        slope[..n].fill(-1.0 / n as f64);
        slope[variant] += 1.0;
        let value = self.peak.at[variant];
        let half = Z_95 * self.standard_error(&slope);
        let strength = Estimate { value, low: value - half, high: value + half, n: n_comparisons };
        let others = (n - 1) as f64;
        let mut rate = 0.0;
        slope.fill(0.0);
        for other in (0..n).filter(|other| *other != variant) {
            let (score, part) = self.meeting(variant, other);
            rate += score / others;
            slope.iter_mut().zip(part).for_each(|(sum, part)| *sum += part / others);
        }
        VariantStrength {
            strength,
            win_rate: rate_estimate(rate, self.standard_error(&slope), n_comparisons),
        }
    }

    fn ranking(&self, counts: &MeetingCounts, basis: Basis) -> Ranking {
        let n = self.n_variants;
        Ranking {
            places: (0..n).map(|variant| self.place(variant, counts.n_of(variant))).collect(),
            tie_term: self.peak.at.get(n).map_or(0.0, |tie_log| tie_log.exp()),
            basis,
        }
    }
}

#[cfg(test)]
mod tests;
