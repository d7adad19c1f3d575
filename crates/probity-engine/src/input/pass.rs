//! One pass over all files of a data set: cases numbered through, one from each record or as many as there are spans in
//! it, and files checked at their ends.

use std::collections::VecDeque;
use std::sync::Arc;

use probity_core::json::{self, Json, Object};

use super::assign::{NotUnderstood, SAMPLE_CHARS, ShownColumn, lacking, not_understood, sample};
use super::entry::{Content, Refused, entry};
use super::field::{FileNames, Reason, Vocabulary};
use super::messages::{Conversations, Message};
use super::names::{KnownName, NameCache};
use super::reader::{FileReader, Parsed, RecordText};
use super::record::{Reading, object_fields, unwrapped};
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
    n_good: usize,
    /// How many records are not among those that are used.
    pub(super) n_left_out: usize,
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
            n_good: 0,
            n_left_out: 0,
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
            if self.options.part.limit.is_some_and(|limit| self.n_good >= limit) {
                self.finish(reader);
                break;
            }
            if let Some(parsed) = reader.next()? {
                let (index, file) = (self.n_records, Arc::clone(reader.file.file()));
                self.n_records += 1;
                self.reader = Some(reader);
                if !self.options.part.takes(&parsed.outcome) {
                    self.n_left_out += 1;
                    continue;
                }
                self.n_good += usize::from(parsed.outcome.is_ok());
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
        let CaseReader { mut file, records, n_passed_over, n_good, .. } = reader;
        self.notices.append(&mut file.notices);
        let name = file.file();
        if n_passed_over > 0 {
            self.notices.push(format!("{name}: passed over {n_passed_over} spans that are not about GenAI"));
        }
        let notes = records.known.notice().into_iter().chain(records.not_understood.filter(|_| n_good == 0));
        self.notices.extend(notes.map(|note| format!("{name}: {note}")));
        self.n_blank_lines += file.n_blank_lines;
        self.digests.push(file.digest());
    }
}

/// One pass over the cases of one file.
struct CaseReader {
    file: FileReader,
    options: LoadOptions,
    records: RecordReader,
    /// The cases of the last record that have not been given out, and its line.
    waiting: (VecDeque<Result<Content, Refused>>, usize),
    /// The conversations of a table of messages that have not been given out, with their lines, once it was read.
    conversations: Option<VecDeque<(usize, Result<Content, Refused>)>>,
    n_cases: usize,
    n_good: usize,
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
        let records = RecordReader::new(file.names()?, source.name());
        let (options, waiting) = (options.clone(), (VecDeque::new(), 0));
        Ok(Self {
            file,
            options,
            records,
            waiting,
            conversations: None,
            n_cases: 0,
            n_good: 0,
            n_passed_over: 0,
        })
    }

    /// Reads the next case; `None` at the end of a file that had at least one.
    fn next(&mut self) -> Result<Option<Parsed<Content>>, LoadError> {
        if self.file.is_messages() {
            return self.next_conversation();
        }
        loop {
            let (waiting, line) = &mut self.waiting;
            if let Some(outcome) = waiting.pop_front() {
                let line = *line;
                return Ok(Some(self.counted(Parsed { line, outcome, warnings: Vec::new() })));
            }
            let next = self.file.next(|text, warnings| self.records.held(text, &self.options, warnings))?;
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
            return Ok(Some(self.counted(Parsed { line, outcome, warnings })));
        }
        if self.n_cases > 0 {
            return Ok(None);
        }
        let message =
            format!("none of {} spans is about GenAI: no attribute begins with gen_ai.", self.n_passed_over);
        Err(LoadError::new(self.file.file(), message))
    }

    /// The next conversation of a table of messages, which is read as a whole at first.
    fn next_conversation(&mut self) -> Result<Option<Parsed<Content>>, LoadError> {
        if self.conversations.is_none() {
            let (mut conversations, mut bad) = (Conversations::default(), Vec::new());
            let read = |text: &RecordText<'_>, _: &mut Vec<String>| match text {
                RecordText::Row(table, row) => Ok(Message::read(table, row, &self.options)?),
                RecordText::Object(_) => Err(Reason::from("expected a row".to_owned()).into()),
            };
            while let Some(Parsed { line, outcome, .. }) = self.file.next(read)? {
                match outcome {
                    Ok(message) => conversations.add(line, message)?,
                    Err(refused) => bad.push((line, Err(refused))),
                }
            }
            let mut said = format!("{}: read a conversation from the messages of each id", self.file.file());
            if conversations.n_private > 0 {
                said += &format!("; private messages left out: {}", conversations.n_private);
            }
            self.file.notices.push(said);
            bad.extend(conversations.contents(&self.options));
            self.conversations = Some(bad.into());
        }
        let next = self.conversations.as_mut().and_then(VecDeque::pop_front);
        Ok(next.map(|(line, outcome)| self.counted(Parsed { line, outcome, warnings: Vec::new() })))
    }

    fn counted(&mut self, parsed: Parsed<Content>) -> Parsed<Content> {
        self.n_cases += 1;
        self.n_good += usize::from(parsed.outcome.is_ok());
        parsed
    }
}

