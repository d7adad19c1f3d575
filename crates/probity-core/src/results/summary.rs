//! The figures of a run as its results have them.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::members::Members;
use super::panel::PanelFacts;
use super::row::RowOutcome;
use crate::exact::Exact;
use crate::promote::Standing;
use crate::stats::Estimate;

/// The figures of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SummaryRecord {
    /// Over all replies.
    #[serde(flatten)]
    pub all: PartRecord,
    /// Cases for which the target gave no reply; among `unscored`.
    pub no_reply: u64,
    /// Records that could not be used; not among `entered`.
    pub skipped: u64,
    /// Admitted replies with a finding.
    pub flagged: u64,
    /// For each rule that found something, in how many replies.
    pub findings_by_rule: Members<RuleCount>,
    /// The share of admitted replies whose outcome is known; null when none was admitted.
    pub coverage: Option<Exact>,
    /// Criteria without a level, by cause.
    pub unscored_by_cause: BTreeMap<String, u64>,
    /// The rubric's targets and what was reached.
    pub targets: Vec<TargetRecord>,
    /// The rubric.
    pub rubric: RubricName,
    /// What the store knows beyond the verdicts.
    #[serde(flatten)]
    pub facts: Facts,
    /// By slice; `(none)` for cases without one.
    pub by_slice: BTreeMap<String, PartRecord>,
    /// What several replies to the same case came to; only where a case has two that pass or fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Repeats>,
    /// How far the judge agrees with itself, by criterion; only where each packet was asked about several times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub self_agreement: Option<Members<SelfAgreement>>,
    /// How far passes go with what customers said, by kind of outcome; only where cases have some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer_outcomes: Option<Members<CustomerOutcomes>>,
    /// What replies that do not pass have in common, the most frequent first.
    pub failure_patterns: Vec<FailurePattern>,
    /// Reasons for weak levels that recur, the most frequent first.
    pub recurring_reasons: Vec<RecurringReason>,
    /// The pass rate with each weight ten points lower and higher; empty without a pass mark.
    pub weight_sensitivity: Vec<Variation>,
    /// The best replies of those that do not fail, best first.
    pub best: Vec<RankedRecord>,
    /// The worst replies that are not perfect, worst first.
    pub worst: Vec<RankedRecord>,
}

/// How far a judge agrees with itself over repeats of the same questions: its intra-rater reliability.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SelfAgreement {
    /// Replies with a level in at least two repeats.
    pub n: u64,
    /// Over all pairs of repeats of one reply, the share with the same level.
    pub agreement: Option<Estimate>,
    /// Krippendorff's alpha for levels in order, with the repeats as raters; null where it is not defined, as where
    /// every level is the same.
    pub krippendorff_alpha: Option<Estimate>,
}

/// How far passes go with an outcome that customers decide. A blocked reply does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CustomerOutcomes {
    /// Replies that pass or do not, and whose outcome is good or bad.
    pub n: u64,
    /// The share of good outcomes among replies that pass.
    pub good_when_passed: Option<Estimate>,
    /// The share of good outcomes among replies that do not.
    pub good_when_not_passed: Option<Estimate>,
    /// The phi coefficient of passing and a good outcome; null for few replies, or where one of them never varies.
    pub phi: Option<Estimate>,
}

/// What the store knows about a run beyond its verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Facts {
    /// Who judged.
    pub judge: JudgeRecord,
    /// The system that wrote replies; only where cases came without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<AuthorRecord>,
    /// What the members of a judge made of judges decided; only for such a judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<PanelFacts>,
    /// Hashes of cases, template and gate, and the settings that change answers, by name.
    pub definition: Members<String>,
    /// Packets whose content equals another one's.
    pub packets_repeated: u64,
    /// Calls on record for this run.
    pub calls: u64,
    /// Calls that were in flight when a process died: possibly billed, not recorded.
    pub calls_lost: u64,
    /// Answers of a model without token counts.
    pub calls_without_usage: u64,
    /// Tokens as the servers told them.
    pub tokens: Tokens,
    /// Dollars over the calls whose cost is known; null when no price is known for the model.
    pub cost_usd: Option<Exact>,
    /// Dollars that cached prompts and cheaper service tiers saved, beside the standard tier without a cache; only where
    /// that is not nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saved_usd: Option<Exact>,
    /// Answers by the service tier that they name; only where one names another than the standard tier.
    #[serde(default, skip_serializing_if = "Members::is_empty")]
    pub service_tiers: Members<u64>,
    /// Calls that may have been billed and whose cost is unknown; not in `cost_usd`.
    pub calls_without_cost: u64,
    /// What a reader should know before believing the figures.
    pub warnings: Vec<String>,
}

