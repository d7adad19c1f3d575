//! What one base says about a judge: whether the expectation held, and whether it would have without a change.

use super::expectation::Expectation;
use super::own::{OwnExpectation, OwnProbe};
use super::setting::Setting;
use crate::compare::{Candidate, Choice, Outcome, Pass};
use crate::exact::Exact;
use crate::rubric::CriterionId;

/// Levels of one reply and what they are worth together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    levels: Vec<(CriterionId, i64)>,
    points: Exact,
}

impl Grade {
    /// The grade of these levels. `None` where one of them is for a criterion that no judge is asked about.
    pub fn new(mut levels: Vec<(CriterionId, i64)>, setting: &Setting) -> Option<Grade> {
        let points: Option<Vec<Exact>> =
            levels.iter().map(|(criterion, level)| setting.points(criterion, *level)).collect();
        // The order in which criteria were asked about says nothing about the reply.
        levels.sort_by(|one, other| one.0.as_str().cmp(other.0.as_str()));
        Some(Grade { levels, points: points?.into_iter().sum() })
    }

    /// How good the level of `criterion` is, 0 (worst) to 1.
    fn share(&self, criterion: &CriterionId, setting: &Setting) -> Option<Exact> {
        let (_, level) = self.levels.iter().find(|(one, _)| one == criterion)?;
        setting.share(criterion, *level)
    }

    /// The weighted points.
    pub fn points(&self) -> Exact {
        self.points
    }
}

/// What a judge said when it was shown something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A grade for one reply.
    Grade(Grade),
    /// A choice in each order of a pair.
    Choices {
        /// With the control in the first slot.
        ab: Choice,
        /// With the treatment in the first slot.
        ba: Choice,
    },
    /// No verdict on at least one packet, and why.
    Unscored(String),
}

impl Answer {
    /// The answer about a pair, from one pass in each order.
    pub fn of_passes(ab: &Pass, ba: &Pass) -> Answer {
        match (ab, ba) {
            (Pass::Decided(ab), Pass::Decided(ba)) => Answer::Choices { ab: *ab, ba: *ba },
            (Pass::Unscored(unscored), _) | (_, Pass::Unscored(unscored)) => {
                Answer::Unscored(unscored.cause.clone())
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self {
            Answer::Choices { ab, ba } => Some(Outcome::of(&Pass::Decided(*ab), &Pass::Decided(*ba))),
            Answer::Grade(_) | Answer::Unscored(_) => None,
        }
    }

    fn unscored(&self) -> Option<&str> {
        match self {
            Answer::Unscored(cause) => Some(cause),
            Answer::Grade(_) | Answer::Choices { .. } => None,
        }
    }
}

/// The answers about one base of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// About the control, where there is one.
    pub control: Option<Answer>,
    /// About the treatment.
    pub treatment: Answer,
    /// About what was not changed, where that is asked.
    pub noise: Option<Answer>,
}

/// Whether an expectation was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It was.
    Kept,
    /// It was not.
    Violated,
}

impl Held {
    fn unless(is_violated: bool) -> Held {
        if is_violated { Held::Violated } else { Held::Kept }
    }
}

/// What one base says about a judge under one probe.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// The gate blocks a reply that the change makes, so that no judge is asked.
    Blocked,
    /// The change leaves the reply as it is.
    Unchanged,
    /// The criterion that must fall has the lowest level without the fault, so that there is nothing to see.
    Lowest,
    /// A verdict is missing, for this cause.
    Unscored(String),
    /// Everything was answered.
    Answered {
        /// Whether the expectation was met under the change.
        held: Held,
        /// Whether it would have been met without one, where that was asked. Under `must_fall`, a violation is a
        /// fall that came without a fault.
        noise: Option<Held>,
        /// How far the change moved the verdict, −1 to 1, where there is a measure of it.
        shift: Option<f64>,
    },
}

impl Observation {
    /// What the gate's decision about a reply says that it must block.
    pub fn of_gate(held: Held) -> Observation {
        Observation::Answered { held, noise: None, shift: None }
    }

    /// What `answers` say about `expects`; a planted fault must lower `criterion`, where a reply is graded.
    pub fn of(
        expects: Expectation,
        criterion: Option<&CriterionId>,
        answers: &Answers,
        setting: &Setting,
    ) -> Observation {
        let Answers { control, treatment, noise } = answers;
        let all = control.iter().chain([treatment]).chain(noise);
        if let Some(cause) = all.into_iter().find_map(Answer::unscored) {
            return Observation::Unscored(cause.to_owned());
        }
        if expects == Expectation::MustFall {
            return fallen(criterion, answers, setting);
        }
        let held = |answer: &Answer| {
            Held::unless(match answer {
                Answer::Grade(grade) => grade_violates(expects, control.as_ref(), grade, setting),
                Answer::Choices { .. } | Answer::Unscored(_) => {
                    choice_violates(expects, control.as_ref(), answer)
                }
            })
        };
        let shift = shift(expects, control.as_ref(), treatment, setting);
        Observation::Answered { held: held(treatment), noise: noise.as_ref().map(held), shift }
    }

