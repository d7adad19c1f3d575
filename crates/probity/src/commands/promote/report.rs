//! What a decision retains, section by section: enough to see later what it rested on, and not a copy of everything.

use std::collections::BTreeMap;

use probity_core::compare::{Contest, Fate};
use probity_core::gate::{Admitted, SourceRef};
use probity_core::label::{Spoken, VerdictEntry};
use probity_core::probe::{ProbeLine, ProbeRecord};
use probity_core::results::{GateStatus, ResultRow};
use probity_core::rubric::{Criterion, Decider, Judged, Rubric};
use serde_json::{Map, Value, json};

use crate::plain::excerpt;

/// So many runs are retained of each kind.
const RUNS_MAX: usize = 5;
/// So much of a reason is retained, in characters.
const SNIPPET_CHARS_MAX: usize = 200;

/// The rubric: criteria, anchors, and what a verdict may say.
pub(super) fn rubric_json(rubric: &Rubric) -> Value {
    let criterion = |criterion: &Criterion| {
        let anchors = criterion.anchors.iter().map(|anchor| (anchor.level.to_string(), json!(anchor.text)));
        let verdicts = match (criterion.decider, criterion.judged) {
            (Decider::Judge, Judged::Pairwise) => json!(["a", "b", "tie", "needs_human_review"]),
            _ => json!(criterion.scale.levels()),
        };
        json!({
            "id": criterion.id.as_str(),
            "question": criterion.question,
            "decided_by": criterion.decider.name(),
            "anchors": anchors.collect::<Map<_, _>>(),
            "tie": criterion.tie,
            "allowed_verdicts": verdicts,
        })
    };
    json!({
        "name": rubric.name(),
        "version": rubric.version(),
        "hash": rubric.hash(),
        "criteria": rubric.criteria().iter().map(criterion).collect::<Vec<_>>(),
    })
}

/// The probing, by family.
pub(super) fn probes_json(probes: &Result<ProbeRecord, String>) -> Value {
    let record = match probes {
        Ok(record) => record,
        Err(reason) => return json!({ "reason": reason }),
    };
    let line = |line: &ProbeLine| json!({ "name": line.name, "result": line.outcome.name(), "message": line.message });
    let mut families: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for probe in &record.lines {
        families.entry(&probe.family).or_default().push(line(probe));
    }
    json!({ "battery": record.battery, "by_family": families })
}

/// The first rows of a file of verdicts.
pub(super) fn spoken_json(verdicts: &[VerdictEntry], judge: &str) -> Value {
    let by_judge = |entry: &&VerdictEntry| entry.judge.as_deref().unwrap_or("(none)") == judge;
    let row = |entry: &VerdictEntry| {
        let orders = match &entry.spoken {
            Spoken::Once(said) => json!([said]),
            Spoken::BothOrders(said) => json!(said),
        };
        json!({ "item": entry.item, "criterion": entry.criterion, "orders": orders })
    };
    verdicts.iter().filter(by_judge).take(RUNS_MAX).map(row).collect()
}

/// What is retained of labelled replies, one at a time.
#[derive(Default)]
pub(super) struct Retained {
    sources: BTreeMap<SourceRef, u64>,
    blocked: Vec<Value>,
    runs: BTreeMap<String, Vec<Value>>,
    pairs: Vec<Value>,
}

impl Retained {
    /// The policy sources that an admitted reply rests on, where they were checked and none was refused.
    pub(super) fn sources(&mut self, admitted: &Admitted) {
        if !admitted.checks_passed().contains(&"evidence") {
            return;
        }
        for source in &admitted.entry().case.evidence.sources {
            let name = SourceRef { id: source.id.clone(), version: source.version.clone() };
            *self.sources.entry(name).or_default() += 1;
        }
    }

    /// A reply: what blocks it, or what the judge said about it.
    pub(super) fn reply(&mut self, row: &ResultRow, rubric: &Rubric) {
        if row.gate.status == GateStatus::Blocked {
            let findings = &row.gate.findings;
            self.blocked.push(json!({ "id": row.id, "variant": row.variant, "findings": findings }));
        }
        for (criterion, (id, result)) in rubric.criteria().iter().zip(row.asked()) {
            let Some(level) = result.score else { continue };
            let runs = self.runs.entry(id.to_owned()).or_default();
            if runs.len() < RUNS_MAX && criterion.decider == Decider::Judge {
                let reasoning = result.reasoning.as_deref().unwrap_or_default();
                let reasoning = excerpt(reasoning, SNIPPET_CHARS_MAX);
                runs.push(json!({ "id": row.id, "level": level, "reasoning": reasoning }));
            }
        }
    }

    /// A pair that was judged in both orders.
    pub(super) fn pair(&mut self, contest: &Contest) {
        if self.pairs.len() >= RUNS_MAX || !matches!(contest.fate, Fate::Judged(_)) {
            return;
        }
        let mut row = contest.to_json();
        for order in row["orders"].as_array_mut().into_iter().flatten() {
            for text in order["evidence"].as_array_mut().into_iter().flatten() {
                let short = text.as_str().map(|text| excerpt(text, SNIPPET_CHARS_MAX));
                *text = json!(short);
            }
        }
        self.pairs.push(row);
    }

    /// Both slot orders, or each criterion, with the judge's reasons.
    pub(super) fn runs_json(&self) -> Value {
        json!({ "by_criterion": self.runs, "pairs": self.pairs })
    }

    /// Sources with their versions, and what was found in blocked replies.
    pub(super) fn gates_json(&self) -> Value {
        let sources = self.sources.iter();
        let sources =
            sources.map(|(source, n)| json!({ "id": source.id, "version": source.version, "replies": n }));
        json!({ "sources": sources.collect::<Vec<_>>(), "blocked_replies": self.blocked })
    }
}
