//! Making queues of a run's cases: what people see, what they do not see, and what comes first.
//!
//! What a judge said comes from the store; no call is made. What always holds: only replies that the gate admits
//! are in a queue, because no judge is compared with labels of others; and whatever a queue is made from, every item
//! that is left out is counted.

mod pairs;
mod replies;

use std::collections::{BTreeMap, BTreeSet};

use probity_core::calibrate::{Calibration, Counting};
use probity_core::case::Moment;
use probity_core::label::{LabelEntry, LabelFrame, LabelsShow};
use probity_core::promote::{Contract, Evidence, LabelGoal};
use probity_core::review::{
    Arrangement, Doubt, Exhibit, Hidden, HiddenJudge, Lesson, Questionnaire, QueueVotes, ReviewerDraw,
    Teaching, label_frame, labels_show, teaching_order,
};
use probity_core::sample::NO_SLICE;
use probity_core::score::Unscored;

pub use pairs::of_pairs;
pub use replies::of_replies;

use super::figures::{QueueLabels, verdicts};
use super::queue::{After, NewItem, NewQueue, QueueSpec};
use super::{ReviewRoom, text};
use crate::config::Backend;
use crate::ledger::JudgeId;
use crate::run::basis::Basis;
use crate::run::panel::know;
use crate::run::{RunError, left_out, only_judge};

probity_core::named! {
    /// Which items a queue has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum QueueSource {
        /// All that the files have: a sample that was drawn before.
        All = "all",
        /// Those on which the judge has no verdict although it was asked, or contradicts itself.
        Unstable = "unstable",
        /// All of them, those first whose labels would decide most.
        Teach = "teach",
        /// As many as the contract still lacks labels of, in each slice and in all.
        Contract = "contract",
    }
}

/// What queue is wanted.
#[derive(Debug, Clone)]
pub struct QueueRequest<'a> {
    /// Its name.
    pub name: String,
    /// Which items it has.
    pub source: QueueSource,
    /// How many people label each item.
    pub overlap: u32,
    /// The random seed for orders and sides.
    pub seed: u64,
    /// What people see after their answer.
    pub after: After,
    /// Which time people look at these items, from one.
    pub round: u32,
    /// So many items at most: drawn from the seed, or those that would decide most.
    pub items_max: Option<usize>,
    /// What labels are gathered for, where it is known.
    pub contract: Option<&'a Contract>,
    /// How figures are made that say where judge and people agree.
    pub counting: Counting,
}

/// A queue that was made, and what is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The queue.
    pub queue: NewQueue,
    /// Items on which the judge has a verdict.
    pub n_judged: usize,
    /// Replies or pairs that the gate decided.
    pub n_blocked: usize,
    /// Pairs of the same text.
    pub n_identical: usize,
    /// Records that cannot be used.
    pub n_skipped: usize,
    /// Items that are not of the source that was wanted, or beyond the most that were.
    pub n_left_out: usize,
}

/// An item before it is known whether it comes into the queue.
struct ItemDraft {
    shown: Exhibit,
    hidden: Hidden,
    doubt: Doubt,
}

/// What was found on the way.
#[derive(Default)]
struct ItemDrafts {
    items: Vec<ItemDraft>,
    n_blocked: usize,
    n_identical: usize,
    n_skipped: usize,
}

/// The judge of a job, as the store and as people know it.
struct QueueJudge {
    id: JudgeId,
    shown: HiddenJudge,
}

fn judge(room: &ReviewRoom, basis: &Basis) -> Result<QueueJudge, RunError> {
    let (store, asking) = (&room.store, &basis.asking);
    know(asking, &basis.rubric, store)?;
    let id = match asking.judge.backend {
        Backend::Recorded { verdicts: None } => only_judge(store)?,
        _ => JudgeId::of_identity(&asking.identity(&left_out(asking, store)?)),
    };
    let shown = HiddenJudge {
        id: id.to_string(),
        kind: asking.judge.kind().name().to_owned(),
        model: asking.judge.chat().map(|chat| chat.model.clone()).unwrap_or_default(),
    };
    Ok(QueueJudge { id, shown })
}

