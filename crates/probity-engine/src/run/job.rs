//! What a run is about: cases, rubric, template and judge, and the packets that follow from them.
//!
//! Cases are read, screened and turned into packets anew each time they are needed, so a run of any size fits in
//! memory and every pass sees the same thing. Those of a small run are kept after the first pass (`Kept`).

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use probity_core::case::{Case, Entry};
use probity_core::gate::{Admitted, Blocked, Gate};
use probity_core::packet::{self, Ask, CallPlan};
use probity_core::report::Facts;
use probity_core::rubric::{Criterion, ReferenceUse, Rubric};

use super::RunError;
use super::ahead::each_screened;
use super::asking::{Asking, SizedPacket};
use super::kept::Kept;
use super::replies::{NoReply, Replies, not_asked, same_model};
use super::work::{Unit, UnitLabel, Units, Work};
use crate::config::{Config, JudgeSettings};
use crate::judge::prompt::{Template, TemplateError};
use crate::load::{Dataset, LoadError, Place, Record, Skipped};
use crate::store::{JudgeId, Manifest, Store, StoreError};
use crate::target::TargetDefinition;

/// What a job is made of.
#[derive(Debug)]
pub struct Definition {
    /// The cases.
    pub dataset: Dataset,
    /// The files' names, for people and for telling runs apart.
    pub dataset_name: String,
    /// The rubric.
    pub rubric: Rubric,
    /// The prompt template.
    pub template: Template,
    /// The rules that decide which replies are judged.
    pub gate: Gate,
    /// All settings.
    pub config: Config,
    /// The judge.
    pub judge: JudgeSettings,
    /// What writes the replies that cases come without, where there is one.
    pub target: Option<TargetDefinition>,
}

/// Cases, rubric, template and judge of a run.
#[derive(Debug)]
pub struct Job {
    /// The cases.
    pub dataset: Dataset,
    /// The files' names, for people and for telling runs apart.
    pub dataset_name: String,
    /// The rubric.
    pub rubric: Rubric,
    /// How many criteria go into one call.
    pub plan: CallPlan,
    /// Who is asked, and how.
    pub asking: Asking,
    /// The rules that decide which replies are judged.
    gate: Gate,
    asks: Vec<SizedAsk>,
    kept: Kept,
    target: Option<Arc<TargetDefinition>>,
    /// What the target said, once it has been asked.
    replies: OnceLock<Replies>,
    /// Which time the judge looks at the same cases, from 1.
    round: u32,
}

/// The parts of a run that its results tell. Rubric and judge stand there by themselves. A program's command line, an
/// endpoint's address and the path of recorded verdicts stay in the store: arguments can hold secrets, and an address
/// or a path is of one network or machine.
pub(super) fn told_parts(manifest: &Manifest) -> Vec<(String, String)> {
    let elsewhere =
        ["rubric", "judge", "judge.kind", "judge.model", "judge.base_url", "judge.command", "judge.verdicts"];
    let parts = manifest.parts.iter().filter(|(name, _)| !elsewhere.contains(&name.as_str()));
    parts.cloned().collect()
}

/// An ask with the length of everything in its prompt that is not the case's own text.
#[derive(Debug)]
pub(super) struct SizedAsk {
    ask: Arc<Ask>,
    overhead_chars: u64,
}

/// A record on its way to the judge.
#[derive(Debug)]
pub enum Screened {
    /// The gate admitted the reply; these packets ask about it.
    Admitted {
        /// Where the record stands.
        place: Place,
        /// The admitted reply.
        admitted: Admitted,
        /// One packet per call, in the order of the rubric.
        packets: Vec<SizedPacket>,
    },
    /// The gate blocked the reply.
    Blocked {
        /// Where the record stands.
        place: Place,
        /// The blocked reply.
        blocked: Box<Blocked>,
    },
    /// The target gave no reply.
    NoReply(NoReply),
    /// The record cannot be used.
    Skipped(Skipped),
}

impl Job {
    /// Puts the parts together. Fails where the template cannot be filled in or the judge's file cannot be
    /// read.
    pub fn new(definition: Definition) -> Result<Self, RunError> {
        let Definition { dataset, dataset_name, rubric, template, gate, config, judge, target } = definition;
        let asking = Asking::new(judge, template, config)?;
        let plan = asking.config.run.call_plan;
        let asks = packet::asks(&rubric, plan)
            .into_iter()
            .map(|ask| SizedAsk::new(ask, &asking))
            .collect::<Result<_, TemplateError>>()?;
        let (kept, target, replies) = (Kept::default(), target.map(Arc::new), OnceLock::new());
        Ok(Job { dataset, dataset_name, rubric, plan, asking, gate, asks, kept, target, replies, round: 1 })
    }

    /// The same job, for which everything is asked anew in each round from 1 on: the verdicts of one round say
    /// nothing in another.
    #[must_use]
    pub fn in_round(mut self, round: NonZeroU32) -> Self {
        self.round = round.get();
        self
    }

