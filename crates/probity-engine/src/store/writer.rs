//! The one thread that writes: it takes whatever is waiting into one transaction, commits it to the disk,
//! and only then answers each caller.
//!
//! A sync of the disk costs the same for one row as for hundreds, so sharing it is what makes durable
//! answers cheap. After a failed commit the thread writes nothing more: everyone, now and later, is told
//! the same error, and what had been answered before is safe. The queue needs no bound of its own, because
//! each caller waits for its answer before it asks again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::Duration;

use rusqlite::config::DbConfig;
use tokio::sync::oneshot;

use super::calls::CallLog;
use super::error::{Fault, StoreError};
use super::lock::Lock;
use super::open::{JOURNAL_BYTES_KEPT, journal_bytes, limit_journal};
use super::tables::Tables;
use crate::fault_points::{self, Point};

/// The most requests in one transaction.
const BATCH_JOBS_MAX: usize = 2048;

/// The most bytes in one transaction, so that a flood of large answers cannot blow up the journal.
const BATCH_BYTES_MAX: usize = 16 << 20;

/// Beyond this many requests in one transaction, a sparing writer rests before the next one. No call waits for it to
/// start, and a few workers who take one packet after the other are not kept waiting.
const BUSY_JOBS_MIN: usize = 4;

/// How long it rests for each request beyond those: much longer than writing one takes, so that transactions grow
/// with the load.
const REST_PER_JOB: Duration = Duration::from_micros(250);

/// The longest rest. It is short beside any call to a model.
const REST_MAX: Duration = Duration::from_millis(16);

/// How long the last checkpoint waits for readers. What it leaves undone, the next opening does.
const LAST_CHECKPOINT_WAIT: Duration = Duration::from_millis(500);

/// How much of the journal's file stays when the journal begins anew after it was folded on demand, in bytes. Giving
/// back a large file takes as long as many commits; a file of nothing would look as if somebody had taken it away.
const FOLDED_BYTES_KEPT: i64 = 1 << 20;

/// Whether the writer rests so that requests share a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// It does where there are many.
    Sparing,
    /// It does not: those who wait are the last.
    Prompt,
}

/// What reaches the writer's thread.
pub(super) enum Message {
    /// Something to write.
    Job(Box<dyn Job>),
    /// Fold what the journal has into the file, as far as readers allow, if it has at least this many bytes.
    Fold(u64),
    /// Finish, and say how it went.
    Close(SyncSender<Result<(), StoreError>>),
}

/// One caller's request, with the way back to the caller.
pub(super) trait Job: Send {
    /// About how many bytes it adds.
    fn weight(&self) -> usize;
    /// Writes inside the open transaction. An error means that the transaction is lost.
    fn apply(&mut self, tables: &mut Tables, path: &Path) -> Result<(), StoreError>;
    /// Tells the caller, who may have gone.
    fn answer(self: Box<Self>, failed: Option<&StoreError>);
}

/// The way back to a caller.
pub(super) enum Reply<T> {
    /// To a task that awaits.
    Awaited(oneshot::Sender<Result<T, StoreError>>),
    /// To a thread that blocks.
    Blocked(SyncSender<Result<T, StoreError>>),
    /// Nobody waits.
    Unasked,
}

/// A [`Job`] made of a function over the tables.
pub(super) struct Task<T, F> {
    /// What is being done, for error messages.
    pub(super) doing: &'static str,
    /// About how many bytes it adds.
    pub(super) weight: usize,
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
    fn weight(&self) -> usize {
        self.weight
    }

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
        let outcome = match failed {
            Some(error) => Err(error.clone()),
            None => self.outcome.expect("a job is applied before it is answered"),
        };
        // Whoever does not wait any more does not need the answer; what was written stands.
        match self.reply {
            Reply::Awaited(caller) => drop(caller.send(outcome)),
            Reply::Blocked(caller) => drop(caller.send(outcome)),
            Reply::Unasked => {}
        }
    }
}

