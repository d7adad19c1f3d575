//! The label page: what is shown, what is asked, and what becomes of the answer.
//!
//! What always holds: the page is made from the half of an item that may be seen, and from this person's own answer;
//! the other half is read by [`super::reveal`] alone.

use std::collections::BTreeMap;

use axum::Form;
use axum::extract::{Path, Query};
use minijinja::context;
use minijinja::value::Serde;
use probity_core::review::{AskedCriterion, AskedLevel, LabelForm, Questionnaire, ReplySide, ReviewerAnswer};
use probity_engine::review::{After, ItemId, ItemView, Person, SeatState, Submission, Submitted};
use serde::{Deserialize, Serialize};

use super::app::{App, Visit, now};
use super::pages::go;
use super::queues::onward;
use super::refusal::{PageResult, Refusal};

/// The remark on the next item for a person whose answer to the last one was not needed any more.
const FULL: &str = "?remark=full";

/// The remark on an item about which this person has said something elsewhere.
const SAID: &str = "You have said something about this before, in another queue or in a file that was imported. \
    It is chosen here and counts; submitting revises it.";

/// What the address says beside the item.
#[derive(Debug, Deserialize)]
pub(super) struct ItemQuery {
    remark: Option<String>,
}

/// One thing to choose.
#[derive(Debug, Serialize)]
struct ChoiceView {
    /// What the form sends.
    value: String,
    /// The keys that choose it, with spaces between.
    keys: String,
    /// What it is called.
    name: String,
    /// What it looks like.
    anchor: Option<String>,
    /// Whether it is chosen.
    chosen: bool,
}

/// One set of choices, of which one is made.
#[derive(Debug, Serialize)]
struct ChoiceSet {
    /// The field of the form.
    field: String,
    /// The criterion, where the set is about one.
    criterion: Option<AskedCriterion>,
    choices: Vec<ChoiceView>,
    /// Whether "cannot tell" is chosen.
    unsure: bool,
}

/// The sets of an item, with what `said` has chosen in them.
fn choice_sets(asked: &Questionnaire, said: Option<&ReviewerAnswer>) -> Vec<ChoiceSet> {
    match asked.form {
        LabelForm::Levels => asked.criteria.iter().map(|criterion| level_set(criterion, said)).collect(),
        LabelForm::Pair => vec![pair_set(said)],
    }
}

fn level_set(criterion: &AskedCriterion, said: Option<&ReviewerAnswer>) -> ChoiceSet {
    let digits = criterion.levels.iter().all(|each| (0..=9).contains(&each.level));
    let level = match said {
        Some(ReviewerAnswer::Levels(levels)) => levels.get(&criterion.id).copied(),
        Some(ReviewerAnswer::CannotTell) => Some(None),
        Some(ReviewerAnswer::Pair(_)) | None => None,
    };
    let choice = |(index, each): (usize, &AskedLevel)| ChoiceView {
        value: each.level.to_string(),
        keys: if digits { each.level.to_string() } else { (index + 1).to_string() },
        name: each.level.to_string(),
        anchor: each.anchor.clone(),
        chosen: level == Some(Some(each.level)),
    };
    ChoiceSet {
        field: format!("level.{}", criterion.id),
        criterion: Some(criterion.clone()),
        choices: criterion.levels.iter().enumerate().map(choice).collect(),
        unsure: level == Some(None),
    }
}

fn pair_set(said: Option<&ReviewerAnswer>) -> ChoiceSet {
    let choice = |(side, keys): (ReplySide, &str)| ChoiceView {
        value: side_name(side).to_owned(),
        keys: keys.to_owned(),
        name: side_text(side).to_owned(),
        anchor: None,
        chosen: said == Some(&ReviewerAnswer::Pair(side)),
    };
    let sides = [
        (ReplySide::First, "1 ArrowLeft"),
        (ReplySide::Second, "2 ArrowRight"),
        (ReplySide::Tie, "3 0 ArrowUp ArrowDown"),
    ];
    ChoiceSet {
        field: "side".to_owned(),
        criterion: None,
        choices: sides.map(choice).into(),
        unsure: said == Some(&ReviewerAnswer::CannotTell),
    }
}

fn side_name(side: ReplySide) -> &'static str {
    match side {
        ReplySide::First => "first",
        ReplySide::Second => "second",
        ReplySide::Tie => "tie",
    }
}

/// A side in words.
pub(super) fn side_text(side: ReplySide) -> &'static str {
    match side {
        ReplySide::First => "Reply 1 is better",
        ReplySide::Second => "Reply 2 is better",
        ReplySide::Tie => "They are equal",
    }
}

/// What a form says, read by what was asked. The value of a person who cannot tell is empty.
fn said(asked: &Questionnaire, fields: &BTreeMap<String, String>) -> Result<ReviewerAnswer, Refusal> {
    match asked.form {
        LabelForm::Pair => match fields.get("side").map(String::as_str) {
            Some("") => Ok(ReviewerAnswer::CannotTell),
            Some(name) => [ReplySide::First, ReplySide::Second, ReplySide::Tie]
                .into_iter()
                .find(|side| side_name(*side) == name)
                .map(ReviewerAnswer::Pair)
                .ok_or_else(|| Refusal::unusable("expected one of the two replies, or that they are equal")),
            None => Err(Refusal::unusable("choose first, or skip")),
        },
        LabelForm::Levels => {
            let mut levels = BTreeMap::new();
            for criterion in &asked.criteria {
                let level = match fields.get(&format!("level.{}", criterion.id)).map(String::as_str) {
                    None => return Err(Refusal::unusable(format!("choose a level for {}", criterion.title))),
                    Some("") => None,
                    Some(text) => Some(text.parse().map_err(|_| Refusal::unusable("expected a level"))?),
                };
                levels.insert(criterion.id.clone(), level);
            }
            let is_unsure = levels.values().all(Option::is_none);
            Ok(if is_unsure { ReviewerAnswer::CannotTell } else { ReviewerAnswer::Levels(levels) })
        }
    }
}

