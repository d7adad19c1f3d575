//! Whether what a reply claims is supported: remedies by policy alone, figures and references also by the
//! conversation, retrieved texts, tools and the tenant's own list, deeds by policy, by what the company has said before
//! and by what tools did.
//!
//! A claim is compared by what it means; see `same` in the ledger for figures and references. Nothing here
//! has an opinion about wording, and nothing reads a clock.
//!
//! What always holds: sightings come in the order of the rules of [`claim`](super::claim), those of one rule
//! by their place in the reply, and one thing said twice is seen once. A remedy that is left out spans the
//! whole reply. No message quotes a reference, because it may be personal or secret; its span says where it is.

mod amount;
mod calculation;
mod count;
mod derivation;
mod granted;
mod moment;
mod number;
mod passage;
mod remedy;
mod result;
mod shown;
mod step;
mod tool;
mod value;
mod weekday;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

pub use granted::Allowed;

use super::claim::{Claim, ClaimKind, Language, Lexicon, OTHER, RULES, Value, WordList};
use super::finding::Sighting;
use super::policy::Source;
use crate::case::{Case, Moment};
use passage::Passages;
use shown::Shown;
use step::{Operands, Origin};

const UNSUPPORTED_PROMISE: &str = "claim.unsupported_promise";
const OMITTED_REMEDY: &str = "claim.omitted_remedy";
const CONTRADICTED: &str = "claim.contradicted";
const WRONG_ARITHMETIC: &str = "claim.wrong_arithmetic";
const UNSUPPORTED_FIGURE: &str = "claim.unsupported_figure";
const UNSUPPORTED_REFERENCE: &str = "claim.unsupported_reference";
const UNSUPPORTED_DEED: &str = "claim.unsupported_deed";

/// The most deeds of a reply that are checked, and how many bytes around one say what was done.
const DEEDS_MAX: usize = 200;
const AROUND_BYTES: usize = 200;

/// The most things of which something is said at once.
const ALL_MAX: usize = 20;

/// The most words of a phrase that is looked for.
const PHRASE_WORDS_MAX: usize = 5;

/// How far from a promise or a deed a figure is a part of it, in bytes.
const PROMISE_GAP_BYTES: usize = 7;
const DEED_GAP_BYTES: usize = 24;

/// What the claims of a reply may rest on.
pub struct Support<'a> {
    sources: &'a [&'a Source],
    case: &'a Case,
    /// The moment that counts for the case, where one is known.
    now: Option<Moment>,
    allowed: &'a Allowed,
    /// That of the reply.
    language: Language<'a>,
    /// What the case shows, read when the first claim asks for it.
    shown: OnceCell<Shown>,
}

impl<'a> Support<'a> {
    /// The sources that may be used for a case, what the case shows, and what the tenant always allows, for a reply in
    /// `language`.
    pub fn new(
        sources: &'a [&'a Source],
        case: &'a Case,
        allowed: &'a Allowed,
        language: Language<'a>,
    ) -> Self {
        Support { sources, case, now: case.circumstances.time, allowed, language, shown: OnceCell::new() }
    }

    /// The same where `as_of` is the moment that counts for a case without one.
    #[must_use]
    pub fn as_of(self, as_of: Option<Moment>) -> Self {
        Support { now: self.now.or(as_of), ..self }
    }

    fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| Shown::of(self.case, self.language))
    }

    /// What results can be calculated from, the reply's own figures apart.
    fn operands(&self) -> Operands {
        let mut operands = self.shown().operands.clone();
        let of_policies = self.sources.iter().flat_map(|source| source.values.all());
        of_policies.for_each(|value| operands.add(&value, Origin::Policy));
        operands.add_now(self.now);
        operands
    }

    /// Whether something shows that `deed` was done, which the reply says in these words. An act that changes nothing of
    /// the customer's counts only where tools act: a person may have done it without one.
    fn shows_deed(&self, deed: &str, said: &Said<'_>) -> bool {
        let (shown, lexicon) = (self.shown(), self.language.lexicon);
        if self.allowed.deeds.contains(deed)
            || self.sources.iter().any(|source| source.facts.deeds.contains(deed))
        {
            return true;
        }
        // "For all four of you", where a call was told of four.
        let is_more = |all: &All| {
            (1..all.number).contains(&shown.n_done) && !shown.objects.contains(&all.number.to_string())
        };
        if said.all.as_ref().is_some_and(is_more) {
            return false;
        }
        let stems = |text| lexicon.stems(text, WordList::Function).collect::<BTreeSet<String>>();
        if deed != OTHER && shown.deeds.contains(deed) {
            return true;
        }
        let (verb, clause) = (stems(said.words), stems(said.clause));
        let is_vague = || {
            let is_given = || clause.iter().any(|stem| shown.objects.contains(stem));
            lexicon.has(WordList::Vague, deed) && is_given()
        };
        // "I have started the refund" says no more than that it is to come.
        let is_begun = || [said.before, said.words].iter().any(|text| says(text, WordList::Begun, lexicon));
        if verb.iter().any(|stem| shown.requested.contains(stem)) && is_begun() {
            return true;
        }
        if lexicon.is_act(deed) {
            // The tool may be called after what it changes: `standing_order` for "I have set up the standing order". What was
            // only asked for is not done in the words of the call itself.
            let is_in = |names: &BTreeSet<String>, stem: &String| {
                names.iter().any(|name| name == stem || is_part(stem, name) || is_part(name, stem))
            };
            return (!shown.has_calls && !lexicon.has(WordList::Changing, deed))
                || is_vague()
                || verb.iter().any(|stem| is_in(&shown.called, stem))
                || (!lexicon.has(WordList::Decisions, deed)
                    && clause.iter().any(|stem| is_in(&shown.call_names, stem)))
                || (lexicon.has(WordList::Requested, deed)
                    && clause.difference(&verb).any(|stem| is_in(&shown.requested, stem)));
        }
        // A result may speak of it in another form: `"charges": […]`.
        is_vague()
            || (lexicon.has(WordList::Happening, deed)
                && verb.iter().any(|stem| shown.words.iter().any(|word| begins_alike(stem, word))))
    }
}

