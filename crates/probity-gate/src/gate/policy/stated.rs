//! From the text of a fact to the values it stands for, and from a source to all the values it names.
//!
//! The values are found by the same extraction as those of a reply, so both have one form. Where a fact is
//! written more tersely than a sentence would be, as `15` under `percentages`, its key says what it is.
//!
//! What a source calls its facts is words that are compared without their endings. Cutting endings is rough. It never
//! decides alone: a figure of the same kind must stand beside the words.

use std::collections::BTreeSet;

use super::super::claim::{Claim, ClaimKind, Language, Lexicon, Polarity, Value, WordList, extract};
use super::super::text::sentence_spans;
use super::known::{Extent, Known, within};
use super::{Fact, FactKind, Source};
use crate::exact::Exact;

/// Longer than any span that a policy would name, in whichever unit.
const FAR: i64 = 1_000_000_000_000;

/// Where in a source a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::gate) enum Place {
    /// In a fact, by its number.
    Fact(usize),
    /// In a sentence of the text that speaks of these labelled facts, by their numbers.
    Text(Vec<usize>),
}

/// The fact that `text` states, read in the language of its source or else in the first in which it says something.
/// `None` where it holds nothing of its kind.
pub(super) fn fact(kind: FactKind, label: Option<&str>, text: &str, language: Language<'_>) -> Option<Fact> {
    let others = language.languages.lexicons();
    let mut lexicons = std::iter::once(language.lexicon).chain(others);
    let extents = lexicons.find_map(|lexicon| fact_in(kind, text, lexicon))?;
    let label = label.map(|label| Label::new(label, language.lexicon));
    Some(Fact { kind, label, text: text.to_owned(), extents })
}

fn fact_in(kind: FactKind, text: &str, lexicon: &Lexicon) -> Option<Vec<Extent>> {
    let claims = extract(text, lexicon);
    let found: Vec<&Claim> = claims
        .iter()
        .filter(|claim| claim.value().is_some_and(|value| FactKind::of(value) == kind))
        .collect();
    // Extraction would not see a star as a part of a link.
    let is_starred = kind == FactKind::Contact && text.trim_end().ends_with("/*");
    let extents = match kind {
        FactKind::Code => codes(text, &found),
        _ if found.is_empty() || is_starred => terse(kind, text).map(Extent::One).into_iter().collect(),
        _ => extents(text, &found, lexicon),
    };
    (!extents.is_empty()).then_some(extents)
}

/// Every value that a source names, each with its place. Labels learn the words beside which the text gives their values.
pub(super) fn values(facts: &mut [Fact], text: &str, lexicon: &Lexicon) -> Known<Place> {
    let stated = facts.iter().enumerate().flat_map(|(number, fact)| {
        fact.extents.iter().map(move |extent| (extent.clone(), Place::Fact(number)))
    });
    let mut entries: Vec<(Extent, Place)> = stated.collect();
    let mut claims = extract(text, lexicon).into_iter().peekable();
    let generic = generic(lexicon);
    for sentence in sentence_spans(text) {
        let words: BTreeSet<String> = stems(&text[sentence.clone()], lexicon).collect();
        let is_touched = |label: &Label| label.is_touched_by(|word| words.contains(word));
        let touched: Vec<usize> =
            (0..facts.len()).filter(|number| facts[*number].label.as_ref().is_some_and(is_touched)).collect();
        let mut given = BTreeSet::new();
        while let Some(claim) = claims.next_if(|claim| claim.span.start < sentence.end) {
            if let ClaimKind::Value(value) = claim.kind {
                let is_it = |fact: &Fact| fact.extents.iter().any(|extent| within(&value, extent));
                given.extend((0..facts.len()).filter(|number| is_it(&facts[*number])));
                entries.push((Extent::One(value), Place::Text(touched.clone())));
            }
        }
        let stated = facts.iter_mut().enumerate().filter(|(number, _)| given.contains(number));
        for label in stated.filter_map(|(_, fact)| fact.label.as_mut()) {
            let telling = lexicon.stems(&text[sentence.clone()], WordList::Function);
            label.beside.extend(telling.filter(|word| !generic.contains(word)));
        }
    }
    Known::of(entries)
}

