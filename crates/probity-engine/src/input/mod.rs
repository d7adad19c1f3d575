//! Reading case files: JSON arrays, JSON lines and CSV, Excel and Parquet, and the files of other tools as they are, each
//! also packed with gzip.
//!
//! What a file is, its content says, never its name. Files are streamed: memory holds one record and eight
//! bytes for each record's name, however large the data is. A bad record is an item of its own, with its index and
//! the reason; a file that cannot be trusted as a whole is a [`LoadError`].
//!
//! What always holds: after [`Dataset::open`] every record has been read once, names are unique, and each
//! later pass gives exactly the same records or an error that says that the file changed. Texts are kept
//! byte for byte. Nothing here judges a reply; one without a visible
//! character is none, and its record is skipped.

mod archive;
mod assign;
#[cfg(test)]
mod bridges;
mod bytes;
mod convert;
mod csv;
mod dates;
mod encoding;
mod entry;
mod evidence;
mod field;
mod foreign;
mod gather;
mod json;
mod magic;
mod mapping;
mod messages;
mod names;
mod pass;
mod reader;
mod record;
mod rows;
mod scan;
mod source;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::case::{Case, Entry, Slice};
use probity_core::json::Json;

pub use encoding::Encoding;
pub use foreign::{
    Beside, CustomerOutcome, ForeignLabel, ForeignScore, ForeignVerdict, Graders, JoinedRecord, Withheld,
    graders,
};
pub use gather::JoinedRecords;
pub use mapping::{FieldMap, MapError};
pub use probity_core::results::Skipped;
pub use rows::{FileRows, read_rows};

use entry::{Content, Refused};
use foreign::Pieces;
use pass::{Item, Pass};
use scan::Scanned;
use source::DataFile;

/// What a bad record does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is skipped and listed.
    #[default]
    Skip,
    /// The first one, or the first field name that looks mistyped, is an error.
    Strict,
}

/// What a second record with the same id, variant and content does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dedup {
    /// It is an error.
    #[default]
    Refuse,
    /// It is skipped and listed. Different content under one name stays an error.
    Identical,
}

/// What a case without a reply is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unanswered {
    /// A bad record.
    #[default]
    Refuse,
    /// A record of its own, for a caller that asks for replies. Its variant and confidence, which would be those of a
    /// reply, are not read.
    Take,
}

/// Which of the records are used. Bad records of which the id is not known are listed whatever the slices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatasetPart {
    /// The first so many good ones.
    pub limit: Option<usize>,
    /// Those of one of these slices; all if none is named.
    pub slices: Vec<String>,
    /// Those with one of these ids; all if none is named.
    pub only: Vec<String>,
}

impl DatasetPart {
    fn is_all(&self) -> bool {
        *self == DatasetPart::default()
    }

    fn takes(&self, outcome: &Result<Content, Refused>) -> bool {
        let (id, slice) = match outcome {
            Ok(content) => {
                let case = content.case();
                (Some(case.id.as_str()), case.slice.as_ref().map(Slice::as_str))
            }
            Err(refused) => (refused.id.as_deref(), None),
        };
        let is_among = |names: &[String], name: Option<&str>| {
            names.is_empty() || name.is_some_and(|name| names.iter().any(|one| one == name))
        };
        is_among(&self.only, id) && (outcome.is_err() || is_among(&self.slices, slice))
    }
}

/// At which turn of an agent a transcript or a ticket of a help desk is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentTurns {
    /// At the last one.
    #[default]
    Last,
    /// At each one that answers a customer, as a case of its own: `T-1#1`, `T-1#2`.
    Each,
}

/// Whether the system and developer prompts of a transcript are part of its case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instructions {
    /// They are kept apart.
    #[default]
    Apart,
    /// They are its first turns.
    Shown,
}

/// How to read a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOptions {
    /// What a bad record does.
    pub strict: Strictness,
    /// What a repeated record does.
    pub dedup: Dedup,
    /// What a case without a reply is.
    pub unanswered: Unanswered,
    /// Where the fields of records come from, as far as a person says.
    pub map: FieldMap,
    /// The byte between CSV cells, an ASCII character; what the header row says if not set.
    pub delimiter: Option<u8>,
    /// How text is encoded; what the file says if not set.
    pub encoding: Option<Encoding>,
    /// How dates are written, as `%d/%m/%Y`; the usual forms if not set.
    pub date_format: Option<Arc<str>>,
    /// Which records are used.
    pub part: DatasetPart,
    /// The attribute of a span that names its slice; those in use for it if not set.
    pub slice_attribute: Option<Arc<str>>,
    /// Where a conversation of a foreign file is judged.
    pub turns: AgentTurns,
    /// Whether prompts are shown.
    pub instructions: Instructions,
    /// How many bytes one record may have.
    pub record_bytes_max: usize,
    /// How many bytes may come out of one packed file.
    pub decoded_bytes_max: u64,
    /// How many bytes a stream may have: it is copied before it is read, and one without an end must not fill
    /// the disk.
    pub stream_bytes_max: u64,
    /// How many bytes may come out of a packed file for each byte in it, beyond the first 16 MiB.
    pub decode_ratio_max: u64,
}

