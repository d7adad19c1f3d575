//! The win rate with length taken out: what the rate would be if both replies were equally long.
//!
//! The model is that of Length-Controlled `AlpacaEval` (Dubois, Galambosi, Liang and Hashimoto 2024): the
//! log-odds that the candidate is preferred are a model term, a length term on tanh(Δ/sd(Δ)), and an
//! instruction term. The controlled rate is the mean prediction over the rows with the length term at zero.
//! [`controlled`] fits it; [`length_only`] fits the same without instruction term, which is another figure
//! and has a name of its own.
//!
//! Which rows are compared, and what an unstable or unscored pair counts, is decided before. Swapping the two
//! variants turns every rate into one minus itself. The choices are argued in
//! `docs/design/comparison-models.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::stats::Estimate;
use crate::stats::logistic::{Design, log_odds, logistic, rate_estimate};
use crate::stats::newton::{NoPeak, Peak, dot};

/// Fewer cases than this are not fitted: three terms would describe them, not estimate from them.
pub const CASES_MIN: usize = 10;

/// The ridge of the published definitions: too weak to move a sixth decimal, and enough for a fit to exist.
const RIDGE_NEGLIGIBLE: f64 = 1e-9;

/// The ridge on a model term of one's own comparison: a normal prior with standard deviation 10 on the
/// log-odds.
const RIDGE_MODEL: f64 = 1.0 / (10.0 * 10.0);

/// The ridge on its length term and difficulty term: standard deviation 2.5 (the scales of Gelman et al.
/// 2008).
const RIDGE_TERM: f64 = 1.0 / (2.5 * 2.5);

/// The ridge on each slice term: standard deviation 1, so that a slice of few cases stays near the rest.
const RIDGE_SLICE: f64 = 1.0;

/// One judged pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LengthRow {
    /// The case, by any number; rows of one case are not independent of each other.
    pub case: usize,
    /// How far the candidate is preferred: 1 it wins, 0 it loses, 0.5 a tie, between for soft verdicts.
    pub preference: f64,
    /// Characters of the candidate's reply.
    pub candidate_chars: u32,
    /// Characters of the baseline's reply.
    pub baseline_chars: u32,
}

/// What stands for the instruction term.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Instruction<'a> {
    /// How hard each row's instruction is for the baseline, known from elsewhere; one weight is fitted.
    Difficulty(&'a [f64]),
    /// Each row's slice by number; one term per slice is fitted, drawn to zero by a ridge.
    Slice(&'a [usize]),
    /// Nothing is known of the instructions.
    Absent,
}

/// What keeps the terms from running away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Weak normal priors, for a comparison of one's own.
    WeakPrior,
    /// Nothing that could be seen in a figure.
    None,
}

/// A win rate at equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Controlled {
    /// The candidate's win rate with the length term at zero; `n` counts rows.
    pub rate: Estimate,
    /// The fitted terms, all on log-odds. First the instruction terms: what one unit of difficulty changes, or what each
    /// slice adds, in the order of their numbers. Then what one unit of tanh(Δ/sd(Δ)) changes, Δ being baseline minus
    /// candidate: negative where longer wins. Last the model term: how far the candidate is ahead at equal length and
    /// zero instruction term.
    pub terms: Vec<f64>,
}

/// Why there is no controlled rate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LengthError {
    /// Too little to fit.
    #[error("{} too few to fit the length term, expected at least {CASES_MIN}", cases_are(*n_cases))]
    TooFewCases {
        /// Distinct cases among the rows.
        n_cases: usize,
    },
    /// Instructions of unknown difficulty.
    #[error("{n_missing} of its {n_rows} pairs {} no difficulty, expected a number for every case", have(*n_missing))]
    NoDifficulty {
        /// Rows without one.
        n_missing: usize,
        /// All rows.
        n_rows: usize,
    },
    /// The length difference is the same in every row, so nothing says what length does.
    #[error("the length difference is {chars} characters in every pair, expected it to vary")]
    NoLengthVariation {
        /// Baseline minus candidate.
        chars: i64,
    },
    /// The replies of two variants have no length in common, so a rate at equal length would be extrapolated.
    #[error("the reply of {longer} is longer than that of {shorter} in {}, so a rate at equal length would be extrapolated", all_pairs(*n_pairs))]
    NoOverlap {
        /// The variant that always writes more.
        longer: Arc<str>,
        /// The variant that always writes less.
        shorter: Arc<str>,
        /// Their pairs.
        n_pairs: usize,
    },
    /// A preference outside its range.
    #[error("the preference of row {row} is {preference}, expected a number from 0 to 1")]
    Preference {
        /// The row by position, from 0.
        row: usize,
        /// What it holds.
        preference: f64,
    },
    /// Instruction terms for another number of rows, or a difficulty that is no number.
    #[error("the instruction terms do not fit the rows: expected {n_rows} finite values")]
    Instruction {
        /// Rows to be fitted.
        n_rows: usize,
    },
    /// The fit has no answer.
    #[error("the length model could not be fitted")]
    Fit(#[source] NoPeak),
}

