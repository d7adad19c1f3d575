//! A difference for machines. Keys are added, not renamed or removed.

use serde_json::{Map, Value, json};

use super::definition::RunDefinition;
use super::difference::Difference;
use super::figures::{LevelChange, PartChange, PassChange};
use super::guardrail::{Burden, Guarded, Kept};
use super::pairing::Pair;
use super::record::{CriterionScale, RunResults};
use super::row::{Row, RowLevel};

impl Difference<'_> {
    /// The difference as JSON.
    pub fn to_json(&self) -> Value {
        let criteria = &self.before.criteria;
        let by_slice: Map<String, Value> =
            self.by_slice.iter().map(|(slice, part)| (slice.clone(), part_json(part, criteria))).collect();
        let definition = self
            .definition
            .iter()
            .map(|change| json!({ "part": change.part, "before": change.before, "after": change.after }));
        let flips: Map<String, Value> = self
            .flips()
            .into_iter()
            .map(|((before, after), n)| (format!("{}_to_{}", before.name(), after.name()), json!(n)))
            .collect();
        let changed = self.pairs.iter().filter(|pair| pair.differs());
        let mut out = json!({
            "before": run_json(self.before),
            "after": run_json(self.after),
            "rubric": {
                "name": self.before.definition.rubric,
                "version": self.before.definition.rubric_version,
                "hash": self.before.definition.rubric_hash,
            },
            "judge_changed": self.judge_changed(),
            "definition": definition.collect::<Vec<_>>(),
            "warnings": self.warnings,
            "paired_by": self.paired_by.name(),
            "coverage": self.coverage(),
            "adjustment": "benjamini_yekutieli",
            "resampling": { "resamples": self.resampling.n_resamples, "seed": self.resampling.seed },
        });
        if let (Value::Object(out), Value::Object(overall)) = (&mut out, part_json(&self.overall, criteria)) {
            out.extend(overall);
        }
        out["by_slice"] = Value::Object(by_slice);
        out["flips"] = Value::Object(flips);
        out["changed"] = changed.map(|pair| pair_json(pair, criteria)).collect();
        out["only_before"] = self.only_before.iter().map(|row| alone_json(row)).collect();
        out["only_after"] = self.only_after.iter().map(|row| alone_json(row)).collect();
        out
    }
}

impl Guarded {
    /// The outcome of a limit as JSON.
    pub fn to_json(&self) -> Value {
        let Guarded { guardrail, before, after, measured, detectable, kept } = self;
        let why = match kept {
            Kept::Absent(why) => Some(why),
            _ => None,
        };
        json!({
            "figure": guardrail.figure.name(),
            "criterion": guardrail.figure.criterion(),
            "slice": guardrail.slice,
            "rule": guardrail.limit.name(),
            "limit": guardrail.limit.value(),
            "strict": guardrail.burden == Burden::ShowKept,
            "before": before,
            "after": after,
            "measured": measured,
            "smallest_shown": detectable,
            "result": kept.name(),
            "absent_because": why,
            "fails": self.fails(),
            "message": self.message(),
        })
    }
}

fn run_json(run: &RunResults) -> Value {
    let RunDefinition { judge_id, judge_kind, judge_model, standing, .. } = &run.definition;
    json!({
        "rows": run.rows.len(),
        "judge": { "id": judge_id, "kind": judge_kind, "model": judge_model, "standing": standing.name() },
    })
}

fn part_json(part: &PartChange, criteria: &[CriterionScale]) -> Value {
    let levels: Map<String, Value> = criteria
        .iter()
        .zip(&part.criteria)
        .map(|(criterion, change)| (criterion.id.clone(), json!(change.as_ref().map(level_json))))
        .collect();
    json!({
        "pairs": part.n_pairs,
        "pass_rate": part.pass.as_ref().map(pass_json),
        "total": part.total.as_ref().map(level_json),
        "criteria": levels,
    })
}

fn pass_json(pass: &PassChange) -> Value {
    json!({
        "before": pass.before,
        "after": pass.after,
        "change": pass.change,
        "gained": pass.pairs.second_only,
        "lost": pass.pairs.first_only,
        "mcnemar": pass.mcnemar.map(|test| json!({ "exact": test.exact, "mid_p": test.mid_p })),
        "adjusted": pass.adjusted,
        "fell": pass.fell,
    })
}

fn level_json(change: &LevelChange) -> Value {
    json!({
        "before": change.before,
        "after": change.after,
        "change": change.change,
        "higher": change.n_higher,
        "lower": change.n_lower,
        "sign_test": change.sign_test,
        "adjusted": change.adjusted,
    })
}

fn pair_json(pair: &Pair<'_>, criteria: &[CriterionScale]) -> Value {
    json!({
        "id": pair.before.id,
        "slice": pair.before.slice,
        "before": row_json(pair.before, criteria),
        "after": row_json(pair.after, criteria),
    })
}

fn row_json(row: &Row, criteria: &[CriterionScale]) -> Value {
    let level = |level: &RowLevel| match level {
        RowLevel::Scored { level, reasoning } => json!({ "score": level, "reasoning": reasoning }),
        RowLevel::Unscored { cause } => json!({ "score": null, "unscored": cause }),
    };
    let levels: Map<String, Value> = criteria
        .iter()
        .zip(&row.levels)
        .map(|(criterion, given)| (criterion.id.clone(), level(given)))
        .collect();
    json!({
        "variant": row.variant,
        "outcome": row.outcome.name(),
        "total": row.total,
        "reasons": row.reasons,
        "criteria": levels,
    })
}

fn alone_json(row: &Row) -> Value {
    json!({ "id": row.id, "variant": row.variant, "slice": row.slice, "outcome": row.outcome.name() })
}
