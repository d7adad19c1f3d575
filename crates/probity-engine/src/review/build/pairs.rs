//! Queues of pairs of replies, of which people say which is better.

use probity_core::compare::{Contest, Fate, Heard, Pass};
use probity_core::results::finding_records;
use probity_core::review::{Doubt, Exhibit, Hidden, HiddenPacket, HiddenVerdict, LabelForm, Questionnaire};

use super::{Built, ItemDraft, ItemDrafts, QueueJudge, QueueRequest, built, judge, reason};
use crate::review::ReviewRoom;
use crate::run::RunError;
use crate::run::compare::{AtGate, CompareJob, Meeting, Screening, contest};
use crate::run::labelled::choice;

/// The queue of a comparison's pairs.
pub fn of_pairs(room: &ReviewRoom, job: &CompareJob, wanted: &QueueRequest<'_>) -> Result<Built, RunError> {
    let judge = judge(room, &job.basis)?;
    let reader = room.store.snapshot()?;
    let lookup = job.asking.lookup(&reader, &judge.id, 0);
    let mut drafts = ItemDrafts { n_skipped: job.field.skipped.len(), ..ItemDrafts::default() };
    for meeting in &job.meetings {
        match meeting.gate {
            AtGate::Identical => drafts.n_identical += 1,
            AtGate::Won(_) | AtGate::BothBlocked => drafts.n_blocked += 1,
            AtGate::Open => {
                let contest = contest(job, meeting, &|packet| lookup.verdict(packet))?;
                drafts.items.push(draft(job, meeting, &contest, &judge));
            }
        }
    }
    drop(reader);
    built(room, Questionnaire::of(&job.rubric, LabelForm::Pair), drafts, wanted)
}

fn draft(job: &CompareJob, meeting: &Meeting, contest: &Contest, judge: &QueueJudge) -> ItemDraft {
    let replies = &job.field.cases[meeting.case].replies;
    let admitted = meeting.variants.map(|at| match &replies[at] {
        Some(Screening::Admitted(admitted)) => &**admitted,
        Some(Screening::Blocked(_)) | None => unreachable!("an open pair has two admitted replies"),
    });
    let packets = job.packets(meeting).expect("an open pair has two admitted replies to one case");
    let Fate::Judged(heard) = &contest.fate else { unreachable!("an open pair is judged or unscored") };
    let doubt = doubt(contest, heard);
    let verdicts: Vec<HiddenVerdict> =
        heard.iter().zip(["ab", "ba"]).map(|(heard, order)| verdict(heard, order)).collect();
    let was_asked = verdicts.iter().any(|verdict| verdict.said.is_some()) || doubt == Doubt::Unscored;
    let hidden = Hidden {
        case: contest.case.to_string(),
        slice: contest.slice.as_deref().map(str::to_owned),
        variants: contest.variants.iter().map(|name| Some(name.to_string())).collect(),
        packets: packets
            .iter()
            .map(|packet| HiddenPacket { criterion: None, packet: packet.packet.hash().to_string() })
            .collect(),
        judge: was_asked.then(|| judge.shown.clone()),
        verdicts,
        findings: admitted.iter().map(|admitted| finding_records(admitted.flags())).collect(),
    };
    ItemDraft { shown: Exhibit::of(&admitted, &job.rubric), hidden, doubt }
}

fn verdict(heard: &Heard, order: &str) -> HiddenVerdict {
    let reasoning = match &heard.pass {
        Pass::Decided(_) => heard.evidence.join("\n"),
        Pass::Unscored(unscored) => reason(unscored),
    };
    HiddenVerdict { criterion: None, order: Some(order.to_owned()), said: choice(&heard.pass), reasoning }
}

/// How unsure the judge is about a pair.
fn doubt(contest: &Contest, heard: &[Heard; 2]) -> Doubt {
    let is_open =
        |heard: &Heard| matches!(&heard.pass, Pass::Unscored(unscored) if unscored.cause == "not_attempted");
    match contest.status() {
        "unstable_after_swap" | "needs_human_review" => Doubt::Unstable,
        "unscored" if heard.iter().all(is_open) => Doubt::Settled,
        "unscored" => Doubt::Unscored,
        "tie" => Doubt::NearBorder,
        _ => Doubt::Settled,
    }
}
