//! Who gets which item next, and what they see of it.
//!
//! Candidates are looked for beside the writer, which only checks that a seat is left and takes it. So a hundred
//! people who ask at once wait for a hundred small writes and not for a hundred searches.

use probity_core::calibrate::LabelEntry;
use probity_core::json;
use probity_core::review::{Answer, Asked, Draw, Given, Hidden, Shown, has_seat, label_entries, said_by};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::Room;
use super::people::{PersonId, active};
use super::queue::{After, QueueId, QueueSpec, spec};
use super::record::{ItemId, LEASE_SECONDS, document};
use crate::store::{Fault, StoreError, Tables, last_label, unknown};

/// Candidates that the writer tries before another search.
const CANDIDATES_MAX: usize = 16;

/// Searches before somebody is told that nothing is left. Others take seats meanwhile, but not for ever.
const SEARCHES_MAX: usize = 8;

/// How far somebody is with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeatState {
    /// They have been given it.
    Leased,
    /// They have answered.
    Submitted,
    /// They have put it off.
    Skipped,
}

impl SeatState {
    pub(super) fn of_name(name: &str) -> Option<SeatState> {
        match name {
            "leased" => Some(SeatState::Leased),
            "submitted" => Some(SeatState::Submitted),
            "skipped" => Some(SeatState::Skipped),
            _ => None,
        }
    }
}

/// An item as the person sees it to whom it was given. Nothing in it comes from a judge or from somebody else.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ItemView {
    /// Which.
    pub id: ItemId,
    /// Its queue.
    pub queue: QueueId,
    /// Its number in the queue, from one.
    pub n: u32,
    /// What is asked about it.
    pub asked: Asked,
    /// What there is to see, with the replies of a pair as this person sees them.
    pub shown: Shown,
    /// How far this person is with it.
    pub state: SeatState,
    /// What to say that one has seen, when answering.
    pub revision: u32,
    /// What this person has answered; `None` where they have not, or have taken it back.
    pub answer: Option<Answer>,
    /// The note with that answer.
    pub note: String,
    /// What this person sees after the answer.
    pub after: After,
}

impl Room {
    /// The item that `person` is to look at next, now theirs for [`LEASE_SECONDS`]: the one they have, else the next in
    /// their order that has a seat left, else what they have skipped. `None` where nothing is left for them.
    pub async fn next(
        &self,
        queue: QueueId,
        person: PersonId,
        now: i64,
    ) -> Result<Option<ItemView>, StoreError> {
        for _ in 0..SEARCHES_MAX {
            let found = self.read_aside(move |reader| {
                reader.ask(|connection| candidates(connection, queue, person, now))
            });
            let items = found.await?;
            if items.is_empty() {
                return Ok(None);
            }
            let taken = self.write("handing out an item", move |tables| take(tables, &items, person, now));
            if let Some(item) = taken.await? {
                return self
                    .read_aside(move |reader| reader.ask(|connection| view(connection, item, person)))
                    .await;
            }
        }
        Ok(None)
    }

    /// An item as `person` sees it; `None` unless it was given to them.
    pub fn item(&self, item: ItemId, person: PersonId) -> Result<Option<ItemView>, StoreError> {
        self.read(|reader| reader.ask(|connection| view(connection, item, person)))
    }

    /// The item of a queue that `person` answered or skipped last, for going back.
    pub fn last_item(&self, queue: QueueId, person: PersonId) -> Result<Option<ItemId>, StoreError> {
        const SQL: &str = "SELECT act.item FROM act JOIN item ON item.id = act.item
            WHERE item.queue = ?1 AND act.person = ?2 AND act.kind IN ('submit', 'skip')
                AND NOT EXISTS (SELECT 1 FROM act AS later WHERE later.item = act.item
                    AND later.person = act.person AND later.kind = 'undo' AND later.id > act.id)
            ORDER BY act.id DESC LIMIT 1";
        self.read(|reader| {
            reader.ask(|connection| {
                let mut select = connection.prepare_cached(SQL)?;
                select.query_row(params![queue.0, person.0], |row| row.get(0).map(ItemId)).optional()
            })
        })
    }
}