/// The queue of these drafts.
fn built(
    room: &ReviewRoom,
    asked: Questionnaire,
    drafts: ItemDrafts,
    wanted: &QueueRequest<'_>,
) -> Result<Built, RunError> {
    let ItemDrafts { items, n_blocked, n_identical, n_skipped } = drafts;
    let n_all = items.len();
    let arrangement = match wanted.source {
        QueueSource::Teach => Arrangement::Ranked,
        QueueSource::All | QueueSource::Unstable | QueueSource::Contract => Arrangement::Shuffled,
    };
    let mut spec = QueueSpec {
        asked,
        overlap: wanted.overlap,
        seed: wanted.seed,
        arrangement,
        after: wanted.after,
        round: wanted.round,
        source: wanted.source.name().to_owned(),
        frame: None,
    };
    let chosen = match wanted.source {
        QueueSource::All => sampled(items, wanted),
        QueueSource::Unstable => {
            let is_unstable = |draft: &ItemDraft| matches!(draft.doubt, Doubt::Unstable | Doubt::Unscored);
            sampled(items.into_iter().filter(is_unstable).collect(), wanted)
        }
        QueueSource::Teach | QueueSource::Contract => {
            let ranked = ranked(room, &spec, items, wanted)?;
            spec.frame = Some(ranked.frame);
            ranked.items
        }
    };
    let chosen: Vec<ItemDraft> = chosen.into_iter().take(wanted.items_max.unwrap_or(usize::MAX)).collect();
    let n_judged = chosen.iter().filter(|draft| has_verdict(&draft.hidden)).count();
    let n_left_out = n_all - chosen.len();
    let items = chosen.into_iter().map(|ItemDraft { shown, hidden, .. }| NewItem {
        key: key(&hidden),
        shown,
        hidden,
    });
    let queue = NewQueue { name: wanted.name.clone(), spec, items: items.collect() };
    Ok(Built { queue, n_judged, n_blocked, n_identical, n_skipped, n_left_out })
}

/// Why there is no verdict.
fn reason(unscored: &Unscored) -> String {
    format!("{}: {}", unscored.cause, unscored.detail).trim_end_matches(": ").to_owned()
}

fn has_verdict(hidden: &Hidden) -> bool {
    hidden.verdicts.iter().any(|verdict| verdict.said.is_some())
}

/// What tells an item from others of its queue.
fn key(hidden: &Hidden) -> String {
    text(&(&hidden.case, &hidden.variants))
}

/// At most as many as are wanted, drawn from the seed, in the order of the files.
fn sampled(items: Vec<ItemDraft>, wanted: &QueueRequest<'_>) -> Vec<ItemDraft> {
    let Some(most) = wanted.items_max.filter(|most| *most < items.len()) else { return items };
    let draw = ReviewerDraw { seed: wanted.seed, person: "" };
    let mut places: Vec<usize> = (0..items.len()).collect();
    places.sort_by_cached_key(|at| draw.place(Arrangement::Shuffled, 0, &key(&items[*at].hidden)));
    let chosen: BTreeSet<usize> = places.into_iter().take(most).collect();
    items.into_iter().enumerate().filter(|(at, _)| chosen.contains(at)).map(|(_, draft)| draft).collect()
}

/// Items in the order of what their labels would decide, and what they were drawn from.
struct RankedItems {
    items: Vec<ItemDraft>,
    frame: LabelFrame,
}

