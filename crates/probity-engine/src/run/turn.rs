//! One turn of a run: what one judge is needed for, and asking it until the packets end or the lane stops.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use probity_core::packet::{Packet, PacketHash};

use super::asking::SizedPacket;
use super::batch::{self, Batching, NextPass};
use super::calling::{Allowance, Called, Calling, Drove, Outbox, Taken, driven, lane_key};
use super::plan::{Missing, OnRecord, Planned, Pricing, plan};
use super::refused::Tuned;
use super::told::Context;
use super::work::{PassEnd, Unit, UnitLabel, Work};
use super::{Ran, RunError, Session, only_judge};
use crate::config::{Backend, LeftOut, Tier};
use crate::judge::{Judge, PanelAnswers, Question};
use crate::ledger::{AskAgain, Begun, JudgeId, KnownKind, RunId, RunOpening, StoreError};
use crate::schedule::Driven;
use crate::schedule::desk::{Desk, Task};
use crate::schedule::lane::{Parameters, Stop};

/// Packets that are looked up at once where other workers may have settled them.
const GROUP: usize = 128;

/// One turn of a run: what one judge is needed for, and asking it.
pub(super) struct Turn<'a> {
    pub(super) work: &'a Arc<dyn Work>,
    pub(super) session: &'a Session<'a>,
    pub(super) allowance: &'a Allowance,
    /// Calls that the budget had counted before this run: those for its replies.
    pub(super) calls_before: u64,
    /// What the members of a panel decided, where the judge is made of judges: no call is made about it.
    pub(super) answers: Option<Arc<PanelAnswers>>,
}

/// What a turn asks with.
struct TurnParts<'a> {
    left: &'a LeftOut,
    /// The judge's identity.
    identity: &'a str,
    /// What is known of its parameters.
    parameters: Parameters,
    /// How it is asked by batches, where it is.
    batching: Option<Batching>,
    /// Whether one call is to go ahead of a batch.
    is_pilot: bool,
}

