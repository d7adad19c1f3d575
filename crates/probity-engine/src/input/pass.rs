//! One pass over all files of a data set: cases numbered through, one from each record or as many as a foreign record
//! holds, and files checked at their ends.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use probity_core::json::{Json, Object};
use probity_core::spelling::{closest, counted};

use super::assign::{NotUnderstood, SAMPLE_CHARS, ShownColumn, lacking, not_understood, sample};
use super::bytes::no_records;
use super::entry::{Content, Refused, entry};
use super::field::{Field, FileNames, Reason, RecordFields, Vocabulary, object};
use super::foreign::{self, Beside, FileContext, ForeignCase, ForeignLabel, Form, Read, ReadCase};
use super::mapping::plain_text;
use super::messages::{Conversations, Message};
use super::names::{KnownName, NameCache};
use super::reader::{FileReader, Parsed, RecordText};
use super::record::{RecordReading, object_fields, unwrapped};
use super::source::DataFile;
use super::{LoadError, LoadOptions, Place, Sources};

/// With more distinct values than this, a column is probably not a slice.
pub(super) const SLICES_MAX: usize = 1_000;

/// How many slices a hint lists.
const SLICES_LISTED_MAX: usize = 10;

/// One case as it was read.
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) parsed: Parsed<Content>,
    /// What a foreign record says beside it.
    pub(super) beside: Option<Box<Beside>>,
}

/// A pass in progress.
pub(super) struct Pass {
    sources: Arc<Sources>,
    options: LoadOptions,
    /// The file that is being read; nothing before it is opened.
    reader: Option<CaseReader>,
    n_records: usize,
    n_good: usize,
    /// How many records were filtered out.
    pub(super) n_left_out: usize,
    /// The first of their slices.
    slices_left_out: BTreeSet<String>,
    /// The digests of the files that were read to their ends.
    pub(super) digests: Vec<blake3::Hash>,
    /// How many blank lines those files had.
    pub(super) n_blank_lines: usize,
    /// Notices about the files that were opened.
    pub(super) notices: Vec<String>,
    /// What stands around the records of the files that were read to their ends, and the tools that wrote them.
    pub(super) frames: Vec<(Option<&'static str>, Json)>,
    /// Whether those files had records that belong to cases elsewhere.
    pub(super) has_beside: bool,
}

impl Pass {
    /// Opens the first file, so that a pass that cannot begin fails here.
    pub(super) fn begin(sources: &Arc<Sources>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut pass = Self {
            sources: Arc::clone(sources),
            options: options.clone(),
            reader: None,
            n_records: 0,
            n_good: 0,
            n_left_out: 0,
            slices_left_out: BTreeSet::new(),
            digests: Vec::new(),
            n_blank_lines: 0,
            notices: Vec::new(),
            frames: Vec::new(),
            has_beside: false,
        };
        pass.open_next()?;
        Ok(pass)
    }

    /// The next record of any file, with its place; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<Item>, LoadError> {
        while let Some(mut reader) = self.reader.take() {
            if self.options.part.limit.is_some_and(|limit| self.n_good >= limit) {
                self.finish(reader);
                return Ok(None);
            }
            if let Some(ReadRecord { parsed, beside }) = reader.next(&self.sources)? {
                let (index, file) = (self.n_records, Arc::clone(reader.file.file()));
                self.n_records += 1;
                self.reader = Some(reader);
                if !self.options.part.takes(&parsed.outcome) {
                    self.n_left_out += 1;
                    let slice =
                        parsed.outcome.as_ref().ok().and_then(|content| content.case().slice.as_ref());
                    if let Some(slice) = slice.filter(|_| self.slices_left_out.len() < SLICES_MAX) {
                        self.slices_left_out.insert(slice.as_str().to_owned());
                    }
                    continue;
                }
                self.n_good += usize::from(parsed.outcome.is_ok());
                let place = Place { index, file, line: parsed.line };
                return Ok(Some(Item { place, parsed, beside }));
            }
            self.finish(reader);
            self.open_next()?;
        }
        self.some_case().map(|()| None)
    }

