//! The room where people label: who they are, what they are to look at, what they said, and how far it has come.
//!
//! A [`ReviewRoom`] is opened beside a run that writes to the same store. It writes labels, by the same statements as an
//! import, and the tables of the room, and nothing else; each change is one short transaction that is on the disk
//! before its caller hears of it.
//!
//! What is not done here: nothing is served, no page is made, and no clock is read. Callers bring the time along,
//! in seconds since the start of 1970.
//!
//! What always holds:
//! - A person is shown no item that they were not given, and the hidden half of an item only after their own answer.
//! - An answer that arrives twice is kept once. One that was made without having seen the latest is not kept.
//! - An item is not given to more people than its queue asks for.
//! - Of a token the store has a hash alone.

mod act;
pub mod build;
mod earlier;
mod figures;
mod hand_out;
mod log;
mod people;
mod queue;
mod remarks;
mod runs;
mod seen;
mod sessions;
mod settle;
mod token;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::{Arc, Mutex};

pub use act::{CausedBy, Reveal, RootCause, RootCauses, Submission, Submitted, Undone};
pub use figures::QueueFigures;
use hand_out::Orders;
pub use hand_out::{ItemView, SeatState};
pub use log::{DoorAct, DoorEntry, LogLine, RoomCounts};
pub use people::{NotAName, Person, PersonId, PersonName, PersonRole, PersonView, SESSION_SECONDS_MAX};
pub use queue::{Added, After, NewItem, NewQueue, QueueId, QueueProgress, QueueSpec, QueueView, label_frame};
pub use remarks::Remark;
pub use runs::RunVersion;
pub use sessions::SessionView;
pub use settle::{Difference, Disagreement, PersonAnswer, SettlingView, ToSettle};
pub use token::AccessToken;

use serde::de::value::Error as ValueError;
use serde::de::{DeserializeOwned, IntoDeserializer as _};
use serde::{Deserialize, Serialize};

use crate::ledger::db::{Db, DbError, Row};
use crate::ledger::{Fault, Reader, Store, StoreAddress, StoreError, StoredLabel};

/// For how long an item that was given to one person is not given to others, in seconds: 30 minutes.
pub const LEASE_SECONDS: i64 = 30 * 60;

/// An item of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemId(pub i64);

/// The room of one store. Clones share it; when the last is gone, it is closed.
#[derive(Clone)]
pub struct ReviewRoom {
    /// Orders of items that were looked up. They never change.
    orders: Arc<Mutex<Orders>>,
    store: Store,
}

impl ReviewRoom {
    /// Opens the room of the store at `address`, beside a run or without one. A store that is missing is made.
    pub fn open(address: impl Into<StoreAddress>) -> Result<ReviewRoom, StoreError> {
        Ok(ReviewRoom { orders: Arc::default(), store: Store::open_for_review(address)? })
    }

    /// The store, for pages about runs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        self.store.path()
    }

    /// Writes what is waiting and gives up the room. Clones that are left can still read.
    pub fn close(self) -> Result<(), StoreError> {
        self.store.close()
    }

    /// What tells the name under `localhost` at which this store's pages are served from those of others: drawn once,
    /// so that sessions outlive a restart. Blocks for as long as the store takes.
    pub fn host_label(&self) -> Result<String, StoreError> {
        const KEY: &str = "review host label";
        if let Some(label) = self.store.noted(KEY)? {
            return Ok(label);
        }
        let label = format!("{:032x}", rand::random::<u128>());
        self.store.note(KEY, &label)?;
        Ok(label)
    }

    /// Every label that counts in the store, in the order in which their subjects were first labelled.
    pub fn labels(&self) -> Result<Vec<StoredLabel>, StoreError> {
        self.read(Reader::labels)
    }

    /// Asks a reader something. Blocks for as long as the question takes.
    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        question(&self.store.reader()?)
    }

    /// Changes the room. Done when the future completes.
    async fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        mut work: impl FnMut(&Db) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.store.write(doing, move |tables| work(&tables.db)).await
    }
}

/// The document in `column`, as it was written.
pub(super) fn document<T: DeserializeOwned>(row: &Row<'_>, column: usize, what: &str) -> Result<T, DbError> {
    let text = row.text(column)?;
    serde_json::from_str(text).map_err(|_| DbError::unknown(what, text))
}

/// The word in `column`, as what it names.
fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize, what: &str) -> Result<T, DbError> {
    let text = row.text(column)?;
    let read: Result<T, ValueError> = T::deserialize(text.into_deserializer());
    read.map_err(|_| DbError::unknown(what, text))
}

/// A document as it is kept.
pub(super) fn text(document: &impl Serialize) -> String {
    serde_json::to_string(document).expect("documents of the room are plain values")
}
