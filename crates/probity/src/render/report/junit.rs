//! `JUnit` XML, as CI servers read it: one test case per reply.
//!
//! A reply that does not pass, or that the gate blocked, is a failure. One that nobody could judge is an error:
//! an outage must not look like bad quality. One that waits for a person is skipped, as is a record that cannot
//! be used. Text from outside is escaped, and what XML cannot hold is replaced.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use probity_core::report::{GateOutcome, Outcome, ReplyResult, Summary};
use probity_core::score::{CriterionOutcome, Failure, Unscored};
use probity_engine::load::Skipped;
use probity_engine::run::results::Row;

use super::super::finding::finding_line;
use super::super::results::WholeFile;
use super::Report;
use super::private::shown;

/// The cause of a criterion that a person has yet to decide.
const AWAITS_PERSON: &str = "awaiting_person";

/// A report that is being written. Test cases wait in a temporary file, because their counts stand before them.
pub(super) struct Junit {
    out: WholeFile,
    cases: String,
    spool: BufWriter<File>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

/// What a test case came to.
enum Came {
    Passed,
    Failed { kind: &'static str, reasons: Vec<String> },
    Error(Vec<String>),
    Skipped(String),
}

impl Junit {
    pub(super) fn new(out: WholeFile, cases: &str) -> io::Result<Self> {
        let spool = BufWriter::new(tempfile::tempfile()?);
        Ok(Junit { out, cases: cases.to_owned(), spool, counts: Counts::default() })
    }

    fn case(&mut self, class: &str, name: &str, came: &Came) -> io::Result<()> {
        self.counts.tests += 1;
        write!(self.spool, "    <testcase classname=\"{}\" name=\"{}\"", attribute(class), attribute(name))?;
        match came {
            Came::Passed => return writeln!(self.spool, "/>"),
            Came::Failed { kind, reasons } => {
                self.counts.failures += 1;
                let first = attribute(reasons.first().map_or("", String::as_str));
                write!(self.spool, "><failure type=\"{kind}\" message=\"{first}\">")?;
                write!(self.spool, "{}</failure>", text(&reasons.join("\n")))?;
            }
            Came::Error(reasons) => {
                self.counts.errors += 1;
                let first = attribute(reasons.first().map_or("", String::as_str));
                write!(self.spool, "><error type=\"unscored\" message=\"{first}\">")?;
                write!(self.spool, "{}</error>", text(&reasons.join("\n")))?;
            }
            Came::Skipped(reason) => {
                self.counts.skipped += 1;
                write!(self.spool, "><skipped message=\"{}\"/>", attribute(reason))?;
            }
        }
        writeln!(self.spool, "</testcase>")
    }
}

impl Report for Junit {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(result) => {
                let variant = result.variant.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
                let class = result.slice.as_deref().unwrap_or("replies");
                self.case(class, &format!("{}{variant}", result.id), &came(result))
            }
            Row::Skipped(Skipped { index, id, reason, .. }) => {
                let name = id.clone().unwrap_or_else(|| format!("record {index}"));
                self.case("records", &name, &Came::Skipped(reason.clone()))
            }
        }
    }

    fn finish(self: Box<Self>, summary: &Summary) -> io::Result<()> {
        let Junit { mut out, cases, spool, counts } = *self;
        let Counts { tests, failures, errors, skipped } = counts;
        let totals =
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
        let rubric = summary.rubric();
        let name = attribute(&format!("{} {} · {cases}", rubric.name(), rubric.version()));
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"probity\" {totals}>")?;
        writeln!(out, "  <testsuite name=\"{name}\" {totals}>")?;
        writeln!(out, "    <properties>")?;
        let judge = &summary.facts().judge;
        for (name, value) in [
            ("rubric", rubric.hash()),
            ("judge", judge.id.as_str()),
            ("judge.kind", judge.kind.as_str()),
            ("judge.model", judge.model.as_str()),
            ("judge.standing", judge.standing.name()),
            ("judge.standing_reason", judge.standing.reason()),
        ] {
            writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", attribute(value))?;
        }
        writeln!(out, "    </properties>")?;
        let mut spool = spool.into_inner().map_err(io::IntoInnerError::into_error)?;
        spool.rewind()?;
        io::copy(&mut spool, &mut out)?;
        writeln!(out, "  </testsuite>\n</testsuites>")?;
        out.keep()
    }
}

fn came(result: &ReplyResult) -> Came {
    match (&result.outcome, &result.gate) {
        (_, GateOutcome::Blocked(findings)) => {
            Came::Failed { kind: "blocked", reasons: findings.iter().map(finding_line).collect() }
        }
        (Outcome::Fail(failures), _) => {
            let mut reasons: Vec<String> = failures.iter().map(Failure::describe).collect();
            reasons.extend(said(result));
            Came::Failed { kind: "quality", reasons }
        }
        (Outcome::Unscored, _) => unscored(result),
        (Outcome::Pass | Outcome::Scored | Outcome::Blocked, _) => Came::Passed,
    }
}

/// An error, unless all that is missing is what a person has to say.
fn unscored(result: &ReplyResult) -> Came {
    let missing: Vec<(&str, &Unscored)> = result
        .criteria
        .iter()
        .filter_map(|(id, outcome)| match outcome {
            CriterionOutcome::Unscored(unscored) => Some((id.as_str(), unscored)),
            CriterionOutcome::Scored(_) => None,
        })
        .collect();
    let line = |(id, unscored): &(&str, &Unscored)| format!("{id}: {} {}", unscored.cause, unscored.detail);
    if missing.iter().all(|(_, unscored)| unscored.cause == AWAITS_PERSON) {
        return Came::Skipped(missing.iter().map(line).collect::<Vec<_>>().join("; "));
    }
    Came::Error(missing.iter().map(line).collect())
}

/// What the judge said, criterion by criterion.
fn said(result: &ReplyResult) -> impl Iterator<Item = String> {
    result.criteria.iter().filter_map(|(id, outcome)| match outcome {
        CriterionOutcome::Scored(scored) => {
            Some(format!("{id} {}: {}", scored.level, shown(&scored.reasoning)))
        }
        CriterionOutcome::Unscored(_) => None,
    })
}

fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\t' => out.push(c),
            // XML 1.0 has no way to write these.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn attribute(raw: &str) -> String {
    text(raw).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_can_leave_its_place() {
        assert_eq!(text("a<b>&\u{0}c\nd"), "a&lt;b&gt;&amp;\u{fffd}c\nd");
        assert_eq!(attribute("\"x\"\n</testcase>"), "&quot;x&quot;&#10;&lt;/testcase&gt;");
        assert_eq!(text("]]>\u{1b}[0m"), "]]&gt;\u{fffd}[0m");
    }
}
