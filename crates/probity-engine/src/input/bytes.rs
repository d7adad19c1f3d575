//! The decoded bytes of one file, with a running line number and byte offset, and the record that is cut out of them.
//!
//! A line ends with LF, CRLF or a lone CR, and each of the three counts once. Offsets count every decoded
//! byte, a byte order mark included, so that they can be looked up in the (unpacked) file.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use super::encoding::NotEncoded;
use super::source::OverLimit;
use super::{LoadError, magic};

const BUFFER_BYTES: usize = 64 << 10;

/// A buffered reader that knows where it is.
pub(super) struct Input {
    file: Arc<str>,
    reader: BufReader<Box<dyn Read + Send>>,
    line: usize,
    offset: u64,
    after_cr: bool,
}

impl Input {
    pub(super) fn new(file: Arc<str>, reader: Box<dyn Read + Send>) -> Self {
        let reader = BufReader::with_capacity(BUFFER_BYTES, reader);
        Self { file, reader, line: 1, offset: 0, after_cr: false }
    }

    /// The file as it was named.
    pub(super) fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The line of the next byte, 1-based.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// How many bytes came before the next one.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// An error at the line of the next byte.
    pub(super) fn error(&self, message: impl Into<String>) -> LoadError {
        LoadError::new(&self.file, message).line(self.line)
    }

    /// The next bytes; none at the end of the file.
    pub(super) fn fill(&mut self) -> Result<&[u8], LoadError> {
        while let Err(error) = self.reader.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(self.unreadable(error));
            }
        }
        Ok(self.reader.buffer())
    }

    /// The next byte, which stays.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, LoadError> {
        Ok(self.fill()?.first().copied())
    }

    fn unreadable(&self, error: io::Error) -> LoadError {
        let failed = |message: &str| LoadError::new(&self.file, message);
        if let Some(over) = error.get_ref().and_then(|inner| inner.downcast_ref::<OverLimit>()) {
            return failed(&over.to_string()).hint("unpack it first if its content is what you expect");
        }
        if let Some(wrong) = error.get_ref().and_then(|inner| inner.downcast_ref::<NotEncoded>()) {
            return failed(&wrong.to_string());
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => failed("the gzip data ends too early: the file may be cut"),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => failed("the gzip data is damaged"),
            _ => failed("cannot be read"),
        }
        .source(error)
    }

    /// Passes over `n` of the bytes that are there, none of which ends a line.
    pub(super) fn pass(&mut self, n: usize) {
        self.reader.consume(n);
        self.offset += n as u64;
        self.after_cr &= n == 0;
    }

    /// Passes over `n` of the bytes that are there and counts the line ends in them.
    pub(super) fn pass_counting(&mut self, n: usize) {
        for byte in &self.reader.buffer()[..n] {
            let crlf = self.after_cr && *byte == b'\n';
            self.line += usize::from(matches!(byte, b'\n' | b'\r') && !crlf);
            self.after_cr = *byte == b'\r';
        }
        self.reader.consume(n);
        self.offset += n as u64;
    }

    /// Passes over all bytes before `offset` and counts the line ends in them.
    pub(super) fn pass_to(&mut self, offset: u64) -> Result<(), LoadError> {
        while self.offset < offset && !self.fill()?.is_empty() {
            let left = usize::try_from(offset - self.offset).unwrap_or(usize::MAX);
            self.pass_counting(self.reader.buffer().len().min(left));
        }
        Ok(())
    }

    /// Passes over one line end, which must be next: LF, CRLF or CR.
    pub(super) fn pass_line_end(&mut self) -> Result<(), LoadError> {
        let cr = self.peek()? == Some(b'\r');
        self.pass_counting(1);
        if cr && self.peek()? == Some(b'\n') {
            self.pass_counting(1);
        }
        Ok(())
    }

    /// Passes over white space and returns the byte after it, which stays.
    pub(super) fn pass_space(&mut self) -> Result<Option<u8>, LoadError> {
        loop {
            let bytes = self.fill()?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let spaces = bytes.iter().take_while(|byte| is_space(**byte)).count();
            let next = bytes.get(spaces).copied();
            self.pass_counting(spaces);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// The first byte that is not white space, which tells the format and stays; a byte order mark is passed over once.
    pub(super) fn first_byte(&mut self) -> Result<u8, LoadError> {
        let head = self.fill()?;
        if let Some(foreign) = magic::foreign(head) {
            let message = format!("found {}, expected JSON or CSV in UTF-8", foreign.what);
            return Err(LoadError::new(&self.file, message).hint(foreign.hint));
        }
        if head.starts_with("\u{feff}".as_bytes()) {
            self.pass(3);
        }
        self.pass_space()?.ok_or_else(|| no_records(&self.file))
    }
}

/// The error for a file without a single record.
pub(super) fn no_records(file: &Arc<str>) -> LoadError {
    LoadError::new(file, "no records").hint("expected a JSON array, JSON lines or CSV with a header row")
}

/// White space of JSON.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// What came after a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordEnd {
    /// A line end, or the next element of an array.
    Separator,
    EndOfFile,
}

/// The source text of one record. Its memory is used again for the next one.
pub(super) struct RawRecord {
    /// The bytes, without the line end or comma after them.
    pub(super) bytes: Vec<u8>,
    /// The line of the first byte, 1-based.
    pub(super) line: usize,
    /// Where the first byte stands in the file.
    offset: u64,
    /// How many bytes a record may have.
    bytes_max: usize,
    file: Arc<str>,
}

impl RawRecord {
    /// Room for the records of a file.
    pub(super) fn new(file: &Arc<str>, bytes_max: usize) -> Self {
        Self { bytes: Vec::new(), line: 0, offset: 0, bytes_max, file: Arc::clone(file) }
    }

    /// Lets records have so many bytes.
    pub(super) fn allow(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
    }

    /// Starts a record at the place of `input`.
    pub(super) fn begin(&mut self, input: &Input) {
        self.bytes.clear();
        self.line = input.line;
        self.offset = input.offset;
    }

    /// Moves `n` of the bytes that are there from `input` to the record, unless it grows over its limit.
    pub(super) fn take(&mut self, input: &mut Input, n: usize) -> Result<(), LoadError> {
        self.extend(&input.reader.buffer()[..n])?;
        input.pass_counting(n);
        Ok(())
    }

    /// Adds bytes, unless the record grows over its limit. The rest of it is not read.
    pub(super) fn extend(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        if self.bytes.len() + bytes.len() > self.bytes_max {
            let message = format!("the record that starts here is longer than {} bytes", self.bytes_max);
            return Err(LoadError::new(&self.file, message).line(self.line));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The record as text, or where it is not UTF-8.
    pub(super) fn text(&self) -> Result<&str, LoadError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let at = error.valid_up_to();
            let message = format!(
                "byte {} (0x{:02x}) is not valid UTF-8",
                self.offset + at as u64,
                self.bytes.get(at).copied().unwrap_or_default(),
            );
            let lines = self.bytes[..at].split(|byte| *byte == b'\n').count() - 1;
            LoadError::new(&self.file, message)
                .line(self.line + lines)
                .hint("save the file as UTF-8, or say what it is, as --encoding windows-1252; if this is its last byte, it may be cut")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d04_each_kind_of_line_end_counts_once() {
        let mut input = Input::new(Arc::from("x"), Box::new(&b"a\nb\r\nc\rd\n\r\ne"[..]));
        let n = input.fill().expect("bytes").len();
        input.pass_counting(n);
        assert_eq!(input.line(), 6);
        assert_eq!(input.offset(), 12);
    }
}
