//! The store's promises, broken in as many ways as a test can.
//!
//! A test drives one [`Scene`]: a store in its own folder with a judge and a run. What `kill -9` leaves
//! is a copy of the files of an open store.

mod budget;
mod crash;
pub(crate) mod engine;
mod full;
mod labels;
mod process;
mod refuse;
mod resume;
mod runs;
mod settle;
mod totals;

#[path = "../../../tests/support/postgres.rs"]
mod postgres;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::lock::beside;
use super::*;
use crate::config::Money;

struct Scene {
    folder: tempfile::TempDir,
    store: Store,
    judge: JudgeId,
    run: RunId,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(engine::store_in(folder.path())).unwrap().store;
        let (judge, run) = prepared(&store);
        Scene { folder, store, judge, run }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    fn address(&self) -> StoreAddress {
        engine::store_in(self.folder.path())
    }

    /// The store as a killed process leaves it.
    fn killed(&self) -> (tempfile::TempDir, StoreAddress) {
        engine::killed(&self.address())
    }

    fn start(&self, text: &str) -> AttemptStart {
        start(text, &self.judge, self.run)
    }

    fn begin(&self, text: &str) -> AttemptId {
        wait(self.store.intend(self.start(text))).unwrap().recorded().unwrap()
    }

    fn end(&self, attempt: AttemptId, raw: &[u8]) {
        assert_eq!(wait(self.store.conclude(attempt, ended("ok", raw), None)), Ok(None));
    }

    /// A call about `text` that is settled by this decision.
    fn call(&self, text: &str, decision: Settled) -> Accepted {
        let attempt = self.begin(text);
        wait(self.store.conclude(attempt, ended("ok", b"raw"), Some(settlement(decision)))).unwrap().unwrap()
    }

    fn attempts(&self, text: &str) -> Vec<AttemptRecord> {
        self.store.reader().unwrap().attempts_of(&packet(text), &self.judge, 0).unwrap()
    }

    fn settled(&self, text: &str) -> Option<Settlement> {
        self.store.reader().unwrap().settlement(&packet(text), &self.judge, 0).unwrap()
    }
}

/// Registers the judge and begins the run that every scene has.
fn prepared(store: &Store) -> (JudgeId, RunId) {
    let judge = JudgeId::of_identity("{}");
    let run = begun(store, (&judge, "{}"), &manifest("scene")).unwrap().run();
    (judge, run)
}

fn manifest(name: &str) -> Manifest {
    Manifest { name: name.to_owned(), parts: Vec::new(), body: "{}".to_owned() }
}

/// Registers a judge with its identity and begins a run.
fn begun(
    store: &Store,
    (judge, identity): (&JudgeId, &str),
    manifest: &Manifest,
) -> Result<Begun, StoreError> {
    store.begin_judged_run(RunOpening {
        judge,
        identity,
        manifest,
        invocation: None,
        spec: None,
        budget: None,
        lane: None,
    })
}

fn packet(text: &str) -> PacketHash {
    PacketHash::from_bytes(*blake3::hash(text.as_bytes()).as_bytes())
}

fn start(text: &str, judge: &JudgeId, run: RunId) -> AttemptStart {
    AttemptStart {
        packet: packet(text),
        packet_body: Arc::from(text),
        judge: judge.clone(),
        run,
        repeat: 0,
        n: 1,
        cause: "first".to_owned(),
        tokens_planned: 100,
        decisions: 1,
        started_unix_ms: 0,
        most: Money::default(),
        batch: None,
        again: AskAgain::Always,
    }
}

fn ended(outcome: &str, raw: &[u8]) -> AttemptEnd {
    AttemptEnd { outcome: outcome.to_owned(), raw: raw.to_vec(), ..AttemptEnd::default() }
}

fn settlement(decision: Settled) -> Settlement {
    Settlement { attempts: 1, decision }
}

fn verdict(body: &str) -> Settled {
    Settled::Verdict { body: body.to_owned() }
}

fn unscored(reason: &str) -> Settled {
    Settled::Unscored { reason: reason.to_owned(), detail: format!("because {reason}") }
}

/// Copies a store and its write-ahead log, and nothing else, into a new folder.
fn copied(path: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("store.db");
    std::fs::copy(path, &copy).unwrap();
    if beside(path, "-wal").exists() {
        std::fs::copy(beside(path, "-wal"), beside(&copy, "-wal")).unwrap();
    }
    (folder, copy)
}

/// How many packets are settled.
fn n_settled(store: &Store) -> usize {
    let count = |db: &Db| db.row("SELECT count(*) FROM settlement", &[], |row| row.get::<u64>(0));
    usize::try_from(store.reader().unwrap().ask(count).unwrap().unwrap()).unwrap()
}

/// Runs a future that only the store can wake.
fn wait<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
