//! When calls are made: concurrency, retries, waits, budgets.
//!
//! Every wait, queue and retry here has a bound. A failing call is data and ends as `unscored`; what makes
//! further calls pointless stops the lane and leaves the run resumable.

mod attempt;
pub mod batched;
mod breaker;
pub mod budget;
pub mod classify;
pub mod desk;
pub mod lane;
mod limit;
mod pace;
mod pursue;
pub mod retry_after;
mod server;
mod tries;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use probity_core::packet::PacketHash;
use tokio::sync::{Mutex, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;

use desk::{Desk, Pursued, Task};
use lane::Stop;
use pursue::pursue;

use crate::judge::respondent::Respondent;
use crate::ledger::{AttemptOutcome, Found};

/// How long packets are left alone that other processes ask about, on average, once they were looked at a few times. Most
/// calls have ended soon, so the first looks come earlier.
const ELSEWHERE_PAUSE: Duration = Duration::from_millis(500);

/// Looks before that, each after twice the time of the one before.
const EARLY_LOOKS: u32 = 3;

/// After so many looks at what is on record, packets are pursued whatever that says: a batch may have them by now.
const LOOKS_PER_PURSUIT: u32 = 10;

/// How many workers pursue packets where `limit` calls may be in flight. Each has at most one call on record that has
/// not ended. Those beyond the limit wait for the disk, so that the line does not: as many again cover two syncs of a
/// slow disk and a checkpoint, and back-offs of some packets.
fn n_workers(limit: usize) -> usize {
    2 * limit + 4
}

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
/// Ends when the tasks do or when the lane stops; what is in flight is finished and recorded either way. Tasks that
/// no worker has taken by then are dropped, and so is the channel, so that its sender learns of the end.
pub async fn drive<R: Respondent>(desk: Arc<Desk<R>>, tasks: mpsc::Receiver<Task<R::Question>>) -> Driven {
    let mut driven = Driven::default();
    let mut running = JoinSet::new();
    let n_workers = n_workers(desk.lane.concurrency());
    let queue = Arc::new(Queue {
        tasks: Mutex::new(tasks),
        elsewhere: std::sync::Mutex::new(Elsewhere { waiting: Vec::new(), due: VecDeque::new() }),
        n_looks: Mutex::new(0),
    });
    for _ in 0..n_workers {
        running.spawn(work(Arc::clone(&desk), Arc::clone(&queue)));
    }
    drop(queue);
    while let Some(ended) = running.join_next().await {
        driven.add(ended);
    }
    driven.stop = desk.lane.stop_reason();
    driven
}

/// Pursues one task after another until there are none or the lane stops. What the stop cuts short is left for the
/// next run.
async fn work<R: Respondent>(desk: Arc<Desk<R>>, queue: Arc<Queue<R::Question>>) -> Driven {
    let mut driven = Driven::default();
    let stopped = desk.lane.stopped();
    tokio::pin!(stopped);
    loop {
        let task = tokio::select! {
            biased;
            () = &mut stopped => break,
            task = queue.next(&desk) => task,
        };
        let Some(task) = task else { break };
        match pursue(&desk, &task).await {
            Ok(Pursued::Elsewhere) => queue.put_back(task),
            Ok(pursued) => driven.count(pursued),
            Err(_) => break,
        }
    }
    driven
}

/// Tasks that wait for a worker.
struct Queue<Q> {
    tasks: Mutex<mpsc::Receiver<Task<Q>>>,
    /// Those that another process was asking about: they come after all others.
    elsewhere: std::sync::Mutex<Elsewhere<Q>>,
    /// How often those were looked at. The worker that holds it looks for all of them: however many wait, that is one question.
    n_looks: Mutex<u32>,
}

struct Elsewhere<Q> {
    waiting: Vec<Task<Q>>,
    /// Those that no other process asks about any more.
    due: VecDeque<Task<Q>>,
}

impl<Q> Queue<Q> {
    /// The next task. Those that other processes ask about are looked at again and again, with pauses.
    async fn next<R: Respondent<Question = Q>>(&self, desk: &Desk<R>) -> Option<Task<Q>> {
        let next = self.tasks.lock().await.recv().await;
        if next.is_some() {
            return next;
        }
        let mut n_looks = self.n_looks.lock().await;
        loop {
            let waiting = {
                let mut elsewhere = self.elsewhere();
                if let Some(due) = elsewhere.due.pop_front() {
                    return Some(due);
                }
                std::mem::take(&mut elsewhere.waiting)
            };
            if waiting.is_empty() {
                return None;
            }
            // Spread, so that many processes do not look at the same instant.
            let pause = ELSEWHERE_PAUSE / 2_u32.pow(EARLY_LOOKS.saturating_sub(*n_looks));
            sleep(pause.mul_f64(0.5 + rand::random::<f64>())).await;
            *n_looks = n_looks.wrapping_add(1);
            let looked = if n_looks.is_multiple_of(LOOKS_PER_PURSUIT) {
                Elsewhere { waiting: Vec::new(), due: waiting.into() }
            } else {
                looked_at(desk, waiting)
            };
            let mut elsewhere = self.elsewhere();
            elsewhere.waiting.extend(looked.waiting);
            elsewhere.due.extend(looked.due);
        }
    }

    fn put_back(&self, task: Task<Q>) {
        self.elsewhere().waiting.push(task);
    }

    fn elsewhere(&self) -> std::sync::MutexGuard<'_, Elsewhere<Q>> {
        self.elsewhere.lock().expect("nothing panics while it holds these")
    }
}

/// Which of `tasks` are in flight still, and which are due.
fn looked_at<R: Respondent>(desk: &Desk<R>, tasks: Vec<Task<R::Question>>) -> Elsewhere<R::Question> {
    let packets: Vec<PacketHash> = tasks.iter().map(|task| R::packet(&task.question).0).collect();
    let found = desk.store.reader().and_then(|reader| reader.found(&desk.judge_id, desk.repeat, &packets));
    // A failure here is met again by the worker that pursues them.
    let found = found.unwrap_or_default();
    let (waiting, due): (Vec<_>, Vec<_>) = tasks.into_iter().partition(|task| {
        let of_packet = found.get(&R::packet(&task.question).0);
        matches!(of_packet, Some(Found::Attempted(last)) if last.outcome == AttemptOutcome::InFlight)
    });
    Elsewhere { waiting, due: due.into() }
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
    pub(crate) fn count(&mut self, pursued: Pursued) {
        match pursued {
            Pursued::Verdict => self.verdicts += 1,
            Pursued::Unscored => self.unscored += 1,
            Pursued::GaveUp => self.gave_up += 1,
            Pursued::Elsewhere => {}
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
        if pursued == Pursued::Elsewhere {
            return;
        }
        if pursued != Pursued::Verdict {
            self.unscored.fetch_add(1, Ordering::Relaxed);
        }
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod fixture {
    use std::time::Duration;

    use crate::config::{Config, ScheduleSettings};

    /// The defaults, with this concurrency and 35 minutes for a packet.
    pub(super) fn settings(concurrency: usize) -> ScheduleSettings {
        let config = Config::resolve([]).expect("the defaults are right");
        ScheduleSettings { concurrency, packet_max: Duration::from_mins(35), ..config.schedule }
    }
}

#[cfg(test)]
mod tests {
    use super::n_workers;

    #[test]
    fn g03_what_is_under_way_has_a_bound() {
        assert_eq!([1, 8, 64, 256, 2000].map(n_workers), [6, 20, 132, 516, 4004]);
    }
}
