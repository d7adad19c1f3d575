//! The words around a place in folded text, never further than a fixed number of bytes, and the lists they stand in.
//!
//! A word is a run of letters and digits of any script. Looking back ends where the sentence began, so a
//! label never reaches across a full stop.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::super::word_map::WordMap;

/// How far to look, in bytes. A label stands closer than this.
const REACH: usize = 64;

/// The data file: sections of keys with lists of words.
pub(super) static DATA: LazyLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> = LazyLock::new(|| {
    let data = toml::from_str(include_str!("../../../data/en/personal.toml"));
    data.expect("the built-in lists are read by every test")
});

crate::named! {
    /// The lists of words. What each is for stands in the data file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum List {
        Abbreviations = "abbreviations", CardLabels = "card_labels", PhoneLabels = "phone_labels",
        SocialSecurityLabels = "social_security_labels", ReferenceLabels = "reference_labels",
        VersionLabels = "version_labels", Company = "company", OfACompany = "of_a_company",
        OfAPerson = "of_a_person", StreetTypes = "street_types",
        CapitalStreetTypes = "capital_street_types", LeadingStreetTypes = "leading_street_types",
        LowerLeadingStreetTypes = "lower_leading_street_types",
        TrailingStreetTypes = "trailing_street_types", StreetEndings = "street_endings",
        Particles = "particles", BuildingParts = "building_parts", HomeCues = "home_cues",
        SentenceWords = "sentence_words", NumberedCapitals = "numbered_capitals",
        NoStreetNames = "no_street_names", Drives = "drives", Roles = "roles",
        TopLevelDomains = "top_level_domains", FileEndings = "file_endings", MailHosts = "mail_hosts",
        DateLeads = "date_leads", Months = "months", ValueLeads = "value_leads", Connectors = "connectors",
        PartCues = "part_cues", Greetings = "greetings", GivenNames = "given_names",
        NamePointers = "name_pointers", NoNames = "no_names",
    }
}

impl List {
    /// Whether `word` is in the list, whatever the case of its ASCII letters.
    pub(super) fn has(self, word: impl AsRef<[u8]>) -> bool {
        self.is_of(lists(word.as_ref()))
    }

    /// The words of the list.
    pub(super) fn words(self) -> &'static [String] {
        &DATA["words"][self.name()]
    }

    fn is_of(self, lists: u64) -> bool {
        lists >> self as u32 & 1 == 1
    }
}

/// The lists that a word stands in, one bit each. No list has a word that starts with a digit.
fn lists(word: &[u8]) -> u64 {
    static LISTS: LazyLock<WordMap<u64>> = LazyLock::new(|| {
        let mut lists = WordMap::default();
        for list in List::ALL {
            for word in list.words() {
                *lists.get_or_insert(word.as_bytes(), 0) |= 1 << list as u32;
            }
        }
        lists
    });
    if word.first().is_some_and(u8::is_ascii_digit) { 0 } else { LISTS.get(word).unwrap_or(0) }
}

/// A word and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// One bit for each list that it stands in.
    lists: u64,
}

impl<'t> Word<'t> {
    /// The word at `range` of a text.
    pub(super) fn at(text: &'t str, range: Range<usize>) -> Self {
        let Range { start, end } = range;
        Word { text: &text[range], start, end, lists: lists(&text.as_bytes()[start..end]) }
    }

    /// Whether its first letter is upper case, or has no case at all.
    pub(super) fn is_capital(&self) -> bool {
        self.text.starts_with(|char: char| char.is_alphabetic() && !char.is_lowercase())
    }

    /// Whether it is written with ASCII digits only.
    pub(super) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether it starts with an ASCII digit.
    pub(super) fn starts_with_digit(&self) -> bool {
        self.text.starts_with(|char: char| char.is_ascii_digit())
    }

    /// Whether it is in a list, whatever its case.
    pub(super) fn is_in(&self, list: List) -> bool {
        list.is_of(self.lists)
    }

    /// Whether it equals one of `words`, which are lower case, whatever its case.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }
}

