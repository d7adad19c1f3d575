//! What a case shows: what was said before the reply, what was retrieved for it, and what tools did.
//!
//! Figures and references by anyone count, and deeds by the company and its tools; a remedy that was asked for, or that an
//! earlier message promised, supports nothing. A text is read in its own language, and in that of the reply where it does
//! not tell.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::claim::{ClaimKind, Language, Lexicon, TimeUnit, Value, WordList, extract};
use super::super::policy::{Extent, Known};
use super::amount::is_whole;
use super::count::{counts, words};
use super::result::Origin;
use super::step::{self, Operands};
use super::tool;
use crate::case::{Case, Role, Situation};
use crate::exact::Exact;

/// The largest whole number without a currency that counts things and is no amount to calculate with.
const COUNT_MAX: i64 = 20;

/// How many bytes behind a day of the week its date begins.
const DATE_GAP_BYTES: usize = 6;

/// The most things of a list that are counted.
const LIST_MAX: usize = 100;

/// What a case shows.
#[derive(Default)]
pub(super) struct Shown {
    /// Every figure and reference.
    pub(super) values: Known<()>,
    /// Every whole number.
    pub(super) numbers: BTreeSet<u64>,
    /// Those that count something, and how long lists of tools are.
    pub(super) sizes: BTreeSet<u64>,
    /// The words, without endings, for what the numbers count.
    pub(super) counted: BTreeSet<String>,
    /// What each call says was done, and at the end what messages do.
    pub(super) acts: Vec<Act>,
    /// The words, without endings, of what tools say.
    pub(super) words: BTreeSet<String>,
    /// Those of short texts in results, such as states.
    pub(super) states: BTreeSet<String>,
    /// Whether tools were called.
    pub(super) has_calls: bool,
    pub(super) operands: Operands,
}

/// What a call did, or messages say. Words are without endings.
#[derive(Default)]
pub(super) struct Act {
    pub(super) origin: Origin,
    /// What was done as it says, and what its name says that it is for.
    pub(super) deeds: BTreeSet<String>,
    pub(super) named: BTreeSet<String>,
    /// What its result speaks of in any form, such as `"type": "refund"`.
    pub(super) events: BTreeSet<String>,
    /// The words of its name, of its states and texts, and of what it was given.
    pub(super) names: BTreeSet<String>,
    pub(super) states: BTreeSet<String>,
    pub(super) objects: BTreeSet<String>,
    /// To how many things it did it.
    pub(super) n_things: usize,
    /// The figures and references of what it was given and says, and those of what failed.
    pub(super) values: Known<()>,
    pub(super) failed: Known<()>,
}

impl Shown {
    /// What `case` shows, for a reply in `language`.
    pub(super) fn of(case: &Case, language: Language<'_>) -> Shown {
        let mut collector = Collector::new(language);
        let calls = case.evidence.tools.iter();
        for call in calls.rev() {
            tool::add(call, &mut collector);
        }
        collector.begin();
        match &case.situation {
            Situation::Ticket(text) => collector.text(text),
            Situation::Conversation(turns) => {
                for turn in turns {
                    collector.shown.operands.next_place();
                    collector.begin();
                    match turn.role {
                        Role::Customer => collector.text(&turn.text),
                        Role::Agent => collector.company_text(&turn.text),
                        Role::System => match tool::call_in(&turn.text) {
                            Some(call) => tool::add(&call, &mut collector),
                            None => tool::text_value(&turn.text, &mut collector),
                        },
                    }
                }
            }
        }
        for each in &case.evidence.context {
            collector.shown.operands.next_place();
            collector.text(&each.text);
        }
        collector.begin();
        // What was 268 and is 301.50 went up by 33.50.
        for numbers in std::mem::take(&mut collector.columns).into_values() {
            let others =
                |one: &Exact| numbers.iter().filter_map(|other| one.checked_sub(*other)).collect::<Vec<_>>();
            let gaps = numbers.iter().flat_map(others).filter(|gap| *gap > Exact::ZERO);
            gaps.for_each(|gap| collector.shown.operands.add_ratio(gap));
        }
        collector.shown.values = known(collector.values);
        collector.shown
    }
}

fn known(values: Vec<Value>) -> Known<()> {
    Known::of(values.into_iter().map(|value| (Extent::One(value), ())))
}

/// Gathers what texts and results show.
pub(super) struct Collector<'l> {
    language: Language<'l>,
    values: Vec<Value>,
    pub(super) shown: Shown,
    /// The call or message that is read, with its values and those of what failed.
    pub(super) act: Act,
    own: [Vec<Value>; 2],
    /// The numbers of each key, wherever it stands.
    pub(super) columns: BTreeMap<String, Vec<Exact>>,
}

