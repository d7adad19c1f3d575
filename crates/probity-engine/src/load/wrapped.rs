//! Records in an array that stands inside one object, as `{"data": [ … ]}`.
//!
//! Exports and result files of other tools put an object around their list. It is opened where there is no doubt: the
//! file is one object, that object is no record itself, and exactly one of its members is an array that begins with an
//! object. Everything else is left for the readers of lines to refuse. Only the first object of a file is looked at,
//! so a file of JSON lines costs one line more.

use super::input::{Input, is_space};
use super::vocabulary::Vocabulary;
use super::{LoadError, LoadOptions, source::Source};

/// The longest name of a member that is looked at, in bytes.
const NAME_BYTES_MAX: usize = 256;

/// An array inside an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wrapped {
    /// The member that it is.
    pub(super) member: String,
    /// How many bytes come before its `[`, from the first byte of the object on.
    pub(super) offset: u64,
}

/// The array in the object that the file is, if it is one around an array.
pub(super) fn find(
    source: &Source,
    options: &LoadOptions,
    vocabulary: Vocabulary,
) -> Result<Option<Wrapped>, LoadError> {
    let mut input = source.open(options)?.input;
    input.detect()?;
    let mut scan = Scan::default();
    let end = loop {
        let bytes = input.fill()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (n, ended) = scan.pass(bytes);
        input.pass(n);
        if ended {
            break input.pass_space()?;
        }
    };
    let is_record = scan.names.iter().any(|name| vocabulary.is_of_records(name));
    let is_one = end.is_none() && !is_record && scan.arrays.len() == 1;
    Ok(if is_one { scan.arrays.pop() } else { None })
}

/// Passes over what comes before the array.
pub(super) fn pass_to(input: &mut Input, wrapped: &Wrapped) -> Result<(), LoadError> {
    let mut left = wrapped.offset;
    while left > 0 {
        let n = input.fill()?.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if n == 0 {
            break;
        }
        input.pass_counting(n);
        left -= n as u64;
    }
    Ok(())
}

/// Where in the first object of a file a scan is.
#[derive(Debug, Default)]
struct Scan {
    /// Bytes that were passed.
    offset: u64,
    depth: usize,
    within: Within,
    /// The text that is being read, or was read last, in the object itself.
    name: Vec<u8>,
    /// What the next byte that is no space begins.
    next: Next,
    names: Vec<String>,
    arrays: Vec<Wrapped>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Within {
    #[default]
    Value,
    String,
    Escape,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Next {
    #[default]
    Other,
    /// The value of a member of the object.
    Member,
    /// The first element of an array that is such a value and begins here.
    Element(u64),
}

impl Scan {
    /// Passes over `bytes`, and says how many and whether the object has ended.
    fn pass(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (at, byte) in bytes.iter().enumerate() {
            self.step(*byte);
            self.offset += 1;
            if self.depth == 0 && self.within == Within::Value {
                return (at + 1, true);
            }
        }
        (bytes.len(), false)
    }

    fn step(&mut self, byte: u8) {
        match self.within {
            Within::Escape => self.within = Within::String,
            Within::String if byte == b'\\' => self.within = Within::Escape,
            Within::String if byte == b'"' => self.within = Within::Value,
            Within::String => {
                if self.depth == 1 && self.name.len() < NAME_BYTES_MAX {
                    self.name.push(byte);
                }
            }
            Within::Value if is_space(byte) => {}
            Within::Value => self.value(byte),
        }
    }

    fn value(&mut self, byte: u8) {
        let next = std::mem::take(&mut self.next);
        match byte {
            b'"' => {
                self.within = Within::String;
                self.name.clear();
            }
            b'[' | b'{' => {
                self.depth += 1;
                if let (Next::Member, b'[') = (next, byte) {
                    self.next = Next::Element(self.offset);
                } else if let (Next::Element(offset), b'{') = (next, byte) {
                    let member = self.names.last().cloned().unwrap_or_default();
                    self.arrays.push(Wrapped { member, offset });
                }
            }
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            b':' if self.depth == 1 => {
                self.names.push(String::from_utf8_lossy(&self.name).into_owned());
                self.next = Next::Member;
            }
            _ => {}
        }
    }
}
