//! What a judge said about what people labelled: labels are matched with replies or pairs, only those are asked
//! about, and what the store then holds comes back as rows for calibration.
//!
//! The lexical judge is asked about the same replies in this process. Its answers are a floor and nothing that
//! was paid for, so the store never sees them.
//!
//! What always holds: a label counts, is rejected with a reason, or is about something that no judge may see,
//! and the three add up. Nothing is asked about a reply, a pair or a criterion without a label.

mod pairs;
mod replies;

use probity_core::case::{Case, Moment};
use probity_core::compare::{Candidate, Choice, Pass};
use probity_core::label::{ItemFacts, LabelEntry, Named, Spoken, VerdictEntry, unbound};
use probity_core::packet::PacketHash;
use probity_core::report::GateTally;
use probity_core::results::Facts;
use probity_core::results::{GateStatus, ResultRow};
use probity_core::rubric::Rubric;
use probity_core::score::Unscored;
use probity_core::verdict::{self, Completion, Finish, ParseMode, Verdict};

pub use pairs::{LabelledPairs, pairs};
pub use replies::{LabelScope, LabelledReplies, replies};

use super::asking::SizedPacket;
use crate::input::Skipped;
use crate::judge::baseline;

/// What the lexical judge is called among the rows. No other judge has this name.
pub const FLOOR: &str = "(floor)";

/// A label that cannot be compared with a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its place among the labels.
    pub row: usize,
    /// What it is about.
    pub item: String,
    /// Why not.
    pub reason: String,
}

/// What became of labels before any judge was asked.
#[derive(Debug, Default)]
pub struct Matched {
    /// Those that count, each naming its criterion and variants where it has any.
    pub labels: Vec<LabelEntry>,
    /// The place of each among all labels.
    pub rows: Vec<usize>,
    /// Those that are about nothing here, or about something that has changed.
    pub rejected: Vec<Rejected>,
    /// Those that say what cannot be said: their places and what is wrong.
    pub faults: Vec<(usize, String)>,
    /// Labels of replies or pairs that the gate decided.
    pub n_blocked: u64,
    /// Labels of pairs whose replies are the same text.
    pub n_identical: u64,
    /// Labels that are older than the case they are about. They count.
    pub n_early: u64,
    /// Replies or pairs without a label. Nothing is asked about them.
    pub n_unlabelled: u64,
    /// What the gate said about labelled replies.
    pub gate: GateCount,
    /// Records that cannot be used.
    pub skipped: Vec<Skipped>,
}

/// What the gate said about labelled replies.
#[derive(Debug, Clone, Default)]
pub struct GateCount {
    /// Replies that may be judged.
    pub n_admitted: u64,
    /// Replies that must not be.
    pub n_blocked: u64,
    /// What was found in them.
    pub tally: GateTally,
}

/// What was said about labelled replies or pairs.
#[derive(Debug)]
pub struct Verdicts {
    /// By the judge, for everything that was to be asked; a verdict that is none where there is no other.
    pub judge: Vec<VerdictEntry>,
    /// By the lexical judge, about the same, under the name [`FLOOR`].
    pub floor: Vec<VerdictEntry>,
    /// What the store knows about the judge's calls.
    pub facts: Facts,
}

impl Verdicts {
    /// Of what was to be asked, how much has a verdict, and how much there is.
    pub fn coverage(&self) -> (u64, u64) {
        let spoke = |entry: &&VerdictEntry| match &entry.spoken {
            Spoken::Once(said) => said.is_some(),
            Spoken::BothOrders(said) => said.iter().all(Option::is_some),
        };
        (self.judge.iter().filter(spoke).count() as u64, self.judge.len() as u64)
    }
}

impl Matched {
    fn reject(&mut self, row: usize, label: &LabelEntry, reason: String) {
        self.rejected.push(Rejected { row, item: label.item.clone(), reason });
    }

    fn keep(&mut self, row: usize, label: LabelEntry, about: &Case) {
        let at = label.at.as_ref().and_then(|at| at.parse::<Moment>().ok());
        self.n_early += u64::from(at.zip(about.circumstances.time).is_some_and(|(at, case)| at < case));
        self.labels.push(label);
        self.rows.push(row);
    }
}

/// A label with the reply or the pair that it names, and the packets that ask about that today.
struct MatchedLabel<R> {
    row: usize,
    label: LabelEntry,
    about: R,
    packets: Vec<String>,
}

impl<R> MatchedLabel<R> {
    fn new(row: usize, label: LabelEntry, about: R, packets: &[PacketHash]) -> MatchedLabel<R> {
        MatchedLabel { row, label, about, packets: packets.iter().map(ToString::to_string).collect() }
    }
}

/// The claims of labels that are about exactly what is asked today; the others are rejected. What is left needs no
/// packet any more: what a label is about has been found.
fn bound<R>(claims: Vec<MatchedLabel<R>>, matched: &mut Matched) -> Vec<MatchedLabel<R>> {
    let named: Vec<Named<'_>> =
        claims.iter().map(|claim| Named { label: &claim.label, packets: &claim.packets }).collect();
    let unbound = unbound(&named);
    let mut left = Vec::new();
    for (claim, why) in claims.into_iter().zip(unbound) {
        match why {
            Some(reason) => matched.reject(claim.row, &claim.label, reason),
            None => left.push(MatchedLabel { label: LabelEntry { packet: None, ..claim.label }, ..claim }),
        }
    }
    matched.rejected.sort_by_key(|rejected| rejected.row);
    left
}

impl GateCount {
    fn add(&mut self, row: &ResultRow) {
        match row.gate.status {
            GateStatus::Admitted => self.n_admitted += 1,
            GateStatus::Blocked => self.n_blocked += 1,
            // Labels are about replies that a person has read.
            GateStatus::NoReply => {}
        }
        self.tally.add(row);
    }
}

/// What is wrong with a label that was given by another rubric.
fn of_another(label: &LabelEntry, rubric: &Rubric) -> Option<String> {
    let name = label.rubric.as_ref().filter(|name| **name != rubric.name())?;
    Some(format!("was given by rubric '{name}', and this one is '{}'", rubric.name()))
}

/// What the lexical judge says.
fn lexical(packet: &SizedPacket) -> Result<Verdict, Unscored> {
    let text = Some(baseline::answer(&packet.packet));
    let completion = Completion { text, finish: Finish::Stop, ..Completion::default() };
    verdict::read(&completion, &packet.packet, ParseMode::Tolerant).map_err(|invalid| Unscored {
        cause: invalid.reason.name().to_owned(),
        detail: invalid.detail,
        attempts: 1,
    })
}

/// One pass over a pair, as rows write it.
pub(crate) fn choice(pass: &Pass) -> Option<String> {
    let name = match pass {
        Pass::Decided(Choice::Wins(Candidate::A)) => "a",
        Pass::Decided(Choice::Wins(Candidate::B)) => "b",
        Pass::Decided(Choice::Tie) => "tie",
        Pass::Decided(Choice::NeedsHumanReview) => "needs_human_review",
        Pass::Unscored(_) => return None,
    };
    Some(name.to_owned())
}

/// A row about one item.
fn row(item: &str, judge: &str, spoken: Spoken, facts: ItemFacts) -> VerdictEntry {
    let (item, judge) = (item.to_owned(), Some(judge.to_owned()));
    VerdictEntry { item, criterion: None, judge, spoken, confidence: [None; 2], facts }
}
