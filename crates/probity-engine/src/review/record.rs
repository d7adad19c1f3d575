//! Numbers of the room, and how what is kept as JSON is read back.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::ledger::db::{DbError, Row};

/// For how long an item that was given to one person is not given to others, in seconds: 30 minutes.
pub const LEASE_SECONDS: i64 = 30 * 60;

/// An item of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemId(pub i64);

/// The document in `column`, as it was written.
pub(super) fn document<T: DeserializeOwned>(row: &Row<'_>, column: usize, what: &str) -> Result<T, DbError> {
    let text = row.text(column)?;
    serde_json::from_str(text).map_err(|_| DbError::unknown(what, text))
}

/// A document as it is kept.
pub(super) fn text(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("documents of the room are plain values")
}
