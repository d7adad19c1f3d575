//! CSV: rows and their cells, the header row, and what its columns mean.
//!
//! Cells are cut by `csv-core`, which takes any text. What it lets pass is refused here: a quote that is never closed,
//! which would swallow the rest of the file, text after a closing quote, and two columns for one thing. A cell is quoted
//! only if it begins with a quote; its text is kept byte for byte. Rows are never padded.
//!
//! Which character divides cells is told by the header row, or by a line `sep=;` before it, unless it is set.

use std::collections::HashMap;
use std::sync::Arc;

use csv_core::ReadFieldResult;
use probity_core::label::without_quote;

use super::assign::{Assignment, NotUnderstood, ShownColumn, Unclear, lacking, not_understood, sample};
use super::bytes::{Input, RawRecord, RecordEnd};
use super::field::{Field, Reason, RecordFields, Vocabulary};
use super::names::{KnownName, MessageColumn};
use super::record::{RecordReading, row_fields};
use super::{LoadError, LoadOptions};

/// The delimiter where nothing speaks for another.
const COMMA: u8 = b',';

/// The delimiters that are looked for, with their names.
const DELIMITERS: &[(u8, &str)] =
    &[(COMMA, "commas"), (b';', "semicolons"), (b'\t', "tabs"), (b'|', "vertical bars")];

/// How many lines a quoted cell may span before the quote is taken for one that was never closed.
const CELL_LINES_MAX: usize = 1_000;

/// The meaning of the columns of one file.
pub(super) struct CsvTable {
    rows: RowCutter,
    names: Vec<String>,
    /// What the columns of cases mean.
    pub(super) assigned: Assignment,
    /// What the header's unknown names were probably meant to be.
    pub(super) warnings: Vec<String>,
    /// What is worth saying about how the table is read.
    pub(super) notices: Vec<String>,
    /// How many lines stand before the header row.
    pub(super) n_titles: usize,
    /// Whether a row is a message of a conversation.
    pub(super) is_messages: bool,
}

impl CsvTable {
    /// Reads the header row of records with this vocabulary.
    pub(super) fn open(
        input: &mut Input,
        raw: &mut RawRecord,
        options: &LoadOptions,
        vocabulary: Vocabulary,
    ) -> Result<Self, LoadError> {
        let n_titles = pass_titles(input, options, vocabulary)?;
        let (delimiter, notice) = match options.delimiter {
            Some(delimiter) => (delimiter, None),
            None => found_delimiter(input, vocabulary)?,
        };
        let mut rows = RowCutter::new(delimiter);
        rows.next(input, raw)?;
        raw.text()?;
        let line = raw.line;
        let refused = |input: &Input, message: String| LoadError::new(input.file(), message).line(line);
        let cells = rows.cells().map_err(|message| refused(input, message))?;
        let names: Vec<String> = cells.into_iter().map(|name| name.trim().to_owned()).collect();
        if let Some(message) = clash(&names) {
            return Err(refused(input, message));
        }
        let mut table = CsvTable {
            rows,
            names,
            assigned: Assignment::none(),
            warnings: Vec::new(),
            notices: Vec::new(),
            n_titles,
            is_messages: false,
        };
        table.notices.extend(notice);
        table
            .notices
            .extend((n_titles > 0).then(|| format!("passed over {n_titles} lines before the header row")));
        match vocabulary {
            Vocabulary::Cases => table.understand(input, raw, options)?,
            Vocabulary::Rows(_) => {
                if !table.names.iter().any(|name| vocabulary.knows(name)) {
                    let examples = vocabulary.examples();
                    return Err(refused(
                        input,
                        format!("found neither JSON nor a header row with known names such as {examples}"),
                    ));
                }
                let unknown = table.names.iter().filter(|name| !vocabulary.knows(name));
                table.warnings = unknown.filter_map(|name| vocabulary.suggestion(name)).collect();
            }
        }
        Ok(table)
    }

