//! What people do with an item: answer, put off, take back, say why the judge was wrong, and look at what the
//! judge said.
//!
//! Each is one transaction that changes labels and seats and adds to the log of acts.
//!
//! A label that is taken back is not deleted: a further revision says what counted before, or where nothing did says
//! nothing, which counts as a person who could not tell. A person who has seen
//! what a judge or others said is no longer blind, and later labels of theirs say so.

use std::collections::BTreeMap;

use probity_core::label::LabelEntry;
use probity_core::review::{GivenAnswer, Hidden, ReviewerAnswer, said_by};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::earlier::{earlier, revisions, take_back};
use super::hand_out::{QueuedItem, SeatState, last_note, n_others, place, seat, seconds_at, sit, standing};
use super::people::{PersonId, PersonRole, active};
use super::queue::After;
use super::seen::{Sight, has_seen, note};
use super::{ItemId, ReviewRoom, document, word};
use crate::ledger::db::{Db, DbError, vals};
use crate::ledger::{Fault, Revised, StoreError, last_label, revise_label};

/// The longest note, in characters.
pub(super) const NOTE_CHARS_MAX: usize = 4000;

/// A person's answer to an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// The item.
    pub item: ItemId,
    /// Who answers.
    pub person: PersonId,
    /// The revision of what the person has seen, as the item's view had it.
    pub expected_revision: u32,
    /// What they say.
    pub answer: ReviewerAnswer,
    /// Why, in their words; may be empty.
    pub note: String,
    /// When, in seconds.
    pub at: i64,
}

impl Submission {
    /// The answer of the person who has said nothing in `unsaid`.
    pub(super) fn given(&self, blind: bool, unsaid: GivenAnswer) -> GivenAnswer {
        GivenAnswer { answer: Some(self.answer.clone()), at: self.at, blind, ..unsaid }
    }
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Submitted {
    /// It counts now.
    Kept {
        /// What to say that one has seen from now on.
        revision: u32,
        /// Whether the person had seen neither a verdict nor what others said on it, here or in another queue.
        /// Labels by people who had do not count in a calibration.
        blind: bool,
    },
    /// It was there already, word for word: nothing was changed.
    Already {
        /// What to say that one has seen.
        revision: u32,
    },
    /// Something was said about it in the meantime, in another window: nothing was kept.
    Overtaken {
        /// What to say that one has seen.
        revision: u32,
        /// What counts.
        answer: Option<ReviewerAnswer>,
    },
    /// As many others have answered as the queue asks for: nothing was kept.
    Full,
    /// The item was not given to this person.
    NotYours,
    /// The answer does not answer what was asked.
    Refused {
        /// What is wrong with it.
        reason: String,
    },
}

/// What became of taking back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undone {
    /// The answer counts no longer, and the item is the person's to answer again. What they said about it elsewhere
    /// counts as before.
    Withdrawn {
        /// What to say that one has seen from now on.
        revision: u32,
    },
    /// The item is no longer skipped.
    Resumed,
    /// Others have taken the item meanwhile: it stays skipped.
    Full,
    /// There is nothing to take back.
    Nothing,
    /// The item was not given to this person.
    NotYours,
}

probity_core::named! {
    /// Why a judge's verdict is wrong.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RootCause {
        /// The judge is too generous.
        TooHigh = "too_high",
        /// The judge is too strict.
        TooLow = "too_low",
        /// The rubric does not say what is right.
        RubricUnclear = "rubric_unclear",
    }
}

/// What is wrong with the verdicts on an item, by criterion; a pair has none.
pub type RootCauses = BTreeMap<Option<String>, RootCause>;

/// Which verdict a person says something is wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CausedBy {
    /// The item.
    pub item: ItemId,
    /// Who says it.
    pub person: PersonId,
    /// The criterion; `None` for a pair.
    pub criterion: Option<String>,
}

/// The hidden half of an item, for those who may see it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reveal {
    /// Here it is.
    Shown {
        /// What was hidden.
        hidden: Box<Hidden>,
        /// Whether this person saw candidate B first.
        turned: bool,
        /// What this person said is wrong with the verdicts.
        causes: RootCauses,
    },
    /// The person has not answered yet, or the queue does not show it.
    NotYet,
    /// The item was not given to this person.
    NotYours,
}

