//! The command line as it is typed: one group of flags per concern, one struct per command. What it means together
//! with files and variables is decided in `settings`; nothing here knows a command.

mod batch;
mod calibrate;
mod choice;
mod compare;
mod completions;
mod diff;
mod doctor;
mod export;
mod help;
mod labels;
mod mcp;
mod mock;
mod models;
mod open;
mod policy;
mod probe;
mod promote;
#[cfg(test)]
mod reference;
mod report;
mod review;
mod sample;
mod score;
mod store;
mod succeed;

pub(crate) use batch::{BatchCancelArgs, BatchCommand, BatchListArgs, ExportRequestsArgs, ImportAnswersArgs};
pub(crate) use calibrate::{CalibrateArgs, default_counting, scale};
pub(crate) use compare::CompareArgs;
pub(crate) use completions::CompletionsArgs;
pub(crate) use diff::DiffArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use export::{ExportArgs, ExportCasesArgs, ExportResultsArgs};
pub(crate) use help::{command_line, plain_command_line, with_suggestion};
pub(crate) use labels::{ExportLabelsArgs, ImportLabelsArgs, LabelFormat};
pub(crate) use mcp::McpArgs;
pub(crate) use mock::{MockArgs, UsageArg};
pub(crate) use models::ModelsArgs;
pub(crate) use open::OpenArgs;
pub(crate) use policy::{PolicyCheckArgs, PolicyCommand, PolicyDraftArgs};
pub(crate) use probe::ProbeArgs;
pub(crate) use promote::PromoteArgs;
pub(crate) use report::ReportArgs;
pub(crate) use review::{AddressArgs, ReviewArgs};
pub(crate) use sample::{DrawArgs, EstimateArgs, SampleArgs, SampleCommand};
pub(crate) use score::ScoreArgs;
pub(crate) use store::{StoreCommand, StoreCopyArgs, StoreForgetArgs, StoreMergeArgs, StoreUpkeepArgs};
pub(crate) use succeed::SucceedArgs;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use probity_core::stats::Resampling;
use probity_engine::config::Structured;
use probity_engine::input::{AgentTurns, Dedup, Encoding};
use probity_engine::run::plan::Shard;
use probity_engine::run::spec::REPEATS_MAX;

use self::choice::{DEDUP, ENCODING, STRUCTURED, TEXTS, TURNS, count, one_of, run_name, share};
use crate::render::private::Texts;
use crate::terminal;

/// The settings file that is read where it exists.
pub(crate) const SETTINGS_FILE: &str = "probity.toml";

/// Scores customer-support replies, and proves whether the judge that scored them deserves to be believed.
#[derive(Debug, Parser)]
#[command(name = "probity", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up a folder with a settings file and example cases
    Init(InitArgs),
    /// Score one reply from flags or standard input
    Score(Box<ScoreArgs>),
    /// Score the replies in one or more case files
    Run(RunArgs),
    /// Show what a run would send and cost, without sending anything
    Check(CheckArgs),
    /// Check replies against the gate's rules, without a judge
    #[command(subcommand)]
    Gate(GateCommand),
    /// Find out which of two or more variants answers better
    Compare(CompareArgs),
    /// Test a judge for known shortcuts, such as preferring longer replies
    Probe(ProbeArgs),
    /// Measure how well a judge agrees with human labels
    Calibrate(CalibrateArgs),
    /// Decide by a contract whether a judge may gate releases
    Promote(PromoteArgs),
    /// Replace a judge with another one, and see what changes
    Succeed(Box<SucceedArgs>),
    /// Label replies in a browser, blind, alone or as a team
    Review(Box<ReviewArgs>),
    /// Look at runs, cases, judges and queues in a browser
    Open(OpenArgs),
    /// List the batches of the store, or cancel one
    #[command(subcommand)]
    Batch(BatchCommand),
    /// Import labels, or answers to exported requests
    #[command(subcommand)]
    Import(ImportCommand),
    /// Export labels, cases, answers or results
    #[command(subcommand)]
    Export(ExportCommand),
    /// List past runs, report one again, or follow figures over time
    Report(ReportArgs),
    /// Show what changed between two runs, case by case
    Diff(DiffArgs),
    /// Draw a sample of production replies, and estimate quality from it
    Sample(SampleArgs),
    /// List, show, write, check and compare rubrics
    #[command(subcommand)]
    Rubric(RubricCommand),
    /// Draft policy files from texts, and check them
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List models with prices and retirement dates
    Models(ModelsArgs),
    /// Copy, merge, check and measure stores
    #[command(subcommand)]
    Store(StoreCommand),
    /// Show what is configured, where it comes from, and what would be asked
    Doctor(Box<DoctorArgs>),
    /// Trust a settings file to name hosts and programs, until it changes
    Trust(TrustArgs),
    /// Run a mock judge, for rehearsals
    Mock(MockArgs),
    /// Offer the commands to an AI assistant as tools (MCP)
    Mcp(McpArgs),
    /// Print shell completions, or write man pages
    Completions(CompletionsArgs),
}