    /// What `answers` say about a person's own probe.
    pub fn of_own(probe: &OwnProbe, answers: &Answers, setting: &Setting) -> Observation {
        if let Some(expects) = probe.expects_of_change() {
            return Observation::of(expects, probe.criterion.as_ref(), answers, setting);
        }
        if let Some(cause) = answers.treatment.unscored() {
            return Observation::Unscored(cause.to_owned());
        }
        let wanted = match probe.expects {
            OwnExpectation::A => Outcome::Stable(Candidate::A),
            OwnExpectation::B => Outcome::Stable(Candidate::B),
            OwnExpectation::Tie
            | OwnExpectation::NoRise
            | OwnExpectation::NoMove
            | OwnExpectation::MustFall => Outcome::Tie,
        };
        let held = Held::unless(answers.treatment.outcome() != Some(wanted));
        Observation::Answered { held, noise: None, shift: None }
    }
}

fn grade_violates(expects: Expectation, control: Option<&Answer>, grade: &Grade, setting: &Setting) -> bool {
    let control = match control {
        Some(Answer::Grade(control)) => Some(control),
        _ => None,
    };
    match expects {
        Expectation::NoRise => control.is_some_and(|control| grade.points > control.points),
        Expectation::NoMove => control.is_some_and(|control| grade.points != control.points),
        Expectation::Lowest => grade.points + grade.points >= setting.points_max(),
        Expectation::Repeatable => control.is_some_and(|control| grade.levels != control.levels),
        // A grade has no winner, no judge is asked about what a gate must block, and falls are read by criterion.
        Expectation::Consistent | Expectation::Tie | Expectation::Blocked | Expectation::MustFall => false,
    }
}

fn choice_violates(expects: Expectation, control: Option<&Answer>, answer: &Answer) -> bool {
    let outcome = answer.outcome();
    let stable = |candidate| outcome == Some(Outcome::Stable(candidate));
    let has_winner = stable(Candidate::A) || stable(Candidate::B);
    match (expects, control) {
        (Expectation::Repeatable, control) => control != Some(answer),
        (_, Some(control)) => control.outcome() != outcome,
        (Expectation::NoRise | Expectation::Lowest, None) => stable(Candidate::B),
        (Expectation::NoMove | Expectation::Tie, None) => has_winner,
        (Expectation::Consistent, None) => outcome == Some(Outcome::UnstableAfterSwap),
        (Expectation::Blocked | Expectation::MustFall, None) => false,
    }
}

/// Whether a planted fault was seen: its criterion fell, or the faulty reply lost in both orders.
fn fallen(criterion: Option<&CriterionId>, answers: &Answers, setting: &Setting) -> Observation {
    let Answers { control, treatment, noise } = answers;
    let shift = shift(Expectation::MustFall, control.as_ref(), treatment, setting);
    let share = |answer: &Answer| match (answer, criterion) {
        (Answer::Grade(grade), Some(criterion)) => grade.share(criterion, setting),
        _ => None,
    };
    let Some(before) = control.as_ref().and_then(share) else {
        let loses = |answer: &Answer| answer.outcome() == Some(Outcome::Stable(Candidate::A));
        let noise = noise.as_ref().map(|answer| Held::unless(loses(answer)));
        return Observation::Answered { held: Held::unless(!loses(treatment)), noise, shift };
    };
    if before == Exact::ZERO {
        return Observation::Lowest;
    }
    let falls = |answer: &Answer| share(answer).is_some_and(|after| after < before);
    let noise = noise.as_ref().map(|answer| Held::unless(falls(answer)));
    Observation::Answered { held: Held::unless(!falls(treatment)), noise, shift }
}

/// How far the treatment lies above the control: in shares of the points, or as a win (1) or a loss (−1).
fn shift(
    expects: Expectation,
    control: Option<&Answer>,
    treatment: &Answer,
    setting: &Setting,
) -> Option<f64> {
    if !matches!(expects, Expectation::NoRise | Expectation::NoMove | Expectation::MustFall) {
        return None;
    }
    match (control, treatment) {
        (Some(Answer::Grade(control)), Answer::Grade(treatment)) => {
            let points = treatment.points.checked_sub(control.points)?;
            Some(points.to_f64() / setting.points_max().to_f64())
        }
        (None, Answer::Choices { .. }) => Some(match treatment.outcome() {
            Some(Outcome::Stable(Candidate::B)) => 1.0,
            Some(Outcome::Stable(Candidate::A)) => -1.0,
            _ => 0.0,
        }),
        _ => None,
    }
}
