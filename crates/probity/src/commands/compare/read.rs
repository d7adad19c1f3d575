//! Recorded verdicts, labels and items from files, joined by item.
//!
//! One row per judge, item and variants; one label per item and person; one row of facts per item. A second row
//! for the same is an error that shows both places, since it cannot be told which one was meant. Only a label that
//! repeats another word for word counts once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use probity_core::compare::{Pair, Pass, VerdictRow, Verdicts};
use probity_core::label::{ItemFacts, ItemRow, LabelEntry, PairLabelRow, PairLabels, repeated};
use probity_engine::input::{Place, Skipped};
use probity_engine::run::foreign::ForeignReplies;

use super::super::rows::{Files, NO_JUDGE, row_options};
use crate::args::CompareArgs;
use crate::exit::Failure;

/// So many different unparsed verdicts are worth a mention.
const UNPARSED_SHOWN_MAX: usize = 5;

/// Everything that was read.
pub(super) struct RecordedVerdicts {
    /// The pairs of each judge.
    pub(super) pairs: BTreeMap<Arc<str>, Vec<Pair>>,
    /// Rows that cannot be used, of all files.
    pub(super) skipped: Vec<Skipped>,
    /// Votes and labelled items, where a file of labels was named.
    pub(super) labels: Option<PairLabels>,
}

/// What was said about `replies`, or in the files that `args` name; what is worth a line goes to `note`.
pub(super) fn recorded(
    args: &CompareArgs,
    replies: Option<&ForeignReplies>,
    note: &dyn Fn(&str),
) -> Result<RecordedVerdicts, Failure> {
    let options =
        row_options(args.ask.reading.records.strict, args.ask.reading.records.delimiter.as_deref())?;
    let mut files = Files::new(options, note);
    let verdicts = match (replies, &args.verdicts) {
        (Some(replies), _) => replies.pairs(),
        (None, Some(path)) => files.rows(path, VerdictRow::FIELDS, VerdictRow::read)?,
        (None, None) => Vec::new(),
    };
    if verdicts.is_empty() {
        return Err(Failure::usage("no case has two variants with a score of the same judge")
            .hint("--judge NAME asks a judge of your own about the replies"));
    }
    let labels = args.labels.as_deref().map(|path| labels(&mut files, path)).transpose()?;
    let items = args.items.as_deref().map(|path| items(&mut files, path)).transpose()?.unwrap_or_default();
    let skipped = files.skipped;
    tell_unparsed(&verdicts, note);
    let pairs = join(verdicts, labels.as_ref(), &items)?;
    if let Some(labels) = &labels {
        tell_strays(&pairs, labels, note);
    }
    Ok(RecordedVerdicts { pairs, skipped, labels })
}

/// Remembers what was seen where, and refuses to see it again.
struct Seen<K>(HashMap<K, Place>);

impl<K: std::hash::Hash + Eq> Seen<K> {
    fn new() -> Self {
        Seen(HashMap::new())
    }

    fn once(&mut self, key: K, place: &Place, what: impl Fn() -> String) -> Result<(), Failure> {
        match self.0.insert(key, place.clone()) {
            None => Ok(()),
            Some(first) => Err(Failure::usage(format!(
                "{}:{}: record {} is about {}, as record {} at line {} is",
                place.file,
                place.line,
                place.index,
                what(),
                first.index,
                first.line
            ))
            .hint("remove one of them; which one was meant cannot be told")),
        }
    }
}

fn labels(files: &mut Files, path: &Path) -> Result<PairLabels, Failure> {
    let mut labels = PairLabels::default();
    let mut seen = Seen::new();
    let mut rows: HashSet<PairLabelRow> = HashSet::new();
    for (place, row) in files.rows(path, LabelEntry::FIELDS, PairLabelRow::read)? {
        if !rows.insert(row.clone()) {
            labels.n_repeated += 1;
            continue;
        }
        let by = row.annotator.as_ref().map(|name| format!(" by '{name}'")).unwrap_or_default();
        let key = (row.item.clone(), row.annotator.clone());
        seen.once(key, &place, || format!("item '{}'{by}", row.item))?;
        if let Some(label) = row.label {
            labels.add(&row.item, label);
        }
    }
    if labels.n_repeated > 0 {
        files.note(&repeated(labels.n_repeated));
    }
    Ok(labels)
}

