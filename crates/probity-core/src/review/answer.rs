//! What a person says about an item, and the labels that follow from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::{AskedCriterion, Hidden, LabelForm, Questionnaire};
use crate::case::Moment;
use crate::label::LabelEntry;

/// What a person says about an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewerAnswer {
    /// A level for each criterion by its id; `None` where the person cannot tell.
    Levels(BTreeMap<String, Option<i64>>),
    /// Which reply is better, as they were shown to this person.
    Pair(ReplySide),
    /// The person cannot tell anything about the item.
    CannotTell,
}

/// Which of two replies is better, by where they stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplySide {
    /// The one on the left, or above.
    First,
    /// The one on the right, or below.
    Second,
    /// Neither.
    Tie,
}

/// An answer with everything else that its labels say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenAnswer {
    /// Who says it.
    pub annotator: String,
    /// What is said; `None` takes back what was said before.
    pub answer: Option<ReviewerAnswer>,
    /// Whether the replies of a pair stood the other way round, candidate B first.
    pub turned: bool,
    /// Which time people look at these items, from one.
    pub round: u32,
    /// When, in seconds since the start of 1970 in UTC.
    pub at: i64,
    /// How long the person looked at it, in seconds; `None` where that is not known.
    pub seconds: Option<u32>,
    /// Whether the person had not seen a verdict.
    pub blind: bool,
    /// Whether it settles what others said.
    pub adjudicated: bool,
}

impl ReviewerAnswer {
    /// What is wrong with the answer to what was asked; nothing where it can be kept.
    pub fn check(&self, asked: &Questionnaire) -> Result<(), String> {
        match (self, asked.form) {
            (ReviewerAnswer::CannotTell, _) | (ReviewerAnswer::Pair(_), LabelForm::Pair) => Ok(()),
            (ReviewerAnswer::Levels(levels), LabelForm::Levels) => {
                let unknown = levels.keys().find(|id| !asked.criteria.iter().any(|each| each.id == **id));
                if let Some(unknown) = unknown {
                    return Err(format!("'{unknown}' was not asked about"));
                }
                asked.criteria.iter().try_for_each(|criterion| check_level(criterion, levels))
            }
            (ReviewerAnswer::Pair(_), LabelForm::Levels) => {
                Err("expected a level for each criterion".to_owned())
            }
            (ReviewerAnswer::Levels(_), LabelForm::Pair) => {
                Err("expected the better of two replies, or that they are equal".to_owned())
            }
        }
    }
}

fn check_level(criterion: &AskedCriterion, levels: &BTreeMap<String, Option<i64>>) -> Result<(), String> {
    let listed = || {
        let levels: Vec<String> = criterion.levels.iter().map(|each| each.level.to_string()).collect();
        levels.join(", ")
    };
    match levels.get(&criterion.id) {
        None => Err(format!("'{}' has no answer, expected {}", criterion.id, listed())),
        Some(Some(level)) if !criterion.levels.iter().any(|each| each.level == *level) => {
            Err(format!("'{}' is {level}, expected {}", criterion.id, listed()))
        }
        Some(_) => Ok(()),
    }
}

/// The labels that an answer comes to, as an import of a file would keep them: one for each criterion, or one for
/// a pair.
pub fn label_entries(asked: &Questionnaire, hidden: &Hidden, given: &GivenAnswer) -> Vec<LabelEntry> {
    let entry = |criterion: Option<&str>, label: Option<String>| LabelEntry {
        item: hidden.case.clone(),
        criterion: criterion.map(str::to_owned),
        rubric: Some(asked.rubric.clone()),
        annotator: Some(given.annotator.clone()),
        label,
        blind: Some(given.blind),
        adjudicated: given.adjudicated.then_some(true),
        round: u64::from(given.round),
        seconds: given.seconds.map(f64::from),
        at: Moment::from_seconds(given.at).map(|at| at.to_string()),
        packet: packet(hidden, criterion),
        facts: hidden.facts(),
    };
    match asked.form {
        LabelForm::Pair => {
            let label = match &given.answer {
                Some(ReviewerAnswer::Pair(side)) => Some(candidate(*side, given.turned).to_owned()),
                Some(ReviewerAnswer::Levels(_) | ReviewerAnswer::CannotTell) | None => None,
            };
            vec![entry(None, label)]
        }
        LabelForm::Levels => {
            let level = |id: &str| match &given.answer {
                Some(ReviewerAnswer::Levels(levels)) => levels.get(id).copied().flatten(),
                Some(ReviewerAnswer::Pair(_) | ReviewerAnswer::CannotTell) | None => None,
            };
            let criteria = asked.criteria.iter();
            criteria
                .map(|each| entry(Some(&each.id), level(&each.id).map(|level| level.to_string())))
                .collect()
        }
    }
}

