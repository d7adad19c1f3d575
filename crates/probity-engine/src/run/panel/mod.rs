//! A judge made of judges at work: its members are asked through the same plan, calls and ledger as any judge, each
//! under its own identity, and what they decide is settled under the panel's.
//!
//! All of it is one run. Nothing that is on record is asked again, whichever judge it was asked for; a member is asked
//! only about what those before it leave open, and not at all where labels let it decide nothing. What members have not
//! answered yet stays without a settlement, so the same command goes on from there.

mod account;
mod member_work;
mod questions;
mod quoted;

use std::sync::{Arc, Mutex};

use probity_core::packet::AnswerForm;
use probity_core::panel::{Looks, PanelRecord, Signal};
use probity_core::rubric::Rubric;

pub(crate) use account::panel_facts;
pub(super) use account::{Account, members_of};
use member_work::MemberWork;
pub use questions::look_name;
use questions::{AskedMember, Questions, Standpoint};
pub use quoted::StagesAsked;
pub(super) use quoted::{cascade_quote, panel_quote, stages};

use super::asking::Asking;
use super::calling::Allowance;
use super::confirm::confirm_stages;
use super::turn::Turn;
use super::work::Work;
use super::{Observer, Ran, RunError, Session, left_out, run_within};
use crate::config::{LeftOut, PanelRule};
use crate::judge::{PanelAnswer, PanelAnswers};
use crate::ledger::{JudgeId, Settled, Store, StoreError};
use crate::schedule::budget::{Budget, BudgetTerms, Limits};
use crate::schedule::desk::Progress;
use crate::schedule::lane::Lane;

/// How often a member looks at a reply where neither settings nor its own confidence say how sure it is.
const LOOKS_AT_LEVELS: u32 = 3;

/// How often each member of the panel `asking` looks at a question of this form in each order.
pub fn n_repeats(asking: &Asking, form: AnswerForm) -> Vec<u32> {
    let own = asking.panel().and_then(|panel| panel.repeats);
    let usual = |member: &Asking| match (form, member.signal()) {
        (AnswerForm::Levels, Signal::Looks) => LOOKS_AT_LEVELS,
        // Both orders of a pair are two looks, and one look that is sure of itself is enough.
        (AnswerForm::Preference, _) | (AnswerForm::Levels, Signal::Confidence) => 1,
    };
    asking.members().iter().map(|member| own.unwrap_or_else(|| usual(member))).collect()
}

/// How each member of the panel `asking` looks at a question of this form in all.
pub fn looks(asking: &Asking, form: AnswerForm) -> Vec<Looks> {
    let in_each = if form == AnswerForm::Preference { 2 } else { 1 };
    let looks = |(member, n): (&Asking, u32)| Looks { n: in_each * n as usize, signal: member.signal() };
    asking.members().iter().zip(n_repeats(asking, form)).map(looks).collect()
}

/// Looks up what is known of the judges that `asking` is made of: what they refuse, and what labels made of them under
/// `rubric`. Does nothing for a judge that is made of none.
pub fn know(asking: &Asking, rubric: &Rubric, store: &Store) -> Result<(), StoreError> {
    if asking.panel().is_none() {
        return Ok(());
    }
    for member in asking.members() {
        member.set_left(&left_out(member, store)?);
    }
    asking.set_fitted(None);
    let noted = store.noted(&note(asking, rubric))?;
    // A record that cannot be read is none.
    asking.set_fitted(noted.and_then(|text| PanelRecord::read(&text).ok()));
    Ok(())
}

/// Keeps what labels made of the judges that `asking` is made of, under `rubric`.
pub fn keep(asking: &Asking, rubric: &Rubric, store: &Store, record: PanelRecord) -> Result<(), StoreError> {
    asking.set_fitted(None);
    store.note(&note(asking, rubric), &record.text())?;
    asking.set_fitted(Some(record));
    Ok(())
}

