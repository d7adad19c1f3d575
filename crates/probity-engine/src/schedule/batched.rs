//! Calls that come back in a batch: what one line of its results means, by the same rules as an answer to a call.
//!
//! An answer is recorded and not read here: that is done from the record, as after a crash, by the same code and with the
//! packet at hand. So results can be taken in by any process, whatever it was asked to do.

use tokio::sync::mpsc;

use super::Driven;
use super::attempt::CallResult;
pub use super::attempt::Hearing;
use super::classify::Disposition;
use super::desk::{Desk, Earlier, Pursued, Task};
use super::lane::Stop;
use super::pursue::{self, Readied};
use crate::config::Money;
use crate::judge::Reception;
use crate::judge::respondent::Respondent;
use crate::ledger::{AttemptEnd, Settled, Settlement};

/// Packets that are looked up on record side by side: each waits for the disk.
const LOOKED_UP: usize = 64;

/// What one line of results comes to.
#[derive(Debug)]
pub struct LineConclusion {
    /// What is kept of the call.
    pub end: AttemptEnd,
    /// What it settles without being read.
    pub settlement: Option<Settlement>,
    /// Whether it is a whole answer.
    pub is_answer: bool,
    /// Why further calls are pointless, if they are.
    pub stop: Option<Stop>,
}

impl LineConclusion {
    /// What `reception`, the answer to attempt `n` at its packet, comes to.
    pub fn of(hearing: &Hearing<'_>, n: u32, reception: Reception) -> LineConclusion {
        let heard = CallResult::by(&reception, hearing);
        let settlement = match &heard.answer {
            Err(Disposition::Invalid { reason, detail }) => Some((*reason, detail.clone())),
            // A second chance was given with the attempt before.
            Err(Disposition::Damaged { reason }) if n > 1 => Some((*reason, heard.detail.clone())),
            _ => None,
        };
        let settlement = settlement.map(|(reason, detail)| Settlement {
            attempts: n,
            decision: Settled::Unscored { reason: reason.to_owned(), detail },
        });
        let stop = match &heard.answer {
            Err(Disposition::Stop { stop, .. }) => Some(stop.clone()),
            _ => None,
        };
        let (is_answer, cost) = (heard.answer.is_ok(), heard.cost(hearing.price.as_ref(), hearing.tier));
        LineConclusion {
            end: heard.end(reception, cost, hearing.price.as_ref()),
            settlement,
            is_answer,
            stop,
        }
    }

    /// A request that was not run: nothing is billed, and its packet is open again.
    pub fn not_run(why: &str) -> LineConclusion {
        let end = AttemptEnd {
            outcome: why.to_owned(),
            detail: "the batch ended before this request was run".to_owned(),
            cost_picodollars: Some(Money::default().picos()),
            ..AttemptEnd::default()
        };
        LineConclusion { end, settlement: None, is_answer: false, stop: None }
    }
}

/// A packet that is to be asked about.
#[derive(Debug)]
pub struct WantedCall<Q> {
    /// What is asked.
    pub task: Task<Q>,
    /// Which attempt at the packet it is.
    pub n: u32,
    /// Why it is made.
    pub cause: String,
}

/// Settles what the record of each task allows, and gives those that need a call to `wanted`. Ends when the tasks do, when
/// the lane stops, or when no more are wanted.
pub(crate) async fn settle_recorded<R: Respondent>(
    desk: &Desk<R>,
    mut tasks: mpsc::Receiver<Task<R::Question>>,
    wanted: mpsc::Sender<WantedCall<R::Question>>,
) -> Driven {
    let mut driven = Driven::default();
    let mut group = Vec::new();
    while desk.lane.stop_reason().is_none() && tasks.recv_many(&mut group, LOOKED_UP).await > 0 {
        let readied = all(group.drain(..).map(|task| readied(desk, task))).await;
        for (task, readied) in readied {
            match readied {
                Err(_) => {}
                Ok(Readied::Done(pursued)) => driven.count(pursued),
                Ok(Readied::Call { n, cause }) => {
                    if wanted.send(WantedCall { task, n, cause }).await.is_err() {
                        driven.count(Pursued::GaveUp);
                    }
                }
            }
        }
    }
    driven
}

async fn readied<R: Respondent>(
    desk: &Desk<R>,
    task: Task<R::Question>,
) -> (Task<R::Question>, Result<Readied, Stop>) {
    let readied = match task.earlier {
        Earlier::Nothing => Ok(Readied::Call { n: 1, cause: "first".to_owned() }),
        Earlier::Attempts => pursue::ready(desk, &task).await,
    };
    (task, readied)
}

/// Waits for all of them side by side.
async fn all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(move |context| {
        let mut is_ready = true;
        for (future, done) in &mut waiting {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *done = Some(value),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if !is_ready {
            return std::task::Poll::Pending;
        }
        let values = waiting.iter_mut().filter_map(|(_, done)| done.take()).collect();
        std::task::Poll::Ready(values)
    })
    .await
}
