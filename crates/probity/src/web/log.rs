//! Who did what, for leads: with items, and at the door.

use axum::extract::Query;
use minijinja::context;
use minijinja::value::Serde;
use probity_engine::review::{DoorAct, DoorEntry};

use super::app::{Visit, now};
use super::door::ClientAddress;
use super::refusal::{PageResult, Refusal};
use super::runs::{PageQuery, Paging};

/// `GET /log`
pub(super) async fn page(visit: Visit, Query(wanted): Query<PageQuery>) -> PageResult {
    let n = visit.app.read(|room| Ok(room.log_lines(0, 0)?.1)).await?;
    let paging = Paging::new(wanted.page, n);
    let (offset, limit) = paging.bounds();
    let (lines, _) = visit.app.read(move |room| room.log_lines(offset, limit)).await?;
    visit.page("log", "Log", context! { lines => Serde(lines), paging => paging.view() })
}

impl Visit {
    /// Adds to the log what this person did.
    pub(super) async fn log(&self, act: DoorAct, about: &str) -> Result<(), Refusal> {
        let ClientAddress(client) = self.client;
        let (about, client) = (about.to_owned(), client.to_string());
        let entry = DoorEntry { person: self.person.id, act, about, client };
        Ok(self.app.room.log(entry, now()).await?)
    }
}