/// Figures of replies that belong together: a run's, or those of one slice.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PartRecord {
    /// Replies by outcome.
    #[serde(flatten)]
    pub counts: Counts,
    /// The share that passes; null without a pass rule, or with nothing to rate.
    pub pass_rate: Option<Estimate>,
    /// What intervals take as one draw; only where a case has several replies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterCount>,
    /// Levels per criterion, in the rubric's order.
    pub criteria: Members<CriterionFigures>,
    /// How many replies have a total from 0, 10, … 90 on; null without weights.
    pub totals: Option<Members<u64>>,
}

/// Replies by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Replies read and screened: all of the others together.
    pub entered: u64,
    /// Replies that the gate blocked.
    pub blocked: u64,
    /// Replies that pass.
    pub passed: u64,
    /// Replies that do not pass.
    pub failed: u64,
    /// Replies that were scored by a rubric without a pass rule.
    pub scored: u64,
    /// Replies with a criterion unscored, of which nothing that is known fails them.
    pub unscored: u64,
}

impl Counts {
    /// Counts one reply.
    pub fn add(&mut self, outcome: RowOutcome) {
        self.entered += 1;
        *match outcome {
            RowOutcome::Blocked => &mut self.blocked,
            RowOutcome::Pass => &mut self.passed,
            RowOutcome::Fail => &mut self.failed,
            RowOutcome::Scored => &mut self.scored,
            RowOutcome::Unscored => &mut self.unscored,
        } += 1;
    }

    /// Replies that pass or do not. Blocked ones do not; of unscored ones that is unknown.
    pub fn rated(&self) -> u64 {
        self.passed + self.failed + self.blocked
    }

    /// Ends the program where a reply is counted twice or not at all.
    pub(crate) fn assert_adds_up(&self) {
        let parts = self.blocked + self.passed + self.failed + self.scored + self.unscored;
        assert_eq!(self.entered, parts, "every reply has exactly one outcome");
    }
}

/// What intervals take as one draw.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ClusterCount {
    /// `case`.
    pub by: String,
    /// How many there are.
    pub n: u64,
}

/// Levels of one criterion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CriterionFigures {
    /// The mean level; null when nothing was scored.
    pub mean: Option<Exact>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
    /// Replies with a level.
    pub n: u64,
    /// How often each level of the scale was given, every level listed.
    pub levels: Members<u64>,
    /// Replies without a level.
    pub unscored: u64,
    /// The mean of the points; only where the rubric has weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Exact>,
    /// Replies below the best level by the violations that the judge names; only where the criterion lists any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violations: Option<Members<u64>>,
}

impl CriterionFigures {
    /// The levels of the scale with how often each was given. A name that is no whole number is left out.
    pub fn levels(&self) -> impl Iterator<Item = (i64, u64)> {
        self.levels.iter().filter_map(|(level, n)| Some((level.parse().ok()?, *n)))
    }

    /// The lowest and the highest level.
    pub fn ends(&self) -> Option<(i64, i64)> {
        let levels = || self.levels().map(|(level, _)| level);
        levels().min().zip(levels().max())
    }
}

/// Replies in which a rule found something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RuleCount {
    /// Replies in which it blocks.
    pub blocked: u64,
    /// Replies in which it is only shown.
    pub flagged: u64,
}

/// A target of the rubric and what was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetRecord {
    /// `pass_rate`, `automatic_fail_rate`, `mean_confidence`, or `mean` and a criterion.
    pub metric: String,
    /// The least that is wanted.
    pub min: Option<Exact>,
    /// The most that is wanted or usual.
    pub max: Option<Exact>,
    /// What was reached; null when not measured.
    pub value: Option<Exact>,
    /// The lower end of its interval.
    pub low: Option<f64>,
    /// The upper end of its interval.
    pub high: Option<f64>,
    /// Observations behind it.
    pub n: u64,
    /// Whether the target is met; null when not measured.
    pub met: Option<bool>,
}

impl TargetRecord {
    /// Whether the target is met, in words. A figure that was not measured neither meets nor misses anything.
    pub fn state(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not measured",
        }
    }
}

/// A rubric by name, version and hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RubricName {
    /// Its name.
    pub name: String,
    /// Its version, as its author writes it.
    pub version: String,
    /// Its hash.
    pub hash: String,
}

