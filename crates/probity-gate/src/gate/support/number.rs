//! Numbers without a unit: what the reply counts, and numbers with so many digits that they must have been read
//! somewhere.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::claim::{Value, WordList};
use super::super::finding::Sighting;
use super::amount::{is_hit, is_whole, last_digit};
use super::count::{Count, counts, words};
use super::shown::loose_numbers;
use super::step::{Manner, Origin};
use super::value::{FigureCheck, OPEN_MAX};
use super::{UNSUPPORTED_FIGURE, UNSUPPORTED_REFERENCE};
use crate::exact::Exact;

/// What units are turned into others with: grams into kilograms, minutes into hours.
const CONVERSIONS: [i64; 4] = [1000, 1024, 60, 100];

/// The most bytes of a seat or a gate, which is one word.
const SEAT_BYTES: usize = 3;

/// The fewest digits that stand for the number that ends with them, and how long such a number is: "ending in 871".
const END_DIGITS_MIN: usize = 3;
const LONG_BYTES: usize = 8;

/// Numbers that are years.
const YEARS: Range<i128> = 1900..2101;

impl FigureCheck<'_, '_> {
    /// Numbers of things that the case counts otherwise.
    pub(super) fn wrong_counts(&self) -> Vec<Sighting> {
        let shown = self.support.shown();
        let stated = self.counts();
        let amount = |number: u64| bare(Exact::from(i64::try_from(number).unwrap_or(i64::MAX)));
        let lexicon = self.support.language.lexicon;
        let of_policies: LazyCell<(BTreeSet<u64>, BTreeSet<String>), _> = LazyCell::new(|| {
            let texts = self.support.sources.iter().map(|source| &source.text);
            let counted: Vec<Count<'_>> =
                texts.flat_map(|text| counts(text, &words(text).collect::<Vec<_>>(), lexicon)).collect();
            let nouns = counted.iter().filter_map(|count| count.of(lexicon).next());
            (counted.iter().map(|count| count.number).collect(), nouns.collect())
        });
        let is_counted = |count: &Count<'_>| {
            let behind = self.values.partition_point(|stated| stated.claim.span.end <= count.span.start);
            let is_free =
                self.values.get(behind).is_none_or(|stated| stated.claim.span.start >= count.span.end);
            let is_of_policies = |word: &String| is_free && of_policies.1.contains(word);
            // "15 GB" is a figure like 15 EUR; where tools act, all numbers are looked at.
            let is_measure = |word: &String| !shown.has_calls && lexicon.has(WordList::Measures, word);
            count
                .of(lexicon)
                .any(|word| shown.counted.contains(&word) || is_of_policies(&word) || is_measure(&word))
        };
        let is_known = |count: &Count<'_>| {
            let number = i64::try_from(count.number).map(Exact::from);
            let of_units = || number.is_ok_and(|it| self.follows_from_units(it));
            // "Premium 40GB".
            let is_written = || self.support.written().contains(&count.number.to_string());
            shown.numbers.contains(&count.number) || (shown.has_calls && (is_written() || of_units()))
        };
        // Most numbers are known, or count nothing that is counted.
        let is_open = |count: &&Count<'_>| !shown.numbers.contains(&count.number) && is_counted(count);
        let mut open = stated
            .iter()
            .filter(is_open)
            .filter(|count| !of_policies.0.contains(&count.number) && !is_known(count));
        let mut open = open.by_ref().take(OPEN_MAX).peekable();
        if open.peek().is_none() {
            return Vec::new();
        }
        let mut operands = shown.operands.ratios_alone();
        let said = stated.iter().filter(|count| is_known(count)).map(|count| count.number);
        for number in said.chain(shown.sizes.iter().copied()).chain(of_policies.0.iter().copied()) {
            operands.add(&amount(number), Origin::Case);
        }
        stated.iter().filter(|count| is_known(count)).for_each(|count| operands.add_stated(count.number));
        let message = "the reply counts something, and the case counts it otherwise";
        let follows = |count: &Count<'_>| {
            let is_about = self.has_before(count.span.start, WordList::About).is_some();
            let manner = Manner { is_about, is_signalled: true, is_derived: true };
            // "One bag of up to 25 kg" does not add up.
            let is_free = !count.is_measure(lexicon) && self.is_signalled(&count.span, false);
            (is_free || self.passages.sentence(count.span.start).is_derived())
                && operands.lead_to(&amount(count.number), manner)
        };
        let wrong = open.filter(|count| !follows(count));
        wrong.map(|count| Sighting::at(UNSUPPORTED_FIGURE, count.span.clone(), message)).collect()
    }

    /// Numbers that no tool gives where tools give some. Small and round ones need no source.
    pub(super) fn wrong_numbers(&self) -> Vec<Sighting> {
        let shown = self.support.shown();
        if !shown.has_calls {
            return Vec::new();
        }
        let (known, open): (Vec<_>, Vec<_>) = self
            .alone()
            .partition(|(_, numbers)| numbers.iter().any(|number| self.follows_from_units(*number)));
        let mut open = open
            .into_iter()
            .filter(|(_, numbers)| numbers.iter().any(|number| is_telling(*number)))
            .peekable();
        if open.peek().is_none() {
            return Vec::new();
        }
        let mut operands = self.support.operands();
        let sizes = shown.sizes.iter().map(|size| Exact::from(i64::try_from(*size).unwrap_or(0)));
        let stated = known.iter().flat_map(|(_, numbers)| numbers.iter().copied());
        sizes.for_each(|size| operands.add(&bare(size), Origin::Case));
        stated.for_each(|number| operands.add(&bare(number), Origin::Reply));
        let reaches = [operands.stated_reach(), operands.reach()];
        let follows = |span: &Range<usize>, number: Exact| {
            let is_derived = self.passages.sentence(span.start).is_derived();
            let is_about = self.has_before(span.start, WordList::About).is_some();
            let manner = Manner { is_about, is_signalled: true, is_derived };
            let leads_to = |number: Exact| operands.lead_to(&bare(number), manner);
            let is_reached = || reaches.iter().any(|reach| reach.leads_to(number, is_about));
            (if is_derived { leads_to(number) } else { is_hit(number, leads_to) })
                || (is_derived && is_reached())
        };
        let message = "the reply gives a number that nothing supports";
        let wrong = open.filter(|(span, numbers)| !numbers.iter().any(|number| follows(span, *number)));
        wrong.map(|(span, _)| Sighting::at(UNSUPPORTED_FIGURE, span, message)).collect()
    }

    /// Words of letters and digits that nothing has where tools act: a seat, a gate, the 25th.
    pub(super) fn wrong_names(&self) -> Vec<Sighting> {
        let shown = self.support.shown();
        if !shown.has_calls {
            return Vec::new();
        }
        let is_digit = |c: char| c.is_ascii_digit();
        let is_written = |part: &str| {
            let part = part.to_uppercase();
            self.support.written().contains(&part)
                || self.support.sources.iter().any(|source| source.text.to_uppercase().contains(&part))
        };
        let is_known = |word: &str| {
            let mut parts = word.split(is_digit).chain(word.split(|c| !is_digit(c)));
            is_written(word)
                || (word.len() > SEAT_BYTES && parts.all(|part| part.is_empty() || is_written(part)))
        };
        let lexicon = self.support.language.lexicon;
        let is_name = |word: &str| {
            let is_upper = word.contains(is_digit) && word.contains(|c: char| c.is_ascii_uppercase());
            is_upper && word.is_ascii() && !word.contains(['.', ',', '\'']) && !lexicon.is_no_code(word)
        };
        let spans = self.words.iter().filter(|(_, word)| is_name(word));
        let spans =
            spans.map(|(start, word)| *start..start + word.len()).filter(|span| self.stands_alone(span));
        let message = "the reply gives a code that nothing names";
        let wrong = spans.take(OPEN_MAX).filter(|span| !is_known(&self.reply[span.clone()]));
        wrong.map(|span| Sighting::at(UNSUPPORTED_REFERENCE, span, message)).collect()
    }

    /// The numbers of the reply that stand alone, each as whatever it can be read.
    fn alone(&self) -> impl Iterator<Item = (Range<usize>, Vec<Exact>)> {
        let read = |word: &str| loose_numbers(&word.replace(char::is_whitespace, ""));
        let spans = self.words.iter().map(move |(start, word)| (*start..start + word.len(), read(word)));
        spans.filter(|(span, numbers)| !numbers.is_empty() && self.stands_alone(span)).take(OPEN_MAX)
    }

    /// Whether the case or a source has a number, as whatever it is.
    fn is_read(&self, number: Exact) -> bool {
        let shown = self.support.shown();
        let digits = number.to_string();
        let is_end = |word: &String| word.len() >= LONG_BYTES && word.ends_with(&digits);
        if digits.len() >= END_DIGITS_MIN && is_whole(number) && self.support.written().iter().any(is_end) {
            return true;
        }
        let values = [bare(number), Value::Percent(number), Value::Number(number.to_string())];
        let is_named = |value: &Value| {
            shown.values.has(value) || self.support.sources.iter().any(|source| source.values.has(value))
        };
        let whole = u64::try_from(number.floor()).ok().filter(|_| is_whole(number));
        values.iter().any(is_named) || whole.is_some_and(|whole| shown.numbers.contains(&whole))
    }

    /// Whether the case has a number, or has it in a smaller unit: 843 kWh are 843,200 Wh, rounded.
    fn follows_from_units(&self, number: Exact) -> bool {
        let numbers = &self.support.shown().numbers;
        // To its last digit, or to the whole.
        let cents = last_digit(number).min(100);
        let is_about = |number: Exact, times: i64| {
            let Some(product) = number.checked_mul(Exact::from(times)) else { return false };
            let half = u64::try_from(i128::from(times) * cents / 200).unwrap_or(0);
            let whole = u64::try_from(product.floor()).unwrap_or(u64::MAX);
            let about = whole.saturating_sub(half)..=whole.saturating_add(half);
            self.is_read(product) || numbers.range(about).next().is_some()
        };
        self.is_read(number)
            || CONVERSIONS.iter().any(|times| is_hit(number, |number| is_about(number, *times)))
    }

    /// Whether a number is no part of a figure, a reference or a name, and is stated.
    fn stands_alone(&self, span: &Range<usize>) -> bool {
        let before = self.reply[..span.start].chars().next_back();
        let behind = self.reply[span.end..].chars().next();
        let is_apart = before.is_none_or(|c| c.is_whitespace() || c == '(')
            && behind.is_none_or(|c| c.is_whitespace() || ".,;!?)".contains(c))
            && !(behind == Some('.') && is_date(&self.reply[span.clone()]));
        let next = self.values.partition_point(|stated| stated.claim.span.end <= span.start);
        let is_inside = self.values.get(next).is_some_and(|stated| stated.claim.span.start < span.end);
        is_apart
            && !is_inside
            && !self.passages.clause(span.start).asks()
            && !self.passages.sentence(span.start).is_example()
    }
}

/// Whether a number before a point may be a day and a month: "30.11.".
fn is_date(word: &str) -> bool {
    let part = |text: &str, most: u8| text.parse::<u8>().is_ok_and(|number| (1..=most).contains(&number));
    word.split_once('.').is_some_and(|(day, month)| part(day, 31) && part(month, 12))
}

/// A number as an amount in any currency, which is what is calculated with.
fn bare(amount: Exact) -> Value {
    Value::Money { amount, currency: None }
}

/// Whether a number must have been read somewhere: it counts a few things, or is no round one.
fn is_telling(number: Exact) -> bool {
    let whole = number.floor();
    !is_whole(number) || (whole > 1 && (whole < 13 || whole % 10 != 0) && !YEARS.contains(&whole))
}
