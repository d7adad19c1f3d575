//! A text as the checks read it: written anew in one spelling, with the way back to the original.
//!
//! Folded text is what personal data is looked for in, plain text is what phrases are looked for in, and squashed
//! text is what values are compared by. No spelling keeps a character that a reader does not see.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

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
pub(super) struct Rewritten {
    text: String,
    /// For each byte of the text, the start and the end of what it stands for in the original.
    origins: Vec<(usize, usize)>,
}

impl Rewritten {
    /// The text that `append` makes of each character of the original.
    fn of(original: &str, append: impl Fn(char, &mut String)) -> Self {
        let mut new = Rewritten {
            text: String::with_capacity(original.len()),
            origins: Vec::with_capacity(original.len()),
        };
        for (at, char) in original.char_indices() {
            append(char, &mut new.text);
            new.origins.resize(new.text.len(), (at, at + char.len_utf8()));
        }
        new
    }

    /// One spelling for the many ways in which Unicode writes the same thing: digits of every script become ASCII
    /// digits, compatibility forms their plain form (NFKD), spaces a space, dashes a hyphen, bullets an asterisk,
    /// money signs a dollar, other symbols a space; marks are dropped. So all that is left outside ASCII is letters.
    /// Letters of other scripts that look like Latin ones stay what they are.
    pub(super) fn folded(original: &str) -> Self {
        if original.is_ascii() {
            let origins = (0..original.len()).map(|at| (at, at + 1)).collect();
            return Rewritten { text: original.to_owned(), origins };
        }
        Rewritten::of(original, fold)
    }

    /// Lower case with single spaces and straight quotes.
    pub(super) fn plain(original: &str) -> Self {
        Rewritten::of(original, |char, text| match char {
            '!'..='~' => text.push(char.to_ascii_lowercase()),
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => text.push('\''),
            '\u{201c}' | '\u{201d}' => text.push('"'),
            _ if char.is_whitespace() && text.ends_with(' ') => {}
            _ if char.is_whitespace() => text.push(' '),
            _ if is_format(char) => {}
            _ => text.extend(char.to_lowercase()),
        })
    }

    /// Letters and digits alone, in lower case.
    pub(super) fn squashed(original: &str) -> Self {
        Rewritten::of(original, |char, text| {
            if char.is_alphanumeric() {
                text.extend(char.to_lowercase());
            }
        })
    }

    /// Adds `char` for the characters of the original at `origin`.
    pub(super) fn push(&mut self, char: char, origin: Range<usize>) {
        self.text.push(char);
        self.origins.resize(self.text.len(), (origin.start, origin.end));
    }

    /// The new text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What a range of the new text stands for in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return range.clone();
        }
        self.origins[range.start].0..self.origins[range.end - 1].1
    }
}

fn fold(char: char, text: &mut String) {
    if let Some(ascii) = ascii(char) {
        text.push(ascii);
    } else if !is_format(char) {
        let seen = std::iter::once(char).nfkd().filter_map(|part| match ascii(part) {
            Some(ascii) => Some(ascii),
            None if is_combining_mark(part) => None,
            None => Some(if part.is_alphanumeric() { part } else { ' ' }),
        });
        text.extend(seen);
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
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{2024}' | '\u{3002}' => Some('.'),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => Some('"'),
        '\u{a3}' | '\u{a5}' | '\u{20a0}'..='\u{20c0}' => Some('$'),
        '\u{d7}' => Some('x'),
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
        assert_eq!(Rewritten::folded(text).text(), want, "{text:?}");
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
        check("jane＠gmail．com é ﬁ", "jane@gmail.com e fi");
    }

    proptest! {
        /// Any stretch of folded text comes from whole characters of the original.
        #[test]
        fn ranges_map_back_to_whole_characters(text in any::<String>(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
            let folded = Rewritten::folded(&text);
            let len = folded.text().len();
            let (a, b) = (a.index(len + 1), b.index(len + 1));
            let back = folded.original(&(a.min(b)..a.max(b)));
            prop_assert!(a == b || (back.start < back.end && back.end <= text.len()));
            prop_assert!(a == b || (text.is_char_boundary(back.start) && text.is_char_boundary(back.end)));
        }

        /// A digit comes from a character that is that digit in some script.
        #[test]
        fn a_digit_maps_back_to_its_character(before in "\\PC{0,8}", digit in 0u32..10, zero in 0..ZEROS.len()) {
            let char = char::from_u32(ZEROS[zero] + digit).unwrap();
            let text = format!("{before}{char}");
            let folded = Rewritten::folded(&text);
            let end = folded.text().len();
            prop_assert_eq!(&text[folded.original(&(end - 1..end))], char.to_string());
            prop_assert_eq!(folded.text().chars().last(), char::from_digit(digit, 10));
        }
    }
}
