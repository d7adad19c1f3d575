//! Numbers with a unit: money, percentages and lengths of time, alone or as a range.
//!
//! A range of money or percentages is two values; a range of times is one. "Within" and "up to" change
//! nothing: the figure is the figure. `$` alone is the US dollar.

use super::super::super::text::Shape;
use super::super::Value;
use super::super::lexicon::{Cues, Meaning, UnitWord};
use super::super::term::Figure;
use super::Page;
use super::number::{LonePoint, Number, is_bare, number};
use crate::exact::Exact;

/// How many times as long the first end of a range of times can be as the last one: "29 to 14 days before".
const RANGE_TIMES_MAX: i64 = 10;

const DASHES: &str = "-–—";

/// Appends the money, percentages or length of time that starts at `at`.
pub(super) fn quantity(page: &Page<'_>, at: usize, figures: &mut Vec<Figure>) {
    let whole = || Some(with_rest(page, short(page, at)?));
    let time = Value::Time { minutes: 12 * 60, is_of_day: true };
    let noon = page.is(at, Cues::NOON).then(|| Page::figure(at, at + 1, time));
    if let Some(figure) = noon.or_else(whole) {
        return figures.push(figure);
    }
    // Digits are no sign and no word for a length of time.
    if page.is_digits(at) {
        return counted(page, at, figures);
    }
    if let Some((currency, low)) = money_by_sign(page, at) {
        push_money(page, figures, at, low, currency);
        // "$20-30" names the currency once.
        let more =
            page.has_mark(low.behind, DASHES) && page.is_tight(low.behind) && page.is_digits(low.behind + 1);
        let high = number(page, low.behind + 1, LonePoint::Thousands).filter(|_| more);
        if let Some(high) = high {
            push_money(page, figures, low.behind + 1, high, currency);
        }
        return;
    }
    if let Some(span) = article_span(page, at) {
        figures.push(with_rest(page, span));
        return;
    }
    counted(page, at, figures);
}

/// Appends the figures that a number at `at` is with the unit behind it.
fn counted(page: &Page<'_>, at: usize, figures: &mut Vec<Figure>) {
    // Digits that go on from others before them are of a version or a time of day.
    let is_inside =
        page.follows_mark(at, ".,:/") && page.is_tight(at - 1) && page.shape(at - 2) != Some(Shape::Word);
    if is_inside || is_bare(page, at) {
        return;
    }
    let Some(low) = number(page, at, LonePoint::Decimals) else { return };
    let low = (at, low);
    let high_at = range_behind(page, at, low.1.behind);
    let high = high_at.and_then(|high_at| Some((high_at, number(page, high_at, LonePoint::Decimals)?)));
    let is_read = high.is_some_and(|high| with_unit(page, &[low, high], figures));
    if !is_read {
        with_unit(page, &[low], figures);
    }
}

fn push_money(page: &Page<'_>, figures: &mut Vec<Figure>, at: usize, number: Number, currency: usize) {
    let currency = page.table.currencies.get(currency).cloned();
    figures.push(Page::figure(at, number.behind, Value::Money { amount: number.value, currency }));
}

/// Where the upper end of a range would stand.
fn range_behind(page: &Page<'_>, at: usize, behind: usize) -> Option<usize> {
    let between = at > 0 && page.is(at - 1, Cues::BETWEEN) && page.is(behind, Cues::JOINT);
    let joined = page.has_mark(behind, DASHES) || page.is(behind, Cues::RANGE) || between;
    joined.then_some(behind + 1)
}

/// Appends a number or both ends of a range, each with its token, with the unit behind them. Tells whether there is one.
fn with_unit(page: &Page<'_>, ends: &[(usize, Number)], figures: &mut Vec<Figure>) -> bool {
    let (first, last) = (ends[0], ends[ends.len() - 1]);
    // The unit belongs to the last end.
    let behind_of =
        |end: &(usize, Number), behind: usize| if end.0 == last.0 { behind } else { end.1.behind };
    if let Some(behind) = percent_behind(page, last.1.behind) {
        let percents =
            ends.iter().map(|end| Page::figure(end.0, behind_of(end, behind), Value::Percent(end.1.value)));
        figures.extend(percents);
        return true;
    }
    if let Some((unit, behind)) = unit_behind(page, last.1.behind) {
        // "Your four-year-old".
        if page.has_mark(behind, "-") && page.is(behind + 1, Cues::AGE) {
            return true;
        }
        // "Train 6612 à 9 h".
        if first.1.value.over(RANGE_TIMES_MAX).is_none_or(|first| first > last.1.value) {
            return false;
        }
        let value = span(first.1, last.1, unit);
        figures.extend(value.map(|value| with_rest(page, Page::figure(first.0, behind, value))));
        return true;
    }
    let Some((currency, parts, behind)) = currency_behind(page, last.1.behind) else { return false };
    for end in ends {
        let amount = number(page, end.0, LonePoint::Thousands).and_then(|number| number.value.over(parts));
        if let Some(value) = amount {
            // Several currencies have cents.
            let currency = if parts > 1 { usize::MAX } else { currency };
            push_money(page, figures, end.0, Number { value, behind: behind_of(end, behind) }, currency);
        }
    }
    true
}

