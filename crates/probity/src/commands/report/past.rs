//! Runs of the store by number, and one of them made again from its record.
//!
//! What is replayed is the call as it was noted, in the folder it was made in, with nobody asked and nothing
//! written. The engine refuses what is made of something else than the run was, so what comes out is the run's.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use probity_core::diff::RunResults;
use probity_core::promote::Standing;
use probity_engine::run::standing::of_results;
use probity_engine::store::{Invocation, Reader, RunOutcome, RunRecord, Store, StoreError};

use super::super::diff::read_results;
use super::super::{calibrate, compare, probe, run};
use super::list::is_replies;
use crate::args::{AskArgs, CallArgs, Cli, Command, JudgeArgs, OutputArgs, RunArgs, SayArgs, StoreArgs};
use crate::exit::{Exit, Failure};
use crate::render::report::reproduce;
use crate::{settings, terminal};

/// The word for the run that was begun last.
const LAST: &str = "last";

/// The runs of a store.
pub(crate) struct Past {
    /// Where the store is, from the root.
    store: PathBuf,
    reader: Reader,
    runs: Vec<RunRecord>,
}

/// Where a replay puts what it makes.
pub(crate) struct Places {
    pub(crate) output: Option<PathBuf>,
    pub(crate) reports: Vec<PathBuf>,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Past {
    /// Reads the runs of the store that settings and flags name.
    pub(crate) fn open(args: &StoreArgs) -> Result<Past, Failure> {
        let path = settings::store_file(args)?;
        if !path.exists() {
            return Err(Failure::usage(format!("there is no store at {}", path.display()))
                .hint("`probity run` makes one; --store names one that is elsewhere"));
        }
        let store = std::path::absolute(&path)
            .map_err(|error| Failure::usage(format!("{}: cannot be found: {error}", path.display())))?;
        let read = || -> Result<Past, StoreError> {
            let reader = Store::open_read_only(&store)?.reader()?;
            let runs = reader.runs()?;
            Ok(Past { store: store.clone(), reader, runs })
        };
        read().map_err(|error| Failure::new(Exit::Store, &error))
    }

    /// The runs in the order in which they were begun.
    pub(crate) fn runs(&self) -> &[RunRecord] {
        &self.runs
    }

    /// What they came to, as far as that is on record.
    pub(crate) fn outcomes(&self) -> Result<Vec<RunOutcome>, Failure> {
        self.reader.outcomes().map_err(|error| Failure::new(Exit::Store, &error))
    }

    /// Whether `name` is the name of a run, of this store or another.
    pub(crate) fn is_name(name: &str) -> bool {
        name == LAST || name.parse::<u64>().is_ok()
    }

    /// The run called `name`: a number, or the last one that `fits`.
    pub(crate) fn named(&self, name: &str, fits: impl Fn(&RunRecord) -> bool) -> Result<&RunRecord, Failure> {
        let found = match name {
            LAST => self.runs.iter().rev().find(|run| fits(run)),
            number => self.runs.iter().find(|run| run.run.to_string() == number),
        };
        found.ok_or_else(|| {
            let shown = self.store.display();
            Failure::usage(format!("{shown} has no run {name}, expected a number or `{LAST}`"))
                .hint("`probity report` lists the runs")
        })
    }

    /// Makes `record` again from what is on record, and ends as its command does.
    pub(crate) fn replay(&self, record: &RunRecord, places: &Places) -> Result<Exit, Failure> {
        let invocation = self.invocation(record)?;
        let places = Places {
            output: places.output.as_deref().map(absolute).transpose()?,
            reports: places.reports.iter().map(|path| absolute(path)).collect::<Result<_, _>>()?,
            json: places.json,
            quiet: places.quiet,
        };
        enter(&invocation);
        reproduce::replaying(&invocation.argv);
        match parsed(record, &invocation)? {
            Command::Run(args) => run::run(&self.of_run(args, record, places)),
            Command::Compare(mut args) => {
                self.ask(record, &mut args.ask, &mut args.output, places);
                compare::compare(&args)
            }
            Command::Calibrate(mut args) => {
                self.ask(record, &mut args.ask, &mut args.output, places);
                calibrate::calibrate(&args)
            }
            Command::Probe(mut args) => {
                self.ask(record, &mut args.ask, &mut args.output, places);
                args.enforce = false;
                probe::probe(&args)
            }
            _ => Err(not_a_run(record)),
        }
    }

    /// The results of a run of `probity run`, as it would write them.
    pub(crate) fn results(&self, record: &RunRecord) -> Result<RunResults, Failure> {
        let here = std::env::current_dir();
        let folder = tempfile::tempdir().map_err(|error| unwritable(&error))?;
        let output = folder.path().join("results.json");
        let places = Places { output: Some(output.clone()), reports: Vec::new(), json: false, quiet: true };
        let invocation = self.invocation(record)?;
        enter(&invocation);
        let Command::Run(args) = parsed(record, &invocation)? else {
            let name = &record.manifest.name;
            return Err(Failure::usage(format!(
                "run {} ({name}) scored no replies by themselves",
                record.run
            ))
            .hint("expected a run of `probity run`; `probity report` lists the runs"));
        };
        let written = run::written(&self.of_run(args, record, places));
        if let Ok(here) = here {
            // Where the folder is gone, what follows names its own.
            let _ = std::env::set_current_dir(here);
        }
        let standing = written?;
        let mut results = read_results(&output, &format!("run {}", record.run))?;
        results.definition.standing = standing;
        Ok(results)
    }

    /// What the judge of results in a file has earned, as far as this store knows the run that wrote them.
    pub(crate) fn standing(&self, results: &RunResults) -> Result<Standing, Failure> {
        let standing = of_results(&self.reader, &results.definition);
        standing.map_err(|error| Failure::new(Exit::Store, &error))
    }

    fn of_run(&self, mut args: RunArgs, record: &RunRecord, places: Places) -> RunArgs {
        let (job, say) = (&mut args.job, SayArgs { json: places.json, quiet: places.quiet });
        self.set(record, &mut job.judge, &mut args.calls);
        job.cases.reading.say = say;
        args.output = OutputArgs { output: places.output, reports: places.reports };
        (args.enforce, args.fail_under) = (false, None);
        args
    }

    fn ask(&self, record: &RunRecord, ask: &mut AskArgs, output: &mut OutputArgs, places: Places) {
        self.set(record, &mut ask.judge, &mut ask.calls);
        ask.reading.say = SayArgs { json: places.json, quiet: places.quiet };
        *output = OutputArgs { output: places.output, reports: places.reports };
    }

    /// Makes a call read `record` back from this store.
    fn set(&self, record: &RunRecord, judge: &mut JudgeArgs, calls: &mut CallArgs) {
        judge.store = Some(self.store.display().to_string());
        calls.recorded = Some(record.run);
    }

    fn invocation(&self, record: &RunRecord) -> Result<Invocation, Failure> {
        if is_replies(record) {
            let name = &record.manifest.name;
            let message =
                format!("run {} ({name}) is what a target wrote, and nothing in it is scored", record.run);
            return Err(Failure::usage(message).hint(
                "expected the run that scored it, a run of `probity run`; `probity report` lists the runs",
            ));
        }
        let invocation = self.reader.invocation(record.run);
        invocation.map_err(|error| Failure::new(Exit::Store, &error))?.ok_or_else(|| {
            let name = &record.manifest.name;
            Failure::usage(format!("run {} ({name}): how it was called is not on record", record.run))
                .hint("make the same call with --offline: what it came to is in the store")
        })
    }
}

/// The call with its flags.
fn parsed(record: &RunRecord, invocation: &Invocation) -> Result<Command, Failure> {
    let words = std::iter::once("probity").chain(invocation.argv.iter().map(String::as_str));
    let parsed = Cli::try_parse_from(words).map_err(|error| {
        Failure::usage(format!("run {}: its call cannot be read any more: {error}", record.run))
    })?;
    let reads_a_pipe = invocation.argv.iter().any(|word| word == "-");
    if reads_a_pipe {
        let message = format!("run {} read standard input, which is not on record", record.run);
        return Err(Failure::usage(message).hint("keep the cases in a file and run that"));
    }
    Ok(parsed.command)
}

/// Goes where the call was made. A folder that is gone may have moved here with everything in it.
fn enter(invocation: &Invocation) {
    if std::env::set_current_dir(&invocation.cwd).is_err() {
        let gone = &invocation.cwd;
        terminal::note(&format!("{gone} is gone: the run's files are looked for in this folder"));
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        let shown = path.display();
        Failure::usage(format!("{shown}: cannot be found: {error}"))
    })
}

fn not_a_run(record: &RunRecord) -> Failure {
    let name = &record.manifest.name;
    Failure::usage(format!("run {} ({name}) cannot be reported again: its call makes no run", record.run))
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure { exit: Exit::Store, message: format!("could not make a temporary folder: {error}"), hint: None }
}
