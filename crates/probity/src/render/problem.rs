//! A problem in a file that a person wrote, with its line.

use std::fmt::Write as _;

use probity_core::rubric::Problem;

use super::plain::{excerpt, plain};

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
