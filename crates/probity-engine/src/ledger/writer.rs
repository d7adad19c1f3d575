//! The one thread that writes: it takes whatever is waiting into one transaction, commits it to the disk,
//! and only then answers each caller.
//!
//! A sync of the disk costs the same for one row as for hundreds, so sharing it is what makes durable
//! answers cheap. After a failed commit the thread writes nothing more: every caller, now and later, is told
//! the same error, and what had been answered before is safe. The queue needs no bound of its own, because
//! each caller waits for its answer before it asks again. On a server, the thread also says three times per lease that
//! this process is alive.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::db::Db;
use super::error::{FailureKind, Fault, StoreError};
use super::lease::{LaneNews, Liveness};
use super::lock::Lock;
use super::open;
use super::record::{Accepted, AttemptStart, Conclusion, Intended};
use super::server::{self, Link};
use super::tables::Tables;
use crate::fault_points::{self, Point};

/// The most requests in one transaction.
const BATCH_REQUESTS_MAX: usize = 2048;

/// The most bytes in one transaction, so that a flood of large answers cannot blow up the write-ahead log.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// How often a worker is heard in the time that it lives without.
const BEATS_PER_LEASE: u32 = 3;

/// How long a process does not look whether others met a rate limit.
const LOOK_PAUSE: Duration = Duration::from_millis(100);

/// How often a transaction is tried on a server.
const TRIES_MAX: u32 = 12;

/// The pause before a transaction is tried again is a random part of this, the longer the more often it was.
const CONFLICT_PAUSE: Duration = Duration::from_millis(20);
/// How long a run's writer stays out after a commit where others write: longer than they wait between two tries.
const GAP: Duration = Duration::from_millis(1);

/// How many commits leave a gap after another writer was seen. People write every few seconds, runs hundreds of times in
/// one.
const GAPS_AFTER_WRITE: u32 = 1024;

/// The way back to a caller, who may have gone.
pub(super) type Reply<T> = Box<dyn FnOnce(Result<T, StoreError>) + Send>;

/// What reaches the writer's thread.
pub(super) enum ToWriter {
    /// A call is about to be made.
    Intend(Box<AttemptStart>, Reply<Intended>),
    /// A call has ended.
    Conclude(Box<Conclusion>, Reply<Option<Accepted>>),
    /// Something else is to be written.
    Job(Box<dyn Job>),
    /// Finish, and say how it went.
    Close(SyncSender<Result<(), StoreError>>),
}

/// One caller's request, with the way back to the caller.
pub(super) trait Job: Send {
    /// Writes inside the open transaction. An error means that the transaction is lost.
    fn apply(&mut self, tables: &mut Tables, path: &Path) -> Result<(), StoreError>;
    /// Tells the caller.
    fn answer(self: Box<Self>, failed: Option<&StoreError>);
}

/// A [`Job`] made of a function over the tables.
pub(super) struct Task<T, F> {
    /// What is being done, for error messages.
    pub(super) doing: &'static str,
    /// What to write. On a server it is done again where a transaction has to be.
    pub(super) work: F,
    /// What the work answered.
    pub(super) outcome: Option<Result<T, StoreError>>,
    /// The way back.
    pub(super) reply: Reply<T>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send,
    F: FnMut(&mut Tables) -> Result<T, Fault> + Send,
{
    fn apply(&mut self, tables: &mut Tables, path: &Path) -> Result<(), StoreError> {
        self.outcome = match (self.work)(tables) {
            Ok(value) => Some(Ok(value)),
            Err(Fault::Refused(error)) => Some(Err(error)),
            Err(Fault::Database(error)) => return Err(StoreError::of_database(path, self.doing, &error)),
        };
        Ok(())
    }

    fn answer(self: Box<Self>, failed: Option<&StoreError>) {
        (self.reply)(match failed {
            Some(error) => Err(error.clone()),
            None => self.outcome.expect("a job is applied before it is answered"),
        });
    }
}

/// What is written in one transaction.
#[derive(Default)]
struct Batch {
    starts: Vec<AttemptStart>,
    starters: Vec<Reply<Intended>>,
    conclusions: Vec<Conclusion>,
    concluders: Vec<Reply<Option<Accepted>>>,
    jobs: Vec<Box<dyn Job>>,
    n_bytes: usize,
}

impl Batch {
    fn len(&self) -> usize {
        self.starts.len() + self.conclusions.len() + self.jobs.len()
    }

