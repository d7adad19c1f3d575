//! Prose around a verdict is harmless only if it refuses nothing, takes nothing back and names no other value.
//!
//! The tables are small and English. Prose that they cannot check (another language, another alphabet, invisible
//! characters) is not harmless: the answer is then no verdict, and a person can read it. A rule that is too
//! strict costs an unscored reply; one that is too lenient costs a wrong level.

use super::favoured::favoured;
use super::invalid::{Invalid, InvalidReason};
use super::words::{Sentence, has_any, own_words, sentences};
use super::{CriterionScore, Preference, REASONING_BYTES_MAX, Statement};
use crate::packet::Packet;
use crate::rubric::Criterion;

/// What stands around a verdict.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// Before the verdict.
    pub(super) before: String,
    /// After it.
    pub(super) after: String,
}

/// Words that English prose is hardly without, and that few other languages have.
const ENGLISH: &[&str] = &[
    "the",
    "this",
    "that",
    "these",
    "and",
    "with",
    "here",
    "my",
    "it",
    "its",
    "it's",
    "because",
    "are",
    "both",
    "there",
    "what",
    "which",
    "would",
    "have",
    "has",
    "not",
    "better",
    "reply",
    "replies",
    "please",
    "below",
    "above",
    "following",
    "answer",
    "result",
    "assessment",
    "rating",
    "i'd",
    "i'm",
    "i've",
    "but",
    "from",
    "they",
    "their",
    "customer",
    "order",
    "levels",
    "very",
    "says",
    "does",
    "gives",
    "is",
];
/// Words of the language that shares "is" with English.
const DUTCH: &[&str] = &["de", "het", "een", "dit", "deze", "ik", "niet", "geen", "kan"];
/// Words that may stand around a verdict on their own.
const LABELS: &[&str] = &[
    "a",
    "b",
    "so",
    "json",
    "result",
    "verdict",
    "answer",
    "score",
    "output",
    "final",
    "evaluation",
    "judgement",
    "judgment",
    "response",
    "done",
    "ok",
    "okay",
    "sure",
    "certainly",
    "thanks",
    "tie",
];
const INABILITIES: &[&str] = &[
    "can't",
    "cannot",
    "cant",
    "can not",
    "couldn't",
    "could not",
    "unable",
    "not able",
    "won't",
    "wont",
    "will not",
    "decline",
    "refuse",
    "abstain",
    "impossible",
    "not possible",
    "not comfortable",
    "not allowed",
    "unwilling",
];
const FIRST_PERSON: &[&str] = &["i", "i'm", "i'd", "i'll", "we", "we're", "as an ai"];
/// How words about judging begin.
const JUDGING: &[&str] =
    &["assess", "evaluat", "rate", "rating", "scor", "judg", "grade", "grading", "compar", "verdict"];
const TOO_LITTLE: &[&str] = &["not enough", "too little", "insufficient", "no way", "no basis"];

/// Words that make an object which they introduce something else than a verdict.
const UNREAL: &[&str] = &[
    "example",
    "sample",
    "template",
    "placeholder",
    "draft",
    "hypothetical",
    "hypothetically",
    "if",
    "unless",
    "until",
    "suppose",
    "pretend",
    "imagine",
    "guess",
    "at random",
    "randomly",
    "for instance",
];
/// Words that do the same where the judge does not speak of itself.
const MODALS: &[&str] = &["would", "could", "might", "should"];
/// Words after a verdict that take it back.
const TAKING_BACK: &[&str] = &[
    "correction",
    "corrected",
    "correcting",
    "disregard",
    "retract",
    "oops",
    "typo",
    "reconsider",
    "reconsidering",
    "revise",
    "revised",
    "revising",
    "revision",
    "downgrade",
    "upgrade",
    "placeholder",
    "hypothetical",
    "draft",
    "actually",
    "instead",
    "scratch",
    "otherwise",
    "second thought",
    "second thoughts",
    "my mind",
    "i meant",
    "i misread",
    "my mistake",
    "should be",
    "should have been",
    "ignore",
    "at random",
    "example",
    "guess",
];
/// The same where a sentence begins with it.
const TAKING_BACK_FIRST: &[&str] = &["wait", "edit", "update", "sorry", "no", "hmm", "hm"];
const COMPARATIVES: &[&str] = &["lower", "higher", "less", "down", "up"];

