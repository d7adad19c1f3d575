//! Calculations that a reply spells out: `$100 + $50 = $150`, "15 % of $200 is $30", "2 x $40 = $80", and sums that it
//! calls a total of the amounts before it.
//!
//! Only what is written as a calculation counts: figures with nothing between them but words and signs for it, and one more
//! word that says what a figure is for.

use std::ops::Range;

use super::super::claim::{Lexicon, Value, WordList};
use super::amount::{is_same_amount, near};
use super::count::Count;
use super::passage::Passage;
use super::says;
use super::step::FEW_STATED;
use crate::exact::Exact;

/// The most bytes before a figure that belong to a calculation.
const GAP_BYTES_MAX: usize = 40;

/// The most words of a phrase for an operator or a total.
const PHRASE_WORDS_MAX: usize = 4;

/// The most figures of one calculation.
const FIGURES_MAX: usize = 32;

/// A figure with its place in the reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure<'v> {
    pub(super) value: &'v Value,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Figure<'_> {
    fn amount(&self) -> Option<Exact> {
        match self.value {
            Value::Money { amount, .. } => Some(*amount),
            _ => None,
        }
    }

    fn number(&self) -> Option<Exact> {
        match self.value {
            Value::Money { amount: number, .. } | Value::Percent(number) => Some(*number),
            _ => None,
        }
    }
}

/// A calculation that is written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Calculation {
    /// The place of its result among the figures.
    pub(super) result: usize,
    /// Those of what it is calculated from.
    pub(super) operands: Range<usize>,
    /// What comes out, where it is clear what is calculated.
    pub(super) right: Option<Exact>,
    /// What the reply says.
    pub(super) stated: Exact,
    /// Whether nothing else can be meant: a single amount taken so many times, or a result that misses that of the amounts
    /// before it by little.
    pub(super) is_certain: bool,
    /// As it is written in messages.
    pub(super) text: String,
}

impl Calculation {
    /// Whether the result is the right one, to the cent.
    pub(super) fn is_right(&self) -> bool {
        self.right.is_some_and(|right| is_same_amount(right, self.stated))
    }
}

/// A piece of a calculation.
#[derive(Clone, Copy, PartialEq)]
enum Item {
    /// The figure at this place among the figures.
    Figure(usize),
    /// A number without a unit, and where it starts.
    Factor(Exact, usize),
    Operator(WordList),
    Other,
    /// What no calculation goes on behind.
    Stop,
}

/// The operators, those that bind closest last.
const OPERATORS: &[WordList] =
    &[WordList::Equals, WordList::Plus, WordList::And, WordList::Minus, WordList::Times, WordList::ShareOf];

/// The calculations of a reply, in order.
pub(super) fn calculations(reply: &str, figures: &[Figure<'_>], lexicon: &Lexicon) -> Vec<Calculation> {
    let mut items = Vec::new();
    for (at, figure) in figures.iter().enumerate() {
        let before = at.checked_sub(1).map_or(0, |before| figures[before].end);
        let from = reply.floor_char_boundary(figure.start.saturating_sub(GAP_BYTES_MAX)).max(before);
        if from > before {
            items.push(Item::Stop);
        }
        add_words(reply.get(from..figure.start).unwrap_or_default(), from, lexicon, &mut items);
        items.push(Item::Figure(at));
    }
    let is_equals = |at: &usize| items[*at] == Item::Operator(WordList::Equals);
    let written = (1..items.len()).filter(is_equals);
    written
        .filter_map(|equals| CalculationReader { reply, figures, items: &items }.calculation(equals))
        .collect()
}

/// Adds what stands between two figures.
fn add_words(text: &str, from: usize, lexicon: &Lexicon, items: &mut Vec<Item>) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let bare = word.trim_matches([',', '(', ')', ':']);
        let phrase = |n: usize| words.get(at..at + n).map(|words| (n, words.join(" ")));
        // Most words begin no operator.
        let longest = if lexicon.begins(OPERATORS, bare) { PHRASE_WORDS_MAX } else { 0 };
        let operator = (1..=longest).rev().filter_map(phrase).find_map(|(n, phrase)| {
            let phrase = phrase.trim_matches([',', '(', ')', ':']);
            let list = OPERATORS.iter().find(|list| lexicon.has(**list, phrase))?;
            Some((n, Item::Operator(*list)))
        });
        let factor = || {
            let number =
                bare.parse().ok().or_else(|| lexicon.numeral(bare).map(|n| Exact::from(i64::from(n))))?;
            let start = lower.rfind(bare).filter(|_| lower.len() == text.len())?;
            Some(Item::Factor(number, from + start))
        };
        let (n, item) = match operator {
            Some(found) => found,
            None if word.ends_with([',', '.', ';', '!', '?']) => (1, Item::Stop),
            None => (1, factor().unwrap_or(Item::Other)),
        };
        items.push(item);
        at += n;
    }
}

