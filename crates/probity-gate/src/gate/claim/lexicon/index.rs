//! How words of the lists are found: one word by its letters, and places of a text that may hold one.
//!
//! The words are in a table of open addresses with a fixed hash, so a lookup is the same everywhere and its
//! cost does not depend on the text around the word.

use std::collections::BTreeMap;
use std::ops::Range;

use super::super::super::eight::{eight, lower, mask, spread};
use super::super::super::outline::{Ending, Family, Heads, Outline};
use super::super::super::word_set::WordSet;
use super::super::token::WordId;
use super::read::{Entry, Section};

/// How many words a bucket holds.
const BUCKET_WORDS: usize = 2;

/// How many bytes of a word are compared together.
const HEAD_BYTES: usize = 8;

/// The words of the lists with their numbers.
#[derive(Debug, Clone)]
pub(super) struct Words {
    /// By hash; a power of two. Nearly none is full: all words of a bucket are compared whatever it holds, because
    /// whether a word is in the lists is hard to foresee.
    buckets: Vec<[Slot; BUCKET_WORDS]>,
    /// All words, one behind the other.
    letters: Vec<u8>,
}

/// A place for a word. A `number` of zero is free.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The first bytes of the word.
    head: u64,
    start: u32,
    len: u16,
    number: u16,
}

impl Slot {
    /// Whether its word has this head and this length.
    fn fits(&self, head: u64, len: usize) -> bool {
        (self.head == head) & (usize::from(self.len) == len)
    }
}

impl Words {
    pub(super) fn of(numbers: &BTreeMap<Box<[u8]>, u16>) -> Words {
        let n_buckets = (numbers.len() * 3).next_power_of_two().max(2);
        let mut words = Words { buckets: vec![Default::default(); n_buckets], letters: Vec::new() };
        for (word, number) in numbers {
            let start = u32::try_from(words.letters.len()).expect("word lists are far below four gigabytes");
            words.letters.extend_from_slice(word);
            // A word too long for its slot is never found; no word is near that.
            let len = u16::try_from(word.len()).unwrap_or(0);
            let head = lower(eight(word));
            let mut at = words.bucket(head, word.len());
            let free = loop {
                match words.buckets[at].iter().position(|slot| slot.number == 0) {
                    Some(free) => break free,
                    None => at = (at + 1) & (n_buckets - 1),
                }
            };
            words.buckets[at][free] = Slot { head, start, len, number: *number };
        }
        words
    }

    /// The number of the word that has the first `len` bytes of `text`, whatever the case of its ASCII letters.
    pub(super) fn lookup(&self, text: &[u8], len: usize) -> WordId {
        let head = lower(eight(text) & mask(len));
        let mut at = self.bucket(head, len);
        loop {
            let bucket = &self.buckets[at];
            let number = if len > HEAD_BYTES {
                let fitting =
                    bucket.iter().find(|slot| slot.fits(head, len) && self.has_rest(slot, &text[..len]));
                fitting.map_or(0, |slot| slot.number)
            } else {
                // At most one of them fits; the others add nothing.
                bucket.iter().fold(0, |all, slot| all | if slot.fits(head, len) { slot.number } else { 0 })
            };
            if number != 0 || bucket[BUCKET_WORDS - 1].number == 0 {
                return WordId(number);
            }
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    /// Whether a word with the head and the length of the one in `slot` is that one.
    fn has_rest(&self, slot: &Slot, word: &[u8]) -> bool {
        let start = slot.start as usize;
        self.letters[start..start + word.len()].eq_ignore_ascii_case(word)
    }

    fn bucket(&self, head: u64, len: usize) -> usize {
        spread(head.wrapping_add((len as u64) << 3), 32) & (self.buckets.len() - 1)
    }
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