    fn is_full(&self) -> bool {
        self.len() >= BATCH_REQUESTS_MAX || self.n_bytes >= BATCH_BYTES_MAX
    }

    /// Tells each caller what became of its request, or that all of them failed.
    fn answer(self, written: Result<Written, StoreError>) {
        match written {
            Ok(Written { begun, concluded }) => {
                self.starters.into_iter().zip(begun).for_each(|(reply, begun)| reply(begun));
                self.concluders.into_iter().zip(concluded).for_each(|(reply, concluded)| reply(concluded));
                self.jobs.into_iter().for_each(|job| job.answer(None));
            }
            Err(error) => {
                self.starters.into_iter().for_each(|reply| reply(Err(error.clone())));
                self.concluders.into_iter().for_each(|reply| reply(Err(error.clone())));
                self.jobs.into_iter().for_each(|job| job.answer(Some(&error)));
            }
        }
    }
}

/// What became of the calls of a batch, in their order.
struct Written {
    begun: Vec<Result<Intended, StoreError>>,
    concluded: Vec<Result<Option<Accepted>, StoreError>>,
}

/// The writing end of a store. Fields are dropped in order: the connection before the lock.
pub(super) struct Writer {
    pub(super) tables: Tables,
    /// The run's; `None` where another process may run.
    pub(super) lock: Option<Lock>,
    pub(super) path: Arc<Path>,
    pub(super) inbox: Receiver<ToWriter>,
    /// Whether the file says that a run uses it, which it does from before the first call.
    pub(super) is_marked: bool,
    /// The way back to a server; `None` for a file.
    pub(super) link: Option<Link>,
    /// Until when this process may make calls, for those who make them.
    pub(super) heard: Arc<Liveness>,
    /// When the lanes were looked at.
    pub(super) looked_at: Instant,
    /// Other writers of the file.
    pub(super) others: OtherWriters,
}

/// What a batch needs beside its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exclusion {
    /// Nothing: calls exclude each other by their rows.
    Shared,
    /// That no other process does the same: what is read is written back.
    Alone,
}

/// What a run's writer knows of others, such as a review room. The database lets writers in without a queue, and one
/// that comes back at once after each commit would keep the others out.
#[derive(Debug, Default)]
pub(super) struct OtherWriters {
    version: i64,
    /// Commits that still leave a gap.
    n_gaps: u32,
}

impl OtherWriters {
    /// Leaves the others time to get in, where one of them has written lately. A server lets all of them in.
    fn leave_gap(&mut self, db: &Db) {
        let Some(file) = db.sqlite() else { return };
        // A version that cannot be read is no reason to stop: the next commit says what is wrong.
        let version = file.version_of_others().unwrap_or(self.version);
        if version != std::mem::replace(&mut self.version, version) {
            self.n_gaps = GAPS_AFTER_WRITE;
        }
        if self.n_gaps > 0 {
            self.n_gaps -= 1;
            std::thread::sleep(GAP);
        }
    }
}

