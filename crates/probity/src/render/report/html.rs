//! A document as one HTML file that opens from disk: figures, charts, the replies worth reading, and for a run a list
//! of all of them.
//!
//! The page asks for nothing and says so in its policy. Text from outside is escaped by the template, or is inert
//! JSON that the page's script puts in as text.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use probity_core::report::{ReplyResult, Summary};
use probity_core::sample::NO_SLICE;
use probity_core::score::CriterionOutcome;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

use super::super::results::WholeFile;
use super::Report;
use super::document::{Document, JudgeLine};

/// The templates by name: a page, and what is on it.
const TEMPLATES: [(&str, &str); 3] = [
    ("page", include_str!("../../../pages/report.html.jinja")),
    ("appendix", include_str!("../../../pages/report-appendix.html.jinja")),
    ("block", include_str!("../../../pages/report-block.html.jinja")),
];
const STYLE: &str = include_str!("../../../pages/report.css");
const SCRIPT: &str = include_str!("../../../pages/report.js");

/// What ends every page.
const END: &str = "</body>\n</html>\n";

/// The report of a run that is being written. Rows wait in a temporary file, because the figures stand before them.
pub(super) struct Html {
    out: WholeFile,
    rows: BufWriter<File>,
    n_rows: u64,
    digest: blake3::Hasher,
}

impl Html {
    pub(super) fn new(out: WholeFile) -> io::Result<Self> {
        let rows = BufWriter::new(tempfile::tempfile()?);
        Ok(Html { out, rows, n_rows: 0, digest: blake3::Hasher::new() })
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        let Row::Reply(result) = row else { return Ok(()) };
        self.rows.write_all(if self.n_rows > 0 { b",\n" } else { b"\n" })?;
        self.n_rows += 1;
        let row = inert(&short(result));
        self.digest.update(row.as_bytes());
        self.rows.write_all(row.as_bytes())
    }

    fn finish(self: Box<Self>, _: &Summary, document: &Document) -> io::Result<()> {
        let Html { mut out, rows, digest, .. } = *self;
        let (page, nonce) = rendered(document, digest, Scripted::Yes)?;
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
pub(super) fn html(document: &Document) -> io::Result<String> {
    Ok(rendered(document, blake3::Hasher::new(), Scripted::No)?.0 + END)
}

/// Whether a page runs a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scripted {
    Yes,
    No,
}

/// A page up to its rows, and its nonce. That is made of everything on the page, so no text on it can know it; `digest`
/// has the rows.
fn rendered(
    document: &Document,
    mut digest: blake3::Hasher,
    scripted: Scripted,
) -> io::Result<(String, String)> {
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
    let view = json!({
        "command": command, "title": title, "about": about, "judge": judge, "verdict": verdict, "lead": lead, "tiles": tiles,
        "warnings": warnings, "sections": sections, "calls": calls, "appendix": appendix,
        "caution": judge.as_ref().map_or("", JudgeLine::caution),
    });
    let nonce = digest.update(view.to_string().as_bytes()).finalize().to_hex().to_string();
    let page = || {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        let css = minijinja::Value::from_safe_string(STYLE.to_owned());
        let (scripted, view) = (scripted == Scripted::Yes, Serde(&view));
        environment.get_template("page")?.render(context! { nonce => nonce.as_str(), css, scripted, ..view })
    };
    let page: Result<String, minijinja::Error> = page();
    Ok((page.map_err(io::Error::other)?, nonce))
}

/// A row of the list of all replies.
fn short(result: &ReplyResult) -> Value {
    let total = result.total().map(probity_core::exact::Exact::to_f64);
    let mut row = vec![
        json!(result.name()),
        json!(result.slice.as_deref().unwrap_or(NO_SLICE)),
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
