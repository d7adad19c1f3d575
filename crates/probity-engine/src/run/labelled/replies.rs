//! Labels of single replies: the levels of criteria, or whether a reply passes.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use probity_core::gate::Admitted;
use probity_core::label::{ItemFacts, LabelEntry, Spoken, VerdictEntry};
use probity_core::packet::PacketHash;
use probity_core::results::{GateStatus, ResultRow, RowOutcome};
use probity_core::rubric::{Criterion, Decider, Rubric};
use probity_core::verdict::{Patterns, Verdict};

use super::super::about::pattern_warnings;
use super::super::asking::SizedPacket;
use super::super::basis::Basis;
use super::super::job::{Job, Screened, label};
use super::super::record::{PacketResult, VerdictLookup};
use super::super::work::{PassEnd, Unit, Work};
use super::super::{Ran, RunError};
use super::{FLOOR, Matched, MatchedLabel, Verdicts, bound, lexical, of_another, row};
use crate::input::{Record, Skipped};
use crate::ledger::{JudgeId, Manifest, Store};
use crate::run::replies::NoReply;

/// What labels of single replies say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelScope {
    /// The levels of criteria.
    Criteria,
    /// Whether a reply passes.
    Outcome,
}

/// What people labelled about a reply: criteria by id, or nothing for the whole reply.
type Wanted = BTreeSet<Option<String>>;

/// The labelled replies of a run.
#[derive(Debug)]
pub struct LabelledReplies {
    /// What the replies were to be asked about.
    pub job: Job,
    /// Those that a judge may see, in the order of the input.
    replies: Vec<LabelledReply>,
    skipped: Vec<Skipped>,
    labels_digest: String,
}

/// A labelled reply that the gate admits.
#[derive(Debug)]
struct LabelledReply {
    admitted: Admitted,
    packets: Vec<SizedPacket>,
    wanted: Wanted,
}

/// A reply to a labelled case as it is today.
struct Reply {
    variant: Option<String>,
    /// `None` where the gate blocks the reply.
    admitted: Option<LabelledReply>,
}

/// The replies to labelled cases, in the order of the input, and those to each case.
#[derive(Default)]
struct RepliesByCase {
    all: Vec<Reply>,
    by_case: HashMap<String, Vec<usize>>,
}

/// Matches labels with the replies of `job`. Where `about` is not given, the labels are about criteria if one of
/// them names a criterion. The digest of the labels tells runs apart.
pub fn replies(
    job: Job,
    labels: &[LabelEntry],
    about: Option<LabelScope>,
    labels_digest: String,
) -> Result<(Arc<LabelledReplies>, Matched), RunError> {
    let mut matched = Matched::default();
    let mut replies = RepliesByCase::read(&job, labels, &mut matched)?;
    let names_criterion = |label: &LabelEntry| {
        asked(&job.rubric, label, LabelScope::Criteria).is_ok_and(|_| label.criterion.is_some())
    };
    let about = about.unwrap_or_else(|| {
        let no_rule = job.rubric.pass().is_none();
        if no_rule || labels.iter().any(names_criterion) { LabelScope::Criteria } else { LabelScope::Outcome }
    });
    let mut claims: Vec<MatchedLabel<(usize, Option<&Criterion>)>> = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let named = replies.named(label).and_then(|at| Ok((at, asked(&job.rubric, label, about)?)));
        let (at, criterion) = match named {
            Ok(named) => named,
            Err(reason) => {
                matched.reject(place, label, reason);
                continue;
            }
        };
        let Some(reply) = &replies.all[at].admitted else {
            matched.n_blocked += 1;
            continue;
        };
        let packets: Vec<PacketHash> = reply.packets.iter().map(|sized| sized.packet.hash()).collect();
        let facts = ItemFacts { variant: replies.all[at].variant.clone(), ..label.facts.clone() };
        let id = criterion.map(|criterion| criterion.id.to_string());
        let label = LabelEntry { criterion: id, facts, ..label.clone() };
        claims.push(MatchedLabel::new(place, label, (at, criterion), &packets));
    }
    for MatchedLabel { row, label, about: (at, criterion), .. } in bound(claims, &mut matched) {
        if let Some(fault) = criterion.and_then(|criterion| off_scale(criterion, &label)) {
            matched.faults.push((row, fault));
        } else if let Some(reply) = &mut replies.all[at].admitted {
            reply.wanted.insert(label.criterion.clone());
            matched.keep(row, label, &reply.admitted.entry().case);
        }
    }
    let admitted = replies.all.into_iter().filter_map(|reply| reply.admitted);
    let replies = admitted.filter(|reply| !reply.wanted.is_empty()).collect();
    let skipped = matched.skipped.clone();
    Ok((Arc::new(LabelledReplies { job, replies, skipped, labels_digest }), matched))
}

