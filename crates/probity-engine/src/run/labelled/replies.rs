//! Labels of single replies: the levels of criteria, or whether a reply passes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use probity_core::calibrate::{LabelEntry, Spoken, VerdictEntry};
use probity_core::case::{Case, Entry};
use probity_core::compare::ItemFacts;
use probity_core::gate::Admitted;
use probity_core::packet::PacketHash;
use probity_core::report::{Outcome, ReplyResult};
use probity_core::rubric::{Criterion, Decider, Rubric};
use probity_core::score::CriterionOutcome;
use probity_core::verdict::Patterns;

use super::super::asking::Asking;
use super::super::job::{Job, Screened};
use super::super::record::{Lookup, PacketResult, Said};
use super::super::results::result;
use super::super::standing::Subject;
use super::super::work::{Unit, Units, Work};
use super::super::{Ran, RunError, facts, job};
use super::{Claim, FLOOR, Matched, Verdicts, bound, lexical, of_another, row};
use crate::config::Backend;
use crate::load::{LoadError, Record};
use crate::run::replies::NoReply;
use crate::store::{JudgeId, Manifest, Store};

/// What labels of single replies say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The levels of criteria.
    Criteria,
    /// Whether a reply passes.
    Outcome,
}

/// A case and the variant of its reply.
type Name = (String, Option<String>);

/// What people labelled about a reply: criteria by id, or nothing for the whole reply.
type Wanted = BTreeSet<Option<String>>;

/// The labelled replies of a run.
#[derive(Debug)]
pub struct LabelledReplies {
    job: Job,
    wanted: HashMap<Name, Wanted>,
    labels_digest: String,
}

/// A labelled reply as it is today.
struct Found {
    case: Case,
    variant: Option<String>,
    /// `None` where the gate blocks the reply.
    packets: Option<Vec<PacketHash>>,
}

/// Matches labels with the replies of `job`. Where `about` is not given, the labels are about criteria if one of
/// them names a criterion. The digest of the labels tells runs apart.
pub fn replies(
    job: Job,
    labels: &[LabelEntry],
    about: Option<About>,
    labels_digest: String,
) -> Result<(Arc<LabelledReplies>, Matched), LoadError> {
    let mut matched = Matched::default();
    let found = found(&job, labels, &mut matched)?;
    let names_criterion = |label: &LabelEntry| {
        asked(&job.rubric, label, About::Criteria).is_ok_and(|_| label.criterion.is_some())
    };
    let about = about.unwrap_or_else(|| {
        let no_rule = job.rubric.pass().is_none();
        if no_rule || labels.iter().any(names_criterion) { About::Criteria } else { About::Outcome }
    });
    let mut claims: Vec<Claim<(&Found, Option<&Criterion>)>> = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let (reply, criterion) =
            match reply(label, &found).and_then(|reply| Ok((reply, asked(&job.rubric, label, about)?))) {
                Ok(named) => named,
                Err(reason) => {
                    matched.reject(place, label, reason);
                    continue;
                }
            };
        let Some(packets) = &reply.packets else {
            matched.n_blocked += 1;
            continue;
        };
        let facts = ItemFacts { variant: reply.variant.clone(), ..label.facts.clone() };
        let id = criterion.map(|criterion| criterion.id.to_string());
        let label = LabelEntry { criterion: id, facts, ..label.clone() };
        claims.push(Claim::new(place, label, (reply, criterion), packets));
    }
    let mut wanted: HashMap<Name, Wanted> = HashMap::new();
    for Claim { row, label, about: (reply, criterion), .. } in bound(claims, &mut matched) {
        if let Some(fault) = criterion.and_then(|criterion| off_scale(criterion, &label)) {
            matched.faults.push((row, fault));
        } else {
            let name = (label.item.clone(), reply.variant.clone());
            wanted.entry(name).or_default().insert(label.criterion.clone());
            matched.keep(row, label, &reply.case);
        }
    }
    Ok((Arc::new(LabelledReplies { job, wanted, labels_digest }), matched))
}

