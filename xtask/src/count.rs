//! How many tests passed and failed, read from what the test runners print.
//!
//! Nothing is guessed: without a summary line there is no count. Tests that were left out are not counted.

use std::fmt;
use std::ops::Add;

/// Tests that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Count {
    /// How many passed.
    pub(crate) passed: u64,
    /// How many did not, for whatever reason.
    pub(crate) failed: u64,
}

impl Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Adds up every summary line in `output`: one per test binary for the built-in runner, one in all for nextest.
pub(crate) fn count(output: &str) -> Option<Count> {
    output.lines().filter_map(summary).reduce(Count::add)
}

fn summary(line: &str) -> Option<Count> {
    let line = line.trim_start();
    let figures = if line.starts_with("test result: ") {
        line.split_once(". ")?.1
    } else if line.starts_with("Summary [") {
        line.split_once(" run: ")?.1
    } else {
        return None;
    };
    let mut count = Count::default();
    for part in without_brackets(figures).split([',', ';']) {
        let Some((number, what)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<u64>() else { continue };
        match what.trim() {
            "passed" => count.passed += number,
            "failed" | "exec failed" | "timed out" => count.failed += number,
            _ => {}
        }
    }
    Some(count)
}

/// The text without what stands in round brackets: nextest splits the passed tests up there a second time.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::new();
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, want: &str) {
        let got = count(output).map_or_else(|| "no count".to_owned(), |count| count.to_string());
        assert_eq!(got, want, "{output}");
    }

    #[test]
    fn the_built_in_runner_has_a_line_per_binary() {
        check(
            "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
             test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.01s\n",
            "7 passed, 1 failed",
        );
    }

    #[test]
    fn nextest_has_one_line() {
        check("     Summary [   0.005s] 10 tests run: 10 passed, 0 skipped\n", "10 passed, 0 failed");
        check("     Summary [   0.005s] 1 test run: 1 passed, 3 skipped\n", "1 passed, 0 failed");
    }

    #[test]
    fn nextest_names_each_way_to_fail() {
        check(
            "Summary [ 61.0s] 14/20 tests run: 8 passed (1 slow, 2 flaky), 3 failed (1 due to being leaky), \
             2 timed out, 1 exec failed, 0 skipped",
            "8 passed, 6 failed",
        );
    }

    #[test]
    fn no_summary_is_no_count() {
        check("error: could not compile `probity`\n3 passed\n", "no count");
    }
}
