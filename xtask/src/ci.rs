//! The definition of green: the same steps on a laptop and on the server, cheapest first.
//!
//! A group with a step that fails ends the run, with the step's name and all it wrote. What cannot be checked here,
//! a step or a single test, is listed as skipped and never as passed.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use crate::count::{Count, count};
use crate::step::{self, Ending, Step};
use crate::{apt, axe, book, deny, fuzz, python, smoke};

/// Names the file to which a test adds a line when it cannot check here what it is for.
const SKIPPED_LIST: &str = "PROBITY_SKIPPED";

/// Lets tests install what they need. Without it, tests use no network.
const TESTS_INSTALL: (&str, &str) = ("PROBITY_TESTS_INSTALL", "1");

/// What property tests draw from, so that the same tree is green or red each time. With the variable set, or
/// without this recipe, they look at other inputs.
const PROPERTY_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20260815");

/// Steps of a group run at the same time: one of them computes, the others wait for the network or for its build.
const GROUPS: &[&[Step]] = &[
    &[
        Step { name: "fmt", run: || step::captured(step::cargo(["fmt", "--all", "--check"])).into() },
        Step { name: "deny", run: deny::tree },
        Step { name: "postgres", run: apt::postgres },
        Step { name: "proxies", run: apt::proxies },
    ],
    &[
        Step { name: "clippy", run: clippy },
        Step { name: "advisories", run: deny::advisories },
        Step { name: "browser", run: apt::browser },
        Step { name: "axe", run: axe::present },
        Step { name: "site", run: book::build },
    ],
    &[Step { name: "tests", run: tests }],
    &[
        Step {
            name: "doc tests",
            run: || tested(&["test", "--locked", "--workspace", "--no-fail-fast", "--doc"]),
        },
        Step { name: "docs", run: docs },
        Step { name: "first command", run: smoke::first_command },
        Step { name: "python", run: python::tests },
    ],
    &[Step { name: "fuzz", run: fuzz::smoke }],
];

/// What a run has to say at its end.
#[derive(Default)]
struct Closing {
    /// Each step that was reached: name, duration and how it ended in one word.
    rows: Vec<(&'static str, Duration, &'static str)>,
    /// What was not checked, each with its reason.
    skipped: BTreeSet<String>,
    /// The first step that failed.
    failed: Option<&'static str>,
    /// The tests that ran.
    tests: Tests,
}

/// What is known about the tests that ran.
#[derive(Default, Clone, Copy)]
enum Tests {
    /// None ran.
    #[default]
    None,
    /// All that ran were counted.
    Counted(Count),
    /// Some ran without a summary that is understood, so no total would be true.
    Unknown,
}

/// Runs every step and prints the closing table.
pub(crate) fn run() -> ExitCode {
    let mut closing = Closing::default();
    for group in GROUPS {
        for (step, (took, ending)) in group.iter().zip(endings(group)) {
            closing.add(step.name, took, ending);
        }
        if closing.failed.is_some() {
            break;
        }
    }
    // Where no test skipped anything, there is no list.
    let skipped = fs::read_to_string(skipped_list()).unwrap_or_default();
    let _ = fs::remove_file(skipped_list());
    closing.skipped.extend(skipped.lines().map(|line| line.trim_start_matches("skipped: ").to_owned()));
    print!("\n{closing}");
    if closing.failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// How the steps of a group ended and how long each took, in their order.
fn endings(group: &[Step]) -> Vec<(Duration, Ending)> {
    let timed = |step: &Step| {
        println!("== {}", step.name);
        // A step takes minutes at times; its name has to be there before.
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let ending = (step.run)();
        println!("   {} took {:.1} s", step.name, started.elapsed().as_secs_f64());
        (started.elapsed(), ending)
    };
    thread::scope(|scope| {
        let running: Vec<_> = group.iter().map(|step| scope.spawn(move || timed(step))).collect();
        running.into_iter().map(|step| step.join().expect("a step does not panic")).collect()
    })
}

/// The file with what tests skipped.
fn skipped_list() -> PathBuf {
    std::env::temp_dir().join(format!("probity-skipped-{}.txt", std::process::id()))
}

impl Closing {
    fn add(&mut self, name: &'static str, took: Duration, ending: Ending) {
        let word = match ending {
            Ending::Passed => "ok",
            Ending::Tested(count) => {
                self.tests = count.map_or(Tests::Unknown, |count| self.tests.with(count));
                "ok"
            }
            Ending::Skipped(reason) => {
                self.skipped.insert(reason.to_owned());
                "skipped"
            }
            Ending::Failed(failure) => {
                println!("{failure}");
                self.tests = count(&failure.output).map_or(self.tests, |count| self.tests.with(count));
                self.failed = self.failed.or(Some(name));
                "failed"
            }
        };
        self.rows.push((name, took, word));
    }
}

impl Tests {
    fn with(self, more: Count) -> Tests {
        match self {
            Tests::None => Tests::Counted(more),
            Tests::Counted(count) => Tests::Counted(count + more),
            Tests::Unknown => Tests::Unknown,
        }
    }
}

impl fmt::Display for Closing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, took, word) in &self.rows {
            writeln!(f, "{name:<14} {:>8.1} s  {word}", took.as_secs_f64())?;
        }
        if !self.skipped.is_empty() {
            writeln!(f, "skipped checks: {}", self.skipped.len())?;
        }
        for check in &self.skipped {
            writeln!(f, "  {check}")?;
        }
        if let Some(name) = self.failed {
            writeln!(f, "failed: {name}")?;
        }
        if let Tests::Counted(count) = self.tests {
            writeln!(f, "{count}")?;
        }
        Ok(())
    }
}

