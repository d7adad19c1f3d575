//! Copying a store into another, of the same engine or not: a backup, a move, or the union of several.
//!
//! Records are known by their content, so a copy is a union: what is there stays, what is not is added, and doing it
//! again adds nothing. Of two settlements the verdict stands, and of two verdicts the one that was there. What
//! contradicts what is there is listed and left out. Rows go in the order in which they were added; a run keeps its
//! number where that is free. Calls in flight become lost ones: their worker works elsewhere.

mod calls;
mod tables;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::tables::{ColumnType, CopiedTable, Differing, ROOM, TABLES};
use super::Store;
use super::db::{Db, DbError, FromVal, Row, Val};
use super::error::StoreError;
use super::open::IN_USE;
use super::reader::Reader;

/// Rows that are copied in one transaction.
const PAGE: usize = 500;

/// Notes about the store itself, which a copy makes for itself.
const OWN_NOTES: [&str; 2] = [IN_USE, "review host label"];

const COPYING: &str = "copying";

/// What came of copying one store into another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Copied {
    /// Rows that were added, by table.
    pub added: BTreeMap<&'static str, u64>,
    /// What contradicts what was there, in words. It was left out.
    pub contradictions: Vec<String>,
}

/// Adds everything that `from` holds to `into`.
pub fn copy(from: &Store, into: &Store) -> Result<Copied, StoreError> {
    let reader = from.snapshot()?;
    let mut copying = Copying { reader: &reader, into, numbers: HashMap::new(), copied: Copied::default() };
    TABLES.iter().try_for_each(|table| copying.table(table))?;
    copying.calls()?;
    ROOM.iter().try_for_each(|table| copying.table(table))?;
    Ok(copying.copied)
}

/// A value of a row that outlives it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum OwnedVal {
    Null,
    Int(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl FromVal for OwnedVal {
    fn from_val(val: Val<'_>) -> Option<Self> {
        Some(match val {
            Val::Null => OwnedVal::Null,
            Val::Int(number) => OwnedVal::Int(number),
            Val::Text(text) => OwnedVal::Text(text.to_owned()),
            Val::Blob(bytes) => OwnedVal::Blob(bytes.to_vec()),
        })
    }
}

impl OwnedVal {
    fn val(&self) -> Val<'_> {
        match self {
            OwnedVal::Null => Val::Null,
            OwnedVal::Int(number) => Val::Int(*number),
            OwnedVal::Text(text) => Val::Text(text),
            OwnedVal::Blob(bytes) => Val::Blob(bytes),
        }
    }

    /// For messages.
    fn shown(&self) -> String {
        match self {
            OwnedVal::Null => "nothing".to_owned(),
            OwnedVal::Int(number) => number.to_string(),
            OwnedVal::Text(text) => text.chars().take(80).collect(),
            OwnedVal::Blob(bytes) => {
                bytes.iter().take(8).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
            }
        }
    }
}

/// A row with its number, 0 where rows have none.
type Numbered = (i64, Vec<OwnedVal>);

struct Copying<'a> {
    reader: &'a Reader,
    into: &'a Store,
    /// The numbers of rows here, by their numbers there, for each table.
    numbers: HashMap<&'static str, HashMap<i64, i64>>,
    copied: Copied,
}

/// What became of a page of rows.
#[derive(Default)]
struct PageCopied {
    numbers: Vec<(i64, i64)>,
    n_added: u64,
    contradictions: Vec<String>,
}

