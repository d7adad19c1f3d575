//! `JUnit` XML, as CI servers read it: one test case per reply.
//!
//! A reply that does not pass, or that the gate blocked, is a failure. One that nobody could judge is an error:
//! an outage must not look like bad quality. One that waits for a person is skipped, as is a record that cannot
//! be used. What a judge without standing says informs and fails no build, so its tests are skipped, each with what
//! it came to. Text from outside is escaped, and what XML cannot hold is replaced.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use probity_core::report::{GateOutcome, Outcome, ReplyResult, Summary};
use probity_core::rubric::CriterionId;
use probity_core::score::{CriterionOutcome, Failure, Unscored};
use probity_engine::input::Skipped;
use probity_engine::run::results::Row;
use serde::{Deserialize, Serialize};

use super::super::finding::finding_line;
use super::super::results::WholeFile;
use super::super::summary::missing;
use super::Report;
use super::document::{Document, JudgeLine};
use super::private::shown;

/// What ends every report.
const TAIL: &str = "  </testsuite>\n</testsuites>\n";

/// The property that says what a reader must know before believing the rest; there may be several.
const WARNING: &str = "warning";

/// The cause of a criterion that a person has yet to decide.
const AWAITS_PERSON: &str = "awaiting_person";

/// A report that is being written.
pub(super) struct Junit {
    out: WholeFile,
    cases: String,
    /// The test cases by a judge with standing, and by one without: which of them is known at the end.
    promoted: Spool,
    advisory: Spool,
}

/// Test cases that wait in a temporary file, because their counts stand before them.
struct Spool {
    file: BufWriter<File>,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

/// One thing that is checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TestCase {
    /// What it belongs to.
    pub(crate) class: String,
    /// Its name.
    pub(crate) name: String,
    /// What it came to.
    pub(crate) came: Came,
    /// Whether a judge without standing fails no build by it.
    pub(crate) by_judge: bool,
}

/// What a test case came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Came {
    /// It is as wanted.
    Passed,
    /// Quality is not as wanted, for these reasons.
    Failed(Vec<String>),
    /// The gate blocked a reply, for these reasons.
    Blocked(Vec<String>),
    /// It cannot be told: something did not work.
    Error(Vec<String>),
    /// A person has to decide, or there is nothing to check.
    Skipped(String),
}

impl TestCase {
    /// A test about the judge itself, or one that no judge had a say in.
    pub(crate) fn new(class: &str, name: impl Into<String>, came: Came) -> TestCase {
        TestCase { class: class.to_owned(), name: name.into(), came, by_judge: false }
    }

    /// The test, as one that a judge decided.
    pub(crate) fn by_judge(self) -> TestCase {
        TestCase { by_judge: true, ..self }
    }
}

impl Came {
    /// A failure for one reason.
    pub(crate) fn failed(reason: String) -> Came {
        Came::Failed(vec![reason])
    }

    /// The same test by a judge without standing.
    fn by_advisory_judge(&self) -> Came {
        Came::Skipped(match self {
            Came::Passed => "advisory judge: passed".to_owned(),
            Came::Failed(reasons) | Came::Blocked(reasons) => {
                format!("advisory judge: failed: {}", reasons.join("; "))
            }
            Came::Error(reasons) => format!("advisory judge: unscored: {}", reasons.join("; ")),
            Came::Skipped(reason) => reason.clone(),
        })
    }
}

impl Junit {
    pub(super) fn new(out: WholeFile, cases: &str) -> io::Result<Self> {
        Ok(Junit { out, cases: cases.to_owned(), promoted: Spool::new()?, advisory: Spool::new()? })
    }
}

impl Spool {
    fn new() -> io::Result<Self> {
        Ok(Spool { file: BufWriter::new(tempfile::tempfile()?), counts: Counts::default() })
    }

    fn case(&mut self, class: &str, name: &str, came: &Came) -> io::Result<()> {
        self.counts.write(&mut self.file, class, name, came)
    }
}

impl Counts {
    /// Writes a test case and counts it.
    fn write(&mut self, out: &mut impl Write, class: &str, name: &str, came: &Came) -> io::Result<()> {
        self.tests += 1;
        write!(out, "    <testcase classname=\"{}\" name=\"{}\"", attribute(class), attribute(name))?;
        match came {
            Came::Passed => return writeln!(out, "/>"),
            Came::Failed(reasons) | Came::Blocked(reasons) => {
                self.failures += 1;
                let first = attribute(reasons.first().map_or("", String::as_str));
                let kind = if matches!(came, Came::Blocked(_)) { "blocked" } else { "quality" };
                write!(out, "><failure type=\"{kind}\" message=\"{first}\">")?;
                write!(out, "{}</failure>", text(&reasons.join("\n")))?;
            }
            Came::Error(reasons) => {
                self.errors += 1;
                let first = attribute(reasons.first().map_or("", String::as_str));
                write!(out, "><error type=\"unscored\" message=\"{first}\">")?;
                write!(out, "{}</error>", text(&reasons.join("\n")))?;
            }
            Came::Skipped(reason) => {
                self.skipped += 1;
                write!(out, "><skipped message=\"{}\"/>", attribute(reason))?;
            }
        }
        writeln!(out, "</testcase>")
    }