impl ReviewRoom {
    /// Keeps an answer, once.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, StoreError> {
        self.write("keeping an answer", move |db| submit(db, &submission)).await
    }

    /// Puts an item off: it comes again after all others. `false` where it is not theirs to put off.
    pub async fn skip(&self, item: ItemId, person: PersonId, now: i64) -> Result<bool, StoreError> {
        self.write("skipping an item", move |db| {
            if seat(db, item, person)? != Some(SeatState::Leased) {
                return Ok(false);
            }
            sit(db, item, person, "skipped", now)?;
            log(db, (item, person), LoggedAct::of("skip"), now)?;
            Ok(true)
        })
        .await
    }

    /// Takes back what `person` did with an item last.
    pub async fn undo(&self, item: ItemId, person: PersonId, now: i64) -> Result<Undone, StoreError> {
        self.write("taking back an answer", move |db| undo(db, item, person, now)).await
    }

    /// Notes why a judge's verdict is wrong. `false` unless the person has answered the item and the criterion is
    /// one that they were asked about.
    pub async fn cause(&self, about: CausedBy, cause: RootCause, now: i64) -> Result<bool, StoreError> {
        self.write("noting a cause", move |db| {
            let CausedBy { item, person, ref criterion } = about;
            let is_asked = |place: QueuedItem| {
                let mut verdicts = place.hidden.verdicts.iter();
                verdicts.any(|verdict| verdict.criterion == *criterion)
            };
            let is_answered = seat(db, item, person)? == Some(SeatState::Submitted);
            if !is_answered || !place(db, item)?.is_some_and(is_asked) {
                return Ok(false);
            }
            let body = json!({ "criterion": criterion }).to_string();
            let act = LoggedAct { cause: Some(cause.name()), body: &body, ..LoggedAct::of("cause") };
            log(db, (item, person), act, now)?;
            Ok(true)
        })
        .await
    }

    /// What was hidden of an item: for a person who has answered it, where the queue shows it, and for leads. It is noted
    /// that they have seen it.
    pub async fn reveal(&self, item: ItemId, person: PersonId, now: i64) -> Result<Reveal, StoreError> {
        self.write("revealing an item", move |db| reveal(db, item, person, now)).await
    }
}

/// One entry of the log of acts.
#[derive(Clone, Copy)]
pub(super) struct LoggedAct<'a> {
    pub(super) kind: &'static str,
    /// What was written with an answer.
    pub(super) note: Option<&'a str>,
    /// Why a verdict is wrong.
    pub(super) cause: Option<&'static str>,
    /// What was revealed.
    pub(super) sight: Option<&'static str>,
    /// The rest, as JSON.
    pub(super) body: &'a str,
}

impl LoggedAct<'_> {
    /// An act that says nothing more than what it is.
    pub(super) fn of(kind: &'static str) -> Self {
        LoggedAct { kind, note: None, cause: None, sight: None, body: "{}" }
    }
}

/// Adds to the log of acts.
pub(super) fn log(
    db: &Db,
    (item, person): (ItemId, PersonId),
    act: LoggedAct<'_>,
    now: i64,
) -> Result<(), DbError> {
    const SQL: &str = "INSERT INTO act (item, person, kind, note, cause, sight, body, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let LoggedAct { kind, note, cause, sight, body } = act;
    db.run(SQL, &vals![item.0, person.0, kind, note, cause, sight, body, now]).map(drop)
}

/// Keeps labels as further revisions of what is there.
pub(super) fn keep(db: &Db, entries: &[LabelEntry]) -> Result<u32, Fault> {
    let mut sum = 0;
    for entry in entries {
        let subject = entry.subject();
        let seen = last_label(db, &subject)?.map_or(0, |(revision, _)| revision);
        match revise_label(db, &subject, &entry.canonical(), seen)? {
            Revised::Kept { revision } => sum += revision,
            Revised::Overtaken { .. } => unreachable!("a transaction has one writer"),
        }
    }
    Ok(sum)
}

/// Labels without when they were given and what their person had seen, for comparing what was said.
pub(super) fn content(labels: &[LabelEntry]) -> Vec<LabelEntry> {
    let bare = |label: &LabelEntry| LabelEntry { at: None, blind: None, seconds: None, ..label.clone() };
    labels.iter().map(bare).collect()
}

