//! One pass over all files of a data set: records numbered through, files checked at their ends.

use std::sync::Arc;

use super::input::Format;
use super::reader::{FileReader, Parsed};
use super::source::{Packing, Source};
use super::{LoadError, LoadOptions, Notice, Place, Strictness};

/// Files from this size on are parsed on two threads. Smaller ones are read before another thread has begun.
const BESIDE_BYTES_MIN: u64 = 256 << 10;

/// How many threads parse the records of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Threads {
    /// The one that takes them.
    One,
    /// Another one beside it, where a file has this many bytes.
    Two { bytes_min: u64 },
}

impl Threads {
    /// Two, for files that gain by it.
    pub(super) const FOR_LARGE_FILES: Threads = Threads::Two { bytes_min: BESIDE_BYTES_MIN };
}

/// A pass that is under way.
pub(super) struct Pass {
    sources: Arc<[Source]>,
    options: LoadOptions,
    reader: Option<FileReader>,
    threads: Threads,
    n_records: usize,
    /// The digests of the files that were read to their ends.
    pub(super) digests: Vec<blake3::Hash>,
    /// How many blank lines those files had.
    pub(super) n_blank_lines: usize,
    /// What is worth saying about the files that were opened.
    pub(super) notices: Vec<Notice>,
}

impl Pass {
    pub(super) fn new(sources: Arc<[Source]>, options: LoadOptions) -> Self {
        Self {
            sources,
            options,
            reader: None,
            threads: Threads::One,
            n_records: 0,
            digests: Vec::new(),
            n_blank_lines: 0,
            notices: Vec::new(),
        }
    }

    /// The same pass on so many threads.
    pub(super) fn on(self, threads: Threads) -> Self {
        Pass { threads, ..self }
    }

    /// Opens the first file, so that a pass that cannot begin is not begun.
    pub(super) fn open_first(&mut self) -> Result<(), LoadError> {
        let sources = Arc::clone(&self.sources);
        if let Some(source) = sources.first() {
            self.reader = Some(self.open(source)?);
        }
        Ok(())
    }

    /// The next record of any file, with its place; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<(Place, Parsed)>, LoadError> {
        let sources = Arc::clone(&self.sources);
        while let Some(source) = sources.get(self.digests.len()) {
            let mut reader = match self.reader.take() {
                Some(reader) => reader,
                None => self.open(source)?,
            };
            let next = reader.next();
            if !matches!(next, Ok(Some(_))) {
                // A file that changed explains whatever was wrong with it.
                source.check(reader.opened())?;
            }
            if let Some(parsed) = next? {
                let (index, file) = (self.n_records, Arc::clone(source.name()));
                self.n_records += 1;
                self.reader = Some(reader);
                return Ok(Some((Place { index, file, line: parsed.line }, parsed)));
            }
            let finished = reader.finish();
            self.digests.push(finished.digest);
            self.n_blank_lines += finished.n_blank_lines;
            if finished.n_passed_over > 0 {
                let message =
                    format!("passed over {} spans that are not about GenAI", finished.n_passed_over);
                self.notices.push(Notice { file: Some(Arc::clone(source.name())), message });
            }
        }
        Ok(None)
    }

    fn open(&mut self, source: &Source) -> Result<FileReader, LoadError> {
        let mut reader = FileReader::open(source, &self.options)?;
        if let (Strictness::Strict, [warning, ..]) = (self.options.strict, reader.header_warnings()) {
            return Err(LoadError::new(source.name(), warning));
        }
        self.notices.extend(opening_notices(source, &reader));
        if matches!(self.threads, Threads::Two { bytes_min } if source.bytes() >= bytes_min) {
            reader.parse_beside();
        }
        Ok(reader)
    }
}

/// What is worth saying about a file that was opened: a name that promises something else, and columns whose
/// names look mistyped.
pub(super) fn opening_notices(source: &Source, reader: &FileReader) -> Vec<Notice> {
    let mut messages = Vec::new();
    let named = NamedAs::of(source.name());
    if named.format.is_some_and(|format| format != reader.format()) {
        let (found, said) = (reader.format(), named.format.map_or("", Format::name));
        messages.push(format!("read as {}, which is what it contains; its name says {said}", found.name()));
    }
    match (source.packing(), named.packing) {
        (Packing::Gzip, Some(Packing::Plain)) => {
            messages.push("unpacked with gzip; its name does not say so".into());
        }
        (Packing::Plain, Some(Packing::Gzip)) => messages.push("read as it is; its name says gzip".into()),
        _ => {}
    }
    messages.extend(reader.member().map(|member| format!("read the records in its '{member}'")));
    messages.extend(reader.header_warnings().iter().cloned());
    let notice = |message| Notice { file: Some(Arc::clone(source.name())), message };
    messages.into_iter().map(notice).collect()
}

/// What a file's name promises.
struct NamedAs {
    packing: Option<Packing>,
    format: Option<Format>,
}

impl NamedAs {
    fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let unpacked = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".gzip"));
        let format = match unpacked.unwrap_or(&name).rsplit_once('.').map(|(_, suffix)| suffix) {
            Some("json") => Some(Format::Array),
            Some("jsonl" | "ndjson") => Some(Format::Lines),
            Some("csv" | "tsv") => Some(Format::Table),
            _ => None,
        };
        let packing = match (unpacked, format) {
            (Some(_), _) => Some(Packing::Gzip),
            (None, Some(_)) => Some(Packing::Plain),
            (None, None) => None,
        };
        Self { packing, format }
    }
}
