//! Values that an agent gave in parts: some of it in earlier turns, the rest in this reply.
//!
//! Parts are only put together where a turn says that it gives part of a number, and where the last that was
//! begun goes on with the first of the reply; days, prices and references are no parts. What they are together is decided
//! as if they had been written in one place. A bounded number of parts at the end of the earlier turns and at the start
//! of the reply are looked at.

use std::ops::Range;

use super::super::text::{Group, Labels, List, Text, digits};
use super::kind::{Hit, Kind};
use super::scan::scan;

/// How many parts of each side are put together.
const PARTS_MAX: usize = 8;
/// How many earlier turns are read, latest last.
const TURNS_MAX: usize = 6;
/// How much at the end of an earlier turn is read, in bytes.
const TURN_END: usize = 400;

/// How much lies between two parts of one reply, and is read before them, in bytes.
const BETWEEN_MAX: usize = 160;

/// A run of digits in one turn.
struct Part<'t> {
    span: Range<usize>,
    written: &'t str,
    label: Option<List>,
}

/// The value that `reply` completes, as a span of the reply.
pub(super) fn find(earlier: &[&str], reply: &Text) -> Option<Hit> {
    let turns = &earlier[earlier.len().saturating_sub(TURNS_MAX)..];
    let end = |turn: &&str| Text::new(&turn[turn.ceil_char_boundary(turn.len().saturating_sub(TURN_END))..]);
    let ends: Vec<Text> = turns.iter().map(end).collect();
    if let Some(hit) = ends.last().and_then(|last| email(last, reply)) {
        return Some(hit);
    }
    let rest = spans(reply);
    if let Some(hit) = rest.windows(2).find_map(|pair| within(reply, &pair[0], &pair[1])) {
        return Some(hit);
    }
    let has_parts = !rest.is_empty() && !ends.is_empty();
    if !has_parts || !(turns.iter().any(|turn| has_cue(turn)) || has_cue(reply)) {
        return None;
    }
    let parts = |text, spans: Vec<Range<usize>>| spans.into_iter().map(move |span| Part::new(text, span));
    let rest: Vec<Part<'_>> = parts(reply, rest).collect();
    let mut begun: Vec<Part<'_>> = ends.iter().flat_map(|end| parts(end, spans(end))).collect();
    begun.drain(..begun.len().saturating_sub(PARTS_MAX));
    // What was begun last goes on with what comes first.
    let ranges = (0..begun.len()).flat_map(|from| (1..=rest.len()).map(move |to| (from, to)));
    let mut joined = ranges.filter_map(|(from, to)| Some((joined(&begun[from..], &rest[..to])?, to)));
    joined.next().map(|(kind, to)| Hit::new(kind, rest[0].span.start..rest[to - 1].span.end))
}

/// The value that two parts of one reply are, where words between them say that the second is the rest: what the reply
/// would show without these words.
fn within(reply: &Text, first: &Range<usize>, rest: &Range<usize>) -> Option<Hit> {
    let between = &reply[first.end..rest.start];
    let mut words = between.split(|char: char| !char.is_alphanumeric());
    if between.len() > BETWEEN_MAX || !words.any(|word| List::RestCues.starts(word)) {
        return None;
    }
    let from = reply.floor_char_boundary(first.start.saturating_sub(BETWEEN_MAX));
    let (begun, rest_of) = (&reply[from..first.end], &reply[rest.clone()]);
    let spans = |hit: &Hit| {
        let is_joined = hit.span.start < begun.len() && hit.span.end > begun.len() + 1;
        is_joined && hit.kind != Kind::Phone
    };
    let whole = scan(&Text::new(&format!("{begun} {rest_of}"))).into_iter().find(spans)?;
    Some(Hit::new(whole.kind, first.start..rest.end))
}

/// What parts of both sides are together. A part of a phone has three digits or more, and the rest comes at once.
fn joined(begun: &[Part<'_>], rest: &[Part<'_>]) -> Option<Kind> {
    let parts = || begun.iter().chain(rest);
    let is_called = |label: List| parts().any(|part| part.label == Some(label));
    if is_called(List::ReferenceLabels) {
        return None;
    }
    let n_digits = |part: &Part<'_>| part.written.bytes().filter(u8::is_ascii_digit).count();
    let is_grouped = parts().all(|part| matches!(n_digits(part), 4..=6 | 8..=12));
    let is_phone = is_called(List::PhoneLabels) && rest.len() == 1 && parts().all(|part| n_digits(part) > 2);
    let other = if is_phone { "phone " } else { "" };
    let label = if is_called(List::SocialSecurityLabels) { "ssn " } else { other };
    let digits = parts().map(|part| part.written).collect::<Vec<_>>().join(" ");
    let whole = scan(&Text::new(&format!("{label}{digits}"))).into_iter();
    whole.filter(|hit| hit.span.len() >= digits.len()).map(|hit| hit.kind).find(|kind| match kind {
        Kind::Card => is_grouped,
        Kind::NationalId | Kind::Phone => !label.is_empty(),
        _ => false,
    })
}

/// Where the first runs of digits of a text stand that may be parts.
fn spans(text: &Text) -> Vec<Range<usize>> {
    let runs =
        text.clusters().flat_map(|cluster| cluster.chunk_by(|_, next| next.is_narrow()).take(PARTS_MAX));
    runs.filter(|run| is_part(text, run)).map(digits::span).take(PARTS_MAX).collect()
}

/// Whether a run is no day, price, share or shown end of a card, and neither too short nor too long.
fn is_part(text: &Text, run: &[Group]) -> bool {
    let span = digits::span(run);
    let is_dated = || run.iter().any(|group| group.is_dated);
    let is_amount = || text[..span.start].ends_with('$') || text[span.end..].starts_with('%');
    let is_end = || text.before(span.start).take(2).any(|word| word.is_any(&["ending", "ends"]));
    let is_sized = (2..=digits::DIGITS_MAX).contains(&digits::n_digits(run));
    is_sized && !is_dated() && !is_amount() && !is_end()
}

impl<'t> Part<'t> {
    fn new(text: &'t Text, span: Range<usize>) -> Self {
        let label = Labels::around(text, &span).nearest;
        Part { written: &text[span.clone()], span, label }
    }
}

/// Whether a turn says that it gives part of a number.
fn has_cue(text: &str) -> bool {
    text.split(|char: char| !char.is_alphanumeric()).any(|word| List::PartCues.has(word))
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
