//! CSV: rows and their cells, the header row, and cells as fields.
//!
//! Cells are cut by `csv-core`, which takes any text. What it lets pass is refused here: a quote that is never closed,
//! which would swallow the rest of the file, text after a closing quote, and two columns for one thing. A cell is quoted
//! only if it begins with a quote; its text is kept byte for byte. Rows are never padded.

use std::collections::HashMap;

use csv_core::ReadFieldResult;
use probity_core::json::{self, Json};

use super::LoadError;
use super::bytes::{Ended, Input, RawRecord};
use super::field::{Field, Reason, RecordFields, Vocabulary, both_name};

/// The delimiter unless the options name one.
pub(super) const COMMA: u8 = b',';

/// How many lines a quoted cell may span before the quote is taken for one that was never closed.
const CELL_LINES_MAX: usize = 1_000;

/// The meaning of the columns of one file.
pub(super) struct CsvTable {
    rows: RowCutter,
    columns: Vec<Column>,
    has_turns: bool,
    /// What the header's unknown names were probably meant to be.
    pub(super) warnings: Vec<String>,
}

struct Column {
    name: String,
    /// What the column holds; nothing when its name is unknown.
    field: Option<Field>,
}

impl CsvTable {
    /// Reads the header row of records with this vocabulary.
    pub(super) fn open(
        input: &mut Input,
        raw: &mut RawRecord,
        delimiter: u8,
        vocabulary: Vocabulary,
    ) -> Result<Self, LoadError> {
        let mut rows = RowCutter::new(delimiter);
        rows.next(input, raw)?;
        let row = raw.text()?;
        let refused = |message: String| LoadError::new(input.file(), message).line(raw.line);
        let column = |name: &str| {
            let name = name.trim().to_owned();
            let field = if vocabulary == Vocabulary::Cases { Field::named(&name) } else { None };
            Column { name, field }
        };
        let columns: Vec<Column> = rows.cells().map_err(refused)?.into_iter().map(column).collect();
        if let Some(message) = clash(&columns) {
            return Err(refused(message));
        }
        if !columns.iter().any(|column| vocabulary.knows(&column.name)) {
            let message = format!(
                "found neither JSON nor a header row with known names such as {}",
                vocabulary.examples()
            );
            let hint = delimiter_hint(row, delimiter, vocabulary);
            return Err(LoadError { hint, ..refused(message) });
        }
        let unknown = columns.iter().filter(|column| !vocabulary.knows(&column.name));
        let warnings = unknown.filter_map(|column| vocabulary.suggestion(&column.name)).collect();
        let has_turns = columns.iter().any(|column| column.field == Some(Field::Turns));
        Ok(Self { rows, columns, has_turns, warnings })
    }

    /// Cuts the next row into `raw`; `None` at the end of the file.
    pub(super) fn next(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
    ) -> Result<Option<Ended>, LoadError> {
        self.rows.next(input, raw)
    }

    /// The cells of the last row, whose source is `row`: as many as there are columns.
    pub(super) fn cells(&self, row: &str) -> Result<Vec<&str>, Reason> {
        let cells = self.rows.cells().map_err(|message| with_json_hint(message, row))?;
        if cells.len() != self.columns.len() {
            let message = format!("the row has {} cells, the header has {}", cells.len(), self.columns.len());
            return Err(with_json_hint(message, row));
        }
        Ok(cells)
    }

    /// The names of the columns, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Finds the fields in the cells of the last row, whose source is `row`.
    pub(super) fn fields(&self, row: &str) -> Result<RecordFields<'_>, Reason> {
        let mut found = RecordFields::default();
        for (column, cell) in self.columns.iter().zip(self.cells(row)?) {
            let Some(field) = column.field else { continue };
            if cell.is_empty() && self.empty_is_absent(field) {
                continue;
            }
            found.put(field, column.name.as_str(), value(field, &column.name, cell)?)?;
            if field == Field::Metadata {
                found.metadata_text = Some(cell);
            }
        }
        Ok(found)
    }

    /// Whether an empty cell says nothing. An id, a ticket and a reply must be filled.
    fn empty_is_absent(&self, field: Field) -> bool {
        match field {
            Field::Id | Field::Reply => false,
            Field::Ticket => self.has_turns,
            _ => true,
        }
    }

    /// Whether the last row has fewer cells than the header.
    pub(super) fn is_short(&self) -> bool {
        self.rows.torn.is_none() && self.rows.ends.len() < self.columns.len()
    }
}