/// The replies to the cases that labels are about.
fn found(
    job: &Job,
    labels: &[LabelEntry],
    matched: &mut Matched,
) -> Result<HashMap<String, Vec<Found>>, LoadError> {
    let items: BTreeSet<&str> = labels.iter().map(|label| &*label.item).collect();
    let mut found: HashMap<String, Vec<Found>> = HashMap::new();
    for record in job.dataset.records()? {
        let record = record?;
        if let Record::Entry { entry, .. } = &record
            && !items.contains(entry.case.id.as_str())
        {
            matched.n_unlabelled += 1;
            continue;
        }
        let (entry, packets, result) = match job.screen(record)? {
            Screened::Skipped(skipped) | Screened::NoReply(NoReply { skipped, .. }) => {
                matched.skipped.push(skipped);
                continue;
            }
            Screened::Blocked { blocked, .. } => {
                (blocked.entry().clone(), None, ReplyResult::blocked(&blocked, &job.rubric))
            }
            Screened::Admitted { admitted, packets, .. } => {
                let hashes = packets.iter().map(|packet| packet.packet.hash()).collect();
                let result = ReplyResult::judged(&admitted, &job.rubric, Vec::new());
                (admitted.entry().clone(), Some(hashes), result)
            }
        };
        matched.gate.add(&result);
        let (_, variant) = name(&entry);
        found.entry(entry.case.id.to_string()).or_default().push(Found {
            case: entry.case,
            variant,
            packets,
        });
    }
    Ok(found)
}

/// The reply that a label is about.
fn reply<'a>(label: &LabelEntry, found: &'a HashMap<String, Vec<Found>>) -> Result<&'a Found, String> {
    if label.facts.variants.is_some() {
        return Err("is about a pair of replies, and the rubric is about one".to_owned());
    }
    let replies = found.get(&label.item).ok_or("no such case is in the files")?;
    match (&label.facts.variant, &replies[..]) {
        (None, [only]) => Ok(only),
        (None, several) => {
            let names = several.iter().map(|reply| reply.variant.as_deref().unwrap_or("(none)"));
            let names: Vec<&str> = names.collect();
            Err(format!("expected 'variant', because the case has replies of {}", names.join(", ")))
        }
        (variant, several) => several.iter().find(|reply| reply.variant == *variant).ok_or_else(|| {
            format!("the case has no reply of variant '{}'", variant.as_deref().unwrap_or(""))
        }),
    }
}

