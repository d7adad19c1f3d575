//! One reply of a run's results, and what stands beside the replies.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::members::Members;
use crate::case::{Confidence, Evidence, Turn};
use crate::exact::Exact;
use crate::gate::{Finding, Severity, Sighting};
use crate::packet::PacketHash;
use crate::score::Unscored;

crate::named! {
    /// What a reply came to, as results name it.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum RowOutcome {
        /// It passes.
        Pass = "pass",
        /// It was scored and does not pass.
        Fail = "fail",
        /// It was scored by a rubric without a pass rule.
        Scored = "scored",
        /// The gate blocked it.
        Blocked = "blocked",
        /// At least one criterion has no level.
        #[default]
        Unscored = "unscored",
    }
}

impl RowOutcome {
    /// Whether it passes, where that was decided: a blocked reply does not, an unscored one is unknown.
    pub fn passes(self) -> Option<bool> {
        match self {
            RowOutcome::Pass => Some(true),
            RowOutcome::Fail | RowOutcome::Blocked => Some(false),
            RowOutcome::Scored | RowOutcome::Unscored => None,
        }
    }
}

/// One reply with what it came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ResultRow {
    /// The case's id.
    pub id: String,
    /// One for each criterion of the rubric, by its id and in its order; null when the reply is blocked.
    #[serde(flatten)]
    pub criteria: Members<Option<CriterionResult>>,
    /// What it came to.
    pub outcome: RowOutcome,
    /// Points out of 100; null where a level is missing, when blocked, and where the rubric has no weights.
    pub total: Option<Exact>,
    /// Why it fails; only where it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fail_reasons: Vec<String>,
    /// What there is to put right, most important first.
    pub issues: Vec<String>,
    /// The case's slice.
    pub slice: Option<String>,
    /// What wrote the reply.
    pub variant: Option<String>,
    /// What the customer wrote: the ticket, or the customer's last turn of a conversation.
    pub ticket: Option<String>,
    /// The reply; null where the target gave none.
    pub reply: Option<String>,
    /// The conversation up to the reply; only where there is more than a ticket.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// What the reply may rest on, as the judge was shown it; only where there is something.
    #[serde(default, skip_serializing_if = "Evidence::is_empty")]
    pub evidence: Evidence,
    /// An ideal reply, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What the gate said.
    pub gate: GateRecord,
    /// The bot's own confidence. Files do not have it.
    #[serde(skip)]
    pub confidence: Option<Confidence>,
    /// What customers said, and what became of the ticket, by kind. Files do not have it.
    #[serde(skip)]
    pub customer_outcomes: BTreeMap<String, String>,
    /// The packets that asked about it, in the order of the asks. Files do not have them.
    #[serde(skip)]
    pub packets: Vec<PacketHash>,
    /// Whether a level fails it whatever its total. Files do not say.
    #[serde(skip)]
    pub is_automatic_fail: bool,
}

impl ResultRow {
    /// The case's id, with the variant behind it where there is one: several replies to a case differ in it.
    pub fn name(&self) -> String {
        self.variant.as_ref().map_or_else(|| self.id.clone(), |variant| format!("{} ({variant})", self.id))
    }

    /// The criteria that were asked about, with what each came to.
    pub fn asked(&self) -> impl Iterator<Item = (&str, &CriterionResult)> {
        self.criteria.iter().filter_map(|(id, result)| Some((id, result.as_ref()?)))
    }

    /// The rows of the `failed` list: one per criterion without a level.
    pub fn failed_rows(&self) -> impl Iterator<Item = FailedRow> {
        self.asked().filter_map(|(id, result)| {
            let Unscored { cause, detail, attempts } = result.unscored.clone()?;
            let (row, variant, criterion) = (self.id.clone(), self.variant.clone(), id.to_owned());
            Some(FailedRow { id: row, variant, criterion, reason: cause, detail, attempts })
        })
    }

    /// The result of the criterion at `place`, where it was asked about.
    pub fn criterion(&self, place: usize) -> Option<&CriterionResult> {
        self.criteria.at(place)?.as_ref()
    }

    /// The level of the criterion at `place`, where it has one.
    pub fn level(&self, place: usize) -> Option<i64> {
        self.criterion(place)?.score
    }

