//! The share of replies that people would pass, from a judge that errs and people who saw some of them.
//!
//! A judge looked at a sample, people at part of it. Items come in strata that were sampled at different rates,
//! so each counts for as many as it stands for. Three figures answer the same question: what the judge says, as
//! it is; what it says with its rates of error taken out (Rogan and Gladen 1978, with the interval of Lang and
//! Reiczigel 2014); and what it says with its errors on labelled items put right, which for yes and no is
//! prediction-powered inference with the best tuning (Angelopoulos, Duchi and Zrnic 2023) and the double sampling
//! of Tenenbein (1970) alike.
//!
//! The judge's share, people's share and both together are about a finite population that was drawn from without
//! replacement, so their variance is that of a stratified sample with the finite population correction (Cochran
//! 1977, 5.3 and 12.3). Each has Wilson's interval for as many independent items as that variance is worth (Kott
//! and Carr 1997).
//!
//! An item without a verdict is one about which the judge gave a third answer, none. So its label counts in what
//! people say and in both together, and verdicts may be missing for any reason. Where no item of this kind has a
//! label, nothing is known about them, and they are left out.
//!
//! What always holds: a judge that may be no better than chance corrects nothing. Then there is what people
//! say, and a reason. Where every item has a label, both together are what people say, whatever the judge is worth,
//! with the same interval; where that is the whole population, nothing is left to be unsure about.

mod plan;
#[cfg(test)]
mod tests;
mod together;

pub use plan::{Wanted, label_plan};

use super::{Estimate, Z_95, whole, wilson};
use together::Together;

/// How many items the share of all strata adds to a stratum's own, where its variance is estimated.
const SHRINKAGE: f64 = 5.0;

/// The index of items without a verdict.
pub const NO_VERDICT: usize = 2;

/// Items that were drawn at one rate. Index 0 is a fail and 1 a pass; of verdicts, 2 is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stratum {
    /// Items of the population that belong to it. Fewer than were drawn are taken as that many.
    pub population: u64,
    /// Items with a label, by what the judge said and then by what people said.
    pub labelled: [[u64; 2]; 3],
    /// Items without a label, by what the judge said.
    pub unlabelled: [u64; 3],
}

impl Stratum {
    /// Items that were drawn.
    pub fn n(&self) -> u64 {
        self.n_labelled() + self.unlabelled.iter().sum::<u64>()
    }

    /// Items with a verdict.
    pub fn n_judged(&self) -> u64 {
        self.said(0) + self.said(1)
    }

    /// Items with a label.
    pub fn n_labelled(&self) -> u64 {
        self.labelled.iter().flatten().sum()
    }

    /// Items of the population.
    fn size(&self) -> u64 {
        self.population.max(self.n())
    }

    fn said(&self, verdict: usize) -> u64 {
        self.unlabelled[verdict] + self.labelled[verdict].iter().sum::<u64>()
    }

    /// Labelled items that people decided so about.
    fn labelled_as(&self, label: usize) -> u64 {
        self.labelled.iter().map(|labels| labels[label]).sum()
    }
}

/// Why a figure was not corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotCorrected {
    /// No item that the judge decided has a label.
    #[error("no item with a verdict has a label")]
    NoLabels,
    /// People passed everything, or nothing.
    #[error("people gave one answer only, so one of the judge's rates of error is unknown")]
    OneAnswer,
    /// The labels do not show that the judge tells good replies from bad ones.
    #[error("the judge may be no better than chance on these labels")]
    NoBetterThanChance,
    /// No item is left for the judge alone.
    #[error("every item with a verdict has a label, so nothing is left to correct")]
    NothingLeft,
}

/// How often a judge is right about what people pass and about what they fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    /// The share of passes that it passes.
    pub sensitivity: Estimate,
    /// The share of fails that it fails.
    pub specificity: Estimate,
}

/// What a judge and people say about a population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// As the judge says. `None` without items.
    pub uncorrected: Option<Estimate>,
    /// As people say about the labelled items.
    pub people: Option<Estimate>,
    /// How the judge errs.
    pub errors: Result<ErrorRates, NotCorrected>,
    /// As the judge says of items without a label, its rates of error taken out.
    pub rogan_gladen: Result<Estimate, NotCorrected>,
    /// As the judge says, its errors on labelled items put right.
    pub prediction_powered: Result<Estimate, NotCorrected>,
}

