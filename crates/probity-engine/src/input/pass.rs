//! One pass over all files of a data set: cases numbered through, one from each record or as many as a foreign record
//! holds, and files checked at their ends.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use probity_core::json::Json;

use super::entry::{Content, Refused, entry};
use super::field::{FileNames, RecordFields, Vocabulary, object};
use super::foreign::{self, Beside, FileContext, ForeignCase, Form, Read, ReadCase};
use super::reader::{FileReader, Parsed, RecordText};
use super::source::DataFile;
use super::{LoadError, LoadOptions, Place, Sources};

/// One case as it was read.
pub(super) struct Item {
    pub(super) place: Place,
    pub(super) parsed: Parsed<Content>,
    /// What a foreign record says beside it.
    pub(super) beside: Option<Box<Beside>>,
}

/// A pass that is under way.
pub(super) struct Pass {
    sources: Arc<Sources>,
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
    /// What stands around the records of the files that were read to their ends.
    pub(super) frames: Vec<Json>,
}

impl Pass {
    /// Opens the first file: a pass that cannot begin is not begun.
    pub(super) fn begin(sources: &Arc<Sources>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut pass = Self {
            sources: Arc::clone(sources),
            options: options.clone(),
            reader: None,
            n_records: 0,
            digests: Vec::new(),
            n_blank_lines: 0,
            notices: Vec::new(),
            frames: Vec::new(),
        };
        pass.open_next()?;
        Ok(pass)
    }

    /// The next record of any file, with its place; `None` after the last file.
    pub(super) fn next(&mut self) -> Result<Option<Item>, LoadError> {
        while let Some(mut reader) = self.reader.take() {
            if let Some((parsed, beside)) = reader.next(&self.sources)? {
                let (index, file) = (self.n_records, Arc::clone(reader.file.file()));
                self.n_records += 1;
                self.reader = Some(reader);
                let place = Place { index, file, line: parsed.line };
                return Ok(Some(Item { place, parsed, beside }));
            }
            self.finish(reader);
            self.open_next()?;
        }
        self.some_case().map(|()| None)
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
        let CaseReader { mut file, n_passed_over, tools, .. } = reader;
        self.frames.push(std::mem::replace(&mut file.frame, Json::Null));
        let name = file.file();
        for tool in tools {
            self.notices.push(format!("{name}: read as {tool}"));
        }
        for (what, n) in n_passed_over {
            self.notices.push(format!("{name}: passed over {n} {what}"));
        }
        self.n_blank_lines += file.n_blank_lines;
        self.digests.push(file.digest());
    }

    /// Files that only say something about cases need a file that has them.
    fn some_case(&self) -> Result<(), LoadError> {
        if self.n_records > 0 {
            return Ok(());
        }
        let file =
            self.sources.files.first().map_or_else(|| Arc::from("data set"), |file| Arc::clone(file.name()));
        let error = LoadError::new(&file, "there is no case in it, only what belongs to cases elsewhere");
        Err(error
            .hint("name the files of the same export together: tickets with comments, traces with scores"))
    }
}

/// What spans of other things are called in notices.
const OTHER_SPANS: &str = "spans that are not about GenAI";

/// One pass over the cases of one file.
struct CaseReader {
    file: FileReader,
    options: LoadOptions,
    names: FileNames,
    /// The cases of the last record that have not been given out, and its line.
    waiting: (VecDeque<ReadCase>, usize),
    n_records: usize,
    n_cases: usize,
    /// How many records were no cases, by what they are.
    n_passed_over: BTreeMap<&'static str, usize>,
    /// The tools whose files it looks like.
    tools: Vec<&'static str>,
}

/// What a record holds.
enum Held {
    Case(Content),
    Foreign(&'static Form, Read),
}

impl CaseReader {
    /// Opens a file of cases.
    fn open(source: &DataFile, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut file = FileReader::open(source, options, Vocabulary::Cases)?;
        let (names, options) = (file.names()?, options.clone());
        let (waiting, n_passed_over, tools) = ((VecDeque::new(), 0), BTreeMap::new(), Vec::new());
        Ok(Self { file, options, names, waiting, n_records: 0, n_cases: 0, n_passed_over, tools })
    }

    /// Reads the next case; `None` at the end of a file that had at least one, or something about those of others.
    fn next(
        &mut self,
        sources: &Sources,
    ) -> Result<Option<(Parsed<Content>, Option<Box<Beside>>)>, LoadError> {
        loop {
            let (cases, line) = &mut self.waiting;
            if let Some(ReadCase { outcome, beside }) = cases.pop_front() {
                self.n_cases += 1;
                return Ok(Some((Parsed { line: *line, outcome, warnings: Vec::new() }, Some(beside))));
            }
            let frame = std::mem::replace(&mut self.file.frame, Json::Null);
            let (names, options, index) = (self.names, &self.options, self.n_records);
            let context = FileContext { frame: &frame, pieces: &sources.pieces, options, index };
            let next = self.file.next(|text, warnings| held(text, names, &context, warnings));
            self.file.frame = frame;
            let Some(Parsed { line, outcome, warnings }) = next? else { break };
            self.n_records += 1;
            let outcome = match outcome {
                Ok(Held::Foreign(form, read)) => {
                    self.take(form, read, line);
                    continue;
                }
                Ok(Held::Case(content)) => Ok(content),
                Err(refused) => Err(refused),
            };
            self.n_cases += 1;
            return Ok(Some((Parsed { line, outcome, warnings }, None)));
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
        let cases: Vec<ForeignCase> = match read {
            Read::Cases(cases) => cases,
            Read::Beside(what) => {
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
        let read = cases.into_iter().flat_map(|case| case.read(&self.options));
        self.waiting = (read.collect(), line);
    }
}

fn held(
    text: &RecordText<'_>,
    names: FileNames,
    context: &FileContext<'_>,
    warnings: &mut Vec<String>,
) -> Result<Held, Refused> {
    let found = match text {
        RecordText::Row(table, row) => table.fields(row)?,
        RecordText::Object(text) => {
            let object = object(text)?;
            if let Some(form) = foreign::form(&object) {
                return Ok(Held::Foreign(form, form.read(&Json::Object(object), context)));
            }
            RecordFields::in_object(object, text, warnings)?
        }
    };
    entry(found, names, context.options.unanswered).map(Held::Case)
}
