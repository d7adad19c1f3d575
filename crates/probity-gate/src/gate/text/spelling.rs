//! A text written anew in one spelling, with the way back to the original.
//!
//! Clean text is what everything is read from, plain text is what phrases are looked for in, and squashed text is what
//! values are compared by. No spelling keeps a character that a reader does not see.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use crate::case::is_format;

/// The code points of the zeros of all scripts with decimal digits (general category Nd), in order. The
/// nine digits after each zero follow it.
const ZEROS: &[u32] = &[
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50,
    0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40,
    0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10, 0x104a0, 0x10d30, 0x11066,
    0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x11730, 0x118e0, 0x11950,
    0x11c50, 0x11d50, 0x11da0, 0x16a60, 0x16ac0, 0x16b50, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
    0x1e140, 0x1e2f0, 0x1e950, 0x1fbf0,
];

/// A text that was written anew. Every range of it stands for a range of whole characters of the original.
#[derive(Debug, Default)]
pub(in crate::gate) struct Rewritten {
    text: String,
    /// What stretches of the text stand for, in order.
    pieces: Vec<Piece>,
}

/// A stretch of the new text, which ends where the next one starts.
#[derive(Debug, Clone, Copy)]
struct Piece {
    at: usize,
    /// What it stands for in the original.
    origin: (usize, usize),
    /// Whether each character stands for one as long as itself, rather than the whole for the whole.
    is_even: bool,
}

impl Rewritten {
    /// The text that `append` makes of each character of the original with the marks on it.
    fn of(original: &str, append: impl Fn(&str, &mut String)) -> Self {
        let mut new = Rewritten { text: String::with_capacity(original.len()), pieces: Vec::new() };
        let mut chars = original.char_indices().peekable();
        while let Some((at, char)) = chars.next() {
            let mut end = at + char.len_utf8();
            while let Some((_, mark)) =
                chars.next_if(|(_, next)| !next.is_ascii() && is_combining_mark(*next))
            {
                end += mark.len_utf8();
            }
            let from = new.text.len();
            append(&original[at..end], &mut new.text);
            new.note(from, char, at..end);
        }
        new
    }

    /// One spelling for the many ways in which Unicode writes the same thing: digits of every script become ASCII
    /// digits, compatibility forms their plain form (NFKC), spaces a space, dashes a hyphen, bullets an asterisk,
    /// money signs a dollar, other symbols a space; marks become part of their letter. So all that is left outside ASCII
    /// is letters. Letters of other scripts that look like Latin ones stay what they are.
    pub(in crate::gate) fn clean(original: &str) -> Self {
        if original.is_ascii() {
            let piece = Piece { at: 0, origin: (0, original.len()), is_even: true };
            return Rewritten { text: original.to_owned(), pieces: vec![piece] };
        }
        Rewritten::of(original, clean)
    }

    /// Lower case with single spaces, made of clean text.
    pub(super) fn plain(clean: &str) -> Self {
        if clean.is_ascii() {
            return Rewritten::plain_ascii(clean);
        }
        Rewritten::of(clean, |char, text| match char.as_bytes() {
            [byte] if !byte.is_ascii_whitespace() => text.push(char::from(byte.to_ascii_lowercase())),
            [_] if text.ends_with(' ') => {}
            [_] => text.push(' '),
            _ => text.extend(char.chars().flat_map(char::to_lowercase)),
        })
    }

    /// The same for most texts, whose characters are all one byte.
    fn plain_ascii(clean: &str) -> Self {
        let mut text = clean.to_ascii_lowercase();
        let mut pieces = vec![Piece { at: 0, origin: (0, clean.len()), is_even: true }];
        let (mut n_dropped, mut is_space) = (0, false);
        text.retain({
            let (mut at, pieces) = (0, &mut pieces);
            move |char| {
                let was_space = std::mem::replace(&mut is_space, char.is_ascii_whitespace());
                let is_kept = !(was_space && is_space);
                n_dropped += usize::from(!is_kept);
                at += 1;
                if was_space
                    && !is_space
                    && pieces
                        .last()
                        .is_some_and(|last| at - 1 - n_dropped != at - 1 + last.at - last.origin.0)
                {
                    pieces.push(Piece {
                        at: at - 1 - n_dropped,
                        origin: (at - 1, clean.len()),
                        is_even: true,
                    });
                }
                is_kept
            }
        });
        Rewritten { text: text.replace(['\n', '\t', '\r', '\u{c}'], " "), pieces }
    }

    /// Letters and digits alone, in lower case and without accents.
    pub(in crate::gate) fn squashed(original: &str) -> Self {
        Rewritten::of(original, |char, text| match char.as_bytes() {
            [byte] if byte.is_ascii_alphanumeric() => text.push(char::from(byte.to_ascii_lowercase())),
            [_] => {}
            _ => text.extend(bare(char).filter(|char| char.is_alphanumeric())),
        })
    }

    /// Adds `char` for the characters of the original at `origin`.
    pub(in crate::gate) fn push(&mut self, char: char, origin: Range<usize>) {
        let from = self.text.len();
        self.text.push(char);
        self.note(from, char, origin);
    }

