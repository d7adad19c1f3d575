//! What a run is about: cases, rubric, template and judge, and the packets that follow from them.
//!
//! Cases are read, screened and turned into packets by the first pass. Later ones find them in memory where they fit,
//! or read them again (`Cases`), so a run of any size fits in memory and every pass sees the same thing.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock};

use probity_core::case::{Case, Entry};
use probity_core::gate::{Admitted, Blocked, Gate};
use probity_core::packet;
use probity_core::report::SummaryBuilder;
use probity_core::rubric::{Criterion, ReferenceUse, Rubric};
use probity_core::verdict::Patterns;

use super::RunError;
use super::about::{About, TargetSpec};
use super::asking::{Asking, SizedPacket};
use super::case_record::CaseRecord;
use super::cases::{Cases, Collected, record_bytes, screened_bytes};
use super::parallel::{groups, parallel_map};
use super::plan::Plan;
use super::replies::{NoReply, Replies, not_asked};
use super::results::{Row, Rows, Scoring};
use super::sized_ask::SizedAsk;
use super::spec::{CaseRecorder, RunSpec};
use super::work::{PassEnd, Unit, UnitLabel, Work};
use crate::config::{Config, JudgeSettings, StoredTexts};
use crate::input::{Dataset, LoadError, Place, Record, Skipped};
use crate::judge::prompt::{Template, TemplateError};
use crate::ledger::{JudgeId, Manifest, Reader, RunId, Store, StoreError};
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
    /// Who is asked, and how.
    pub asking: Asking,
    /// The rules that decide which replies are judged.
    gate: Gate,
    /// Those whose findings block.
    blocking: BTreeSet<String>,
    asks: Vec<SizedAsk>,
    /// Decided by the first whole pass.
    cases: OnceLock<Cases>,
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
        let asks = packet::asks(&rubric, asking.config.run.call_plan)
            .into_iter()
            .map(|ask| SizedAsk::new(ask, &asking))
            .collect::<Result<_, TemplateError>>()?;
        Ok(Job {
            dataset,
            dataset_name,
            rubric,
            asking,
            blocking: gate.blocking(),
            gate,
            asks,
            cases: OnceLock::new(),
            target: target.map(Arc::new),
            replies: OnceLock::new(),
            round: 1,
        })
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

    /// Those of them whose findings block.
    pub fn blocking(&self) -> &BTreeSet<String> {
        &self.blocking
    }

    /// What writes the replies that cases come without.
    pub fn target(&self) -> Option<&Arc<TargetDefinition>> {
        self.target.as_ref()
    }

    /// Reads the target's replies from `store` from now on. Before that no case without a reply has one.
    pub fn take_replies(&self, store: &Store) -> Result<(), StoreError> {
        let replies = Replies::new(store.reader()?, self.repeat());
        // A reader that is there already reads the same store.
        let _ = self.replies.set(replies);
        Ok(())
    }

    /// What the figures of its results are about.
    pub(super) fn about<'a>(&'a self, id: &JudgeId, target: Option<&'a TargetSpec>) -> About<'a> {
        let definition = told_parts(&self.manifest(id));
        let (asking, rubric, blocking) = (&self.asking, &self.rubric, &self.blocking);
        About { asking, rubric, blocking, definition, target, texts: StoredTexts::Full }
    }

    /// What writes its replies, as its record has it, once they have been read.
    pub(super) fn target_spec(&self) -> Option<TargetSpec> {
        let target = self.target.as_ref()?;
        let doubts = self.replies.get().and_then(|replies| replies.warning(target));
        Some(TargetSpec::new(target, &self.asking.config, doubts))
    }

    /// What its cases are known by in the store. Replies that are asked for are known by what they are.
    fn cases_key(&self) -> Result<String, RunError> {
        let mut hasher = blake3::Hasher::new();
        let parts = [
            &self.dataset.digest().hex[..],
            self.rubric.hash(),
            self.asking.template.hash(),
            self.gate.digest(),
            self.asking.config.run.call_plan.name(),
            self.asking.config.store.texts.name(),
            &self.dataset_name,
        ];
        for part in parts {
            hasher.update(part.as_bytes()).update(b"\n");
        }
        if self.target.is_some() {
            self.each_record(|record| {
                let text = serde_json::to_vec(&record).expect("texts and numbers can be written");
                hasher.update(&text);
                Ok(())
            })?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// Gives each case to `take`, as a record.
    fn each_record(
        &self,
        mut take: impl FnMut(CaseRecord) -> Result<(), StoreError>,
    ) -> Result<(), RunError> {
        PassEnd::failure(match self.cases.get() {
            Some(Cases::InMemory(cases)) => {
                cases.iter().try_for_each(|screened| Ok(take(CaseRecord::from(screened))?))
            }
            Some(Cases::Streamed) | None => {
                self.each_screened(|screened| Ok(take(CaseRecord::from(&screened))?))
            }
        })
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

    /// One pass over the cases on this thread: each is read, screened and turned into packets.
    pub fn screened(&self) -> Result<impl Iterator<Item = Result<Screened, RunError>> + '_, RunError> {
        Ok(self.dataset.records()?.map(|record| self.screen(record?)))
    }

    /// The same on several threads.
    fn each_screened(&self, mut take: impl FnMut(Screened) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        let screened = |group: Vec<Result<Record, LoadError>>| {
            group.into_iter().map(|record| self.screen(record?)).collect::<Vec<_>>()
        };
        parallel_map(self.record_groups()?, screened, |group| {
            group.into_iter().try_for_each(|screened| take(screened?))
        })
    }

    fn record_groups(&self) -> Result<impl Iterator<Item = Vec<Result<Record, LoadError>>>, LoadError> {
        Ok(groups(self.dataset.records()?, |record| record.as_ref().map_or(0, record_bytes)))
    }

    /// Gives the row of each case to `sink`, in the order of the input, from what `reader` has of `judge`.
    pub(super) fn results(
        &self,
        reader: &mut Reader,
        judge: &JudgeId,
        sink: &mut dyn FnMut(Row) -> io::Result<()>,
    ) -> Result<(SummaryBuilder, Patterns), RunError> {
        let reader = Mutex::new(reader);
        let rows = Rows { scoring: self.scoring(), reader, judge, repeat: self.repeat() };
        match self.cases.get() {
            Some(Cases::InMemory(cases)) => {
                let groups = groups(cases.iter(), |screened| screened_bytes(screened));
                rows.each(groups, |screened| Ok(CaseRecord::from(screened)), sink)
            }
            Some(Cases::Streamed) | None => {
                rows.each(self.record_groups()?, |record| Ok(CaseRecord::from(&self.screen(record?)?)), sink)
            }
        }
    }

    /// What turns verdicts into results.
    pub(crate) fn scoring(&self) -> Scoring<'_> {
        let asks = self.asks.iter().map(|sized| &sized.ask);
        Scoring::new(&self.rubric, &self.asking, asks, &self.blocking)
    }

    /// One record, screened and turned into packets.
    pub(super) fn screen(&self, record: Record) -> Result<Screened, RunError> {
        let (place, entry) = match record {
            Record::Entry { place, entry, .. } => (place, entry),
            Record::Skipped(skipped) => return Ok(Screened::Skipped(skipped)),
            Record::Unanswered { case, skipped } => match self.answered(case, skipped)? {
                Ok((place, entry)) => (place, Box::new(entry)),
                Err(screened) => return Ok(*screened),
            },
        };
        if let Some(criterion) = lacking(&self.rubric, &entry.case) {
            let skipped = needs_reference(&place, &entry.case, criterion);
            return Ok(Screened::Skipped(self.dataset.allow(skipped)?));
        }
        Ok(match self.gate.screen(entry) {
            Err(blocked) => Screened::Blocked { place, blocked: Box::new(blocked) },
            Ok(admitted) => {
                let packets = SizedAsk::packets(&self.asks, &admitted);
                Screened::Admitted { place, admitted, packets }
            }
        })
    }

    /// One pass over the cases with the target's replies. A record with a reply of its own is not the target's.
    pub(super) fn answered_cases(
        &self,
    ) -> Result<impl Iterator<Item = Result<Usable, RunError>> + '_, LoadError> {
        Ok(self.dataset.records()?.map(|record| match record? {
            Record::Skipped(skipped) => Ok(Err(skipped)),
            Record::Entry { place, entry, .. } => Ok(Err(Skipped {
                index: place.index,
                file: place.file.to_string(),
                line: place.line,
                id: Some(entry.case.id.to_string()),
                reason: "has a reply of its own, so no target was asked".to_owned(),
            })),
            Record::Unanswered { case, skipped } => Ok(match self.answered(case, skipped)? {
                Ok((place, entry)) => Ok((place, Box::new(entry))),
                Err(screened) => Err(match *screened {
                    Screened::NoReply(NoReply { skipped, variant, why, .. }) => {
                        let reason = format!("no reply of target {}: {}", variant.as_str(), why.detail);
                        Skipped { reason, ..skipped }
                    }
                    Screened::Skipped(skipped) => skipped,
                    Screened::Admitted { .. } | Screened::Blocked { .. } => {
                        unreachable!("a case without a reply is not screened")
                    }
                }),
            }),
        }))
    }

    /// A case without a reply of its own, with the target's; or what it is without one.
    fn answered(
        &self,
        case: Box<Case>,
        skipped: Skipped,
    ) -> Result<Result<(Place, Entry), Box<Screened>>, RunError> {
        let Some(target) = &self.target else { return Ok(Err(Box::new(Screened::Skipped(skipped)))) };
        let place = Place { index: skipped.index, file: Arc::from(&*skipped.file), line: skipped.line };
        if let Some(criterion) = lacking(&self.rubric, &case) {
            let skipped = needs_reference(&place, &case, criterion);
            return Ok(Err(Box::new(Screened::Skipped(self.dataset.allow(skipped)?))));
        }
        let answered = match self.replies.get() {
            Some(replies) => replies.answered(target, case, skipped)?,
            None => Err(NoReply { case, skipped, variant: target.variant().clone(), why: not_asked() }),
        };
        Ok(answered.map(|entry| (place, entry)).map_err(|no_reply| Box::new(Screened::NoReply(no_reply))))
    }
}

