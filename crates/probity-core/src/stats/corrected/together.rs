//! The share that judge and people together give, and how sure it is with any number of labels and verdicts.

use super::super::{Estimate, wilson};
use super::{NotCorrected, SHRINKAGE, Sample, Stratified, Stratum, is_better_than_chance};

/// What is known about a stratum beside how many items were looked at.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// The share of the population that it is.
    weight: f64,
    /// Items of the population.
    size: f64,
    /// The variance of what people say about one item.
    within: f64,
    /// The part of it that the judge's verdict leaves open.
    residual: f64,
}

/// Items of a stratum that were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Looked {
    /// By people.
    pub(super) n_labelled: u64,
    /// By the judge, which looked at all that people did.
    pub(super) n_judged: u64,
}

impl Looked {
    pub(super) fn at(stratum: &Stratum) -> Looked {
        Looked { n_labelled: stratum.n_labelled(), n_judged: stratum.n() }
    }
}

/// What the judge says of all, with its errors on labelled items put right.
#[derive(Debug, Clone)]
pub(super) struct Together {
    share: f64,
    /// The variance of what people say about one item of the population.
    spread: f64,
    terms: Vec<Term>,
}

impl Together {
    /// `Err` where the labels do not show that the judge is better than chance.
    pub(super) fn of(sample: Sample<'_>) -> Result<Together, NotCorrected> {
        let errors = sample.errors()?;
        if !is_better_than_chance(errors) {
            return Err(NotCorrected::NoBetterThanChance);
        }
        let people = Stratified::of(sample.0, Stratum::labelled_as).ok_or(NotCorrected::NoLabels)?;
        let judged = Stratified::of(sample.0, Stratum::said).ok_or(NotCorrected::NoLabels)?;
        let of = |verdict| sample.passed_of(verdict).ok_or(NotCorrected::OneAnswer);
        let [of_failed, of_passed] = [of(0)?, of(1)?];
        // Half a pass and half a fail more keep a variance where all labels of a verdict agree.
        let [open_failed, open_passed] = [of_failed, of_passed].map(|share| {
            let share = share.with(0.5).value;
            share * (1.0 - share)
        });
        let total: f64 = sample.0.iter().map(|stratum| stratum.size() as f64).sum();
        let terms = sample.0.iter().zip(people.within).map(|(stratum, within)| {
            let n_passes = stratum.said(1) as f64 + SHRINKAGE * judged.share;
            let passed = n_passes / (stratum.n() as f64 + SHRINKAGE);
            let size = stratum.size() as f64;
            Term {
                weight: size / total,
                size,
                within,
                residual: passed * open_passed + (1.0 - passed) * open_failed,
            }
        });
        let share = judged.share * of_passed.value + (1.0 - judged.share) * of_failed.value;
        Ok(Together { share: share.clamp(0.0, 1.0), spread: people.spread, terms: terms.collect() })
    }

    /// The share as `sample` shows it.
    pub(super) fn estimate(&self, sample: Sample<'_>) -> Estimate {
        let looked: Vec<Looked> = sample.0.iter().map(Looked::at).collect();
        let (low, high) = self.interval(&looked);
        Estimate { value: self.share, low, high, n: sample.0.iter().map(Stratum::n).sum() }
    }

    /// The interval that the share has with so many labels and verdicts in each stratum.
    pub(super) fn interval(&self, looked: &[Looked]) -> (f64, f64) {
        wilson(self.share, self.spread / self.variance(looked))
    }

    /// How many labels each stratum has out of `n` in all, spread by how much each weighs and how much the judge
    /// leaves open in it (Neyman 1934). Not rounded, and whatever there is.
    pub(super) fn spread_over_strata(&self, n: f64) -> impl Iterator<Item = f64> {
        let part = |term: &Term| term.weight * term.residual.sqrt();
        let all: f64 = self.terms.iter().map(part).sum();
        self.terms.iter().map(move |term| n * part(term) / all)
    }

    /// The variance of double sampling without replacement (Cochran 1977, 12.3): what the judge leaves open
    /// comes from labels, the rest from verdicts, and both end with the population. Strata without a label are
    /// taken to be like the others.
    fn variance(&self, looked: &[Looked]) -> f64 {
        let strata = || self.terms.iter().zip(looked);
        let with_labels = || strata().filter(|(_, looked)| looked.n_labelled > 0);
        let labelled: f64 = with_labels().map(|(term, _)| term.weight).sum();
        let open = with_labels().map(|(term, looked)| {
            (term.weight / labelled).powi(2) * term.residual / looked.n_labelled as f64
        });
        let told = strata().map(|(term, looked)| {
            let told = (term.within - term.residual) / looked.n_judged as f64;
            term.weight.powi(2) * (told - term.within / term.size)
        });
        (open.sum::<f64>() + told.sum::<f64>()).max(0.0)
    }
}
