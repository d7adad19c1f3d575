//! Scoring replies: cases, and the packets that follow from them.
//!
//! Cases are read, screened and turned into packets by the first pass. Later ones find them in memory where they fit,
//! or read them again (`Cases`), so a run of any size fits in memory and every pass sees the same thing.

use std::io;
use std::ops::{Deref, Range};
use std::sync::{Arc, Mutex, OnceLock};

use probity_core::case::{Case, Entry};
use probity_core::gate::{Admitted, Blocked};
use probity_core::packet;
use probity_core::report::SummaryBuilder;
use probity_core::rubric::{Criterion, ReferenceUse, Rubric};
use probity_core::verdict::Patterns;

use super::RunError;
use super::about::{SummaryParts, TargetSpec};
use super::asking::{SizedAsk, SizedPacket};
use super::basis::Basis;
use super::by_people::PeopleDecisions;
use super::case_record::CaseRecord;
use super::cases::{Cases, Collected, record_bytes, screened_bytes};
use super::parallel::{groups, parallel_map};
use super::plan::Plan;
use super::refused::Tuned;
use super::replies::{NoReply, Replies, not_asked};
use super::results::{ResultRows, Row, Scoring};
use super::spec::{CaseRecorder, RunSpec, repeat_numbers};
use super::work::{PassEnd, Unit, UnitLabel, Work};
use crate::config::StoredTexts;
use crate::input::{Dataset, JoinedRecord, LoadError, Place, Record, Skipped};
use crate::judge::prompt::TemplateError;
use crate::ledger::{JudgeId, Manifest, Reader, RunId, Store, StoreError};
use crate::target::TargetDefinition;

/// The replies of cases, each to be judged by itself.
#[derive(Debug)]
pub struct Job {
    /// What it is made of beside its cases.
    pub basis: Basis,
    /// The cases.
    pub dataset: Dataset,
    asks: Vec<SizedAsk>,
    /// Decided by the first whole pass.
    cases: OnceLock<Cases>,
    target: Mutex<Option<Arc<TargetDefinition>>>,
    /// What the target said, once it has been asked.
    replies: OnceLock<Replies>,
    /// Which time the judge looks at the same cases, from 1.
    round: u32,
    /// How often each packet is asked about in it.
    n_repeats: u32,
}

impl Deref for Job {
    type Target = Basis;

    fn deref(&self) -> &Basis {
        &self.basis
    }
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
    /// Puts the parts together. `target` writes the replies that cases come without. Fails where the template cannot
    /// be filled in.
    pub fn new(basis: Basis, dataset: Dataset, target: Option<TargetDefinition>) -> Result<Self, RunError> {
        let asks = packet::asks(&basis.rubric, basis.asking.config.run.call_plan)
            .into_iter()
            .map(|ask| SizedAsk::new(ask, &basis.asking))
            .collect::<Result<_, TemplateError>>()?;
        Ok(Job {
            basis,
            dataset,
            asks,
            cases: OnceLock::new(),
            target: Mutex::new(target.map(Arc::new)),
            replies: OnceLock::new(),
            round: 1,
            n_repeats: 1,
        })
    }

    /// The same job in this round, from 1, with each packet asked about so many times. Everything is asked anew in each
    /// round: the verdicts of one say nothing in another.
    #[must_use]
    pub fn in_round(mut self, round: u32, n_repeats: u32) -> Self {
        (self.round, self.n_repeats) = (round, n_repeats);
        self
    }

    /// The work of each repeat, in their order.
    pub fn repeats(self: &Arc<Self>) -> impl Iterator<Item = Arc<dyn Work>> + use<> {
        let job = Arc::clone(self);
        self.repeat_numbers().map(move |repeat| {
            let work: Arc<dyn Work> = Arc::new(Repeat { job: Arc::clone(&job), repeat });
            work
        })
    }

    fn repeat_numbers(&self) -> Range<u32> {
        repeat_numbers(self.round, self.n_repeats)
    }

    /// What writes the replies that cases come without.
    pub fn target(&self) -> Option<Arc<TargetDefinition>> {
        self.target.lock().expect("no thread panics while it holds the target").clone()
    }

    /// Asks this target from now on: the same one without what it refused.
    pub(super) fn set_target(&self, target: TargetDefinition) {
        *self.target.lock().expect("no thread panics while it holds the target") = Some(Arc::new(target));
    }

