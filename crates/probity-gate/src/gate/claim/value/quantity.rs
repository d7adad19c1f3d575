//! Numbers with a unit: money, percentages and lengths of time, alone or as a range.
//!
//! A range of money or percentages is two values; a range of times is one. "Within" and "up to" change
//! nothing: the figure is the figure. `$` alone is the US dollar.

use super::super::Value;
use super::super::lexicon::{Meaning, UnitWord};
use super::super::term::Figure;
use super::super::token::Shape;
use super::Page;
use super::number::{LonePoint, Number, is_bare, number};
use crate::exact::Exact;

/// Words that may stand between a number and its unit.
const BETWEEN: &[&str] = &["full", "more", "additional", "consecutive", "whole", "extra", "further"];

/// Words before "a day" that make it a rate.
const RATE: &[&str] = &["once", "twice", "times", "per", "each", "every", "hours", "days"];

/// Appends the money, percentages or length of time that starts at `at`.
pub(super) fn quantity(page: &Page<'_>, at: usize, figures: &mut Vec<Figure>) {
    if let Some(money) = money_by_sign(page, at) {
        let end = money.behind;
        let currency = match &money.value {
            Value::Money { currency, .. } => currency.clone(),
            _ => None,
        };
        figures.push(money);
        // "$20-30" names the currency once.
        let more = is_dash(page, end) && page.is_tight(end) && page.shape(end + 1) == Some(Shape::Digits);
        let high = number(page, end + 1, LonePoint::Thousands).filter(|_| more);
        figures.extend(
            high.map(|high| {
                Page::figure(end + 1, high.behind, Value::Money { amount: high.value, currency })
            }),
        );
        return;
    }
    if let Some(span) = short_span(page, at).or_else(|| article_span(page, at, figures)) {
        figures.push(span);
        return;
    }
    if is_inside_number(page, at) || is_bare(page, at) {
        return;
    }
    let Some(low) = number(page, at, LonePoint::Decimals) else { return };
    let high_at = range_behind(page, at, low.behind);
    let high = high_at.and_then(|high_at| Some((high_at, number(page, high_at, LonePoint::Decimals)?)));
    if high.is_none() || !with_unit(page, Ends { low: (at, low), high }, figures) {
        with_unit(page, Ends { low: (at, low), high: None }, figures);
    }
}

/// Whether the digits at `at` go on from others before them, as in a version or a time of day.
fn is_inside_number(page: &Page<'_>, at: usize) -> bool {
    at > 1
        && page.is_tight(at)
        && matches!(page.mark(at - 1), Some('.' | ',' | ':' | '/'))
        && page.is_tight(at - 1)
        && matches!(page.shape(at - 2), Some(Shape::Digits | Shape::Mixed))
}

fn is_dash(page: &Page<'_>, at: usize) -> bool {
    matches!(page.mark(at), Some('-' | '–' | '—'))
}

/// Where the upper end of a range would stand.
fn range_behind(page: &Page<'_>, at: usize, behind: usize) -> Option<usize> {
    let between = at > 0 && page.is_word(at - 1, "between") && page.is_word(behind, "and");
    let joined = is_dash(page, behind) || page.is_word(behind, "to") || page.is_word(behind, "or") || between;
    joined.then_some(behind + 1)
}

/// A number, or the two ends of a range, each with its token.
#[derive(Clone, Copy)]
struct Ends {
    low: (usize, Number),
    high: Option<(usize, Number)>,
}

