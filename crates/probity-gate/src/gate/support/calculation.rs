//! Calculations that a reply spells out: `$100 + $50 = $150`, "15 % of $200 is $30", "2 x $40 = $80", and sums that it
//! calls a total of the amounts beside it.
//!
//! Only what is written as a calculation counts: figures with nothing between them but words and signs for it.

use std::ops::Range;

use super::super::claim::{Lexicon, Value, WordList};
use super::arithmetic::{cent, near};
use crate::exact::Exact;

/// The most bytes between two figures of one calculation.
const GAP_BYTES_MAX: usize = 32;

/// The most figures of one calculation.
const FIGURES_MAX: usize = 32;

/// How far from a sum the word for it can stand, in bytes.
const TOTAL_BYTES_MAX: usize = 24;

/// A figure with its place in the reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure<'v> {
    pub(super) value: &'v Value,
    pub(super) start: usize,
    pub(super) end: usize,
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
        near(self.right, self.stated, cent())
    }
}

/// The calculations of a reply, in order.
pub(super) fn calculations(reply: &str, figures: &[Figure<'_>], lexicon: &Lexicon) -> Vec<Calculation> {
    let reader = Reader { reply, figures, lexicon };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < figures.len() {
        match reader.calculation(at) {
            Some(calculation) => {
                at = calculation.result;
                found.push(calculation);
            }
            None => at += 1,
        }
    }
    found
}

/// How a figure goes on from the one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plus,
    Minus,
    Times,
    ShareOf,
    Equals,
}

/// What stands between two figures: a factor of the first, an operator, a factor of the second.
struct Link {
    factor_before: Exact,
    operator: Operator,
    factor_behind: Exact,
}

struct Reader<'r> {
    reply: &'r str,
    figures: &'r [Figure<'r>],
    lexicon: &'r Lexicon,
}

impl Reader<'_> {
    /// The calculation whose first figure is `first`. Products come before sums.
    fn calculation(&self, first: usize) -> Option<Calculation> {
        let (factor, start) = self.factor_before(first)?;
        let (mut sum, mut product) = (Exact::ZERO, self.number(first)?.checked_mul(factor)?);
        let mut n_steps = usize::from(start < self.figures[first].start);
        for next in first + 1..self.figures.len().min(first + FIGURES_MAX) {
            let link = self.link(next)?;
            n_steps += usize::from(link.factor_before != Exact::from(1));
            product = product.checked_mul(link.factor_before)?;
            let number = self.number(next)?.checked_mul(link.factor_behind)?;
            if link.operator == Operator::Equals {
                let right = sum.checked_add(product)?;
                let text = self.reply[start..self.figures[next].end].to_owned();
                let calculation =
                    Calculation { result: next, operands: first..next, right, stated: number, text };
                let of = |at: usize| std::mem::discriminant(self.figures[at].value);
                return (n_steps > 0 && of(next) == of(next - 1)).then_some(calculation);
            }
            (sum, product) = match link.operator {
                Operator::Plus => (sum.checked_add(product)?, number),
                Operator::Minus => (sum.checked_add(product)?, Exact::ZERO.checked_sub(number)?),
                Operator::Times => (sum, product.checked_mul(number)?),
                Operator::ShareOf | Operator::Equals => {
                    let is_share = matches!(self.figures[next - 1].value, Value::Percent(_));
                    (sum, product.over(100)?.checked_mul(number).filter(|_| is_share)?)
                }
            };
            n_steps += 1;
        }
        None
    }

    fn number(&self, at: usize) -> Option<Exact> {
        match self.figures[at].value {
            Value::Money { amount, .. } => Some(*amount),
            Value::Percent(share) => Some(*share),
            _ => None,
        }
    }

    fn is_in(&self, list: WordList, words: &str) -> bool {
        self.lexicon.words(list).contains(words)
    }

    /// A number in digits or in words.
    fn factor(&self, word: &str) -> Option<Exact> {
        word.parse().ok().or_else(|| self.lexicon.numeral(word).map(|number| Exact::from(i64::from(number))))
    }

    /// "2 x", "twelve times" or "twice" before a figure, with the place where it starts. `None` where the figure goes on
    /// from something before it.
    fn factor_before(&self, at: usize) -> Option<(Exact, usize)> {
        let end = self.figures[at].start;
        let from = self.reply.floor_char_boundary(end.saturating_sub(GAP_BYTES_MAX));
        let before = &self.reply[from..end];
        let lower = before.to_lowercase();
        let mut words = lower.split_whitespace().rev();
        let (last, number) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let start_of =
            |word: &str| lower.rfind(word).filter(|_| lower.len() == before.len()).map(|at| from + at);
        if self.is_in(WordList::Twice, last) {
            return Some((Exact::from(2), start_of(last)?));
        }
        if self.is_in(WordList::Times, last) {
            return Some((self.factor(number)?, start_of(number)?));
        }
        let is_sign = |word: &str| !word.chars().any(char::is_alphanumeric);
        let goes_on =
            is_sign(last) && (self.is_in(WordList::Plus, last) || self.is_in(WordList::Minus, last));
        (!goes_on).then_some((Exact::from(1), end))
    }

    /// How the figure at `next` follows the one before it: "x 3 =", "+ 3 x".
    fn link(&self, next: usize) -> Option<Link> {
        let between = self.reply.get(self.figures[next - 1].end..self.figures[next].start)?;
        let between = Some(between).filter(|between| between.len() <= GAP_BYTES_MAX)?.to_lowercase();
        let words = between.split_whitespace().map(|word| word.trim_matches([',', '(', ')', ':']));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let (mut rest, mut factors) = (words.as_slice(), [Exact::from(1); 2]);
        if let [sign, number, behind @ ..] = rest
            && self.is_in(WordList::Times, sign)
            && let Some(number) = self.factor(number)
        {
            (factors[0], rest) = (number, behind);
        }
        if let [before @ .., number, sign] = rest
            && self.is_in(WordList::Times, sign)
            && let Some(number) = self.factor(number)
        {
            (factors[1], rest) = (number, before);
        }
        let operators = [
            (WordList::Equals, Operator::Equals),
            (WordList::Plus, Operator::Plus),
            (WordList::Minus, Operator::Minus),
            (WordList::Times, Operator::Times),
            (WordList::ShareOf, Operator::ShareOf),
        ];
        // "shipping is a total of": one word says what the figure before it is for.
        let phrases = [rest.join(" "), rest.get(1..).unwrap_or_default().join(" ")];
        let named = |phrase: &String| operators.into_iter().find(|(list, _)| self.is_in(*list, phrase));
        let (_, operator) = phrases.iter().find_map(named)?;
        Some(Link { factor_before: factors[0], operator, factor_behind: factors[1] })
    }
}

