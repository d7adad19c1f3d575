//! From rows to a sheet: one scale, pairs in the same order, every label once.
//!
//! A fault in a label is an error that names its rows, because a silently dropped label changes every figure. Where
//! both files name the variants of their pairs, a pair is turned so that the names are in order before rows are
//! joined; where one of them does not, the other's first candidate is its first as well.

use std::collections::HashMap;

use super::entry::{LabelEntry, Spoken, VerdictEntry};
use super::frame::LabelFrame;
use super::joined::{Joined, UnitDraft};
use super::numbered::{Key, Numbered};
use super::rounds::{RowFate, Voice, turns};
use super::rows::{ItemFacts, ItemRow};
use super::scale::Scale;
use super::sheet::{LabelCounts, OneLook, Sheet, Verdict};
use crate::verdict::Confidence;

/// The name of a judge, or of an annotator, in rows that do not name one.
const NO_NAME: &str = "(none)";

/// How rows become a sheet.
#[derive(Debug, Clone, Default)]
pub struct JoinOptions {
    /// The scale, where it was declared.
    pub scale: Option<Scale>,
    /// Labels by people who had seen a verdict.
    pub not_blind: NotBlind,
    /// The judge among the verdicts that serves as a floor: every other judge has to beat it.
    pub floor: Option<String>,
    /// What is compared with a judge where some labels settle what others said.
    pub settling: Settling,
    /// Labels of one name that were given on several packets.
    pub shared_names: SharedNames,
    /// The frame that labelled items were drawn from, if they do not all represent equally many.
    pub frame: Option<LabelFrame>,
}

/// What labels are that name the same item, criterion and variants and were given on several packets: they are about
/// different replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SharedNames {
    /// A fault, because what they are joined with has the name alone.
    #[default]
    Refuse,
    /// About one thing for each packet, where labels are compared with each other and nothing else.
    Apart,
}

/// What is compared with a judge where some labels are adjudicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Settling {
    /// Adjudicated labels alone, and every row says whether it is one: for files, whose rows may be anything.
    #[default]
    EveryRow,
    /// Item by item: adjudicated labels where an item has any, its votes elsewhere, and a row that does not say is
    /// a vote. For labels that were given one by one, where only what people disagree on is settled.
    ByItem,
}

/// What labels are worth that were given by people who had seen a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NotBlind {
    /// Nothing: they are left out.
    #[default]
    Drop,
    /// As much as others.
    Keep,
}

/// Which file a row is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputFile {
    /// The labels.
    Labels,
    /// The verdicts.
    Verdicts,
}

/// Rows that cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults {
    /// Where they are.
    pub file: InputFile,
    /// Each with its place among the rows, the place of an earlier row that it contradicts, and what is wrong.
    pub rows: Vec<(usize, Option<usize>, String)>,
}

/// What each judge said, by the place of the unit.
pub(super) type SaidBy<'a> = Vec<(&'a str, Vec<(usize, Verdict)>)>;

/// Joins labels, verdicts and facts about items.
pub fn sheet(
    labels: &[LabelEntry],
    verdicts: &[VerdictEntry],
    items: &[ItemRow],
    options: JoinOptions,
) -> Result<Sheet, Faults> {
    let JoinOptions { scale: declared, not_blind, floor, settling, shared_names, frame } = options;
    let label_facts: Vec<&ItemFacts> = labels.iter().map(|entry| &entry.facts).collect();
    let verdict_facts: Vec<&ItemFacts> = verdicts.iter().map(|entry| &entry.facts).collect();
    let named = (labels.is_empty() || named_in(&label_facts, InputFile::Labels)?)
        && (verdicts.is_empty() || named_in(&verdict_facts, InputFile::Verdicts)?);
    let scale = scale(labels, verdicts, declared)?;
    let names_variant = |facts: &[&ItemFacts]| facts.iter().any(|facts| facts.variant.is_some());
    let variant_named = (labels.is_empty() || names_variant(&label_facts))
        && (verdicts.is_empty() || names_variant(&verdict_facts));
    let (keys, places, units) = (Numbered::new(), Vec::new(), Vec::new());
    let mut join = Join { named, variant_named, scale, keys, places, units };
    let judges = join.verdicts(verdicts)?;
    let keys = join.label_keys(labels, shared_names)?;
    let (annotators, counts) = join.labels(labels, keys, (not_blind, settling), !verdicts.is_empty())?;
    join.items(items);
    let joined = Joined { scale: join.scale, annotators, units: join.units, judges, counts };
    Ok(joined.sheet(labels, floor.as_deref(), frame.as_ref()))
}

