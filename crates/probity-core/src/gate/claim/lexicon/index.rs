//! How words of the lists are found: one word by its letters, and places of a text that may hold one.
//!
//! The words are in a table of open addresses with a fixed hash, so a lookup is the same everywhere and its
//! cost does not depend on the text around the word.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::super::outline::{Ending, Family, Heads, Outline};
use super::super::super::word_set::{WordSet, every};
use super::super::token::WordId;
use super::read::{Entry, Section};

/// How many bytes at either end of a word are compared together.
const END_BYTES: usize = 4;

/// The words of the lists with their numbers.
#[derive(Debug, Clone)]
pub(super) struct Words {
    /// By hash; a power of two.
    slots: Vec<Slot>,
    /// For each slot a byte of its hash, or zero where it is free: small enough to stay near the processor.
    tags: Vec<u8>,
    /// All words, one behind the other.
    letters: Vec<u8>,
}

/// A place of the table. A `number` of zero is free.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// Of the word; see [`ends`].
    ends: u64,
    start: u32,
    len: u16,
    number: u16,
}

impl Words {
    pub(super) fn of(numbers: &BTreeMap<Box<[u8]>, u16>) -> Words {
        let mut slots = vec![Slot::default(); (numbers.len() * 4).next_power_of_two().max(2)];
        let mut tags = vec![0; slots.len()];
        let (mask, mut letters) = (slots.len() - 1, Vec::new());
        for (word, number) in numbers {
            let ends = ends(word);
            let hash = hash(ends, word.len());
            let mut at = hash as usize & mask;
            while slots[at].number != 0 {
                at = (at + 1) & mask;
            }
            let start = u32::try_from(letters.len()).expect("word lists are far below four gigabytes");
            letters.extend_from_slice(word);
            // A word too long for its slot is never found; no word is near that.
            let len = u16::try_from(word.len()).unwrap_or(0);
            slots[at] = Slot { ends, start, len, number: *number };
            tags[at] = tag(hash);
        }
        Words { slots, tags, letters }
    }

    /// The number of a word, whatever the case of its ASCII letters.
    pub(super) fn lookup(&self, word: &[u8]) -> WordId {
        let (ends, mask) = (ends(word), self.slots.len() - 1);
        let hash = hash(ends, word.len());
        let mut at = hash as usize & mask;
        loop {
            if self.tags[at] == 0 {
                return WordId(0);
            }
            if self.tags[at] == tag(hash) {
                let slot = self.slots[at];
                if slot.ends == ends && usize::from(slot.len) == word.len() && self.has_middle(slot, word) {
                    return WordId(slot.number);
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Whether a word with the ends and the length of the one in `slot` is that one: most words are all ends.
    fn has_middle(&self, slot: Slot, word: &[u8]) -> bool {
        word.len() <= 2 * END_BYTES || {
            let start = slot.start as usize;
            self.letters[start..start + word.len()].eq_ignore_ascii_case(word)
        }
    }
}

/// The first and the last bytes of a word, its ASCII letters in lower case.
fn ends(word: &[u8]) -> u64 {
    match (word.first_chunk::<END_BYTES>(), word.last_chunk::<END_BYTES>()) {
        (Some(first), Some(last)) => {
            lower(u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << 32))
        }
        _ => lower(word.iter().fold(0, |gathered, byte| (gathered << 8) | u64::from(*byte))),
    }
}

/// Eight bytes with their ASCII letters in lower case.
fn lower(bytes: u64) -> u64 {
    let low = bytes & !every(0x80);
    let is_upper = (low + every(0x80 - b'A')) & !(low + every(0x7F - b'Z')) & !bytes & every(0x80);
    bytes | (is_upper >> 2)
}

/// A hash of a word in lower case, from its ends and its length: one multiplication spreads what was gathered.
fn hash(ends: u64, len: usize) -> u32 {
    (ends.wrapping_add((len as u64) << 3).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32
}

/// A byte of a hash that its place in the table does not say. It is never zero.
fn tag(hash: u32) -> u8 {
    hash.to_be_bytes()[0] | 1
}

/// What a text must contain to make a claim: a digit, a sign of an address, or a word that can begin a phrase.
#[derive(Debug, Clone)]
pub(in super::super) struct Triggers {
    words: WordSet,
    heads: Heads,
}

impl Triggers {
    pub(super) fn of(entries: &[Entry]) -> Triggers {
        let words = trigger_words(entries);
        let mut triggers =
            Triggers { words: WordSet::of(words.iter().map(String::as_bytes)), heads: Heads::new() };
        let mut heads = Heads::new();
        triggers.add_heads(&mut heads);
        triggers.heads = heads;
        triggers
    }

    pub(super) fn add_heads(&self, heads: &mut Heads) {
        let signs: Vec<u8> = (0..=u8::MAX).filter(|byte| is_sign(*byte)).collect();
        let words = signs.chunks(1).chain(self.words.words());
        heads.add(Family::Claims, words.map(|word| (word, Ending::Open)));
    }

    pub(super) fn outline<'t>(&self, text: &'t str) -> Outline<'t> {
        self.heads.outline(text)
    }

    /// The first of them in `range`.
    pub(in super::super) fn find(&self, outline: &Outline<'_>, range: Range<usize>) -> Option<Range<usize>> {
        let bytes = &outline.text().as_bytes()[..range.end];
        let mut places = outline.places(Family::Claims, range.start).take_while(|at| *at < range.end);
        places.find_map(|at| {
            let len = if is_sign(bytes[at]) { 1 } else { self.words.longest_at(bytes, at)?.1 };
            Some(self.earlier(bytes, range.start, at).unwrap_or(at..at + len))
        })
    }

    /// The first of them inside the word that goes on at `at`: what stands behind it in the word is a part of it.
    fn earlier(&self, bytes: &[u8], from: usize, at: usize) -> Option<Range<usize>> {
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte >= 0x80;
        let start = at - bytes[from..at].iter().rev().take_while(part).count();
        (start..at).find_map(|place| self.words.longest_at(bytes, place).map(|(_, len)| place..place + len))
    }
}

/// Bytes that are a trigger by themselves.
fn is_sign(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'@'
}

/// Words that can begin a phrase, and signs of an address.
fn trigger_words(entries: &[Entry]) -> Vec<String> {
    let mut patterns = ["://", "www.", "percent", "per cent"].map(str::to_owned).to_vec();
    for entry in entries {
        let first = entry.phrase.split([' ', '-', '\'']).next().unwrap_or("");
        match entry.section {
            Section::Remedy if entry.key == "not" || first.starts_with('<') => {}
            Section::Remedy | Section::Deed => patterns.push(first.to_owned()),
            // Shorter ones stand behind digits.
            Section::Unit | Section::Currency if first.len() < 3 || entry.key == "signs" => {}
            Section::Unit => patterns.extend(entry.phrase.split(' ').map(str::to_owned).next_back()),
            Section::Currency if first.len() > 3 => patterns.push(first.to_owned()),
            Section::Reference if entry.key == "code_labels" => patterns.push(first.to_owned()),
            Section::Reference if entry.key == "domains" => patterns.push(format!(".{first}")),
            _ => {}
        }
    }
    patterns.sort();
    patterns.dedup();
    // A word that begins with another is found by that one.
    let starts =
        |word: &String| patterns.iter().any(|other| other != word && word.starts_with(other.as_str()));
    let is_sign = |word: &String| word.is_empty() || word.bytes().any(is_sign);
    patterns.iter().filter(|word| !is_sign(word) && !starts(word)).cloned().collect()
}