/// Appends the number or range with the unit behind it. Tells whether there is one.
fn with_unit(page: &Page<'_>, ends: Ends, figures: &mut Vec<Figure>) -> bool {
    let (_, last) = ends.high.unwrap_or(ends.low);
    if let Some(behind) = percent_behind(page, last.behind) {
        push_each(ends, behind, figures, |_, value| Some(Value::Percent(value)));
        return true;
    }
    if let Some((unit, behind)) = unit_behind(page, last.behind) {
        let value = span(ends.low.1, last, unit);
        figures.extend(value.map(|value| Page::figure(ends.low.0, behind, value)));
        return true;
    }
    let Some((code, hundredths, behind)) = currency_behind(page, last.behind) else { return false };
    push_each(ends, behind, figures, |at, _| {
        let value = number(page, at, LonePoint::Thousands)?.value;
        let amount = if hundredths { value.over(100)? } else { value };
        Some(Value::Money { amount, currency: Some(code.to_owned()) })
    });
    true
}

/// Appends one value per end of a range.
fn push_each(
    ends: Ends,
    behind: usize,
    figures: &mut Vec<Figure>,
    value: impl Fn(usize, Exact) -> Option<Value>,
) {
    let (at, low) = ends.low;
    let low_behind = if ends.high.is_some() { low.behind } else { behind };
    figures.extend(value(at, low.value).map(|value| Page::figure(at, low_behind, value)));
    if let Some((at, high)) = ends.high {
        figures.extend(value(at, high.value).map(|value| Page::figure(at, behind, value)));
    }
}

fn percent_behind(page: &Page<'_>, at: usize) -> Option<usize> {
    let at = if page.mark(at) == Some('-') { at + 1 } else { at };
    if page.mark(at) == Some('%') || page.is_word(at, "percent") || page.is_word(at, "pct") {
        return Some(at + 1);
    }
    (page.is_word(at, "per") && page.is_word(at + 1, "cent")).then_some(at + 2)
}

/// The unit of time at `at`, behind a hyphen or a word such as "full", and the token behind it.
fn unit_behind(page: &Page<'_>, at: usize) -> Option<(UnitWord, usize)> {
    let mut at = at;
    if page.mark(at) == Some('(') {
        // "30 (thirty) days".
        let inner = number(page, at + 1, LonePoint::Decimals)?;
        at = (page.mark(inner.behind) == Some(')')).then_some(inner.behind + 1)?;
    }
    if page.mark(at) == Some('-') || BETWEEN.iter().any(|word| page.is_word(at, word)) {
        at += 1;
    }
    unit(page, at)
}

fn unit(page: &Page<'_>, at: usize) -> Option<(UnitWord, usize)> {
    let token = page.tokens.get(at)?;
    for pattern in page.table.phrases(token.word) {
        if let Meaning::Unit(unit) = pattern.meaning {
            let behind = at + pattern.elements.len();
            let words = page.tokens.get(at..behind)?;
            if words.iter().zip(&pattern.elements).all(|(token, element)| element.is_word(token.word)) {
                return Some((unit, behind));
            }
        }
    }
    page.info(at).unit.map(|unit| (unit, at + 1))
}

fn span(low: Number, high: Number, unit: UnitWord) -> Option<Value> {
    let counted = |number: Number| number.value.checked_mul(Exact::from(unit.times));
    let (least, most) = (counted(low)?, counted(high)?);
    let (least, most) = if least <= most { (least, most) } else { (most, least) };
    Some(Value::Span { least, most, unit: unit.unit })
}

/// "48h", "30min": digits and a unit in one word.
fn short_span(page: &Page<'_>, at: usize) -> Option<Figure> {
    if page.shape(at)? != Shape::Mixed {
        return None;
    }
    let raw = page.raw(at);
    let n_digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let unit = page.table.info(page.table.lookup(&raw.as_bytes()[n_digits..])).unit?;
    let whole = raw[..n_digits].parse::<u32>().ok()?;
    let number = Number { value: Exact::from(i64::from(whole)), behind: at + 1 };
    Some(Page::figure(at, at + 1, span(number, number, unit)?))
}

