//! What one base says about a judge: the effect of the change, and the effect of no change (noise).

use super::expectation::Expectation;
use super::own::{OwnExpectation, OwnProbe};
use super::task::JudgeTask;
use super::trial::Arms;
use crate::compare::{Candidate, Choice, PairOutcome, Pass};
use crate::exact::Exact;
use crate::rubric::CriterionId;

/// Levels of one reply and what they are worth together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyGrade {
    levels: Vec<(CriterionId, i64)>,
    points: Exact,
}

impl ReplyGrade {
    /// The grade of these levels. `None` where one of them is for a criterion that no judge is asked about.
    pub fn new(mut levels: Vec<(CriterionId, i64)>, task: &JudgeTask) -> Option<ReplyGrade> {
        let points: Option<Vec<Exact>> =
            levels.iter().map(|(criterion, level)| task.points(criterion, *level)).collect();
        // The order in which criteria were asked about says nothing about the reply.
        levels.sort_by(|one, other| one.0.as_str().cmp(other.0.as_str()));
        Some(ReplyGrade { levels, points: points?.into_iter().sum() })
    }

    /// The levels, by criterion.
    pub fn levels(&self) -> &[(CriterionId, i64)] {
        &self.levels
    }

    /// How good the level of `criterion` is, 0 (worst) to 1.
    fn share(&self, criterion: &CriterionId, task: &JudgeTask) -> Option<Exact> {
        let (_, level) = self.levels.iter().find(|(one, _)| one == criterion)?;
        task.share(criterion, *level)
    }
}

/// What a judge said about one arm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArmAnswer {
    /// A grade for one reply.
    Grade(ReplyGrade),
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

impl ArmAnswer {
    /// The answer about a pair, from one pass in each order.
    pub fn of_passes(ab: &Pass, ba: &Pass) -> ArmAnswer {
        match (ab, ba) {
            (Pass::Decided(ab), Pass::Decided(ba)) => ArmAnswer::Choices { ab: *ab, ba: *ba },
            (Pass::Unscored(unscored), _) | (_, Pass::Unscored(unscored)) => {
                ArmAnswer::Unscored(unscored.cause.clone())
            }
        }
    }

    fn outcome(&self) -> Option<PairOutcome> {
        match self {
            ArmAnswer::Choices { ab, ba } => Some(PairOutcome::of(&Pass::Decided(*ab), &Pass::Decided(*ba))),
            ArmAnswer::Grade(_) | ArmAnswer::Unscored(_) => None,
        }
    }

    fn unscored(&self) -> Option<&str> {
        match self {
            ArmAnswer::Unscored(cause) => Some(cause),
            ArmAnswer::Grade(_) | ArmAnswer::Choices { .. } => None,
        }
    }
}

/// What an arm did to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// What was expected.
    AsExpected,
    /// What the expectation rules out.
    Violation,
}

impl Effect {
    pub(super) fn of(is_violated: bool) -> Effect {
        if is_violated { Effect::Violation } else { Effect::AsExpected }
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
        /// Of the change.
        effect: Effect,
        /// Of no change, where that was asked. Under `must_fall`, a violation is a fall that came without a fault.
        noise: Option<Effect>,
        /// How far the change moved the verdict, −1 to 1, where there is a measure of it.
        shift: Option<f64>,
    },
}

impl Observation {
    /// What the gate's decision about a reply says that it must block.
    pub fn of_gate(effect: Effect) -> Observation {
        Observation::Answered { effect, noise: None, shift: None }
    }

    /// What `answers` say about `expects`; a planted fault must lower `criterion`, where a reply is graded.
    pub fn of(
        expects: Expectation,
        criterion: Option<&CriterionId>,
        answers: &Arms<ArmAnswer>,
        task: &JudgeTask,
    ) -> Observation {
        let Arms { control, treatment, noise } = answers;
        if let Some(cause) = answers.all().find_map(ArmAnswer::unscored) {
            return Observation::Unscored(cause.to_owned());
        }
        if expects == Expectation::MustFall {
            return fallen(criterion, answers, task);
        }
        let effect = |answer: &ArmAnswer| {
            Effect::of(match answer {
                ArmAnswer::Grade(grade) => grade_violates(expects, control.as_ref(), grade, task),
                ArmAnswer::Choices { .. } | ArmAnswer::Unscored(_) => {
                    choice_violates(expects, control.as_ref(), answer)
                }
            })
        };
        let shift = shift(expects, control.as_ref(), treatment, task);
        Observation::Answered { effect: effect(treatment), noise: noise.as_ref().map(effect), shift }
    }

