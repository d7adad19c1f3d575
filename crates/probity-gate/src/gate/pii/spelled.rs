//! Long numbers that are written out digit by digit in words.
//!
//! Seven digits in a row or more are a number that is hidden or dictated. A card among them is a card.

use std::ops::Range;

use super::card;
use super::digits::Digits;
use super::kind::{Hit, Kind};

/// How many digits in words make a number.
const DIGITS_MIN: usize = 7;
/// How many bytes may stand between two words of a number.
const GAP_MAX: usize = 3;

/// A word that is part of a spelled number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// One digit.
    Digit(u8),
    /// The next digit, this many times.
    Times(usize),
}

/// A number in words as it is being read.
#[derive(Debug, Default)]
pub(super) struct Spelled {
    values: Vec<u8>,
    span: Range<usize>,
    times: Option<usize>,
}

impl Spelled {
    /// Reads the next word, which stands at `at`, and gives the number that ended before it, if one did.
    pub(super) fn read(&mut self, text: &str, spelling: Spelling, at: Range<usize>) -> Option<Hit> {
        let is_next = self.span.end <= at.start && {
            let gap = &text.as_bytes()[self.span.end..at.start];
            gap.len() <= GAP_MAX && gap.iter().all(|byte| matches!(byte, b' ' | b',' | b'-' | b'.' | b'\n'))
        };
        let ended = if is_next { None } else { self.end() };
        if self.values.is_empty() && self.times.is_none() {
            self.span.start = at.start;
        }
        self.span.end = at.end;
        match spelling {
            Spelling::Times(n) => self.times = Some(n),
            Spelling::Digit(digit) => {
                let n = self.times.take().unwrap_or(1);
                self.values.extend(std::iter::repeat_n(digit, n));
            }
        }
        ended
    }

    /// The number that was being read, if it is long enough.
    pub(super) fn end(&mut self) -> Option<Hit> {
        let read = std::mem::take(self);
        let counts_up = read.values.windows(2).all(|pair| pair[1] == pair[0] + 1);
        if read.values.len() < DIGITS_MIN || counts_up {
            return None;
        }
        let digits = Digits::of_values(&read.values);
        let is_card = digits.is_some_and(|digits| card::shape(&digits) == card::Shape::Sure);
        Some(Hit::new(if is_card { Kind::Card } else { Kind::SpelledNumber }, read.span))
    }
}