impl<'l> Collector<'l> {
    fn new(language: Language<'l>) -> Self {
        let shown = Shown { numbers: BTreeSet::from([0, 1]), ..Shown::default() };
        Collector {
            language,
            values: Vec::new(),
            shown,
            act: Act::default(),
            own: Default::default(),
            columns: BTreeMap::new(),
        }
    }

    /// The words that programs use, which are English, and those of the reply.
    pub(super) fn lexicons(&self) -> [&'l Lexicon; 2] {
        let own = self.language.lexicon;
        [self.language.languages.get("en").unwrap_or(own), own]
    }

    pub(super) fn call(&mut self) {
        self.shown.has_calls = true;
        self.begin();
        self.shown.operands.next_place();
    }

    /// Ends what is read and begins the next.
    fn begin(&mut self) {
        let [values, failed] = std::mem::take(&mut self.own).map(known);
        self.shown.acts.push(Act { values, failed, ..std::mem::take(&mut self.act) });
    }

    /// How many values of what is read there are so far.
    pub(super) fn n_values(&self) -> usize {
        self.own[0].len()
    }

    /// What was read behind so many values failed.
    pub(super) fn failed(&mut self, n_values: usize) {
        let failed = self.own[0].split_off(n_values);
        self.own[1].extend(failed);
    }

    pub(super) fn value(&mut self, value: Value) {
        if let Value::Day { day, .. } = value {
            self.shown.numbers.insert(day.into());
        }
        if let Value::Time { minutes, .. } = value
            && minutes % 60 == 0
        {
            self.shown.numbers.extend([u64::from(minutes / 60), u64::from(minutes / 60 % 12)]);
        }
        self.shown.operands.add(&value, step::Origin::Case);
        self.named_only(value);
    }

    /// A value that nothing is calculated from.
    pub(super) fn named_only(&mut self, value: Value) {
        self.own[0].push(value.clone());
        self.values.push(value);
    }

    pub(super) fn deed(&mut self, deed: &str) {
        self.act.deeds.insert(deed.to_owned());
    }

    /// Adds words without their endings to a part of what is shown.
    pub(super) fn words(&mut self, part: fn(&mut Self) -> &mut BTreeSet<String>, words: &[String]) {
        for lexicon in self.lexicons() {
            let stems = words.iter().flat_map(|word| lexicon.stems(word, WordList::Function));
            part(self).extend(stems);
        }
    }

    /// The figures of a text that says nothing else.
    pub(super) fn figures(&mut self, text: &str) {
        let claims = extract(text, self.language.lexicon).into_iter();
        claims.filter_map(|claim| claim.value().cloned()).for_each(|value| self.value(value));
    }

    /// What a call with this name came to.
    pub(super) fn came_to(&mut self, name: &[String], origin: Origin) {
        self.words(|read| &mut read.act.names, name);
        let [english, own] = self.lexicons().map(|lexicon| lexicon.deeds_of_call(name));
        self.act.named.extend([english, own].concat().into_iter().map(str::to_owned));
        self.act.origin = origin;
    }

    /// A number that is an amount in `currency`, or in any.
    pub(super) fn amount(&mut self, amount: Exact, currency: Option<String>) {
        let is_count = currency.is_none() && amount <= Exact::from(COUNT_MAX) && is_whole(amount);
        let value = Value::Money { amount, currency };
        if is_count {
            self.named_only(value);
        } else {
            self.value(value);
        }
    }

    /// A number that may be a share: 15 is 15 %, and so is 0.15. It is calculated with where it is called one.
    pub(super) fn share(&mut self, number: Exact, is_named: bool) {
        let hundred = number.checked_mul(Exact::from(100)).filter(|_| number <= Exact::from(1));
        for share in [Some(number), hundred].into_iter().flatten() {
            let value = Value::Percent(share);
            if is_named {
                self.shown.operands.add(&value, step::Origin::Case);
            }
            self.values.push(value);
        }
    }

    pub(super) fn span(&mut self, ends: [Exact; 2], (unit, times): (TimeUnit, i64)) {
        let [least, most] = ends.map(|end| end.checked_mul(Exact::from(times)));
        if let (Some(least), Some(most)) = (least, most) {
            self.value(Value::Span { least, most, unit });
        }
    }

    pub(super) fn number(&mut self, number: Exact) {
        if number <= Exact::from(COUNT_MAX) {
            self.shown.operands.add_count(number);
        }
        let Ok(whole) = u64::try_from(number.floor()) else { return };
        let is_whole = is_whole(number);
        // People round: 48.9 is 49.
        self.shown.numbers.extend(whole..=whole + u64::from(!is_whole));
        if is_whole {
            self.shown.sizes.insert(whole);
        }
    }

