//! Labels of pairs: which of two replies to one case is better.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use probity_core::compare::{Contest, Fate};
use probity_core::label::{ItemFacts, LabelEntry, Spoken, VerdictEntry};
use probity_core::results::{GateStatus, ResultRow};

use super::super::compare::{AtGate, CompareJob, Compared, Meeting, Screening, contest, report};
use super::super::{Ran, RunError};
use super::{FLOOR, Matched, MatchedLabel, Verdicts, bound, choice, lexical, of_another, row};
use crate::ledger::{JudgeId, Store};

/// The labelled pairs of a comparison.
#[derive(Debug)]
pub struct LabelledPairs {
    /// The comparison of these pairs and no others.
    pub job: Arc<CompareJob>,
}

/// Matches labels with the pairs of `job`, which is left with those that have a label.
pub fn pairs(mut job: CompareJob, labels: &[LabelEntry]) -> (LabelledPairs, Matched) {
    let mut matched = Matched { skipped: std::mem::take(&mut job.field.skipped), ..Matched::default() };
    let mut by_case: HashMap<&str, Vec<&Meeting>> = HashMap::new();
    for meeting in &job.meetings {
        by_case.entry(&job.field.cases[meeting.case].id).or_default().push(meeting);
    }
    let mut wanted: BTreeSet<(usize, [usize; 2])> = BTreeSet::new();
    let mut claims: Vec<MatchedLabel<&Meeting>> = Vec::new();
    for (place, label) in labels.iter().enumerate() {
        let meeting = match meeting(&job, &by_case, label) {
            Ok(meeting) => meeting,
            Err(reason) => {
                matched.reject(place, label, reason);
                continue;
            }
        };
        match meeting.gate {
            AtGate::Identical => matched.n_identical += 1,
            AtGate::Won(_) | AtGate::BothBlocked => matched.n_blocked += 1,
            AtGate::Open => {
                let packets =
                    job.packets(meeting).expect("an open pair has two admitted replies to one case");
                let facts = label.facts.clone().or(&facts_of(&job, meeting));
                let label = LabelEntry { facts, ..label.clone() };
                let packets = packets.map(|packet| packet.packet.hash());
                claims.push(MatchedLabel::new(place, label, meeting, &packets));
                continue;
            }
        }
        wanted.insert((meeting.case, meeting.variants));
    }
    for MatchedLabel { row, label, about: meeting, .. } in bound(claims, &mut matched) {
        let reply = job.field.cases[meeting.case].replies[meeting.variants[0]].as_ref();
        matched.keep(row, label, &reply.expect("a pair has two replies").entry().case);
        wanted.insert((meeting.case, meeting.variants));
    }
    matched.n_unlabelled = (job.meetings.len() - wanted.len()) as u64;
    let replies: BTreeSet<(usize, usize)> =
        wanted.iter().flat_map(|(case, variants)| variants.map(|variant| (*case, variant))).collect();
    for (case, variant) in replies {
        match &job.field.cases[case].replies[variant] {
            Some(Screening::Admitted(admitted)) => {
                matched.gate.add(&ResultRow::new(admitted.entry(), GateStatus::Admitted, admitted.flags()));
            }
            Some(Screening::Blocked(blocked)) => {
                matched.gate.add(&ResultRow::blocked(blocked.entry(), blocked.findings(), &job.rubric));
            }
            None => {}
        }
    }
    job.retain(|meeting| wanted.contains(&(meeting.case, meeting.variants)));
    (LabelledPairs { job: Arc::new(job) }, matched)
}

