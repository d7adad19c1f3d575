//! One packet, from the first call to a settlement or to giving up.
//!
//! The order is what makes a crash harmless: the intent of a call is on the disk before the call waits for its turn,
//! and its raw answer is recorded together with what was read from it. A call that is not made after all is withdrawn.
//! A packet that is settled is never asked again.

use std::sync::atomic::Ordering;
use std::time::Duration;

use probity_core::verdict::{self, Completion, ModelMatch};
use tokio::time::timeout_at;

use super::attempt::{ANSWERED, Answer, CallResult, recorded_answer, unix_ms};
use super::budget::{Money, NoRoom};
use super::classify::{BAD_BODY, Disposition, too_long};
use super::desk::{Desk, Earlier, Pursued, Task};
use super::lane::{Permit, Signal, Stop};
use super::tries::{CountsAs, Tries, backoff};
use crate::config::{ModelMismatch, Reask, StoredTexts};
use crate::fault_points::{self, Point};
use crate::judge::Reception;
use crate::judge::respondent::{Remedy, Respondent, Unusable};
use crate::ledger::{
    AttemptId, AttemptOutcome, AttemptStart, Holder, Intended, KnownKind, Settled, Settlement, StoreError,
};

/// How long a call waits for room in the budget before it looks again by itself: other workers make room unheard.
const ROOM_CHECK: Duration = Duration::from_secs(1);

/// How long the calls of other workers pause after a rate limit that says no time.
const LIMITED_PAUSE: Duration = Duration::from_secs(1);

/// What an ended call leads to.
enum NextStep {
    Done(Pursued),
    Again(Again),
}

/// A further call about the same packet.
struct Again {
    cause: String,
    rest: Duration,
    counts: CountsAs,
}

/// What is decided about a packet after a call.
enum Ruling {
    Settle(Settled),
    Again(Again),
    GiveUp,
    Stop(Stop),
}

/// What a packet needs before a call about it goes into a batch.
pub(super) enum Readied {
    /// None: what is on record has settled it, or it was tried often enough.
    Done(Pursued),
    /// A call.
    Call {
        /// Which attempt it is, from 1.
        n: u32,
        /// Why it is made.
        cause: String,
    },
}

/// Reads what is on record about a packet, and says whether a call is needed.
pub(super) async fn ready<R: Respondent>(desk: &Desk<R>, task: &Task<R::Question>) -> Result<Readied, Stop> {
    let mut pursuit = Pursuit { desk, task, tries: Tries::default() };
    let step = pursuit.recorded().await?;
    let n = pursuit.tries.calls + 1;
    Ok(match step {
        None => Readied::Call { n, cause: "resume".to_owned() },
        Some(NextStep::Done(pursued)) => Readied::Done(pursued),
        Some(NextStep::Again(Again { cause, counts, .. })) => {
            match pursuit.tries.again(counts, Duration::ZERO, &desk.schedule) {
                None => Readied::Done(Pursued::GaveUp),
                Some(_) => Readied::Call { n, cause },
            }
        }
    })
}

/// Pursues one packet to its end, or stops because the lane does.
pub(super) async fn pursue<R: Respondent>(desk: &Desk<R>, task: &Task<R::Question>) -> Result<Pursued, Stop> {
    let mut pursuit = Pursuit { desk, task, tries: Tries::default() };
    let pursued = pursuit.pursued().await?;
    desk.progress.count(pursued);
    Ok(pursued)
}

/// One packet under way.
struct Pursuit<'a, R: Respondent> {
    desk: &'a Desk<R>,
    task: &'a Task<R::Question>,
    tries: Tries,
}

impl<'a, R: Respondent> Pursuit<'a, R> {
    async fn pursued(&mut self) -> Result<Pursued, Stop> {
        let mut step = match self.task.earlier {
            Earlier::Nothing => self.attempt("first").await?,
            Earlier::Attempts => match self.recorded().await? {
                Some(step) => step,
                None => self.attempt("resume").await?,
            },
        };
        loop {
            let again = match step {
                NextStep::Done(pursued) => return Ok(pursued),
                NextStep::Again(again) => again,
            };
            match self.tries.again(again.counts, again.rest, &self.desk.schedule) {
                None => return Ok(Pursued::GaveUp),
                Some(rest) if rest.is_zero() => {}
                Some(rest) => self.desk.lane.rest(rest).await?,
            }
            step = self.attempt(&again.cause).await?;
        }
    }

