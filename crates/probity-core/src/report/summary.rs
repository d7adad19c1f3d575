//! Counts and figures over a run. They add up, and that is asserted.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::confidence::ConfidenceSum;
use super::gate_tally::GateTally;
use super::row::{Outcome, ReplyResult};
use crate::exact::Exact;
use crate::promote::Standing;
use crate::rubric::{CriterionId, Direction, Metric, Rubric, Target};
use crate::score::{CriterionOutcome, Failure};
use crate::stats::{Estimate, proportion};

/// How many of the worst replies are kept.
const WORST_MAX: usize = 5;

/// The name shown for cases without a slice.
const NO_SLICE: &str = "(none)";

/// Levels of one criterion over a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CriterionSummary {
    /// Which criterion.
    pub criterion: CriterionId,
    /// How often each level of the scale was given, every level listed.
    pub levels: BTreeMap<i64, u64>,
    /// Replies without a level.
    pub n_unscored: u64,
}

impl CriterionSummary {
    /// Replies with a level.
    pub fn n_scored(&self) -> u64 {
        self.levels.values().sum()
    }

    /// The mean level; `None` when nothing was scored.
    pub fn mean(&self) -> Option<Exact> {
        let sum: i128 = self.levels.iter().map(|(level, n)| i128::from(*level) * i128::from(*n)).sum();
        Exact::ratio(sum, i128::from(self.n_scored()))
    }
}

/// How many criteria went unscored for one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnscoredCount {
    /// The cause by name.
    pub cause: String,
    /// How many packets' criteria.
    pub n: u64,
    /// What happened, from the first of them.
    pub example: String,
}

/// One of the worst replies.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstReply {
    /// How good it is, 0 to 1.
    pub quality: Exact,
    /// Its result.
    pub result: ReplyResult,
}

/// A target and what the run reached.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetResult {
    /// The target as the rubric has it.
    pub target: Target,
    /// What was reached; `None` when nothing was measured.
    pub value: Option<Exact>,
    /// What the upper end of the target means.
    pub ceiling: Ceiling,
}

/// What the upper end of a target means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    /// A higher value misses the target.
    Limit,
    /// The usual range ends there; a higher value is no failure.
    Usual,
}

impl TargetResult {
    /// Whether the target is met. A figure that was not measured meets nothing.
    pub fn is_met(&self) -> bool {
        let above = |value: Exact| self.target.min.is_none_or(|min| value >= min);
        let capped = self.ceiling == Ceiling::Limit;
        let below = |value: Exact| !capped || self.target.max.is_none_or(|max| value <= max);
        self.value.is_some_and(|value| above(value) && below(value))
    }
}

/// Who judged, as far as a summary needs it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JudgeFacts {
    /// The judge's identity, hexadecimal.
    pub id: String,
    /// Its kind, such as `openai` or `baseline`.
    pub kind: String,
    /// The model asked for; empty where there is none.
    pub model: String,
    /// What it has earned.
    pub standing: Standing,
    /// The models that answered, with how many answers each gave.
    pub answered_as: Vec<(String, u64)>,
    /// The fingerprints seen, with how many answers each gave.
    pub fingerprints: Vec<(String, u64)>,
}

