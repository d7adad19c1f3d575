//! Telephone numbers and street addresses.
//!
//! A telephone number has a `+`, a label such as "call", or one of the usual groupings; a plain run of digits
//! is none. A street address is a house number, capitalised words and a word for a street.

use super::super::Value;
use super::super::lexicon::Cues;
use super::super::term::Figure;
use super::super::token::Shape;
use super::Page;

/// The most groups of digits in a telephone number.
const GROUPS_MAX: usize = 8;

/// How many words before a number can be its label.
const LABEL_DISTANCE_MAX: usize = 4;

/// The most words between a house number and the word for a street.
const STREET_WORDS_MAX: usize = 4;

/// The telephone number that starts at `at`.
pub(super) fn phone(page: &Page<'_>, at: usize) -> Option<Figure> {
    if at > 0
        && page.is_tight(at)
        && matches!(page.shape(at - 1), Some(Shape::Mark('-' | '.' | '/' | '$' | '#' | '+')))
    {
        return None;
    }
    if at > 0 && page.shape(at - 1) == Some(Shape::Digits) && is_near(page, at) {
        return None;
    }
    let plus = page.mark(at) == Some('+');
    // Most numbers stand alone and are short.
    let alone = !matches!(page.shape(at + 1), Some(Shape::Digits | Shape::Mark(_))) && page.raw(at).len() < 7;
    if alone && !plus && page.mark(at).is_none() {
        return None;
    }
    let (groups, n_groups, behind) = groups(page, at + usize::from(plus))?;
    let groups = &groups[..n_groups];
    let n_digits: usize = groups.iter().map(|group| group.len()).sum();
    let fits = if plus {
        (8..=15).contains(&n_digits)
    } else if (10..=11).contains(&n_digits) && is_grouped(groups, n_digits) {
        true
    } else {
        (7..=15).contains(&n_digits) && is_labelled(page, at)
    };
    let sign = if plus { "+" } else { "" };
    fits.then(|| Page::figure(at, behind, Value::Phone(format!("{sign}{}", groups.concat()))))
}

/// Whether ten or eleven digits are grouped as telephone numbers are.
fn is_grouped(groups: &[&str], n_digits: usize) -> bool {
    let has_lens = |lens: &[usize]| groups.iter().map(|group| group.len()).eq(lens.iter().copied());
    let national = match n_digits {
        10 => has_lens(&[3, 3, 4]),
        _ => groups[0] == "1" && has_lens(&[1, 3, 3, 4]),
    };
    national || (groups[0].starts_with('0') && groups.len() > 1)
}

/// The groups of digits from `at` with their number, without a "(0)" that is only dialled at home, and the token
/// behind them.
fn groups<'a>(page: &Page<'a>, at: usize) -> Option<([&'a str; GROUPS_MAX], usize, usize)> {
    let (mut groups, mut n_groups) = ([""; GROUPS_MAX], 0);
    let (mut next, mut behind) = (at, at);
    while n_groups < GROUPS_MAX {
        match page.tokens.get(next).map(|token| token.shape) {
            Some(Shape::Digits) if next == at || is_near(page, next) => {
                let home = page.raw(next) == "0" && page.mark(next - usize::from(next > 0)) == Some('(');
                if !home || n_groups == 0 {
                    groups[n_groups] = page.raw(next);
                    n_groups += 1;
                }
                behind = next + 1;
                next += 1;
            }
            Some(Shape::Mark('-' | '.' | '(' | ')' | '/')) if next == at || is_near(page, next) => next += 1,
            _ => break,
        }
        // "(555) 123" closes a bracket that belongs to the number.
        if next > behind + 2 {
            break;
        }
    }
    (n_groups > 0).then_some((groups, n_groups, behind))
}

fn is_near(page: &Page<'_>, at: usize) -> bool {
    at > 0 && page.tokens[at].start - page.tokens[at - 1].end <= 1
}

fn is_labelled(page: &Page<'_>, at: usize) -> bool {
    (at.saturating_sub(LABEL_DISTANCE_MAX)..at).any(|index| page.is(index, Cues::PHONE_LABEL))
}

/// The street address that starts at `at`.
pub(super) fn street(page: &Page<'_>, at: usize) -> Option<Figure> {
    let house = page.raw(at);
    let n_digits = house.bytes().take_while(u8::is_ascii_digit).count();
    if n_digits == 0 || n_digits > 5 || house.len() > n_digits + 1 {
        return None;
    }
    for next in at + 1..=at + 1 + STREET_WORDS_MAX {
        if page.shape(next)? != Shape::Word {
            return None;
        }
        let raw = page.raw(next);
        let capital = raw.starts_with(char::is_uppercase);
        let name = capital || (next > at + 1 && raw.len() <= 3);
        if !name {
            return None;
        }
        if next > at + 1 && capital && page.is(next, Cues::STREET) {
            let words: Vec<String> = (at..=next).map(|word| page.raw(word).to_lowercase()).collect();
            return Some(Page::figure(at, next + 1, Value::Address(words.join(" "))));
        }
    }
    None
}