/// So many cases, as the subject of a sentence.
pub(super) fn cases_are(n: usize) -> String {
    if n == 1 { "1 case is".to_owned() } else { format!("{n} cases are") }
}

fn have(n: usize) -> &'static str {
    if n == 1 { "has" } else { "have" }
}

fn all_pairs(n: usize) -> String {
    if n == 1 { "their only pair".to_owned() } else { format!("all of their {n} pairs") }
}

/// The rate at equal length with model, length and instruction terms.
pub fn controlled(
    rows: &[LengthRow],
    instruction: Instruction,
    hold: Hold,
) -> Result<Controlled, LengthError> {
    let n_cases = check(rows, instruction)?;
    let length_sd_chars = length_sd(rows)?;
    let layout = Layout::of(instruction);
    let features: Vec<Vec<(usize, f64)>> =
        (0..rows.len()).map(|row| layout.features(row, delta(&rows[row]) / length_sd_chars)).collect();
    let mut design = Design::new(layout.ridges(hold));
    for (row, features) in rows.iter().zip(&features) {
        design.push(features.clone(), row.preference);
    }
    let peak = design.fit().map_err(LengthError::Fit)?;
    let rate = layout.rate(rows, &features, &peak, n_cases);
    Ok(Controlled { rate, terms: peak.at })
}

/// The rate at equal length from a model term and a length term alone, without priors.
///
/// This is not the published length-controlled rate: a candidate that wins on easy instructions and writes
/// longer there looks different to the two.
pub fn length_only(rows: &[LengthRow]) -> Result<Controlled, LengthError> {
    controlled(rows, Instruction::Absent, Hold::None)
}

/// The instruction term of one's own comparison, by each row's slice: one term per slice, and none where
/// there are fewer than two slices, because a single one would be the model term once more.
pub fn instruction_of(slices: &[usize]) -> Instruction<'_> {
    match slices.iter().collect::<BTreeSet<_>>().len() {
        0 | 1 => Instruction::Absent,
        _ => Instruction::Slice(slices),
    }
}

/// The number of distinct cases, once rows and terms are known to be fit for use.
fn check(rows: &[LengthRow], instruction: Instruction) -> Result<usize, LengthError> {
    for (row, LengthRow { preference, .. }) in rows.iter().enumerate() {
        if !(0.0..=1.0).contains(preference) {
            return Err(LengthError::Preference { row, preference: *preference });
        }
    }
    let fits = match instruction {
        Instruction::Difficulty(of) => of.len() == rows.len() && of.iter().all(|value| value.is_finite()),
        Instruction::Slice(of) => of.len() == rows.len(),
        Instruction::Absent => true,
    };
    if !fits {
        return Err(LengthError::Instruction { n_rows: rows.len() });
    }
    let n_cases = rows.iter().map(|row| row.case).collect::<BTreeSet<_>>().len();
    if n_cases < CASES_MIN { Err(LengthError::TooFewCases { n_cases }) } else { Ok(n_cases) }
}

/// Baseline minus candidate, in characters.
fn delta(row: &LengthRow) -> f64 {
    f64::from(row.baseline_chars) - f64::from(row.candidate_chars)
}

/// The sample standard deviation of the length differences.
fn length_sd(rows: &[LengthRow]) -> Result<f64, LengthError> {
    let first = &rows[0];
    if rows.iter().all(|row| delta(row).to_bits() == delta(first).to_bits()) {
        let chars = i64::from(first.baseline_chars) - i64::from(first.candidate_chars);
        return Err(LengthError::NoLengthVariation { chars });
    }
    let n = rows.len() as f64;
    let mean = rows.iter().map(delta).sum::<f64>() / n;
    let squares: f64 = rows.iter().map(|row| (delta(row) - mean).powi(2)).sum();
    Ok((squares / (n - 1.0)).sqrt())
}