impl LoadOptions {
    /// What the options say about the content of records, as a text; empty where they say nothing.
    fn content(&self) -> String {
        let plain = LoadOptions::default();
        let parts = |options: &LoadOptions| {
            let LoadOptions { map, date_format, part, slice_attribute, .. } = options;
            format!("{map:?} {date_format:?} {part:?} {slice_attribute:?}")
        };
        let own = parts(self);
        if own == parts(&plain) { String::new() } else { own }
    }
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            strict: Strictness::default(),
            dedup: Dedup::default(),
            unanswered: Unanswered::default(),
            map: FieldMap::default(),
            delimiter: None,
            encoding: None,
            date_format: None,
            part: DatasetPart::default(),
            slice_attribute: None,
            turns: AgentTurns::default(),
            instructions: Instructions::default(),
            record_bytes_max: 8 << 20,
            decoded_bytes_max: 64 << 30,
            stream_bytes_max: 4 << 30,
            decode_ratio_max: 200,
        }
    }
}

/// A data set that cannot be read. The caller has spent nothing and exits with "input is wrong".
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {message}", line.map_or(String::new(), |line| format!(":{line}")))]
pub struct LoadError {
    /// The file as it was named, or `-`.
    pub file: Arc<str>,
    /// The line it happened on, 1-based, where there is one.
    pub line: Option<usize>,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// What the operating system said.
    pub source: Option<io::Error>,
}

impl LoadError {
    pub(crate) fn new(file: &Arc<str>, message: impl Into<String>) -> Self {
        Self { file: Arc::clone(file), line: None, message: message.into(), hint: None, source: None }
    }

    pub(crate) fn line(self, line: usize) -> Self {
        Self { line: Some(line), ..self }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    fn source(self, source: io::Error) -> Self {
        Self { source: Some(source), ..self }
    }
}

/// What names the content of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// BLAKE3 over the source text of each record in order, and over what the options say about their content, as 64
    /// hexadecimal digits. Byte order marks, gzip, line ends, blank lines and file names do not count.
    pub hex: String,
    /// How many records there are, skipped ones included.
    pub n_records: usize,
    /// How many of them give no entry.
    pub n_skipped: usize,
    /// How many blank lines were passed over. They are not records.
    pub n_blank_lines: usize,
}

/// Where a record stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which record it is, 0-based over all records of all files.
    pub index: usize,
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line it starts on, 1-based.
    pub line: usize,
}

impl Place {
    /// Where a skipped record stands.
    pub(crate) fn of(skipped: &Skipped) -> Place {
        Place { index: skipped.index, file: Arc::from(&*skipped.file), line: skipped.line }
    }

    /// The record that stands here, skipped for `reason`.
    pub(crate) fn skipped(self, id: Option<String>, reason: String) -> Skipped {
        Skipped { index: self.index, file: self.file.to_string(), line: self.line, id, reason }
    }
}

/// One record of a data set.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// A case and its reply.
    Entry {
        /// Where it stands.
        place: Place,
        /// The case and the reply.
        entry: Box<Entry>,
    },
    /// A case that waits for its reply; only where [`Unanswered::Take`] is set.
    Unanswered {
        /// The case.
        case: Box<Case>,
        /// Where it stands, and what is said about it where no reply can be had.
        skipped: Skipped,
    },
    /// A record that gives none.
    Skipped(Skipped),
}

impl Record {
    /// What was read at `place`.
    fn of(place: Place, content: Result<Content, Refused>) -> Record {
        match content {
            Err(Refused { id, reason }) => Record::Skipped(place.skipped(id, reason.text)),
            Ok(Content::Entry(entry)) => Record::Entry { place, entry },
            Ok(Content::Unanswered { case, reason }) => {
                let skipped = place.skipped(Some(case.id.to_string()), reason.text);
                Record::Unanswered { case, skipped }
            }
        }
    }

    /// Puts what customers said into its case.
    fn add_outcomes(&mut self, beside: Option<&Beside>) {
        let (Some(beside), Record::Entry { entry, .. }) = (beside, &mut *self) else { return };
        let outcomes = beside.outcomes.iter().map(|outcome| {
            let value = outcome.value.as_str().map_or_else(|| outcome.value.canonical(), str::to_owned);
            (outcome.kind.to_owned(), value)
        });
        entry.case.outcomes.extend(outcomes);
    }

    /// The same record, which is passed over because it repeats the one with the index `first`.
    fn repeating(self, first: usize) -> Record {
        let reason = format!("Identical to record {first}");
        Record::Skipped(match self {
            Record::Entry { place, entry } => place.skipped(Some(entry.case.id.to_string()), reason),
            Record::Unanswered { skipped, .. } | Record::Skipped(skipped) => Skipped { reason, ..skipped },
        })
    }
}

/// A record, and what its file says beside the case.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotated {
    /// The record.
    pub record: Record,
    /// What a foreign file says about its reply: labels, verdicts, outcomes. Native files say nothing.
    pub beside: Option<Box<Beside>>,
}

