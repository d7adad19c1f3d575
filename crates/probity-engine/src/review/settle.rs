//! Where people disagree, and a lead settles it.
//!
//! An item is settled by one label that says so; it stands beside what people said and replaces nothing. Who settles
//! again, or after another lead, takes the earlier one back.

use probity_core::review::{Exhibit, GivenAnswer, Questionnaire, ReviewerAnswer};
use serde::Serialize;
use serde_json::json;

use super::act::{LoggedAct, Submission, Submitted, acceptable, content, keep, log};
use super::hand_out::{QueuedItem, last_note, place, shown, standing};
use super::people::{Person, PersonId, PersonRole, active, person};
use super::queue::QueueId;
use super::seen::{Sight, has_seen, note};
use super::{ItemId, ReviewRoom};
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{Fault, StoreError};

/// What one person said about an item.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PersonAnswer {
    /// Their name.
    pub name: String,
    /// What they said, with the sides of a pair as the lead sees them.
    pub answer: ReviewerAnswer,
    /// Why, in their words.
    pub note: String,
}

/// An item that people answered differently.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disagreement {
    /// The item.
    pub item: ItemId,
    /// Its number in the queue, from one.
    pub n: u32,
    /// The slice of its case.
    pub slice: Option<String>,
    /// What people said, by name.
    pub said: Vec<PersonAnswer>,
    /// How it was settled; `None` where it is not.
    pub settled: Option<PersonAnswer>,
}

/// An item as a lead sees it who is to settle it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettlingView {
    /// The queue.
    pub queue: QueueId,
    /// The name of the queue.
    pub queue_name: String,
    /// What was asked.
    pub asked: Questionnaire,
    /// What there is to see, with the replies of a pair as this lead sees them.
    pub shown: Exhibit,
    /// What people said, and how it was settled.
    pub disagreement: Disagreement,
    /// What to say that one has seen, when settling.
    pub revision: u32,
}

/// An item of a queue that people answered differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ToSettle {
    /// The item.
    pub item: ItemId,
    /// Whether it is settled.
    pub is_settled: bool,
}

/// Which differences are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// About this criterion alone.
    pub criterion: Option<String>,
    /// Between these two people alone.
    pub people: Option<[String; 2]>,
}

impl Disagreement {
    /// Whether there is such a difference.
    pub fn has(&self, wanted: &Difference) -> bool {
        let is_wanted = |name: &String| wanted.people.as_ref().is_none_or(|people| people.contains(name));
        let said: Vec<&PersonAnswer> = self.said.iter().filter(|each| is_wanted(&each.name)).collect();
        differ(&said, wanted.criterion.as_deref())
    }
}

impl ReviewRoom {
    /// What there is to settle of a queue, in its order, without what was said.
    pub fn to_settle(&self, queue: QueueId, lead: PersonId) -> Result<Vec<ToSettle>, StoreError> {
        self.read(|reader| reader.ask(|db| to_settle(db, queue, lead)))
    }

    /// The items of a queue that people answered differently, those that are not settled first. Sides of pairs are
    /// as `lead` sees them. It is noted that they have seen what others said.
    pub async fn disagreements(
        &self,
        queue: QueueId,
        lead: PersonId,
        now: i64,
    ) -> Result<Vec<Disagreement>, StoreError> {
        self.write("listing disagreements", move |db| {
            let found = disagreements(db, queue, lead)?;
            found.iter().try_for_each(|each| note(db, (each.item, lead), Sight::Labels, now))?;
            Ok(found)
        })
        .await
    }

    /// An item that several people answered, as `lead` sees it; `None` where the person is no lead or no one has
    /// answered it. It is noted that they have seen what others said.
    pub async fn settling(
        &self,
        item: ItemId,
        lead: PersonId,
        now: i64,
    ) -> Result<Option<SettlingView>, StoreError> {
        self.write("showing a disagreement", move |db| {
            let found = settling(db, item, lead)?;
            if found.is_some() {
                note(db, (item, lead), Sight::Labels, now)?;
            }
            Ok(found)
        })
        .await
    }

    /// Settles an item. [`Submitted::NotYours`] where the person is no lead.
    pub async fn adjudicate(&self, submission: Submission) -> Result<Submitted, StoreError> {
        self.write("settling an item", move |db| adjudicate(db, &submission)).await
    }
}

fn lead(db: &Db, id: PersonId) -> Result<Option<Person>, DbError> {
    Ok(active(db, id)?.filter(|person| person.role == PersonRole::Lead))
}

fn disagreements(db: &Db, queue: QueueId, id: PersonId) -> Result<Vec<Disagreement>, DbError> {
    const SQL: &str = "SELECT item.id FROM item JOIN seat ON seat.item = item.id
        WHERE item.queue = ?1 AND seat.state = 'submitted'
        GROUP BY item.id HAVING count(*) >= 2 ORDER BY item.n";
    let Some(lead) = lead(db, id)? else { return Ok(Vec::new()) };
    let items: Vec<i64> = db.rows(SQL, &vals![queue.0], |row| row.get(0))?;
    let mut found = Vec::new();
    for item in items {
        let Some(place) = place(db, ItemId(item))? else { continue };
        let answered = answered(db, &place, &lead)?;
        if answered.has(&Difference::default()) {
            found.push(answered);
        }
    }
    found.sort_by_key(|each| (each.settled.is_some(), each.n));
    Ok(found)
}

fn to_settle(db: &Db, queue: QueueId, id: PersonId) -> Result<Vec<ToSettle>, DbError> {
    let mut differing = disagreements(db, queue, id)?;
    differing.sort_by_key(|each| each.n);
    let to_settle = |each: &Disagreement| ToSettle { item: each.item, is_settled: each.settled.is_some() };
    Ok(differing.iter().map(to_settle).collect())
}