/// Which term has which number: instruction terms first, then length, then model.
struct Layout<'a> {
    instruction: Instruction<'a>,
    /// The slices in order; a slice's term has the number of its place here.
    slices: Vec<usize>,
}

impl<'a> Layout<'a> {
    fn of(instruction: Instruction<'a>) -> Self {
        let slices = match instruction {
            Instruction::Slice(of) => of.iter().copied().collect::<BTreeSet<_>>().into_iter().collect(),
            Instruction::Difficulty(_) | Instruction::Absent => Vec::new(),
        };
        Layout { instruction, slices }
    }

    /// The number of the length term, which is also how many instruction terms there are.
    fn length(&self) -> usize {
        match self.instruction {
            Instruction::Difficulty(_) => 1,
            Instruction::Slice(_) => self.slices.len(),
            Instruction::Absent => 0,
        }
    }

    fn model(&self) -> usize {
        self.length() + 1
    }

    fn ridges(&self, hold: Hold) -> Vec<f64> {
        let term = match hold {
            Hold::WeakPrior => RIDGE_TERM,
            Hold::None => RIDGE_NEGLIGIBLE,
        };
        let each = match self.instruction {
            Instruction::Slice(_) => RIDGE_SLICE,
            Instruction::Difficulty(_) | Instruction::Absent => term,
        };
        let mut ridges = vec![each; self.length()];
        ridges.push(term);
        ridges.push(if hold == Hold::WeakPrior { RIDGE_MODEL } else { RIDGE_NEGLIGIBLE });
        ridges
    }

    /// The features of the row at `row`; `delta` is its length difference in standard deviations.
    fn features(&self, row: usize, delta: f64) -> Vec<(usize, f64)> {
        let mut features = match self.instruction {
            Instruction::Difficulty(of) => vec![(0, of[row])],
            Instruction::Slice(of) => {
                let place = self.slices.binary_search(&of[row]).expect("every row's slice is listed");
                vec![(place, 1.0)]
            }
            Instruction::Absent => Vec::new(),
        };
        features.push((self.length(), delta.tanh()));
        features.push((self.model(), 1.0));
        features
    }

    /// The mean prediction at equal length, with an interval that knows which rows belong to one case.
    ///
    /// Two variances are computed, and the larger is used: the sandwich over cases (Liang and Zeger 1986),
    /// which holds when rows of a case move together, and the curvature's, which does not vanish when every
    /// row is won. The second is scaled by how far the preferences scatter, as ties and soft verdicts scatter
    /// less than wins and losses.
    fn rate(
        &self,
        rows: &[LengthRow],
        features: &[Vec<(usize, f64)>],
        peak: &Peak,
        n_cases: usize,
    ) -> Estimate {
        let n = rows.len() as f64;
        let mut equal: Vec<Vec<(usize, f64)>> = features.to_vec();
        for row in &mut equal {
            row.retain(|(term, _)| *term != self.length());
        }
        let levels: Vec<f64> = equal.iter().map(|row| logistic(log_odds(row, &peak.at))).collect();
        let rate = levels.iter().sum::<f64>() / n;
        let mut slope = vec![0.0; peak.at.len()];
        for (row, level) in equal.iter().zip(&levels) {
            for &(term, feature) in row {
                slope[term] += level * (1.0 - level) * feature / n;
            }
        }
        let reach = peak.curvature.solve(&slope);
        // As if one row more had been seen, on which the fit was wholly wrong.
        let (mut scatter, mut scatter_expected) = (1.0, 1.0);
        let mut spread = 0.0;
        let mut by_case: BTreeMap<usize, f64> = BTreeMap::new();
        for ((row, features), level) in rows.iter().zip(features).zip(&levels) {
            let chance = logistic(log_odds(features, &peak.at));
            let residual = row.preference - chance;
            scatter += residual * residual;
            scatter_expected += chance * (1.0 - chance);
            let sampled = (level - rate) / n;
            spread += sampled * sampled;
            *by_case.entry(row.case).or_default() += sampled + residual * log_odds(features, &reach);
        }
        let cases = n_cases as f64;
        let sandwich = by_case.values().map(|sum| sum * sum).sum::<f64>() * cases / (cases - 1.0);
        let variance = sandwich.max(dot(&slope, &reach) * scatter / scatter_expected + spread);
        // A prediction next to certainty may round to it.
        rate_estimate(rate.clamp(1e-12, 1.0 - 1e-12), variance.sqrt(), rows.len() as u64)
    }
}
