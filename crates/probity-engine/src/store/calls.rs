//! Calls that are under way, in a file of their own beside the database.
//!
//! A call is noted here before it is sent, and again when its answer has come, each time by one plain write: what
//! the operating system has taken survives `kill -9`, and no call waits for a disk. The database has it a moment
//! later, together with many others, and then it is forgotten here. Whoever opens the store next brings what a
//! dead process left here into the database before anything else happens.
//!
//! What always holds:
//! - A call that is neither here nor in the database was never sent.
//! - A call's end is here before anybody knows of it, so no answer is paid for twice.
//! - A note is whole or, by its check, the end of the file.
//!
//! Nothing here is synced: loss of power takes the notes of the moments before it. What a caller was told to be
//! recorded is in the database by then.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::packet::PacketHash;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::lock::beside;
use super::private;
use super::record::{AttemptEnd, AttemptId, AttemptStart, JudgeId, RunId};
use crate::fault_points::{self, Point};

/// What the file is called, after the store.
const SUFFIX: &str = "-calls";

/// How the file begins; the number of the store's opening follows.
const MAGIC: &[u8; 16] = b"probity calls 1\n";

const HEADER_BYTES: usize = MAGIC.len() + size_of::<i64>();

/// What stands before each note: the lengths of its two parts, and the check of both.
const FRAME_BYTES: usize = 12;

/// The file is written anew, without what is forgotten, when it is larger than this and more than half of it is.
const REWRITE_BYTES_MIN: u64 = 8 << 20;

const DOING: &str = "noting a call";

