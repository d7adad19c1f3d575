//! Copying calls, their answers and what was settled.
//!
//! A call is known by its packet, judge and repeat, its place among the attempts, its cause and when it began.

use std::collections::HashMap;

use super::{COPYING, Copying, Numbered, OwnedVal, PAGE, PageCopied, given, numbered};
use crate::config::Money;
use crate::ledger::budget::{Caller, Spending};
use crate::ledger::db::{Db, DbError, Val, vals};
use crate::ledger::error::StoreError;
use crate::ledger::tables::SUPERSEDE;

/// What a call is known by, and the rest of its columns.
const KEY: [&str; 6] = ["packet", "judge", "repeat", "n", "started_unix_ms", "cause"];
const REST: [&str; 20] = [
    "run", "batch", "state", "superseded", "reserved_picodollars", "outcome", "detail", "http_status",
    "tokens_in", "tokens_out", "cost_picodollars", "model", "fingerprint", "response_id", "elapsed_ms",
    "tokens_planned", "decisions", "tokens_cached", "tier", "list_picodollars",
];
const ROWS: &str = "{rows(at BIGINT, packet BIGINT, judge BIGINT, repeat BIGINT, n BIGINT, started_unix_ms BIGINT,
    cause TEXT, run BIGINT, batch BIGINT, state TEXT, superseded BIGINT, reserved_picodollars BIGINT, outcome TEXT,
    detail TEXT, http_status BIGINT, tokens_in BIGINT, tokens_out BIGINT, cost_picodollars BIGINT, model TEXT,
    fingerprint TEXT, response_id TEXT, elapsed_ms BIGINT, tokens_planned BIGINT, decisions BIGINT,
    tokens_cached BIGINT, tier TEXT, list_picodollars BIGINT)}";

/// The places of columns in [`KEY`] and [`REST`] together.
const RUN: usize = 6;
const BATCH: usize = 7;
const STATE: usize = 8;
const RESERVED: usize = 10;
const COST: usize = 16;

/// Answers that are copied in one transaction: they are large.
const ANSWERS: usize = 64;

impl Copying<'_> {
    /// Copies calls, then their answers, then settlements.
    pub(super) fn calls(&mut self) -> Result<(), StoreError> {
        self.attempts()?;
        self.answers()?;
        self.settlements()
    }

    fn attempts(&mut self) -> Result<(), StoreError> {
        let columns: Vec<&str> = KEY.iter().chain(&REST).copied().collect();
        let sql =
            format!("SELECT id, {} FROM attempt WHERE id > ?1 ORDER BY id LIMIT {PAGE}", columns.join(", "));
        let (mut last, mut workers) = (0, HashMap::new());
        loop {
            let page =
                self.reader.ask(|db| db.rows(&sql, &vals![last], |row| numbered(row, columns.len())))?;
            let Some(end) = page.last() else { return Ok(()) };
            last = end.0;
            let rows: Vec<Numbered> = page.into_iter().filter_map(|row| self.mapped_call(row)).collect();
            let known = workers.clone();
            let (done, met) = self.into.write_blocking(COPYING, move |tables| {
                let mut workers = known.clone();
                Ok((add_calls(&tables.db, &rows, &mut workers)?, workers))
            })?;
            workers = met;
            self.take("attempt", done);
        }
    }

    /// A call with the numbers of this store. One in flight is lost, unless a batch has it.
    fn mapped_call(&self, (id, mut values): Numbered) -> Option<Numbered> {
        for (at, table) in [(0, "packet"), (1, "judge"), (RUN, "run"), (BATCH, "batch")] {
            if let OwnedVal::Int(number) = values[at] {
                values[at] = OwnedVal::Int(*self.numbers.get(table)?.get(&number)?);
            }
        }
        if values[STATE] == OwnedVal::Text("in_flight".to_owned()) && values[BATCH] == OwnedVal::Null {
            values[STATE] = OwnedVal::Text("lost".to_owned());
        }
        Some((id, values))
    }

    fn answers(&mut self) -> Result<(), StoreError> {
        const ADD: &str =
            "INSERT INTO answer (attempt, raw) SELECT u.at, u.raw FROM {rows(at BIGINT, raw BYTEA)} u
            WHERE true ON CONFLICT (attempt) DO NOTHING RETURNING attempt";
        let sql =
            format!("SELECT attempt, raw FROM answer WHERE attempt > ?1 ORDER BY attempt LIMIT {ANSWERS}");
        let mut last = 0;
        loop {
            let page = self.reader.ask(|db| db.rows(&sql, &vals![last], |row| numbered(row, 1)))?;
            let Some(end) = page.last() else { return Ok(()) };
            last = end.0;
            let of = &self.numbers["attempt"];
            let rows: Vec<Numbered> =
                page.into_iter().filter_map(|(id, values)| Some((*of.get(&id)?, values))).collect();
            let n_added = self.into.write_blocking(COPYING, move |tables| {
                Ok(tables.db.set(ADD, &given(rows.iter()), |_| Ok(()))?.len())
            })?;
            self.take("answer", PageCopied { n_added: n_added as u64, ..PageCopied::default() });
        }
    }

    fn settlements(&mut self) -> Result<(), StoreError> {
        let sql = format!(
            "SELECT attempt, judge, packet, repeat, attempts, verdict, reason, detail FROM settlement
            WHERE attempt > ?1 ORDER BY attempt LIMIT {PAGE}"
        );
        let mut last = 0;
        loop {
            let page = self.reader.ask(|db| db.rows(&sql, &vals![last], |row| numbered(row, 7)))?;
            let Some(end) = page.last() else { return Ok(()) };
            last = end.0;
            let rows: Vec<Numbered> = page
                .into_iter()
                .filter_map(|(id, mut values)| {
                    for (at, table) in [(0, "judge"), (1, "packet")] {
                        let OwnedVal::Int(number) = values[at] else { return None };
                        values[at] = OwnedVal::Int(*self.numbers.get(table)?.get(&number)?);
                    }
                    Some((*self.numbers["attempt"].get(&id)?, values))
                })
                .collect();
            let done =
                self.into.write_blocking(COPYING, move |tables| Ok(add_settlements(&tables.db, &rows)?))?;
            self.take("settlement", done);
        }
    }
}

