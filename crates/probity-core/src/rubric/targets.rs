//! What a team wants of a whole run, checked against the rubric that has to deliver it.

use super::criteria::CriterionDraft;
use super::rules::{named, plain};
use super::spec::{MetricSpec, RubricSpec, TargetSpec};
use super::{CriterionId, GoldSize, Metric, Scale, Target};
use crate::exact::Exact;
use crate::spec_file::{At, Faults, Field, Problem};

/// The targets of `spec`, as far as they are good.
pub(super) fn targets(spec: &RubricSpec, drafts: &[CriterionDraft<'_>], faults: &mut Faults) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for target in &spec.targets {
        let Some(metric) = metric(target, spec, drafts, faults) else { continue };
        if targets.iter().any(|earlier| earlier.metric == metric.0) {
            let problem = Problem::at(target.line, "a second target for the same figure");
            faults.error(problem.hint("one target may have both `min` and `max`"));
        }
        targets.extend(bounds(target, metric, faults));
    }
    targets
}

/// The figure and the range of values it can have.
type Figure = (Metric, Exact, Exact);

fn metric(
    target: &TargetSpec,
    spec: &RubricSpec,
    drafts: &[CriterionDraft<'_>],
    faults: &mut Faults,
) -> Option<Figure> {
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
            if let Field::Absent = spec.pass {
                let problem =
                    Problem::at(line, "a target for pass_rate, but nothing says when a reply passes");
                faults.error(problem.hint("add [pass] with total_min"));
            }
            rate(Metric::PassRate)
        }
        MetricSpec::AutomaticFailRate => {
            if spec.automatic_fails.is_empty() {
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

fn bounds(target: &TargetSpec, (metric, lowest, highest): Figure, faults: &mut Faults) -> Option<Target> {
    if let (Field::Absent, Field::Absent) = (&target.min, &target.max) {
        let problem = Problem::at(target.line, "the target has neither `min` nor `max`");
        faults.error(problem.hint("say the lowest or the highest value wanted, or both"));
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
pub(super) fn gold_size(spec: &RubricSpec, faults: &mut Faults) -> Option<GoldSize> {
    let At { line, value } = spec.gold.given()?;
    let (min, max) = (*value.cases_min.value()?, *value.cases_max.value()?);
    let size =
        u64::try_from(min).ok().zip(u64::try_from(max).ok()).filter(|(min, max)| 1 <= *min && min <= max);
    if size.is_none() {
        let problem = Problem::at(*line, format!("a gold set of {min} to {max} cases does not exist"));
        faults.error(problem.hint("such as cases_min = 100 and cases_max = 150"));
    }
    size.map(|(cases_min, cases_max)| GoldSize { cases_min, cases_max })
}
