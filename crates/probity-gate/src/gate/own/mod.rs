//! Rules of the user's own: what every reply must say, must not say, and look like.
//!
//! They are data that a person writes ([`read`]). A finding has the same form as those of the built-in rules and is counted
//! with them; its id is `own.` and the rule's name. A rule asks for one thing and is found broken at most once in a
//! reply. Expressions are matched in time that grows with the reply and no faster.

mod read;
mod shape;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use regex::Regex;

use super::claim::{ClaimKind, Languages, Value, extract_read};
use super::finding::{Severity, Sighting};
use super::policy::Known;
use super::text::{Phrases, Text};
use crate::case::{Entry, Slice};
use shape::JsonShape;

pub use read::read;

/// How many words may follow a closing: a name and a team.
const WORDS_BEHIND_CLOSING_MAX: usize = 6;

/// The fewest words of a reply that tell its language: "OK" is any.
const WORDS_TELLING_MIN: usize = 4;

/// The last letter of the Latin script's main blocks.
const LATIN_LAST: char = '\u{24f}';

/// The rules of rule files, in their order.
#[derive(Debug, Clone, Default)]
pub struct OwnRules {
    rules: Vec<OwnRule>,
    /// The files they were read from, each with its text.
    pub(super) sources: Vec<(String, String)>,
}

/// One rule.
#[derive(Debug, Clone)]
struct OwnRule {
    /// `own.` and its name.
    id: &'static str,
    severity: Severity,
    /// What is said about a reply that breaks it.
    message: String,
    /// The slices whose cases it is for. All where there is none.
    slices: BTreeSet<String>,
    condition: Condition,
}

/// What a rule asks of a reply.
#[derive(Debug, Clone)]
enum Condition {
    /// One of the phrases stands in it.
    Contains(PhraseList),
    /// None of the phrases stands in it.
    Lacks(PhraseList),
    /// It ends with one of the phrases, and a name behind it.
    EndsWith(PhraseList),
    /// The expression is found in it.
    Matches(Regex),
    /// The expression is not found in it.
    MatchesNot(Regex),
    /// It has so many words.
    Words { least: usize, most: usize },
    /// All its links are among these.
    Links(Known<()>),
    /// It is JSON with these members.
    Json(JsonShape),
    /// It is in one of these languages.
    Languages(BTreeSet<String>),
}

/// Phrases as they are searched and as they are shown.
#[derive(Debug, Clone)]
struct PhraseList {
    search: Phrases<()>,
    /// The first of them, in quotes.
    shown: String,
}

/// Where a reply breaks a rule, and what would have been right.
struct Breach {
    span: Range<usize>,
    expected: String,
}

impl OwnRules {
    /// The rules: the id of each, what its findings do, and what they say.
    pub fn listed(&self) -> impl Iterator<Item = (&'static str, Severity, &str)> {
        self.rules.iter().map(|rule| (rule.id, rule.severity, rule.message.as_str()))
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rules that a reply, which was read as `text`, breaks.
    pub(super) fn check(&self, entry: &Entry, text: &Text, languages: &Languages) -> Vec<Sighting> {
        let slice = entry.case.slice.as_ref().map(Slice::as_str);
        let is_meant = |rule: &&OwnRule| {
            rule.slices.is_empty() || slice.is_some_and(|slice| rule.slices.contains(slice))
        };
        let page = Page { reply: &entry.reply.text, text, languages };
        let broken = self.rules.iter().filter(is_meant).filter_map(|rule| {
            let Breach { span, expected } = rule.condition.breach(&page)?;
            Some(Sighting::at(rule.id, span, &rule.message).expecting(expected))
        });
        broken.collect()
    }
}

/// A reply that is checked.
struct Page<'p> {
    /// As it was written.
    reply: &'p str,
    text: &'p Text,
    languages: &'p Languages,
}

impl Condition {
    fn breach(&self, page: &Page<'_>) -> Option<Breach> {
        let whole = |expected: String| Breach { span: 0..page.reply.len(), expected };
        match self {
            Condition::Contains(list) => list.places(page).is_empty().then(|| whole(list.shown.clone())),
            Condition::Lacks(list) => {
                let first = list.places(page).into_iter().next()?;
                Some(Breach { span: first, expected: "a reply without it".to_owned() })
            }
            Condition::EndsWith(list) => {
                let is_last =
                    |place: &Range<usize>| n_words(&page.reply[place.end..]) <= WORDS_BEHIND_CLOSING_MAX;
                let closes = list.places(page).last().is_some_and(is_last);
                (!closes).then(|| whole(format!("at the end: {}", list.shown)))
            }
            Condition::Matches(expression) if expression.is_match(page.reply) => None,
            Condition::Matches(expression) => Some(whole(format!("text that matches {expression}"))),
            Condition::MatchesNot(expression) => {
                let span = expression.find(page.reply)?.range();
                Some(Breach { span, expected: format!("no text that matches {expression}") })
            }
            Condition::Words { least, most } => {
                let n = n_words(page.reply);
                let asked = if n < *least { format!("at least {least}") } else { format!("at most {most}") };
                (n < *least || n > *most).then(|| whole(format!("{asked} words, found {n}")))
            }
            Condition::Links(allowed) => page.link_outside(allowed),
            Condition::Json(shape) => shape.fault(page.reply).map(whole),
            Condition::Languages(codes) => {
                let found = page.language().filter(|found| !codes.contains(*found))?;
                let asked: Vec<&str> = codes.iter().map(String::as_str).collect();
                Some(whole(format!("the language {}, found {found}", asked.join(" or "))))
            }
        }
    }
}

impl Page<'_> {
    /// The first link that is none of `allowed`. What stands behind a scheme is a link, however its host is written.
    fn link_outside(&self, allowed: &Known<()>) -> Option<Breach> {
        let claims = extract_read(self.text, self.languages.first());
        let links = claims.iter().filter(|claim| matches!(claim.kind, ClaimKind::Value(Value::Link(_))));
        let read: Vec<&Range<usize>> = links.clone().map(|claim| &claim.span).collect();
        let refused = links.filter(|claim| !claim.value().is_some_and(|link| allowed.has(link)));
        let odd = self.reply.match_indices("://").map(|(at, mark)| at..at + mark.len());
        let odd = odd.filter(|scheme| {
            let before = read[..read.partition_point(|link| link.start <= scheme.start)].last();
            before.is_none_or(|link| link.end <= scheme.start)
        });
        let span = refused.map(|claim| claim.span.clone()).chain(odd).min_by_key(|span| span.start)?;
        Some(Breach { span, expected: "a link of those that the rule lists".to_owned() })
    }

    /// The language of the reply, where its words or its letters tell.
    fn language(&self) -> Option<&str> {
        let (mut n_latin, mut n_other) = (0_usize, 0_usize);
        for letter in self.reply.chars().filter(|c| c.is_alphabetic()) {
            *(if letter <= LATIN_LAST { &mut n_latin } else { &mut n_other }) += 1;
        }
        let by_words = self.languages.detect(self.reply).filter(|_| n_words(self.reply) >= WORDS_TELLING_MIN);
        by_words.or((n_other > n_latin).then_some("one of another script"))
    }
}

impl PhraseList {
    /// Where the phrases stand in the reply as it was written, whole words only.
    fn places(&self, page: &Page<'_>) -> Vec<Range<usize>> {
        let whole = self.search.find(page.text).filter(|found| found.is_whole);
        whole.map(|found| page.text.original(&found.span)).collect()
    }
}

/// How many words a text has: what stands between white space and has a letter or digit.
fn n_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}
