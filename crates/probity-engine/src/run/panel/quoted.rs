//! What asking a judge made of judges would cost, stage by stage.
//!
//! Every stage may have to be asked about everything, so that is the most; what is expected of a stage of a cascade is
//! the share of questions that came to it in what labels have seen.

use std::sync::Arc;

use super::member_work::MemberWork;
use super::questions::Questions;
use super::{PanelRecord, is_needed, know};
use crate::config::{ChatSettings, LeftOut, Tier};
use crate::ledger::{JudgeId, Manifest, Store};
use crate::run::asking::Asking;
use crate::run::basis::Basis;
use crate::run::plan::Plan;
use crate::run::quote::{Quote, StageQuote};
use crate::run::work::{PassEnd, Unit, Work};
use crate::run::{RunError, dry_plan, quote_of};

/// Which questions members are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagesAsked {
    /// Those that the members before leave open, as labels made them.
    AsFitted,
    /// All, as calibrating the panel asks them.
    All,
}

/// A member with what asking it would cost.
pub(in crate::run) struct QuotedStage<'a> {
    pub(in crate::run) chat: Option<&'a ChatSettings>,
    pub(in crate::run) quote: StageQuote,
}

/// What asking each member about what `work` asks would cost beyond what `store` has: in `tier`, or in its own.
pub(in crate::run) fn stages<'a>(
    work: &'a dyn Work,
    store: Option<&Store>,
    asked: StagesAsked,
    tier: Option<Tier>,
) -> Result<Vec<QuotedStage<'a>>, RunError> {
    let asking = work.asking();
    let record = asking.fitted().filter(|_| asked == StagesAsked::AsFitted);
    let questions = Questions::of(work, asking)?;
    let panel = JudgeId::of_identity(&asking.identity(&LeftOut::default()));
    let open = Arc::new(questions.open_packets());
    let mut all = Vec::new();
    for (member, member_asking) in asking.members().iter().enumerate() {
        if record.as_ref().is_some_and(|record| !is_needed(record, member)) {
            continue;
        }
        let mut plan: Option<Plan> = None;
        for repeat in questions.numbers(member) {
            let (panel, open) = (panel.clone(), Arc::clone(&open));
            let part = dry_plan(&MemberWork { work, panel, member, repeat, open }, store)?.1.plan;
            plan = Some(match plan {
                None => part,
                Some(plan) => plan.again(part),
            });
        }
        let plan = plan.unwrap_or_default();
        let share = match record.as_deref() {
            Some(PanelRecord::Cascade(cascade)) => cascade.reached(member),
            Some(PanelRecord::Jury(_)) | None => 1.0,
        };
        let tier = tier.unwrap_or_else(|| member_asking.tier());
        if let Some(whole) = quote_of((member_asking, tier), store, &plan)? {
            let quote = StageQuote { name: member_asking.judge.name.clone(), share, whole };
            all.push(QuotedStage { chat: member_asking.judge.chat(), quote });
        }
    }
    Ok(all)
}

/// What asking the members about what `work` asks would cost together; `None` where none has an endpoint.
pub(in crate::run) fn panel_quote(
    work: &dyn Work,
    store: Option<&Store>,
    asked: StagesAsked,
) -> Result<Option<Quote>, RunError> {
    Ok(Quote::of_stages(stages(work, store, asked, None)?.into_iter().map(|stage| stage.quote).collect()))
}

/// What asking the cascade `asking` in place of the judge of `work` would cost; `None` where labels have made no
/// thresholds for it.
pub(in crate::run) fn cascade_quote(
    work: &dyn Work,
    store: &Store,
    asking: &Asking,
) -> Result<Option<Quote>, RunError> {
    know(asking, &work.basis().rubric, store)?;
    match asking.fitted() {
        Some(_) => panel_quote(&Instead { work, asking }, Some(store), StagesAsked::AsFitted),
        None => Ok(None),
    }
}

/// The same questions to another judge.
#[derive(Debug)]
struct Instead<'a> {
    work: &'a dyn Work,
    asking: &'a Asking,
}

impl Work for Instead<'_> {
    fn basis(&self) -> &Basis {
        self.work.basis()
    }

    fn asking(&self) -> &Asking {
        self.asking
    }

    fn manifest(&self, id: &JudgeId) -> Manifest {
        self.work.manifest(id)
    }

    fn units(&self, take: &mut dyn FnMut(Unit) -> Result<(), PassEnd>) -> Result<(), PassEnd> {
        self.work.units(take)
    }
}
