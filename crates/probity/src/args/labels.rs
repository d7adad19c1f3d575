//! The flags of `probity import labels` and `probity export labels`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{SayArgs, StoreArgs};

/// `probity import labels`
#[derive(Debug, Args)]
pub(crate) struct ImportLabelsArgs {
    /// Files of labels: JSON, JSONL or CSV; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The label values from lowest to highest, such as poor,fair,good [default: a, b and tie, pass and
    /// fail, or numbers]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) values: Vec<String>,
    /// Which columns of a file of cases hold labels: label=Overall,label.tone=Tone,annotator=Reviewer
    #[arg(long, value_name = "FIELD=SOURCE,…")]
    pub(crate) map: Vec<String>,
    /// The delimiter of CSV files
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// `probity export labels`
#[derive(Debug, Args)]
pub(crate) struct ExportLabelsArgs {
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The format [default: by the file's name, else jsonl]
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) format: Option<LabelFormat>,
    /// CSV for programs, without the quotes that keep spreadsheets from running cells as formulas
    #[arg(long, conflicts_with = "format")]
    pub(crate) raw_csv: bool,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LabelFormat {
    /// A table that spreadsheets open
    Csv,
    /// One JSON object per line
    Jsonl,
}
