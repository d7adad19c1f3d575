//! Cutting JSON lines and JSON arrays into the source texts of their records, without reading a record.
//!
//! Memory is bounded by one record. What is wrong inside a record is the parser's to find; only faults that make the
//! rest of the file unreadable are errors here.
//!
//! Exports of other tools put an object around their list, as `{"data": [ … ]}`. It is opened where there is no doubt:
//! the file is one object, that object is no record itself, and exactly one of its members is an array that begins with
//! an object, or some are those that a known tool writes. What stands around the lists is the file's frame. Everything
//! else is left for the readers of lines to refuse.

use std::collections::VecDeque;

use probity_core::json::{Json, Object, Tolerance, parse, parse_prefix};

use super::bytes::{Input, RawRecord, RecordEnd};
use super::field::Vocabulary;
use super::source::DataFile;
use super::{LoadError, LoadOptions};

/// How much of an object's member is looked at, in bytes: its name, how its value begins, and all of it for the frame.
const MEMBER_BYTES_MAX: usize = 1 << 20;

/// How much of a frame is kept, in bytes.
const FRAME_BYTES_MAX: usize = 8 << 20;

/// Where known tools have their records, in the object that a file is.
const LISTS: &[&str] = &[
    "results.results", "testCases", "conversationalTestCases", "samples", "tickets", "comments", "users",
    "satisfaction_ratings", "conversations", "resourceSpans", "resource_spans", "resourceLogs",
];

/// Cuts the next line into `raw`; `None` at the end of the file.
pub(super) fn line(input: &mut Input, raw: &mut RawRecord) -> Result<Option<RecordEnd>, LoadError> {
    raw.begin(input);
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok((!raw.bytes.is_empty()).then_some(RecordEnd::EndOfFile));
        }
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let n = end.unwrap_or(bytes.len());
        raw.extend(&bytes[..n])?;
        input.pass(n);
        if end.is_some() {
            input.pass_line_end()?;
            return Ok(Some(RecordEnd::Separator));
        }
    }
}

/// Cuts the next of the values that stand after one another, each over as many lines as it has.
pub(super) fn value(input: &mut Input, raw: &mut RawRecord) -> Result<Option<RecordEnd>, LoadError> {
    if input.pass_space()?.is_none() {
        return Ok(None);
    }
    raw.begin(input);
    let mut nesting = Nesting::default();
    loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Err(input.error("the last record is not complete, the file may be cut"));
        }
        let end = nesting.close(bytes);
        let n = end.map_or(bytes.len(), |end| end + 1);
        raw.take(input, n)?;
        if end.is_some() {
            return Ok(Some(RecordEnd::Separator));
        }
    }
}