/// The pair that a label is about.
fn meeting<'a>(
    job: &CompareJob,
    by_case: &HashMap<&str, Vec<&'a Meeting>>,
    label: &LabelEntry,
) -> Result<&'a Meeting, String> {
    if let Some(reason) = of_another(label, &job.rubric) {
        return Err(reason);
    }
    if label.criterion.is_some() {
        return Err("is about a criterion, and a pair is judged as a whole".to_owned());
    }
    let names = |meeting: &Meeting| meeting.variants.map(|at| &*job.field.variants[at]);
    let meetings = by_case.get(&*label.item).ok_or("no pair of replies to such a case is in the files")?;
    match (&label.facts.variants, &meetings[..]) {
        (None, [only]) => {
            let said = label.label.as_deref();
            let is_of_a_pair =
                said.is_none_or(|said| ["a", "b", "tie"].contains(&said) || names(only).contains(&said));
            let is_of_one = |said: &str| ["pass", "fail"].contains(&said) || said.parse::<f64>().is_ok();
            if !is_of_a_pair && said.is_some_and(is_of_one) {
                return Err("is about one reply, and the rubric compares two".to_owned());
            }
            Ok(only)
        }
        (None, several) => Err(format!(
            "expected 'variant_a' and 'variant_b', because the case has {} pairs of replies",
            several.len()
        )),
        (Some([a, b]), several) => {
            let is_it = |meeting: &&&Meeting| {
                let [first, second] = names(meeting);
                (first == a && second == b) || (first == b && second == a)
            };
            let found = several.iter().find(is_it).copied();
            found.ok_or_else(|| format!("the case has no pair of '{a}' and '{b}'"))
        }
    }
}

/// What is known about a pair, with the first file's variant as candidate A.
fn facts_of(job: &CompareJob, meeting: &Meeting) -> ItemFacts {
    let case = &job.field.cases[meeting.case];
    let variants = Some(meeting.variants.map(|at| job.field.variants[at].to_string()));
    ItemFacts { slice: case.slice.as_deref().map(str::to_owned), variants, ..ItemFacts::default() }
}

impl LabelledPairs {
    /// What the store holds about the labelled pairs, and what the lexical judge says. `judge` is the name of
    /// the judge in the rows.
    pub fn verdicts(&self, store: &Store, ran: &Ran, judge: &str) -> Result<Verdicts, RunError> {
        let Compared { contests, facts, .. } = report(&self.job, store, ran, None)?;
        let floor = self.job.meetings.iter();
        let floor = floor.map(|meeting| contest(&self.job, meeting, &|packet| Ok(lexical(packet))));
        let floor: Vec<Contest> = floor.collect::<Result<_, _>>()?;
        let rows = |contests: &[Contest], judge: &str| {
            contests.iter().filter_map(|contest| spoken(contest, judge)).collect::<Vec<VerdictEntry>>()
        };
        Ok(Verdicts { judge: rows(&contests, judge), floor: rows(&floor, FLOOR), facts })
    }
}

impl LabelledPairs {
    /// What the member at `place` of the panel that is asked said under `repeat`, as rows of the name `name`.
    pub fn look(
        &self,
        store: &Store,
        (place, id): (usize, &JudgeId),
        repeat: u32,
        name: &str,
    ) -> Result<Vec<VerdictEntry>, RunError> {
        let reader = store.snapshot()?;
        let lookup = self.job.asking.members()[place].lookup(&reader, id, repeat);
        let row = |meeting: &Meeting| -> Result<Option<VerdictEntry>, RunError> {
            let confidences = RefCell::new(Vec::new());
            let contest = contest(&self.job, meeting, &|packet| {
                let verdict = lookup.verdict(packet)?;
                confidences.borrow_mut().push(verdict.as_ref().ok().and_then(|verdict| verdict.confidence));
                Ok(verdict)
            })?;
            let confidence = confidences.into_inner().try_into().unwrap_or_default();
            Ok(spoken(&contest, name).map(|row| VerdictEntry { confidence, ..row }))
        };
        let rows: Vec<_> = self.job.meetings.iter().map(row).collect::<Result<_, _>>()?;
        Ok(rows.into_iter().flatten().collect())
    }
}

/// What was said about a pair in both orders; `None` where no judge had a say.
fn spoken(contest: &Contest, judge: &str) -> Option<VerdictEntry> {
    let Fate::Judged(heard) = &contest.fate else { return None };
    let [ab, ba] = &**heard;
    let facts = ItemFacts {
        slice: contest.slice.as_deref().map(str::to_owned),
        variants: Some(contest.variants.clone().map(|name| name.to_string())),
        lengths: Some(contest.lengths),
        ..ItemFacts::default()
    };
    Some(row(&contest.case, judge, Spoken::BothOrders([choice(&ab.pass), choice(&ba.pass)]), facts))
}
