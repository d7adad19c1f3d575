//! Reading the files of a data set for what their records say about others: comments of tickets, scores of traces.
//!
//! Only files whose records do so are read to their ends; of the others the first record is looked at.
//! What a help desk's files say beside its cases is read once more where it is kept.

use std::io;
use std::sync::Arc;

use probity_core::json::Json;

use super::entry::Refused;
use super::field::{Vocabulary, object};
use super::foreign::{FileContext, Gathering, JoinedRecord, Pieced, Pieces, Read, form, is_desk};
use super::reader::{FileReader, RecordText};
use super::source::DataFile;
use super::{LoadError, LoadOptions, Sources};

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

/// One pass over the records of help desks that are no cases, file by file.
pub struct JoinedRecords {
    sources: Arc<Sources>,
    options: LoadOptions,
    /// The files that have not been opened.
    files: std::ops::Range<usize>,
    reader: Option<FileReader>,
}

impl JoinedRecords {
    /// A pass that is empty where no file has such records.
    pub(super) fn new(sources: &Arc<Sources>, options: &LoadOptions, is_any: bool) -> Self {
        let files = 0..if is_any { sources.files.len() } else { 0 };
        JoinedRecords { sources: Arc::clone(sources), options: options.clone(), files, reader: None }
    }

    /// The next record of the file that is open; `None` at its end.
    fn next_of_file(&mut self) -> Result<Option<JoinedRecord>, LoadError> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        let (pieces, options) = (&self.sources.pieces, &self.options);
        let context = FileContext { frame: &Json::Null, pieces, options, index: 0 };
        loop {
            let next = reader.next(|text, _| {
                let RecordText::Object(text) = text else { return Ok(None) };
                let record = object(text)?;
                Ok(form(&record).filter(|form| is_desk(form.tool)).map(|form| form.read(record, &context)))
            })?;
            let Some(parsed) = next else { return Ok(None) };
            if let Ok(Some(Read::Joined { kept, withheld, .. })) = parsed.outcome {
                let (file, list) = (reader.file().to_string(), reader.list().map(str::to_owned));
                return Ok(Some(JoinedRecord { file, list, kept, withheld }));
            }
        }
    }
}

impl Iterator for JoinedRecords {
    type Item = Result<JoinedRecord, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_of_file() {
                Ok(None) => {
                    let file = &self.sources.files[self.files.next()?];
                    match FileReader::open(file, &self.options, Vocabulary::Cases) {
                        Ok(reader) => self.reader = Some(reader),
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(Some(record)) => return Some(Ok(record)),
                Err(error) => {
                    (self.files, self.reader) = (0..0, None);
                    return Some(Err(error));
                }
            }
        }
    }
}
