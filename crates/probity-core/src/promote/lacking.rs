//! How many labels a contract still lacks, over all and in each slice.

use super::contract::Contract;
use super::evidence::{Evidence, MeasuredFigure};
use super::labels_needed::{LabelsNeeded, labels_needed};

/// How many labels to ask for first, when nothing is known yet.
const FIRST: u64 = 10;

/// What labels are gathered for: a contract, and what there is.
#[derive(Debug, Clone, Copy)]
pub struct LabelGoal<'a> {
    /// What is to be met.
    pub contract: &'a Contract,
    /// What there is; `None` where nothing is labelled.
    pub evidence: Option<&'a Evidence>,
}

impl LabelGoal<'_> {
    /// About how many more labels each overall requirement needs by itself.
    pub fn lacks(&self) -> u64 {
        let Some(evidence) = self.evidence else { return self.contract.rows_min };
        let n = evidence.rows.fewest().0;
        let floor = self.contract.agreement.lower_bound_min;
        self.contract.rows_min.saturating_sub(n).max(lifting(&evidence.agreement, n, floor))
    }

    /// The same in one slice. Labels that would not change what is known about it are not counted: it is decided.
    pub fn lacks_in(&self, slice: &str) -> u64 {
        let floors = self.contract.slice(slice);
        let rows_min = floors.rows_min.unwrap_or(0);
        let Some(have) = self.evidence.and_then(|evidence| evidence.slices.get(slice)) else {
            let is_held = floors.agreement_lower_bound_min.or(floors.lower_bound_min).is_some();
            return rows_min.max(if is_held { FIRST } else { 0 });
        };
        let n = have.n_rows;
        rows_min
            .saturating_sub(n)
            .max(lifting(&have.agreement, n, floors.agreement_lower_bound_min))
            .max(lifting(&have.kappa, n, floors.lower_bound_min))
    }
}

/// How many more labels would lift a figure's lower bound to its floor; none if more labels cannot.
fn lifting(figure: &MeasuredFigure, n: u64, floor: Option<f64>) -> u64 {
    match (figure, floor) {
        (_, None) => 0,
        (Err(_), Some(_)) => FIRST.saturating_sub(n),
        (Ok(figure), Some(floor)) if figure.low >= floor => 0,
        (Ok(figure), Some(floor)) => match labels_needed(figure, n, floor) {
            LabelsNeeded::About(more) => more,
            // A share of few labels may be on the wrong side of its floor by chance.
            LabelsNeeded::TooMany | LabelsNeeded::NotALabelsProblem if figure.high > floor => FIRST,
            LabelsNeeded::TooMany | LabelsNeeded::NotALabelsProblem => 0,
        },
    }
}