    /// A list of things: the reply may speak of some of them.
    pub(super) fn list(&mut self, n_items: usize) {
        let n_items = n_items.min(LIST_MAX);
        self.number(Exact::from(i64::try_from(n_items).unwrap_or(i64::MAX)));
        self.shown.numbers.extend(1..=n_items as u64);
    }

    /// A text by a person that is not the company: figures alone.
    pub(super) fn text(&mut self, text: &str) {
        // "If my ticket is 618": a number without a currency is an amount in any.
        for number in self.claims(text, false) {
            self.amount(number, None);
        }
    }

    /// A text by the company or one of its tools: what it says was done was done. "The price is 155" is an amount in any
    /// currency.
    pub(super) fn company_text(&mut self, text: &str) {
        let numbers = self.claims(text, true);
        self.values.extend(numbers.into_iter().map(|amount| Value::Money { amount, currency: None }));
    }

    /// Adds what a text claims, and returns the numbers that are no part of a claim.
    fn claims(&mut self, text: &str, by_company: bool) -> Vec<Exact> {
        let lexicon = self.language.of_other(text);
        let mut read = Vec::new();
        for claim in extract(text, lexicon) {
            read.push(claim.span);
            match claim.kind {
                ClaimKind::Value(value) => self.value(value),
                ClaimKind::Deed { deed, .. } if by_company => {
                    let said = tool::words_of(&text[read[read.len() - 1].clone()]);
                    self.words(|read| &mut read.act.states, &said);
                    self.deed(&deed);
                }
                ClaimKind::Deed { .. } | ClaimKind::Remedy { .. } => {}
            }
        }
        let is_read = |span: &Range<usize>| {
            let behind = read.partition_point(|read| read.end <= span.start);
            read.get(behind).is_some_and(|read| read.start < span.end)
        };
        let words: Vec<_> = words(text).collect();
        for count in counts(text, &words, lexicon).into_iter().filter(|count| !is_read(&count.span)) {
            self.shown.operands.add_count(Exact::from(i64::try_from(count.number).unwrap_or(0)));
            self.shown.numbers.insert(count.number);
            let mut of = count.of(lexicon).peekable();
            if of.peek().is_some() {
                self.shown.sizes.insert(count.number);
                self.shown.counted.extend(of);
            }
        }
        // "Friday, February 13" says nothing of other Fridays.
        let is_dated = |end: usize| {
            let next = read.partition_point(|read| read.start < end);
            read.get(next).is_some_and(|read| read.start < end + DATE_GAP_BYTES)
        };
        let days =
            words.iter().filter_map(|(start, word)| Some((start + word.len(), lexicon.weekday(word)?)));
        let days = days.filter(|(end, _)| !is_dated(*end)).map(|(_, weekday)| weekday);
        days.for_each(|weekday| self.shown.operands.add_weekday(weekday));
        let mut end = 0;
        let words = text.split_inclusive(|c: char| c.is_whitespace() || "/x×".contains(c)).filter(|word| {
            end += word.len();
            !is_read(&(end - word.len()..end))
        });
        words.flat_map(|word| loose_numbers(word.trim_end_matches(['/', 'x', '×']))).collect()
    }
}

/// The longest number that is read loosely, in bytes.
const NUMBER_BYTES_MAX: usize = 16;

/// The numbers that a word can be, with either kind of separators: `1,204` is a thousand or a little more than one.
pub(super) fn loose_numbers(text: &str) -> Vec<Exact> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "$€£%()".contains(c));
    let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    if let Some(thousands) = text.strip_suffix(['k', 'K']).and_then(|text| text.parse::<u32>().ok()) {
        return vec![Exact::from(i64::from(thousands) * 1000)];
    }
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

/// The words of all that a case shows, in upper case, whatever they mean, and the letters and the digits of each by
/// themselves: `SN2293` is "SN 2293" too.
pub(super) fn written(case: &Case) -> BTreeSet<String> {
    let of_calls = case.evidence.tools.iter().flat_map(|call| call.arguments.iter().chain(&call.result));
    let texts = of_calls.map(String::as_str).chain(case.situation.texts());
    let texts = texts.chain(case.evidence.context.iter().map(|each| &*each.text));
    let is_digit = |c: char| c.is_ascii_digit();
    let mut written = BTreeSet::new();
    for word in texts.flat_map(|text| words(text).map(|(_, word)| word.to_uppercase())) {
        if word.contains(is_digit) {
            written.extend(word.split(is_digit).map(str::to_owned));
            written.extend(word.split(|c| !is_digit(c)).map(str::to_owned));
        }
        written.insert(word);
    }
    written
}
