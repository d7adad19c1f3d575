//! Reports in files: the suffix says which kind.
//!
//! Every kind is made of the same rows and the same summary, one row at a time, and replaces the file of its
//! name only when it is complete.

pub(crate) mod appendix;
pub(crate) mod calibration;
mod chart;
pub(crate) mod comparison;
pub(crate) mod difference;
mod html;
pub(crate) mod junit;
pub(in crate::render) mod markdown;
pub(crate) mod page;
mod private;
pub(crate) mod probing;
pub(crate) mod promotion;
pub(crate) mod reproduce;

use std::io;
use std::path::{Path, PathBuf};

use probity_core::report::{Facts, Summary, rubric_name};
use probity_core::results::JudgeRecord;
use probity_core::rubric::Rubric;
use probity_engine::run::results::Row;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::appendix::Origin;
use self::html::Html;
use self::junit::{Junit, TestCase};
use self::markdown::Markdown;
use self::page::Page;
use super::results::{ResultsWriter, WholeFile};

/// What takes the rows of a run in order, and its summary at the end.
pub(crate) trait Report {
    /// Takes one row.
    fn add(&mut self, row: &Row) -> io::Result<()>;
    /// Ends the report.
    fn finish(self: Box<Self>, summary: &Summary) -> io::Result<()>;
}

/// A kind of report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One page that opens from disk.
    Html,
    /// Results as JSON, as `--output` writes them.
    Json,
    /// `JUnit` XML.
    Junit,
    /// Markdown, as code hosts show it.
    Markdown,
}

impl Kind {
    /// The kind that the suffix of `path` names.
    pub(crate) fn of(path: &Path) -> Result<Kind, String> {
        match path.extension().and_then(|suffix| suffix.to_str()) {
            Some("html") => Ok(Kind::Html),
            Some("json") => Ok(Kind::Json),
            Some("xml") => Ok(Kind::Junit),
            Some("md") => Ok(Kind::Markdown),
            _ => Err(format!(
                "--report {}: expected a name that ends in .html, .md, .xml or .json",
                path.display()
            )),
        }
    }
}

/// A file that a report goes to, checked before anything is paid for.
#[derive(Debug, Clone)]
pub(crate) struct ReportFile {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
}

/// What a command other than a run came to, for programs and for people.
pub(crate) trait Document {
    /// As `--json` and `--output` have it.
    fn json(&self) -> &Value;
    /// As a terminal shows it.
    fn text(&self) -> String;
    /// As a file of this kind has it.
    fn file(&self, kind: Kind) -> io::Result<String>;
}

/// A document as it was when its command ended, in every form it can be asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StoredDocument {
    json: Value,
    text: String,
    html: String,
    junit: String,
    markdown: String,
    /// How the command ended.
    pub(crate) exit: u8,
    /// The last lines that it said.
    pub(crate) words: Vec<String>,
}

impl StoredDocument {
    /// The document with how its command ended.
    pub(crate) fn of(document: &dyn Document, exit: u8, words: &[String]) -> io::Result<StoredDocument> {
        Ok(StoredDocument {
            json: document.json().clone(),
            text: document.text(),
            html: document.file(Kind::Html)?,
            junit: document.file(Kind::Junit)?,
            markdown: document.file(Kind::Markdown)?,
            exit,
            words: words.to_vec(),
        })
    }

    /// As the store has it.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts can be written")
    }
}

impl Document for StoredDocument {
    fn json(&self) -> &Value {
        &self.json
    }

    fn text(&self) -> String {
        self.text.clone()
    }

    fn file(&self, kind: Kind) -> io::Result<String> {
        Ok(match kind {
            Kind::Html => self.html.clone(),
            Kind::Json => pretty(&self.json),
            Kind::Junit => self.junit.clone(),
            Kind::Markdown => self.markdown.clone(),
        })
    }
}

/// A document as a file of this kind: a page for people, test cases for CI servers.
pub(in crate::render) fn paged(
    document: &dyn Document,
    kind: Kind,
    page: impl FnOnce() -> Page,
    tests: impl FnOnce() -> Vec<TestCase>,
) -> io::Result<String> {
    Ok(match kind {
        Kind::Html => html::html(&page())?,
        Kind::Json => pretty(document.json()),
        Kind::Junit => junit::junit(&page(), &tests())?,
        Kind::Markdown => markdown::page::markdown(&page()),
    })
}

/// A document as files and standard output have it.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("documents can be written") + "\n"
}

/// What every document of a command that asks says about the judge, the rubric and the calls.
pub(crate) fn add_judge(json: &mut Value, rubric: &Rubric, facts: &Facts) {
    json["judge"] = json!(JudgeRecord { fingerprints: None, ..facts.judge.record() });
    json["rubric"] = json!(rubric_name(rubric));
    json["calls"] = json!(facts.calls);
    json["calls_lost"] = json!(facts.calls_lost);
    json["tokens"] = json!(facts.tokens);
    json["cost_usd"] = json!(facts.cost_usd);
    json["warnings"] = json!(facts.warnings);
}

impl ReportFile {
    /// Begins the report of a run.
    pub(crate) fn open(&self, cases: &str, origin: &Origin) -> io::Result<Box<dyn Report>> {
        let file = WholeFile::create(&self.path)?;
        Ok(match self.kind {
            Kind::Html => Box::new(Html::new(file, cases, origin.clone())?),
            Kind::Json => Box::new(ResultsWriter::new(file)?),
            Kind::Junit => Box::new(Junit::new(file, cases)?),
            Kind::Markdown => Box::new(Markdown::new(file, cases)),
        })
    }
}

impl Report for ResultsWriter<WholeFile> {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        ResultsWriter::add(self, row)
    }

    fn finish(self: Box<Self>, summary: &Summary) -> io::Result<()> {
        ResultsWriter::finish(*self, summary).and_then(WholeFile::keep)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffix_says_which_kind() {
        assert_eq!(Kind::of(Path::new("a/b.md")), Ok(Kind::Markdown));
        assert_eq!(Kind::of(Path::new("b.html")), Ok(Kind::Html));
        assert_eq!(Kind::of(Path::new("b.xml")), Ok(Kind::Junit));
        assert_eq!(Kind::of(Path::new("b.json")), Ok(Kind::Json));
        assert!(Kind::of(Path::new("b.pdf")).is_err() && Kind::of(Path::new("md")).is_err());
    }
}