/// What the store knows about a run beyond its verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The judge.
    pub judge: JudgeFacts,
    /// Packets whose content equals another one's: they share its verdict, which was paid for once.
    pub packets_repeated: u64,
    /// Calls recorded for this run.
    pub calls: u64,
    /// Calls that were in flight when a process died: possibly billed, not recorded.
    pub calls_lost: u64,
    /// Prompt tokens billed.
    pub tokens_input: u64,
    /// Answer tokens billed.
    pub tokens_output: u64,
    /// Calls whose tokens the server did not tell.
    pub calls_without_usage: u64,
    /// Calls that may have been billed and whose cost nobody knows. They are not in the sum.
    pub calls_without_cost: u64,
    /// Dollars over the calls whose cost is known; `None` when no price is known for the model.
    pub cost_usd: Option<Exact>,
    /// What a reader should know about the judge's answers as a whole.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    entered: u64,
    blocked: u64,
    passed: u64,
    failed: u64,
    scored: u64,
    unscored: u64,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.entered += 1;
        *match outcome {
            Outcome::Blocked => &mut self.blocked,
            Outcome::Pass => &mut self.passed,
            Outcome::Fail(_) => &mut self.failed,
            Outcome::Scored => &mut self.scored,
            Outcome::Unscored => &mut self.unscored,
        } += 1;
    }

    /// Share that passes. Blocked replies count as failed; unscored ones do not count.
    fn pass_rate(&self) -> Option<Estimate> {
        proportion(self.passed, self.passed + self.failed + self.blocked)
    }

    fn assert_adds_up(&self) {
        let parts = self.blocked + self.passed + self.failed + self.scored + self.unscored;
        assert_eq!(self.entered, parts, "every reply has exactly one outcome");
    }

    fn to_json(&self, rubric: &Rubric) -> Map<String, Value> {
        let mut object = Map::new();
        for (name, n) in [
            ("entered", self.entered),
            ("blocked", self.blocked),
            ("passed", self.passed),
            ("failed", self.failed),
            ("scored", self.scored),
            ("unscored", self.unscored),
        ] {
            object.insert(name.into(), json!(n));
        }
        let rate = rubric.pass().and_then(|_| self.pass_rate());
        object.insert("pass_rate".into(), json!(rate));
        object
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Part {
    counts: Counts,
    criteria: Vec<CriterionSummary>,
}

impl Part {
    fn new(rubric: &Rubric) -> Self {
        let criteria = rubric.criteria().iter().map(|criterion| CriterionSummary {
            criterion: criterion.id.clone(),
            levels: criterion.scale.levels().iter().map(|level| (*level, 0)).collect(),
            n_unscored: 0,
        });
        Part { counts: Counts::default(), criteria: criteria.collect() }
    }

    fn add(&mut self, result: &ReplyResult) {
        self.counts.add(&result.outcome);
        for (summary, (id, outcome)) in self.criteria.iter_mut().zip(&result.criteria) {
            assert_eq!(summary.criterion, *id, "results list criteria in the rubric's order");
            match outcome {
                CriterionOutcome::Scored(scored) => *summary.levels.entry(scored.level).or_insert(0) += 1,
                CriterionOutcome::Unscored(_) => summary.n_unscored += 1,
            }
        }
    }

    fn to_json(&self, rubric: &Rubric) -> Map<String, Value> {
        let mut object = self.counts.to_json(rubric);
        let criteria: Map<String, Value> = self
            .criteria
            .iter()
            .map(|summary| {
                let levels: Map<String, Value> =
                    summary.levels.iter().map(|(level, n)| (level.to_string(), json!(n))).collect();
                let value = json!({
                    "mean": summary.mean(),
                    "n": summary.n_scored(),
                    "levels": levels,
                    "unscored": summary.n_unscored,
                });
                (summary.criterion.to_string(), value)
            })
            .collect();
        object.insert("criteria".into(), Value::Object(criteria));
        object
    }
}

/// Takes results one at a time, in the order of the input.
#[derive(Debug, Clone)]
pub struct SummaryBuilder<'a> {
    rubric: &'a Rubric,
    all: Part,
    slices: BTreeMap<String, Part>,
    causes: BTreeMap<String, UnscoredCount>,
    worst: Vec<WorstReply>,
    automatic_fails: u64,
    confidence: ConfidenceSum,
    gate: GateTally,
    skipped: u64,
}

impl<'a> SummaryBuilder<'a> {
    /// An empty summary for results under `rubric`.
    pub fn new(rubric: &'a Rubric) -> Self {
        SummaryBuilder {
            rubric,
            all: Part::new(rubric),
            slices: BTreeMap::new(),
            causes: BTreeMap::new(),
            worst: Vec::new(),
            automatic_fails: 0,
            confidence: ConfidenceSum::default(),
            gate: GateTally::default(),
            skipped: 0,
        }
    }

    /// Counts a record that was not usable.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Counts one result.
    pub fn add(&mut self, result: &ReplyResult) {
        self.all.add(result);
        let slice = result.slice.clone().unwrap_or_else(|| NO_SLICE.to_owned());
        self.slices.entry(slice).or_insert_with(|| Part::new(self.rubric)).add(result);
        self.count_causes(result);
        if let Outcome::Fail(failures) = &result.outcome
            && failures.iter().any(|failure| matches!(failure, Failure::Automatic(_)))
        {
            self.automatic_fails += 1;
        }
        if let Some(confidence) = result.confidence {
            self.confidence.add(confidence);
        }
        self.gate.add(result);
        self.keep_if_worst(result);
    }