/// Says what the likely cause is when a row that does not fit holds JSON.
fn with_json_hint(message: String, row: &str) -> Reason {
    if ["{\"", "[\"", "[{"].iter().any(|opening| row.contains(opening)) {
        return format!("{message}; a cell that holds JSON must be quoted, its own quotes doubled").into();
    }
    message.into()
}

/// Two columns for one thing.
fn clash(columns: &[Column]) -> Option<String> {
    let mut names = HashMap::new();
    let mut fields: Vec<&Column> = Vec::new();
    for (i, column) in columns.iter().enumerate().filter(|(_, column)| !column.name.is_empty()) {
        if let Some(first) = names.insert(&column.name, i) {
            let name = &column.name;
            return Some(format!("columns {} and {} are both called '{name}'", first + 1, i + 1));
        }
        let Some(field) = column.field else { continue };
        if let Some(earlier) = fields.iter().find(|earlier| earlier.field == column.field) {
            return Some(both_name(&earlier.name, &column.name, field));
        }
        fields.push(column);
    }
    None
}

/// What to do where a header without a known name has some with another delimiter.
fn delimiter_hint(header: &str, delimiter: u8, vocabulary: Vocabulary) -> Option<String> {
    let guesses = [(b';', "a semicolon"), (b'\t', "a tab"), (b'|', "a vertical bar"), (b',', "a comma")];
    let (_, name) = guesses.iter().find(|(guess, _)| {
        let is_name = |name: &str| vocabulary.knows(name.trim().trim_matches('"'));
        *guess != delimiter && header.split(char::from(*guess)).any(is_name)
    })?;
    Some(format!("the columns look separated by {name}: set the delimiter"))
}

/// What a cell holds: text as it stands, or JSON where the field is not a text.
fn value(field: Field, name: &str, cell: &str) -> Result<Json, Reason> {
    match field {
        Field::Confidence => json::parse(cell).map_err(|_| {
            Reason::from(format!("'{name}' must be a number with a decimal point, found '{cell}'"))
        }),
        Field::Context | Field::RetrievalContext if !cell.trim_start().starts_with(['[', '{']) => {
            Ok(Json::text(cell))
        }
        Field::Turns
        | Field::Evidence
        | Field::Context
        | Field::RetrievalContext
        | Field::Tools
        | Field::Admissible
        | Field::KnownPii
        | Field::Metadata => {
            json::parse(cell).map_err(|error| Reason::malformed(&error, &format!("the '{name}' cell")))
        }
        _ => Ok(Json::text(cell)),
    }
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
    fn next(&mut self, input: &mut Input, raw: &mut RawRecord) -> Result<Option<Ended>, LoadError> {
        raw.begin(input);
        self.ends.clear();
        (self.n_bytes, self.torn) = (0, None);
        match input.peek()? {
            None => return Ok(None),
            // A blank line is a row without a byte, and not for the reader, which passes over it.
            Some(b'\n' | b'\r') => {
                input.pass_line_end()?;
                return Ok(Some(Ended::Separator));
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
                None => return Ok(Some(Ended::EndOfFile)),
                Some(byte) if byte == self.delimiter => raw.take(input, 1)?,
                Some(_) => {
                    input.pass_line_end()?;
                    return Ok(Some(Ended::Separator));
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
            assert_eq!(rows.next(&mut input, &mut raw).expect("a row"), Some(Ended::EndOfFile), "{row}");
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
