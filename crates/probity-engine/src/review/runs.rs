//! What judges were asked and what came back, packet by packet, for pages that show it. For leads: verdicts are in
//! here.
//!
//! What always holds: answers are shown as they came.

use probity_core::json::{self, Json};
use probity_core::packet::PacketHash;
use serde::Serialize;
use serde_json::Value;

use super::{ReviewRoom, text};
use crate::ledger::db::{Db, DbError, Row, vals};
use crate::ledger::{JudgeId, RunId, StoreError, packet_hash};

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

/// What decides how a run is shown: its outcome, the labels and the standings. Two that are equal show the same of a
/// run that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunVersion {
    /// Whether no more verdicts are to come.
    pub is_complete: bool,
    digest: blake3::Hash,
}

impl ReviewRoom {
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

    /// What decides how a run is shown; `None` where there is no such run.
    pub fn run_version(&self, run: i64) -> Result<Option<RunVersion>, StoreError> {
        const SQL: &str = "SELECT state, outcome, (SELECT max(id) FROM label),
                (SELECT value FROM note WHERE key = 'standings') FROM run WHERE id = ?1";
        let version = |row: &Row<'_>| {
            let outcome: Option<String> = row.get(1)?;
            let (labels, standings): (Option<i64>, Option<String>) = (row.get(2)?, row.get(3)?);
            let digest = blake3::hash(text(&(outcome, labels, standings)).as_bytes());
            Ok(RunVersion { is_complete: row.text(0)? == "complete", digest })
        };
        self.read(|reader| reader.ask(|db| db.row(SQL, &vals![run], version)))
    }
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

/// The canonical text of a pair's packet with the candidates the other way round.
fn turned(body: &str) -> Option<String> {
    let parsed = json::parse(body).ok()?;
    let object = parsed.as_object()?;
    let candidates = object.get("candidates")?.as_object()?;
    let (a, b) = (candidates.get("A")?.clone(), candidates.get("B")?.clone());
    let members = object.iter().map(|(name, value)| {
        let value = if name == "candidates" {
            Json::object([("A", b.clone()), ("B", a.clone())])
        } else {
            value.clone()
        };
        (name.to_owned(), value)
    });
    Some(Json::object(members).canonical())
}