/// Whether two people who could tell say different things about the same, or about one criterion.
fn differ(said: &[&PersonAnswer], only: Option<&str>) -> bool {
    let pair = |one: &ReviewerAnswer, other: &ReviewerAnswer| match (one, other) {
        (ReviewerAnswer::Pair(one), ReviewerAnswer::Pair(other)) => one != other,
        (ReviewerAnswer::Levels(one), ReviewerAnswer::Levels(other)) => {
            one.iter().any(|(criterion, level)| {
                only.is_none_or(|only| only == criterion)
                    && matches!((level, other.get(criterion)), (Some(one), Some(Some(other))) if one != other)
            })
        }
        _ => false,
    };
    let pairs =
        said.iter().enumerate().flat_map(|(at, one)| said[at + 1..].iter().map(move |other| (one, other)));
    pairs.into_iter().any(|(one, other)| pair(&one.answer, &other.answer))
}

/// What people said about an item, seen by a lead.
fn answered(db: &Db, place: &QueuedItem, lead: &Person) -> Result<Disagreement, DbError> {
    const SQL: &str = "SELECT person.id, person.name, person.role FROM seat
        JOIN person ON person.id = seat.person
        WHERE seat.item = ?1 AND seat.state = 'submitted' ORDER BY person.name";
    let turned = place.turns_for(&lead.name);
    let people: Vec<Person> = db.rows(SQL, &vals![place.item.0], |row| person(row, 0))?;
    let mut said = Vec::new();
    for who in people {
        let (_, answer) = place.said(db, &place.unsaid(&who.name, false), turned)?;
        said.push(PersonAnswer { note: last_note(db, place.item, who.id)?, name: who.name, answer });
    }
    let settled = match last_settled(db, place.item)? {
        None => None,
        Some(by) => {
            let (_, answer) = place.said(db, &place.unsaid(&by.name, true), turned)?;
            Some(PersonAnswer { name: by.name, answer, note: by.note })
        }
    };
    let (item, n, slice) = (place.item, place.n, place.hidden.slice.clone());
    Ok(Disagreement { item, n, slice, said, settled })
}

/// Who settled an item last, and how often it was settled: what a lead says that they have seen.
struct SettledBy {
    id: PersonId,
    name: String,
    note: String,
    n: u32,
}

fn last_settled(db: &Db, item: ItemId) -> Result<Option<SettledBy>, DbError> {
    const SQL: &str = "SELECT person.id, person.name, act.note,
            (SELECT count(*) FROM act WHERE item = ?1 AND kind = 'adjudicate')
        FROM act JOIN person ON person.id = act.person
        WHERE act.item = ?1 AND act.kind = 'adjudicate' ORDER BY act.id DESC LIMIT 1";
    db.row(SQL, &vals![item.0], |row| {
        Ok(SettledBy { id: PersonId(row.get(0)?), name: row.get(1)?, note: row.get(2)?, n: row.get(3)? })
    })
}

fn settling(db: &Db, item: ItemId, id: PersonId) -> Result<Option<SettlingView>, DbError> {
    let (Some(lead), Some(place)) = (lead(db, id)?, place(db, item)?) else {
        return Ok(None);
    };
    let disagreement = answered(db, &place, &lead)?;
    if disagreement.said.is_empty() {
        return Ok(None);
    }
    let shown = shown(db, item)?;
    Ok(Some(SettlingView {
        queue: place.queue,
        queue_name: place.queue_name.clone(),
        shown: if place.turns_for(&lead.name) { shown.turned() } else { shown },
        asked: place.spec.asked,
        disagreement,
        revision: last_settled(db, item)?.map_or(0, |last| last.n),
    }))
}

fn adjudicate(db: &Db, submission: &Submission) -> Result<Submitted, Fault> {
    let (item, id) = (submission.item, submission.person);
    let (Some(lead), Some(place)) = (lead(db, id)?, place(db, item)?) else {
        return Ok(Submitted::NotYours);
    };
    if let Err(reason) = acceptable(&place, &submission.answer, &submission.note) {
        return Ok(Submitted::Refused { reason });
    }
    let blind = !has_seen(db, item, id, Sight::WHEN_SETTLING)?;
    let entries = place.entries(&submission.given(blind, place.unsaid(&lead.name, true)));
    let (_, kept) = standing(db, &entries)?;
    let earlier = last_settled(db, item)?;
    let revision = earlier.as_ref().map_or(0, |last| last.n);
    let is_own = earlier.as_ref().is_some_and(|earlier| earlier.id == id && earlier.note == submission.note);
    if is_own && content(&kept) == content(&entries) {
        return Ok(Submitted::Already { revision });
    }
    if revision != submission.expected_revision {
        let answer = answered(db, &place, &lead)?.settled.map(|settled| settled.answer);
        return Ok(Submitted::Overtaken { revision, answer });
    }
    let body = json!({ "answer": submission.answer }).to_string();
    let act = LoggedAct { note: Some(&submission.note), body: &body, ..LoggedAct::of("adjudicate") };
    log(db, (item, id), act, submission.at)?;
    if let Some(other) = earlier.filter(|earlier| earlier.id != id) {
        let taken_back = GivenAnswer { at: submission.at, blind, ..place.unsaid(&other.name, true) };
        keep(db, &place.entries(&taken_back))?;
    }
    keep(db, &entries)?;
    Ok(Submitted::Kept { revision: revision + 1, blind })
}