/// An item with everything that is needed to keep an answer to it.
pub(super) struct Place {
    pub(super) item: ItemId,
    pub(super) queue: QueueId,
    pub(super) n: u32,
    pub(super) key: String,
    pub(super) spec: QueueSpec,
    pub(super) hidden: Hidden,
}

impl Place {
    /// Whether somebody sees the replies of a pair the other way round.
    pub(super) fn turns_for(&self, person: &str) -> bool {
        Draw { seed: self.spec.seed, person }.turns(&self.key)
    }

    /// The labels that an answer of `person` comes to.
    pub(super) fn entries(&self, given: &Given) -> Vec<LabelEntry> {
        label_entries(&self.spec.asked, &self.hidden, given)
    }

    /// An answer that says nothing, for finding what a person has said.
    pub(super) fn unsaid(&self, person: &str, adjudicated: bool) -> Given {
        Given {
            annotator: person.to_owned(),
            answer: None,
            turned: self.turns_for(person),
            round: self.spec.round,
            at: 0,
            blind: true,
            adjudicated,
        }
    }
}

pub(super) fn place(connection: &Connection, item: ItemId) -> Result<Option<Place>, rusqlite::Error> {
    const SQL: &str = "SELECT item.id, item.queue, item.n, item.key, queue.body, item.hidden
        FROM item JOIN queue ON queue.id = item.queue WHERE item.id = ?1";
    let mut select = connection.prepare_cached(SQL)?;
    let place = |row: &rusqlite::Row<'_>| {
        Ok(Place {
            item: ItemId(row.get(0)?),
            queue: QueueId(row.get(1)?),
            n: row.get(2)?,
            key: row.get(3)?,
            spec: document(row, 4, "queue")?,
            hidden: document(row, 5, "hidden half of an item")?,
        })
    };
    select.query_row([item.0], place).optional()
}

/// How far somebody is with an item; `None` where it is not theirs.
pub(super) fn seat(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
) -> Result<Option<SeatState>, rusqlite::Error> {
    const SQL: &str = "SELECT state FROM seat WHERE item = ?1 AND person = ?2";
    let mut select = connection.prepare_cached(SQL)?;
    let state = |row: &rusqlite::Row<'_>| {
        let name = row.get_ref(0)?.as_str()?;
        SeatState::of_name(name).ok_or_else(|| unknown(0, "state of a seat", name))
    };
    select.query_row([item.0, person.0], state).optional()
}

/// How many others have answered, or are at it.
pub(super) fn n_others(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
    now: i64,
) -> Result<u32, rusqlite::Error> {
    const SQL: &str = "SELECT count(*) FROM seat WHERE item = ?1 AND person <> ?2
        AND (state = 'submitted' OR (state = 'leased' AND at > ?3))";
    let mut select = connection.prepare_cached(SQL)?;
    select.query_row([item.0, person.0, now - LEASE_SECONDS], |row| row.get(0))
}

/// Puts somebody into a seat.
pub(super) fn sit(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
    state: &str,
    now: i64,
) -> Result<(), rusqlite::Error> {
    const SQL: &str = "INSERT INTO seat (item, person, state, at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (item, person) DO UPDATE SET state = excluded.state, at = excluded.at";
    connection.prepare_cached(SQL)?.execute(params![item.0, person.0, state, now])?;
    Ok(())
}

/// What counts of these labels in the store, with the sum of their revisions.
pub(super) fn standing(
    connection: &Connection,
    entries: &[LabelEntry],
) -> Result<(u32, Vec<LabelEntry>), rusqlite::Error> {
    let mut revision = 0;
    let mut labels = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some((number, body)) = last_label(connection, &entry.subject())? else { continue };
        revision += number;
        let parsed = json::parse(&body).ok().and_then(|json| LabelEntry::read(json.as_object()?).ok());
        labels.push(parsed.ok_or_else(|| unknown(1, "label", &body))?);
    }
    Ok((revision, labels))
}

