//! Counts and figures over a run. They add up, and that is asserted.

use std::collections::BTreeMap;

use super::clusters::{CaseReplies, Clusters};
use super::gate_tally::GateTally;
use super::part::{CriterionSummary, Part};
use super::patterns::PatternTally;
use super::ranked::{Ranked, RankedReply};
use super::repeats::RepeatTally;
use super::row::{GateOutcome, ReplyResult};
use super::sensitivity::variations;
use super::target::{Ceiling, TargetResult};
use crate::exact::Exact;
use crate::promote::Standing;
use crate::results::{
    AuthorRecord, FailurePattern, JudgeRecord, Members, NO_SLICE, ONE_DRAW, RecurringReason, Repeats,
    RubricName, SummaryRecord, Tokens, Variation,
};
use crate::rubric::{GoldSize, Metric, Rubric};
use crate::score::CriterionOutcome;
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
    /// What else the run was made of: hashes of cases, template and gate, and settings, each by name.
    pub definition: Vec<(String, String)>,
    /// Packets whose content equals another one's: they share its verdict, which was paid for once.
    pub packets_repeated: u64,
    /// Calls recorded for this run.
    pub calls: u64,
    /// Calls that were in flight when a process died: possibly billed, not recorded.
    pub calls_lost: u64,
    /// Tokens billed.
    pub tokens: Tokens,
    /// Calls whose tokens the server did not tell.
    pub calls_without_usage: u64,
    /// Calls that may have been billed and whose cost is unknown. They are not in the sum.
    pub calls_without_cost: u64,
    /// Dollars over the calls whose cost is known; `None` when no price is known for the model.
    pub cost_usd: Option<Exact>,
    /// What a reader should know about the judge's answers as a whole.
    pub warnings: Vec<String>,
    /// The system that wrote replies, where cases came without one.
    pub target: Option<AuthorRecord>,
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
            no_reply: 0,
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
        let slice = result.slice.as_deref().unwrap_or(NO_SLICE);
        self.patterns.add(result, slice, &self.rubric);
        self.replies.add(result, slice);
        // Nearly always the slice is known, and its name is not made again.
        match self.slices.get_mut(slice) {
            Some(part) => part.add(result),
            None => self.slices.entry(slice.to_owned()).or_insert(Part::new(&self.rubric)).add(result),
        }
        self.count_causes(result);
        self.automatic_fails += u64::from(result.is_automatic_fail());
        self.gate.add(result);
        self.repeats.add(result);
        self.no_reply += u64::from(result.gate == GateOutcome::NoReply);
        if let Some(quality_max) = result.quality_max(&self.rubric) {
            self.ranked.add(quality_max, result);
        }
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

    /// The finished summary, with what the store knows.
    pub fn finish(mut self, mut facts: Facts) -> Summary {
        self.all.counts.assert_adds_up();
        let clusters = &std::mem::take(&mut self.replies).clusters();
        facts.warnings.extend(self.finish_parts(clusters));
        facts.warnings.extend(gold_notice(&self.rubric, clusters.n_cases()));
        let targets = self.rubric.targets().iter().map(|target| TargetResult {
            target: target.clone(),
            value: self.value_of(&target.metric, clusters),
            estimate: self.estimate_of(&target.metric, clusters),
            ceiling: Ceiling::of(target, &self.rubric),
        });
        Summary {
            targets: targets.collect(),
            causes: self.causes.into_values().collect(),
            ranked: self.ranked,
            patterns: self.patterns.patterns(|slice| self.slices.get(slice).map_or(0, Part::n_entered)),
            // The lexical judge writes by template: what recurs is the template.
            recurring: if facts.judge.kind == "baseline" { Vec::new() } else { self.patterns.recurring() },
            variations: variations(&self.rubric, clusters),
            slices: self.slices,
            rubric: self.rubric,
            all: self.all,
            gate: self.gate,
            repeats: self.repeats.repeats(),
            no_reply: self.no_reply,
            skipped: self.skipped,
            facts,
        }
    }

    fn value_of(&self, metric: &Metric, clusters: &Clusters) -> Option<Exact> {
        let counts = &self.all.counts;
        let rate = |n: u64, of: u64| Exact::ratio(i128::from(n), i128::from(of));
        match metric {
            Metric::PassRate => rate(counts.passed, counts.rated()),
            Metric::AutomaticFailRate => rate(self.automatic_fails + counts.blocked, counts.rated()),
            Metric::Mean(id) => self.all.criteria.iter().find(|summary| summary.criterion == *id)?.mean(),
            Metric::MeanConfidence => clusters.confidence().and_then(|mean| millionths(mean.value)),
        }
    }

    /// Sets what takes all replies to know, and says where intervals take each case as one draw.
    fn finish_parts(&mut self, clusters: &Clusters) -> Option<String> {
        let n_criteria = self.all.criteria.len();
        self.all.finish(&clusters.all(n_criteria));
        for (slice, part) in clusters.by_slice(n_criteria) {
            self.slices.get_mut(slice).expect("each reply is counted in its slice").finish(&part);
        }
        let n = self.all.counts.entered;
        let n_cases = self.all.n_clusters()?;
        Some(format!("{n} replies answer {n_cases} cases: intervals {ONE_DRAW}"))
    }

    fn estimate_of(&self, metric: &Metric, clusters: &Clusters) -> Option<Estimate> {
        match metric {
            Metric::PassRate => self.all.pass_rate(),
            Metric::AutomaticFailRate => clusters.share(|kind| kind.fails_outright),
            Metric::Mean(id) => {
                self.all.criteria.iter().find(|summary| summary.criterion == *id)?.mean_estimate()
            }
            Metric::MeanConfidence => clusters.confidence(),
        }
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
    rubric: Rubric,
    all: Part,
    slices: BTreeMap<String, Part>,
    causes: Vec<UnscoredCount>,
    ranked: Ranked,
    patterns: Vec<FailurePattern>,
    recurring: Vec<RecurringReason>,
    variations: Vec<Variation>,
    targets: Vec<TargetResult>,
    gate: GateTally,
    repeats: Option<Repeats>,
    no_reply: u64,
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

    /// Replies that do not pass, whatever a criterion without a level may come to.
    pub fn n_failed(&self) -> u64 {
        self.all.counts.failed
    }

    /// Replies that were scored by a rubric without a pass rule.
    pub fn n_scored(&self) -> u64 {
        self.all.counts.scored
    }

    /// Replies with a criterion unscored, of which nothing that is known fails them.
    pub fn n_unscored(&self) -> u64 {
        self.all.counts.unscored
    }

    /// Cases for which the target gave no reply. They are among the unscored.
    pub fn n_no_reply(&self) -> u64 {
        self.no_reply
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
        self.rubric.pass().and_then(|_| self.all.pass_rate())
    }

    /// How many cases the replies answer, where some case has several: intervals then take each case as one draw.
    pub fn n_clusters(&self) -> Option<u64> {
        self.all.n_clusters()
    }

    /// Share of admitted replies whose outcome is known; `None` when none was admitted.
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
    pub fn worst(&self) -> &[RankedReply] {
        &self.ranked.worst
    }

    /// The best replies of those that do not fail, best first.
    pub fn best(&self) -> &[RankedReply] {
        &self.ranked.best
    }

    /// What several replies to the same case came to; `None` where no case has two.
    pub fn repeats(&self) -> Option<&Repeats> {
        self.repeats.as_ref()
    }

    /// By slice.
    pub fn slices(&self) -> &BTreeMap<String, Part> {
        &self.slices
    }

    /// What replies that do not pass have in common, the most frequent first.
    pub fn patterns(&self) -> &[FailurePattern] {
        &self.patterns
    }

    /// Reasons for weak levels that recur, the most frequent first.
    pub fn recurring(&self) -> &[RecurringReason] {
        &self.recurring
    }

    /// The pass rate with each weight ten points lower and higher; empty without a pass mark.
    pub fn variations(&self) -> &[Variation] {
        &self.variations
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
    pub fn record(&self) -> SummaryRecord {
        let facts = &self.facts;
        let slices = self.slices.iter();
        SummaryRecord {
            all: self.all.record(&self.rubric),
            no_reply: self.no_reply,
            skipped: self.skipped,
            flagged: self.gate.n_flagged(),
            findings_by_rule: self.gate.by_rule(),
            coverage: self.coverage(),
            unscored_by_cause: self.causes.iter().map(|count| (count.cause.clone(), count.n)).collect(),
            targets: self.targets.iter().map(TargetResult::record).collect(),
            rubric: rubric_name(&self.rubric),
            judge: facts.judge.record(),
            target: facts.target.clone(),
            definition: Members(facts.definition.clone()),
            packets_repeated: facts.packets_repeated,
            calls: facts.calls,
            calls_lost: facts.calls_lost,
            calls_without_usage: facts.calls_without_usage,
            tokens: facts.tokens,
            cost_usd: facts.cost_usd,
            calls_without_cost: facts.calls_without_cost,
            warnings: facts.warnings.clone(),
            by_slice: slices.map(|(name, part)| (name.clone(), part.record(&self.rubric))).collect(),
            repeats: self.repeats.clone(),
            failure_patterns: self.patterns.clone(),
            recurring_reasons: self.recurring.clone(),
            weight_sensitivity: self.variations.clone(),
            best: self.ranked.best.iter().map(RankedReply::record).collect(),
            worst: self.ranked.worst.iter().map(RankedReply::record).collect(),
        }
    }
}

/// A rubric as documents name it.
pub fn rubric_name(rubric: &Rubric) -> RubricName {
    let [name, version, hash] = [rubric.name(), rubric.version(), rubric.hash()].map(str::to_owned);
    RubricName { name, version, hash }
}

impl JudgeFacts {
    /// The judge as documents have it.
    pub fn record(&self) -> JudgeRecord {
        JudgeRecord {
            id: self.id.clone(),
            kind: self.kind.clone(),
            model: self.model.clone(),
            standing: self.standing.name().to_owned(),
            standing_reason: self.standing.reason().to_owned(),
            answered_as: Members(self.answered_as.clone()),
            fingerprints: Some(Members(self.fingerprints.clone())),
        }
    }
}

#[cfg(test)]
mod tests;
