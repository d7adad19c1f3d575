//! `probity batch`, `probity export requests` and `probity import answers`: calls that are made together, or elsewhere.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use probity_core::case::Moment;
use probity_engine::ledger::{BatchRecord, BatchState, Store};
use probity_engine::run::batch::{
    Cancelled, Dispatch, ImportedAnswers, NotCancelled, Release, RequestsFile, cancel, import_answers,
};
use probity_engine::run::replies::run_job;
use probity_engine::run::standing::clock;
use probity_engine::schedule::lane::Stop;
use schemars::JsonSchema;
use serde::Serialize;

use super::outlet::deliver;
use super::session::{Ended, Session, open_for_writing, runtime};
use crate::args::{
    BatchCancelArgs, BatchCommand, BatchListArgs, CallArgs, ExportRequestsArgs, ImportAnswersArgs,
};
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::figure::{NONE, columns, counted};
use crate::{settings, terminal};

/// How long hosts keep the results of a batch at the least: Anthropic 29 days, others 30.
const KEPT_DAYS: i64 = 29;

/// Runs `probity batch`.
pub(crate) fn batch(command: &BatchCommand) -> Result<Exit, Failure> {
    match command {
        BatchCommand::List(args) => list(args),
        BatchCommand::Cancel(args) => cancelled(args),
    }
}

/// What `batch list --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct BatchList {
    /// The batches, in the order they were reserved.
    batches: Vec<BatchLine>,
}

/// A batch.
#[derive(Serialize, JsonSchema)]
struct BatchLine {
    /// The host's id, or our tag before there is one.
    batch: String,
    /// Its state on record: reserved, creating, running, undecided or ended.
    state: String,
    /// The state in the host's words.
    host_state: String,
    /// Requests in it.
    requests: u64,
    /// Those that have not ended.
    waiting: u64,
    /// The host, or the file that requests were written to.
    place: String,
    /// When it was reserved.
    reserved: Option<String>,
    /// When it expires, by its host's clock.
    expires: Option<String>,
    /// What a person should know about it.
    detail: String,
}

impl BatchLine {
    fn of(batch: &BatchRecord) -> BatchLine {
        let facts = &batch.facts;
        let time = |unix: i64| Moment::from_seconds(unix).map(|moment| moment.to_string());
        BatchLine {
            batch: batch.name().to_owned(),
            state: batch.state.name().to_owned(),
            host_state: facts.word.clone(),
            requests: facts.n_requests,
            waiting: batch.n_in_flight,
            place: facts.place.clone(),
            reserved: time(facts.reserved_unix_ms / 1000),
            expires: facts.expires_unix.and_then(time),
            detail: facts.detail.clone(),
        }
    }
}

fn list(args: &BatchListArgs) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&settings::store_of(&args.store)?)?;
    let batches = store.reader()?.batches()?;
    let shown = batches.iter().filter(|batch| args.all || batch.state != BatchState::Ended);
    let list = BatchList { batches: shown.map(BatchLine::of).collect() };
    for batch in batches.iter().filter(|batch| is_fading(batch, clock().seconds())) {
        args.say.note(&format!(
            "batch {}: its host keeps results for about {KEPT_DAYS} days; run the command that made it again soon",
            plain(batch.name())
        ));
    }
    deliver(&args.say, &list, || list.text())?;
    Ok(Exit::Done)
}

impl BatchList {
    fn text(&self) -> String {
        if self.batches.is_empty() {
            return "no batch is on its way; --all lists those that have ended\n".to_owned();
        }
        let titles = ["batch", "state", "host says", "requests", "waiting", "reserved", "expires", "where"];
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| NONE.to_owned());
        let row = |line: &BatchLine| {
            vec![
                plain(&line.batch),
                line.state.clone(),
                plain(&line.host_state),
                line.requests.to_string(),
                line.waiting.to_string(),
                or_none(&line.reserved),
                or_none(&line.expires),
                plain(&line.place),
            ]
        };
        let mut rows = vec![titles.map(str::to_owned).into()];
        rows.extend(self.batches.iter().map(row));
        let details = self.batches.iter().filter(|line| !line.detail.is_empty());
        let details = details.fold(String::new(), |text, line| {
            text + &format!("{}: {}\n", plain(&line.batch), plain(&line.detail))
        });
        let is_number = [false, false, false, true, true, false, false, false];
        format!("{}\n{details}", columns(&rows, &is_number)).replace("\n\n", "\n")
    }
}

/// Whether a quarter of the time or less is left in which the host keeps the results of a batch that is not collected.
fn is_fading(batch: &BatchRecord, now_unix: i64) -> bool {
    let age = now_unix - batch.facts.reserved_unix_ms / 1000;
    batch.state == BatchState::Running && age * 4 >= KEPT_DAYS * 86_400 * 3
}

