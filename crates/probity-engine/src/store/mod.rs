//! The store: the only truth about what was asked, answered and decided.
//!
//! It keeps packets, attempts with their raw answers, and settlements. A call is noted before it is sent and when it
//! ends (`calls`), and is in the database, on the disk, before its caller takes the next packet. It decides which
//! settlement stands and nothing else: it does not call, parse, retry or read the clock, and it never sees a key.
//! `docs/design/store.md` says why it is built as it is.
//!
//! What always holds:
//! - A completed write survives the process and the power; a note of a call survives the process.
//! - At most one settlement stands per packet, judge and repeat, and a verdict stands for ever.
//! - An attempt is never an answer by itself; only a settled verdict is.
//! - What a dead process had in flight is listed once, as possibly billed.
//!
//! No type of the database shows, so that a server's database can take this one's place.

mod calls;
mod error;
mod history;
mod known;
mod labels;
mod lock;
mod notes;
mod open;
mod private;
mod reader;
mod recent;
mod record;
mod tables;
mod takeover;
mod totals;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;

use probity_core::packet::{PacketHash, PacketMap};
use tokio::sync::oneshot;

pub use error::{Cause, StoreError};
pub use history::{Invocation, Outcome, PartChange};
pub use known::{Found, KnownKind};
pub use labels::{LabelConflict, LabelImport, Revised, StoredLabel};
pub use lock::files;
pub use open::OpenWarning;
pub use reader::Reader;
pub use record::{
    Accepted, AttemptEnd, AttemptId, AttemptOutcome, AttemptRecord, AttemptStart, AttemptSummary, Begun,
    Decision, EndedCall, JudgeId, LostCall, Manifest, Mark, NotAJudgeId, RepeatedResponse, RunId, RunOpening,
    RunRecord, RunState, SettledKind, Settlement, SettlementRecord, Totals,
};

pub use writer::Pace;

pub(crate) use error::Fault;
pub(crate) use labels::{at as label_at, last as last_label};
pub(crate) use reader::{packet_hash, unknown};
pub(crate) use recent::Recent;
pub(crate) use tables::{Tables, parts_of_text};

use calls::CallLog;
use open::OpenLimits;
use recent::Offered;
use writer::{Ending, Job, Message, Reply, Task, WithCallers, Writer};

/// A journal of this size is worth folding before the last calls are over. A small one is folded sooner than somebody
/// who writes meanwhile would have waited for it.
const LARGE_JOURNAL_BYTES: u64 = 4 << 20;

const RECENT_HELD: &str = "nothing panics while holding the recent verdicts";
const THREAD_HELD: &str = "nothing panics while holding the thread";

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
    pub lost: Vec<LostCall>,
    /// Doubts that a person should hear about.
    pub warnings: Vec<OpenWarning>,
}

struct Shared {
    path: Arc<Path>,
    access: Access,
}

enum Access {
    Read,
    Write {
        inbox: mpsc::Sender<Message>,
        thread: Mutex<Option<JoinHandle<()>>>,
        /// Whether the writer has to do without rests.
        is_prompt: Arc<AtomicBool>,
        /// The number of the attempt that begins next.
        next_attempt: AtomicI64,
        /// Calls that the database does not have yet.
        calls: Arc<CallLog>,
        /// Verdicts that were settled since the last snapshot.
        recent: Mutex<Recent>,
    },
}

impl Store {
    /// Opens the store at `path` for writing, and creates it and its folder if there is none.
    pub fn open(path: &Path) -> Result<Opened, StoreError> {
        Store::open_limited(path, OpenLimits::default())
    }

    fn open_limited(path: &Path, limits: OpenLimits) -> Result<Opened, StoreError> {
        let open::ForWriting { tables, lock, path, left } = open::for_writing(path, limits)?;
        let calls = CallLog::new(&path, left.openings);
        let writer = |inbox| Writer::new(tables, lock, Arc::clone(&path), inbox, Ending::Closes);
        let store = Store::writing(&path, (left.next_attempt, calls), writer)?;
        Ok(Opened { store, lost: left.lost, warnings: left.warnings })
    }

    /// Opens the store at `path` beside whoever runs: for the process in which people label, and for nothing but
    /// labels and the tables of the room. Its attempts have no numbers.
    pub(crate) fn open_for_review(path: &Path) -> Result<Store, StoreError> {
        let open::ForReview { connection, lock, path } = open::for_review(path)?;
        let writer =
            |inbox| Writer::new(Tables::new(connection), lock, Arc::clone(&path), inbox, Ending::Leaves);
        Store::writing(&path, (0, CallLog::refusing(&path)), writer)
    }

