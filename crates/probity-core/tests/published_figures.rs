//! The library reproduces published figures of pairwise comparisons.

#[allow(dead_code, reason = "the sets about people have a test of their own")]
mod published;
#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use probity_core::compare::{Conflict, Pair, Policies, Unparsed, VerdictRow, comparison};
use probity_core::json::{self, Object};
use probity_core::label::{ItemFacts, ItemRow, PairLabelRow, PairLabels};
use probity_core::stats::Resampling;
use published::{Ask, Product, sets};
use serde_json::Value;
use skipped::skipped;

/// The library, asked directly.
struct Library;

fn rows(text: &str) -> impl Iterator<Item = Object> + '_ {
    text.lines().map(|line| json::parse(line).expect("JSON").as_object().expect("an object").clone())
}

fn pair(row: VerdictRow, labels: &PairLabels, items: &HashMap<String, ItemFacts>) -> Pair {
    let facts = row.facts.or(items.get(&row.item).unwrap_or(&ItemFacts::default()));
    let [a, b] = facts.variants.unwrap_or_else(|| ["a".to_owned(), "b".to_owned()]);
    Pair {
        label: labels.of(&row.item),
        case: Arc::from(facts.case.as_deref().unwrap_or(&row.item)),
        item: Arc::from(row.item),
        slice: facts.slice.map(Arc::from),
        variants: [Arc::from(a), Arc::from(b)],
        verdicts: row.verdicts,
        lengths: facts.lengths,
        difficulty: facts.difficulty,
    }
}

impl Product for Library {
    fn compare(&self, ask: &Ask) -> Value {
        let mut labels = PairLabels::default();
        for row in rows(&ask.labels).map(|row| PairLabelRow::read(&row).expect("a label")) {
            labels.add(&row.item, row.label.expect("nobody abstains"));
        }
        let items = rows(&ask.items).map(|row| ItemRow::read(&row).expect("an item"));
        let items: HashMap<String, ItemFacts> = items.map(|row| (row.item, row.facts)).collect();
        let mut pairs: BTreeMap<Arc<str>, Vec<Pair>> = BTreeMap::new();
        for row in rows(&ask.verdicts).map(|row| VerdictRow::read(&row).expect("a verdict")) {
            let judge = Arc::from(row.judge.as_deref().unwrap_or("(none)"));
            pairs.entry(judge).or_default().push(pair(row, &labels, &items));
        }
        let policies = Policies {
            conflict: match ask.conflict {
                "pool" => Conflict::Pool,
                "drop" => Conflict::Drop,
                _ => Conflict::Tie,
            },
            unparsed: if ask.unparsed == "wrong" { Unparsed::Wrong } else { Unparsed::Drop },
        };
        comparison(&pairs, policies, Resampling { n_resamples: 20, seed: 0 }).to_json()
    }
}

#[test]
fn llmbar() {
    sets::llmbar(&Library);
}

#[test]
fn autoj_pairwise() {
    sets::autoj_pairwise(&Library);
}

#[test]
fn prd_vicuna80() {
    sets::prd_vicuna80(&Library);
}

#[test]
fn alpaca_eval_dev() {
    sets::alpaca_eval_dev(&Library);
}
