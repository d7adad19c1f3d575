//! A finding of the gate in one line.

use std::fmt::Write as _;

use probity_core::gate::SourceRef;
use probity_core::results::FindingRecord;

use crate::plain::plain;

/// What was found where, what was expected, and the source it was checked against.
pub(crate) fn finding_line(seen: &FindingRecord) -> String {
    let mut line = format!("{} at {}-{}: {}", seen.rule, seen.start, seen.end, plain(&seen.message));
    if let Some(expected) = &seen.expected {
        write!(line, "; expected {}", plain(expected)).expect("a string takes any text");
    }
    if let Some(id) = &seen.source {
        let source = SourceRef { id: id.clone(), version: seen.version.clone() };
        write!(line, " ({})", plain(&source.to_string())).expect("a string takes any text");
    }
    line
}
