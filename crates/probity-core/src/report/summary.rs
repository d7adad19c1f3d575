//! Counts and figures over a run. They add up, and that is asserted.

use std::collections::BTreeMap;

use super::clusters::{CaseReplies, Clusters, PartFigures};
use super::customer_outcomes::CustomerOutcomeTally;
use super::gate_tally::GateTally;
use super::part::Part;
use super::patterns::PatternTally;
use super::ranked::{LISTED_MAX, Ranked, RankedReply};
use super::repeats::RepeatTally;
use super::self_agreement::SelfAgreementTally;
use super::sensitivity::variations;
use super::target::{Ceiling, target_record};
use crate::exact::Exact;
use crate::results::{
    Counts, Facts, GateStatus, ONE_DRAW, PartRecord, ResultRow, RubricName, SummaryRecord, TargetRecord,
};
use crate::rubric::{GoldSize, Metric, Rubric, Target};
use crate::sample::NO_SLICE;
use crate::stats::Estimate;

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

/// Takes results one at a time, in the order of the input.
#[derive(Debug, Clone)]
pub struct SummaryBuilder {
    rubric: Rubric,
    all: Part,
    slices: BTreeMap<String, Part>,
    causes: BTreeMap<String, UnscoredCount>,
    ranked: Ranked,
    patterns: PatternTally,
    automatic_fails: u64,
    replies: CaseReplies,
    gate: GateTally,
    repeats: RepeatTally,
    self_agreement: SelfAgreementTally,
    customer_outcomes: CustomerOutcomeTally,
    no_reply: u64,
    skipped: u64,
}

impl SummaryBuilder {
    /// An empty summary for results under `rubric`.
    pub fn new(rubric: &Rubric) -> Self {
        SummaryBuilder {
            rubric: rubric.clone(),
            all: Part::new(rubric),
            slices: BTreeMap::new(),
            causes: BTreeMap::new(),
            ranked: Ranked::default(),
            patterns: PatternTally::default(),
            automatic_fails: 0,
            replies: CaseReplies::default(),
            gate: GateTally::default(),
            repeats: RepeatTally::default(),
            self_agreement: SelfAgreementTally::default(),
            customer_outcomes: CustomerOutcomeTally::default(),
            no_reply: 0,
            skipped: 0,
        }
    }

    /// Counts a record that was not usable.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Counts one row.
    pub fn add(&mut self, row: &ResultRow) {
        self.all.add(row);
        let slice = row.slice.as_deref().unwrap_or(NO_SLICE);
        self.patterns.add(row, slice, &self.rubric);
        self.replies.add(row, slice);
        // Nearly always the slice is known, and its name is not made again.
        match self.slices.get_mut(slice) {
            Some(part) => part.add(row),
            None => self.slices.entry(slice.to_owned()).or_insert(Part::new(&self.rubric)).add(row),
        }
        for unscored in row.asked().filter_map(|(_, result)| result.unscored.as_ref()) {
            let count = self.causes.entry(unscored.cause.clone()).or_insert_with(|| UnscoredCount {
                cause: unscored.cause.clone(),
                n: 0,
                example: unscored.detail.clone(),
            });
            count.n += 1;
        }
        self.automatic_fails += u64::from(row.is_automatic_fail);
        self.gate.add(row);
        self.repeats.add(row);
        self.self_agreement.add(row, &self.rubric);
        self.customer_outcomes.add(row);
        self.no_reply += u64::from(row.gate.status == GateStatus::NoReply);
        if let Some(quality_max) = row.quality_max(&self.rubric) {
            self.ranked.add(quality_max, row);
        }
    }

