//! The records of one file, in order, each an entry or the reason why not.
//!
//! Decides which faults belong to a record and which to the file: what could be a cut or a different kind
//! of file stops the load, what spoils one record does not.

use std::collections::VecDeque;
use std::sync::Arc;

use probity_core::case::Entry;
use probity_core::json;

use super::entry::{Refused, entry};
use super::field::{Found, Reach, Reason};
use super::input::{Chunk, Format, is_space, no_records};
use super::source::{Opened, Source};
use super::spans::{self, Batch};
use super::split::{self, ArrayCutter, Ended};
use super::table::{COMMA, Table};
use super::vocabulary::Vocabulary;
use super::{LoadError, LoadOptions};

/// One pass over one file.
pub(super) struct FileReader {
    opened: Opened,
    shape: Shape,
    chunk: Chunk,
    /// Runs over the source text of each record, so that packing, marks and line ends do not count.
    hasher: blake3::Hasher,
    n_records: usize,
    n_blank_lines: usize,
    slice_attribute: Option<Arc<str>>,
    /// The spans of the last record that have not been given out.
    waiting: VecDeque<Result<Entry, Refused>>,
    n_cases: usize,
    n_passed_over: usize,
}

/// A record of spans may have so many times the bytes that another may have: it is many replies.
const BATCH_REPLIES: usize = 16;

/// What a record holds.
enum Held {
    Case(Box<Entry>),
    Spans(Batch),
}

enum Shape {
    Array(ArrayCutter),
    Lines,
    Table(Table),
}

/// The source text of one record.
pub(super) enum RecordText<'a> {
    /// A row of a table.
    Row(&'a Table, &'a str),
    /// What should be a JSON object.
    Object(&'a str),
}

/// One record as read.
pub(super) struct Parsed<T = Entry> {
    /// Where it starts, 1-based.
    pub(super) line: usize,
    pub(super) outcome: Result<T, Refused>,
    /// What its unknown field names were probably meant to be.
    pub(super) warnings: Vec<String>,
}

/// What is known of a file after its last record.
pub(super) struct Finished {
    pub(super) digest: blake3::Hash,
    pub(super) n_blank_lines: usize,
    /// How many spans of other things than calls of a model there were.
    pub(super) n_passed_over: usize,
}

impl FileReader {
    /// Opens a file of cases and tells its format.
    pub(super) fn open(source: &Source, options: &LoadOptions) -> Result<Self, LoadError> {
        Self::open_with(source, options, Vocabulary::Cases)
    }

    /// Opens a file whose records have this vocabulary.
    pub(super) fn open_with(
        source: &Source,
        options: &LoadOptions,
        vocabulary: Vocabulary,
    ) -> Result<Self, LoadError> {
        let mut opened = source.open(options)?;
        let mut hasher = blake3::Hasher::new();
        let format = opened.input.detect()?;
        let times = if spans::begins_batch(opened.input.fill()?) { BATCH_REPLIES } else { 1 };
        let mut chunk = Chunk::new(options.record_bytes_max.saturating_mul(times));
        let n_blank_lines = opened.input.line() - 1;
        let shape = match format {
            Format::Array => Shape::Array(ArrayCutter::BeforeOpening),
            Format::Lines => Shape::Lines,
            Format::Table => {
                let delimiter = options.delimiter.unwrap_or(COMMA);
                let table = Table::open(&mut opened.input, &mut chunk, delimiter, vocabulary)?;
                frame(&mut hasher, &chunk.bytes);
                Shape::Table(table)
            }
        };
        Ok(Self {
            opened,
            shape,
            chunk,
            hasher,
            n_records: 0,
            n_blank_lines,
            slice_attribute: options.slice_attribute.clone(),
            waiting: VecDeque::new(),
            n_cases: 0,
            n_passed_over: 0,
        })
    }

    /// What the file is.
    pub(super) fn format(&self) -> Format {
        match self.shape {
            Shape::Array(_) => Format::Array,
            Shape::Lines => Format::Lines,
            Shape::Table(_) => Format::Table,
        }
    }

    /// What the unknown names of a header row were probably meant to be.
    pub(super) fn header_warnings(&self) -> &[String] {
        match &self.shape {
            Shape::Table(table) => &table.warnings,
            Shape::Array(_) | Shape::Lines => &[],
        }
    }

    /// The opened file.
    pub(super) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Ends the pass, which must have reached the end of the file.
    pub(super) fn finish(self) -> Finished {
        Finished {
            digest: self.hasher.finalize(),
            n_blank_lines: self.n_blank_lines,
            n_passed_over: self.n_passed_over,
        }
    }

