//! A run's packets as rows: what was asked in short, and what came of it.

use std::collections::BTreeMap;

use probity_core::json::{self, Json};
use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::{ComparisonRow, PacketFilter, PacketRow, ROWS_MAX};
use crate::store::packet_hash;

/// Characters of a text in a list.
const EXCERPT_CHARS: usize = 160;

/// A packet of a run as its row has it.
const PACKET_ROW: &str = "packet.hash, packet.body, count(attempt.id), settlement.reason, settlement.detail,
        verdict.body
    FROM attempt JOIN packet ON packet.id = attempt.packet
        LEFT JOIN settlement ON settlement.judge = attempt.judge AND settlement.packet = attempt.packet
            AND settlement.repeat = attempt.repeat
        LEFT JOIN verdict ON verdict.id = settlement.verdict";

pub(super) fn packets(
    connection: &Connection,
    run: i64,
    filter: &PacketFilter,
) -> Result<(Vec<PacketRow>, u32), rusqlite::Error> {
    let state = match filter.state.as_deref() {
        Some("verdict") => "settlement.verdict IS NOT NULL",
        Some("unscored") => "settlement.reason IS NOT NULL",
        Some("open") => "settlement.judge IS NULL",
        _ => "1",
    };
    let wanted = format!("attempt.run = ?1 AND {state} AND (?2 IS NULL OR instr(packet.body, ?2) > 0)");
    let group = "GROUP BY attempt.packet, attempt.judge, attempt.repeat";
    let contains = filter.contains.as_deref().filter(|text| !text.is_empty());
    let count = format!("SELECT count(*) FROM (SELECT {PACKET_ROW} WHERE {wanted} {group})");
    let n_matching =
        connection.prepare_cached(&count)?.query_row(params![run, contains], |row| row.get(0))?;
    let page =
        format!("SELECT {PACKET_ROW} WHERE {wanted} {group} ORDER BY min(attempt.id) LIMIT ?3 OFFSET ?4");
    let mut select = connection.prepare_cached(&page)?;
    let bounds = params![run, contains, filter.limit.min(ROWS_MAX), filter.offset];
    let rows = select.query_map(bounds, packet_row)?.collect::<Result<_, _>>()?;
    Ok((rows, n_matching))
}

fn packet_row(row: &Row<'_>) -> Result<PacketRow, rusqlite::Error> {
    let hash = packet_hash(row, 0)?;
    let body: String = row.get(1)?;
    let document: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
    let verdict: Option<String> = row.get(5)?;
    let reason: Option<String> = row.get(3)?;
    let state = match (&verdict, &reason) {
        (Some(_), _) => "verdict",
        (None, Some(_)) => "unscored",
        (None, None) => "open",
    };
    let detail: Option<String> = row.get(4)?;
    let said = verdict.and_then(|body| serde_json::from_str(&body).ok());
    Ok(PacketRow {
        packet: hash.to_string(),
        ticket: excerpt(&ticket(&document)),
        replies: replies(&document).iter().map(|reply| excerpt(reply)).collect(),
        criteria: criteria(&document),
        state: state.to_owned(),
        said: said.as_ref().map(said_in).unwrap_or_default(),
        reason: [reason, detail]
            .into_iter()
            .flatten()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(": "),
        n_attempts: row.get(2)?,
    })
}

/// What the customer wrote, turn by turn.
fn ticket(document: &Value) -> String {
    let situation = &document["situation"];
    if let Some(ticket) = situation["ticket"].as_str() {
        return ticket.to_owned();
    }
    let turns = situation["turns"].as_array().map(Vec::as_slice).unwrap_or_default();
    turns.iter().filter_map(|turn| turn["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn replies(document: &Value) -> Vec<String> {
    let texts = [&document["reply"], &document["candidates"]["A"], &document["candidates"]["B"]];
    texts.into_iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn criteria(document: &Value) -> Vec<String> {
    let criteria = document["criteria"].as_array().map(Vec::as_slice).unwrap_or_default();
    criteria.iter().filter_map(|each| each["id"].as_str()).map(str::to_owned).collect()
}

/// What a kept verdict says, in short.
fn said_in(verdict: &Value) -> Vec<(String, String)> {
    if let Some(preferred) = verdict["preference"].get("verdict") {
        return vec![("preferred".to_owned(), plain(preferred))];
    }
    let scores = verdict["scores"].as_array().map(Vec::as_slice).unwrap_or_default();
    scores.iter().map(|each| (plain(&each["criterion"]), plain(&each["level"]))).collect()
}

fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(EXCERPT_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The canonical text of a pair's packet with the candidates the other way round.
pub(super) fn turned(body: &str) -> Option<String> {
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

pub(super) fn side_by_side(
    connection: &Connection,
    runs: [i64; 2],
) -> Result<Vec<ComparisonRow>, rusqlite::Error> {
    let sql = format!(
        "SELECT {PACKET_ROW} WHERE attempt.run = ?1
         GROUP BY attempt.packet, attempt.judge, attempt.repeat ORDER BY min(attempt.id)"
    );
    let mut joined: BTreeMap<(String, Vec<String>), [Option<PacketRow>; 2]> = BTreeMap::new();
    for (side, run) in runs.into_iter().enumerate() {
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query([run])?;
        while let Some(row) = rows.next()? {
            let document: Value = serde_json::from_str(row.get_ref(1)?.as_str()?).unwrap_or(Value::Null);
            let found = packet_row(row)?;
            let key = (ticket(&document), found.criteria.clone());
            joined.entry(key).or_default()[side].get_or_insert(found);
        }
    }
    let mut rows: Vec<ComparisonRow> = joined
        .into_iter()
        .map(|((ticket, criteria), sides)| ComparisonRow { ticket: excerpt(&ticket), criteria, sides })
        .collect();
    // What differs is what somebody came for. The order is otherwise that of the tickets.
    rows.sort_by_key(is_same);
    Ok(rows)
}

pub(super) fn is_same(row: &ComparisonRow) -> bool {
    match &row.sides {
        [Some(one), Some(other)] => one.state == other.state && one.said == other.said,
        _ => false,
    }
}
