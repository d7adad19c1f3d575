//! Calls that are under way, in a file of their own beside the database.
//!
//! A call is noted here before it is sent, and again when its answer has come, each time by one plain write
//! (`notes`): what the operating system has taken survives `kill -9`, and no call waits for a disk or while another
//! one is noted.
//! The database has it a moment later, together with many others, and then it is forgotten here. Whoever opens the
//! store next brings what a dead process left here into the database before anything else happens.
//!
//! What always holds:
//! - A call that is neither here nor in the database was never sent.
//! - A call's end is here before anybody knows of it, so no answer is paid for twice.
//! - A note is whole or, by its check, none.
//!
//! Nothing here is synced: loss of power takes the notes of the moments before it. What a caller was told to be
//! recorded is in the database by then.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

use probity_core::packet::PacketHash;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::lock::beside;
use super::notes::{Framed, NoteFile, Notes, Place, Stamp};
use super::record::{AttemptEnd, AttemptId, AttemptStart, EndedCall, JudgeId, RunId};
use crate::fault_points::{self, Point};

/// What the file is called, after the store.
pub(super) const SUFFIX: &str = "-calls";

/// The file is written anew, without what is forgotten, when it is larger than this and more than half of it is.
const REWRITE_BYTES_MIN: u64 = 8 << 20;

/// How many calls are forgotten before somebody else has a turn.
const FORGOTTEN_AT_ONCE: usize = 64;

const DOING: &str = "noting a call";

const STATE_HELD: &str = "nothing panics while holding the calls under way";
const FILE_HELD: &str = "nothing panics while holding the file of notes";

/// The calls that this process has under way. Where both are held, the file is taken before the state.
pub(super) struct CallLog {
    path: PathBuf,
    /// The number of the store's opening: notes of another one are not about this state of it.
    openings: i64,
    stamp: Stamp,
    /// `None` where no call was made since it was cleared. Whoever notes a call shares it from the look at the state
    /// until the state knows of the note, so nobody clears or rewrites it in between.
    file: RwLock<Option<NoteFile>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    under_way: HashMap<AttemptId, UnderWay>,
    /// The bytes of notes about calls that are under way.
    n_bytes_live: u64,
    judges: HashSet<JudgeId>,
    runs: HashSet<RunId>,
    /// Why no further call is taken, after a note could not be written. Ends are still tried: they are paid for.
    failed: Option<StoreError>,
    /// Why no further call is taken. Those under way may still end.
    stopped: Option<StoreError>,
    /// Why the file could not be made smaller.
    rewrite_failed: Option<StoreError>,
}

/// A call that the database does not have yet.
struct UnderWay {
    /// What was asked; `None` when it has ended and is on its way to the database.
    start: Option<AttemptStart>,
    /// Where the notes of its start and its end stand.
    notes: [Option<Place>; 2],
}

/// A call as a dead process left it.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) attempt: AttemptId,
    pub(super) start: AttemptStart,
    /// `None` where it was in flight.
    pub(super) end: Option<AttemptEnd>,
}

/// What lies beside a store.
#[derive(Debug)]
pub(super) enum Left {
    /// The calls of its last opening, in the order of their numbers. There may be none.
    Calls(Vec<Noted>),
    /// The calls of a later state of the store, or another program's file.
    Foreign,
}

impl Left {
    /// Whether there is nothing to take in.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Left::Calls(noted) if noted.is_empty())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Note<'a> {
    Begun(Begun<'a>),
    Ended(Ended<'a>),
}

/// The blob of this note is the packet's hash and its text.
#[derive(Serialize, Deserialize)]
struct Begun<'a> {
    attempt: i64,
    judge: Cow<'a, str>,
    run: i64,
    repeat: u32,
    n: u32,
    cause: Cow<'a, str>,
    started_unix_ms: i64,
}

/// The blob of this note is the raw answer.
#[derive(Serialize, Deserialize)]
struct Ended<'a> {
    attempt: i64,
    outcome: Cow<'a, str>,
    detail: Cow<'a, str>,
    http_status: Option<u16>,
    tokens_in: Option<u32>,
    tokens_out: Option<u32>,
    cost_picodollars: Option<i64>,
    model: Option<Cow<'a, str>>,
    fingerprint: Option<Cow<'a, str>>,
    response_id: Option<Cow<'a, str>>,
    elapsed_ms: u32,
}

