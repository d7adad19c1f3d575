//! What a judge was sent and what came back, packet by packet.

use std::io;

use probity_core::packet::PacketHash;
use probity_engine::ledger::{AttemptOutcome, AttemptRecord, JudgeId, Reader};
use serde_json::{Map, Value, json};

use super::super::private::Texts;

/// A packet that asked about a reply, and every attempt to have it answered.
#[derive(Debug)]
pub(crate) struct AskedPacket {
    /// Its name.
    pub(crate) hash: PacketHash,
    /// What was asked, as canonical JSON.
    pub(crate) body: String,
    /// Every call, in the order in which they began.
    pub(crate) attempts: Vec<AttemptRecord>,
}

/// Reads what a judge was sent and what came back.
pub(crate) struct AskedReader {
    /// The store.
    pub(crate) reader: Reader,
    /// The judge.
    pub(crate) judge: JudgeId,
    /// Which independent answer is shown.
    pub(crate) repeat: u32,
}

impl AskedReader {
    /// The packets of these names.
    pub(crate) fn packets(&self, hashes: &[PacketHash]) -> io::Result<Vec<AskedPacket>> {
        let asked = hashes.iter().map(|hash| {
            let body = self.reader.packet_body(hash).map_err(io::Error::other)?.unwrap_or_default();
            let attempts =
                self.reader.attempts_of(hash, &self.judge, self.repeat).map_err(io::Error::other)?;
            Ok(AskedPacket { hash: *hash, body, attempts })
        });
        asked.collect()
    }
}

/// What the template shows of a packet.
pub(super) fn packet(asked: &AskedPacket, texts: Texts) -> Value {
    let body: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let criteria = body["criteria"].as_array().into_iter().flatten();
    let criteria: Vec<&str> = criteria.filter_map(|each| each["id"].as_str()).collect();
    let attempts = asked.attempts.iter().map(|attempt| self::attempt(attempt, texts));
    json!({
        "criteria": criteria.join(", "),
        "hash": asked.hash.to_string().chars().take(12).collect::<String>(),
        "parts": parts(&body, texts),
        "body": json_text(body.clone(), texts),
        "attempts": attempts.collect::<Vec<_>>(),
    })
}

/// The members of a packet in words.
fn parts(body: &Value, texts: Texts) -> Vec<Value> {
    let empty = Map::new();
    let mut parts = Vec::new();
    let mut part = |name: &str, text: String| parts.push(json!({ "name": name, "text": texts.shown(&text) }));
    for (name, member) in body.as_object().unwrap_or(&empty) {
        match (name.as_str(), member) {
            ("criteria", Value::Array(all)) => {
                let said = all.iter().map(criterion).collect::<Vec<_>>().join("\n\n");
                part(if all.len() == 1 { "Criterion" } else { "Criteria" }, said);
            }
            ("situation", member) => match (member["ticket"].as_str(), member["turns"].as_array()) {
                (Some(ticket), _) => part("Ticket", ticket.to_owned()),
                (None, Some(turns)) => {
                    let line = |turn: &Value| format!("{}: {}", text(&turn["role"]), text(&turn["text"]));
                    part("Conversation", turns.iter().map(line).collect::<Vec<_>>().join("\n"));
                }
                (None, None) => part("Situation", text(member)),
            },
            ("candidates", Value::Object(candidates)) => {
                candidates.iter().for_each(|(slot, reply)| part(&format!("Reply {slot}"), text(reply)));
            }
            ("reply", member) => part("Reply", text(member)),
            ("reference", member) => part("Reference", text(member)),
            ("evidence", member) => part("Evidence", text(member)),
            _ => {}
        }
    }
    parts
}

fn criterion(criterion: &Value) -> String {
    let mut lines = vec![text(&criterion["title"]), text(&criterion["question"])];
    lines.retain(|line| line != "null");
    for level in criterion["levels"].as_array().into_iter().flatten() {
        lines.push(format!("{}  {}", text(&level["level"]), text(&level["means"])));
    }
    if lines.len() < 3 {
        serde_json::to_string_pretty(criterion).unwrap_or_default()
    } else {
        lines.join("\n")
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other @ (Value::Array(_) | Value::Object(_)) => {
            serde_json::to_string_pretty(other).unwrap_or_default()
        }
        other => other.to_string(),
    }
}

fn attempt(attempt: &AttemptRecord, texts: Texts) -> Value {
    let outcome = match &attempt.outcome {
        AttemptOutcome::Ended(outcome) => outcome.clone(),
        AttemptOutcome::InFlight => "in flight".to_owned(),
        AttemptOutcome::Lost => "lost with its process".to_owned(),
    };
    let told = &attempt.told;
    let mut facts = vec![("read as", outcome)];
    facts.push(("why asked", attempt.cause.replace('_', " ")));
    facts.extend(told.model.clone().map(|model| {
        ("model", told.fingerprint.as_ref().map_or(model.clone(), |print| format!("{model}, {print}")))
    }));
    facts.extend(told.elapsed_ms.map(|ms| ("took", format!("{:.1} s", ms as f64 / 1000.0))));
    facts.extend(
        told.tokens_in.zip(told.tokens_out).map(|(sent, got)| ("tokens", format!("{sent} in, {got} out"))),
    );
    facts.extend(attempt.http_status.map(|status| ("HTTP status", status.to_string())));
    facts.extend((!attempt.detail.is_empty()).then(|| ("detail", texts.shown(&attempt.detail))));
    json!({
        "n": attempt.n, "facts": facts, "raw": answer(&attempt.raw, texts),
    })
}

/// The bytes of an answer as text; JSON is indented so that it can be read.
fn answer(raw: &[u8], texts: Texts) -> String {
    let text = String::from_utf8_lossy(raw);
    match serde_json::from_str::<Value>(&text) {
        Ok(json) => json_text(json, texts),
        Err(_) => texts.shown(&text),
    }
}

/// JSON as text. Its texts are looked at one by one, because an escape inside one could hide what it says.
fn json_text(mut json: Value, texts: Texts) -> String {
    if texts == Texts::Masked {
        mask(&mut json);
    }
    texts.shown(&serde_json::to_string_pretty(&json).unwrap_or_default())
}

fn mask(json: &mut Value) {
    match json {
        Value::String(text) => *text = Texts::Masked.shown(text),
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => members.values_mut().for_each(mask),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
