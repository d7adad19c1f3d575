//! What runs asked and what came back, for pages that show it. For leads: verdicts are in here.
//!
//! A run is shown by the packets that it made calls about. What it found on record from an earlier run is shown
//! there. What always holds: answers are shown as they came, and a page has at most [`ROWS_MAX`] rows.

mod packets;

use probity_core::packet::PacketHash;
use serde::Serialize;
use serde_json::Value;

use super::ReviewRoom;
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{JudgeId, RunId, StoreError, packet_hash, parts_of_text};
use packets::{is_same, packets, side_by_side, turned};

/// The most rows of one page.
pub const ROWS_MAX: u32 = 200;

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// Its number.
    pub run: i64,
    /// What it is called: the command, the case files, the rubric.
    pub name: String,
    /// How far it has come: `running`, `complete` or `incomplete`.
    pub state: String,
    /// The parts that decide its results, with their hashes or values.
    pub parts: Vec<(String, String)>,
    /// Packets that it made calls about.
    pub n_packets: u32,
    /// Of those, packets with a verdict.
    pub n_verdicts: u32,
    /// Of those, packets without one although it was tried.
    pub n_unscored: u32,
    /// Calls made.
    pub n_calls: u32,
    /// When its first call began, in milliseconds since the start of 1970.
    pub started_unix_ms: Option<i64>,
}

/// What is wanted of a run's packets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PacketFilter {
    /// One of [`PacketFilter::STATES`]; `None` and anything else is everything.
    pub state: Option<String>,
    /// A text that the packet contains.
    pub contains: Option<String>,
    /// How many packets come before the page.
    pub offset: u32,
    /// How many rows, at most [`ROWS_MAX`].
    pub limit: u32,
}

impl PacketFilter {
    /// What can have become of a packet.
    pub const STATES: [&'static str; 3] = ["verdict", "unscored", "open"];
}

/// Some of a run's packets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PacketPage {
    /// The run.
    pub run: RunView,
    /// The rows, in the order in which the packets were first asked about.
    pub rows: Vec<PacketRow>,
    /// How many packets the filter lets through.
    pub n_matching: u32,
}

/// A packet in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PacketRow {
    /// Its hash, which is its name.
    pub packet: String,
    /// The beginning of what the customer wrote.
    pub ticket: String,
    /// The beginning of the reply, or of both.
    pub replies: Vec<String>,
    /// The criteria that were asked about.
    pub criteria: Vec<String>,
    /// `verdict`, `unscored` or `open`.
    pub state: String,
    /// What was said: levels by criterion, or the preferred slot; empty without a verdict.
    pub said: Vec<(String, String)>,
    /// Why there is no verdict; empty with one.
    pub reason: String,
    /// Calls that this run made about it.
    pub n_attempts: u32,
}

/// Everything about one packet: what was asked and every answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CaseView {
    /// Its hash.
    pub packet: String,
    /// What was asked, as indented JSON.
    pub body: String,
    /// The packet with the replies of a pair the other way round, where the store has it.
    pub other_order: Option<String>,
    /// What every judge came to, in the order of judges and repeats.
    pub settlements: Vec<SettlementView>,
}

/// What one judge came to about a packet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettlementView {
    /// The judge's id.
    pub judge: String,
    /// What makes it answer as it does, as indented JSON.
    pub identity: String,
    /// Which independent answer it is, from 0.
    pub repeat: u32,
    /// `verdict`, `unscored` or `open`.
    pub state: String,
    /// The verdict as indented JSON; empty without one.
    pub verdict: String,
    /// Why there is none; empty with one.
    pub reason: String,
    /// Every call, in the order they began.
    pub attempts: Vec<AttemptView>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AttemptView {
    /// The run that made it.
    pub run: i64,
    /// Which attempt it was, from 1.
    pub n: u32,
    /// Why it was made.
    pub cause: String,
    /// When it began, in milliseconds since the start of 1970.
    pub started_unix_ms: i64,
    /// What it came to.
    pub outcome: String,
    /// The same in a sentence.
    pub detail: String,
    /// The HTTP status.
    pub http_status: Option<u16>,
    /// The answer as it came; bytes that are no text are replaced.
    pub raw: String,
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The runs.
    pub runs: [RunView; 2],
    /// What both or one of them asked about, joined by what the customer wrote and the criteria; those that
    /// differ first.
    pub rows: Vec<ComparisonRow>,
    /// How many there are in all.
    pub n_rows: usize,
    /// How many say the same in both.
    pub n_same: usize,
}

/// One line of two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonRow {
    /// The beginning of what the customer wrote.
    pub ticket: String,
    /// The criteria.
    pub criteria: Vec<String>,
    /// What each run has, where it asked.
    pub sides: [Option<PacketRow>; 2],
}

impl ReviewRoom {
    /// The runs, the latest first.
    pub fn runs(&self) -> Result<Vec<RunView>, StoreError> {
        self.read(|reader| reader.ask(|db| runs(db, None)))
    }

    /// One run with some of its packets.
    pub fn run(&self, run: i64, filter: &PacketFilter) -> Result<Option<PacketPage>, StoreError> {
        self.read(|reader| {
            reader.ask(|db| {
                let Some(view) = runs(db, Some(run))?.pop() else { return Ok(None) };
                let (rows, n_matching) = packets(db, run, filter)?;
                Ok(Some(PacketPage { run: view, rows, n_matching }))
            })
        })
    }

