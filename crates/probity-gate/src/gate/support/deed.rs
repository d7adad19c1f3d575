//! Deeds: what a reply says was done, and whether something shows it.
//!
//! A call that did something shows what its name says, whatever a call says of how things are is so, and what the company
//! said before is done. One that failed shows nothing, and one that only took a request shows that it was made.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::claim::{Claim, ClaimKind, Lexicon, OTHER, Value, WordList};
use super::super::finding::Sighting;
use super::passage::Passages;
use super::result::Origin;
use super::shown::Act;
use super::{Support, UNSUPPORTED_DEED, against_first, count, says};

/// The most deeds of a reply that are checked, and how many bytes around one say what was done.
const DEEDS_MAX: usize = 200;
const AROUND_BYTES: usize = 200;

/// How many deeds before and behind one may be what a call was made for instead.
const BESIDE_MAX: usize = 3;

/// The most things of which something is said at once.
const THINGS_MAX: usize = 20;

/// The deeds of a reply that nothing shows.
pub(super) fn check(
    reply: &str,
    claims: &[Claim],
    passages: &Passages<'_>,
    support: &Support<'_>,
) -> Vec<Sighting> {
    let deeds = claims.iter().filter_map(Deed::of).take(DEEDS_MAX).collect();
    let reading = DeedCheck { reply, claims, deeds, passages, lexicon: support.language.lexicon };
    // Most deeds need no proof.
    let said: LazyCell<Vec<Said<'_>>, _> =
        LazyCell::new(|| (0..reading.deeds.len()).map(|at| reading.said(at)).collect());
    let (mut seen, mut sightings, mut read_to) = (BTreeSet::new(), Vec::new(), 0);
    for (at, Deed { id, span, .. }) in reading.deeds.iter().enumerate() {
        // "Per E-Mail geschickt" says what was done, and "geschickt" nothing more.
        let is_said = read_to >= span.end && *id == OTHER;
        read_to = read_to.max(span.end);
        if is_said || support.needs_no_proof(id) || seen.contains(&(id, &reply[Range::clone(span)])) {
            continue;
        }
        let beside = &said[at.saturating_sub(BESIDE_MAX)..said.len().min(at + BESIDE_MAX + 1)];
        if !support.shows_deed(&said[at], beside) {
            seen.insert((id, &reply[Range::clone(span)]));
            let message = format!("the reply says that something is done ({id}), and nothing shows it");
            let expected = "what is still to be done, or a tool's result or an earlier message of the company that \
                            says it was done";
            let sighting = Sighting::at(UNSUPPORTED_DEED, Range::clone(span), message).expecting(expected);
            sightings.push(against_first(sighting, support));
        }
    }
    sightings
}

/// What a reply claims was done.
struct Deed<'c> {
    id: &'c str,
    /// Whether the company says that it did it.
    is_ours: bool,
    span: &'c Range<usize>,
}

impl<'c> Deed<'c> {
    fn of(claim: &'c Claim) -> Option<Self> {
        let ClaimKind::Deed { deed, is_ours } = &claim.kind else { return None };
        Some(Deed { id: deed, is_ours: *is_ours, span: &claim.span })
    }
}

struct DeedCheck<'r, 'p> {
    reply: &'r str,
    claims: &'r [Claim],
    deeds: Vec<Deed<'r>>,
    passages: &'r Passages<'p>,
    lexicon: &'r Lexicon,
}

/// How a reply says that something was done.
struct Said<'r> {
    deed: &'r str,
    is_ours: bool,
    /// Whether it says no more than that it is to come: "I have started the refund".
    is_begun: bool,
    /// The words that say it and those of their clause, without endings.
    verb: BTreeSet<String>,
    clause: BTreeSet<String>,
    /// The figures and references that are said of it.
    values: Vec<&'r Value>,
    /// Of how many things it is said, where it says so.
    number: Option<usize>,
}