/// The calls that this process has under way.
pub(super) struct CallLog {
    path: PathBuf,
    /// The number of the store's opening: notes of another one are not about this state of it.
    openings: i64,
    /// The file and its length; `None` before the first call.
    file: Option<(File, u64)>,
    under_way: HashMap<AttemptId, UnderWay>,
    /// The bytes of notes about calls that are under way.
    n_bytes_live: u64,
    judges: HashSet<JudgeId>,
    runs: HashSet<RunId>,
    /// Why nothing can be noted any more. What follows half a note would not be found.
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
    /// Where its notes stand: place and length.
    notes: Vec<(u64, u64)>,
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
        CallLog {
            path: beside(store, SUFFIX),
            openings,
            file: None,
            under_way: HashMap::new(),
            n_bytes_live: 0,
            judges: HashSet::new(),
            runs: HashSet::new(),
            failed: None,
            stopped: None,
            rewrite_failed: None,
        }
    }

    /// For a store that is open for something else than calls: each is refused.
    pub(super) fn refusing(store: &Path) -> CallLog {
        let refused = StoreError::ReadOnly { path: store.to_path_buf(), doing: DOING };
        CallLog { stopped: Some(refused), ..CallLog::new(store, 0) }
    }

    /// Takes calls to this judge from now on.
    pub(super) fn admit_judge(&mut self, judge: JudgeId) {
        self.judges.insert(judge);
    }

    /// Takes calls of this run from now on.
    pub(super) fn admit_run(&mut self, run: RunId) {
        self.runs.insert(run);
    }

    /// Notes that a call is about to be made, as `note` says.
    pub(super) fn begin(
        &mut self,
        attempt: AttemptId,
        start: AttemptStart,
        note: &Framed,
    ) -> Result<(), StoreError> {
        if let Some(error) = self.failed.as_ref().or(self.stopped.as_ref()) {
            return Err(error.clone());
        }
        if !self.judges.contains(&start.judge) {
            return Err(StoreError::UnknownJudge { judge: start.judge });
        }
        if !self.runs.contains(&start.run) {
            return Err(StoreError::UnknownRun { run: start.run });
        }
        let place = self.append(note)?;
        self.under_way.insert(attempt, UnderWay { start: Some(start), notes: vec![place] });
        Ok(())
    }

    /// Notes what a call came to, as `note` says, and gives back what it was about.
    pub(super) fn end(&mut self, attempt: AttemptId, note: &Framed) -> Result<AttemptStart, StoreError> {
        if let Some(failed) = &self.failed {
            return Err(failed.clone());
        }
        if self.under_way.get(&attempt).is_none_or(|call| call.start.is_none()) {
            return Err(StoreError::NotInFlight { attempt });
        }
        let place = self.append(note)?;
        fault_points::reach(Point::AfterNote);
        let call = self.under_way.get_mut(&attempt).expect("it was there a moment ago");
        call.notes.push(place);
        Ok(call.start.take().expect("it had not ended a moment ago"))
    }

    /// Forgets calls that the database has. Makes the file smaller when most of it is forgotten.
    pub(super) fn forget(&mut self, recorded: impl Iterator<Item = AttemptId>) {
        for attempt in recorded {
            let notes = self.under_way.remove(&attempt).map(|call| call.notes).unwrap_or_default();
            self.n_bytes_live -= notes.iter().map(|(_, length)| length).sum::<u64>();
        }
        let Some((_, n_bytes)) = &self.file else { return };
        let is_large = *n_bytes > REWRITE_BYTES_MIN.max(2 * self.n_bytes_live);
        if self.failed.is_none() && self.stopped.is_none() && is_large {
            // Whoever makes the next call is told, and whoever closes the store. The old file still takes the ends of
            // calls that are under way.
            self.rewrite_failed = self.rewrite().err().map(|error| self.fault(&error));
            self.stopped = self.rewrite_failed.clone();
        }
    }

    /// What went wrong with the file.
    pub(super) fn failure(&self) -> Option<&StoreError> {
        self.failed.as_ref().or(self.rewrite_failed.as_ref())
    }

    /// Takes no further call, for the reason given. The answers to those under way are still noted: they are paid for.
    pub(super) fn stop(&mut self, reason: &StoreError) {
        self.stopped.get_or_insert_with(|| reason.clone());
    }

    /// Removes the file if no call is under way: the database has all of it. The next call makes a new one.
    pub(super) fn clear(&mut self) {
        if self.under_way.is_empty() && self.failed.is_none() && self.file.take().is_some() {
            // What cannot be removed does no harm.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    fn fault(&self, error: &io::Error) -> StoreError {
        StoreError::of_system(&self.path, DOING, error)
    }

    /// Adds a note to the file. Returns where it stands.
    fn append(&mut self, note: &Framed) -> Result<(u64, u64), StoreError> {
        let appended = self.written(&note.0);
        appended.map_err(|error| {
            let failed = self.fault(&error);
            self.failed = Some(failed.clone());
            failed
        })
    }

    fn written(&mut self, note: &[u8]) -> io::Result<(u64, u64)> {
        if self.file.is_none() {
            self.file = Some(made(&self.path, self.openings)?);
        }
        let (file, n_bytes) = self.file.as_mut().expect("it was made if it was missing");
        file.write_all(note)?;
        let place = (*n_bytes, note.len() as u64);
        *n_bytes += place.1;
        self.n_bytes_live += place.1;
        Ok(place)
    }

    /// Writes the notes about calls that are under way into a new file, which takes the place of the old one.
    fn rewrite(&mut self) -> io::Result<()> {
        let Some((old, n_bytes_old)) = &mut self.file else { return Ok(()) };
        let mut notes: Vec<&mut (u64, u64)> =
            self.under_way.values_mut().flat_map(|call| &mut call.notes).collect();
        notes.sort_unstable();
        let copied = copied(old, &notes, (&self.path, self.openings));
        // Whatever came of it, the old file goes on at its end.
        old.seek(SeekFrom::Start(*n_bytes_old))?;
        let file = copied?;
        let mut n_bytes = HEADER_BYTES as u64;
        for place in notes {
            *place = (n_bytes, place.1);
            n_bytes += place.1;
        }
        self.file = Some((file, n_bytes));
        Ok(())
    }
}

/// A new file in the place of the old one, with these of its notes.
fn copied(old: &mut File, notes: &[&mut (u64, u64)], (path, openings): (&Path, i64)) -> io::Result<File> {
    let beside = beside(path, ".new");
    let (mut file, _) = made(&beside, openings)?;
    let mut moved = Vec::new();
    for (place, length) in notes.iter().map(|note| **note) {
        moved.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
        old.seek(SeekFrom::Start(place))?;
        old.read_exact(&mut moved)?;
        file.write_all(&moved)?;
    }
    std::fs::rename(&beside, path)?;
    Ok(file)
}