    /// Answers that a dead process had stored and not settled are read now, at no cost, and lead to what
    /// they would have led to then. `None` when there is no answer on record.
    async fn recorded(&mut self) -> Result<Option<NextStep>, Stop> {
        let (hash, _) = R::packet(&self.task.question);
        let attempts = {
            let reader = self.desk.store.reader().map_err(|error| self.store_failed(error))?;
            reader
                .attempts_of(&hash, &self.desk.judge_id, self.desk.repeat)
                .map_err(|error| self.store_failed(error))?
        };
        let ended = |name: &'static str| {
            let outcome = AttemptOutcome::Ended(name.to_owned());
            attempts.iter().filter(move |attempt| attempt.outcome == outcome)
        };
        self.tries.calls = attempts.iter().map(|attempt| attempt.n).max().unwrap_or(0);
        // Each answer after the first was a further question, whatever had to be retried on the way to it.
        self.tries.reasks = u32::from(ended(ANSWERED).count() > 1);
        self.tries.body_retries = u32::from(ended(BAD_BODY).count() > 0);
        let mut latest = None;
        for attempt in ended(ANSWERED) {
            let Some(answer) = recorded_answer(self.desk, &attempt.raw) else { continue };
            let ruling = self.answered(&answer);
            let is_verdict = matches!(ruling, Ruling::Settle(Settled::Verdict { .. }));
            latest = Some((attempt.attempt, ruling));
            if is_verdict {
                break;
            }
        }
        match latest {
            Some((attempt, ruling)) => {
                if let Some(settlement) = self.settlement(&ruling) {
                    let settled = self.desk.store.settle(attempt, settlement).await;
                    settled.map_err(|error| self.store_failed(error))?;
                }
                self.step(ruling).map(Some)
            }
            None => Ok(None),
        }
    }

    /// Makes one call, tells the lane what it meant, records it and decides about the packet.
    async fn attempt(&mut self, cause: &str) -> Result<NextStep, Stop> {
        let standing = self.desk.lane.stand().await?;
        let attempt = match self.intend(cause).await? {
            Ok(attempt) => attempt,
            Err(pursued) => return Ok(NextStep::Done(pursued)),
        };
        let request = self.desk.respondent.request(&self.task.question);
        let permit = match self.turn().await {
            // A process that slept through its lease is dead for the others: they may be asking by now.
            Ok(Some(_)) if !self.desk.store.holds_leases() => {
                self.withdraw(attempt).await?;
                return Ok(NextStep::Done(Pursued::Elsewhere));
            }
            Ok(Some(permit)) => permit,
            Ok(None) => {
                self.withdraw(attempt).await?;
                return Ok(NextStep::Done(Pursued::GaveUp));
            }
            Err(stop) => {
                self.withdraw(attempt).await?;
                return Err(stop);
            }
        };
        self.tries.start(&self.desk.schedule);
        let (reception, heard, cost) = self.call(permit, request).await;
        drop(standing);
        let _until_it_is_on_disk = reception.room.clone();
        let ruling = self.ruling(&heard);
        let end = heard.end(reception, cost, self.desk.price.as_ref());
        let concluded = self.desk.store.conclude(attempt, end, self.settlement(&ruling)).await;
        concluded.map_err(|error| self.store_failed(error))?;
        self.desk.budget.release();
        self.step(ruling)
    }

    /// Sends the call and takes in what came back. The place on the lane is free afterwards.
    async fn call(&self, permit: Permit<'a>, request: Vec<u8>) -> (Reception, CallResult, Option<Money>) {
        let desk = self.desk;
        desk.budget.call_sent();
        desk.progress.calls.fetch_add(1, Ordering::Relaxed);
        fault_points::reach(Point::BeforeSend);
        let reception = desk.respondent.ask(&self.task.question, request, permit.server()).await;
        fault_points::reach(Point::AfterBody);
        let heard = CallResult::of(&reception, desk);
        heard.context().into_iter().for_each(|tokens| desk.respondent.learn_context(tokens));
        // Before the permit is given back: the next call must know of a pause or a stop.
        self.tell(&permit, &heard);
        let cost = heard.cost(desk.price.as_ref(), desk.tier);
        let spent = desk.budget.spend(cost.unwrap_or(self.task.most));
        desk.progress.picos.store(spent.picos().unsigned_abs(), Ordering::Relaxed);
        drop(permit);
        (reception, heard, cost)
    }

    /// Waits until the lane has room for a call. `None` when the packet's time is up.
    async fn turn(&self) -> Result<Option<Permit<'a>>, Stop> {
        let (desk, tokens) = (self.desk, self.task.tokens_input);
        match self.tries.deadline() {
            None => desk.lane.enter(tokens).await.map(Some),
            Some(deadline) => timeout_at(deadline, desk.lane.enter(tokens)).await.ok().transpose(),
        }
    }

    /// Records that a call is about to be made, as soon as the budget has room for it. It is on the disk afterwards.
    /// Not a call where another process has the packet, or a batch.
    async fn intend(&self, cause: &str) -> Result<Result<AttemptId, Pursued>, Stop> {
        let (packet, body) = R::packet(&self.task.question);
        let start = AttemptStart {
            packet,
            packet_body: if self.desk.texts == StoredTexts::Full { body.into() } else { "".into() },
            judge: self.desk.judge_id.clone(),
            run: self.desk.run,
            repeat: self.desk.repeat,
            n: self.tries.calls + 1,
            cause: cause.to_owned(),
            tokens_planned: self.task.tokens_input,
            decisions: R::n_decisions(&self.task.question),
            started_unix_ms: unix_ms(),
            most: self.task.most,
            batch: None,
            again: self.desk.again,
        };
        loop {
            let freed = self.desk.budget.freed();
            tokio::pin!(freed);
            // Registered before the look, so that room made in between is not missed.
            freed.as_mut().enable();
            let intended = self.desk.store.intend(start.clone()).await;
            match intended.map_err(|error| self.store_failed(error))? {
                Intended::Recorded(attempt) => {
                    // There may be room for more than one.
                    self.desk.budget.release();
                    return Ok(Ok(attempt));
                }
                Intended::InFlight(Holder::Worker) => return Ok(Err(Pursued::Elsewhere)),
                Intended::InFlight(Holder::Batch) => return Ok(Err(Pursued::GaveUp)),
                Intended::Settled(KnownKind::Verdict) => return Ok(Err(Pursued::Verdict)),
                Intended::Settled(_) => return Ok(Err(Pursued::Unscored)),
                Intended::NoRoom(NoRoom::Never(exhausted)) => {
                    return Err(self.stop(Stop::Budget(exhausted.to_string())));
                }
                // What holds the rest is in flight and ends within its own clock, so this wait ends too.
                Intended::NoRoom(NoRoom::Held) => {
                    tokio::select! {
                        () = freed => {}
                        () = tokio::time::sleep(ROOM_CHECK) => {}
                        () = self.desk.lane.stopped() => {
                            return Err(self.desk.lane.stop_reason().expect("the lane has stopped"));
                        }
                    }
                }
            }
        }
    }

    /// Takes back that a call is about to be made, because it is not.
    async fn withdraw(&self, attempt: AttemptId) -> Result<(), Stop> {
        let withdrawn = self.desk.store.withdraw(attempt).await;
        self.desk.budget.release();
        withdrawn.map_err(|error| self.store_failed(error))
    }

    /// Tells the lane what a call meant. What one server refuses for good another one may answer, but for a parameter,
    /// which is the judge's own. A pause beyond the cap after a success means that the account is used up for now; the
    /// answer itself is still good, and no further call may be needed.
    fn tell(&self, permit: &Permit<'_>, heard: &CallResult) {
        let lane = &self.desk.lane;
        let wait_max = self.desk.schedule.retry_after_max;
        match &heard.answer {
            Err(Disposition::Stop { stop: stop @ Stop::ParameterRefused { .. }, .. }) => {
                lane.stop(stop.clone());
            }
            Err(Disposition::Stop { stop, .. }) => lane.leave(permit.server(), stop.clone()),
            _ => {}
        }
        if let Some(pause) = heard.pause.filter(|pause| *pause > wait_max) {
            lane.stop_before_next(permit.server(), Stop::Quota(too_long(self.desk.model(), pause)));
        }
        let tokens_more = heard.tokens().and_then(|tokens| tokens.checked_sub(self.task.tokens_input));
        if let Some(tokens) = tokens_more {
            lane.used_more(tokens);
        }
        let pause = heard.pause.filter(|pause| *pause <= wait_max);
        if self.desk.store.is_shared() && matches!(heard.signal(), Signal::Limited(_)) {
            self.desk.store.pause_lane(self.desk.run, pause.unwrap_or(LIMITED_PAUSE));
        }
        lane.observe(permit.server(), heard.signal(), pause, heard);
    }

    /// What is decided about the packet.
    fn ruling(&self, heard: &CallResult) -> Ruling {
        let again = |cause, rest, counts| Ruling::Again(Again { cause, rest, counts });
        let backoff = |earlier| backoff(&self.desk.schedule, earlier);
        let disposition = match &heard.answer {
            Ok(answer) => return self.answered(answer),
            Err(disposition) => disposition,
        };
        match disposition {
            Disposition::Retry { reason, floor, signal } => {
                let (rest, counts) = match signal {
                    // Backing off from a limit without a time starts at twice the usual: one second.
                    Signal::Limited(_) => (backoff(self.tries.waits + 1), CountsAs::Wait),
                    Signal::Declined => (backoff(self.tries.waits), CountsAs::Wait),
                    _ => (backoff(self.tries.retries), CountsAs::Retry),
                };
                again(format!("retry:{reason}"), rest.max(floor.unwrap_or_default()), counts)
            }
            Disposition::Wait { reason, .. } => {
                again(format!("wait:{reason}"), Duration::ZERO, CountsAs::Wait)
            }
            Disposition::Damaged { reason } if self.tries.body_retries == 0 => {
                again(format!("retry:{reason}"), backoff(0), CountsAs::BodyRetry)
            }
            Disposition::Damaged { reason } => unscored(reason, heard.detail.clone()),
            Disposition::Invalid { reason, detail } => unscored(reason, detail.clone()),
            Disposition::GiveUp { .. } => Ruling::GiveUp,
            Disposition::Stop { reason, .. } if self.desk.lane.stop_reason().is_none() => {
                again(format!("retry:{reason}"), Duration::ZERO, CountsAs::Wait)
            }
            Disposition::Stop { stop, .. } => Ruling::Stop(stop.clone()),
        }
    }

    /// What a whole answer means: a verdict, one more question, or a reason why there is none.
    fn answered(&self, answer: &Answer) -> Ruling {
        let completion = match answer {
            Ok(completion) => completion,
            Err(invalid) => return self.unusable(invalid.into()),
        };
        if let (Some(other), ModelMismatch::Stop) = (self.other_model(completion), self.desk.mismatch) {
            self.stop(Stop::Refused(format!("asked for {}, {other} answered", self.desk.model())));
        }
        match self.desk.respondent.settled(completion, &self.task.question) {
            Ok(body) => Ruling::Settle(Settled::Verdict { body }),
            Err(unusable) => self.unusable(unusable),
        }
    }

    fn unusable(&self, unusable: Unusable) -> Ruling {
        let may_reask = self.desk.reask == Reask::Once && self.tries.reasks == 0;
        let may_help = unusable.remedy == Remedy::AskAgain && self.desk.respondent.may_answer_differently();
        if may_reask && may_help {
            let cause = format!("reask:{}", unusable.reason);
            return Ruling::Again(Again { cause, rest: Duration::ZERO, counts: CountsAs::Reask });
        }
        unscored(unusable.reason, unusable.detail)
    }

    /// The model that answered, when it is not the one asked for or another name of it.
    fn other_model(&self, completion: &Completion) -> Option<String> {
        let (asked, aliases) = self.desk.models.split_first()?;
        let is_other = verdict::model_match(asked, aliases, completion.model.as_deref()) == ModelMatch::Other;
        if is_other { completion.model.clone() } else { None }
    }

    /// The settlement that a ruling asks for.
    fn settlement(&self, ruling: &Ruling) -> Option<Settlement> {
        let Ruling::Settle(decision) = ruling else { return None };
        Some(Settlement { attempts: self.tries.calls, decision: decision.clone() })
    }

    /// What follows from a ruling that is on record.
    fn step(&self, ruling: Ruling) -> Result<NextStep, Stop> {
        match ruling {
            Ruling::Settle(Settled::Verdict { .. }) => Ok(NextStep::Done(Pursued::Verdict)),
            Ruling::Settle(Settled::Unscored { .. }) => Ok(NextStep::Done(Pursued::Unscored)),
            Ruling::Again(again) => Ok(NextStep::Again(again)),
            Ruling::GiveUp => Ok(NextStep::Done(Pursued::GaveUp)),
            Ruling::Stop(stop) => Err(self.stop(stop)),
        }
    }

    fn stop(&self, stop: Stop) -> Stop {
        self.desk.lane.stop(stop.clone());
        stop
    }

    fn store_failed(&self, error: StoreError) -> Stop {
        self.stop(Stop::Store(error))
    }
}

fn unscored(reason: &str, detail: String) -> Ruling {
    Ruling::Settle(Settled::Unscored { reason: reason.to_owned(), detail })
}
