//! The results of a run for other programs: tables, JSON lines, and the forms of other tools.
//!
//! Rows are spooled while they come, because each of them says what the judge has earned, and that is known at the end.
//!
//! What always holds: what is unscored has no value in any form, and every form says the judge's standing.

pub(crate) mod langfuse;
pub(crate) mod otlp;
mod parquet;
pub(crate) mod promptfoo;
mod table;

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, Write};

use probity_core::report::Summary;
use probity_core::results::ResultRow;
use probity_engine::run::results::Row;
use serde_json::{Value, json};

pub(crate) use table::in_csv;

/// A form that rows are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowForm {
    /// A table that spreadsheets open.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// A table for programs.
    Parquet,
    /// `gen_ai.evaluation.result` events, as OTLP has them in JSON.
    Otlp,
    /// Bodies of Langfuse's `POST /api/public/scores`, one per line.
    Langfuse,
    /// What `promptfoo eval --output` writes.
    Promptfoo,
}

impl RowForm {
    /// The form that a suffix names.
    pub(crate) fn of(suffix: &str) -> Option<RowForm> {
        match suffix {
            "csv" => Some(RowForm::Csv),
            "jsonl" | "ndjson" => Some(RowForm::Jsonl),
            "parquet" => Some(RowForm::Parquet),
            _ => None,
        }
    }
}

/// A reply's result, and its record in the file that it came from, where another tool wrote that.
pub(crate) struct Exported {
    /// The result; `None` where the record could not be used.
    pub(crate) row: Option<ResultRow>,
    /// The record.
    pub(crate) kept: Option<Value>,
}

/// A result with its record.
type Judged = (ResultRow, Option<Value>);

/// What is said of the whole run in every form.
pub(crate) struct About<'a> {
    /// The figures.
    pub(crate) summary: &'a Summary,
    /// What stood around the records of the first file that another tool wrote.
    pub(crate) frame: Option<Value>,
    /// When the run was made, in nanoseconds since 1970, where that is on record.
    pub(crate) unix_ns: Option<i128>,
}

impl About<'_> {
    /// The judge by kind and model.
    fn judge(&self) -> String {
        let judge = &self.summary.record.facts.judge;
        [judge.kind.as_str(), judge.model.as_str()].join(" ").trim_end().to_owned()
    }

    /// What the judge has earned, as a word.
    fn standing(&self) -> &str {
        self.summary.record.facts.judge.earned.name()
    }
}

/// Rows on their way to a file, in a temporary one.
pub(crate) struct Spool(BufWriter<File>);

impl Spool {
    /// No row yet.
    pub(crate) fn new() -> io::Result<Spool> {
        Ok(Spool(BufWriter::new(tempfile::tempfile()?)))
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Row) -> io::Result<()> {
        let row = if let Row::Reply(row) = row { Some(row) } else { None };
        serde_json::to_writer(&mut self.0, &row)?;
        self.0.write_all(b"\n")
    }

    /// The rows in their order, each with what `kept` has for it.
    pub(crate) fn rows(
        self,
        mut kept: impl FnMut() -> Option<Value>,
    ) -> io::Result<impl Iterator<Item = io::Result<Exported>>> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let lines = BufReader::new(file).lines();
        Ok(lines.map(move |line| Ok(Exported { row: serde_json::from_str(&line?)?, kept: kept() })))
    }
}

/// Writes `rows` in `form`.
pub(crate) fn write<W: Write + Send>(
    form: RowForm,
    rows: impl Iterator<Item = io::Result<Exported>>,
    about: &About<'_>,
    mut out: W,
) -> io::Result<W> {
    if form == RowForm::Promptfoo {
        promptfoo::write(rows, about, &mut out)?;
        return Ok(out);
    }
    let rows = rows.filter_map(|exported| match exported {
        Ok(Exported { row, kept }) => Some(Ok((row?, kept))),
        Err(error) => Some(Err(error)),
    });
    match form {
        RowForm::Csv => {
            out.write_all(table::header(about).as_bytes())?;
            rows.map(|row| Ok(table::line(&row?.0, about)))
                .try_for_each(|line: io::Result<String>| out.write_all(line?.as_bytes()))?;
        }
        RowForm::Parquet => return parquet::write(rows, about, out),
        RowForm::Jsonl => each_line(rows, &mut out, |(row, _)| vec![with_judge(&row, about)])?,
        RowForm::Langfuse => {
            each_line(rows, &mut out, |(row, kept)| langfuse::bodies(&row, kept.as_ref(), about))?;
        }
        RowForm::Otlp => otlp::write(rows, about, &mut out)?,
        RowForm::Promptfoo => unreachable!("it was written above"),
    }
    Ok(out)
}

fn each_line(
    rows: impl Iterator<Item = io::Result<Judged>>,
    out: &mut impl Write,
    mut lines: impl FnMut(Judged) -> Vec<Value>,
) -> io::Result<()> {
    for row in rows {
        for line in lines(row?) {
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// A row with who judged and what that judge has earned. It can be read again as a case, which has a ticket or turns: the
/// ticket stays, as in a table, and `export cases` has the rest.
fn with_judge(row: &ResultRow, about: &About<'_>) -> Value {
    let mut line = serde_json::to_value(row).expect("results can be written");
    line["judge"] = json!(about.judge());
    line["standing"] = json!(about.standing());
    if let Some(line) = line.as_object_mut() {
        line.retain(|name, _| !["turns", "evidence"].contains(&name.as_str()));
    }
    line
}

/// The text at the first of these pointers that leads to one.
fn text_at<'a>(kept: Option<&'a Value>, pointers: &[&str]) -> Option<&'a str> {
    let kept = kept?;
    pointers.iter().find_map(|pointer| kept.pointer(pointer)?.as_str())
}