    /// What to say where none of the records that are asked for is there or can be used.
    pub(super) fn empty_part_error(&self) -> Option<LoadError> {
        let part = &self.options.part;
        let is_of_no_slice = self.n_good == 0 && self.n_left_out > 0 && !part.slices.is_empty();
        if !is_of_no_slice && (part.is_all() || self.n_records > self.n_left_out) {
            return None;
        }
        let bad = match self.n_records - self.n_left_out {
            0 => String::new(),
            n => format!(", and {} cannot be used", counted(n, "record")),
        };
        let message = format!("no record matches --slice or --only{bad}");
        let error = LoadError::new(self.sources.files[0].name(), message);
        let names = || self.slices_left_out.iter().map(String::as_str);
        // A slice that is there was left out by its ids.
        let absent = part.slices.iter().find(|slice| !self.slices_left_out.contains(*slice));
        Some(match absent.map(|slice| closest(slice, names())) {
            None => error,
            Some(Some(meant)) => error.hint(format!("did you mean --slice {meant}?")),
            Some(None) if self.slices_left_out.is_empty() => {
                error.hint("no record has a slice; --map slice=COLUMN names where it stands")
            }
            Some(None) => {
                let listed: Vec<&str> = names().take(SLICES_LISTED_MAX).collect();
                error.hint(format!("slices in the file: {}", listed.join(", ")))
            }
        })
    }

    /// Opens the file after those that were read to their ends.
    fn open_next(&mut self) -> Result<(), LoadError> {
        if let Some(source) = self.sources.files.get(self.digests.len()) {
            let mut reader = CaseReader::open(source, &self.options)?;
            self.notices.append(&mut reader.file.notices);
            self.reader = Some(reader);
        }
        Ok(())
    }

    fn finish(&mut self, reader: CaseReader) {
        let CaseReader { mut file, records, n_joined, n_passed_over, tools, n_good, desk, .. } = reader;
        self.frames.push((tools.first().copied(), std::mem::replace(&mut file.frame, Json::Null)));
        self.notices.append(&mut file.notices);
        let name = file.file();
        for tool in tools {
            self.notices.push(format!("{name}: read as {tool}"));
        }
        if desk.n_private > 0 {
            self.notices.push(format!("{name}: private notes left out: {}", desk.n_private));
        }
        if desk.n_guessed > 0 {
            let n = desk.n_guessed;
            let said = format!("{name}: messages by unknown authors, read as an agent's: {n}");
            self.notices.push(said);
        }
        self.has_beside |= !n_joined.is_empty();
        for (what, n) in n_joined {
            self.notices.push(format!("{name}: {n} {what}, for the cases they belong to"));
        }
        for (what, n) in n_passed_over {
            self.notices.push(format!("{name}: passed over {n} {what}"));
        }
        let notes = records.known.notice().into_iter().chain(records.not_understood.filter(|_| n_good == 0));
        self.notices.extend(notes.map(|note| format!("{name}: {note}")));
        self.n_blank_lines += file.n_blank_lines;
        self.digests.push(file.digest());
    }

    /// Files that only say something about cases need a file that has them.
    fn some_case(&self) -> Result<(), LoadError> {
        let Some(file) = self.sources.files.first().filter(|_| self.n_records == 0) else { return Ok(()) };
        if !self.has_beside {
            return Err(no_records(file.name()));
        }
        let error =
            LoadError::new(file.name(), "it has no cases, only data that belongs to cases in other files");
        Err(error.hint("name the files of one export together: tickets with comments, traces with scores"))
    }
}

/// What spans of other things are called in notices.
const OTHER_SPANS: &str = "spans that are not about GenAI";

/// One pass over the cases of one file.
struct CaseReader {
    file: FileReader,
    options: LoadOptions,
    records: RecordReader,
    /// The cases of the last record that have not been given out, and its line.
    waiting: (VecDeque<ReadCase>, usize),
    /// The conversations of a table of messages that have not been given out, with their lines, once it was read.
    conversations: Option<VecDeque<(usize, Result<Content, Refused>)>>,
    n_cases: usize,
    n_good: usize,
    /// How many records say something about cases elsewhere, by what they are.
    n_joined: BTreeMap<&'static str, usize>,
    /// How many records or spans are of no use, by what they are.
    n_passed_over: BTreeMap<&'static str, usize>,
    /// The tools whose files it looks like.
    tools: Vec<&'static str>,
    desk: DeskCounts,
}

/// What is worth saying about the threads of a help desk.
#[derive(Default)]
struct DeskCounts {
    n_private: usize,
    n_guessed: usize,
}

/// One case of a file.
struct ReadRecord {
    parsed: Parsed<Content>,
    beside: Option<Box<Beside>>,
}

