//! Trials whose replies have been through the gate, and the packets that ask about them.

use std::collections::HashMap;
use std::sync::Arc;

use probity_core::case::{Entry, Evidence};
use probity_core::gate::{Admitted, Gate};
use probity_core::probe::{
    Base, Held, Observation, OwnProbe, Pair, Probe, Repeat, Setting, Showing, Showings, Shown, Trial, Wording,
};

use super::super::asking::SizedPacket;
use super::super::sized_ask::SizedAsk;
use super::Asks;

/// A trial as the gate left it.
#[derive(Debug)]
pub(super) enum Ready {
    /// The probe has no meaning here, for this reason.
    Inapplicable(&'static str),
    /// Nobody is asked.
    Decided(Observation),
    /// A judge is asked.
    Asked(Box<ReadyShowings>),
}

/// What a judge is shown for one base of a probe.
#[derive(Debug)]
pub(super) struct ReadyShowings {
    pub(super) control: Option<ReadyShowing>,
    pub(super) treatment: ReadyShowing,
    pub(super) noise: Option<ReadyShowing>,
}

/// What a judge is shown once.
#[derive(Debug)]
pub(super) struct ReadyShowing {
    shown: ReadyShown,
    wording: Wording,
    pub(super) repeat: Repeat,
}

#[derive(Debug)]
enum ReadyShown {
    Reply(Arc<Admitted>),
    /// By slot: with the control in the first one, and with the treatment.
    Pair([[Arc<Admitted>; 2]; 2]),
}

impl Ready {
    /// What is asked, if anything is.
    pub(super) fn asked(&self) -> Option<&ReadyShowings> {
        match self {
            Ready::Asked(showings) => Some(showings),
            Ready::Inapplicable(_) | Ready::Decided(_) => None,
        }
    }
}

impl ReadyShowings {
    /// Everything that is shown.
    pub(super) fn all(&self) -> impl Iterator<Item = &ReadyShowing> {
        self.control.iter().chain([&self.treatment]).chain(&self.noise)
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

    /// What `probe` makes of `base`.
    pub(super) fn ready(&mut self, probe: &Probe, base: &Base, setting: &Setting) -> Ready {
        match probe.inapplicable(setting) {
            Some(why) => Ready::Inapplicable(why),
            None => self.screened(probe.trial(base, setting)),
        }
    }

    /// What a person's own probe comes to.
    pub(super) fn ready_own(&mut self, probe: &OwnProbe, setting: &Setting) -> Ready {
        match probe.inapplicable(setting) {
            Some(why) => Ready::Inapplicable(why),
            None => self.screened(probe.trial()),
        }
    }

    fn screened(&mut self, trial: Trial) -> Ready {
        match trial {
            Trial::Unchanged => Ready::Decided(Observation::Unchanged),
            Trial::Screened(entry) => {
                let held = if self.gate.screen(*entry).is_err() { Held::Kept } else { Held::Violated };
                Ready::Decided(Observation::of_gate(held))
            }
            Trial::Asked(showings) => match self.showings(&showings) {
                Ok(showings) => Ready::Asked(Box::new(showings)),
                Err(NotAdmitted) => Ready::Decided(Observation::Blocked),
            },
        }
    }

    fn showings(&mut self, showings: &Showings) -> Result<ReadyShowings, NotAdmitted> {
        let Showings { control, treatment, noise } = showings;
        Ok(ReadyShowings {
            control: control.as_ref().map(|control| self.showing(control)).transpose()?,
            treatment: self.showing(treatment)?,
            noise: noise.as_ref().map(|noise| self.showing(noise)).transpose()?,
        })
    }

    fn showing(&mut self, showing: &Showing) -> Result<ReadyShowing, NotAdmitted> {
        let shown = match &showing.shown {
            Shown::Reply(entry) => ReadyShown::Reply(self.admitted(entry)?),
            Shown::Pair(pair) => {
                let Pair { ab, ba } = &**pair;
                let mut slots =
                    |[first, second]: &[Entry; 2]| Ok([self.admitted(first)?, self.admitted(second)?]);
                ReadyShown::Pair([slots(ab)?, slots(ba)?])
            }
        };
        Ok(ReadyShowing { shown, wording: showing.wording, repeat: showing.repeat })
    }

    fn admitted(&mut self, entry: &Entry) -> Result<Arc<Admitted>, NotAdmitted> {
        let Entry { case, reply } = entry;
        let key = (case.situation.texts().join("\n"), Arc::clone(&reply.text), Arc::clone(&case.evidence));
        let screen = || self.gate.screen(entry.clone()).ok().map(Arc::new);
        self.seen.entry(key).or_insert_with(screen).clone().ok_or(NotAdmitted)
    }
}

impl Asks {
    /// The packets that ask about what is shown: one for each call, or one for each order.
    pub(super) fn packets(&self, showing: &ReadyShowing) -> Vec<SizedPacket> {
        match (self, &showing.shown) {
            (Asks::Levels(asks), ReadyShown::Reply(admitted)) => {
                let asks: &Vec<SizedAsk> = worded(asks, showing.wording);
                SizedAsk::packets(asks, admitted)
            }
            (Asks::Preference(asks), ReadyShown::Pair(orders)) => {
                let ask = worded(asks, showing.wording);
                let packet = |[first, second]: &[Arc<Admitted>; 2]| {
                    ask.packet(first, second).expect("both replies are to one base")
                };
                orders.iter().map(packet).collect()
            }
            _ => unreachable!("trials are made for the form of the setting"),
        }
    }
}

fn worded<T>(asks: &[(Wording, T)], wording: Wording) -> &T {
    let found = asks.iter().find(|(one, _)| *one == wording);
    &found.expect("there are asks for every wording").1
}