    /// A store with the writer that `make` makes, on a thread of its own.
    fn writing(
        path: &Arc<Path>,
        (next_attempt, calls): (i64, CallLog),
        make: impl FnOnce(WithCallers) -> Writer,
    ) -> Result<Store, StoreError> {
        let (sender, inbox) = mpsc::channel();
        let (calls, is_prompt) = (Arc::new(calls), Arc::new(AtomicBool::new(false)));
        let writer =
            make(WithCallers { calls: Arc::clone(&calls), inbox, is_prompt: Arc::clone(&is_prompt) });
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| StoreError::of_system(path, "starting the writer", &error))?;
        let thread = Mutex::new(Some(thread));
        let next_attempt = AtomicI64::new(next_attempt);
        let recent = Mutex::default();
        let access = Access::Write { inbox: sender, thread, is_prompt, next_attempt, calls, recent };
        Ok(Store { shared: Arc::new(Shared { path: Arc::clone(path), access }) })
    }

    /// Opens the store at `path` for reading, beside a writer or without one. Every write is refused.
    pub fn open_read_only(path: &Path) -> Result<Store, StoreError> {
        let absolute = std::path::absolute(path)
            .map_err(|error| StoreError::of_system(path, "finding the folder", &error))?;
        open::for_reading(&absolute)?;
        Ok(Store { shared: Arc::new(Shared { path: Arc::from(absolute), access: Access::Read }) })
    }

    /// Whether it was opened for writing.
    pub fn may_write(&self) -> bool {
        matches!(self.shared.access, Access::Write { .. })
    }

    /// Where the store is.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// A connection for reading, with its own prepared statements.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Ok(Reader::new(open::for_reading(&self.shared.path)?, Arc::clone(&self.shared.path)))
    }

    /// A reader whose every answer is from this moment, whatever is written meanwhile: for reports.
    /// The journal cannot be folded into the file while it lives.
    pub fn snapshot(&self) -> Result<Reader, StoreError> {
        // Taken before the moment is fixed: what was acknowledged by now is in the file by then.
        let recent = self.shared.take_recent();
        Ok(self.frozen()?.knowing(recent))
    }

    /// Like [`Store::snapshot`], for whoever does not ask for verdicts: those of this process stay for the next one.
    pub(crate) fn frozen(&self) -> Result<Reader, StoreError> {
        let reader = self.reader()?;
        reader.freeze()?;
        Ok(reader)
    }

    /// Begins a run, or resumes the one of its name that had the same parts.
    pub fn begin_run(&self, manifest: &Manifest) -> Result<Begun, StoreError> {
        const DOING: &str = "beginning a run";
        let manifest = manifest.clone();
        let begun = self.write_blocking(DOING, move |tables| tables.begin_run(&manifest))?;
        self.shared.calls(DOING)?.admit_run(begun.run());
        Ok(begun)
    }

    /// Records how far a run has come.
    pub fn end_run(&self, run: RunId, state: RunState) -> Result<(), StoreError> {
        self.write_blocking("ending a run", move |tables| tables.end_run(run, state))
    }

    /// Makes a judge known. Its attempts and settlements are refused before that.
    pub fn register_judge(&self, judge: &JudgeId, identity_json: &str) -> Result<(), StoreError> {
        const DOING: &str = "registering a judge";
        let (registered, identity) = (judge.clone(), identity_json.to_owned());
        self.write_blocking(DOING, move |tables| tables.register_judge(&registered, &identity))?;
        self.shared.calls(DOING)?.admit_judge(judge.clone());
        Ok(())
    }

    /// Keeps a small fact under `key`, in place of the fact that was there.
    pub fn note(&self, key: &str, value: &str) -> Result<(), StoreError> {
        let (key, value) = (key.to_owned(), value.to_owned());
        self.write_blocking("noting a fact", move |tables| tables.note(&key, &value))
    }

    /// A fact noted before.
    pub fn noted(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.reader()?.noted(key)
    }

    /// What is settled for one repeat of a judge, by packet.
    pub fn settled(&self, judge: &JudgeId, repeat: u32) -> Result<PacketMap<SettledKind>, StoreError> {
        self.reader()?.settled(judge, repeat)
    }

    /// What a run has spent on a judge, and what the judge said about itself.
    pub fn totals(&self, judge: &JudgeId, run: RunId) -> Result<Totals, StoreError> {
        self.reader()?.totals(judge, run)
    }

    /// Notes that a call is about to be made, with its packet. Send the call only after this. Its judge and its run
    /// have to be known to this process.
    ///
    /// The note survives `kill -9`; loss of power it may not survive.
    pub fn begin_attempt(&self, start: AttemptStart) -> Result<AttemptId, StoreError> {
        let doing = "recording the start of a call";
        let attempt = self.shared.next_attempt(doing)?;
        self.shared.calls(doing)?.begin(attempt, start)?;
        Ok(attempt)
    }

    /// Notes what a call came to, with its raw bytes. When this returns, `kill -9` cannot take them any more. Read the
    /// answer only after this, and give the call to [`Store::record`] or [`Store::settle_call`].
    pub fn note_end(&self, attempt: AttemptId, end: AttemptEnd) -> Result<EndedCall, StoreError> {
        self.shared.calls("noting the end of a call")?.end(attempt, end)
    }

    /// Records a call that has ended: its packet, what it came to and its raw bytes.
    pub fn record(&self, call: EndedCall) -> impl Future<Output = Result<(), StoreError>> + use<> {
        self.write(("recording a call", call.weight()), move |tables| tables.record_call(&call))
    }

    /// [`Store::note_end`] and [`Store::record`] in one.
    pub fn end_attempt(
        &self,
        attempt: AttemptId,
        end: AttemptEnd,
    ) -> impl Future<Output = Result<(), StoreError>> + use<> {
        let recorded = self.note_end(attempt, end).map(|call| self.record(call));
        async move { recorded?.await }
    }

    /// Records a packet about which no call is made, so that it can be settled.
    pub async fn keep_packet(&self, packet: PacketHash, body: Arc<str>) -> Result<(), StoreError> {
        let doing = "recording a packet";
        let weight = body.len();
        self.write((doing, weight), move |tables| tables.keep_packet(packet, &body).map(drop)).await
    }

    /// Offers a settlement. The first stands, an unscored gives way to a later settlement, and a verdict
    /// gives way to nothing.
    pub async fn settle(&self, settlement: Settlement) -> Result<Accepted, StoreError> {
        self.settle_after(None, settlement).await
    }

    /// Records a call that has ended, together with the settlement that was made of it.
    pub async fn settle_call(&self, call: EndedCall, settlement: Settlement) -> Result<Accepted, StoreError> {
        self.settle_after(Some(call), settlement).await
    }

    async fn settle_after(
        &self,
        call: Option<EndedCall>,
        settlement: Settlement,
    ) -> Result<Accepted, StoreError> {
        let weight = match &settlement.decision {
            Decision::Verdict { body } => body.len(),
            Decision::Unscored { detail, .. } => detail.len(),
        };
        let weight = weight + call.as_ref().map_or(0, EndedCall::weight);
        let work = move |tables: &mut Tables| {
            call.iter().try_for_each(|call| tables.record_call(call))?;
            let accepted = tables.settle(&settlement)?;
            Ok((accepted, Offered::of(settlement)))
        };
        let (accepted, offered) = self.write(("recording a settlement", weight), work).await?;
        if let Some(offered) = offered {
            self.shared.keep(offered, accepted);
        }
        Ok(accepted)
    }

    /// Has the writer rest between transactions or not. A rest that it takes at the moment ends.
    pub fn set_pace(&self, pace: Pace) {
        let Access::Write { thread, is_prompt, .. } = &self.shared.access else { return };
        is_prompt.store(pace == Pace::Prompt, Ordering::Release);
        if let Some(thread) = thread.lock().expect(THREAD_HELD).as_ref() {
            thread.thread().unpark();
        }
    }

    /// Begins to fold the journal into the file and does not wait for it, so that less is left for closing. For
    /// when nothing is written any more: whoever writes waits until it is done.
    pub fn begin_fold(&self) {
        self.fold_from(0);
    }

    /// Like [`Store::begin_fold`] for a journal that has grown large, for when little is still to be written.
    pub fn begin_fold_if_large(&self) {
        self.fold_from(LARGE_JOURNAL_BYTES);
    }

    fn fold_from(&self, n_bytes_min: u64) {
        // A store that cannot be written has nothing to fold, and one that is closed has done so.
        let _ = self.shared.send_message("folding the journal", Message::Fold(n_bytes_min));
    }

    /// Writes what is waiting, folds the journal into the file and gives up the lock. Clones that are
    /// left can still read.
    pub fn close(self) -> Result<(), StoreError> {
        self.shared.close()
    }

    /// Hands `work` to the writer at once. The future waits for its answer without blocking the thread.
    pub(crate) fn write<T: Send + 'static, F: FnOnce(&mut Tables) -> Result<T, Fault> + Send + 'static>(
        &self,
        (doing, weight): (&'static str, usize),
        work: F,
    ) -> impl Future<Output = Result<T, StoreError>> + use<T, F> {
        let (caller, answer) = oneshot::channel();
        let reply = Reply::Awaited(caller);
        let sent = self.shared.send(doing, Task { doing, weight, work: Some(work), outcome: None, reply });
        let path = Arc::clone(&self.shared.path);
        async move {
            sent?;
            let closed = |_| Err(StoreError::Closed { path: path.to_path_buf(), doing });
            answer.await.unwrap_or_else(closed)
        }
    }

    /// Writes and blocks the thread until it is durable: for the few writes at the edges of a run.
    pub(crate) fn write_blocking<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Tables) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (caller, answer) = mpsc::sync_channel(1);
        let reply = Reply::Blocked(caller);
        self.shared.send(doing, Task { doing, weight: 0, work: Some(work), outcome: None, reply })?;
        answer.recv().unwrap_or_else(|_| Err(self.shared.closed(doing)))
    }
}