/// What a record holds.
enum Held {
    Case(Content, Option<Box<Beside>>),
    Foreign(&'static Form, Read),
}

impl CaseReader {
    /// Opens a file of cases.
    fn open(source: &DataFile, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut file = FileReader::open(source, options, Vocabulary::Cases)?;
        let records = RecordReader::new(file.names()?);
        let (options, waiting) = (options.clone(), (VecDeque::new(), 0));
        let (n_joined, n_passed_over, tools) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let conversations = None;
        Ok(Self {
            file,
            options,
            records,
            waiting,
            conversations,
            n_cases: 0,
            n_good: 0,
            n_joined,
            n_passed_over,
            tools,
            desk: DeskCounts::default(),
        })
    }

    /// Reads the next case; `None` at the end of a file that had at least one, or something about those of others.
    fn next(&mut self, sources: &Sources) -> Result<Option<ReadRecord>, LoadError> {
        if self.file.is_messages() {
            return Ok(self.next_conversation()?.map(|parsed| ReadRecord { parsed, beside: None }));
        }
        loop {
            let (cases, line) = &mut self.waiting;
            if let Some(ReadCase { outcome, beside, warnings }) = cases.pop_front() {
                let parsed = Parsed { line: *line, outcome, warnings };
                return Ok(Some(ReadRecord { parsed: self.counted(parsed), beside: Some(beside) }));
            }
            let frame = std::mem::replace(&mut self.file.frame, Json::Null);
            let (index, records) = (self.records.n_read, &mut self.records);
            let context =
                FileContext { frame: &frame, pieces: &sources.pieces, options: &self.options, index };
            let next = self.file.next(|text, warnings| records.held(text, &context, warnings));
            self.file.frame = frame;
            let Some(Parsed { line, outcome, warnings }) = next? else { break };
            let (outcome, beside) = match outcome {
                Ok(Held::Foreign(form, read)) => {
                    self.take(form, read, line);
                    continue;
                }
                Ok(Held::Case(case, beside)) => (Ok(case), beside),
                Err(refused) => (Err(refused), None),
            };
            let parsed = self.counted(Parsed { line, outcome, warnings });
            return Ok(Some(ReadRecord { parsed, beside }));
        }
        match self.n_passed_over.get(OTHER_SPANS) {
            Some(n) if self.n_cases == 0 => {
                let message = format!("none of {n} spans is about GenAI: no attribute begins with gen_ai.");
                Err(LoadError::new(self.file.file(), message))
            }
            _ => Ok(None),
        }
    }

    /// Puts the cases of a foreign record in line.
    fn take(&mut self, form: &Form, read: Read, line: usize) {
        if !self.tools.contains(&form.tool) && !matches!(read, Read::Spans { .. }) {
            self.tools.push(form.tool);
        }
        let mut cases: Vec<ForeignCase> = match read {
            Read::Cases(cases) => cases,
            Read::Beside(what) | Read::Joined { what, .. } => {
                *self.n_joined.entry(what).or_default() += 1;
                Vec::new()
            }
            Read::Nothing(what) => {
                *self.n_passed_over.entry(what).or_default() += 1;
                Vec::new()
            }
            Read::Spans { cases, n_passed_over } => {
                if n_passed_over > 0 {
                    *self.n_passed_over.entry(OTHER_SPANS).or_default() += n_passed_over;
                }
                cases
            }
        };
        for beside in cases.iter_mut().map(|case| &mut case.beside) {
            beside.list = self.file.list().map(str::to_owned);
            self.desk.n_private += beside.n_private;
            self.desk.n_guessed += beside.n_guessed;
        }
        let read = cases.into_iter().flat_map(|case| case.read(&self.options));
        self.waiting = (read.collect(), line);
    }

    /// The next conversation of a table of messages, which is read as a whole at first.
    fn next_conversation(&mut self) -> Result<Option<Parsed<Content>>, LoadError> {
        if self.conversations.is_none() {
            let (mut conversations, mut all) = (Conversations::default(), Vec::new());
            let read = |text: &RecordText<'_>, _: &mut Vec<String>| match text {
                RecordText::Row(table, row) => Ok(Message::read(table, row, &self.options)?),
                RecordText::Object(_) => Err(Reason::from("expected a row".to_owned()).into()),
            };
            while let Some(Parsed { line, outcome, .. }) = self.file.next(read)? {
                match outcome {
                    Ok(message) => conversations.add(line, message)?,
                    Err(refused) => all.push((line, Err(refused))),
                }
            }
            let mut said = format!("{}: read a conversation from the messages of each id", self.file.file());
            if conversations.n_private > 0 {
                said += &format!("; private messages left out: {}", conversations.n_private);
            }
            self.file.notices.push(said);
            all.extend(conversations.contents(&self.options));
            self.conversations = Some(all.into());
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
    known: NameCache,
    n_read: usize,
    /// What to say about the first record where none could be read.
    not_understood: Option<String>,
}

impl RecordReader {
    fn new(names: FileNames) -> Self {
        Self { names, known: NameCache::default(), n_read: 0, not_understood: None }
    }