/// Whether every row names its variants. Some that do and some that do not cannot be told apart from typing
/// errors.
fn named_in(facts: &[&ItemFacts], file: InputFile) -> Result<bool, Faults> {
    let first = facts.first().is_some_and(|facts| facts.variants.is_some());
    let odd = facts.iter().position(|facts| facts.variants.is_some() != first);
    odd.map_or(Ok(first), |row| {
        let reason = "expected the variants of a pair in every row or in none".to_owned();
        Err(Faults { file, rows: vec![(row, Some(0), reason)] })
    })
}

/// What was said, with the name of a variant as the side it is on.
fn side<'a>(text: &'a str, facts: &ItemFacts) -> &'a str {
    match &facts.variants {
        Some([a, _]) if a == text => "a",
        Some([_, b]) if b == text => "b",
        _ => text,
    }
}

/// What a label says.
fn said(entry: &LabelEntry) -> Option<&str> {
    entry.label.as_ref().map(|label| side(label, &entry.facts))
}

fn scale(labels: &[LabelEntry], verdicts: &[VerdictEntry], declared: Option<Scale>) -> Result<Scale, Faults> {
    let spoken = verdicts.iter().flat_map(|entry| match &entry.spoken {
        Spoken::Once(text) => std::slice::from_ref(text),
        Spoken::BothOrders(texts) => texts,
    });
    let fault =
        |row: usize, reason: String| Faults { file: InputFile::Labels, rows: vec![(row, None, reason)] };
    let first = labels.iter().enumerate().find_map(|(row, entry)| Some((row, said(entry)?)));
    let scale = match (declared, first) {
        (Some(scale), first) if first.is_some() || labels.is_empty() => scale,
        (_, None) => return Err(fault(0, "no label says anything".to_owned())),
        (_, Some((row, first))) => {
            let all = labels.iter().filter_map(said).chain(spoken.flatten().map(String::as_str));
            Scale::of(first, all).ok_or_else(|| {
                fault(
                    row,
                    format!(
                        "'label' is '{first}', expected a, b or tie, pass or fail, a number, or words that are \
                         declared from the lowest to the highest, such as --values no,yes"
                    ),
                )
            })?
        }
    };
    let off = labels.iter().enumerate().filter_map(|(row, entry)| Some((row, said(entry)?)));
    let off = off.filter(|(_, label)| scale.place(label).is_none());
    let rows: Vec<_> = off
        .map(|(row, label)| {
            (row, None, format!("'label' is '{label}', expected {}", scale.names().join(", ")))
        })
        .collect();
    if rows.is_empty() { Ok(scale) } else { Err(Faults { file: InputFile::Labels, rows }) }
}

/// A sheet in the making.
struct Join<'a> {
    /// Whether all rows name the variants of their pairs.
    named: bool,
    /// Whether labels and verdicts both name the variant of single replies.
    variant_named: bool,
    scale: Scale,
    keys: Numbered<Key<'a>>,
    /// By the number of a key: where its unit is, if it has one.
    places: Vec<Option<usize>>,
    units: Vec<UnitDraft<'a>>,
}

impl<'a> Join<'a> {
    /// Whether a pair stands the other way round than its variants' names do.
    fn turned(&self, facts: &ItemFacts) -> bool {
        self.named && facts.variants.as_ref().is_some_and(|[a, b]| a > b)
    }

    /// The number of the key of a row.
    fn key(&mut self, item: &'a str, criterion: Option<&'a String>, facts: &'a ItemFacts) -> usize {
        let pair = facts.variants.as_ref().filter(|_| self.named);
        let one = facts.variant.as_deref().filter(|_| self.variant_named);
        let mut variants = [pair.map(|[a, _]| &**a), pair.map(|[_, b]| &**b), one];
        variants.sort_unstable();
        self.numbered(Key { item, criterion: criterion.map(String::as_str), variants, packet: None })
    }

