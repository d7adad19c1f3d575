//! Cutting a file into the source texts of its records, without reading a record.
//!
//! Memory is bounded by one record. Whatever is wrong inside a record is left for whoever parses it; only
//! faults that make the rest of the file unreadable are errors here.

use super::LoadError;
use super::input::{Chunk, Input};

/// How many lines a quoted cell may span before the quote is taken for one that was never closed.
pub(super) const CELL_LINES_MAX: usize = 1_000;

/// What came after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    LineEnd,
    EndOfFile,
}

/// Cuts the next line into `chunk`; `None` at the end of the file.
pub(super) fn line(input: &mut Input, chunk: &mut Chunk) -> Result<Option<Ended>, LoadError> {
    chunk.begin(input);
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok((!chunk.bytes.is_empty()).then_some(Ended::EndOfFile));
        }
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let n = end.unwrap_or(bytes.len());
        chunk.extend(&bytes[..n]).map_err(|long| long.error(input.file()))?;
        input.pass(n);
        if end.is_some() {
            input.pass_line_end()?;
            return Ok(Some(Ended::LineEnd));
        }
    }
}

/// Cuts the elements of one JSON array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayCutter {
    BeforeOpening,
    AfterComma,
    AfterClosing,
}

impl ArrayCutter {
    /// Cuts the next element into `chunk`, without the space around it; `false` after the last.
    pub(super) fn next(&mut self, input: &mut Input, chunk: &mut Chunk) -> Result<bool, LoadError> {
        if *self == ArrayCutter::BeforeOpening {
            input.pass(1);
        }
        let next = input.pass_space()?;
        if *self == ArrayCutter::BeforeOpening && next == Some(b']') {
            input.pass(1);
            *self = ArrayCutter::AfterClosing;
        }
        if *self == ArrayCutter::AfterClosing {
            return nothing_follows(input).map(|()| false);
        }
        let separator = element(input, chunk)?;
        let file = input.file();
        if chunk.bytes.is_empty() || separator == b'}' {
            let message = format!("unexpected '{}' in the array, expected a record", char::from(separator));
            return Err(LoadError::new(file, message).line(input.line()));
        }
        *self = if separator == b']' { ArrayCutter::AfterClosing } else { ArrayCutter::AfterComma };
        Ok(true)
    }
}

fn nothing_follows(input: &mut Input) -> Result<(), LoadError> {
    if input.pass_space()?.is_none() {
        return Ok(());
    }
    let error = LoadError::new(input.file(), "text after the ']' that closes the array").line(input.line());
    Err(error.hint("in a file of JSON lines each line is an object, not an array"))
}

/// Cuts one element and passes over the separator after it, which is returned.
fn element(input: &mut Input, chunk: &mut Chunk) -> Result<u8, LoadError> {
    chunk.begin(input);
    let mut nesting = Nesting::default();
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            let message = "the array is not closed with ']': the file may be cut";
            return Err(LoadError::new(input.file(), message).line(input.line()));
        }
        let end = nesting.end(bytes);
        let n = end.unwrap_or(bytes.len());
        let separator = end.map(|end| bytes[end]);
        chunk.extend(&bytes[..n]).map_err(|long| long.error(input.file()))?;
        input.pass_counting(n);
        if let Some(separator) = separator {
            input.pass(1);
            let trimmed = chunk.bytes.trim_ascii_end().len();
            chunk.bytes.truncate(trimmed);
            return Ok(separator);
        }
    }
}

/// How deep in JSON text a scan is. Counts brackets of both kinds together: a wrong pair is the parser's
/// to refuse.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    within: Within,
}

#[derive(Debug, Default, Clone, Copy)]
enum Within {
    #[default]
    Value,
    String,
    Escape,
}

impl Nesting {
    /// Where the value that began in earlier calls ends: the place of the `,`, `]` or `}` after it.
    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            match (self.within, byte) {
                (Within::Value, b'"') | (Within::Escape, _) => self.within = Within::String,
                (Within::Value, b'[' | b'{') => self.depth += 1,
                (Within::Value, b']' | b'}' | b',') if self.depth == 0 => return Some(at),
                (Within::Value, b']' | b'}') => self.depth -= 1,
                (Within::String, b'"') => self.within = Within::Value,
                (Within::String, b'\\') => self.within = Within::Escape,
                _ => {}
            }
        }
        None
    }
}

/// Where in a row of CSV a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    Start,
    Plain,
    Quoted,
    /// After a quote inside a quoted cell: its end, or the first of a doubled pair.
    Closed,
}

impl Cell {
    /// Where the scan is after `byte`; `None` when the row ends before it.
    fn after(self, byte: u8, delimiter: u8) -> Option<Cell> {
        match (self, byte) {
            (Cell::Quoted, b'"') => Some(Cell::Closed),
            (Cell::Quoted, _) | (Cell::Start | Cell::Closed, b'"') => Some(Cell::Quoted),
            (_, b'\n' | b'\r') => None,
            (_, byte) if byte == delimiter => Some(Cell::Start),
            _ => Some(Cell::Plain),
        }
    }
}

/// Cuts the next row of CSV into `chunk`; `None` at the end of the file.
pub(super) fn row(input: &mut Input, chunk: &mut Chunk, delimiter: u8) -> Result<Option<Ended>, LoadError> {
    chunk.begin(input);
    let mut cell = Cell::Start;
    let (mut lines, mut quoted_at) = (0, 0);
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return match cell {
                Cell::Quoted => Err(unclosed(input, chunk.line + quoted_at, "the file ends inside it")),
                _ => Ok((!chunk.bytes.is_empty()).then_some(Ended::EndOfFile)),
            };
        }
        let mut n = 0;
        let mut ended = false;
        while n < bytes.len() && !ended && lines - quoted_at <= CELL_LINES_MAX {
            let Some(next) = cell.after(bytes[n], delimiter) else {
                ended = true;
                break;
            };
            if next == Cell::Quoted && cell == Cell::Start {
                quoted_at = lines;
            }
            lines += usize::from(bytes[n] == b'\n');
            cell = next;
            n += 1;
        }
        chunk.extend(&bytes[..n]).map_err(|long| long.error(input.file()))?;
        input.pass_counting(n);
        if ended {
            input.pass_line_end()?;
            return Ok(Some(Ended::LineEnd));
        }
        if cell == Cell::Quoted && lines - quoted_at > CELL_LINES_MAX {
            let why = format!("the cell has more than {CELL_LINES_MAX} lines");
            return Err(unclosed(input, chunk.line + quoted_at, &why));
        }
    }
}

fn unclosed(input: &Input, line: usize, why: &str) -> LoadError {
    LoadError::new(input.file(), format!("a quoted cell that starts here is not closed: {why}"))
        .line(line)
        .hint("a quote inside a quoted cell is written twice")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<usize>) {
        assert_eq!(Nesting::default().end(text.as_bytes()), want, "{text}");
    }

    #[test]
    fn a_value_ends_outside_strings_and_brackets() {
        check("1,2", Some(1));
        check(r#"{"a":[1,2],"b":"]}"},"#, Some(20));
        check(r#""\",\\",1"#, Some(7));
        check("[[1]", None);
    }
}
