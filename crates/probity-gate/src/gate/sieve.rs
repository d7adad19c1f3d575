//! Many fixed words, found in a text in one pass that hardly looks at most of it.
//!
//! A few bytes at every place, or at every second or third where all words are long, are looked up in a
//! table. No place is passed over where a word starts; where one may, the words that start like the text are
//! compared with it. The longest word at the leftmost place is found, whatever the case of its ASCII letters.

use std::ops::Range;

use super::eight::{HIGH_BITS, eight, every, fold, mask, spread};
use super::word_set::WordSet;

/// How many places the table has, each a bit: enough that a few hundred words leave it almost empty.
const PLACES: usize = 1 << PLACES_LOG2;

const PLACES_LOG2: u32 = 17;

/// The most bytes that are looked at together.
const BYTES_MAX: usize = 4;

/// The longest step from one look to the next, in bytes.
const STEP_MAX: usize = 8;

/// How many looks are taken before one asks whether any found something.
const LOOKS: usize = 4;

/// A set of words.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    /// For each place one, where a word starts that has it, or zero.
    table: Box<[u64; PLACES / 64]>,
    /// The only word of two bytes, where all others are longer; else zero. It is compared everywhere.
    pair: u64,
    /// Which bytes are looked at.
    mask: u64,
    /// How many bytes lie between two looks.
    step: usize,
    words: WordSet,
}

impl Sieve {
    /// The set of `words`, none of them empty.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Sieve {
        let words = WordSet::of(words);
        let mut lens: Vec<usize> = words.words().map(<[u8]>::len).collect();
        lens.sort_unstable();
        let has_pair = lens.first() == Some(&2) && lens.get(1).is_none_or(|len| *len > 2);
        let is_pair = |word: &&[u8]| has_pair && word.len() == 2;
        let shortest = lens.get(usize::from(has_pair)).copied().unwrap_or(BYTES_MAX);
        // One byte of a look may lie behind a word that is short, or behind one at its last step.
        let n_bytes = (shortest + usize::from(shortest < BYTES_MAX)).min(BYTES_MAX);
        let step = if shortest < BYTES_MAX || has_pair { 1 } else { (shortest - 2).min(STEP_MAX) };
        let pair = words.words().find(is_pair).map_or(0, |word| fold(eight(word)) & mask(2));
        let table = Box::new([0; PLACES / 64]);
        let mut sieve = Sieve { table, pair, mask: mask(n_bytes), step, words: words.clone() };
        for word in words.words().filter(|word| !is_pair(word)) {
            for rest in (0..step).map(|offset| &word[offset..]) {
                sieve.add(&rest[..rest.len().min(n_bytes)], n_bytes);
            }
        }
        sieve
    }

    /// Adds what a look that starts with `known` can see.
    fn add(&mut self, known: &[u8], n_bytes: usize) {
        let mut bytes = [0; 8];
        bytes[..known.len()].copy_from_slice(known);
        let unknown = if known.len() < n_bytes { 0..=u8::MAX } else { 0..=0 };
        for last in unknown {
            bytes[known.len()] = last;
            let place = self.place(u64::from_le_bytes(bytes));
            self.table[place / 64] |= 1 << (place % 64);
        }
    }

    /// The first word from `from` on, by its number, and where it stands. Of several that start at one place it is
    /// the longest, and of equal ones the first.
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<(usize, Range<usize>)> {
        let mut at = self.next(bytes, from)?;
        loop {
            if let Some((number, len)) = self.words.longest_at(bytes, at) {
                return Some((number, at..at + len));
            }
            at = self.next(bytes, at + 1)?;
        }
    }

    /// The next place from `from` on where a word may start.
    fn next(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let mut at = from.next_multiple_of(self.step);
        while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let near = u64::from_le_bytes(*eight);
            if self.step > 1 {
                // Two looks fit into eight bytes where they are near each other.
                let n_looks = if self.step + BYTES_MAX <= 8 { 2 } else { 1 };
                if let Some(n) = (0..n_looks).find(|n| self.has(near >> (8 * self.step * n)) == 1) {
                    return Some(from.max((at + n * self.step + 1).saturating_sub(self.step)));
                }
                at += n_looks * self.step;
                continue;
            }
            let found = self.has(near) | self.has(near >> 8) | self.has(near >> 16) | self.has(near >> 24);
            let pairs = self.pairs(near) & (HIGH_BITS >> (64 - 8 * LOOKS));
            if found == 1 || pairs != 0 {
                let stops = |n: &usize| (self.has(near >> (8 * n)) | (pairs >> (8 * n + 7))) & 1 == 1;
                return (0..LOOKS).find(stops).map(|n| at + n);
            }
            at += LOOKS;
        }
        // The last few bytes are too few to be told.
        let last = (at + 1).saturating_sub(self.step);
        (from.max(last) < bytes.len()).then(|| from.max(last))
    }

    /// One where a word may start with the first of `near`, else zero.
    fn has(&self, near: u64) -> u64 {
        let place = self.place(near);
        (self.table[place / 64] >> (place % 64)) & 1
    }

    /// The highest bit of each byte of `near` but the last where the word of two bytes starts, and perhaps of others.
    fn pairs(&self, near: u64) -> u64 {
        if self.pair == 0 {
            return 0;
        }
        let (first, second) = (self.pair & 0xFF, (self.pair >> 8) & 0xFF);
        let (first, second) = (first * every(1), second * every(1));
        less_than(fold(near) ^ first, 1) & less_than(fold(near >> 8) ^ second, 1)
    }

    fn place(&self, near: u64) -> usize {
        spread(fold(near) & self.mask, u64::BITS - PLACES_LOG2)
    }
}