/// Where the store keeps what labels made of a panel: by all that its members are, and the rubric.
fn note(asking: &Asking, rubric: &Rubric) -> String {
    debug_assert!(asking.fitted().is_none(), "what labels made of a panel is not what it is found by");
    let mut hasher = blake3::Hasher::new();
    for part in [&asking.identity(&LeftOut::default()), rubric.hash(), asking.config.run.call_plan.name()] {
        hasher.update(part.as_bytes()).update(b"\n");
    }
    format!("panel:{}", hasher.finalize().to_hex())
}

/// Asks the members about what `work` asks, as far as each is needed, and settles what they decide.
pub(super) async fn run_panel(
    work: &Arc<dyn Work>,
    session: &Session<'_>,
    allowance: &Allowance,
) -> Result<Ran, RunError> {
    let asking = work.asking();
    know(asking, &work.basis().rubric, session.store)?;
    let Some(record) = asking.fitted() else { return Err(not_fitted(asking, &work.basis().rubric)) };
    if !asking.may_ask(session.mode.network) {
        return settle(work, session, None).await;
    }
    let panel = JudgeId::of_identity(&asking.identity(&LeftOut::default()));
    let mut questions = Questions::of(work.as_ref(), asking)?;
    let mut asked: Option<Ran> = None;
    for (member, member_asking) in asking.members().iter().enumerate() {
        if !is_needed(&record, member) || questions.is_done() {
            continue;
        }
        let standpoint = Standpoint { work, session, member, panel: &panel };
        let ran = ask_member(standpoint, &questions, allowance).await?;
        let is_stopped = ran.driven.as_ref().is_some_and(|driven| driven.stop.is_some());
        let member_id = ran.judge_id.clone();
        asked = Some(match asked {
            None => ran,
            Some(earlier) => earlier.again(ran),
        });
        if is_stopped {
            return Ok(finished(asked, None, panel, allowance));
        }
        questions.hear(
            AskedMember { member, id: &member_id, asking: member_asking },
            session.store,
            &record,
        )?;
    }
    questions.close(&record);
    let answers = answers(&questions, session.store)?;
    let settled = settle(work, session, Some(answers)).await?;
    if let Some(run) = settled.run {
        Account::of(&questions, asking).keep(session.store, run)?;
    }
    Ok(finished(asked, Some(settled), panel, allowance))
}

/// Asks a member of a panel about all questions of `work`, as calibrating the panel needs it.
pub async fn ask_all(work: &Arc<dyn Work>, session: &Session<'_>) -> Result<Vec<Ran>, RunError> {
    let asking = work.asking();
    know(asking, &work.basis().rubric, session.store)?;
    let panel = JudgeId::of_identity(&asking.identity(&LeftOut::default()));
    let questions = Questions::of(work.as_ref(), asking)?;
    let budget = super::budget(super::budget_key([work.as_ref()]), asking, None)?;
    confirm_stages(std::slice::from_ref(work), StagesAsked::All, session, &budget)?;
    let allowance = Allowance::new(Arc::new(budget));
    let mut all = Vec::new();
    for member in 0..asking.members().len() {
        let standpoint = Standpoint { work, session, member, panel: &panel };
        let ran = ask_member(standpoint, &questions, &allowance).await?;
        let is_stopped = ran.driven.as_ref().is_some_and(|driven| driven.stop.is_some());
        all.push(ran);
        if is_stopped {
            break;
        }
    }
    Ok(all)
}

fn not_fitted(asking: &Asking, rubric: &Rubric) -> RunError {
    let what = match asking.panel().map(|panel| panel.rule) {
        Some(PanelRule::Jury) => "weights",
        _ => "thresholds",
    };
    RunError::NotFitted { judge: asking.judge.name.clone(), what, rubric: rubric.name().to_owned() }
}

/// Whether anything depends on what the member says.
fn is_needed(record: &PanelRecord, member: usize) -> bool {
    match record {
        PanelRecord::Cascade(cascade) => cascade.is_open(member),
        PanelRecord::Jury(jury) => jury.weights.get(member).is_some_and(|weight| *weight > 0.0),
    }
}