impl RepliesByCase {
    /// Reads and screens the replies to the cases that labels are about.
    fn read(job: &Job, labels: &[LabelEntry], matched: &mut Matched) -> Result<RepliesByCase, RunError> {
        let items: BTreeSet<&str> = labels.iter().map(|label| &*label.item).collect();
        let mut replies = RepliesByCase::default();
        for record in job.dataset.records()? {
            let record = record?;
            if let Record::Entry { entry, .. } = &record
                && !items.contains(entry.case.id.as_str())
            {
                matched.n_unlabelled += 1;
                continue;
            }
            let (entry, admitted) = match job.screen(record)? {
                Screened::Skipped(skipped) | Screened::NoReply(NoReply { skipped, .. }) => {
                    matched.skipped.push(skipped);
                    continue;
                }
                Screened::Blocked { blocked, .. } => {
                    matched.gate.add(&ResultRow::blocked(blocked.entry(), blocked.findings(), &job.rubric));
                    (blocked.entry().clone(), None)
                }
                Screened::Admitted { admitted, packets, .. } => {
                    let (entry, flags) = (admitted.entry(), admitted.flags());
                    matched.gate.add(&ResultRow::new(entry, GateStatus::Admitted, flags));
                    let entry = admitted.entry().clone();
                    (entry, Some(LabelledReply { admitted, packets, wanted: Wanted::new() }))
                }
            };
            let variant = entry.reply.variant.map(|variant| variant.as_str().to_owned());
            replies.by_case.entry(entry.case.id.to_string()).or_default().push(replies.all.len());
            replies.all.push(Reply { variant, admitted });
        }
        Ok(replies)
    }

    /// The reply that a label is about.
    fn named(&self, label: &LabelEntry) -> Result<usize, String> {
        if label.facts.variants.is_some() {
            return Err("is about a pair of replies, and the rubric is about one".to_owned());
        }
        let replies = self.by_case.get(&label.item).ok_or("no such case is in the files")?;
        match (&label.facts.variant, &replies[..]) {
            (None, [only]) => Ok(*only),
            (None, several) => {
                let name = |at: &usize| self.all[*at].variant.as_deref().unwrap_or("(none)");
                let names: Vec<&str> = several.iter().map(name).collect();
                Err(format!("expected 'variant', because the case has replies of {}", names.join(", ")))
            }
            (variant, several) => {
                let found = several.iter().find(|at| self.all[**at].variant == *variant);
                found.copied().ok_or_else(|| {
                    format!("the case has no reply of variant '{}'", variant.as_deref().unwrap_or(""))
                })
            }
        }
    }
}

