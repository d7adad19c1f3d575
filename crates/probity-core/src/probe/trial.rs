//! What is asked about one base for one probe.

use super::arms::Arms;
use super::setting::Wording;
use crate::case::Entry;

/// What one probe does with one base.
#[derive(Debug, Clone, PartialEq)]
pub enum Trial {
    /// The gate decides about this reply, and nobody is asked.
    Screened(Box<Entry>),
    /// A judge is asked.
    Asked(Box<Showings>),
    /// The change leaves this base as it is, so there is nothing to see.
    Unchanged,
}

/// What a judge is shown for one base of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Showings {
    /// What the treatment is held against, where it does not speak for itself.
    pub control: Option<Showing>,
    /// The change.
    pub treatment: Showing,
    /// No change: how often an answer moves by itself.
    pub noise: Option<Showing>,
}

/// What a judge is shown once.
#[derive(Debug, Clone, PartialEq)]
pub struct Showing {
    /// The replies.
    pub shown: Shown,
    /// How the criteria are written down.
    pub wording: Wording,
    /// Whether it was shown before.
    pub repeat: Repeat,
}

/// The replies that a judge is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Shown {
    /// One, to be graded.
    Reply(Box<Entry>),
    /// Two, to be compared in both orders. Candidate A is the control, candidate B the treatment.
    Pair(Box<Pair>),
}

/// Two replies in both orders, by slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
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

impl Showings {
    /// Everything that is shown.
    pub fn all(&self) -> impl Iterator<Item = &Showing> {
        self.control.iter().chain([&self.treatment]).chain(&self.noise)
    }
}

impl Showing {
    /// Shown for the first time, under the criteria as they are written.
    pub(super) fn first(shown: Shown) -> Showing {
        Showing { shown, wording: Wording::AsWritten, repeat: Repeat::First }
    }

    /// The same shown again.
    pub(super) fn again(&self) -> Showing {
        Showing { repeat: Repeat::Again, ..self.clone() }
    }
}

impl Shown {
    /// Both arms, in both orders.
    pub(super) fn pair(arms: &Arms) -> Shown {
        let Arms { control, treatment, in_second_slot } = arms;
        let second = in_second_slot.as_ref().unwrap_or(treatment);
        Shown::Pair(Box::new(Pair {
            ab: [control.clone(), second.clone()],
            ba: [treatment.clone(), control.clone()],
        }))
    }

    /// Two replies of a person's own, in both orders.
    pub(super) fn pair_of(a: &Entry, b: &Entry) -> Shown {
        Shown::Pair(Box::new(Pair { ab: [a.clone(), b.clone()], ba: [b.clone(), a.clone()] }))
    }
}
