//! Files of small rows that are no cases: recorded verdicts, labels, facts about items.
//!
//! The same formats, faults and limits as for case files, read by the same readers. The whole file is held in
//! memory, because figures need all of it. Whether two rows may say the same is for the caller, who knows what
//! names a row; each comes with its place.

use std::path::Path;
use std::sync::Arc;

use probity_core::compare::{Fields, RowFault};
use probity_core::json::{self, Json, Object};

use super::entry::Refused;
use super::field::Reason;
use super::parser::RecordText;
use super::pass::opening_notices;
use super::reader::FileReader;
use super::scan::{Doubts, no_doubt};
use super::source::Source;
use super::table::Table;
use super::vocabulary::Vocabulary;
use super::{LoadError, LoadOptions, Notice, Place, Skipped, Strictness};

/// What a file holds.
#[derive(Debug)]
pub struct Rows<T> {
    /// The rows that can be used, in the order of the file.
    pub rows: Vec<(Place, T)>,
    /// The others.
    pub skipped: Vec<Skipped>,
    /// What is worth a line to the user.
    pub notices: Vec<Notice>,
}

/// Reads the file at `path` (`-` is standard input), each record by `read`, which gets an object. The cells of a
/// table are texts, but for columns that hold numbers; an empty cell is null.
pub fn read_rows<T>(
    path: &Path,
    fields: Fields,
    options: &LoadOptions,
    read: impl Fn(&Object) -> Result<T, RowFault>,
) -> Result<Rows<T>, LoadError> {
    let source = Source::find(path, options)?;
    let vocabulary = Vocabulary::Rows(fields);
    let mut reader = FileReader::open_with(&source, options, vocabulary)?;
    if let (Strictness::Strict, [warning, ..]) = (options.strict, reader.header_warnings()) {
        return Err(LoadError::new(source.name(), warning));
    }
    let mut found =
        Rows { rows: Vec::new(), skipped: Vec::new(), notices: opening_notices(&source, &reader) };
    let mut doubts = Doubts::default();
    for index in 0.. {
        let next = reader.next_as(|text, warnings| {
            let object = match text {
                RecordText::Row(table, row) => table_row(table, row, fields)?,
                RecordText::Object(text) => json_row(text, vocabulary, warnings)?,
            };
            read(&object).map_err(|fault| Refused { id: fault.item, ..Reason::from(fault.reason).into() })
        });
        if !matches!(next, Ok(Some(_))) {
            // A file that changed explains whatever was wrong with it.
            source.check(reader.opened())?;
        }
        let Some(parsed) = next? else { break };
        let place = Place { index, file: Arc::clone(source.name()), line: parsed.line };
        if options.strict == Strictness::Strict {
            no_doubt(&place, parsed.outcome.as_ref().err(), &parsed.warnings)?;
        }
        doubts.add(&place, &parsed.warnings);
        match parsed.outcome {
            Ok(row) => found.rows.push((place, row)),
            Err(Refused { id, reason, .. }) => {
                let Place { index, file, line } = place;
                found.skipped.push(Skipped { index, file, line, id, reason: reason.text });
            }
        }
    }
    found.notices.extend(doubts.notices());
    Ok(found)
}

fn json_row(text: &str, vocabulary: Vocabulary, warnings: &mut Vec<String>) -> Result<Object, Reason> {
    let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    let Json::Object(object) = value else {
        return Err(format!("expected an object, found {}", value.kind()).into());
    };
    let unknown = object.iter().filter(|(name, _)| !vocabulary.knows(name));
    warnings.extend(unknown.filter_map(|(name, _)| vocabulary.suggestion(name)));
    Ok(object)
}

fn table_row(table: &Table, row: &str, fields: Fields) -> Result<Object, Reason> {
    let cells = table.cells(row)?;
    let mut object = Object::new();
    // Columns without a name are allowed and hold nothing that anybody reads.
    for (name, cell) in table.names().zip(&cells).filter(|(name, _)| !name.is_empty()) {
        let number = || json::parse(cell).ok().filter(|json| matches!(json, Json::Number(_)));
        let value = match cell.as_ref() {
            "" => Json::Null,
            _ if fields.is_number(name) => number().unwrap_or_else(|| Json::text(cell.as_ref())),
            text => Json::text(text),
        };
        object.insert(name, value).expect("columns have different names");
    }
    Ok(object)
}