fn percent_behind(page: &Page<'_>, at: usize) -> Option<usize> {
    let at = at + usize::from(page.has_mark(at, "-"));
    if page.has_mark(at, "%") || page.is(at, Cues::PERCENT) {
        return Some(at + 1);
    }
    let percent = |meaning| matches!(meaning, Meaning::Cue(cues) if cues.any(Cues::PERCENT)).then_some(());
    page.phrase_behind(at, percent).map(|((), behind)| behind)
}

/// The unit of time at `at`, behind a hyphen or a word such as "full", and the token behind it.
fn unit_behind(page: &Page<'_>, mut at: usize) -> Option<(UnitWord, usize)> {
    if page.has_mark(at, "(") {
        // "30 (thirty) days".
        let inner = number(page, at + 1, LonePoint::Decimals)?;
        at = page.has_mark(inner.behind, ")").then_some(inner.behind + 1)?;
    }
    unit(page, at + usize::from(page.has_mark(at, "-") || page.is(at, Cues::UNIT_FILLER)))
}

fn unit(page: &Page<'_>, at: usize) -> Option<(UnitWord, usize)> {
    let of_several = |meaning| if let Meaning::Unit(unit) = meaning { Some(unit) } else { None };
    page.phrase_behind(at, of_several).or_else(|| Some((page.info(at).unit?, at + 1)))
}

fn span(low: Number, high: Number, unit: UnitWord) -> Option<Value> {
    let counted = |number: Number| number.value.checked_mul(Exact::from(unit.times));
    let (one, other) = (counted(low)?, counted(high)?);
    Some(Value::Span { least: one.min(other), most: one.max(other), unit: unit.unit })
}

/// "2 hours and 15 minutes", "2h 15min": a length of time with the shorter one behind it.
fn with_rest(page: &Page<'_>, figure: Figure) -> Figure {
    let at = figure.behind + usize::from(page.is(figure.behind, Cues::JOINT));
    let counted = || {
        let number = number(page, at, LonePoint::Decimals)?;
        let (unit, behind) = unit(page, number.behind)?;
        Some(Page::figure(at, behind, span(number, number, unit)?))
    };
    let sum = || {
        let rest = short(page, at).or_else(counted)?;
        let (Value::Span { least, most, unit }, Value::Span { most: more, unit: counted, .. }) =
            (&figure.value, &rest.value)
        else {
            return None;
        };
        let is_rest = least == most && unit == counted && more < least;
        let sum = least.checked_add(*more).filter(|_| is_rest)?;
        Some(Page::figure(figure.first, rest.behind, Value::Span { least: sum, most: sum, unit: *unit }))
    };
    sum().unwrap_or(figure)
}

/// "48h", "1.5h", "28.2p": a number with its unit in one word.
fn short(page: &Page<'_>, at: usize) -> Option<Figure> {
    let is_joined = || page.has_mark(at + 1, ".,") && page.is_tight(at + 1) && page.is_tight(at + 2);
    let last = at + if page.is_digits(at) && is_joined() { 2 } else { 0 };
    if page.shape(last) != Some(Shape::Mixed) || page.follows_mark(at, ".,:/") {
        return None;
    }
    let raw = &page.text[page.tokens[at].start..page.tokens[last].end];
    let letters = raw.trim_start_matches(|c: char| c.is_ascii_digit() || ".,".contains(c));
    let (number, info) = (raw.strip_suffix(letters)?.replace(',', "."), page.table.info_of(letters));
    let number = Number { value: number.parse().ok()?, behind: last + 1 };
    // Several currencies have cents.
    let cents =
        || info.hundredth.and(number.value.over(100)).map(|amount| Value::Money { amount, currency: None });
    let value = info.unit.and_then(|unit| span(number, number, unit)).or_else(cents)?;
    Some(Page::figure(at, last + 1, value))
}