/// Who judged. The standing is what a document says: a file can be edited, so it is shown and never believed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeRecord {
    /// The judge's identity, hexadecimal.
    pub id: String,
    /// Its kind, such as `openai` or `baseline`.
    pub kind: String,
    /// The model asked for; empty where there is none.
    pub model: String,
    /// `promoted` or `advisory`.
    pub standing: String,
    /// Why.
    pub standing_reason: String,
    /// The models that answered, with how many answers each gave.
    pub answered_as: Members<u64>,
    /// The fingerprints seen, with how many answers each gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprints: Option<Members<u64>>,
    /// What the store says that it has earned. In no file.
    #[serde(skip)]
    pub earned: Standing,
}

impl JudgeRecord {
    /// The judge with what it has earned.
    #[must_use]
    pub fn with_standing(self, earned: Standing) -> JudgeRecord {
        let (standing, standing_reason) = (earned.name().to_owned(), earned.reason().to_owned());
        JudgeRecord { standing, standing_reason, earned, ..self }
    }

    /// The judge as people call it.
    pub fn name(&self) -> String {
        let name = format!("{} {}", self.kind, self.model);
        if name.trim().is_empty() { self.id.clone() } else { name.trim().to_owned() }
    }
}

/// What wrote replies, and what that took. None of it is in the judge's figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuthorRecord {
    /// The name it was asked by, which is the variant of its replies.
    pub name: String,
    /// Its identity, hexadecimal.
    pub id: String,
    /// Its kind, such as `openai` or `command`.
    pub kind: String,
    /// The model asked for; empty where that is unknown.
    pub model: String,
    /// The models that answered, with how many answers each gave.
    pub answered_as: Members<u64>,
    /// Calls recorded for these cases.
    pub calls: u64,
    /// Calls that were in flight when a process died: possibly billed, not recorded.
    pub calls_lost: u64,
    /// Tokens as the servers told them.
    pub tokens: Tokens,
    /// Dollars over the calls whose cost is known; null when no price is known.
    pub cost_usd: Option<Exact>,
}

/// Tokens billed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Of prompts.
    pub input: u64,
    /// Of answers.
    pub output: u64,
    /// Of those of prompts, tokens that hosts read from their caches; only where there are some.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What several replies to the same case came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeats {
    /// Cases with at least two replies that pass or fail.
    #[serde(rename = "cases")]
    pub n_cases: u64,
    /// pass^1, pass^2 and so on, up to the number of replies that every one of these cases has.
    #[serde(rename = "pass_hat_k")]
    pub pass_hat: Vec<PassHat>,
    /// How many cases are flaky.
    #[serde(rename = "flaky")]
    pub n_flaky: usize,
    /// Cases of which some replies pass and some do not, in the order of their names.
    #[serde(rename = "flaky_cases")]
    pub flaky: BTreeSet<String>,
}

/// How often so many replies to a case all pass.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PassHat {
    /// How many replies.
    pub k: u64,
    /// How often.
    #[serde(flatten)]
    pub rate: Estimate,
}

/// What was seen in replies of one slice that do not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailurePattern {
    /// The slice.
    pub slice: String,
    /// What was weak or broken.
    #[serde(flatten)]
    pub kind: PatternKind,
    /// Replies with it.
    pub n: u64,
    /// Replies of the slice.
    pub of: u64,
    /// The first of them, by id.
    pub examples: Vec<String>,
}

/// What a pattern is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternKind {
    /// A criterion with at most half of its scale.
    Criterion(String),
    /// A rule of the gate that blocks.
    Rule(String),
}

/// Reasons for weak levels of a criterion that share their words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecurringReason {
    /// The criterion.
    pub criterion: String,
    /// The words that they share.
    pub words: String,
    /// How many reasons.
    pub n: u64,
    /// The first replies, by id.
    pub examples: Vec<String>,
    /// The first reason, shortened.
    pub quote: String,
}

/// What one changed weight would have made of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Variation {
    /// Whose weight is changed.
    pub criterion: String,
    /// Its new weight, of 100.
    pub weight: Exact,
    /// The share that would pass; null where nothing was rated.
    pub pass_rate: Option<Estimate>,
}

/// One of the best or the worst replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedRecord {
    /// The case's id.
    pub id: String,
    /// What wrote the reply.
    pub variant: Option<String>,
    /// How good it is, 0 to 1; null where a level is missing.
    pub quality: Option<Exact>,
    /// Points out of 100, where there are any.
    pub total: Option<Exact>,
    /// What it came to.
    pub outcome: RowOutcome,
}