    /// What `answers` say about a person's own probe.
    pub fn of_own(probe: &OwnProbe, answers: &Arms<ArmAnswer>, task: &JudgeTask) -> Observation {
        if let Some(expects) = probe.expects_of_change() {
            return Observation::of(expects, probe.criterion.as_ref(), answers, task);
        }
        if let Some(cause) = answers.treatment.unscored() {
            return Observation::Unscored(cause.to_owned());
        }
        let wanted = match probe.expects {
            OwnExpectation::A => PairOutcome::Stable(Candidate::A),
            OwnExpectation::B => PairOutcome::Stable(Candidate::B),
            OwnExpectation::Tie
            | OwnExpectation::NoRise
            | OwnExpectation::NoMove
            | OwnExpectation::MustFall => PairOutcome::Tie,
        };
        let effect = Effect::of(answers.treatment.outcome() != Some(wanted));
        Observation::Answered { effect, noise: None, shift: None }
    }
}

fn grade_violates(
    expects: Expectation,
    control: Option<&ArmAnswer>,
    grade: &ReplyGrade,
    task: &JudgeTask,
) -> bool {
    let control = match control {
        Some(ArmAnswer::Grade(control)) => Some(control),
        _ => None,
    };
    match expects {
        Expectation::NoRise => control.is_some_and(|control| grade.points > control.points),
        Expectation::NoMove => control.is_some_and(|control| grade.points != control.points),
        Expectation::Lowest => grade.points + grade.points >= task.points_max(),
        Expectation::Repeatable => control.is_some_and(|control| grade.levels != control.levels),
        // A grade has no winner, no judge is asked about what a gate must block, and falls are read by criterion.
        Expectation::Consistent | Expectation::Tie | Expectation::Blocked | Expectation::MustFall => false,
    }
}

fn choice_violates(expects: Expectation, control: Option<&ArmAnswer>, answer: &ArmAnswer) -> bool {
    let outcome = answer.outcome();
    let stable = |candidate| outcome == Some(PairOutcome::Stable(candidate));
    let has_winner = stable(Candidate::A) || stable(Candidate::B);
    match (expects, control) {
        (Expectation::Repeatable, control) => control != Some(answer),
        (_, Some(control)) => control.outcome() != outcome,
        (Expectation::NoRise | Expectation::Lowest, None) => stable(Candidate::B),
        (Expectation::NoMove | Expectation::Tie, None) => has_winner,
        (Expectation::Consistent, None) => outcome == Some(PairOutcome::UnstableAfterSwap),
        (Expectation::Blocked | Expectation::MustFall, None) => false,
    }
}

/// Whether a planted fault was seen: its criterion fell, or the faulty reply lost in both orders.
fn fallen(criterion: Option<&CriterionId>, answers: &Arms<ArmAnswer>, task: &JudgeTask) -> Observation {
    let Arms { control, treatment, noise } = answers;
    let shift = shift(Expectation::MustFall, control.as_ref(), treatment, task);
    let share = |answer: &ArmAnswer| match (answer, criterion) {
        (ArmAnswer::Grade(grade), Some(criterion)) => grade.share(criterion, task),
        _ => None,
    };
    let Some(before) = control.as_ref().and_then(share) else {
        let loses = |answer: &ArmAnswer| answer.outcome() == Some(PairOutcome::Stable(Candidate::A));
        let noise = noise.as_ref().map(|answer| Effect::of(loses(answer)));
        return Observation::Answered { effect: Effect::of(!loses(treatment)), noise, shift };
    };
    if before == Exact::ZERO {
        return Observation::Lowest;
    }
    let falls = |answer: &ArmAnswer| share(answer).is_some_and(|after| after < before);
    let noise = noise.as_ref().map(|answer| Effect::of(falls(answer)));
    Observation::Answered { effect: Effect::of(!falls(treatment)), noise, shift }
}

/// How far the treatment lies above the control: in shares of the points, or as a win (1) or a loss (−1).
fn shift(
    expects: Expectation,
    control: Option<&ArmAnswer>,
    treatment: &ArmAnswer,
    task: &JudgeTask,
) -> Option<f64> {
    if !matches!(expects, Expectation::NoRise | Expectation::NoMove | Expectation::MustFall) {
        return None;
    }
    match (control, treatment) {
        (Some(ArmAnswer::Grade(control)), ArmAnswer::Grade(treatment)) => {
            let points = treatment.points.checked_sub(control.points)?;
            Some(points.to_f64() / task.points_max().to_f64())
        }
        (None, ArmAnswer::Choices { .. }) => Some(match treatment.outcome() {
            Some(PairOutcome::Stable(Candidate::B)) => 1.0,
            Some(PairOutcome::Stable(Candidate::A)) => -1.0,
            _ => 0.0,
        }),
        _ => None,
    }
}
