//! When enough pairs have been judged: a confidence sequence for the mean outcome of a finite set of pairs.
//!
//! Pairs are drawn in a random order without replacement, and after each the question is whether to go on.
//! Looking after every draw breaks an ordinary interval; a confidence sequence holds at all times at once, so
//! one may stop for any reason. This one bets (Waudby-Smith and Ramdas 2024, sections 4 and 5): against each
//! mean m that the set might have, a gambler stakes shares of a capital of 1 on the next outcome being
//! larger, at odds that are fair if the mean is m. Then the capital ever reaches 2/α with chance at most α/2
//! (Ville 1939), and a mean against which it did is excluded. A second gambler bets on smaller outcomes, with
//! the other half of α.
//!
//! What always holds: the chance that [`Sequence::decision`] is ever wrong is at most α; a mean that was
//! excluded stays so; and when every pair has an outcome, the interval is the mean itself. A pair without
//! verdict counts against either claim. What the sequence speaks of is the mean over these pairs; whether
//! they stand for other pairs is not its business.

use serde::Serialize;

use crate::stats::Random;

/// The shares of capital that are staked, each by a gambler with an equal part of the capital. The best share
/// grows with the distance from the mean that is bet against; with a factor of 0.6 between them, one is never
/// far from it.
const SHARES: [f64; 10] = [0.95, 0.57, 0.342, 0.205, 0.123, 0.074, 0.044, 0.0266, 0.016, 0.0096];

/// Halvings in search of a bound: it is found to a millionth, and rounded outwards.
const HALVINGS: usize = 20;

/// Rounding that is forgiven where a sum of outcomes is compared with a bound on it, per pair.
const SLACK: f64 = 1e-9;

/// What a sequence says so far. A is the variant whose wins are outcomes of 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceDecision {
    /// The mean outcome lies above 0.5 + margin.
    BetterA,
    /// The mean outcome lies below 0.5 − margin.
    BetterB,
    /// The mean outcome lies from 0.5 − margin to 0.5 + margin.
    WithinMargin,
    /// Nothing may be said yet, or (with every pair drawn) too many pairs have no verdict.
    Undecided,
}

/// Where the mean outcome of all pairs lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// No lower than this.
    pub low: f64,
    /// No higher than this.
    pub high: f64,
}

/// A sequence that cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SequenceError {
    /// An error rate outside its range.
    #[error("the error rate is {alpha}, expected a number above 0 and below 1")]
    Alpha {
        /// What was given.
        alpha: f64,
    },
    /// A margin outside its range.
    #[error("the margin is {margin}, expected a number from 0 to below 0.5")]
    Margin {
        /// What was given.
        margin: f64,
    },
    /// No pairs.
    #[error("there are no pairs to draw from, expected at least 1")]
    NoPairs,
}

/// The order in which pairs are to be drawn. Taking them in any other order voids what the sequence promises.
pub fn order(n_pairs: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n_pairs).collect();
    Random::new(seed).shuffle(&mut order);
    order
}

/// Outcomes so far, and what they exclude.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequence {
    /// The outcomes of A; those without verdict count as lost.
    for_a: Gambler,
    /// The outcomes of B; those without verdict count as lost.
    for_b: Gambler,
}

impl Sequence {
    /// A sequence that is wrong with chance at most `alpha`, over `population` pairs, of which none is drawn
    /// yet. Mean outcomes within `margin` of one half are as good as equal.
    pub fn new(alpha: f64, margin: f64, population: usize) -> Result<Self, SequenceError> {
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(SequenceError::Alpha { alpha });
        }
        if !(0.0..0.5).contains(&margin) {
            return Err(SequenceError::Margin { margin });
        }
        if population == 0 {
            return Err(SequenceError::NoPairs);
        }
        let gambler = Gambler {
            bar: 2.0 / alpha,
            outcomes: Vec::new(),
            urn: Urn::full(population),
            above_margin: Bet::against(0.5 + margin),
            not_below_margin: Bet::against(0.5 - margin),
        };
        Ok(Sequence { for_a: gambler.clone(), for_b: gambler })
    }

    /// Takes the next pair's outcome: 1 where A won, 0 where B won, 0.5 for a tie, between for soft verdicts. Panics
    /// for any other number, and where every pair was drawn.
    pub fn push(&mut self, outcome: f64) {
        assert!((0.0..=1.0).contains(&outcome), "the outcome is {outcome}, expected a number from 0 to 1");
        self.push_both(outcome, 1.0 - outcome);
    }

    /// Takes the next pair as one that got no verdict. It counts against whatever is to be claimed, so that
    /// losing verdicts can delay a decision and never make one. Panics where every pair was drawn.
    pub fn push_unscored(&mut self) {
        self.push_both(0.0, 0.0);
    }

    /// Pairs drawn so far.
    pub fn n_drawn(&self) -> usize {
        self.for_a.urn.n_drawn
    }

    /// Pairs not drawn: those saved, when a decision has been made.
    pub fn n_left(&self) -> usize {
        self.for_a.urn.n_left()
    }

    /// What may be said now. Certain knowledge comes first; after it, what either gambler has excluded.
    pub fn decision(&self) -> SequenceDecision {
        let (a, b) = (&self.for_a, &self.for_b);
        if a.is_certainly_above(a.above_margin.mean) {
            SequenceDecision::BetterA
        } else if b.is_certainly_above(b.above_margin.mean) {
            SequenceDecision::BetterB
        } else if a.is_certainly_not_below_margin() && b.is_certainly_not_below_margin() {
            SequenceDecision::WithinMargin
        } else {
            // Two gamblers who contradict each other show that one is wrong, and not which.
            match (a.above_margin.won, b.above_margin.won, a.is_not_below_margin(), b.is_not_below_margin()) {
                (true, false, _, false) => SequenceDecision::BetterA,
                (false, true, false, _) => SequenceDecision::BetterB,
                (false, false, true, true) => SequenceDecision::WithinMargin,
                _ => SequenceDecision::Undecided,
            }
        }
    }

    /// Where the mean outcome lies, by all draws so far: with chance 1 − α at all times at once. Where the
    /// two gamblers contradict each other, only what is certain. Takes time in proportion to the number of
    /// draws.
    pub fn interval(&self) -> Bounds {
        let certain = Bounds { low: self.for_a.floor(), high: 1.0 - self.for_b.floor() };
        let low = self.for_a.low().max(certain.low);
        let high = (1.0 - self.for_b.low()).min(certain.high);
        let bounds = if low <= high { Bounds { low, high } } else { certain };
        Bounds { low: bounds.low, high: bounds.high.max(bounds.low) }
    }

    fn push_both(&mut self, for_a: f64, for_b: f64) {
        assert!(self.n_left() > 0, "all {} pairs were drawn already", self.for_a.urn.n_pairs);
        self.for_a.push(for_a);
        self.for_b.push(for_b);
    }
}

