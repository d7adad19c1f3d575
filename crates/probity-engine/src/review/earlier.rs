//! What somebody said before about what they are shown now, and what counts again when they take an answer back.
//!
//! Queues that show the same replies, and files that are imported, share labels: one person says one thing about
//! one subject in one round. So each answer notes which revisions it found and which it wrote. Who takes it back
//! gets what it found, unless something was said elsewhere since, which stays.
//!
//! What always holds: an answer that was taken back is not brought back by taking back another.

use probity_core::calibrate::LabelEntry;
use probity_core::review::{Answer, Given, said_by};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Deserialize;
use serde_json::json;

use super::act::log;
use super::hand_out::{Place, standing};
use super::people::{Person, PersonId};
use super::record::{ItemId, document};
use super::seen::{Sight, has_seen};
use crate::store::{Fault, Tables, label_at, last_label};

/// An answer as the log of acts has it.
#[derive(Debug, Deserialize)]
struct Logged {
    /// The revisions that it found, in the order of its labels. It wrote the ones after them.
    #[serde(default)]
    before: Vec<u32>,
}

/// The revisions that count of these labels, 0 where nothing was said.
pub(super) fn revisions(
    connection: &Connection,
    entries: &[LabelEntry],
) -> Result<Vec<u32>, rusqlite::Error> {
    let number = |entry: &LabelEntry| Ok(last_label(connection, &entry.subject())?.map_or(0, |last| last.0));
    entries.iter().map(number).collect()
}

/// What counts of a person's labels on an item that they have not answered here; `None` where they have said
/// nothing, or have taken it back.
pub(super) fn earlier(
    connection: &Connection,
    place: &Place,
    person: &Person,
) -> Result<Option<Answer>, rusqlite::Error> {
    let entries = place.entries(&place.unsaid(&person.name, false));
    let (_, labels) = standing(connection, &entries)?;
    if labels.iter().all(|label| label.label.is_none()) {
        let mut counts = false;
        for (entry, revision) in entries.iter().zip(revisions(connection, &entries)?) {
            counts |= counting(connection, person.id, &entry.subject(), revision)? > 0;
        }
        if !counts {
            return Ok(None);
        }
    }
    Ok(Some(said_by(&place.spec.asked, &labels, place.turns_for(&person.name))))
}

/// Takes back a person's answer to an item: what it found counts again. Returns the sum of the revisions.
pub(super) fn take_back(tables: &mut Tables, place: &Place, person: &Person, now: i64) -> Result<u32, Fault> {
    let blind = !has_seen(&tables.connection, place.item, person.id, Sight::ANY)?;
    let entries = place.entries(&Given { at: now, blind, ..place.unsaid(&person.name, false) });
    let mut current = revisions(&tables.connection, &entries)?;
    let answers = answers(&tables.connection, place.item, person.id)?;
    let mut back = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let (subject, last) = (entry.subject(), current[at]);
        let (before, after) =
            span(&tables.connection, person.id, &subject, answers.iter().map(|each| each.before.get(at)))?;
        let counts = counting(&tables.connection, person.id, &subject, last)?;
        if after.is_some_and(|after| after != counts) {
            // Something was said elsewhere since. It stays, and what is taken back does not come after it.
            back.push(json!({ "subject": subject, "revision": after, "counts": before }));
            continue;
        }
        let found = counting(&tables.connection, person.id, &subject, before)?;
        let body = label_at(&tables.connection, &subject, found)?.unwrap_or_else(|| entry.canonical());
        back.push(json!({ "subject": subject, "revision": last + 1, "counts": found }));
        tables.revise_label(&subject, &body, last)?;
        current[at] = last + 1;
    }
    let body = json!({ "back": back }).to_string();
    log(&tables.connection, (place.item, person.id), "undo", &body, now)?;
    Ok(current.iter().sum())
}

/// The answers of a person to an item since they last took one back.
fn answers(connection: &Connection, item: ItemId, person: PersonId) -> Result<Vec<Logged>, rusqlite::Error> {
    const SQL: &str = "SELECT body FROM act WHERE item = ?1 AND person = ?2 AND kind = 'submit'
        AND id > coalesce((SELECT max(id) FROM act WHERE item = ?1 AND person = ?2 AND kind = 'undo'), 0)
        ORDER BY id";
    let mut select = connection.prepare_cached(SQL)?;
    select.query_map([item.0, person.0], |row| document(row, 0, "answer"))?.collect()
}

/// What `answers` found of a subject, given as what each found, and the revision that the last wrote. Answers with
/// nothing said elsewhere between them are one.
fn span<'a>(
    connection: &Connection,
    person: PersonId,
    subject: &str,
    answers: impl Iterator<Item = Option<&'a u32>>,
) -> Result<(u32, Option<u32>), rusqlite::Error> {
    let (mut first, mut after) = (0, None);
    for found in answers.flatten() {
        if after != Some(counting(connection, person, subject, *found)?) {
            first = *found;
        }
        after = Some(found + 1);
    }
    Ok((first, after))
}

/// The revision that counts where `revision` did, once what the person has taken back is left out; 0 for none.
fn counting(
    connection: &Connection,
    person: PersonId,
    subject: &str,
    mut revision: u32,
) -> Result<u32, rusqlite::Error> {
    const SQL: &str = "SELECT json_extract(each.value, '$.counts')
        FROM act, json_each(act.body, '$.back') AS each
        WHERE act.person = ?1 AND act.kind = 'undo' AND json_extract(each.value, '$.subject') = ?2
            AND json_extract(each.value, '$.revision') = ?3 LIMIT 1";
    let mut select = connection.prepare_cached(SQL)?;
    while let Some(found) =
        select.query_row(params![person.0, subject, revision], |row| row.get(0)).optional()?
    {
        // Each step leads to an earlier revision, so this ends.
        revision = found;
    }
    Ok(revision)
}
