//! Leases: a call in flight is its worker's own for as long as the worker is alive by the database's clock.
//!
//! A worker is heard three times per lease. When it was not, the next worker that looks lists its calls in flight as
//! lost, possibly billed, and charges them to it in the same transaction. A worker that finds itself dead becomes a new
//! one. In a file the run's lock says who is alive, so its worker has a lease that does not end.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::budget::{Caller, Spending};
use super::db::{Db, DbError, vals};
use super::record::{AttemptId, RunId};
use super::tables::{Tables, Worker};
use crate::config::Money;

/// Far more than any process lives, and far from the largest number.
const FOR_EVER_MS: i64 = 1 << 60;

/// Whose calls in flight are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    /// Those of workers whose time is up.
    OfExpiredWorkers,
    /// Those of all workers: none is alive.
    OfEveryWorker,
}

/// Marks calls in flight as lost, lists them in the order in which they began, and charges them to their workers at the
/// most they can have cost. What a batch has in flight stays.
pub(super) fn lost(db: &Db, whose: Lost) -> Result<Vec<AttemptId>, DbError> {
    const SQL: &str = "UPDATE attempt SET state = 'lost' WHERE state = 'in_flight' AND worker IS NOT NULL
            AND (CAST(?1 AS BIGINT) = 1 OR worker IN (SELECT id FROM worker WHERE until_ms <= {now_ms}))
        RETURNING id, worker, reserved_picodollars";
    let mut spending = Spending::default();
    let mut calls = db.rows(SQL, &vals![whose == Lost::OfEveryWorker], |row| {
        spending.add(Caller::Worker(row.get(1)?), Money::from_picos(row.get(2)?));
        row.get(0).map(AttemptId)
    })?;
    spending.record(db)?;
    calls.sort_unstable();
    Ok(calls)
}

/// Why an endpoint takes no further call of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneRefusal {
    /// The quota or credit of its account is used up.
    Quota(String),
    /// Its key is not accepted.
    Key(String),
}

/// How a lane is that workers share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneState {
    /// How often its calls had to pause.
    pub episode: i64,
    /// How long they have to pause from now on.
    pub pause: Duration,
    /// The workers that share it.
    pub n_workers: u32,
    /// How often its calls were refused for good, and why the last time.
    pub n_refusals: i64,
    /// The last refusal.
    pub refusal: Option<LaneRefusal>,
}

/// The lanes of a process, by its runs.
pub type LaneNews = BTreeMap<RunId, LaneState>;

/// The number of the lane known by `key`.
pub(super) fn open_lane(db: &Db, key: &str) -> Result<i64, DbError> {
    const NEW: &str = "INSERT INTO lane (key, paused_until_ms, episode, refusals) VALUES (?1, 0, 0, 0) ON CONFLICT (key) DO NOTHING";
    const FIND: &str = "SELECT id FROM lane WHERE key = ?1";
    db.run(NEW, &vals![key])?;
    Ok(db.row(FIND, &vals![key], |row| row.get(0))?.expect("the lane was just inserted"))
}

fn refusal(refused_for: Option<String>, why: Option<String>) -> Option<LaneRefusal> {
    Some(match refused_for?.as_str() {
        "quota" => LaneRefusal::Quota(why?),
        _ => LaneRefusal::Key(why?),
    })
}

/// How long this process may make calls, and what it has found lost: for those who make them.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    /// By this machine's clock that is never set. `None` where leases do not end.
    until: Mutex<Option<Instant>>,
    n_lost: AtomicUsize,
    lanes: watch::Sender<LaneNews>,
}

impl Liveness {
    /// The lanes of this process were looked at.
    pub(super) fn lanes(&self, news: LaneNews) {
        self.lanes.send_replace(news);
    }

    /// What is known of the lanes, and hears of changes.
    pub(super) fn lane_news(&self) -> watch::Receiver<LaneNews> {
        self.lanes.subscribe()
    }

    /// Until then this process counts as alive, whatever else happens.
    pub(super) fn until(&self, until: Instant) {
        *self.until.lock().expect("nothing panics while it holds this") = Some(until);
    }

    /// Whether this process is alive for others, for all it knows.
    pub(super) fn is_alive(&self) -> bool {
        let until = *self.until.lock().expect("nothing panics while it holds this");
        until.is_none_or(|until| Instant::now() < until)
    }

    /// So many calls of dead workers were listed as lost.
    pub(super) fn lost(&self, n: usize) {
        self.n_lost.fetch_add(n, Ordering::Relaxed);
    }

    /// How many calls of dead workers this process has listed since the last look.
    pub(super) fn take_lost(&self) -> usize {
        self.n_lost.swap(0, Ordering::Relaxed)
    }
}

/// A worker's lease in milliseconds; `None` is one that does not end.
pub(super) fn lease_ms(lease: Option<Duration>) -> i64 {
    lease.map_or(FOR_EVER_MS, |lease| i64::try_from(lease.as_millis()).unwrap_or(FOR_EVER_MS))
}

