//! Tests: one good file, one change each, and what comes of it.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes its texts this way")]

mod faults;
mod meaning;

use expect_test::Expect;

use super::super::claim::Languages;
use super::{FileProblem, Ledger, PolicyFile, Reading, read};

/// A small ledger with one of everything.
const BASE: &str = include_str!("base.toml");

/// The base file with one text exchanged for another, which must stand in it exactly once.
#[track_caller]
fn changed(from: &str, to: &str) -> String {
    assert_eq!(BASE.matches(from).count(), 1, "{from:?} must stand once in the base file");
    BASE.replace(from, to)
}

/// The files as one ledger, named `1`, `2` and so on.
fn read_all(texts: &[&str]) -> Result<Reading, Vec<FileProblem>> {
    let names: Vec<String> = (1..=texts.len()).map(|number| number.to_string()).collect();
    let files = names.iter().zip(texts).map(|(name, text)| PolicyFile { name, text });
    read(&files.collect::<Vec<_>>(), Languages::built_in())
}

/// The ledger of files that must be good.
#[track_caller]
fn good(texts: &[&str]) -> Ledger {
    match read_all(texts) {
        Ok(Reading { ledger, .. }) => ledger,
        Err(problems) => panic!("expected a good ledger, found {problems:#?}"),
    }
}

/// Errors, or `ok` and warnings, one per line with its hint behind `|`.
fn summary(texts: &[&str]) -> String {
    let (mut lines, problems) = match read_all(texts) {
        Ok(reading) => (vec!["ok".to_owned()], reading.warnings),
        Err(problems) => (Vec::new(), problems),
    };
    for FileProblem { file, problem } in problems {
        let hint = problem.hint.map(|hint| format!(" | {hint}")).unwrap_or_default();
        lines.push(format!("{file}:{}: {}{hint}", problem.line, problem.message));
    }
    lines.join("\n")
}

/// Compares what comes of the base file with one change.
#[track_caller]
fn check(from: &str, to: &str, want: &Expect) {
    want.assert_eq(&summary(&[&changed(from, to)]));
}

/// Compares what comes of whole files.
#[track_caller]
fn check_files(texts: &[&str], want: &Expect) {
    want.assert_eq(&summary(texts));
}
