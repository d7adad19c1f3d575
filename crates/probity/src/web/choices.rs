//! What can be chosen about an item, as forms show it and as they send it back.

use std::collections::BTreeMap;

use probity_core::review::{AskedCriterion, AskedLevel, LabelForm, Questionnaire, ReplySide, ReviewerAnswer};
use probity_engine::review::PersonAnswer;
use serde::Serialize;

use super::refusal::Refusal;

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
    /// Who chose it, where that is shown.
    voters: Vec<Voter>,
}

/// A person at what they chose.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Voter {
    /// Their name.
    pub(super) name: String,
    /// Which colour stands for them on a page.
    pub(super) hue: usize,
}

/// Colours that stand for people.
const HUES: usize = 5;

impl Voter {
    /// The people who said something, in the order in which they are listed.
    pub(super) fn of((at, said): (usize, &PersonAnswer)) -> Voter {
        Voter { name: said.name.clone(), hue: at % HUES }
    }
}

/// One set of choices, of which one is made.
#[derive(Debug, Serialize)]
pub(super) struct ChoiceSet {
    /// The field of the form.
    field: String,
    /// The criterion, where the set is about one.
    criterion: Option<AskedCriterion>,
    choices: Vec<ChoiceView>,
    /// Whether "cannot tell" is chosen.
    unsure: bool,
    /// How far apart people are, in place of the question.
    remark: Option<String>,
    /// Whether people agree, so that nothing has to be settled.
    pub(super) agreed: bool,
}

/// The sets of an item, with what `said` has chosen in them.
pub(super) fn choice_sets(asked: &Questionnaire, said: Option<&ReviewerAnswer>) -> Vec<ChoiceSet> {
    match asked.form {
        LabelForm::Levels => asked.criteria.iter().map(|criterion| level_set(criterion, said)).collect(),
        LabelForm::Pair => vec![pair_set(said)],
    }
}

/// The sets of an item that is to be settled: voters stand at what they chose, what they agree on is chosen and comes
/// last. `settled` has what was settled before.
pub(super) fn settling_sets(
    asked: &Questionnaire,
    said: &[PersonAnswer],
    settled: Option<&ReviewerAnswer>,
) -> Vec<ChoiceSet> {
    let mut sets = choice_sets(asked, settled);
    let voters: Vec<(Voter, Vec<ChoiceSet>)> = said
        .iter()
        .enumerate()
        .map(|each| (Voter::of(each), choice_sets(asked, Some(&each.1.answer))))
        .collect();
    for (at, set) in sets.iter_mut().enumerate() {
        for (voter, theirs) in &voters {
            for (choice, own) in set.choices.iter_mut().zip(&theirs[at].choices) {
                choice.voters.extend(own.chosen.then(|| voter.clone()));
            }
        }
        let voted: Vec<usize> =
            (0..set.choices.len()).filter(|at| !set.choices[*at].voters.is_empty()).collect();
        set.agreed = voted.len() < 2;
        match voted[..] {
            [] if settled.is_none() => set.unsure = true,
            [only] if settled.is_none() => set.choices[only].chosen = true,
            [first, .., last] if set.criterion.is_some() => {
                let names: Vec<&str> = voted.iter().map(|at| &*set.choices[*at].name).collect();
                let apart =
                    if last - first == 1 { "one level" } else { &*format!("{} levels", spelt(last - first)) };
                set.remark = Some(format!("{}: {apart} apart", names.join(" and ")));
            }
            _ => {}
        }
    }
    sets.sort_by_key(|set| set.agreed);
    sets
}

/// A small number as a word.
pub(super) fn spelt(n: usize) -> String {
    const WORDS: [&str; 10] = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS.get(n).map_or_else(|| n.to_string(), |word| (*word).to_owned())
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
        voters: Vec::new(),
    };
    ChoiceSet {
        field: format!("level.{}", criterion.id),
        criterion: Some(criterion.clone()),
        choices: criterion.levels.iter().enumerate().map(choice).collect(),
        unsure: level == Some(None),
        remark: None,
        agreed: false,
    }
}

fn pair_set(said: Option<&ReviewerAnswer>) -> ChoiceSet {
    let choice = |(side, keys): (ReplySide, &str)| ChoiceView {
        value: side_name(side).to_owned(),
        keys: keys.to_owned(),
        name: side_text(side).to_owned(),
        anchor: None,
        chosen: said == Some(&ReviewerAnswer::Pair(side)),
        voters: Vec::new(),
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
        remark: None,
        agreed: false,
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
pub(super) fn said(
    asked: &Questionnaire,
    fields: &BTreeMap<String, String>,
) -> Result<ReviewerAnswer, Refusal> {
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
