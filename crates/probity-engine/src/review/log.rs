//! Who did what, in order: with items, as the log of acts has it, and at the door.

use serde::Serialize;

use super::ReviewRoom;
use super::people::PersonId;
use crate::ledger::StoreError;
use crate::ledger::db::{Db, DbError, vals};

probity_core::named! {
    /// What a person does beside items.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum DoorAct {
        /// Comes in by a link.
        Enter = "enter",
        /// Leaves.
        Leave = "leave",
        /// Makes a link for a person.
        Invite = "invite",
        /// Shuts a person out.
        Remove = "remove",
        /// Ends a session.
        EndSession = "end session",
        /// Makes a token for a program that reads figures.
        MetricsToken = "metrics token",
        /// Takes all labels out as a file.
        ExportLabels = "export labels",
    }
}

/// An entry that is to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoorEntry {
    /// Who did it.
    pub person: PersonId,
    /// What.
    pub act: DoorAct,
    /// To whom or what; may be empty.
    pub about: String,
    /// Where the request came from.
    pub client: String,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// When, in seconds.
    pub at: i64,
    /// Who.
    pub name: String,
    /// What.
    pub kind: String,
    /// To whom or what: a person, a file, or a queue with the number of its item.
    pub about: String,
    /// Where the request came from; empty for what was done with items.
    pub client: String,
}

/// What the room and its store hold, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoomCounts {
    /// Labels, their revisions included.
    pub labels: u64,
    /// Runs by state.
    pub runs: Vec<(String, u64)>,
    /// Calls that are in flight.
    pub calls_in_flight: u64,
    /// People by role who may enter.
    pub people: Vec<(String, u64)>,
}

impl ReviewRoom {
    /// Adds to the log.
    pub async fn log(&self, entry: DoorEntry, now: i64) -> Result<(), StoreError> {
        const SQL: &str =
            "INSERT INTO door_act (person, kind, about, client, at) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.write("adding to the log", move |db| {
            let DoorEntry { person, act, about, client } = &entry;
            Ok(db.run(SQL, &vals![person.0, act.name(), about, client, now]).map(drop)?)
        })
        .await
    }

    /// So many lines of the log after `offset`, the latest first, and how many there are.
    pub fn log_lines(&self, offset: usize, limit: usize) -> Result<(Vec<LogLine>, usize), StoreError> {
        self.read(|reader| reader.ask(|db| lines(db, offset, limit)))
    }

    /// What the room and its store hold, in numbers.
    pub fn counts(&self) -> Result<RoomCounts, StoreError> {
        self.read(|reader| reader.ask(counts))
    }
}

fn lines(db: &Db, offset: usize, limit: usize) -> Result<(Vec<LogLine>, usize), DbError> {
    const COUNT: &str = "SELECT (SELECT count(*) FROM act) + (SELECT count(*) FROM door_act)";
    const SQL: &str =
        "SELECT logged.at, person.name, logged.kind, logged.about, logged.n, logged.client FROM (
            SELECT act.at AS at, act.id AS id, act.person AS person, act.kind AS kind, queue.name AS about,
                item.n AS n, '' AS client
            FROM act JOIN item ON item.id = act.item JOIN queue ON queue.id = item.queue
            UNION ALL SELECT at, id, person, kind, about, NULL, client FROM door_act
        ) AS logged JOIN person ON person.id = logged.person
        ORDER BY logged.at DESC, logged.id DESC LIMIT ?1 OFFSET ?2";
    let n: Option<i64> = db.row(COUNT, &[], |row| row.get(0))?;
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let lines = db.rows(SQL, &vals![number(limit), number(offset)], |row| {
        let (about, item): (String, Option<i64>) = (row.get(3)?, row.get(4)?);
        let about = item.map_or(about.clone(), |item| format!("{about}, item {item}"));
        Ok(LogLine { at: row.get(0)?, name: row.get(1)?, kind: row.get(2)?, about, client: row.get(5)? })
    })?;
    Ok((lines, n.and_then(|n| usize::try_from(n).ok()).unwrap_or(0)))
}

fn counts(db: &Db) -> Result<RoomCounts, DbError> {
    let one = |sql: &str| -> Result<u64, DbError> {
        let n: Option<i64> = db.row(sql, &[], |row| row.get(0))?;
        Ok(n.map_or(0, i64::unsigned_abs))
    };
    let by =
        |sql: &str| db.rows(sql, &[], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?.unsigned_abs())));
    Ok(RoomCounts {
        labels: one("SELECT count(*) FROM label")?,
        runs: by("SELECT state, count(*) FROM run GROUP BY state ORDER BY state")?,
        calls_in_flight: one("SELECT count(*) FROM attempt WHERE state = 'in_flight'")?,
        people: by("SELECT role, count(*) FROM person WHERE state = 'active' GROUP BY role ORDER BY role")?,
    })
}
