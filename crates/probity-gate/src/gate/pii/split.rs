//! Values that an agent gave in parts: some of it in earlier turns, the rest in this reply.
//!
//! Parts are only put together where a turn says that it gives part of a number, and where the last that was
//! begun goes on with the first of the reply; days, prices and references are no parts. A bounded number of
//! parts at the end of the earlier turns and at the start of the reply are looked at.

use std::ops::Range;

use super::card;
use super::date;
use super::digits::{self, Digits, Gap, Group};
use super::kind::{Hit, Kind};
use super::label::{Label, Labels};
use super::national::is_social_security;
use super::words::{self, List};

/// How many parts of each side are put together.
const PARTS_MAX: usize = 8;
/// How many earlier turns are read, latest last.
const TURNS_MAX: usize = 6;
/// Words that announce a part of a number.
static CUES: List = List::of(
    "\
    card visa mastercard amex digits rest remaining remainder half continues ssn social phone number mobile",
);

/// A run of digits in one turn.
struct Part {
    span: Range<usize>,
    digits: Vec<u8>,
    label: Option<Label>,
}

/// The value that `reply` completes, as a span of the reply. All texts are folded.
pub(super) fn find(earlier: &[&str], reply: &str) -> Option<Hit> {
    let turns = &earlier[earlier.len().saturating_sub(TURNS_MAX)..];
    if let Some(hit) = email(turns.last()?, reply) {
        return Some(hit);
    }
    let rest = parts(reply);
    if rest.is_empty() || !turns.iter().chain([&reply]).any(|turn| has_cue(turn)) {
        return None;
    }
    let mut begun: Vec<Part> = turns.iter().flat_map(|turn| parts_at_end(turn)).collect();
    begun.drain(..begun.len().saturating_sub(PARTS_MAX));
    // What was begun last goes on with what comes first.
    for from in 0..begun.len() {
        for to in 1..=rest.len() {
            if let Some(kind) = joined(&begun[from..], &rest[..to]) {
                return Some(Hit::new(kind, rest[0].span.start..rest[to - 1].span.end));
            }
        }
    }
    None
}

/// What parts of both sides are together.
fn joined(begun: &[Part], rest: &[Part]) -> Option<Kind> {
    let parts = || begun.iter().chain(rest);
    let n: usize = parts().map(|part| part.digits.len()).sum();
    if !(9..=digits::DIGITS_MAX).contains(&n) || parts().any(|part| part.label == Some(Label::Reference)) {
        return None;
    }
    let values: Vec<u8> = parts().flat_map(|part| part.digits.iter().copied()).collect();
    let is_called = |label: Label| parts().any(|part| part.label == Some(label));
    let digits = Digits::of_values(&values)?;
    let is_grouped = parts().all(|part| matches!(part.digits.len(), 4..=6 | 8..=12));
    if is_grouped && card::shape(&digits) == card::Shape::Sure {
        Some(Kind::Card)
    } else if n == 9 && is_called(Label::SocialSecurity) && is_social_security(&values) {
        Some(Kind::NationalId)
    } else if (9..=12).contains(&n)
        && is_called(Label::Phone)
        && parts().all(|part| part.digits.len() > 2)
        && rest.len() == 1
    {
        Some(Kind::Phone)
    } else {
        None
    }
}

/// The first runs of digits of a text.
fn parts(text: &str) -> Vec<Part> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while found.len() < PARTS_MAX
        && let Some(n) = bytes[at..].iter().position(u8::is_ascii_digit)
    {
        let groups = digits::read_cluster(text, at + n);
        at = digits::span(&groups).end;
        let dates = date::mark(text, &groups);
        let mut first = 0;
        for run in groups.chunk_by(|_, next| next.gap == Gap::Narrow).take(PARTS_MAX) {
            let is_dated = dates[first..first + run.len()].contains(&true);
            first += run.len();
            found.extend(part(text, run).filter(|_| !is_dated));
        }
    }
    found
}

/// The last runs of digits of a text, read from a bounded stretch at its end.
fn parts_at_end(text: &str) -> Vec<Part> {
    let mut from = text.len().saturating_sub(400);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    parts(&text[from..])
}

/// A run as a part, unless it is a price, a share, the shown end of a card, or too short or long.
fn part(text: &str, run: &[Group]) -> Option<Part> {
    let span = digits::span(run);
    let digits = Digits::of(text, run)?;
    let label = Labels::around(text, span.start, span.end).nearest;
    let is_amount = text[..span.start].ends_with('$') || text[span.end..].starts_with('%');
    let is_end = words::before(text, span.start).take(2).any(|word| word.is_any(&["ending", "ends"]));
    (digits.len() > 1 && !is_amount && !is_end).then(|| Part {
        span,
        digits: digits.values().to_vec(),
        label,
    })
}

/// Whether a turn says that it gives part of a number.
fn has_cue(text: &str) -> bool {
    text.split(|char: char| !char.is_alphanumeric()).any(|word| CUES.has(word))
}

/// The end of an e-mail address whose local part closed the turn before.
fn email(turn: &str, reply: &str) -> Option<Hit> {
    let last = turn.trim_end_matches(['.', ' ', '\n', ',', '"', '\'']).rsplit([' ', '\n', '"']).next()?;
    let first = reply.split_whitespace().take(8).find(|word| is_end_of_email(word, last))?;
    let start = first.as_ptr() as usize - reply.as_ptr() as usize;
    let domain = first.trim_end_matches(['.', ',', '!', '?']);
    Some(Hit::new(Kind::Email, start..start + domain.len()))
}

/// Whether `word` goes on with the address that `last` began.
fn is_end_of_email(word: &str, last: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', '!', '?']);
    let domain = match (word.strip_prefix('@'), last.strip_suffix('@')) {
        (Some(domain), _) => domain,
        (None, Some(_)) => word,
        (None, None) => return false,
    };
    let is_local =
        last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-@".contains(&byte));
    let top = domain.rsplit('.').next().unwrap_or("");
    is_local && domain.contains('.') && top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic())
}
