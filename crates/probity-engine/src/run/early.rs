//! The beginning of the results.

use probity_core::report::SummaryBuilder;
use probity_core::verdict::Patterns;

use super::job::Job;
use super::results::Row;

/// The results of the first cases of a run.
#[derive(Debug)]
pub struct Early {
    /// How many cases.
    pub(super) n_cases: usize,
    /// Their rows, in order.
    pub(super) rows: Vec<Row>,
    /// The figures so far.
    pub(super) summary: SummaryBuilder,
    /// What the judge's words have in common so far.
    pub(super) patterns: Patterns,
}

impl Early {
    pub(super) fn nothing(job: &Job) -> Early {
        let (summary, patterns) = (SummaryBuilder::new(&job.rubric), Patterns::default());
        Early { n_cases: 0, rows: Vec::new(), summary, patterns }
    }
}
