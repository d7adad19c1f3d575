//! One HTML file that opens from disk: figures, charts, the replies worth reading, and a list of all of them.
//!
//! The page asks nobody for anything and says so in its policy. Text from outside is escaped by the template, or
//! is inert JSON that the page's script puts in as text. What the page shows is made in [`view`]; the template
//! only lays it out.

mod view;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use probity_core::report::{ReplyResult, Summary};
use probity_core::score::CriterionOutcome;
use probity_engine::input::Skipped;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

use super::super::results::WholeFile;
use super::Report;
use super::appendix::{Appendix, Origin};
use super::page::Page;

/// The templates by name: two kinds of page, and what they share.
const TEMPLATES: [(&str, &str); 6] = [
    ("base", include_str!("../../../pages/report-base.html.jinja")),
    ("appendix", include_str!("../../../pages/report-appendix.html.jinja")),
    ("block", include_str!("../../../pages/report-block.html.jinja")),
    ("whisker", include_str!("../../../pages/report-whisker.html.jinja")),
    ("run", include_str!("../../../pages/report.html.jinja")),
    ("page", include_str!("../../../pages/report-page.html.jinja")),
];
const STYLE: &str = include_str!("../../../pages/report.css");
const SCRIPT: &str = include_str!("../../../pages/report.js");

/// What ends every page.
const END: &str = "</body>\n</html>\n";

/// How many skipped records are listed.
const SKIPPED_MAX: usize = 50;

/// A report that is being written. Rows wait in a temporary file, because the figures stand before them.
pub(super) struct Html {
    out: WholeFile,
    cases: String,
    origin: Origin,
    rows: BufWriter<File>,
    n_rows: u64,
    digest: blake3::Hasher,
    skipped: Vec<Skipped>,
}

impl Html {
    pub(super) fn new(out: WholeFile, cases: &str, origin: Origin) -> io::Result<Self> {
        let rows = BufWriter::new(tempfile::tempfile()?);
        let (digest, skipped) = (blake3::Hasher::new(), Vec::new());
        Ok(Html { out, cases: cases.to_owned(), origin, rows, n_rows: 0, digest, skipped })
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(result) => {
                self.rows.write_all(if self.n_rows > 0 { b",\n" } else { b"\n" })?;
                self.n_rows += 1;
                let row = inert(&short(result));
                self.digest.update(row.as_bytes());
                self.rows.write_all(row.as_bytes())
            }
            Row::Skipped(record) => {
                if self.skipped.len() < SKIPPED_MAX {
                    self.skipped.push(record.clone());
                }
                Ok(())
            }
        }
    }

    fn finish(self: Box<Self>, summary: &Summary) -> io::Result<()> {
        let Html { mut out, cases, origin, rows, mut digest, skipped, .. } = *self;
        let appendix = Appendix::of(origin, summary.rubric(), summary.facts());
        let view = view::view(summary, &cases, &skipped, &appendix);
        digest.update(view.to_string().as_bytes());
        let nonce = digest.finalize().to_hex();
        let page = rendered("run", &view, &nonce, Scripted::Yes).map_err(io::Error::other)?;
        out.write_all(page.as_bytes())?;
        out.write_all(b"<script type=\"application/json\" id=\"rows\">[")?;
        let mut rows = rows.into_inner().map_err(io::IntoInnerError::into_error)?;
        rows.rewind()?;
        io::copy(&mut rows, &mut out)?;
        write!(out, "]</script>\n<script nonce=\"{nonce}\">{SCRIPT}</script>\n{END}")?;
        out.keep()
    }
}

/// The whole of a page that has no rows.
pub(super) fn html(page: &Page) -> io::Result<String> {
    let view = serde_json::to_value(page)?;
    let nonce = blake3::hash(view.to_string().as_bytes()).to_hex();
    Ok(rendered("page", &view, &nonce, Scripted::No).map_err(io::Error::other)? + END)
}

/// Whether a page runs a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scripted {
    Yes,
    No,
}

/// A page up to its rows. The nonce is made of everything on the page, so no text on it can know it.
fn rendered(name: &str, view: &Value, nonce: &str, scripted: Scripted) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let css = minijinja::Value::from_safe_string(STYLE.to_owned());
    let scripted = scripted == Scripted::Yes;
    environment.get_template(name)?.render(context! { nonce, css, scripted, ..Serde(view) })
}

/// A row of the list of all replies.
fn short(result: &ReplyResult) -> Value {
    let total = result.total().map(probity_core::exact::Exact::to_f64);
    let mut row = vec![
        json!(result.name()),
        json!(result.slice.as_deref().unwrap_or(view::NO_SLICE)),
        json!(result.outcome.name()),
        json!(total),
    ];
    row.extend(result.criteria.iter().map(|(_, outcome)| match outcome {
        CriterionOutcome::Scored(scored) => json!(scored.level),
        CriterionOutcome::Unscored(_) => Value::Null,
    }));
    Value::Array(row)
}

/// JSON that cannot end the element it stands in.
fn inert(value: &Value) -> String {
    value
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests;