impl DeedCheck<'_, '_> {
    fn said(&self, at: usize) -> Said<'_> {
        let (reply, lexicon) = (self.reply, self.lexicon);
        let Deed { id, is_ours, span: &Range { start, end } } = self.deeds[at];
        let clause = &self.passages.clause(start).range;
        let from = reply.floor_char_boundary(start.saturating_sub(AROUND_BYTES)).max(clause.start);
        let to = clause.end.min(reply.floor_char_boundary(end + AROUND_BYTES)).max(end);
        let number = number_of_things(reply, from..to, start..end, lexicon).or_else(|| {
            // "I have disputed the first. I have also disputed the second."
            let n_before = self.deeds[..at].iter().filter(|last| last.id == id).count();
            says(&reply[from..to], WordList::Also, lexicon).then_some(n_before + 1)
        });
        let from = self.after_joint(from, start);
        let first = self.claims.partition_point(|claim| claim.span.start < from);
        let claims = self.claims[first..].iter().take_while(|claim| claim.span.start < to);
        let is_begun = |list| says(&reply[from..to], list, lexicon);
        Said {
            deed: id,
            is_ours,
            is_begun: is_begun(WordList::Begun) || is_begun(WordList::Pending),
            verb: lexicon.stems(&reply[start..end], WordList::Function).collect(),
            clause: lexicon.stems(&reply[from..to], WordList::Function).collect(),
            values: claims.filter_map(Claim::value).collect(),
            number,
        }
    }

    /// Where the words of the verb at `verb` begin: what stands before the last "and" before it is of another one.
    fn after_joint(&self, from: usize, verb: usize) -> usize {
        let mut start = verb;
        let words = self.reply[from..verb].split_inclusive(' ').rev().map(|word| {
            start -= word.len();
            (start, word.trim_end())
        });
        let mut joints = words.filter(|(_, word)| self.lexicon.has(WordList::And, word));
        joints.next().map_or(from, |(start, _)| start)
    }
}

/// Of how many things a passage says what it says with the words at `deed`: "both", "all three", "your three". "Both"
/// counts before the deed and directly behind it.
fn number_of_things(
    reply: &str,
    range: Range<usize>,
    deed: Range<usize>,
    lexicon: &Lexicon,
) -> Option<usize> {
    let words: Vec<(usize, String)> =
        count::words(&reply[range.clone()]).map(|(start, word)| (start, word.to_lowercase())).collect();
    let number = |place: usize| -> Option<u32> {
        let word = &words.get(place)?.1;
        word.parse().ok().or_else(|| lexicon.numeral(word))
    };
    words.iter().enumerate().find_map(|(place, (start, word))| {
        let start = range.start + start;
        let is_of_deed = start < deed.start || (deed.end..=deed.end + 1).contains(&start);
        if lexicon.has(WordList::Both, word) && is_of_deed {
            return Some(2);
        }
        // "Two of your three".
        let is_part = (1..=2).any(|back| place.checked_sub(back).and_then(number).is_some());
        let number = number(place + 1).and_then(|number| usize::try_from(number).ok());
        number.filter(|number| lexicon.has(WordList::Every, word) && !is_part && *number <= THINGS_MAX)
    })
}

impl Support<'_> {
    /// Whether a deed may be said without anything that shows it. An act that changes nothing of the customer's counts only
    /// where tools are called: a person may have done it without one.
    fn needs_no_proof(&self, deed: &str) -> bool {
        let lexicon = self.language.lexicon;
        (lexicon.is_act(deed) && !lexicon.has(WordList::Changing, deed) && !self.shown().has_calls)
            || self.allowed.deeds.contains(deed)
            || self.sources.iter().any(|source| source.facts.deeds.contains(deed))
    }

    /// Whether something shows that what is said was done.
    fn shows_deed(&self, said: &Said<'_>, beside: &[Said<'_>]) -> bool {
        let (shown, lexicon) = (self.shown(), self.language.lexicon);
        if !said.is_ours && self.happened(said) {
            return true;
        }
        // "I have refunded all of the 22 €", where a call for 22 failed and one for 15 did not.
        let is_of_failed = |act: &Act| {
            let failed = |value: &Value| {
                shown.acts.iter().any(|other| other.failed.has(value) && other.is_for(said, &[], lexicon))
            };
            said.values.iter().any(|value| !act.values.has(value) && failed(value))
        };
        let is_proof = |act: &&Act| act.shows(said, beside, lexicon) && !is_of_failed(act);
        let things: Vec<usize> = shown.acts.iter().filter(is_proof).map(|act| act.n_things).collect();
        // "For all four of you", where the only call was for what is four.
        let is_told = |number: usize| {
            let number = Value::Number(number.to_string());
            things.len() == 1 && shown.acts.iter().any(|act| act.values.has(&number))
        };
        let is_more = |number: &usize| (1..*number).contains(&things.iter().sum()) && !is_told(*number);
        !things.is_empty() && !said.number.as_ref().is_some_and(is_more)
    }

    /// Whether something says that it happened, by the company or a third party: a result speaks of it in another form, such as
    /// `"charges": […]`, or has all of its figures, one of them a day that is past.
    fn happened(&self, said: &Said<'_>) -> bool {
        let (shown, lexicon) = (self.shown(), self.language.lexicon);
        let is_named = |stem: &String| shown.words.iter().any(|word| begins_alike(stem, word));
        let past = shown.operands.moments().filter(|time| Some(time.start) <= self.now);
        let days: BTreeSet<(u8, u8)> = past.map(|time| (time.start.date().1, time.start.date().2)).collect();
        let is_past =
            |value: &Value| matches!(value, Value::Day { month, day, .. } if days.contains(&(*month, *day)));
        let n_days = said.values.iter().filter(|value| matches!(value, Value::Day { .. })).count();
        let is_dated = n_days > 1 || said.values.iter().copied().any(is_past);
        let is_told = |act: &Act| {
            (is_dated || act.events.contains(said.deed))
                && !said.values.is_empty()
                && said.values.iter().all(|value| act.values.has(value))
        };
        // `"status": "ASSESSED"`.
        let is_state = |stem: &String| shown.states.contains(stem);
        (lexicon.is_act(said.deed) && said.verb.iter().any(is_state))
            || (lexicon.has(WordList::Happening, said.deed) && said.verb.iter().any(is_named))
            || shown.acts.iter().any(is_told)
    }
}

