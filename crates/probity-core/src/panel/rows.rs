//! Labels beside the opinions of a panel's members.

use std::collections::HashMap;
use std::sync::Arc;

use super::opinion::{Opinion, opinion};
use crate::label::{OneLook, Sheet, Unit, Verdict};
use crate::stats::Random;

/// A labelled question with what each member of a panel thinks.
#[derive(Debug, Clone, PartialEq)]
pub struct PanelRow {
    /// The case, by number. Rows of one case are alike.
    pub case: usize,
    /// The slice of the case.
    pub slice: Arc<str>,
    /// What people say, as a place on the scale.
    pub gold: usize,
    /// What each member says; `None` where it has no opinion.
    pub opinions: Vec<Option<Opinion<usize>>>,
}

impl PanelRow {
    /// How sure the member at `place` is and whether people say the same, where it has an opinion.
    pub fn graded(&self, place: usize) -> Option<(f64, bool)> {
        let opinion = self.opinions[place]?;
        Some((opinion.signal, opinion.said == self.gold))
    }
}

/// The rows of `sheet` for the members of a panel, each known by the names that its looks have among the judges of the
/// sheet. They come in an order drawn at random, the same for the same sheet, so that the first row of a case is one of
/// them at random. What people cannot decide is left out.
pub fn panel_rows(sheet: &Sheet, members: &[Vec<String>]) -> Vec<PanelRow> {
    let looks = |names: &Vec<String>| {
        let mut said: HashMap<usize, Vec<Option<usize>>> = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            for (unit, verdict) in sheet.judges.get(&**name).into_iter().flatten() {
                let looks = said.entry(*unit).or_default();
                match verdict {
                    Verdict::Once(look) => looks.push(category(*look)),
                    Verdict::BothOrders(both) => looks.extend(both.map(category)),
                }
                debug_assert!(looks.len() > number, "a look of each name that speaks of a unit");
            }
        }
        said
    };
    let members: Vec<_> = members.iter().map(looks).collect();
    let row = |(place, unit): (usize, &Unit)| {
        let gold = sheet.majority(&unit.gold)?;
        let opinions = members.iter().map(|said| opinion(said.get(&place)?)).collect();
        Some(PanelRow { case: unit.cluster, slice: Arc::clone(&sheet.slices[unit.slice]), gold, opinions })
    };
    // Bounds are exact for labels that all stand for equally many, so of others only as many count as would then be there.
    let labelled = || sheet.units.iter().enumerate().filter(|(_, unit)| !unit.gold.is_empty());
    let most = labelled().map(|(_, unit)| unit.weight).fold(0.0, f64::max);
    let mut random = Random::new(1);
    let counts = |(_, unit): &(usize, &Unit)| unit.weight >= most || random.unit() < unit.weight / most;
    let mut rows: Vec<PanelRow> = labelled().filter(counts).filter_map(row).collect();
    Random::new(0).shuffle(&mut rows);
    rows
}

fn category(look: OneLook) -> Option<usize> {
    match look {
        OneLook::At(category) => Some(category),
        OneLook::Inconsistent | OneLook::Escalated | OneLook::Unparsed => None,
    }
}
