//! What is remembered of runs beside their verdicts: how each was called, and what it came to.
//!
//! Both are notes, so that a store of any version can have them and none needs them: verdicts stay the only truth,
//! and an outcome is what was read from them at the time. The store does not look into an outcome.
//!
//! What always holds: a run that was complete once keeps the moment at which it was; what is on record already
//! is not written again.

use rusqlite::{Connection, OptionalExtension};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Store;
use super::error::{Fault, StoreError};
use super::reader::Reader;
use super::record::{Begun, Manifest, RunId, RunOpening, RunRecord, RunState};
use super::tables::Tables;
use crate::judge::mask::without_userinfo;

/// How a run was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Invocation {
    /// The words after the program's name.
    pub argv: Vec<String>,
    /// The folder it was called in.
    pub cwd: String,
}

impl Invocation {
    /// A call of `argv` in `cwd`. What could hold a secret in an address, a user and a query, is left out.
    pub fn new(argv: impl IntoIterator<Item = String>, cwd: String) -> Self {
        let without_secrets = |word: String| {
            if !word.contains("://") {
                return word;
            }
            let word = without_userinfo(&word);
            word.split('?').next().unwrap_or_default().to_owned()
        };
        Invocation { argv: argv.into_iter().map(without_secrets).collect(), cwd }
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The run.
    pub run: RunId,
    /// When the run was first complete, or was last tried; RFC 3339, by the caller's clock.
    pub at: String,
    /// The command that made it, such as `run` or `calibrate`.
    pub command: String,
    /// How far the run had come.
    pub state: RunState,
    /// Its figures as JSON, without rows.
    pub body: String,
}

/// An outcome as its note has it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OutcomeRecord {
    at: String,
    command: String,
    state: String,
    body: String,
}

/// A part of a run that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartChange {
    /// Its name, such as `cases`.
    pub part: String,
    /// What it was; empty where the run had no such part.
    pub before: String,
    /// What it is; empty where there is none.
    pub after: String,
}

impl RunRecord {
    /// In what `now` is made of something else than this run, by name.
    pub fn changes(&self, now: &Manifest) -> Vec<PartChange> {
        let value = |manifest: &Manifest, part: &str| {
            let found = manifest.parts.iter().find(|(name, _)| name == part);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let mut names: Vec<&str> =
            self.manifest.parts.iter().chain(&now.parts).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut changes = Vec::new();
        for part in names {
            let (before, after) = (value(&self.manifest, part), value(now, part));
            if before != after {
                changes.push(PartChange { part: part.to_owned(), before, after });
            }
        }
        if changes.is_empty() && self.manifest.name != now.name {
            let (before, after) = (self.manifest.name.clone(), now.name.clone());
            changes.push(PartChange { part: "name".to_owned(), before, after });
        }
        changes
    }
}

impl Store {
    /// Makes a judge known and begins or resumes its run, with how it was called, in one write.
    pub fn begin_judged_run(&self, opening: RunOpening<'_>) -> Result<Begun, StoreError> {
        const DOING: &str = "beginning a run";
        let (judge, identity) = (opening.judge.clone(), opening.identity.to_owned());
        let manifest = opening.manifest.clone();
        let invocation = opening.invocation.map(text_of);
        let begun = self.write_blocking(DOING, move |tables| {
            tables.register_judge(&judge, &identity)?;
            let begun = tables.begin_run(&manifest)?;
            if let Some(invocation) = invocation {
                tables.note_new(&invocation_key(begun.run()), &invocation)?;
            }
            Ok(begun)
        })?;
        let calls = self.shared.calls(DOING)?;
        calls.admit_judge(opening.judge.clone());
        calls.admit_run(begun.run());
        Ok(begun)
    }

    /// Remembers what a run came to, `body`, with the moment `at`: in place of an earlier outcome, whose moment
    /// stays where the run was complete by then.
    pub fn note_outcome(
        &self,
        run: RunId,
        (command, body): (&str, &str),
        at: &str,
    ) -> Result<(), StoreError> {
        let [command, body, at] = [command, body, at].map(str::to_owned);
        self.write_blocking("noting an outcome", move |tables| {
            let state = tables.run_state(run)?.name().to_owned();
            let key = outcome_key(run);
            let earlier: Option<OutcomeRecord> = noted(&tables.connection, &key)?;
            let kept = earlier.filter(|earlier| earlier.state == RunState::Complete.name());
            let at = kept.map_or(at, |earlier| earlier.at);
            tables.note_new(&key, &text_of(&OutcomeRecord { at, command, state, body }))
        })
    }
}

impl Reader {
    /// How a run was called, where that was noted.
    pub fn invocation(&self, run: RunId) -> Result<Option<Invocation>, StoreError> {
        self.ask(|connection| noted(connection, &invocation_key(run)))
    }

    /// What runs came to, in the order in which they were begun.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, StoreError> {
        let runs = self.runs()?;
        self.ask(|connection| {
            let outcome = |run: &RunRecord| {
                let record: Option<OutcomeRecord> = noted(connection, &outcome_key(run.run))?;
                Ok(record.and_then(|record| {
                    let state = RunState::of_name(&record.state)?;
                    let OutcomeRecord { at, command, body, .. } = record;
                    Some(Outcome { run: run.run, at, command, state, body })
                }))
            };
            runs.iter().filter_map(|run| outcome(run).transpose()).collect()
        })
    }
}

impl Tables {
    /// Keeps a fact unless it is there already, so that a run that changes nothing writes nothing.
    fn note_new(&mut self, key: &str, value: &str) -> Result<(), Fault> {
        if note(&self.connection, key)?.as_deref() == Some(value) { Ok(()) } else { self.note(key, value) }
    }

    fn run_state(&mut self, run: RunId) -> Result<RunState, Fault> {
        let state: Option<String> = self
            .connection
            .prepare_cached("SELECT state FROM run WHERE id = ?1")?
            .query_row([run.0], |row| row.get(0))
            .optional()?;
        let state = state.as_deref().and_then(RunState::of_name);
        state.ok_or_else(|| StoreError::UnknownRun { run }.into())
    }
}

fn invocation_key(run: RunId) -> String {
    format!("invocation:{run}")
}

fn outcome_key(run: RunId) -> String {
    format!("outcome:{run}")
}

fn text_of(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("records of texts can be written")
}

fn note(connection: &Connection, key: &str) -> Result<Option<String>, rusqlite::Error> {
    connection
        .prepare_cached("SELECT value FROM note WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

fn noted<T: DeserializeOwned>(connection: &Connection, key: &str) -> Result<Option<T>, rusqlite::Error> {
    let read = |text: String| {
        serde_json::from_str(&text).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })
    };
    note(connection, key)?.map(read).transpose()
}