/// A set of pairs, some of them drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Urn {
    n_pairs: usize,
    n_drawn: usize,
    /// Of the outcomes drawn.
    sum: f64,
}

impl Urn {
    fn full(n_pairs: usize) -> Self {
        Urn { n_pairs, n_drawn: 0, sum: 0.0 }
    }

    fn n_left(&self) -> usize {
        self.n_pairs - self.n_drawn
    }

    /// What the next outcome is on average, if all pairs together have this mean.
    fn expected(&self, mean: f64) -> f64 {
        (self.n_pairs as f64 * mean - self.sum) / self.n_left() as f64
    }

    fn draw(&mut self, outcome: f64) {
        self.n_drawn += 1;
        self.sum += outcome;
    }
}

/// One gambler's view: outcomes of which large ones are hoped for.
#[derive(Debug, Clone, PartialEq)]
struct Gambler {
    /// The capital at which a mean is excluded.
    bar: f64,
    outcomes: Vec<f64>,
    urn: Urn,
    /// The bet that the mean lies above 0.5 + margin.
    above_margin: Bet,
    /// The bet that the mean does not lie below 0.5 − margin.
    not_below_margin: Bet,
}

impl Gambler {
    fn push(&mut self, outcome: f64) {
        self.above_margin.settle(outcome, &self.urn, self.bar);
        self.not_below_margin.settle(outcome, &self.urn, self.bar);
        self.urn.draw(outcome);
        self.outcomes.push(outcome);
    }

    /// The mean if every pair that is left were lost.
    fn floor(&self) -> f64 {
        self.urn.sum / self.urn.n_pairs as f64
    }

    fn is_certainly_above(&self, mean: f64) -> bool {
        self.floor() > mean + SLACK
    }

    fn is_certainly_not_below_margin(&self) -> bool {
        self.floor() >= self.not_below_margin.mean - SLACK
    }

    fn is_not_below_margin(&self) -> bool {
        self.not_below_margin.won || self.is_certainly_not_below_margin()
    }

    /// The largest mean, to a millionth, that the bets or certainty have excluded at any time; 0 where none
    /// is.
    fn low(&self) -> f64 {
        // The capital against a larger mean is never larger, so the excluded means are all those below a
        // bound.
        let (mut excluded, mut open) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let mean = f64::midpoint(excluded, open);
            if self.excludes(mean) {
                excluded = mean;
            } else {
                open = mean;
            }
        }
        excluded
    }

    fn excludes(&self, mean: f64) -> bool {
        let mut bet = Bet::against(mean);
        let mut urn = Urn::full(self.urn.n_pairs);
        for outcome in &self.outcomes {
            bet.settle(*outcome, &urn, self.bar);
            urn.draw(*outcome);
        }
        bet.won || self.is_certainly_above(mean)
    }
}

/// Bets against one mean, by gamblers who stake different shares.
#[derive(Debug, Clone, PartialEq)]
struct Bet {
    /// The mean that is bet against.
    mean: f64,
    capitals: [f64; SHARES.len()],
    /// Whether the capitals together ever reached the bar.
    won: bool,
}

impl Bet {
    fn against(mean: f64) -> Self {
        Bet { mean, capitals: [1.0; SHARES.len()], won: false }
    }

    /// Pays out after an outcome drawn from `urn`.
    ///
    /// A share f staked on an outcome x returns f·x/expected, so the expected factor is 1. Nothing can be
    /// staked where nothing is left to be expected; that the mean is larger is then certain with the next
    /// outcome above 0.
    fn settle(&mut self, outcome: f64, urn: &Urn, bar: f64) {
        let expected = urn.expected(self.mean);
        if self.won || expected <= 0.0 {
            return;
        }
        let gain = outcome / expected - 1.0;
        let mut sum = 0.0;
        for (capital, share) in self.capitals.iter_mut().zip(&SHARES) {
            *capital *= 1.0 + share * gain;
            sum += *capital;
        }
        self.won = sum >= bar * SHARES.len() as f64;
    }
}

#[cfg(test)]
mod tests;