/// Adds calls that are not there, to workers of their runs that were never alive here. A call that was lost here and has
/// ended there has ended.
fn add_calls(db: &Db, rows: &[Numbered], workers: &mut HashMap<i64, i64>) -> Result<PageCopied, DbError> {
    const WORKER: &str =
        "INSERT INTO worker (run, until_ms, calls, spent_picodollars) VALUES (?1, 0, 0, 0) RETURNING id";
    let same: Vec<String> = KEY.iter().map(|key| format!("t.{key} = u.{key}")).collect();
    let find = format!("SELECT u.at, t.id, t.state FROM {ROWS} u JOIN attempt t ON {}", same.join(" AND "));
    let found =
        db.set(&find, &given(rows.iter()), |row| Ok((row.get(0)?, (row.get(1)?, row.get::<String>(2)?))))?;
    let found: HashMap<i64, (i64, String)> = found.into_iter().collect();
    let mut done = PageCopied::default();
    let (mut fresh, mut ended) = (Vec::new(), Vec::new());
    for row in rows {
        match found.get(&row.0) {
            None => fresh.push(row),
            Some((id, state)) => {
                done.numbers.push((row.0, *id));
                if state == "lost" && row.1[STATE] == OwnedVal::Text("ended".to_owned()) {
                    ended.push((*id, row.1.clone()));
                }
            }
        }
    }
    let set: Vec<String> = REST[2..].iter().map(|column| format!("{column} = u.{column}")).collect();
    let end = format!("UPDATE attempt SET {} FROM {ROWS} u WHERE attempt.id = u.at", set.join(", "));
    db.set(&end, &given(ended.iter()), |_| Ok(()))?;
    let mut spending = Spending::default();
    for row in fresh {
        let OwnedVal::Int(run) = row.1[RUN] else { continue };
        let caller = if let OwnedVal::Int(batch) = row.1[BATCH] {
            Caller::Batch(batch)
        } else {
            let known = workers.get(&run).copied();
            let worker = known
                .map_or_else(|| db.row(WORKER, &vals![run], |row| row.get(0)), |known| Ok(Some(known)))?;
            let worker = worker.expect("an insertion returns its row");
            workers.insert(run, worker);
            Caller::Worker(worker)
        };
        if let Some(id) = add_call(db, row, caller)? {
            done.numbers.push((row.0, id));
            done.n_added += 1;
            let cost = if let OwnedVal::Int(cost) = row.1[COST] { cost } else { reserved(row) };
            if let Caller::Worker(_) = caller {
                spending.add(caller, Money::from_picos(cost));
            }
        }
    }
    spending.record(db)?;
    Ok(done)
}