impl Work for Job {
    fn asking(&self) -> &Asking {
        &self.asking
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        RunSpec {
            round: self.round,
            n_repeated: plan.n_repeated,
            target: self.target_spec(),
            ..RunSpec::new(&self.dataset_name, &self.asking, &self.rubric, &self.gate)
        }
    }

    fn record_cases(&self, store: &Store, run: RunId) -> Result<(), RunError> {
        let texts = self.asking.config.store.texts;
        let Some(mut recorder) = CaseRecorder::begin(store, run, &self.cases_key()?, texts)? else {
            return Ok(());
        };
        self.each_record(|record| recorder.add(record))?;
        Ok(recorder.complete()?)
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

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        match self.cases.get() {
            Some(Cases::InMemory(cases)) => cases.iter().try_for_each(|screened| take(unit(screened))),
            Some(Cases::Streamed) => self.each_screened(|screened| take(unit(&screened))),
            None => {
                let mut collected = Collected::default();
                self.each_screened(|screened| {
                    take(unit(&screened))?;
                    collected.add(screened);
                    Ok(())
                })?;
                // A pass that ended before this one has decided the same.
                let _ = self.cases.set(collected.cases());
                Ok(())
            }
        }
    }
}

/// A record as the rest of a run sees it.
fn unit(screened: &Screened) -> Unit {
    match screened {
        Screened::Skipped(skipped) => Unit::Skipped(skipped.clone()),
        Screened::Blocked { .. } => Unit::NotAsked,
        Screened::NoReply(_) => Unit::NoReply,
        Screened::Admitted { admitted, packets, .. } => {
            Unit::Asked { label: label(admitted), packets: packets.clone() }
        }
    }
}

