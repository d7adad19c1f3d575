//! The records of one file, in order, each an entry or the reason why not.
//!
//! Decides which faults belong to a record and which to the file: what could be a cut or a different kind
//! of file stops the load, what spoils one record does not.

use std::collections::VecDeque;
use std::sync::Arc;

use probity_core::case::Entry;

use super::beside::{Batch, Beside, Cut};
use super::digest::RecordDigest;
use super::entry::Refused;
use super::field::{FileNames, Reach};
use super::input::{Chunk, Format, is_space, no_records};
use super::parser::{Held, Parser, Read, RecordText};
use super::source::{Opened, Source};
use super::spans;
use super::split::{self, ArrayCutter, Ended};
use super::table::{COMMA, Table};
use super::vocabulary::Vocabulary;
use super::wrapped::{self, Wrapped};
use super::{LoadError, LoadOptions};

/// One pass over one file.
pub(super) struct FileReader {
    opened: Opened,
    shape: Shape,
    chunk: Chunk,
    digest: RecordDigest,
    n_records: usize,
    n_blank_lines: usize,
    parser: Parser,
    /// Where the file is large and all of it is wanted.
    beside: Option<Beside>,
    /// The spans of the last record that have not been given out, and its line.
    waiting: (VecDeque<Result<Box<Entry>, Refused>>, usize),
    n_cases: usize,
    n_passed_over: usize,
}

/// A record of spans may have so many times the bytes that another may have: it is many replies.
const BATCH_REPLIES: usize = 16;

enum Shape {
    Array(ArrayCutter),
    /// An array inside an object.
    Wrapped(ArrayCutter, Wrapped),
    Lines,
    Table(Arc<Table>),
}

