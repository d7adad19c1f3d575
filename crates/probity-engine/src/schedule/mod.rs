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
pub mod respondent;
pub mod retry_after;
mod tries;

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;

use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinSet};

use desk::{Desk, Pursued, Task};
use lane::Stop;
use pursue::pursue;
use respondent::Respondent;

use crate::store::Pace;

/// Packets under way for each call that may be in flight. While some wait for the disk or back off, others are on the
/// line; packets beyond that would only wait inside, so they stay in the channel. After a loss of power, this many
/// calls at most have to be made again.
const PURSUITS_PER_CALL: usize = 2;

/// From this many calls in flight on, more packets may be under way: a judge that answers at once would have most of
/// them wait for the disk, and the more come there together, the less each of them costs.
const MANY_CALLS: usize = 64;

/// How many for each call that may be in flight, then.
const PURSUITS_PER_CALL_OF_MANY: usize = 8;

/// The most of them in all, unless there are [`PURSUITS_PER_CALL`] anyway.
const PURSUITS_OF_MANY_MAX: usize = 2048;

/// While more than this part of those who may call at once wait to do so, nobody else is needed.
const WAITING_PART: usize = 4;

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
/// Ends when the tasks do or when the lane stops; what is in flight is finished and recorded either way. Tasks that no
/// worker has taken by then are dropped, and so is the channel, so that its sender learns of the end.
pub async fn drive<R: Respondent>(desk: Arc<Desk<R>>, tasks: mpsc::Receiver<Task<R::Question>>) -> Driven {
    let mut driven = Driven::default();
    let mut running = JoinSet::new();
    let queue = Arc::new(Queue::new(tasks));
    desk.store.set_pace(Pace::Sparing);
    {
        let stopped = desk.lane.stopped();
        tokio::pin!(stopped);
        loop {
            let has_room = needed(&desk, running.len()) == Needed::More;
            tokio::select! {
                biased;
                () = &mut stopped => break,
                Some(ended) = running.join_next() => driven.add(ended),
                () = queue.short.notified(), if !has_room => {}
                task = queue.next(), if has_room => match task {
                    Some(task) => {
                        queue.n_workers.fetch_add(1, Ordering::Relaxed);
                        running.spawn(work(Arc::clone(&desk), Arc::clone(&queue), task));
                    }
                    None => break,
                },
            }
        }
    }
    queue.close();
    // Nobody comes any more to share a sync with, and while the last calls are under way the disk has little to do.
    desk.store.set_pace(Pace::Prompt);
    desk.store.begin_fold_if_large();
    while let Some(ended) = running.join_next().await {
        driven.add(ended);
    }
    driven.stop = desk.lane.stop_reason();
    driven
}

/// How many packets may be under way where `limit` calls may be in flight.
fn pursuits_max(limit: usize) -> usize {
    let least = PURSUITS_PER_CALL * limit;
    if limit < MANY_CALLS {
        return least;
    }
    (PURSUITS_PER_CALL_OF_MANY * limit).min(PURSUITS_OF_MANY_MAX).max(least)
}

/// Whether there are workers enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needed {
    More,
    Same,
    Fewer,
}

/// Whether `n_workers` are enough. Two for each call that may be in flight are needed in any case; beyond that, another
/// is where hardly anybody waits to make a call, because the others wait for the disk or back off.
fn needed<R>(desk: &Desk<R>, n_workers: usize) -> Needed {
    let limit = desk.lane.limit();
    let (least, max) = (PURSUITS_PER_CALL * limit, pursuits_max(limit));
    let n_waiting = desk.lane.n_waiting();
    // Whoever has to ask again stands behind all who wait.
    let is_crowded = n_workers > least && n_waiting > least;
    if n_workers > max || is_crowded {
        Needed::Fewer
    } else if n_workers < least || (n_workers < max && n_waiting <= limit / WAITING_PART) {
        Needed::More
    } else {
        Needed::Same
    }
}

/// Tasks on their way to the workers.
struct Queue<Q> {
    /// `None` when no further task is to be begun.
    tasks: Mutex<Option<mpsc::Receiver<Task<Q>>>>,
    /// Workers that have not ended.
    n_workers: AtomicUsize,
    /// Told when there should be more workers than there are.
    short: Notify,
}

impl<Q> Queue<Q> {
    fn new(tasks: mpsc::Receiver<Task<Q>>) -> Queue<Q> {
        Queue { tasks: Mutex::new(Some(tasks)), n_workers: AtomicUsize::new(0), short: Notify::new() }
    }

    fn tasks(&self) -> MutexGuard<'_, Option<mpsc::Receiver<Task<Q>>>> {
        self.tasks.lock().expect("no thread panics while it takes a task")
    }

    /// Waits for the next task. `None` when there will be none.
    async fn next(&self) -> Option<Task<Q>> {
        poll_fn(|context| match self.tasks().as_mut() {
            Some(tasks) => tasks.poll_recv(context),
            None => Poll::Ready(None),
        })
        .await
    }

    /// The next task if there is one at hand.
    fn take(&self) -> Option<Task<Q>> {
        self.tasks().as_mut().and_then(|tasks| tasks.try_recv().ok())
    }

    fn close(&self) {
        *self.tasks() = None;
    }
}

/// Pursues `first` and then one task after another, for as long as there are tasks at hand and not too many
/// workers. Taking the next task where the last one ended costs no change of threads.
async fn work<R: Respondent>(
    desk: Arc<Desk<R>>,
    queue: Arc<Queue<R::Question>>,
    first: Task<R::Question>,
) -> Driven {
    let mut driven = Driven::default();
    let mut next = Some(first);
    while let Some(task) = next {
        match pursue(&desk, &task).await {
            Ok(pursued) => driven.count(pursued),
            // What the lane's stop cut short is left for the next run.
            Err(_) => break,
        }
        let needed = needed(&desk, queue.n_workers.load(Ordering::Relaxed));
        if needed == Needed::More {
            queue.short.notify_one();
        }
        next = if needed == Needed::Fewer { None } else { queue.take() };
    }
    queue.n_workers.fetch_sub(1, Ordering::Relaxed);
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

    /// Counts a packet that has ended.
    fn count(&mut self, pursued: Pursued) {
        match pursued {
            Pursued::Verdict => self.verdicts += 1,
            Pursued::Unscored => self.unscored += 1,
            Pursued::GaveUp => self.gave_up += 1,
        }
    }

    /// Adds what a worker has counted.
    fn add(&mut self, ended: Result<Driven, JoinError>) {
        let worker = ended.expect("a pursuit does not panic");
        self.verdicts += worker.verdicts;
        self.unscored += worker.unscored;
        self.gave_up += worker.gave_up;
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

#[cfg(test)]
mod tests {
    use super::pursuits_max;

    #[test]
    fn g03_what_is_under_way_has_a_bound() {
        let limits = [1, 8, 32, 63, 64, 256, 1000, 1024, 2000];
        assert_eq!(limits.map(pursuits_max), [2, 16, 64, 126, 512, 2048, 2048, 2048, 4000]);
    }
}
