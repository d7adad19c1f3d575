//! What the records of a judge show of the battery, where nothing can be asked: another tool's judge has scored replies.
//!
//! What can be read from records: whether a reply that was scored again got the same score; whether the longer one of two
//! replies to a case that people labelled alike got the higher score; whether the winner of a pair depended on the slot,
//! where both orders are there; and what a change did, where the reply stands there with and without it, text for text.
//! A probe that records do not show has no figures and says so.
//!
//! Scores are on whatever scale the judge has, so that only their order is used.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::base::{Base, BaseOrigin};
use super::battery::{Family, Probe};
use super::expectation::Expectation;
use super::observation::{Effect, Observation};
use super::own::{OwnFile, OwnProbe};
use super::probing::{BaseCounts, ProbeResult, Probing, Tolerance, battery_hash, message};
use super::tally::{ProbeFigures, ProbeTally};
use super::task::{JudgeTask, RubricOrder};
use super::trial::{Arm, ProbeTrial, Repeat, Stimulus};
use crate::case::{Entry, Variant};
use crate::compare::{PairOutcome, Pass};
use crate::packet::AnswerForm;

/// Why records say nothing.
const NOT_CHANGED: &str = "no reply stands in the records with and without this change";
const NOT_AGAIN: &str = "no reply was scored twice";
const NOT_ALIKE: &str = "no two replies to a case that people labelled alike differ in length";
const NOT_PAIRS: &str = "the records have no pair of these replies";
const NOT_SWAPPED: &str = "the records have no pair in both orders";
const NOT_ORDERED: &str = "the records do not say in which order the judge was shown its rubric";
const NOT_GATED: &str = "it is about the gate, and no judge is asked";

/// A reply with the score that a judge gave it.
#[derive(Debug, Clone)]
pub struct ScoredReply {
    /// The case and the reply.
    pub entry: Entry,
    /// The score, of which a higher one is better; `None` where the judge gave none.
    pub score: Option<f64>,
    /// Whether that score passes, where the judge says so.
    pub passes: Option<bool>,
    /// What people said about the reply, where they all said the same.
    pub label: Option<String>,
}

/// What is on record of one judge.
#[derive(Debug, Clone, Default)]
pub struct JudgeRecords {
    /// The replies that it scored, as often as it did.
    pub replies: Vec<ScoredReply>,
    /// What it said about pairs of replies, in one order and in the other.
    pub pairs: Vec<[Pass; 2]>,
}

/// What records are compared with.
#[derive(Debug)]
pub struct RecordedBattery<'a> {
    /// The probes of the battery.
    pub probes: &'a [Probe],
    /// A person's own probes.
    pub own: &'a OwnFile,
    /// The names and families that both were chosen by; empty where all were.
    pub only: &'a [String],
    /// What the texts of changes are made for. It grades replies.
    pub task: &'a JudgeTask,
    /// The share of violations that is tolerated.
    pub tolerance: Tolerance,
}

