//! What the names and states that tools use mean: `cancel_reservation`, `"status": "cancelled"`, `price_usd`.

use super::super::OTHER;
use super::super::TimeUnit;
use super::table::{Form, Meaning};
use super::{Cues, Lexicon, WordList};

/// The most words of a tool's name that together name what it does.
const CALL_WORDS_MAX: usize = 3;

impl Lexicon {
    /// Whether one of these words stands in a list.
    pub(in crate::gate) fn has_any(&self, list: WordList, words: &[String]) -> bool {
        words.iter().any(|word| self.has(list, word))
    }

    /// Whether a tool only looks something up, by the words of its name.
    pub(in crate::gate) fn is_reading_call(&self, words: &[String]) -> bool {
        let reads = |word: &String| self.has(WordList::ReadingCalls, word);
        // `update_policy` changes one.
        let changes =
            |word: &String| self.table().deeds_of_call(word).contains(&OTHER) || self.is_infinitive(words);
        let Some(first) = words.first() else { return true };
        // `check_in`.
        let names_deed = |words: &[String]| !self.table().deeds_of_call(&words.join(" ")).is_empty();
        reads(first) && !words.get(..2).is_some_and(names_deed)
            || (words.last().is_some_and(reads) && !changes(first))
    }

    /// What a tool does for good, by the words of its name. Nothing where it only looks something up.
    pub(in crate::gate) fn deeds_of_call(&self, words: &[String]) -> Vec<&str> {
        if self.is_reading_call(words) {
            return Vec::new();
        }
        let runs = (1..=CALL_WORDS_MAX).flat_map(|n| words.windows(n));
        let mut deeds: Vec<&str> = runs.flat_map(|run| self.table().deeds_of_call(&run.join(" "))).collect();
        if deeds.is_empty() && self.is_infinitive(words) {
            deeds.push(OTHER);
        }
        deeds.sort_unstable();
        deeds.dedup();
        deeds
    }

    /// Whether the words of a name begin with a verb, in languages that tell it by its ending: `generar_factura`.
    fn is_infinitive(&self, words: &[String]) -> bool {
        let is_verb = |word: &String| self.words(WordList::Infinitives).any(|ending| word.ends_with(ending));
        words.len() > 1 && is_verb(&words[0])
    }

    /// What is done by the words of a state, such as "cancelled". Nothing where a word before says that it is not.
    pub(in crate::gate) fn deeds_done(&self, words: &[String]) -> Vec<&str> {
        self.deeds_in(words, |form| matches!(form, Form::Done | Form::Past))
    }

    /// The remedies and deeds that words name in any form, such as "refund".
    pub(in crate::gate) fn deeds_named(&self, words: &[String]) -> Vec<&str> {
        self.deeds_in(words, |_| true)
    }

    fn deeds_in(&self, words: &[String], counts: fn(Form) -> bool) -> Vec<&str> {
        let deed = |phrase: &str| {
            let mut patterns = self.table().patterns_of(phrase);
            patterns.find_map(|meaning| match meaning {
                Meaning::Remedy(remedy, form) if counts(form) => Some(self.table().remedies[remedy].as_str()),
                Meaning::Deed(deed) => Some(self.table().deeds[deed].as_str()),
                _ => None,
            })
        };
        let is_undone = self.has_any(WordList::Undone, words);
        let runs = (1..=2).flat_map(|n| words.windows(n));
        if is_undone { Vec::new() } else { runs.filter_map(|run| deed(&run.join(" "))).collect() }
    }

    /// The code of the currency that a word names, and how many of what it names are one of it.
    pub(in crate::gate) fn currency(&self, word: &str) -> Option<(&str, i64)> {
        let info = self.table().info_of(word);
        let named = info.currency.map(|currency| (currency, 1));
        let (currency, parts) = named.or(info.hundredth.map(|currency| (currency, 100)))?;
        Some((self.table().currencies[currency].as_str(), parts))
    }

    /// The length of time that a word counts in, and how many of it one is.
    pub(in crate::gate) fn unit(&self, word: &str) -> Option<(TimeUnit, i64)> {
        self.table().info_of(word).unit.map(|unit| (unit.unit, unit.times))
    }

    /// Whether a word means so many of a hundred.
    pub(in crate::gate) fn is_percent(&self, word: &str) -> bool {
        self.table().cues_of(word).any(Cues::PERCENT)
    }

    /// Whether letters and digits name no code: "MP3".
    pub(in crate::gate) fn is_no_code(&self, word: &str) -> bool {
        self.table().cues_of(word).any(Cues::NOT_CODE)
    }

    /// The day of the week that a word names, from Monday on.
    pub(in crate::gate) fn weekday(&self, word: &str) -> Option<u8> {
        self.table().counting(word)?.weekday
    }

    /// The number that a word stands for.
    pub(in crate::gate) fn numeral(&self, word: &str) -> Option<u32> {
        self.table().counting(word)?.numeral
    }
}
