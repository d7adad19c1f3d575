//! What people said, as the store keeps it: labels by subject, each with its revisions.
//!
//! A subject is one person's view of one thing in one round. What was said first stays. A revision
//! names the one that its person has seen, so that two people, or two windows of one, never overwrite each
//! other in silence. What always holds: an import is kept whole or not at all.

use probity_core::json;
use probity_core::label::{LabelEntry, digest};

use super::Store;
use super::db::{Db, DbError, Row, vals};
use super::error::{Fault, StoreError};
use super::reader::Reader;

/// What became of imported labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelImport {
    /// Labels that are new.
    pub n_added: u64,
    /// Labels that the store had, word for word.
    pub n_known: u64,
    /// Labels that contradict what the store has. Where there is one, nothing was kept.
    pub conflicts: Vec<LabelConflict>,
}

/// A label that contradicts what the store has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelConflict {
    /// Its place among those that were to be imported.
    pub place: usize,
    /// What the store has, as canonical JSON.
    pub kept: String,
}

/// What became of a label that one person gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revised {
    /// It counts now, as this revision.
    Kept {
        /// Its number, from one.
        revision: u32,
    },
    /// Something was said in the meantime, and nothing was kept.
    Overtaken {
        /// The number of what counts, 0 where there is nothing.
        revision: u32,
        /// What counts, as canonical JSON.
        kept: Option<String>,
    },
}

/// A label with the number of its revision.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredLabel {
    /// What was said.
    pub label: LabelEntry,
    /// How often something was said about the subject, this time included.
    pub revision: u32,
}

impl Store {
    /// Keeps labels that are new, all of them or, where one contradicts what the store has, none.
    pub fn import_labels(&self, labels: &[LabelEntry]) -> Result<LabelImport, StoreError> {
        let rows = labels.iter().map(|label| (label.subject(), label.canonical())).collect::<Vec<_>>();
        self.write_blocking("importing labels", move |tables| import_labels(&tables.db, &rows))
    }

    /// Keeps what a person says now, if what counts is the revision that the person has seen: 0 for none.
    #[cfg(test)]
    pub(crate) fn revise_label(
        &self,
        label: &LabelEntry,
        expected_revision: u32,
    ) -> Result<Revised, StoreError> {
        let (subject, body) = (label.subject(), label.canonical());
        self.write_blocking("revising a label", move |tables| {
            revise_label(&tables.db, &subject, &body, expected_revision)
        })
    }
}

impl Reader {
    /// The labels that count, in the order in which their subjects were first labelled.
    pub fn labels(&self) -> Result<Vec<StoredLabel>, StoreError> {
        self.ask(labels)
    }

    /// BLAKE3 of the labels that count, whatever the order they came in.
    pub(crate) fn labels_digest(&self) -> Result<String, StoreError> {
        let labels: Vec<LabelEntry> = self.labels()?.into_iter().map(|stored| stored.label).collect();
        Ok(digest(&labels))
    }
}

fn import_labels(db: &Db, rows: &[(String, String)]) -> Result<LabelImport, Fault> {
    let mut import = LabelImport::default();
    let mut fresh: Vec<&(String, String)> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        match last_label(db, &row.0)? {
            None => fresh.push(row),
            Some((_, kept)) if kept == row.1 => import.n_known += 1,
            Some((_, kept)) => import.conflicts.push(LabelConflict { place, kept }),
        }
    }
    if import.conflicts.is_empty() {
        for (subject, body) in fresh {
            insert_label(db, subject, 1, body)?;
            import.n_added += 1;
        }
    }
    Ok(import)
}

/// Adds a revision of a subject, if what counts is the `expected` one.
pub(crate) fn revise_label(db: &Db, subject: &str, body: &str, expected: u32) -> Result<Revised, Fault> {
    let (revision, kept) = match last_label(db, subject)? {
        None => (0, None),
        Some((revision, kept)) => (revision, Some(kept)),
    };
    if revision != expected {
        return Ok(Revised::Overtaken { revision, kept });
    }
    insert_label(db, subject, revision + 1, body)?;
    Ok(Revised::Kept { revision: revision + 1 })
}

fn insert_label(db: &Db, subject: &str, revision: u32, body: &str) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO label (subject, revision, body) VALUES (?1, ?2, ?3)";
    db.run(SQL, &vals![subject, revision, body]).map(drop)
}

/// The last revision of a subject.
pub(crate) fn last_label(db: &Db, subject: &str) -> Result<Option<(u32, String)>, DbError> {
    const SQL: &str = "SELECT revision, body FROM label WHERE subject = ?1 ORDER BY revision DESC LIMIT 1";
    db.row(SQL, &vals![subject], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// What was said about a subject as its revision of this number.
pub(crate) fn label_at(db: &Db, subject: &str, revision: u32) -> Result<Option<String>, DbError> {
    const SQL: &str = "SELECT body FROM label WHERE subject = ?1 AND revision = ?2";
    db.row(SQL, &vals![subject, revision], |row| row.get(0))
}

fn labels(db: &Db) -> Result<Vec<StoredLabel>, DbError> {
    const SQL: &str = "SELECT label.revision, label.body FROM label JOIN (
            SELECT subject, max(revision) AS revision, min(id) AS first FROM label GROUP BY subject
        ) AS last ON label.subject = last.subject AND label.revision = last.revision ORDER BY last.first";
    db.rows(SQL, &[], stored)
}

fn stored(row: &Row<'_>) -> Result<StoredLabel, DbError> {
    Ok(StoredLabel { label: parsed_label(row.text(1)?)?, revision: row.get(0)? })
}

/// A label as it was written.
pub(crate) fn parsed_label(body: &str) -> Result<LabelEntry, DbError> {
    let parsed = json::parse(body).ok().and_then(|json| LabelEntry::read(json.as_object()?).ok());
    parsed.ok_or_else(|| DbError::unknown("label", body))
}
