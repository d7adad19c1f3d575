//! Reading the files of a data set for what their records say about others: comments of tickets, scores of traces.
//!
//! Only files whose records do so are read to their ends; of the others the first record is looked at.

use std::io;

use probity_core::json::Json;

use super::entry::Refused;
use super::field::{Vocabulary, object};
use super::foreign::{Gathering, Pieced, Pieces, form};
use super::reader::{FileReader, RecordText};
use super::source::DataFile;
use super::{LoadError, LoadOptions};

/// What the records of all files say about others.
pub(super) fn gather(files: &[DataFile], options: &LoadOptions) -> Result<Pieces, LoadError> {
    let mut gathering = None;
    for file in files {
        gather_file(file, options, &mut gathering).map_err(|error| {
            let message = "cannot keep what belongs to its cases in a temporary file";
            LoadError::new(file.name(), message).source(error)
        })?;
    }
    let finished = gathering.map_or(Ok(Pieces::default()), Gathering::finish);
    finished
        .map_err(|error| LoadError::new(files[0].name(), "cannot be joined with the others").source(error))
}

/// Adds what one file says. What is wrong with it is said when its cases are read.
fn gather_file(file: &DataFile, options: &LoadOptions, all: &mut Option<Gathering>) -> io::Result<()> {
    let Ok(mut reader) = FileReader::open(file, options, Vocabulary::Cases) else { return Ok(()) };
    let (mut failed, mut is_joined) = (None, false);
    while failed.is_none() {
        let next = reader.next(|text, _| {
            let RecordText::Object(text) = text else { return Ok(false) };
            let record = object(text)?;
            let Some(pieces) = form(&record).and_then(|form| form.pieces) else { return Ok(false) };
            let gathering = match all {
                Some(gathering) => Ok(gathering),
                None => Gathering::new(options.stream_bytes_max).map(|new| all.insert(new)),
            };
            let record = Json::Object(record);
            let added = gathering
                .and_then(|gathering| pieces(&record, &mut Pieced { gathering, file: file.name(), options }));
            failed = added.err();
            Ok::<bool, Refused>(true)
        });
        let Ok(Some(parsed)) = next else { break };
        match parsed.outcome {
            Ok(has_pieces) if has_pieces || is_joined => is_joined = true,
            Ok(_) => break,
            Err(_) => {}
        }
    }
    failed.map_or(Ok(()), Err)
}
