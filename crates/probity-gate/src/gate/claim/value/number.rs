//! Numbers as people write them: digits with either kind of separators, and words.
//!
//! Where a point and a comma both stand in a number, the last one divides the decimals. A comma before
//! exactly three digits, or before more than one group of three, divides thousands; any other comma before
//! one or two digits divides decimals. A lone point before three digits divides decimals, and thousands in
//! amounts of money, which have no third decimal. Words count up to the millions.

use super::super::token::Shape;
use super::Page;
use crate::exact::Exact;

/// The most groups of digits that a number can have.
const GROUPS_MAX: usize = 6;

/// Whole numbers from here on are not figures that people give.
const WHOLE_MAX: i64 = 1_000_000_000_000;

/// The most digits before and behind the point, as many as an exact number reads.
const PART_DIGITS_MAX: usize = 12;

/// How a lone point before three digits is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LonePoint {
    Decimals,
    Thousands,
}

/// A number and the token behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: Exact,
    pub(super) behind: usize,
}

impl Number {
    fn whole(value: i64, behind: usize) -> Number {
        Number { value: Exact::from(value), behind }
    }
}

/// The number at `at`, in digits or in words.
pub(super) fn number(page: &Page<'_>, at: usize, point: LonePoint) -> Option<Number> {
    match page.shape(at)? {
        Shape::Digits => digits(page, at, point),
        Shape::Word => words(page, at),
        Shape::Mixed | Shape::Mark(_) => None,
    }
}

fn digits(page: &Page<'_>, at: usize, point: LonePoint) -> Option<Number> {
    if !(matches!(page.mark(at + 1), Some('.' | ',')) && page.is_tight(at + 1)) {
        let value = page.raw(at).parse::<i64>().ok().filter(|value| *value < WHOLE_MAX)?;
        return Some(Number::whole(value, at + 1));
    }
    let n_groups = n_groups(page, at);
    let mut groups = [(' ', page.raw(at)); GROUPS_MAX];
    for (number, group) in groups[..n_groups].iter_mut().enumerate().skip(1) {
        let behind = at + 2 * number;
        *group = (page.mark(behind - 1).unwrap_or(' '), page.raw(behind));
    }
    let (whole, decimals) = split(&groups[..n_groups], point)?;
    let behind = at + 2 * n_groups - 1;
    let n_whole: usize = whole.iter().map(|(_, digits)| digits.len()).sum();
    let n_decimals = decimals.map_or(0, str::len);
    if n_whole.max(n_decimals) > PART_DIGITS_MAX {
        return None;
    }
    let digits = whole.iter().flat_map(|(_, digits)| digits.bytes()).chain(decimals.unwrap_or("").bytes());
    let all = digits.fold(0_i128, |all, digit| all * 10 + i128::from(digit - b'0'));
    let scale = 10_i128.pow(u32::try_from(n_decimals).ok()?);
    Some(Number { value: Exact::ratio(all, scale)?, behind })
}

/// How many groups of digits are joined by points or commas from `at` on.
fn n_groups(page: &Page<'_>, at: usize) -> usize {
    let mut n_groups = 1;
    while n_groups < GROUPS_MAX {
        let mark = at + 2 * n_groups - 1;
        let joined = matches!(page.mark(mark), Some('.' | ','))
            && page.is_tight(mark)
            && page.is_tight(mark + 1)
            && page.shape(mark + 1) == Some(Shape::Digits);
        if !joined {
            break;
        }
        n_groups += 1;
    }
    n_groups
}

/// Whether no unit and no range can stand behind the digits at `at`: other digits do, or a mark that joins
/// nothing. Asked first, because reading a number costs more.
pub(super) fn is_bare(page: &Page<'_>, at: usize) -> bool {
    if page.shape(at) != Some(Shape::Digits) {
        return false;
    }
    match page.shape(at + 2 * n_groups(page, at) - 1) {
        None | Some(Shape::Digits) => true,
        Some(Shape::Mark(mark)) => mark.is_ascii() && !matches!(mark, '(' | '-' | '%' | '$'),
        Some(Shape::Word | Shape::Mixed) => false,
    }
}

/// A group of digits with the mark before it.
type Group<'a> = (char, &'a str);

/// The groups of the whole part, and the decimals.
fn split<'g, 'a>(groups: &'g [Group<'a>], point: LonePoint) -> Option<(&'g [Group<'a>], Option<&'a str>)> {
    let (last, before) = groups.split_last()?;
    let threes = |groups: &[Group<'_>]| groups.iter().skip(1).all(|(_, digits)| digits.len() == 3);
    let first_short = groups[0].1.len() <= 3;
    match groups {
        [_] => Some((groups, None)),
        [first, (mark, second)] => {
            let thousands = second.len() == 3 && first_short && first.1 != "0" && {
                *mark == ',' || point == LonePoint::Thousands
            };
            let decimals = *mark == '.' || second.len() <= 2;
            match (thousands, decimals) {
                (true, _) => Some((groups, None)),
                (false, true) => Some((before, Some(second))),
                (false, false) => None,
            }
        }
        _ if before[1..].iter().any(|(mark, _)| *mark == last.0) => {
            // One mark only, so it divides thousands; anything else is a version or a list.
            let same = groups[1..].iter().all(|(mark, _)| *mark == last.0);
            (same && threes(groups) && first_short).then_some((groups, None))
        }
        _ => (threes(before) && first_short).then_some((before, Some(last.1))),
    }
}

fn words(page: &Page<'_>, at: usize) -> Option<Number> {
    let (mut total, mut current, mut behind) = (0_u64, 0_u64, at);
    let mut next = at;
    // "A hundred" counts, "a" alone does not.
    if (page.is_word(at, "a") || page.is_word(at, "an"))
        && page.info(at + 1).numeral.is_some_and(|n| n >= 100)
    {
        (current, next) = (1, at + 1);
    }
    while let Some(value) = page.info(next).numeral.filter(|_| next < at + 12) {
        let value = u64::from(value);
        match value {
            // "Hundred hundred …" soon is no number that anyone means.
            100 => current = current.max(1).checked_mul(100)?,
            1000.. => {
                total = total.checked_add(current.max(1).checked_mul(value)?)?;
                current = 0;
            }
            // "Twenty" takes a unit, "hundred" takes more; "five six" is two numbers.
            _ if current % 100 == 0 || (current % 10 == 0 && current % 100 >= 20 && value < 10) => {
                current += value;
            }
            _ => break,
        }
        behind = next + 1;
        let link = page.mark(behind) == Some('-') || (value >= 100 && page.is_word(behind, "and"));
        next = if link { behind + 1 } else { behind };
    }
    let value = i64::try_from(total + current).ok()?;
    (behind > at).then(|| Number::whole(value, behind))
}
