//! Labels beside the opinions of a panel's members.

use std::collections::HashMap;
use std::sync::Arc;

use super::opinion::{Look, Opinion, Signal, opinion};
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

/// A member of a panel among the judges of a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLooks {
    /// The names of its looks.
    pub names: Vec<String>,
    /// What says how sure it is.
    pub signal: Signal,
}

/// The rows of `sheet` for the members of a panel. They come in an order drawn at random, the same for the same sheet, so that the first row of a case is one of
/// them at random. What people cannot decide is left out.
pub fn panel_rows(sheet: &Sheet, members: &[MemberLooks]) -> Vec<PanelRow> {
    let looks = |MemberLooks { names, signal }: &MemberLooks| {
        let mut said: HashMap<usize, Vec<Option<Look<usize>>>> = HashMap::new();
        for (number, name) in names.iter().enumerate() {
            for (unit, verdict) in sheet.judges.get(&**name).into_iter().flatten() {
                let look = |look| match look {
                    OneLook::At(category, confidence) => Some(signal.look(category, confidence)),
                    OneLook::Inconsistent | OneLook::Escalated | OneLook::Unparsed => None,
                };
                let looks = said.entry(*unit).or_default();
                match verdict {
                    Verdict::Once(once) => looks.push(look(*once)),
                    Verdict::BothOrders(both) => looks.extend(both.map(look)),
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