/// Whether a text has a word or phrase of a list.
fn says(text: &str, list: WordList, lexicon: &Lexicon) -> bool {
    let words = tool::spaced(text);
    words.match_indices(' ').any(|(space, _)| {
        let rest = &words[space + 1..];
        let mut ends = rest.match_indices(' ').take(PHRASE_WORDS_MAX);
        ends.any(|(end, _)| lexicon.has(list, &rest[..end]))
    })
}

/// Whether a word is a part of a compound, such as "tarif" of "tarifwechsel".
fn is_part(word: &str, compound: &str) -> bool {
    const LENGTH_MIN: usize = 4;
    word.len() >= LENGTH_MIN && (compound.starts_with(word) || compound.ends_with(word))
}

/// Whether two words begin alike, such as "geliefert" and "lieferdatum".
fn begins_alike(verb: &str, word: &str) -> bool {
    const LENGTH_MIN: usize = 5;
    let start = |text: &str| text.get(..LENGTH_MIN).map(str::to_owned);
    let root = verb.strip_prefix("ge").unwrap_or(verb);
    verb == word
        || start(word).is_some_and(|word| start(verb).as_ref() == Some(&word) || start(root) == Some(word))
}

/// What is wrong with the claims of a reply, given what they may rest on.
pub fn check(reply: &str, claims: &[Claim], support: &Support<'_>) -> Vec<Sighting> {
    let mut sightings = remedy::check(reply, claims, support);
    let passages = Passages::of(reply, claims, support.language.lexicon);
    sightings.extend(deeds(reply, claims, &passages, support));
    let mut values = value::check(reply, claims, &passages, support);
    let is_of_deed = |start: usize| {
        let of_time = |value: &Value| matches!(value, Value::Time { .. } | Value::Day { .. });
        let first = claims.partition_point(|claim| claim.span.start < start);
        let mut there = claims[first..].iter().take_while(|claim| claim.span.start == start);
        support.shown().has_calls || there.any(|claim| claim.value().is_some_and(of_time))
    };
    for sighting in &mut sightings {
        match sighting.rule {
            UNSUPPORTED_PROMISE => take_in(sighting, &mut values, PROMISE_GAP_BYTES, |_| true),
            UNSUPPORTED_DEED => take_in(sighting, &mut values, DEED_GAP_BYTES, is_of_deed),
            _ => {}
        }
    }
    sightings.extend(values);
    let place = |id: &str| RULES.iter().position(|rule| rule.id == id);
    sightings.sort_by_key(|sighting| (place(sighting.rule), sighting.start, sighting.end));
    sightings
}

/// The figure beside a promise that nothing permits is a part of it: "15 % off", "a voucher of $200". So is the time of a
/// deed that nothing shows, and where tools act any figure of it: "moved you onto the 18:30 train".
fn take_in(
    promise: &mut Sighting,
    values: &mut Vec<Sighting>,
    gap_max: usize,
    is_part: impl Fn(usize) -> bool,
) {
    let (start, end) = (promise.start, promise.end);
    values.retain(|value| {
        let is_near = value.start <= end + gap_max && start <= value.end + gap_max;
        let is_open = value.rule == UNSUPPORTED_FIGURE
            || (value.rule == UNSUPPORTED_REFERENCE && promise.rule == UNSUPPORTED_DEED);
        let is_taken = is_open && is_near && is_part(value.start);
        if is_taken {
            (promise.start, promise.end) = (promise.start.min(value.start), promise.end.max(value.end));
        }
        !is_taken
    });
}