    /// The finished summary, with what the store knows.
    pub fn finish(mut self, mut facts: Facts) -> Summary {
        self.all.counts.assert_adds_up();
        let clusters = &std::mem::take(&mut self.replies).clusters();
        let n_criteria = self.rubric.criteria().len();
        let figures = clusters.all(n_criteria);
        let all = self.all.record(&self.rubric, &figures);
        let Counts { entered, blocked, unscored, .. } = all.counts;
        facts.warnings.extend(
            figures.n_clusters.map(|n| format!("{entered} replies answer {n} cases: intervals {ONE_DRAW}")),
        );
        facts.warnings.extend(gold_notice(&self.rubric, clusters.n_cases()));
        let by_slice = clusters.by_slice(n_criteria).into_iter();
        let n_of = |slice: &str| self.slices.get(slice).map_or(0, |part| part.counts.entered);
        let record = SummaryRecord {
            no_reply: self.no_reply,
            skipped: self.skipped,
            flagged: self.gate.n_flagged,
            findings_by_rule: self.gate.by_rule(),
            coverage: Exact::ratio(i128::from(entered - blocked - unscored), i128::from(entered - blocked)),
            unscored_by_cause: self.causes.iter().map(|(cause, count)| (cause.clone(), count.n)).collect(),
            targets: self.targets(&all, &figures, clusters),
            rubric: rubric_name(&self.rubric),
            by_slice: by_slice
                .map(|(name, figures)| (name.to_owned(), self.slices[name].record(&self.rubric, &figures)))
                .collect(),
            repeats: self.repeats.repeats(),
            self_agreement: self.self_agreement.figures(&self.rubric),
            customer_outcomes: self.customer_outcomes.figures(),
            failure_patterns: self.patterns.patterns(n_of),
            // The lexical judge writes by template: what recurs is the template.
            recurring_reasons: match facts.judge.kind.as_str() {
                "baseline" => Vec::new(),
                _ => self.patterns.recurring(),
            },
            weight_sensitivity: variations(&self.rubric, clusters),
            best: self.ranked.best.iter().map(RankedReply::record).collect(),
            worst: self.ranked.worst.iter().take(LISTED_MAX).map(RankedReply::record).collect(),
            all,
            facts,
        };
        let Ranked { best, worst } = self.ranked;
        let (causes, blocked) = (self.causes.into_values().collect(), self.gate.blocked);
        Summary { rubric: self.rubric, record, causes, best, worst, blocked }
    }

    /// The rubric's targets and what was reached.
    fn targets(&self, all: &PartRecord, figures: &PartFigures, clusters: &Clusters) -> Vec<TargetRecord> {
        let rate = |n: u64| Exact::ratio(i128::from(n), i128::from(all.counts.rated()));
        let ends = |estimate: Option<Estimate>| {
            let (low, high) = (estimate.map(|each| each.low), estimate.map(|each| each.high));
            ([low, high], estimate.map_or(0, |each| each.n))
        };
        let record = |target: &Target| {
            let (value, (interval, n)) = match &target.metric {
                Metric::PassRate => (rate(all.counts.passed), ends(figures.pass_rate)),
                Metric::AutomaticFailRate => {
                    let n_failed = self.automatic_fails + all.counts.blocked;
                    (rate(n_failed), ends(clusters.share(|kind| kind.fails_outright)))
                }
                Metric::Mean(id) => {
                    let levels = all.criteria.get(id.as_str()).expect("targets name criteria of the rubric");
                    (levels.mean, ([levels.low, levels.high], levels.n))
                }
                Metric::MeanConfidence => {
                    let mean = clusters.confidence();
                    (mean.and_then(|mean| millionths(mean.value)), ends(mean))
                }
            };
            target_record(target, Ceiling::of(target, &self.rubric), value, interval, n)
        };
        self.rubric.targets().iter().map(record).collect()
    }
}

/// What to say where a run has fewer or more cases than the rubric asks for.
fn gold_notice(rubric: &Rubric, n_cases: u64) -> Option<String> {
    let GoldSize { cases_min, cases_max } = rubric.gold()?;
    let found = match n_cases {
        n if n > cases_max => format!("more than {cases_max}"),
        n if n < cases_min => n.to_string(),
        _ => return None,
    };
    let name = rubric.name();
    Some(format!("{name} asks for a gold set of {cases_min} to {cases_max} cases; this one has {found}"))
}

/// A share in whole millionths, half rounded up.
fn millionths(share: f64) -> Option<Exact> {
    #[expect(clippy::cast_possible_truncation, reason = "a share is 0 to 1")]
    let whole = (share * 1e6).round() as i128;
    Exact::ratio(whole, 1_000_000)
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// The rubric that was used.
    pub rubric: Rubric,
    /// The figures: the `summary` object of the results file.
    pub record: SummaryRecord,
    /// Unscored criteria by cause.
    pub causes: Vec<UnscoredCount>,
    /// The best replies of those that do not fail, best first.
    pub best: Vec<RankedReply>,
    /// The worst replies that are not perfect, worst first; the record lists the first of them.
    pub worst: Vec<RankedReply>,
    /// The first replies that the gate blocked.
    pub blocked: Vec<ResultRow>,
}

/// A rubric as documents name it.
pub fn rubric_name(rubric: &Rubric) -> RubricName {
    let [name, version, hash] = [rubric.name(), rubric.version(), rubric.hash()].map(str::to_owned);
    RubricName { name, version, hash }
}

#[cfg(test)]
mod tests;
