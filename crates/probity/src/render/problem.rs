//! A problem in a file that a person wrote, with its line.

use std::fmt::Write as _;
use std::path::Path;

use probity_core::spec_file::Problem;

use crate::exit::Failure;
use crate::plain::{excerpt, plain};

/// So much of a line is shown.
const LINE_CHARS_MAX: usize = 160;

/// The problem with its place, the line it stands on and its hint, one below the other.
pub(crate) fn located(path_shown: &str, text: &str, kind: &str, problem: &Problem) -> String {
    let mut out = format!("{path_shown}:{}: {kind}{}\n", problem.line, plain(&problem.message));
    let line = text.lines().nth(problem.line - 1).unwrap_or("");
    if !line.trim().is_empty() {
        writeln!(out, "    {}", excerpt(line, LINE_CHARS_MAX)).expect("a string takes any text");
    }
    if let Some(hint) = &problem.hint {
        writeln!(out, "  hint: {}", plain(hint)).expect("a string takes any text");
    }
    out
}

/// Each problem with its place, its line and its hint.
pub(crate) fn problems(path_shown: &str, text: &str, kind: &str, problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|problem| located(path_shown, text, kind, problem).trim_end().to_owned()).collect()
}

/// A file that a person wrote, as `read` understands it; every problem of it is in the failure.
pub(crate) fn read_file<T>(
    path: &Path,
    what: &str,
    read: impl Fn(&str) -> Result<T, Vec<Problem>>,
) -> Result<(T, String), Failure> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::unreadable(&format!("{what}{shown}"), &error))?;
    let found =
        read(&text).map_err(|found| Failure::usage(problems(&shown, &text, "", &found).join("\n")))?;
    Ok((found, text))
}