/// The criterion that a label is about, `None` for the whole reply.
fn asked<'a>(rubric: &'a Rubric, label: &LabelEntry, about: About) -> Result<Option<&'a Criterion>, String> {
    if let Some(reason) = of_another(label, rubric) {
        return Err(reason);
    }
    match (about, &label.criterion) {
        (About::Outcome, None) if rubric.pass().is_none() => {
            Err(format!("rubric {} has no pass rule, so no verdict is about a whole reply", rubric.name()))
        }
        (About::Outcome, None) => Ok(None),
        (About::Outcome, Some(_)) => {
            Err("is about a criterion, and others are about whole replies".to_owned())
        }
        (About::Criteria, Some(id)) => judged(rubric, id).map(Some),
        (About::Criteria, None) => {
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

fn name(entry: &Entry) -> Name {
    (entry.case.id.to_string(), entry.reply.variant.as_ref().map(|variant| variant.as_str().to_owned()))
}

impl LabelledReplies {
    /// What the replies were to be asked about.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// What the store holds about the labelled replies, and what the lexical judge says. `judge` is the name of
    /// the judge in the rows.
    pub fn verdicts(&self, store: &Store, ran: &Ran, judge: &str) -> Result<Verdicts, RunError> {
        let reader = store.snapshot()?;
        let lookup = Lookup { asking: &self.job.asking, reader: &reader, judge: &ran.judge_id, repeat: 0 };
        let mut patterns = Patterns::default();
        let recorded = self.said(judge, &|packet| lookup.verdict(packet), &mut patterns)?;
        let floor = self.said(FLOOR, &|packet| Ok(lexical(packet)), &mut Patterns::default())?;
        let mut facts = facts::facts(&self.job.asking, &reader, ran)?;
        let subject = Subject { asking: &self.job.asking, rubric: &self.job.rubric, gate: self.job.gate() };
        facts.judge.standing = subject.standing(&reader, ran, &facts)?;
        // The lexical judge writes by template and says so.
        if !matches!(self.job.asking.judge.backend, Backend::Baseline) {
            facts.warnings.extend(patterns.warnings());
        }
        Ok(Verdicts { judge: recorded, floor, facts })
    }

    /// Gives each labelled reply that a judge may see to `take` in the order of the input: what was said about it,
    /// and what was admitted.
    pub fn each_result(
        &self,
        store: &Store,
        ran: &Ran,
        take: &mut dyn FnMut(&ReplyResult, &Admitted),
    ) -> Result<(), RunError> {
        let reader = store.snapshot()?;
        let lookup = Lookup { asking: &self.job.asking, reader: &reader, judge: &ran.judge_id, repeat: 0 };
        for screened in self.screened()? {
            if let Screened::Admitted { admitted, packets, .. } = screened? {
                let answered =
                    packets.iter().map(|packet| lookup.result(packet)).collect::<Result<Vec<_>, _>>()?;
                take(&result(&self.job, &admitted, answered, &mut Patterns::default()), &admitted);
            }
        }
        Ok(())
    }

    fn said(
        &self,
        judge: &str,
        said: Said<'_>,
        patterns: &mut Patterns,
    ) -> Result<Vec<VerdictEntry>, RunError> {
        let mut rows = Vec::new();
        for screened in self.screened()? {
            let Screened::Admitted { admitted, packets, .. } = screened? else { continue };
            let Some(wanted) = self.wanted.get(&name(admitted.entry())) else { continue };
            // Calls are not counted here: rows about agreement do not show them.
            let answered = |packet| Ok(PacketResult { packet, verdict: said(packet)?, attempts: 0 });
            let answered = packets.iter().map(answered).collect::<Result<Vec<_>, RunError>>()?;
            let result = result(&self.job, &admitted, answered, patterns);
            rows.extend(wanted.iter().map(|criterion| spoken(&result, criterion.as_deref(), judge)));
        }
        Ok(rows)
    }

    /// One pass over the records that somebody labelled.
    fn screened(&self) -> Result<impl Iterator<Item = Result<Screened, LoadError>> + '_, LoadError> {
        let is_wanted = |record: &Result<Record, LoadError>| match record {
            Ok(Record::Entry { entry, .. }) => self.wanted.contains_key(&name(entry)),
            Ok(Record::Skipped(_) | Record::Unanswered { .. }) | Err(_) => true,
        };
        let records = self.job.dataset.records()?.filter(is_wanted);
        Ok(records.map(|record| record.and_then(|record| self.job.screen(record))))
    }

    /// What is to be asked, with packets about criteria that nobody labelled left out.
    fn unit(&self, screened: &Screened) -> Unit {
        let wanted = match screened {
            Screened::Admitted { admitted, .. } => self.wanted.get(&name(admitted.entry())),
            Screened::Blocked { .. } | Screened::NoReply(_) | Screened::Skipped(_) => None,
        };
        let mut unit = job::unit(screened);
        if let (Unit::Asked { packets, .. }, Some(wanted)) = (&mut unit, wanted)
            && !wanted.contains(&None)
        {
            let is_wanted = |id: &str| wanted.iter().flatten().any(|wanted| wanted == id);
            packets.retain(|packet| {
                packet.packet.ask().criteria().iter().any(|criterion| is_wanted(criterion.id.as_str()))
            });
        }
        unit
    }
}

/// What a reply's result says about a criterion, or about the whole reply.
fn spoken(result: &ReplyResult, criterion: Option<&str>, judge: &str) -> VerdictEntry {
    let said = match criterion {
        Some(wanted) => {
            let outcome = result.criteria.iter().find(|(id, _)| id.as_str() == wanted);
            outcome.and_then(|(_, outcome)| match outcome {
                CriterionOutcome::Scored(scored) => Some(scored.level.to_string()),
                CriterionOutcome::Unscored(_) => None,
            })
        }
        None => match result.outcome {
            Outcome::Pass | Outcome::Fail(_) => Some(result.outcome.name().to_owned()),
            Outcome::Blocked | Outcome::Scored | Outcome::Unscored => None,
        },
    };
    let facts =
        ItemFacts { slice: result.slice.clone(), variant: result.variant.clone(), ..ItemFacts::default() };
    let criterion = criterion.map(str::to_owned);
    VerdictEntry { criterion, ..row(&result.id, judge, Spoken::Once(said), facts) }
}

impl Work for LabelledReplies {
    fn asking(&self) -> &Asking {
        &self.job.asking
    }

    fn name(&self) -> &str {
        &self.job.dataset_name
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        let mut manifest = self.job.manifest(id);
        manifest.name = format!("calibrate {} {}", self.job.dataset_name, self.job.rubric.name());
        manifest.parts.push(("labels".to_owned(), self.labels_digest.clone()));
        manifest
    }

    fn units(&self) -> Result<Units<'_>, LoadError> {
        Ok(Box::new(self.screened()?.map(|screened| screened.map(|screened| self.unit(&screened)))))
    }
}