/// The files of a data set.
#[derive(Debug)]
struct Sources {
    files: Vec<DataFile>,
    /// What their records say about others.
    pieces: Pieces,
}

/// One or more case files that were read through once and can be read again.
#[derive(Debug)]
pub struct Dataset {
    sources: Arc<Sources>,
    options: LoadOptions,
    /// What the first pass found, and later ones hold the files against.
    scanned: Arc<Scanned>,
}

impl Dataset {
    /// Reads the files through once and checks everything that can be checked. `-` is standard input.
    pub fn open(paths: &[PathBuf], options: LoadOptions) -> Result<Self, LoadError> {
        let nowhere: Arc<str> = Arc::from("data set");
        if paths.is_empty() {
            return Err(LoadError::new(&nowhere, "no files were named"));
        }
        if paths.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
            return Err(LoadError::new(&nowhere, "standard input is named twice and can be read once"));
        }
        if options.delimiter.is_some_and(|byte| !byte.is_ascii() || matches!(byte, b'"' | b'\n' | b'\r')) {
            let message = "the delimiter must be one ASCII character other than a quote or a line end";
            return Err(LoadError::new(&nowhere, message));
        }
        let files: Result<Vec<DataFile>, LoadError> =
            paths.iter().map(|path| DataFile::find(path, &options)).collect();
        let files = files?;
        let pieces = gather::gather(&files, &options)?;
        let sources = Arc::new(Sources { files, pieces });
        let scanned = Arc::new(scan::scan(&sources, &options)?);
        Ok(Self { sources, options, scanned })
    }

    /// Starts a fresh pass over all records.
    pub fn records(&self) -> Result<Records, LoadError> {
        self.annotated().map(Records)
    }

    /// Starts a fresh pass over all records, with what foreign files say beside them.
    pub fn annotated(&self) -> Result<AnnotatedRecords, LoadError> {
        Ok(AnnotatedRecords {
            pass: Some(Pass::begin(&self.sources, &self.options)?),
            sources: Arc::clone(&self.sources),
            scanned: Arc::clone(&self.scanned),
        })
    }

    /// What stands around the records of the files of other tools, by file: settings, graders, and the tool's own figures.
    pub fn frames(&self) -> impl Iterator<Item = (&Arc<str>, &Json)> {
        let frames = self.sources.files.iter().zip(&self.scanned.frames);
        frames.filter(|(_, frame)| **frame != Json::Null).map(|(file, frame)| (file.name(), frame))
    }

    /// Starts a pass over the records of help desks that are no cases: what is public of comments, users and ratings.
    pub fn joined(&self) -> JoinedRecords {
        JoinedRecords::new(&self.sources, &self.options, self.scanned.has_beside)
    }

    /// What of the frames of help desks' files is not among [`Dataset::frames`].
    pub fn withheld(&self) -> &Withheld {
        &self.scanned.withheld
    }

    /// `skipped` again where records may be skipped, or the error that it is under [`Strictness::Strict`]: for
    /// faults that show only when the rubric is known.
    pub fn allow(&self, skipped: Skipped) -> Result<Skipped, LoadError> {
        match self.options.strict {
            Strictness::Skip => Ok(skipped),
            Strictness::Strict => {
                let message = format!("record {}: {}", skipped.index, skipped.reason);
                Err(LoadError::new(&Arc::from(&*skipped.file), message).line(skipped.line))
            }
        }
    }

    /// What is worth a line to the user.
    pub fn notices(&self) -> &[String] {
        &self.scanned.notices
    }

    /// What names the content.
    pub fn digest(&self) -> &Digest {
        &self.scanned.digest
    }
}

/// One pass over the records of a [`Dataset`]. Ends after the first error.
pub struct Records(AnnotatedRecords);

impl Iterator for Records {
    type Item = Result<Record, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|item| item.map(|annotated| annotated.record))
    }
}

/// One pass over the records of a [`Dataset`] and what is said beside them. Ends after the first error.
pub struct AnnotatedRecords {
    /// Nothing once the pass is over.
    pass: Option<Pass>,
    sources: Arc<Sources>,
    scanned: Arc<Scanned>,
}

impl AnnotatedRecords {
    fn advance(&self, pass: &mut Pass) -> Result<Option<Annotated>, LoadError> {
        let next = pass.next()?;
        let ended = pass.digests.len();
        if let Some(last) = ended.checked_sub(1)
            && pass.digests[last] != self.scanned.file_digests[last]
        {
            return Err(source::changed(self.sources.files[last].name()));
        }
        let Some(Item { place, parsed, beside }) = next else { return Ok(None) };
        let repeated = self.scanned.repeats.get(&place.index);
        let record = Record::of(place, parsed.outcome);
        let mut record = match repeated {
            None => record,
            Some(first) => record.repeating(*first),
        };
        record.add_outcomes(beside.as_deref());
        Ok(Some(Annotated { record, beside }))
    }
}

impl Iterator for AnnotatedRecords {
    type Item = Result<Annotated, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut pass = self.pass.take()?;
        let item = self.advance(&mut pass).transpose();
        if matches!(item, Some(Ok(_))) {
            self.pass = Some(pass);
        }
        item
    }
}
