//! What earlier runs would have come to under another judge.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::figures::admitted_passes;
use crate::diff::Difference;
use crate::exact::Exact;
use crate::report::{Ceiling, PastFigures, PastRun, metric_name};
use crate::results::{Counts, PartRecord};
use crate::rubric::{Metric, Rubric, Target};
use crate::stats::{Estimate, proportion};

/// A target of the rubric, under both judges.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TargetMove {
    /// `pass_rate`, or `mean` and a criterion.
    pub metric: String,
    /// The least that is wanted.
    pub min: Option<f64>,
    /// The most that is wanted or usual.
    pub max: Option<f64>,
    /// The figure under the old judge.
    pub before: f64,
    /// The figure under the new one.
    pub after: Estimate,
    /// Whether the old figure meets the target.
    pub met_before: bool,
    /// Whether the new one does.
    pub met_after: bool,
    /// Whether both ends of the new figure's interval lie on the same side of the target.
    pub is_clear: bool,
}

impl TargetMove {
    /// Whether the target is on another side than before.
    pub fn changes_sides(&self) -> bool {
        self.met_before != self.met_after
    }
}

/// An earlier run, as it was and as it would have been.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunMove {
    /// Its number.
    pub run: u64,
    /// When it was made.
    pub at: String,
    /// The case files' names.
    pub files: String,
    /// Its pass rate, where the rubric has a pass rule.
    pub before: Option<Estimate>,
    /// What the pairs say that it would have been; null where they show nothing of passes, or nothing of fails.
    pub after: Option<Estimate>,
    /// The same by slice, each from its own pairs.
    pub by_slice: BTreeMap<String, RateMove>,
    /// The rubric's targets.
    pub targets: Vec<TargetMove>,
}

/// The pass rate of a slice of an earlier run, as it was and as it would have been.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RateMove {
    /// As it was.
    pub before: Estimate,
    /// As it would have been; null where the pairs of this slice show nothing of passes, or nothing of fails.
    pub after: Option<Estimate>,
}

/// The targets of `rubric` on the cases of `changed`, as each judge has them.
pub fn target_moves(rubric: &Rubric, changed: &Difference<'_>) -> Vec<TargetMove> {
    let all = &changed.overall;
    let rate = all.pass.map(|pass| (pass.before.value, pass.after));
    moves(rubric, changed, rate, |id| Some(all.criteria.get(id)?.as_ref()?.before))
}

/// The targets of `rubric` about the pass rate, which is `rate` before and after, and about means, which are as `mean`
/// says before and move as they do in `changed`.
fn moves(
    rubric: &Rubric,
    changed: &Difference<'_>,
    rate: Option<(f64, Estimate)>,
    mean: impl Fn(&str) -> Option<f64>,
) -> Vec<TargetMove> {
    let figures = |target: &Target| match &target.metric {
        Metric::PassRate => rate,
        Metric::Mean(id) => {
            let (before, level) = (mean(id.as_str())?, changed.overall.criteria.get(id.as_str())?.as_ref()?);
            let Estimate { value, low, high, n } = level.change;
            Some((before, Estimate { value: before + value, low: before + low, high: before + high, n }))
        }
        Metric::AutomaticFailRate | Metric::MeanConfidence => None,
    };
    let of = |target: &Target| {
        let (before, after) = figures(target)?;
        let [min, max] = [target.min, target.max].map(|end| end.map(Exact::to_f64));
        let ceiling = Ceiling::of(target, rubric);
        let is_met = |value: f64| ceiling.holds(value, min, max);
        Some(TargetMove {
            metric: metric_name(&target.metric),
            min,
            max,
            before,
            after,
            met_before: is_met(before),
            met_after: is_met(after.value),
            is_clear: [after.low, after.high].iter().all(|end| is_met(*end) == is_met(after.value)),
        })
    };
    rubric.targets().iter().filter_map(of).collect()
}

impl RunMove {
    /// The last `n_max` of `runs` that the judge of the identity `judge` scored under `rubric`, the latest first, and
    /// what `changed`, on other cases or the same, says about them.
    pub fn last(
        runs: &[PastRun],
        judge: &str,
        (rubric, changed): (&Rubric, &Difference<'_>),
        n_max: usize,
    ) -> Vec<RunMove> {
        let scored = |run: &&PastRun| match &run.figures {
            PastFigures::Scores(summary) => {
                summary.facts.judge.id == judge && summary.rubric.hash == rubric.hash()
            }
            PastFigures::Other(_) => false,
        };
        let mut last: Vec<&PastRun> = runs.iter().filter(scored).collect();
        last.sort_by_key(|run| std::cmp::Reverse((run.at, run.run)));
        last.truncate(n_max);
        last.into_iter().filter_map(|run| RunMove::of(run, rubric, changed)).collect()
    }

    fn of(run: &PastRun, rubric: &Rubric, changed: &Difference<'_>) -> Option<RunMove> {
        let PastFigures::Scores(summary) = &run.figures else { return None };
        let all = &summary.all;
        let moved = |part: &PartRecord, slice: Option<&str>| {
            let Counts { passed, failed, blocked, .. } = part.counts;
            let before = rubric.pass().and_then(|_| proportion(passed, part.counts.rated()))?;
            let after = admitted_passes(changed, slice).carried(passed, failed, blocked);
            Some(RateMove { before, after })
        };
        let (rate, carried) = moved(all, None).map(|moved| (moved.before, moved.after)).unzip();
        let carried = carried.flatten();
        let slices = summary.by_slice.iter();
        let by_slice = slices.filter_map(|(slice, part)| Some((slice.clone(), moved(part, Some(slice))?)));
        let mean = |id: &str| Some(all.criteria.get(id)?.mean?.to_f64());
        let targets = moves(rubric, changed, rate.map(|rate| rate.value).zip(carried), mean);
        let (at, files, by_slice) = (run.at.to_string(), run.files.clone(), by_slice.collect());
        let found = RunMove { run: run.run, at, files, before: rate, after: carried, by_slice, targets };
        (rate.is_some() || !found.targets.is_empty()).then_some(found)
    }
}