/// A new file with nothing but its header.
fn made(path: &Path, openings: i64) -> io::Result<(File, u64)> {
    let mut file = private::options().read(true).write(true).create(true).truncate(true).open(path)?;
    let mut header = MAGIC.to_vec();
    header.extend(openings.to_le_bytes());
    file.write_all(&header)?;
    Ok((file, HEADER_BYTES as u64))
}

/// A note as it stands in the file. It is made before anybody has to wait for the file.
pub(super) struct Framed(Vec<u8>);

impl Framed {
    /// That a call is about to be made.
    pub(super) fn begun(attempt: AttemptId, start: &AttemptStart) -> Framed {
        let note = Note::Begun(Begun {
            attempt: attempt.0,
            judge: Cow::Borrowed(start.judge.as_str()),
            run: start.run.0,
            repeat: start.repeat,
            n: start.n,
            cause: Cow::Borrowed(&start.cause),
            started_unix_ms: start.started_unix_ms,
        });
        Framed::new(&note, [start.packet.as_bytes(), start.packet_body.as_bytes()])
    }

    /// What a call came to.
    pub(super) fn ended(attempt: AttemptId, end: &AttemptEnd) -> Framed {
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
        Framed::new(&note, [&end.raw, &[]])
    }

    fn new(note: &Note<'_>, blob: [&[u8]; 2]) -> Framed {
        let n_blob: usize = blob.iter().map(|part| part.len()).sum();
        let mut frame = Vec::with_capacity(FRAME_BYTES + 512 + n_blob);
        frame.resize(FRAME_BYTES, 0);
        serde_json::to_writer(&mut frame, note).expect("a note is plain data");
        let n_note = frame.len() - FRAME_BYTES;
        for part in blob {
            frame.extend_from_slice(part);
        }
        let length =
            |n: usize| u32::try_from(n).expect("no packet or answer has four gigabytes").to_le_bytes();
        frame[..4].copy_from_slice(&length(n_note));
        frame[4..8].copy_from_slice(&length(n_blob));
        let check = check(&frame[..8], &frame[FRAME_BYTES..]);
        frame[8..FRAME_BYTES].copy_from_slice(&check);
        Framed(frame)
    }
}

/// Tells a note that was cut short, damaged or never written from a whole one.
fn check(lengths: &[u8], body: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(lengths);
    crc.update(body);
    crc.sum().to_le_bytes()
}

/// What lies beside the store at `store`, whose last opening had this number.
pub(super) fn left(store: &Path, openings: i64) -> Result<Left, StoreError> {
    let path = beside(store, SUFFIX);
    let fault = |error: io::Error| StoreError::of_system(&path, "reading the calls under way", &error);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Left::Calls(Vec::new())),
        Err(error) => return Err(fault(error)),
    };
    let Some((header, mut notes)) = bytes.split_at_checked(HEADER_BYTES) else {
        // Whoever made it died before anything else.
        return Ok(Left::Calls(Vec::new()));
    };
    let (magic, number) = header.split_at(MAGIC.len());
    match i64::from_le_bytes(number.try_into().expect("the rest of a header is a number")).cmp(&openings) {
        _ if magic != MAGIC => return Ok(Left::Foreign),
        Ordering::Greater => return Ok(Left::Foreign),
        // Whoever took them in died before they were gone.
        Ordering::Less => return Ok(Left::Calls(Vec::new())),
        Ordering::Equal => {}
    }
    let mut calls: BTreeMap<i64, Noted> = BTreeMap::new();
    while let Some((note, blob, rest)) = next_note(notes) {
        notes = rest;
        let damaged = |found: String| StoreError::damaged(&path, "reading the calls under way", found);
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

/// The first note, its blob and what follows. `None` where no whole note follows.
fn next_note(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (frame, rest) = bytes.split_at_checked(FRAME_BYTES)?;
    let length = |at: usize| {
        let bytes = frame[at..at + 4].try_into().expect("four bytes");
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let (n_note, n_blob) = (length(0)?, length(4)?);
    let (body, rest) = rest.split_at_checked(n_note.checked_add(n_blob)?)?;
    let is_whole = check(&frame[..8], body) == frame[8..];
    is_whole.then(|| (&body[..n_note], &body[n_note..], rest))
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