/// `GET /items/{item}`
pub(super) async fn page(
    visit: Visit,
    Path(item): Path<i64>,
    Query(ItemQuery { remark }): Query<ItemQuery>,
) -> PageResult {
    let (id, who) = (ItemId(item), visit.person.id);
    let app = &visit.app;
    let found = app
        .read(move |room| {
            let Some(item) = room.item(id, who)? else { return Ok(None) };
            let progress = room.progress(item.queue, who, now())?;
            let last = room.last_item(item.queue, who)?;
            Ok(Some((item, progress, last.is_some())))
        })
        .await?;
    let (item, progress, can_undo) = found.ok_or_else(Refusal::not_found)?;
    let notice = match remark.as_deref() {
        Some("full") => {
            "Enough others have answered the last one meanwhile, so your answer to it was not kept."
        }
        _ => "",
    };
    let said_before = if item.earlier.is_some() { SAID } else { "" };
    let exhibit = app.pages.part("exhibit", context! { ..Serde(&item.shown) })?;
    let choices = choices(app, &item.asked, item.answer.as_ref().or(item.earlier.as_ref()))?;
    let body = context! {
        exhibit, choices, notice, said_before, can_undo,
        item => item.id.0,
        queue_id => item.queue.0,
        queue => &item.queue_name,
        form => Serde(item.asked.form),
        sets => Serde(choice_sets(&item.asked, item.answer.as_ref())),
        revision => item.revision,
        note => &item.note,
        n_done => progress.n_submitted,
        n_mine => progress.n_submitted + progress.n_open,
        can_reveal => item.after == After::Reveal,
    };
    let template = if item.state == SeatState::Submitted { "answered" } else { "label" };
    visit.page(template, &format!("{}, {}", item.queue_name, item.n), body)
}

/// The choices of an item, as a part of a page.
pub(super) fn choices(
    app: &App,
    asked: &Questionnaire,
    said: Option<&ReviewerAnswer>,
) -> Result<minijinja::Value, Refusal> {
    let sets = choice_sets(asked, said);
    let view =
        context! { sets => Serde(sets), form => Serde(asked.form), criteria => Serde(&asked.criteria) };
    app.pages.part("choices", view)
}

/// `POST /items/{item}/label`
pub(super) async fn submit(
    visit: Visit,
    Path(item): Path<i64>,
    Form(fields): Form<Vec<(String, String)>>,
) -> PageResult {
    let fields: BTreeMap<String, String> = fields.into_iter().collect();
    let view = own(&visit, item).await?;
    match visit.app.room.submit(submission(view.id, &visit.person, &view.asked, &fields)?).await? {
        Submitted::Kept { .. } | Submitted::Already { .. } if view.after == After::Reveal => {
            Ok(go(&format!("/items/{item}")))
        }
        Submitted::Kept { .. } | Submitted::Already { .. } => onward(&visit, view.queue, "").await,
        Submitted::Full => onward(&visit, view.queue, FULL).await,
        Submitted::Overtaken { .. } => Err(Refusal::conflict(
            "you said something else about this in another window or queue; load the page again",
        )),
        Submitted::NotYours => Err(Refusal::not_found()),
        Submitted::Refused { reason } => Err(Refusal::unusable(reason)),
    }
}

/// What a form says about an item, on top of the revision that the person has seen.
pub(super) fn submission(
    item: ItemId,
    person: &Person,
    asked: &Questionnaire,
    fields: &BTreeMap<String, String>,
) -> Result<Submission, Refusal> {
    let revision = fields.get("revision").and_then(|text| text.parse().ok());
    Ok(Submission {
        item,
        person: person.id,
        expected_revision: revision.ok_or_else(|| Refusal::unusable("expected a revision"))?,
        answer: said(asked, fields)?,
        note: note(fields),
        at: now(),
    })
}

/// The note of a form, with the line ends that people meant.
fn note(fields: &BTreeMap<String, String>) -> String {
    fields.get("note").map(|note| note.replace("\r\n", "\n").trim().to_owned()).unwrap_or_default()
}

/// `POST /items/{item}/skip`
pub(super) async fn skip(visit: Visit, Path(item): Path<i64>) -> PageResult {
    let view = own(&visit, item).await?;
    visit.app.room.skip(view.id, visit.person.id, now()).await?;
    onward(&visit, view.queue, "").await
}

/// The item, if it is this person's.
pub(super) async fn own(visit: &Visit, item: i64) -> Result<ItemView, Refusal> {
    let who = visit.person.id;
    visit.app.read(move |room| room.item(ItemId(item), who)).await?.ok_or_else(Refusal::not_found)
}
