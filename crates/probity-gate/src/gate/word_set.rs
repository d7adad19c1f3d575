//! Many fixed words, and which of them stand at a place of a text, whatever the case of their ASCII letters.

use std::cmp::Reverse;

/// How many bits of a byte say which words it can start: letters of either case have them in common.
const BITS: u32 = 5;

/// A set of words.
#[derive(Debug, Clone)]
pub(super) struct WordSet {
    words: Vec<Box<[u8]>>,
    /// The numbers of the words by their first two bytes, longest first.
    by_start: Vec<Vec<usize>>,
}

impl WordSet {
    /// The set of `words`, none of them empty.
    pub(super) fn of<'w>(words: impl Iterator<Item = &'w [u8]>) -> Self {
        let words: Vec<Box<[u8]>> = words.map(Box::from).collect();
        let mut numbers: Vec<usize> = (0..words.len()).collect();
        numbers.sort_by_key(|number| Reverse(words[*number].len()));
        let mut by_start = vec![Vec::new(); 1 << (2 * BITS)];
        for number in numbers {
            match *words[number] {
                [first, second, ..] => by_start[start(first, second)].push(number),
                [byte] => (0..1 << BITS).for_each(|second| by_start[start(byte, second)].push(number)),
                [] => {}
            }
        }
        WordSet { words, by_start }
    }

    /// The longest word that starts at `at`, by its number, and how long it is. Of equal ones it is the first.
    pub(super) fn longest_at(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let rest = &bytes[at..];
        let numbers = &self.by_start[start(*rest.first()?, rest.get(1).copied().unwrap_or(0))];
        let is_here =
            |word: &[u8]| rest.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word));
        let number = *numbers.iter().find(|number| is_here(&self.words[**number]))?;
        Some((number, self.words[number].len()))
    }
}

/// The same for letters of either case; other bytes may share it.
fn start(first: u8, second: u8) -> usize {
    let bits = |byte: u8| usize::from(byte) & ((1 << BITS) - 1);
    bits(first) << BITS | bits(second)
}

/// The places of a text where a word, a number or a mark starts: not inside a word or a number, at a space or
/// inside a character.
pub(super) fn starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut before = b' ';
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        let behind = std::mem::replace(&mut before, *byte);
        let is_inside = (byte.is_ascii_alphabetic() && behind.is_ascii_alphabetic())
            || (byte.is_ascii_digit() && behind.is_ascii_digit())
            || (0x80..0xC0).contains(byte);
        (!is_inside && *byte != b' ').then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(words: &[&str]) -> WordSet {
        WordSet::of(words.iter().map(|word| word.as_bytes()))
    }

    #[test]
    fn the_longest_word_is_found_whatever_its_case() {
        let set = set(&["ending", "end", "ding", "ENDING in", "end", "e"]);
        let longest = |text: &str| set.longest_at(text.as_bytes(), 0);
        assert_eq!(longest("ENDING"), Some((0, 6)));
        assert_eq!(longest("ending in 4"), Some((3, 9)));
        assert_eq!(longest("ends"), Some((1, 3)));
        assert_eq!(longest("E"), Some((5, 1)));
        assert_eq!(longest("nd"), None);
        assert_eq!(longest(""), None);
    }

    #[test]
    fn words_start_at_words_numbers_and_marks() {
        let starts = |text: &str| starts(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(starts("A 44 x4, n\u{e9}e(at)"), [0, 2, 5, 6, 7, 9, 10, 12, 13, 14, 16]);
        assert_eq!(starts(""), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn no_word_is_passed_over(
            words in proptest::collection::vec("[a-cA-C.\u{e9}]{1,6}", 1..4),
            text in "[a-cA-C. \u{e9}]{0,40}",
        ) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let set = set(&words);
            for at in 0..text.len() {
                let rest = &text.as_bytes()[at..];
                let is_here = |word: &&&str| {
                    rest.get(..word.len()).is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
                };
                let longest = words.iter().filter(is_here).map(|word| word.len()).max();
                prop_assert_eq!(set.longest_at(text.as_bytes(), at).map(|(_, len)| len), longest);
            }
        }
    }
}