    /// The rules that decide which replies are judged.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// What a run of this job was made of, for its results.
    pub(super) fn definition(&self, id: &JudgeId) -> Vec<(String, String)> {
        told_parts(&self.manifest(id))
    }

    /// What writes the replies that cases come without.
    pub fn target(&self) -> Option<&Arc<TargetDefinition>> {
        self.target.as_ref()
    }

    /// Reads the target's replies from `store` from now on. Before that no case without a reply has one.
    pub fn take_replies(&self, store: &Store) -> Result<(), StoreError> {
        let replies = Replies::new(store.reader()?, self.repeat());
        // Whoever was first reads the same store.
        let _ = self.replies.set(replies);
        Ok(())
    }

    /// What a pass failed for, where it was not the file.
    pub(super) fn cause(&self, error: RunError) -> RunError {
        self.replies.get().and_then(Replies::failure).unwrap_or(error)
    }

    /// What a reader should know about the target.
    pub(super) fn target_warnings(&self, facts: &Facts) -> Vec<String> {
        let (Some(target), Some(about)) = (&self.target, &facts.target) else { return Vec::new() };
        let same = same_model(
            (&self.asking.judge, &facts.judge.answered_as),
            (target.settings(), &about.answered_as),
        );
        let doubts = self.replies.get().and_then(|replies| replies.warning(target));
        same.into_iter().chain(doubts).collect()
    }

    /// One pass over the cases that come without a reply and could be judged if they had one.
    pub(super) fn unanswered(&self) -> Result<impl Iterator<Item = Result<Case, LoadError>> + '_, LoadError> {
        Ok(self.dataset.records()?.filter_map(|record| match record {
            Err(error) => Some(Err(error)),
            Ok(Record::Unanswered { case, .. }) if lacking(&self.rubric, &case).is_none() => Some(Ok(*case)),
            Ok(_) => None,
        }))
    }

    /// Calls needed for one admitted reply.
    pub fn calls_per_reply(&self) -> usize {
        self.asks.len()
    }

    /// The cases as an earlier pass has kept them.
    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Begins to screen the cases beside whatever is done meanwhile, where they are few and have their replies. What
    /// is wrong with them is said by the first pass over them, as without this.
    pub fn begin_screening(self: &Arc<Self>) {
        if self.target.is_none() && self.dataset.has_kept() {
            self.kept.begin(self);
        }
    }

    /// Ends the job at the end of the process, with which the cases it has kept go: giving back each of thousands of
    /// texts by itself takes as long as reading them.
    pub fn leave(self) {
        std::mem::forget(self.kept);
    }

    /// One pass over the cases: each is read, screened and turned into packets.
    pub fn screened(&self) -> Result<impl Iterator<Item = Result<Screened, LoadError>> + '_, LoadError> {
        Ok(self.dataset.records()?.map(|record| record.and_then(|record| self.screen(record))))
    }

    /// One record, screened and turned into packets.
    pub(super) fn screen(&self, record: Record) -> Result<Screened, LoadError> {
        let (place, entry) = match record {
            Record::Entry { place, entry, .. } => (place, entry),
            Record::Skipped(skipped) => return Ok(Screened::Skipped(skipped)),
            Record::Unanswered { case, skipped } => match self.answered(case, skipped)? {
                Ok((place, entry)) => (place, Box::new(entry)),
                Err(screened) => return Ok(*screened),
            },
        };
        if let Some(skipped) = without_reference(&self.rubric, &place, &entry) {
            return self.dataset.allow(skipped).map(Screened::Skipped);
        }
        Ok(match self.gate.screen(entry) {
            Err(blocked) => Screened::Blocked { place, blocked: Box::new(blocked) },
            Ok(admitted) => {
                let packets = SizedAsk::packets(&self.asks, &admitted);
                Screened::Admitted { place, admitted, packets }
            }
        })
    }

    /// A case without a reply of its own, with the target's; or what it is without one.
    fn answered(
        &self,
        case: Box<Case>,
        skipped: Skipped,
    ) -> Result<Result<(Place, Entry), Box<Screened>>, LoadError> {
        let Some(target) = &self.target else { return Ok(Err(Box::new(Screened::Skipped(skipped)))) };
        let place = Place { index: skipped.index, file: Arc::clone(&skipped.file), line: skipped.line };
        if let Some(criterion) = lacking(&self.rubric, &case) {
            let skipped = needs_reference(&place, &case, criterion);
            return self.dataset.allow(skipped).map(|skipped| Err(Box::new(Screened::Skipped(skipped))));
        }
        let answered = match self.replies.get() {
            Some(replies) => replies.answered(target, case, skipped)?,
            None => Err(NoReply { case, skipped, why: not_asked() }),
        };
        Ok(answered.map(|entry| (place, entry)).map_err(|no_reply| Box::new(Screened::NoReply(no_reply))))
    }
}