/// Whether a byte belongs to a word. Bytes of characters outside ASCII all do.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

/// Whether no word goes on before `at`.
pub(super) fn may_start(text: &str, at: usize) -> bool {
    at == 0 || !is_word_byte(text.as_bytes()[at - 1])
}

/// Whether no word goes on at `at`.
pub(super) fn may_end(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_none_or(|byte| !is_word_byte(*byte))
}

/// Whether no letter or digit touches a range.
pub(super) fn is_whole(text: &str, range: &Range<usize>) -> bool {
    may_start(text, range.start) && may_end(text, range.end)
}

/// How many bytes before `at` belong to a run, at most `max`.
pub(super) fn run_before(text: &str, at: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[..at].iter().rev().take(max).take_while(|byte| belongs(**byte)).count()
}

/// How many bytes from `at` on belong to a run, at most `max`.
pub(super) fn run_after(text: &str, at: usize, max: usize, belongs: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().take(max).take_while(|byte| belongs(**byte)).count()
}

/// The words before `at` in the same sentence, nearest first.
pub(super) fn before(text: &str, at: usize) -> impl Iterator<Item = Word<'_>> {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(REACH);
    let mut end = at;
    std::iter::from_fn(move || {
        while end > floor && !is_word_byte(bytes[end - 1]) {
            if ends_sentence(bytes, end - 1) {
                return None;
            }
            end -= 1;
        }
        let start = end - run_before(text, end, end - floor, is_word_byte);
        // A word cut by the floor is no word, and the cut may stand inside a character.
        if start == end || (start == floor && !may_start(text, start)) {
            return None;
        }
        Some(Word::at(text, start..std::mem::replace(&mut end, start)))
    })
}

/// The words from `at` on, in reading order, up to the end of the reach.
pub(super) fn after(text: &str, at: usize) -> impl Iterator<Item = Word<'_>> {
    let ceiling = (at + REACH).min(text.len());
    let mut from = at;
    std::iter::from_fn(move || {
        let word = next(text, from, ceiling)?;
        from = word.end;
        Some(word)
    })
}

/// The first word from `from` on, if it ends before `ceiling`.
pub(super) fn next(text: &str, from: usize, ceiling: usize) -> Option<Word<'_>> {
    let start = from + run_after(text, from, ceiling - from, |byte| !is_word_byte(byte));
    let end = start + run_after(text, start, ceiling - start, is_word_byte);
    let is_cut = end == ceiling && !may_end(text, end);
    (start < end && !is_cut).then(|| Word::at(text, start..end))
}

/// Whether the byte at `at` closes a sentence, seen from behind it.
fn ends_sentence(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        b'!' | b'?' => next.is_ascii_whitespace() && at > 0 && is_word_byte(bytes[at - 1]),
        b'.' => next.is_ascii_whitespace() && !is_abbreviation(&bytes[at.saturating_sub(5)..at]),
        b'\n' => next == b'\n',
        _ => false,
    }
}

/// Whether text before a full stop ends in a word that is usually cut short.
fn is_abbreviation(before: &[u8]) -> bool {
    let start = before.iter().rposition(|byte| !is_word_byte(*byte)).map_or(0, |i| i + 1);
    let word = &before[start..];
    word.len() == 1 || List::Abbreviations.has(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, before_bar: &str, after_bar: &str) {
        let at = text.find('|').unwrap();
        let back: Vec<_> = before(text, at).map(|word| word.text).collect();
        let forth: Vec<_> = after(text, at).map(|word| word.text).collect();
        assert_eq!((back.join(" "), forth.join(" ")), (before_bar.into(), after_bar.into()), "{text}");
    }

    #[test]
    fn words_stand_on_both_sides() {
        check("Your order no. |12 is here.", "no order Your", "12 is here");
        check("Done. Call me| now", "me Call", "now");
        check("|", "", "");
    }

    #[test]
    fn nothing_is_read_beyond_the_reach() {
        check(&format!("{} x|y {}", "é".repeat(60), "é".repeat(60)), "x", "y");
    }
}
