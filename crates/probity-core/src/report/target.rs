//! A rubric's targets, and what a run reached.

use serde_json::{Value, json};

use crate::exact::Exact;
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
    pub(super) fn of(target: &Target, rubric: &Rubric) -> Ceiling {
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
}

impl TargetResult {
    /// Whether the target is met. A figure that was not measured meets nothing.
    pub fn is_met(&self) -> bool {
        let above = |value: Exact| self.target.min.is_none_or(|min| value >= min);
        let capped = self.ceiling == Ceiling::Limit;
        let below = |value: Exact| !capped || self.target.max.is_none_or(|max| value <= max);
        self.value.is_some_and(|value| above(value) && below(value))
    }

    pub(super) fn to_json(&self) -> Value {
        let metric = match &self.target.metric {
            Metric::PassRate => "pass_rate".to_owned(),
            Metric::Mean(id) => format!("mean {id}"),
            Metric::AutomaticFailRate => "automatic_fail_rate".to_owned(),
            Metric::MeanConfidence => "mean_confidence".to_owned(),
        };
        json!({
            "metric": metric,
            "min": self.target.min,
            "max": self.target.max,
            "value": self.value,
            "low": self.estimate.map(|estimate| estimate.low),
            "high": self.estimate.map(|estimate| estimate.high),
            "n": self.estimate.map_or(0, |estimate| estimate.n),
            "met": self.is_met(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: [Option<i64>; 2], ceiling: Ceiling, value: Option<i64>, met: bool) {
        let [min, max] = range.map(|end| end.map(Exact::from));
        let target = Target { metric: Metric::PassRate, min, max };
        let result = TargetResult { target, value: value.map(Exact::from), estimate: None, ceiling };
        assert_eq!(result.is_met(), met);
    }

    #[test]
    fn both_ends_of_a_target_belong_to_it() {
        let range = [Some(2), Some(4)];
        for (value, met) in [(1, false), (2, true), (3, true), (4, true), (5, false)] {
            check(range, Ceiling::Limit, Some(value), met);
        }
        check(range, Ceiling::Usual, Some(5), true);
        check(range, Ceiling::Usual, Some(1), false);
        check([None, Some(4)], Ceiling::Limit, Some(-9), true);
        check([Some(2), None], Ceiling::Limit, Some(9), true);
        check([Some(2), None], Ceiling::Limit, None, false);
    }
}
