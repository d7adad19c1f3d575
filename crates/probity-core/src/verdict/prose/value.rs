//! The values that prose states, beside the levels of the verdict.

use super::super::words::{Sentence, sentences};
use super::tables::{NUMBER_WORDS, VALUE_NOUNS, VALUE_VERBS};
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

    fn is_named_at(&self, words: &[String]) -> bool {
        self.names.iter().any(|name| !name.is_empty() && words.starts_with(name))
    }

    fn is_given(&self, value: Value) -> bool {
        self.level.map(Value::level) == Some(value)
    }

    fn is_on_scale(&self, value: Value) -> bool {
        let scale = &self.criterion.scale;
        (Value::level(scale.min())..=Value::level(scale.max())).contains(&value)
    }
}

/// A number of prose.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Value {
    /// As it was written.
    Number(f64),
    /// Of another scale.
    Foreign,
}

impl Value {
    fn level(level: i64) -> Value {
        Value::Number(level as f64)
    }

    /// A number in digits or as a word; "one" only where an article or "of" makes it a number, and a letter only
    /// where one makes it a grade.
    fn read(word: &str, before: &str) -> Option<Value> {
        let is_letter = word.len() == 1 && word.starts_with(char::is_alphabetic) && word != "a";
        if is_letter && (matches!(before, "a" | "an") || VALUE_NOUNS.has(before)) {
            return Some(Value::Foreign);
        }
        match NUMBER_WORDS.phrases().position(|name| name == word) {
            Some(1) if !matches!(before, "a" | "A" | "of") => None,
            Some(value) => Some(Value::Number(value as f64)),
            None if word.starts_with(|c: char| c.is_ascii_digit()) => word.parse().ok().map(Value::Number),
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
    pub(super) fn is_about_value(&self, words: &Sentence) -> bool {
        words.len() == 1
            || VALUE_NOUNS.is_in(words)
            || VALUE_VERBS.is_in(words)
            || self.names_criterion(words)
    }

    /// Whether a sentence names a criterion.
    pub(super) fn names_criterion(&self, words: &Sentence) -> bool {
        (0..words.len()).any(|at| self.named_at(&words[at..]).is_some())
    }

    /// Whether all levels of a scale stand in one sentence: then it is the scale that is told.
    pub(super) fn is_recital(&self, words: &Sentence) -> bool {
        self.graded.iter().any(|each| {
            let levels = each.criterion.scale.levels();
            let is_told = |level: &i64| words.iter().any(|word| *word == level.to_string());
            levels.len() > 2 && levels.iter().all(is_told)
        })
    }

    /// Whether a sentence states the given level of a criterion.
    pub(super) fn states_given(&self, words: &Sentence) -> bool {
        self.stated(words).any(|(value, graded)| graded.iter().any(|each| each.is_given(value)))
    }

    /// Whether a sentence states a value that was not given.
    pub(super) fn states_another(&self, words: &Sentence) -> bool {
        let is_bound = VALUE_NOUNS.is_in(words) || words.len() == 1;
        !self.is_recital(words)
            && self.stated(words).any(|(value, graded)| {
                let is_possible =
                    is_bound || value == Value::Foreign || graded.iter().any(|each| each.is_on_scale(value));
                is_possible && !graded.iter().any(|each| each.is_given(value))
            })
    }

    fn named_at(&self, words: &[String]) -> Option<usize> {
        self.graded.iter().position(|each| each.is_named_at(words))
    }

    /// The values that a sentence states, each with the criteria that it may be about: the one named last, or all.
    fn stated(&self, words: &Sentence) -> impl Iterator<Item = (Value, &[Graded<'a>])> {
        let mut current = None;
        (0..words.len()).filter_map(move |at| {
            current = self.named_at(&words[at..]).or(current);
            let graded = current.map_or(self.graded.as_slice(), |index| &self.graded[index..=index]);
            value_at(words, at, graded).map(|value| (value, graded))
        })
    }
}

/// The value that the word at `at` states; none for a number that only describes the scale.
fn value_at(words: &Sentence, at: usize, graded: &[Graded<'_>]) -> Option<Value> {
    let word = |offset: usize| words.get(at + offset).map_or("", String::as_str);
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    let scale = &graded.first()?.criterion.scale;
    let (min, max) = (Value::level(scale.min()), Value::level(scale.max()));
    if VALUE_NOUNS.has(word(1)) {
        match word(0) {
            "lowest" => return Some(min),
            "highest" | "top" => return Some(max),
            "worst" => return Some(Value::level(scale.worst())),
            "best" => return Some(Value::level(scale.best())),
            _ => {}
        }
    }
    let value = Value::read(word(0), before).filter(|_| before != "step")?;
    let is_end = value == min || value == max;
    if is_end && has_range(words, min, max) || matches!(before, "/" | "of") && value == max {
        return None;
    }
    let whole = match (word(1), word(2)) {
        ("%" | "percent", _) => return Some(Value::Foreign),
        ("/" | "of", whole) => Value::read(whole, ""),
        ("out", "of") => Value::read(word(3), ""),
        _ => None,
    };
    Some(if whole.is_some_and(|whole| whole != max) { Value::Foreign } else { value })
}

/// Whether a sentence names the scale by its ends: "from 1 to 5", "1-5", "1 = cold, 5 = warm".
fn has_range(words: &Sentence, min: Value, max: Value) -> bool {
    words.windows(3).any(|window| {
        let joint = matches!(window[1].as_str(), "to" | "-" | "and");
        joint && Value::read(&window[0], "") == Some(min) && Value::read(&window[2], "") == Some(max)
    })
}