impl Writer {
    /// Writes until told to close, or until no caller is left.
    pub(super) fn run(mut self) {
        let (mut failed, mut closing) = (None, None);
        while closing.is_none() {
            let first = match self.next(failed.is_none()) {
                Ok(first) => first,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    failed = self.beat().err();
                    continue;
                }
            };
            let mut batch = Batch::default();
            closing = self.gather(first, &mut batch);
            if batch.len() == 0 {
                continue;
            }
            let written = failed.map_or_else(|| self.commit(&mut batch), Err);
            fault_points::reach(Point::AfterCommit);
            failed = written.as_ref().err().cloned();
            batch.answer(written);
            if self.lock.is_some() && failed.is_none() {
                self.others.leave_gap(&self.tables.db);
            }
        }
        let closed = failed.map_or_else(|| self.close(), Err);
        if let Some(caller) = closing {
            // A caller that has gone does not need to know.
            let _ = caller.send(closed);
        }
    }

    /// The next message; a timeout when this process has to be heard before one came, if it `beats` still.
    fn next(&self, beats: bool) -> Result<ToWriter, RecvTimeoutError> {
        match self.link.as_ref().filter(|_| beats && !self.tables.workers.is_empty()) {
            None => self.inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(link) => {
                let left = link.next_beat.saturating_duration_since(Instant::now());
                if left.is_zero() { Err(RecvTimeoutError::Timeout) } else { self.inbox.recv_timeout(left) }
            }
        }
    }

    /// Lets this process's workers be heard, and lists what others have lost.
    fn beat(&mut self) -> Result<(), StoreError> {
        let began = Instant::now();
        let fault = |path: &Path, error| StoreError::of_database(path, "staying alive", &error);
        let (lost, news) = self.transaction(Exclusion::Shared, "staying alive", |tables, path| {
            Ok((tables.beat().map_err(|error| fault(path, error))?, lanes(tables, path)?))
        })?;
        self.tell_lanes(Some(news));
        if let Some(link) = &mut self.link {
            link.next_beat = began + link.lease() / BEATS_PER_LEASE;
            self.heard.until(began + link.lease());
        }
        self.heard.lost(lost.len());
        Ok(())
    }

    /// Takes what is waiting, up to the bounds. Returns the caller who waits for the end, if it has come.
    fn gather(&self, first: ToWriter, batch: &mut Batch) -> Option<SyncSender<Result<(), StoreError>>> {
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                ToWriter::Close(caller) => return Some(caller),
                ToWriter::Job(job) => batch.jobs.push(job),
                ToWriter::Intend(start, reply) => {
                    batch.n_bytes += start.packet_body.len();
                    batch.starts.push(*start);
                    batch.starters.push(reply);
                }
                ToWriter::Conclude(conclusion, reply) => {
                    batch.n_bytes += conclusion.end.raw.len();
                    batch.conclusions.push(*conclusion);
                    batch.concluders.push(reply);
                }
            }
            next = if batch.is_full() { None } else { self.inbox.try_recv().ok() };
        }
        None
    }

    /// Writes a batch in one transaction, or nothing of it. Calls end before others begin: where a packet is asked
    /// about again, its place in flight is free by then.
    fn commit(&mut self, batch: &mut Batch) -> Result<Written, StoreError> {
        let path = Arc::clone(&self.path);
        let fault = |error| StoreError::of_database(&path, "committing", &error);
        if self.lock.is_some() && !self.is_marked && !batch.starts.is_empty() {
            open::mark_in_use(&self.tables.db).map_err(fault)?;
            self.is_marked = true;
        }
        let turn = if batch.jobs.is_empty() { Exclusion::Shared } else { Exclusion::Alone };
        let n_workers = self.tables.workers.len();
        let had_worker = n_workers > 0;
        let began = Instant::now();
        let (is_shared, looks) = (self.link.is_some(), self.looked_at.elapsed() > LOOK_PAUSE);
        let (written, lanes) = self.transaction(turn, "committing", |tables, path| {
            let written = written(tables, path, batch)?;
            let looks = is_shared && (looks || tables.workers.len() != n_workers);
            Ok((written, if looks { Some(lanes(tables, path)?) } else { None }))
        })?;
        self.tell_lanes(lanes);
        if let Some(link) = self.link.as_mut().filter(|_| !had_worker) {
            // The first worker of this process has just begun.
            link.next_beat = began + link.lease() / BEATS_PER_LEASE;
            self.heard.until(began + link.lease());
        }
        Ok(written)
    }

    fn tell_lanes(&mut self, lanes: Option<LaneNews>) {
        if let Some(lanes) = lanes {
            self.looked_at = Instant::now();
            self.heard.lanes(lanes);
        }
    }

    /// Does `work` in one transaction. On a server it is done again where other transactions were in the way, and after
    /// a lost connection, unless it turns out to be committed.
    fn transaction<T>(
        &mut self,
        turn: Exclusion,
        doing: &'static str,
        mut work: impl FnMut(&mut Tables, &Path) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut n_tries = 0;
        loop {
            let workers = self.tables.workers.clone();
            let Undone { error, unanswered } = match self.tried(turn, doing, &mut work) {
                Ok(value) => return Ok(value),
                Err(undone) => undone,
            };
            let (Some(link), true) = (&mut self.link, n_tries < TRIES_MAX) else {
                self.tables.db.rollback();
                return Err(error);
            };
            match error.failure() {
                Some(FailureKind::Conflict) => {
                    self.tables.db.rollback();
                    self.tables.resume(None, workers);
                    std::thread::sleep(
                        CONFLICT_PAUSE.mul_f64(f64::from(n_tries + 1) * rand::random::<f64>()),
                    );
                }
                Some(FailureKind::Lost) => {
                    let (db, is_committed) =
                        link.reconnected(&self.path).map_err(|error| error.met(doing))?;
                    if let Some(value) = unanswered.filter(|_| is_committed) {
                        link.acknowledge();
                        self.tables.db = db;
                        return Ok(value);
                    }
                    self.tables.resume(Some(db), workers);
                }
                _ => {
                    self.tables.db.rollback();
                    return Err(error);
                }
            }
            n_tries += 1;
        }
    }

    fn tried<T>(
        &mut self,
        turn: Exclusion,
        doing: &'static str,
        work: &mut impl FnMut(&mut Tables, &Path) -> Result<T, StoreError>,
    ) -> Result<T, Undone<T>> {
        let path = Arc::clone(&self.path);
        let fault = |error| StoreError::of_database(&path, doing, &error);
        let undone = |error| Undone { error, unanswered: None };
        let began = self.tables.db.begin().and_then(|()| match &mut self.link {
            None => Ok(()),
            Some(link) => {
                link.mark(&self.tables.db)?;
                if turn == Exclusion::Alone { server::wait_for_turn(&self.tables.db) } else { Ok(()) }
            }
        });
        began.map_err(fault).map_err(undone)?;
        let value = work(&mut self.tables, &path).map_err(undone)?;
        fault_points::reach(Point::BeforeCommit);
        match self.tables.db.commit() {
            Ok(()) => {
                self.link.iter_mut().for_each(Link::acknowledge);
                Ok(value)
            }
            Err(error) => Err(Undone { error: fault(error), unanswered: Some(value) }),
        }
    }

    /// Checkpoints, closes, and lets go of the lock.
    fn close(mut self) -> Result<(), StoreError> {
        fault_points::reach(Point::BeforeCheckpoint);
        if self.link.is_some() {
            let closed = self.transaction(Exclusion::Shared, "closing", |tables, path| {
                tables.retire().map_err(|error| StoreError::of_database(path, "closing", &error))
            });
            let Writer { link: Some(link), tables, .. } = self else { return closed };
            // A row that stays is removed by `probity store vacuum`.
            let _ = link.forget(&tables.db);
            return closed;
        }
        let Writer { tables, lock, path, .. } = self;
        let closed = open::close(tables.db, lock.as_ref());
        drop(lock);
        closed.map_err(|error| StoreError::of_database(&path, "closing", &error))
    }
}

/// A transaction that was not done, as far as this process knows.
struct Undone<T> {
    error: StoreError,
    /// What it came to, where only the answer to its commit is missing.
    unanswered: Option<T>,
}

fn lanes(tables: &Tables, path: &Path) -> Result<LaneNews, StoreError> {
    tables.lanes().map_err(|error| StoreError::of_database(path, "looking at rate limits", &error))
}

fn written(tables: &mut Tables, path: &Path, batch: &mut Batch) -> Result<Written, StoreError> {
    let concluded = tables
        .conclude(&batch.conclusions)
        .map_err(|error| StoreError::of_database(path, "recording a call", &error))?;
    let begun = tables
        .intend(&batch.starts)
        .map_err(|error| StoreError::of_database(path, "recording the start of a call", &error))?;
    batch.jobs.iter_mut().try_for_each(|job| job.apply(tables, path))?;
    Ok(Written { begun, concluded })
}