    /// Writes what stands before the test cases.
    fn head(self, out: &mut impl Write, name: &str, properties: &[(&str, &str)]) -> io::Result<()> {
        let Counts { tests, failures, errors, skipped } = self;
        let totals =
            format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(out, "<testsuites name=\"probity\" {totals}>")?;
        writeln!(out, "  <testsuite name=\"{}\" {totals}>", attribute(name))?;
        writeln!(out, "    <properties>")?;
        for (name, value) in properties {
            let (name, value) = (attribute(name), attribute(value));
            writeln!(out, "      <property name=\"{name}\" value=\"{value}\"/>")?;
        }
        writeln!(out, "    </properties>")
    }
}

/// The whole of a document that has no rows.
pub(super) fn junit(document: &Document) -> io::Result<String> {
    let (mut cases, mut counts, mut out) = (Vec::new(), Counts::default(), Vec::new());
    let is_promoted = document.judge.as_ref().is_some_and(JudgeLine::is_promoted);
    for TestCase { class, name, came, by_judge } in &document.tests {
        let advisory = (*by_judge && !is_promoted).then(|| came.by_advisory_judge());
        counts.write(&mut cases, class, name, advisory.as_ref().unwrap_or(came))?;
    }
    let mut properties: Vec<(&str, &str)> =
        document.appendix.iter().flat_map(|appendix| appendix.hashes()).collect();
    if let Some(judge) = &document.judge {
        properties.push(("judge.standing", &judge.standing));
        properties.push(("judge.standing_reason", &judge.reason));
    }
    properties.extend(document.warnings.iter().map(|warning| (WARNING, warning.as_str())));
    counts.head(&mut out, &document.title, &properties)?;
    out.extend(cases);
    out.extend(TAIL.as_bytes());
    String::from_utf8(out).map_err(io::Error::other)
}

impl Report for Junit {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(result) => {
                let class = result.slice.as_deref().unwrap_or("replies");
                let (name, came) = (result.name(), came(result));
                self.promoted.case(class, &name, &came)?;
                // What the gate blocks, and a reply that never came, no judge had a say in.
                let is_judged = matches!(result.gate, GateOutcome::Admitted(_));
                let came = if is_judged { came.by_advisory_judge() } else { came };
                self.advisory.case(class, &name, &came)
            }
            Row::Skipped(Skipped { index, id, reason, .. }) => {
                let name = id.clone().unwrap_or_else(|| format!("record {index}"));
                let came = Came::Skipped(reason.clone());
                [&mut self.promoted, &mut self.advisory]
                    .into_iter()
                    .try_for_each(|spool| spool.case("records", &name, &came))
            }
        }
    }

    fn finish(self: Box<Self>, summary: &Summary, _: &Document) -> io::Result<()> {
        let Junit { mut out, cases, promoted, advisory } = *self;
        let (rubric, judge) = (summary.rubric(), &summary.facts().judge);
        let Spool { file, counts } = if judge.standing.is_promoted() { promoted } else { advisory };
        let name = format!("{} {} · {cases}", rubric.name(), rubric.version());
        let mut properties = vec![
            ("rubric", rubric.hash()),
            ("judge", judge.id.as_str()),
            ("judge.kind", judge.kind.as_str()),
            ("judge.model", judge.model.as_str()),
            ("judge.standing", judge.standing.name()),
            ("judge.standing_reason", judge.standing.reason()),
        ];
        properties.extend(summary.facts().warnings.iter().map(|warning| (WARNING, warning.as_str())));
        counts.head(&mut out, &name, &properties)?;
        let mut spool = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        spool.rewind()?;
        io::copy(&mut spool, &mut out)?;
        out.write_all(TAIL.as_bytes())?;
        out.keep()
    }
}

fn came(result: &ReplyResult) -> Came {
    match (&result.outcome, &result.gate) {
        (_, GateOutcome::Blocked(findings)) => Came::Blocked(findings.iter().map(finding_line).collect()),
        (Outcome::Fail(failures), _) => {
            let mut reasons: Vec<String> = failures.iter().map(Failure::describe).collect();
            reasons.extend(said(result));
            Came::Failed(reasons)
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
    let level = |(id, outcome): &(CriterionId, CriterionOutcome)| match outcome {
        CriterionOutcome::Scored(scored) => {
            Some(format!("{}: {}", result.level_text(id, scored), shown(&scored.reasoning)))
        }
        CriterionOutcome::Unscored(_) => None,
    };
    result.criteria.iter().filter_map(level).chain(missing(result).map(|line| shown(&line)))
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
    fn warnings_are_properties_of_the_suite() {
        let warnings = vec!["one <model>".to_owned(), "another".to_owned()];
        let document = Document { title: "Comparison".to_owned(), warnings, ..Document::default() };
        let xml = junit(&document).expect("XML");
        let (properties, _) = xml.split_once("</properties>").expect("properties");
        assert!(properties.contains("<property name=\"warning\" value=\"one &lt;model&gt;\"/>"), "{xml}");
        assert!(properties.contains("<property name=\"warning\" value=\"another\"/>"), "{xml}");
    }

    #[test]
    fn nothing_from_outside_can_leave_its_place() {
        assert_eq!(text("a<b>&\u{0}c\nd"), "a&lt;b&gt;&amp;\u{fffd}c\nd");
        assert_eq!(attribute("\"x\"\n</testcase>"), "&quot;x&quot;&#10;&lt;/testcase&gt;");
        assert_eq!(text("]]>\u{1b}[0m"), "]]&gt;\u{fffd}[0m");
    }
}
