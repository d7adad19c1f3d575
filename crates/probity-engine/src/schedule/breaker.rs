//! The breaker: whether a judge fails so often that asking it further only burns attempts.
//!
//! It counts failures of the judge and of the way to it. Rate limits and refused requests are no failures;
//! the lane leaves them out. It knows no clock.

use std::collections::VecDeque;

use crate::config::ScheduleSettings;

/// Counts failures until there are too many.
#[derive(Debug)]
pub(super) struct Breaker {
    consecutive: usize,
    window_max: usize,
    share: f64,
    in_a_row: usize,
    /// The latest calls, `true` for a failure, at most `window_max` of them.
    window: VecDeque<bool>,
    /// How many in the window failed.
    failed: usize,
}

impl Breaker {
    /// A breaker that has seen nothing.
    ///
    /// A single fault can hit everything in flight at once, so the window holds at least two full rounds.
    pub(super) fn new(settings: &ScheduleSettings) -> Self {
        Breaker {
            consecutive: settings.breaker_consecutive as usize,
            window_max: (settings.breaker_window as usize).max(2 * settings.concurrency),
            share: settings.breaker_share.to_f64(),
            in_a_row: 0,
            window: VecDeque::new(),
            failed: 0,
        }
    }

    /// A call brought a whole answer.
    pub(super) fn answered(&mut self) {
        self.in_a_row = 0;
        self.remember(false);
    }

    /// A call failed while `allowed` could be in flight. Says why the lane should stop, if it should.
    ///
    /// A row of failures counts only when it is as long as two full rounds of calls.
    pub(super) fn failed(&mut self, allowed: usize) -> Option<String> {
        self.in_a_row += 1;
        self.remember(true);
        let row = self.consecutive.max(2 * allowed);
        if self.in_a_row >= row {
            return Some(format!("{row} calls failed in a row"));
        }
        let n_calls = self.window.len();
        let is_full = n_calls >= self.window_max;
        (is_full && self.failed as f64 / n_calls as f64 > self.share)
            .then(|| format!("{} of the last {n_calls} calls failed", self.failed))
    }

    fn remember(&mut self, failed: bool) {
        if self.window.len() >= self.window_max {
            self.failed -= usize::from(self.window.pop_front() == Some(true));
        }
        self.window.push_back(failed);
        self.failed += usize::from(failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker(concurrency: usize) -> Breaker {
        Breaker::new(&crate::schedule::fixture::settings(concurrency))
    }

    /// How many of the calls that `fails` makes fail it takes to open the breaker.
    #[track_caller]
    fn check(concurrency: usize, fails: impl Fn(usize) -> bool, want: Option<(usize, &str)>) {
        let mut breaker = breaker(concurrency);
        let opened = (0..10_000).find_map(|n| {
            if fails(n) {
                return breaker.failed(concurrency).map(|why| (n + 1, why));
            }
            breaker.answered();
            None
        });
        assert_eq!(opened.as_ref().map(|(n, why)| (*n, why.as_str())), want);
    }

    #[test]
    fn f29_failures_in_a_row() {
        check(5, |_| true, Some((20, "20 calls failed in a row")));
        check(5, |n| n % 20 != 0, Some((200, "190 of the last 200 calls failed")));
    }

    #[test]
    fn one_round_of_failures_is_no_outage_at_any_concurrency() {
        check(2000, |n| n < 2000, None);
        check(2000, |_| true, Some((4000, "4000 calls failed in a row")));
    }

    #[test]
    fn a_judge_that_mostly_fails() {
        check(5, |n| n % 3 != 0, Some((200, "133 of the last 200 calls failed")));
        check(5, |n| n % 2 == 0, None);
    }

    #[test]
    fn old_failures_are_forgotten() {
        check(5, |n| n < 19 || (n > 300 && n % 2 == 0), None);
    }
}
