//! One packet, from the first call to a settlement or to giving up.
//!
//! The order is what makes a crash harmless: the attempt is on disk before it is sent, the raw answer is
//! on disk before it is read, the verdict follows. A packet that is settled is never asked again.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use probity_core::packet::Packet;
use probity_core::verdict::{
    self, Completion, EnvelopeFault, Invalid, InvalidReason, ModelMatch, Verdict, VerdictRecord,
};

use super::budget::Money;
use super::classify::{self, Billing, CallTerms, Disposition, RefusedParameter, StopReason};
use super::desk::{Desk, Earlier, Pursued, REPEAT, Task};
use super::lane::{Signal, Stop};
use crate::config::{ModelMismatch, Reask};
use crate::judge::{CallOutcome, Reception};
use crate::store::{AttemptEnd, AttemptId, AttemptOutcome, AttemptStart, Decision, Settlement, StoreError};

/// Rate-limit waits a packet sits out for each attempt it has. A wait is not the packet's fault.
const WAITS_PER_ATTEMPT: u32 = 4;

/// The outcome of an attempt that brought a whole answer.
const ANSWERED: &str = "answered";

/// A call that has ended and been recorded.
struct Ended {
    attempt: AttemptId,
    disposition: Disposition,
    /// What a whole answer says; `None` when there is no whole answer.
    completion: Option<Result<Completion, EnvelopeFault>>,
    /// A pause that the answer's headers ask for.
    pause: Option<Duration>,
}

/// What an ended call leads to.
enum Step {
    Done(Pursued),
    Again { cause: String, rest: Duration, counts: Counts },
}

/// What a further call counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Retry,
    Wait,
    Reask,
    BodyRetry,
}

/// How often a packet has been asked, by reason.
#[derive(Default)]
struct Tries {
    calls: u32,
    retries: u32,
    waits: u32,
    reasks: u32,
    body_retries: u32,
}

impl Tries {
    /// Counts a further call and tells whether that was one too many.
    fn exhausted(&mut self, counts: Counts, attempts_max: u32) -> bool {
        let (count, max) = match counts {
            Counts::Retry => (&mut self.retries, attempts_max),
            Counts::Wait => (&mut self.waits, WAITS_PER_ATTEMPT * attempts_max),
            Counts::Reask => (&mut self.reasks, u32::MAX),
            Counts::BodyRetry => (&mut self.body_retries, u32::MAX),
        };
        *count += 1;
        *count >= max
    }
}

/// Pursues one packet to its end, or stops because the lane does.
pub(super) async fn pursue(desk: &Desk, task: &Task) -> Result<Pursued, Stop> {
    let mut pursuit = Pursuit { desk, task, tries: Tries::default() };
    if task.earlier == Earlier::Attempts
        && let Some(done) = pursuit.read_recorded().await?
    {
        return Ok(done);
    }
    let mut cause = "first".to_owned();
    loop {
        let ended = pursuit.call(&cause).await?;
        match pursuit.step(ended).await? {
            Step::Done(done) => return Ok(done),
            Step::Again { cause: next, rest, counts } => {
                if pursuit.tries.exhausted(counts, desk.settings.attempts_max) {
                    return Ok(Pursued::GaveUp);
                }
                cause = next;
                if !rest.is_zero() {
                    desk.lane.rest(rest).await?;
                }
            }
        }
    }
}

/// One packet under way.
struct Pursuit<'a> {
    desk: &'a Desk,
    task: &'a Task,
    tries: Tries,
}