impl Copying<'_> {
    fn table(&mut self, table: &'static CopiedTable) -> Result<(), StoreError> {
        let mut last: Option<Numbered> = None;
        loop {
            let page = self.reader.ask(|db| page(db, table, last.as_ref()))?;
            let Some(end) = page.last().cloned() else { return Ok(()) };
            let rows: Vec<Numbered> = page.into_iter().filter_map(|row| self.mapped(table, row)).collect();
            let done =
                self.into.write_blocking(COPYING, move |tables| Ok(add_page(&tables.db, table, &rows)?))?;
            self.take(table.name, done);
            last = Some(end);
        }
    }

    fn take(&mut self, name: &'static str, done: PageCopied) {
        self.numbers.entry(name).or_default().extend(done.numbers);
        *self.copied.added.entry(name).or_default() += done.n_added;
        self.copied.contradictions.extend(done.contradictions);
    }

    /// A row with the numbers that the rows it refers to have here; `None` where one of them was left out.
    fn mapped(&self, table: &CopiedTable, (id, mut values): Numbered) -> Option<Numbered> {
        if table.name == "note" && OWN_NOTES.iter().any(|key| values[0] == OwnedVal::Text((*key).to_owned()))
        {
            return None;
        }
        for ((_, kind), value) in table.columns.iter().zip(&mut values) {
            if let (ColumnType::Ref(of), OwnedVal::Int(number)) = (kind, &*value) {
                *value = OwnedVal::Int(*self.numbers.get(of)?.get(number)?);
            }
        }
        Some((id, values))
    }
}

/// The next rows of a table, in the order in which they were added, or by their keys.
fn page(db: &Db, table: &CopiedTable, last: Option<&Numbered>) -> Result<Vec<Numbered>, DbError> {
    let (names, n_key) = (table.names(), table.n_key);
    let keys = if table.has_id { "id".to_owned() } else { names[..n_key].join(", ") };
    let id = if table.has_id { "id" } else { "0" };
    let (behind, params) = match last {
        None => (String::new(), Vec::new()),
        Some((id, _)) if table.has_id => ("WHERE id > ?1".to_owned(), vec![Val::Int(*id)]),
        Some((_, values)) => {
            let marks: Vec<String> = (1..=n_key).map(|n| format!("?{n}")).collect();
            let params = values[..n_key].iter().map(OwnedVal::val).collect();
            (format!("WHERE ({keys}) > ({})", marks.join(", ")), params)
        }
    };
    let sql = format!(
        "SELECT {id}, {} FROM {} {behind} ORDER BY {keys} LIMIT {PAGE}",
        names.join(", "),
        table.name
    );
    db.rows(&sql, &params, |row| numbered(row, names.len()))
}

fn numbered(row: &Row<'_>, n_columns: usize) -> Result<Numbered, DbError> {
    let values = (1..=n_columns).map(|column| row.get(column)).collect::<Result<_, _>>()?;
    Ok((row.get(0)?, values))
}

/// Adds rows that are not there by their keys.
fn add_page(db: &Db, table: &CopiedTable, rows: &[Numbered]) -> Result<PageCopied, DbError> {
    let mut done = PageCopied::default();
    let found = find(db, table, rows)?;
    let mut fresh: Vec<&Numbered> = Vec::new();
    let mut met: HashSet<&[OwnedVal]> = HashSet::new();
    for row in rows {
        let key = &row.1[..table.n_key];
        match found.get(key) {
            Some(there) => {
                done.numbers.push((row.0, there.0));
                let differs = there.1 != row.1;
                if differs && table.differing == Differing::Listed {
                    let key: Vec<String> = key.iter().map(OwnedVal::shown).collect();
                    done.contradictions.push(format!("{} {}", table.name, key.join(" ")));
                }
            }
            None if met.insert(key) => fresh.push(row),
            None => {}
        }
    }
    if let Differing::Fills(columns) = table.differing {
        fill(db, table, columns, rows)?;
    }
    done.n_added = fresh.len() as u64;
    let numbers = insert(db, table, &fresh)?;
    // Of rows of one key the first was added.
    for row in rows.iter().filter(|row| !found.contains_key(&row.1[..table.n_key])) {
        done.numbers.extend(numbers.get(&row.1[..table.n_key]).map(|number| (row.0, *number)));
    }
    Ok(done)
}