/// What the end of a writer means for its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The store is closed: it says so, and its journal is folded in.
    Closes,
    /// A run may go on beside it, so nothing is said; whoever leaves last folds the journal.
    Leaves,
}

/// What a writer shares with those who ask it.
pub(super) struct WithCallers {
    /// Calls that the database does not have yet.
    pub(super) calls: Arc<CallLog>,
    /// What is asked of it.
    pub(super) inbox: Receiver<Message>,
    /// Whether it has to do without rests.
    pub(super) is_prompt: Arc<AtomicBool>,
}

/// What a writer does after a transaction.
enum Next {
    /// It takes what is waiting by then.
    Gather,
    /// It folds the journal if that has so many bytes.
    Fold(u64),
    /// It finishes, and tells this caller.
    Close(SyncSender<Result<(), StoreError>>),
}

/// The writing end of a store. Fields are dropped in order: the connection before the lock.
pub(super) struct Writer {
    tables: Tables,
    lock: Lock,
    path: Arc<Path>,
    calls: Arc<CallLog>,
    inbox: Receiver<Message>,
    is_prompt: Arc<AtomicBool>,
    ending: Ending,
    failed: Option<StoreError>,
    /// Whether the next commit cuts the journal's file.
    cuts_journal: bool,
}

impl Writer {
    pub(super) fn new(
        tables: Tables,
        lock: Lock,
        path: Arc<Path>,
        shared: WithCallers,
        ending: Ending,
    ) -> Writer {
        let WithCallers { calls, inbox, is_prompt } = shared;
        Writer { tables, lock, path, calls, inbox, is_prompt, ending, failed: None, cuts_journal: false }
    }

    /// Writes until told to close, or until nobody is left who could ask.
    pub(super) fn run(mut self) {
        let mut batch = Vec::with_capacity(BATCH_JOBS_MAX);
        let mut closing = None;
        while let Ok(first) = self.inbox.recv() {
            let next = self.gather(first, &mut batch);
            let n_jobs = batch.len();
            if n_jobs > 0 {
                self.write(&mut batch);
            }
            match next {
                Next::Gather => self.rest_after(n_jobs),
                Next::Fold(n_bytes_min) => self.fold(n_bytes_min),
                Next::Close(caller) => {
                    closing = Some(caller);
                    break;
                }
            }
        }
        let closed = self.close();
        if let Some(caller) = closing {
            // A caller that has gone does not need to know.
            let _ = caller.send(closed);
        }
    }

    /// Rests after a transaction of `n_jobs`: where many write at once, those who come meanwhile share one sync and the
    /// pages it writes. Whoever changes the pace ends it.
    fn rest_after(&self, n_jobs: usize) {
        let n_beyond = u32::try_from(n_jobs.saturating_sub(BUSY_JOBS_MIN)).unwrap_or(u32::MAX);
        if n_beyond > 0 && !self.is_prompt.load(Ordering::Acquire) {
            std::thread::park_timeout(REST_PER_JOB.saturating_mul(n_beyond).min(REST_MAX));
        }
    }

    /// Takes what is waiting, up to the bounds, and returns what is to be done when it is written.
    fn gather(&self, first: Message, batch: &mut Vec<Box<dyn Job>>) -> Next {
        let mut n_bytes = 0;
        let mut next = Some(first);
        while let Some(message) = next {
            match message {
                Message::Close(caller) => return Next::Close(caller),
                Message::Fold(n_bytes_min) => return Next::Fold(n_bytes_min),
                Message::Job(job) => {
                    n_bytes += job.weight();
                    batch.push(job);
                }
            }
            let is_full = batch.len() >= BATCH_JOBS_MAX || n_bytes >= BATCH_BYTES_MAX;
            next = if is_full { None } else { self.inbox.try_recv().ok() };
        }
        Next::Gather
    }

