//! A finding of the gate in one line.

use std::fmt::Write as _;

use probity_core::gate::Finding;

use crate::plain::plain;

/// What was found where, what was expected, and the source it was checked against.
pub(crate) fn finding_line(finding: &Finding) -> String {
    let seen = &finding.sighting;
    let mut line = format!("{} at {}-{}: {}", seen.rule, seen.start, seen.end, plain(&seen.message));
    if let Some(expected) = &seen.expected {
        write!(line, "; expected {}", plain(expected)).expect("a string takes any text");
    }
    if let Some(source) = &seen.source {
        write!(line, " ({})", plain(&source.to_string())).expect("a string takes any text");
    }
    line
}