/// What labels say, seen by a person to whom a pair was shown `turned`: the other way from labels to answers.
pub fn said_by(asked: &Questionnaire, labels: &[LabelEntry], turned: bool) -> ReviewerAnswer {
    if labels.iter().all(|label| label.label.is_none()) {
        return ReviewerAnswer::CannotTell;
    }
    match asked.form {
        LabelForm::Pair => {
            let label = labels.first().and_then(|label| label.label.as_deref());
            label
                .and_then(|label| side(label, turned))
                .map_or(ReviewerAnswer::CannotTell, ReviewerAnswer::Pair)
        }
        LabelForm::Levels => ReviewerAnswer::Levels(
            labels
                .iter()
                .filter_map(|label| {
                    let level = label.label.as_ref().and_then(|level| level.parse().ok());
                    Some((label.criterion.clone()?, level))
                })
                .collect(),
        ),
    }
}

/// The packet that the person was shown. For a pair, the one with its variants in the order of their names, so that
/// what was said about it is found again whichever side each reply was on.
fn packet(hidden: &Hidden, criterion: Option<&str>) -> Option<String> {
    let found = match (criterion, &hidden.variants[..]) {
        (Some(id), _) => hidden.packets.iter().find(|each| each.criterion.as_deref() == Some(id)),
        (None, [a, b]) => hidden.packets.get(usize::from(a > b)),
        (None, _) => hidden.packets.first(),
    };
    found.map(|each| each.packet.clone())
}

/// The candidate that a side is, by the name that labels have for it.
fn candidate(side: ReplySide, turned: bool) -> &'static str {
    match (side, turned) {
        (ReplySide::First, false) | (ReplySide::Second, true) => "a",
        (ReplySide::Second, false) | (ReplySide::First, true) => "b",
        (ReplySide::Tie, _) => "tie",
    }
}

fn side(label: &str, turned: bool) -> Option<ReplySide> {
    [ReplySide::First, ReplySide::Second, ReplySide::Tie]
        .into_iter()
        .find(|side| candidate(*side, turned) == label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{AskedLevel, HiddenPacket};

    fn asked(form: LabelForm) -> Questionnaire {
        let levels = (0..=2).map(|level| AskedLevel { level, anchor: None }).collect();
        let criterion = AskedCriterion {
            id: "tone".to_owned(),
            title: "Tone".to_owned(),
            question: "?".to_owned(),
            levels,
            outside: Vec::new(),
            violations: Vec::new(),
            better: None,
            tie: None,
        };
        Questionnaire { form, rubric: "r".to_owned(), criteria: vec![criterion] }
    }

    fn hidden(variants: &[Option<&str>]) -> Hidden {
        let packet = |name: &str| HiddenPacket { criterion: None, packet: name.to_owned() };
        Hidden {
            case: "c".to_owned(),
            slice: None,
            variants: variants.iter().map(|name| name.map(str::to_owned)).collect(),
            packets: vec![packet("ab"), packet("ba")],
            judge: None,
            verdicts: Vec::new(),
            findings: Vec::new(),
        }
    }

    fn given(answer: Option<ReviewerAnswer>, turned: bool) -> GivenAnswer {
        let (annotator, round) = ("ann".to_owned(), 1);
        GivenAnswer {
            annotator,
            answer,
            turned,
            round,
            at: 0,
            seconds: None,
            blind: true,
            adjudicated: false,
        }
    }

    #[track_caller]
    fn check_pair(side: ReplySide, turned: bool, want: &str) {
        let (asked, answer) = (asked(LabelForm::Pair), ReviewerAnswer::Pair(side));
        let given = given(Some(answer.clone()), turned);
        let labels = label_entries(&asked, &hidden(&[Some("old"), Some("new")]), &given);
        assert_eq!(labels.len(), 1);
        assert_eq!(labels[0].label.as_deref(), Some(want));
        assert_eq!(
            labels[0].packet.as_deref(),
            Some("ba"),
            "`new` comes before `old`, in whichever order they were shown"
        );
        assert_eq!(said_by(&asked, &labels, turned), answer, "what was said comes back");
    }

    #[test]
    fn a_side_is_the_candidate_that_stood_there() {
        check_pair(ReplySide::First, false, "a");
        check_pair(ReplySide::First, true, "b");
        check_pair(ReplySide::Second, false, "b");
        check_pair(ReplySide::Second, true, "a");
        check_pair(ReplySide::Tie, true, "tie");
    }

    #[test]
    fn what_is_taken_back_says_nothing() {
        for form in [LabelForm::Pair, LabelForm::Levels] {
            let variants: &[Option<&str>] =
                if form == LabelForm::Pair { &[Some("old"), Some("new")] } else { &[Some("bot")] };
            let labels = label_entries(&asked(form), &hidden(variants), &given(None, false));
            assert_eq!((labels.len(), &labels[0].label), (1, &None));
            assert_eq!(said_by(&asked(form), &labels, false), ReviewerAnswer::CannotTell);
        }
    }

    #[test]
    fn a_person_may_be_unable_to_tell_one_thing() {
        let answer = ReviewerAnswer::Levels(BTreeMap::from([("tone".to_owned(), None)]));
        assert_eq!(answer.check(&asked(LabelForm::Levels)), Ok(()));
        let off = ReviewerAnswer::Levels(BTreeMap::from([("tone".to_owned(), Some(3))]));
        assert_eq!(off.check(&asked(LabelForm::Levels)), Err("'tone' is 3, expected 0, 1, 2".to_owned()));
    }
}
