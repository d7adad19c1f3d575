//! What a run was made of, as the run owns it: its spec, its cases, and the documents it wrote.
//!
//! Reports read this and nothing else, so they need no file and no folder of the run. Cases are recorded once for all
//! runs that meet the same ones.

use super::Store;
use super::db::{Db, DbError, vals};
use super::error::{Fault, StoreError};
use super::reader::Reader;
use super::record::RunId;

/// Cases that are read at once.
const GROUP: i64 = 256;

/// A list of cases that is being recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaseList(i64);

impl Store {
    /// Makes the cases known by `key` those of `run`. Returns their list where they have to be recorded first.
    pub fn own_cases(&self, run: RunId, key: &str) -> Result<Option<CaseList>, StoreError> {
        const LIST: &str = "INSERT INTO case_list (key) VALUES (?1) ON CONFLICT (key) DO NOTHING";
        const FIND: &str = "SELECT id, n FROM case_list WHERE key = ?1";
        const OWN: &str = "UPDATE run SET cases = ?2 WHERE id = ?1";
        const CLEAR: &str = "DELETE FROM case_record WHERE list = ?1";
        let key = key.to_owned();
        self.write_blocking("recording cases", move |tables| {
            let db = &tables.db;
            db.run(LIST, &vals![&key])?;
            let found =
                db.row(FIND, &vals![&key], |row| Ok((row.get::<i64>(0)?, row.get::<Option<i64>>(1)?)))?;
            let (list, n) = found.expect("the list was just inserted");
            db.run(OWN, &vals![run.0, list])?;
            if n.is_some() {
                return Ok(None);
            }
            // Where several processes record the same cases, each adds what is not there.
            if !db.is_shared() {
                db.run(CLEAR, &vals![list])?;
            }
            Ok(Some(CaseList(list)))
        })
    }

    /// Adds cases to a list, from number `first` on, or the records of their files that are no cases.
    pub(crate) fn add_cases(
        &self,
        list: CaseList,
        first: usize,
        records: Vec<String>,
    ) -> Result<(), StoreError> {
        const ADD: &str = "INSERT INTO case_record (list, n, body)
            SELECT u.list, u.n, u.body FROM {rows(list BIGINT, n BIGINT, body TEXT)} u WHERE true
            ON CONFLICT (list, n) DO NOTHING";
        self.write_blocking("recording cases", move |tables| {
            let numbered = (first..).zip(&records);
            let rows: Vec<_> = numbered.map(|(n, body)| vals![list.0, number(n), body].into()).collect();
            tables.db.set(ADD, &rows, |_| Ok(())).map(drop).map_err(Fault::from)
        })
    }

    /// Says that a list is whole with `n` cases. What was added after them are no cases.
    pub(crate) fn complete_cases(&self, list: CaseList, n: usize) -> Result<(), StoreError> {
        const COMPLETE: &str = "UPDATE case_list SET n = ?2 WHERE id = ?1";
        self.write_blocking("recording cases", move |tables| {
            Ok(tables.db.run(COMPLETE, &vals![list.0, number(n)]).map(drop)?)
        })
    }

    /// Records what a run wrote, in place of what it wrote before.
    pub fn keep_document(&self, run: RunId, document: &str) -> Result<(), StoreError> {
        const KEEP: &str = "UPDATE run SET document = ?2 WHERE id = ?1";
        let document = document.to_owned();
        self.write_blocking("recording a report", move |tables| {
            let text = text_row(&tables.db, &document)?;
            Ok(tables.db.run(KEEP, &vals![run.0, text]).map(drop)?)
        })
    }
}

impl Reader {
    /// What a run was made of but its cases.
    pub fn spec(&self, run: RunId) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT text.body FROM run JOIN text ON text.id = run.spec WHERE run.id = ?1";
        self.ask(|db| db.row(SQL, &vals![run.0], |row| row.get(0)))
    }

    /// What a run wrote.
    pub fn document(&self, run: RunId) -> Result<Option<String>, StoreError> {
        const SQL: &str = "SELECT text.body FROM run JOIN text ON text.id = run.document WHERE run.id = ?1";
        self.ask(|db| db.row(SQL, &vals![run.0], |row| row.get(0)))
    }

    /// How many cases a run owns; `None` where not all of them are recorded.
    pub fn n_cases(&self, run: RunId) -> Result<Option<u64>, StoreError> {
        const SQL: &str =
            "SELECT case_list.n FROM run JOIN case_list ON case_list.id = run.cases WHERE run.id = ?1";
        let n: Option<Option<i64>> = self.ask(|db| db.row(SQL, &vals![run.0], |row| row.get(0)))?;
        Ok(n.flatten().map(i64::unsigned_abs))
    }

    /// The next cases of a run in their order, from number `first` on; none where there are no more.
    pub(crate) fn cases_from(&self, run: RunId, first: usize) -> Result<Vec<String>, StoreError> {
        let (first, n_cases) = (number(first), self.n_recorded(run)?);
        self.case_rows(run, first, n_cases.min(first + GROUP))
    }

    /// The next records of its files that are no cases, from number `first` on. They stand behind the cases.
    pub(crate) fn joined_from(&self, run: RunId, first: usize) -> Result<Vec<String>, StoreError> {
        let first = self.n_recorded(run)? + number(first);
        self.case_rows(run, first, first + GROUP)
    }

    fn n_recorded(&self, run: RunId) -> Result<i64, StoreError> {
        Ok(self.n_cases(run)?.map_or(0, u64::cast_signed))
    }

    fn case_rows(&self, run: RunId, first: i64, end: i64) -> Result<Vec<String>, StoreError> {
        const SQL: &str = "SELECT body FROM case_record WHERE list = (SELECT cases FROM run WHERE id = ?1)
            AND n >= ?2 AND n < ?3 ORDER BY n";
        self.ask(|db| db.rows(SQL, &vals![run.0, first, end], |row| row.get(0)))
    }
}

/// The number of a text, which is recorded where it is new.
pub(super) fn text_row(db: &Db, body: &str) -> Result<i64, DbError> {
    const NEW: &str = "INSERT INTO text (hash, body) VALUES (?1, ?2) ON CONFLICT (hash) DO NOTHING";
    const FIND: &str = "SELECT id FROM text WHERE hash = ?1";
    let hash = blake3::hash(body.as_bytes());
    db.run(NEW, &vals![&hash.as_bytes()[..], body])?;
    let id = db.row(FIND, &vals![&hash.as_bytes()[..]], |row| row.get(0))?;
    Ok(id.expect("the text was just inserted"))
}

fn number(n: usize) -> i64 {
    i64::try_from(n).expect("no run has that many cases")
}
