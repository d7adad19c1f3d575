//! What a team wants of a whole run, checked against the rubric that has to deliver it.

use super::criteria::CriterionDraft;
use super::rules::{named, plain};
use super::spec::{GOLD_SET, SHAPES, TARGET};
use super::{CriterionId, GoldSize, Metric, Scale, Target};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Fields, Problem};

crate::named! {
    /// The word for a target's figure; `mean` needs a criterion beside it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum MetricSpec {
        PassRate = "pass_rate",
        Mean = "mean",
        AutomaticFailRate = "automatic_fail_rate",
        MeanConfidence = "mean_confidence",
    }
}

/// `[[target]]`.
struct TargetSpec {
    line: usize,
    metric: Field<MetricSpec>,
    criterion: Field<String>,
    min: Field<Exact>,
    max: Field<Exact>,
}

/// The targets of the file, as far as they are good.
pub(super) fn targets(top: &Fields<'_>, drafts: &[CriterionDraft<'_>], faults: &mut Faults) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for fields in top.tables("target", &TARGET, faults) {
        fields.refuse_unknown_keys(&SHAPES, faults);
        let metric = fields.choice("metric", &MetricSpec::NAMED, faults);
        let target = TargetSpec {
            line: fields.line,
            metric: fields.required("metric", metric, faults),
            criterion: fields.text("criterion", faults),
            min: fields.decimal("min", faults),
            max: fields.decimal("max", faults),
        };
        let Some(metric) = self::metric(&target, top, drafts, faults) else { continue };
        if targets.iter().any(|earlier| earlier.metric == metric.0) {
            let problem = Problem::at(target.line, "a second target for the same figure");
            faults.error(problem.hint("one target may have both `min` and `max`"));
        }
        targets.extend(bounds(&target, metric, faults));
    }
    targets
}

/// The figure and the range of values it can have.
type BoundedMetric = (Metric, Exact, Exact);

fn metric(
    target: &TargetSpec,
    top: &Fields<'_>,
    drafts: &[CriterionDraft<'_>],
    faults: &mut Faults,
) -> Option<BoundedMetric> {
    let At { line, value } = *target.metric.given()?;
    let rate = |metric| Some((metric, Exact::ZERO, Exact::from(1)));
    if let (true, Field::Given(criterion)) = (value != MetricSpec::Mean, &target.criterion) {
        let problem = Problem::at(criterion.line, format!("{} is not of one criterion", value.name()));
        faults.error(problem.hint("`criterion` goes with metric = \"mean\""));
    }
    match value {
        MetricSpec::Mean => {
            let (id, scale) = criterion(target, drafts, faults)?;
            Some((Metric::Mean(id), Exact::from(scale.min()), Exact::from(scale.max())))
        }
        MetricSpec::PassRate => {
            if !top.has("pass") {
                let problem =
                    Problem::at(line, "a target for pass_rate, but nothing says when a reply passes");
                faults.error(problem.hint("add [pass] with total_min"));
            }
            rate(Metric::PassRate)
        }
        MetricSpec::AutomaticFailRate => {
            if !top.has("automatic_fail") {
                let problem =
                    Problem::at(line, "a target for automatic_fail_rate, but nothing fails by itself");
                faults.error(problem.hint("add an [[automatic_fail]]"));
            }
            rate(Metric::AutomaticFailRate)
        }
        MetricSpec::MeanConfidence => rate(Metric::MeanConfidence),
    }
}

fn criterion(
    target: &TargetSpec,
    drafts: &[CriterionDraft<'_>],
    faults: &mut Faults,
) -> Option<(CriterionId, Scale)> {
    if let Field::Absent = target.criterion {
        let problem = Problem::at(target.line, "a target for mean needs a `criterion`");
        faults.error(problem.hint("such as criterion = \"accuracy\""));
    }
    let draft = named(target.criterion.given()?, drafts, faults)?;
    Some((draft.id.clone()?, draft.scale.clone()?))
}

fn bounds(
    target: &TargetSpec,
    (metric, lowest, highest): BoundedMetric,
    faults: &mut Faults,
) -> Option<Target> {
    if let (Field::Absent, Field::Absent) = (&target.min, &target.max) {
        let problem = Problem::at(target.line, "the target has neither `min` nor `max`");
        faults.error(problem.hint("set the lowest or the highest value wanted, or both"));
        return None;
    }
    for at in [target.min.given(), target.max.given()].into_iter().flatten() {
        if at.value < lowest || at.value > highest {
            let range = format!("{} to {}", plain(lowest), plain(highest));
            let message = format!("target {} is out of range, expected {range}", plain(at.value));
            faults.error(
                Problem::at(at.line, message).hint("a rate is a share: 0.7, not 70; a mean is a level"),
            );
        }
    }
    let (min, max) = (target.min.value().copied(), target.max.value().copied());
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!("no value is at least {} and at most {}", plain(min), plain(max));
        faults.error(Problem::at(target.line, message).hint("`min` must not be above `max`"));
    }
    Some(Target { metric, min, max })
}

/// The size of a gold set, if the file says one.
pub(super) fn gold_size(top: &Fields<'_>, faults: &mut Faults) -> Option<GoldSize> {
    let At { line, value: fields } = top.table("gold_set", &GOLD_SET, faults).given()?.clone();
    fields.refuse_unknown_keys(&SHAPES, faults);
    let [min, max] = ["cases_min", "cases_max"].map(|key| {
        let given = fields.integer(key, faults);
        fields.required(key, given, faults).value().copied()
    });
    let (min, max) = (min?, max?);
    let size =
        u64::try_from(min).ok().zip(u64::try_from(max).ok()).filter(|(min, max)| 1 <= *min && min <= max);
    if size.is_none() {
        let problem = Problem::at(line, format!("a gold set of {min} to {max} cases does not exist"));
        faults.error(problem.hint("such as cases_min = 100 and cases_max = 150"));
    }
    size.map(|(cases_min, cases_max)| GoldSize { cases_min, cases_max })
}
