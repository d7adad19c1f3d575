//! What is asked about one base for one probe.

use super::replies::ArmReplies;
use super::task::RubricOrder;
use crate::case::Entry;

/// What one probe does with one base.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeTrial {
    /// The gate decides about this reply, and no judge is asked.
    Screened(Box<Entry>),
    /// A judge is asked.
    Asked(Box<Arms<Arm>>),
    /// The change leaves this base as it is, so there is nothing to see.
    Unchanged,
}

/// Something for each arm of a trial: what is asked, or what was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Arms<A> {
    /// What the treatment is compared with, where it does not speak for itself.
    pub control: Option<A>,
    /// The change.
    pub treatment: A,
    /// The control again: how often an answer moves by itself.
    pub noise: Option<A>,
}

/// What a judge is asked in one arm.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The replies.
    pub stimulus: Stimulus,
    /// How the criteria are written down.
    pub rubric_order: RubricOrder,
    /// Whether it is asked for the first time.
    pub repeat: Repeat,
}

/// The replies that a judge is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Stimulus {
    /// One, to be graded.
    Reply(Box<Entry>),
    /// Two, to be compared in both orders. Candidate A is the control, candidate B the treatment.
    Pair(Box<SwappedPair>),
}

/// Two replies in both orders, by slot.
#[derive(Debug, Clone, PartialEq)]
pub struct SwappedPair {
    /// The control in the first slot.
    pub ab: [Entry; 2],
    /// The treatment in the first slot.
    pub ba: [Entry; 2],
}

/// Whether a packet is asked about for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repeat {
    /// It is.
    First,
    /// It is asked about again.
    Again,
}

impl Repeat {
    /// The number under which a store keeps the answer.
    pub fn number(self) -> u32 {
        match self {
            Repeat::First => 0,
            Repeat::Again => 1,
        }
    }
}

impl<A> Arms<A> {
    /// Every arm.
    pub fn all(&self) -> impl Iterator<Item = &A> {
        self.control.iter().chain([&self.treatment]).chain(&self.noise)
    }

    /// What `of` makes of every arm.
    pub fn try_map<B, E>(&self, mut of: impl FnMut(&A) -> Result<B, E>) -> Result<Arms<B>, E> {
        Ok(Arms {
            control: self.control.as_ref().map(&mut of).transpose()?,
            treatment: of(&self.treatment)?,
            noise: self.noise.as_ref().map(of).transpose()?,
        })
    }
}

impl Arm {
    /// Asked for the first time, under the criteria as they are written.
    pub(super) fn first(stimulus: Stimulus) -> Arm {
        Arm { stimulus, rubric_order: RubricOrder::AsWritten, repeat: Repeat::First }
    }

    /// The same asked again.
    pub(super) fn again(&self) -> Arm {
        Arm { repeat: Repeat::Again, ..self.clone() }
    }
}

impl Stimulus {
    /// Both arms, in both orders.
    pub(super) fn pair(replies: &ArmReplies) -> Stimulus {
        let ArmReplies { control, treatment, in_second_slot } = replies;
        let second = in_second_slot.as_ref().unwrap_or(treatment);
        Stimulus::Pair(Box::new(SwappedPair {
            ab: [control.clone(), second.clone()],
            ba: [treatment.clone(), control.clone()],
        }))
    }

    /// Two replies of a person's own, in both orders.
    pub(super) fn pair_of(a: &Entry, b: &Entry) -> Stimulus {
        Stimulus::Pair(Box::new(SwappedPair { ab: [a.clone(), b.clone()], ba: [b.clone(), a.clone()] }))
    }
}