impl Work for Job {
    fn asking(&self) -> &Asking {
        &self.asking
    }

    fn name(&self) -> &str {
        &self.dataset_name
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let mut own = vec![
            ("cases", self.dataset.digest().hex.clone()),
            ("rubric", self.rubric.hash().to_owned()),
            ("template", self.asking.template.hash().to_owned()),
            ("gate", self.gate.digest().to_owned()),
            ("judge", id.to_string()),
        ];
        own.extend(self.target.iter().map(|target| ("target", target.id().to_string())));
        // Runs from before there were rounds are first ones.
        if self.round > 1 {
            own.push(("round", self.round.to_string()));
        }
        let name = format!("run {} {}", self.dataset_name, self.rubric.name());
        self.asking.manifest(name, own, &self.dataset_name)
    }

    fn repeat(&self) -> u32 {
        self.round - 1
    }

    fn is_checked(&self) -> bool {
        // A case without a reference is met while planning, and so is one that the target has no reply to.
        let needs = |criterion: &Criterion| criterion.reference == ReferenceUse::Required;
        self.target.is_none() && !self.rubric.criteria().iter().any(needs)
    }

    fn units(&self) -> Result<Units<'_>, LoadError> {
        if let Some(cases) = self.kept.cases() {
            return Ok(Box::new(cases.iter().map(|screened| Ok(unit(screened)))));
        }
        self.first_units()
    }

    fn first_units(&self) -> Result<Units<'_>, LoadError> {
        // Those that are kept are there when all of them are.
        Ok(Box::new(self.screened()?.map(|screened| screened.map(|screened| unit(&screened)))))
    }

    fn each_unit(&self, take: &mut dyn FnMut(Unit)) -> Result<(), LoadError> {
        each_screened(self, |screened| {
            take(unit(screened));
            Ok(())
        })
    }
}

/// A record as the rest of a run sees it.
pub(super) fn unit(screened: &Screened) -> Unit {
    match screened {
        Screened::Skipped(skipped) => Unit::Skipped(skipped.clone()),
        Screened::Blocked { .. } => Unit::NotAsked,
        Screened::NoReply(_) => Unit::NoReply,
        Screened::Admitted { admitted, packets, .. } => {
            Unit::Asked { label: label(admitted), packets: packets.clone() }
        }
    }
}

/// The record as skipped, where a criterion needs a reference reply and the case has none.
pub(super) fn without_reference(rubric: &Rubric, place: &Place, entry: &Entry) -> Option<Skipped> {
    lacking(rubric, &entry.case).map(|criterion| needs_reference(place, &entry.case, criterion))
}

/// The criterion that needs a reference reply, where the case has none.
fn lacking<'a>(rubric: &'a Rubric, case: &Case) -> Option<&'a Criterion> {
    let needs = |criterion: &&Criterion| criterion.reference == ReferenceUse::Required;
    rubric.criteria().iter().find(needs).filter(|_| case.reference.is_none())
}

fn needs_reference(place: &Place, case: &Case, criterion: &Criterion) -> Skipped {
    Skipped {
        index: place.index,
        file: Arc::clone(&place.file),
        line: place.line,
        id: Some(case.id.to_string()),
        reason: format!("Missing 'reference' field, which criterion '{}' needs", criterion.id),
    }
}

/// What an admitted reply is called on this side of the judge.
fn label(admitted: &Admitted) -> UnitLabel {
    let entry = admitted.entry();
    let variant = entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
    UnitLabel { case_id: entry.case.id.as_str().to_owned(), variant }
}

impl SizedAsk {
    /// `ask`, with what its prompt has beside the case's own text.
    pub(super) fn new(ask: Arc<Ask>, asking: &Asking) -> Result<SizedAsk, TemplateError> {
        let overhead_chars = asking.overhead_chars(&packet::question(&blank(), &ask))?;
        Ok(SizedAsk { ask, overhead_chars })
    }

    /// The packets that ask each of `asks` about an admitted reply.
    pub(super) fn packets(asks: &[SizedAsk], admitted: &Admitted) -> Vec<SizedPacket> {
        let packets = packet::questions(admitted, asks.iter().map(|sized| &sized.ask));
        let sized = asks.iter().zip(packets);
        sized.map(|(sized, packet)| SizedPacket::new(packet, sized.overhead_chars)).collect()
    }
}

/// A reply of nothing to nothing, for measuring prompts.
pub(super) fn blank() -> Admitted {
    use probity_core::case::{Case, CaseId, Reply, Situation};
    let case = Case::new(CaseId::new("blank").expect("a plain word is an id"), Situation::Ticket("".into()));
    let reply = Reply::new("");
    Gate::open().screen(Entry { case, reply }).expect("no rule, nothing blocked")
}