/// The sum of which a figure in a sentence of amounts is said to be the total: its operands are the other amounts.
pub(super) fn total(
    reply: &str,
    sentence: &Range<usize>,
    figures: &[Figure<'_>],
    lexicon: &Lexicon,
) -> Option<Calculation> {
    let first = figures.partition_point(|figure| figure.start < sentence.start);
    let behind = figures.partition_point(|figure| figure.start < sentence.end);
    if behind - first > FIGURES_MAX {
        return None;
    }
    let amount = |at: usize| match figures[at].value {
        Value::Money { amount, .. } => Some(*amount),
        _ => None,
    };
    let is_total =
        |at: &usize| amount(*at).is_some() && beside_total(reply, sentence, &figures[*at], lexicon);
    let mut totals = (first..behind).filter(is_total);
    let (result, others) = (totals.next()?, totals.next());
    let is_last = (result + 1..behind).all(|at| amount(at).is_none());
    let operands: Vec<usize> = (first..result).filter(|at| amount(*at).is_some()).collect();
    if others.is_some() || !is_last || operands.len() < 2 {
        return None;
    }
    let right = operands.iter().filter_map(|at| amount(*at)).try_fold(Exact::ZERO, Exact::checked_add)?;
    let written = |at: usize| &reply[figures[at].start..figures[at].end];
    let parts: Vec<&str> = operands.iter().map(|at| written(*at)).collect();
    let text = format!("{} = {}", parts.join(" + "), written(result));
    Some(Calculation { result, operands: first..result, right, stated: amount(result)?, text })
}

fn beside_total(reply: &str, sentence: &Range<usize>, figure: &Figure<'_>, lexicon: &Lexicon) -> bool {
    let from = reply.floor_char_boundary(figure.start.saturating_sub(TOTAL_BYTES_MAX)).max(sentence.start);
    let to = reply.floor_char_boundary(figure.end + TOTAL_BYTES_MAX).min(sentence.end);
    let around =
        format!("{} {}", &reply[from..figure.start], &reply[figure.end..to.max(figure.end)]).to_lowercase();
    let words: Vec<&str> =
        around.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let around = format!(" {} ", words.join(" "));
    lexicon.words(WordList::Total).iter().any(|word| around.contains(&format!(" {word} ")))
}
