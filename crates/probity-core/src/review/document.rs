//! The two halves of a queue item, and what is asked about it.
//!
//! They are kept as JSON. What always holds: nothing in [`Exhibit`] or [`Questionnaire`] comes from a judge, a gate or
//! another person, and neither names the case, its slice, a variant or a model.

use serde::{Deserialize, Serialize};

use crate::case::{Evidence, Situation};
use crate::gate::Admitted;
use crate::label::ItemFacts;
use crate::results::FindingRecord;
use crate::rubric::{Criterion, Decider, ReferenceUse, Rubric};

/// What a reviewer may see before deciding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhibit {
    /// The ticket as one turn of the customer, or the conversation.
    pub conversation: Vec<ShownTurn>,
    /// What the replies may rest on: one for all of them, or one for each in their order; none where there is nothing.
    pub evidence: Vec<Evidence>,
    /// The reference reply, where a criterion asked about may use it and the case has one.
    pub reference: Option<String>,
    /// One reply to be graded, or two to be compared in the order in which this reviewer sees them.
    pub replies: Vec<String>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownTurn {
    /// `customer`, `agent` or `system`.
    pub role: String,
    /// What was said.
    pub text: String,
}

/// What is asked about every item of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questionnaire {
    /// How it is answered.
    pub form: LabelForm,
    /// The name of the rubric.
    pub rubric: String,
    /// The criteria that a judge or a person decides, in the rubric's order.
    pub criteria: Vec<AskedCriterion>,
}

/// How an item is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelForm {
    /// A level for each criterion.
    Levels,
    /// Which of two replies is better.
    Pair,
}

/// One criterion as a reviewer reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedCriterion {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is asked.
    pub question: String,
    /// The levels from the lowest to the highest, each with its anchor where it has one.
    pub levels: Vec<AskedLevel>,
    /// What does not count under it.
    pub outside: Vec<String>,
    /// What breaks it.
    pub violations: Vec<String>,
    /// What makes one reply the better one.
    pub better: Option<String>,
    /// When two replies are equal.
    pub tie: Option<String>,
}

/// One level of a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedLevel {
    /// The level.
    pub level: i64,
    /// What it looks like.
    pub anchor: Option<String>,
}

/// What a reviewer must not see before deciding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hidden {
    /// The case.
    pub case: String,
    /// Its slice.
    pub slice: Option<String>,
    /// Who wrote the reply, or candidate A and candidate B.
    pub variants: Vec<Option<String>>,
    /// What a judge is asked: one packet per criterion, or both orders of a pair with candidate A first.
    pub packets: Vec<HiddenPacket>,
    /// The judge whose verdicts are here; `None` where none was asked.
    pub judge: Option<HiddenJudge>,
    /// What it said.
    pub verdicts: Vec<HiddenVerdict>,
    /// What the gate saw, for each reply, as results write it.
    pub findings: Vec<Vec<FindingRecord>>,
}

/// What a judge is asked about one criterion, or about a pair in one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenPacket {
    /// The criterion; `None` for a pair.
    pub criterion: Option<String>,
    /// The packet's hash.
    pub packet: String,
}

/// A judge by what people call it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenJudge {
    /// Its identity.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its model; empty for a judge without one.
    pub model: String,
}

/// What a judge said about one criterion, or about a pair in one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HiddenVerdict {
    /// The criterion; `None` for a pair.
    pub criterion: Option<String>,
    /// `ab` or `ba`; `None` for a level.
    pub order: Option<String>,
    /// A level, or `a`, `b`, `tie` or `needs_human_review` by candidate; `None` where there is no verdict.
    pub said: Option<String>,
    /// The judge's reason, or why there is no verdict.
    pub reasoning: String,
}

impl Exhibit {
    /// What is shown of admitted replies to one case, one or two. The evidence of replies that rest on the same is
    /// shown once.
    pub fn of(replies: &[&Admitted], asked: &Rubric) -> Exhibit {
        let case = &replies[0].entry().case;
        let turn = |role: &str, text: &str| ShownTurn { role: role.to_owned(), text: text.into() };
        let conversation = match &case.situation {
            Situation::Ticket(text) => vec![turn("customer", text)],
            Situation::Conversation(turns) => {
                turns.iter().map(|each| turn(each.role.name(), &each.text)).collect()
            }
        };
        let uses_reference = judged(asked).any(|criterion| criterion.reference != ReferenceUse::Hidden);
        let mut evidence: Vec<Evidence> =
            replies.iter().map(|reply| Evidence::clone(&reply.entry().case.evidence)).collect();
        evidence.dedup();
        if evidence.iter().all(Evidence::is_empty) {
            evidence.clear();
        }
        Exhibit {
            conversation,
            evidence,
            reference: case.reference.clone().filter(|_| uses_reference),
            replies: replies.iter().map(|reply| reply.entry().reply.text.to_string()).collect(),
        }
    }

    /// The same with the replies of a pair the other way round.
    #[must_use]
    pub fn turned(mut self) -> Exhibit {
        self.replies.reverse();
        self.evidence.reverse();
        self
    }
}

impl Hidden {
    /// What rows of labels and verdicts say about the item.
    pub fn facts(&self) -> ItemFacts {
        let (variant, variants) = match &self.variants[..] {
            [Some(a), Some(b)] => (None, Some([a.clone(), b.clone()])),
            [one] => (one.clone(), None),
            _ => (None, None),
        };
        ItemFacts { slice: self.slice.clone(), variant, variants, ..ItemFacts::default() }
    }
}

impl Questionnaire {
    /// What people are asked under a rubric: what a judge would be, so that the two can be compared with each
    /// other; of single replies also what is theirs alone to decide.
    pub fn of(rubric: &Rubric, form: LabelForm) -> Questionnaire {
        let is_asked = |criterion: &&Criterion| match form {
            LabelForm::Levels => criterion.decider != Decider::Gate,
            LabelForm::Pair => criterion.decider == Decider::Judge,
        };
        let criteria = rubric.criteria().iter().filter(is_asked).map(AskedCriterion::of).collect();
        Questionnaire { form, rubric: rubric.name().to_owned(), criteria }
    }
}

fn judged(rubric: &Rubric) -> impl Iterator<Item = &Criterion> {
    rubric.criteria().iter().filter(|criterion| criterion.decider == Decider::Judge)
}

impl AskedCriterion {
    fn of(criterion: &Criterion) -> AskedCriterion {
        let anchor = |level: i64| {
            let anchor = criterion.anchors.iter().find(|anchor| anchor.level == level);
            AskedLevel { level, anchor: anchor.map(|anchor| anchor.text.clone()) }
        };
        AskedCriterion {
            id: criterion.id.to_string(),
            title: criterion.title.clone(),
            question: criterion.question.clone(),
            levels: criterion.scale.levels().iter().copied().map(anchor).collect(),
            outside: criterion.outside.clone(),
            violations: criterion.violations.iter().map(ToString::to_string).collect(),
            better: criterion.better.clone(),
            tie: criterion.tie.clone(),
        }
    }
}
