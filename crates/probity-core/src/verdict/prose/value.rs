//! The values that prose states, beside the levels of the verdict.

use super::super::words::{Sentence, sentences};
use super::tables::{NUMBER_WORDS, STATING, VALUE_NOUNS, VALUE_WORDS};
use crate::rubric::Criterion;

/// A criterion as prose names it, and the level it was given.
pub(super) struct Graded<'a> {
    criterion: &'a Criterion,
    names: Vec<Sentence>,
    level: Option<i64>,
}

impl<'a> Graded<'a> {
    /// `criterion` with its level; without one where two replies are compared.
    pub(super) fn new(criterion: &'a Criterion, level: Option<i64>) -> Self {
        let names = [criterion.id.as_str(), &criterion.title].map(|name| sentences(name).concat()).into();
        Graded { criterion, names, level }
    }

    /// How many of the first words name the criterion.
    fn n_naming(&self, words: &[String]) -> Option<usize> {
        let is_first = |name: &&Sentence| !name.is_empty() && words.starts_with(name);
        self.names.iter().filter(is_first).map(Vec::len).max()
    }

    fn is_given(&self, value: ProseValue) -> bool {
        self.level.map(ProseValue::level) == Some(value)
    }

    fn is_on_scale(&self, value: ProseValue) -> bool {
        let scale = &self.criterion.scale;
        (ProseValue::level(scale.min())..=ProseValue::level(scale.max())).contains(&value)
    }
}

/// A number of prose.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum ProseValue {
    /// As it was written.
    Number(f64),
    /// Of another scale.
    Foreign,
}

impl ProseValue {
    fn level(level: i64) -> ProseValue {
        ProseValue::Number(level as f64)
    }

    /// A number in digits or as a word; "one" only where an article or "of" makes it a number, and a letter only
    /// where one makes it a grade.
    fn read(word: &str, before: &str) -> Option<ProseValue> {
        let is_letter = word.len() == 1 && word.starts_with(char::is_alphabetic) && word != "a";
        if is_letter && (matches!(before, "a" | "an") || VALUE_NOUNS.has(before)) {
            return Some(ProseValue::Foreign);
        }
        match NUMBER_WORDS.phrases().position(|name| name == word) {
            Some(1) if !matches!(before, "a" | "A" | "of") => None,
            Some(value) => Some(ProseValue::Number(value as f64)),
            None if word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.parse().ok().map(ProseValue::Number)
            }
            None => None,
        }
    }
}

/// The levels of a verdict, to hold prose against.
pub(super) struct Values<'a> {
    graded: Vec<Graded<'a>>,
}

impl<'a> Values<'a> {
    pub(super) fn new(graded: Vec<Graded<'a>>) -> Self {
        Values { graded }
    }

    /// Whether there is no level, because two replies are compared.
    pub(super) fn is_empty(&self) -> bool {
        self.graded.iter().all(|each| each.level.is_none())
    }

    /// Whether `word` is part of a criterion's name.
    pub(super) fn is_name(&self, word: &String) -> bool {
        self.graded.iter().any(|each| each.names.iter().any(|name| name.contains(word)))
    }

    /// Whether a sentence speaks of values, or of nothing but a number.
    pub(super) fn is_about_value(&self, words: &[String]) -> bool {
        words.len() == 1
            || VALUE_NOUNS.is_in(words)
            || VALUE_WORDS.is_in(words)
            || self.names_criterion(words)
    }

    /// Whether a sentence names a criterion.
    pub(super) fn names_criterion(&self, words: &[String]) -> bool {
        (0..words.len()).any(|at| self.named_at(&words[at..]).is_some())
    }

    /// Whether all levels of a scale stand in one sentence: then it is the scale that is told.
    pub(super) fn is_recital(&self, words: &[String]) -> bool {
        self.graded.iter().any(|each| {
            let levels = each.criterion.scale.levels();
            let is_told = |level: &i64| words.iter().any(|word| *word == level.to_string());
            levels.len() > 2 && levels.iter().all(is_told)
        })
    }

    /// Whether a clause says which level was given, and nothing else: "I assign a 4", "Tone: 4 / 5".
    pub(super) fn states_given(&self, clause: &[String]) -> bool {
        let (mut at, mut graded) = (0, self.graded.as_slice());
        while at < clause.len() {
            if let Some((index, n_words)) = self.named_at(&clause[at..]) {
                (at, graded) = (at + n_words, &self.graded[index..=index]);
            } else if STATING.has(&clause[at]) {
                at += 1;
            } else {
                break;
            }
        }
        let rest = clause[at..].iter().skip(1).map(String::as_str).collect::<Vec<_>>();
        let is_end = match rest[..] {
            [] => true,
            ["/" | "of", max] | ["out", "of", max] => ProseValue::read(max, "").is_some(),
            _ => false,
        };
        let value = if is_end { value_at(clause, at, graded) } else { None };
        value.is_some_and(|value| graded.iter().any(|each| each.is_given(value)))
    }