impl CallLog {
    /// For the store at `store` in its opening of this number. There is no file before the first call.
    pub(super) fn new(store: &Path, openings: i64) -> CallLog {
        let (file, state) = (RwLock::default(), Mutex::default());
        CallLog { path: beside(store, SUFFIX), openings, stamp: Stamp::drawn(), file, state }
    }

    /// For a store that is open for something else than calls: each is refused.
    pub(super) fn refusing(store: &Path) -> CallLog {
        let log = CallLog::new(store, 0);
        log.stop(&StoreError::ReadOnly { path: store.to_path_buf(), doing: DOING });
        log
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(STATE_HELD)
    }

    fn file_alone(&self) -> RwLockWriteGuard<'_, Option<NoteFile>> {
        self.file.write().expect(FILE_HELD)
    }

    /// Takes calls to this judge from now on.
    pub(super) fn admit_judge(&self, judge: JudgeId) {
        self.state().judges.insert(judge);
    }

    /// Takes calls of this run from now on.
    pub(super) fn admit_run(&self, run: RunId) {
        self.state().runs.insert(run);
    }

    /// Notes that a call is about to be made.
    pub(super) fn begin(&self, attempt: AttemptId, start: AttemptStart) -> Result<(), StoreError> {
        let note = begun(self.stamp, attempt, &start);
        let file = self.file()?;
        let mut state = self.state();
        if let Some(error) = state.refusal() {
            return Err(error);
        }
        if !state.judges.contains(&start.judge) {
            return Err(StoreError::UnknownJudge { judge: start.judge });
        }
        if !state.runs.contains(&start.run) {
            return Err(StoreError::UnknownRun { run: start.run });
        }
        state.under_way.insert(attempt, UnderWay { start: Some(start), notes: [None; 2] });
        drop(state);
        self.add(file.as_ref(), (attempt, 0), &note)
    }

    /// Notes what a call came to, and gives it back with what it was about.
    pub(super) fn end(&self, attempt: AttemptId, end: AttemptEnd) -> Result<EndedCall, StoreError> {
        let note = ended(self.stamp, attempt, &end);
        let file = self.file.read().expect(FILE_HELD);
        let start = self.state().under_way.get_mut(&attempt).and_then(|call| call.start.take());
        let start = start.ok_or(StoreError::NotInFlight { attempt })?;
        self.add(file.as_ref(), (attempt, 1), &note)?;
        fault_points::reach(Point::AfterNote);
        Ok(EndedCall { attempt, start, end })
    }

    /// Adds a note about a call, its `nth`, to the file.
    fn add(
        &self,
        file: Option<&NoteFile>,
        (attempt, nth): (AttemptId, usize),
        note: &Framed,
    ) -> Result<(), StoreError> {
        let added = file.expect("there is a file while a call is under way").add(note);
        let mut state = self.state();
        let place = added.map_err(|error| state.fail(self.fault(&error)))?;
        state.n_bytes_live += place.n_bytes;
        let call = state.under_way.get_mut(&attempt).expect("a call is under way until it is recorded");
        call.notes[nth] = Some(place);
        Ok(())
    }

    fn fault(&self, error: &io::Error) -> StoreError {
        StoreError::of_system(&self.path, DOING, error)
    }

    /// The file, which is made if there is none and calls are taken.
    fn file(&self) -> Result<RwLockReadGuard<'_, Option<NoteFile>>, StoreError> {
        loop {
            let file = self.file.read().expect(FILE_HELD);
            if file.is_some() {
                return Ok(file);
            }
            drop(file);
            let mut file = self.file_alone();
            let mut state = self.state();
            if let Some(error) = state.refusal() {
                return Err(error);
            }
            if file.is_none() {
                let made = NoteFile::new(&self.path, self.openings, self.stamp);
                *file = Some(made.map_err(|error| state.fail(self.fault(&error)))?);
            }
        }
    }

    /// Forgets calls that the database has. Makes the file smaller when most of it is forgotten.
    pub(super) fn forget(&self, recorded: &[AttemptId]) {
        for recorded in recorded.chunks(FORGOTTEN_AT_ONCE) {
            let mut state = self.state();
            for attempt in recorded {
                let notes = state.under_way.remove(attempt).map(|call| call.notes).unwrap_or_default();
                state.n_bytes_live -= notes.iter().flatten().map(|place| place.n_bytes).sum::<u64>();
            }
        }
        let n_bytes = self.file.read().expect(FILE_HELD).as_ref().map_or(0, NoteFile::n_bytes);
        if self.state().is_worth_rewriting(n_bytes) {
            self.rewrite();
        }
    }

    /// What went wrong with the file.
    pub(super) fn failure(&self) -> Option<StoreError> {
        let state = self.state();
        state.failed.as_ref().or(state.rewrite_failed.as_ref()).cloned()
    }

    /// Takes no further call, for the reason given. The answers to those under way are still noted: they are paid for.
    pub(super) fn stop(&self, reason: &StoreError) {
        self.state().stopped.get_or_insert_with(|| reason.clone());
    }

    /// Takes no further call, for the reason given, and removes the file if no call is under way. What stays is whole:
    /// whoever opens the store next finds every call that was taken.
    pub(super) fn close(&self, reason: &StoreError) {
        self.stop(reason);
        self.clear();
    }

    /// Removes the file if no call is under way: the database has all of it. The next call makes a new one.
    pub(super) fn clear(&self) {
        let mut file = self.file_alone();
        let state = self.state();
        let has_use = !state.under_way.is_empty() || state.failed.is_some();
        let mut gone = if has_use { None } else { file.take() };
        if gone.is_some() {
            if cfg!(windows) {
                // There the name stays taken while the file is open.
                gone = None;
            }
            // What cannot be removed does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
        // Giving back a large file takes a while, and nobody has to wait for it.
        drop((state, file));
        drop(gone);
    }

    /// Writes the notes about calls that are under way into a new file, which takes the place of the old one.
    fn rewrite(&self) {
        let mut file = self.file_alone();
        let mut state = self.state();
        let Some(old) = file.as_ref() else { return };
        let places = state.under_way.values_mut().flat_map(|call| call.notes.iter_mut().flatten());
        let old = match old.with_only(places.collect(), &self.path, (self.openings, self.stamp)) {
            Ok(new) => file.replace(new),
            Err(error) => {
                // Whoever makes the next call is told, and whoever closes the store. The old file still takes the ends
                // of calls that are under way.
                let failed = self.fault(&error);
                state.stopped = Some(failed.clone());
                state.rewrite_failed = Some(failed);
                None
            }
        };
        drop((state, file));
        drop(old);
    }
}

