//! Judges that understand nothing: what any judge has to beat on the same items.

use super::counting::Counting;
use super::figures::{Figures, Observed, figures};
use super::scale::ScaleKind;
use super::sheet::{Look, Sheet, Unit, Verdict};

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
}

/// The floors on these units. `None` where there is no label.
pub(super) fn floors(sheet: &Sheet, units: &[&Unit], counting: &Counting) -> Option<Floors> {
    let labels = units.iter().flat_map(|unit| sheet.labels(unit, counting.votes));
    let counts = sheet.count(labels);
    let most = counts.iter().max().filter(|most| **most > 0)?;
    let constant = counts.iter().position(|count| count == most)?;
    let of = |said: &dyn Fn(&Unit) -> Option<usize>| {
        let observed = units.iter().filter_map(|unit| {
            let verdict = Verdict::Once(Look::At(said(unit)?));
            Some((*unit, sheet.observations(unit, verdict, counting)))
        });
        observed.collect::<Vec<Observed>>()
    };
    let longer = of(&|unit| {
        let [a, b] = unit.lengths.filter(|_| sheet.scale.kind() == ScaleKind::Pairwise)?;
        Some(match a.cmp(&b) {
            std::cmp::Ordering::Greater => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 2,
        })
    });
    let baseline = sheet.floor.as_ref().map(|said| {
        let said = said.iter().map(|(place, verdict)| (&sheet.units[*place], *verdict));
        let labelled = said.filter(|(unit, _)| !unit.gold.is_empty());
        let observe = |(unit, verdict)| (unit, sheet.observations(unit, verdict, counting));
        labelled.map(observe).collect::<Vec<Observed>>()
    });
    Some(Floors {
        constant: figures(sheet, &of(&|_| Some(constant)), counting),
        constant_says: sheet.scale.names()[constant].clone(),
        prefer_longer: (!longer.is_empty()).then(|| figures(sheet, &longer, counting)),
        baseline: baseline.map(|observed| figures(sheet, &observed, counting)),
    })
}