/// "A month", "an hour", "half an hour", "a fortnight".
fn article_span(page: &Page<'_>, at: usize, figures: &[Figure]) -> Option<Figure> {
    let half = page.is_word(at, "half");
    let article = if half { at + 1 } else { at };
    if !page.is_word(article, "a") && !page.is_word(article, "an") {
        return None;
    }
    let rate = figures.last().is_some_and(|figure| figure.behind == at)
        || (at > 0 && RATE.iter().any(|word| page.is_word(at - 1, word)));
    let (unit, behind) = unit(page, article + 1).filter(|_| !rate)?;
    let value = if half { Exact::ratio(1, 2)? } else { Exact::from(1) };
    let number = Number { value, behind };
    Some(Page::figure(at, behind, span(number, number, unit)?))
}

/// "$1,200.00", "US$5k", "USD 1,200", "Rs. 500".
fn money_by_sign(page: &Page<'_>, at: usize) -> Option<Figure> {
    let (mut currency, number_at) = sign(page, at).or_else(|| code_before(page, at))?;
    let (amount, mut behind) = amount(page, number_at)?;
    let named = page.info(behind).currency;
    if let Some(named) = named {
        // "$50 CAD": the code says which dollar is meant.
        (currency, behind) = (named, behind + 1);
    }
    let currency = Some(page.table.currencies.get(usize::from(currency))?.clone());
    Some(Page::figure(at, behind, Value::Money { amount, currency }))
}

/// The currency whose sign stands at `at`, and the token behind it.
fn sign(page: &Page<'_>, at: usize) -> Option<(u8, usize)> {
    let behind = if page.is_sign_prefix(at) { at + 2 } else { at + 1 };
    page.mark(behind - 1).filter(|mark| *mark == '$' || !mark.is_ascii())?;
    let raw = &page.text[page.tokens[at].start..page.tokens[behind - 1].end];
    let found = page.table.signs.iter().find(|(sign, _)| raw.eq_ignore_ascii_case(sign));
    found.map(|(_, currency)| (*currency, behind))
}

/// The currency whose short name stands at `at` before a number.
fn code_before(page: &Page<'_>, at: usize) -> Option<(u8, usize)> {
    let currency = page.info(at).currency.filter(|_| page.raw(at).len() <= 3)?;
    let dot = page.mark(at + 1) == Some('.') && page.is_tight(at + 1);
    Some((currency, at + 1 + usize::from(dot)))
}

/// An amount in digits, with "k" or "million" behind it.
fn amount(page: &Page<'_>, at: usize) -> Option<(Exact, usize)> {
    if page.shape(at)? == Shape::Mixed {
        let raw = page.raw(at);
        let digits = raw.strip_suffix(['k', 'K'])?;
        return Some((digits.parse::<Exact>().ok()?.checked_mul(Exact::from(1000))?, at + 1));
    }
    if page.shape(at)? != Shape::Digits {
        return None;
    }
    let Number { value, behind, .. } = number(page, at, LonePoint::Thousands)?;
    let times = page.info(behind).numeral.filter(|times| *times >= 1000);
    match times {
        Some(times) => Some((value.checked_mul(Exact::from(i64::from(times)))?, behind + 1)),
        None => Some((value, behind)),
    }
}

/// The currency behind a number: its code, whether hundredths are counted, and the token behind it.
fn currency_behind<'a>(page: &Page<'a>, at: usize) -> Option<(&'a str, bool, usize)> {
    let at = if page.mark(at) == Some('-') { at + 1 } else { at };
    let code = |currency: u8| page.table.currencies.get(usize::from(currency)).map(String::as_str);
    let info = page.info(at);
    if let Some(currency) = info.currency {
        return Some((code(currency)?, false, at + 1));
    }
    if let Some(currency) = info.hundredth {
        return Some((code(currency)?, true, at + 1));
    }
    let (currency, behind) = sign(page, at)?;
    // In "2 €10" the sign belongs to what follows.
    let of_next = page.is_tight(behind) && page.shape(behind) == Some(Shape::Digits);
    if of_next { None } else { Some((code(currency)?, false, behind)) }
}