    /// One packet in depth, by its hash; `None` where the store does not have it.
    pub fn case(&self, packet: &str) -> Result<Option<CaseView>, StoreError> {
        let Ok(hash) = blake3::Hash::from_hex(packet) else { return Ok(None) };
        let hash = PacketHash::from_bytes(*hash.as_bytes());
        self.read(|reader| {
            let Some(body) = reader.packet_body(&hash)? else { return Ok(None) };
            let asked = reader.ask(|db| asked(db, &hash))?;
            let mut settlements = Vec::new();
            for (judge, identity, repeat) in asked {
                let attempts = reader.attempts_of(&hash, &judge, repeat)?;
                let settled = reader.settlement(&hash, &judge, repeat)?;
                settlements.push(settlement(&judge, &identity, repeat, settled, attempts));
            }
            let other_order = match turned(&body) {
                Some(other) => reader.ask(|db| packet_with(db, &other))?,
                None => None,
            };
            Ok(Some(CaseView { packet: hash.to_string(), body: indented(&body), other_order, settlements }))
        })
    }

    /// Two runs side by side, at most `limit` rows of them after `offset`; `None` where one is not there.
    pub fn compare_runs(
        &self,
        runs_wanted: [i64; 2],
        offset: usize,
        limit: u32,
    ) -> Result<Option<RunComparison>, StoreError> {
        self.read(|reader| {
            reader.ask(|db| {
                let [one, other] = runs_wanted;
                let (Some(first), Some(second)) = (runs(db, Some(one))?.pop(), runs(db, Some(other))?.pop())
                else {
                    return Ok(None);
                };
                let rows = side_by_side(db, runs_wanted)?;
                let same = |row: &&ComparisonRow| is_same(row);
                let n_same = rows.iter().filter(same).count();
                let n_rows = rows.len();
                let limit = limit.min(ROWS_MAX) as usize;
                let rows = rows.into_iter().skip(offset).take(limit).collect();
                Ok(Some(RunComparison { runs: [first, second], rows, n_rows, n_same }))
            })
        })
    }
}

fn runs(db: &Db, only: Option<i64>) -> Result<Vec<RunView>, DbError> {
    const SQL: &str = "SELECT run.id, run.name, run.state, run.parts,
            count(DISTINCT attempt.packet), count(attempt.id), min(attempt.started_unix_ms),
            count(DISTINCT CASE WHEN settlement.verdict IS NOT NULL THEN attempt.packet END),
            count(DISTINCT CASE WHEN settlement.reason IS NOT NULL THEN attempt.packet END)
        FROM run LEFT JOIN attempt ON attempt.run = run.id
            LEFT JOIN settlement ON settlement.judge = attempt.judge AND settlement.packet = attempt.packet
                AND settlement.repeat = attempt.repeat
        WHERE CAST(?1 AS BIGINT) IS NULL OR run.id = ?1 GROUP BY run.id ORDER BY run.id DESC";
    db.rows(SQL, &vals![only], |row| {
        Ok(RunView {
            run: row.get(0)?,
            name: row.get(1)?,
            state: row.get(2)?,
            parts: parts_of_text(row.text(3)?)?,
            n_packets: row.get(4)?,
            n_calls: row.get(5)?,
            started_unix_ms: row.get(6)?,
            n_verdicts: row.get(7)?,
            n_unscored: row.get(8)?,
        })
    })
}

type JudgeAsked = (JudgeId, String, u32);

fn asked(db: &Db, packet: &PacketHash) -> Result<Vec<JudgeAsked>, DbError> {
    const SQL: &str = "SELECT judge.hash, judge.identity, all_asked.repeat FROM (
            SELECT judge, repeat FROM attempt WHERE packet = (SELECT id FROM packet WHERE hash = ?1)
            UNION SELECT judge, repeat FROM settlement WHERE packet = (SELECT id FROM packet WHERE hash = ?1)
        ) AS all_asked JOIN judge ON judge.id = all_asked.judge ORDER BY judge.id, all_asked.repeat";
    db.rows(SQL, &vals![packet.as_bytes()], |row| {
        Ok((JudgeId::stored(row.text(0)?), row.get(1)?, row.get(2)?))
    })
}

fn settlement(
    judge: &JudgeId,
    identity: &str,
    repeat: u32,
    settled: Option<crate::ledger::Settlement>,
    attempts: Vec<crate::ledger::AttemptRecord>,
) -> SettlementView {
    use crate::ledger::Settled;
    let (state, verdict, reason) = match settled.map(|settlement| settlement.decision) {
        Some(Settled::Verdict { body }) => ("verdict", indented(&body), String::new()),
        Some(Settled::Unscored { reason, detail }) => {
            ("unscored", String::new(), format!("{reason}: {detail}"))
        }
        None => ("open", String::new(), String::new()),
    };
    let attempt = |attempt: crate::ledger::AttemptRecord| {
        let RunId(run) = attempt.run;
        AttemptView {
            run,
            n: attempt.n,
            cause: attempt.cause,
            started_unix_ms: attempt.started_unix_ms,
            outcome: attempt.outcome.name().to_owned(),
            detail: attempt.detail,
            http_status: attempt.http_status,
            raw: String::from_utf8_lossy(&attempt.raw).into_owned(),
        }
    };
    SettlementView {
        judge: judge.to_string(),
        identity: indented(identity),
        repeat,
        state: state.to_owned(),
        verdict,
        reason,
        attempts: attempts.into_iter().map(attempt).collect(),
    }
}

/// A stored document with line breaks and indents.
fn indented(document: &str) -> String {
    let value: Value = serde_json::from_str(document).unwrap_or(Value::Null);
    serde_json::to_string_pretty(&value).unwrap_or_default()
}

fn packet_with(db: &Db, body: &str) -> Result<Option<String>, DbError> {
    const SQL: &str = "SELECT hash FROM packet WHERE hash = ?1";
    let hash = blake3::hash(body.as_bytes());
    let found = db.row(SQL, &vals![hash.as_bytes()], |row| packet_hash(row, 0))?;
    Ok(found.map(|hash| hash.to_string()))
}