impl Store {
    /// Hands `work` to the writer and does not wait for it: for what may be lost.
    pub(crate) fn write_unasked(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Tables) -> Result<(), Fault> + Send + 'static,
    ) {
        let task = Task { doing, weight: 0, work: Some(work), outcome: None, reply: Reply::Unasked };
        // Whoever cannot be told does not wait.
        let _ = self.shared.send(doing, task);
    }
}

impl Shared {
    fn next_attempt(&self, doing: &'static str) -> Result<AttemptId, StoreError> {
        match &self.access {
            Access::Read => Err(StoreError::ReadOnly { path: self.path.to_path_buf(), doing }),
            Access::Write { next_attempt, .. } => Ok(AttemptId(next_attempt.fetch_add(1, Ordering::Relaxed))),
        }
    }

    /// The calls under way.
    fn calls(&self, doing: &'static str) -> Result<&CallLog, StoreError> {
        match &self.access {
            Access::Read => Err(StoreError::ReadOnly { path: self.path.to_path_buf(), doing }),
            Access::Write { calls, .. } => Ok(calls),
        }
    }

    /// Keeps an acknowledged verdict for the next snapshot.
    fn keep(&self, offered: Offered, accepted: Accepted) {
        if let Access::Write { recent, .. } = &self.access {
            recent.lock().expect(RECENT_HELD).keep(offered, accepted);
        }
    }

