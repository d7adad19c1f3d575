//! Who gets which item next, and what they see of it.
//!
//! Who gets what is decided in the transaction that takes the seat, so an item never has more people than its queue asks
//! for. The order of a queue's items for a person never changes.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use probity_core::label::LabelEntry;
use probity_core::review::{
    Exhibit, GivenAnswer, Hidden, Questionnaire, ReviewerAnswer, ReviewerDraw, label_entries, said_by,
};
use serde::{Deserialize, Serialize};

use super::earlier::{earlier, last_answer};
use super::people::{PersonId, active};
use super::queue::{After, QueueId, QueueSpec, spec};
use super::seen::{Sight, has_seen};
use super::{ItemId, LEASE_SECONDS, ReviewRoom, document, word};
use crate::ledger::db::{Db, DbError, Row, vals};
use crate::ledger::{StoreError, last_label, parsed_label};

/// How far a person is with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatState {
    /// They have been given it.
    Leased,
    /// They have answered.
    Submitted,
    /// They have put it off.
    Skipped,
}

/// An item as the person sees it to whom it was given. Nothing in it comes from a judge or from another person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemView {
    /// Which.
    pub id: ItemId,
    /// Its queue.
    pub queue: QueueId,
    /// The name of the queue.
    pub queue_name: String,
    /// Its number in the queue, from one.
    pub n: u32,
    /// What is asked about it.
    pub asked: Questionnaire,
    /// What there is to see, with the replies of a pair as this person sees them.
    pub shown: Exhibit,
    /// How far this person is with it.
    pub state: SeatState,
    /// What to say that one has seen, when answering.
    pub revision: u32,
    /// What this person has answered; `None` where they have not, or have taken it back.
    pub answer: Option<ReviewerAnswer>,
    /// What counts of theirs without such an answer: said in another queue, or in a file that was imported.
    /// Answering revises it.
    pub earlier: Option<ReviewerAnswer>,
    /// What this person answered and took back, to begin with when they answer again.
    pub taken_back: Option<ReviewerAnswer>,
    /// The note with the answer to this item, or with the one that was taken back.
    pub note: String,
    /// Whether this person has seen neither a verdict on it nor what others said: only then does an answer count as
    /// blind.
    pub blind: bool,
    /// What this person sees after the answer.
    pub after: After,
}

impl ReviewRoom {
    /// The item that `person` is to look at next, now theirs for [`LEASE_SECONDS`]: the one they have, else the next in
    /// their order that has a seat left, else what they have skipped. `None` where nothing is left for them.
    pub async fn next(
        &self,
        queue: QueueId,
        person: PersonId,
        now: i64,
    ) -> Result<Option<ItemId>, StoreError> {
        // The order takes a look at every item, so it is looked up once, and while no other writer has to wait for it.
        let known = self.orders().get(&(queue, person)).cloned();
        let ordered = if let Some(ordered) = known {
            ordered
        } else {
            let room = self.clone();
            let look = move || room.read(|reader| reader.ask(|db| order(db, queue, person)));
            let looked = tokio::task::spawn_blocking(look).await.expect("reading does not panic")?;
            let Some(ordered) = looked.map(Arc::new) else { return Ok(None) };
            let mut orders = self.orders();
            if orders.len() >= ORDERS_MAX {
                orders.clear();
            }
            orders.insert((queue, person), Arc::clone(&ordered));
            ordered
        };
        let taking = move |db: &Db| Ok(take(db, &ordered, person, now)?);
        self.write("handing out an item", taking).await
    }

    fn orders(&self) -> MutexGuard<'_, Orders> {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An item as `person` sees it; `None` unless it was given to them.
    pub fn item(&self, item: ItemId, person: PersonId) -> Result<Option<ItemView>, StoreError> {
        self.read(|reader| reader.ask(|db| view(db, item, person)))
    }

    /// The item of a queue that `person` answered or skipped last, for going back.
    pub fn last_item(&self, queue: QueueId, person: PersonId) -> Result<Option<ItemId>, StoreError> {
        const SQL: &str = "SELECT act.item FROM act JOIN item ON item.id = act.item
            WHERE item.queue = ?1 AND act.person = ?2 AND act.kind IN ('submit', 'skip')
                AND NOT EXISTS (SELECT 1 FROM act AS later WHERE later.item = act.item
                    AND later.person = act.person AND later.kind = 'undo' AND later.id > act.id)
            ORDER BY act.id DESC LIMIT 1";
        let key = vals![queue.0, person.0];
        self.read(|reader| reader.ask(|db| db.row(SQL, &key, |row| row.get(0).map(ItemId))))
    }
}

/// Orders that are kept.
const ORDERS_MAX: usize = 1024;

/// The items of a queue in the order of one person.
pub(super) struct OrderedItems {
    overlap: u32,
    items: Vec<ItemId>,
}