impl State {
    /// Why no call is taken, if none is.
    fn refusal(&self) -> Option<StoreError> {
        self.failed.as_ref().or(self.stopped.as_ref()).cloned()
    }

    /// Remembers what failed first, and tells it.
    fn fail(&mut self, failed: StoreError) -> StoreError {
        self.failed.get_or_insert(failed).clone()
    }

    /// Whether most of a file of `n_bytes` is forgotten.
    fn is_worth_rewriting(&self, n_bytes: u64) -> bool {
        let is_large = n_bytes > REWRITE_BYTES_MIN.max(2 * self.n_bytes_live);
        is_large && self.failed.is_none() && self.stopped.is_none()
    }
}

/// The note that a call is about to be made.
fn begun(stamp: Stamp, attempt: AttemptId, start: &AttemptStart) -> Framed {
    let note = Note::Begun(Begun {
        attempt: attempt.0,
        judge: Cow::Borrowed(start.judge.as_str()),
        run: start.run.0,
        repeat: start.repeat,
        n: start.n,
        cause: Cow::Borrowed(&start.cause),
        started_unix_ms: start.started_unix_ms,
    });
    note.framed(stamp, [start.packet.as_bytes(), start.packet_body.as_bytes()])
}

/// The note of what a call came to.
fn ended(stamp: Stamp, attempt: AttemptId, end: &AttemptEnd) -> Framed {
    let note = Note::Ended(Ended {
        attempt: attempt.0,
        outcome: Cow::Borrowed(&end.outcome),
        detail: Cow::Borrowed(&end.detail),
        http_status: end.http_status,
        tokens_in: end.tokens_in,
        tokens_out: end.tokens_out,
        cost_picodollars: end.cost_picodollars,
        model: end.model.as_deref().map(Cow::Borrowed),
        fingerprint: end.fingerprint.as_deref().map(Cow::Borrowed),
        response_id: end.response_id.as_deref().map(Cow::Borrowed),
        elapsed_ms: end.elapsed_ms,
    });
    note.framed(stamp, [&end.raw, &[]])
}