/// Nouns for what a verdict states.
const VALUE_NOUNS: &[&str] = &[
    "score", "scores", "rating", "ratings", "grade", "level", "levels", "mark", "marks", "points", "point",
    "stars",
];
/// Words that make a sentence one about a value.
const VALUE_VERBS: &[&str] = &[
    "scored", "rate", "rated", "graded", "give", "say", "assign", "deserve", "deserves", "verdict", "final",
];
const NUMBER_WORDS: &[&str] =
    &["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Whether `prose` leaves `statement` as it stands; otherwise why the answer is no verdict.
pub(super) fn check_prose(prose: &Prose, statement: &Statement, packet: &Packet) -> Result<(), Invalid> {
    let all = format!("{}\n{}", prose.before, prose.after);
    let ambiguous = |why: String| Err(Invalid::new(InvalidReason::Ambiguous, why));
    if all.len() > REASONING_BYTES_MAX {
        return ambiguous(format!("the prose around the verdict is longer than {REASONING_BYTES_MAX} bytes"));
    }
    if let Some(c) = all.chars().find(|c| is_uncheckable(*c)) {
        return ambiguous(format!("the prose around the verdict has the character U+{:04X}", u32::from(c)));
    }
    let own = sentences(&own_words(&all));
    if let Some(words) = own.iter().find(|sentence| is_refusal(sentence)) {
        let detail = format!("the prose around the verdict refuses: {}", words.join(" "));
        return Err(Invalid::new(InvalidReason::Refused, detail));
    }
    if !is_english(&own, packet.ask().criteria()) {
        return ambiguous("the prose around the verdict is not in English and cannot be checked".to_owned());
    }
    if let Some(words) = taking_back(prose) {
        return ambiguous(format!("the prose around the verdict takes it back: {words}"));
    }
    if let Some(words) = second_value(&all, statement, packet.ask().criteria()) {
        return ambiguous(format!("the prose around the verdict states another value: {words}"));
    }
    Ok(())
}

/// Letters of other alphabets, which can look like Latin ones; digits and stars that are no ASCII; characters
/// that are not seen.
fn is_uncheckable(c: char) -> bool {
    let is_latin = c.is_ascii()
        || matches!(c, '\u{aa}' | '\u{b5}' | '\u{ba}' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    let is_star = matches!(c, '\u{2605}' | '\u{2606}' | '\u{2b50}' | '\u{1f31f}');
    let is_unseen = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_alphanumeric() && !is_latin || is_star || is_unseen
}

fn is_english(own: &[Sentence], criteria: &[Criterion]) -> bool {
    let names: Vec<String> = criteria
        .iter()
        .flat_map(|criterion| [criterion.id.as_str(), &criterion.title])
        .flat_map(sentences)
        .flatten()
        .collect();
    let is_label =
        |word: &String| LABELS.contains(&word.to_ascii_lowercase().as_str()) || names.contains(word);
    let mut words = own.iter().flatten().filter(|word| word.chars().any(char::is_alphabetic));
    let has = |words: &[&str]| own.iter().any(|sentence| has_any(sentence, words));
    has(ENGLISH) && !has(DUTCH) || words.all(is_label)
}

fn is_refusal(sentence: &Sentence) -> bool {
    let is_judging = sentence.iter().any(|word| JUDGING.iter().any(|start| word.starts_with(start)));
    let is_unable = has_any(sentence, INABILITIES) && (is_judging || has_any(sentence, FIRST_PERSON));
    let is_void = has_any(sentence, TOO_LITTLE) && has_any(sentence, &["there is", "there's", "i have"]);
    let is_handed_on = has_any(sentence, &["person should", "human should", "person must", "human must"])
        && (is_judging || has_any(sentence, &["decide", "review"]));
    is_unable || is_void || is_handed_on || sentence.last().is_some_and(|word| word == "no")
}

/// The words that make the object something else than the judge's verdict.
fn taking_back(prose: &Prose) -> Option<String> {
    if prose.after.trim_start().starts_with('?') {
        return Some("?".to_owned());
    }
    let after = sentences(&own_words(&prose.after));
    let taken_back = after.into_iter().find(|sentence| {
        let is_compared = has_any(sentence, COMPARATIVES) && has_any(sentence, VALUE_NOUNS);
        is_compared || has_any(sentence, TAKING_BACK) || has_any(&sentence[..1], TAKING_BACK_FIRST)
    });
    let is_unreal = |sentence: &Sentence| {
        has_any(sentence, UNREAL)
            || has_any(sentence, MODALS) && !has_any(sentence, FIRST_PERSON) && !has_any(sentence, &["my"])
    };
    taken_back.or_else(|| introduction(&prose.before).filter(is_unreal)).map(|words| words.join(" "))
}

/// The unfinished sentence that the object is part of, a fence's label aside.
fn introduction(before: &str) -> Option<Sentence> {
    let text = before.trim_end().trim_end_matches("json").trim_end_matches(['`', ' ', '\n']);
    if text.ends_with(['.', '!']) { None } else { sentences(&own_words(text)).pop() }
}

/// The words that state another value than `statement`.
fn second_value(prose: &str, statement: &Statement, criteria: &[Criterion]) -> Option<String> {
    match statement {
        Statement::Levels(scores) | Statement::Failing { scores, .. } => {
            let of =
                |score: &CriterionScore| criteria.iter().find(|criterion| criterion.id == score.criterion);
            let graded: Vec<Graded<'_>> =
                scores.iter().filter_map(|score| Some(Graded::new(of(score)?, score))).collect();
            sentences(prose)
                .into_iter()
                .find(|words| states_another_level(words, &graded))
                .map(|words| words.join(" "))
        }
        Statement::Preference(preferred) => {
            let stated = preferred.preference();
            let other = favoured(prose).into_iter().find(|favoured| *favoured != stated);
            let marked = Preference::ALL.into_iter().find(|preference| {
                *preference != stated && prose.contains(&format!("[[{}]]", preference.name()))
            });
            other.or(marked).map(|preference| preference.name().to_owned())
        }
    }
}

/// A criterion as prose names it, and the level it was given.
struct Graded<'a> {
    criterion: &'a Criterion,
    names: Vec<Sentence>,
    level: i64,
}

impl<'a> Graded<'a> {
    fn new(criterion: &'a Criterion, score: &CriterionScore) -> Self {
        let names = [criterion.id.as_str(), &criterion.title].map(|name| sentences(name).concat()).into();
        Graded { criterion, names, level: score.level }
    }

    fn is_named_at(&self, words: &[String]) -> bool {
        self.names.iter().any(|name| !name.is_empty() && words.starts_with(name))
    }

    /// Whether `value` is another level than the one given, or lies between two levels.
    fn is_other(&self, value: f64) -> bool {
        let scale = &self.criterion.scale;
        value != self.level as f64 && (scale.min() as f64..=scale.max() as f64).contains(&value)
    }
}

fn states_another_level(words: &Sentence, graded: &[Graded<'_>]) -> bool {
    let names_criterion = |at: usize| graded.iter().position(|each| each.is_named_at(&words[at..]));
    let is_about_value = words.len() == 1
        || has_any(words, VALUE_NOUNS)
        || has_any(words, VALUE_VERBS)
        || (0..words.len()).any(|at| names_criterion(at).is_some());
    if !is_about_value || is_recital(words, graded) {
        return false;
    }
    let mut current = None;
    (0..words.len()).any(|at| {
        current = names_criterion(at).or(current);
        let candidates = current.map_or(graded, |index| &graded[index..=index]);
        let Some(value) = value_at(words, at, candidates) else { return false };
        let is_bound =
            words[at.saturating_sub(3)..at].iter().any(|word| VALUE_NOUNS.contains(&word.as_str()));
        let is_given = candidates.iter().any(|each| each.level as f64 == value);
        !is_given && (is_bound || value.is_infinite() || candidates.iter().any(|each| each.is_other(value)))
    })
}

/// Whether all levels of a scale stand in one sentence: then it is the scale that is told.
fn is_recital(words: &Sentence, graded: &[Graded<'_>]) -> bool {
    graded.iter().any(|each| {
        let levels = each.criterion.scale.levels();
        let is_told = |level: &i64| words.iter().any(|word| *word == level.to_string());
        levels.len() > 2 && levels.iter().all(is_told)
    })
}

/// The value that the word at `at` states; none for a number that only describes the scale. A value on another
/// scale is not finite, and so equals no level.
fn value_at(words: &Sentence, at: usize, graded: &[Graded<'_>]) -> Option<f64> {
    let word = |offset: usize| words.get(at + offset).map_or("", String::as_str);
    let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
    let scale = &graded.first()?.criterion.scale;
    let (min, max) = (scale.min() as f64, scale.max() as f64);
    if VALUE_NOUNS.contains(&word(1)) {
        match word(0) {
            "lowest" => return Some(min),
            "highest" | "top" => return Some(max),
            "worst" => return Some(scale.worst() as f64),
            "best" => return Some(scale.best() as f64),
            _ => {}
        }
    }
    let value = number(word(0), before)?;
    let is_range = |from: &str, joint: &str, to: &str| {
        matches!(joint, "to" | "-" | "and") && number(from, "") == Some(min) && number(to, "") == Some(max)
    };
    let is_end = at >= 2 && is_range(&words[at - 2], before, word(0));
    if is_end || is_range(word(0), word(1), word(2)) || matches!(before, "/" | "of") && value == max {
        return None;
    }
    let whole = match (word(1), word(2)) {
        ("%" | "percent", _) => return Some(f64::INFINITY),
        ("/" | "of", whole) => number(whole, ""),
        ("out", "of") => number(word(3), ""),
        _ => None,
    };
    Some(if whole.is_some_and(|whole| whole != max) { f64::INFINITY } else { value })
}

/// A number in digits or as a word; "one" only where an article or "of" makes it a number.
fn number(word: &str, before: &str) -> Option<f64> {
    let as_word = NUMBER_WORDS.iter().position(|name| *name == word).map(|value| value as f64);
    match as_word {
        Some(1.0) if !matches!(before, "a" | "A" | "of") => None,
        None => word.parse().ok().filter(|_| word.starts_with(|c: char| c.is_ascii_digit())),
        value => value,
    }
}
