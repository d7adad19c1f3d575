//! A run's packets as rows: what was asked in short, and what came of it.

use std::collections::BTreeMap;

use probity_core::json::{self, Json};
use serde_json::Value;

use super::{ComparisonRow, PacketFilter, PacketRow, ROWS_MAX};
use crate::ledger::db::{Db, DbError, Row, vals};
use crate::ledger::packet_hash;

/// Characters of a text in a list.
const EXCERPT_CHARS: usize = 160;

/// A packet of a run as its row has it; the parameter is the run.
const PACKET_ROW: &str = "SELECT packet.hash, packet.body, tried.n, settlement.reason, settlement.detail,
        settlement.verdict
    FROM (SELECT packet, judge, repeat, count(*) AS n, min(id) AS first FROM attempt WHERE run = ?1
            GROUP BY packet, judge, repeat) AS tried
        JOIN packet ON packet.id = tried.packet
        LEFT JOIN settlement ON settlement.judge = tried.judge AND settlement.packet = tried.packet
            AND settlement.repeat = tried.repeat";

pub(super) fn packets(db: &Db, run: i64, filter: &PacketFilter) -> Result<(Vec<PacketRow>, u32), DbError> {
    let state = match filter.state.as_deref() {
        Some("verdict") => "settlement.verdict IS NOT NULL",
        Some("unscored") => "settlement.reason IS NOT NULL",
        Some("open") => "settlement.judge IS NULL",
        _ => "1 = 1",
    };
    // Replacing tells whether a text is in another on every engine, and minds case.
    let contained = "(CAST(?2 AS TEXT) IS NULL OR replace(packet.body, ?2, '') <> packet.body)";
    let matching = format!("{PACKET_ROW} WHERE {state} AND {contained}");
    let contains = filter.contains.as_deref().filter(|text| !text.is_empty());
    let count = format!("SELECT count(*) FROM ({matching}) AS matching");
    let n_matching = db.row(&count, &vals![run, contains], |row| row.get(0))?.unwrap_or(0);
    let page = format!("{matching} ORDER BY tried.first LIMIT ?3 OFFSET ?4");
    let bounds = vals![run, contains, filter.limit.min(ROWS_MAX), filter.offset];
    Ok((db.rows(&page, &bounds, packet_row)?, n_matching))
}

fn packet_row(row: &Row<'_>) -> Result<PacketRow, DbError> {
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

pub(super) fn side_by_side(db: &Db, runs: [i64; 2]) -> Result<Vec<ComparisonRow>, DbError> {
    let sql = format!("{PACKET_ROW} ORDER BY tried.first");
    let mut joined: BTreeMap<(String, Vec<String>), [Option<PacketRow>; 2]> = BTreeMap::new();
    for (side, run) in runs.into_iter().enumerate() {
        db.each(&sql, &vals![run], |row| {
            let document: Value = serde_json::from_str(row.text(1)?).unwrap_or(Value::Null);
            let found = packet_row(row)?;
            let key = (ticket(&document), found.criteria.clone());
            joined.entry(key).or_default()[side].get_or_insert(found);
            Ok(())
        })?;
    }
    let mut rows: Vec<ComparisonRow> = joined
        .into_iter()
        .map(|((ticket, criteria), sides)| ComparisonRow { ticket: excerpt(&ticket), criteria, sides })
        .collect();
    // What differs comes first. The order is otherwise that of the tickets.
    rows.sort_by_key(is_same);
    Ok(rows)
}

pub(super) fn is_same(row: &ComparisonRow) -> bool {
    match &row.sides {
        [Some(one), Some(other)] => one.state == other.state && one.said == other.said,
        _ => false,
    }
}