/// The criterion that a label is about, `None` for the whole reply.
fn asked<'a>(
    rubric: &'a Rubric,
    label: &LabelEntry,
    about: LabelScope,
) -> Result<Option<&'a Criterion>, String> {
    if let Some(reason) = of_another(label, rubric) {
        return Err(reason);
    }
    match (about, &label.criterion) {
        (LabelScope::Outcome, None) if rubric.pass().is_none() => {
            Err(format!("rubric {} has no pass rule, so no verdict is about a whole reply", rubric.name()))
        }
        (LabelScope::Outcome, None) => Ok(None),
        (LabelScope::Outcome, Some(_)) => {
            Err("is about a criterion, and others are about whole replies".to_owned())
        }
        (LabelScope::Criteria, Some(id)) => judged(rubric, id).map(Some),
        (LabelScope::Criteria, None) => {
            let mut judged = rubric.criteria().iter().filter(|each| each.decider == Decider::Judge);
            let is_outcome = matches!(label.label.as_deref(), Some("pass" | "fail"));
            match (judged.next(), judged.next()) {
                (Some(only), None) if !is_outcome => Ok(Some(only)),
                _ => Err("names no criterion, expected 'criterion' as the rubric calls it".to_owned()),
            }
        }
    }
}

/// The criterion of this name that a judge decides.
fn judged<'a>(rubric: &'a Rubric, id: &str) -> Result<&'a Criterion, String> {
    let criterion = rubric.criteria().iter().find(|criterion| criterion.id.as_str() == id);
    let criterion = criterion.ok_or_else(|| format!("rubric {} has no criterion '{id}'", rubric.name()))?;
    match criterion.decider {
        Decider::Judge => Ok(criterion),
        decider => Err(format!("no judge decides criterion '{id}', it is decided by {}", decider.name())),
    }
}

/// What is wrong with a label that is none of the criterion's levels.
fn off_scale(criterion: &Criterion, label: &LabelEntry) -> Option<String> {
    let text = label.label.as_ref()?;
    let is_on =
        |level: &i64| text.parse::<f64>().is_ok_and(|number| number.total_cmp(&(*level as f64)).is_eq());
    let levels = criterion.scale.levels();
    (!levels.iter().any(is_on)).then(|| {
        let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
        format!("'label' is '{text}', expected {} for criterion '{}'", levels.join(", "), criterion.id)
    })
}

impl LabelledReplies {
    /// What the store holds about the labelled replies, and what the lexical judge says. `judge` is the name of
    /// the judge in the rows.
    pub fn verdicts(&self, store: &Store, ran: &Ran, judge: &str) -> Result<Verdicts, RunError> {
        let (reader, asking) = (store.snapshot()?, &self.job.asking);
        let lookup = asking.lookup(&reader, &ran.judge_id, 0);
        let mut patterns = Patterns::default();
        let recorded = self.rows(judge, &|packet| lookup.verdict(packet), &mut patterns)?;
        let floor = self.rows(FLOOR, &|packet| Ok(lexical(packet)), &mut Patterns::default())?;
        let mut facts = self.job.facts(&reader, ran)?;
        facts.warnings.extend(pattern_warnings(asking, &patterns));
        Ok(Verdicts { judge: recorded, floor, facts })
    }

