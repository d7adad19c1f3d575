//! What a person said before about what they are shown now, and what counts again when they take an answer back.
//!
//! Queues that show the same replies, and files that are imported, share labels: one person says one thing about
//! one subject in one round. So each answer notes which revisions it found and which it wrote. Who takes it back
//! gets what it found, unless something was said elsewhere since, which stays.
//!
//! What always holds: an answer that was taken back is not brought back by taking back another.

use probity_core::label::LabelEntry;
use probity_core::review::{GivenAnswer, ReviewerAnswer, said_by};
use serde::Deserialize;

use super::act::{LoggedAct, log};
use super::hand_out::{QueuedItem, standing};
use super::people::{Person, PersonId};
use super::seen::{Sight, has_seen};
use super::{ItemId, document};
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{Fault, label_at, last_label, revise_label};

/// An answer as the log of acts has it.
#[derive(Debug, Deserialize)]
struct Logged {
    /// The revisions that it found, in the order of its labels. It wrote the ones after them.
    #[serde(default)]
    before: Vec<u32>,
    /// What was said.
    answer: ReviewerAnswer,
}

/// The revisions that count of these labels, 0 where nothing was said.
pub(super) fn revisions(db: &Db, entries: &[LabelEntry]) -> Result<Vec<u32>, DbError> {
    let number = |entry: &LabelEntry| Ok(last_label(db, &entry.subject())?.map_or(0, |last| last.0));
    entries.iter().map(number).collect()
}

/// What counts of a person's labels on an item that they have not answered here; `None` where they have said
/// nothing, or have taken it back.
pub(super) fn earlier(
    db: &Db,
    place: &QueuedItem,
    person: &Person,
) -> Result<Option<ReviewerAnswer>, DbError> {
    let entries = place.entries(&place.unsaid(&person.name, false));
    let (_, labels) = standing(db, &entries)?;
    if labels.iter().all(|label| label.label.is_none()) {
        let mut counts = false;
        for (entry, revision) in entries.iter().zip(revisions(db, &entries)?) {
            counts |= counting(db, person.id, &entry.subject(), revision)? > 0;
        }
        if !counts {
            return Ok(None);
        }
    }
    Ok(Some(said_by(&place.spec.asked, &labels, place.turns_for(&person.name))))
}

/// Takes back a person's answer to an item: what it found counts again. Returns the sum of the revisions.
pub(super) fn take_back(db: &Db, place: &QueuedItem, person: &Person, now: i64) -> Result<u32, Fault> {
    let blind = !has_seen(db, place.item, person.id, Sight::ANY)?;
    let entries = place.entries(&GivenAnswer { at: now, blind, ..place.unsaid(&person.name, false) });
    let mut current = revisions(db, &entries)?;
    let answers = answers(db, place.item, person.id)?;
    for (at, entry) in entries.iter().enumerate() {
        let (subject, last) = (entry.subject(), current[at]);
        let (before, after) = span(db, person.id, &subject, answers.iter().map(|each| each.before.get(at)))?;
        let counts = counting(db, person.id, &subject, last)?;
        if after.is_some_and(|after| after != counts) {
            // Something was said elsewhere since. It stays, and what is taken back does not come after it.
            took_back(db, person.id, &subject, (after.unwrap_or_default(), before))?;
            continue;
        }
        let found = counting(db, person.id, &subject, before)?;
        let body = label_at(db, &subject, found)?.unwrap_or_else(|| entry.canonical());
        took_back(db, person.id, &subject, (last + 1, found))?;
        revise_label(db, &subject, &body, last)?;
        current[at] = last + 1;
    }
    log(db, (place.item, person.id), LoggedAct::of("undo"), now)?;
    Ok(current.iter().sum())
}

/// The answers of a person to an item since they last took one back.
fn answers(db: &Db, item: ItemId, person: PersonId) -> Result<Vec<Logged>, DbError> {
    const SQL: &str = "SELECT body FROM act WHERE item = ?1 AND person = ?2 AND kind = 'submit'
        AND id > coalesce((SELECT max(id) FROM act WHERE item = ?1 AND person = ?2 AND kind = 'undo'), 0)
        ORDER BY id";
    db.rows(SQL, &vals![item.0, person.0], |row| document(row, 0, "answer"))
}

/// What a person last said about an item, taken back or not.
pub(super) fn last_answer(
    db: &Db,
    item: ItemId,
    person: PersonId,
) -> Result<Option<ReviewerAnswer>, DbError> {
    const SQL: &str = "SELECT body FROM act WHERE item = ?1 AND person = ?2 AND kind = 'submit'
        ORDER BY id DESC LIMIT 1";
    let logged: Option<Logged> = db.row(SQL, &vals![item.0, person.0], |row| document(row, 0, "answer"))?;
    Ok(logged.map(|logged| logged.answer))
}

/// What `answers` found of a subject, given as what each found, and the revision that the last wrote. Answers with
/// nothing said elsewhere between them are one.
fn span<'a>(
    db: &Db,
    person: PersonId,
    subject: &str,
    answers: impl Iterator<Item = Option<&'a u32>>,
) -> Result<(u32, Option<u32>), DbError> {
    let (mut first, mut after) = (0, None);
    for found in answers.flatten() {
        if after != Some(counting(db, person, subject, *found)?) {
            first = *found;
        }
        after = Some(found + 1);
    }
    Ok((first, after))
}

/// The revision that counts where `revision` did, once what the person has taken back is left out; 0 for none.
fn counting(db: &Db, person: PersonId, subject: &str, mut revision: u32) -> Result<u32, DbError> {
    const SQL: &str = "SELECT counts FROM taken_back WHERE person = ?1 AND subject = ?2 AND revision = ?3";
    while let Some(found) = db.row(SQL, &vals![person.0, subject, revision], |row| row.get(0))? {
        // Each step leads to an earlier revision, so this ends.
        revision = found;
    }
    Ok(revision)
}

/// Records that instead of one revision of a subject an earlier one counts.
fn took_back(
    db: &Db,
    person: PersonId,
    subject: &str,
    (revision, counts): (u32, u32),
) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO taken_back (person, subject, revision, counts) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (person, subject, revision) DO NOTHING";
    db.run(SQL, &vals![person.0, subject, revision, counts]).map(drop)
}