impl Turn<'_> {
    /// Asks what is missing, and says whether what then is on record is to be gone on with at once. Nothing is sent in a
    /// batch where there is a reason to `halt`.
    pub(super) async fn take(&self, left: &LeftOut, halt: Option<Stop>) -> Result<(Ran, NextPass), RunError> {
        let Turn { work, session, .. } = self;
        let Session { store, mode, observer, .. } = **session;
        let asking = work.asking();
        let identity = asking.identity(left);
        let judge_id = match &asking.judge.backend {
            Backend::Recorded { verdicts: None } => only_judge(store)?,
            _ => JudgeId::of_identity(&identity),
        };
        let Planned { plan, missing, .. } = self.planned(&judge_id)?;
        observer.planned(&plan);
        let mut ran = Ran::planned(plan, judge_id);
        if !asking.may_ask(mode.network) {
            ran.run = store.reader()?.find_run(&work.manifest(&ran.judge_id))?;
            return Ok((ran, NextPass::Done));
        }
        let parameters = Tuned::judge(asking).parameters(left, store)?;
        let batching = Batching::of(asking, (left, &ran.judge_id), halt, session)?;
        let is_pilot = ran.plan.n_calls > 0
            && batching.as_ref().is_some_and(|batching| batching.needs_pilot(parameters));
        let batching = batching.filter(|_| !is_pilot);
        self.asked(ran, missing, TurnParts { left, identity: &identity, parameters, batching, is_pilot })
            .await
    }

    /// Asks what is missing.
    async fn asked(
        &self,
        ran: Ran,
        missing: Missing,
        parts: TurnParts<'_>,
    ) -> Result<(Ran, NextPass), RunError> {
        let TurnParts { left, identity, parameters, ref batching, is_pilot } = parts;
        let Turn { work, session, allowance, .. } = self;
        let Session { store, mode, key, .. } = **session;
        let (asking, n_waiting) = (work.asking(), missing.n_in_flight);
        let calling = self.calling(&ran, n_waiting, &parts);
        let context = Context::of(asking.judge.chat(), store)?;
        let limits = asking.config.call_limits(asking.judge.chat());
        let build = || match &self.answers {
            Some(answers) => Ok(Judge::Panel(Arc::clone(answers))),
            None => Ok(Judge::build(&asking.judge, left, limits, key)?.knowing(&context.learned)),
        };
        let lane = asking.judge.chat().map(lane_key);
        let mut recording = None;
        let open_run = || {
            let (judge, invocation) = (&ran.judge_id, mode.invocation.as_ref());
            let (manifest, spec) = (&work.manifest(judge), work.spec(&ran.plan).text());
            let (spec, budget) = (Some(spec.as_str()), Some(allowance.budget.terms()));
            let lane = lane.as_deref();
            let opening = RunOpening { judge, identity, manifest, invocation, spec, budget, lane };
            let run = self.open_run(opening)?;
            let (work, store) = (Arc::clone(work), store.clone());
            recording = Some(tokio::task::spawn_blocking(move || work.record_cases(&store, run)));
            Ok(run)
        };
        let n_max = if is_pilot { 1 } else { u64::MAX };
        let (source, sent, missing) = (Arc::clone(work), left.clone(), missing.at_most(n_max));
        let n_calls = calling.n_calls;
        let feed = move |desk: &Desk, tasks: &mut _| {
            let mut feeding = Feeding { work: source.as_ref(), desk, missing, left: &sent, tasks };
            // Workers that share a record begin at places of their own, and come to the rest afterwards.
            let n_later = if desk.store.is_shared() { part_of(n_calls) } else { 0 };
            feeding.pass(n_later)?;
            if n_later > 0 { feeding.pass(0) } else { Ok(()) }
        };
        let (mut next, mut n_collected, mut n_sent) = (NextPass::Done, 0, 0);
        let drive = async |desk: &Arc<Desk>| {
            let Some(batching) = batching else {
                return Ok(Drove { driven: driven(desk, mode, feed).await?, is_over: !is_pilot });
            };
            let passed = batching.pass(desk, session, feed).await?;
            (next, n_collected, n_sent) = (passed.next, passed.n_answered, passed.n_sent);
            Ok(Drove { driven: passed.driven, is_over: next == NextPass::Done && n_sent == 0 })
        };
        let called = calling.call(build, open_run, drive).await;
        if let Some(recording) = recording {
            recording.await.expect("recording cases does not panic")?;
        }
        let Called { run, mut driven, n_answered } = called?;
        let n_answered = n_answered + n_collected;
        if n_answered > 0 && parameters != Parameters::Proven {
            Tuned::judge(asking).remember_taken(left, store)?;
        }
        context.keep(store)?;
        let is_taken = |driven: &Driven| driven.stop.is_none() && driven.verdicts + driven.unscored > 0;
        if is_pilot && driven.as_ref().is_some_and(is_taken) {
            next = NextPass::Again(None);
        }
        if next == NextPass::Done && n_waiting + n_sent > 0 {
            let stop = &mut driven.get_or_insert_default().stop;
            *stop = stop.take().or(batch::waiting(&store.reader()?, &ran.judge_id)?);
        }
        let n_calls = if driven.is_some() { allowance.budget.spent().calls } else { 0 };
        Ok((Ran { run: Some(run), driven, n_calls, n_answered, ..ran }, next))
    }

    fn calling<'a>(&'a self, ran: &'a Ran, n_waiting: u64, parts: &TurnParts<'_>) -> Calling<'a> {
        let (asking, batching) = (self.work.asking(), &parts.batching);
        Calling {
            session: self.session,
            config: &asking.config,
            chat: asking.judge.chat(),
            allowance: self.allowance,
            id: &ran.judge_id,
            repeat: self.work.repeat(),
            n_calls: ran.plan.n_calls.min(if parts.is_pilot { 1 } else { u64::MAX }),
            tier: if batching.is_some() { Tier::Batch } else { asking.tier() },
            n_waiting,
            in_batches: batching.as_ref().is_some_and(|batching| !batching.open.is_empty()),
            parameters: parts.parameters,
        }
    }

    /// What is to be done. Work of which nothing can be used is refused.
    fn planned(&self, judge: &JudgeId) -> Result<Planned, RunError> {
        let Turn { work, session, .. } = self;
        let reader = &session.store.reader()?;
        let on_record = OnRecord {
            reader,
            id: judge,
            repeat: work.repeat(),
            unscored: session.mode.unscored,
            shard: session.mode.shard,
        };
        let planned = plan(work.as_ref(), Some(on_record), Pricing::Counted)?;
        let Planned { plan, first_skipped, .. } = &planned;
        if plan.n_admitted + plan.n_blocked + plan.n_no_reply > 0 {
            return Ok(planned);
        }
        let (first, reason) = match first_skipped {
            Some(skipped) => (format!("{}:{}", skipped.file, skipped.line), skipped.reason.clone()),
            None => (work.name().to_owned(), String::new()),
        };
        let (n_skipped, ran) = (plan.n_skipped, Ran::planned(planned.plan, judge.clone()));
        Err(RunError::NothingUsable { first, n_skipped, reason, ran: Box::new(ran) })
    }

    /// Begins or resumes the run, and says what makes a new one another than the last.
    fn open_run(&self, opening: RunOpening<'_>) -> Result<RunId, StoreError> {
        let begun = self.session.store.begin_judged_run(opening)?;
        // After a refused parameter the judge asked is another one, which says nothing about the work.
        let is_news = self.allowance.budget.spent().calls == self.calls_before;
        if let Begun::New { changed, .. } = &begun
            && is_news
            && !changed.is_empty()
        {
            let changed = changed.join(", ");
            self.session.observer.notice(&format!(
                "new run: changed since the last one: {changed}; verdicts are reused only where packet and judge are the same"
            ));
        }
        Ok(begun.run())
    }
}

