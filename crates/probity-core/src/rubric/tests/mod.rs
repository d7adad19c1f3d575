//! Tests: one good file, one change each, and what comes of it.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

mod built_in;
mod faults;
mod format;
mod meaning;
mod routing;

use expect_test::Expect;

use super::{Rubric, RubricReading, read};

/// A small rubric with one of everything.
const BASE: &str = include_str!("base.toml");

/// The base file with one text exchanged for another, which must stand in it exactly once.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert_eq!(BASE.matches(from).count(), 1, "{from:?} must stand once in the base file");
    BASE.replace(from, to)
}

/// The rubric of a file that must be good.
#[track_caller]
fn good(text: &str) -> Rubric {
    match read(text) {
        Ok(RubricReading { rubric, .. }) => rubric,
        Err(problems) => panic!("expected a good rubric, found {problems:#?}"),
    }
}

/// Errors, or `ok` and warnings, one per line with its hint behind `|`.
fn summary(text: &str) -> String {
    let (mut lines, problems) = match read(text) {
        Ok(reading) => (vec!["ok".to_owned()], reading.warnings),
        Err(problems) => (Vec::new(), problems),
    };
    for problem in problems {
        let hint = problem.hint.map(|hint| format!(" | {hint}")).unwrap_or_default();
        lines.push(format!("{}: {}{hint}", problem.line, problem.message));
    }
    lines.join("\n")
}

/// Compares what comes of the base file with one change.
#[track_caller]
fn check(from: &str, to: &str, want: &Expect) {
    want.assert_eq(&summary(&changed(from, to)));
}
