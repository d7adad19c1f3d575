//! CSV: the header row, and rows as fields.
//!
//! Rows are cut before they are parsed, so that an unclosed quote is an error with its line and not a cell
//! that swallows the rest of the file. A cell is quoted only if it begins with a quote; its text is kept
//! byte for byte. Rows are never padded.

use std::borrow::Cow;
use std::collections::HashMap;

use probity_core::json::{self, Json};

use super::field::{Field, Found, Reason, both_name};
use super::input::{Chunk, Input};
use super::vocabulary::Vocabulary;
use super::{LoadError, split};

/// The delimiter unless the options name one.
pub(super) const COMMA: u8 = b',';

/// The meaning of the columns of one file.
pub(super) struct Table {
    delimiter: u8,
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

impl Table {
    /// Reads the header row of records with this vocabulary.
    pub(super) fn open(
        input: &mut Input,
        chunk: &mut Chunk,
        delimiter: u8,
        vocabulary: Vocabulary,
    ) -> Result<Self, LoadError> {
        split::row(input, chunk, delimiter)?;
        let row = chunk.text(input.file())?;
        let refused = |message: String| LoadError::new(input.file(), message).line(chunk.line);
        let mut names = Vec::new();
        cells(row, delimiter, &mut names).map_err(refused)?;
        let column = |name: Cow<'_, str>| {
            let name = name.trim().to_owned();
            let field = if vocabulary == Vocabulary::Cases { Field::named(&name) } else { None };
            Column { name, field }
        };
        let columns: Vec<Column> = names.into_iter().map(column).collect();
        if let Some(message) = clash(&columns) {
            return Err(refused(message));
        }
        if !columns.iter().any(|column| vocabulary.knows(&column.name)) {
            let message = format!(
                "found neither JSON nor a header row with known names such as {}",
                vocabulary.examples()
            );
            return Err(with_delimiter_hint(refused(message), row, (delimiter, vocabulary)));
        }
        let unknown = columns.iter().filter(|column| !vocabulary.knows(&column.name));
        let warnings = unknown.filter_map(|column| vocabulary.suggestion(&column.name)).collect();
        let has_turns = columns.iter().any(|column| column.field == Some(Field::Turns));
        Ok(Self { delimiter, columns, has_turns, warnings })
    }

    /// Splits a row into as many cells as there are columns.
    pub(super) fn cells<'a>(&self, row: &'a str) -> Result<Vec<Cow<'a, str>>, Reason> {
        let mut out = Vec::with_capacity(self.columns.len());
        cells(row, self.delimiter, &mut out).map_err(|message| with_json_hint(message, row))?;
        if out.len() != self.columns.len() {
            let message = format!("the row has {} cells, the header has {}", out.len(), self.columns.len());
            return Err(with_json_hint(message, row));
        }
        Ok(out)
    }

    /// The names of the columns, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Finds the fields in the cells of a row.
    pub(super) fn fields<'a>(&'a self, cells: &'a [Cow<'_, str>]) -> Result<Found<'a>, Reason> {
        let mut found = Found::default();
        for (column, cell) in self.columns.iter().zip(cells) {
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

    /// What separates the cells.
    pub(super) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Whether the row has fewer cells than the header.
    pub(super) fn is_short(&self, row: &[u8]) -> bool {
        let mut out = Vec::new();
        let row = std::str::from_utf8(row).unwrap_or_default();
        cells(row, self.delimiter, &mut out).is_ok() && out.len() < self.columns.len()
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

fn with_delimiter_hint(
    error: LoadError,
    header: &str,
    (delimiter, vocabulary): (u8, Vocabulary),
) -> LoadError {
    let guesses = [(b';', "a semicolon"), (b'\t', "a tab"), (b'|', "a vertical bar"), (b',', "a comma")];
    let guess = guesses.iter().find(|(guess, _)| {
        let is_name = |name: &str| vocabulary.knows(name.trim().trim_matches('"'));
        *guess != delimiter && header.split(char::from(*guess)).any(is_name)
    });
    match guess {
        Some((_, name)) => error.hint(format!("the columns look separated by {name}: set the delimiter")),
        None => error,
    }
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

/// Splits a row that was cut whole into its cells.
fn cells<'a>(row: &'a str, delimiter: u8, out: &mut Vec<Cow<'a, str>>) -> Result<(), String> {
    out.clear();
    let mut rest = row;
    loop {
        let after = if let Some(quoted) = rest.strip_prefix('"') {
            let (cell, after) = quoted_cell(quoted);
            out.push(cell);
            after
        } else {
            let end = rest.find(char::from(delimiter)).unwrap_or(rest.len());
            out.push(Cow::Borrowed(&rest[..end]));
            &rest[end..]
        };
        match after.as_bytes().first() {
            None => return Ok(()),
            Some(byte) if *byte == delimiter => rest = &after[1..],
            Some(_) => return Err(format!("text after the closing quote of cell {}", out.len())),
        }
    }
}

/// Reads a cell after its opening quote; returns it and what follows its closing quote.
fn quoted_cell(text: &str) -> (Cow<'_, str>, &str) {
    let mut from = 0;
    let mut doubled = false;
    while let Some(quote) = text[from..].find('"').map(|at| from + at) {
        if !text[quote + 1..].starts_with('"') {
            let cell = &text[..quote];
            let cell = if doubled { Cow::Owned(cell.replace("\"\"", "\"")) } else { Cow::Borrowed(cell) };
            return (cell, &text[quote + 1..]);
        }
        doubled = true;
        from = quote + 2;
    }
    (Cow::Borrowed(text), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(row: &str, want: Result<&[&str], &str>) {
        let mut out = Vec::new();
        let got = cells(row, COMMA, &mut out).map(|()| out.iter().map(|cell| &**cell).collect());
        let want = want.map(<[&str]>::to_vec).map_err(str::to_owned);
        assert_eq!(got, want, "{row}");
    }

    #[test]
    fn cells_are_quoted_only_from_their_first_byte() {
        check("a,,b ", Ok(&["a", "", "b "]));
        check("", Ok(&[""]));
        check(",", Ok(&["", ""]));
        check(r#""a,""b""",c"#, Ok(&["a,\"b\"", "c"]));
        check(r#"1,{"a":"b"}"#, Ok(&["1", r#"{"a":"b"}"#]));
        check(r#"a, "b",c""#, Ok(&["a", " \"b\"", "c\""]));
        check("\"\",\"\r\n\"", Ok(&["", "\r\n"]));
        check(r#"a,"b"c"#, Err("text after the closing quote of cell 2"));
    }
}
