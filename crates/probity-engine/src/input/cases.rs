//! The cases of one file, in order: one from each record, or as many as there are spans in it.

use std::collections::VecDeque;
use std::sync::Arc;

use probity_core::json::{self, Json, Object};

use super::entry::{Content, Refused, entry};
use super::field::{FileNames, Found, Reason};
use super::reader::{FileReader, Parsed, RecordText};
use super::source::Source;
use super::spans::{self, Batch};
use super::vocabulary::Vocabulary;
use super::{LoadError, LoadOptions, Unanswered};

/// One pass over the cases of one file.
pub(super) struct CaseReader {
    /// The records of the file.
    pub(super) file: FileReader,
    parser: Parser,
    /// The spans of the last record that have not been given out, and its line.
    waiting: (VecDeque<Result<Content, Refused>>, usize),
    n_cases: usize,
    /// How many spans of other things than calls of a model there were.
    pub(super) n_passed_over: usize,
}

/// How the records of a file are parsed.
struct Parser {
    unanswered: Unanswered,
    slice_attribute: Option<Arc<str>>,
    names: FileNames,
}

/// What a record holds.
enum Held {
    Case(Content),
    /// Calls of a model.
    Spans(Batch),
}

impl CaseReader {
    /// Opens a file of cases.
    pub(super) fn open(source: &Source, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut file = FileReader::open(source, options, Vocabulary::Cases)?;
        let slice_attribute = options.slice_attribute.clone();
        let parser = Parser { unanswered: options.unanswered, slice_attribute, names: file.names()? };
        Ok(Self { file, parser, waiting: (VecDeque::new(), 0), n_cases: 0, n_passed_over: 0 })
    }

    /// Reads the next case; `None` at the end of a file that had at least one.
    pub(super) fn next(&mut self) -> Result<Option<Parsed<Content>>, LoadError> {
        loop {
            let (spans, line) = &mut self.waiting;
            if let Some(outcome) = spans.pop_front() {
                self.n_cases += 1;
                return Ok(Some(Parsed { line: *line, outcome, warnings: Vec::new() }));
            }
            let next = self.file.next(|text, warnings| self.parser.held(text, warnings))?;
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

impl Parser {
    fn held(&self, text: &RecordText<'_>, warnings: &mut Vec<String>) -> Result<Held, Refused> {
        let found = match text {
            RecordText::Row(table, row) => table.fields(row)?,
            RecordText::Object(text) => {
                let object = object(text)?;
                if let Some(batch) = spans::batch(&object, self.slice_attribute.as_deref(), self.unanswered) {
                    return Ok(Held::Spans(batch));
                }
                Found::in_object(object, text, warnings)?
            }
        };
        entry(found, self.names, self.unanswered).map(Held::Case)
    }
}

/// The object that a record is.
pub(super) fn object(text: &str) -> Result<Object, Reason> {
    let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    match value {
        Json::Object(object) => Ok(object),
        other => Err(format!("expected an object, found {}", other.kind()).into()),
    }
}