/// A random part of `n`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "0 to n"
)]
fn part_of(n: u64) -> u64 {
    (n as f64 * rand::random::<f64>()) as u64
}

/// Tasks on their way into the outbox.
struct Feeding<'a> {
    work: &'a dyn Work,
    desk: &'a Desk,
    missing: Missing,
    left: &'a LeftOut,
    tasks: &'a mut Outbox<Question>,
}

impl Feeding<'_> {
    /// Puts a task for each missing packet into the outbox, but for the first `n_later`.
    fn pass(&mut self, n_later: u64) -> Result<(), RunError> {
        // Looked up together, where others may have settled them by now.
        let n_group = if self.desk.store.is_shared() { GROUP } else { 1 };
        let (work, mut n_met, mut group) = (self.work, 0, Vec::new());
        PassEnd::failure(work.units(&mut |unit| {
            let Unit::Asked { label, packets } = unit else { return Ok(()) };
            let label = Rc::new(label);
            for sized in packets {
                if self.missing.get(sized.packet.hash()).is_none() {
                    continue;
                }
                n_met += 1;
                if n_met <= n_later {
                    continue;
                }
                group.push((Rc::clone(&label), sized));
                if group.len() == n_group {
                    self.put(&mut group)?;
                }
            }
            Ok(())
        }))?;
        PassEnd::failure(self.put(&mut group))
    }

    /// Puts tasks for the packets of `group` that are not settled by now into the outbox.
    fn put(&mut self, group: &mut Vec<(Rc<UnitLabel>, SizedPacket)>) -> Result<(), PassEnd> {
        let Feeding { work, desk, missing, left, tasks } = self;
        let (asking, settled) = (work.asking(), settled_meanwhile(desk, group)?);
        for (label, sized) in group.drain(..) {
            let hash = sized.packet.hash();
            if settled.contains(&hash) {
                missing.take(hash);
                desk.progress.done.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            // Of two equal packets in a group the first is asked about.
            let Some(earlier) = missing.get(hash) else { continue };
            let prompt = asking.template.render(&sized.packet).inspect_err(|error| {
                desk.lane.stop(Stop::Unusable(error.to_string()));
            })?;
            let most = asking.most(&prompt, left, desk.tier).unwrap_or_default();
            // What is written for a call goes with it: a packet in memory stays without its canonical text.
            let packet = Arc::new(Packet::clone(&sized.packet));
            let question = label.question(packet, prompt);
            // Of two cases with equal content, the one that something is recorded for is asked about.
            if !desk.respondent.has_answer(&question) {
                continue;
            }
            missing.take(hash);
            if missing.n_max == 0 {
                return Err(PassEnd::Left);
            }
            missing.n_max -= 1;
            if tasks.put(Task { question, most, tokens_input: sized.tokens_input, earlier }) == Taken::No {
                return Err(PassEnd::Left);
            }
        }
        Ok(())
    }
}

/// The packets of `group` that other workers have settled since the plan was made.
fn settled_meanwhile(
    desk: &Desk,
    group: &[(Rc<UnitLabel>, SizedPacket)],
) -> Result<HashSet<PacketHash>, StoreError> {
    if !desk.store.is_shared() || !desk.lane.has_others() || group.is_empty() {
        return Ok(HashSet::new());
    }
    let hashes: Vec<PacketHash> = group.iter().map(|(_, sized)| sized.packet.hash()).collect();
    let known = desk.store.reader()?.known(&desk.judge_id, desk.repeat, &hashes)?;
    let is_settled = |known: &KnownKind| match known {
        KnownKind::Verdict => true,
        KnownKind::Unscored => desk.again == AskAgain::Never,
        KnownKind::Attempted | KnownKind::InFlight => false,
    };
    Ok(hashes.into_iter().filter(|hash| known.get(hash).is_some_and(is_settled)).collect())
}
