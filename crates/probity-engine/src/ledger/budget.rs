//! What may be spent on the calls of a run: hard limits, held over all commands and workers.
//!
//! The runs of one command share a budget. What was spent is counted by the worker or the batch that made the calls, in
//! the transaction that ends them; what is reserved is derived from the calls in flight. There is no counter of
//! reservations, so none can leak: a call that is withdrawn or lost takes its reservation along. The sum of both never
//! exceeds a limit, with any number of calls in flight.

use std::collections::BTreeMap;

use probity_core::exact::Exact;

use super::db::{Db, DbError, Row, Val, vals};
use super::error::{Fault, StoreError};
use super::reader::Reader;
use crate::config::Money;

/// What is reserved for a call at most: $1,000. It keeps the sum of what is in flight far from the largest number.
const RESERVED_PICOS_MAX: i64 = 1_000_000_000_000_000;

/// Where the count of what a worker has spent stays: $4,000,000.
const SPENT_PICOS_MAX: i64 = 4_000_000_000_000_000_000;

/// What may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Calls at most.
    pub calls_max: Option<u64>,
    /// Money at most.
    pub money_max: Option<Money>,
}

impl Limits {
    /// The limits in the first two columns of a row.
    fn read(row: &Row<'_>) -> Result<Limits, DbError> {
        let money_max = row.get::<Option<i64>>(1)?.map(Money::from_picos);
        Ok(Limits { calls_max: row.get(0)?, money_max })
    }
}

/// The budget that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetTerms {
    /// What it is known by: the same for each invocation of the command.
    pub key: String,
    /// Its limits. One that is named takes the place of the limit on record; one that is not leaves it there.
    pub limits: Limits,
}

/// Why there is no room for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoom {
    /// Calls in flight hold the rest. Some of it may come back when they end.
    Held,
    /// There will be none.
    Never(Exhausted),
}

/// A limit does not allow another call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// The call limit.
    #[error("the limit of {max} calls is reached")]
    Calls {
        /// The limit.
        max: u64,
    },
    /// The money limit.
    #[error("the budget of ${max} does not cover another call (${spent} spent, a call may cost ${most})")]
    Money {
        /// The limit.
        max: Exact,
        /// Spent so far.
        spent: Exact,
        /// The most the next call can cost.
        most: Exact,
    },
}

/// Calls and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    calls: u64,
    money: Money,
}

impl Sum {
    fn add(&mut self, calls: u64, money: Money) {
        self.calls = self.calls.saturating_add(calls);
        self.money = self.money.plus(money);
    }
}

/// The room that a budget has at one moment.
pub(super) struct Room {
    limits: Limits,
    spent: Sum,
    in_flight: Sum,
}

impl Room {
    /// The room that is left in a budget; `None` where it has no limit. Where it has one, other workers wait with their
    /// calls until the transaction has ended.
    pub(super) fn of(db: &Db, budget: i64) -> Result<Option<Room>, DbError> {
        const LIMITS: &str = "SELECT calls_max, picodollars_max FROM budget WHERE id = ?1";
        const LOCKED: &str = "SELECT calls_max, picodollars_max FROM budget WHERE id = ?1 {for_update}";
        const IN_FLIGHT: &str = "SELECT count(*), CAST(COALESCE(SUM(reserved_picodollars), 0) AS BIGINT)
            FROM attempt WHERE state = 'in_flight' AND (worker IN (SELECT id FROM worker WHERE budget = ?1)
                OR batch IN (SELECT id FROM batch WHERE budget = ?1))";
        let limits = |sql| Ok::<_, DbError>(db.row(sql, &vals![budget], Limits::read)?.unwrap_or_default());
        if limits(LIMITS)? == Limits::default() {
            return Ok(None);
        }
        let limits = limits(LOCKED)?;
        // Statements of their own: they see what was committed while the first one waited. Others end calls at any time,
        // so what is in flight comes first: a call that ends in between is counted twice, and never not at all.
        let in_flight = db.row(IN_FLIGHT, &vals![budget], |row| {
            Ok(Sum { calls: row.get(0)?, money: Money::from_picos(row.get(1)?) })
        })?;
        let spent = spent(db, budget)?;
        Ok(Some(Room { limits, spent, in_flight: in_flight.unwrap_or_default() }))
    }

    /// Takes room for a call that costs at most `most`.
    pub(super) fn take(&mut self, most: Money) -> Result<(), NoRoom> {
        let Room { limits, spent, in_flight } = self;
        let begun = spent.calls.saturating_add(in_flight.calls);
        if let Some(max) = limits.calls_max.filter(|max| begun >= *max) {
            // A call in flight that is withdrawn gives its place back.
            let is_final = spent.calls >= max;
            return Err(if is_final { NoRoom::Never(Exhausted::Calls { max }) } else { NoRoom::Held });
        }
        let alone = spent.money.plus(most);
        if let Some(max) = limits.money_max.filter(|max| alone.plus(in_flight.money) > *max) {
            let (spent, most) = (spent.money.usd(), most.usd());
            return Err(if alone > max {
                NoRoom::Never(Exhausted::Money { max: max.usd(), spent, most })
            } else {
                NoRoom::Held
            });
        }
        in_flight.add(1, most);
        Ok(())
    }
}

impl Reader {
    /// The limits on record of the budget that `key` names.
    pub fn limits(&self, key: &str) -> Result<Limits, StoreError> {
        const SQL: &str = "SELECT calls_max, picodollars_max FROM budget WHERE key = ?1";
        Ok(self.ask(|db| db.row(SQL, &vals![key], Limits::read))?.unwrap_or_default())
    }
}

