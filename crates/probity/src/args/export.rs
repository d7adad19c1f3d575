//! The flags of `probity export`, but for labels.

use std::path::PathBuf;

use clap::Args;

use super::choice::{Choice, one_of};
use super::{SayArgs, StoreArgs};
use crate::render::export::RowForm;

/// Which run, and where it goes.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The run, by its number or as `last`
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `probity export cases`
#[derive(Debug, Args)]
pub(crate) struct ExportCasesArgs {
    #[command(flatten)]
    pub(crate) export: ExportArgs,
    /// Write other tools' files as they were read, without the private parts of help-desk exports; several files go
    /// into the folder --output
    #[arg(long)]
    pub(crate) original: bool,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// `probity export results`
#[derive(Debug, Args)]
pub(crate) struct ExportResultsArgs {
    #[command(flatten)]
    pub(crate) export: ExportArgs,
    /// The format [default: by the file's name, else jsonl]
    #[arg(long, value_parser = one_of(FORM), value_name = "FORM")]
    pub(crate) format: Option<RowForm>,
}

/// The names of the forms.
const FORM: &[Choice<RowForm>] = &[
    ("csv", "A table that spreadsheets open", RowForm::Csv),
    ("jsonl", "One JSON object per line", RowForm::Jsonl),
    ("parquet", "A table for programs", RowForm::Parquet),
    ("otlp", "gen_ai.evaluation.result events of OpenTelemetry, parented to their spans", RowForm::Otlp),
    ("langfuse", "Bodies of Langfuse's POST /api/public/scores, one per line", RowForm::Langfuse),
    ("promptfoo", "What promptfoo eval --output writes", RowForm::Promptfoo),
];
