//! Cutting JSON lines and JSON arrays into the source texts of their records, without reading a record.
//!
//! Memory is bounded by one record. What is wrong inside a record is the parser's to find; only faults that make the
//! rest of the file unreadable are errors here.
//!
//! Exports of other tools put an object around their list, as `{"data": [ … ]}`. It is opened where there is no doubt:
//! the file is one object, that object is no record itself, and exactly one of its members is an array that begins with
//! an object. Everything else is left for the readers of lines to refuse.

use probity_core::json::{Tolerance, parse_prefix};

use super::bytes::{Ended, Input, RawRecord};
use super::field::Vocabulary;
use super::source::DataFile;
use super::{LoadError, LoadOptions};

/// How much of an object's member is looked at, in bytes: its name, and how its value begins.
const MEMBER_BYTES_MAX: usize = 4 << 10;

/// Cuts the next line into `raw`; `None` at the end of the file.
pub(super) fn line(input: &mut Input, raw: &mut RawRecord) -> Result<Option<Ended>, LoadError> {
    raw.begin(input);
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok((!raw.bytes.is_empty()).then_some(Ended::EndOfFile));
        }
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let n = end.unwrap_or(bytes.len());
        raw.extend(&bytes[..n])?;
        input.pass(n);
        if end.is_some() {
            input.pass_line_end()?;
            return Ok(Some(Ended::Separator));
        }
    }
}

/// One JSON array of records: the file, or a member of the object that the file is.
pub(super) struct Array {
    /// The name of that member.
    pub(super) member: Option<String>,
    at: Position,
}

/// Where in an array the reader is.
#[derive(PartialEq, Eq)]
enum Position {
    BeforeOpening,
    BeforeElement,
    AfterClosing,
}

impl Array {
    /// The array that begins here.
    pub(super) fn new() -> Self {
        Array { member: None, at: Position::BeforeOpening }
    }

    /// The array in the object that begins here, if the file is one around an array. `input` is passed on to it.
    pub(super) fn in_object(
        source: &DataFile,
        options: &LoadOptions,
        vocabulary: Vocabulary,
        input: &mut Input,
    ) -> Result<Option<Self>, LoadError> {
        let Some((member, offset)) = find(source, options, vocabulary)? else { return Ok(None) };
        input.pass_to(offset)?;
        Ok(Some(Array { member: Some(member), ..Array::new() }))
    }

    /// Cuts the next element into `raw`, without the space around it; `None` after the last.
    pub(super) fn next(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
    ) -> Result<Option<Ended>, LoadError> {
        if self.at == Position::BeforeOpening {
            input.pass(1);
            self.at = Position::BeforeElement;
            if input.pass_space()? == Some(b']') {
                input.pass(1);
                self.at = Position::AfterClosing;
            }
        }
        if self.at == Position::AfterClosing {
            self.nothing_follows(input)?;
            return Ok(None);
        }
        input.pass_space()?;
        let separator = element(input, raw)?;
        if raw.bytes.is_empty() || separator == b'}' {
            let found = char::from(separator);
            return Err(input.error(format!("unexpected '{found}' in the array, expected a record")));
        }
        if separator == b']' {
            self.at = Position::AfterClosing;
        }
        Ok(Some(Ended::Separator))
    }

    fn nothing_follows(&self, input: &mut Input) -> Result<(), LoadError> {
        // What follows the array of an object was seen to be the rest of the object.
        if self.member.is_some() || input.pass_space()?.is_none() {
            return Ok(());
        }
        let error = input.error("text after the ']' that closes the array");
        Err(error.hint("in a file of JSON lines each line is an object, not an array"))
    }
}

/// Cuts one element and passes over the separator after it, which is returned.
fn element(input: &mut Input, raw: &mut RawRecord) -> Result<u8, LoadError> {
    raw.begin(input);
    let mut nesting = Nesting::default();
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Err(input.error("the array is not closed with ']': the file may be cut"));
        }
        let end = nesting.end(bytes);
        let separator = end.map(|end| bytes[end]);
        let n = end.unwrap_or(bytes.len());
        raw.take(input, n)?;
        if let Some(separator) = separator {
            input.pass(1);
            raw.bytes.truncate(raw.bytes.trim_ascii_end().len());
            return Ok(separator);
        }
    }
}

/// The one array of objects in the object that the file is, if it is no record: its name and where it begins.
fn find(
    source: &DataFile,
    options: &LoadOptions,
    vocabulary: Vocabulary,
) -> Result<Option<(String, u64)>, LoadError> {
    let mut input = source.open(options)?.input;
    input.first_byte()?;
    input.pass(1);
    let mut arrays = Vec::new();
    loop {
        let offset = input.offset();
        let Some((beginning, separator)) = member_beginning(&mut input)? else { return Ok(None) };
        let text = beginning.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if let Some((name, value)) = member(text) {
            if vocabulary.is_of_records(&name) {
                return Ok(None);
            }
            if value.strip_prefix('[').is_some_and(|inside| inside.trim_ascii_start().starts_with('{')) {
                arrays.push((name, offset + (text.len() - value.len()) as u64));
            }
        }
        if separator != b',' {
            break;
        }
    }
    // The viewer of a dataset lists its columns beside its rows.
    if let [(one, _), (other, _)] = &arrays[..]
        && [one.as_str(), other.as_str()] == ["features", "rows"]
    {
        arrays.remove(0);
    }
    let is_one = input.pass_space()?.is_none() && arrays.len() == 1;
    Ok(if is_one { arrays.pop() } else { None })
}

/// Passes over a member of an object and the separator after it; returns how the member begins, and the separator.
fn member_beginning(input: &mut Input) -> Result<Option<(Vec<u8>, u8)>, LoadError> {
    let mut beginning = Vec::new();
    let mut nesting = Nesting::default();
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let end = nesting.end(bytes);
        let separator = end.map(|end| bytes[end]);
        let n = end.unwrap_or(bytes.len());
        beginning.extend_from_slice(&bytes[..n.min(MEMBER_BYTES_MAX - beginning.len())]);
        input.pass(n);
        if let Some(separator) = separator {
            input.pass(1);
            return Ok(Some((beginning, separator)));
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

/// The source text of the member called `key` in an object that is known to be valid.
pub(super) fn member_text<'a>(object: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = object.trim_ascii().strip_prefix('{')?;
    loop {
        let end = Nesting::default().end(rest.as_bytes())?;
        let (name, value) = member(&rest[..end])?;
        if name == key {
            return Some(value.trim_ascii_end());
        }
        rest = &rest[end + 1..];
    }
}

/// Splits `"name": value`.
pub(super) fn member(text: &str) -> Option<(String, &str)> {
    let (name, end, _) = parse_prefix(text, 0, Tolerance::Strict).ok()?;
    let value = text[end..].trim_ascii_start().strip_prefix(':')?;
    Some((name.as_str()?.to_owned(), value.trim_ascii_start()))
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

    #[test]
    fn d30_a_member_keeps_its_source_text() {
        let object =
            r#"{"a":[1,{"metadata":0}], "met\u0061data" : { "z": -0, "a": 1.50, "s":"}\"," } ,"b":2}"#;
        assert_eq!(member_text(object, "metadata"), Some(r#"{ "z": -0, "a": 1.50, "s":"}\"," }"#));
        assert_eq!(member_text(object, "c"), None);
    }
}
