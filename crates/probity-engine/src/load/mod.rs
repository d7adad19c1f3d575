//! Reading case files: JSON arrays, JSON lines and CSV, and OpenTelemetry spans in either JSON, each also packed
//! with gzip.
//!
//! What a file is, its content says, never its name. Files are streamed: memory holds a few records and eight
//! bytes for each record's name, however large the data is, and the records of a small data set where that is
//! asked for. A bad record is an item of its own, with its index and the reason; a file that cannot be trusted as
//! a whole is a [`LoadError`].
//!
//! What always holds: after [`Dataset::open`] every record has been read once, names are unique, and each
//! later pass gives exactly the same records or an error that says that the file changed. Texts are kept
//! byte for byte. Nothing here judges a reply; one without a visible
//! character is none, and its record is skipped.

mod beside;
mod digest;
mod entry;
mod error;
mod evidence;
mod field;
mod input;
mod kept;
mod magic;
mod parser;
mod pass;
mod reader;
mod rows;
mod scan;
mod source;
mod spans;
mod split;
mod table;
mod vocabulary;
mod wrapped;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use probity_core::case::{Case, Entry};

pub use error::LoadError;
pub use rows::{Rows, read_rows};

use entry::Refused;
use field::Reason;
use pass::Pass;
use source::Source;

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
    /// A record of its own, for whoever asks for replies. Its variant and confidence, which would be those of a
    /// reply, are not read.
    Take,
}

/// What stays in memory after the first pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// Nothing: whoever wants the records reads the files again.
    #[default]
    Nothing,
    /// The records, where they are few, for whoever takes them first.
    Few,
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
    /// What stays in memory after the first pass.
    pub keep: Keep,
    /// The byte between CSV cells, an ASCII character; a comma if not set. Never guessed.
    pub delimiter: Option<u8>,
    /// The attribute of a span that names its slice; those in use for it if not set.
    pub slice_attribute: Option<Arc<str>>,
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

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            strict: Strictness::default(),
            dedup: Dedup::default(),
            unanswered: Unanswered::default(),
            keep: Keep::default(),
            delimiter: None,
            slice_attribute: None,
            record_bytes_max: 8 << 20,
            decoded_bytes_max: 64 << 30,
            stream_bytes_max: 4 << 30,
            decode_ratio_max: 200,
        }
    }
}

/// Something worth a line to the user that is no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The file it is about, unless it is about all of them.
    pub file: Option<Arc<str>>,
    /// What is worth knowing.
    pub message: String,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// What names the content of a data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// BLAKE3 over the source text of each record in order, as 64 hexadecimal digits. Byte order marks,
    /// gzip, line ends, blank lines and file names do not count.
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

/// A record that gives no entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Which record it is, 0-based over all records of all files.
    pub index: usize,
    /// The file as it was named.
    pub file: Arc<str>,
    /// The line it starts on, 1-based.
    pub line: usize,
    /// Its id, where that much could be read.
    pub id: Option<String>,
    /// Why it gives no entry.
    pub reason: String,
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
        /// Field names in it that look mistyped.
        warnings: Vec<String>,
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
    fn of(place: Place, content: Result<Content, Refused>, warnings: Vec<String>) -> Record {
        let Place { index, file, line } = place;
        match content {
            Err(Refused { id, reason, .. }) => {
                Record::Skipped(Skipped { index, file, line, id, reason: reason.text })
            }
            Ok(Content::Entry(entry)) => {
                Record::Entry { place: Place { index, file, line }, entry, warnings }
            }
            Ok(Content::Unanswered { case, reason }) => {
                let id = Some(case.id.to_string());
                Record::Unanswered { case, skipped: Skipped { index, file, line, id, reason: reason.text } }
            }
        }
    }

    /// The same record, which is passed over because it repeats the one with the index `first`.
    fn repeating(self, first: usize) -> Record {
        let reason = format!("Identical to record {first}");
        match self {
            Record::Entry { place: Place { index, file, line }, entry, .. } => {
                let id = Some(entry.case.id.to_string());
                Record::Skipped(Skipped { index, file, line, id, reason })
            }
            Record::Unanswered { skipped, .. } | Record::Skipped(skipped) => {
                Record::Skipped(Skipped { reason, ..skipped })
            }
        }
    }
}

/// One or more case files that were read through once and can be read again.
#[derive(Debug)]
pub struct Dataset {
    sources: Arc<[Source]>,
    options: LoadOptions,
    facts: Arc<Facts>,
    digest: Digest,
    notices: Vec<Notice>,
    /// The records of the first pass, in groups, until somebody takes them.
    kept: Mutex<Option<Vec<Vec<Record>>>>,
}

