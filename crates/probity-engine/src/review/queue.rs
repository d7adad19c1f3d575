//! Queues: what is to be looked at, by how many people, and how far that has come.

use probity_core::label::LabelFrame;
use probity_core::review::{Arrangement, Exhibit, Hidden, LabelForm, Questionnaire};
use serde::{Deserialize, Serialize};

use super::people::PersonId;
use super::{LEASE_SECONDS, ReviewRoom, document, text};
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{Fault, Store, StoreError};

/// A queue of one store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct QueueId(pub i64);

/// What a queue asks of people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueSpec {
    /// What is asked about every item.
    pub asked: Questionnaire,
    /// How many people label each item item.
    pub overlap: u32,
    /// The random seed for orders and sides.
    pub seed: u64,
    /// How items are arranged.
    pub arrangement: Arrangement,
    /// What people see after their answer.
    pub after: After,
    /// Which time people look at these items, from one. Labels carry it.
    pub round: u32,
    /// Where the items come from, in a word: `all`, `unstable`, `teach` or `contract`.
    pub source: String,
    /// What the items were drawn from, where not all were equally likely to be.
    pub frame: Option<LabelFrame>,
}

/// What people see of an item after their own answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// What the judge said, and where it comes from.
    Reveal,
    /// Nothing: leads alone see it.
    Nothing,
}

/// A queue that is to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewQueue {
    /// Its name, one per store.
    pub name: String,
    /// What it asks of people.
    pub spec: QueueSpec,
    /// What is to be looked at, in the order of rank.
    pub items: Vec<NewItem>,
}

/// An item that is to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// What tells it from others of the queue.
    pub key: String,
    /// What people see.
    pub shown: Exhibit,
    /// What they do not see before they have answered.
    pub hidden: Hidden,
}

/// What became of a queue that was to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is new.
    New(QueueId),
    /// It was there, with the same items in the same order. What a judge said about them is up to date now.
    Known(QueueId),
    /// A queue of this name has other items or asks something else. Nothing was changed.
    Differs(QueueId),
}

/// A queue as pages show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QueueView {
    /// Which.
    pub id: QueueId,
    /// Its name.
    pub name: String,
    /// What it asks of people.
    pub spec: QueueSpec,
    /// Its items.
    pub n_items: u32,
    /// Items that as many people have answered as it asks for.
    pub n_complete: u32,
    /// Answers to all items together.
    pub n_submitted: u32,
}

/// How far one person has come with a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QueueProgress {
    /// Items that this person has answered.
    pub n_submitted: u32,
    /// Those that this person has skipped and not come back to.
    pub n_skipped: u32,
    /// Those that are left for this person, the skipped ones included.
    pub n_open: u32,
}

