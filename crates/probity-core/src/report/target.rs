//! A rubric's targets, and what a run reached.

use crate::exact::Exact;
use crate::results::TargetRecord;
use crate::rubric::{Direction, Metric, Rubric, Target};
use crate::stats::Estimate;

/// A target and what the run reached.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetResult {
    /// The target as the rubric has it.
    pub target: Target,
    /// What was reached; `None` when nothing was measured.
    pub value: Option<Exact>,
    /// The same with its interval and denominator.
    pub estimate: Option<Estimate>,
    /// What the upper end of the target means.
    pub ceiling: Ceiling,
}

crate::named! {
    /// What a run says about a target.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum TargetState {
        /// The figure is as wanted.
        Met = "met",
        /// The figure is not as wanted.
        Missed = "missed",
        /// There is no figure, so nothing is known.
        NotMeasured = "not measured",
    }
}

/// What the upper end of a target means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
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
pub(crate) fn metric_name(metric: &Metric) -> String {
    match metric {
        Metric::Mean(id) => format!("mean {id}"),
        other => other.name().to_owned(),
    }
}

impl TargetResult {
    /// Whether the target is met. A figure that was not measured neither meets nor misses anything.
    pub fn state(&self) -> TargetState {
        let Target { min, max, .. } = self.target;
        match self.value {
            None => TargetState::NotMeasured,
            Some(value) if self.ceiling.holds(value, min, max) => TargetState::Met,
            Some(_) => TargetState::Missed,
        }
    }

    /// The target as the results file has it.
    pub(super) fn record(&self) -> TargetRecord {
        TargetRecord {
            metric: metric_name(&self.target.metric),
            min: self.target.min,
            max: self.target.max,
            value: self.value,
            low: self.estimate.map(|estimate| estimate.low),
            high: self.estimate.map(|estimate| estimate.high),
            n: self.estimate.map_or(0, |estimate| estimate.n),
            met: match self.state() {
                TargetState::Met => Some(true),
                TargetState::Missed => Some(false),
                TargetState::NotMeasured => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TargetState::{Met, Missed, NotMeasured};
    use super::*;

    #[track_caller]
    fn check(range: [Option<i64>; 2], ceiling: Ceiling, value: Option<i64>, want: TargetState) {
        let [min, max] = range.map(|end| end.map(Exact::from));
        let target = Target { metric: Metric::PassRate, min, max };
        let result = TargetResult { target, value: value.map(Exact::from), estimate: None, ceiling };
        assert_eq!(result.state(), want);
    }

    #[test]
    fn both_ends_of_a_target_belong_to_it() {
        let range = [Some(2), Some(4)];
        for (value, want) in [(1, Missed), (2, Met), (3, Met), (4, Met), (5, Missed)] {
            check(range, Ceiling::Limit, Some(value), want);
        }
        check(range, Ceiling::Usual, Some(5), Met);
        check(range, Ceiling::Usual, Some(1), Missed);
        check([None, Some(4)], Ceiling::Limit, Some(-9), Met);
        check([Some(2), None], Ceiling::Limit, Some(9), Met);
    }

    #[test]
    fn n21_a_target_that_was_not_measured_is_neither_met_nor_missed() {
        check([Some(2), None], Ceiling::Limit, None, NotMeasured);
        check([None, Some(0)], Ceiling::Limit, None, NotMeasured);
    }
}