/// What later passes hold the files against.
#[derive(Debug)]
struct Facts {
    file_digests: Vec<blake3::Hash>,
    repeats: HashMap<usize, usize>,
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
        let sources: Result<Vec<Source>, LoadError> =
            paths.iter().map(|path| Source::find(path, &options)).collect();
        let sources: Arc<[Source]> = Arc::from(sources?);
        let scanned = scan::scan(&sources, &options)?;
        let facts = Facts { file_digests: scanned.file_digests, repeats: scanned.repeats };
        Ok(Self {
            sources,
            options,
            facts: Arc::new(facts),
            digest: scanned.digest,
            notices: scanned.notices,
            kept: Mutex::new(scanned.kept),
        })
    }

    /// The records as the first pass read them, in groups, where they were kept and nobody has taken them. Like a
    /// fresh pass it cannot begin once a file has changed.
    pub fn take_kept(&self) -> Result<Option<Vec<Vec<Record>>>, LoadError> {
        let kept = self.kept.lock().expect("nothing panics while holding the records").take();
        if kept.is_some() {
            self.sources.iter().try_for_each(|source| source.open(&self.options).map(drop))?;
        }
        Ok(kept)
    }

    /// Whether there are records to be taken.
    pub fn has_kept(&self) -> bool {
        self.kept.lock().expect("nothing panics while holding the records").is_some()
    }

    /// Starts a fresh pass over all records.
    pub fn records(&self) -> Result<Records, LoadError> {
        let mut pass = Pass::new(Arc::clone(&self.sources), self.options.clone());
        pass.open_first()?;
        Ok(Records {
            pass: Some(pass),
            unanswered: self.options.unanswered,
            sources: Arc::clone(&self.sources),
            facts: Arc::clone(&self.facts),
        })
    }

    /// `skipped` again where records may be skipped, or the error that it is under [`Strictness::Strict`]: for
    /// faults that show only when the rubric is known.
    pub fn allow(&self, skipped: Skipped) -> Result<Skipped, LoadError> {
        match self.options.strict {
            Strictness::Skip => Ok(skipped),
            Strictness::Strict => {
                let message = format!("record {}: {}", skipped.index, skipped.reason);
                Err(LoadError::new(&skipped.file, message).line(skipped.line))
            }
        }
    }

    /// What is worth a line to the user.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// What names the content.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

/// What a good record holds.
#[derive(Debug)]
enum Content {
    Entry(Box<Entry>),
    Unanswered { case: Box<Case>, reason: Reason },
}

impl Content {
    /// What was read, where cases without a reply are taken or refused as `unanswered` says.
    fn of(outcome: Result<Box<Entry>, Refused>, unanswered: Unanswered) -> Result<Content, Refused> {
        match (outcome, unanswered) {
            (Ok(entry), _) => Ok(Content::Entry(entry)),
            (Err(Refused { unanswered: Some(Ok(case)), reason, .. }), Unanswered::Take) => {
                Ok(Content::Unanswered { case, reason })
            }
            (Err(Refused { id, unanswered: Some(Err(reason)), .. }), Unanswered::Take) => {
                Err(Refused { id, reason, unanswered: None })
            }
            (Err(refused), _) => Err(refused),
        }
    }

    fn case(&self) -> &Case {
        match self {
            Content::Entry(entry) => &entry.case,
            Content::Unanswered { case, .. } => case,
        }
    }

    /// Writes what must be unique into `name`. Neither part can contain a line feed.
    fn write_name(&self, name: &mut String) {
        let variant = match self {
            Content::Entry(entry) => entry.reply.variant.as_ref().map_or("", |variant| variant.as_str()),
            Content::Unanswered { .. } => "",
        };
        name.clear();
        for part in [self.case().id.as_str(), "\n", variant] {
            name.push_str(part);
        }
    }
}

/// One pass over the records of a [`Dataset`]. Ends after the first error.
pub struct Records {
    /// Nothing once the pass is over.
    pass: Option<Pass>,
    unanswered: Unanswered,
    sources: Arc<[Source]>,
    facts: Arc<Facts>,
}

impl Records {
    fn advance(&self, pass: &mut Pass) -> Result<Option<Record>, LoadError> {
        let next = pass.next()?;
        let ended = pass.digests.len();
        if let Some(last) = ended.checked_sub(1)
            && pass.digests[last] != self.facts.file_digests[last]
        {
            return Err(self.sources[last].changed());
        }
        let Some((place, parsed)) = next else { return Ok(None) };
        let content = Content::of(parsed.outcome, self.unanswered);
        let repeated = self.facts.repeats.get(&place.index);
        let record = Record::of(place, content, parsed.warnings);
        Ok(Some(match repeated {
            None => record,
            Some(first) => record.repeating(*first),
        }))
    }
}

impl Iterator for Records {
    type Item = Result<Record, LoadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut pass = self.pass.take()?;
        let item = self.advance(&mut pass).transpose();
        if matches!(item, Some(Ok(_))) {
            self.pass = Some(pass);
        }
        item
    }
}