    /// Why it failed or was blocked, or has no verdict.
    pub fn reasons(&self) -> Vec<String> {
        match self.outcome {
            RowOutcome::Pass | RowOutcome::Scored => Vec::new(),
            RowOutcome::Fail => self.fail_reasons.clone(),
            RowOutcome::Blocked => self.gate.blocking().map(str::to_owned).collect(),
            RowOutcome::Unscored => {
                let cause = |(id, result): (&str, &CriterionResult)| {
                    Some(format!("{id}: {}", result.unscored.as_ref()?.cause))
                };
                self.asked().filter_map(cause).collect()
            }
        }
    }
}

/// What one criterion came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CriterionResult {
    /// The level; null when unscored.
    pub score: Option<i64>,
    /// The level in each repeat, null where it has none; only where there are several repeats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scores: Vec<Option<i64>>,
    /// The judge's words; null when unscored.
    pub reasoning: Option<String>,
    /// What the level adds to the total; only where the rubric has weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Exact>,
    /// The rubric's violations that the judge names, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// Clean-ups that the answer needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<String>,
    /// What should make a person look twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspicions: Vec<String>,
    /// Why there is no level; only when unscored.
    // Files have the cause alone here, and the rest among `failed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub unscored: Option<Unscored>,
}

impl CriterionResult {
    /// The level of the criterion called `id` as people read it: with its points and the violations that were named.
    pub fn level_text(&self, id: &str) -> Option<String> {
        let (level, points) = (self.score?, self.points.map(|points| format!("{points} points")));
        let facts: Vec<String> = points.into_iter().chain(self.violations.iter().cloned()).collect();
        let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
        Some(format!("{id} {level}{facts}"))
    }
}

/// What the gate said about a reply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GateRecord {
    /// What follows from the findings.
    pub status: GateStatus,
    /// What was found.
    pub findings: Vec<FindingRecord>,
}

impl GateRecord {
    /// The rules whose findings block the reply; a rule with several findings stands there as often.
    pub fn blocking(&self) -> impl Iterator<Item = &str> {
        let blocking = self.findings.iter().filter(|finding| finding.severity == Severity::Block.name());
        blocking.map(|finding| finding.rule.as_str())
    }
}

/// What the gate decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// The reply may be judged.
    Admitted,
    /// It must not.
    Blocked,
    /// There is no reply: the target gave none.
    #[default]
    NoReply,
}

/// A finding as results have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingRecord {
    /// The rule's id.
    pub rule: String,
    /// `block` or `flag`.
    pub severity: String,
    /// Where in the reply it starts, in bytes.
    pub start: usize,
    /// Where in the reply it ends, in bytes.
    pub end: usize,
    /// What was seen. Never personal data.
    pub message: String,
    /// What would have been right, where that can be said.
    pub expected: Option<String>,
    /// The source it was checked against, where there is one.
    pub source: Option<String>,
    /// The version of that source.
    pub version: Option<String>,
}

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        let Sighting { rule, start, end, message, expected, source } = finding.sighting.clone();
        let (source, version) = source.map_or((None, None), |source| (Some(source.id), source.version));
        let (rule, severity) = (rule.to_owned(), finding.severity.name().to_owned());
        FindingRecord { rule, severity, start, end, message, expected, source, version }
    }
}

/// Findings as results have them.
pub fn finding_records(findings: &[Finding]) -> Vec<FindingRecord> {
    findings.iter().map(FindingRecord::from).collect()
}

/// A record that could not be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skipped {
    /// Its place over all files, from 0.
    pub index: usize,
    /// What is wrong with it.
    pub reason: String,
    /// Its id, where it could be read.
    pub id: Option<String>,
    /// The file as it was named.
    pub file: String,
    /// The line that it starts on, from 1.
    pub line: usize,
}

/// A criterion without a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedRow {
    /// The case's id.
    pub id: String,
    /// What wrote the reply.
    pub variant: Option<String>,
    /// The criterion's id.
    pub criterion: String,
    /// The cause by name.
    pub reason: String,
    /// What happened; may be empty.
    pub detail: String,
    /// Calls made for it.
    pub attempts: u32,
}