impl RecordedBattery<'_> {
    /// What the records of one judge show.
    pub fn probing(&self, judge: JudgeRecords) -> Probing {
        let records = Records::new(judge.replies);
        let is_chosen =
            |family: Family| self.only.is_empty() || self.only.iter().any(|word| word == family.name());
        let swapped = is_chosen(Family::Position).then(|| swapped_pairs(&judge.pairs, self.tolerance));
        let longer = is_chosen(Family::Length).then(|| records.longer_of_equals(self.tolerance));
        let of_battery = self.probes.iter().map(|probe| {
            let figures = records.figures(probe, self);
            let words = match probe.expects {
                Expectation::Repeatable => ["the same reply got another score", ""],
                Expectation::Lowest => ["a reply without any help passed", ""],
                expects => expects.words(),
            };
            let said = message(&figures, words);
            ProbeResult::of_battery(probe, None, figures, said)
        });
        let own = self.own.probes.iter().map(|probe| ProbeResult::of_own(probe, records.own(probe)));
        Probing {
            form: AnswerForm::Levels,
            battery: battery_hash(self.probes, self.own, &records.bases, 0, self.tolerance),
            seed: 0,
            tolerance: self.tolerance,
            bases: BaseCounts::of(&records.bases),
            only: self.only.to_vec(),
            results: swapped.into_iter().chain(longer).chain(of_battery).chain(own).collect(),
        }
    }

    /// The replies with and without each change, each text once, and those twice that are to be scored again: what a
    /// judge has to score for its records to show the battery. Their variants say what they are for.
    pub fn replies(&self, bases: &[Base]) -> Vec<Entry> {
        let mut known: BTreeSet<(Texts, Repeat)> = BTreeSet::new();
        let mut replies = Vec::new();
        for (base, probe) in bases.iter().flat_map(|base| self.probes.iter().map(move |probe| (base, probe)))
        {
            let ProbeTrial::Asked(arms) = self.trial(probe, base) else { continue };
            let named =
                arms.control.iter().map(|arm| (arm, "control")).chain([(&arms.treatment, "treatment")]);
            for (arm, name) in named {
                let Stimulus::Reply(entry) = &arm.stimulus else { continue };
                if known.insert((texts(entry), arm.repeat)) {
                    let mut entry = (**entry).clone();
                    entry.reply.variant = Variant::new(format!("{}.{name}", probe.name)).ok();
                    replies.push(entry);
                }
            }
        }
        replies
    }

    /// What a probe makes of a base, where a judge's score of single replies can show it.
    fn trial(&self, probe: &Probe, base: &Base) -> ProbeTrial {
        if inapplicable(probe).is_some() { ProbeTrial::Unchanged } else { probe.trial(base, self.task) }
    }
}

/// Why scores of single replies cannot show a probe, if they cannot.
fn inapplicable(probe: &Probe) -> Option<&'static str> {
    match probe.expects {
        _ if !probe.forms.contains(&AnswerForm::Levels) => Some(NOT_PAIRS),
        Expectation::Consistent | Expectation::Tie => Some(NOT_PAIRS),
        Expectation::Blocked => Some(NOT_GATED),
        _ if probe.change.rubric_order() != RubricOrder::AsWritten => Some(NOT_ORDERED),
        _ => None,
    }
}

/// What the customer wrote, and the reply.
type Texts = (String, String);

fn texts(entry: &Entry) -> Texts {
    (entry.case.situation.texts().join("\n").trim().to_owned(), entry.reply.text.trim().to_owned())
}

/// The lengths and scores of replies, by what the customer wrote and what people said about the reply.
type Alike<'a> = BTreeMap<(&'a str, &'a str), Vec<(usize, Option<f64>)>>;

/// What a judge said about one reply.
#[derive(Debug, Clone, Copy)]
struct RecordedScore {
    score: Option<f64>,
    passes: Option<bool>,
}

/// The replies that one judge scored, by what they say.
struct Records {
    said: BTreeMap<Texts, Vec<RecordedScore>>,
    labels: BTreeMap<Texts, String>,
    bases: Vec<Base>,
}

impl Records {
    fn new(replies: Vec<ScoredReply>) -> Records {
        let mut records = Records { said: BTreeMap::new(), labels: BTreeMap::new(), bases: Vec::new() };
        for ScoredReply { entry, score, passes, label } in replies {
            let texts = texts(&entry);
            let said = records.said.entry(texts.clone()).or_default();
            said.push(RecordedScore { score, passes });
            if said.len() == 1 {
                records.bases.push(Base::new(entry, BaseOrigin::Own));
            }
            records.labels.extend(label.map(|label| (texts, label)));
        }
        records
    }

    /// What the records show of `probe`, or why they show nothing.
    fn figures(&self, probe: &Probe, asked: &RecordedBattery<'_>) -> Result<ProbeFigures, &'static str> {
        let mut tally = ProbeTally::of(probe.expects);
        if let Some(why) = inapplicable(probe) {
            return Err(why);
        }
        if probe.expects == Expectation::Repeatable {
            self.said.values().filter_map(|said| again(said)).for_each(|seen| tally.add(seen));
            return shown(tally.figures(asked.tolerance), NOT_AGAIN);
        }
        // A change that leaves nothing of a reply makes the same text of every reply to a case.
        let mut known: BTreeSet<Texts> = BTreeSet::new();
        for base in &self.bases {
            let trial = probe.trial(base, asked.task);
            let is_new = treatment(&trial).is_some_and(|entry| known.insert(texts(entry)));
            if let Some(seen) = self.changed(probe.expects, &trial).filter(|_| is_new) {
                tally.add(seen);
            }
        }
        shown(tally.figures(asked.tolerance), NOT_CHANGED)
    }

    fn own(&self, probe: &OwnProbe) -> Result<ProbeFigures, &'static str> {
        let expects = probe.expects_of_change().ok_or(NOT_PAIRS)?;
        let mut tally = ProbeTally::of(expects);
        tally.add(self.changed(expects, &probe.trial()).ok_or(NOT_CHANGED)?);
        Ok(tally.figures_of_one())
    }