impl Pursuit<'_> {
    /// Answers that a dead process had stored and not read are read now, at no cost.
    async fn read_recorded(&mut self) -> Result<Option<Pursued>, Stop> {
        let packet = &self.task.question.packet;
        let attempts = {
            let reader = self.desk.store.reader().map_err(|error| self.store_failed(error))?;
            reader
                .attempts_of(&packet.hash(), &self.desk.judge_id, REPEAT)
                .map_err(|error| self.store_failed(error))?
        };
        self.tries.calls = attempts.iter().map(|attempt| attempt.n).max().unwrap_or(0);
        let answered = AttemptOutcome::Ended(ANSWERED.to_owned());
        for attempt in attempts.iter().filter(|attempt| attempt.outcome == answered) {
            let Ok(completion) = self.desk.judge.completion(&attempt.raw) else { continue };
            if let Ok(verdict) = self.verdict(&completion, packet) {
                self.settle_verdict(attempt.attempt, &verdict).await?;
                return Ok(Some(Pursued::Verdict));
            }
        }
        Ok(None)
    }

    /// Makes one call and records it.
    async fn call(&mut self, cause: &str) -> Result<Ended, Stop> {
        let permit = self.desk.lane.enter().await?;
        let reserved = self.desk.budget.reserve(self.task.most);
        let reservation = reserved.map_err(|exhausted| self.stop(Stop::Budget(exhausted.to_string())))?;
        self.tries.calls += 1;
        let packet = &self.task.question.packet;
        let start = AttemptStart {
            packet: packet.hash(),
            packet_body: packet.canonical().into(),
            judge: self.desk.judge_id.clone(),
            run: self.desk.run,
            repeat: REPEAT,
            n: self.tries.calls,
            cause: cause.to_owned(),
            started_unix_ms: unix_ms(),
        };
        let attempt = self.desk.store.begin_attempt(start).await.map_err(|error| self.store_failed(error))?;
        self.desk.progress.calls.fetch_add(1, Ordering::Relaxed);
        let reception = self.desk.judge.ask(&self.task.question).await;
        drop(permit);

        let disposition = self.disposition(&reception);
        let (completion, pause) = match (&reception.outcome, &disposition) {
            (CallOutcome::Response(response), Disposition::Answer) => {
                (Some(self.desk.judge.completion(&response.body)), classify::preemptive_wait(response))
            }
            _ => (None, None),
        };
        let usage = completion.as_ref().and_then(|read| read.as_ref().ok()).and_then(|read| read.usage);
        let cost = usage.zip(self.desk.price).map(|(usage, price)| Money::of(price, usage));
        let free = classify::billing(&reception.outcome) == Billing::No;
        self.desk.budget.settle(reservation, if free { Some(Money::default()) } else { cost });
        self.desk
            .progress
            .picos
            .store(self.desk.budget.spent().money.picos().unsigned_abs(), Ordering::Relaxed);
        let end = attempt_end(reception, &disposition, completion.as_ref(), cost);
        self.desk.store.end_attempt(attempt, end).await.map_err(|error| self.store_failed(error))?;
        Ok(Ended { attempt, disposition, completion, pause })
    }

    fn disposition(&self, reception: &Reception) -> Disposition {
        let model = self.desk.settings.models.first().map_or("", String::as_str);
        let wait_max = self.desk.settings.retry_after_max;
        let terms = CallTerms { model, wait_max, received_unix_ms: Some(unix_ms()) };
        classify::classify(&reception.outcome, &terms)
    }

    /// What an ended call means for its lane and for its packet.
    async fn step(&self, ended: Ended) -> Result<Step, Stop> {
        let Ended { attempt, disposition, completion, pause } = ended;
        if let Some(completion) = completion {
            self.desk.lane.observe(Signal::Clean, "");
            self.hold_back(pause)?;
            return self.answered(attempt, completion).await;
        }
        match disposition {
            Disposition::Answer => unreachable!("an answer has a completion"),
            Disposition::Retry { reason, floor, signal } => Ok(self.retry(reason, floor, signal)),
            Disposition::Wait { reason, pause, .. } => {
                self.desk.lane.observe(Signal::RateLimited, reason);
                self.desk.lane.pause(pause);
                Ok(Step::Again {
                    cause: format!("wait:{reason}"),
                    rest: Duration::ZERO,
                    counts: Counts::Wait,
                })
            }
            Disposition::RetryOnce { reason } => {
                self.desk.lane.observe(Signal::Failure, reason);
                self.damaged(attempt, reason, String::new()).await
            }
            Disposition::Invalid { reason, detail } => {
                self.desk.lane.observe(Signal::Overloaded, reason);
                self.settle_unscored(attempt, reason, detail).await
            }
            Disposition::Stop { reason, message } | Disposition::Abort { reason, message } => {
                Err(self.stop(match reason {
                    StopReason::Quota | StopReason::WaitTooLong => Stop::Quota(message),
                    StopReason::Credentials | StopReason::Redirect => Stop::Refused(message),
                    StopReason::Parameter(RefusedParameter::StructuredOutput) => Stop::SchemaRefused(message),
                    StopReason::Model | StopReason::Parameter(_) | StopReason::Certificate => {
                        Stop::Unusable(message)
                    }
                }))
            }
        }
    }

    /// Observes the pause that a successful answer's headers ask for. A pause beyond the cap means that
    /// the account is used up for now.
    fn hold_back(&self, pause: Option<Duration>) -> Result<(), Stop> {
        match pause {
            Some(pause) if pause > self.desk.settings.retry_after_max => {
                let message = format!("the rate limit is used up for {} s", pause.as_secs());
                Err(self.stop(Stop::Quota(message)))
            }
            Some(pause) => {
                self.desk.lane.pause(pause);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn retry(&self, reason: &str, floor: Option<Duration>, signal: classify::Signal) -> Step {
        let (signal, backoff, counts) = match signal {
            classify::Signal::Transient => (Signal::Failure, self.backoff(self.tries.retries), Counts::Retry),
            // A limit without a time: a packet that meets it again and again waits longer each time.
            classify::Signal::Overloaded => {
                (Signal::RateLimited, self.backoff(self.tries.waits + 1), Counts::Wait)
            }
            classify::Signal::Refused => (Signal::Overloaded, self.backoff(self.tries.waits), Counts::Wait),
        };
        self.desk.lane.observe(signal, reason);
        let rest = backoff.max(floor.unwrap_or_default());
        Step::Again { cause: format!("retry:{reason}"), rest, counts }
    }

    /// A body that cannot be read is asked for once more; then it stays unread.
    async fn damaged(&self, attempt: AttemptId, reason: &str, detail: String) -> Result<Step, Stop> {
        if self.tries.body_retries == 0 {
            let (cause, rest) = (format!("retry:{reason}"), self.backoff(0));
            return Ok(Step::Again { cause, rest, counts: Counts::BodyRetry });
        }
        self.settle_unscored(attempt, "bad_body", detail).await
    }

    /// What a whole answer means: a verdict, one more question, or a reason why there is none.
    async fn answered(
        &self,
        attempt: AttemptId,
        completion: Result<Completion, EnvelopeFault>,
    ) -> Result<Step, Stop> {
        let packet = &self.task.question.packet;
        let completion = match completion {
            Ok(completion) => completion,
            Err(EnvelopeFault::CutStream) => {
                let rest = self.backoff(self.tries.retries);
                return Ok(Step::Again { cause: "retry:cut_stream".into(), rest, counts: Counts::Retry });
            }
            Err(EnvelopeFault::NoChoice) => {
                return self
                    .invalid(attempt, &Invalid { reason: InvalidReason::NoChoice, detail: String::new() })
                    .await;
            }
            Err(fault) => return self.damaged(attempt, "bad_body", fault.to_string()).await,
        };
        if let Some(other) = self.other_model(&completion) {
            let asked = self.desk.settings.models.first().map_or("", String::as_str);
            let detail = format!("asked for {asked}, {other} answered");
            match self.desk.settings.mismatch {
                ModelMismatch::Note => {}
                ModelMismatch::Invalid => {
                    return self.settle_unscored(attempt, "other_model", detail).await;
                }
                ModelMismatch::Stop => return Err(self.stop(Stop::Unusable(detail))),
            }
        }
        match self.verdict(&completion, packet) {
            Ok(verdict) => {
                self.settle_verdict(attempt, &verdict).await?;
                Ok(Step::Done(Pursued::Verdict))
            }
            Err(invalid) => self.invalid(attempt, &invalid).await,
        }
    }

    async fn invalid(&self, attempt: AttemptId, invalid: &Invalid) -> Result<Step, Stop> {
        let again =
            self.desk.settings.reask == Reask::Once && self.tries.reasks == 0 && invalid.reason.reask();
        if again && self.desk.judge.may_answer_differently() {
            let cause = format!("reask:{}", invalid.reason.name());
            return Ok(Step::Again { cause, rest: Duration::ZERO, counts: Counts::Reask });
        }
        self.settle_unscored(attempt, invalid.reason.name(), invalid.detail.clone()).await
    }

    fn verdict(&self, completion: &Completion, packet: &Packet) -> Result<Verdict, Invalid> {
        verdict::read(completion, packet, self.desk.settings.parse)
    }

    /// The model that answered, when it is not the one asked for or another name of it.
    fn other_model(&self, completion: &Completion) -> Option<String> {
        let (asked, aliases) = self.desk.settings.models.split_first()?;
        let is_other = verdict::model_match(asked, aliases, completion.model.as_deref()) == ModelMatch::Other;
        if is_other { completion.model.clone() } else { None }
    }

    async fn settle_verdict(&self, attempt: AttemptId, verdict: &Verdict) -> Result<(), Stop> {
        let body = serde_json::to_string(&VerdictRecord::from(verdict)).expect("a verdict is plain data");
        self.settle(attempt, Decision::Verdict { body }).await
    }

    async fn settle_unscored(&self, attempt: AttemptId, reason: &str, detail: String) -> Result<Step, Stop> {
        let decision = Decision::Unscored { reason: reason.to_owned(), detail };
        self.settle(attempt, decision).await?;
        Ok(Step::Done(Pursued::Unscored))
    }

    async fn settle(&self, attempt: AttemptId, decision: Decision) -> Result<(), Stop> {
        let settlement = Settlement {
            packet: self.task.question.packet.hash(),
            judge: self.desk.judge_id.clone(),
            repeat: REPEAT,
            attempts: self.tries.calls,
            attempt: Some(attempt),
            decision,
        };
        self.desk.store.settle(settlement).await.map(|_| ()).map_err(|error| self.store_failed(error))
    }

    /// Exponential back-off with full jitter.
    fn backoff(&self, earlier: u32) -> Duration {
        let factor = 2_u32.checked_pow(earlier).unwrap_or(u32::MAX);
        let most =
            self.desk.settings.backoff_first.saturating_mul(factor).min(self.desk.settings.backoff_max);
        most.mul_f64(rand::random::<f64>())
    }

    fn stop(&self, stop: Stop) -> Stop {
        self.desk.lane.stop(stop.clone());
        stop
    }

    fn store_failed(&self, error: StoreError) -> Stop {
        self.stop(Stop::Store(error))
    }
}

fn attempt_end(
    reception: Reception,
    disposition: &Disposition,
    completion: Option<&Result<Completion, EnvelopeFault>>,
    cost: Option<Money>,
) -> AttemptEnd {
    let (http_status, raw, broken) = match reception.outcome {
        CallOutcome::Response(response) => (Some(response.status), response.body, String::new()),
        CallOutcome::Broken { partial, fault } => (None, partial, fault.to_string()),
    };
    let completion = completion.and_then(|read| read.as_ref().ok());
    let usage = completion.and_then(|read| read.usage);
    let tokens = |count: Option<u64>| count.and_then(|count| u32::try_from(count).ok());
    let (outcome, detail) = outcome(disposition, broken);
    AttemptEnd {
        outcome: outcome.to_owned(),
        detail,
        raw,
        http_status,
        tokens_in: tokens(usage.map(|usage| usage.input)),
        tokens_out: tokens(usage.map(|usage| usage.output)),
        cost_picodollars: cost.map(Money::picos),
        model: completion.and_then(|read| read.model.clone()),
        fingerprint: completion.and_then(|read| read.fingerprint.clone()),
        response_id: completion.and_then(|read| read.response_id.clone()),
        elapsed_ms: u32::try_from(reception.elapsed.as_millis()).unwrap_or(u32::MAX),
    }
}

/// The name and the details under which an attempt is kept.
fn outcome(disposition: &Disposition, broken: String) -> (&'static str, String) {
    match disposition {
        Disposition::Answer => (ANSWERED, String::new()),
        Disposition::Retry { reason, .. }
        | Disposition::Wait { reason, .. }
        | Disposition::RetryOnce { reason } => (reason, broken),
        Disposition::Invalid { reason, detail } => (reason, detail.clone()),
        Disposition::Stop { reason, message } | Disposition::Abort { reason, message } => {
            (reason.name(), message.clone())
        }
    }
}

/// Wall time, for records only: nothing waits by it or is ordered by it.
fn unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