impl Tables {
    /// Adds a worker of this process to a run.
    pub(super) fn add_worker(
        &mut self,
        run: RunId,
        budget: Option<i64>,
        lane: Option<i64>,
    ) -> Result<(), DbError> {
        const SQL: &str = "INSERT INTO worker (run, budget, lane, until_ms, calls, spent_picodollars)
            VALUES (?1, ?2, ?3, {now_ms} + ?4, 0, 0) RETURNING id";
        let id = self.db.row(SQL, &vals![run.0, budget, lane, lease_ms(self.lease)], |row| row.get(0))?;
        let id = id.expect("an insertion returns its row");
        self.workers.insert(run, Worker { id, budget, lane });
        Ok(())
    }

    /// How the lanes of this process's runs are, by the database's clock.
    pub(super) fn lanes(&self) -> Result<LaneNews, DbError> {
        const SQL: &str = "SELECT u.run, lane.episode, lane.paused_until_ms - {now_ms},
                (SELECT count(*) FROM worker WHERE worker.lane = lane.id AND worker.until_ms > {now_ms}),
                lane.refusals, lane.refused_for, lane.refusal
            FROM {rows(run BIGINT, lane BIGINT)} u JOIN lane ON lane.id = u.lane";
        let lanes = self.workers.iter().filter_map(|(run, worker)| Some(vals![run.0, worker.lane?].into()));
        let found = self.db.set(SQL, &lanes.collect::<Vec<_>>(), |row| {
            let left: i64 = row.get(2)?;
            let state = LaneState {
                episode: row.get(1)?,
                pause: Duration::from_millis(u64::try_from(left).unwrap_or(0)),
                n_workers: row.get(3)?,
                n_refusals: row.get(4)?,
                refusal: refusal(row.get(5)?, row.get(6)?),
            };
            Ok((RunId(row.get(0)?), state))
        })?;
        Ok(found.into_iter().collect())
    }

    /// Makes all calls of the lane of `run` pause, those of other workers too.
    pub(super) fn pause_lane(&self, run: RunId, pause: Duration) -> Result<(), DbError> {
        const SQL: &str = "UPDATE lane SET
            episode = CASE WHEN paused_until_ms > {now_ms} THEN episode ELSE episode + 1 END,
            paused_until_ms = CASE WHEN paused_until_ms > {now_ms} + ?2 THEN paused_until_ms ELSE {now_ms} + ?2 END
            WHERE id = ?1";
        let Some(lane) = self.workers.get(&run).and_then(|worker| worker.lane) else { return Ok(()) };
        let pause = i64::try_from(pause.as_millis()).unwrap_or(FOR_EVER_MS);
        self.db.run(SQL, &vals![lane, pause]).map(drop)
    }

    /// Ends the calls of the lane of `run`, those of other workers too.
    pub(super) fn refuse_lane(&self, run: RunId, refusal: &LaneRefusal) -> Result<(), DbError> {
        const SQL: &str =
            "UPDATE lane SET refusals = refusals + 1, refused_for = ?2, refusal = ?3 WHERE id = ?1";
        let Some(lane) = self.workers.get(&run).and_then(|worker| worker.lane) else { return Ok(()) };
        let (refused_for, why) = match refusal {
            LaneRefusal::Quota(why) => ("quota", why),
            LaneRefusal::Key(why) => ("key", why),
        };
        self.db.run(SQL, &vals![lane, refused_for, why]).map(drop)
    }

    /// Lets the workers of this process be heard, and lists the lost calls of those that were not. A worker that was
    /// taken for dead has a successor afterwards.
    pub(super) fn beat(&mut self) -> Result<Vec<AttemptId>, DbError> {
        const BEAT: &str =
            "UPDATE worker SET until_ms = {now_ms} + u.lease FROM {rows(k BIGINT, lease BIGINT)} u
            WHERE worker.id = u.k AND worker.until_ms > {now_ms} RETURNING id";
        let lease = lease_ms(self.lease);
        let rows: Vec<_> = self.workers.values().map(|worker| vals![worker.id, lease].into()).collect();
        let alive: HashSet<i64> = self.db.set(BEAT, &rows, |row| row.get(0))?.into_iter().collect();
        let dead: Vec<(RunId, Worker)> = self.workers.iter().map(|(run, worker)| (*run, *worker)).collect();
        for (run, worker) in dead.into_iter().filter(|(_, worker)| !alive.contains(&worker.id)) {
            self.add_worker(run, worker.budget, worker.lane)?;
        }
        lost(&self.db, Lost::OfExpiredWorkers)
    }

    /// Ends the workers of this process: what they still have in flight is listed as lost.
    pub(super) fn retire(&mut self) -> Result<(), DbError> {
        const SQL: &str = "UPDATE worker SET until_ms = 0 FROM {rows(k BIGINT)} u WHERE worker.id = u.k";
        let rows: Vec<_> = self.workers.values().map(|worker| vals![worker.id].into()).collect();
        self.db.set(SQL, &rows, |_| Ok(())).map(drop)
    }
}