/// A share and the number of equal items that would make it as sure (Kish 1965).
#[derive(Debug, Clone, Copy)]
struct Share {
    value: f64,
    n_effective: f64,
    n: u64,
}

impl Share {
    /// The share of `part` in `part` and `rest`, each a number of items with the weight of one. `None` without
    /// any.
    fn of(groups: impl Iterator<Item = (f64, u64, u64)>) -> Option<Share> {
        let (mut weights, mut squares, mut part_weights, mut n_items) = (0.0, 0.0, 0.0, 0);
        for (weight, part, rest) in groups {
            let n = part + rest;
            weights += weight * n as f64;
            squares += weight * weight * n as f64;
            part_weights += weight * part as f64;
            n_items += n;
        }
        (n_items > 0).then(|| Share {
            value: (part_weights / weights).min(1.0),
            n_effective: weights * weights / squares,
            n: n_items,
        })
    }

    fn estimate(self) -> Estimate {
        let (low, high) = wilson(self.value, self.n_effective);
        Estimate { value: self.value, low, high, n: self.n }
    }

    /// The same with `extra` successes and failures added.
    fn with(self, extra: f64) -> Share {
        let n_effective = self.n_effective + 2.0 * extra;
        Share { value: (self.value * self.n_effective + extra) / n_effective, n_effective, ..self }
    }

    fn variance(self) -> f64 {
        self.value * (1.0 - self.value) / self.n_effective
    }
}

/// The share of passes in a stratified sample of a finite population.
#[derive(Debug, Clone)]
struct Stratified {
    share: f64,
    /// The variance of one item of the population, above 0.
    spread: f64,
    /// The variance of one item of each stratum, above 0.
    within: Vec<f64>,
    /// The variance of the share.
    variance: f64,
    n: u64,
}

impl Stratified {
    /// From what `seen` counts in each stratum: fails and passes. `None` without items. A stratum without any is
    /// taken to be like the others.
    fn of(strata: &[Stratum], seen: impl Fn(&Stratum, usize) -> u64) -> Option<Stratified> {
        let counts =
            |stratum: &Stratum| (seen(stratum, 1) as f64, (seen(stratum, 0) + seen(stratum, 1)) as f64);
        let counted = || strata.iter().filter(|stratum| counts(stratum).1 > 0.0);
        let total: f64 = counted().map(|stratum| stratum.size() as f64).sum();
        let weight = |stratum: &Stratum| stratum.size() as f64 / total;
        let n = counted().map(|stratum| counts(stratum).1).sum::<f64>();
        if n <= 0.0 {
            return None;
        }
        let share =
            counted().map(|stratum| weight(stratum) * counts(stratum).0 / counts(stratum).1).sum::<f64>();
        // Half a pass and half a fail more keep a variance where all items are alike.
        let spread = |share: f64| {
            let share = (share * n + 0.5) / (n + 1.0);
            share * (1.0 - share)
        };
        let shrunk = |stratum: &Stratum| {
            let (passes, n) = counts(stratum);
            spread((passes + SHRINKAGE * share) / (n + SHRINKAGE))
        };
        let variance = counted().map(|stratum| {
            let unseen = 1.0 / counts(stratum).1 - 1.0 / stratum.size() as f64;
            weight(stratum).powi(2) * shrunk(stratum) * unseen
        });
        Some(Stratified {
            share: share.min(1.0),
            spread: spread(share),
            within: strata.iter().map(shrunk).collect(),
            variance: variance.sum(),
            n: whole(n),
        })
    }

    fn estimate(&self) -> Estimate {
        let (low, high) = wilson(self.share, self.spread / self.variance);
        Estimate { value: self.share, low, high, n: self.n }
    }
}

/// Everything that strata say about the share of passes.
pub fn corrected(strata: &[Stratum]) -> Corrected {
    let strata = &counted(strata);
    let sample = Sample(strata);
    let errors = sample.errors();
    Corrected {
        uncorrected: Stratified::of(strata, Stratum::said).map(|judged| judged.estimate()),
        people: Stratified::of(strata, Stratum::labelled_as).map(|people| people.estimate()),
        errors: errors.map(|[se, sp]| ErrorRates { sensitivity: se.estimate(), specificity: sp.estimate() }),
        rogan_gladen: errors.and_then(|errors| rogan_gladen(sample, errors)),
        prediction_powered: Together::of(sample).map(|together| together.estimate(sample)),
    }
}

