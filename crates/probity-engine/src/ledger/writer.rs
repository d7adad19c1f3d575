//! The one thread that writes: it takes whatever is waiting into one transaction, commits it to the disk,
//! and only then answers each caller.
//!
//! A sync of the disk costs the same for one row as for hundreds, so sharing it is what makes durable
//! answers cheap. After a failed commit the thread writes nothing more: every caller, now and later, is told
//! the same error, and what had been answered before is safe. The queue needs no bound of its own, because
//! each caller waits for its answer before it asks again.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use super::db::Db;
use super::error::{Fault, StoreError};
use super::lock::Lock;
use super::open;
use super::record::{Accepted, AttemptStart, Conclusion, Intended};
use super::tables::Tables;
use crate::fault_points::{self, Point};

/// The most requests in one transaction.
const BATCH_REQUESTS_MAX: usize = 2048;

/// The most bytes in one transaction, so that a flood of large answers cannot blow up the write-ahead log.
const BATCH_BYTES_MAX: usize = 16 << 20;

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
    /// What to write. Taken when applied.
    pub(super) work: Option<F>,
    /// What the work answered.
    pub(super) outcome: Option<Result<T, StoreError>>,
    /// The way back.
    pub(super) reply: Reply<T>,
}

impl<T, F> Job for Task<T, F>
where
    T: Send,
    F: FnOnce(&mut Tables) -> Result<T, Fault> + Send,
{
    fn apply(&mut self, tables: &mut Tables, path: &Path) -> Result<(), StoreError> {
        let work = self.work.take().expect("a job is applied once");
        self.outcome = match work(tables) {
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
    /// Other writers of the store.
    pub(super) others: OtherWriters,
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
    /// Leaves the others time to get in, where one of them has written lately.
    fn leave_gap(&mut self, db: &Db) {
        // A version that cannot be read is no reason to stop: the next commit says what is wrong.
        let version = db.version_of_others().unwrap_or(self.version);
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
            let Ok(first) = self.inbox.recv() else { break };
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
        if !self.is_marked && !batch.starts.is_empty() {
            open::mark_in_use(&self.tables.db).map_err(fault)?;
            self.is_marked = true;
        }
        self.tables.db.begin().map_err(fault)?;
        let written = self.written(batch).and_then(|written| {
            fault_points::reach(Point::BeforeCommit);
            self.tables.db.commit().map_err(fault)?;
            Ok(written)
        });
        if written.is_err() {
            self.tables.db.rollback();
        }
        written
    }

    fn written(&mut self, batch: &mut Batch) -> Result<Written, StoreError> {
        let path = Arc::clone(&self.path);
        let tables = &mut self.tables;
        let concluded = tables
            .conclude(&batch.conclusions)
            .map_err(|error| StoreError::of_database(&path, "recording a call", &error))?;
        let begun = tables
            .intend(&batch.starts)
            .map_err(|error| StoreError::of_database(&path, "recording the start of a call", &error))?;
        batch.jobs.iter_mut().try_for_each(|job| job.apply(tables, &path))?;
        Ok(Written { begun, concluded })
    }

    /// Checkpoints, closes, and lets go of the lock.
    fn close(self) -> Result<(), StoreError> {
        let Writer { tables, lock, path, .. } = self;
        fault_points::reach(Point::BeforeCheckpoint);
        let closed = open::close(tables.db, lock.as_ref());
        drop(lock);
        closed.map_err(|error| StoreError::of_database(&path, "closing", &error))
    }
}