/// What to bring into the store.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Human labels; if a row is wrong, none are imported
    Labels(ImportLabelsArgs),
    /// A model's answers to `probity export requests`, as batch result files
    Answers(ImportAnswersArgs),
}

/// What to write out of the store.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportCommand {
    /// Human labels, each row with a checksum
    Labels(ExportLabelsArgs),
    /// The cases of a run with their replies, as JSON lines that Probity reads again
    Cases(ExportCasesArgs),
    /// The replies of a run with the gate's findings, as JSON lines
    Replies(ExportArgs),
    /// What the judge of a run was asked, as JSON lines
    Packets(ExportArgs),
    /// What a run would ask its judge and has no answer to, as a batch file for another machine or program
    Requests(Box<ExportRequestsArgs>),
    /// Every answer to a run's calls, as JSON lines
    Answers(ExportArgs),
    /// The results of a run, for spreadsheets, programs and other tools
    Results(ExportResultsArgs),
}

/// What to do with the gate.
#[derive(Debug, Subcommand)]
pub(crate) enum GateCommand {
    /// List the rules, including your own, and what their findings do
    Rules {
        /// A file with your own rules; may be repeated [default: those of the settings]
        #[arg(long, value_name = "FILE")]
        rules: Vec<PathBuf>,
        #[command(flatten)]
        settings: SettingsArgs,
    },
    /// Check the replies in case files; exit with code 1 if one is blocked
    Check(Box<CaseArgs>),
}

/// What to do with rubrics.
#[derive(Debug, Subcommand)]
pub(crate) enum RubricCommand {
    /// List the built-in rubrics
    List,
    /// Print a rubric as a reference card with its anchors
    Show {
        /// A built-in rubric's name, or a file
        rubric: String,
    },
    /// Show what changed between two rubrics, and whether labels and standings carry over
    Diff {
        /// The first: a built-in rubric's name, or a file
        before: String,
        /// The second
        after: String,
        /// Print JSON on standard output and nothing else
        #[arg(long)]
        json: bool,
    },
    /// Print a commented rubric to start from
    New,
    /// Draft a rubric from the graders in another tool's file
    Draft {
        /// The file
        file: PathBuf,
    },
    /// Check a rubric file and report every problem with its line
    Check {
        /// The file
        file: PathBuf,
    },
}

