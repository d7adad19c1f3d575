//! What a case shows: what was said before the reply, what was retrieved for it, and what tools did.
//!
//! Figures and references by anyone count, and deeds by the company and its tools; a remedy that was asked for, or that an
//! earlier message promised, supports nothing. A text is read in its own language, and in that of the reply where it does
//! not tell.

use std::collections::{BTreeMap, BTreeSet};

use super::super::claim::{ClaimKind, Language, Lexicon, TimeUnit, Value, extract};
use super::super::policy::{Extent, Known};
use super::tool;
use crate::case::{Case, Moment, Role, Situation};
use crate::exact::Exact;

/// The most figures of a kind that are calculated with.
const OPERANDS_MAX: usize = 64;

/// The largest whole number without a currency that counts things and is no amount to calculate with.
const COUNT_MAX: i64 = 20;

/// What a case shows.
pub(super) struct Shown {
    /// Every figure and reference.
    pub(super) values: Known<()>,
    /// What the company and its tools say was done.
    pub(super) deeds: BTreeSet<String>,
    /// How many calls of tools did each.
    pub(super) calls: BTreeMap<String, usize>,
    pub(super) operands: Operands,
    /// The moments that tools and texts name.
    pub(super) moments: Vec<KnownTime>,
    /// Lengths of time in whole days.
    pub(super) days: BTreeSet<i64>,
}

/// What results can be calculated from.
#[derive(Default, Clone)]
pub(super) struct Operands {
    /// Amounts of money with their currencies, where these are known.
    pub(super) amounts: Vec<(Exact, Option<String>)>,
    /// Percentages.
    pub(super) shares: BTreeSet<Exact>,
    /// How many there are of something.
    pub(super) counts: BTreeSet<Exact>,
    /// What one currency costs in another.
    pub(super) rates: BTreeSet<Exact>,
    /// How many of the amounts the case shows; those behind are the policy's.
    pub(super) n_of_case: usize,
    /// How many of them, at the front, the reply itself says.
    pub(super) n_stated: usize,
}

/// A moment, to the second or to the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownTime {
    pub(super) start: Moment,
    /// Whether the time of day is known.
    pub(super) has_time: bool,
}

impl Operands {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Money { amount, currency } => {
                let entry = (*amount, currency.clone());
                if self.amounts.len() < OPERANDS_MAX && !self.amounts.contains(&entry) {
                    self.amounts.push(entry);
                }
            }
            Value::Percent(share) if self.shares.len() < OPERANDS_MAX => _ = self.shares.insert(*share),
            _ => {}
        }
    }

    /// The same with the values of policies, which support nothing on their own: the sum of two fees is no figure of a
    /// case.
    pub(super) fn with_policies<'v>(mut self, values: impl IntoIterator<Item = &'v Value>) -> Operands {
        self.n_of_case = self.amounts.len();
        values.into_iter().for_each(|value| self.add(value));
        self
    }

    /// Adds what the reply itself says and something supports.
    pub(super) fn add_stated(&mut self, value: &Value) {
        if self.n_stated >= OPERANDS_MAX {
            return;
        }
        if let Value::Money { amount, currency } = value {
            self.amounts.insert(0, (*amount, currency.clone()));
            self.n_of_case += 1;
            self.n_stated += 1;
        } else {
            self.add(value);
        }
    }

    /// Adds the numbers of a text as counts.
    pub(super) fn add_counts(&mut self, text: &str, lexicon: &Lexicon) {
        for number in whole_numbers(text, lexicon) {
            self.add_count(Exact::from(i64::from(number)));
        }
    }

    fn add_count(&mut self, number: Exact) {
        let is_count = Exact::from(1) < number && number <= Exact::from(100);
        if is_count && Exact::ratio(number.floor(), 1) == Some(number) {
            self.counts.insert(number);
        }
    }
}

/// The whole numbers of a text, in digits or in words.
fn whole_numbers<'t>(text: &'t str, lexicon: &'t Lexicon) -> impl Iterator<Item = u32> + 't {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.filter_map(|word| word.parse().ok().or_else(|| lexicon.numeral(word)))
}

/// The numbers that a word can be, with either kind of separators: `1,204` is a thousand or a little more than one.
pub(super) fn loose_numbers(text: &str) -> Vec<Exact> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "$€£%()".contains(c));
    let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let is_number = text.contains(|c: char| c.is_ascii_digit())
        && text.len() <= NUMBER_BYTES_MAX
        && text.bytes().all(|byte| byte.is_ascii_digit() || b".,-".contains(&byte));
    if !is_number {
        return Vec::new();
    }
    let last = text.rfind(['.', ',']);
    let with_decimals = last.map(|at| {
        let plain: String = text[..at].chars().filter(|c| !".,".contains(*c)).collect();
        format!("{plain}.{}", &text[at + 1..])
    });
    let without: String = text.chars().filter(|c| !".,".contains(*c)).collect();
    let is_thousands = last.is_none_or(|at| text.len() - at == 4);
    let without = Some(without).filter(|_| is_thousands);
    with_decimals.into_iter().chain(without).filter_map(|text| text.parse().ok()).collect()
}

/// The longest number that is read loosely, in bytes.
const NUMBER_BYTES_MAX: usize = 16;

impl Shown {
    /// What `case` shows, for a reply in `language`.
    pub(super) fn of(case: &Case, language: Language<'_>) -> Shown {
        let mut collector = Collector::new(language);
        for call in case.evidence.tools.iter().rev() {
            tool::add(call, &mut collector);
        }
        match &case.situation {
            Situation::Ticket(text) => collector.text(text),
            Situation::Conversation(turns) => {
                for turn in turns {
                    match turn.role {
                        Role::Customer => collector.text(&turn.text),
                        Role::Agent => collector.company_text(&turn.text),
                        Role::System => match tool::call_in(&turn.text) {
                            Some(call) => tool::add(&call, &mut collector),
                            None => collector.company_text(&turn.text),
                        },
                    }
                }
            }
        }
        for each in &case.evidence.context {
            collector.text(&each.text);
        }
        collector.finish()
    }
}

