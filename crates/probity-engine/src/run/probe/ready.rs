//! Trials whose replies have been through the gate, and the packets that ask about them.

use std::collections::HashMap;
use std::sync::Arc;

use probity_core::case::{Entry, Evidence};
use probity_core::gate::{Admitted, Gate};
use probity_core::probe::{
    Arm, Arms, Effect, Observation, ProbeTrial, Repeat, RubricOrder, Stimulus, SwappedPair,
};

use super::super::asking::{SizedAsk, SizedPacket};
use super::Asks;

/// A trial as the gate left it.
#[derive(Debug)]
pub(super) enum Ready {
    /// The probe has no meaning here, for this reason.
    Inapplicable(&'static str),
    /// No judge is asked.
    Decided(Observation),
    /// A judge is asked.
    Asked(Box<Arms<ReadyArm>>),
}

/// One arm of a trial, its replies admitted.
#[derive(Debug)]
pub(super) struct ReadyArm {
    stimulus: ReadyStimulus,
    rubric_order: RubricOrder,
    pub(super) repeat: Repeat,
}

#[derive(Debug)]
enum ReadyStimulus {
    Reply(Arc<Admitted>),
    /// By slot: with the control in the first one, and with the treatment.
    Pair([[Arc<Admitted>; 2]; 2]),
}

impl Ready {
    /// What is asked, if anything is.
    pub(super) fn asked(&self) -> Option<&Arms<ReadyArm>> {
        match self {
            Ready::Asked(arms) => Some(arms),
            Ready::Inapplicable(_) | Ready::Decided(_) => None,
        }
    }
}

/// The gate blocks a reply that would have to be shown.
#[derive(Debug)]
struct NotAdmitted;

/// The gate at work on the changed replies of one base. Each is screened once.
pub(super) struct Screening<'g> {
    gate: &'g Gate,
    /// By what the customer wrote, as far as probes change it, and the reply.
    seen: HashMap<Looked, Option<Arc<Admitted>>>,
}

/// What the gate and the packet look at: the situation's texts, the reply and what it rests on.
type Looked = (String, Arc<str>, Arc<Evidence>);

impl<'g> Screening<'g> {
    pub(super) fn new(gate: &'g Gate) -> Self {
        Screening { gate, seen: HashMap::new() }
    }

    /// What a trial comes to, unless its probe has no meaning here for a reason.
    pub(super) fn ready(
        &mut self,
        inapplicable: Option<&'static str>,
        trial: impl FnOnce() -> ProbeTrial,
    ) -> Ready {
        inapplicable.map_or_else(|| self.screened(trial()), Ready::Inapplicable)
    }

    fn screened(&mut self, trial: ProbeTrial) -> Ready {
        match trial {
            ProbeTrial::Unchanged => Ready::Decided(Observation::Unchanged),
            ProbeTrial::Screened(entry) => {
                let effect =
                    if self.gate.screen(*entry).is_err() { Effect::AsExpected } else { Effect::Violation };
                Ready::Decided(Observation::of_gate(effect))
            }
            ProbeTrial::Asked(arms) => match arms.try_map(|arm| self.arm(arm)) {
                Ok(arms) => Ready::Asked(Box::new(arms)),
                Err(NotAdmitted) => Ready::Decided(Observation::Blocked),
            },
        }
    }

    fn arm(&mut self, arm: &Arm) -> Result<ReadyArm, NotAdmitted> {
        let stimulus = match &arm.stimulus {
            Stimulus::Reply(entry) => ReadyStimulus::Reply(self.admitted(entry)?),
            Stimulus::Pair(pair) => {
                let SwappedPair { ab, ba } = &**pair;
                let mut slots =
                    |[first, second]: &[Entry; 2]| Ok([self.admitted(first)?, self.admitted(second)?]);
                ReadyStimulus::Pair([slots(ab)?, slots(ba)?])
            }
        };
        Ok(ReadyArm { stimulus, rubric_order: arm.rubric_order, repeat: arm.repeat })
    }

    fn admitted(&mut self, entry: &Entry) -> Result<Arc<Admitted>, NotAdmitted> {
        let Entry { case, reply } = entry;
        let key = (case.situation.texts().join("\n"), Arc::clone(&reply.text), Arc::clone(&case.evidence));
        let screen = || self.gate.screen(entry.clone()).ok().map(Arc::new);
        self.seen.entry(key).or_insert_with(screen).clone().ok_or(NotAdmitted)
    }
}

impl ReadyArm {
    /// What the customer wrote last, and the replies that a judge is shown: one, or the control and the treatment.
    pub(super) fn shown(&self) -> (String, Vec<String>) {
        let replies: Vec<&Admitted> = match &self.stimulus {
            ReadyStimulus::Reply(admitted) => vec![admitted],
            ReadyStimulus::Pair([[control, treatment], _]) => vec![control, treatment],
        };
        let asked = replies[0].entry().case.situation.texts().last().map(ToString::to_string);
        let texts = replies.iter().map(|admitted| admitted.entry().reply.text.to_string());
        (asked.unwrap_or_default(), texts.collect())
    }
}

impl Asks {
    /// The packets that ask about what is shown: one for each call, or one for each order.
    pub(super) fn packets(&self, arm: &ReadyArm) -> Vec<SizedPacket> {
        match (self, &arm.stimulus) {
            (Asks::Levels(asks), ReadyStimulus::Reply(admitted)) => {
                let asks: &Vec<SizedAsk> = in_order(asks, arm.rubric_order);
                SizedAsk::packets(asks, admitted)
            }
            (Asks::Preference(asks), ReadyStimulus::Pair(orders)) => {
                let ask = in_order(asks, arm.rubric_order);
                let packet = |[first, second]: &[Arc<Admitted>; 2]| {
                    ask.packet(first, second).expect("both replies are to one base")
                };
                orders.iter().map(packet).collect()
            }
            _ => unreachable!("trials are made for the form of the task"),
        }
    }
}

fn in_order<T>(asks: &[(RubricOrder, T)], rubric_order: RubricOrder) -> &T {
    let found = asks.iter().find(|(one, _)| *one == rubric_order);
    &found.expect("there are asks for every order").1
}
