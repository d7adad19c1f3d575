//! Before a command spends more than the settings let it spend unasked, it says the figure and asks.
//!
//! The one place for all commands. What is on record is not counted, and a run that was agreed to is not asked about
//! again: what it still lacks is no more than what was agreed to.

use probity_core::spelling::counted;
use std::sync::Arc;

use probity_core::exact::Exact;

use super::batch::Dispatch;
use super::job::Job;
use super::panel::{StagesAsked, know, stages};
use super::plan::{OnRecord, Plan, Pricing, plan};
use super::quote::Quote;
use super::replies::ReplyPlan;
use super::work::Work;
use super::{Network, RunError, Session, left_out};
use crate::config::{ChatSettings, Config, LeftOut, Money, Tier};
use crate::ledger::{JudgeId, Manifest};
use crate::schedule::budget::{Budget, BudgetTerms, Limits};

/// Tokens that a prompt about a reply which is not there yet is taken to have, where no other says more.
const PROMPT_TOKENS_TYPICAL: u64 = 700;

/// What a person says to a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// It may be spent.
    Given,
    /// It may not, or it could not be asked.
    Refused,
}

/// What a command would spend, and what it may spend unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedSpending {
    /// Calls in all.
    pub n_calls: u64,
    /// What those with a price are expected to cost.
    pub expected: Money,
    /// Of all, calls to other machines at a price that is not known.
    pub n_unpriced: u64,
    /// US dollars that may be spent unasked.
    pub usd_max: Exact,
    /// Calls at an unknown price that may be made unasked.
    pub unpriced_max: u64,
}

impl PlannedSpending {
    fn new(config: &Config) -> PlannedSpending {
        let (usd_max, unpriced_max) = (config.budget.confirm_usd, config.budget.confirm_calls);
        PlannedSpending { n_calls: 0, expected: Money::default(), n_unpriced: 0, usd_max, unpriced_max }
    }

    fn add(&mut self, chat: Option<&ChatSettings>, n_calls: u64, expected: Option<Money>) {
        self.n_calls += n_calls;
        match expected {
            Some(expected) => self.expected = self.expected.plus(expected),
            None if chat.is_some_and(is_elsewhere) => self.n_unpriced += n_calls,
            None => {}
        }
    }

    fn is_within(&self) -> bool {
        self.expected.usd() <= self.usd_max && self.n_unpriced <= self.unpriced_max
    }

    /// The figure, in a sentence.
    pub fn sentence(&self) -> String {
        let PlannedSpending { n_calls, expected, n_unpriced, usd_max, unpriced_max } = self;
        if expected.usd() > *usd_max {
            let (expected, bound) = (expected.shown(), usd_max.to_f64());
            return format!(
                "{} at an expected {expected} need your confirmation (limit: ${bound:.2})",
                counted(*n_calls, "call")
            );
        }
        format!(
            "{} at an unknown price need your confirmation (limit: {unpriced_max})",
            counted(*n_unpriced, "call")
        )
    }

    /// As it is kept once it was agreed to.
    fn note(&self) -> String {
        format!("{} {}", self.expected.picos(), self.n_unpriced)
    }

    /// Whether no more is left of it than was agreed to, as it was kept.
    fn is_agreed(&self, note: &str) -> bool {
        let agreed = note.split_once(' ').and_then(|(picos, n)| Some((picos.parse().ok()?, n.parse().ok()?)));
        agreed.is_some_and(|(picos, n)| self.expected <= Money::from_picos(picos) && self.n_unpriced <= n)
    }
}

/// Whether calls go to another machine.
fn is_elsewhere(chat: &ChatSettings) -> bool {
    [&chat.base_url].into_iter().chain(&chat.base_urls).any(|endpoint| !endpoint.is_loopback())
}

/// Whether calls of `chat` may need a word: they have a price, or go to another machine.
fn may_cost(config: &Config, chat: &ChatSettings) -> bool {
    config.price(chat).is_some() || is_elsewhere(chat)
}

/// What a target is to be asked before the judge is.
pub(super) struct PlannedTarget<'a> {
    pub(super) id: &'a JudgeId,
    pub(super) chat: Option<&'a ChatSettings>,
    pub(super) plan: ReplyPlan,
    /// Calls to the judge about each reply.
    pub(super) calls_per_reply: u64,
}

/// Whether calls to these endpoints may need a word: they are made, no limit holds them, and they may cost something.
fn may_need_a_word(
    config: &Config,
    chats: &[Option<&ChatSettings>],
    session: &Session<'_>,
    budget: &Budget,
) -> Result<bool, RunError> {
    let is_online = session.mode.network == Network::Online;
    if !is_online || !chats.iter().flatten().any(|chat| may_cost(config, chat)) {
        return Ok(false);
    }
    let BudgetTerms { key, limits } = budget.terms();
    Ok(*limits == Limits::default() && session.store.reader()?.limits(key)? == Limits::default())
}