fn submit(db: &Db, submission: &Submission) -> Result<Submitted, Fault> {
    let (item, id) = (submission.item, submission.person);
    let (Some(state), Some(place), Some(person)) = (seat(db, item, id)?, place(db, item)?, active(db, id)?)
    else {
        return Ok(Submitted::NotYours);
    };
    if let Err(reason) = acceptable(&place, &submission.answer, &submission.note) {
        return Ok(Submitted::Refused { reason });
    }
    let blind = !has_seen(db, item, id, Sight::ANY)?;
    let seconds = seconds_at(db, item, id, submission.at)?;
    let given = GivenAnswer { seconds, ..submission.given(blind, place.unsaid(&person.name, false)) };
    let entries = place.entries(&given);
    let (revision, kept) = standing(db, &entries)?;
    let is_answered = state == SeatState::Submitted;
    if is_answered && content(&kept) == content(&entries) && last_note(db, item, id)? == submission.note {
        return Ok(Submitted::Already { revision });
    }
    if revision != submission.expected_revision {
        let answer = if is_answered {
            Some(said_by(&place.spec.asked, &kept, given.turned))
        } else {
            earlier(db, &place, &person)?
        };
        return Ok(Submitted::Overtaken { revision, answer });
    }
    // A seat that was taken and not used keeps out no answer: at the end of time every lease has ended.
    if !is_answered && n_others(db, item, id, i64::MAX)? >= place.spec.overlap {
        return Ok(Submitted::Full);
    }
    sit(db, item, id, "submitted", submission.at)?;
    let stays = says_the_same(&kept, &entries);
    let before = revisions(db, &entries)?;
    let body = json!({ "answer": submission.answer, "before": before }).to_string();
    let act = LoggedAct { note: Some(&submission.note), body: &body, ..LoggedAct::of("submit") };
    log(db, (item, id), act, submission.at)?;
    if stays {
        // It was said before, perhaps blind, and saying it again does not make it less so.
        let blind = kept.iter().all(|label| label.blind != Some(false));
        return Ok(Submitted::Kept { revision: keep(db, &kept)?, blind });
    }
    Ok(Submitted::Kept { revision: keep(db, &entries)?, blind })
}

/// Whether what counts says what `entries` say.
fn says_the_same(kept: &[LabelEntry], entries: &[LabelEntry]) -> bool {
    kept.len() == entries.len() && kept.iter().zip(entries).all(|(kept, entry)| kept.label == entry.label)
}

/// Whether an answer and its note can be kept.
pub(super) fn acceptable(place: &QueuedItem, answer: &ReviewerAnswer, note: &str) -> Result<(), String> {
    if note.chars().count() > NOTE_CHARS_MAX {
        return Err(format!("the note is longer than {NOTE_CHARS_MAX} characters"));
    }
    answer.check(&place.spec.asked)
}

fn undo(db: &Db, item: ItemId, id: PersonId, now: i64) -> Result<Undone, Fault> {
    let (Some(state), Some(place), Some(person)) = (seat(db, item, id)?, place(db, item)?, active(db, id)?)
    else {
        return Ok(Undone::NotYours);
    };
    match state {
        SeatState::Leased => Ok(Undone::Nothing),
        SeatState::Skipped if n_others(db, item, id, now)? >= place.spec.overlap => Ok(Undone::Full),
        SeatState::Skipped => {
            sit(db, item, id, "leased", now)?;
            log(db, (item, id), LoggedAct::of("undo"), now)?;
            Ok(Undone::Resumed)
        }
        SeatState::Submitted => {
            sit(db, item, id, "leased", now)?;
            Ok(Undone::Withdrawn { revision: take_back(db, &place, &person, now)? })
        }
    }
}

fn reveal(db: &Db, item: ItemId, id: PersonId, now: i64) -> Result<Reveal, Fault> {
    let (Some(place), Some(person)) = (place(db, item)?, active(db, id)?) else {
        return Ok(Reveal::NotYours);
    };
    match (seat(db, item, id)?, place.spec.after) {
        _ if person.role == PersonRole::Lead => {}
        (Some(SeatState::Submitted), After::Reveal) => {}
        (Some(_), _) => return Ok(Reveal::NotYet),
        (None, _) => return Ok(Reveal::NotYours),
    }
    note(db, (item, id), Sight::Verdict, now)?;
    let turned = place.turns_for(&person.name);
    Ok(Reveal::Shown { hidden: Box::new(place.hidden), turned, causes: causes(db, item, id)? })
}

/// What a person said is wrong with the verdicts since their last answer, the latest about each criterion.
pub(super) fn causes(db: &Db, item: ItemId, person: PersonId) -> Result<RootCauses, DbError> {
    const SQL: &str = "SELECT cause, body FROM act AS said
        WHERE item = ?1 AND person = ?2 AND kind = 'cause'
            AND NOT EXISTS (SELECT 1 FROM act WHERE act.item = said.item AND act.person = said.person
                AND act.kind IN ('submit', 'undo') AND act.id > said.id)
        ORDER BY id";
    let said = db.rows(SQL, &vals![item.0, person.0], |row| {
        let about: AboutCriterion = document(row, 1, "cause")?;
        Ok((about.criterion, word(row, 0, "cause")?))
    })?;
    Ok(said.into_iter().collect())
}

/// What a noted cause is about.
#[derive(Deserialize)]
struct AboutCriterion {
    criterion: Option<String>,
}