    /// Leaves out what the target is on record as refusing.
    pub(super) fn know_target(&self, store: &Store) -> Result<(), StoreError> {
        let Some(target) = self.target() else { return Ok(()) };
        let left = Tuned::target(&target).left_out(store)?;
        if left != target.left {
            self.set_target(target.without(left));
        }
        Ok(())
    }

    /// Reads the target's replies from `store` from now on. Before that no case without a reply has one.
    pub(crate) fn take_replies(&self, store: &Store) -> Result<(), StoreError> {
        self.know_target(store)?;
        let replies = Replies::new(store.reader()?, self.repeat());
        // A reader that is there already reads the same store.
        let _ = self.replies.set(replies);
        Ok(())
    }

    /// What the figures of its results are about.
    pub(super) fn about<'a>(&'a self, id: &JudgeId, target: Option<&'a TargetSpec>) -> SummaryParts<'a> {
        let definition = told_parts(&self.manifest(id));
        let (asking, rubric, blocking) = (&self.asking, &self.rubric, &self.blocking);
        SummaryParts { asking, rubric, blocking, definition, target, texts: StoredTexts::Full }
    }

    /// What writes its replies, as its record has it, once they have been read.
    pub(super) fn target_spec(&self) -> Option<TargetSpec> {
        let target = &self.target()?;
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
            &self.name,
        ];
        for part in parts {
            hasher.update(part.as_bytes()).update(b"\n");
        }
        if self.target().is_some() {
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
        let people = PeopleDecisions::of(&self.rubric, reader)?;
        let (scoring, reader) = (self.scoring(), Mutex::new(reader));
        let rows = ResultRows { scoring, reader, judge, repeats: self.repeat_numbers(), people };
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
        let (place, entry) = match applicable(&self.dataset, &self.rubric, record)? {
            Record::Entry { place, entry } => (place, entry),
            Record::Skipped(skipped) => return Ok(Screened::Skipped(skipped)),
            Record::Unanswered { case, skipped } => {
                let Some(target) = &self.target() else { return Ok(Screened::Skipped(skipped)) };
                let place = Place::of(&skipped);
                match self.answered(target, case, skipped)? {
                    Ok(entry) => (place, Box::new(entry)),
                    Err(no_reply) => return Ok(Screened::NoReply(no_reply)),
                }
            }
        };
        Ok(match self.gate.screen(entry) {
            Err(blocked) => Screened::Blocked { place, blocked: Box::new(blocked) },
            Ok(admitted) => {
                let packets = SizedAsk::packets(&self.asks, &admitted);
                Screened::Admitted { place, admitted, packets }
            }
        })
    }

    /// One pass over the cases with the target's replies, as far as `rubric` can be applied to them. A record with a
    /// reply of its own is not the target's.
    pub(super) fn answered_cases<'a>(
        &'a self,
        rubric: &'a Rubric,
    ) -> Result<impl Iterator<Item = Result<Usable, RunError>> + 'a, LoadError> {
        Ok(self.dataset.records()?.map(|record| {
            Ok(match (applicable(&self.dataset, rubric, record?)?, &self.target()) {
                (Record::Skipped(skipped), _) | (Record::Unanswered { skipped, .. }, None) => Err(skipped),
                (Record::Entry { place, entry }, _) => {
                    let reason = "has a reply of its own, so no target was asked".to_owned();
                    Err(place.skipped(Some(entry.case.id.to_string()), reason))
                }
                (Record::Unanswered { case, skipped }, Some(target)) => {
                    let place = Place::of(&skipped);
                    let answered = self.answered(target, case, skipped)?;
                    answered.map(|entry| (place, Box::new(entry))).map_err(|no_reply| {
                        let NoReply { skipped, variant, why, .. } = no_reply;
                        let reason = format!("no reply of target {}: {}", variant.as_str(), why.detail);
                        Skipped { reason, ..skipped }
                    })
                }
            })
        }))
    }

    /// A case without a reply of its own, with the target's.
    fn answered(
        &self,
        target: &TargetDefinition,
        case: Box<Case>,
        skipped: Skipped,
    ) -> Result<Result<Entry, NoReply>, RunError> {
        Ok(match self.replies.get() {
            Some(replies) => replies.answered(target, case, skipped)?,
            None => Err(NoReply { case, skipped, variant: target.variant.clone(), why: not_asked() }),
        })
    }
}