/// The cases, how they are read and what they are checked against.
#[derive(Debug, Args)]
pub(crate) struct CaseArgs {
    /// Case files: JSON, JSONL, CSV, Excel, Parquet or OpenTelemetry spans, gzipped or not; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// How files are read, what replies are checked against, and how much is said.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checks")]
pub(crate) struct ReadArgs {
    /// A file of policy sources to check evidence and claims against; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) policies: Vec<PathBuf>,
    /// A file with your own rules for replies; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Vec<PathBuf>,
    /// The date for cases without one, and for the expiry of a judge's standing, such as 2026-04-01
    #[arg(long, value_name = "DATE")]
    pub(crate) as_of: Option<String>,
    /// The language of replies that do not name one, such as `de` [default: detected]
    #[arg(long, value_name = "CODE")]
    pub(crate) language: Option<String>,
    /// A name for the run in reports and history [default: its file names]; runs with the same name are compared
    #[arg(long, help_heading = "Output", value_name = "NAME", value_parser = run_name)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) records: RecordArgs,
    #[command(flatten)]
    pub(crate) say: SayArgs,
}

/// How records are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading files")]
pub(crate) struct RecordArgs {
    /// Stop at the first bad record, and accept only strict JSON from the judge
    #[arg(long)]
    pub(crate) strict: bool,
    /// What to do with exact duplicates
    #[arg(long, value_parser = one_of(DEDUP), value_name = "HOW")]
    pub(crate) dedup: Option<Dedup>,
    /// Where fields come from: ticket=Body,reply="Bot answer". A source is a column or member, a path in JSON
    /// (messages[-1].content), a 'text', # for the record's number, or several with +; may be repeated
    #[arg(long, value_name = "FIELD=SOURCE,…")]
    pub(crate) map: Vec<String>,
    /// The delimiter of CSV files [default: detected]
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<String>,
    /// The text encoding [default: detected]
    #[arg(long, value_parser = one_of(ENCODING), value_name = "NAME")]
    pub(crate) encoding: Option<Encoding>,
    /// How dates are written, such as %d/%m/%Y [default: any common format that is unambiguous]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) date_format: Option<String>,
    #[command(flatten)]
    pub(crate) part: PartArgs,
    /// The attribute of an OpenTelemetry span that names its slice
    #[arg(long, value_name = "KEY")]
    pub(crate) slice_attribute: Option<String>,
    /// Which agent turns of a transcript or help-desk ticket to judge
    #[arg(long, value_parser = one_of(TURNS), value_name = "WHICH")]
    pub(crate) turns: Option<AgentTurns>,
    /// Show the system prompts of transcripts to the judge
    #[arg(long)]
    pub(crate) system_prompts: bool,
}

/// Which of the records are used.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which cases")]
pub(crate) struct PartArgs {
    /// Use only the first N good records
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,
    /// Use only cases of this slice; may be repeated
    #[arg(long = "slice", value_name = "NAME")]
    pub(crate) slices: Vec<String>,
    /// Use only the case with this id; may be repeated
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
}

/// How much is said, and to whom.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SayArgs {
    /// Print JSON on standard output and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no notices and no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl SayArgs {
    /// Prints a notice, unless machines read on or nothing is to be said.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet && !self.json {
            terminal::note(line);
        }
    }
}

/// Where results are written.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write the results to this file as .json; those of a run also as .csv, .jsonl or .parquet
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a report to this file; its name picks the format: .html, .md, .txt (mail), .slack.json, .xml (JUnit) or
    /// .json; may be repeated
    #[arg(long = "report", value_name = "FILE")]
    pub(crate) reports: Vec<PathBuf>,
    /// How reports show tickets, replies and reasons
    #[arg(long, value_name = "HOW", default_value = "masked", value_parser = one_of(TEXTS))]
    pub(crate) texts: Texts,
}

/// The store of a command that asks no judge.
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    /// The store: a SQLite file or postgres://… [default: .probity/store.db]
    #[arg(long, value_name = "STORE", help_heading = "Settings")]
    pub(crate) store: Option<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
}

/// How intervals are drawn.
#[derive(Debug, Args)]
#[command(next_help_heading = "Intervals")]
pub(crate) struct ResampleArgs {
    /// The random seed for bootstrap intervals
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many bootstrap resamples
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    resamples: u32,
}

impl ResampleArgs {
    /// How intervals are drawn.
    pub(crate) fn resampling(&self) -> Resampling {
        Resampling { n_resamples: self.resamples, seed: self.seed }
    }
}

/// Where settings are read, and what they may decide.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingsArgs {
    /// The settings file [default: probity.toml, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Trust the settings file for this command only, as CI needs
    #[arg(long)]
    pub(crate) trust_settings: bool,
}

/// The cases and the judge: shared by every command that makes packets.
#[derive(Debug, Args)]
pub(crate) struct JobArgs {
    #[command(flatten)]
    pub(crate) cases: CaseArgs,
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    /// Ask about all criteria in one call instead of one call per criterion
    #[arg(long)]
    pub(crate) one_call: bool,
    /// The random seed to send with each call
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u32>,
    /// Verdicts for the judge `recorded`, as JSON lines
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Option<PathBuf>,
    /// Ask the judge about everything again, as round N
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) round: u32,
    /// Ask about each reply K times; the median level counts, and the report shows how well the judge agrees with
    /// itself
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEATS_MAX)))]
    pub(crate) repeats: u32,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What writes the replies that cases come without.