/// JSON arrays of records: the file, or members of the object that the file is.
pub(super) struct Array {
    /// The name of that member, where it is one that is worth saying.
    pub(super) member: Option<String>,
    /// Whether a known tool writes such arrays.
    pub(super) is_known: bool,
    /// Whether the array is in an object.
    is_member: bool,
    /// The path of the array that is being read; empty where it is the file.
    pub(super) path: String,
    /// Where the arrays after this one begin, and their paths.
    further: VecDeque<(u64, String)>,
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
        let (is_known, is_member, further) = (false, false, VecDeque::new());
        let (member, path, at) = (None, String::new(), Position::BeforeOpening);
        Array { member, is_known, is_member, path, further, at }
    }

    /// The arrays in the object that begins here, if the file is one around arrays, and what else is in it. `input` is
    /// passed on to the first.
    pub(super) fn in_object(
        source: &DataFile,
        options: &LoadOptions,
        vocabulary: Vocabulary,
        input: &mut Input,
    ) -> Result<Option<(Self, Json)>, LoadError> {
        let mut found = Wrapper::default();
        if !found.look(source, options, vocabulary)? {
            return Ok(None);
        }
        if found.lists.is_empty() && found.arrays.is_empty() {
            found.lists.extend(found.empty.take());
        }
        let is_known = !found.lists.is_empty();
        // The viewer of a dataset lists its columns beside its rows.
        if found.arrays.iter().map(|(name, _)| name.as_str()).eq(["features", "rows"]) {
            found.arrays.remove(0);
        }
        if !is_known {
            let (Some((name, offset)), true) = (found.arrays.pop(), found.arrays.is_empty()) else {
                return Ok(None);
            };
            found.frame.take(&name);
            found.lists.push((offset, name));
        }
        found.lists.sort_unstable();
        let member = match &*found.lists {
            [(_, name)] if !vocabulary.is_of_records(name) => Some(name.clone()),
            _ => None,
        };
        let mut further = VecDeque::from(found.lists);
        let (offset, path) = further.pop_front().unwrap_or_default();
        input.pass_to(offset)?;
        let array = Array { member, is_member: true, is_known, path, further, ..Array::new() };
        Ok(Some((array, Json::Object(found.frame))))
    }

    /// Cuts the next element into `raw`, without the space around it; `None` after the last.
    pub(super) fn next(
        &mut self,
        input: &mut Input,
        raw: &mut RawRecord,
    ) -> Result<Option<RecordEnd>, LoadError> {
        if self.at == Position::BeforeOpening {
            input.pass(1);
            self.at = Position::BeforeElement;
            if input.pass_space()? == Some(b']') {
                input.pass(1);
                self.at = Position::AfterClosing;
            }
        }
        if self.at == Position::AfterClosing {
            let Some((offset, path)) = self.further.pop_front() else {
                self.nothing_follows(input)?;
                return Ok(None);
            };
            input.pass_to(offset)?;
            self.path = path;
            self.at = Position::BeforeOpening;
            return self.next(input, raw);
        }
        input.pass_space()?;
        let separator = element(input, raw)?;
        if raw.bytes.is_empty() || separator == b'}' {
            let found = char::from(separator);
            let error = input.error(format!("unexpected '{found}' in the array, expected a record"));
            return Err(error.hint("JSON has no comma after the last record"));
        }
        if separator == b']' {
            self.at = Position::AfterClosing;
        }
        Ok(Some(RecordEnd::Separator))
    }

    fn nothing_follows(&self, input: &mut Input) -> Result<(), LoadError> {
        // What follows the array of an object was seen to be the rest of the object.
        if self.is_member || input.pass_space()?.is_none() {
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

/// What the object that a file is has in it.
#[derive(Default)]
struct Wrapper {
    /// Where the lists of known tools begin, and their paths.
    lists: Vec<(u64, String)>,
    /// Other arrays of objects, and where they begin.
    arrays: Vec<(String, u64)>,
    /// The other members.
    frame: Object,
    n_frame_bytes: usize,
    /// Members inside which there may be lists, and where they begin.
    holders: Vec<(String, u64)>,
    /// A list of a known tool without a record: a page may be empty.
    empty: Option<(u64, String)>,
}

/// How the value of a member begins.
struct BegunMember<'a> {
    value: &'a str,
    /// Whether that is all of it.
    is_whole: bool,
    /// Where it stands in the file.
    offset: u64,
}

impl Wrapper {
    /// Looks through the file; `false` where it is not one object, or the object is a record.
    fn look(
        &mut self,
        source: &DataFile,
        options: &LoadOptions,
        vocabulary: Vocabulary,
    ) -> Result<bool, LoadError> {
        let mut input = source.open(options)?.input;
        input.first_byte()?;
        if !self.members(&mut input, "", vocabulary)? || input.pass_space()?.is_some() {
            return Ok(false);
        }
        for (name, offset) in std::mem::take(&mut self.holders) {
            let mut input = source.open(options)?.input;
            input.pass_to(offset)?;
            let outer = std::mem::take(&mut self.frame);
            self.members(&mut input, &format!("{name}."), vocabulary)?;
            let inner = std::mem::replace(&mut self.frame, outer);
            // A file that changes meanwhile is found out at its end.
            let _ = self.frame.insert(name, Json::Object(inner));
        }
        Ok(true)
    }

    /// Looks at the members of the object that begins here; `false` where it is a record or not complete.
    fn members(
        &mut self,
        input: &mut Input,
        prefix: &str,
        vocabulary: Vocabulary,
    ) -> Result<bool, LoadError> {
        input.pass(1);
        loop {
            let offset = input.offset();
            let Some((beginning, separator)) = member_beginning(input)? else { return Ok(false) };
            let text = beginning.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            if let Some((name, value)) = member(text) {
                let path = format!("{prefix}{name}");
                let begun = BegunMember {
                    value,
                    is_whole: text.len() < MEMBER_BYTES_MAX && text.len() == beginning.len(),
                    offset: offset + (text.len() - value.len()) as u64,
                };
                if !self.member(&path, &begun, vocabulary) {
                    return Ok(false);
                }
            }
            if separator != b',' {
                return Ok(true);
            }
        }
    }

    /// Takes one member; `false` where it is that of a record.
    fn member(&mut self, path: &str, begun: &BegunMember<'_>, vocabulary: Vocabulary) -> bool {
        let BegunMember { value, is_whole, offset } = *begun;
        let inside = value.strip_prefix('[').map(str::trim_ascii_start);
        let is_list = inside.is_some_and(|inside| inside.starts_with('{'));
        let is_known = vocabulary == Vocabulary::Cases && LISTS.contains(&path);
        if is_known && is_list {
            self.lists.push((offset, path.to_owned()));
            return true;
        }
        if is_known && inside.is_some_and(|inside| inside.starts_with(']')) {
            self.empty = Some((offset, path.to_owned()));
        }
        let is_cases = vocabulary == Vocabulary::Cases;
        let (prefix, name) = path.rsplit_once('.').unwrap_or(("", path));
        if prefix.is_empty() && vocabulary.is_of_records(name) {
            return false;
        }
        let holds = |list: &&str| list.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
        if is_cases && value.starts_with('{') && LISTS.iter().any(holds) {
            self.holders.push((name.to_owned(), offset));
            return true;
        }
        if is_list && prefix.is_empty() {
            self.arrays.push((name.to_owned(), offset));
        }
        if is_whole && self.n_frame_bytes + value.len() <= FRAME_BYTES_MAX {
            self.n_frame_bytes += value.len();
            // A name that stands twice keeps its first value.
            let _ = parse(value.trim_ascii()).map(|value| self.frame.insert(name, value));
        }
        true
    }
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
    /// Where the bracket that closes the value stands, if it is here; a bracket too many closes one of its own.
    pub(super) fn close(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            match (self.within, byte) {
                (Within::Value, b'"') | (Within::Escape, _) => self.within = Within::String,
                (Within::Value, b'[' | b'{') => self.depth += 1,
                (Within::Value, b']' | b'}') if self.depth <= 1 => return Some(at),
                (Within::Value, b']' | b'}') => self.depth -= 1,
                (Within::String, b'"') => self.within = Within::Value,
                (Within::String, b'\\') => self.within = Within::Escape,
                _ => {}
            }
        }
        None
    }

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
