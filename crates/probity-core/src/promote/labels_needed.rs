//! How many more labels would lift the lower end of an interval, at the agreement seen.
//!
//! The width of an interval shrinks with the square root of what it is made from. That is how normal intervals
//! behave, and near enough for those drawn by resampling or Wilson's; the answer is a guide and says "about".

use crate::stats::Estimate;

/// Beyond this, more labels are no answer.
const MOST: f64 = 10_000.0;

/// What more labels would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelsNeeded {
    /// About so many more would lift the lower end, at the agreement seen.
    About(u64),
    /// More than a team would label.
    TooMany,
    /// The agreement seen is itself too low.
    NotALabelsProblem,
}

/// How many more labels lift the lower end of `figure`, which is made of `n` rows, to `floor`.
pub(crate) fn labels_needed(figure: &Estimate, n: u64, floor: f64) -> LabelsNeeded {
    if figure.value <= floor {
        return LabelsNeeded::NotALabelsProblem;
    }
    let ratio = (figure.value - figure.low) / (figure.value - floor);
    let more = (n as f64 * (ratio * ratio - 1.0)).ceil().max(1.0);
    if more > MOST { LabelsNeeded::TooMany } else { LabelsNeeded::About(rounded(more)) }
}

/// Two figures are as many as such a number is worth.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 10,000")]
fn rounded(more: f64) -> u64 {
    let more = more as u64;
    let step = match more {
        0..100 => 1,
        100..1_000 => 10,
        _ => 100,
    };
    more.div_ceil(step) * step
}

impl LabelsNeeded {
    /// As the end of a sentence.
    pub(super) fn words(self) -> String {
        match self {
            LabelsNeeded::About(n) => format!("about {n} more labels at the agreement seen"),
            LabelsNeeded::TooMany => "more than 10000 more labels at the agreement seen".to_owned(),
            LabelsNeeded::NotALabelsProblem => {
                "more labels would not help: the agreement seen is itself too low".to_owned()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: f64, low: f64, n: u64, floor: f64, want: LabelsNeeded) {
        assert_eq!(labels_needed(&Estimate { value, low, high: 1.0, n }, n, floor), want);
    }

    #[test]
    fn an_interval_half_as_wide_takes_four_times_the_rows() {
        check(0.8, 0.4, 50, 0.6, LabelsNeeded::About(150));
        check(0.8, 0.4, 20, 0.6, LabelsNeeded::About(60));
        check(0.61, 0.41, 50, 0.6, LabelsNeeded::TooMany);
        check(0.8, 0.79, 50, 0.795, LabelsNeeded::About(150));
    }

    #[test]
    fn labels_do_not_lift_what_is_too_low_itself() {
        check(0.5, 0.4, 50, 0.6, LabelsNeeded::NotALabelsProblem);
        check(0.6, 0.4, 50, 0.6, LabelsNeeded::NotALabelsProblem);
    }
}
