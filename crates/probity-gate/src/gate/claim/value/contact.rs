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

/// The most digits in a telephone number.
const DIGITS_MAX: usize = 15;

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
    let alone = !matches!(page.shape(at + 1), Some(Shape::Digits | Shape::Mark(_))) && page.len(at) < 7;
    if alone && !plus && page.mark(at).is_none() {
        return None;
    }
    let number = Groups::read(page, at + usize::from(plus))?;
    let fits = if plus {
        (8..=DIGITS_MAX).contains(&number.n_digits)
    } else if (10..=11).contains(&number.n_digits) && is_grouped(page, &number) {
        true
    } else {
        (7..=DIGITS_MAX).contains(&number.n_digits) && is_labelled(page, at)
    };
    let digits = || number.tokens.iter().map(|group| page.raw(*group));
    let sign = if plus { "+" } else { "" };
    fits.then(|| {
        Page::figure(at, number.behind, Value::Phone(std::iter::once(sign).chain(digits()).collect()))
    })
}

/// Whether ten or eleven digits are grouped as telephone numbers are.
fn is_grouped(page: &Page<'_>, number: &Groups) -> bool {
    let (groups, first) = (&number.tokens, page.raw(number.tokens[0]));
    let has_lens = |lens: &[usize]| groups.iter().map(|group| page.len(*group)).eq(lens.iter().copied());
    let national = match number.n_digits {
        10 => has_lens(&[3, 3, 4]),
        _ => first == "1" && has_lens(&[1, 3, 3, 4]),
    };
    national || (first.starts_with('0') && groups.len() > 1)
}

/// The groups of digits that may be a telephone number.
struct Groups {
    tokens: Vec<usize>,
    n_digits: usize,
    /// The token behind them.
    behind: usize,
}

impl Groups {
    /// The groups from `at`, without a "(0)" that is only dialled at home, unless they have too many digits.
    fn read(page: &Page<'_>, at: usize) -> Option<Groups> {
        let mut groups = Groups { tokens: Vec::new(), n_digits: 0, behind: at };
        let mut next = at;
        while groups.tokens.len() < GROUPS_MAX {
            match page.shape(next) {
                Some(Shape::Digits) if next == at || is_near(page, next) => {
                    let home = page.len(next) == 1
                        && page.raw(next) == "0"
                        && page.mark(next - usize::from(next > 0)) == Some('(');
                    if !home || groups.tokens.is_empty() {
                        groups.tokens.push(next);
                        groups.n_digits += page.len(next);
                    }
                    next += 1;
                    groups.behind = next;
                }
                Some(Shape::Mark('-' | '.' | '(' | ')' | '/')) if next == at || is_near(page, next) => {
                    next += 1;
                }
                _ => break,
            }
            // "(555) 123" closes a bracket that belongs to the number.
            if next > groups.behind + 2 || groups.n_digits > DIGITS_MAX {
                break;
            }
        }
        (1..=DIGITS_MAX).contains(&groups.n_digits).then_some(groups)
    }
}

fn is_near(page: &Page<'_>, at: usize) -> bool {
    at > 0 && page.tokens[at].start - page.tokens[at - 1].end <= 1
}

fn is_labelled(page: &Page<'_>, at: usize) -> bool {
    (at.saturating_sub(LABEL_DISTANCE_MAX)..at).any(|index| page.is(index, Cues::PHONE_LABEL))
}

/// The street address that starts at `at`.
pub(super) fn street(page: &Page<'_>, at: usize) -> Option<Figure> {
    if page.shape(at + 1)? != Shape::Word {
        return None;
    }
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
