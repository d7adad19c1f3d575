//! Probes from file to document, with judges whose answers are known.

mod changes;
mod documents;
mod files;
mod observations;

use super::*;
use crate::case::{Case, CaseId, Entry, Reply, Situation};
use crate::packet::CallPlan;
use crate::rubric::built_in;

/// A base with a reply of three sentences.
fn base() -> Base {
    let case = Case::new(CaseId::new("c1").expect("an id"), Situation::Ticket("Where is it?".into()));
    Base::new(
        Entry { case, reply: Reply::new("It left today. Open the page! Press track.") },
        BaseOrigin::Own,
    )
}

fn task(rubric: &str) -> JudgeTask {
    JudgeTask::of(&built_in(rubric).expect("it is built in"), CallPlan::PerCriterion)
        .expect("it can be probed")
}

fn levels() -> JudgeTask {
    task("relevance-tone")
}

fn preference() -> JudgeTask {
    task("pairwise-support")
}

/// The probe of the battery called `name`.
fn probe(name: &str) -> Probe {
    battery().into_iter().find(|probe| probe.name == name).expect("the battery has it")
}
