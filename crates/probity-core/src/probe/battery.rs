//! The probes: which change, what is expected of it, and where it has a meaning.

use serde::Deserialize;

use super::aspect::Aspect;
use super::base::Base;
use super::change::Change;
use super::expectation::Expectation;
use super::replies::ArmReplies;
use super::task::{JudgeTask, RubricOrder};
use super::trial::{Arm, Arms, ProbeTrial, Repeat, Stimulus};
use crate::packet::AnswerForm;
use crate::rubric::CriterionId;
use crate::spec_file::from_toml;

/// The file of the battery.
const BATTERY: &str = include_str!("../../probes/battery.toml");

crate::named! {
    /// What a probe is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Family {
        /// Which slot a reply stands in.
        Position = "position",
        /// How long it is.
        Length = "length",
        /// Who is said to have written it.
        Identity = "identity",
        /// Replies that are equally good.
        Ambiguity = "ambiguity",
        /// Text that speaks to the judge.
        Injection = "injection",
        /// Replies that say nothing.
        Empty = "empty",
        /// Apologies.
        Apology = "apology",
        /// Claims of approval.
        Authority = "authority",
        /// How it is laid out.
        Formatting = "formatting",
        /// In which order the rubric is written down.
        Order = "order",
        /// The same said again.
        Restatement = "restatement",
        /// The same asked again.
        Repeat = "repeat",
        /// Faults that a judge must see.
        Sensitivity = "sensitivity",
        /// What a gate must block.
        Gate = "gate",
        /// A person's own.
        Own = "own",
    }
}

/// A controlled change and what is expected of a judge under it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// Names it: words in lower case joined by `_`.
    pub name: String,
    /// Its row in the catalogue of attacks, where it has one.
    pub number: Option<String>,
    /// What it is about.
    pub family: Family,
    /// What is done to a base.
    pub change: Change,
    /// What is expected.
    pub expects: Expectation,
    /// What the planted fault is about, where one must be seen.
    pub falls: Option<Aspect>,
    /// The forms of answers in which it has a meaning.
    #[serde(default = "both_forms")]
    pub forms: Vec<AnswerForm>,
    /// The change in one sentence.
    pub means: String,
}

fn both_forms() -> Vec<AnswerForm> {
    AnswerForm::ALL.to_vec()
}

/// The probes that come with Probity.
pub fn battery() -> Vec<Probe> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Battery {
        probe: Vec<Probe>,
    }
    from_toml::<Battery>(BATTERY).expect("the battery is tested to be good").probe
}

impl Probe {
    /// Why the probe has no meaning here, if it has none.
    pub fn inapplicable(&self, task: &JudgeTask) -> Option<&'static str> {
        let form = task.form();
        let is_pair = form == AnswerForm::Preference;
        match (&self.change, self.expects) {
            _ if !self.forms.contains(&form) && is_pair => {
                Some("it is about one reply, and this rubric compares two")
            }
            _ if !self.forms.contains(&form) => Some("it compares two replies, and this rubric grades one"),
            (_, Expectation::Consistent | Expectation::Tie) if !is_pair => {
                Some("it compares two replies, and this rubric grades one")
            }
            (Change::TicketAppend { .. }, _) if is_pair => {
                Some("two replies are compared under one ticket, which cannot be changed for one of them")
            }
            (Change::LevelsReversed, _) if is_pair => Some("a comparison has no levels"),
            (Change::CriteriaReversed, _) if !task.has_order() => {
                Some("each call asks about one criterion, so there is no order")
            }
            _ if is_pair => None,
            _ => self.falls.and_then(|aspect| aspect.criterion(task).err()),
        }
    }

    /// The criterion that must fall, where a reply is graded and a fault is planted in it.
    pub fn criterion(&self, task: &JudgeTask) -> Option<CriterionId> {
        let aspect = self.falls.filter(|_| task.form() == AnswerForm::Levels)?;
        aspect.criterion(task).ok()
    }

    /// What is asked about `base`. The probe must have a meaning under `task`.
    pub fn trial(&self, base: &Base, task: &JudgeTask) -> ProbeTrial {
        let replies = self.change.replies(base, task);
        let rubric_order = self.change.rubric_order();
        if self.expects == Expectation::Blocked {
            return ProbeTrial::Screened(Box::new(replies.treatment));
        }
        let is_again = self.expects == Expectation::Repeatable;
        let is_same = replies.are_same() && rubric_order == RubricOrder::AsWritten;
        if is_same && !is_again {
            return ProbeTrial::Unchanged;
        }
        let arms = match task.form() {
            _ if is_again => again(&replies, task.form()),
            AnswerForm::Levels => graded(self.expects, replies, rubric_order),
            AnswerForm::Preference if rubric_order == RubricOrder::AsWritten => {
                compared(self.expects, &replies, base)
            }
            AnswerForm::Preference => reordered(&replies, rubric_order),
        };
        ProbeTrial::Asked(Box::new(arms))
    }
}

/// The same asked twice.
fn again(replies: &ArmReplies, form: AnswerForm) -> Arms<Arm> {
    let stimulus = match form {
        AnswerForm::Levels => Stimulus::Reply(Box::new(replies.control.clone())),
        AnswerForm::Preference => Stimulus::pair(replies),
    };
    let control = Arm::first(stimulus);
    Arms { treatment: control.again(), control: Some(control), noise: None }
}

/// A grade of the treatment, compared with that of the control where it is not expected to be low by itself.
fn graded(expects: Expectation, replies: ArmReplies, rubric_order: RubricOrder) -> Arms<Arm> {
    let treatment =
        Arm { stimulus: Stimulus::Reply(Box::new(replies.treatment)), rubric_order, repeat: Repeat::First };
    if expects == Expectation::Lowest {
        return Arms { control: None, treatment, noise: None };
    }
    let control = Arm::first(Stimulus::Reply(Box::new(replies.control)));
    Arms { noise: Some(control.again()), control: Some(control), treatment }
}

/// Both replies against each other, beside two twins that show how often a winner comes from nothing.
fn compared(expects: Expectation, replies: &ArmReplies, base: &Base) -> Arms<Arm> {
    let has_noise = matches!(expects, Expectation::NoRise | Expectation::NoMove | Expectation::MustFall);
    let noise = has_noise.then(|| Arm::first(Stimulus::pair(&ArmReplies::twins(base))));
    Arms { control: None, treatment: Arm::first(Stimulus::pair(replies)), noise }
}

/// One pair under two orders of the rubric, beside the same pair asked about again.
fn reordered(replies: &ArmReplies, rubric_order: RubricOrder) -> Arms<Arm> {
    let control = Arm::first(Stimulus::pair(replies));
    let treatment = Arm { rubric_order, ..control.clone() };
    Arms { noise: Some(control.again()), control: Some(control), treatment }
}