fn items(files: &mut Files, path: &Path) -> Result<HashMap<String, ItemFacts>, Failure> {
    let mut items = HashMap::new();
    let mut seen = Seen::new();
    for (place, row) in files.rows(path, ItemRow::FIELDS, ItemRow::read)? {
        seen.once(row.item.clone(), &place, || format!("item '{}'", row.item))?;
        items.insert(row.item, row.facts);
    }
    Ok(items)
}

fn join(
    verdicts: Vec<(Place, VerdictRow)>,
    labels: Option<&PairLabels>,
    items: &HashMap<String, ItemFacts>,
) -> Result<BTreeMap<Arc<str>, Vec<Pair>>, Failure> {
    let mut names = Names::default();
    let mut seen = Seen::new();
    let mut pairs: BTreeMap<Arc<str>, Vec<Pair>> = BTreeMap::new();
    for (place, row) in verdicts {
        let facts = match items.get(&row.item) {
            Some(facts) => row.facts.or(facts),
            None => row.facts,
        };
        let judge = names.get(row.judge.as_deref().unwrap_or(NO_JUDGE));
        let [a, b] = facts.variants.unwrap_or_else(|| ["a".to_owned(), "b".to_owned()]);
        let pair = Pair {
            case: names.get(facts.case.as_deref().unwrap_or(&row.item)),
            item: names.get(&row.item),
            slice: facts.slice.as_deref().map(|slice| names.get(slice)),
            variants: [names.get(&a), names.get(&b)],
            verdicts: row.verdicts,
            lengths: facts.lengths,
            difficulty: facts.difficulty,
            label: labels.and_then(|labels| labels.of(&row.item)),
        };
        let key = (Arc::clone(&judge), Arc::clone(&pair.item), pair.variants.clone());
        seen.once(key, &place, || {
            let [a, b] = &pair.variants;
            format!("item '{}' by judge '{judge}' with variants '{a}' and '{b}'", pair.item)
        })?;
        pairs.entry(judge).or_default().push(pair);
    }
    Ok(pairs)
}

/// Names that many rows share are kept once.
#[derive(Default)]
struct Names(HashSet<Arc<str>>);

impl Names {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(name);
        self.0.insert(Arc::clone(&name));
        name
    }
}

/// Says which verdicts are none, because a file that writes them its own way would look like a mute judge.
fn tell_unparsed(verdicts: &[(Place, VerdictRow)], note: &dyn Fn(&str)) {
    let mut texts: BTreeMap<&str, (usize, &Place)> = BTreeMap::new();
    for (place, row) in verdicts {
        let Verdicts::BothOrders { ab, ba } = &row.verdicts else { continue };
        for pass in [ab, ba] {
            if let Pass::Unscored(unscored) = pass
                && !unscored.detail.is_empty()
            {
                texts.entry(&unscored.detail).or_insert((0, place)).0 += 1;
            }
        }
    }
    let n_texts = texts.len();
    for (text, (n, place)) in texts.into_iter().take(UNPARSED_SHOWN_MAX) {
        let text: String = text.chars().take(40).collect();
        note(&format!(
            "{}: '{text}' is none of a, b, tie and needs_human_review, which leaves {n} unparsed, first at line {}",
            place.file, place.line
        ));
    }
    if n_texts > UNPARSED_SHOWN_MAX {
        note(&format!("and {} more texts that are no verdict", n_texts - UNPARSED_SHOWN_MAX));
    }
}

/// Says how many labels and pairs found no partner.
fn tell_strays(pairs: &BTreeMap<Arc<str>, Vec<Pair>>, labels: &PairLabels, note: &dyn Fn(&str)) {
    let judged: HashSet<&str> = pairs.values().flatten().map(|pair| &*pair.item).collect();
    let strays: Vec<&str> = labels.items().filter(|item| !judged.contains(item)).collect();
    if let Some(first) = strays.first() {
        note(&format!("labelled items without a verdict: {}, such as '{first}'", strays.len()));
    }
    let unlabelled = judged.iter().filter(|item| labels.of(item).is_none()).min();
    if let Some(first) = unlabelled {
        let n = judged.iter().filter(|item| labels.of(item).is_none()).count();
        note(&format!("items with a verdict and without a label: {n}, such as '{first}'"));
    }
}