/// The orders that were looked up, by queue and person.
pub(super) type Orders = HashMap<(QueueId, PersonId), Arc<OrderedItems>>;

/// An item with everything that is needed to keep an answer to it.
pub(super) struct QueuedItem {
    pub(super) item: ItemId,
    pub(super) queue: QueueId,
    pub(super) queue_name: String,
    pub(super) n: u32,
    pub(super) key: String,
    pub(super) spec: QueueSpec,
    pub(super) hidden: Hidden,
}

impl QueuedItem {
    /// Whether a person sees the replies of a pair the other way round.
    pub(super) fn turns_for(&self, person: &str) -> bool {
        ReviewerDraw { seed: self.spec.seed, person }.turns(&self.key)
    }

    /// The labels that an answer of `person` comes to.
    pub(super) fn entries(&self, given: &GivenAnswer) -> Vec<LabelEntry> {
        label_entries(&self.spec.asked, &self.hidden, given)
    }

    /// What counts of what a person said, with the sides of a pair turned or not, and the sum of its revisions.
    pub(super) fn said(
        &self,
        db: &Db,
        given: &GivenAnswer,
        turned: bool,
    ) -> Result<(u32, ReviewerAnswer), DbError> {
        let (revision, labels) = standing(db, &self.entries(given))?;
        Ok((revision, said_by(&self.spec.asked, &labels, turned)))
    }

    /// An answer that says nothing, for finding what a person has said.
    pub(super) fn unsaid(&self, person: &str, adjudicated: bool) -> GivenAnswer {
        GivenAnswer {
            annotator: person.to_owned(),
            answer: None,
            turned: self.turns_for(person),
            round: self.spec.round,
            at: 0,
            seconds: None,
            blind: true,
            adjudicated,
        }
    }
}

pub(super) fn place(db: &Db, item: ItemId) -> Result<Option<QueuedItem>, DbError> {
    const SQL: &str = "SELECT item.id, item.queue, item.n, item.key, queue.body, item.hidden, queue.name
        FROM item JOIN queue ON queue.id = item.queue WHERE item.id = ?1";
    let place = |row: &Row<'_>| {
        Ok(QueuedItem {
            item: ItemId(row.get(0)?),
            queue: QueueId(row.get(1)?),
            queue_name: row.get(6)?,
            n: row.get(2)?,
            key: row.get(3)?,
            spec: document(row, 4, "queue")?,
            hidden: document(row, 5, "hidden half of an item")?,
        })
    };
    db.row(SQL, &vals![item.0], place)
}

fn seat_state(row: &Row<'_>, column: usize) -> Result<SeatState, DbError> {
    word(row, column, "state of a seat")
}

/// How far a person is with an item; `None` where it is not theirs.
pub(super) fn seat(db: &Db, item: ItemId, person: PersonId) -> Result<Option<SeatState>, DbError> {
    const SQL: &str = "SELECT state FROM seat WHERE item = ?1 AND person = ?2";
    db.row(SQL, &vals![item.0, person.0], |row| seat_state(row, 0))
}

/// For how long a person has had an item that they have not answered; `None` where they had longer than it was
/// theirs alone, because they did not look at it all that time.
pub(super) fn seconds_at(db: &Db, item: ItemId, person: PersonId, now: i64) -> Result<Option<u32>, DbError> {
    const SQL: &str = "SELECT at FROM seat WHERE item = ?1 AND person = ?2 AND state = 'leased'";
    let since: Option<i64> = db.row(SQL, &vals![item.0, person.0], |row| row.get(0))?;
    let held = since.map(|since| now - since).filter(|held| *held <= LEASE_SECONDS);
    Ok(held.and_then(|held| u32::try_from(held).ok()))
}

/// How many others have answered, or are at it.
pub(super) fn n_others(db: &Db, item: ItemId, person: PersonId, now: i64) -> Result<u32, DbError> {
    const SQL: &str = "SELECT count(*) FROM seat WHERE item = ?1 AND person <> ?2
        AND (state = 'submitted' OR (state = 'leased' AND at > ?3))";
    let n = db.row(SQL, &vals![item.0, person.0, now - LEASE_SECONDS], |row| row.get(0))?;
    Ok(n.unwrap_or(0))
}

/// Puts a person into a seat.
pub(super) fn sit(db: &Db, item: ItemId, person: PersonId, state: &str, now: i64) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO seat (item, person, state, at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (item, person) DO UPDATE SET state = excluded.state, at = excluded.at";
    db.run(SQL, &vals![item.0, person.0, state, now]).map(drop)
}

/// What counts of these labels in the store, with the sum of their revisions.
pub(super) fn standing(db: &Db, entries: &[LabelEntry]) -> Result<(u32, Vec<LabelEntry>), DbError> {
    let mut revision = 0;
    let mut labels = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some((number, body)) = last_label(db, &entry.subject())? else { continue };
        revision += number;
        labels.push(parsed_label(&body)?);
    }
    Ok((revision, labels))
}