impl Work for Job {
    fn basis(&self) -> &Basis {
        &self.basis
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        let (round, n_repeats, n_repeated) = (self.round, self.n_repeats, plan.n_repeated);
        let frames = self.dataset.frames().map(|(file, frame)| (file.to_string(), frame.canonical()));
        let frames = match self.asking.config.store.texts {
            StoredTexts::Full => frames.collect(),
            StoredTexts::Digest => Vec::new(),
        };
        RunSpec { round, n_repeats, n_repeated, target: self.target_spec(), frames, ..self.basis.spec() }
    }

    fn record_cases(&self, store: &Store, run: RunId) -> Result<(), RunError> {
        let texts = self.asking.config.store.texts;
        let Some(mut recorder) = CaseRecorder::begin(store, run, &self.cases_key()?, texts)? else {
            return Ok(());
        };
        // Every pass has the same records in the same order.
        let mut annotated = self.dataset.annotated()?.peekable();
        let is_foreign = matches!(annotated.peek(), Some(Ok(first)) if first.beside.is_some());
        self.each_record(|mut record| {
            let beside = if is_foreign { annotated.next().and_then(Result::ok) } else { None };
            if let Some(beside) = beside.and_then(|annotated| annotated.beside) {
                (record.list, record.withheld) = (beside.list, beside.withheld);
                record.kept = beside.kept.map(|kept| kept.canonical());
            }
            recorder.add(record)
        })?;
        for joined in self.dataset.joined() {
            recorder.add_joined(joined?)?;
        }
        let withheld = self.dataset.withheld().clone();
        if !withheld.is_nothing() {
            recorder.add_joined(JoinedRecord { withheld, ..JoinedRecord::default() })?;
        }
        Ok(recorder.complete()?)
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let target = self.target().map(|target| ("target", target.id.to_string())).into_iter();
        let numbers = [("round", self.round), ("repeats", self.n_repeats)].into_iter();
        let own = numbers.filter(|(_, n)| *n > 1).map(|(name, n)| (name, n.to_string()));
        let own = target.chain(own).collect();
        self.basis.manifest("run", id, ("cases", self.dataset.digest().hex.clone()), own)
    }

    fn repeat(&self) -> u32 {
        self.repeat_numbers().start
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

/// A job in one of its repeats. All of them are one run.
#[derive(Debug)]
struct Repeat {
    job: Arc<Job>,
    repeat: u32,
}

impl Work for Repeat {
    fn basis(&self) -> &Basis {
        &self.job.basis
    }

    fn spec(&self, plan: &Plan) -> RunSpec {
        self.job.spec(plan)
    }

    fn record_cases(&self, store: &Store, run: RunId) -> Result<(), RunError> {
        self.job.record_cases(store, run)
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        self.job.manifest(id)
    }

    fn repeat(&self) -> u32 {
        self.repeat
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.job.units(take)
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
    Ok(dataset.records()?.map(|record| match applicable(dataset, rubric, record?)? {
        Record::Skipped(skipped) | Record::Unanswered { skipped, .. } => Ok(Err(skipped)),
        Record::Entry { place, entry } => Ok(Ok((place, entry))),
    }))
}

/// The record, skipped where `rubric` cannot be applied to its case.
fn applicable(dataset: &Dataset, rubric: &Rubric, record: Record) -> Result<Record, LoadError> {
    let (case, place) = match &record {
        Record::Entry { place, entry } => (&entry.case, place.clone()),
        Record::Unanswered { case, skipped } => (&**case, Place::of(skipped)),
        Record::Skipped(_) => return Ok(record),
    };
    let Some(criterion) = lacking(rubric, case) else { return Ok(record) };
    let reason = format!("Missing 'reference' field, which criterion '{}' needs", criterion.id);
    dataset.allow(place.skipped(Some(case.id.to_string()), reason)).map(Record::Skipped)
}

/// The criterion that needs a reference reply, where the case has none.
fn lacking<'a>(rubric: &'a Rubric, case: &Case) -> Option<&'a Criterion> {
    let needs = |criterion: &&Criterion| criterion.reference == ReferenceUse::Required;
    rubric.criteria().iter().find(needs).filter(|_| case.reference.is_none())
}

/// What an admitted reply is called on this side of the judge.
pub(super) fn label(admitted: &Admitted) -> UnitLabel {
    let entry = admitted.entry();
    let variant = entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned());
    let slice = entry.case.slice.as_ref().map(|slice| Arc::from(slice.as_str()));
    UnitLabel { case_id: entry.case.id.as_str().to_owned(), variant, slice }
}
