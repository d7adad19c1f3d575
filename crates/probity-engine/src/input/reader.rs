//! The records of one file, in order: each parsed, or the reason why it could not be.
//!
//! Decides which faults concern a record and which the whole file: a possible truncation or another file format stops
//! the load, a fault inside one record does not.

use std::sync::Arc;

use probity_core::json::Json;

use super::bytes::{RawRecord, RecordEnd, is_space, no_records};
use super::csv::CsvTable;
use super::entry::Refused;
use super::field::{FaultReach, FileNames, Vocabulary, object};
use super::foreign;
use super::json::{self, Array};
use super::source::{DataFile, OpenSource, Packing};
use super::{LoadError, LoadOptions, Strictness};

/// How many times larger than a native record a foreign one may be: it may hold many replies, or a whole trace.
const BATCH_REPLIES: usize = 16;

const ARRAY: &str = "a JSON array";
const LINES: &str = "JSON lines";
const VALUES: &str = "JSON values";
const TABLE: &str = "CSV";

/// One pass over one file.
pub(super) struct FileReader {
    opened: OpenSource,
    layout: Layout,
    raw: RawRecord,
    /// Over the source texts so far. Packing, marks and line ends are not among them.
    digest: blake3::Hasher,
    n_records: usize,
    /// Whether places are rows of a sheet and not lines.
    counts_rows: bool,
    /// How many blank lines there were.
    pub(super) n_blank_lines: usize,
    /// Notices about the file.
    pub(super) notices: Vec<String>,
    /// What stands around the records; null where nothing does.
    pub(super) frame: Json,
}

/// How the records of a file are laid out.
enum Layout {
    Array(Array),
    Lines,
    /// One after another, each over as many lines as it has.
    Values,
    Table(Box<CsvTable>),
}

/// The source text of one record.
pub(super) enum RecordText<'a> {
    /// The last row of a table.
    Row(&'a CsvTable, &'a str),
    /// What should be a JSON object.
    Object(&'a str),
}

/// One record as read.
pub(super) struct Parsed<T> {
    /// Where it starts, 1-based.
    pub(super) line: usize,
    pub(super) outcome: Result<T, Refused>,
    /// What its unknown field names were probably meant to be.
    pub(super) warnings: Vec<String>,
}

impl FileReader {
    /// Opens a file whose records have this vocabulary, and tells its format.
    pub(super) fn open(
        source: &DataFile,
        options: &LoadOptions,
        vocabulary: Vocabulary,
    ) -> Result<Self, LoadError> {
        let mut opened = source.open(options)?;
        let first = opened.input.first_byte()?;
        if !matches!(first, b'[' | b'{') {
            opened = source.open_table(options, opened)?;
            if opened.input.offset() == 0 {
                opened.input.first_byte()?;
            }
        }
        let encoding_notice = source.encoding_notice(&opened);
        let input = &mut opened.input;
        let batch_bytes_max = options.record_bytes_max.saturating_mul(BATCH_REPLIES);
        let is_batch = foreign::begins_batch(input.fill()?);
        let mut raw =
            RawRecord::new(source.name(), if is_batch { batch_bytes_max } else { options.record_bytes_max });
        let mut frame = Json::Null;
        let mut n_blank_lines = input.line() - 1;
        let mut digest = blake3::Hasher::new();
        let layout = match first {
            _ if matches!(source.packing(), Packing::Log(_)) => {
                let header = source.log_header(options)?.unwrap_or_default();
                frame = probity_core::json::parse(&header).unwrap_or(Json::Null);
                Layout::Values
            }
            b'[' => Layout::Array(Array::new()),
            b'{' => match Array::in_object(source, options, vocabulary, input)? {
                Some((array, around)) => {
                    frame = around;
                    Layout::Array(array)
                }
                None if vocabulary == Vocabulary::Cases && is_spread(source, options, batch_bytes_max)? => {
                    Layout::Values
                }
                None => Layout::Lines,
            },
            _ => {
                let table = CsvTable::open(input, &mut raw, options, vocabulary)?;
                n_blank_lines += table.n_titles;
                add_to(&mut digest, &raw.bytes);
                Layout::Table(Box::new(table))
            }
        };
        if let (Strictness::Strict, [warning, ..]) = (options.strict, layout.header_warnings()) {
            return Err(LoadError::new(source.name(), warning));
        }
        if matches!(&layout, Layout::Values) || matches!(&layout, Layout::Array(array) if array.is_known) {
            raw.allow(batch_bytes_max);
        }
        let mut notices = opening_notices(source, &layout);
        notices.extend(source.notices.iter().map(|notice| format!("{}: {notice}", source.name())));
        notices.extend(encoding_notice.map(|notice| format!("{}: {notice}", source.name())));
        let counts_rows = source.counts_rows;
        Ok(Self { opened, layout, raw, digest, n_records: 0, n_blank_lines, counts_rows, notices, frame })
    }