fn deeds<'c>(
    reply: &str,
    claims: &'c [Claim],
    passages: &Passages<'_>,
    support: &Support<'_>,
) -> Vec<Sighting> {
    let (mut seen, mut sightings, mut read_to) = (BTreeSet::new(), Vec::new(), 0);
    let deed = |claim: &'c Claim| match &claim.kind {
        ClaimKind::Deed { deed } => Some((deed.as_str(), claim.span.clone())),
        ClaimKind::Remedy { .. } | ClaimKind::Value(_) => None,
    };
    for (deed, Range { start, end }) in claims.iter().filter_map(deed).take(DEEDS_MAX) {
        // "Per E-Mail geschickt" says what was done, and "geschickt" nothing more.
        let is_said = read_to >= end;
        read_to = read_to.max(end);
        if is_said && deed == OTHER {
            continue;
        }
        let clause = &passages.clause(start).range;
        let from = reply.floor_char_boundary(start.saturating_sub(AROUND_BYTES));
        let to = clause.end.min(reply.floor_char_boundary(end + AROUND_BYTES)).max(end);
        let before = &reply[from.max(passages.sentence(start).range.start)..start];
        let near = from.max(clause.start)..to;
        let all = All::of(reply, near.clone(), start..end, support.language.lexicon);
        let said = Said { words: &reply[start..end], before, clause: &reply[near], all };
        let said = said.without_joined(support.language.lexicon);
        if !seen.contains(&(deed, said.words)) && !support.shows_deed(deed, &said) {
            seen.insert((deed, said.words));
            let message = format!("the reply says that something is done ({deed}), and nothing shows it");
            let expected = "what is still to be done, or a tool's result or an earlier message of the company that \
                            says it was done";
            let all = said.all.map_or(start..end, |all| all.span);
            let span = start.min(all.start)..end.max(all.end);
            let sighting = Sighting::at(UNSUPPORTED_DEED, span, message).expecting(expected);
            sightings.push(against_first(sighting, support));
        }
    }
    sightings
}

/// The words in which a reply says that something was done.
struct Said<'r> {
    words: &'r str,
    /// What stands before them in their sentence.
    before: &'r str,
    clause: &'r str,
    /// Of how many things it is said.
    all: Option<All>,
}

/// Words that say of how many things something is said, and where they stand: "both", "all three", "your three".
struct All {
    number: usize,
    span: Range<usize>,
}

impl All {
    /// Those of a passage around a deed. "Both" counts before the deed and directly behind it.
    fn of(reply: &str, range: Range<usize>, deed: Range<usize>, lexicon: &Lexicon) -> Option<Self> {
        let words: Vec<(usize, &str)> = count::words(&reply[range.clone()]).collect();
        let number = |place: usize| {
            let word = words.get(place)?.1;
            word.parse().ok().or_else(|| lexicon.numeral(&word.to_lowercase()))
        };
        let has = |list: WordList, word: &str| lexicon.has(list, &word.to_lowercase());
        words.iter().enumerate().find_map(|(place, (start, word))| {
            let start = range.start + start;
            if has(WordList::Both, word) && (start < deed.start || (deed.end..=deed.end + 1).contains(&start))
            {
                return Some(All { number: 2, span: start..start + word.len() });
            }
            let (last, counted) = (words.get(place + 1)?, words.get(place + 2)?);
            // "Two of your three", "your three months".
            let is_part = (1..=2).any(|back| place.checked_sub(back).and_then(number).is_some());
            let is_length = lexicon.unit(&counted.1.to_lowercase()).is_some();
            let number = number(place + 1).and_then(|number: u32| usize::try_from(number).ok())?;
            let is_all = has(WordList::Every, word) && !is_part && !is_length && number <= ALL_MAX;
            is_all.then(|| All { number, span: start..range.start + last.0 + last.1.len() })
        })
    }
}

impl Said<'_> {
    /// The same without what stands before the last "and" before the deed: that is of another verb.
    fn without_joined(self, lexicon: &Lexicon) -> Self {
        let before = &self.clause[..self.clause.rfind(self.words).unwrap_or(0)];
        let mut words = before.split_inclusive(' ').rev().scan(before.len(), |at, word| {
            *at -= word.len();
            Some((*at, word.trim_end()))
        });
        let joint = words.find(|(_, word)| lexicon.has(WordList::And, word));
        Said { clause: &self.clause[joint.map_or(0, |(at, _)| at)..], ..self }
    }
}

/// Names the first source as the one that a claim was checked against.
fn against_first(sighting: Sighting, support: &Support<'_>) -> Sighting {
    sighting.against(support.sources.first().map(|source| source.name()))
}