    /// Whether a number in a sentence about the case could be a level: where a criterion is named, after an
    /// article, and where nothing follows that is counted.
    pub(super) fn may_state_level(&self, words: &[String]) -> bool {
        let is_named = self.names_criterion(words);
        let is_bare = |at: usize| {
            let is_counted = words.get(at + 1).is_some_and(|next| next.starts_with(char::is_alphabetic));
            !is_counted || at > 0 && matches!(words[at - 1].as_str(), "a" | "A" | "an")
        };
        !self.is_recital(words) && self.levels(words).any(|at| is_named || is_bare(at))
    }

    /// Where a sentence has a number that could be a level; nowhere if two replies are compared.
    pub(super) fn levels(&self, words: &[String]) -> impl Iterator<Item = usize> {
        let is_level = |(_, value, graded): &(usize, ProseValue, &[Graded<'_>])| {
            *value == ProseValue::Foreign || graded.iter().any(|each| each.is_on_scale(*value))
        };
        let stated = self.stated(words).filter(is_level).map(|(at, ..)| at);
        stated.filter(|_| !self.is_empty())
    }

    /// Whether a sentence states a value that was not given.
    pub(super) fn states_another(&self, words: &[String]) -> bool {
        let is_bound = VALUE_NOUNS.is_in(words) || words.len() == 1;
        !self.is_recital(words)
            && self.stated(words).any(|(_, value, graded)| {
                let is_possible = is_bound
                    || value == ProseValue::Foreign
                    || graded.iter().any(|each| each.is_on_scale(value));
                is_possible && !graded.iter().any(|each| each.is_given(value))
            })
    }

    /// The criterion that `words` begin with, and how many of them name it.
    fn named_at(&self, words: &[String]) -> Option<(usize, usize)> {
        self.graded.iter().enumerate().find_map(|(index, each)| Some((index, each.n_naming(words)?)))
    }

    /// The values that a sentence states and where, each with the criteria that it may be about: the one named last, or all.
    fn stated(&self, words: &[String]) -> impl Iterator<Item = (usize, ProseValue, &[Graded<'a>])> {
        let mut current = None;
        (0..words.len()).filter_map(move |at| {
            current = self.named_at(&words[at..]).map(|(index, _)| index).or(current);
            let graded = current.map_or(self.graded.as_slice(), |index| &self.graded[index..=index]);
            value_at(words, at, graded).map(|value| (at, value, graded))
        })
    }
}

/// The value that the word at `at` states; none for a number that only describes the scale.
fn value_at(words: &[String], at: usize, graded: &[Graded<'_>]) -> Option<ProseValue> {
    let word = |offset: usize| words.get(at + offset).map_or("", String::as_str);
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    let scale = &graded.first()?.criterion.scale;
    let (min, max) = (ProseValue::level(scale.min()), ProseValue::level(scale.max()));
    if VALUE_NOUNS.has(word(1)) {
        match word(0) {
            "lowest" => return Some(min),
            "highest" | "top" => return Some(max),
            "worst" => return Some(ProseValue::level(scale.worst())),
            "best" => return Some(ProseValue::level(scale.best())),
            _ => {}
        }
    }
    let value = ProseValue::read(word(0), before).filter(|_| before != "step")?;
    let is_end = value == min || value == max;
    if is_end && has_range(words, min, max) || matches!(before, "/" | "of") && value == max {
        return None;
    }
    let whole = match (word(1), word(2)) {
        ("%" | "percent", _) => return Some(ProseValue::Foreign),
        ("/" | "of", whole) => ProseValue::read(whole, ""),
        ("out", "of") => ProseValue::read(word(3), ""),
        _ => None,
    };
    Some(if whole.is_some_and(|whole| whole != max) { ProseValue::Foreign } else { value })
}

/// Whether a sentence names the scale by its ends: "from 1 to 5", "1-5", "1 = cold, 5 = warm".
fn has_range(words: &[String], min: ProseValue, max: ProseValue) -> bool {
    words.windows(3).any(|window| {
        let joint = matches!(window[1].as_str(), "to" | "-" | "and");
        joint
            && ProseValue::read(&window[0], "") == Some(min)
            && ProseValue::read(&window[2], "") == Some(max)
    })
}
