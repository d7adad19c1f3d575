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
use probity_engine::load::Skipped;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

use super::super::results::WholeFile;
use super::Report;

const PAGE: &str = include_str!("../../../pages/report.html.jinja");
const STYLE: &str = include_str!("../../../pages/report.css");
const SCRIPT: &str = include_str!("../../../pages/report.js");

/// How many skipped records are listed.
const SKIPPED_MAX: usize = 50;

/// A report that is being written. Rows wait in a temporary file, because the figures stand before them.
pub(super) struct Html {
    out: WholeFile,
    cases: String,
    rows: BufWriter<File>,
    n_rows: u64,
    skipped: Vec<Skipped>,
}

impl Html {
    pub(super) fn new(out: WholeFile, cases: &str) -> io::Result<Self> {
        let rows = BufWriter::new(tempfile::tempfile()?);
        Ok(Html { out, cases: cases.to_owned(), rows, n_rows: 0, skipped: Vec::new() })
    }
}

impl Report for Html {
    fn add(&mut self, row: &Row) -> io::Result<()> {
        match row {
            Row::Reply(result) => {
                self.rows.write_all(if self.n_rows > 0 { b",\n" } else { b"\n" })?;
                self.n_rows += 1;
                self.rows.write_all(inert(&short(result)).as_bytes())
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
        let Html { mut out, cases, rows, skipped, .. } = *self;
        let nonce = blake3::hash(format!("{STYLE}{SCRIPT}").as_bytes()).to_hex();
        out.write_all(page(summary, &cases, &skipped, &nonce).map_err(io::Error::other)?.as_bytes())?;
        out.write_all(b"[")?;
        let mut rows = rows.into_inner().map_err(io::IntoInnerError::into_error)?;
        rows.rewind()?;
        io::copy(&mut rows, &mut out)?;
        write!(out, "]</script>\n<script nonce=\"{nonce}\">{SCRIPT}</script>\n</body>\n</html>\n")?;
        out.keep()
    }
}

/// The page up to its rows.
fn page(
    summary: &Summary,
    cases: &str,
    skipped: &[Skipped],
    nonce: &str,
) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_template("report", PAGE)?;
    let css = minijinja::Value::from_safe_string(STYLE.to_owned());
    let page = environment.get_template("report")?;
    page.render(context! { nonce, css, ..Serde(view::view(summary, cases, skipped)) })
}

/// A row of the list of all replies.
fn short(result: &ReplyResult) -> Value {
    let total = result.score.as_ref().and_then(|score| score.total).map(probity_core::exact::Exact::to_f64);
    let mut row = vec![
        json!(result.id),
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
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_cannot_end_its_element() {
        let row = inert(&json!(["</script><script>alert(1)</script>", "<!--"]));
        assert!(!row.contains('<'), "{row}");
        assert_eq!(serde_json::from_str::<Value>(&row).unwrap()[1], "<!--");
    }

    #[test]
    fn the_page_fetches_nothing() {
        for text in [PAGE, STYLE, SCRIPT] {
            for word in ["http:", "https:", "url(", "@import", "src=", "fetch(", "innerHTML", "eval("] {
                assert!(!text.contains(word), "{word}");
            }
        }
    }
}
