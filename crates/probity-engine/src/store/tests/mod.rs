//! The store's promises, broken in as many ways as a test can.
//!
//! A test drives one [`Scene`]: a store in its own folder with a judge and a run. What `kill -9` leaves
//! is a copy of the files of an open store.

mod calls;
mod crash;
mod full;
mod history;
mod labels;
mod process;
mod refuse;
mod resume;
mod settle;
mod totals;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::packet::PacketHash;

use super::lock::beside;
use super::*;

struct Scene {
    folder: tempfile::TempDir,
    store: Store,
    judge: JudgeId,
    run: RunId,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        Scene::at(folder, OpenLimits::default())
    }

    fn at(folder: tempfile::TempDir, limits: OpenLimits) -> Scene {
        let store = Store::open_limited(&folder.path().join("store.db"), limits).unwrap().store;
        let (judge, run) = prepared(&store);
        Scene { folder, store, judge, run }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.db")
    }

    /// The files as a killed process leaves them, in another folder.
    fn killed(&self) -> (tempfile::TempDir, PathBuf) {
        copied(&self.path())
    }

    fn start(&self, text: &str) -> AttemptStart {
        start(text, &self.judge, self.run)
    }

    fn begin(&self, text: &str) -> AttemptId {
        self.store.begin_attempt(self.start(text)).unwrap()
    }

    fn end(&self, attempt: AttemptId, raw: &[u8]) {
        wait(self.store.end_attempt(attempt, ended("ok", raw))).unwrap();
    }

    fn settle(&self, text: &str, attempt: Option<AttemptId>, decision: Decision) -> Accepted {
        wait(self.store.settle(self.settlement(text, attempt, decision))).unwrap()
    }

    fn settlement(&self, text: &str, attempt: Option<AttemptId>, decision: Decision) -> Settlement {
        Settlement {
            packet: packet(text),
            judge: self.judge.clone(),
            repeat: 0,
            attempts: 1,
            attempt,
            decision,
        }
    }

    fn attempts(&self, text: &str) -> Vec<AttemptRecord> {
        self.store.reader().unwrap().attempts_of(&packet(text), &self.judge, 0).unwrap()
    }

    fn settled(&self, text: &str) -> Option<SettlementRecord> {
        self.store.reader().unwrap().settlement(&packet(text), &self.judge, 0).unwrap()
    }
}

/// Registers the judge and begins the run that every scene has.
fn prepared(store: &Store) -> (JudgeId, RunId) {
    let judge = JudgeId::of_identity("{}");
    store.register_judge(&judge, "{}").unwrap();
    let manifest = Manifest { name: "scene".to_owned(), parts: Vec::new(), body: "{}".to_owned() };
    let run = store.begin_run(&manifest).unwrap().run();
    (judge, run)
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
        started_unix_ms: 0,
    }
}

fn ended(outcome: &str, raw: &[u8]) -> AttemptEnd {
    AttemptEnd { outcome: outcome.to_owned(), raw: raw.to_vec(), ..AttemptEnd::default() }
}

fn verdict(body: &str) -> Decision {
    Decision::Verdict { body: body.to_owned() }
}

fn unscored(reason: &str) -> Decision {
    Decision::Unscored { reason: reason.to_owned(), detail: format!("because {reason}") }
}

/// Copies a store, its journal and the calls under way, and nothing else, into a new folder.
fn copied(path: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("store.db");
    std::fs::copy(path, &copy).unwrap();
    for suffix in ["-wal", "-calls"] {
        if beside(path, suffix).exists() {
            std::fs::copy(beside(path, suffix), beside(&copy, suffix)).unwrap();
        }
    }
    (folder, copy)
}

/// Runs a future that only the store can wake.
fn wait<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