    /// Reads the next case; `None` at the end of a file that had at least one.
    pub(super) fn next(&mut self) -> Result<Option<Parsed>, LoadError> {
        let slice_attribute = self.slice_attribute.clone();
        loop {
            if let Some(outcome) = self.waiting.pop_front() {
                self.n_cases += 1;
                return Ok(Some(Parsed { line: self.chunk.line, outcome, warnings: Vec::new() }));
            }
            let next = self.next_as(|text, warnings| match text {
                RecordText::Row(table, row) => row_entry(table, row).map(Box::new).map(Held::Case),
                RecordText::Object(text) => held(text, slice_attribute.as_deref(), warnings),
            })?;
            let Some(Parsed { line, outcome, warnings }) = next else { break };
            let outcome = match outcome {
                Ok(Held::Spans(batch)) => {
                    self.n_passed_over += batch.n_passed_over;
                    self.waiting = batch.spans.into();
                    continue;
                }
                Ok(Held::Case(entry)) => Ok(*entry),
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
        Err(LoadError::new(self.file(), message))
    }

    /// Reads the next record as what `parse` makes of it; `None` at the end of a file that had at least one.
    pub(super) fn next_as<T>(
        &mut self,
        parse: impl FnOnce(RecordText<'_>, &mut Vec<String>) -> Result<T, Refused>,
    ) -> Result<Option<Parsed<T>>, LoadError> {
        let Some(ended) = self.cut()? else {
            return if self.n_records == 0 { Err(no_records(self.file())) } else { Ok(None) };
        };
        let mut warnings = Vec::new();
        let text = self.chunk.text(self.opened.input.file())?;
        let outcome = match &self.shape {
            Shape::Table(table) => {
                frame(&mut self.hasher, text.as_bytes());
                parse(RecordText::Row(table, text), &mut warnings)
            }
            Shape::Array(_) | Shape::Lines => {
                let text = text.trim_matches([' ', '\t', '\r', '\n']);
                frame(&mut self.hasher, text.as_bytes());
                parse(RecordText::Object(text), &mut warnings)
            }
        };
        let line = self.chunk.line;
        let outcome = match outcome {
            Err(refused) => Err(self.judge(refused, &warnings, ended)?),
            parsed => parsed,
        };
        self.n_records += 1;
        Ok(Some(Parsed { line, outcome, warnings }))
    }

    fn file(&self) -> &Arc<str> {
        self.opened.input.file()
    }

    /// Cuts the next record that is not a blank line.
    fn cut(&mut self) -> Result<Option<Ended>, LoadError> {
        let (input, chunk) = (&mut self.opened.input, &mut self.chunk);
        loop {
            let ended = match &mut self.shape {
                Shape::Array(cutter) => return Ok(cutter.next(input, chunk)?.then_some(Ended::LineEnd)),
                Shape::Lines => split::line(input, chunk)?,
                Shape::Table(table) => split::row(input, chunk, table.delimiter())?,
            };
            if ended.is_none() || !chunk.bytes.iter().all(|byte| is_space(*byte)) {
                return Ok(ended);
            }
            self.n_blank_lines += 1;
        }
    }

    /// Tells a fault of the record, which is returned with the likely cause, from a fault of the file.
    fn judge(
        &mut self,
        mut refused: Refused,
        warnings: &[String],
        ended: Ended,
    ) -> Result<Refused, LoadError> {
        let fault = |message: String| LoadError::new(self.file(), message).line(self.chunk.line);
        match (&self.shape, refused.reason.reach) {
            (_, Reach::File) => return Err(fault(refused.reason.text)),
            (Shape::Lines, Reach::CutRecord) if ended == Ended::EndOfFile => {
                let reason = &refused.reason.text;
                return Err(fault(format!("the last record is not complete, the file may be cut: {reason}")));
            }
            (Shape::Lines, Reach::CutRecord) if self.n_records == 0 => self.one_record_per_line()?,
            (Shape::Table(table), _) if ended == Ended::EndOfFile && table.is_short(&self.chunk.bytes) => {
                let reason = &refused.reason.text;
                return Err(fault(format!("the last row is not complete, the file may be cut: {reason}")));
            }
            _ => {}
        }
        let missing = refused.reason.text.starts_with("Missing");
        for warning in warnings.iter().chain(self.header_warnings()).filter(|_| missing) {
            refused.reason.text.push_str("; ");
            refused.reason.text.push_str(warning);
        }
        Ok(refused)
    }

    /// After a first line that is not complete: if what follows does not begin an object, the file is one
    /// value over several lines.
    fn one_record_per_line(&mut self) -> Result<(), LoadError> {
        let line = self.opened.input.line();
        let next = self.opened.input.pass_space()?;
        self.n_blank_lines += self.opened.input.line() - line;
        if next.is_none_or(|byte| byte == b'{') {
            return Ok(());
        }
        let message = "found one JSON object over several lines, expected one object per line or an array";
        let error = LoadError::new(self.file(), message).line(self.chunk.line);
        let hint = if spans::begins_batch(&self.chunk.bytes) {
            "write each batch of spans on a line of its own, as `jq -c .` does"
        } else {
            "put the records into an array: [ … , … ]"
        };
        Err(error.hint(hint))
    }
}

/// Adds one record to a digest; the length keeps neighbours apart.
fn frame(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn row_entry(table: &Table, row: &str) -> Result<Entry, Refused> {
    let cells = table.cells(row)?;
    entry(table.fields(&cells)?)
}

fn held(text: &str, slice_attribute: Option<&str>, warnings: &mut Vec<String>) -> Result<Held, Refused> {
    let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    let Some(object) = value.as_object() else {
        return Err(Reason::from(format!("expected an object, found {}", value.kind())).into());
    };
    if let Some(batch) = spans::batch(object, slice_attribute) {
        return Ok(Held::Spans(batch));
    }
    entry(Found::in_object(object, text, warnings)?).map(Box::new).map(Held::Case)
}
