//! How far people agree on a queue, the judge with them, and what a contract still asks for.

use std::collections::HashMap;

use probity_core::calibrate::Counting;
use probity_core::case::Moment;
use probity_core::label::{ItemFacts, LabelEntry, Named, Spoken, VerdictEntry, unbound};
use probity_core::promote::Contract;
use probity_core::review::{Agreement, Hidden, LabelForm, ProgressLine, QueueVotes, agreement, progress};
use serde::Serialize;

use super::queue::{QueueId, QueueSpec, spec};
use super::{ReviewRoom, document};
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{StoreError, StoredLabel};

/// What the labels of a queue's items come to so far, those that were imported included.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct QueueFigures {
    /// How far people agree, and the judge with them; `None` where nothing has been said yet.
    pub agreement: Option<Agreement>,
    /// What the contract asks of labels; empty without one, or without a label.
    pub progress: Vec<ProgressLine>,
    /// Why there are no figures, where labels contradict each other in form.
    pub problem: Option<String>,
}

impl ReviewRoom {
    /// The figures of a queue. They take as long as a calibration does.
    pub fn figures(
        &self,
        queue: QueueId,
        contract: Option<&Contract>,
        counting: Counting,
        now: i64,
    ) -> Result<QueueFigures, StoreError> {
        let (spec, items, labels) = self.read(|reader| {
            let (spec, items) = reader.ask(|db| Ok((spec(db, queue)?, hidden_halves(db, queue)?)))?;
            Ok((spec, items, reader.labels()?))
        })?;
        let Some(spec) = spec else { return Ok(QueueFigures::default()) };
        let about = QueueLabels::of(&spec, &items);
        let labels = about.labels(labels);
        let verdicts: Vec<VerdictEntry> = items.iter().flat_map(verdicts).collect();
        let frame = spec.frame.as_ref();
        let votes = QueueVotes { asked: &spec.asked, labels: &labels, verdicts: &verdicts, frame, counting };
        let calibration = match votes.calibrated() {
            Ok(Some(calibration)) => calibration,
            Ok(None) => return Ok(QueueFigures::default()),
            Err(problem) => return Ok(QueueFigures { problem: Some(problem), ..QueueFigures::default() }),
        };
        let judge = calibration.judges.keys().next().map(ToString::to_string).unwrap_or_default();
        let now = Moment::from_seconds(now);
        let lines = contract.zip(now).map(|(contract, now)| progress(contract, &calibration, &judge, now));
        Ok(QueueFigures {
            agreement: Some(agreement(votes, &calibration)),
            progress: lines.unwrap_or_default(),
            problem: None,
        })
    }
}

/// The hidden halves of a queue's items, in their order.
pub(super) fn hidden_halves(db: &Db, queue: QueueId) -> Result<Vec<Hidden>, DbError> {
    const SQL: &str = "SELECT hidden FROM item WHERE queue = ?1 ORDER BY n";
    db.rows(SQL, &vals![queue.0], |row| document(row, 0, "hidden half of an item"))
}

/// What the labels of a queue are about.
pub(super) struct QueueLabels<'a> {
    spec: &'a QueueSpec,
    items: HashMap<&'a str, Vec<&'a Hidden>>,
}

impl<'a> QueueLabels<'a> {
    pub(super) fn of(spec: &'a QueueSpec, items: &'a [Hidden]) -> QueueLabels<'a> {
        let mut by_case: HashMap<&str, Vec<&Hidden>> = HashMap::new();
        for item in items {
            by_case.entry(&item.case).or_default().push(item);
        }
        QueueLabels { spec, items: by_case }
    }

    /// The labels that are about exactly what the queue shows, with everything named.
    pub(super) fn labels(&self, stored: Vec<StoredLabel>) -> Vec<LabelEntry> {
        let named: Vec<(LabelEntry, Vec<String>)> =
            stored.into_iter().filter_map(|stored| self.label(stored.label)).collect();
        let claims: Vec<Named<'_>> = named.iter().map(|(label, packets)| Named { label, packets }).collect();
        let unbound = unbound(&claims);
        let bound = named.into_iter().zip(unbound).filter(|(_, why)| why.is_none());
        // What they are about has been found, so the packet of a pair's other order tells nothing apart.
        bound.map(|((label, _), _)| LabelEntry { packet: None, ..label }).collect()
    }

    /// The label with everything named and the packets of the item that it names, if that is in the queue.
    fn label(&self, label: LabelEntry) -> Option<(LabelEntry, Vec<String>)> {
        let asked = &self.spec.asked;
        if label.rubric.as_ref().is_some_and(|rubric| *rubric != asked.rubric) {
            return None;
        }
        let is_of_form = match asked.form {
            LabelForm::Pair => label.criterion.is_none(),
            LabelForm::Levels => {
                asked.criteria.iter().any(|criterion| Some(&criterion.id) == label.criterion.as_ref())
            }
        };
        let items = self.items.get(&*label.item).filter(|_| is_of_form)?;
        let is_named = label.facts.variant.is_some() || label.facts.variants.is_some();
        let item = match items[..] {
            [only] if !is_named => only,
            _ => items.iter().find(|item| QueueLabels::is_of(&label.facts, item))?,
        };
        let facts = label.facts.clone().or(&item.facts());
        let packets = item.packets.iter().map(|each| each.packet.clone()).collect();
        Some((LabelEntry { facts, ..label }, packets))
    }

    /// Whether variants name the reply or the pair of an item.
    pub(super) fn is_of(facts: &ItemFacts, item: &Hidden) -> bool {
        match (&facts.variant, &facts.variants, &item.variants[..]) {
            (one, None, [other]) => one == other,
            (None, Some([a, b]), [Some(first), Some(second)]) => {
                (a == first && b == second) || (a == second && b == first)
            }
            _ => false,
        }
    }
}

/// What the judge said about an item, as rows have it.
pub(super) fn verdicts(item: &Hidden) -> Vec<VerdictEntry> {
    let Some(judge) = &item.judge else { return Vec::new() };
    let entry = |criterion: Option<String>, spoken: Spoken| VerdictEntry {
        item: item.case.clone(),
        criterion,
        judge: Some(format!("{} {}", judge.kind, judge.model).trim_end().to_owned()),
        spoken,
        confidence: [None; 2],
        facts: item.facts(),
    };
    if let [_, _] = &item.variants[..] {
        let pass = |order: &str| {
            let found = item.verdicts.iter().find(|each| each.order.as_deref() == Some(order));
            found.and_then(|each| each.said.clone())
        };
        return vec![entry(None, Spoken::BothOrders([pass("ab"), pass("ba")]))];
    }
    let level = |each: &probity_core::review::HiddenVerdict| {
        entry(each.criterion.clone(), Spoken::Once(each.said.clone()))
    };
    item.verdicts.iter().map(level).collect()
}