    fn count_causes(&mut self, result: &ReplyResult) {
        for (_, outcome) in &result.criteria {
            if let CriterionOutcome::Unscored(unscored) = outcome {
                let count = self.causes.entry(unscored.cause.clone()).or_insert_with(|| UnscoredCount {
                    cause: unscored.cause.clone(),
                    n: 0,
                    example: unscored.detail.clone(),
                });
                count.n += 1;
            }
        }
    }

    /// Keeps the worst few; of equals, the ones that came first.
    fn keep_if_worst(&mut self, result: &ReplyResult) {
        let Some(quality) = result.quality(self.rubric) else { return };
        if quality >= Exact::from(1) {
            return;
        }
        let place = self.worst.partition_point(|kept| kept.quality <= quality);
        if place < WORST_MAX {
            self.worst.insert(place, WorstReply { quality, result: result.clone() });
            self.worst.truncate(WORST_MAX);
        }
    }

    /// The finished summary, with what the store knows.
    pub fn finish(self, facts: Facts) -> Summary {
        self.all.counts.assert_adds_up();
        let targets = self.rubric.targets().iter().map(|target| TargetResult {
            target: target.clone(),
            value: self.value_of(&target.metric),
            ceiling: self.ceiling_of(target),
        });
        Summary {
            targets: targets.collect(),
            rubric: self.rubric.clone(),
            all: self.all,
            slices: self.slices,
            causes: self.causes.into_values().collect(),
            worst: self.worst,
            gate: self.gate,
            skipped: self.skipped,
            facts,
        }
    }

    /// A range of a figure of which more is better says what is usual; everything else is a limit.
    fn ceiling_of(&self, target: &Target) -> Ceiling {
        let more_is_better = match &target.metric {
            Metric::PassRate | Metric::MeanConfidence => true,
            Metric::AutomaticFailRate => false,
            Metric::Mean(id) => {
                let scale = self.rubric.criterion(id).map(|criterion| criterion.scale.direction());
                scale == Some(Direction::HigherIsBetter)
            }
        };
        if more_is_better && target.min.is_some() { Ceiling::Usual } else { Ceiling::Limit }
    }

    fn value_of(&self, metric: &Metric) -> Option<Exact> {
        let counts = &self.all.counts;
        let rate = |n: u64, of: u64| Exact::ratio(i128::from(n), i128::from(of));
        match metric {
            Metric::PassRate => rate(counts.passed, counts.passed + counts.failed + counts.blocked),
            Metric::AutomaticFailRate => {
                let failed = self.automatic_fails + counts.blocked;
                rate(failed, counts.passed + counts.failed + counts.blocked)
            }
            Metric::Mean(id) => self.all.criteria.iter().find(|summary| summary.criterion == *id)?.mean(),
            Metric::MeanConfidence => self.confidence.mean(),
        }
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    rubric: Rubric,
    all: Part,
    slices: BTreeMap<String, Part>,
    causes: Vec<UnscoredCount>,
    worst: Vec<WorstReply>,
    targets: Vec<TargetResult>,
    gate: GateTally,
    skipped: u64,
    facts: Facts,
}

impl Summary {
    /// The rubric that was used.
    pub fn rubric(&self) -> &Rubric {
        &self.rubric
    }

    /// Replies that were read and screened.
    pub fn n_entered(&self) -> u64 {
        self.all.counts.entered
    }

    /// Replies the gate blocked.
    pub fn n_blocked(&self) -> u64 {
        self.all.counts.blocked
    }

    /// Replies that pass.
    pub fn n_passed(&self) -> u64 {
        self.all.counts.passed
    }

    /// Replies that were scored and do not pass.
    pub fn n_failed(&self) -> u64 {
        self.all.counts.failed
    }

    /// Replies that were scored by a rubric without a pass rule.
    pub fn n_scored(&self) -> u64 {
        self.all.counts.scored
    }

    /// Replies with at least one criterion unscored.
    pub fn n_unscored(&self) -> u64 {
        self.all.counts.unscored
    }

