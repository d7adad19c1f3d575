//! A calibration as test cases: one per judge and slice.
//!
//! A slice that agrees too seldom is a failure. Verdicts that were asked for and did not come are an error. What the
//! judge left to a person is skipped, and so is a slice with too few labels: people have to label more.

use probity_core::calibrate::{Calibration, JudgeFigures};

use super::super::figure::percent;
use super::super::report::junit::{Came, TestCase};
use super::{CalibrationShown, estimate};

/// The test cases of a calibration.
pub(super) fn test_cases(shown: &CalibrationShown<'_>) -> Vec<TestCase> {
    let (all, n_missing) = (shown.calibration, shown.asked.map_or(0, |asked| asked.n_missing));
    let missing = (n_missing > 0).then(|| {
        let reason = format!("{n_missing} verdicts were asked for and did not come");
        TestCase::new("verdicts", "every labelled item has a verdict", Came::Error(vec![reason]))
    });
    let judges = all.judges.iter().flat_map(|(name, judge)| of_judge(name, judge, all));
    missing.into_iter().chain(judges).collect()
}

fn of_judge(name: &str, judge: &JudgeFigures, all: &Calibration) -> Vec<TestCase> {
    let test = |what: String, came| TestCase::new(name, what, came);
    let (wanted, n_min) = (all.counting.weak_below, all.counting.sampling.n_min);
    let mut tests = Vec::new();
    if judge.n_without_verdict > 0 {
        let n = judge.n_without_verdict;
        let reason =
            format!("without a verdict that counts: {n}; the judge left them to a person, or gave none");
        tests.push(test("decides every labelled item".to_owned(), Came::Skipped(reason)));
    }
    for (slice, figures) in &judge.by_slice {
        let came = match estimate(figures, "agreement") {
            Some(rate) if rate.n >= n_min && rate.value < wanted => {
                let reason = format!(
                    "agrees on {} of {} ({:.1}–{:.1}), {} is wanted",
                    percent(rate.value),
                    rate.n,
                    100.0 * rate.low,
                    100.0 * rate.high,
                    percent(wanted)
                );
                Came::failed(reason)
            }
            Some(rate) if rate.n >= n_min => Came::Passed,
            rate => {
                let n = rate.map_or(0, |rate| rate.n);
                Came::Skipped(format!(
                    "{n} labelled items are too few, {n_min} are needed: people have to label more"
                ))
            }
        };
        tests.push(test(format!("agrees with people on {slice}"), came));
    }
    tests
}
