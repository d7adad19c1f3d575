//! A difference for machines. Keys are added, not renamed or removed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::definition::DefinitionChange;
use super::difference::Difference;
use super::figures::PartChange;
use super::guardrail::{Burden, Guarded, Kept};
use super::pairing::Pair;
use crate::results::{JudgeRecord, Members, ResultRow, RowOutcome, RubricName, RunResults};
use crate::stats::{Estimate, Resampling};

/// What `diff --json` writes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DifferenceDocument<'a> {
    before: RunName,
    after: RunName,
    rubric: RubricName,
    judge_changed: bool,
    /// Parts of the definitions that differ.
    definition: Vec<DefinitionChange>,
    warnings: Vec<String>,
    /// `id` or `id_and_variant`.
    paired_by: String,
    /// The share of the first run's replies with an outcome in both.
    coverage: Option<f64>,
    /// How p-values are adjusted.
    adjustment: String,
    resampling: Resampling,
    /// Over all pairs.
    #[serde(flatten)]
    overall: PartChange,
    by_slice: BTreeMap<String, PartChange>,
    /// Pairs whose outcome flipped, by how: `pass_to_fail` and so on.
    flips: Members<u64>,
    /// Pairs whose outcome, total or levels differ.
    changed: Vec<Pair<'a>>,
    only_before: Vec<&'a ResultRow>,
    only_after: Vec<&'a ResultRow>,
    /// The limits that were compared with the difference.
    guardrails: Vec<GuardrailRecord>,
}

/// One of the two runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct RunName {
    /// Its replies.
    rows: usize,
    /// Its judge, with what it has earned by now.
    judge: JudgeRecord,
    /// The file, or the run of the store.
    file: String,
}

/// A limit and what came of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct GuardrailRecord {
    figure: String,
    criterion: Option<String>,
    slice: Option<String>,
    /// `min`, `max`, `drop_max` or `rise_max`.
    rule: String,
    limit: f64,
    strict: bool,
    before: Option<f64>,
    after: Option<f64>,
    measured: Option<Estimate>,
    /// The smallest change that so many cases could have shown.
    smallest_shown: Option<f64>,
    /// `kept`, `broken`, `open` or `absent`.
    result: String,
    absent_because: Option<String>,
    fails: bool,
    message: String,
}

impl<'a> Difference<'a> {
    /// The difference with the limits that were compared with it, of runs that are called `files`.
    pub fn document(&self, guarded: &[Guarded], files: [&str; 2]) -> DifferenceDocument<'a> {
        let flip = |((before, after), n): ((RowOutcome, RowOutcome), u64)| {
            (format!("{}_to_{}", before.name(), after.name()), n)
        };
        DifferenceDocument {
            before: run_name(self.before, files[0]),
            after: run_name(self.after, files[1]),
            rubric: self.before.summary.rubric.clone(),
            judge_changed: self.judge_changed(),
            definition: self.definition.clone(),
            warnings: self.warnings.clone(),
            paired_by: self.paired_by.name().to_owned(),
            coverage: self.coverage(),
            adjustment: "benjamini_yekutieli".to_owned(),
            resampling: self.resampling,
            overall: self.overall.clone(),
            by_slice: self.by_slice.clone(),
            flips: self.flips().into_iter().map(flip).collect(),
            changed: self.pairs.iter().filter(|pair| pair.differs()).copied().collect(),
            only_before: self.only_before.clone(),
            only_after: self.only_after.clone(),
            guardrails: guarded.iter().map(guardrail).collect(),
        }
    }
}

fn guardrail(guarded: &Guarded) -> GuardrailRecord {
    let Guarded { guardrail, before, after, measured, detectable, kept } = guarded;
    GuardrailRecord {
        figure: guardrail.figure.name().to_owned(),
        criterion: guardrail.figure.criterion().map(str::to_owned),
        slice: guardrail.slice.clone(),
        rule: guardrail.limit.name().to_owned(),
        limit: guardrail.limit.value(),
        strict: guardrail.burden == Burden::ShowKept,
        before: *before,
        after: *after,
        measured: *measured,
        smallest_shown: *detectable,
        result: kept.name().to_owned(),
        absent_because: if let Kept::Absent(why) = kept { Some(why.clone()) } else { None },
        fails: guarded.fails(),
        message: guarded.message(),
    }
}

fn run_name(run: &RunResults, file: &str) -> RunName {
    let standing = run.standing.name().to_owned();
    let standing_reason = run.standing.reason().to_owned();
    let judge = JudgeRecord { standing, standing_reason, ..run.summary.facts.judge.clone() };
    RunName { rows: run.results.len(), judge, file: file.to_owned() }
}
