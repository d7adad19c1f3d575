//! Judges that understand nothing: what any judge has to beat on the same items.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::counting::Counting;
use super::figures::{Figures, RatedUnit, figures, parts};
use crate::label::{OneLook, ScaleKind, Sheet, Unit, Verdict};

/// The figures of judges that do not look, and of one that counts words.
#[derive(Debug, Clone)]
pub struct Floors {
    /// Always says what people say most often.
    pub constant: Figures,
    /// What that is.
    pub constant_says: String,
    /// Prefers the longer reply; only for pairs whose lengths are known.
    pub prefer_longer: Option<Figures>,
    /// The lexical judge, where it was asked about the same items.
    pub baseline: Option<Figures>,
    /// The same by slice; empty where it was not asked.
    pub baseline_by_slice: BTreeMap<Arc<str>, Figures>,
    /// The same by criterion, or, where it was not asked, of a judge that always says what people say most often about
    /// the criterion.
    pub by_criterion: BTreeMap<Arc<str>, Figures>,
}

/// The floors on these units. `None` where there is no label.
pub(super) fn floors(sheet: &Sheet, units: &[&Unit], counting: &Counting) -> Option<Floors> {
    let labels = units.iter().flat_map(|unit| sheet.labels(unit, counting.votes));
    let counts = sheet.count(labels);
    let most = counts.iter().max().filter(|most| **most > 0)?;
    let constant = counts.iter().position(|count| count == most)?;
    let of = |said: &dyn Fn(&Unit) -> Option<usize>| {
        let said =
            units.iter().filter_map(|unit| Some((*unit, Verdict::Once(OneLook::At(said(unit)?, None)))));
        said.collect::<Vec<RatedUnit>>()
    };
    let longer = of(&|unit| {
        let [a, b] = unit.lengths.filter(|_| sheet.scale.kind() == ScaleKind::Pairwise)?;
        Some(match a.cmp(&b) {
            std::cmp::Ordering::Greater => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 2,
        })
    });
    let baseline = sheet.floor.as_ref().map(|said| sheet.labelled(said));
    Some(Floors {
        constant: figures(sheet, &of(&|_| Some(constant)), counting),
        constant_says: sheet.scale.names()[constant].clone(),
        prefer_longer: (!longer.is_empty()).then(|| figures(sheet, &longer, counting)),
        baseline: baseline.as_ref().map(|said| figures(sheet, said, counting)),
        by_criterion: parts(
            sheet,
            &baseline.clone().unwrap_or_else(|| most_frequent(sheet, units, counting)),
            counting,
            &sheet.criteria,
            |unit| unit.criterion,
        ),
        baseline_by_slice: baseline.map_or_else(BTreeMap::new, |said| {
            parts(sheet, &said, counting, &sheet.slices, |unit| Some(unit.slice))
        }),
    })
}

/// What people say most often about the criterion of each unit.
fn most_frequent<'a>(sheet: &'a Sheet, units: &[&'a Unit], counting: &Counting) -> Vec<RatedUnit<'a>> {
    let most: Vec<Option<usize>> = (0..sheet.criteria.len())
        .map(|criterion| {
            let of = units.iter().filter(|unit| unit.criterion == Some(criterion));
            let counts = sheet.count(of.flat_map(|unit| sheet.labels(unit, counting.votes)));
            let most = counts.iter().max().filter(|most| **most > 0)?;
            counts.iter().position(|count| count == most)
        })
        .collect();
    let said = units.iter().filter_map(|unit| {
        let place = most[unit.criterion?]?;
        Some((*unit, Verdict::Once(OneLook::At(place, None))))
    });
    said.collect()
}