/// The strata as figures count them: items with neither verdict nor label are left out where no label is about an
/// item without a verdict. A stratum in which nothing is left weighs nothing.
fn counted(strata: &[Stratum]) -> Vec<Stratum> {
    let are_known = strata.iter().any(|stratum| stratum.labelled[NO_VERDICT] != [0; 2]);
    let counted = strata.iter().map(|stratum| {
        let mut stratum = Stratum { population: stratum.size(), ..*stratum };
        if !are_known {
            stratum.unlabelled[NO_VERDICT] = 0;
        }
        stratum
    });
    counted.collect()
}

#[derive(Debug, Clone, Copy)]
struct Sample<'a>(&'a [Stratum]);

impl Sample<'_> {
    /// The share of passes among items that only the judge looked at. Each stands for its part of the stratum,
    /// however many others have a label.
    fn unlabelled(&self) -> Option<Share> {
        let strata = self.0.iter().map(|stratum| (stratum.size() as f64, stratum.unlabelled));
        let strata = strata.filter(|(_, [fails, passes, _])| passes + fails > 0);
        Share::of(strata.map(|(size, [fails, passes, _])| (size / (passes + fails) as f64, passes, fails)))
    }

    /// Strata with what one of their labelled items stands for.
    fn labelled(&self) -> impl Iterator<Item = (f64, &Stratum)> {
        let strata = self.0.iter().filter(|stratum| stratum.n_labelled() > 0);
        strata.map(|stratum| (stratum.size() as f64 / stratum.n_labelled() as f64, stratum))
    }

    /// Of the items about which the judge said this, the share that people pass.
    fn passed_of(&self, verdict: usize) -> Option<Share> {
        let cells = |(weight, s): (f64, &Stratum)| (weight, s.labelled[verdict][1], s.labelled[verdict][0]);
        Share::of(self.labelled().map(cells))
    }

    /// Sensitivity and specificity.
    fn errors(&self) -> Result<[Share; 2], NotCorrected> {
        if self.0.iter().all(|stratum| stratum.labelled[..NO_VERDICT] == [[0; 2]; 2]) {
            return Err(NotCorrected::NoLabels);
        }
        let right = |label: usize| {
            let cells = move |(weight, s): (f64, &Stratum)| {
                (weight, s.labelled[label][label], s.labelled[1 - label][label])
            };
            Share::of(self.labelled().map(cells)).ok_or(NotCorrected::OneAnswer)
        };
        Ok([right(1)?, right(0)?])
    }
}

/// Whether both ends of what the labels allow are above chance: the lower end of sensitivity + specificity − 1,
/// by the squares of Newcombe (1998).
fn is_better_than_chance([se, sp]: [Share; 2]) -> bool {
    let below = |share: Share| share.value - share.estimate().low;
    se.value + sp.value - 1.0 > below(se).hypot(below(sp))
}

fn rogan_gladen(sample: Sample<'_>, errors: [Share; 2]) -> Result<Estimate, NotCorrected> {
    // Items with a label say how the judge errs; only the others are corrected, so that the two are independent.
    let alone = sample.unlabelled().ok_or(NotCorrected::NothingLeft)?;
    if !is_better_than_chance(errors) {
        return Err(NotCorrected::NoBetterThanChance);
    }
    let [finds, refuses] = errors.map(|share| share.value);
    let value = (alone.value + refuses - 1.0) / (finds + refuses - 1.0);
    let z2 = Z_95 * Z_95;
    let (seen, [se, sp]) = (alone.with(z2 / 2.0), errors.map(|share| share.with(1.0)));
    let youden = se.value + sp.value - 1.0;
    let centre = (seen.value + sp.value - 1.0) / youden;
    let shift = 2.0 * z2 * (centre * se.variance() - (1.0 - centre) * sp.variance());
    let (of_passes, of_fails) = (centre * centre * se.variance(), (1.0 - centre).powi(2) * sp.variance());
    let half = Z_95 * (seen.variance() + of_passes + of_fails).sqrt() / youden;
    Ok(within_bounds(value, centre + shift, half, alone.n))
}

/// A share with an interval around another centre, both within what a share can be.
fn within_bounds(value: f64, centre: f64, half: f64, n: u64) -> Estimate {
    let value = value.clamp(0.0, 1.0);
    let (low, high) = ((centre - half).clamp(0.0, 1.0), (centre + half).clamp(0.0, 1.0));
    Estimate { value, low: low.min(value), high: high.max(value), n }
}