    /// Decides what the columns of cases mean, or says why that is not clear.
    fn understand(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
        options: &LoadOptions,
    ) -> Result<(), LoadError> {
        let (line, header) = (raw.line, raw.bytes.clone());
        let known: Vec<Arc<KnownName>> =
            self.names.iter().map(|name| Arc::new(KnownName::new(name))).collect();
        let refused = |input: &Input, message: String| LoadError::new(input.file(), message).line(line);
        if let Some((field, column)) = options.map.missing(&self.named(&known)) {
            let (field, found) = (field.native(), self.names.join(", "));
            return Err(refused(
                input,
                format!("--map {field}: there is no column '{column}', found {found}"),
            ));
        }
        let assigned = Assignment::new(&self.names.iter().map(String::as_str), known.clone(), &options.map);
        let (lacks, unclear) = match assigned {
            Ok(assigned) => {
                self.assigned = assigned;
                let has = |field| self.assigned.has(field) || options.map.has(field);
                let mut lacks = lacking(has, options.unanswered);
                // In a table of messages the last of an agent is the reply.
                let is_told = known.iter().any(|known| known.message == Some(MessageColumn::Author));
                if is_told && has(Field::Ticket) && !has(Field::Reply) && !has(Field::Turns) {
                    lacks.retain(|field| *field != Field::Reply);
                    self.is_messages = lacks.is_empty();
                }
                (lacks, None)
            }
            Err(Unclear { field: unclear, message }) => {
                let has = |field| field != unclear && known.iter().any(|known| known.is(field));
                (lacking(has, options.unanswered), Some(message))
            }
        };
        if unclear.is_some() || !lacks.is_empty() {
            let found = self.not_understood(input, raw, &known, &lacks)?;
            let message = unclear.unwrap_or(found.message);
            return Err(LoadError { hint: Some(found.hint), ..refused(input, message) });
        }
        raw.bytes = header;
        let named = self.names.iter().map(String::as_str);
        self.notices.extend(self.assigned.notice(named, &options.map));
        self.warnings = self.assigned.doubts.clone();
        let typos = self.names.iter().zip(&known).filter(|(name, known)| !options.map.takes(name, known));
        self.warnings.extend(typos.filter_map(|(_, known)| known.typo.clone()));
        Ok(())
    }

    fn named<'a>(&'a self, known: &'a [Arc<KnownName>]) -> Vec<(&'a str, &'a KnownName)> {
        self.names.iter().zip(known).map(|(name, known)| (name.as_str(), &**known)).collect()
    }

    /// What to say about columns that are not understood, with the cells of the next row.
    fn not_understood(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
        known: &[Arc<KnownName>],
        lacks: &[Field],
    ) -> Result<NotUnderstood, LoadError> {
        self.rows.next(input, raw)?;
        let cells = if raw.text().is_ok() { self.rows.cells().unwrap_or_default() } else { Vec::new() };
        let columns: Vec<ShownColumn<'_>> = self
            .named(known)
            .into_iter()
            .enumerate()
            .filter(|(_, (name, _))| !name.is_empty())
            .map(|(at, (name, known))| ShownColumn {
                name,
                known,
                sample: cells.get(at).map_or(String::new(), |cell| sample(cell)),
            })
            .collect();
        Ok(not_understood(&columns, lacks))
    }

    /// What the last row, whose source is `row`, says in the columns of this kind, in order.
    pub(super) fn message_cells(&self, row: &str, column: MessageColumn) -> Vec<&str> {
        let cells = self.cells(row).unwrap_or_default();
        let of = self.assigned.known.iter().zip(cells).filter(|(known, _)| known.message == Some(column));
        of.map(|(_, cell)| cell).collect()
    }

    /// Cuts the next row into `raw`; `None` at the end of the file.
    pub(super) fn next(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
    ) -> Result<Option<RecordEnd>, LoadError> {
        self.rows.next(input, raw)
    }

    /// The cells of the last row, whose source is `row`: as many as there are columns.
    pub(super) fn cells(&self, row: &str) -> Result<Vec<&str>, Reason> {
        let cells = self.rows.cells().map_err(|message| with_json_hint(message, row))?;
        if cells.len() != self.names.len() {
            let message = format!("the row has {} cells, the header has {}", cells.len(), self.names.len());
            return Err(with_json_hint(message, row));
        }
        Ok(cells)
    }

    /// The names of the columns, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Finds the fields in the cells of the last row, whose source is `row`. What keeps a spreadsheet from taking a text
    /// for a formula is no part of it.
    pub(super) fn fields(&self, row: &str, reading: &RecordReading<'_>) -> Result<RecordFields<'_>, Reason> {
        let cells = self.cells(row)?.into_iter().map(without_quote).collect();
        row_fields(self.names(), cells, &self.assigned, reading)
    }

    /// Whether the last row has fewer cells than the header.
    pub(super) fn is_short(&self) -> bool {
        self.rows.torn.is_none() && self.rows.ends.len() < self.names.len()
    }
}

