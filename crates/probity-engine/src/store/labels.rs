//! What people said, as the store keeps it: labels by subject, each with its revisions.
//!
//! A subject is one person's view of one thing in one round. What was said first stays; whoever says something
//! else says which revision they have seen, so that two people, or two windows of one, never overwrite each
//! other in silence. What always holds: an import is kept whole or not at all.

use probity_core::calibrate::{LabelEntry, digest};
use probity_core::json;
use rusqlite::{Connection, OptionalExtension, params};

use super::Store;
use super::error::{Fault, StoreError};
use super::reader::Reader;
use super::tables::Tables;

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
    /// Somebody said something in the meantime, and nothing was kept.
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
        self.write_blocking("importing labels", move |tables| tables.import_labels(&rows))
    }

    /// Keeps what a person says now, if what counts is the revision that the person has seen: 0 for none.
    pub fn revise_label(&self, label: &LabelEntry, expected_revision: u32) -> Result<Revised, StoreError> {
        let (subject, body) = (label.subject(), label.canonical());
        self.write_blocking("revising a label", move |tables| {
            tables.revise_label(&subject, &body, expected_revision)
        })
    }
}

impl Reader {
    /// The labels that count, in the order in which their subjects were first labelled. A store from before
    /// labels were kept has none.
    pub fn labels(&self) -> Result<Vec<StoredLabel>, StoreError> {
        self.ask(labels)
    }

    /// Everything that was said about the subject of `label`, the oldest first.
    pub fn label_history(&self, label: &LabelEntry) -> Result<Vec<StoredLabel>, StoreError> {
        let subject = label.subject();
        self.ask(|connection| history(connection, &subject))
    }

    /// BLAKE3 of the labels that count, whatever the order they came in.
    pub fn labels_digest(&self) -> Result<String, StoreError> {
        let labels: Vec<LabelEntry> = self.labels()?.into_iter().map(|stored| stored.label).collect();
        Ok(digest(&labels))
    }
}

impl Tables {
    fn import_labels(&mut self, rows: &[(String, String)]) -> Result<LabelImport, Fault> {
        let mut import = LabelImport::default();
        let mut fresh: Vec<&(String, String)> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            match last(&self.connection, &row.0)? {
                None => fresh.push(row),
                Some((_, kept)) if kept == row.1 => import.n_known += 1,
                Some((_, kept)) => import.conflicts.push(LabelConflict { place, kept }),
            }
        }
        if import.conflicts.is_empty() {
            for (subject, body) in fresh {
                self.insert_label(subject, 1, body)?;
                import.n_added += 1;
            }
        }
        Ok(import)
    }

    pub(crate) fn revise_label(
        &mut self,
        subject: &str,
        body: &str,
        expected: u32,
    ) -> Result<Revised, Fault> {
        let (revision, kept) = match last(&self.connection, subject)? {
            None => (0, None),
            Some((revision, kept)) => (revision, Some(kept)),
        };
        if revision != expected {
            return Ok(Revised::Overtaken { revision, kept });
        }
        self.insert_label(subject, revision + 1, body)?;
        Ok(Revised::Kept { revision: revision + 1 })
    }

    fn insert_label(&mut self, subject: &str, revision: u32, body: &str) -> Result<(), Fault> {
        const SQL: &str = "INSERT INTO label (subject, revision, body) VALUES (?1, ?2, ?3)";
        self.connection.prepare_cached(SQL)?.execute(params![subject, revision, body])?;
        Ok(())
    }
}

/// The last revision of a subject.
pub(crate) fn last(connection: &Connection, subject: &str) -> Result<Option<(u32, String)>, rusqlite::Error> {
    const SQL: &str = "SELECT revision, body FROM label WHERE subject = ?1 ORDER BY revision DESC LIMIT 1";
    let mut select = connection.prepare_cached(SQL)?;
    select.query_row([subject], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

/// What was said about a subject as its revision of this number.
pub(crate) fn at(
    connection: &Connection,
    subject: &str,
    revision: u32,
) -> Result<Option<String>, rusqlite::Error> {
    const SQL: &str = "SELECT body FROM label WHERE subject = ?1 AND revision = ?2";
    connection.prepare_cached(SQL)?.query_row(params![subject, revision], |row| row.get(0)).optional()
}

fn labels(connection: &Connection) -> Result<Vec<StoredLabel>, rusqlite::Error> {
    const SQL: &str = "SELECT label.revision, label.body FROM label JOIN (
            SELECT subject, max(revision) AS revision, min(id) AS first FROM label GROUP BY subject
        ) AS last ON label.subject = last.subject AND label.revision = last.revision ORDER BY last.first";
    if !has_labels(connection)? {
        return Ok(Vec::new());
    }
    let mut select = connection.prepare_cached(SQL)?;
    select.query_map([], stored)?.collect()
}

fn history(connection: &Connection, subject: &str) -> Result<Vec<StoredLabel>, rusqlite::Error> {
    const SQL: &str = "SELECT revision, body FROM label WHERE subject = ?1 ORDER BY revision";
    if !has_labels(connection)? {
        return Ok(Vec::new());
    }
    let mut select = connection.prepare_cached(SQL)?;
    select.query_map([subject], stored)?.collect()
}

fn has_labels(connection: &Connection) -> Result<bool, rusqlite::Error> {
    const SQL: &str = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'label'";
    connection.query_row(SQL, [], |row| row.get::<_, i64>(0)).map(|n| n > 0)
}

fn stored(row: &rusqlite::Row<'_>) -> Result<StoredLabel, rusqlite::Error> {
    let body: String = row.get(1)?;
    let parsed = json::parse(&body).ok().and_then(|json| LabelEntry::read(json.as_object()?).ok());
    let label = parsed.ok_or_else(|| super::reader::unknown(1, "label", &body))?;
    Ok(StoredLabel { label, revision: row.get(0)? })
}
