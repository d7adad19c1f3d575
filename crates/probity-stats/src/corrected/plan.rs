//! How many labels, and where, make the corrected share as sure as wanted.

use super::super::whole;
use super::together::{Looked, Together};
use super::{NotCorrected, Sample, Stratum, counted};

/// How often the number of labels is halved in on: to less than one label for any population below 10¹².
const HALVINGS: u32 = 64;

/// How sure the corrected share is to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Half the width of its 95 % interval, above 0.
    pub half_width: f64,
}

/// How many labels each stratum has, those that are there included, when the interval of the corrected share is
/// as narrow as `wanted`: the interval that [`super::corrected`] will give if labels and verdicts go on as they
/// began. Where the drawn items are not enough, more are drawn, and judged and labelled alike. A stratum without items
/// that count has no part in it.
///
/// What always holds: no stratum needs more labels than it has items, since the interval of a population that is
/// labelled throughout has no width.
pub fn label_plan(strata: &[Stratum], wanted: Wanted) -> Result<Vec<u64>, NotCorrected> {
    let strata = &counted(strata);
    let together = Together::of(Sample(strata))?;
    let looked_with = |labels: &[u64]| -> Vec<Looked> {
        let looked = strata.iter().zip(labels);
        looked.map(|(stratum, n)| Looked { n_labelled: *n, n_drawn: stratum.n().max(*n) }).collect()
    };
    let is_enough = |labels: &[u64]| {
        let (low, high) = together.interval(&looked_with(labels));
        high - low <= 2.0 * wanted.half_width
    };
    let labels = |n: f64| -> Vec<u64> {
        let shares = strata.iter().zip(together.spread_over_strata(n));
        let label = |(stratum, share): (&Stratum, f64)| {
            whole(share.ceil().min(stratum.size() as f64)).max(stratum.n_labelled())
        };
        shares.map(label).collect()
    };
    let present: Vec<u64> = strata.iter().map(Stratum::n_labelled).collect();
    if is_enough(&present) {
        return Ok(present);
    }
    // So many labels are enough: each stratum is labelled throughout.
    let shares = together.spread_over_strata(1.0).zip(strata).filter(|(share, _)| *share > 0.0);
    let most = shares.map(|(share, stratum)| stratum.size() as f64 / share);
    let (mut few, mut enough) = (0.0, most.fold(1.0, f64::max));
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(few, enough);
        if is_enough(&labels(middle)) { enough = middle } else { few = middle }
    }
    Ok(labels(enough))
}