/// The items by what their labels would decide: all of them, or as many as the contract lacks.
fn ranked(
    room: &ReviewRoom,
    spec: &QueueSpec,
    items: Vec<ItemDraft>,
    wanted: &QueueRequest<'_>,
) -> Result<RankedItems, RunError> {
    let hidden: Vec<Hidden> = items.iter().map(|draft| draft.hidden.clone()).collect();
    let about = QueueLabels::of(spec, &hidden);
    let labels = about.labels(room.labels()?);
    let said: Vec<_> = hidden.iter().flat_map(verdicts).collect();
    let lesson = |draft: &ItemDraft| Lesson {
        key: LabelFrame::key(&draft.hidden.case, &draft.hidden.facts()),
        slice: draft.hidden.slice.clone().unwrap_or_else(|| NO_SLICE.to_owned()),
        doubt: if draft.hidden.judge.is_some() { draft.doubt } else { Doubt::NotAsked },
        n_labels: n_people(&labels, &draft.hidden),
    };
    let lessons: Vec<Lesson> = items.iter().map(lesson).collect();
    let so_far = label_frame(&lessons, &[], LabelsShow::default());
    let votes = QueueVotes {
        asked: &spec.asked,
        labels: &labels,
        verdicts: &said,
        frame: Some(&so_far),
        counting: wanted.counting,
    };
    // Labels that contradict each other in form say nothing about slices; a calibration tells.
    let calibration = votes.calibrated().ok().flatten();
    let judge = calibration.as_ref().and_then(|all| all.judges.keys().next()).map(ToString::to_string);
    let known = calibration.as_ref().zip(judge.as_deref());
    // No requirement that labels can meet depends on the moment.
    let now = Moment::from_seconds(0).expect("1970 has years of four digits");
    let evidence =
        wanted.contract.zip(known).map(|(contract, (all, judge))| Evidence::of(contract, all, judge, now));
    let goal = wanted.contract.map(|contract| LabelGoal { contract, evidence: evidence.as_ref() });
    let agreement = calibration.as_ref().map(by_slice).unwrap_or_default();
    let lacks = |slice: &str| goal.map_or(0, |goal| goal.lacks_in(slice));
    let teaching = Teaching { agreement: &agreement, lacks: &lacks, seed: wanted.seed };
    let mut order = teaching_order(&lessons, &teaching);
    if let (QueueSource::Contract, Some(goal)) = (wanted.source, goal) {
        // No row without a verdict counts for the contract.
        order.retain(|place| lessons[*place].n_labels == 0 && has_verdict(&items[*place].hidden));
        let slices: BTreeSet<&str> = lessons.iter().map(|lesson| &*lesson.slice).collect();
        let n = slices.into_iter().map(lacks).sum::<u64>().max(goal.lacks());
        order.truncate(usize::try_from(n).unwrap_or(usize::MAX));
    }
    order.truncate(wanted.items_max.unwrap_or(usize::MAX));
    let before = known.map(|(all, judge)| labels_show(all, judge, wanted.contract)).unwrap_or_default();
    let frame = label_frame(&lessons, &order, before);
    let mut items: Vec<Option<ItemDraft>> = items.into_iter().map(Some).collect();
    Ok(RankedItems { items: order.into_iter().filter_map(|at| items[at].take()).collect(), frame })
}

/// The share on which the judge and people agree, by slice.
fn by_slice(calibration: &Calibration) -> BTreeMap<String, f64> {
    let slices = calibration.judges.values().flat_map(|judge| &judge.by_slice);
    let share = |figures: &probity_core::calibrate::Figures| figures.get("agreement").and_then(Result::ok);
    slices.filter_map(|(name, figures)| Some((name.to_string(), share(figures)?.value))).collect()
}

/// How many people have said something about an item.
fn n_people(labels: &[LabelEntry], item: &Hidden) -> u32 {
    let said = labels.iter().filter(|label| {
        label.item == item.case && label.label.is_some() && QueueLabels::is_of(&label.facts, item)
    });
    let people: BTreeSet<_> = said.map(|label| &label.annotator).collect();
    u32::try_from(people.len()).unwrap_or(u32::MAX)
}