#[derive(Debug, Args)]
#[command(next_help_heading = "Replies from a bot")]
pub(crate) struct TargetArgs {
    /// The bot to ask where a case has no reply: openai, or the name of a target from probity.toml
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
    /// The model behind that bot
    #[arg(long, value_name = "MODEL")]
    pub(crate) target_model: Option<String>,
    /// Its endpoint, such as `http://127.0.0.1:8080/v1`
    #[arg(long, value_name = "URL")]
    pub(crate) target_base_url: Option<String>,
    /// A file with its system prompt
    #[arg(long, value_name = "FILE")]
    pub(crate) target_system: Option<PathBuf>,
}

/// The judge, what it is asked by, and where its verdicts are kept.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Judge")]
pub(crate) struct JudgeArgs {
    /// The judge: openai, anthropic, baseline, command, recorded, or a name from probity.toml
    #[arg(long, value_name = "NAME")]
    pub(crate) judge: Option<String>,
    /// The model the judge uses
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The judge's endpoint, such as `http://127.0.0.1:8080/v1`
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// A built-in rubric or a rubric file
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) rubric: Option<String>,
    /// A prompt template in place of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// How to ask the judge for structured output
    #[arg(long, value_parser = one_of(STRUCTURED), value_name = "HOW")]
    pub(crate) structured: Option<Structured>,
    /// The store: a SQLite file or postgres://… [default: .probity/store.db]
    #[arg(long, value_name = "STORE", help_heading = "Settings")]
    pub(crate) store: Option<String>,
}

/// `probity run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Exit with code 1 unless a promoted judge finds all targets of the rubric met
    #[arg(long)]
    pub(crate) enforce: bool,
    /// Exit with code 1 unless the lower bound of the pass rate is at least RATE, whatever the judge's standing
    #[arg(long, value_name = "RATE", value_parser = share)]
    pub(crate) fail_under: Option<f64>,
    #[command(flatten)]
    pub(crate) job: JobArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
}

/// A judge that is asked: who, how often, and about what.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) judge: JudgeArgs,
    #[command(flatten)]
    pub(crate) calls: CallArgs,
    #[command(flatten)]
    pub(crate) reading: ReadArgs,
}

/// How many calls are made, and when they stop.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Calls and cost")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct CallArgs {
    /// At most N calls in flight
    #[arg(long, short, value_name = "N")]
    pub(crate) concurrency: Option<u32>,
    /// Make no calls; report what is on record
    #[arg(long)]
    pub(crate) offline: bool,
    /// Make at most N calls, counted from the start of this command
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    pub(crate) max_calls: Option<u64>,
    /// Spend at most this many dollars, counted from the start of this command
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) budget_usd: Option<String>,
    /// Score only one part of the cases, such as 2/8; `probity store merge` joins the parts later
    #[arg(long, value_name = "N/PARTS")]
    pub(crate) shard: Option<Shard>,
    /// The share of admitted replies or pairs that must have a verdict; below it, exit with code 3
    #[arg(long, value_name = "SHARE")]
    pub(crate) min_coverage: Option<String>,
    /// Ask again where the recorded answers contain no valid verdict
    #[arg(long)]
    pub(crate) retry_unscored: bool,
    /// Spend without asking for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
    /// Send the calls as batches, which cost less but may take a day, and wait for them
    #[arg(long, conflicts_with_all = ["offline", "retry_unscored", "dry_run"])]
    pub(crate) batch: bool,
    /// With --batch: exit with code 3 instead of waiting; run the same command again to continue
    #[arg(long, requires = "batch")]
    pub(crate) no_wait: bool,
    /// Show how many calls this would make and what they would cost; send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// `probity check`
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Print exactly what would be sent
    #[arg(long)]
    pub(crate) show: bool,
    #[command(flatten)]
    pub(crate) job: JobArgs,
}

/// `probity init`
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder; it is created if needed
    #[arg(default_value = ".", value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Also write rubric.toml, a commented rubric to start from
    #[arg(long)]
    pub(crate) rubric: bool,
}

/// `probity trust`
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The settings file
    #[arg(default_value = SETTINGS_FILE, value_name = "FILE")]
    pub(crate) file: PathBuf,
}