    /// What the scores of a reply with and without a change say, where both are there.
    fn changed(&self, expects: Expectation, trial: &ProbeTrial) -> Option<Observation> {
        let after = self.said.get(&texts(treatment(trial)?))?[0];
        let ProbeTrial::Asked(arms) = trial else { return None };
        let Some(control) = &arms.control else {
            // Half of the points of a foreign scale are not known, so a reply does well that passes.
            return Some(after.passes.map_or_else(unscored, |passes| answered(Effect::of(passes), None)));
        };
        let before = self.said.get(&texts(graded(control)?))?;
        let (Some(first), Some(after)) = (before[0].score, after.score) else { return Some(unscored()) };
        let again = before.get(1).and_then(|said| said.score).map(|again| again.total_cmp(&first));
        let noise = again.map(|again| match expects {
            Expectation::MustFall => Effect::of(again == Ordering::Less),
            _ => violates(expects, again),
        });
        Some(answered(violates(expects, after.total_cmp(&first)), noise))
    }

    /// Whether the longer one of two replies gets more than its content earns. Where length does not matter, the
    /// shorter one wins as often, so that is the noise.
    fn longer_of_equals(&self, tolerance: Tolerance) -> ProbeResult {
        let mut cases: Alike<'_> = BTreeMap::new();
        for (texts, label) in &self.labels {
            let score = self.said.get(texts).and_then(|said| said[0].score);
            cases.entry((&texts.0, label)).or_default().push((texts.1.chars().count(), score));
        }
        let mut tally = ProbeTally::default();
        for mut replies in cases.into_values() {
            replies.sort_by_key(|(n_chars, _)| *n_chars);
            // Each reply is in one pair, so that no case speaks more than its replies.
            for pair in replies.chunks_exact(2).filter(|pair| pair[0].0 < pair[1].0) {
                tally.add(pair[0].1.zip(pair[1].1).map_or_else(unscored, |(shorter, longer)| {
                    let order = longer.total_cmp(&shorter);
                    let is = |wanted| Effect::of(order == wanted);
                    answered(is(Ordering::Greater), Some(is(Ordering::Less)))
                }));
            }
        }
        let figures = shown(tally.figures(tolerance), NOT_ALIKE);
        let words = ["the longer reply got the higher score", "got it although they were shorter"];
        ProbeResult {
            name: "longer_of_equals".to_owned(),
            number: None,
            family: Family::Length,
            expects: Expectation::NoRise.name(),
            criterion: None,
            means: "Of two replies to a case that people labelled alike, one is longer".to_owned(),
            message: message(&figures, words),
            figures: figures.ok(),
        }
    }
}

/// Whether the winner of a pair on record depended on the slot.
fn swapped_pairs(pairs: &[[Pass; 2]], tolerance: Tolerance) -> ProbeResult {
    let mut tally = ProbeTally::default();
    for [ab, ba] in pairs {
        tally.add(match PairOutcome::of(ab, ba) {
            PairOutcome::Unscored(why) => Observation::Unscored(why.cause),
            outcome => answered(Effect::of(outcome == PairOutcome::UnstableAfterSwap), None),
        });
    }
    let figures = shown(tally.figures(tolerance), NOT_SWAPPED);
    ProbeResult {
        name: "swapped_pairs".to_owned(),
        number: None,
        family: Family::Position,
        expects: Expectation::Consistent.name(),
        criterion: None,
        means: "The two replies of a pair change slots".to_owned(),
        message: message(&figures, Expectation::Consistent.words()),
        figures: figures.ok(),
    }
}