struct CalculationReader<'r> {
    reply: &'r str,
    figures: &'r [Figure<'r>],
    items: &'r [Item],
}

impl CalculationReader<'_> {
    /// The calculation whose "equals" stands at `equals`: what is before it, as far as operands and operators alternate.
    fn calculation(&self, equals: usize) -> Option<Calculation> {
        let Some(Item::Figure(result)) = self.items.get(equals + 1) else { return None };
        let (mut at, mut terms, mut operators, mut start) = (equals, Vec::new(), Vec::new(), 0);
        while let Some((number, place, next)) = self.operand(at) {
            (start, at) = (place, next);
            terms.push(number);
            match at.checked_sub(1).map(|before| self.items[before]) {
                Some(Item::Operator(list)) if goes_on(list, &operators) && terms.len() < FIGURES_MAX => {
                    operators.push(list);
                    at -= 1;
                }
                _ => break,
            }
        }
        // An operator without an operand before it.
        operators.truncate(terms.len().saturating_sub(1));
        let first = self.figures.partition_point(|figure| figure.start < start);
        let result = *result;
        let alike = |one: usize, other: usize| {
            std::mem::discriminant(self.figures[one].value)
                == std::mem::discriminant(self.figures[other].value)
        };
        if operators.is_empty() || first >= result || !alike(result - 1, result) {
            return None;
        }
        let right = evaluated(&terms, &operators)?;
        let text = self.reply[start..self.figures[result].end].to_owned();
        let stated = self.figures[result].number()?;
        // "With 20 % off $48 it is $38.40": what is left of an amount is a result of its share too.
        let is_left =
            |amount: Exact| amount.checked_sub(right).is_some_and(|left| is_same_amount(left, stated));
        let right = if operators == [WordList::ShareOf] && is_left(terms[0]) { stated } else { right };
        Some(Calculation {
            result,
            operands: first..result,
            right: Some(right),
            stated,
            is_certain: false,
            text,
        })
    }

    /// The operand that ends before `behind`: its number, where it starts in the reply, and its place.
    fn operand(&self, behind: usize) -> Option<(Exact, usize, usize)> {
        let last = behind.checked_sub(1)?;
        let at = if self.items[last] == Item::Other { last.checked_sub(1)? } else { last };
        match self.items[at] {
            Item::Figure(figure) => Some((self.figures[figure].number()?, self.figures[figure].start, at)),
            Item::Factor(number, start) if self.is_factor(at) => Some((number, start, at)),
            _ => None,
        }
    }

    /// A number without a unit counts beside a sign, and not beside "and".
    fn is_factor(&self, at: usize) -> bool {
        let signs = [WordList::Times, WordList::Plus, WordList::Minus];
        let is_sign =
            |item: Option<&Item>| matches!(item, Some(Item::Operator(list)) if signs.contains(list));
        is_sign(self.items.get(at + 1))
            || at.checked_sub(1).is_some_and(|before| is_sign(self.items.get(before)))
    }
}