    /// What the member at `place` of the panel that is asked said under `repeat`, as rows of the name `name`.
    pub fn look(
        &self,
        store: &Store,
        (place, id): (usize, &JudgeId),
        repeat: u32,
        name: &str,
    ) -> Result<Vec<VerdictEntry>, RunError> {
        let reader = store.snapshot()?;
        let lookup = self.job.asking.members()[place].lookup(&reader, id, repeat);
        let confidences = RefCell::new(HashMap::new());
        let said: VerdictLookup<'_> = &|packet| {
            let verdict = lookup.verdict(packet)?;
            if let (Ok(Verdict { confidence, .. }), [criterion]) = (&verdict, packet.packet.ask().criteria())
            {
                confidences.borrow_mut().insert(criterion.id.as_str().to_owned(), *confidence);
            }
            Ok(verdict)
        };
        let mut rows = Vec::new();
        self.each(said, &mut Patterns::default(), &mut |reply, result| {
            let confidences = confidences.take();
            for criterion in reply.wanted.iter().map(Option::as_deref) {
                let sure = criterion.and_then(|id| confidences.get(id).copied().flatten());
                rows.push(VerdictEntry { confidence: [sure, None], ..spoken(result, criterion, name) });
            }
        })?;
        Ok(rows)
    }

    /// Gives each labelled reply that a judge may see to `take` in the order of the input: what was said about it,
    /// and what was admitted.
    pub fn each_result(
        &self,
        store: &Store,
        ran: &Ran,
        take: &mut dyn FnMut(&ResultRow, &Admitted),
    ) -> Result<(), RunError> {
        let reader = store.snapshot()?;
        let lookup = self.job.asking.lookup(&reader, &ran.judge_id, 0);
        let said: VerdictLookup<'_> = &|packet| lookup.verdict(packet);
        self.each(said, &mut Patterns::default(), &mut |reply, result| take(result, &reply.admitted))
    }

    fn rows(
        &self,
        judge: &str,
        said: VerdictLookup<'_>,
        patterns: &mut Patterns,
    ) -> Result<Vec<VerdictEntry>, RunError> {
        let mut rows = Vec::new();
        self.each(said, patterns, &mut |reply, result| {
            rows.extend(reply.wanted.iter().map(|criterion| spoken(result, criterion.as_deref(), judge)));
        })?;
        Ok(rows)
    }

    /// Gives each reply to `take` with its result, by what was `said` about its packets. Calls are not counted.
    fn each(
        &self,
        said: VerdictLookup<'_>,
        patterns: &mut Patterns,
        take: &mut dyn FnMut(&LabelledReply, &ResultRow),
    ) -> Result<(), RunError> {
        let scoring = self.job.scoring();
        for reply in &self.replies {
            let answers = reply.packets.iter().map(|sized| {
                Ok(PacketResult { ask: sized.packet.ask(), verdict: said(sized)?, attempts: 0 })
            });
            let criteria = scoring.criteria(answers.collect::<Result<_, RunError>>()?, patterns);
            take(reply, &ResultRow::judged(&reply.admitted, &self.job.rubric, criteria));
        }
        Ok(())
    }
}

impl LabelledReply {
    /// What is to be asked, with packets about criteria that have no label left out.
    fn unit(&self) -> Unit {
        let is_wanted = |id: &str| self.wanted.iter().flatten().any(|wanted| wanted == id);
        let is_asked = |sized: &&SizedPacket| {
            self.wanted.contains(&None)
                || sized.packet.ask().criteria().iter().any(|criterion| is_wanted(criterion.id.as_str()))
        };
        let packets = self.packets.iter().filter(is_asked).cloned().collect();
        Unit::Asked { label: label(&self.admitted), packets }
    }
}

/// What a reply's result says about a criterion, or about the whole reply.
fn spoken(result: &ResultRow, criterion: Option<&str>, judge: &str) -> VerdictEntry {
    let said = match criterion {
        Some(wanted) => {
            let found = result.criteria.get(wanted).and_then(|result| result.as_ref()?.score);
            found.map(|level| level.to_string())
        }
        None => match result.outcome {
            RowOutcome::Pass | RowOutcome::Fail => Some(result.outcome.name().to_owned()),
            RowOutcome::Blocked | RowOutcome::Scored | RowOutcome::Unscored => None,
        },
    };
    let facts =
        ItemFacts { slice: result.slice.clone(), variant: result.variant.clone(), ..ItemFacts::default() };
    let criterion = criterion.map(str::to_owned);
    VerdictEntry { criterion, ..row(&result.id, judge, Spoken::Once(said), facts) }
}

impl Work for LabelledReplies {
    fn basis(&self) -> &Basis {
        &self.job.basis
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let (cases, labels) = (self.job.dataset.digest().hex.clone(), self.labels_digest.clone());
        self.job.basis.manifest("calibrate", id, ("cases", cases), vec![("labels", labels)])
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        let skipped = self.skipped.iter().map(|skipped| Unit::Skipped(skipped.clone()));
        skipped.chain(self.replies.iter().map(LabelledReply::unit)).try_for_each(take)
    }
}
