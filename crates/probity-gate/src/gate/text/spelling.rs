//! A text written anew in one spelling, with the way back to the original.
//!
//! Clean text is what everything is read from, plain text is what phrases are looked for in, and squashed text is what
//! values are compared by. No spelling keeps a character that a reader does not see.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::case::is_format;

/// A text that was written anew. Every range of it stands for a range of whole characters of the original.
#[derive(Debug, Default)]
pub(in crate::gate) struct Rewritten {
    text: String,
    /// What the text is made of, in order. Empty where it is the original.
    runs: Vec<Run>,
}

/// A part of a text that was written anew.
#[derive(Debug)]
struct Run {
    /// Where it starts in the new text.
    at: usize,
    /// What it stands for in the original.
    origin: Range<usize>,
    /// Whether each of its characters stands for one of the original that is as long.
    is_straight: bool,
}

impl Rewritten {
    /// The text that `append` makes of each character of the original with the marks on it.
    fn of(original: &str, append: impl Fn(&str, &mut String)) -> Self {
        let mut new = Rewritten { text: String::with_capacity(original.len()), runs: Vec::new() };
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
            new.stands_for(from, at..end);
        }
        new
    }

    /// Says what the text from `from` on stands for.
    fn stands_for(&mut self, from: usize, origin: Range<usize>) {
        let new = &self.text[from..];
        if new.is_empty() {
            return;
        }
        let is_straight = new.len() == origin.len() && new.chars().nth(1).is_none();
        match self.runs.last_mut() {
            Some(last) if is_straight && last.is_straight && last.origin.end == origin.start => {
                last.origin.end = origin.end;
            }
            _ => self.runs.push(Run { at: from, origin, is_straight }),
        }
    }

    /// One spelling for the many ways in which Unicode writes the same thing: digits of every script become ASCII
    /// digits, compatibility forms their plain form (NFKC), spaces a space, dashes a hyphen, bullets an asterisk,
    /// money signs a dollar, other symbols a space; marks become part of their letter. So all that is left outside ASCII
    /// is letters. Letters of other scripts that look like Latin ones stay what they are.
    pub(in crate::gate) fn clean(original: &str) -> Self {
        if original.is_ascii() {
            return Rewritten { text: original.to_owned(), runs: Vec::new() };
        }
        Rewritten::of(original, clean)
    }

    /// Lower case with single spaces, made of clean text: all of it but what follows the first of several spaces. Letters
    /// whose lower case is longer or shorter stay what they are.
    pub(super) fn plain(clean: &str) -> Self {
        let is_space = u8::is_ascii_whitespace;
        let plain = |byte: u8| if is_space(&byte) { b' ' } else { byte.to_ascii_lowercase() };
        let lower = |char: char| {
            char.to_lowercase().find(|lower| lower.len_utf8() == char.len_utf8()).unwrap_or(char)
        };
        let all = if clean.is_ascii() { clean.to_owned() } else { clean.chars().map(lower).collect() };
        let (mut text, mut runs, mut from) = (Vec::with_capacity(clean.len()), Vec::new(), 0);
        while from < clean.len() {
            let rest = &all.as_bytes()[from..];
            let kept =
                rest.windows(2).position(|pair| pair.iter().all(is_space)).map_or(rest.len(), |at| at + 1);
            runs.push(Run { at: text.len(), origin: from..from + kept, is_straight: true });
            text.extend(rest[..kept].iter().copied().map(plain));
            from += kept + rest[kept..].iter().take_while(|byte| is_space(byte)).count();
        }
        Rewritten { text: String::from_utf8(text).unwrap_or_default(), runs }
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
        self.stands_for(from, origin);
    }

    /// The new text.
    pub(in crate::gate) fn text(&self) -> &str {
        &self.text
    }

    /// What a range of the new text stands for in the original.
    pub(in crate::gate) fn original(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() || self.runs.is_empty() {
            return range.clone();
        }
        let origin = |at: usize| {
            let run = &self.runs[self.runs.partition_point(|run| run.at <= at) - 1];
            let start = run.origin.start + at - run.at;
            if run.is_straight { start..start + 1 } else { run.origin.clone() }
        };
        origin(range.start).start..origin(range.end - 1).end
    }
}

/// The letters of `text` in lower case and without accents, with everything else in it.
pub(in crate::gate) fn bare(text: &str) -> impl Iterator<Item = char> {
    text.chars().nfkd().filter(|char| !is_combining_mark(*char)).flat_map(char::to_lowercase)
}

fn clean(char: &str, text: &mut String) {
    let Some(first) = char.chars().next() else { return };
    let is_alone = first.len_utf8() == char.len();
    if let Some(ascii) = ascii(first).filter(|ascii| is_alone || !ascii.is_ascii_alphabetic()) {
        text.push(ascii);
    } else if !is_format(first) {
        let seen = char.nfkc().filter(|part| !is_combining_mark(*part) && !is_format(*part));
        text.extend(seen.map(|part| ascii(part).unwrap_or(if part.is_alphanumeric() { part } else { ' ' })));
    }
}

/// The ASCII character that `char` stands for, where that is certain.
fn ascii(char: char) -> Option<char> {
    static STANDS_FOR: LazyLock<HashMap<char, char>> = LazyLock::new(stands_for);
    let space = || char.is_whitespace().then_some(' ');
    if char.is_ascii() { Some(char) } else { STANDS_FOR.get(&char).copied().or_else(space) }
}

#[derive(Deserialize)]
struct Characters {
    zeros: String,
    stands_for: BTreeMap<char, String>,
}

fn stands_for() -> HashMap<char, char> {
    let Characters { zeros, stands_for } = toml::from_str(include_str!("../../../data/characters.toml"))
        .expect("the built-in table is read by every test");
    let digit = |zero, n| Some((char::from_u32(u32::from(zero) + n)?, char::from_digit(n, 10)?));
    let digits = zeros.chars().flat_map(|zero| (0..10).filter_map(move |n| digit(zero, n)));
    let others = stands_for.iter().flat_map(|(ascii, all)| all.chars().map(|char| (char, *ascii)));
    digits.chain(others).collect()
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
        fn a_digit_maps_back_to_its_character(before in "\\PC{0,8}", digit in 0u32..10, zero in prop::sample::select("0٠۰०๐０𝟎".chars().collect::<Vec<_>>())) {
            let char = char::from_u32(u32::from(zero) + digit).unwrap();
            let text = format!("{before}{char}");
            let clean = Rewritten::clean(&text);
            let end = clean.text().len();
            prop_assert_eq!(&text[clean.original(&(end - 1..end))], char.to_string());
            prop_assert_eq!(clean.text().chars().last(), char::from_digit(digit, 10));
        }
    }
}
