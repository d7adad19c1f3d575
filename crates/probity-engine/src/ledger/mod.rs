//! The store: the only truth about what was asked, answered and decided.
//!
//! It keeps packets, attempts with their raw answers, settlements, labels and runs. A call is recorded before it is sent
//! ([`Store::intend`]) and when it has ended, together with what was read from its answer ([`Store::conclude`]). The
//! store decides which settlement stands and nothing else: it does not call, parse, retry or read the clock, and it
//! never sees a key. `docs/design/store.md` says why it is built as it is.
//!
//! What always holds:
//! - A completed write survives the process and the power.
//! - A call that was sent is in the store from before it was sent.
//! - At most one settlement stands per packet, judge and repeat, and a verdict stands for ever.
//! - An attempt is never an answer by itself; only a settled verdict is.
//! - What a dead process had in flight is listed once, as possibly billed.
//!
//! Everything is SQL over one small seam (`db`): a file of SQLite, or a database of PostgreSQL that many processes share.

mod address;
mod answer_history;
mod batch;
mod budget;
mod copy;
pub(crate) mod db;
mod error;
mod forget;
mod known;
mod labels;
mod lease;
mod lock;
mod open;
mod owned;
mod private;
mod reader;
mod record;
mod runs;
mod server;
mod tables;
mod totals;
mod upkeep;
mod writer;

#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

pub use address::{AddressError, ServerOptions, StoreAddress};
pub use answer_history::AnswerHistory;
pub use batch::{BatchCall, BatchFacts, BatchRecord, BatchStart, BatchState, ReservedBatch};
pub use budget::{BudgetTerms, Exhausted, Limits, NoRoom};
pub use copy::{Copied, copy};
pub use error::{Cause, FailureKind, StoreError};
pub(crate) use forget::ERASED;
pub use forget::Forgotten;
pub use labels::{LabelConflict, LabelImport, Revised, StoredLabel};
pub use lease::{LaneNews, LaneRefusal, LaneState};
pub use lock::files;
pub use owned::CaseList;
pub use reader::Reader;
pub use record::{
    Accepted, AskAgain, AttemptEnd, AttemptId, AttemptOutcome, AttemptRecord, AttemptStart, AttemptSummary,
    BatchId, Begun, Found, Holder, Intended, KnownKind, Manifest, RepeatedResponse, RunId, RunOpening,
    RunRecord, RunState, Settled, Settlement, Totals,
};
pub use runs::{Invocation, RunOutcome};
pub use upkeep::{StoreStats, vacuum};

pub use crate::judge::JudgeId;

pub(crate) use error::Fault;
pub(crate) use forget::{Erasure, PlacedCase};
pub(crate) use labels::{label_at, last_label, parsed_label, revise_label};
pub(crate) use tables::Tables;

use address::ServerAddress;
use db::Db;
use lease::Liveness;
use lock::Lock;
use record::Conclusion;
use server::Link;
use writer::{OtherWriters, Reply, Task, ToWriter, Writer};

/// A store. Clones share it; when the last is gone, it is closed.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

/// A store opened for writing, with what the opening found.
pub struct Opened {
    /// The store.
    pub store: Store,
    /// Calls that a dead process had in flight: possibly billed, not recorded. Each is listed once.
    pub lost: Vec<AttemptId>,
    /// The write-ahead log of a run that died, where it is gone: the latest records may be lost.
    pub missing_log: Option<PathBuf>,
}

struct Shared {
    address: StoreAddress,
    /// What the store is called in messages: a path, or an address without its password.
    path: Arc<Path>,
    /// The writer's thread; `None` where the store was opened for reading.
    writer: Option<WriterThread>,
    heard: Arc<Liveness>,
    /// Connections that no reader uses: opening one costs more than most answers. Closed before the writer's.
    idle: Mutex<Vec<Db>>,
}

