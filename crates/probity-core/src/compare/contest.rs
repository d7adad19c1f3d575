//! Two variants on one case, from the gate to the judge: what a live comparison knows of a pair.
//!
//! A reply that the gate blocks is never compared, so a pair can be over before a judge is asked. Such a pair is
//! reported beside the judge's figures and never inside them: [`Contest::pair`] has nothing for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::outcome::{PairOutcome, Status};
use super::pair::{Pair, Verdicts};
use super::pass::{Candidate, Choice, Pass};
use crate::gate::{Finding, Severity};
use crate::score::Unscored;

/// One pass as it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// What it came to, by candidate.
    pub pass: Pass,
    /// What the judge said in support.
    pub evidence: Vec<String>,
    /// Clean-ups that reading the answer needed, by name.
    pub repairs: Vec<String>,
    /// What should make a person look twice, by name.
    pub suspicions: Vec<String>,
}

impl Heard {
    /// A pass without a verdict.
    pub fn unscored(unscored: Unscored) -> Self {
        let (evidence, repairs, suspicions) = Default::default();
        Heard { pass: Pass::Unscored(unscored), evidence, repairs, suspicions }
    }
}

/// What became of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// A judge was asked in both orders, candidate A first and candidate B first.
    Judged(Box<[Heard; 2]>),
    /// Both replies are the same text: a tie that needs no judge.
    Identical,
    /// The gate blocked the other reply, for these reasons.
    WonAtGate {
        /// The reply that was admitted.
        winner: Candidate,
        /// Why the other one was not.
        findings: Vec<Finding>,
    },
    /// The gate blocked both.
    BothBlocked,
    /// The comparison was decided before its turn came.
    NotDrawn,
}

/// Two variants on one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Contest {
    /// The case.
    pub case: Arc<str>,
    /// The slice of the case.
    pub slice: Option<Arc<str>>,
    /// The variants that wrote candidate A and candidate B.
    pub variants: [Arc<str>; 2],
    /// The lengths of candidate A and candidate B in characters.
    pub lengths: [u64; 2],
    /// How hard the case is, where its record says.
    pub difficulty: Option<f64>,
    /// What became of it.
    pub fate: Fate,
}

impl Contest {
    /// The pair as figures take it; `None` where no judge had a say.
    pub fn pair(&self) -> Option<Pair> {
        let verdicts = match &self.fate {
            Fate::Judged(heard) => {
                let [ab, ba] = &**heard;
                Verdicts::BothOrders { ab: ab.pass.clone(), ba: ba.pass.clone() }
            }
            Fate::Identical | Fate::WonAtGate { .. } | Fate::BothBlocked | Fate::NotDrawn => return None,
        };
        Some(Pair {
            item: Arc::clone(&self.case),
            case: Arc::clone(&self.case),
            slice: self.slice.clone(),
            variants: self.variants.clone(),
            verdicts,
            lengths: Some(self.lengths),
            difficulty: self.difficulty,
            label: None,
        })
    }

    /// The name of what became of it.
    pub fn status(&self) -> &'static str {
        match &self.fate {
            Fate::Judged(heard) => PairOutcome::of(&heard[0].pass, &heard[1].pass).status().name(),
            Fate::Identical => Status::Tie.name(),
            Fate::WonAtGate { .. } => "won_at_gate",
            Fate::BothBlocked => "both_blocked",
            Fate::NotDrawn => "not_drawn",
        }
    }

    /// The variant that won, at the gate or by the judge in both orders.
    pub fn winner(&self) -> Option<&Arc<str>> {
        let winner = match &self.fate {
            Fate::Judged(heard) => match PairOutcome::of(&heard[0].pass, &heard[1].pass) {
                PairOutcome::Stable(winner) => winner,
                _ => return None,
            },
            Fate::WonAtGate { winner, .. } => *winner,
            Fate::Identical | Fate::BothBlocked | Fate::NotDrawn => return None,
        };
        Some(self.variant(winner))
    }

    /// The winner as results name it: a variant, `tie` where neither won in both orders, `needs_human_review`; nothing
    /// where no judge decided.
    fn winner_name(&self) -> Option<&str> {
        let open = match &self.fate {
            Fate::Judged(heard) => match PairOutcome::of(&heard[0].pass, &heard[1].pass).status() {
                status @ Status::NeedsHumanReview => Some(status.name()),
                Status::Unscored => None,
                _ => Some(Status::Tie.name()),
            },
            Fate::Identical => Some(Status::Tie.name()),
            Fate::WonAtGate { .. } | Fate::BothBlocked | Fate::NotDrawn => None,
        };
        self.winner().map(|winner| &**winner).or(open)
    }

    /// The variant that wrote `candidate`.
    pub fn variant(&self, candidate: Candidate) -> &Arc<str> {
        match candidate {
            Candidate::A => &self.variants[0],
            Candidate::B => &self.variants[1],
        }
    }

    /// The row of a results file.
    pub fn to_json(&self) -> Value {
        let names: Vec<&str> = self.variants.iter().map(|variant| &**variant).collect();
        let mut row = json!({
            "id": &*self.case,
            "slice": self.slice.as_deref(),
            "variants": names,
            "status": self.status(),
            "winner": self.winner_name(),
        });
        match &self.fate {
            Fate::Judged(heard) => {
                row["orders"] = json!([self.heard_json(&heard[0], 0), self.heard_json(&heard[1], 1)]);
            }
            Fate::Identical => row["identical"] = true.into(),
            Fate::WonAtGate { findings, .. } => {
                let blocking = findings.iter().filter(|finding| finding.severity == Severity::Block);
                let rules: BTreeSet<&str> = blocking.map(Finding::rule).collect();
                row["blocked_by"] = json!(rules);
            }
            Fate::BothBlocked | Fate::NotDrawn => {}
        }
        row
    }

    fn heard_json(&self, heard: &Heard, first: usize) -> Value {
        let (a, b) = (&*self.variants[first], &*self.variants[1 - first]);
        let mut object = json!({ "first_slot": a, "slots": { "A": a, "B": b } });
        let (mut verdict, mut slot, mut winner) = (None, None, None);
        match &heard.pass {
            Pass::Decided(Choice::Wins(candidate)) => {
                let is_first = usize::from(*candidate == Candidate::B) == first;
                (verdict, slot) = (Some("wins"), Some(if is_first { "A" } else { "B" }));
                winner = Some(&**self.variant(*candidate));
            }
            Pass::Decided(Choice::Tie) => (verdict, slot) = (Some("tie"), Some("tie")),
            Pass::Decided(Choice::NeedsHumanReview) => {
                verdict = Some(Status::NeedsHumanReview.name());
                slot = verdict;
            }
            Pass::Unscored(Unscored { cause, detail, attempts }) => {
                object["verdict"] = Value::Null;
                object["reason"] = json!(cause);
                object["detail"] = json!(detail);
                object["attempts"] = json!(attempts);
            }
        }
        if verdict.is_some() {
            object["verdict"] = json!(verdict);
            object["preferred_slot"] = json!(slot);
            object["winner"] = json!(winner);
            object["evidence"] = json!(heard.evidence);
        }
        for (name, list) in [("repairs", &heard.repairs), ("suspicions", &heard.suspicions)] {
            if !list.is_empty() {
                object[name] = json!(list);
            }
        }
        object
    }
}