/// Asks one member about the questions that are open, as often as it looks at each.
async fn ask_member(
    standpoint: Standpoint<'_>,
    questions: &Questions,
    allowance: &Allowance,
) -> Result<Ran, RunError> {
    // Members are behind endpoints of their own; what may be spent is shared.
    let shared = Allowance::new(Arc::clone(&allowance.budget));
    let open = Arc::new(questions.open_packets());
    let mut asked: Option<Ran> = None;
    for repeat in questions.numbers(standpoint.member) {
        let Standpoint { work, session, member, panel } = standpoint;
        let (work, panel, open) = (Arc::clone(work), panel.clone(), Arc::clone(&open));
        let work: Arc<dyn Work> = Arc::new(MemberWork { work, panel, member, repeat, open });
        let ran = Box::pin(run_within(&work, session, &shared)).await?;
        let is_stopped = ran.driven.as_ref().is_some_and(|driven| driven.stop.is_some());
        asked = Some(match asked {
            None => ran,
            Some(earlier) => earlier.again(ran),
        });
        if is_stopped {
            break;
        }
    }
    Ok(asked.expect("a member looks at least once"))
}

/// What the panel says about packets, read from what its members have on record.
fn answers(questions: &Questions, store: &Store) -> Result<PanelAnswers, RunError> {
    let (decisions, members) = (questions.decisions(), questions.members.clone());
    let reader = Mutex::new(store.reader()?);
    Ok(PanelAnswers::new(move |packet| match decisions.get(&packet)? {
        questions::PacketDecision::ForPerson(reason) => Some(reason.clone()),
        questions::PacketDecision::By { member, repeat } => {
            let judge = members.get(*member)?.as_ref()?;
            let reader = reader.lock().expect("no thread panics while it reads");
            match reader.settlement(&packet, judge, *repeat).ok()??.decision {
                Settled::Verdict { body } => Some(PanelAnswer::Verdict(body)),
                Settled::Unscored { .. } => None,
            }
        }
    }))
}

/// Settles what the members decided under the panel's own identity, or reads what is settled where nothing is handed in.
async fn settle(
    work: &Arc<dyn Work>,
    session: &Session<'_>,
    answers: Option<PanelAnswers>,
) -> Result<Ran, RunError> {
    // No call is made, so nothing is spent and nothing is shown.
    let key = format!("{} settled", super::budget_key([work.as_ref()]));
    let limits = Limits { calls_max: None, money_max: None };
    let allowance = &Allowance::new(Arc::new(Budget::new(BudgetTerms { key, limits })));
    let session = &Session { observer: &Unseen, ..*session };
    let turn = Turn { work, session, allowance, calls_before: 0, answers: answers.map(Arc::new) };
    Ok(turn.take(&LeftOut::default(), None).await?.0)
}

/// What asking and settling came to together.
fn finished(asked: Option<Ran>, settled: Option<Ran>, panel: JudgeId, allowance: &Allowance) -> Ran {
    let asked = asked.unwrap_or_else(|| Ran::on_record(panel.clone()));
    let (plan, run) = match &settled {
        Some(settled) => (settled.plan.clone(), settled.run.or(asked.run)),
        None => (asked.plan.clone(), asked.run),
    };
    let n_calls = if asked.driven.is_some() { allowance.budget.spent().calls } else { 0 };
    let driven = asked.driven.or_else(|| settled.and_then(|settled| settled.driven));
    Ran { plan, judge_id: panel, run, driven, n_calls, n_answered: asked.n_answered, replies: asked.replies }
}

/// Discards everything it is told.
struct Unseen;

impl Observer for Unseen {
    fn notice(&self, _line: &str) {}
    fn planned(&self, _plan: &super::plan::Plan) {}
    fn calling(&self, _progress: &Arc<Progress>, _lane: &Arc<Lane>) {}
    fn called(&self) {}
}