/// The highest bit of each byte that is less than `limit`, and perhaps of others behind the first of them.
fn less_than(bytes: u64, limit: u8) -> u64 {
    bytes.wrapping_sub(every(limit)) & !bytes & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every place from `from` on that the sieve stops at.
    fn stops(sieve: &Sieve, text: &str) -> Vec<usize> {
        let next = |from: usize| sieve.next(text.as_bytes(), from);
        std::iter::successors(next(0), |at| next(at + 1)).collect()
    }

    #[test]
    fn most_places_are_passed_over() {
        let words = ["refund", "voucher", "day"];
        let sieve = Sieve::of(words.iter().map(AsRef::<[u8]>::as_ref));
        let text = "No money for the VOUCHER of that day, I said, and no return of the goods";
        let stops = stops(&sieve, text);
        assert!(stops.contains(&17) && stops.contains(&33) && stops.len() < 14, "{stops:?}");
    }

    #[test]
    fn the_longest_of_the_leftmost_is_found() {
        let words = ["ending", "end", "ding", "ENDING in", "end"];
        let sieve = Sieve::of(words.iter().map(AsRef::<[u8]>::as_ref));
        let find = |text: &str| {
            sieve.find(text.as_bytes(), 0).map(|(number, range)| (number, text[range].to_owned()))
        };
        assert_eq!(find("an ENDING"), Some((0, "ENDING".to_owned())));
        assert_eq!(find("ending in 4"), Some((3, "ending in".to_owned())));
        assert_eq!(find("the bend"), Some((1, "end".to_owned())));
        assert_eq!(find("en ding"), Some((2, "ding".to_owned())));
        assert_eq!(find("en"), None);
    }

    #[test]
    fn nothing_is_in_nothing() {
        assert_eq!(stops(&Sieve::of(std::iter::empty()), ""), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn no_word_is_passed_over(
            words in proptest::collection::vec("[a-cA-C.]{1,12}", 1..4),
            text in "[a-cA-C. ]{0,40}",
        ) {
            let sieve = Sieve::of(words.iter().map(AsRef::<[u8]>::as_ref));
            let text = format!("{text}{}{text}", words[0]);
            let stops = stops(&sieve, &text);
            for word in &words {
                let (text, word) = (text.to_ascii_lowercase(), word.to_ascii_lowercase());
                for at in (0..text.len()).filter(|at| text[*at..].starts_with(&word)) {
                    prop_assert!(stops.contains(&at), "{word:?} at {at}");
                }
            }
        }
    }
}
