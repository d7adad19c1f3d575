//! `JUnit` XML, as CI servers read it: one test case per reply.
//!
//! A reply that does not pass, or that the gate blocked, is a failure. One without a verdict is an error:
//! an outage must not look like bad quality. One that waits for a person is skipped, as is a record that cannot
//! be used. What a judge without standing says informs and fails no build, so its tests are skipped, each with what
//! it came to. Text from outside is escaped, and what XML cannot hold is replaced.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write};

use probity_core::report::Summary;
use probity_core::results::{CriterionResult, GateStatus, ResultRow, RowOutcome};
use probity_core::score::Unscored;
use probity_engine::input::Skipped;
use probity_engine::run::results::Row;
use serde::{Deserialize, Serialize};

use super::super::finding::finding_line;
use super::super::private::shown;
use super::super::results::WholeFile;
use super::super::summary::missing;
use super::Report;
use super::appendix::Appendix;
use super::document::{Document, JudgeLine};

/// What ends every report.
const TAIL: &str = "  </testsuite>\n</testsuites>\n";

/// The property that says what a reader must know before believing the rest; there may be several.
const WARNING: &str = "warning";

/// The cause of a criterion that a person has yet to decide.
const AWAITS_PERSON: &str = "awaiting_person";

/// A report that is being written. Test cases wait in a temporary file, because their counts and what the judge has
/// earned are known at the end.
pub(super) struct Junit {
    out: WholeFile,
    tests: BufWriter<File>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TestCounts {
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
    pub(super) fn new(out: WholeFile) -> io::Result<Self> {
        Ok(Junit { out, tests: BufWriter::new(tempfile::tempfile()?) })
    }
}

impl TestCounts {
    /// Counts a test case, and writes it.
    fn write(&mut self, out: &mut impl Write, test: &TestCase) -> io::Result<()> {
        let TestCase { class, name, came, .. } = test;
        self.tests += 1;
        write!(out, "    <testcase classname=\"{}\" name=\"{}\"", attribute(class), attribute(name))?;
        let mut because = |what: &str, kind: &str, reasons: &[String]| {
            let first = attribute(reasons.first().map_or("", String::as_str));
            let all = text(&reasons.join("\n"));
            writeln!(out, "><{what} type=\"{kind}\" message=\"{first}\">{all}</{what}></testcase>")
        };
        match came {
            Came::Passed => writeln!(out, "/>"),
            Came::Failed(reasons) => {
                self.failures += 1;
                because("failure", "quality", reasons)
            }
            Came::Blocked(reasons) => {
                self.failures += 1;
                because("failure", "blocked", reasons)
            }
            Came::Error(reasons) => {
                self.errors += 1;
                because("error", "unscored", reasons)
            }
            Came::Skipped(reason) => {
                self.skipped += 1;
                writeln!(out, "><skipped message=\"{}\"/></testcase>", attribute(reason))
            }
        }
    }