/// From the texts of one file's records to what they hold.
struct RecordReader {
    names: FileNames,
    file: Arc<str>,
    known: NameCache,
    n_read: usize,
    /// What to say about the first record where none could be read.
    not_understood: Option<String>,
}

impl RecordReader {
    fn new(names: FileNames, file: &Arc<str>) -> Self {
        let (file, known) = (Arc::clone(file), NameCache::default());
        Self { names, file, known, n_read: 0, not_understood: None }
    }

    fn held(
        &mut self,
        text: &RecordText<'_>,
        options: &LoadOptions,
        warnings: &mut Vec<String>,
    ) -> Result<Held, Refused> {
        self.n_read += 1;
        let reading = Reading { map: &options.map, number: self.n_read };
        let mut members = None;
        let fields = match text {
            RecordText::Row(table, row) => table.fields(row, &reading),
            RecordText::Object(text) => {
                let object = unwrapped(object(text)?)?;
                if let Some(batch) = spans::batch(&object, options) {
                    return Ok(Held::Spans(batch));
                }
                members = (self.n_read == 1).then(|| samples(&object));
                object_fields(object, text, (&reading, &mut self.known), warnings)
            }
        };
        let outcome = fields.map_err(Refused::from).and_then(|mut found| {
            let content = entry(&mut found, self.names, options);
            warnings.append(&mut found.doubts);
            content
        });
        if let (Err(_), Some(members)) = (&outcome, members) {
            self.not_understood = self.explained(&members, options);
        }
        outcome.map(Held::Case)
    }

    /// What the members of a record lack, and a mapping to try; nothing where they lack nothing.
    fn explained(&self, members: &[(String, String)], options: &LoadOptions) -> Option<String> {
        let known: Vec<KnownName> = members.iter().map(|(name, _)| KnownName::new(name)).collect();
        let has = |field| options.map.has(field) || known.iter().any(|known| known.is(field));
        let lacks = lacking(has, options.unanswered);
        let column = |((name, sample), known)| ShownColumn { name, known, sample: String::clone(sample) };
        let columns: Vec<ShownColumn<'_>> =
            members.iter().map(|(name, sample)| (name.as_str(), sample)).zip(&known).map(column).collect();
        let NotUnderstood { message, hint } = not_understood(&self.file, &columns, &lacks);
        (!lacks.is_empty()).then(|| format!("{message}; {hint}"))
    }
}

/// The members of a record, each with the beginning of its value.
fn samples(object: &Object) -> Vec<(String, String)> {
    let shown = |json: &Json| match json {
        Json::String(text) => sample(text),
        other => {
            let text = other.canonical();
            let cut: String = text.chars().take(SAMPLE_CHARS).collect();
            if cut.len() < text.len() { cut + "…" } else { cut }
        }
    };
    object.iter().map(|(name, json)| (name.to_owned(), shown(json))).collect()
}

/// The object that a record is.
pub(super) fn object(text: &str) -> Result<Object, Reason> {
    let value = json::parse(text).map_err(|error| Reason::malformed(&error, "the record"))?;
    match value {
        Json::Object(object) => Ok(object),
        other => Err(format!("expected an object, found {}", other.kind()).into()),
    }
}