/// "In a month", "within an hour", "half an hour". Elsewhere it is a rate ("once a month") or no figure ("a day pass").
fn article_span(page: &Page<'_>, at: usize) -> Option<Figure> {
    let is_first = page.is(at, Cues::HALF);
    let article = at + usize::from(is_first);
    if !page.is(article, Cues::ARTICLE) {
        return None;
    }
    // "Eine halbe Stunde", and not "two and a half hours".
    let is_joined = at > 0 && page.is(at - 1, Cues::JOINT);
    let half = is_first || (!is_joined && page.is(article + 1, Cues::HALF));
    let (unit, behind) = unit(page, article + 1 + usize::from(half && !is_first))?;
    // "An hour and 15 minutes", "an hour and a half".
    let is_joint = page.is(behind, Cues::JOINT);
    let more = is_joint && page.is(behind + 1, Cues::ARTICLE) && page.is(behind + 2, Cues::HALF);
    let goes_on = is_joint && page.is_digits(behind + 1) && self::unit(page, behind + 2).is_some();
    let is_led = at > 0 && page.is(at - 1, Cues::SPAN_LEAD);
    if !(half || is_led || goes_on || page.is(behind, Cues::AGE | Cues::SPAN_TAIL)) {
        return None;
    }
    let value = if more { Exact::ratio(3, 2) } else { Exact::ratio(1, if half { 2 } else { 1 }) };
    let behind = behind + if more { 3 } else { 0 };
    let number = Number { value: value?, behind };
    Some(Page::figure(at, behind, span(number, number, unit)?))
}

/// "$1,200.00", "US$5k", "USD 1,200", "Rs. 500": the currency and the amount.
fn money_by_sign(page: &Page<'_>, at: usize) -> Option<(usize, Number)> {
    let (currency, number_at) = sign(page, at).or_else(|| code_before(page, at))?;
    let amount = amount(page, number_at)?;
    // "$50 CAD": the code says which dollar is meant.
    let named = page.info(amount.behind).currency;
    let behind = amount.behind + usize::from(named.is_some());
    Some((named.unwrap_or(currency), Number { behind, ..amount }))
}

/// The currency whose sign stands at `at`, and the token behind it.
fn sign(page: &Page<'_>, at: usize) -> Option<(usize, usize)> {
    let last = at + usize::from(page.is_sign_prefix(at));
    let mark = page.mark(last).filter(|mark| *mark == '$' || !mark.is_ascii())?;
    let mut sign = if last > at { page.raw(at).to_ascii_lowercase() } else { String::new() };
    sign.push(mark);
    page.table.signs.get(&sign).map(|currency| (*currency, last + 1))
}

/// The currency whose short name stands at `at` before a number.
fn code_before(page: &Page<'_>, at: usize) -> Option<(usize, usize)> {
    let currency = page.info(at).currency.filter(|_| page.len(at) <= 3)?;
    let dot = page.has_mark(at + 1, ".") && page.is_tight(at + 1);
    Some((currency, at + 1 + usize::from(dot)))
}

/// An amount in digits, with "k" or "million" behind it.
fn amount(page: &Page<'_>, at: usize) -> Option<Number> {
    let (number, times, behind) = match page.shape(at)? {
        Shape::Mixed => (page.raw(at).strip_suffix(['k', 'K'])?.parse().ok()?, 1000, at + 1),
        Shape::Digits => {
            let Number { value, behind } = number(page, at, LonePoint::Thousands)?;
            let times = page.info(behind).numeral.filter(|times| *times >= 1000);
            (value, times.unwrap_or(1), behind + usize::from(times.is_some()))
        }
        Shape::Word | Shape::Mark(_) => return None,
    };
    Some(Number { value: number.checked_mul(Exact::from(i64::from(times)))?, behind })
}

/// The currency behind a number, how many of what is counted make one of it, and the token behind it.
fn currency_behind(page: &Page<'_>, at: usize) -> Option<(usize, i64, usize)> {
    let at = at + usize::from(page.has_mark(at, "-"));
    let info = page.info(at);
    if let Some(currency) = info.currency {
        return Some((currency, 1, at + 1));
    }
    if let Some(currency) = info.hundredth {
        return Some((currency, 100, at + 1));
    }
    let (currency, behind) = sign(page, at)?;
    // In "2 €10" the sign belongs to what follows.
    let of_next = page.is_tight(behind) && page.is_digits(behind);
    (!of_next).then_some((currency, 1, behind))
}