    fn numbered(&mut self, key: Key<'a>) -> usize {
        let number = self.keys.number(key);
        self.places.resize(self.keys.names().len(), None);
        number
    }

    /// The numbers of the keys of labels. Labels of one name on several packets are about different replies, and one
    /// that names no packet could be about any of them.
    fn label_keys(
        &mut self,
        entries: &'a [LabelEntry],
        shared_names: SharedNames,
    ) -> Result<Vec<usize>, Faults> {
        let key = |entry: &'a LabelEntry| self.key(&entry.item, entry.criterion.as_ref(), &entry.facts);
        let mut keys: Vec<usize> = entries.iter().map(key).collect();
        let mut first: Vec<Option<usize>> = vec![None; self.places.len()];
        let mut is_shared = vec![false; self.places.len()];
        for (row, (entry, key)) in
            entries.iter().zip(&keys).enumerate().filter(|(_, (entry, _))| entry.packet.is_some())
        {
            let first = *first[*key].get_or_insert(row);
            is_shared[*key] |= entries[first].packet != entry.packet;
        }
        let mut faults = Vec::new();
        for (row, (entry, key)) in
            entries.iter().zip(&mut keys).enumerate().filter(|(_, (_, key))| is_shared[**key])
        {
            let first = first[*key].filter(|first| *first != row);
            let item = &entry.item;
            match (&entry.packet, shared_names) {
                (Some(packet), SharedNames::Apart) => {
                    *key = self.numbered(Key { packet: Some(packet), ..self.keys.names()[*key] });
                }
                (Some(_), SharedNames::Refuse)
                    if first.is_none_or(|first| entries[first].packet == entry.packet) => {}
                (Some(packet), SharedNames::Refuse) => {
                    let reason = format!(
                        "is about item '{item}' on another packet, '{packet}': several replies share the name, expected their 'variant'"
                    );
                    faults.push((row, first, reason));
                }
                (None, _) => {
                    let reason =
                        format!("names no 'packet', and labels of item '{item}' were given on several");
                    faults.push((row, first, reason));
                }
            }
        }
        if faults.is_empty() { Ok(keys) } else { Err(Faults { file: InputFile::Labels, rows: faults }) }
    }

    /// The place of the unit of a key, which is made where there is none.
    fn unit(&mut self, key: usize, facts: &'a ItemFacts) -> usize {
        let known = if self.turned(facts) { facts.clone().turned() } else { facts.clone() };
        if let Some(place) = self.places[key] {
            let unit = &mut self.units[place];
            unit.known = std::mem::take(&mut unit.known).or(&known);
            return place;
        }
        let place = self.units.len();
        self.places[key] = Some(place);
        self.units.push(UnitDraft {
            key: self.keys.names()[key],
            known,
            votes: Vec::new(),
            gold: Vec::new(),
        });
        place
    }