/// The rows that are there with the keys of `rows`.
fn find(
    db: &Db,
    table: &CopiedTable,
    rows: &[Numbered],
) -> Result<HashMap<Vec<OwnedVal>, Numbered>, DbError> {
    let names = table.names();
    let id = if table.has_id { "t.id" } else { "0" };
    let columns: Vec<String> = names.iter().map(|name| format!("t.{name}")).collect();
    let same: Vec<String> = names[..table.n_key].iter().map(|name| format!("t.{name} = u.{name}")).collect();
    let sql = format!(
        "SELECT {id}, {} FROM {} u JOIN {} t ON {}",
        columns.join(", "),
        table.rows(),
        table.name,
        same.join(" AND ")
    );
    let found = db.set(&sql, &given(rows.iter()), |row| numbered(row, names.len()))?;
    Ok(found.into_iter().map(|row| (row.1[..table.n_key].to_vec(), row)).collect())
}

/// Fills columns that are null here.
fn fill(db: &Db, table: &CopiedTable, columns: &[&str], rows: &[Numbered]) -> Result<(), DbError> {
    let name = table.name;
    let set: Vec<String> =
        columns.iter().map(|column| format!("{column} = COALESCE({name}.{column}, u.{column})")).collect();
    let same: Vec<String> =
        table.names()[..table.n_key].iter().map(|key| format!("{name}.{key} = u.{key}")).collect();
    let sql =
        format!("UPDATE {name} SET {} FROM {} u WHERE {}", set.join(", "), table.rows(), same.join(" AND "));
    db.set(&sql, &given(rows.iter()), |_| Ok(())).map(drop)
}

/// Adds rows in their order, and returns their numbers by their keys.
fn insert(db: &Db, table: &CopiedTable, rows: &[&Numbered]) -> Result<HashMap<Vec<OwnedVal>, i64>, DbError> {
    let names = table.names();
    let is_run = table.name == "run";
    let (id, at) = if is_run { ("id, ", "u.at, ") } else { ("", "") };
    let columns: Vec<String> = names.iter().map(|name| format!("u.{name}")).collect();
    let sql = format!(
        "INSERT INTO {} ({id}{}) SELECT {at}{} FROM {} u WHERE true ORDER BY u.at ON CONFLICT DO NOTHING
        RETURNING {}, {}",
        table.name,
        names.join(", "),
        columns.join(", "),
        table.rows(),
        if table.has_id { "id" } else { "0" },
        names[..table.n_key].join(", ")
    );
    let mut rows: Vec<Numbered> = rows.iter().map(|row| (*row).clone()).collect();
    if is_run {
        free_numbers(db, &mut rows)?;
    }
    let added = db.set(&sql, &given(rows.iter()), |row| numbered(row, table.n_key))?;
    if is_run && db.is_shared() && !added.is_empty() {
        const NEXT: &str = "SELECT setval(pg_get_serial_sequence('run', 'id'), (SELECT max(id) FROM run))";
        db.run(NEXT, &[])?;
    }
    Ok(added.into_iter().map(|(id, key)| (key, id)).collect())
}

/// Gives runs whose numbers are taken here the next ones.
fn free_numbers(db: &Db, rows: &mut [Numbered]) -> Result<(), DbError> {
    let taken: HashSet<i64> = db.rows("SELECT id FROM run", &[], |row| row.get(0))?.into_iter().collect();
    let own = rows.iter().map(|(id, _)| *id);
    let mut last = taken.iter().copied().chain(own).max().unwrap_or(0);
    for (id, _) in rows.iter_mut().filter(|(id, _)| taken.contains(id)) {
        last += 1;
        *id = last;
    }
    Ok(())
}

/// Rows as parameters: the number first, which says their order.
fn given<'a>(rows: impl Iterator<Item = &'a Numbered>) -> Vec<Vec<Val<'a>>> {
    rows.map(|(id, values)| [Val::Int(*id)].into_iter().chain(values.iter().map(OwnedVal::val)).collect())
        .collect()
}