/// What amounts come to together, or two of them differ by, where `stated` misses it by little and nothing else of them
/// comes to it.
fn slip(parts: &[&Figure<'_>], stated: Exact) -> Option<Exact> {
    let amounts: Vec<Exact> = parts.iter().filter_map(|figure| figure.amount()).collect();
    if !(2..=FEW_STATED).contains(&amounts.len()) {
        return None;
    }
    let all = amounts.iter().copied().try_fold(Exact::ZERO, Exact::checked_add)?;
    let pairs = amounts.iter().flat_map(|one| {
        let with = |other: &Exact| [one.checked_add(*other), one.checked_sub(*other)];
        amounts.iter().flat_map(with).chain([all.checked_sub(*one)])
    });
    if pairs.chain([Some(all)]).flatten().any(|result| is_same_amount(result, stated)) {
        return None;
    }
    let gap = amounts[0].checked_sub(amounts[1]).max(amounts[1].checked_sub(amounts[0]));
    let is_near = |right: &Exact| right.over(20).is_some_and(|slack| near(*right, stated, slack));
    [Some(all), gap.filter(|_| amounts.len() == 2)].into_iter().flatten().find(is_near)
}

/// Whether a calculation goes on to the left of an operator. A written sign binds closer than "and", which may begin
/// something else.
fn goes_on(list: WordList, operators: &[WordList]) -> bool {
    let is_and = |list: &WordList| *list == WordList::And;
    list != WordList::Equals && (!is_and(&list) || operators.iter().all(is_and))
}

/// What comes out, of operands and operators from the last to the first.
fn evaluated(terms: &[Exact], operators: &[WordList]) -> Option<Exact> {
    let (mut sum, mut product) = (Exact::ZERO, *terms.last()?);
    for (operator, number) in operators.iter().zip(terms).rev() {
        (sum, product) = match operator {
            WordList::Times => (sum, product.checked_mul(*number)?),
            WordList::ShareOf => (sum, product.over(100)?.checked_mul(*number)?),
            WordList::Minus => (sum.checked_add(product)?, Exact::ZERO.checked_sub(*number)?),
            _ => (sum.checked_add(product)?, *number),
        };
    }
    sum.checked_add(product)
}

/// The figures of a reply and its other numbers.
pub(super) struct Numbers<'r> {
    pub(super) reply: &'r str,
    pub(super) figures: &'r [Figure<'r>],
    pub(super) counts: &'r [Count<'r>],
    pub(super) lexicon: &'r Lexicon,
}

impl Numbers<'_> {
    /// The calculation of which the reply says that the figure at `at` is the result, by the numbers before it: a sum of
    /// amounts that it calls their total, or so many times one. Those of its sentence count, and for a sum those of the
    /// whole reply where the sentence has fewer than two. In a sentence that only calculates, a result that misses that of
    /// the amounts before it by little is one.
    pub(super) fn implied(&self, sentence: &Passage<'_>, at: usize) -> Option<Calculation> {
        let sentence_start = sentence.range.start;
        let figure = &self.figures[at];
        let stated = figure.amount()?;
        let first = at.saturating_sub(FIGURES_MAX);
        let amounts: Vec<&Figure<'_>> =
            self.figures[first..at].iter().filter(|figure| figure.amount().is_some()).collect();
        let own = &amounts[amounts.partition_point(|figure| figure.start < sentence_start)..];
        let parts = if own.len() < 2 { &amounts[..] } else { own };
        let is_near = |count: &&Count<'_>| (sentence_start..figure.start).contains(&count.span.start);
        let has_counts = self.counts.iter().any(|count| is_near(&count));
        let mut near = self.counts.iter().filter(|count| is_near(count) && !count.is_measure(self.lexicon));
        let slip = || slip(parts, stated).filter(|_| !has_counts);
        let calculation = |start: usize, right: Option<Exact>, is_certain: bool| {
            let text = self.reply[start..figure.end].to_owned();
            Calculation { result: at, operands: first..at, right, stated, is_certain, text }
        };
        if !self.is_called_result(at) {
            let right = slip().filter(|_| sentence.is_derived())?;
            return Some(calculation(parts[0].start, Some(right), true));
        }
        Some(match (own, near.next(), near.next()) {
            // "Three nights at $140". What is less than the amount is a part or a difference.
            ([one], Some(count), None)
                if count.number > 1 && count.span.start < one.start && Some(stated) > one.amount() =>
            {
                let times = Exact::from(i64::try_from(count.number).ok()?);
                calculation(count.span.start, Some(one.amount()?.checked_mul(times)?), true)
            }
            _ if let Some(right) = slip() => calculation(parts[0].start, Some(right), true),
            // "£120 less 40 % is £80".
            _ => {
                let from = |other: &&Figure<'_>| other.start >= sentence_start && other.number().is_some();
                calculation(self.figures[first..at].iter().find(from)?.start, None, false)
            }
        })
    }

    /// Whether the words beside a figure call it a total or another result.
    fn is_called_result(&self, at: usize) -> bool {
        let (reply, figure) = (self.reply, &self.figures[at]);
        let before = at.checked_sub(1).map_or(0, |before| self.figures[before].end);
        let from = reply.floor_char_boundary(figure.start.saturating_sub(GAP_BYTES_MAX)).max(before);
        let to = reply.floor_char_boundary(figure.end + GAP_BYTES_MAX);
        let behind = reply[figure.end..to].split([',', '.', ';', ':', '(']).next().unwrap_or_default();
        let behind = behind.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let before = reply.get(from..figure.start).unwrap_or_default();
        let is_total = [before, &behind].into_iter().any(|text| says(text, WordList::Total, self.lexicon));
        is_total || says(before, WordList::Equals, self.lexicon)
    }
}