/// What a queue asks for, and its items in the order of one person, which never changes. `None` where there is no such
/// queue or person.
fn order(db: &Db, queue: QueueId, id: PersonId) -> Result<Option<OrderedItems>, DbError> {
    const SQL: &str = "SELECT id, n, key FROM item WHERE queue = ?1";
    let (Some(spec), Some(person)) = (spec(db, queue)?, active(db, id)?) else {
        return Ok(None);
    };
    let draw = ReviewerDraw { seed: spec.seed, person: &person.name };
    let mut placed = db.rows(SQL, &vals![queue.0], |row| {
        let rank = u64::from(row.get::<u32>(1)?.saturating_sub(1));
        Ok((draw.place(spec.arrangement, rank, row.text(2)?), ItemId(row.get(0)?)))
    })?;
    placed.sort_unstable();
    let items = placed.into_iter().map(|(_, item)| item).collect();
    Ok(Some(OrderedItems { overlap: spec.overlap, items }))
}

/// Takes the first of `items` that has a seat for a person: what they have been given, then what they have not
/// seen, then what they have skipped, the longest ago first.
fn take(db: &Db, ordered: &OrderedItems, id: PersonId, now: i64) -> Result<Option<ItemId>, DbError> {
    const MINE: &str = "SELECT item, state, at FROM seat WHERE person = ?1";
    let OrderedItems { overlap, items } = ordered;
    if active(db, id)?.is_none() {
        return Ok(None);
    }
    let mine = db.rows(MINE, &vals![id.0], |row| {
        Ok((ItemId(row.get(0)?), (seat_state(row, 1)?, row.get::<i64>(2)?)))
    })?;
    let mine: HashMap<ItemId, (SeatState, i64)> = mine.into_iter().collect();
    let given = items.iter().filter(|item| matches!(mine.get(item), Some((SeatState::Leased, _))));
    let unseen = items.iter().filter(|item| !mine.contains_key(item));
    let skipped = |item| match mine.get(item) {
        Some((SeatState::Skipped, at)) => Some((*at, item)),
        _ => None,
    };
    let mut skipped: Vec<(i64, &ItemId)> = items.iter().filter_map(skipped).collect();
    // A stable sort: those of one second stay in the person's order.
    skipped.sort_by_key(|(at, _)| *at);
    for item in given.chain(unseen).chain(skipped.into_iter().map(|(_, item)| item)) {
        if n_others(db, *item, id, now)? < *overlap {
            sit(db, *item, id, "leased", now)?;
            return Ok(Some(*item));
        }
    }
    Ok(None)
}

/// The item as the person sees it to whom it was given.
fn view(db: &Db, item: ItemId, person: PersonId) -> Result<Option<ItemView>, DbError> {
    let (Some(state), Some(place), Some(who)) =
        (seat(db, item, person)?, place(db, item)?, active(db, person)?)
    else {
        return Ok(None);
    };
    let turned = place.turns_for(&who.name);
    let (revision, answer) = place.said(db, &place.unsaid(&who.name, false), turned)?;
    let is_answered = state == SeatState::Submitted;
    let note = last_note(db, item, person)?;
    let (earlier, taken_back) =
        if is_answered { (None, None) } else { (earlier(db, &place, &who)?, last_answer(db, item, person)?) };
    let shown = shown(db, item)?;
    Ok(Some(ItemView {
        id: item,
        queue: place.queue,
        queue_name: place.queue_name,
        n: place.n,
        shown: if turned { shown.turned() } else { shown },
        state,
        revision,
        answer: is_answered.then_some(answer),
        earlier,
        taken_back,
        note,
        blind: !has_seen(db, item, person, Sight::ANY)?,
        after: place.spec.after,
        asked: place.spec.asked,
    }))
}

/// What there is to see of an item, with candidate A first.
pub(super) fn shown(db: &Db, item: ItemId) -> Result<Exhibit, DbError> {
    const SQL: &str = "SELECT shown FROM item WHERE id = ?1";
    let shown = db.row(SQL, &vals![item.0], |row| document(row, 0, "item"))?;
    shown.ok_or_else(|| DbError::unknown("item", &item.0.to_string()))
}

/// The note with a person's last answer.
pub(super) fn last_note(db: &Db, item: ItemId, person: PersonId) -> Result<String, DbError> {
    const SQL: &str = "SELECT note FROM act
        WHERE item = ?1 AND person = ?2 AND kind = 'submit' ORDER BY id DESC LIMIT 1";
    let note: Option<Option<String>> = db.row(SQL, &vals![item.0, person.0], |row| row.get(0))?;
    Ok(note.flatten().unwrap_or_default())
}