/// Says what the likely cause is when a row that does not fit holds JSON.
fn with_json_hint(message: String, row: &str) -> Reason {
    if ["{\"", "[\"", "[{"].iter().any(|opening| row.contains(opening)) {
        return format!("{message}; a cell that holds JSON must be quoted, its own quotes doubled").into();
    }
    message.into()
}

/// Two columns of one name.
fn clash(columns: &[String]) -> Option<String> {
    let mut names = HashMap::new();
    columns.iter().enumerate().filter(|(_, name)| !name.is_empty()).find_map(|(at, name)| {
        let first = names.insert(name, at)?;
        Some(format!("columns {} and {} are both called '{name}'", first + 1, at + 1))
    })
}

/// A title and what else may stand above a header row has at most so many lines.
const TITLE_LINES_MAX: usize = 10;

/// Passes over the lines above a header row: those before the first with two known names, where the first line has none.
fn pass_titles(input: &mut Input, options: &LoadOptions, vocabulary: Vocabulary) -> Result<usize, LoadError> {
    if vocabulary != Vocabulary::Cases || input.fill()?.starts_with(b"sep=") {
        return Ok(0);
    }
    let n_known = |line: &str| {
        let is_known = |cell: &&str| {
            let name = cell.trim().trim_matches('"').trim();
            let known = KnownName::new(name);
            known.meaning.is_some() || options.map.uses(name, &known)
        };
        let by =
            |delimiter: char| unquoted_split(line, delimiter).iter().filter(|cell| is_known(cell)).count();
        DELIMITERS.iter().map(|(delimiter, _)| by(char::from(*delimiter))).max().unwrap_or_default()
    };
    let lines = input.fill()?.split(|byte| *byte == b'\n').take(TITLE_LINES_MAX + 1);
    let is_whole = |line: &&[u8]| !line.iter().fold(false, |is_quoted, byte| is_quoted ^ (*byte == b'"'));
    let counts: Vec<(usize, usize)> = lines
        .take_while(is_whole)
        .map(|line| (n_known(String::from_utf8_lossy(line).trim_end()), line.len() + 1))
        .collect();
    let header = counts.iter().position(|(n, _)| *n >= 2).filter(|_| counts[0].0 == 0).unwrap_or_default();
    input.pass_counting(counts[..header].iter().map(|(_, n_bytes)| n_bytes).sum());
    Ok(header)
}

