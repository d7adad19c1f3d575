//! One packet, from the first call to a settlement or to giving up.
//!
//! The order is what makes a crash harmless: the attempt is on disk before it is sent, the raw answer is
//! on disk before it is read, the verdict follows. A packet that is settled is never asked again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use probity_core::packet::Packet;
use probity_core::verdict::{
    self, Completion, EnvelopeFault, Invalid, InvalidReason, ModelMatch, ParseMode, Verdict, VerdictRecord,
};

use super::budget::{Budget, Money};
use super::classify::{self, Billing, CallTerms, Disposition, RefusedParameter, StopReason};
use super::lane::{Lane, Signal, Stop};
use crate::config::{ModelMismatch, Price, Reask};
use crate::judge::{CallOutcome, Judge, Question, Reception};
use crate::store::{
    AttemptEnd, AttemptId, AttemptOutcome, AttemptStart, Decision, JudgeId, RunId, Settlement, Store, StoreError,
};

/// Rate-limit waits a packet sits out for each attempt it has. A wait is not the packet's fault.
const WAITS_PER_ATTEMPT: u32 = 4;

/// The outcome of an attempt that brought a whole answer.
const ANSWERED: &str = "answered";

/// Packets are asked about once; independent repeats would be numbered from here.
pub const REPEAT: u32 = 0;

/// How a packet is pursued.
#[derive(Debug, Clone, PartialEq)]
pub struct PursuitSettings {
    /// Calls for one packet at most, waits apart.
    pub attempts_max: u32,
    /// The first back-off, before jitter.
    pub backoff_first: Duration,
    /// The longest back-off, before jitter.
    pub backoff_max: Duration,
    /// The longest pause a server may ask for; a longer one stops the lane.
    pub retry_after_max: Duration,
    /// Whether unusable answers are asked for again.
    pub reask: Reask,
    /// Which clean-ups are allowed.
    pub parse: ParseMode,
    /// What another model's answer is worth.
    pub mismatch: ModelMismatch,
    /// The model asked for and other names of it; empty where the judge has no model.
    pub models: Vec<String>,
}

/// A packet to be asked about.
#[derive(Debug, Clone)]
pub struct Task {
    /// What is asked.
    pub question: Question,
    /// The most one call can cost.
    pub most: Money,
    /// What the store already holds about it.
    pub earlier: Earlier,
}

/// What the store holds about a packet that has no settlement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// Attempts, and perhaps answers that were never read.
    Attempts,
    /// Nothing.
    Nothing,
}

/// How a pursuit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pursued {
    /// A verdict is on record.
    Verdict,
    /// The judge's answers were no verdict, and that is on record.
    Unscored,
    /// Every attempt failed on the way. Nothing is settled; the next run asks again.
    GaveUp,
}

/// Counters that a progress display reads while calls are under way.
#[derive(Debug, Default)]
pub struct Progress {
    /// Packets to do.
    pub total: AtomicU64,
    /// Packets settled or given up.
    pub done: AtomicU64,
    /// Of those, packets without a verdict.
    pub unscored: AtomicU64,
    /// Calls sent.
    pub calls: AtomicU64,
    /// Picodollars spent.
    pub picos: AtomicU64,
}

/// Everything that pursuits share.
pub struct Desk {
    /// The judge.
    pub judge: Judge,
    /// Its identity.
    pub judge_id: JudgeId,
    /// Where everything is kept.
    pub store: Store,
    /// The run that calls are recorded under.
    pub run: RunId,
    /// The lane to the judge.
    pub lane: Lane,
    /// The limits on calls and money.
    pub budget: Budget,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// How packets are pursued.
    pub settings: PursuitSettings,
    /// What a display may read.
    pub progress: Progress,
}

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