fn reserved((_, values): &Numbered) -> i64 {
    if let OwnedVal::Int(reserved) = values[RESERVED] { reserved } else { 0 }
}

fn add_call(db: &Db, (_, values): &Numbered, caller: Caller) -> Result<Option<i64>, DbError> {
    let columns: Vec<&str> = KEY.iter().chain(&REST).copied().filter(|column| *column != "batch").collect();
    let marks: Vec<String> = (3..3 + columns.len()).map(|n| format!("?{n}")).collect();
    let sql = format!(
        "INSERT INTO attempt (worker, batch, {}) VALUES (?1, ?2, {}) ON CONFLICT DO NOTHING RETURNING id",
        columns.join(", "),
        marks.join(", ")
    );
    let [worker, batch] = caller.columns();
    let mut params: Vec<Val<'_>> = vals![worker, batch].into();
    params.extend(values.iter().enumerate().filter(|(at, _)| *at != BATCH).map(|(_, value)| value.val()));
    db.row(&sql, &params, |row| row.get(0))
}

/// Adds settlements where there is none, or only the reason why there is no verdict.
fn add_settlements(db: &Db, rows: &[Numbered]) -> Result<PageCopied, DbError> {
    const ROWS: &str =
        "{rows(at BIGINT, judge BIGINT, packet BIGINT, repeat BIGINT, attempts BIGINT, verdict TEXT,
        reason TEXT, detail TEXT)}";
    const FIND: &str = "SELECT u.at, t.attempt, t.verdict FROM {ROWS} u JOIN settlement t
        ON t.judge = u.judge AND t.packet = u.packet AND t.repeat = u.repeat";
    const ADD: &str = "INSERT INTO settlement (attempt, judge, packet, repeat, attempts, verdict, reason, detail)
        SELECT u.at, u.judge, u.packet, u.repeat, u.attempts, u.verdict, u.reason, u.detail FROM {ROWS} u WHERE true
        ORDER BY u.at ON CONFLICT (judge, packet, repeat) DO UPDATE SET attempt = excluded.attempt,
            attempts = excluded.attempts, verdict = excluded.verdict, reason = excluded.reason,
            detail = excluded.detail WHERE settlement.verdict IS NULL";
    const PACKET: &str = "SELECT hash FROM packet WHERE id = ?1";
    let found = db.set(&FIND.replace("{ROWS}", ROWS), &given(rows.iter()), |row| {
        Ok((row.get::<i64>(0)?, (row.get::<i64>(1)?, row.get::<Option<String>>(2)?)))
    })?;
    let found: HashMap<i64, (i64, Option<String>)> = found.into_iter().collect();
    let mut done = PageCopied::default();
    let mut fresh = Vec::new();
    for row in rows {
        match (found.get(&row.0), &row.1[4]) {
            (None, _) | (Some((_, None)), OwnedVal::Text(_)) => fresh.push(row.clone()),
            (Some((attempt, Some(stands))), OwnedVal::Text(verdict))
                if attempt != &row.0 && stands != verdict =>
            {
                let OwnedVal::Int(packet) = row.1[1] else { continue };
                let hash = db.row(PACKET, &vals![packet], |row| row.get::<Vec<u8>>(0))?.unwrap_or_default();
                let hash = OwnedVal::Blob(hash).shown();
                done.contradictions
                    .push(format!("two verdicts about packet {hash}: the one that was there stands"));
            }
            _ => {}
        }
    }
    done.n_added = fresh.len() as u64;
    db.set(&ADD.replace("{ROWS}", ROWS), &given(fresh.iter()), |_| Ok(()))?;
    let attempts = rows.iter().map(|row| row.0).chain(found.values().map(|(attempt, _)| *attempt));
    db.set(SUPERSEDE, &attempts.map(|attempt| vec![attempt.into()]).collect::<Vec<_>>(), |_| Ok(()))?;
    Ok(done)
}