/// What divides the cells, by a line that says so, which is passed over, or by the header row.
fn found_delimiter(input: &mut Input, vocabulary: Vocabulary) -> Result<(u8, Option<String>), LoadError> {
    let head = input.fill()?;
    if let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter, b'\r' | b'\n', ..] = *head
        && delimiter.is_ascii()
    {
        input.pass(5);
        input.pass_line_end()?;
        return Ok((delimiter, None));
    }
    let header = header_line(head);
    let known = |name: &str| {
        let name = name.trim().trim_matches('"').trim();
        match vocabulary {
            Vocabulary::Cases => KnownName::new(name).meaning.is_some(),
            Vocabulary::Rows(_) => vocabulary.knows(name),
        }
    };
    let scored = DELIMITERS.iter().map(|(delimiter, name)| {
        let cells = unquoted_split(&header, char::from(*delimiter));
        (cells.iter().filter(|cell| known(cell)).count(), cells.len(), *delimiter, *name)
    });
    let scored: Vec<_> = scored.filter(|(_, n_cells, ..)| *n_cells > 1).collect();
    let most = scored.iter().map(|(n_known, ..)| *n_known).max().unwrap_or_default();
    let mut best = scored.iter().filter(|(n_known, ..)| *n_known == most);
    match (best.next(), best.next()) {
        (Some((.., delimiter, name)), None) if *delimiter != COMMA => {
            Ok((*delimiter, Some(format!("cells are separated by {name}"))))
        }
        _ => Ok((COMMA, None)),
    }
}

/// The first line of a file, quoted line ends included.
fn header_line(head: &[u8]) -> String {
    let mut is_quoted = false;
    let end = head.iter().position(|byte| {
        is_quoted ^= *byte == b'"';
        !is_quoted && matches!(byte, b'\r' | b'\n')
    });
    String::from_utf8_lossy(&head[..end.unwrap_or(head.len())]).into_owned()
}

/// The parts of a line between delimiters that are not quoted.
fn unquoted_split(line: &str, delimiter: char) -> Vec<&str> {
    let mut is_quoted = false;
    line.split(|c: char| {
        is_quoted ^= c == '"';
        !is_quoted && c == delimiter
    })
    .collect()
}

/// The rows of a file, of which one is looked at.
struct RowCutter {
    delimiter: u8,
    reader: csv_core::Reader,
    /// The texts of the row's cells one after the other, and room for more.
    texts: Vec<u8>,
    n_bytes: usize,
    /// Where in `texts` each cell ends.
    ends: Vec<usize>,
    /// The number of the first cell that goes on after its closing quote, 1-based.
    torn: Option<usize>,
}

impl RowCutter {
    fn new(delimiter: u8) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        RowCutter { delimiter, reader, texts: vec![0; 1 << 10], n_bytes: 0, ends: Vec::new(), torn: None }
    }

    /// Cuts the next row into `raw` and its cells; `None` at the end of the file.
    fn next(&mut self, input: &mut Input, raw: &mut RawRecord) -> Result<Option<RecordEnd>, LoadError> {
        raw.begin(input);
        self.ends.clear();
        (self.n_bytes, self.torn) = (0, None);
        match input.peek()? {
            None => return Ok(None),
            // A blank line is a row without a byte, and not for the reader, which passes over it.
            Some(b'\n' | b'\r') => {
                input.pass_line_end()?;
                return Ok(Some(RecordEnd::Separator));
            }
            Some(_) => {}
        }
        loop {
            let start = raw.bytes.len();
            let separator = self.cell(input, raw)?;
            self.ends.push(self.n_bytes);
            if is_torn(&raw.bytes[start..]) {
                self.torn.get_or_insert(self.ends.len());
            }
            match separator {
                None => return Ok(Some(RecordEnd::EndOfFile)),
                Some(byte) if byte == self.delimiter => raw.take(input, 1)?,
                Some(_) => {
                    input.pass_line_end()?;
                    return Ok(Some(RecordEnd::Separator));
                }
            }
        }
    }

    /// Cuts the next cell; returns the delimiter or line end after it, which stays.
    fn cell(&mut self, input: &mut Input, raw: &mut RawRecord) -> Result<Option<u8>, LoadError> {
        let line = input.line();
        loop {
            let bytes = input.fill()?;
            let at_end = bytes.is_empty();
            // One more line end at the end of the file ends every cell but one whose quote is open.
            let given = if at_end { b"\n" } else { bytes };
            let (result, n_read, n_written) = self.reader.read_field(given, &mut self.texts[self.n_bytes..]);
            self.n_bytes += n_written;
            let is_cut = matches!(result, ReadFieldResult::Field { .. });
            let separator = if is_cut { bytes.get(n_read - 1).copied() } else { None };
            let n_bytes = if at_end { 0 } else { n_read - usize::from(is_cut) };
            raw.take(input, n_bytes)?;
            if input.line() - line > CELL_LINES_MAX {
                let why = format!("the cell has more than {CELL_LINES_MAX} lines");
                return Err(unclosed(input, line, &why));
            }
            match result {
                ReadFieldResult::Field { .. } | ReadFieldResult::End => return Ok(separator),
                ReadFieldResult::OutputFull => self.texts.resize(2 * self.texts.len(), 0),
                ReadFieldResult::InputEmpty if at_end => {
                    return Err(unclosed(input, line, "the file ends inside it"));
                }
                ReadFieldResult::InputEmpty => {}
            }
        }
    }

    /// The cells of a row that is text, or why it has none.
    fn cells(&self) -> Result<Vec<&str>, String> {
        if let Some(number) = self.torn {
            return Err(format!("text after the closing quote of cell {number}"));
        }
        let texts = str::from_utf8(&self.texts[..self.n_bytes]).expect("parts of a text are text");
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        Ok(starts.zip(&self.ends).map(|(start, end)| &texts[start..*end]).collect())
    }
}