/// The remedies that the text of a source grants and its facts do not mention.
pub(super) fn unlisted_remedies(source: &Source, lexicon: &Lexicon) -> BTreeSet<String> {
    let facts = &source.facts;
    let granted = extract(&source.text, lexicon).into_iter().filter_map(|claim| match claim.kind {
        ClaimKind::Remedy { remedy, polarity: Polarity::Promised } => Some(remedy),
        _ => None,
    });
    granted.filter(|remedy| !facts.permitted.contains(remedy) && !facts.forbidden.contains(remedy)).collect()
}

impl FactKind {
    /// The kind whose key a value is stated under.
    pub(super) fn of(value: &Value) -> FactKind {
        match value {
            Value::Money { .. } => FactKind::Amount,
            Value::Percent(_) => FactKind::Percentage,
            Value::Span { .. } | Value::Day { .. } | Value::Time { .. } => FactKind::Window,
            Value::Code(_) | Value::Number(_) => FactKind::Code,
            Value::Link(_) | Value::Email(_) | Value::Phone(_) | Value::Address(_) => FactKind::Contact,
        }
    }

    /// What one without a label is called, what must stand under its key, and an example of it.
    pub(super) fn wording(self) -> [&'static str; 3] {
        let contact = "link, e-mail address, telephone number or street address";
        match self {
            FactKind::Amount => ["A permitted amount", "amount of money", "4.90 EUR"],
            FactKind::Window => ["A permitted window", "length of time or day", "30 days"],
            FactKind::Percentage => ["A permitted percentage", "percentage", "15 %"],
            FactKind::Code => ["A valid code", "code", "RPL-14"],
            FactKind::Contact => ["A valid contact", contact, "help@shop.example"],
        }
    }
}

/// A code is what stands there, however it looks; a sentence about codes holds those that are recognised.
fn codes(text: &str, found: &[&Claim]) -> Vec<Extent> {
    let text = text.trim();
    if !text.contains(char::is_whitespace) && text.contains(char::is_alphanumeric) {
        return vec![Extent::One(Value::Code(text.to_uppercase()))];
    }
    found.iter().filter_map(|claim| claim.value()).cloned().map(Extent::One).collect()
}

/// The values of a fact as single ones, or as the range that the words around them make of them.
fn extents(text: &str, found: &[&Claim], lexicon: &Lexicon) -> Vec<Extent> {
    let values: Vec<&Value> = found.iter().filter_map(|claim| claim.value()).collect();
    let before = text[..found[0].span.start].trim_end().to_lowercase();
    let ends_with = |list| lexicon.words(list).any(|word| before.ends_with(word));
    if let [one, other] = values[..]
        && lexicon.has(WordList::Joins, text[found[0].span.end..found[1].span.start].trim())
        && matches!(one, Value::Money { .. } | Value::Percent(_))
    {
        let (least, most) = if one <= other { (one, other) } else { (other, one) };
        return vec![Extent::Range { least: Some(least.clone()), most: Some(most.clone()) }];
    }
    match values[..] {
        [most] if ends_with(WordList::AtMost) => vec![bounded(most, true)],
        [least] if ends_with(WordList::AtLeast) => vec![bounded(least, false)],
        _ => values.into_iter().cloned().map(Extent::One).collect(),
    }
}

/// Everything up to a value, or from it on.
fn bounded(value: &Value, is_most: bool) -> Extent {
    let open = |least, most, unit| Extent::One(Value::Span { least, most, unit });
    match value {
        Value::Span { most, unit, .. } if is_most => open(Exact::ZERO, *most, *unit),
        Value::Span { least, unit, .. } => open(*least, Exact::from(FAR), *unit),
        Value::Money { .. } | Value::Percent(_) => {
            let bound = |is_it: bool| is_it.then(|| value.clone());
            Extent::Range { least: bound(!is_most), most: bound(is_most) }
        }
        _ => Extent::One(value.clone()),
    }
}

/// The value of a fact that is too terse to be recognised in a sentence.
pub(in crate::gate) fn terse(kind: FactKind, text: &str) -> Option<Value> {
    let text = text.trim();
    match kind {
        FactKind::Amount => Some(Value::Money { amount: text.parse().ok()?, currency: None }),
        FactKind::Percentage => Some(Value::Percent(text.parse().ok()?)),
        FactKind::Contact => contact(text),
        FactKind::Code => {
            let is_code = !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit());
            is_code.then(|| Value::Code(text.to_uppercase()))
        }
        FactKind::Window => None,
    }
}