/// Gathers what texts and results show.
pub(super) struct Collector<'l> {
    language: Language<'l>,
    values: Vec<Value>,
    shown: Shown,
}

impl<'l> Collector<'l> {
    fn new(language: Language<'l>) -> Self {
        let shown = Shown {
            values: Known::of([]),
            deeds: BTreeSet::new(),
            calls: BTreeMap::new(),
            operands: Operands::default(),
            moments: Vec::new(),
            days: BTreeSet::new(),
        };
        Collector { language, values: Vec::new(), shown }
    }

    /// The words that programs use, which are English.
    pub(super) fn api_words(&self) -> &'l Lexicon {
        self.language.languages.get("en").unwrap_or(self.language.lexicon)
    }

    /// The words of programs and those of the reply.
    pub(super) fn lexicons(&self) -> [&'l Lexicon; 2] {
        [self.api_words(), self.language.lexicon]
    }

    pub(super) fn value(&mut self, value: Value) {
        self.values.push(value);
    }

    pub(super) fn deed(&mut self, deed: &str) {
        if !self.shown.deeds.contains(deed) {
            self.shown.deeds.insert(deed.to_owned());
        }
    }

    /// A deed that a call of a tool did.
    pub(super) fn call(&mut self, deed: &str) {
        *self.shown.calls.entry(deed.to_owned()).or_default() += 1;
        self.deed(deed);
    }

    pub(super) fn amount(&mut self, amount: Exact, currency: Option<String>) {
        let is_count = amount <= Exact::from(COUNT_MAX) && Exact::ratio(amount.floor(), 1) == Some(amount);
        let is_bare = currency.is_none() && is_count;
        let value = Value::Money { amount, currency };
        if !is_bare {
            self.shown.operands.add(&value);
        }
        self.value(value);
    }

    /// A number that may be a share: 15 is 15 %, and so is 0.15.
    pub(super) fn share(&mut self, number: Exact) {
        self.value(Value::Percent(number));
        if let Some(percent) = number.checked_mul(Exact::from(100)).filter(|_| number <= Exact::from(1)) {
            self.value(Value::Percent(percent));
        }
    }

    pub(super) fn span(&mut self, ends: [Exact; 2], (unit, times): (TimeUnit, i64)) {
        let [least, most] = ends.map(|end| end.checked_mul(Exact::from(times)));
        if let (Some(least), Some(most)) = (least, most) {
            self.value(Value::Span { least, most, unit });
        }
    }

    /// What one currency costs in another.
    pub(super) fn rate(&mut self, rate: Exact) {
        if self.shown.operands.rates.len() < OPERANDS_MAX {
            self.shown.operands.rates.insert(rate);
        }
    }

    /// How many there are of something.
    pub(super) fn number(&mut self, number: Exact) {
        self.shown.operands.add_count(number);
    }

    pub(super) fn count(&mut self, n_items: usize) {
        self.number(Exact::from(i64::try_from(n_items).unwrap_or(i64::MAX)));
    }

    pub(super) fn moment(&mut self, start: Moment, has_time: bool) {
        let instant = KnownTime { start, has_time };
        if self.shown.moments.len() < OPERANDS_MAX && !self.shown.moments.contains(&instant) {
            self.shown.moments.push(instant);
        }
    }

    /// A text by a person that is not the company: figures alone.
    pub(super) fn text(&mut self, text: &str) {
        self.claims(text, false);
        // "If my ticket is 618": a number without a currency is an amount in any.
        for number in text.split_whitespace().flat_map(loose_numbers) {
            self.amount(number, None);
        }
    }

    /// A text by the company or one of its tools: what it says was done was done.
    pub(super) fn company_text(&mut self, text: &str) {
        self.claims(text, true);
    }

    fn claims(&mut self, text: &str, by_company: bool) {
        let lexicon = self.language.of_other(text);
        for claim in extract(text, lexicon) {
            match claim.kind {
                ClaimKind::Value(value) => {
                    self.shown.operands.add(&value);
                    self.value(value);
                }
                ClaimKind::Deed { deed } if by_company => self.deed(&deed),
                ClaimKind::Deed { .. } | ClaimKind::Remedy { .. } => {}
            }
        }
        self.shown.operands.add_counts(text, lexicon);
    }

    fn finish(self) -> Shown {
        let mut shown = self.shown;
        for value in &self.values {
            match value {
                Value::Day { year: Some(year), month, day } => {
                    let date = (i16::try_from(*year), i8::try_from(*month), i8::try_from(*day));
                    let (Ok(year), Ok(month), Ok(day)) = date else { continue };
                    let known = |instant: &KnownTime, start| instant.start == start;
                    if let Some(start) = Moment::start_of(year, month, day)
                        && shown.moments.len() < OPERANDS_MAX
                        && !shown.moments.iter().any(|instant| known(instant, start))
                    {
                        shown.moments.push(KnownTime { start, has_time: false });
                    }
                }
                Value::Span { most, unit: TimeUnit::Seconds, .. } => {
                    let days = most.over(86_400).filter(|days| Exact::ratio(days.floor(), 1) == Some(*days));
                    let days = days.and_then(|days| i64::try_from(days.floor()).ok());
                    shown.days.extend(days.filter(|_| shown.days.len() < OPERANDS_MAX));
                }
                _ => {}
            }
        }
        shown.values = Known::of(self.values.into_iter().map(|value| (Extent::One(value), ())));
        shown
    }
}
