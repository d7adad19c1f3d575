//! What a store holds, read with plain SQL from a copy of its files: the judged program is not asked.
//!
//! Reading a copy leaves the store, its write-ahead log and its lock exactly as a killed process left them.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;

use super::ledger::{Asked, number};

/// An attempt that has ended: the number of its raw bytes and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EndedAttempt {
    /// What was asked.
    pub(crate) asked: Asked,
    /// What it came to.
    pub(crate) outcome: String,
    /// A number that follows from the raw bytes.
    pub(crate) raw: u64,
}

/// The content of a store at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Record {
    /// Ended attempts by id.
    pub(crate) ended: BTreeMap<i64, EndedAttempt>,
    /// How many calls are marked as in flight, by question.
    pub(crate) in_flight: BTreeMap<Asked, usize>,
    /// How many calls are marked as lost, by question.
    pub(crate) lost: BTreeMap<Asked, usize>,
    /// What stands: a verdict's text, or the reason why there is none.
    pub(crate) settled: BTreeMap<Asked, String>,
}

impl Record {
    /// Reads the store at `path`, empty where there is none yet.
    #[track_caller]
    pub(crate) fn of(path: &Path) -> Record {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("copy.db");
        for suffix in ["", "-journal", "-wal"] {
            let from = path.with_file_name(format!("store.db{suffix}"));
            // A store that is being made may have any of its files.
            if from.exists() {
                std::fs::copy(from, folder.path().join(format!("copy.db{suffix}"))).expect("a copy");
            }
        }
        let Ok(connection) = Connection::open(&copy) else { return Record::default() };
        let whole: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
        assert_eq!(whole, "ok", "the store is damaged");
        let made = "SELECT 1 FROM sqlite_schema WHERE name = 'settlement'";
        let made: Option<i64> =
            connection.query_row(made, [], |row| row.get(0)).optional().expect("a schema");
        if made.is_none() {
            return Record::default();
        }
        Record::read(&connection).expect("a store")
    }

    fn read(connection: &Connection) -> rusqlite::Result<Record> {
        let mut record = Record::default();
        let broken = connection.prepare("PRAGMA foreign_key_check")?.exists([])?;
        assert!(!broken, "every row refers to one that is there");
        let mut select = connection.prepare(
            "SELECT attempt.id, packet.body, state, outcome, raw FROM attempt
             JOIN packet ON packet.id = attempt.packet LEFT JOIN answer ON answer.attempt = attempt.id",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let asked = asked(&row.get::<_, String>(1)?);
            match row.get::<_, String>(2)?.as_str() {
                "ended" => {
                    let raw = number(row.get::<_, Option<Vec<u8>>>(4)?);
                    record.ended.insert(row.get(0)?, EndedAttempt { asked, outcome: row.get(3)?, raw });
                }
                "in_flight" => *record.in_flight.entry(asked).or_insert(0) += 1,
                other => {
                    assert_eq!(other, "lost");
                    *record.lost.entry(asked).or_insert(0) += 1;
                }
            }
        }
        let mut select = connection.prepare(
            "SELECT packet.body, coalesce(verdict, reason) FROM settlement
             JOIN packet ON packet.id = settlement.packet",
        )?;
        let settled = select.query_map([], |row| Ok((asked(&row.get::<_, String>(0)?), row.get(1)?)))?;
        for row in settled {
            let (asked, text) = row?;
            let earlier = record.settled.insert(asked, text);
            assert_eq!(earlier, None, "one settlement stands per packet and judge");
        }
        Ok(record)
    }

    /// Reads a record on a server from what it says: a JSON text for each attempt, and one for each settlement.
    pub(crate) fn told(attempts: &str, settled: &str) -> Record {
        let mut record = Record::default();
        let rows = |text: &str| -> Vec<Value> {
            text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
        };
        for row in rows(attempts) {
            let asked = asked(row["body"].as_str().expect("a packet"));
            match row["state"].as_str().expect("a state") {
                "ended" => {
                    let outcome = row["outcome"].as_str().unwrap_or_default().to_owned();
                    let id = row["id"].as_i64().expect("a number");
                    record.ended.insert(id, EndedAttempt { asked, outcome, raw: 0 });
                }
                "in_flight" => *record.in_flight.entry(asked).or_insert(0) += 1,
                _ => *record.lost.entry(asked).or_insert(0) += 1,
            }
        }
        for row in rows(settled) {
            let asked = asked(row["body"].as_str().expect("a packet"));
            let earlier = record.settled.insert(asked, row["text"].as_str().unwrap_or_default().to_owned());
            assert_eq!(earlier, None, "one settlement stands per packet and judge");
        }
        record
    }

    /// Everything that was recorded before is recorded still, unchanged.
    #[track_caller]
    pub(crate) fn keeps(&self, before: &Record) {
        for (id, attempt) in &before.ended {
            assert_eq!(self.ended.get(id), Some(attempt), "attempt {id} was recorded");
        }
        for (asked, text) in &before.settled {
            assert_eq!(self.settled.get(asked), Some(text), "{asked:?} was settled");
        }
    }

    /// How many calls about `asked` were recorded to their end.
    pub(crate) fn n_ended(&self, asked: &Asked) -> usize {
        self.ended.values().filter(|attempt| attempt.asked == *asked).count()
    }

    /// How many calls about `asked` may have been made without a record of their end.
    pub(crate) fn n_lost(&self, asked: &Asked) -> usize {
        let count = |of: &BTreeMap<Asked, usize>| of.get(asked).copied().unwrap_or(0);
        count(&self.lost) + count(&self.in_flight)
    }
}

/// What a packet asks, from its canonical text.
fn asked(packet: &str) -> Asked {
    let packet: Value = serde_json::from_str(packet).expect("a packet is JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Asked::about(&text(&packet["reply"]), &text(&packet["criteria"][0]["id"]))
}
