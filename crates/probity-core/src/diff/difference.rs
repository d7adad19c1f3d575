//! Two runs compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::definition::{DefinitionChange, answers_as_another, changes};
use super::figures::{PartChange, adjust_levels, adjust_passes, part};
use super::pairing::{Pair, Paired, PairedBy, paired};
use crate::results::{ONE_DRAW, ResultRow, RowOutcome, RubricName, RunResults};
use crate::sample::NO_SLICE;
use crate::stats::Resampling;

/// What changed from one run to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference<'a> {
    /// The first run.
    pub before: &'a RunResults,
    /// The second run.
    pub after: &'a RunResults,
    /// What made pairs.
    pub paired_by: PairedBy,
    /// All pairs, in the order of the first run.
    pub pairs: Vec<Pair<'a>>,
    /// The figures over all pairs.
    pub overall: PartChange,
    /// The figures of each slice. A pair whose runs disagree about the slice is in none.
    pub by_slice: BTreeMap<String, PartChange>,
    /// Replies of the first run without a partner.
    pub only_before: Vec<&'a ResultRow>,
    /// Replies of the second run without a partner.
    pub only_after: Vec<&'a ResultRow>,
    /// Parts of the definitions that differ.
    pub definition: Vec<DefinitionChange>,
    /// What a reader must know before believing a figure.
    pub warnings: Vec<String>,
    /// How intervals were drawn.
    pub resampling: Resampling,
}

/// A run whose judge informs and must not gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advisory<'a> {
    /// `first` or `second`.
    pub run: &'static str,
    /// Why it must not.
    pub reason: &'a str,
}

/// Why two runs have no figures together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// The rubrics differ.
    #[error("the runs were scored by different rubrics: {before} and {after}")]
    OtherRubric {
        /// The first rubric: name, version and the start of its hash.
        before: String,
        /// The second rubric.
        after: String,
    },
    /// No case is in both.
    #[error("no case is in both runs: the first has {before}, the second has {after}")]
    NothingInCommon {
        /// Cases of the first run.
        before: String,
        /// Cases of the second run.
        after: String,
    },
    /// A reply stands twice in one run.
    #[error("case '{id}' stands twice in one run{}", variant.as_ref().map(|v| format!(" for variant '{v}'")).unwrap_or_default())]
    Twice {
        /// The case.
        id: String,
        /// The variant.
        variant: Option<String>,
    },
    /// A run has several variants of a case and the other run has none of them.
    #[error(
        "case '{id}' has several variants in one run, and no variant is in both, so its pair cannot be told"
    )]
    WhichVariant {
        /// The case.
        id: String,
    },
}

impl Difference<'_> {
    /// Pairs whose outcome flipped, by how.
    pub fn flips(&self) -> BTreeMap<(RowOutcome, RowOutcome), u64> {
        let mut flips = BTreeMap::new();
        for pair in self.pairs.iter().filter(|pair| pair.flipped()) {
            *flips.entry((pair.before.outcome, pair.after.outcome)).or_insert(0) += 1;
        }
        flips
    }

    /// The share of the first run's replies whose outcome can be compared with the second run's: neither is unscored.
    /// `None` where the first run has no reply.
    pub fn coverage(&self) -> Option<f64> {
        let n = self.before.results.len();
        let is_scored = |row: &ResultRow| row.outcome != RowOutcome::Unscored;
        let scored = self.pairs.iter().filter(|pair| is_scored(pair.before) && is_scored(pair.after)).count();
        (n > 0).then(|| scored as f64 / n as f64)
    }

    /// Why the figures must not gate: the first run whose judge is advisory. `None` where both judges are promoted.
    pub fn advisory(&self) -> Option<Advisory<'_>> {
        let runs = [("first", self.before), ("second", self.after)];
        let runs = runs.map(|(run, results)| (run, &results.standing));
        let advisory = runs.into_iter().find(|(_, standing)| !standing.is_promoted());
        advisory.map(|(run, standing)| Advisory { run, reason: standing.reason() })
    }

    /// Whether the judge is another one.
    pub fn judge_changed(&self) -> bool {
        self.before.summary.facts.judge.id != self.after.summary.facts.judge.id
    }
}

