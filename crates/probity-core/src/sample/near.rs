//! Near-identical tickets: one of them represents the others.
//!
//! A ticket is its words without case, punctuation and the values of numbers. Two are near-identical where about
//! four fifths of their runs of three words are the same, told by minima of hashes (Broder 1997). Only tickets
//! that share a whole band of minima are compared, and only with those that stand for others, so the work grows
//! with the number of tickets and not with its square.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::case::Situation;

/// Minima kept of a ticket.
const N_MINIMA: usize = 32;
/// How many of them must agree: about four fifths.
const N_ALIKE: usize = 26;
/// Bands, and the minima of each. Near-identical tickets share one nearly always: of those with nine tenths in
/// common, 98 in 100 do.
const N_BANDS: usize = 5;
const BAND_ROWS: usize = 6;
/// Words that make one run.
const RUN_WORDS: usize = 3;
/// Tickets of one band that are compared at most. Boilerplate around different tickets fills a band.
const COMPARED_MAX: usize = 16;

/// What is kept of a ticket's text: for each of a number of hash functions, 16 bits of the smallest hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature([u16; N_MINIMA]);

impl Signature {
    /// The signature of what a customer wrote.
    pub(super) fn of(situation: &Situation) -> Self {
        let text = situation.texts().join("\n");
        let mut words = words(&text);
        if words.is_empty() {
            words.push(text);
        }
        let mut minima = [u64::MAX; N_MINIMA];
        for run in words.windows(RUN_WORDS.min(words.len())) {
            let hashed = run_hash(run);
            for (place, minimum) in minima.iter_mut().enumerate() {
                *minimum = (*minimum).min(mixed(hashed, place as u64));
            }
        }
        Signature(minima.map(|minimum| u16::try_from(minimum & 0xffff).expect("sixteen bits")))
    }

    fn is_near(&self, other: &Signature) -> bool {
        self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count() >= N_ALIKE
    }

    fn bands(&self) -> [u32; N_BANDS] {
        std::array::from_fn(|band| {
            let rows = &self.0[band * BAND_ROWS..(band + 1) * BAND_ROWS];
            let hashed = rows.iter().fold(band as u64, |hashed, row| mixed(hashed, u64::from(*row)));
            // Bands that meet by chance are compared in vain and nothing else.
            u32::try_from(hashed >> 32).expect("thirty-two bits")
        })
    }
}

/// No ticket.
const NONE: u32 = u32::MAX;

/// Tickets that stand for others, as chains: for each band the latest that has it, and for each ticket the one
/// before it in each of its bands.
#[derive(Default)]
struct Chains {
    latest: HashMap<u32, u32>,
    before: Vec<[u32; N_BANDS]>,
}

impl Chains {
    /// The tickets that share a band with `bands`, the latest of each band first.
    fn members(&self, bands: [u32; N_BANDS]) -> impl Iterator<Item = u32> {
        bands.into_iter().enumerate().flat_map(move |(band, key)| {
            let first = self.latest.get(&key).copied();
            let next =
                move |place: &u32| Some(self.before[*place as usize][band]).filter(|before| *before != NONE);
            std::iter::successors(first, next).take(COMPARED_MAX)
        })
    }

    /// Adds the next ticket, where it stands for itself.
    fn push(&mut self, bands: Option<[u32; N_BANDS]>) {
        let place = u32::try_from(self.before.len()).expect("fewer tickets than 2³²");
        let mut before = [NONE; N_BANDS];
        for (band, key) in bands.into_iter().flatten().enumerate() {
            before[band] = self.latest.insert(key, place).unwrap_or(NONE);
        }
        self.before.push(before);
    }
}

/// For each signature the place of the one that stands for it: itself, or an earlier one that is near.
pub(super) fn representatives(signatures: &[&Signature]) -> Vec<usize> {
    let mut chains = Chains::default();
    let mut found = Vec::with_capacity(signatures.len());
    for (place, signature) in signatures.iter().enumerate() {
        let bands = signature.bands();
        let mut others = chains.members(bands).map(|other| other as usize);
        let near = others.find(|other| signatures[*other].is_near(signature));
        drop(others);
        chains.push(near.is_none().then_some(bands));
        found.push(near.unwrap_or(place));
    }
    found
}

/// The words of a text: lower case, compatible letters alike, each number a zero. Letters of scripts without
/// spaces are words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_numeric() {
            if !word.ends_with('0') {
                word.push('0');
            }
        } else if stands_alone(c) {
            words.extend([std::mem::take(&mut word), c.to_string()]);
        } else if c.is_alphabetic() {
            word.push(c);
        // An apostrophe is written or left out by the same person.
        } else if !matches!(c, '\'' | '’') {
            words.push(std::mem::take(&mut word));
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Kana, Chinese characters, and the letters of Thai, Lao and Khmer.
fn stands_alone(c: char) -> bool {
    matches!(u32::from(c), 0x0e00..=0x0eff | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff | 0x20000..=0x3ffff)
}

fn run_hash(run: &[String]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for word in run {
        hasher.update(word.as_bytes()).update(b" ");
    }
    u64::from_le_bytes(*hasher.finalize().as_bytes().first_chunk().expect("the hash has 32 bytes"))
}

/// Another hash of `value` for each `salt`, by the last steps of `SplitMix64` (Steele, Lea and Flood 2014).
fn mixed(value: u64, salt: u64) -> u64 {
    let mut word = value ^ salt.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], want: &[usize]) {
        let signature = |text: &&str| Signature::of(&Situation::Ticket((*text).into()));
        let signatures: Vec<Signature> = texts.iter().map(signature).collect();
        let signatures: Vec<&Signature> = signatures.iter().collect();
        assert_eq!(representatives(&signatures), want, "{texts:?}");
    }

    #[test]
    fn case_numbers_punctuation_and_space_do_not_count() {
        check(
            &["Where is order #4711?", "where is   order 12", "WHERE IS ORDER 9!!", "Where is my order?"],
            &[0, 0, 0, 3],
        );
        check(&["I don't know", "i dont know", "I do know"], &[0, 0, 2]);
        check(&["Ｒefund", "refund", "refunds"], &[0, 0, 2]);
    }

    const LONG: &str = "Hello, I ordered the blue kettle three weeks ago and it still has not arrived, although \
        the tracking page says that it was handed over to the courier on Monday and should be here by now. Could \
        you please find out where it is and send me another one if it is lost? Thank you very much in advance";

    #[test]
    fn one_word_in_a_long_ticket_is_near_and_another_ticket_is_not() {
        let signed = format!("{LONG}, Anna");
        let other = LONG.replace("blue kettle", "red toaster");
        check(&[LONG, &signed, &other, "My kettle leaks."], &[0, 0, 0, 3]);
        check(&["refund please", "refund now", "cancel please"], &[0, 1, 2]);
    }

    #[test]
    fn texts_without_words_are_themselves() {
        check(&["???", "!!!", "???", "", ""], &[0, 1, 0, 3, 3]);
        check(&["注文はどこですか", "注文はどこですか。", "返金してください"], &[0, 0, 2]);
    }
}
