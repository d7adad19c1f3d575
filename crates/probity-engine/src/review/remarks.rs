//! What people wrote beside their labels: notes, and what was wrong with a verdict.
//!
//! Remarks are in the log of acts and no part of a label. Here they are found again by the label's subject. What
//! always holds: an answer that was taken back has no remark.

use std::collections::HashMap;

use super::act::{RootCause, RootCauses, causes};
use super::hand_out::place;
use super::people::PersonId;
use super::{ItemId, ReviewRoom};
use crate::ledger::db::{Db, DbError};
use crate::ledger::{StoreError, StoredLabel};

/// What a person remarked with a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remark {
    /// Why they said it, in their words; may be empty.
    pub note: String,
    /// What they said is wrong with the judge's verdict.
    pub root_cause: Option<RootCause>,
}

/// An answer that counts, or what settled an item.
struct AnswerRow {
    item: ItemId,
    person: PersonId,
    name: String,
    note: String,
    adjudicated: bool,
}

impl ReviewRoom {
    /// Every label that counts in the store as [`ReviewRoom::labels`] has them, with what was remarked with it.
    pub fn remarked_labels(&self) -> Result<Vec<(StoredLabel, Remark)>, StoreError> {
        self.read(|reader| {
            let mut remarks = reader.ask(remarks)?;
            let labels = reader.labels()?.into_iter();
            Ok(labels
                .map(|stored| {
                    let remark = remarks.remove(&stored.label.subject()).unwrap_or_default();
                    (stored, remark)
                })
                .collect())
        })
    }
}

/// The remarks by the subject of their labels. Where several queues ask about one subject, the last answer's.
fn remarks(db: &Db) -> Result<HashMap<String, Remark>, DbError> {
    let mut found = HashMap::new();
    for said in said(db)? {
        let Some(place) = place(db, said.item)? else { continue };
        let causes = if said.adjudicated { RootCauses::new() } else { causes(db, said.item, said.person)? };
        for entry in place.entries(&place.unsaid(&said.name, said.adjudicated)) {
            let root_cause = causes.get(&entry.criterion).copied();
            found.insert(entry.subject(), Remark { note: said.note.clone(), root_cause });
        }
    }
    Ok(found)
}

/// The last answer of each person to each item that they have not taken back, and what settled each item last, in
/// the order in which they were said.
fn said(db: &Db) -> Result<Vec<AnswerRow>, DbError> {
    const SQL: &str = "SELECT act.item, person.id, person.name, coalesce(act.note, ''), act.kind
        FROM act JOIN person ON person.id = act.person
        WHERE act.id IN (SELECT max(act.id) FROM act
                    JOIN seat ON seat.item = act.item AND seat.person = act.person
                    WHERE act.kind = 'submit' AND seat.state = 'submitted' GROUP BY act.item, act.person)
            OR act.id IN (SELECT max(id) FROM act WHERE kind = 'adjudicate' GROUP BY item)
        ORDER BY act.id";
    db.rows(SQL, &[], |row| {
        Ok(AnswerRow {
            item: ItemId(row.get(0)?),
            person: PersonId(row.get(1)?),
            name: row.get(2)?,
            note: row.get(3)?,
            adjudicated: row.text(4)? == "adjudicate",
        })
    })
}