    /// Writes what stands before the test cases.
    fn head(self, out: &mut impl Write, name: &str, properties: &[(&str, &str)]) -> io::Result<()> {
        let TestCounts { tests, failures, errors, skipped } = self;
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

/// Writes the suite of these test cases, which are gone through twice: to count and to write them.
fn suite<Tests: Iterator<Item = io::Result<TestCase>>>(
    out: &mut impl Write,
    name: &str,
    properties: &[(&str, &str)],
    is_promoted: bool,
    tests: impl Fn() -> io::Result<Tests>,
) -> io::Result<()> {
    let each = |out: &mut dyn Write| {
        let mut counts = TestCounts::default();
        for test in tests()? {
            let test = test?;
            let is_advisory = test.by_judge && !is_promoted;
            let came = if is_advisory { test.came.by_advisory_judge() } else { test.came };
            counts.write(&mut &mut *out, &TestCase { came, ..test })?;
        }
        Ok::<_, io::Error>(counts)
    };
    each(&mut io::sink())?.head(out, name, properties)?;
    each(out)?;
    out.write_all(TAIL.as_bytes())
}

/// The whole of a document that has no rows.
pub(super) fn junit(document: &Document) -> io::Result<String> {
    let mut properties: Vec<(&str, &str)> = document.appendix.iter().flat_map(Appendix::hashes).collect();
    if let Some(judge) = &document.judge {
        properties.push(("judge.standing", &judge.standing));
        properties.push(("judge.standing_reason", &judge.reason));
    }
    properties.extend(document.warnings.iter().map(|warning| (WARNING, warning.as_str())));
    let is_promoted = document.judge.as_ref().is_some_and(JudgeLine::is_promoted);
    let mut out = Vec::new();
    let tests = || Ok(document.tests.iter().cloned().map(Ok));
    suite(&mut out, &document.title, &properties, is_promoted, tests)?;
    String::from_utf8(out).map_err(io::Error::other)
}

impl Report for Junit {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        let test = match row {
            Row::Reply(result) => {
                let class = result.slice.as_deref().unwrap_or("replies");
                let test = TestCase::new(class, result.name(), came(result));
                // What the gate blocks, and a reply that never came, no judge had a say in.
                TestCase { by_judge: result.gate.status == GateStatus::Admitted, ..test }
            }
            Row::Skipped(Skipped { index, id, reason, .. }) => {
                let name = id.clone().unwrap_or_else(|| format!("record {index}"));
                TestCase::new("records", name, Came::Skipped(reason.clone()))
            }
        };
        serde_json::to_writer(&mut self.tests, &test)?;
        self.tests.write_all(b"\n")
    }

    fn finish(self: Box<Self>, summary: &Summary, document: &Document) -> io::Result<()> {
        let Junit { mut out, tests } = *self;
        let (rubric, judge) = (&summary.rubric, &summary.record.facts.judge);
        let mut properties = vec![
            ("rubric", rubric.hash()),
            ("judge", judge.id.as_str()),
            ("judge.kind", judge.kind.as_str()),
            ("judge.model", judge.model.as_str()),
            ("judge.standing", judge.standing.as_str()),
            ("judge.standing_reason", judge.standing_reason.as_str()),
        ];
        properties.extend(document.warnings.iter().map(|warning| (WARNING, warning.as_str())));
        let file = tests.into_inner().map_err(io::IntoInnerError::into_error)?;
        let tests = || {
            let mut file = file.try_clone()?;
            file.rewind()?;
            let read = |line: io::Result<String>| Ok(serde_json::from_str(&line?)?);
            Ok(BufReader::new(file).lines().map(read))
        };
        suite(&mut out, &document.title, &properties, judge.earned.is_promoted(), tests)?;
        out.keep()
    }
}

fn came(row: &ResultRow) -> Came {
    match row.outcome {
        RowOutcome::Blocked => Came::Blocked(row.gate.findings.iter().map(finding_line).collect()),
        RowOutcome::Fail => Came::Failed(row.fail_reasons.iter().cloned().chain(said(row)).collect()),
        RowOutcome::Unscored => unscored(row),
        RowOutcome::Pass | RowOutcome::Scored => Came::Passed,
    }
}

/// An error, unless all that is missing is what a person has to say.
fn unscored(row: &ResultRow) -> Came {
    let missing = row.asked().filter_map(|(id, result)| Some((id, result.unscored.as_ref()?)));
    let missing: Vec<(&str, &Unscored)> = missing.collect();
    let line = |(id, unscored): &(&str, &Unscored)| format!("{id}: {} {}", unscored.cause, unscored.detail);
    if missing.iter().all(|(_, unscored)| unscored.cause == AWAITS_PERSON) {
        return Came::Skipped(missing.iter().map(line).collect::<Vec<_>>().join("; "));
    }
    Came::Error(missing.iter().map(line).collect())
}

/// What the judge said, criterion by criterion.
fn said(row: &ResultRow) -> impl Iterator<Item = String> {
    let level = |(id, result): (&str, &CriterionResult)| {
        Some(format!("{}: {}", result.level_text(id)?, shown(result.reasoning.as_deref()?)))
    };
    row.asked().filter_map(level).chain(missing(row).map(|line| shown(&line)))
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