/// Asks for a word where the target of `job` alone would spend more than is spent unasked.
pub(super) fn confirm_target(
    job: &Job,
    target: &PlannedTarget<'_>,
    session: &Session<'_>,
    budget: &Budget,
) -> Result<(), RunError> {
    let config = &job.asking.config;
    if !may_need_a_word(config, &[target.chat], session, budget)? {
        return Ok(());
    }
    let mut spending = PlannedSpending::new(config);
    spending.add(target.chat, target.plan.n_calls, target.plan.expected);
    agree(&spending, &job.manifest(target.id), session)
}

/// Asks for a word where `works`, the parts of one command, would spend more than is spent unasked.
pub(super) fn confirm(
    works: &[Arc<dyn Work>],
    target: Option<&PlannedTarget<'_>>,
    session: &Session<'_>,
    budget: &Budget,
) -> Result<(), RunError> {
    let Some(first) = works.first() else { return Ok(()) };
    let (asking, store) = (first.asking(), session.store);
    let (config, chat) = (&asking.config, asking.judge.chat());
    if asking.panel().is_some() {
        return confirm_stages(works, StagesAsked::AsFitted, session, budget);
    }
    if !may_need_a_word(config, &[chat, target.and_then(|target| target.chat)], session, budget)? {
        return Ok(());
    }
    let left = left_out(asking, store)?;
    let id = JudgeId::of_identity(&asking.identity(&left));
    let reader = &store.reader()?;
    let mut whole: Option<Plan> = None;
    for work in works {
        let on_record = OnRecord {
            reader,
            id: &id,
            repeat: work.repeat(),
            unscored: session.mode.unscored,
            shard: session.mode.shard,
        };
        let part = plan(work.as_ref(), Some(on_record), Pricing::Counted)?.plan;
        whole = Some(match whole {
            None => part,
            Some(whole) => whole.again(part),
        });
    }
    let mut whole = whole.unwrap_or_default();
    let mut spending = PlannedSpending::new(config);
    if let Some(target) = target {
        spending.add(target.chat, target.plan.n_calls, target.plan.expected);
        whole.expect_replies(target.plan.n_calls * target.calls_per_reply * works.len() as u64);
    }
    let tier = batch_tier(session).unwrap_or_else(|| asking.tier());
    if let Some(quote) = Quote::of(&whole, asking, reader.answer_history(&id)?, tier) {
        spending.add(chat, quote.n_calls, quote.expected);
    }
    agree(&spending, &first.manifest(&id), session)
}

/// The same where the judge is made of judges: what each is expected to be asked counts.
pub(super) fn confirm_stages(
    works: &[Arc<dyn Work>],
    asked: StagesAsked,
    session: &Session<'_>,
    budget: &Budget,
) -> Result<(), RunError> {
    let Some(first) = works.first() else { return Ok(()) };
    let asking = first.asking();
    let chats: Vec<Option<&ChatSettings>> = asking.judge.chats().map(Some).collect();
    if !may_need_a_word(&asking.config, &chats, session, budget)? {
        return Ok(());
    }
    know(asking, &first.basis().rubric, session.store)?;
    if asking.fitted().is_none() && asked == StagesAsked::AsFitted {
        // Nothing will be asked.
        return Ok(());
    }
    let mut spending = PlannedSpending::new(&asking.config);
    for work in works {
        for stage in stages(work.as_ref(), Some(session.store), asked, batch_tier(session))? {
            spending.add(stage.chat, stage.quote.n_calls(), stage.quote.expected());
        }
    }
    let id = JudgeId::of_identity(&asking.identity(&LeftOut::default()));
    agree(&spending, &first.manifest(&id), session)
}

/// The tier of calls that go together, whatever single ones ask for.
fn batch_tier(session: &Session<'_>) -> Option<Tier> {
    matches!(session.mode.dispatch, Dispatch::Batch(_)).then_some(Tier::Batch)
}

impl Plan {
    /// Counts calls about replies that are not there yet, each like those about others.
    fn expect_replies(&mut self, n_calls: u64) {
        let each = self.tokens_input.checked_div(self.n_calls).unwrap_or(PROMPT_TOKENS_TYPICAL);
        self.tokens_input += n_calls * each;
        self.n_decisions += n_calls;
        self.n_calls += n_calls;
    }
}

/// Asks for a word about `spending` of the run that `manifest` defines, unless it has it.
pub(super) fn agree(
    spending: &PlannedSpending,
    manifest: &Manifest,
    session: &Session<'_>,
) -> Result<(), RunError> {
    if spending.is_within() {
        return Ok(());
    }
    let key = format!("confirmed:{}", run_digest(manifest));
    if session.store.noted(&key)?.is_some_and(|note| spending.is_agreed(&note)) {
        return Ok(());
    }
    match session.observer.confirm(spending) {
        Confirmation::Given => Ok(session.store.note(&key, &spending.note())?),
        Confirmation::Refused => Err(RunError::Unconfirmed { spending: Box::new(*spending) }),
    }
}

fn run_digest(manifest: &Manifest) -> String {
    let mut hasher = blake3::Hasher::new();
    let parts = manifest.parts.iter().flat_map(|(name, value)| [name, value]);
    for text in [&manifest.name].into_iter().chain(parts) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
