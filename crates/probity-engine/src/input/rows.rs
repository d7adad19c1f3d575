//! Files of small rows that are not cases: recorded verdicts, labels, facts about items.
//!
//! The same formats, faults and limits as for case files, read by the same readers. The whole file is held in
//! memory, because figures need all of it. Whether two rows may say the same is for the caller, who knows what
//! names a row; each comes with its place.

use std::path::Path;
use std::sync::Arc;

use probity_core::json::{self, Json, Object};
use probity_core::label::{Fields, RowFault};

use super::csv::CsvTable;
use super::entry::Refused;
use super::field::{Reason, Vocabulary, object};
use super::reader::{FileReader, RecordText};
use super::scan::Doubts;
use super::source::DataFile;
use super::{LoadError, LoadOptions, Place, Skipped};

/// What a file holds.
#[derive(Debug)]
pub struct FileRows<T> {
    /// The rows that can be used, in the order of the file.
    pub rows: Vec<(Place, T)>,
    /// The others.
    pub skipped: Vec<Skipped>,
    /// What is worth a line to the user.
    pub notices: Vec<String>,
}

/// Reads the file at `path` (`-` is standard input), each record by `read`, which gets an object. The cells of a
/// table are texts, but for columns that hold numbers; an empty cell is null.
pub fn read_rows<T>(
    path: &Path,
    fields: Fields,
    options: &LoadOptions,
    read: impl Fn(&Object) -> Result<T, RowFault>,
) -> Result<FileRows<T>, LoadError> {
    let source = DataFile::find(path, options)?;
    let vocabulary = Vocabulary::Rows(fields);
    let mut reader = FileReader::open(&source, options, vocabulary)?;
    let notices = std::mem::take(&mut reader.notices);
    let mut found = FileRows { rows: Vec::new(), skipped: Vec::new(), notices };
    let mut doubts = Doubts::new(options.strict);
    for index in 0.. {
        let next = reader.next(|text, warnings| {
            let object = match text {
                RecordText::Row(table, row) => table_row(table, row, fields)?,
                RecordText::Object(text) => json_row(text, vocabulary, warnings)?,
            };
            read(&object).map_err(|fault| Refused { id: fault.item, reason: fault.reason.into() })
        });
        let Some(parsed) = next? else { break };
        let place = Place { index, file: Arc::clone(source.name()), line: parsed.line };
        doubts.add(&place, &parsed)?;
        match parsed.outcome {
            Ok(row) => found.rows.push((place, row)),
            Err(Refused { id, reason }) => found.skipped.push(place.skipped(id, reason.text)),
        }
    }
    found.notices.extend(doubts.notices());
    Ok(found)
}

fn json_row(text: &str, vocabulary: Vocabulary, warnings: &mut Vec<String>) -> Result<Object, Reason> {
    let object = object(text)?;
    let unknown = object.iter().filter(|(name, _)| !vocabulary.knows(name));
    warnings.extend(unknown.filter_map(|(name, _)| vocabulary.suggestion(name)));
    Ok(object)
}

fn table_row(table: &CsvTable, row: &str, fields: Fields) -> Result<Object, Reason> {
    let mut object = Object::new();
    // Columns without a name are allowed and hold nothing that is read.
    for (name, cell) in table.names().zip(table.cells(row)?).filter(|(name, _)| !name.is_empty()) {
        let number = || json::parse(cell).ok().filter(|json| matches!(json, Json::Number(_)));
        let value = match cell {
            "" => Json::Null,
            _ if fields.is_number(name) => number().unwrap_or_else(|| Json::text(cell)),
            text => Json::text(text),
        };
        object.insert(name, value).expect("columns have different names");
    }
    Ok(object)
}
