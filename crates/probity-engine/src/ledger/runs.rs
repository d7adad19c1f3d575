//! Runs: what each was made of, how it was called, and what it came to.
//!
//! An outcome is what was read from verdicts at the time, and nothing is decided by it; the store does not look into
//! it. What always holds: a run that was complete once keeps the moment at which it was.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::Store;
use super::budget::open_budget;
use super::db::{Db, DbError, Row, vals};
use super::error::{Fault, StoreError};
use super::lease::open_lane;
use super::owned::text_row;
use super::reader::Reader;
use super::record::{Begun, Manifest, RunId, RunOpening, RunRecord, RunState};
use super::tables::Tables;
use crate::judge::JudgeId;
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
pub struct RunOutcome {
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

/// An outcome as its run has it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OutcomeRecord {
    at: String,
    command: String,
    state: String,
    body: String,
}

impl RunRecord {
    /// The value of a part.
    pub fn part(&self, name: &str) -> Option<&str> {
        let found = self.manifest.parts.iter().find(|(part, _)| part == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Store {
    /// Makes a judge known, to which calls are refused before that, and begins its run, or resumes the one of its name
    /// that had the same parts, with how it was called, in one transaction.
    pub fn begin_judged_run(&self, opening: RunOpening<'_>) -> Result<Begun, StoreError> {
        let (judge, identity) = (opening.judge.clone(), opening.identity.to_owned());
        let manifest = opening.manifest.clone();
        let invocation = opening.invocation.map(text_of);
        let spec = opening.spec.map(str::to_owned);
        let budget = opening.budget.cloned();
        let lane = opening.lane.map(str::to_owned);
        self.write_blocking("beginning a run", move |tables| {
            check_judge(&tables.db, &judge, &identity)?;
            let budget = budget.as_ref().map(|terms| open_budget(&tables.db, terms)).transpose()?;
            register_judge(&tables.db, &judge, &identity)?;
            let lane = lane.as_ref().map(|key| open_lane(&tables.db, key)).transpose()?;
            let begun = tables.begin_run(&manifest, budget, lane)?;
            if let Some(invocation) = &invocation {
                const SQL: &str = "UPDATE run SET invocation = ?2 WHERE id = ?1";
                tables.db.run(SQL, &vals![begun.run().0, invocation])?;
            }
            if let Some(spec) = &spec {
                const SQL: &str = "UPDATE run SET spec = ?2 WHERE id = ?1";
                let spec = text_row(&tables.db, spec)?;
                tables.db.run(SQL, &vals![begun.run().0, spec])?;
            }
            Ok(begun)
        })
    }

    /// Records how far a run has come.
    pub(crate) fn end_run(&self, run: RunId, state: RunState) -> Result<(), StoreError> {
        self.write_blocking("ending a run", move |tables| end_run(&tables.db, run, state))
    }

    /// Remembers what a run came to, `body`, with the moment `at`: in place of an earlier outcome, whose moment
    /// stays where the run was complete by then.
    pub fn note_outcome(
        &self,
        run: RunId,
        (command, body): (&str, &str),
        at: &str,
    ) -> Result<(), StoreError> {
        const FIND: &str = "SELECT state, outcome FROM run WHERE id = ?1";
        const KEEP: &str = "UPDATE run SET outcome = ?2 WHERE id = ?1";
        let [command, body, at] = [command, body, at].map(str::to_owned);
        self.write_blocking("keeping an outcome", move |tables| {
            let found = tables.db.row(FIND, &vals![run.0], |row| Ok((row.get(0)?, kept(row, 1)?)))?;
            let (state, earlier): (String, Option<OutcomeRecord>) =
                found.ok_or(StoreError::UnknownRun { run })?;
            let complete = earlier.as_ref().filter(|earlier| earlier.state == RunState::Complete.name());
            let at = complete.map_or_else(|| at.clone(), |earlier| earlier.at.clone());
            let outcome = OutcomeRecord { at, command: command.clone(), state, body: body.clone() };
            // A run that finds everything on record writes nothing new.
            if earlier.as_ref() != Some(&outcome) {
                tables.db.run(KEEP, &vals![run.0, &text_of(&outcome)])?;
            }
            Ok(())
        })
    }
}

impl Reader {
    /// The runs in the order they were begun.
    pub fn runs(&self) -> Result<Vec<RunRecord>, StoreError> {
        const SQL: &str = "SELECT id, name, parts, body, state FROM run ORDER BY id";
        self.ask(|db| db.rows(SQL, &[], run_record))
    }

    /// The latest run with exactly this name and these parts.
    pub(crate) fn find_run(&self, manifest: &Manifest) -> Result<Option<RunId>, StoreError> {
        let runs = self.runs()?;
        let same = |run: &&RunRecord| {
            let Manifest { name, parts, .. } = &run.manifest;
            *name == manifest.name && changed_parts(parts, &manifest.parts).is_empty()
        };
        Ok(runs.iter().rev().find(same).map(|record| record.run))
    }

    /// How a run was called, where that was kept.
    pub fn invocation(&self, run: RunId) -> Result<Option<Invocation>, StoreError> {
        const SQL: &str = "SELECT invocation FROM run WHERE id = ?1";
        self.ask(|db| Ok(db.row(SQL, &vals![run.0], |row| kept(row, 0))?.flatten()))
    }

    /// What runs came to, in the order in which they were begun.
    pub fn outcomes(&self) -> Result<Vec<RunOutcome>, StoreError> {
        const SQL: &str = "SELECT id, outcome FROM run WHERE outcome IS NOT NULL ORDER BY id";
        self.ask(|db| {
            let outcomes = db.rows(SQL, &[], |row| {
                let record: Option<OutcomeRecord> = kept(row, 1)?;
                let run = RunId(row.get(0)?);
                Ok(record.and_then(|OutcomeRecord { at, command, state, body }| {
                    let state = RunState::of_name(&state)?;
                    Some(RunOutcome { run, at, command, state, body })
                }))
            })?;
            Ok(outcomes.into_iter().flatten().collect())
        })
    }
}

impl Tables {
    /// Begins or resumes a run, with a worker of this process.
    fn begin_run(
        &mut self,
        manifest: &Manifest,
        budget: Option<i64>,
        lane: Option<i64>,
    ) -> Result<Begun, Fault> {
        let begun = begun(&self.db, manifest)?;
        let run = begun.run();
        if self.workers.get(&run).is_none_or(|worker| worker.budget != budget) {
            self.add_worker(run, budget, lane)?;
        }
        Ok(begun)
    }
}

fn begun(db: &Db, manifest: &Manifest) -> Result<Begun, Fault> {
    const EARLIER: &str = "SELECT id, parts FROM run WHERE name = ?1 ORDER BY id DESC";
    const NEW: &str = "INSERT INTO run (name, parts, body, state) VALUES (?1, ?2, ?3, ?4) RETURNING id";
    let earlier: Vec<(i64, String)> =
        db.rows(EARLIER, &vals![&manifest.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut changed = None;
    for (id, parts) in &earlier {
        let differing = changed_parts(&parts_of_text(parts)?, &manifest.parts);
        if differing.is_empty() {
            end_run(db, RunId(*id), RunState::Running)?;
            return Ok(Begun::Resumed { run: RunId(*id) });
        }
        changed.get_or_insert(differing);
    }
    let (parts, state) = (text_of(&manifest.parts), RunState::Running.name());
    let id = db.row(NEW, &vals![&manifest.name, &parts, &manifest.body, state], |row| row.get(0))?;
    let run = RunId(id.expect("an insertion returns its row"));
    Ok(Begun::New { run, changed: changed.unwrap_or_default() })
}

fn end_run(db: &Db, run: RunId, state: RunState) -> Result<(), Fault> {
    let n_changed = db.run("UPDATE run SET state = ?2 WHERE id = ?1", &vals![run.0, state.name()])?;
    if n_changed == 1 { Ok(()) } else { Err(StoreError::UnknownRun { run }.into()) }
}

/// Refuses a judge that is registered with another identity.
fn check_judge(db: &Db, judge: &JudgeId, identity: &str) -> Result<(), Fault> {
    const FIND: &str = "SELECT identity FROM judge WHERE hash = ?1";
    let known: Option<String> = db.row(FIND, &vals![judge.as_str()], |row| row.get(0))?;
    if known.is_none_or(|known| known == identity) {
        Ok(())
    } else {
        Err(StoreError::JudgeDiffers { judge: judge.clone() }.into())
    }
}

fn register_judge(db: &Db, judge: &JudgeId, identity: &str) -> Result<(), DbError> {
    const NEW: &str = "INSERT INTO judge (hash, identity) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING";
    db.run(NEW, &vals![judge.as_str(), identity]).map(drop)
}

fn run_record(row: &Row<'_>) -> Result<RunRecord, DbError> {
    let state = row.text(4)?;
    Ok(RunRecord {
        run: RunId(row.get(0)?),
        manifest: Manifest { name: row.get(1)?, parts: parts_of_text(row.text(2)?)?, body: row.get(3)? },
        state: RunState::of_name(state).ok_or_else(|| DbError::unknown("state of a run", state))?,
    })
}

/// The names of the parts that were added, removed or have another value, sorted.
fn changed_parts(before: &[(String, String)], after: &[(String, String)]) -> Vec<String> {
    let mut parts: BTreeMap<&str, [Vec<&str>; 2]> = BTreeMap::new();
    for (side, list) in [before, after].into_iter().enumerate() {
        for (name, value) in list {
            parts.entry(name).or_default()[side].push(value);
        }
    }
    let changed = parts.into_iter().filter(|(_, [before, after])| before != after);
    changed.map(|(part, _)| part.to_owned()).collect()
}

/// The parts of a run as they were written.
fn parts_of_text(text: &str) -> Result<Vec<(String, String)>, DbError> {
    serde_json::from_str(text).map_err(|_| DbError::unknown("list of parts", text))
}

fn text_of(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("records of texts can be written")
}

/// The record in `column`, as it was written.
fn kept<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<Option<T>, DbError> {
    let text: Option<String> = row.get(column)?;
    let read = |text: String| serde_json::from_str(&text).map_err(|_| DbError::unknown("record", &text));
    text.map(read).transpose()
}