/// The first items in somebody's order that may have a seat for them: what they have been given, then what they
/// have not seen, then what they have skipped, the longest ago first.
fn candidates(
    connection: &Connection,
    queue: QueueId,
    person: PersonId,
    now: i64,
) -> Result<Vec<ItemId>, rusqlite::Error> {
    const SQL: &str = "SELECT item.id, item.n, item.key, mine.state, mine.at,
            (SELECT count(*) FROM seat WHERE seat.item = item.id AND seat.person <> ?2
                AND (seat.state = 'submitted' OR (seat.state = 'leased' AND seat.at > ?3)))
        FROM item LEFT JOIN seat AS mine ON mine.item = item.id AND mine.person = ?2
        WHERE item.queue = ?1 AND coalesce(mine.state, '') <> 'submitted'";
    let (Some(spec), Some(who)) = (spec(connection, queue)?, active(connection, person)?) else {
        return Ok(Vec::new());
    };
    let draw = Draw { seed: spec.seed, person: &who.name };
    let mut select = connection.prepare_cached(SQL)?;
    let mut rows = select.query(params![queue.0, person.0, now - LEASE_SECONDS])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        if !has_seat(spec.overlap, row.get(5)?) {
            continue;
        }
        let turn = match row.get_ref(3)?.as_str_or_null()? {
            Some("leased") => (0, 0),
            Some("skipped") => (2, row.get::<_, i64>(4)?),
            _ => (1, 0),
        };
        let rank = u64::from(row.get::<_, u32>(1)?.saturating_sub(1));
        let order = draw.place(spec.arrangement, rank, row.get_ref(2)?.as_str()?);
        found.push(((turn, order), ItemId(row.get(0)?)));
    }
    found.sort_unstable_by_key(|(order, _)| *order);
    found.truncate(CANDIDATES_MAX);
    Ok(found.into_iter().map(|(_, item)| item).collect())
}

/// Takes the first of `items` that has a seat.
fn take(tables: &mut Tables, items: &[ItemId], person: PersonId, now: i64) -> Result<Option<ItemId>, Fault> {
    let connection = &tables.connection;
    if active(connection, person)?.is_none() {
        return Ok(None);
    }
    for item in items {
        let Some(place) = place(connection, *item)? else { continue };
        let is_answered = seat(connection, *item, person)? == Some(SeatState::Submitted);
        if !is_answered && has_seat(place.spec.overlap, n_others(connection, *item, person, now)?) {
            sit(connection, *item, person, "leased", now)?;
            return Ok(Some(*item));
        }
    }
    Ok(None)
}

/// The item as somebody sees it to whom it was given.
fn view(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
) -> Result<Option<ItemView>, rusqlite::Error> {
    let (Some(state), Some(place), Some(who)) =
        (seat(connection, item, person)?, place(connection, item)?, active(connection, person)?)
    else {
        return Ok(None);
    };
    let (revision, labels) = standing(connection, &place.entries(&place.unsaid(&who.name, false)))?;
    let turned = place.turns_for(&who.name);
    let is_answered = state == SeatState::Submitted;
    let note = if is_answered { last_note(connection, item, person)? } else { String::new() };
    let shown = shown(connection, item)?;
    Ok(Some(ItemView {
        id: item,
        queue: place.queue,
        n: place.n,
        shown: if turned { shown.turned() } else { shown },
        state,
        revision,
        answer: is_answered.then(|| said_by(&place.spec.asked, &labels, turned)),
        note,
        after: place.spec.after,
        asked: place.spec.asked,
    }))
}

/// What there is to see of an item, with candidate A first.
pub(super) fn shown(connection: &Connection, item: ItemId) -> Result<Shown, rusqlite::Error> {
    const SQL: &str = "SELECT shown FROM item WHERE id = ?1";
    connection.prepare_cached(SQL)?.query_row([item.0], |row| document(row, 0, "item"))
}

/// The note with somebody's last answer.
pub(super) fn last_note(
    connection: &Connection,
    item: ItemId,
    person: PersonId,
) -> Result<String, rusqlite::Error> {
    const SQL: &str = "SELECT json_extract(body, '$.note') FROM act
        WHERE item = ?1 AND person = ?2 AND kind = 'submit' ORDER BY id DESC LIMIT 1";
    let mut select = connection.prepare_cached(SQL)?;
    let note: Option<Option<String>> = select.query_row([item.0, person.0], |row| row.get(0)).optional()?;
    Ok(note.flatten().unwrap_or_default())
}
