//! One judge in the place of another: what changes, on what both of them decided.
//!
//! [`sheet_figures`] holds both judges against people and against each other; [`reply_figures`] takes the shift from
//! two results of the same cases; [`RunMove`] carries it over to runs that only the old judge scored; and [`Answer`]
//! says whether the new judge agrees with people as well as the old one, within a margin.
//!
//! What always holds: every figure is of pairs, so what only one judge decided is in none; and where the labels cannot
//! tell, the answer is open and not yes.

mod answer;
mod figures;
mod runs;

pub use answer::{Answer, Answered};
pub use figures::{AgreementChange, SheetFigures, Shift, reply_figures, sheet_figures};
pub use runs::{RateMove, RunMove, TargetMove, target_moves};

use schemars::JsonSchema;
use serde::Serialize;

use crate::exact::Exact;
use crate::promote::Decision;
use crate::report::{Bridge, PointJudge};
use crate::results::{Members, RubricName};

/// What `succeed --json` writes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Succession {
    /// The judge whose place is taken. Its verdicts come from the store.
    pub from: PointJudge,
    /// The judge that takes it.
    pub to: PointJudge,
    /// The rubric.
    pub rubric: RubricName,
    /// Whether it may, and why.
    #[serde(flatten)]
    pub answered: Answered,
    /// How often each judge says what most people say, on labelled items that both decided; null without any.
    pub agreement: Option<AgreementChange>,
    /// Why there is none.
    pub agreement_missing: Option<String>,
    /// How verdicts moved, on everything that both decided.
    pub shift: Shift,
    /// The rubric's targets on these cases.
    pub targets: Vec<TargetMove>,
    /// The last runs of the old judge under this rubric, the latest first.
    pub runs: Vec<RunMove>,
    /// What a contract says about the new judge; null where none was named.
    pub contract: Option<ContractOutcome>,
    /// Cases on which the judges differ and that have no label: only those can show which of them is right.
    pub to_label: Vec<String>,
    /// Calls that this succession made. The old judge is not asked.
    pub calls: u64,
    /// What they cost in dollars, where that is known.
    pub cost_usd: Option<Exact>,
    /// What a reader should know before believing the figures.
    pub warnings: Vec<String>,
}

/// What a contract says about a judge. Nothing is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ContractOutcome {
    /// Its name and version.
    pub name: String,
    /// Whether every requirement is met.
    pub met: bool,
    /// How many were checked.
    pub checked: usize,
    /// Those that are not met, by name, with what would meet them.
    pub unmet: Members<String>,
}

impl ContractOutcome {
    /// What `decision` says under the contract of this name.
    pub fn of(name: String, decision: &Decision) -> ContractOutcome {
        let unmet = decision.unmet();
        let unmet = unmet.iter().map(|check| (check.requirement.name(), check.message().to_owned()));
        let (met, checked) = (decision.is_met(), decision.checks.len());
        ContractOutcome { name, met, checked, unmet: unmet.collect() }
    }
}

impl Succession {
    /// What carries a history over the change of judge.
    pub fn bridge(&self) -> Bridge {
        let all = &self.shift.overall;
        let levels = all.criteria.iter().filter_map(|(id, level)| Some((id, level.as_ref()?.change)));
        Bridge {
            n_pairs: self.shift.n_decided(),
            pass_rate: all.pass.map(|pass| pass.change),
            levels: levels.collect(),
        }
    }
}