impl Desk {
    /// Pursues one packet to its end, or stops because the lane does.
    pub async fn pursue(&self, task: &Task) -> Result<Pursued, Stop> {
        let mut tries = Tries::default();
        if task.earlier == Earlier::Attempts
            && let Some(done) = self.read_recorded(task, &mut tries).await?
        {
            return Ok(done);
        }
        let mut cause = "first".to_owned();
        loop {
            let ended = self.call(task, &mut tries, &cause).await?;
            match self.step(task, &tries, ended).await? {
                Step::Done(done) => return Ok(done),
                Step::Again { cause: next, rest, counts } => {
                    if tries.exhausted(counts, self.settings.attempts_max) {
                        return Ok(Pursued::GaveUp);
                    }
                    cause = next;
                    if !rest.is_zero() {
                        self.lane.rest(rest).await?;
                    }
                }
            }
        }
    }

    /// Answers that a dead process had stored and not read are read now, at no cost.
    async fn read_recorded(&self, task: &Task, tries: &mut Tries) -> Result<Option<Pursued>, Stop> {
        let packet = &task.question.packet;
        let attempts = {
            let reader = self.store.reader().map_err(|error| self.store_failed(error))?;
            reader.attempts_of(&packet.hash(), &self.judge_id, REPEAT).map_err(|error| self.store_failed(error))?
        };
        tries.calls = attempts.iter().map(|attempt| attempt.n).max().unwrap_or(0);
        let answered = AttemptOutcome::Ended(ANSWERED.to_owned());
        for attempt in attempts.iter().filter(|attempt| attempt.outcome == answered) {
            let Ok(completion) = self.judge.completion(&attempt.raw) else { continue };
            if let Ok(verdict) = self.verdict(&completion, packet) {
                self.settle_verdict(packet, tries.calls, attempt.attempt, &verdict).await?;
                return Ok(Some(Pursued::Verdict));
            }
        }
        Ok(None)
    }

    /// Makes one call and records it.
    async fn call(&self, task: &Task, tries: &mut Tries, cause: &str) -> Result<Ended, Stop> {
        let permit = self.lane.enter().await?;
        let reserved = self.budget.reserve(task.most);
        let reservation = reserved.map_err(|exhausted| self.stop(Stop::Budget(exhausted.to_string())))?;
        tries.calls += 1;
        let packet = &task.question.packet;
        let start = AttemptStart {
            packet: packet.hash(),
            packet_body: packet.canonical().into(),
            judge: self.judge_id.clone(),
            run: self.run,
            repeat: REPEAT,
            n: tries.calls,
            cause: cause.to_owned(),
            started_unix_ms: unix_ms(),
        };
        let attempt = self.store.begin_attempt(start).await.map_err(|error| self.store_failed(error))?;
        self.progress.calls.fetch_add(1, Ordering::Relaxed);
        let reception = self.judge.ask(&task.question).await;
        drop(permit);

        let disposition = self.disposition(&reception);
        let (completion, pause) = match (&reception.outcome, &disposition) {
            (CallOutcome::Response(response), Disposition::Answer) => {
                (Some(self.judge.completion(&response.body)), classify::preemptive_wait(response))
            }
            _ => (None, None),
        };
        let usage = completion.as_ref().and_then(|read| read.as_ref().ok()).and_then(|read| read.usage);
        let cost = usage.zip(self.price).map(|(usage, price)| Money::of(price, usage));
        let free = classify::billing(&reception.outcome) == Billing::No;
        self.budget.settle(reservation, if free { Some(Money::default()) } else { cost });
        self.progress.picos.store(self.budget.spent().money.picos().unsigned_abs(), Ordering::Relaxed);
        let end = attempt_end(reception, &disposition, completion.as_ref(), cost);
        self.store.end_attempt(attempt, end).await.map_err(|error| self.store_failed(error))?;
        Ok(Ended { attempt, disposition, completion, pause })
    }

