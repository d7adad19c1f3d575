//! When calls are made: concurrency, retries, waits, budgets.
//!
//! Every wait, queue and retry here has a bound. A failing call is data and ends as `unscored`; what makes
//! further calls pointless stops the lane and leaves the run resumable.

mod attempt;
mod breaker;
pub mod budget;
pub mod classify;
pub mod desk;
pub mod lane;
mod limit;
mod pursue;
pub mod retry_after;
mod tries;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};

use desk::{Desk, Pursued, Task};
use lane::Stop;
use pursue::pursue;

/// Packets under way for each call that may be in flight. While some wait for the disk or back off, others
/// are on the line; packets beyond that would only wait inside, so they stay in the channel.
const PURSUITS_PER_CALL: usize = 2;

/// How a drive over many packets ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Driven {
    /// Packets with a verdict.
    pub verdicts: u64,
    /// Packets whose answers were no verdict.
    pub unscored: u64,
    /// Packets given up for now.
    pub gave_up: u64,
    /// Why it stopped before the end, if it did.
    pub stop: Option<Stop>,
}

/// Pursues every task that comes through `tasks`, with as many calls in flight as the lane allows.
///
/// Ends when the tasks do or when the lane stops; what is in flight is finished and recorded either way.
/// Tasks that nobody has taken by then are dropped, and so is the channel, so that whoever fills it learns
/// of the end.
pub async fn drive(desk: Arc<Desk>, mut tasks: mpsc::Receiver<Task>) -> Driven {
    let mut driven = Driven::default();
    let mut running = JoinSet::new();
    {
        let stopped = desk.lane.stopped();
        tokio::pin!(stopped);
        loop {
            let has_room = running.len() < PURSUITS_PER_CALL * desk.lane.limit();
            tokio::select! {
                biased;
                () = &mut stopped => break,
                Some(ended) = running.join_next() => driven.count(ended),
                task = tasks.recv(), if has_room => match task {
                    Some(task) => drop(running.spawn(pursue(Arc::clone(&desk), task))),
                    None => break,
                },
            }
        }
    }
    drop(tasks);
    while let Some(ended) = running.join_next().await {
        driven.count(ended);
    }
    driven.stop = desk.lane.stop_reason();
    driven
}

impl Driven {
    /// Two drives, one after the other, as one.
    pub(crate) fn and(self, later: Driven) -> Driven {
        Driven {
            verdicts: self.verdicts + later.verdicts,
            unscored: self.unscored + later.unscored,
            gave_up: self.gave_up + later.gave_up,
            stop: self.stop.or(later.stop),
        }
    }

    /// Counts a packet that has ended; one that the lane's stop cut short is left for the next run.
    fn count(&mut self, ended: Result<Result<Pursued, Stop>, JoinError>) {
        match ended.expect("a pursuit does not panic") {
            Ok(Pursued::Verdict) => self.verdicts += 1,
            Ok(Pursued::Unscored) => self.unscored += 1,
            Ok(Pursued::GaveUp) => self.gave_up += 1,
            Err(_) => {}
        }
    }
}

impl desk::Progress {
    fn count(&self, pursued: Pursued) {
        if pursued != Pursued::Verdict {
            self.unscored.fetch_add(1, Ordering::Relaxed);
        }
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}