/// Whether the source of a cell is quoted and goes on after its closing quote: inside the outer quotes each quote must
/// be one of a pair.
fn is_torn(source: &[u8]) -> bool {
    match source {
        [b'"', inside @ .., b'"'] => {
            let mut runs = inside.chunk_by(|a, b| (*a == b'"') == (*b == b'"'));
            runs.any(|run| run[0] == b'"' && run.len() % 2 == 1)
        }
        [b'"', ..] => true,
        _ => false,
    }
}

fn unclosed(input: &Input, line: usize, why: &str) -> LoadError {
    LoadError::new(input.file(), format!("a quoted cell that starts here is not closed: {why}"))
        .line(line)
        .hint("a quote inside a quoted cell is written twice")
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read};
    use std::sync::Arc;

    use super::*;

    /// A reader that gives so many bytes at once.
    struct Steps(Cursor<String>, usize);

    impl Read for Steps {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(buffer.len());
            self.0.read(&mut buffer[..n])
        }
    }

    #[track_caller]
    fn check(row: &str, want: Result<&[&str], &str>) {
        // However few bytes come at once, the cells are the same.
        for step in [1, 2, 1 << 10] {
            let file = Arc::from("x");
            let mut raw = RawRecord::new(&file, 1 << 10);
            let mut input = Input::new(file, Box::new(Steps(Cursor::new(row.to_owned()), step)));
            let mut rows = RowCutter { texts: vec![0], ..RowCutter::new(COMMA) };
            assert_eq!(rows.next(&mut input, &mut raw).expect("a row"), Some(RecordEnd::EndOfFile), "{row}");
            assert_eq!(raw.bytes, row.as_bytes());
            assert_eq!(rows.cells(), want.map(<[&str]>::to_vec).map_err(str::to_owned), "{row}");
        }
    }

    #[test]
    fn cells_are_quoted_only_from_their_first_byte() {
        check("a,,b ", Ok(&["a", "", "b "]));
        check(",", Ok(&["", ""]));
        check(r#""a,""b""",c"#, Ok(&["a,\"b\"", "c"]));
        check(r#"1,{"a":"b"}"#, Ok(&["1", r#"{"a":"b"}"#]));
        check(r#"a, "b",c""#, Ok(&["a", " \"b\"", "c\""]));
        check("\"\",\"\r\n\"", Ok(&["", "\r\n"]));
        check("a,\"\"\"\"", Ok(&["a", "\""]));
        check(r#"a,"b"c"#, Err("text after the closing quote of cell 2"));
        check(r#""a","b"c""#, Err("text after the closing quote of cell 2"));
        check(r#""a"b,"c"d"#, Err("text after the closing quote of cell 1"));
    }
}