    fn held(
        &mut self,
        text: &RecordText<'_>,
        context: &FileContext<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Held, Refused> {
        self.n_read += 1;
        let options = context.options;
        let reading = RecordReading { map: &options.map, number: self.n_read };
        let mut members = None;
        let fields = match text {
            RecordText::Row(table, row) => table.fields(row, &reading),
            RecordText::Object(text) => {
                let object = unwrapped(object(text)?, context.frame)?;
                // Who maps what was asked and what was answered needs no format; less goes over what a format says. Only
                // a format knows what is private in a help desk's record.
                let is_mapped = |field| options.map.has(field);
                let is_native =
                    is_mapped(Field::Reply) && (is_mapped(Field::Ticket) || is_mapped(Field::Turns));
                let is_read = |form: &&Form| !is_native || form.is_spans() || foreign::is_desk(form.tool);
                if let Some(form) = foreign::form(&object).filter(is_read) {
                    return Ok(Held::Foreign(form, form.read(object, context)));
                }
                members = (self.n_read == 1).then(|| samples(&object));
                object_fields(object, text, (&reading, &mut self.known), warnings)
            }
        };
        let outcome = fields.map_err(Refused::from).and_then(|mut found| {
            let instructions = foreign::unfold(&mut found)?;
            let labels = labels(&mut found);
            let case = entry(&mut found, self.names, options);
            warnings.append(&mut found.doubts);
            let is_said = !labels.is_empty() || !instructions.is_empty();
            let beside = is_said.then(|| Box::new(Beside { labels, instructions, ..Beside::default() }));
            Ok(Held::Case(case?, beside))
        });
        if let (Err(_), Some(members)) = (&outcome, members) {
            self.not_understood = RecordReader::explained(&members, options);
        }
        outcome
    }

    /// What the members of a record lack, and a mapping to try; nothing where they lack nothing.
    fn explained(members: &[(String, String)], options: &LoadOptions) -> Option<String> {
        let known: Vec<KnownName> = members.iter().map(|(name, _)| KnownName::new(name)).collect();
        // What stands inside an object is not read by itself.
        let top = || members.iter().zip(&known).filter(|((name, _), _)| !name.contains('.'));
        let has = |field| options.map.has(field) || top().any(|(_, known)| known.is(field));
        let lacks = lacking(has, options.unanswered);
        let column = |((name, sample), known)| ShownColumn { name, known, sample: String::clone(sample) };
        let columns: Vec<ShownColumn<'_>> =
            members.iter().map(|(name, sample)| (name.as_str(), sample)).zip(&known).map(column).collect();
        let NotUnderstood { message, hint } = not_understood(&columns, &lacks);
        (!lacks.is_empty()).then(|| format!("{message}; {hint}"))
    }
}

/// The labels that a person mapped.
fn labels(found: &mut RecordFields<'_>) -> Vec<ForeignLabel> {
    let annotator = found.given(Field::Annotator).map(|value| plain_text(value.json));
    let labels = std::mem::take(&mut found.labels).into_iter();
    labels.map(|(criterion, label)| ForeignLabel::mapped(criterion, label, annotator.clone())).collect()
}

/// The members of a record, those of objects in it by their paths, each with the beginning of its value.
fn samples(object: &Object) -> Vec<(String, String)> {
    let shown = |json: &Json| match json {
        Json::String(text) => sample(text),
        other => {
            let text = other.canonical();
            let cut: String = text.chars().take(SAMPLE_CHARS).collect();
            if cut.len() < text.len() { cut + "…" } else { cut }
        }
    };
    let inside = |(name, json): (&str, &Json)| match json {
        Json::Object(inner) => {
            inner.iter().map(|(member, json)| (format!("{name}.{member}"), shown(json))).collect()
        }
        other => vec![(name.to_owned(), shown(other))],
    };
    object.iter().flat_map(inside).collect()
}