struct WriterThread {
    inbox: mpsc::Sender<ToWriter>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// The connections that are kept for the next reader.
const IDLE_MAX: usize = 8;

impl Store {
    /// Opens the store at `address` for a run, and creates it, and the folder of a file, if there is none.
    pub fn open(address: impl Into<StoreAddress>) -> Result<Opened, StoreError> {
        match address.into() {
            StoreAddress::File(path) => {
                let open::ForWriting { db, lock, path, lost, missing_log } = open::for_writing(&path)?;
                Ok(Opened { store: Store::of_file(db, Some(lock), &path)?, lost, missing_log })
            }
            StoreAddress::Server(server) => {
                let store = Store::on_server(&server)?;
                let lost = store.write_blocking("listing lost calls", |tables| {
                    Ok(lease::lost(&tables.db, lease::Lost::OfExpiredWorkers)?)
                })?;
                Ok(Opened { store, lost, missing_log: None })
            }
        }
    }

    /// Opens the store at `address` for the review room, beside a run or without one: for labels and the tables of the
    /// room, and for no call. It takes no lock and recovers nothing.
    pub(crate) fn open_for_review(address: impl Into<StoreAddress>) -> Result<Store, StoreError> {
        match address.into() {
            StoreAddress::File(path) => {
                let (db, path) = open::beside_a_run(&path)?;
                Store::of_file(db, None, &path)
            }
            StoreAddress::Server(server) => Store::on_server(&server),
        }
    }

    fn of_file(db: Db, lock: Option<Lock>, path: &Path) -> Result<Store, StoreError> {
        Store::writing(Tables::new(db, None), StoreAddress::from(path), (lock, None))
    }

    fn on_server(server: &Arc<ServerAddress>) -> Result<Store, StoreError> {
        let address = StoreAddress::Server(Arc::clone(server));
        let db = server::for_writing(server, Path::new(&address.to_string()))?;
        let link = Link::new(Arc::clone(server));
        Store::writing(Tables::new(db, Some(link.lease())), address, (None, Some(link)))
    }

    /// A store with a writer on a thread of its own.
    fn writing(
        tables: Tables,
        address: StoreAddress,
        (lock, link): (Option<Lock>, Option<Link>),
    ) -> Result<Store, StoreError> {
        let (sender, inbox) = mpsc::channel();
        let path: Arc<Path> = PathBuf::from(address.to_string()).into();
        let heard = Arc::new(Liveness::default());
        let writer = Writer {
            tables,
            lock,
            path: Arc::clone(&path),
            inbox,
            is_marked: false,
            link,
            heard: Arc::clone(&heard),
            looked_at: Instant::now(),
            others: OtherWriters::default(),
        };
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| StoreError::of_system(&path, "starting the writer", &error))?;
        let writer = Some(WriterThread { inbox: sender, thread: Mutex::new(Some(thread)) });
        Ok(Store { shared: Arc::new(Shared { address, path, writer, heard, idle: Mutex::default() }) })
    }

    /// Opens the store at `address` for reading, beside a writer or without one. Every write is refused.
    pub fn open_read_only(address: impl Into<StoreAddress>) -> Result<Store, StoreError> {
        let address = match address.into() {
            StoreAddress::File(path) => StoreAddress::File(
                std::path::absolute(&path)
                    .map_err(|error| StoreError::of_system(&path, "finding the folder", &error))?,
            ),
            server @ StoreAddress::Server(_) => server,
        };
        let path: Arc<Path> = PathBuf::from(address.to_string()).into();
        let first = match &address {
            StoreAddress::File(path) => open::for_reading(path)?,
            StoreAddress::Server(server) => server::for_reading(server, &path, server::OPENING_MAX)?,
        };
        let (heard, idle) = (Arc::default(), Mutex::default());
        let store = Store { shared: Arc::new(Shared { address, path, writer: None, heard, idle }) };
        drop(Reader::new(first, Arc::clone(&store.shared.path), Arc::downgrade(&store.shared)));
        Ok(store)
    }

    /// Whether it was opened for writing.
    pub fn may_write(&self) -> bool {
        self.shared.writer.is_some()
    }

    /// Whether other processes may make calls on the same record.
    pub fn is_shared(&self) -> bool {
        matches!(self.shared.address, StoreAddress::Server(_))
    }

    /// Whether calls that are recorded are this process's own, for all it knows: none is sent without that.
    pub fn holds_leases(&self) -> bool {
        self.shared.heard.is_alive()
    }

    /// How the lanes of this process's runs are, and whether others met a rate limit.
    pub fn lane_news(&self) -> watch::Receiver<LaneNews> {
        self.shared.heard.lane_news()
    }