    /// What was settled since the last snapshot.
    fn take_recent(&self) -> Recent {
        match &self.access {
            Access::Read => Recent::default(),
            Access::Write { recent, .. } => std::mem::take(&mut *recent.lock().expect(RECENT_HELD)),
        }
    }

    fn send(&self, doing: &'static str, job: impl Job + 'static) -> Result<(), StoreError> {
        self.send_message(doing, Message::Job(Box::new(job)))
    }

    fn send_message(&self, doing: &'static str, message: Message) -> Result<(), StoreError> {
        let Access::Write { inbox, .. } = &self.access else {
            return Err(StoreError::ReadOnly { path: self.path.to_path_buf(), doing });
        };
        inbox.send(message).map_err(|_| self.closed(doing))
    }

    fn closed(&self, doing: &'static str) -> StoreError {
        StoreError::Closed { path: self.path.to_path_buf(), doing }
    }

    /// Stops the writer and waits until it has let go of the files.
    fn close(&self) -> Result<(), StoreError> {
        let Access::Write { thread, .. } = &self.access else { return Ok(()) };
        let (caller, answer) = mpsc::sync_channel(1);
        let asked = self.send_message("closing", Message::Close(caller));
        let closed = asked.and_then(|()| answer.recv().unwrap_or_else(|_| Err(self.closed("closing"))));
        if let Some(thread) = thread.lock().expect(THREAD_HELD).take() {
            // A writer that panicked dropped its callers; they have been told that it is closed.
            let _ = thread.join();
        }
        closed
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Whoever needs to know how closing went calls `close`.
        let _ = self.close();
    }
}
