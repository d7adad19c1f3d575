//! Numbers as people write them: digits with either kind of separators, and words.
//!
//! Where a point and a comma both stand in a number, the last one divides the decimals. A comma before
//! exactly three digits, or before more than one group of three, divides thousands; any other comma before
//! one or two digits divides decimals. A lone point before three digits divides decimals, and thousands in
//! amounts of money, which have no third decimal. One blank before three digits divides thousands. Words count up to the millions.

use super::super::super::text::Shape;
use super::super::lexicon::Cues;
use super::Page;
use crate::exact::Exact;

/// The most groups of digits that a number can have.
const GROUPS_MAX: usize = 6;

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

/// The number at `at`, in digits or in words.
pub(super) fn number(page: &Page<'_>, at: usize, point: LonePoint) -> Option<Number> {
    match page.shape(at)? {
        Shape::Digits => digits(page, at, point),
        Shape::Word => words(page, at),
        Shape::Mixed | Shape::Mark(_) => None,
    }
}

/// A group of digits with the mark before it.
type Group<'a> = (char, &'a str);

fn digits(page: &Page<'_>, at: usize, point: LonePoint) -> Option<Number> {
    let behind = behind_groups(page, at);
    let is_group = |at: &usize| page.is_digits(*at);
    let groups: Vec<Group<'_>> = (at..behind)
        .filter(is_group)
        .map(|at| (page.mark(at.max(1) - 1).filter(|_| page.is_tight(at)).unwrap_or(' '), page.raw(at)))
        .collect();
    let n_whole = n_whole(&groups, point)?;
    let n_digits = |groups: &[Group<'_>]| groups.iter().map(|(_, digits)| digits.len()).sum::<usize>();
    let n_decimals = n_digits(&groups[n_whole..]);
    if n_digits(&groups[..n_whole]).max(n_decimals) > PART_DIGITS_MAX {
        return None;
    }
    let digits = groups.iter().flat_map(|(_, digits)| digits.bytes());
    let all = digits.fold(0_i128, |all, digit| all * 10 + i128::from(digit - b'0'));
    let value = match n_decimals {
        0 => Exact::from(i64::try_from(all).ok()?),
        n => Exact::ratio(all, 10_i128.pow(u32::try_from(n).ok()?))?,
    };
    Some(Number { value, behind })
}

/// The token behind the groups of digits that are joined by points, commas or blanks from `at` on.
fn behind_groups(page: &Page<'_>, at: usize) -> usize {
    let (mut behind, most) = (at + 1, at + 2 * GROUPS_MAX - 1);
    // Many groups are of a telephone number or a card.
    while behind < most && !page.is_digits(at.wrapping_sub(1)) && page.divides_thousands(behind) {
        behind += 1;
    }
    while behind < most
        && page.has_mark(behind, ".,")
        && page.is_tight(behind)
        && page.is_tight(behind + 1)
        && page.is_digits(behind + 1)
    {
        behind += 2;
    }
    behind
}

/// Whether no unit can stand behind the digits at `at`, the other end of a range and a number in brackets: other digits
/// do, or a mark that joins nothing. Asked first, because reading a number costs more.
pub(super) fn is_bare(page: &Page<'_>, at: usize) -> bool {
    if !page.is_digits(at) {
        return false;
    }
    let mut behind = behind_groups(page, at);
    if page.has_mark(behind, "-") && page.is_digits(behind + 1) {
        behind = behind_groups(page, behind + 1);
    }
    if page.has_mark(behind, "(") && page.is_digits(behind + 1) && page.has_mark(behind + 2, ")") {
        behind += 3;
    }
    match page.shape(behind) {
        None | Some(Shape::Digits) => true,
        Some(Shape::Mark(mark)) => mark.is_ascii() && !"(-%$".contains(mark),
        Some(Shape::Word | Shape::Mixed) => false,
    }
}

/// How many groups are the whole part; at most one more has the decimals.
fn n_whole(groups: &[Group<'_>], point: LonePoint) -> Option<usize> {
    let (n, (_, first)) = (groups.len(), groups[0]);
    let [.., (mark, last)] = &groups[1..] else { return Some(1) };
    let between = &groups[1..n - 1];
    let in_threes = |groups: &[Group<'_>]| first.len() <= 3 && groups.iter().all(|(_, its)| its.len() == 3);
    let is_of_thousands = n > 2 || *mark != '.' || point == LonePoint::Thousands;
    // One mark only divides thousands; where it does not, many are of a version or a list.
    let is_one_mark = between.iter().all(|(other, _)| other == mark);
    if is_one_mark && is_of_thousands && first != "0" && in_threes(&groups[1..]) {
        return Some(n);
    }
    let is_of_decimals = match n {
        2 => *mark == '.' || last.len() <= 2,
        _ => between.iter().all(|(other, _)| other != mark) && in_threes(between),
    };
    is_of_decimals.then_some(n - 1)
}

fn words(page: &Page<'_>, at: usize) -> Option<Number> {
    let (mut total, mut current, mut behind) = (0_u64, 0_u64, at);
    let mut next = at;
    // "A hundred" counts, "a" alone does not.
    if page.is(at, Cues::ARTICLE) && page.info(at + 1).numeral.is_some_and(|n| n >= 100) {
        (current, next) = (1, at + 1);
    }
    while let Some(value) = page.info(next).numeral.filter(|_| next < at + 12).map(u64::from) {
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
        let link = page.has_mark(behind, "-") || (value >= 100 && page.is(behind, Cues::JOINT));
        next = behind + usize::from(link);
    }
    let value = Exact::from(i64::try_from(total + current).ok()?);
    (behind > at).then_some(Number { value, behind })
}
