//! `probity open`: serves the pages about runs, judges and queues, from the store or from one results file.
//!
//! No judge is asked. A results file needs no store: who came in is then kept in a temporary one, which goes with the
//! server.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use probity_core::results::RunResults;
use probity_core::rubric::{BUILT_IN, Rubric, built_in};
use probity_engine::ledger::StoreAddress;
use probity_engine::review::{PersonName, ReviewRoom};
use probity_engine::run::spec::RecordedRun;

use super::diff::read_results;
use super::report::past::Past;
use super::review::lead_name;
use super::session::runtime;
use crate::args::OpenArgs;
use crate::exit::{Exit, Failure};
use crate::runs::list::RunLine;
use crate::runs::shown::ShownRun;
use crate::settings;
use crate::terminal;
use crate::web::{self, FileRun, Opening, Reach, RunSource, WebSettings};

/// What a SQLite file begins with.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Runs the command.
pub(crate) fn open(args: &OpenArgs) -> Result<Exit, Failure> {
    let lead = lead_name(args.address.lead.as_deref())?;
    let Some(what) = args.what.as_deref() else {
        return serve(args, lead, &settings::store_of(&args.store)?, None);
    };
    let path = Path::new(what);
    if !path.exists() && Past::is_name(what) {
        let past = Past::open(&args.store)?;
        let run = past.named(what, |_| true)?.run.number();
        return serve(args, lead, past.store.address(), Some(run));
    }
    if is_store(path).map_err(|error| Failure::unreadable(what, &error))? {
        return serve(args, lead, &path.into(), None);
    }
    let results = read_results(path, what)?;
    let shown = of_file(args, results, what)?;
    let folder =
        tempfile::tempdir().map_err(|error| Failure::store(format!("no temporary folder: {error}")))?;
    let room = ReviewRoom::open(&folder.path().join("sessions.db"))?;
    started(args, lead, room, RunSource::File(Box::new(shown)), None)
}

/// Serves a store.
fn serve(
    args: &OpenArgs,
    lead: PersonName,
    address: &StoreAddress,
    first: Option<i64>,
) -> Result<Exit, Failure> {
    if !address.may_exist() {
        return Err(Failure::usage(format!("there is no store at {address}"))
            .hint("`probity run` makes one; --store names one that is elsewhere"));
    }
    started(args, lead, ReviewRoom::open(address)?, RunSource::Store, first)
}

fn started(
    args: &OpenArgs,
    lead: PersonName,
    room: ReviewRoom,
    source: RunSource,
    first: Option<i64>,
) -> Result<Exit, Failure> {
    let opening = if args.address.no_open { Opening::Nothing } else { Opening::Browser };
    let (reach, people, contract) = (Reach::of(&args.address)?, Vec::new(), None);
    let settings = WebSettings { reach, opening, lead, people, contract, source, first };
    runtime()?.block_on(web::serve(Arc::new(room.clone()), settings))?;
    room.close()?;
    Ok(Exit::Done)
}

/// Whether a file is a store, and not results.
fn is_store(path: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    std::fs::File::open(path)?.take(SQLITE.len() as u64).read_to_end(&mut head)?;
    Ok(head == SQLITE)
}

/// The run in a results file, with its rubric and what its judge has earned as far as the store knows it.
fn of_file(args: &OpenArgs, mut results: RunResults, name: &str) -> Result<FileRun, Failure> {
    let past = Past::open(&args.store).ok();
    if let Some(standing) = past.as_ref().and_then(|past| past.standing(&results).ok()) {
        results.standing = standing;
    }
    let rubric = rubric(args, &results, past.as_ref())?;
    let line = RunLine {
        run: Some(web::FILE_RUN.unsigned_abs()),
        at: None,
        command: "run".to_owned(),
        files: name.to_owned(),
        rubric: format!("{} {}", rubric.name(), rubric.version()),
        judge: results.summary.facts.judge.name(),
        round: 1,
        state: "complete",
        pass_rate: results.summary.all.pass_rate,
    };
    Ok(FileRun { line, shown: Arc::new(ShownRun::of_file(results, rubric, name)) })
}

/// The rubric that results were scored by: what a level means is not in them.
fn rubric(args: &OpenArgs, results: &RunResults, past: Option<&Past>) -> Result<Rubric, Failure> {
    let wanted = &results.summary.rubric;
    if let Some(named) = &args.rubric {
        let rubric = settings::rubric(named, &terminal::note)?;
        if rubric.hash() != wanted.hash {
            return Err(Failure::usage(format!(
                "--rubric {named}: the results were scored by another, {} {} ({})",
                wanted.name, wanted.version, wanted.hash
            )));
        }
        return Ok(rubric);
    }
    let known =
        BUILT_IN.iter().filter_map(|(name, _)| built_in(name)).find(|rubric| rubric.hash() == wanted.hash);
    let of_run = |past: &Past| {
        let runs = past.runs.iter().rev().filter(|run| run.part("rubric") == Some(&*wanted.hash));
        runs.filter_map(|run| RecordedRun::read(&past.reader, run.clone()).ok()).map(|run| run.rubric).next()
    };
    known.or_else(|| past.and_then(of_run)).ok_or_else(|| {
        Failure::usage(format!(
            "the results were scored by the rubric {} {} ({}), which is not at hand",
            wanted.name, wanted.version, wanted.hash
        ))
        .hint("name its file: --rubric FILE")
    })
}