impl Note<'_> {
    fn framed(&self, stamp: Stamp, blob: [&[u8]; 2]) -> Framed {
        let write = |note: &mut Vec<u8>| serde_json::to_writer(note, self).expect("a note is plain data");
        Framed::new(stamp, write, blob)
    }
}

/// What lies beside the store at `store`, whose last opening had this number.
pub(super) fn left(store: &Path, openings: i64) -> Result<Left, StoreError> {
    let path = beside(store, SUFFIX);
    let notes = match Notes::read(&path) {
        Ok(Some(notes)) => notes,
        Ok(None) => return Ok(Left::Foreign),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Left::Calls(Vec::new())),
        Err(error) => return Err(StoreError::of_system(&path, "reading the calls under way", &error)),
    };
    match notes.openings.cmp(&openings) {
        Ordering::Greater => return Ok(Left::Foreign),
        // Whoever took them in died before they were gone.
        Ordering::Less => return Ok(Left::Calls(Vec::new())),
        Ordering::Equal => {}
    }
    let damaged = |found: String| StoreError::damaged(&path, "reading the calls under way", found);
    let mut calls: BTreeMap<i64, Noted> = BTreeMap::new();
    for (note, blob) in notes.iter() {
        match serde_json::from_slice(note).map_err(|error| damaged(error.to_string()))? {
            Note::Begun(begun) => {
                let start = begun.start(blob).ok_or_else(|| damaged("a packet that is none".to_owned()))?;
                let attempt = begun.attempt;
                calls.insert(attempt, Noted { attempt: AttemptId(attempt), start, end: None });
            }
            Note::Ended(ended) => {
                if let Some(call) = calls.get_mut(&ended.attempt) {
                    call.end = Some(ended.end(blob));
                }
            }
        }
    }
    Ok(Left::Calls(calls.into_values().collect()))
}

/// Removes what lies beside the store: the database has it.
pub(super) fn clear(store: &Path) -> Result<(), StoreError> {
    let path = beside(store, SUFFIX);
    for path in [beside(&path, ".new"), path] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::of_system(&path, "clearing the calls under way", &error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Keeps what lies beside the store under another name, which it returns.
pub(super) fn set_aside(store: &Path) -> Result<PathBuf, StoreError> {
    let path = beside(store, SUFFIX);
    let names = (0..).map(|n| if n == 0 { ".old".to_owned() } else { format!(".old.{n}") });
    let mut free = names.map(|name| beside(&path, &name)).filter(|aside| !aside.exists());
    let aside = free.next().expect("there are more names than files");
    let fault = |error| StoreError::of_system(&path, "setting the calls under way aside", &error);
    std::fs::rename(&path, &aside).map_err(fault)?;
    Ok(aside)
}

impl Begun<'_> {
    fn start(&self, blob: &[u8]) -> Option<AttemptStart> {
        let (hash, body) = blob.split_first_chunk::<32>()?;
        Some(AttemptStart {
            packet: PacketHash::from_bytes(*hash),
            packet_body: Arc::from(std::str::from_utf8(body).ok()?),
            judge: JudgeId::stored(&self.judge),
            run: RunId(self.run),
            repeat: self.repeat,
            n: self.n,
            cause: self.cause.clone().into_owned(),
            started_unix_ms: self.started_unix_ms,
        })
    }
}

impl Ended<'_> {
    fn end(self, raw: &[u8]) -> AttemptEnd {
        AttemptEnd {
            outcome: self.outcome.into_owned(),
            detail: self.detail.into_owned(),
            raw: raw.to_vec(),
            http_status: self.http_status,
            tokens_in: self.tokens_in,
            tokens_out: self.tokens_out,
            cost_picodollars: self.cost_picodollars,
            model: self.model.map(Cow::into_owned),
            fingerprint: self.fingerprint.map(Cow::into_owned),
            response_id: self.response_id.map(Cow::into_owned),
            elapsed_ms: self.elapsed_ms,
        }
    }
}
