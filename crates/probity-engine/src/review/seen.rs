//! What people have seen of what was hidden, so that labels can say who was blind.
//!
//! It is noted by what it was about and not by where it was seen: a reply is the same in every queue, alone or in
//! a pair, under every rubric. Two items have a reply in common where case and variant are the same, or the
//! conversation and the words of the reply.
//!
//! What always holds: a note is on the disk before what it is about leaves the store, and none is ever removed.

use probity_core::review::{Hidden, Shown};
use rusqlite::{Connection, params};
use serde_json::json;

use super::act::log;
use super::hand_out::{place, shown};
use super::people::PersonId;
use super::record::{ItemId, text};

/// What somebody can have seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// What a judge said.
    Verdict,
    /// What other people said.
    Labels,
}

impl Sight {
    /// What makes a person's own label one that was not given blind.
    pub(super) const ANY: &'static [Sight] = &[Sight::Verdict, Sight::Labels];

    /// What makes it so for whoever settles, which is done by looking at what people said.
    pub(super) const WHEN_SETTLING: &'static [Sight] = &[Sight::Verdict];

    fn name(self) -> &'static str {
        match self {
            Sight::Verdict => "verdict",
            Sight::Labels => "labels",
        }
    }
}

/// Whether somebody has seen one of `sights` on a reply of the item, wherever that was.
pub(super) fn has_seen(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
    sights: &[Sight],
) -> Result<bool, rusqlite::Error> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM act WHERE person = ?1 AND kind = 'reveal'
        AND coalesce(json_extract(body, '$.sight'), 'verdict') IN (SELECT value FROM json_each(?2))
        AND (item = ?3 OR EXISTS (SELECT 1 FROM json_each(act.body, '$.replies')
            WHERE value IN (SELECT value FROM json_each(?4)))))";
    let names: Vec<&str> = sights.iter().map(|sight| sight.name()).collect();
    let replies = replies(connection, item)?;
    let mut select = connection.prepare_cached(SQL)?;
    select.query_row(params![person.0, text(&names), item.0, text(&replies)], |row| row.get(0))
}

/// Notes that somebody sees something of an item, once.
pub(super) fn note(
    connection: &Connection,
    (item, person): (ItemId, PersonId),
    sight: Sight,
    now: i64,
) -> Result<(), rusqlite::Error> {
    if is_noted(connection, (item, person), sight)? {
        return Ok(());
    }
    let body = json!({ "sight": sight.name(), "replies": replies(connection, item)? });
    log(connection, (item, person), "reveal", &body.to_string(), now)
}

/// Whether it is noted already that somebody saw something of this very item.
pub(super) fn is_noted(
    connection: &Connection,
    (item, person): (ItemId, PersonId),
    sight: Sight,
) -> Result<bool, rusqlite::Error> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM act WHERE item = ?1 AND person = ?2 AND kind = 'reveal'
        AND json_extract(body, '$.sight') = ?3)";
    let mut select = connection.prepare_cached(SQL)?;
    select.query_row(params![item.0, person.0, sight.name()], |row| row.get(0))
}

/// What the replies of an item are known by, wherever they are shown.
fn replies(connection: &Connection, item: ItemId) -> Result<Vec<String>, rusqlite::Error> {
    let Some(place) = place(connection, item)? else { return Ok(Vec::new()) };
    Ok(known_by(&place.hidden, &shown(connection, item)?))
}

/// Two hashes for each reply: one of its case and variant, one of the conversation and its words.
fn known_by(hidden: &Hidden, shown: &Shown) -> Vec<String> {
    let hash = |document: String| blake3::hash(document.as_bytes()).to_hex().to_string();
    let by_name = hidden.variants.iter().map(|variant| hash(text(&("case", &hidden.case, variant))));
    let by_words = shown.replies.iter().map(|reply| hash(text(&("reply", &shown.conversation, reply))));
    by_name.chain(by_words).collect()
}