fn cancelled(args: &BatchCancelArgs) -> Result<Exit, Failure> {
    let path = settings::store_of(&args.store)?;
    let release = if args.release { Release::Yes } else { Release::No };
    // A command that waits for the batch holds the store, and learns of its end from the host.
    let mut store = Store::open_read_only(&path)?;
    let is_called = |batch: &BatchRecord| batch.name() == args.batch || batch.tag == args.batch;
    let is_unsent = store.reader()?.batches()?.iter().any(|batch| is_called(batch) && batch.is_unsent());
    if args.release || is_unsent {
        store = open_for_writing(&path, &terminal::note)?;
    }
    let done = runtime()?.block_on(cancel(&store, &args.batch, release, &settings::variable));
    let name = plain(&args.batch);
    let (exit, line) = match done.map_err(failure)? {
        Cancelled::Told(word) => {
            let line = format!(
                "batch {name}: its host has it as {word}; run the command that made it again to collect what it finished"
            );
            (Exit::Done, line)
        }
        Cancelled::Released(n) => {
            (Exit::Done, format!("batch {name}: released; {} possibly billed", counted(n, "call")))
        }
        Cancelled::Withdrawn => (Exit::Done, format!("batch {name}: forgotten; nothing of it was sent")),
        Cancelled::Ended => (Exit::Done, format!("batch {name}: it has ended already")),
        Cancelled::Undecided => {
            let line = format!(
                "batch {name}: it is not known whether it was made; --release opens its packets, which may then be billed twice"
            );
            (Exit::Incomplete, line)
        }
    };
    terminal::note(&line);
    Ok(exit)
}

fn failure(error: NotCancelled) -> Failure {
    match error {
        NotCancelled::Run(error) => error.into(),
        NotCancelled::Unknown { .. } => Failure::new(Exit::Usage, &error),
        NotCancelled::Refused { .. } => Failure::new(Exit::Incomplete, &error),
    }
}

/// Runs `probity export requests`.
pub(crate) fn export_requests(args: &ExportRequestsArgs) -> Result<Exit, Failure> {
    let say = &args.job.cases.reading.say;
    if args.output.exists() {
        let message = format!("{}: expected a file that does not exist", args.output.display());
        return Err(Failure::usage(message).hint("requests of an earlier export may be on their way"));
    }
    let calls = CallArgs::default();
    let file = Arc::new(RequestsFile::new(&args.output));
    let session = Session::new(&calls, say.quiet).dispatching(Dispatch::File(Arc::clone(&file)));
    let job = Arc::new(settings::job(&args.job, Some(&calls), &|line| session.note(line))?);
    let store = session.open_for_writing(&job.asking)?;
    let ran = session.ask(&store, async |session| run_job(&job, session).await)??;
    store.close()?;
    match ran.driven.as_ref().and_then(|driven| driven.stop.as_ref()) {
        None | Some(Stop::InBatch(_)) => {}
        Some(stop) => return Ok(Ended::stopped("judge", stop, 0).say()),
    }
    let written = RequestsWritten { requests: file.n_written(), file: args.output.display().to_string() };
    deliver(say, &written, || written.text())?;
    Ok(Exit::Done)
}

/// What `export requests --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct RequestsWritten {
    /// Requests that were written.
    requests: u64,
    /// The file, which is not made where there are none.
    file: String,
}

impl RequestsWritten {
    fn text(&self) -> String {
        let RequestsWritten { requests, file } = self;
        if *requests == 0 {
            return "nothing to export: every request is answered or already exported\n".to_owned();
        }
        format!(
            "{} written to {}; `probity import answers` takes what comes back, then make the run again\n",
            counted(*requests, "request"),
            plain(file)
        )
    }
}

/// What `import answers --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportReport {
    /// Answers that were taken in.
    answers: u64,
    /// Requests that were not run or not answered, and are open again.
    open: u64,
    /// Lines about requests that had ended before.
    already_there: u64,
    /// Lines that answer no request on record.
    strange: u64,
    /// Lines that cannot be read.
    unreadable: u64,
    /// Requests on record that still wait.
    waiting: u64,
}

/// Runs `probity import answers`.
pub(crate) fn import(args: &ImportAnswersArgs) -> Result<Exit, Failure> {
    let path = settings::store_of(&args.store)?;
    let store = open_for_writing(&path, &|line| args.say.note(line))?;
    let runtime = runtime()?;
    let mut all =
        ImportReport { answers: 0, open: 0, already_there: 0, strange: 0, unreadable: 0, waiting: 0 };
    for file in &args.files {
        let ImportedAnswers { n_answers, n_open, n_known, n_strange, n_bad, n_waiting, trouble } =
            runtime.block_on(import_answers(&store, opened(file)?))?;
        let sums = [
            (&mut all.answers, n_answers),
            (&mut all.open, n_open),
            (&mut all.already_there, n_known),
            (&mut all.strange, n_strange),
            (&mut all.unreadable, n_bad),
        ];
        for (sum, n) in sums {
            *sum += n;
        }
        all.waiting = n_waiting;
        if let Some(why) = &trouble {
            args.say.note(&format!("{}: {why}", file.display()));
        }
    }
    store.close()?;
    deliver(&args.say, &all, || all.text())?;
    Ok(Exit::Done)
}

impl ImportReport {
    fn text(&self) -> String {
        let ImportReport { answers, open, already_there, strange, unreadable, waiting } = self;
        let mut text = format!("{} taken in", counted(*answers, "answer"));
        for (n, what) in [
            (open, "not answered and open again"),
            (already_there, "known before"),
            (strange, "to no request on record"),
            (unreadable, "that cannot be read"),
            (waiting, "still waited for"),
        ] {
            if *n > 0 {
                text += &format!(", {n} {what}");
            }
        }
        text + "\n"
    }
}

fn opened(file: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let opened =
        File::open(file).map_err(|error| Failure::unreadable(&file.display().to_string(), &error))?;
    Ok(Box::new(BufReader::new(opened)))
}