impl Act {
    /// Whether it shows that what is said was done.
    fn shows(&self, said: &Said<'_>, beside: &[Said<'_>], lexicon: &Lexicon) -> bool {
        let is_decision = lexicon.has(WordList::Decisions, said.deed);
        let is_shown = match self.origin {
            Origin::Did if self.is_named_after(said) => true,
            Origin::Did => self.is_for(said, beside, lexicon),
            Origin::Took => {
                (said.is_begun || lexicon.has(WordList::Requested, said.deed)) && self.is_about(said, &[])
            }
            _ => false,
        };
        // A state of a call shows what the company says it did where it is about the same: `"status": "booked"`.
        let is_about = || self.names.is_empty() || is_decision || self.is_about(said, &[]);
        is_shown || said.deed != OTHER && self.deeds.contains(said.deed) && (!said.is_ours || is_about())
    }

    /// Whether the call is made for what is said, and not for what is said beside it: "I've booked your table and arranged a
    /// cake", where the call only books.
    fn is_for(&self, said: &Said<'_>, beside: &[Said<'_>], lexicon: &Lexicon) -> bool {
        let is_named = said.deed != OTHER && self.named.contains(said.deed);
        let is_taken = || beside.iter().any(|other| other.verb != said.verb && self.is_named_after(other));
        let is_for_act = || {
            if lexicon.has(WordList::Decisions, said.deed) {
                said.verb.iter().any(|stem| is_in(&self.names, stem))
            } else {
                self.is_about(said, beside)
            }
        };
        (is_named && (self.is_named_after(said) || !is_taken()))
            || (lexicon.is_act(said.deed) && is_for_act())
    }

    /// Whether the call's name has the verb itself: "he generado la factura" and `generar_factura`.
    fn is_named_after(&self, said: &Said<'_>) -> bool {
        !said.verb.is_empty() && said.verb.iter().all(|stem| is_in(&self.names, stem))
    }

    /// Whether what is said names what the call is called after, was given or says, and what is said beside it, for which
    /// the call was made, does not: "I've blocked your card. I've also ordered a new card."
    fn is_about(&self, said: &Said<'_>, beside: &[Said<'_>]) -> bool {
        let is_other = |other: &&Said<'_>| other.verb.is_disjoint(&said.verb) && self.is_named_after(other);
        let taken: BTreeSet<&String> =
            beside.iter().filter(is_other).flat_map(|other| &other.clause).collect();
        let is_its = |stem: &String| {
            is_in(&self.objects, stem) || self.states.contains(stem) || is_in(&self.names, stem)
        };
        // "… and lowered the price to $30", which the result has.
        let has_amount = |value: &&Value| matches!(value, Value::Money { .. }) && self.values.has(value);
        said.values.iter().any(has_amount)
            || said.clause.iter().any(|stem| !taken.contains(stem) && is_its(stem))
    }
}

/// Whether a word, or a compound with it, is one of these names: "tarif" and "tarifwechsel".
fn is_in(names: &BTreeSet<String>, stem: &str) -> bool {
    const LENGTH_MIN: usize = 4;
    let is_part = |word: &str, compound: &str| {
        word.len() >= LENGTH_MIN && (compound.starts_with(word) || compound.ends_with(word))
    };
    names.iter().any(|name| begins_alike(stem, name) || is_part(stem, name) || is_part(name, stem))
}

/// Whether two words begin alike, such as "geliefert" and "lieferdatum".
fn begins_alike(verb: &str, word: &str) -> bool {
    const LENGTH_MIN: usize = 5;
    let start = |text: &str| text.get(..LENGTH_MIN).map(str::to_owned);
    let root = verb.strip_prefix("ge").unwrap_or(verb);
    verb == word
        || start(word).is_some_and(|word| start(verb).as_ref() == Some(&word) || start(root) == Some(word))
}