/// What changed from `before` to `after`.
pub fn difference<'a>(
    before: &'a RunResults,
    after: &'a RunResults,
    resampling: Resampling,
) -> Result<Difference<'a>, Incomparable> {
    refuse_other_rubric(before, after)?;
    let Paired { by, pairs, only_before, only_after } = paired(before, after)?;
    if pairs.is_empty() {
        return Err(Incomparable::NothingInCommon { before: told(before), after: told(after) });
    }
    let mut slices: BTreeMap<String, Vec<Pair<'a>>> = BTreeMap::new();
    for (slice, pair) in pairs.iter().filter_map(|pair| Some((pair.slice()?, pair))) {
        slices.entry(slice.unwrap_or(NO_SLICE).to_owned()).or_default().push(*pair);
    }
    let is_rated = before.summary.all.pass_rate.is_some() && after.summary.all.pass_rate.is_some();
    let figures = |pairs: &[Pair<'a>]| part(pairs, before.criteria(), is_rated, resampling);
    let mut overall = figures(&pairs);
    let mut by_slice: BTreeMap<String, PartChange> =
        slices.into_iter().map(|(slice, pairs)| (slice, figures(&pairs))).collect();
    adjust_levels(std::iter::once(&mut overall));
    adjust_passes(by_slice.values_mut().filter_map(|part| part.pass.as_mut()));
    adjust_levels(by_slice.values_mut());
    let warnings = warnings(before, after, &pairs);
    let definition = changes(before, after);
    Ok(Difference {
        before,
        after,
        paired_by: by,
        pairs,
        overall,
        by_slice,
        only_before,
        only_after,
        definition,
        warnings,
        resampling,
    })
}

/// A level under one rubric says nothing about a level under another.
fn refuse_other_rubric(before: &RunResults, after: &RunResults) -> Result<(), Incomparable> {
    let (one, other) = (&before.summary.rubric, &after.summary.rubric);
    if one.hash == other.hash {
        return Ok(());
    }
    let named = |rubric: &RubricName| {
        let start: String = rubric.hash.chars().take(12).collect();
        format!("{} {} ({start})", rubric.name, rubric.version)
    };
    Err(Incomparable::OtherRubric { before: named(one), after: named(other) })
}

fn told(run: &RunResults) -> String {
    match (run.results.first(), run.results.len()) {
        (None, _) => "none".to_owned(),
        (Some(first), 1) => format!("'{}'", first.id),
        (Some(first), n) => format!("'{}' and {} more", first.id, n - 1),
    }
}

fn warnings(before: &RunResults, after: &RunResults, pairs: &[Pair<'_>]) -> Vec<String> {
    let mut warnings = Vec::new();
    let (one, other) = (&before.summary.facts.judge, &after.summary.facts.judge);
    if one.id != other.id {
        warnings.push(format!(
            "the judge changed ({} to {}): a change of the replies cannot be told from a change of the judge",
            one.name(),
            other.name()
        ));
    } else if let Some([one, other]) = answers_as_another(before, after) {
        warnings
            .push(format!("the judge is asked as before and answers as another model ({one} to {other})"));
    }
    let cases: BTreeSet<&str> = pairs.iter().map(|pair| pair.before.id.as_str()).collect();
    let is_clustered = cases.len() < pairs.len();
    for (which, RunResults { summary, .. }) in [("first", before), ("second", after)] {
        // What is said of the pairs below need not be said of each run.
        let own =
            summary.facts.warnings.iter().filter(|warning| !(is_clustered && warning.ends_with(ONE_DRAW)));
        warnings.extend(own.map(|warning| format!("the {which} run: {warning}")));
        if summary.facts.definition.0.is_empty() {
            warnings.push(format!(
                "the {which} run's results do not say which cases, template, gate and settings they were made with"
            ));
        }
    }
    if is_clustered {
        let (n, n_cases) = (pairs.len(), cases.len());
        warnings.push(format!("{n} pairs are about {n_cases} cases: intervals and tests {ONE_DRAW}"));
    }
    let tickets =
        || pairs.iter().filter_map(|pair| Some((pair.before.ticket.as_ref()?, pair.after.ticket.as_ref()?)));
    let n_other = tickets().filter(|(one, other)| one != other).count();
    if 2 * n_other > tickets().count() {
        warnings.push(format!(
            "{n_other} of {} pairs have different tickets: cases are paired by id, and ids that number the records \
             (id=#) move when one is added or removed",
            pairs.len()
        ));
    }
    let n_elsewhere = pairs.iter().filter(|pair| pair.slice().is_none()).count();
    if n_elsewhere > 0 {
        warnings
            .push(format!("{n_elsewhere} pairs are in another slice than before and in no slice's figures"));
    }
    warnings
}