/// A case and its reply with their place, or the record as skipped.
pub(super) type Usable = Result<(Place, Box<Entry>), Skipped>;

/// One pass over the records of `dataset`; those that `rubric` cannot be applied to are skipped.
pub(super) fn usable<'a>(
    dataset: &'a Dataset,
    rubric: &'a Rubric,
) -> Result<impl Iterator<Item = Result<Usable, LoadError>> + 'a, LoadError> {
    Ok(dataset.records()?.map(|record| match record? {
        Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => Ok(Err(skipped)),
        Record::Entry { place, entry, .. } => match lacking(rubric, &entry.case) {
            None => Ok(Ok((place, entry))),
            Some(criterion) => dataset.allow(needs_reference(&place, &entry.case, criterion)).map(Err),
        },
    }))
}

/// The criterion that needs a reference reply, where the case has none.
fn lacking<'a>(rubric: &'a Rubric, case: &Case) -> Option<&'a Criterion> {
    let needs = |criterion: &&Criterion| criterion.reference == ReferenceUse::Required;
    rubric.criteria().iter().find(needs).filter(|_| case.reference.is_none())
}

fn needs_reference(place: &Place, case: &Case, criterion: &Criterion) -> Skipped {
    Skipped {
        index: place.index,
        file: place.file.to_string(),
        line: place.line,
        id: Some(case.id.to_string()),
        reason: format!("Missing 'reference' field, which criterion '{}' needs", criterion.id),
    }
}

/// What an admitted reply is called on this side of the judge.
pub(super) fn label(admitted: &Admitted) -> UnitLabel {
    let entry = admitted.entry();
    let variant = entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
    UnitLabel { case_id: entry.case.id.as_str().to_owned(), variant }
}
