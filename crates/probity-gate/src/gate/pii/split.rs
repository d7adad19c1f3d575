//! Values that an agent gave in parts: some of it in earlier turns, the rest in this reply.
//!
//! Parts are only put together where a turn says that it gives part of a number, and where the last that was
//! begun goes on with the first of the reply; days, prices and references are no parts. What they are together is decided
//! as if they had been written in one place. A bounded number of parts at the end of the earlier turns and at the start
//! of the reply are looked at.

use std::ops::Range;

use super::super::text::{Group, Labels, List, Text, digits, is_whole};
use super::kind::{Hit, Kind};
use super::scan::scan;

/// How many parts of each side are put together.
const PARTS_MAX: usize = 8;
/// How many digits the shortest part has.
const DIGITS_MIN: usize = 3;
/// How many earlier turns are read, latest last.
const TURNS_MAX: usize = 6;
/// How much at the end of an earlier turn is read, in bytes.
const TURN_END: usize = 400;
/// How much is read before the first part, in bytes.
const LABEL_REACH: usize = 64;

/// A run of digits in a turn.
type Part<'t> = (&'t Text, Range<usize>);

/// The value that `reply` completes, as a span of the reply.
pub(super) fn find(earlier: &[&str], reply: &Text) -> Option<Hit> {
    let turns = &earlier[earlier.len().saturating_sub(TURNS_MAX)..];
    let end = |turn: &&str| Text::new(&turn[turn.ceil_char_boundary(turn.len().saturating_sub(TURN_END))..]);
    let ends: Vec<Text> = turns.iter().map(end).collect();
    let rest = parts(reply);
    let within = || rest.windows(2).find_map(|pair| within(reply, pair));
    let over_turns = || {
        let is_number = |(text, span): &Part<'_>| is_whole(text, span);
        let begun: Vec<Part<'_>> = ends.iter().flat_map(parts).filter(is_number).collect();
        let rest: Vec<Part<'_>> = rest.iter().filter(|part| is_number(part)).cloned().collect();
        let has_cue = |text: &Text| has_word(text, |word| List::PartCues.has(word));
        if begun.is_empty() || rest.is_empty() || !(ends.iter().any(has_cue) || has_cue(reply)) {
            return None;
        }
        // What was begun last goes on with what comes first.
        let from = begun.len().saturating_sub(PARTS_MAX)..begun.len();
        let mut ranges = from.flat_map(|from| (1..=rest.len()).map(move |to| (from, to)));
        ranges.find_map(|(from, to)| {
            let parts = [&begun[from..], &rest[..to]].concat();
            let kind = kind(&parts)?;
            let fits = match kind {
                Kind::Card => parts.iter().all(|(_, span)| span.len() >= 4),
                Kind::Phone => to == 1,
                _ => true,
            };
            fits.then(|| Hit::new(kind, rest[0].1.start..rest[to - 1].1.end))
        })
    };
    ends.last().and_then(|last| email(last, reply)).or_else(within).or_else(over_turns)
}

/// The value that two parts of one reply are, where words between them say that the second is the rest.
fn within(reply: &Text, pair: &[Part<'_>]) -> Option<Hit> {
    let between = &reply[pair[0].1.end..pair[1].1.start];
    let has_cue = has_word(between, |word| List::RestCues.starts(word));
    let kind = has_cue.then(|| kind(pair))?.filter(|kind| *kind != Kind::Phone);
    kind.map(|kind| Hit::new(kind, pair[0].1.start..pair[1].1.end))
}

/// What parts are together: what the words before the first and nothing but the others behind it would show.
fn kind(parts: &[Part<'_>]) -> Option<Kind> {
    let (text, first) = parts.first()?;
    let mut joined =
        text[text.floor_char_boundary(first.start.saturating_sub(LABEL_REACH))..first.end].to_owned();
    let n_begun = joined.len();
    for (text, part) in &parts[1..] {
        joined.extend([" ", &text[part.clone()]]);
    }
    let is_whole = |hit: &Hit| hit.span.start < n_begun && hit.span.end == joined.len();
    scan(&Text::new(&joined))
        .into_iter()
        .filter(is_whole)
        .map(|hit| hit.kind)
        .find(|kind| *kind < Kind::OwnDataEcho)
}

/// The first runs of digits of a text that may be parts: no day, amount, reference or shown end of a card.
fn parts(text: &Text) -> Vec<Part<'_>> {
    let runs =
        text.clusters().flat_map(|cluster| cluster.chunk_by(|_, next| next.is_narrow()).take(PARTS_MAX));
    let is_part = |run: &&[Group]| {
        let span = digits::span(run);
        let is_end = || text.before(span.start).take(2).any(|word| word.is_any(&["ending", "ends"]));
        (DIGITS_MIN..=digits::DIGITS_MAX).contains(&digits::n_digits(run))
            && !run.iter().any(|group| group.is_dated)
            && !is_end()
            && !text[..span.start].ends_with(['$', ',', '-'])
            && Labels::around(text, &span).nearest != Some(List::ReferenceLabels)
    };
    runs.filter(is_part).map(|run| (text, digits::span(run))).take(PARTS_MAX).collect()
}

/// Whether a text has such a word.
fn has_word(text: &str, is: impl Fn(&str) -> bool) -> bool {
    text.split(|char: char| !char.is_alphanumeric()).any(is)
}

/// The end of an e-mail address whose local part closed the turn before.
fn email(turn: &str, reply: &str) -> Option<Hit> {
    let last = turn.trim_end_matches(['.', ' ', '\n', ',', '"', '\'']).rsplit([' ', '\n', '"']).next()?;
    let mut words = reply.split_whitespace().take(8).map(|word| word.trim_end_matches(['.', ',', '!', '?']));
    let word = words.find(|word| {
        let is_whole = word.starts_with('@') != last.ends_with('@');
        is_whole && scan(&Text::new(&format!("{last}{word}"))).iter().any(|hit| hit.kind == Kind::Email)
    })?;
    let start = word.as_ptr() as usize - reply.as_ptr() as usize;
    Some(Hit::new(Kind::Email, start..start + word.len()))
}
