//! Calculations that a reply spells out: `$100 + $50 = $150`, "15 % of $200 is $30", "2 x $40 = $80", and sums that it
//! calls a total of the amounts before it.
//!
//! Only what is written as a calculation counts: figures with nothing between them but words and signs for it, and one more
//! word that says what a figure is for.

use std::ops::Range;

use super::super::claim::{Lexicon, Value, WordList};
use super::step::is_same_amount;
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
    /// What comes out.
    pub(super) right: Exact,
    /// What the reply says.
    pub(super) stated: Exact,
    /// As it is written in messages.
    pub(super) text: String,
}

impl Calculation {
    /// Whether the result is the right one, to the cent.
    pub(super) fn is_right(&self) -> bool {
        is_same_amount(self.right, self.stated)
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
    written.filter_map(|equals| Reader { reply, figures, items: &items }.calculation(equals)).collect()
}

/// Adds what stands between two figures.
fn add_words(text: &str, from: usize, lexicon: &Lexicon, items: &mut Vec<Item>) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let bare = word.trim_matches([',', '(', ')', ':']);
        let phrase = |n: usize| words.get(at..at + n).map(|words| (n, words.join(" ")));
        let operator = (1..=PHRASE_WORDS_MAX).rev().filter_map(phrase).find_map(|(n, phrase)| {
            let phrase = phrase.trim_matches([',', '(', ')', ':']);
            let list = OPERATORS.iter().find(|list| lexicon.words(**list).contains(phrase))?;
            Some((n, Item::Operator(*list)))
        });
        let factor = || {
            let number =
                bare.parse().ok().or_else(|| lexicon.numeral(bare).map(|n| Exact::from(i64::from(n))))?;
            let start = lower.rfind(bare).filter(|_| lower.len() == text.len())?;
            Some(Item::Factor(number, from + start))
        };
        let twice = lexicon.words(WordList::Twice).contains(bare);
        let (n, item) = match operator {
            Some(found) => found,
            None if twice => {
                items.push(Item::Factor(Exact::from(2), from + lower.rfind(bare).unwrap_or(0)));
                (1, Item::Operator(WordList::Times))
            }
            None if word.ends_with([',', '.', ';', '!', '?']) => (1, Item::Stop),
            None => (1, factor().unwrap_or(Item::Other)),
        };
        // ", and" goes on with something else.
        if matches!(item, Item::Operator(WordList::And)) && ends_clause(words.get(at.wrapping_sub(1)), text) {
            items.push(Item::Stop);
        }
        items.push(item);
        at += n;
    }
}

fn ends_clause(before: Option<&&str>, text: &str) -> bool {
    before.map_or(text, |word| word).ends_with(',') || before.is_none() && text.starts_with(',')
}

struct Reader<'r> {
    reply: &'r str,
    figures: &'r [Figure<'r>],
    items: &'r [Item],
}

impl Reader<'_> {
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
        Some(Calculation { result, operands: first..result, right, stated, text })
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

    /// A number without a unit only counts how often.
    fn is_factor(&self, at: usize) -> bool {
        let is_times = |item: Option<&Item>| item == Some(&Item::Operator(WordList::Times));
        is_times(self.items.get(at + 1))
            || at.checked_sub(1).is_some_and(|before| is_times(self.items.get(before)))
    }
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

/// Whether the words beside a figure call it a total.
pub(super) fn is_called_total(reply: &str, figures: &[Figure<'_>], at: usize, lexicon: &Lexicon) -> bool {
    let figure = &figures[at];
    let before = at.checked_sub(1).map_or(0, |before| figures[before].end);
    let from = reply.floor_char_boundary(figure.start.saturating_sub(GAP_BYTES_MAX)).max(before);
    let to = reply.floor_char_boundary(figure.end + GAP_BYTES_MAX);
    let behind = reply[figure.end..to].split([',', '.', ';', ':', '(']).next().unwrap_or_default();
    let lower = |text: &str| {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<String>>()
    };
    let (before, behind) = (lower(reply.get(from..figure.start).unwrap_or_default()), lower(behind));
    let near_before = &before[before.len().saturating_sub(PHRASE_WORDS_MAX)..];
    let near_behind = &behind[..behind.len().min(2)];
    [near_before, near_behind].into_iter().any(|words| {
        let words = format!(" {} ", words.join(" "));
        lexicon.words(WordList::Total).iter().any(|total| words.contains(&format!(" {total} ")))
    })
}

/// The sum of the amounts directly before `at`: those of its sentence, or of the whole reply where that has fewer than two.
pub(super) fn total(
    reply: &str,
    sentence_start: usize,
    figures: &[Figure<'_>],
    at: usize,
) -> Option<Calculation> {
    let first = at.saturating_sub(FIGURES_MAX);
    let in_reply: Vec<&Figure<'_>> =
        figures[first..at].iter().filter(|figure| figure.amount().is_some()).collect();
    let n_outside = in_reply.partition_point(|figure| figure.start < sentence_start);
    let parts = if in_reply.len() - n_outside >= 2 { &in_reply[n_outside..] } else { &in_reply[..] };
    let right =
        parts.iter().filter_map(|figure| figure.amount()).try_fold(Exact::ZERO, Exact::checked_add)?;
    let written = |figure: &Figure<'_>| &reply[figure.start..figure.end];
    let text: Vec<&str> = parts.iter().map(|figure| written(figure)).collect();
    let text = format!("{} = {}", text.join(" + "), written(&figures[at]));
    let stated = figures[at].amount()?;
    (parts.len() > 1).then_some(Calculation { result: at, operands: first..at, right, stated, text })
}

/// Whether a figure is the sum of amounts that stand directly before or behind it, one after the other.
pub(super) fn is_run_sum(figures: &[Figure<'_>], at: usize) -> bool {
    let Some(stated) = figures[at].amount() else { return false };
    let amounts = |range: Range<usize>| figures[range].iter().filter_map(Figure::amount);
    let before: Vec<Exact> = amounts(at.saturating_sub(FIGURES_MAX)..at).rev().collect();
    let behind: Vec<Exact> = amounts(at + 1..figures.len().min(at + FIGURES_MAX)).collect();
    [before, behind].into_iter().any(|amounts| {
        let mut sum = Exact::ZERO;
        amounts.iter().enumerate().any(|(n, amount)| {
            let Some(next) = sum.checked_add(*amount) else { return false };
            sum = next;
            n > 0 && is_same_amount(sum, stated)
        })
    })
}
