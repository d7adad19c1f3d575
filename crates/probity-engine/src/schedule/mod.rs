//! When calls are made: concurrency, retries, waits, budgets.
//!
//! Every wait, queue and retry here has a bound. A failing call is data and ends as `unscored`; what makes
//! further calls pointless stops the lane and leaves the run resumable.

pub mod budget;
pub mod classify;
pub mod desk;
pub mod lane;
mod pursue;
pub mod retry_after;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use desk::{Desk, Pursued, Task};
use lane::Stop;
use pursue::pursue;

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

/// Pursues every task that comes through `tasks` with as many workers as may be in flight.
///
/// Ends when the tasks do or when the lane stops; what is in flight is finished and recorded either way.
pub async fn drive(desk: Arc<Desk>, tasks: mpsc::Receiver<Task>, workers: usize) -> Driven {
    let tasks = Arc::new(Mutex::new(tasks));
    let mut running = JoinSet::new();
    for _ in 0..workers {
        running.spawn(work(Arc::clone(&desk), Arc::clone(&tasks)));
    }
    let mut driven = Driven::default();
    while let Some(worker) = running.join_next().await {
        let part = worker.expect("workers do not panic");
        driven.verdicts += part.verdicts;
        driven.unscored += part.unscored;
        driven.gave_up += part.gave_up;
    }
    driven.stop = desk.lane.stop_reason();
    driven
}

async fn work(desk: Arc<Desk>, tasks: Arc<Mutex<mpsc::Receiver<Task>>>) -> Driven {
    let mut driven = Driven::default();
    while let Some(task) = next(&desk, &tasks).await {
        let progress = &desk.progress;
        let Ok(pursued) = pursue(&desk, &task).await else { break };
        match pursued {
            Pursued::Verdict => driven.verdicts += 1,
            Pursued::Unscored => driven.unscored += 1,
            Pursued::GaveUp => driven.gave_up += 1,
        }
        if pursued != Pursued::Verdict {
            progress.unscored.fetch_add(1, Ordering::Relaxed);
        }
        progress.done.fetch_add(1, Ordering::Relaxed);
    }
    driven
}

/// The next task, or `None` when there is none or the lane has stopped.
async fn next(desk: &Desk, tasks: &Mutex<mpsc::Receiver<Task>>) -> Option<Task> {
    if desk.lane.stop_reason().is_some() {
        return None;
    }
    tokio::select! {
        () = desk.lane.stopped() => None,
        task = async { tasks.lock().await.recv().await } => task,
    }
}
