//! A rubric's targets, and what a run reached.

use crate::exact::Exact;
use crate::results::TargetRecord;
use crate::rubric::{Direction, Metric, Rubric, Target};

/// What the upper end of a target means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ceiling {
    /// A higher value misses the target.
    Limit,
    /// The usual range ends there; a higher value is no failure.
    Usual,
}

impl Ceiling {
    /// A range of a figure of which more is better says what is usual; everything else is a limit.
    pub(crate) fn of(target: &Target, rubric: &Rubric) -> Ceiling {
        let more_is_better = match &target.metric {
            Metric::PassRate | Metric::MeanConfidence => true,
            Metric::AutomaticFailRate => false,
            Metric::Mean(id) => {
                let scale = rubric.criterion(id).map(|criterion| criterion.scale.direction());
                scale == Some(Direction::HigherIsBetter)
            }
        };
        if more_is_better && target.min.is_some() { Ceiling::Usual } else { Ceiling::Limit }
    }

    /// Whether `value` is as a target from `min` to `max` wants it.
    pub(crate) fn holds<T: PartialOrd + Copy>(self, value: T, min: Option<T>, max: Option<T>) -> bool {
        let is_capped = self == Ceiling::Limit;
        min.is_none_or(|min| value >= min) && (!is_capped || max.is_none_or(|max| value <= max))
    }
}

/// The name of a figure in results.
pub fn metric_name(metric: &Metric) -> String {
    match metric {
        Metric::Mean(id) => format!("mean {id}"),
        other => other.name().to_owned(),
    }
}

/// A target and what a run reached.
pub(super) fn target_record(
    target: &Target,
    ceiling: Ceiling,
    value: Option<Exact>,
    [low, high]: [Option<f64>; 2],
    n: u64,
) -> TargetRecord {
    let Target { min, max, .. } = *target;
    let met = value.map(|value| ceiling.holds(value, min, max));
    TargetRecord { metric: metric_name(&target.metric), min, max, value, low, high, n, met }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: [Option<i64>; 2], ceiling: Ceiling, value: Option<i64>, want: &str) {
        let [min, max] = range.map(|end| end.map(Exact::from));
        let target = Target { metric: Metric::PassRate, min, max };
        let result = target_record(&target, ceiling, value.map(Exact::from), [None; 2], 0);
        assert_eq!(result.state(), want);
    }

    #[test]
    fn both_ends_of_a_target_belong_to_it() {
        let range = [Some(2), Some(4)];
        for (value, want) in [(1, "missed"), (2, "met"), (3, "met"), (4, "met"), (5, "missed")] {
            check(range, Ceiling::Limit, Some(value), want);
        }
        check(range, Ceiling::Usual, Some(5), "met");
        check(range, Ceiling::Usual, Some(1), "missed");
        check([None, Some(4)], Ceiling::Limit, Some(-9), "met");
        check([Some(2), None], Ceiling::Limit, Some(9), "met");
    }

    #[test]
    fn n21_a_target_that_was_not_measured_is_neither_met_nor_missed() {
        check([Some(2), None], Ceiling::Limit, None, "not measured");
        check([None, Some(0)], Ceiling::Limit, None, "not measured");
    }
}