    fn verdicts(&mut self, entries: &'a [VerdictEntry]) -> Result<SaidBy<'a>, Faults> {
        let mut names = Numbered::new();
        let mut judges: Vec<Vec<(usize, Verdict)>> = Vec::new();
        let mut rows: Vec<(usize, usize, usize)> = Vec::new();
        for (row, entry) in entries.iter().enumerate() {
            let key = self.key(&entry.item, entry.criterion.as_ref(), &entry.facts);
            let place = self.unit(key, &entry.facts);
            let judge = names.number(entry.judge.as_deref().unwrap_or(NO_NAME));
            rows.push((judge, place, row));
            judges.resize_with(names.names().len(), Vec::new);
            judges[judge].push((place, self.verdict(entry)));
        }
        rows.sort_unstable();
        let again = rows.array_windows().filter(|[one, other]| (one.0, one.1) == (other.0, other.1));
        if let Some([(judge, _, first), (_, _, row)]) = again.min_by_key(|[_, (_, _, row)]| *row) {
            let (item, judge) = (&entries[*row].item, names.names()[*judge]);
            let reason = format!("is about item '{item}' by judge '{judge}' again");
            return Err(Faults { file: InputFile::Verdicts, rows: vec![(*row, Some(*first), reason)] });
        }
        Ok(names.names().iter().copied().zip(judges).collect())
    }

    fn verdict(&self, entry: &VerdictEntry) -> Verdict {
        let look = |text: &Option<String>, confidence| {
            let text = text.as_ref().map(|text| side(text, &entry.facts));
            self.look((text, confidence), &entry.facts)
        };
        let [first, second] = entry.confidence;
        match &entry.spoken {
            Spoken::Once(text) => Verdict::Once(look(text, first)),
            Spoken::BothOrders([ab, ba]) => {
                let looks = [look(ab, first), look(ba, second)];
                Verdict::BothOrders(if self.turned(&entry.facts) { [looks[1], looks[0]] } else { looks })
            }
        }
    }

    fn look(&self, (text, confidence): (Option<&str>, Option<Confidence>), facts: &ItemFacts) -> OneLook {
        match text {
            Some("inconsistent") => OneLook::Inconsistent,
            Some("needs_human_review") => OneLook::Escalated,
            text => text.and_then(|text| self.scale.place(text)).map_or(OneLook::Unparsed, |category| {
                let category = if self.turned(facts) { self.scale.mirrored(category) } else { category };
                OneLook::At(category, confidence)
            }),
        }
    }

    /// Gives labels to units. Returns who voted, in the order of their first votes.
    fn labels(
        &mut self,
        entries: &'a [LabelEntry],
        keys: Vec<usize>,
        (not_blind, settling): (NotBlind, Settling),
        judged: bool,
    ) -> Result<(Numbered<&'a str>, LabelCounts), Faults> {
        let every_row = settling == Settling::EveryRow;
        let adjudicated = every_row && entries.iter().any(|entry| entry.adjudicated.is_some());
        let mut names = Numbered::new();
        let voice = |(entry, key): (&'a LabelEntry, usize)| Voice {
            key,
            name: names.number(entry.annotator.as_deref().unwrap_or(NO_NAME)),
        };
        let voices: Vec<Voice> = entries.iter().zip(keys).map(voice).collect();
        let turns = turns(entries, &voices, adjudicated)?;
        let mut annotators = Numbered::new();
        let mut settled: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut counts = LabelCounts { n_rows: entries.len() as u64, ..LabelCounts::default() };
        for (row, (entry, voice)) in entries.iter().zip(voices).enumerate() {
            if turns[row] == RowFate::Repeated {
                counts.n_repeated += 1;
            } else if judged && self.places[voice.key].is_none() {
                counts.n_strays += 1;
                counts.strays.push(entry.item.clone());
            } else if entry.blind == Some(false) && not_blind == NotBlind::Drop {
                counts.n_not_blind += 1;
            } else if turns[row] == RowFate::Superseded {
                counts.n_superseded += 1;
            } else if let Some(label) = said(entry) {
                let category = self.scale.place(label).expect("labels were checked");
                let turned = self.turned(&entry.facts);
                let category = if turned { self.scale.mirrored(category) } else { category };
                let place = self.unit(voice.key, &entry.facts);
                let unit = &mut self.units[place];
                if entry.adjudicated == Some(true) {
                    counts.n_adjudicated += 1;
                    settled.entry(place).or_default().push(category);
                } else {
                    counts.n_votes += 1;
                    unit.votes.push((annotators.number(names.names()[voice.name]), category));
                }
                if !adjudicated || entry.adjudicated == Some(true) {
                    unit.gold.push(category);
                }
            } else {
                counts.n_abstained += 1;
            }
        }
        for (place, categories) in settled {
            self.units[place].gold = categories;
        }
        counts.strays.sort();
        counts.strays.dedup();
        Ok((annotators, counts))
    }

    /// Facts about items complete what labels and verdicts say.
    fn items(&mut self, items: &'a [ItemRow]) {
        let items: HashMap<&str, &ItemFacts> = items.iter().map(|row| (&*row.item, &row.facts)).collect();
        for unit in &mut self.units {
            let Some(facts) = items.get(unit.key.item) else { continue };
            let turned = (*facts).clone().turned();
            let is_turned = turned.variants.is_some() && turned.variants == unit.known.variants;
            unit.known = std::mem::take(&mut unit.known).or(if is_turned { &turned } else { facts });
        }
    }
}
