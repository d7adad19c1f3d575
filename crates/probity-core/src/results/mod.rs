//! A run's results as a document: what `run --output` writes, and what a difference, a history and an estimate from a
//! sample read.
//!
//! Written and read by the same types, so that a key exists in one place. Everything else about a run is derived
//! elsewhere: `report` makes these values, and rows are written one at a time.
//!
//! What always holds of results that were read: a row has a level or a cause for each criterion unless it is blocked,
//! every level is on the criterion's scale, and the rows are as many as the summary counts.

mod members;
mod panel;
mod row;
mod summary;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use members::Members;
pub use panel::{PanelFacts, PanelMember, PromiseFacts};
pub use row::{
    CriterionResult, FailedRow, FindingRecord, GateRecord, GateStatus, ResultRow, RowOutcome, Skipped,
    finding_records,
};
pub use summary::{
    AuthorRecord, ClusterCount, Counts, CriterionFigures, CustomerOutcomes, Facts, FailurePattern,
    JudgeRecord, PartRecord, PassHat, PatternKind, RankedRecord, RecurringReason, Repeats, RubricName,
    RuleCount, SelfAgreement, SummaryRecord, TargetRecord, Tokens, Variation,
};

use crate::promote::Standing;

/// How every notice ends that says what is drawn where a case has several replies.
pub(crate) const ONE_DRAW: &str = "take each case as one draw";

/// The results of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResults {
    /// One row per reply that was read and screened, in the order of the input.
    pub results: Vec<ResultRow>,
    /// One row per record that could not be used.
    pub skipped: Vec<Skipped>,
    /// One row per criterion without a level, in the order of the input.
    pub failed: Vec<FailedRow>,
    /// The figures.
    pub summary: SummaryRecord,
    /// What the judge has earned. What a file says about that does not count: the store knows.
    #[serde(skip, default = "standing_of_a_file")]
    pub standing: Standing,
}

fn standing_of_a_file() -> Standing {
    Standing::advisory("results from a file have no standing of their own")
}

/// Why a text is not a results file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is no JSON, another document, or not as a run writes it.
    #[error("not a results file: {problem}")]
    Malformed {
        /// What was expected, and the line.
        problem: String,
    },
    /// A row is not as a run writes it.
    #[error("`results[{place}]`: {problem}")]
    Row {
        /// Its place, from 0.
        place: usize,
        /// What is wrong.
        problem: String,
    },
    /// Rows are missing, or too many.
    #[error("`results` has {rows} rows, and `summary` says {entered} entered")]
    Incomplete {
        /// Rows.
        rows: u64,
        /// Replies that the summary counts.
        entered: u64,
    },
}

impl RunResults {
    /// Reads the text of a results file. It may have been edited, cut or mistaken for another.
    pub fn read(text: &str) -> Result<RunResults, ReadError> {
        let run: RunResults = serde_json::from_str(text)
            .map_err(|error| ReadError::Malformed { problem: error.to_string() })?;
        for (place, row) in run.results.iter().enumerate() {
            run.check(row).map_err(|problem| ReadError::Row { place, problem })?;
        }
        let (rows, entered) = (run.results.len() as u64, run.summary.all.counts.entered);
        if rows == entered { Ok(run) } else { Err(ReadError::Incomplete { rows, entered }) }
    }

    /// The rubric's criteria with their figures, in its order.
    pub fn criteria(&self) -> &Members<CriterionFigures> {
        &self.summary.all.criteria
    }

    /// What is wrong with a row, where something is.
    fn check(&self, row: &ResultRow) -> Result<(), String> {
        if !row.criteria.names().eq(self.criteria().names()) {
            let names: Vec<&str> = self.criteria().names().collect();
            return Err(format!("expected the criteria {}", names.join(", ")));
        }
        for ((id, result), (_, figures)) in row.criteria.iter().zip(self.criteria().iter()) {
            match result {
                None if row.outcome == RowOutcome::Blocked => {}
                None => return Err(format!("`{id}` is null, and the reply is not blocked")),
                Some(CriterionResult { score: Some(level), .. }) => {
                    if !figures.levels().any(|(known, _)| known == *level) {
                        return Err(format!("`{id}` is at {level}, which is not on its scale"));
                    }
                }
                Some(CriterionResult { unscored: None, .. }) => {
                    return Err(format!("`{id}` has neither a `score` nor a cause in `unscored`"));
                }
                Some(_) => {}
            }
        }
        match row.total {
            Some(total) if !(0..=100).contains(&total.floor()) || total > 100.into() => {
                Err(format!("`total` is {total}, expected 0 to 100"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
