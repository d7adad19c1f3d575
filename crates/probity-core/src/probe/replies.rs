//! The replies of the control arm and of the treatment arm, made of one base.

use std::sync::Arc;

use super::base::Base;
use super::wordage::{Passage, neutral};
use crate::case::{Entry, Reply, Role, Situation};

/// How much neutral text makes two twins of a reply.
const TWIN_CHARS: usize = 90;

/// What a change makes of a base. The two arms differ in the change alone.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmReplies {
    /// The reply of the control arm.
    pub control: Entry,
    /// The reply of the treatment arm.
    pub treatment: Entry,
    /// The changed reply where it stands in the second slot, if its text depends on the slot.
    pub in_second_slot: Option<Entry>,
}

impl ArmReplies {
    /// The base itself, and the base with another reply.
    pub(super) fn replaced(base: &Base, reply: impl Into<Arc<str>>) -> ArmReplies {
        let treatment = with_reply(base.entry(), reply);
        ArmReplies { control: base.entry().clone(), treatment, in_second_slot: None }
    }

    /// The base with one reply and with another.
    pub(super) fn of(
        base: &Base,
        control: impl Into<Arc<str>>,
        treatment: impl Into<Arc<str>>,
    ) -> ArmReplies {
        let [control, treatment] =
            [control.into(), treatment.into()].map(|reply| with_reply(base.entry(), reply));
        ArmReplies { control, treatment, in_second_slot: None }
    }

    /// The base under two tickets.
    pub(super) fn tickets(base: &Base, control: &str, treatment: &str) -> ArmReplies {
        let [control, treatment] = [control, treatment].map(|added| {
            let mut entry = base.entry().clone();
            entry.case.situation = with_message(entry.case.situation, added);
            entry
        });
        ArmReplies { control, treatment, in_second_slot: None }
    }

    /// The same under a ticket with `question` behind it.
    pub(super) fn asking(mut self, question: &str) -> ArmReplies {
        for entry in [&mut self.control, &mut self.treatment] {
            entry.case.situation = with_message(entry.case.situation.clone(), question);
        }
        self
    }

    /// The base with two neutral texts of one length. Which of them is the treatment's depends on the base, so that
    /// neither text is on one side of all bases.
    pub(super) fn twins(base: &Base) -> ArmReplies {
        let twin =
            |passage| format!("{}{}{}", base.reply(), super::wordage::BREAK, neutral(TWIN_CHARS, passage));
        let (first, second) = (twin(Passage::First), twin(Passage::Second));
        if base.is_even() { ArmReplies::of(base, first, second) } else { ArmReplies::of(base, second, first) }
    }

    /// Whether there is nothing to compare: the change has left everything as it was.
    pub(super) fn are_same(&self) -> bool {
        self.control == self.treatment
    }
}

fn with_reply(entry: &Entry, reply: impl Into<Arc<str>>) -> Entry {
    let reply = Reply { text: reply.into(), ..entry.reply.clone() };
    Entry { case: entry.case.clone(), reply }
}

/// What the customer wrote last, with `added` behind it.
fn with_message(situation: Situation, added: &str) -> Situation {
    let joined = |text: &str| format!("{text}{}{added}", super::wordage::BREAK);
    match situation {
        Situation::Ticket(text) => Situation::Ticket(joined(&text).into()),
        Situation::Conversation(mut turns) => {
            let customer = turns.iter().rposition(|turn| turn.role == Role::Customer);
            let last = turns.len().saturating_sub(1);
            if let Some(turn) = turns.get_mut(customer.unwrap_or(last)) {
                turn.text = joined(&turn.text).into();
            }
            Situation::Conversation(turns)
        }
    }
}
