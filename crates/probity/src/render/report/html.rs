//! A document as one HTML file that opens from disk: figures, charts, the replies worth reading, and for a run a list
//! of all of them.
//!
//! The page asks for nothing and says so in its policy. Text from outside is escaped by the template, or is inert
//! JSON that the page's script puts in as text.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use probity_core::report::Summary;
use probity_core::results::ResultRow;
use probity_core::rubric::Rubric;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

use super::super::private::Texts;
use super::super::results::WholeFile;
use super::super::view::{self, BLOCK, Index, Viewer};
use super::Report;
use super::document::{Document, JudgeLine, Section};

/// The templates by name: a page, and what is on it.
const TEMPLATES: [(&str, &str); 3] = [
    ("page", include_str!("../../../pages/report.html.jinja")),
    ("appendix", include_str!("../../../pages/report-appendix.html.jinja")),
    ("block", include_str!("../../../pages/report-block.html.jinja")),
];
const STYLE: &str = include_str!("../../../pages/report.css");

/// What ends every page.
const END: &str = "</body>\n</html>\n";

/// The report of a run that is being written. Cases are made into markup as they come and wait in a temporary file,
/// because the figures stand before them.
pub(super) struct Html {
    out: WholeFile,
    viewer: Viewer,
    index: Index,
    /// The rows of the next block.
    rows: Vec<ResultRow>,
    blocks: BufWriter<File>,
    n_blocks: usize,
    digest: blake3::Hasher,
}

impl Html {
    pub(super) fn new(out: WholeFile, rubric: &Rubric, texts: Texts) -> io::Result<Self> {
        let viewer = Viewer::new(rubric.clone(), texts);
        let blocks = BufWriter::new(tempfile::tempfile()?);
        let (index, rows, digest) = (viewer.index(), Vec::new(), blake3::Hasher::new());
        Ok(Html { out, viewer, index, rows, blocks, n_blocks: 0, digest })
    }

    fn end_block(&mut self) -> io::Result<()> {
        let block = self.viewer.block(&self.rows)?;
        self.digest.update(block.as_bytes());
        writeln!(
            self.blocks,
            "<script type=\"text/plain\" data-block=\"{}\">{block}</script>",
            self.n_blocks
        )?;
        self.n_blocks += 1;
        self.rows.clear();
        Ok(())
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        let Row::Reply(row) = row else { return Ok(()) };
        self.index.add(row);
        self.rows.push((**row).clone());
        if self.rows.len() == BLOCK { self.end_block() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>, summary: &Summary, document: &Document) -> io::Result<()> {
        if !self.rows.is_empty() {
            self.end_block()?;
        }
        let worst = summary.worst.iter().map(|ranked| self.viewer.case(&ranked.row));
        let worst = worst.collect::<io::Result<Vec<_>>>()?;
        let Html { mut out, index, blocks, digest, .. } = *self;
        let (page, nonce) = rendered(document, digest, Some(&worst))?;
        out.write_all(page.as_bytes())?;
        let mut blocks = blocks.into_inner().map_err(io::IntoInnerError::into_error)?;
        blocks.rewind()?;
        io::copy(&mut blocks, &mut out)?;
        let index = inert(&serde_json::to_string(&index)?);
        writeln!(out, "<script type=\"application/json\" id=\"index\">{index}</script>")?;
        write!(out, "<script nonce=\"{nonce}\">{}</script>\n{END}", view::SCRIPT)?;
        out.keep()
    }
}

/// The whole of a page that has no rows.
pub(super) fn html(document: &Document) -> io::Result<String> {
    Ok(rendered(document, blake3::Hasher::new(), None)?.0 + END)
}

/// A document as a part of a page of the server, which has the frame around it. `list` is the list of replies as
/// readers without scripts have it; empty for a document without one.
pub(crate) fn part(document: &Document, list: &str) -> io::Result<String> {
    let has_rows = document.sections.iter().any(Section::has_rows);
    let mut values = values(document, has_rows.then_some(&[]));
    values["alone"] = json!(false);
    values["filters"] = json!(["?", "#replies-list"]);
    filled(&values, "", list)
}

/// A page up to its data, and its nonce. That is made of everything on the page, so no text on it can know it; `digest`
/// has the data. A page with a list has the `worst` cases in full for readers without scripts.
fn rendered(
    document: &Document,
    mut digest: blake3::Hasher,
    worst: Option<&[String]>,
) -> io::Result<(String, String)> {
    let values = values(document, worst);
    let nonce = digest.update(values.to_string().as_bytes()).finalize().to_hex().to_string();
    Ok((filled(&values, &nonce, "")?, nonce))
}

/// What the templates are filled with.
fn values(document: &Document, worst: Option<&[String]>) -> Value {
    let Document {
        command,
        title,
        about,
        judge,
        verdict,
        lead,
        tiles,
        warnings,
        sections,
        calls,
        appendix,
        ..
    } = document;
    json!({
        "command": command, "title": title, "about": about, "judge": judge, "verdict": verdict, "lead": lead, "tiles": tiles,
        "warnings": warnings, "sections": sections, "calls": calls, "appendix": appendix,
        "worst": worst, "caution": judge.as_ref().map_or("", JudgeLine::caution), "alone": true, "filters": ["#", ""],
    })
}

fn filled(values: &Value, nonce: &str, plain: &str) -> io::Result<String> {
    let page = || {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        let safe = |text: &str| minijinja::Value::from_safe_string(text.to_owned());
        let (css, list) = (safe(&format!("{STYLE}{}", view::STYLE)), safe(view::LIST));
        environment.add_filter("safe", |text: String| minijinja::Value::from_safe_string(text));
        let plain = safe(plain);
        environment.get_template("page")?.render(context! { nonce, css, list, plain, ..Serde(values) })
    };
    let page: Result<String, minijinja::Error> = page();
    page.map_err(io::Error::other)
}

/// JSON that cannot end the element it stands in.
pub(crate) fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