/// The number of the budget that `terms` name, with their limits. A limit below what is spent is refused, and nothing
/// was written then.
pub(super) fn open_budget(db: &Db, terms: &BudgetTerms) -> Result<i64, Fault> {
    const FIND: &str = "SELECT id FROM budget WHERE key = ?1 {for_update}";
    const NEW: &str = "INSERT INTO budget (key) VALUES (?1) ON CONFLICT (key) DO NOTHING";
    const LIMIT: &str = "UPDATE budget SET calls_max = COALESCE(?2, calls_max),
        picodollars_max = COALESCE(?3, picodollars_max) WHERE id = ?1";
    let BudgetTerms { key, limits } = terms;
    let find = || db.row(FIND, &vals![key], |row| row.get::<i64>(0));
    let budget = if let Some(budget) = find()? {
        let spent = spent(db, budget)?;
        if let Some(max) = limits.calls_max.filter(|max| *max < spent.calls) {
            return Err(StoreError::CallsSpent { max, spent: spent.calls }.into());
        }
        if let Some(max) = limits.money_max.filter(|max| *max < spent.money) {
            return Err(StoreError::MoneySpent { max: max.usd(), spent: spent.money.usd() }.into());
        }
        budget
    } else {
        db.run(NEW, &vals![key])?;
        find()?.expect("the budget was just inserted")
    };
    if *limits != Limits::default() {
        let calls_max = limits.calls_max.map(|max| i64::try_from(max).unwrap_or(i64::MAX));
        db.run(LIMIT, &vals![budget, calls_max, limits.money_max.map(Money::picos)])?;
    }
    Ok(budget)
}

/// What the ended and the lost calls of a budget came to. Added here: a sum beyond what can be counted is the most that
/// can be.
fn spent(db: &Db, budget: i64) -> Result<Sum, DbError> {
    const SQL: &str = "SELECT calls, spent_picodollars FROM worker WHERE budget = ?1
        UNION ALL SELECT calls, spent_picodollars FROM batch WHERE budget = ?1";
    let mut sum = Sum::default();
    db.each(SQL, &vals![budget], |row| {
        sum.add(row.get(0)?, Money::from_picos(row.get(1)?));
        Ok(())
    })?;
    Ok(sum)
}

/// What is reserved for a call that may cost `most`.
pub(super) fn reserved(most: Money) -> i64 {
    most.picos().clamp(0, RESERVED_PICOS_MAX)
}

/// What calls belong to: a worker or a batch, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Caller {
    Worker(i64),
    Batch(i64),
}

impl Caller {
    /// The caller in two columns, of which one is null.
    pub(super) fn of(worker: Option<i64>, batch: Option<i64>) -> Result<Caller, DbError> {
        match (worker, batch) {
            (Some(worker), None) => Ok(Caller::Worker(worker)),
            (None, Some(batch)) => Ok(Caller::Batch(batch)),
            _ => Err(DbError::unknown("caller", "both or neither of worker and batch")),
        }
    }

    /// The two columns.
    pub(super) fn columns(self) -> [Option<i64>; 2] {
        match self {
            Caller::Worker(worker) => [Some(worker), None],
            Caller::Batch(batch) => [None, Some(batch)],
        }
    }
}

/// What calls came to that end in one transaction.
#[derive(Debug, Default)]
pub(super) struct Spending(BTreeMap<Caller, Sum>);

impl Spending {
    /// A call of `caller` has ended and cost so much.
    pub(super) fn add(&mut self, caller: Caller, cost: Money) {
        self.0.entry(caller).or_default().add(1, cost);
    }

    /// A lost call of `caller`, charged at what was reserved, has told what it cost after all.
    pub(super) fn correct(&mut self, caller: Caller, reserved: Money, cost: Money) {
        let less = Money::from_picos(cost.picos().saturating_sub(reserved.picos()));
        self.0.entry(caller).or_default().add(0, less);
    }

    /// Adds what was spent to the counts of its callers.
    pub(super) fn record(&self, db: &Db) -> Result<(), DbError> {
        let rows = |is_worker: bool| -> Vec<Vec<Val<'_>>> {
            let callers = self.0.iter().filter_map(|(caller, sum)| match (caller, is_worker) {
                (Caller::Worker(id), true) | (Caller::Batch(id), false) => Some((*id, sum)),
                _ => None,
            });
            let row = |(id, sum): (i64, &Sum)| -> Vec<Val<'_>> {
                let calls = i64::try_from(sum.calls).unwrap_or(i64::MAX);
                vals![id, calls, sum.money.picos().min(SPENT_PICOS_MAX)].into()
            };
            callers.map(row).collect()
        };
        for (table, rows) in [("worker", rows(true)), ("batch", rows(false))] {
            if !rows.is_empty() {
                db.send_set(&spend(table), &rows)?;
            }
        }
        Ok(())
    }
}

fn spend(table: &str) -> String {
    format!(
        "UPDATE {table} SET calls = {table}.calls + u.calls,
            spent_picodollars = CASE WHEN {table}.spent_picodollars > {SPENT_PICOS_MAX} - u.spent
                THEN {SPENT_PICOS_MAX} ELSE {table}.spent_picodollars + u.spent END
        FROM {{rows(k BIGINT, calls BIGINT, spent BIGINT)}} u WHERE {table}.id = u.k"
    )
}
