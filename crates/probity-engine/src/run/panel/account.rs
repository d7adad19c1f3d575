//! What the members of a panel decided in a run, kept with the run.

use probity_core::exact::Exact;
use probity_core::json::{self, Json};
use probity_core::panel::PanelRecord;
use probity_core::results::{PanelFacts, PanelMember, PromiseFacts};
use serde::{Deserialize, Serialize};

use super::super::Ran;
use super::super::asking::Asking;
use super::questions::{QuestionCounts, Questions};
use crate::config::{PanelRule, PanelSettings};
use crate::ledger::{JudgeId, Reader, RunId, Store, StoreError, Totals};
use crate::schedule::budget::Money;

/// What became of the questions of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::run) struct Account {
    questions: u64,
    asked: Vec<u64>,
    decided: Vec<u64>,
    needs_human_review: u64,
    pending: u64,
    calls_per_question: u64,
}

impl Account {
    /// What became of `questions`.
    pub(super) fn of(questions: &Questions, asking: &Asking) -> Account {
        let rule = asking.panel().map_or(PanelRule::Jury, |panel| panel.rule);
        let QuestionCounts { n, decided, n_review, n_pending, calls_per_question } = questions.counts(rule);
        let asked = questions.asked.clone();
        Account {
            questions: n,
            asked,
            decided,
            needs_human_review: n_review,
            pending: n_pending,
            calls_per_question,
        }
    }

    /// Keeps it with the run.
    pub(super) fn keep(&self, store: &Store, run: RunId) -> Result<(), StoreError> {
        store.note(&note(run), &serde_json::to_string(self).expect("numbers can be written"))
    }
}

fn note(run: RunId) -> String {
    format!("panel-run:{run}")
}

/// The members of the judge `id`, by the identity under which the store knows it.
pub(in crate::run) fn members_of(reader: &Reader, id: &JudgeId) -> Result<Vec<JudgeId>, StoreError> {
    let identity = reader.judges()?.into_iter().find(|(known, _)| known == id).map(|(_, identity)| identity);
    let Some(Ok(Json::Object(parts))) = identity.map(|identity| json::parse(&identity)) else {
        return Ok(Vec::new());
    };
    let members = parts.get("members").and_then(Json::as_array).unwrap_or_default();
    Ok(members.iter().filter_map(Json::as_str).map(JudgeId::of_identity).collect())
}

/// What the members of the panel of `ran` decided, where that was kept.
pub(crate) fn panel_facts(
    asking: &Asking,
    panel: &PanelSettings,
    reader: &Reader,
    ran: &Ran,
) -> Result<Option<PanelFacts>, StoreError> {
    let Some(run) = ran.run else { return Ok(None) };
    let kept = reader.noted(&note(run))?.and_then(|text| serde_json::from_str::<Account>(&text).ok());
    let Some(account) = kept else { return Ok(None) };
    let mut members = Vec::new();
    let mut last_alone_usd = None;
    for (place, id) in members_of(reader, &ran.judge_id)?.iter().enumerate() {
        let Totals { calls, cost_picodollars, .. } = reader.totals(id, run)?;
        let settings = panel.members.get(place);
        let chat = settings.and_then(|settings| settings.chat());
        let is_priced = chat.is_some_and(|chat| asking.config.price(chat).is_some());
        let cost = is_priced.then(|| Money::from_picos(cost_picodollars));
        let count = |counts: &[u64]| counts.get(place).copied().unwrap_or(0);
        members.push(PanelMember {
            judge: settings.map(|settings| settings.name.clone()).unwrap_or_default(),
            asked: count(&account.asked),
            decided: count(&account.decided),
            calls,
            cost_usd: cost.map(Money::usd),
        });
        let all_calls = account.questions.saturating_mul(account.calls_per_question);
        last_alone_usd = cost.filter(|_| calls > 0).map(|cost| {
            let picos = i128::from(cost.picos()) * i128::from(all_calls) / i128::from(calls);
            Money::from_picos(i64::try_from(picos).unwrap_or(i64::MAX)).usd()
        });
    }
    Ok(Some(PanelFacts {
        members,
        questions: account.questions,
        needs_human_review: account.needs_human_review,
        pending: account.pending,
        promise: promise(reader, &ran.judge_id)?,
        last_alone_usd,
    }))
}

/// What the judge promises, as its identity has it.
fn promise(reader: &Reader, id: &JudgeId) -> Result<Option<PromiseFacts>, StoreError> {
    let identity = reader.judges()?.into_iter().find(|(known, _)| known == id).map(|(_, identity)| identity);
    let Some(Ok(Json::Object(parts))) = identity.map(|identity| json::parse(&identity)) else {
        return Ok(None);
    };
    let text = |name: &str| parts.get(name).and_then(Json::as_str);
    let share = |name: &str| text(name)?.parse::<Exact>().ok();
    let record = text("fitted").and_then(|text| PanelRecord::read(text).ok());
    let (Some(agreement), Some(confidence), Some(PanelRecord::Cascade(record))) =
        (share("agreement"), share("confidence"), record)
    else {
        return Ok(None);
    };
    let (seen_decided, seen_right) = (record.seen.decided, record.seen.right);
    Ok(Some(PromiseFacts { agreement, confidence, seen_decided, seen_right }))
}
