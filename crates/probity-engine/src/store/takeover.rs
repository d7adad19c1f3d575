//! Taking a store over from whoever wrote to it before: its opening is counted, calls that a dead process had under way
//! come into the database, and those without an answer are listed.
//!
//! It trusts the store: whoever opens it has checked it (`open`). All of it is one transaction, so a process that dies
//! meanwhile leaves everything as it was, for the next one to find.

use std::path::Path;

use rusqlite::Connection;

use super::calls::{self, Left};
use super::error::{Fault, StoreError};
use super::open::{OPENING, OpenWarning, fold};
use super::reader::packet_hash;
use super::record::{AttemptId, JudgeId, LostCall, RunId};
use super::tables::Tables;

/// What earlier processes left in a store.
pub(super) struct LeftBehind {
    /// Calls that were in flight.
    pub(super) lost: Vec<LostCall>,
    /// Doubts that a person should hear about.
    pub(super) warnings: Vec<OpenWarning>,
    /// The first number that no attempt has.
    pub(super) next_attempt: i64,
    /// The number of this opening.
    pub(super) openings: i64,
}

/// Marks the store as open, takes in the calls that a dead process had under way and marks those in flight as lost,
/// in one transaction, and lists the latter.
/// `warnings` are the doubts so far.
pub(super) fn take_over(
    connection: Connection,
    mut warnings: Vec<OpenWarning>,
    path: &Path,
) -> Result<(Tables, LeftBehind), StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let number =
        |connection: &Connection, sql: &str| connection.query_row(sql, [], |row| row.get(0)).map_err(fault);
    let mut tables = Tables::new(connection);
    let openings: i64 = number(&tables.connection, "SELECT openings FROM mark")?;
    let left = calls::left(path, openings)?;
    if !left.is_empty() {
        // Folding may have to wait for a reader, and the notes are gone after this.
        tables.connection.pragma_update(None, "synchronous", "full").map_err(fault)?;
    }
    tables.connection.execute_batch("BEGIN IMMEDIATE").map_err(fault)?;
    let foreign = take_in(left, &mut tables, path)?;
    let lost = in_flight(&tables.connection).map_err(fault)?;
    tables
        .connection
        .execute_batch(
            "UPDATE attempt SET state = 'lost' WHERE state = 'in_flight';
             UPDATE mark SET openings = openings + 1, closing = 'open';
             COMMIT",
        )
        .map_err(fault)?;
    // The mark has to be in the file itself: a file whose journal is taken away must still say "open".
    fold(&tables.connection, path)?;
    match foreign {
        Foreign::No => calls::clear(path)?,
        Foreign::Yes => warnings.push(OpenWarning::ForeignCalls { calls: calls::set_aside(path)? }),
    }
    // Whatever a call or a settlement refers to was looked up or written just before, by the one thread that writes;
    // looking once more costs as much as writing.
    tables.connection.pragma_update(None, "foreign_keys", false).map_err(fault)?;
    let next_attempt = number(&tables.connection, "SELECT coalesce(max(id), 0) + 1 FROM attempt")?;
    Ok((tables, LeftBehind { lost, warnings, next_attempt, openings: openings + 1 }))
}

/// Whether notes beside the store tell of calls that it knows nothing about.
enum Foreign {
    No,
    Yes,
}

/// Brings calls that were under way into the database, as far as it does not have them.
fn take_in(left: Left, tables: &mut Tables, path: &Path) -> Result<Foreign, StoreError> {
    let fault = |error| StoreError::of_database(path, OPENING, &error);
    let Left::Calls(noted) = left else { return Ok(Foreign::Yes) };
    let mut foreign = Foreign::No;
    for call in noted {
        if tables.has_attempt(call.attempt).map_err(fault)? {
            continue;
        }
        match tables.record_attempt(call.attempt, &call.start, call.end.as_ref()) {
            Ok(()) => {}
            Err(Fault::Database(error)) => return Err(fault(error)),
            // Its run or its judge went with a journal that is gone.
            Err(Fault::Refused(_)) => foreign = Foreign::Yes,
        }
    }
    Ok(foreign)
}

fn in_flight(connection: &Connection) -> Result<Vec<LostCall>, rusqlite::Error> {
    let mut select = connection.prepare(
        "SELECT attempt.id, packet.hash, judge.hash, attempt.run, attempt.n, attempt.started_unix_ms
         FROM attempt JOIN packet ON packet.id = attempt.packet JOIN judge ON judge.id = attempt.judge
         WHERE attempt.state = 'in_flight' ORDER BY attempt.id",
    )?;
    let rows = select.query_map([], |row| {
        Ok(LostCall {
            attempt: AttemptId(row.get(0)?),
            packet: packet_hash(row, 1)?,
            judge: JudgeId::stored(row.get_ref(2)?.as_str()?),
            run: RunId(row.get(3)?),
            n: row.get(4)?,
            started_unix_ms: row.get(5)?,
        })
    })?;
    rows.collect()
}
