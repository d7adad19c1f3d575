//! Erasing texts: what customers wrote, what they were answered, and what a judge said about it.
//!
//! Rows stay, so figures stay: levels, outcomes, costs, times and hashes are kept. What is erased says so.

use probity_core::packet::PacketHash;
use serde_json::Value;

use super::Store;
use super::db::{Db, DbError, vals};
use super::error::StoreError;
use super::reader::Reader;

/// What stands where a text was.
pub(crate) const ERASED: &str = "[erased]";

/// Rows that are looked through at once.
const PAGE: usize = 200;

/// Members of a verdict that a judge words.
const WORDED: [&str; 4] = ["reasoning", "violations", "evidence", "detail"];

/// Columns that may quote a text, with the key of their rows. Those with JSON keep everything else.
const QUOTING: [(&str, &str, &str); 9] = [
    ("text", "id", "body"),
    ("run", "id", "outcome"),
    ("run", "id", "body"),
    ("item", "id", "shown"),
    ("item", "id", "hidden"),
    ("act", "id", "note"),
    ("act", "id", "body"),
    ("label", "id", "body"),
    ("settlement", "attempt", "verdict"),
];

/// A record of a case, by its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedCase {
    pub(crate) list: i64,
    pub(crate) n: i64,
    pub(crate) body: String,
}

/// What is to be erased.
#[derive(Debug, Clone, Default)]
pub(crate) struct Erasure {
    /// Records of cases as they are to be.
    pub(crate) cases: Vec<PlacedCase>,
    /// The packets that ask about them.
    pub(crate) packets: Vec<PacketHash>,
    /// The texts themselves, wherever else they are quoted.
    pub(crate) texts: Vec<String>,
}

/// How much was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Records of the case.
    pub n_cases: u64,
    /// Packets that asked about it, or held its texts.
    pub n_packets: u64,
    /// Raw answers.
    pub n_answers: u64,
    /// Verdicts, documents, items, notes and labels that quoted it.
    pub n_quotes: u64,
}

impl Reader {
    /// The next records of cases behind `last`, in an order that does not change.
    pub(crate) fn placed_cases(&self, last: (i64, i64)) -> Result<Vec<PlacedCase>, StoreError> {
        let sql = format!(
            "SELECT list, n, body FROM case_record WHERE (list, n) > (?1, ?2) ORDER BY list, n LIMIT {PAGE}"
        );
        self.ask(|db| {
            db.rows(&sql, &vals![last.0, last.1], |row| {
                Ok(PlacedCase { list: row.get(0)?, n: row.get(1)?, body: row.get(2)? })
            })
        })
    }
}

impl Store {
    /// Erases texts for good, in one transaction.
    pub(crate) fn erase(&self, erasure: Erasure) -> Result<Forgotten, StoreError> {
        self.write_blocking("erasing texts", move |tables| Ok(erase(&tables.db, &erasure)?))
    }
}

fn erase(db: &Db, erasure: &Erasure) -> Result<Forgotten, DbError> {
    const CASE: &str = "UPDATE case_record SET body = ?3 WHERE list = ?1 AND n = ?2";
    // A packet that is on its way here stays erased, and what is answered to it is erased when it ends.
    const FIND: &str = "INSERT INTO packet (hash, body) VALUES (?1, ?2)
        ON CONFLICT (hash) DO UPDATE SET body = excluded.body RETURNING id";
    let needles = needles(&erasure.texts);
    let mut forgotten = Forgotten { n_cases: erasure.cases.len() as u64, ..Forgotten::default() };
    for case in &erasure.cases {
        db.run(CASE, &vals![case.list, case.n, &case.body])?;
    }
    let mut packets: Vec<i64> = holding(db, "packet", "body", &needles)?;
    for hash in &erasure.packets {
        packets.extend(db.row(FIND, &vals![hash.as_bytes(), ERASED], |row| row.get::<i64>(0))?);
    }
    packets.sort_unstable();
    packets.dedup();
    for packet in packets {
        forgotten.n_packets += 1;
        forgotten.n_answers += erase_packet(db, packet)?;
        forgotten.n_quotes += erase_verdicts(db, packet)?;
    }
    for (table, key, column) in QUOTING {
        forgotten.n_quotes += erase_quotes(db, (table, key, column), &needles)?;
    }
    Ok(forgotten)
}

/// Erases what was answered to a packet that was erased while the call was under way.
pub(super) fn erase_answered(db: &Db, packet: i64) -> Result<(), DbError> {
    erase_packet(db, packet)?;
    erase_verdicts(db, packet).map(drop)
}

/// Texts as they stand in JSON: as they are, and as a JSON text inside of a string has them. What is shorter than a few
/// words is no one's in particular.
fn needles(texts: &[String]) -> Vec<String> {
    let long = texts.iter().filter(|text| text.chars().count() >= 12);
    let mut needles: Vec<String> = long
        .flat_map(|text| {
            let escaped = Value::from(text.as_str()).to_string();
            [text.clone(), escaped[1..escaped.len() - 1].to_owned()]
        })
        .collect();
    needles.sort();
    needles.dedup();
    needles
}

