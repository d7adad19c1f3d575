//! From rows to a sheet: one scale, pairs the same way round, every label once.
//!
//! A fault in a label is an error that names its rows, because a label that is left out in silence changes every
//! figure. Where both files name the variants of their pairs, a pair is turned so that the names are in order
//! before rows are joined; where one of them does not, the other's first candidate is its first as well.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::entry::{LabelEntry, Spoken, VerdictEntry};
use super::scale::Scale;
use super::sheet::{ByJudge, LabelCounts, Look, Sheet, Unit, Verdict};
use crate::compare::{ItemFacts, ItemRow};

/// What a judge is called in rows that name none, and an annotator likewise.
const NO_NAME: &str = "(none)";
/// Nobody reads a reply in less time than this.
const SECONDS_MIN: f64 = 1.0;

/// How rows become a sheet.
#[derive(Debug, Clone, Default)]
pub struct JoinOptions {
    /// The scale, where it was declared.
    pub scale: Option<Scale>,
    /// Labels by people who had seen a verdict.
    pub not_blind: NotBlind,
    /// The judge among the verdicts that is no judge to calibrate but a floor: what any other has to beat.
    pub floor: Option<String>,
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

/// What names a unit: the item, the criterion, and the variants where rows name them.
type Key = (String, Option<String>, Vec<String>);

/// Joins labels, verdicts and facts about items.
pub fn sheet(
    labels: &[LabelEntry],
    verdicts: &[VerdictEntry],
    items: &[ItemRow],
    options: JoinOptions,
) -> Result<Sheet, Faults> {
    let label_facts: Vec<&ItemFacts> = labels.iter().map(|entry| &entry.facts).collect();
    let verdict_facts: Vec<&ItemFacts> = verdicts.iter().map(|entry| &entry.facts).collect();
    let named = named_in(&label_facts, InputFile::Labels)?
        && (verdicts.is_empty() || named_in(&verdict_facts, InputFile::Verdicts)?);
    let scale = scale(labels, verdicts, options.scale)?;
    let names_variant = |facts: &[&ItemFacts]| facts.iter().any(|facts| facts.variant.is_some());
    let variant_named = names_variant(&label_facts) && (verdicts.is_empty() || names_variant(&verdict_facts));
    let (units, places, rows, facts) = Default::default();
    let mut join = Join { named, variant_named, scale, units, places, rows, facts };
    let mut judges = join.verdicts(verdicts)?;
    let floor = options.floor.and_then(|floor| judges.remove(&*floor));
    let (annotators, counts) = join.labels(labels, options.not_blind, !verdicts.is_empty())?;
    let notices = notices(labels, &annotators, &counts);
    join.items(items);
    let mut sheet = join.finish(annotators, counts, notices, judges);
    sheet.floor = floor;
    Ok(sheet)
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

fn scale(labels: &[LabelEntry], verdicts: &[VerdictEntry], declared: Option<Scale>) -> Result<Scale, Faults> {
    let said = |entry: &'_ LabelEntry| entry.label.as_ref().map(|label| side(label, &entry.facts).to_owned());
    let spoken = verdicts.iter().flat_map(|entry| match &entry.spoken {
        Spoken::Once(text) => vec![text.as_deref()],
        Spoken::BothOrders(texts) => texts.iter().map(Option::as_deref).collect(),
    });
    let fault =
        |row: usize, reason: String| Faults { file: InputFile::Labels, rows: vec![(row, None, reason)] };
    let Some((row, first)) = labels.iter().enumerate().find_map(|(row, entry)| Some((row, said(entry)?)))
    else {
        return Err(fault(0, "no label says anything".to_owned()));
    };
    let scale = if let Some(scale) = declared {
        scale
    } else {
        let texts: Vec<String> = labels.iter().filter_map(said).collect();
        let all = texts.iter().map(String::as_str).chain(spoken.flatten());
        Scale::of(&first, all).ok_or_else(|| {
            fault(row, format!("'label' is '{first}', expected a, b or tie, pass or fail, or a number"))
        })?
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
struct Join {
    /// Whether all rows name the variants of their pairs.
    named: bool,
    /// Whether labels and verdicts both name the variant of single replies.
    variant_named: bool,
    scale: Scale,
    units: Vec<Unit>,
    places: HashMap<Key, usize>,
    rows: HashMap<(String, Vec<String>), usize>,
    facts: Vec<(String, ItemFacts)>,
}

impl Join {
    /// Whether a pair stands the other way round than its variants' names do.
    fn turned(&self, facts: &ItemFacts) -> bool {
        self.named && facts.variants.as_ref().is_some_and(|[a, b]| a > b)
    }

    fn key(&self, item: &str, criterion: Option<&String>, facts: &ItemFacts) -> Key {
        let pair = facts.variants.as_ref().filter(|_| self.named).into_iter().flatten();
        let one = facts.variant.as_ref().filter(|_| self.variant_named);
        let mut variants: Vec<String> = pair.chain(one).cloned().collect();
        variants.sort();
        (item.to_owned(), criterion.cloned(), variants)
    }

    /// The place of a unit, which is made where there is none.
    fn unit(&mut self, key: Key, facts: &ItemFacts) -> usize {
        let mut facts = facts.clone();
        if self.turned(&facts) {
            facts.lengths = facts.lengths.map(|[a, b]| [b, a]);
            facts.variants = facts.variants.map(|[a, b]| [b, a]);
        }
        if let Some(place) = self.places.get(&key) {
            let known = &mut self.facts[*place].1;
            *known = std::mem::take(known).or(&facts);
            return *place;
        }
        let place = self.units.len();
        let item: Arc<str> = Arc::from(&*key.0);
        let criterion = key.1.as_deref().map(Arc::from);
        let n_rows = self.rows.len();
        let row = *self.rows.entry((key.0.clone(), key.2.clone())).or_insert(n_rows);
        self.units.push(Unit {
            item: Arc::clone(&item),
            criterion,
            row,
            slice: None,
            cluster: item,
            votes: Vec::new(),
            gold: Vec::new(),
            lengths: None,
        });
        self.facts.push((key.0.clone(), facts));
        self.places.insert(key, place);
        place
    }

    fn verdicts(&mut self, entries: &[VerdictEntry]) -> Result<ByJudge, Faults> {
        let mut judges: ByJudge = ByJudge::new();
        let mut seen: HashMap<(Arc<str>, usize), usize> = HashMap::new();
        for (row, entry) in entries.iter().enumerate() {
            let place =
                self.unit(self.key(&entry.item, entry.criterion.as_ref(), &entry.facts), &entry.facts);
            let judge: Arc<str> = Arc::from(entry.judge.as_deref().unwrap_or(NO_NAME));
            if let Some(first) = seen.insert((Arc::clone(&judge), place), row) {
                let reason = format!("is about item '{}' by judge '{judge}' again", entry.item);
                return Err(Faults { file: InputFile::Verdicts, rows: vec![(row, Some(first), reason)] });
            }
            let look =
                |text: Option<&String>| self.look(text.map(|text| side(text, &entry.facts)), &entry.facts);
            let verdict = match &entry.spoken {
                Spoken::Once(text) => Verdict::Once(look(text.as_ref())),
                Spoken::BothOrders([ab, ba]) => {
                    let looks = [look(ab.as_ref()), look(ba.as_ref())];
                    Verdict::BothOrders(if self.turned(&entry.facts) { [looks[1], looks[0]] } else { looks })
                }
            };
            judges.entry(judge).or_default().push((place, verdict));
        }
        Ok(judges)
    }

    fn look(&self, text: Option<&str>, facts: &ItemFacts) -> Look {
        match text {
            Some("inconsistent") => Look::Inconsistent,
            Some("needs_human_review") => Look::Escalated,
            text => text.and_then(|text| self.scale.place(text)).map_or(Look::Unparsed, |category| {
                Look::At(if self.turned(facts) { self.scale.mirrored(category) } else { category })
            }),
        }
    }

    fn labels(
        &mut self,
        entries: &[LabelEntry],
        not_blind: NotBlind,
        judged: bool,
    ) -> Result<(Vec<Arc<str>>, LabelCounts), Faults> {
        let adjudicated = entries.iter().any(|entry| entry.adjudicated.is_some());
        let last = self.last_rounds(entries, adjudicated)?;
        let mut annotators: Vec<Arc<str>> = Vec::new();
        let mut counts = LabelCounts { n_rows: entries.len() as u64, ..LabelCounts::default() };
        for (row, entry) in entries.iter().enumerate() {
            let key = self.key(&entry.item, entry.criterion.as_ref(), &entry.facts);
            if judged && !self.places.contains_key(&key) {
                counts.n_strays += 1;
                counts.strays.push(entry.item.clone());
            } else if entry.blind == Some(false) && not_blind == NotBlind::Drop {
                counts.n_not_blind += 1;
            } else if last[row] != row {
                counts.n_superseded += 1;
            } else if let Some(label) = &entry.label {
                let category = self.scale.place(side(label, &entry.facts)).expect("labels were checked");
                let turned = self.turned(&entry.facts);
                let category = if turned { self.scale.mirrored(category) } else { category };
                let name = entry.annotator.as_deref().unwrap_or(NO_NAME);
                let place = self.unit(key, &entry.facts);
                if entry.adjudicated == Some(true) {
                    counts.n_adjudicated += 1;
                } else {
                    counts.n_votes += 1;
                    let annotator = annotators.iter().position(|known| **known == *name);
                    let annotator = annotator.unwrap_or_else(|| {
                        annotators.push(Arc::from(name));
                        annotators.len() - 1
                    });
                    self.units[place].votes.push((annotator, category));
                }
                if !adjudicated || entry.adjudicated == Some(true) {
                    self.units[place].gold.push(category);
                }
            } else {
                counts.n_abstained += 1;
            }
        }
        counts.strays.sort();
        counts.strays.dedup();
        Ok((annotators, counts))
    }

    /// For each row, the row of the last round in which the same person said something about the same.
    fn last_rounds(&self, entries: &[LabelEntry], adjudicated: bool) -> Result<Vec<usize>, Faults> {
        let mut seen: HashMap<(Key, Option<&String>, bool), BTreeMap<u64, usize>> = HashMap::new();
        let mut rows = Vec::new();
        let keys: Vec<_> = entries
            .iter()
            .map(|entry| {
                let key = self.key(&entry.item, entry.criterion.as_ref(), &entry.facts);
                (key, entry.annotator.as_ref(), entry.adjudicated == Some(true))
            })
            .collect();
        for (row, (entry, key)) in entries.iter().zip(&keys).enumerate() {
            if adjudicated && entry.adjudicated.is_none() {
                let reason = "expected 'adjudicated' in every row, as other rows have it".to_owned();
                rows.push((row, None, reason));
            }
            if let Some(first) = seen.entry(key.clone()).or_default().insert(entry.round, row) {
                let by = entry.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
                let reason = format!("is about item '{}'{by} in round {} again", entry.item, entry.round);
                rows.push((row, Some(first), reason));
            }
        }
        if !rows.is_empty() {
            return Err(Faults { file: InputFile::Labels, rows });
        }
        let last = |key| *seen[key].values().next_back().expect("the row itself was seen");
        Ok(keys.iter().map(last).collect())
    }

    /// Facts about items complete what labels and verdicts say.
    fn items(&mut self, items: &[ItemRow]) {
        let items: HashMap<&str, &ItemFacts> = items.iter().map(|row| (&*row.item, &row.facts)).collect();
        for (item, known) in &mut self.facts {
            let Some(facts) = items.get(&**item) else { continue };
            let mut facts = (*facts).clone();
            if let (Some([a, b]), Some([known_a, known_b])) = (&facts.variants, &known.variants)
                && (a, b) == (known_b, known_a)
            {
                facts.lengths = facts.lengths.map(|[a, b]| [b, a]);
            }
            *known = std::mem::take(known).or(&facts);
        }
    }

    fn finish(
        mut self,
        annotators: Vec<Arc<str>>,
        counts: LabelCounts,
        notices: Vec<String>,
        judges: ByJudge,
    ) -> Sheet {
        for (unit, (_, facts)) in self.units.iter_mut().zip(&self.facts) {
            unit.slice = facts.slice.as_deref().map(Arc::from);
            unit.lengths = facts.lengths;
            if let Some(case) = &facts.case {
                unit.cluster = Arc::from(&**case);
            }
        }
        Sheet { scale: self.scale, annotators, units: self.units, judges, floor: None, counts, notices }
    }
}

fn notices(labels: &[LabelEntry], annotators: &[Arc<str>], counts: &LabelCounts) -> Vec<String> {
    let mut notices = Vec::new();
    for (place, name) in annotators.iter().enumerate() {
        let alike = annotators[..place].iter().find(|other| other.to_lowercase() == name.to_lowercase());
        if let Some(other) = alike {
            notices.push(format!("annotators '{other}' and '{name}' differ in case only and count as two"));
        }
    }
    let fast = labels.iter().filter(|entry| entry.seconds.is_some_and(|seconds| seconds < SECONDS_MIN));
    let n_fast = fast.count();
    if n_fast > 0 {
        notices.push(format!("{n_fast} labels took less than {SECONDS_MIN} s each; they count"));
    }
    if let Some(first) = counts.strays.first() {
        notices.push(format!(
            "{} labels are about {} items without a verdict, such as '{first}', and do not count",
            counts.n_strays,
            counts.strays.len()
        ));
    }
    if counts.n_not_blind > 0 {
        notices.push(format!(
            "{} labels were given with the verdict in sight and do not count",
            counts.n_not_blind
        ));
    }
    notices
}
