//! From the source text of one record to what it holds.
//!
//! Knows nothing of the file around it: whoever parses a record needs its text and this.

use std::sync::Arc;

use probity_core::case::Entry;
use probity_core::json::{self, Json};

use super::entry::{Refused, entry};
use super::field::{FileNames, Found, Reason};
use super::spans::{self, Batch};
use super::table::Table;

/// What a record holds.
pub(super) enum Held {
    /// A case and its reply.
    Case(Box<Entry>),
    /// Calls of a model.
    Spans(Batch),
}

/// The source text of one record.
pub(super) enum RecordText<'a> {
    /// A row of a table.
    Row(&'a Table, &'a str),
    /// What should be a JSON object.
    Object(&'a str),
}

impl<'a> RecordText<'a> {
    /// The text of a record of `table`, or of a file that is none.
    pub(super) fn of(table: Option<&'a Table>, text: &'a str) -> Self {
        match table {
            Some(table) => RecordText::Row(table, text),
            None => RecordText::Object(text),
        }
    }
}

/// What was made of a record's text.
pub(super) struct Read<T> {
    pub(super) outcome: Result<T, Refused>,
    /// What its unknown field names were probably meant to be.
    pub(super) warnings: Vec<String>,
}

/// Parses the records of one file.
#[derive(Clone)]
pub(super) struct Parser {
    /// The meaning of the columns, where the file is a table.
    pub(super) table: Option<Arc<Table>>,
    /// The attribute of a span that names its slice, where one is set.
    pub(super) slice_attribute: Option<Arc<str>>,
    /// What the file calls the fields that a record must have.
    pub(super) names: FileNames,
}

impl Parser {
    /// What the record with this text holds.
    pub(super) fn read(&self, text: &str) -> Read<Held> {
        let mut warnings = Vec::new();
        let outcome = self.held(&RecordText::of(self.table.as_deref(), text), &mut warnings);
        Read { outcome, warnings }
    }

    /// The same, with `warnings` for whoever keeps them.
    pub(super) fn held(&self, text: &RecordText<'_>, warnings: &mut Vec<String>) -> Result<Held, Refused> {
        match text {
            RecordText::Row(table, row) => {
                let cells = table.cells(row)?;
                entry(table.fields(&cells)?, self.names).map(Held::Case)
            }
            RecordText::Object(text) => self.object(text, warnings),
        }
    }

    fn object(&self, text: &str, warnings: &mut Vec<String>) -> Result<Held, Refused> {
        let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
        let Json::Object(object) = value else {
            return Err(Reason::from(format!("expected an object, found {}", value.kind())).into());
        };
        if let Some(batch) = spans::batch(&object, self.slice_attribute.as_deref()) {
            return Ok(Held::Spans(batch));
        }
        entry(Found::in_object(object, text, warnings)?, self.names).map(Held::Case)
    }
}
