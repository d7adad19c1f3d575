//! One pass over all files of a data set: cases numbered through, one from each record or as many as there are spans in
//! it, and files checked at their ends.

use std::collections::VecDeque;
use std::sync::Arc;

use probity_core::json::{self, Json, Object};

use super::entry::{Content, Refused, entry};
use super::field::{FileNames, Reason, RecordFields, Vocabulary};
use super::reader::{FileReader, Parsed, RecordText};
use super::source::DataFile;
use super::spans::{self, Batch};
use super::{LoadError, LoadOptions, Place};

/// A pass that is under way.
pub(super) struct Pass {
    sources: Arc<[DataFile]>,
    options: LoadOptions,
    /// The file that is being read; nothing before it is opened.
    reader: Option<CaseReader>,
    n_records: usize,
    /// The digests of the files that were read to their ends.
    pub(super) digests: Vec<blake3::Hash>,
    /// How many blank lines those files had.
    pub(super) n_blank_lines: usize,
    /// What is worth saying about the files that were opened.
    pub(super) notices: Vec<String>,
}

impl Pass {
    /// Opens the first file: a pass that cannot begin is not begun.
    pub(super) fn begin(sources: &Arc<[DataFile]>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut pass = Self {
            sources: Arc::clone(sources),
            options: options.clone(),
            reader: None,
            n_records: 0,
            digests: Vec::new(),
            n_blank_lines: 0,
            notices: Vec::new(),
        };
        pass.open_next()?;
        Ok(pass)
    }

    /// The next record of any file, with its place; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<(Place, Parsed<Content>)>, LoadError> {
        while let Some(mut reader) = self.reader.take() {
            if let Some(parsed) = reader.next()? {
                let (index, file) = (self.n_records, Arc::clone(reader.file.file()));
                self.n_records += 1;
                self.reader = Some(reader);
                return Ok(Some((Place { index, file, line: parsed.line }, parsed)));
            }
            self.finish(reader);
            self.open_next()?;
        }
        Ok(None)
    }

    /// Opens the file after those that were read to their ends.
    fn open_next(&mut self) -> Result<(), LoadError> {
        if let Some(source) = self.sources.get(self.digests.len()) {
            let mut reader = CaseReader::open(source, &self.options)?;
            self.notices.append(&mut reader.file.notices);
            self.reader = Some(reader);
        }
        Ok(())
    }

    fn finish(&mut self, reader: CaseReader) {
        let CaseReader { file, n_passed_over, .. } = reader;
        if n_passed_over > 0 {
            let file = file.file();
            self.notices.push(format!("{file}: passed over {n_passed_over} spans that are not about GenAI"));
        }
        self.n_blank_lines += file.n_blank_lines;
        self.digests.push(file.digest());
    }
}

/// One pass over the cases of one file.
struct CaseReader {
    file: FileReader,
    options: LoadOptions,
    names: FileNames,
    /// The spans of the last record that have not been given out, and its line.
    waiting: (VecDeque<Result<Content, Refused>>, usize),
    n_cases: usize,
    /// How many spans of other things than calls of a model there were.
    n_passed_over: usize,
}

/// What a record holds.
enum Held {
    Case(Content),
    /// Calls of a model.
    Spans(Batch),
}

impl CaseReader {
    /// Opens a file of cases.
    fn open(source: &DataFile, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut file = FileReader::open(source, options, Vocabulary::Cases)?;
        let (names, options) = (file.names()?, options.clone());
        Ok(Self { file, options, names, waiting: (VecDeque::new(), 0), n_cases: 0, n_passed_over: 0 })
    }

    /// Reads the next case; `None` at the end of a file that had at least one.
    fn next(&mut self) -> Result<Option<Parsed<Content>>, LoadError> {
        loop {
            let (spans, line) = &mut self.waiting;
            if let Some(outcome) = spans.pop_front() {
                self.n_cases += 1;
                return Ok(Some(Parsed { line: *line, outcome, warnings: Vec::new() }));
            }
            let next = self.file.next(|text, warnings| held(text, self.names, &self.options, warnings))?;
            let Some(Parsed { line, outcome, warnings }) = next else { break };
            let outcome = match outcome {
                Ok(Held::Spans(batch)) => {
                    self.n_passed_over += batch.n_passed_over;
                    self.waiting = (batch.spans.into(), line);
                    continue;
                }
                Ok(Held::Case(content)) => Ok(content),
                Err(refused) => Err(refused),
            };
            self.n_cases += 1;
            return Ok(Some(Parsed { line, outcome, warnings }));
        }
        if self.n_cases > 0 {
            return Ok(None);
        }
        let message =
            format!("none of {} spans is about GenAI: no attribute begins with gen_ai.", self.n_passed_over);
        Err(LoadError::new(self.file.file(), message))
    }
}

fn held(
    text: &RecordText<'_>,
    names: FileNames,
    options: &LoadOptions,
    warnings: &mut Vec<String>,
) -> Result<Held, Refused> {
    let found = match text {
        RecordText::Row(table, row) => table.fields(row)?,
        RecordText::Object(text) => {
            let object = object(text)?;
            let slice_attribute = options.slice_attribute.as_deref();
            if let Some(batch) = spans::batch(&object, slice_attribute, options.unanswered) {
                return Ok(Held::Spans(batch));
            }
            RecordFields::in_object(object, text, warnings)?
        }
    };
    entry(found, names, options.unanswered).map(Held::Case)
}

/// The object that a record is.
pub(super) fn object(text: &str) -> Result<Object, Reason> {
    let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    match value {
        Json::Object(object) => Ok(object),
        other => Err(format!("expected an object, found {}", other.kind()).into()),
    }
}