impl NewQueue {
    /// BLAKE3 of what people see and are asked. What is hidden may change without making another queue of it, and so may
    /// what is known of the items that it was drawn from.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(text(&QueueSpec { frame: None, ..self.spec.clone() }).as_bytes());
        for item in &self.items {
            hasher.update(b"\n").update(text(&(&item.key, &item.shown)).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

impl ReviewRoom {
    /// Adds a queue, unless it is there.
    pub async fn add_queue(&self, queue: NewQueue) -> Result<Added, StoreError> {
        self.write("adding a queue", move |db| add_queue(db, &queue)).await
    }

    /// The queues, in the order in which they were added.
    pub fn queues(&self) -> Result<Vec<QueueView>, StoreError> {
        self.read(|reader| reader.ask(queues))
    }

    /// One queue.
    pub fn queue(&self, id: QueueId) -> Result<Option<QueueView>, StoreError> {
        Ok(self.queues()?.into_iter().find(|queue| queue.id == id))
    }

    /// Whether there is such a queue.
    pub fn has_queue(&self, id: QueueId) -> Result<bool, StoreError> {
        self.read(|reader| reader.ask(|db| Ok(spec(db, id)?.is_some())))
    }

    /// How far `person` has come with a queue.
    pub fn progress(&self, queue: QueueId, person: PersonId, now: i64) -> Result<QueueProgress, StoreError> {
        self.read(|reader| reader.ask(|db| progress(db, queue, person, now)))
    }
}

/// What the latest queue of a store that asks the same was drawn from, where one was.
pub fn label_frame(store: &Store, rubric: &str, form: LabelForm) -> Result<Option<LabelFrame>, StoreError> {
    const SQL: &str = "SELECT body FROM queue ORDER BY id DESC";
    let specs: Vec<QueueSpec> =
        store.snapshot()?.ask(|db| db.rows(SQL, &[], |row| document(row, 0, "queue")))?;
    let same = specs.into_iter().filter(|spec| spec.asked.rubric == rubric && spec.asked.form == form);
    Ok(same.into_iter().find_map(|spec| spec.frame))
}

fn add_queue(db: &Db, queue: &NewQueue) -> Result<Added, Fault> {
    const FIND: &str = "SELECT id, digest FROM queue WHERE name = ?1";
    const QUEUE: &str = "INSERT INTO queue (name, digest, overlap, body) VALUES (?1, ?2, ?3, ?4)
        RETURNING id";
    const ITEM: &str =
        "INSERT INTO item (queue, n, key, slice, shown, hidden) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    const HIDDEN: &str = "UPDATE item SET hidden = ?3 WHERE queue = ?1 AND key = ?2";
    let digest = queue.digest();
    let found: Option<(i64, String)> =
        db.row(FIND, &vals![&queue.name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    match found {
        Some((id, known)) if known == digest => {
            for item in &queue.items {
                db.run(HIDDEN, &vals![id, &item.key, &text(&item.hidden)])?;
            }
            Ok(Added::Known(QueueId(id)))
        }
        Some((id, _)) => Ok(Added::Differs(QueueId(id))),
        None => {
            let body = text(&queue.spec);
            let params = vals![&queue.name, &digest, queue.spec.overlap, &body];
            let id: Option<i64> = db.row(QUEUE, &params, |row| row.get(0))?;
            let id = id.expect("an insertion returns its row");
            for (n, item) in (1_i64..).zip(&queue.items) {
                let (shown, hidden) = (text(&item.shown), text(&item.hidden));
                db.run(ITEM, &vals![id, n, &item.key, item.hidden.slice.as_deref(), &shown, &hidden])?;
            }
            Ok(Added::New(QueueId(id)))
        }
    }
}

fn queues(db: &Db) -> Result<Vec<QueueView>, DbError> {
    const SQL: &str = "SELECT queue.id, queue.name, queue.body, count(item.id), coalesce(sum(done.n), 0),
            coalesce(sum(CASE WHEN done.n >= queue.overlap THEN 1 ELSE 0 END), 0)
        FROM queue LEFT JOIN item ON item.queue = queue.id
            LEFT JOIN (SELECT item, count(*) AS n FROM seat WHERE state = 'submitted' GROUP BY item) AS done
                ON done.item = item.id
        GROUP BY queue.id ORDER BY queue.id";
    db.rows(SQL, &[], |row| {
        Ok(QueueView {
            id: QueueId(row.get(0)?),
            name: row.get(1)?,
            spec: document(row, 2, "queue")?,
            n_items: row.get(3)?,
            n_submitted: row.get(4)?,
            n_complete: row.get(5)?,
        })
    })
}

/// What a queue asks of people.
pub(super) fn spec(db: &Db, queue: QueueId) -> Result<Option<QueueSpec>, DbError> {
    const SQL: &str = "SELECT body FROM queue WHERE id = ?1";
    db.row(SQL, &vals![queue.0], |row| document(row, 0, "queue"))
}

/// Every page of labelling asks for this, so it looks at seats that are taken and not at each item. The items of a
/// queue are added together, in order, so their ids are those from the first to the last.
fn progress(db: &Db, queue: QueueId, person: PersonId, now: i64) -> Result<QueueProgress, DbError> {
    const SQL: &str = "WITH own AS (SELECT seat.item, seat.state FROM seat JOIN item ON item.id = seat.item
                WHERE seat.person = ?2 AND item.queue = ?1),
            taken AS (SELECT item FROM seat
                WHERE item BETWEEN (SELECT id FROM item WHERE queue = ?1 ORDER BY n LIMIT 1)
                        AND (SELECT id FROM item WHERE queue = ?1 ORDER BY n DESC LIMIT 1)
                    AND person <> ?2 AND (state = 'submitted' OR (state = 'leased' AND at > ?3))
                GROUP BY item HAVING count(*) >= ?4)
        SELECT (SELECT count(*) FROM item WHERE queue = ?1),
            (SELECT count(*) FROM own WHERE state = 'submitted'),
            (SELECT count(*) FROM own WHERE state = 'skipped'),
            (SELECT count(*) FROM taken
                WHERE item NOT IN (SELECT item FROM own WHERE state = 'submitted'))";
    let overlap = spec(db, queue)?.map_or(0, |spec| spec.overlap);
    let progress = db.row(SQL, &vals![queue.0, person.0, now - LEASE_SECONDS, overlap], |row| {
        let [n_items, n_submitted, n_skipped, n_taken] =
            [row.get::<u32>(0)?, row.get(1)?, row.get(2)?, row.get(3)?];
        Ok(QueueProgress { n_submitted, n_skipped, n_open: n_items - n_submitted - n_taken })
    })?;
    Ok(progress.expect("counts are one row"))
}