/// The rows of a table whose text holds one of `needles`.
fn holding(db: &Db, table: &str, column: &str, needles: &[String]) -> Result<Vec<i64>, DbError> {
    let sql = format!("SELECT id, {column} FROM {table} WHERE id > ?1 ORDER BY id LIMIT {PAGE}");
    let (mut last, mut found) = (0_i64, Vec::new());
    loop {
        let mut n_rows = 0;
        let mut end = last;
        db.each(&sql, &vals![last], |row| {
            end = row.get(0)?;
            n_rows += 1;
            if holds(row.text(1)?, needles) {
                found.push(end);
            }
            Ok(())
        })?;
        last = end;
        if n_rows < PAGE {
            return Ok(found);
        }
    }
}

fn holds(text: &str, needles: &[String]) -> bool {
    needles.iter().any(|needle| text.contains(needle.as_str()))
}

/// Erases the text of a packet, the answers to it and what went wrong with them.
fn erase_packet(db: &Db, packet: i64) -> Result<u64, DbError> {
    const ANSWERS: &str = "DELETE FROM answer WHERE attempt IN (SELECT id FROM attempt WHERE packet = ?1)";
    db.run("UPDATE packet SET body = ?2 WHERE id = ?1", &vals![packet, ERASED])?;
    db.run("UPDATE attempt SET detail = ?2 WHERE packet = ?1 AND detail <> ''", &vals![packet, ERASED])?;
    db.run("UPDATE settlement SET detail = ?2 WHERE packet = ?1 AND detail <> ''", &vals![packet, ERASED])?;
    Ok(db.run(ANSWERS, &vals![packet])? as u64)
}

/// Erases what judges worded about a packet. Levels stay.
fn erase_verdicts(db: &Db, packet: i64) -> Result<u64, DbError> {
    const FIND: &str = "SELECT attempt, verdict FROM settlement WHERE packet = ?1 AND verdict IS NOT NULL";
    const KEEP: &str = "UPDATE settlement SET verdict = ?2 WHERE attempt = ?1";
    let verdicts: Vec<(i64, String)> = db.rows(FIND, &vals![packet], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (attempt, verdict) in &verdicts {
        let Ok(mut json) = serde_json::from_str::<Value>(verdict) else { continue };
        erase_members(&mut json, false);
        db.run(KEEP, &vals![*attempt, &json.to_string()])?;
    }
    Ok(verdicts.len() as u64)
}

fn erase_members(json: &mut Value, is_worded: bool) {
    match json {
        Value::Object(members) => members
            .iter_mut()
            .for_each(|(name, value)| erase_members(value, is_worded || WORDED.contains(&name.as_str()))),
        Value::Array(items) => items.iter_mut().for_each(|item| erase_members(item, is_worded)),
        Value::String(text) if is_worded => ERASED.clone_into(text),
        _ => {}
    }
}

/// Erases the texts where a column quotes them.
fn erase_quotes(
    db: &Db,
    (table, key, column): (&str, &str, &str),
    needles: &[String],
) -> Result<u64, DbError> {
    let find = format!(
        "SELECT {key}, {column} FROM {table} WHERE {key} > ?1 AND {column} IS NOT NULL ORDER BY {key} LIMIT {PAGE}"
    );
    let keep = format!("UPDATE {table} SET {column} = ?2 WHERE {key} = ?1");
    let (mut last, mut n_erased) = (0_i64, 0);
    loop {
        let rows: Vec<(i64, String)> = db.rows(&find, &vals![last], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let Some(end) = rows.last() else { return Ok(n_erased) };
        last = end.0;
        for (id, text) in rows.iter().filter(|(_, text)| holds(text, needles)) {
            let erased = match serde_json::from_str::<Value>(text) {
                Ok(mut json) => {
                    erase_strings(&mut json, needles);
                    json.to_string()
                }
                Err(_) => ERASED.to_owned(),
            };
            db.run(&keep, &vals![*id, &erased])?;
            n_erased += 1;
        }
    }
}

fn erase_strings(json: &mut Value, needles: &[String]) {
    match json {
        Value::Object(members) => members.values_mut().for_each(|value| erase_strings(value, needles)),
        Value::Array(items) => items.iter_mut().for_each(|item| erase_strings(item, needles)),
        Value::String(text) if holds(text, needles) => ERASED.clone_into(text),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_erased_and_levels_stay() {
        let mut verdict = json!({ "v": 1, "scores": [{ "criterion": "tone", "level": 4, "reasoning": "She said so." }],
            "preference": { "verdict": "a", "evidence": ["quoted"] }, "model": "m" });
        erase_members(&mut verdict, false);
        let want = json!({ "v": 1, "scores": [{ "criterion": "tone", "level": 4, "reasoning": ERASED }],
            "preference": { "verdict": "a", "evidence": [ERASED] }, "model": "m" });
        assert_eq!(verdict, want);
    }

    #[test]
    fn a_text_is_found_inside_of_json_inside_of_json() {
        let needles = needles(&["My \"order\" never came".to_owned(), "Hi".to_owned()]);
        assert_eq!(needles.len(), 2, "short texts are everywhere: {needles:?}");
        let inner = json!({ "ticket": "My \"order\" never came" }).to_string();
        let mut outer = json!({ "kept": inner, "slice": "orders" });
        erase_strings(&mut outer, &needles);
        assert_eq!(outer, json!({ "kept": ERASED, "slice": "orders" }));
    }
}