    /// Records that could not be used.
    pub fn n_skipped(&self) -> u64 {
        self.skipped
    }

    /// What the gate found.
    pub fn gate(&self) -> &GateTally {
        &self.gate
    }

    /// Share that passes; `None` without a pass rule or with nothing to rate.
    pub fn pass_rate(&self) -> Option<Estimate> {
        self.rubric.pass().and_then(|_| self.all.counts.pass_rate())
    }

    /// Share of admitted replies that have a verdict on every criterion; `None` when none was admitted.
    pub fn coverage(&self) -> Option<Exact> {
        let admitted = self.n_entered() - self.n_blocked();
        Exact::ratio(i128::from(admitted - self.n_unscored()), i128::from(admitted))
    }

    /// Levels per criterion, in the rubric's order.
    pub fn criteria(&self) -> &[CriterionSummary] {
        &self.all.criteria
    }

    /// Unscored criteria by cause.
    pub fn causes(&self) -> &[UnscoredCount] {
        &self.causes
    }

    /// The worst replies that are not perfect, worst first.
    pub fn worst(&self) -> &[WorstReply] {
        &self.worst
    }

    /// The rubric's targets and what was reached.
    pub fn targets(&self) -> &[TargetResult] {
        &self.targets
    }

    /// What the store knows.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The `summary` object of the results file.
    pub fn to_json(&self) -> Value {
        let mut object = self.all.to_json(&self.rubric);
        let facts = &self.facts;
        object.insert("skipped".into(), json!(self.skipped));
        object.insert("flagged".into(), json!(self.gate.n_flagged()));
        object.insert("findings_by_rule".into(), self.gate.to_json());
        object.insert("coverage".into(), json!(self.coverage()));
        let causes: Map<String, Value> =
            self.causes.iter().map(|count| (count.cause.clone(), json!(count.n))).collect();
        object.insert("unscored_by_cause".into(), Value::Object(causes));
        object.insert("targets".into(), self.targets.iter().map(target_json).collect());
        let rubric = &self.rubric;
        object.insert(
            "rubric".into(),
            json!({ "name": rubric.name(), "version": rubric.version(), "hash": rubric.hash() }),
        );
        object.insert("judge".into(), judge_json(&facts.judge));
        object.insert("packets_repeated".into(), json!(facts.packets_repeated));
        object.insert("calls".into(), json!(facts.calls));
        object.insert("calls_lost".into(), json!(facts.calls_lost));
        object.insert("calls_without_usage".into(), json!(facts.calls_without_usage));
        object.insert("tokens".into(), json!({ "input": facts.tokens_input, "output": facts.tokens_output }));
        object.insert("cost_usd".into(), json!(facts.cost_usd));
        object.insert("calls_without_cost".into(), json!(facts.calls_without_cost));
        object.insert("warnings".into(), json!(facts.warnings));
        let slices: Map<String, Value> = self
            .slices
            .iter()
            .map(|(name, part)| (name.clone(), Value::Object(part.to_json(&self.rubric))))
            .collect();
        object.insert("by_slice".into(), Value::Object(slices));
        Value::Object(object)
    }
}

fn judge_json(judge: &JudgeFacts) -> Value {
    let counts = |pairs: &[(String, u64)]| -> Value {
        pairs.iter().map(|(name, n)| (name.clone(), json!(n))).collect::<Map<String, Value>>().into()
    };
    json!({
        "id": judge.id,
        "kind": judge.kind,
        "model": judge.model,
        "standing": judge.standing,
        "standing_reason": judge.standing.reason(),
        "answered_as": counts(&judge.answered_as),
        "fingerprints": counts(&judge.fingerprints),
    })
}

fn target_json(result: &TargetResult) -> Value {
    let metric = match &result.target.metric {
        Metric::PassRate => "pass_rate".to_owned(),
        Metric::Mean(id) => format!("mean {id}"),
        Metric::AutomaticFailRate => "automatic_fail_rate".to_owned(),
        Metric::MeanConfidence => "mean_confidence".to_owned(),
    };
    json!({
        "metric": metric,
        "min": result.target.min,
        "max": result.target.max,
        "value": result.value,
        "met": result.is_met(),
    })
}

#[cfg(test)]
mod tests;