fn clippy() -> Ending {
    let arguments = ["clippy", "--locked", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    step::captured(step::cargo(arguments)).into()
}

/// Everything but the doc tests, which nextest cannot run and which are a step of their own.
fn tests() -> Ending {
    if step::has_version(step::cargo(["nextest"])) {
        tested(&["nextest", "run", "--locked", "--workspace", "--no-fail-fast", "--status-level", "fail"])
    } else {
        tested(&["test", "--locked", "--workspace", "--no-fail-fast", "--all-targets"])
    }
}

/// Runs tests and counts them. Where the summary is not understood, its last lines are shown as they are.
fn tested(arguments: &[&str]) -> Ending {
    let mut command = step::cargo(arguments.iter().copied());
    for (variable, value) in [PROPERTY_SEED, TESTS_INSTALL] {
        if std::env::var_os(variable).is_none() {
            command.env(variable, value);
        }
    }
    command.env(SKIPPED_LIST, skipped_list());
    match step::captured(command) {
        Ok(output) => {
            let counted = count(&output);
            if counted.is_none() {
                let lines: Vec<&str> = output.lines().collect();
                println!("{}", lines[lines.len().saturating_sub(10)..].join("\n"));
            }
            Ending::Tested(counted)
        }
        Err(failure) => Ending::Failed(failure),
    }
}

fn docs() -> Ending {
    let mut command = step::cargo(["doc", "--locked", "--quiet", "--workspace", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    step::captured(command).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::StepFailure;

    #[track_caller]
    fn check(endings: Vec<(&'static str, Ending)>, want: &str) {
        let mut closing = Closing::default();
        for (name, ending) in endings {
            closing.add(name, Duration::from_millis(1500), ending);
        }
        assert_eq!(closing.to_string(), want);
    }

    #[test]
    fn counts_of_all_test_steps_are_added() {
        check(
            vec![
                ("tests", Ending::Tested(Some(Count { passed: 7, failed: 0 }))),
                ("doc tests", Ending::Tested(Some(Count { passed: 2, failed: 0 }))),
            ],
            "tests               1.5 s  ok\ndoc tests           1.5 s  ok\n9 passed, 0 failed\n",
        );
    }

    #[test]
    fn a_skipped_step_is_not_a_passed_one() {
        check(
            vec![("deny", Ending::Skipped("cargo deny (could not be installed)"))],
            "deny                1.5 s  skipped\nskipped checks: 1\n  cargo deny (could not be installed)\n",
        );
    }

    #[test]
    fn a_failed_step_is_named_and_its_tests_are_counted() {
        let output = "test result: FAILED. 3 passed; 1 failed; 0 ignored".to_owned();
        check(
            vec![("tests", Ending::Failed(StepFailure { command: "cargo test".to_owned(), output }))],
            "tests               1.5 s  failed\nfailed: tests\n3 passed, 1 failed\n",
        );
    }

    #[test]
    fn a_total_with_a_part_unknown_is_not_printed() {
        check(
            vec![
                ("tests", Ending::Tested(None)),
                ("doc tests", Ending::Tested(Some(Count { passed: 2, failed: 0 }))),
            ],
            "tests               1.5 s  ok\ndoc tests           1.5 s  ok\n",
        );
    }
}
