//! What decides how a run is shown, so that a page is made again when it would be another one.

use super::{ReviewRoom, text};
use crate::ledger::StoreError;
use crate::ledger::db::{Row, vals};

/// What decides how a run is shown: its outcome, the labels and the standings. Two that are equal show the same of a
/// run that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVersion {
    /// Whether no more verdicts are to come.
    pub is_complete: bool,
    digest: blake3::Hash,
}

impl ReviewRoom {
    /// What decides how a run is shown; `None` where there is no such run.
    pub fn run_version(&self, run: i64) -> Result<Option<RunVersion>, StoreError> {
        const SQL: &str = "SELECT state, outcome, (SELECT max(id) FROM label),
                (SELECT value FROM note WHERE key = 'standings') FROM run WHERE id = ?1";
        let version = |row: &Row<'_>| {
            let outcome: Option<String> = row.get(1)?;
            let (labels, standings): (Option<i64>, Option<String>) = (row.get(2)?, row.get(3)?);
            let digest = blake3::hash(text(&(outcome, labels, standings)).as_bytes());
            Ok(RunVersion { is_complete: row.text(0)? == "complete", digest })
        };
        self.read(|reader| reader.ask(|db| db.row(SQL, &vals![run], version)))
    }
}