fn contact(text: &str) -> Option<Value> {
    let (is_word, is_phone) = (!text.contains(char::is_whitespace), !text.contains(char::is_alphabetic));
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
    if is_word && text.contains('@') {
        return Some(Value::Email(text.to_lowercase()));
    }
    if is_word && text.contains('.') {
        return Some(Value::Link(link(text)));
    }
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let address = || Value::Address(words.map(str::to_lowercase).collect::<Vec<_>>().join(" "));
    if is_phone {
        return (digits.len() >= 5).then_some(Value::Phone(digits));
    }
    (!is_word && !digits.is_empty()).then(address)
}

/// A link in the form that extraction gives it: no scheme, no `www.`, lower-case host, no slash at the end.
fn link(text: &str) -> String {
    let bare = text.split_once("://").map_or(text, |(_, rest)| rest);
    let bare = bare.strip_prefix("www.").unwrap_or(bare).trim_end_matches('/');
    let (host, path) = bare.split_at(bare.find('/').unwrap_or(bare.len()));
    format!("{}{path}", host.to_lowercase())
}

/// The words of `text` that say something, with their endings cut.
pub(in crate::gate) fn stems<'t>(text: &'t str, lexicon: &'t Lexicon) -> impl Iterator<Item = String> + 't {
    lexicon.stems(text, WordList::LabelFillers)
}

/// What a source calls a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// As it was written.
    pub text: String,
    /// Every word that says something.
    words: BTreeSet<String>,
    /// Those that tell it from other labels: its words without the kind of figure, unless there are no others.
    core: BTreeSet<String>,
    /// Those of the sentences in which the text of its source gives its value, without kinds of figures.
    beside: BTreeSet<String>,
}

/// The words for kinds of figures.
fn generic(lexicon: &Lexicon) -> BTreeSet<String> {
    lexicon.words(WordList::FigureKinds).flat_map(|word| stems(word, lexicon)).collect()
}

impl Label {
    /// The label that `text` is, in a language.
    pub(super) fn new(text: &str, lexicon: &Lexicon) -> Self {
        let words: BTreeSet<String> = stems(text, lexicon).collect();
        let telling: BTreeSet<String> = words.difference(&generic(lexicon)).cloned().collect();
        let core = if telling.is_empty() { words.clone() } else { telling };
        Label { text: text.to_owned(), words, core, beside: BTreeSet::new() }
    }

    /// How many words a passage that `has` some shares with the sentences of the source that give the value.
    pub(in crate::gate) fn n_shared(&self, has: impl Fn(&str) -> bool) -> usize {
        self.beside.iter().filter(|word| has(word)).count()
    }

    /// Whether a passage that `has` some words has those that tell this label from others.
    pub(in crate::gate) fn is_touched_by(&self, has: impl Fn(&str) -> bool) -> bool {
        !self.core.is_empty() && self.core.iter().all(|word| has(word))
    }

    /// Whether a passage that `has` some words has every one of the label.
    pub(in crate::gate) fn is_named_by(&self, has: impl Fn(&str) -> bool) -> bool {
        !self.words.is_empty() && self.words.iter().all(|word| has(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_same(words: &[&str]) {
        let stems: BTreeSet<String> =
            words.iter().flat_map(|word| stems(word, Lexicon::built_in())).collect();
        assert_eq!(stems.len(), 1, "{words:?} give {stems:?}");
    }

    #[test]
    fn endings_do_not_count() {
        check_same(&["return", "returns", "Returned", "returning"]);
        check_same(&["ship", "shipping", "shipped"]);
        check_same(&["restock", "restocking"]);
        check_same(&["exchange", "exchanges", "exchanged"]);
        check_same(&["fee", "fees"]);
    }

    #[test]
    fn different_words_stay_different() {
        let stems: BTreeSet<String> =
            stems("return refund repair replace press pass bus", Lexicon::built_in()).collect();
        assert_eq!(stems.len(), 7);
    }

    #[track_caller]
    fn check(label: &str, passage: &str, touched: bool, named: bool) {
        let label = Label::new(label, Lexicon::built_in());
        let has = |wanted: &str| stems(passage, Lexicon::built_in()).any(|stem| stem == wanted);
        assert_eq!((label.is_touched_by(has), label.is_named_by(has)), (touched, named));
    }

    #[test]
    fn a_label_is_touched_by_its_telling_words_and_named_by_all() {
        check("return_window", "The return window is 60 days", true, true);
        check("return_window", "You can return it within 60 days", true, false);
        check("return_window", "It takes 60 days", false, false);
        check("fee", "a fee of 5 EUR", true, true);
        check("§", "a § of 5 EUR", false, false);
    }
}