    fn disposition(&self, reception: &Reception) -> Disposition {
        let model = self.settings.models.first().map_or("", String::as_str);
        let wait_max = self.settings.retry_after_max;
        let terms = CallTerms { model, wait_max, received_unix_ms: Some(unix_ms()) };
        classify::classify(&reception.outcome, &terms)
    }

    /// What an ended call means for its lane and for its packet.
    async fn step(&self, task: &Task, tries: &Tries, ended: Ended) -> Result<Step, Stop> {
        let Ended { attempt, disposition, completion, pause } = ended;
        if let Some(completion) = completion {
            self.lane.observe(Signal::Clean, "");
            self.hold_back(pause)?;
            return self.answered(task, tries, attempt, completion).await;
        }
        match disposition {
            Disposition::Answer => unreachable!("an answer has a completion"),
            Disposition::Retry { reason, floor, signal } => Ok(self.retry(tries, reason, floor, signal)),
            Disposition::Wait { reason, pause, .. } => {
                self.lane.observe(Signal::RateLimited, reason);
                self.lane.pause(pause);
                Ok(Step::Again { cause: format!("wait:{reason}"), rest: Duration::ZERO, counts: Counts::Wait })
            }
            Disposition::RetryOnce { reason } => {
                self.lane.observe(Signal::Failure, reason);
                self.damaged(task, tries, attempt, reason, String::new()).await
            }
            Disposition::Invalid { reason, detail } => {
                self.lane.observe(Signal::Overloaded, reason);
                self.settle_unscored(task, tries, attempt, reason, detail).await
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
            Some(pause) if pause > self.settings.retry_after_max => {
                let message = format!("the rate limit is used up for {} s", pause.as_secs());
                Err(self.stop(Stop::Quota(message)))
            }
            Some(pause) => {
                self.lane.pause(pause);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn retry(&self, tries: &Tries, reason: &str, floor: Option<Duration>, signal: classify::Signal) -> Step {
        let (signal, backoff, counts) = match signal {
            classify::Signal::Transient => (Signal::Failure, self.backoff(tries.retries), Counts::Retry),
            // A limit without a time: a packet that meets it again and again waits longer each time.
            classify::Signal::Overloaded => (Signal::RateLimited, self.backoff(tries.waits + 1), Counts::Wait),
            classify::Signal::Refused => (Signal::Overloaded, self.backoff(tries.waits), Counts::Wait),
        };
        self.lane.observe(signal, reason);
        let rest = backoff.max(floor.unwrap_or_default());
        Step::Again { cause: format!("retry:{reason}"), rest, counts }
    }

    /// A body that cannot be read is asked for once more; then it stays unread.
    async fn damaged(
        &self,
        task: &Task,
        tries: &Tries,
        attempt: AttemptId,
        reason: &str,
        detail: String,
    ) -> Result<Step, Stop> {
        if tries.body_retries == 0 {
            let (cause, rest) = (format!("retry:{reason}"), self.backoff(0));
            return Ok(Step::Again { cause, rest, counts: Counts::BodyRetry });
        }
        self.settle_unscored(task, tries, attempt, "bad_body", detail).await
    }

    /// What a whole answer means: a verdict, one more question, or a reason why there is none.
    async fn answered(
        &self,
        task: &Task,
        tries: &Tries,
        attempt: AttemptId,
        completion: Result<Completion, EnvelopeFault>,
    ) -> Result<Step, Stop> {
        let packet = &task.question.packet;
        let completion = match completion {
            Ok(completion) => completion,
            Err(EnvelopeFault::CutStream) => {
                let rest = self.backoff(tries.retries);
                return Ok(Step::Again { cause: "retry:cut_stream".into(), rest, counts: Counts::Retry });
            }
            Err(EnvelopeFault::NoChoice) => {
                return self.invalid(task, tries, attempt, &Invalid { reason: InvalidReason::NoChoice, detail: String::new() }).await;
            }
            Err(fault) => return self.damaged(task, tries, attempt, "bad_body", fault.to_string()).await,
        };
        if let Some(other) = self.other_model(&completion) {
            let asked = self.settings.models.first().map_or("", String::as_str);
            let detail = format!("asked for {asked}, {other} answered");
            match self.settings.mismatch {
                ModelMismatch::Note => {}
                ModelMismatch::Invalid => {
                    return self.settle_unscored(task, tries, attempt, "other_model", detail).await;
                }
                ModelMismatch::Stop => return Err(self.stop(Stop::Unusable(detail))),
            }
        }
        match self.verdict(&completion, packet) {
            Ok(verdict) => {
                self.settle_verdict(packet, tries.calls, attempt, &verdict).await?;
                Ok(Step::Done(Pursued::Verdict))
            }
            Err(invalid) => self.invalid(task, tries, attempt, &invalid).await,
        }
    }

    async fn invalid(
        &self,
        task: &Task,
        tries: &Tries,
        attempt: AttemptId,
        invalid: &Invalid,
    ) -> Result<Step, Stop> {
        let again = self.settings.reask == Reask::Once && tries.reasks == 0 && invalid.reason.reask();
        if again && self.judge.may_answer_differently() {
            let cause = format!("reask:{}", invalid.reason.name());
            return Ok(Step::Again { cause, rest: Duration::ZERO, counts: Counts::Reask });
        }
        self.settle_unscored(task, tries, attempt, invalid.reason.name(), invalid.detail.clone()).await
    }

    fn verdict(&self, completion: &Completion, packet: &Packet) -> Result<Verdict, Invalid> {
        verdict::read(completion, packet, self.settings.parse)
    }

    /// The model that answered, when it is not the one asked for or another name of it.
    fn other_model(&self, completion: &Completion) -> Option<String> {
        let (asked, aliases) = self.settings.models.split_first()?;
        let is_other = verdict::model_match(asked, aliases, completion.model.as_deref()) == ModelMatch::Other;
        if is_other { completion.model.clone() } else { None }
    }

    async fn settle_verdict(
        &self,
        packet: &Packet,
        calls: u32,
        attempt: AttemptId,
        verdict: &Verdict,
    ) -> Result<(), Stop> {
        let body = serde_json::to_string(&VerdictRecord::from(verdict)).expect("a verdict is plain data");
        self.settle(packet, calls, attempt, Decision::Verdict { body }).await
    }

    async fn settle_unscored(
        &self,
        task: &Task,
        tries: &Tries,
        attempt: AttemptId,
        reason: &str,
        detail: String,
    ) -> Result<Step, Stop> {
        let decision = Decision::Unscored { reason: reason.to_owned(), detail };
        self.settle(&task.question.packet, tries.calls, attempt, decision).await?;
        Ok(Step::Done(Pursued::Unscored))
    }

    async fn settle(
        &self,
        packet: &Packet,
        attempts: u32,
        attempt: AttemptId,
        decision: Decision,
    ) -> Result<(), Stop> {
        let settlement = Settlement {
            packet: packet.hash(),
            judge: self.judge_id.clone(),
            repeat: REPEAT,
            attempts,
            attempt: Some(attempt),
            decision,
        };
        self.store.settle(settlement).await.map(|_| ()).map_err(|error| self.store_failed(error))
    }

    /// Exponential back-off with full jitter.
    fn backoff(&self, earlier: u32) -> Duration {
        let factor = 2_u32.checked_pow(earlier).unwrap_or(u32::MAX);
        let most = self.settings.backoff_first.saturating_mul(factor).min(self.settings.backoff_max);
        most.mul_f64(rand::random::<f64>())
    }

    fn stop(&self, stop: Stop) -> Stop {
        self.lane.stop(stop.clone());
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
        Disposition::Retry { reason, .. } | Disposition::Wait { reason, .. } | Disposition::RetryOnce { reason } => {
            (reason, broken)
        }
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