    /// Tells other workers of a rate limit: all calls of the lane of `run` pause. It is not waited for.
    pub fn pause_lane(&self, run: RunId, pause: Duration) {
        self.write_unasked("telling of a rate limit", move |tables| Ok(tables.pause_lane(run, pause)?));
    }

    /// Tells other workers that the endpoint takes no further call of the lane of `run`. It is not waited for.
    pub fn refuse_lane(&self, run: RunId, refusal: LaneRefusal) {
        self.write_unasked("telling of a refusal", move |tables| Ok(tables.refuse_lane(run, &refusal)?));
    }

    /// How many calls of other workers were found lost since the last look.
    pub fn take_lost(&self) -> usize {
        self.shared.heard.take_lost()
    }

    /// Where the store is.
    pub fn address(&self) -> &StoreAddress {
        &self.shared.address
    }

    /// Where the store is, as it is shown.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// A connection for reading, with its own prepared statements. A server that restarts is waited for.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        let path = Arc::clone(&self.shared.path);
        Ok(Reader::new(self.shared.connection()?, path, Arc::downgrade(&self.shared)))
    }

    /// A reader whose every answer is from this moment, whatever is written meanwhile: for reports.
    /// The write-ahead log grows while it lives.
    pub fn snapshot(&self) -> Result<Reader, StoreError> {
        let mut reader = self.reader()?;
        reader.snapshot()?;
        Ok(reader)
    }

    /// Keeps a small fact under `key`, in place of the fact that was there.
    pub fn note(&self, key: &str, value: &str) -> Result<(), StoreError> {
        const SQL: &str = "INSERT INTO note (key, value) VALUES (?1, ?2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let (key, value) = (key.to_owned(), value.to_owned());
        self.write_blocking("keeping a fact", move |tables| {
            Ok(tables.db.run(SQL, &db::vals![&key, &value]).map(drop)?)
        })
    }

    /// A small fact that was kept before.
    pub fn noted(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.reader()?.noted(key)
    }

    /// What a run has spent on a judge, and what the judge said about itself.
    pub fn totals(&self, judge: &JudgeId, run: RunId) -> Result<Totals, StoreError> {
        self.reader()?.totals(judge, run)
    }

    /// Records that a call is about to be made, with its packet, and takes room in the budget of its run. Send the call
    /// only when it is recorded: it is on the disk then. Judge and run have to be known to this process.
    pub fn intend(&self, start: AttemptStart) -> impl Future<Output = Result<Intended, StoreError>> + use<> {
        self.asked("recording the start of a call", |reply| ToWriter::Intend(Box::new(start), reply))
    }

    /// Takes back what was recorded for a call that is not made.
    pub fn withdraw(&self, attempt: AttemptId) -> impl Future<Output = Result<(), StoreError>> + use<> {
        self.write("withdrawing a call", move |tables| Ok(tables.withdraw(attempt)?))
    }

    /// Records what a call came to, its raw bytes and what was read from them, in one transaction. Tells what became
    /// of the settlement, if there is one.
    pub fn conclude(
        &self,
        attempt: AttemptId,
        end: AttemptEnd,
        settlement: Option<Settlement>,
    ) -> impl Future<Output = Result<Option<Accepted>, StoreError>> + use<> {
        let conclusion = Box::new(Conclusion { attempt, end, settlement });
        self.asked("recording a call", |reply| ToWriter::Conclude(conclusion, reply))
    }

    /// Offers a settlement that was read from the answer to an attempt on record. The first stands, an unscored gives
    /// way to a later settlement, and a verdict gives way to nothing.
    pub fn settle(
        &self,
        attempt: AttemptId,
        settlement: Settlement,
    ) -> impl Future<Output = Result<Accepted, StoreError>> + use<> {
        self.write("recording a settlement", move |tables| {
            Ok(tables.settle(&[(attempt, &settlement)])?[&attempt])
        })
    }

    /// Writes what is waiting, checkpoints the write-ahead log and gives up the lock. Clones that are left can still
    /// read.
    pub fn close(self) -> Result<(), StoreError> {
        self.shared.close()
    }

    /// Hands `work` to the writer at once. The future waits for its answer without blocking the thread.
    pub(crate) fn write<T: Send + 'static, F: FnMut(&mut Tables) -> Result<T, Fault> + Send + 'static>(
        &self,
        doing: &'static str,
        work: F,
    ) -> impl Future<Output = Result<T, StoreError>> + use<T, F> {
        self.asked(doing, move |reply| job(doing, work, reply))
    }

    /// Writes and blocks the thread until it is durable: for the few writes at the edges of a run.
    pub(crate) fn write_blocking<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnMut(&mut Tables) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (caller, answer) = mpsc::sync_channel(1);
        let reply = Box::new(move |outcome| drop(caller.send(outcome)));
        self.shared.send(doing, job(doing, work, reply))?;
        answer.recv().unwrap_or_else(|_| Err(self.shared.closed(doing)))
    }

    /// Hands `work` to the writer and does not wait for it: for what may be lost.
    pub(crate) fn write_unasked(
        &self,
        doing: &'static str,
        work: impl FnMut(&mut Tables) -> Result<(), Fault> + Send + 'static,
    ) {
        // A caller that does not wait is not told either.
        let _ = self.shared.send(doing, job(doing, work, Box::new(drop)));
    }

    /// Sends the writer a message at once. The future waits for the reply.
    fn asked<T: Send + 'static, M: FnOnce(Reply<T>) -> ToWriter>(
        &self,
        doing: &'static str,
        message: M,
    ) -> impl Future<Output = Result<T, StoreError>> + use<T, M> {
        let (caller, answer) = oneshot::channel();
        // A caller that does not wait any more does not need the answer; what was written stands.
        let sent = self.shared.send(doing, message(Box::new(move |outcome| drop(caller.send(outcome)))));
        let path = Arc::clone(&self.shared.path);
        async move {
            sent?;
            answer.await.unwrap_or_else(|_| Err(StoreError::Closed { path: path.to_path_buf(), doing }))
        }
    }
}