    fn write(&mut self, batch: &mut Vec<Box<dyn Job>>) {
        if self.failed.is_none() {
            self.failed = self.commit(batch).err();
            fault_points::reach(Point::AfterCommit);
        }
        let recorded = self.tables.take_recorded();
        match &self.failed {
            Some(error) => self.calls.stop(error),
            None if recorded.is_empty() => {}
            None => self.calls.forget(&recorded),
        }
        for job in batch.drain(..) {
            job.answer(self.failed.as_ref());
        }
    }

    fn commit(&mut self, batch: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        self.in_transaction(|tables, path| {
            batch.iter_mut().try_for_each(|job| job.apply(tables, path))?;
            fault_points::reach(Point::BeforeCommit);
            Ok(())
        })?;
        if std::mem::take(&mut self.cuts_journal) {
            let limited = limit_journal(&self.tables.connection, JOURNAL_BYTES_KEPT);
            limited.map_err(|error| StoreError::of_database(&self.path, "committing", &error))?;
        }
        Ok(())
    }

    /// Runs `work` between `BEGIN IMMEDIATE` and a commit, or undoes it. A commit has reached the disk, unless it is
    /// the last: that one is synced with the folding.
    fn in_transaction(
        &mut self,
        work: impl FnOnce(&mut Tables, &Path) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        const DOING: &str = "committing";
        let path = &*self.path;
        let fault = |error| StoreError::of_database(path, DOING, &error);
        self.tables.connection.execute_batch("BEGIN IMMEDIATE").map_err(fault)?;
        let done = work(&mut self.tables, path)
            .and_then(|()| self.tables.connection.execute_batch("COMMIT").map_err(fault));
        if done.is_err() && !self.tables.connection.is_autocommit() {
            // If undoing fails as well, closing the connection undoes it: the journal has no commit.
            let _ = self.tables.connection.execute_batch("ROLLBACK");
        }
        done
    }

    /// Folds the journal into the file, if it has at least `n_bytes_min`. Nobody waits for it: what it leaves undone,
    /// closing does, and closing reports what failed here. A disk that failed once is not trusted because the next
    /// try went well.
    fn fold(&mut self, n_bytes_min: u64) {
        self.calls.clear();
        if self.failed.is_some() || journal_bytes(&self.path) < n_bytes_min {
            return;
        }
        let connection = &self.tables.connection;
        let folded = limit_journal(connection, FOLDED_BYTES_KEPT)
            .and_then(|()| connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
        self.cuts_journal = true;
        if let Err(error) = folded {
            let error = StoreError::of_database(&self.path, "folding the journal", &error);
            self.calls.stop(&error);
            self.failed.get_or_insert(error);
        }
    }

    /// Marks the store as closed, folds the journal into the file, and lets go of the lock.
    fn close(mut self) -> Result<(), StoreError> {
        const DOING: &str = "closing";
        let path = Arc::clone(&self.path);
        if let Some(error) = self.failed {
            return Err(error);
        }
        let fault = |error| StoreError::of_database(&path, DOING, &error);
        if self.ending == Ending::Closes {
            // Folding syncs what is written here. Where a reader keeps it from folding, loss of power may take the
            // mark, and the next opening checks what it need not.
            self.tables.connection.pragma_update(None, "synchronous", "normal").map_err(fault)?;
            self.in_transaction(|tables, _| {
                tables.connection.execute_batch("UPDATE mark SET closing = 'clean'").map_err(fault)
            })?;
            fault_points::reach(Point::BeforeFold);
        }
        let Writer { tables, lock, calls, ending, .. } = self;
        let connection = tables.connection;
        if ending == Ending::Closes {
            connection.busy_timeout(LAST_CHECKPOINT_WAIT).map_err(fault)?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(fault)?;
        }
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(fault)?;
        connection.close().map_err(|(_, error)| fault(error))?;
        let closed = StoreError::Closed { path: path.to_path_buf(), doing: DOING };
        calls.close(&closed);
        drop(lock);
        calls.failure().map_or(Ok(()), Err)
    }
}