    /// Notes that the new text from `from` on stands for `origin`, which begins with `char`.
    fn note(&mut self, from: usize, char: char, origin: Range<usize>) {
        let new = &self.text[from..];
        if new.is_empty() {
            return;
        }
        let is_one = char.len_utf8() == origin.len() && new.chars().nth(1).is_none();
        let is_even = is_one && new.len() == origin.len();
        match self.pieces.last_mut() {
            Some(last) if is_even && last.is_even && last.origin.1 == origin.start => {
                last.origin.1 = origin.end;
            }
            _ => self.pieces.push(Piece { at: from, origin: (origin.start, origin.end), is_even }),
        }
    }

    /// The new text.
    pub(in crate::gate) fn text(&self) -> &str {
        &self.text
    }

    /// What a range of the new text stands for in the original.
    pub(in crate::gate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| self.pieces[self.pieces.partition_point(|piece| piece.at <= at).max(1) - 1];
        if range.is_empty() {
            return range.clone();
        }
        let (first, last) = (piece(range.start), piece(range.end - 1));
        let start = if first.is_even { first.origin.0 + range.start - first.at } else { first.origin.0 };
        let end = if last.is_even { last.origin.0 + range.end - last.at } else { last.origin.1 };
        start..end
    }
}

/// The letters of `text` in lower case and without accents, with everything else in it.
pub(in crate::gate) fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars().nfkd().filter(|char| !is_combining_mark(*char)).flat_map(char::to_lowercase)
}

fn clean(char: &str, text: &mut String) {
    let Some(first) = char.chars().next() else { return };
    let is_alone = first.len_utf8() == char.len();
    if is_alone && first.is_alphabetic() && is_nfkc_quick(std::iter::once(first)) == IsNormalized::Yes {
        text.extend((!is_format(first)).then_some(first));
        return;
    }
    if let Some(ascii) = ascii(first).filter(|ascii| is_alone || !ascii.is_ascii_alphabetic()) {
        text.push(ascii);
    } else if !is_format(first) {
        let seen = char.nfkc().filter(|part| !is_combining_mark(*part) && !is_format(*part));
        text.extend(seen.map(|part| ascii(part).unwrap_or(if part.is_alphanumeric() { part } else { ' ' })));
    }
}

/// The ASCII character that `char` stands for, where that is certain.
fn ascii(char: char) -> Option<char> {
    match char {
        '\0'..='\u{7f}' => Some(char),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => Some('-'),
        '\u{2022}' | '\u{2023}' | '\u{25e6}' | '\u{25cf}' | '\u{25aa}' | '\u{25a0}' | '\u{2588}'
        | '\u{b7}' | '\u{2219}' | '\u{22c5}' | '\u{2217}' | '\u{2731}' | '\u{30fb}' | '\u{2592}'
        | '\u{2593}' => Some('*'),
        '\u{2028}' | '\u{2029}' | '\u{85}' => Some('\n'),
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{b4}' => Some('\''),
        '\u{2024}' | '\u{3002}' => Some('.'),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => Some('"'),
        '\u{a3}' | '\u{a5}' | '\u{20a0}'..='\u{20c0}' => Some('$'),
        '\u{d7}' => Some('x'),
        '\u{2044}' => Some('/'),
        '\u{2120}' | '\u{2122}' => Some(' '),
        _ if char.is_whitespace() => Some(' '),
        _ => {
            let code = u32::from(char);
            let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
            char::from_digit(code - zero, 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(Rewritten::clean(text).text(), want, "{text:?}");
    }

    #[test]
    fn every_script_has_the_same_digits() {
        check("٤١١١ १२३ ４２ 𝟜𝟙 ߁", "4111 123 42 41 1");
    }

    #[test]
    fn spaces_dashes_and_bullets_are_one_each() {
        check("4\u{a0}1\u{2009}1\u{2007}1\u{2011}2 • ●", "4 1 1 1-2 * *");
    }

    #[test]
    fn what_a_reader_does_not_see_is_dropped() {
        check("4\u{200b}1\u{2060}1\u{feff}1\u{fe0f}1", "41111");
        check("jane＠gmail．com é ﬁ", "jane@gmail.com é fi");
    }

    proptest! {
        /// Any stretch of clean text comes from whole characters of the original.
        #[test]
        fn ranges_map_back_to_whole_characters(text in any::<String>(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
            let clean = Rewritten::clean(&text);
            let len = clean.text().len();
            let [a, b] = [a, b].map(|at| clean.text().floor_char_boundary(at.index(len + 1)));
            let back = clean.original(&(a.min(b)..a.max(b)));
            prop_assert!(a == b || (back.start < back.end && back.end <= text.len()));
            prop_assert!(a == b || (text.is_char_boundary(back.start) && text.is_char_boundary(back.end)));
        }

        /// A digit comes from a character that is that digit in some script.
        #[test]
        fn a_digit_maps_back_to_its_character(before in "\\PC{0,8}", digit in 0u32..10, zero in 0..ZEROS.len()) {
            let char = char::from_u32(ZEROS[zero] + digit).unwrap();
            let text = format!("{before}{char}");
            let clean = Rewritten::clean(&text);
            let end = clean.text().len();
            prop_assert_eq!(&text[clean.original(&(end - 1..end))], char.to_string());
            prop_assert_eq!(clean.text().chars().last(), char::from_digit(digit, 10));
        }
    }
}
