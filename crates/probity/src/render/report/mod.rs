//! Reports in files: the suffix says which kind.
//!
//! Every kind is made of the same rows and the same summary, one row at a time, and replaces the file of its
//! name only when it is complete.

pub(crate) mod appendix;
pub(crate) mod chart;
pub(crate) mod document;
pub(crate) mod html;
pub(in crate::render) mod junit;
mod markdown;
mod message;
pub(in crate::render) mod over_time;
pub(crate) mod reproduce;
mod text;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use probity_core::report::{Summary, rubric_name};
use probity_core::results::{Facts, JudgeRecord};
use probity_core::rubric::Rubric;
use probity_engine::run::results::Row;
use serde::Serialize;
use serde_json::{Value, json};

use self::document::Document;
pub(crate) use self::html::Beside;
use self::html::Html;
use self::junit::Junit;
use super::export::{self, About, RowForm, Spool};
use super::private::Texts;
use super::results::{ResultsWriter, WholeFile};

/// What takes the rows of a run in order, and its summary at the end.
pub(crate) trait Report {
    /// Takes one row.
    fn add(&mut self, row: &Row) -> io::Result<()>;
    /// Ends the report; `document` is what the summary comes to for people.
    fn finish(self: Box<Self>, summary: &Summary, document: &Document) -> io::Result<()>;
}

/// A kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportKind {
    /// One page that opens from disk.
    Html,
    /// Results as JSON, as `--output` writes them.
    Json,
    /// `JUnit` XML.
    Junit,
    /// Markdown, as code hosts show it.
    Markdown,
    /// A few lines of plain text, for a mail.
    Message,
    /// The same as the body of a Slack message.
    Slack,
    /// Rows alone, for `--output`.
    Rows(RowForm),
}

impl ReportKind {
    /// What `--output` writes to `path`: the results file, or rows where the suffix names a form of them.
    pub(crate) fn of_output(path: &Path) -> ReportKind {
        let suffix = path.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        RowForm::of(suffix).map_or(ReportKind::Json, ReportKind::Rows)
    }

    /// The kind that the suffix of `path` names.
    pub(crate) fn of(path: &Path) -> Result<ReportKind, String> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".slack.json") {
            return Ok(ReportKind::Slack);
        }
        match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("html") => Ok(ReportKind::Html),
            Some("json") => Ok(ReportKind::Json),
            Some("xml") => Ok(ReportKind::Junit),
            Some("md") => Ok(ReportKind::Markdown),
            Some("txt") => Ok(ReportKind::Message),
            _ => Err(format!(
                "--report {}: expected a name that ends in .html, .md, .txt, .xml, .json or .slack.json",
                path.display()
            )),
        }
    }
}

/// A file that a report goes to, checked before anything is paid for.
#[derive(Debug, Clone)]
pub(crate) struct ReportFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: ReportKind,
    /// What a page holds of texts.
    pub(crate) texts: Texts,
}

/// A document as files and standard output have it.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("documents can be written") + "\n"
}

/// What every document of a command that asks says about the judge, the rubric and the calls.
pub(crate) fn add_judge(json: &mut Value, rubric: &Rubric, facts: &Facts) {
    json["judge"] = json!(JudgeRecord { fingerprints: None, ..facts.judge.clone() });
    json["rubric"] = json!(rubric_name(rubric));
    json["calls"] = json!(facts.calls);
    json["calls_lost"] = json!(facts.calls_lost);
    json["tokens"] = json!(facts.tokens);
    json["cost_usd"] = json!(facts.cost_usd);
    json["warnings"] = json!(facts.warnings);
    if let Some(panel) = &facts.panel {
        json["panel"] = json!(panel);
    }
}

impl ReportFile {
    /// A report of this kind, with texts masked.
    pub(crate) fn new(path: &Path, kind: ReportKind) -> ReportFile {
        ReportFile { path: path.to_owned(), kind, texts: Texts::default() }
    }

    /// Begins the report of a run.
    pub(crate) fn open(&self, rubric: &Rubric, beside: &Rc<Beside>) -> io::Result<Box<dyn Report>> {
        let file = WholeFile::create(&self.path)?;
        Ok(match self.kind {
            ReportKind::Html => Box::new(Html::new(file, rubric, self.texts, Rc::clone(beside))?),
            ReportKind::Json => Box::new(ResultsWriter::new(file)?),
            ReportKind::Junit => Box::new(Junit::new(file)?),
            ReportKind::Markdown | ReportKind::Message | ReportKind::Slack => {
                Box::new(Summarized { file, kind: self.kind })
            }
            ReportKind::Rows(form) => Box::new(RowsFile { file, form, rows: Spool::new()? }),
        })
    }
}

/// A report that waits for the summary: rows are in the other kinds.
struct Summarized {
    file: WholeFile,
    kind: ReportKind,
}

impl Report for Summarized {
    fn add(&mut self, _: &Row) -> io::Result<()> {
        Ok(())
    }

    fn finish(mut self: Box<Self>, _: &Summary, document: &Document) -> io::Result<()> {
        self.file.write_all(document.file(self.kind, Texts::default())?.as_bytes())?;
        self.file.keep()
    }
}

/// Rows in a form of their own.
struct RowsFile {
    file: WholeFile,
    form: RowForm,
    rows: Spool,
}

impl Report for RowsFile {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        self.rows.add(row)
    }

    fn finish(self: Box<Self>, summary: &Summary, _: &Document) -> io::Result<()> {
        let about = About { summary, frame: None, unix_ns: None };
        export::write(self.form, self.rows.rows(|| None)?, &about, self.file)?.keep()
    }
}

impl Report for ResultsWriter<WholeFile> {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        ResultsWriter::add(self, row)
    }

    fn finish(self: Box<Self>, summary: &Summary, _: &Document) -> io::Result<()> {
        ResultsWriter::finish(*self, summary).and_then(WholeFile::keep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_says_which_kind() {
        assert_eq!(ReportKind::of(Path::new("a/b.md")), Ok(ReportKind::Markdown));
        assert_eq!(ReportKind::of(Path::new("b.html")), Ok(ReportKind::Html));
        assert_eq!(ReportKind::of(Path::new("b.xml")), Ok(ReportKind::Junit));
        assert_eq!(ReportKind::of(Path::new("b.json")), Ok(ReportKind::Json));
        assert_eq!(ReportKind::of(Path::new("b.txt")), Ok(ReportKind::Message));
        assert_eq!(ReportKind::of(Path::new("b.slack.json")), Ok(ReportKind::Slack));
        assert!(ReportKind::of(Path::new("b.pdf")).is_err() && ReportKind::of(Path::new("md")).is_err());
    }
}