/// One record as read.
pub(super) struct Parsed<T = Box<Entry>> {
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
        let mut digest = RecordDigest::new();
        let format = opened.input.detect()?;
        let times = if spans::begins_batch(opened.input.fill()?) { BATCH_REPLIES } else { 1 };
        let mut chunk = Chunk::new(options.record_bytes_max.saturating_mul(times));
        let n_blank_lines = opened.input.line() - 1;
        let names = FileNames::of(opened.input.fill()?);
        let shape = match format {
            Format::Array => Shape::Array(ArrayCutter::BeforeOpening),
            Format::Lines => match wrapped::find(source, options, vocabulary)? {
                Some(wrapped) => {
                    wrapped::pass_to(&mut opened.input, &wrapped)?;
                    Shape::Wrapped(ArrayCutter::BeforeOpening, wrapped)
                }
                None => Shape::Lines,
            },
            Format::Table => {
                let delimiter = options.delimiter.unwrap_or(COMMA);
                let table = Table::open(&mut opened.input, &mut chunk, delimiter, vocabulary)?;
                digest.add(&chunk.bytes);
                Shape::Table(Arc::new(table))
            }
        };
        let table = if let Shape::Table(table) = &shape { Some(Arc::clone(table)) } else { None };
        let parser = Parser { table, slice_attribute: options.slice_attribute.clone(), names };
        Ok(Self {
            opened,
            shape,
            chunk,
            digest,
            n_records: 0,
            n_blank_lines,
            parser,
            beside: None,
            waiting: (VecDeque::new(), 0),
            n_cases: 0,
            n_passed_over: 0,
        })
    }

    /// Parses on another thread too from now on, which is for files that are read to their ends.
    pub(super) fn parse_beside(&mut self) {
        self.beside = Some(Beside::new(&self.parser));
    }

    /// What the file is.
    pub(super) fn format(&self) -> Format {
        match self.shape {
            Shape::Array(_) | Shape::Wrapped(..) => Format::Array,
            Shape::Lines => Format::Lines,
            Shape::Table(_) => Format::Table,
        }
    }

    /// What the unknown names of a header row were probably meant to be.
    pub(super) fn header_warnings(&self) -> &[String] {
        match &self.shape {
            Shape::Table(table) => &table.warnings,
            Shape::Array(_) | Shape::Wrapped(..) | Shape::Lines => &[],
        }
    }

    /// The member whose array the records are, where an object was opened.
    pub(super) fn member(&self) -> Option<&str> {
        match &self.shape {
            Shape::Wrapped(_, wrapped) => Some(&wrapped.member),
            Shape::Array(_) | Shape::Lines | Shape::Table(_) => None,
        }
    }

    /// The opened file.
    pub(super) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Ends the pass, which must have reached the end of the file.
    pub(super) fn finish(self) -> Finished {
        Finished {
            digest: self.digest.finish(),
            n_blank_lines: self.n_blank_lines,
            n_passed_over: self.n_passed_over,
        }
    }

    /// Reads the next case; `None` at the end of a file that had at least one.
    pub(super) fn next(&mut self) -> Result<Option<Parsed>, LoadError> {
        loop {
            let (spans, line) = &mut self.waiting;
            if let Some(outcome) = spans.pop_front() {
                self.n_cases += 1;
                return Ok(Some(Parsed { line: *line, outcome, warnings: Vec::new() }));
            }
            let Some(Parsed { line, outcome, warnings }) = self.next_held()? else { break };
            let outcome = match outcome {
                Ok(Held::Spans(batch)) => {
                    self.n_passed_over += batch.n_passed_over;
                    self.waiting = (batch.spans.into(), line);
                    continue;
                }
                Ok(Held::Case(entry)) => Ok(entry),
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

    /// Reads what the next record holds, on one thread or on two.
    fn next_held(&mut self) -> Result<Option<Parsed<Held>>, LoadError> {
        // The first record may show that the file is something else, which is looked at before more is cut.
        if self.n_records > 0
            && let Some(mut beside) = self.beside.take()
        {
            let next = self.next_beside(&mut beside);
            self.beside = Some(beside);
            return next;
        }
        let parser = self.parser.clone();
        self.next_as(|text, warnings| parser.held(&text, warnings))
    }

    fn next_beside(&mut self, beside: &mut Beside) -> Result<Option<Parsed<Held>>, LoadError> {
        loop {
            if let Some((cut, read, text)) = beside.next() {
                return self.judged(read, cut, text.as_bytes()).map(Some);
            }
            while let Some(mut batch) = beside.wanted() {
                let end = self.fill(&mut batch).transpose();
                beside.hand_over(batch, end);
            }
            if !beside.go_on()? {
                return Ok(None);
            }
        }
    }

    /// Cuts records into `batch` until it is full. Says so where the file ends.
    fn fill(&mut self, batch: &mut Batch) -> Result<Option<()>, LoadError> {
        while !batch.is_full() {
            let Some(ended) = self.cut()? else { return Ok(Some(())) };
            let text = self.shape.text(&self.chunk, self.opened.input.file())?;
            self.digest.add(text.as_bytes());
            batch.add(text, Cut { line: self.chunk.line, ended });
        }
        Ok(None)
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
        let text = self.shape.text(&self.chunk, self.opened.input.file())?;
        self.digest.add(text.as_bytes());
        let outcome = parse(RecordText::of(self.parser.table.as_deref(), text), &mut warnings);
        let is_cut = outcome.as_ref().is_err_and(|refused| refused.reason.reach == Reach::CutRecord);
        if is_cut && self.n_records == 0 && ended == Ended::LineEnd && matches!(self.shape, Shape::Lines) {
            self.one_record_per_line()?;
        }
        let cut = Cut { line: self.chunk.line, ended };
        // The text is that of the chunk, which stays while the record is judged.
        let chunk = std::mem::take(&mut self.chunk.bytes);
        let judged = self.judged(Read { outcome, warnings }, cut, &chunk);
        self.chunk.bytes = chunk;
        judged.map(Some)
    }

    /// One record as it was read, unless its fault is one of the file.
    fn judged<T>(&mut self, read: Read<T>, cut: Cut, text: &[u8]) -> Result<Parsed<T>, LoadError> {
        let Read { outcome, warnings } = read;
        let outcome = match outcome {
            Err(refused) => Err(self.judge(refused, &warnings, cut, text)?),
            parsed => parsed,
        };
        self.n_records += 1;
        Ok(Parsed { line: cut.line, outcome, warnings })
    }

    fn file(&self) -> &Arc<str> {
        self.opened.input.file()
    }

    /// Cuts the next record that is not a blank line.
    fn cut(&mut self) -> Result<Option<Ended>, LoadError> {
        let (input, chunk) = (&mut self.opened.input, &mut self.chunk);
        loop {
            let ended = match &mut self.shape {
                // What follows the array was seen to be the rest of its object.
                Shape::Wrapped(ArrayCutter::AfterClosing, _) => return Ok(None),
                Shape::Array(cutter) | Shape::Wrapped(cutter, _) => {
                    return Ok(cutter.next(input, chunk)?.then_some(Ended::LineEnd));
                }
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
        &self,
        mut refused: Refused,
        warnings: &[String],
        cut: Cut,
        text: &[u8],
    ) -> Result<Refused, LoadError> {
        let fault = |message: String| LoadError::new(self.file(), message).line(cut.line);
        let reason = &refused.reason.text;
        match (&self.shape, refused.reason.reach) {
            (_, Reach::File) => return Err(fault(refused.reason.text)),
            (Shape::Lines, Reach::CutRecord) if cut.ended == Ended::EndOfFile => {
                return Err(fault(format!("the last record is not complete, the file may be cut: {reason}")));
            }
            (Shape::Table(table), _) if cut.ended == Ended::EndOfFile && table.is_short(text) => {
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

impl Shape {
    /// The source text of a record that was cut.
    fn text<'a>(&self, chunk: &'a Chunk, file: &Arc<str>) -> Result<&'a str, LoadError> {
        let text = chunk.text(file)?;
        Ok(match self {
            Shape::Table(_) => text,
            Shape::Array(_) | Shape::Wrapped(..) | Shape::Lines => text.trim_matches([' ', '\t', '\r', '\n']),
        })
    }
}