/// What happened before any judge, by variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct GateCounts {
    /// Pairs that a variant won because the other reply was blocked.
    pub won_at_gate: u64,
    /// Pairs that it lost because its own was.
    pub lost_at_gate: u64,
    /// Pairs in which both were blocked.
    pub both_blocked: u64,
}

/// Counts what the gate decided, for every variant that has a pair.
pub fn gate_counts(contests: &[Contest]) -> BTreeMap<Arc<str>, GateCounts> {
    let mut counts: BTreeMap<Arc<str>, GateCounts> = BTreeMap::new();
    for contest in contests {
        for (variant, candidate) in contest.variants.iter().zip([Candidate::A, Candidate::B]) {
            let count = counts.entry(Arc::clone(variant)).or_default();
            match &contest.fate {
                Fate::WonAtGate { winner, .. } if *winner == candidate => count.won_at_gate += 1,
                Fate::WonAtGate { .. } => count.lost_at_gate += 1,
                Fate::BothBlocked => count.both_blocked += 1,
                Fate::Judged(_) | Fate::Identical | Fate::NotDrawn => {}
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(fate: Fate) -> Contest {
        let variants = [Arc::from("old"), Arc::from("new")];
        Contest { case: Arc::from("t1"), slice: None, variants, lengths: [3, 9], difficulty: None, fate }
    }

    fn judged(ab: Choice, ba: Choice) -> Contest {
        let heard = |choice| Heard {
            pass: Pass::Decided(choice),
            evidence: vec!["why".to_owned()],
            repairs: Vec::new(),
            suspicions: Vec::new(),
        };
        contest(Fate::Judged(Box::new([heard(ab), heard(ba)])))
    }

    #[track_caller]
    fn check(contest: &Contest, status: &str, winner: Option<&str>, judged: bool) {
        assert_eq!(contest.status(), status);
        assert_eq!(contest.winner().map(|winner| &**winner), winner);
        assert_eq!(contest.pair().is_some(), judged, "{status}");
    }

    #[test]
    fn what_the_gate_decides_is_never_in_the_figures() {
        let (a, b) = (Choice::Wins(Candidate::A), Choice::Wins(Candidate::B));
        check(&judged(b, b), "stable", Some("new"), true);
        check(&judged(a, b), "unstable_after_swap", None, true);
        check(&judged(a, Choice::NeedsHumanReview), "needs_human_review", None, true);
        check(&contest(Fate::Identical), "tie", None, false);
        let won = contest(Fate::WonAtGate { winner: Candidate::A, findings: Vec::new() });
        check(&won, "won_at_gate", Some("old"), false);
        check(&contest(Fate::BothBlocked), "both_blocked", None, false);
        check(&contest(Fate::NotDrawn), "not_drawn", None, false);
        let counts = gate_counts(&[won, contest(Fate::BothBlocked), judged(a, a)]);
        assert_eq!(counts["old"], GateCounts { won_at_gate: 1, lost_at_gate: 0, both_blocked: 1 });
        assert_eq!(counts["new"], GateCounts { won_at_gate: 0, lost_at_gate: 1, both_blocked: 1 });
    }

    #[test]
    fn a_row_says_which_slot_was_first_and_why() {
        let row = judged(Choice::Wins(Candidate::B), Choice::Tie).to_json();
        assert_eq!(row["orders"][0]["first_slot"], "old");
        assert_eq!(row["orders"][0]["winner"], "new");
        assert_eq!(row["orders"][1]["first_slot"], "new");
        assert_eq!((&row["orders"][1]["verdict"], &row["status"]), (&json!("tie"), &json!("tie")));
    }
}
