//! The probes: which change, what is expected of it, and where it has a meaning.

use super::arms::Arms;
use super::aspect::Aspect;
use super::base::Base;
use super::change::Change;
use super::expectation::Expectation;
use super::setting::{Setting, Wording};
use super::spec::read_battery;
use super::trial::{Repeat, Showing, Showings, Shown, Trial};
use crate::packet::AnswerForm;
use crate::rubric::CriterionId;

/// The file of the battery.
const BATTERY: &str = include_str!("../../probes/battery.toml");

crate::named! {
    /// What a probe is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
    pub forms: Vec<AnswerForm>,
    /// The change in one sentence.
    pub means: String,
}

/// The probes that come with Probity.
pub fn battery() -> Vec<Probe> {
    read_battery(BATTERY).expect("the battery is tested to be good")
}

impl Probe {
    /// Why the probe has no meaning here, if it has none.
    pub fn inapplicable(&self, setting: &Setting) -> Option<&'static str> {
        let form = setting.form();
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
            (Change::CriteriaReversed, _) if !setting.has_order() => {
                Some("each call asks about one criterion, so there is no order")
            }
            _ if is_pair => None,
            _ => self.falls.and_then(|aspect| aspect.criterion(setting).err()),
        }
    }

    /// The criterion that must fall, where a reply is graded and a fault is planted in it.
    pub fn criterion(&self, setting: &Setting) -> Option<CriterionId> {
        let aspect = self.falls.filter(|_| setting.form() == AnswerForm::Levels)?;
        aspect.criterion(setting).ok()
    }

    /// What is asked about `base`. The probe must have a meaning under `setting`.
    pub fn trial(&self, base: &Base, setting: &Setting) -> Trial {
        let arms = self.change.arms(base, setting);
        let wording = self.change.wording();
        if self.expects == Expectation::Blocked {
            return Trial::Screened(Box::new(arms.treatment));
        }
        let is_again = self.expects == Expectation::Repeatable;
        let is_same = arms.are_same() && wording == Wording::AsWritten;
        if is_same && !is_again {
            return Trial::Unchanged;
        }
        let showings = match setting.form() {
            _ if is_again => again(&arms, setting.form()),
            AnswerForm::Levels => graded(self.expects, arms, wording),
            AnswerForm::Preference if wording == Wording::AsWritten => compared(self.expects, &arms, base),
            AnswerForm::Preference => reworded(&arms, wording),
        };
        Trial::Asked(Box::new(showings))
    }
}

/// The same asked twice.
fn again(arms: &Arms, form: AnswerForm) -> Showings {
    let shown = match form {
        AnswerForm::Levels => Shown::Reply(Box::new(arms.control.clone())),
        AnswerForm::Preference => Shown::pair(arms),
    };
    let control = Showing::first(shown);
    Showings { treatment: control.again(), control: Some(control), noise: None }
}

/// A grade of the treatment, held against that of the control where it is not expected to be low by itself.
fn graded(expects: Expectation, arms: Arms, wording: Wording) -> Showings {
    let treatment = Showing { shown: Shown::Reply(Box::new(arms.treatment)), wording, repeat: Repeat::First };
    if expects == Expectation::Lowest {
        return Showings { control: None, treatment, noise: None };
    }
    let control = Showing::first(Shown::Reply(Box::new(arms.control)));
    Showings { noise: Some(control.again()), control: Some(control), treatment }
}

/// Both replies against each other, beside two twins that show how often a winner comes from nothing.
fn compared(expects: Expectation, arms: &Arms, base: &Base) -> Showings {
    let has_noise = matches!(expects, Expectation::NoRise | Expectation::NoMove | Expectation::MustFall);
    let noise = has_noise.then(|| Showing::first(Shown::pair(&Arms::twins(base))));
    Showings { control: None, treatment: Showing::first(Shown::pair(arms)), noise }
}

/// One pair under two wordings of the criteria, beside the same pair asked about again.
fn reworded(arms: &Arms, wording: Wording) -> Showings {
    let control = Showing::first(Shown::pair(arms));
    let treatment = Showing { wording, ..control.clone() };
    Showings { noise: Some(control.again()), control: Some(control), treatment }
}
