//! `probity`: the command line.
//!
//! Commands read flags and files, call the engine, and print. Figures come from `probity-core`; nothing
//! here computes one.

mod args;
mod commands;
mod exit;
mod machine;
mod plain;
mod render;
mod runs;
mod serving;
mod settings;
mod terminal;
mod web;

use std::process::ExitCode;

use clap::FromArgMatches as _;

use args::{Cli, Command, GateCommand, ImportCommand, PolicyCommand, RubricCommand};
use exit::{Exit, Failure};

/// Calls are many small texts that one thread makes and another lets go of. This allocator takes less processor time
/// for that than the system's, which it replaces for SQLite too (feature `override`): glibc gives the memory of each
/// transaction back to the kernel and takes it again, at 30 page faults a call.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    machine::end_when_exhausted();
    let cli = args::command_line().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| args::with_suggestion(error).exit());
    let outcome = machine::require().and_then(|()| done(cli.command));
    match outcome {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message, hint }) => {
            terminal::note(&format!("error: {message}"));
            if let Some(hint) = hint {
                terminal::note(&format!("hint: {hint}"));
            }
            exit.into()
        }
    }
}

fn done(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Init(args) => commands::init::init(&args),
        Command::Score(args) => commands::score::score(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Check(args) => commands::check::check(&args),
        Command::Gate(GateCommand::Rules { rules, settings }) => {
            Ok(shown(&commands::gate::rules(&rules, &settings)?))
        }
        Command::Gate(GateCommand::Check(args)) => commands::gate::check(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Probe(args) => commands::probe::probe(&args),
        Command::Calibrate(args) => commands::calibrate::calibrate(&args),
        Command::Promote(args) => commands::promote::promote(&args),
        Command::Succeed(args) => commands::succeed::succeed(&args),
        Command::Review(args) => commands::review::review(*args),
        Command::Batch(command) => commands::batch::batch(&command),
        Command::Open(args) => commands::open::open(&args),
        Command::Import(ImportCommand::Labels(args)) => commands::labels::import(&args),
        Command::Import(ImportCommand::Answers(args)) => commands::batch::import(&args),
        Command::Export(command) => commands::export::export(&command),
        Command::Report(args) => commands::report::report(&args),
        Command::Diff(args) => commands::diff::diff(&args),
        Command::Sample(args) => commands::sample::sample(&args),
        Command::Doctor(args) => commands::doctor::doctor(&args),
        Command::Trust(args) => commands::trust::trust(&args),
        Command::Store(command) => commands::store::store(&command),
        Command::Models(args) => commands::models::models(&args),
        Command::Policy(PolicyCommand::Draft(args)) => commands::policy::draft(&args),
        Command::Policy(PolicyCommand::Check(args)) => commands::policy::check(&args),
        Command::Mock(args) => commands::mock::run(&args),
        Command::Mcp(args) => commands::mcp::serve(&args),
        Command::Completions(args) => commands::completions::completions(&args),
        Command::Rubric(RubricCommand::List) => Ok(shown(&commands::rubric::list())),
        Command::Rubric(RubricCommand::New) => Ok(shown(commands::rubric::TO_CHANGE)),
        Command::Rubric(RubricCommand::Show { rubric }) => {
            settings::rubric(&rubric, &terminal::note).map(|rubric| shown(&commands::rubric::show(&rubric)))
        }
        Command::Rubric(RubricCommand::Diff { before, after, json }) => {
            commands::rubric_diff::diff(&before, &after, json)
        }
        Command::Rubric(RubricCommand::Draft { file }) => {
            commands::rubric::draft(&file).map(|text| shown(&text))
        }
        Command::Rubric(RubricCommand::Check { file }) => {
            commands::rubric::check_file(&file).map(|text| shown(&text))
        }
    }
}

fn shown(text: &str) -> Exit {
    terminal::print(text);
    Exit::Done
}
