//! The share that judge and people together give, and how sure it is with any number of labels and verdicts.

use super::super::{Estimate, wilson};
use super::{NO_VERDICT, NotCorrected, SHRINKAGE, Sample, Stratified, Stratum, is_better_than_chance};

/// What is known about a stratum beside how many items were looked at.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// The share that it is of the population of all strata with items, 0 without any.
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
    /// By the judge, which was asked about all that people looked at, whether or not it gave a verdict.
    pub(super) n_drawn: u64,
}

impl Looked {
    pub(super) fn at(stratum: &Stratum) -> Looked {
        Looked { n_labelled: stratum.n_labelled(), n_drawn: stratum.n() }
    }
}

/// Items about which the judge gave one answer, none included.
#[derive(Debug, Clone, Copy)]
struct VerdictGroup {
    /// The share of them in the population.
    said: f64,
    /// The share of them that people pass.
    passed: f64,
    /// The variance of what people say about one of them, above 0.
    open: f64,
}

impl VerdictGroup {
    /// `None` where no label is about such an item.
    fn of(sample: Sample<'_>, verdict: usize) -> Option<VerdictGroup> {
        let is_said = |stratum: &Stratum, answer| match answer {
            0 => stratum.n() - stratum.said(verdict),
            _ => stratum.said(verdict),
        };
        let passed = sample.passed_of(verdict)?;
        // Half a pass and half a fail more keep a variance where all labels of a verdict agree.
        let smoothed = passed.with(0.5).value;
        let said = Stratified::of(sample.0, is_said)?.share;
        Some(VerdictGroup { said, passed: passed.value, open: smoothed * (1.0 - smoothed) })
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
    /// `Err` where items have no label and the labels of others do not show that the judge is better than chance.
    pub(super) fn of(sample: Sample<'_>) -> Result<Together, NotCorrected> {
        let people = || Stratified::of(sample.0, Stratum::labelled_as).ok_or(NotCorrected::NoLabels);
        if sample.0.iter().all(|stratum| stratum.unlabelled == [0; 3]) {
            // No verdict is needed to say what people would.
            let people = people()?;
            return Ok(Together::with(sample, &people, people.share, |_, within| within));
        }
        if !is_better_than_chance(sample.errors()?) {
            return Err(NotCorrected::NoBetterThanChance);
        }
        let answers = [0, 1, NO_VERDICT].map(|verdict| VerdictGroup::of(sample, verdict));
        let share = answers.iter().flatten().map(|answer| answer.said * answer.passed).sum::<f64>();
        let residual = |stratum: &Stratum, _| {
            let open = |(verdict, answer): (usize, &Option<VerdictGroup>)| {
                let Some(answer) = answer else { return 0.0 };
                let n_said = stratum.said(verdict) as f64 + SHRINKAGE * answer.said;
                n_said / (stratum.n() as f64 + SHRINKAGE) * answer.open
            };
            answers.iter().enumerate().map(open).sum()
        };
        Ok(Together::with(sample, &people()?, share.clamp(0.0, 1.0), residual))
    }

    /// `residual` is what verdicts leave open of the variance within a stratum.
    fn with(
        sample: Sample<'_>,
        people: &Stratified,
        share: f64,
        residual: impl Fn(&Stratum, f64) -> f64,
    ) -> Together {
        let size = |stratum: &Stratum| if stratum.n() > 0 { stratum.size() as f64 } else { 0.0 };
        let total: f64 = sample.0.iter().map(size).sum();
        let terms = sample.0.iter().zip(&people.within).map(|(stratum, within)| Term {
            weight: size(stratum) / total,
            size: size(stratum),
            within: *within,
            residual: residual(stratum, *within),
        });
        Together { share, spread: people.spread, terms: terms.collect() }
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
        let strata = || self.terms.iter().zip(looked).filter(|(term, _)| term.weight > 0.0);
        let with_labels = || strata().filter(|(_, looked)| looked.n_labelled > 0);
        let labelled: f64 = with_labels().map(|(term, _)| term.weight).sum();
        let open = with_labels().map(|(term, looked)| {
            (term.weight / labelled).powi(2) * term.residual / looked.n_labelled as f64
        });
        let told = strata().map(|(term, looked)| {
            let told = (term.within - term.residual) / looked.n_drawn as f64;
            term.weight.powi(2) * (told - term.within / term.size)
        });
        (open.sum::<f64>() + told.sum::<f64>()).max(0.0)
    }
}