fn job<T: Send + 'static>(
    doing: &'static str,
    work: impl FnMut(&mut Tables) -> Result<T, Fault> + Send + 'static,
    reply: Reply<T>,
) -> ToWriter {
    ToWriter::Job(Box::new(Task { doing, work, outcome: None, reply }))
}

impl Shared {
    /// A connection for reading: one that no reader uses, or a new one.
    fn connection(&self) -> Result<Db, StoreError> {
        let idle = self.idle().pop();
        idle.map_or_else(|| self.connected(), Ok)
    }

    /// A new connection for reading. A server that restarts is waited for.
    fn connected(&self) -> Result<Db, StoreError> {
        match &self.address {
            StoreAddress::File(path) => open::for_reading(path),
            StoreAddress::Server(server) => {
                server::for_reading(server, &self.path, server::restart_max(server))
            }
        }
    }

    /// A new connection in place of one that was lost, and all others from before with it.
    fn reconnected(&self) -> Result<Db, StoreError> {
        self.idle().clear();
        self.connected()
    }

    /// Keeps a connection for the next reader.
    fn keep(&self, db: Db) {
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX {
            idle.push(db);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Db>> {
        self.idle.lock().expect("nothing panics while it holds these")
    }

    fn send(&self, doing: &'static str, message: ToWriter) -> Result<(), StoreError> {
        let Some(WriterThread { inbox, .. }) = &self.writer else {
            return Err(StoreError::failed(
                &self.path,
                doing,
                FailureKind::ReadOnly,
                "it was opened for reading",
            ));
        };
        inbox.send(message).map_err(|_| self.closed(doing))
    }

    fn closed(&self, doing: &'static str) -> StoreError {
        StoreError::Closed { path: self.path.to_path_buf(), doing }
    }

    /// Stops the writer and waits until it has let go of the files.
    fn close(&self) -> Result<(), StoreError> {
        self.idle().clear();
        let Some(WriterThread { thread, .. }) = &self.writer else { return Ok(()) };
        let (caller, answer) = mpsc::sync_channel(1);
        let asked = self.send("closing", ToWriter::Close(caller));
        let closed = asked.and_then(|()| answer.recv().unwrap_or_else(|_| Err(self.closed("closing"))));
        if let Some(thread) = thread.lock().expect("nothing panics while holding the thread").take() {
            // A writer that panicked dropped its callers; they have been told that it is closed.
            let _ = thread.join();
        }
        closed
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A caller that needs to know how closing went calls `close`.
        let _ = self.close();
    }
}
