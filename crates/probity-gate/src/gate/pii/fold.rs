//! One spelling for the many ways in which Unicode writes the same thing, with the way back.
//!
//! Digits of every script become ASCII digits, compatibility forms their plain form (NFKD), spaces a
//! space, dashes a hyphen, bullets an asterisk, money signs a dollar, other symbols a space; marks and
//! characters that a reader does not see are dropped. So all that is left outside ASCII is letters. Text in ASCII
//! is its own folding and is never copied. Letters of other scripts that look like Latin ones stay what they are. Every range of folded text maps to a range of whole characters of the original.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::super::rewritten::Rewritten;
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

/// Text in one spelling.
#[derive(Debug)]
pub(super) struct Folded<'t> {
    original: &'t str,
    /// None where the text is its own folding.
    folded: Option<Rewritten>,
}

impl<'t> Folded<'t> {
    /// `text` in one spelling.
    pub(super) fn new(text: &'t str) -> Self {
        let folded = (!text.is_ascii()).then(|| {
            let mut folded = Rewritten::with_capacity(text.len());
            text.char_indices().for_each(|(at, char)| fold_char(&mut folded, at, char));
            folded
        });
        Folded { original: text, folded }
    }

    /// The folded text.
    pub(super) fn text(&self) -> &str {
        self.folded.as_ref().map_or(self.original, Rewritten::text)
    }

    /// The whole characters of the original that `span` of the folded text comes from.
    pub(super) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.folded.as_ref().map_or(span.clone(), |folded| folded.original(span))
    }
}

/// Adds what `char`, which stands at `at`, folds to.
fn fold_char(folded: &mut Rewritten, at: usize, char: char) {
    let origin = at..at + char.len_utf8();
    if char.is_ascii() {
        folded.push(char, origin);
    } else if let Some(plain) = plain(char) {
        folded.push(plain, origin);
    } else if !is_format(char) {
        for part in std::iter::once(char).nfkd() {
            let seen = match plain(part) {
                Some(plain) => plain,
                None if is_combining_mark(part) => continue,
                None if part.is_alphanumeric() || part.is_ascii() => part,
                None => ' ',
            };
            folded.push(seen, origin.clone());
        }
    }
}

/// The ASCII character that `char` stands for, where that is certain.
fn plain(char: char) -> Option<char> {
    match char {
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
        _ => decimal(char),
    }
}

/// The ASCII digit of the same value.
fn decimal(char: char) -> Option<char> {
    let code = u32::from(char);
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(Folded::new(text).text(), want, "{text:?}");
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

    #[test]
    fn ascii_is_not_copied() {
        assert!(Folded::new("plain").folded.is_none());
    }

    proptest! {
        /// Any stretch of folded text comes from whole characters of the original.
        #[test]
        fn ranges_map_back_to_whole_characters(text in any::<String>(), a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
            let folded = Folded::new(&text);
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
            let folded = Folded::new(&text);
            let end = folded.text().len();
            prop_assert_eq!(&text[folded.original(&(end - 1..end))], char.to_string());
            prop_assert_eq!(folded.text().chars().last(), char::from_digit(digit, 10));
        }
    }
}