/// Figures of something that the records show.
fn shown(figures: ProbeFigures, why_not: &'static str) -> Result<ProbeFigures, &'static str> {
    if figures.n_bases + figures.n_unscored > 0 { Ok(figures) } else { Err(why_not) }
}

/// The changed reply of a trial that grades one.
fn treatment(trial: &ProbeTrial) -> Option<&Entry> {
    match trial {
        ProbeTrial::Asked(arms) => graded(&arms.treatment),
        ProbeTrial::Screened(_) | ProbeTrial::Unchanged => None,
    }
}

fn graded(arm: &Arm) -> Option<&Entry> {
    match &arm.stimulus {
        Stimulus::Reply(entry) => Some(entry),
        Stimulus::Pair(_) => None,
    }
}

fn answered(effect: Effect, noise: Option<Effect>) -> Observation {
    Observation::Answered { effect, noise, shift: None }
}

fn unscored() -> Observation {
    Observation::Unscored("no_score".to_owned())
}

/// Whether a reply that was scored again got the same score.
fn again(said: &[RecordedScore]) -> Option<Observation> {
    if said.len() < 2 {
        return None;
    }
    let scores: Option<Vec<f64>> = said.iter().map(|said| said.score).collect();
    Some(scores.map_or_else(unscored, |scores| {
        let moved = scores.iter().any(|score| score.total_cmp(&scores[0]) != Ordering::Equal);
        answered(Effect::of(moved), None)
    }))
}

/// What the order of the score with a change to that without it says.
fn violates(expects: Expectation, order: Ordering) -> Effect {
    Effect::of(match expects {
        Expectation::NoRise => order == Ordering::Greater,
        Expectation::MustFall => order != Ordering::Less,
        _ => order != Ordering::Equal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, CaseId, Reply, Situation};
    use crate::packet::CallPlan;
    use crate::probe::ProbeOutcome;
    use crate::rubric::built_in;

    fn reply(ticket: usize, text: &str, score: Option<f64>, label: &str) -> ScoredReply {
        let situation = Situation::Ticket(format!("Ticket {ticket}?").into());
        let case = Case::new(CaseId::new(format!("t{ticket}")).expect("an id"), situation);
        let entry = Entry { case, reply: Reply { text: text.into(), variant: None, confidence: None } };
        ScoredReply { entry, score, passes: None, label: Some(label.to_owned()) }
    }

    /// What 30 cases with a short and a long reply say about `longer_of_equals`.
    #[track_caller]
    fn check(scores: [Option<f64>; 2], labels: [&str; 2], outcome: ProbeOutcome, n_bases: u64) {
        let rubric = built_in("relevance-tone").expect("it is built in");
        let task = JudgeTask::of(&rubric, CallPlan::PerCriterion).expect("it can be probed");
        let (own, only) = (OwnFile::default(), [Family::Length.name().to_owned()]);
        let battery = RecordedBattery {
            probes: &[],
            own: &own,
            only: &only,
            task: &task,
            tolerance: Tolerance::default(),
        };
        let pair = |at: usize| {
            [reply(at, "No.", scores[0], labels[0]), reply(at, "No, sadly not.", scores[1], labels[1])]
        };
        let replies = (0..30).flat_map(pair).collect();
        let probing = battery.probing(JudgeRecords { replies, pairs: Vec::new() });
        let [longer] = &probing.results[..] else { panic!("one probe was chosen") };
        let n = longer.figures.as_ref().map_or(0, |figures| figures.n_bases);
        assert_eq!((longer.outcome(), n), (outcome, n_bases), "{}", longer.message);
    }

    #[test]
    fn length_is_held_against_replies_that_people_find_alike() {
        check([Some(1.0), Some(2.0)], ["pass", "pass"], ProbeOutcome::Fail, 30);
        check([Some(2.0), Some(2.0)], ["pass", "pass"], ProbeOutcome::Pass, 30);
        check([Some(2.0), Some(1.0)], ["fail", "fail"], ProbeOutcome::Pass, 30);
        check([Some(1.0), Some(2.0)], ["fail", "pass"], ProbeOutcome::NotApplicable, 0);
        check([None, Some(2.0)], ["pass", "pass"], ProbeOutcome::Inconclusive, 0);
    }
}