    /// What the file calls the fields that a record must have, before the first record is read.
    pub(super) fn names(&mut self) -> Result<FileNames, LoadError> {
        Ok(FileNames::of(self.opened.input.fill()?))
    }

    /// Whether each row is a message of a conversation.
    pub(super) fn is_messages(&self) -> bool {
        matches!(&self.layout, Layout::Table(table) if table.is_messages)
    }

    /// The file as it was named.
    pub(super) fn file(&self) -> &Arc<str> {
        self.opened.input.file()
    }

    /// Where the file has the list that the last record stands in; empty where the file is the list.
    pub(super) fn list(&self) -> Option<&str> {
        match &self.layout {
            Layout::Array(array) => Some(&array.path),
            // The samples of a log are files of its archive.
            Layout::Values if self.frame != Json::Null => Some("samples"),
            Layout::Lines | Layout::Values | Layout::Table(_) => None,
        }
    }

    /// The digest of the records, where all were read.
    pub(super) fn digest(self) -> blake3::Hash {
        self.digest.finalize()
    }

    /// Reads the next record as what `parse` makes of it; `None` at the end of a file that had at least one.
    pub(super) fn next<T>(
        &mut self,
        parse: impl FnOnce(&RecordText<'_>, &mut Vec<String>) -> Result<T, Refused>,
    ) -> Result<Option<Parsed<T>>, LoadError> {
        let next = self.read(parse);
        if !matches!(next, Ok(Some(_))) {
            // A file that changed explains whatever was wrong with it.
            self.opened.check()?;
        }
        next
    }

    fn read<T>(
        &mut self,
        parse: impl FnOnce(&RecordText<'_>, &mut Vec<String>) -> Result<T, Refused>,
    ) -> Result<Option<Parsed<T>>, LoadError> {
        let Some(ended) = self.cut()? else {
            let may_be_empty = matches!(&self.layout, Layout::Array(array) if array.is_known);
            return if self.n_records > 0 || may_be_empty { Ok(None) } else { Err(no_records(self.file())) };
        };
        let text = self.layout.text(self.raw.text()?);
        let (RecordText::Row(_, source) | RecordText::Object(source)) = text;
        add_to(&mut self.digest, source.as_bytes());
        let mut warnings = Vec::new();
        let outcome = match parse(&text, &mut warnings) {
            Err(refused) => Err(self.judge(refused, &warnings, ended)?),
            parsed => parsed,
        };
        self.n_records += 1;
        let line = if self.counts_rows { self.n_records + self.n_blank_lines + 1 } else { self.raw.line };
        Ok(Some(Parsed { line, outcome, warnings }))
    }

    /// Cuts the next record that is not a blank line.
    fn cut(&mut self) -> Result<Option<RecordEnd>, LoadError> {
        let (input, raw) = (&mut self.opened.input, &mut self.raw);
        loop {
            let ended = match &mut self.layout {
                Layout::Array(array) => return array.next(input, raw),
                Layout::Values => return json::value(input, raw),
                Layout::Lines => json::line(input, raw)?,
                Layout::Table(table) => table.next(input, raw)?,
            };
            if ended.is_none() || !raw.bytes.iter().all(|byte| is_space(*byte)) {
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
        ended: RecordEnd,
    ) -> Result<Refused, LoadError> {
        let fault = |message: String| LoadError::new(self.file(), message).line(self.raw.line);
        let reason = &refused.reason.text;
        match (&self.layout, refused.reason.reach, ended) {
            (_, FaultReach::File, _) => return Err(fault(refused.reason.text)),
            (Layout::Lines, FaultReach::CutRecord, RecordEnd::EndOfFile) => {
                return Err(fault(format!("the last record is not complete, the file may be cut: {reason}")));
            }
            (Layout::Lines, FaultReach::CutRecord, RecordEnd::Separator) if self.n_records == 0 => {
                self.one_record_per_line()?;
            }
            (Layout::Table(table), _, RecordEnd::EndOfFile) if table.is_short() => {
                return Err(fault(format!("the last row is not complete, the file may be cut: {reason}")));
            }
            _ => {}
        }
        let missing = refused.reason.text.starts_with("Missing");
        for warning in warnings.iter().chain(self.layout.header_warnings()).filter(|_| missing) {
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
        let error = LoadError::new(self.file(), message).line(self.raw.line);
        Err(error.hint("put the records into an array: [ … , … ]"))
    }
}

impl Layout {
    /// What a file of this layout contains.
    fn name(&self) -> &'static str {
        match self {
            Layout::Array(_) => ARRAY,
            Layout::Lines => LINES,
            Layout::Values => VALUES,
            Layout::Table(_) => TABLE,
        }
    }

    /// What the unknown names of a header row were probably meant to be.
    fn header_warnings(&self) -> &[String] {
        match self {
            Layout::Table(table) => &table.warnings,
            Layout::Array(_) | Layout::Lines | Layout::Values => &[],
        }
    }

    /// The text of the last record that was cut, `source` with all that is around it.
    fn text<'a>(&'a self, source: &'a str) -> RecordText<'a> {
        match self {
            Layout::Table(table) => RecordText::Row(table, source),
            Layout::Array(_) | Layout::Lines | Layout::Values => {
                RecordText::Object(source.trim_matches([' ', '\t', '\r', '\n']))
            }
        }
    }
}

/// Whether the file begins with a foreign record over several lines.
fn is_spread(source: &DataFile, options: &LoadOptions, bytes_max: usize) -> Result<bool, LoadError> {
    let mut input = source.open(options)?.input;
    input.first_byte()?;
    let mut raw = RawRecord::new(source.name(), bytes_max);
    // What is wrong with the file is found when its records are read.
    let Ok(Some(_)) = json::value(&mut input, &mut raw) else { return Ok(false) };
    let is_long = raw.bytes.contains(&b'\n') || raw.bytes.contains(&b'\r');
    let record = raw.text().ok().filter(|_| is_long).and_then(|text| object(text).ok());
    Ok(record.is_some_and(|record| foreign::form(&record).is_some()))
}

/// Adds one record to a digest; the length keeps neighbours apart.
fn add_to(digest: &mut blake3::Hasher, record: &[u8]) {
    digest.update(&(record.len() as u64).to_le_bytes()).update(record);
}

/// What is worth saying about a file that was opened: a name that promises something else, and columns whose
/// names look mistyped.
fn opening_notices(source: &DataFile, layout: &Layout) -> Vec<String> {
    let mut messages = Vec::new();
    let (named_packing, named_format) = promised(source.name());
    let found = layout.name();
    // A foreign record over several lines is what any of these names may stand for.
    if let Some(said) = named_format.filter(|said| *said != found && found != VALUES) {
        messages.push(format!("read as {found}, which is what it contains; its name says {said}"));
    }
    match (source.packing(), named_packing) {
        (Packing::Gzip, Some(Packing::Plain)) => {
            messages.push("unpacked with gzip; its name does not say so".into());
        }
        (Packing::Plain, Some(Packing::Gzip)) => messages.push("read as it is; its name says gzip".into()),
        _ => {}
    }
    if let Layout::Array(Array { member: Some(member), .. }) = layout {
        messages.push(format!("read the records in its '{member}'"));
    }
    if let Layout::Table(table) = layout {
        messages.extend(table.notices.iter().cloned());
    }
    messages.extend(layout.header_warnings().iter().cloned());
    messages.into_iter().map(|message| format!("{}: {message}", source.name())).collect()
}

/// The packing and the format that a file's name promises.
fn promised(name: &str) -> (Option<Packing>, Option<&'static str>) {
    let name = name.to_ascii_lowercase();
    let unpacked = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".gzip"));
    let format = match unpacked.unwrap_or(&name).rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("json") => Some(ARRAY),
        Some("jsonl" | "ndjson") => Some(LINES),
        Some("csv" | "tsv") => Some(TABLE),
        _ => None,
    };
    let packing = match (unpacked, format) {
        (Some(_), _) => Some(Packing::Gzip),
        (None, Some(_)) => Some(Packing::Plain),
        (None, None) => None,
    };
    (packing, format)
}
