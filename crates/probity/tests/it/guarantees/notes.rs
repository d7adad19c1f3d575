//! The calls under way as they are noted beside a store, read without the program that wrote them.
//!
//! A file begins with sixteen bytes of text, the number of the store's opening and a stamp of eight bytes. Each note has
//! the stamp, two lengths, four bytes of a checksum, a JSON text and a blob. What is cut short is not a note, and another
//! one may stand behind it.

use std::collections::BTreeMap;

use serde_json::Value;

/// What a file of notes says.
pub(crate) struct Notes {
    /// The opening of the store that they belong to.
    pub(crate) openings: i64,
    /// The calls by number.
    pub(crate) calls: BTreeMap<i64, Call>,
}

/// One call.
pub(crate) struct Call {
    /// The judge's hash.
    pub(crate) judge: String,
    /// The run's number.
    pub(crate) run: i64,
    /// The packet's text.
    pub(crate) packet: String,
    /// What it came to and its raw bytes, if it has ended.
    pub(crate) end: Option<(String, Vec<u8>)>,
}

/// Reads a file of notes.
pub(crate) fn of(bytes: &[u8]) -> Notes {
    let mut notes = Notes { openings: -1, calls: BTreeMap::new() };
    let Some((header, mut rest)) = bytes.split_at_checked(32) else { return notes };
    notes.openings = i64::from_le_bytes(header[16..24].try_into().expect("eight bytes"));
    while let Some(at) = rest.windows(8).position(|bytes| *bytes == header[24..]) {
        rest = &rest[at + 8..];
        let Some((note, blob, after)) = whole(rest) else { continue };
        rest = after;
        let note: Value = serde_json::from_slice(note).expect("a note is JSON");
        let number = |value: &Value| value.as_i64().expect("a number");
        if let Some(begun) = note.get("begun") {
            let call = Call {
                judge: begun["judge"].as_str().expect("a judge").to_owned(),
                run: number(&begun["run"]),
                packet: String::from_utf8(blob[32..].to_vec()).expect("a packet is text"),
                end: None,
            };
            notes.calls.insert(number(&begun["attempt"]), call);
        } else {
            let ended = &note["ended"];
            let call = notes.calls.get_mut(&number(&ended["attempt"])).expect("what ends has begun");
            call.end = Some((ended["outcome"].as_str().expect("an outcome").to_owned(), blob.to_vec()));
        }
    }
    notes
}

fn whole(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (frame, rest) = bytes.split_at_checked(12)?;
    let number = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().expect("four bytes"));
    let (body, rest) = rest.split_at_checked(number(0) as usize + number(4) as usize)?;
    if checksum(frame[..8].iter().chain(body)) != number(8) {
        return None;
    }
    let (note, blob) = body.split_at(number(0) as usize);
    Some((note, blob, rest))
}

/// CRC-32 as gzip has it.
fn checksum<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    let all = bytes.fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    });
    !all
}
