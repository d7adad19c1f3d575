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
const WORDS_BEHIND_CLOSING_MAX: i64 = 6;

/// The fewest words of a reply that tell its language: "OK" is any.
const WORDS_TELLING_MIN: i64 = 4;

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
    /// Something stands in it, or does not.
    Text { sought: Sought, wanted: Wanted },
    /// It has so many words.
    Words { least: i64, most: i64 },
    /// All its links are among these.
    Links(Known<()>),
    /// It is JSON with these members.
    Json(JsonShape),
    /// It is in one of these languages.
    Languages(BTreeSet<String>),
}

/// What is looked for in a reply.
#[derive(Debug, Clone)]
enum Sought {
    /// One of some phrases, with the first of them in quotes.
    Phrases(Phrases<()>, String),
    /// Text that an expression matches.
    Expression(Regex),
}

/// Where it is wanted.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Somewhere,
    Nowhere,
    /// At the end, and a name behind it.
    AtTheEnd,
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
        self.rules.iter().filter(is_meant).filter_map(|rule| rule.breach(&page)).collect()
    }
}

/// A reply that is checked.
struct Page<'p> {
    /// As it was written.
    reply: &'p str,
    text: &'p Text,
    languages: &'p Languages,
}

impl OwnRule {
    /// Where the reply breaks the rule, and what would have been right.
    fn breach(&self, page: &Page<'_>) -> Option<Sighting> {
        let at = |span, expected: String| Sighting::at(self.id, span, &self.message).expecting(expected);
        let whole = |expected| at(0..page.reply.len(), expected);
        match &self.condition {
            Condition::Text { sought, wanted } => {
                let mut places = sought.places(page);
                match wanted {
                    Wanted::Somewhere => places.next().is_none().then(|| whole(sought.shown())),
                    Wanted::Nowhere => Some(at(places.next()?, format!("no {}", sought.shown()))),
                    Wanted::AtTheEnd => {
                        let n_behind = places.last().map(|place| n_words(&page.reply[place.end..]));
                        let closes = n_behind.is_some_and(|n| n <= WORDS_BEHIND_CLOSING_MAX);
                        (!closes).then(|| whole(format!("at the end: {}", sought.shown())))
                    }
                }
            }
            Condition::Words { least, most } => {
                let n = n_words(page.reply);
                let asked = if n < *least { format!("at least {least}") } else { format!("at most {most}") };
                (n < *least || n > *most).then(|| whole(format!("{asked} words, found {n}")))
            }
            Condition::Links(allowed) => {
                Some(at(page.link_outside(allowed)?, "a link of those that the rule lists".to_owned()))
            }
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
    fn link_outside(&self, allowed: &Known<()>) -> Option<Range<usize>> {
        let claims = extract_read(self.text, self.languages.first());
        let links = claims.iter().filter(|claim| matches!(claim.kind, ClaimKind::Value(Value::Link(_))));
        let links = links.map(|link| (link.span.clone(), link.value().is_some_and(|link| allowed.has(link))));
        let mut read_to = 0;
        links.chain([(self.reply.len()..self.reply.len(), true)]).find_map(|(span, is_allowed)| {
            let odd = self.reply.get(read_to..span.start)?.find("://").map(|at| read_to + at);
            read_to = span.end;
            odd.map(|at| at..at + "://".len()).or((!is_allowed).then_some(span))
        })
    }

    /// The language of the reply, where its words or its letters tell.
    fn language(&self) -> Option<&str> {
        let letters = || self.reply.chars().filter(|c| c.is_alphabetic());
        let n_latin = letters().filter(|letter| *letter <= LATIN_LAST).count();
        let by_words = self.languages.detect(self.reply).filter(|_| n_words(self.reply) >= WORDS_TELLING_MIN);
        by_words.or((letters().count() > 2 * n_latin).then_some("one of another script"))
    }
}

impl Sought {
    /// Where it stands in the reply as it was written; phrases as whole words only.
    fn places<'p>(&'p self, page: &Page<'p>) -> Box<dyn Iterator<Item = Range<usize>> + 'p> {
        let text = page.text;
        match self {
            Sought::Phrases(search, _) => {
                let whole = search.find(text).filter(|found| found.is_whole);
                Box::new(whole.map(|found| text.original(&found.span)))
            }
            Sought::Expression(expression) => {
                Box::new(expression.find_iter(page.reply).map(|found| found.range()))
            }
        }
    }

    fn shown(&self) -> String {
        match self {
            Sought::Phrases(_, shown) => shown.clone(),
            Sought::Expression(expression) => format!("text that matches {expression}"),
        }
    }
}

/// How many words a text has: what stands between white space and has a letter or digit.
fn n_words(text: &str) -> i64 {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).map(|_| 1).sum()
}
