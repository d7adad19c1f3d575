//! The library reproduces published figures of people, and of judges against people.

#[allow(dead_code, reason = "the sets of pairwise comparisons have a test of their own")]
mod published;
#[path = "../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use probity_core::calibrate::{Counting, Ties, Votes, calibration};
use probity_core::compare::{Conflict, Policies, Unparsed};
use probity_core::json::{self, Object};
use probity_core::label::{JoinOptions, LabelEntry, VerdictEntry, sheet};
use probity_core::stats::{Resampling, Sampling};
use published::people::{self, Calibrator, LabelAsk};
use serde_json::Value;
use skipped::skipped;

/// The library, asked directly.
struct Library;

fn rows(text: &str) -> impl Iterator<Item = Object> + '_ {
    text.lines().map(|line| json::parse(line).expect("JSON").as_object().expect("an object").clone())
}

impl Calibrator for Library {
    fn calibrate(&self, ask: &LabelAsk) -> Value {
        let labels: Vec<_> = rows(&ask.labels).map(|row| LabelEntry::read(&row).expect("a label")).collect();
        let verdicts: Vec<_> =
            rows(&ask.verdicts).map(|row| VerdictEntry::read(&row).expect("a verdict")).collect();
        let sheet = sheet(&labels, &verdicts, &[], JoinOptions::default()).expect("rows that fit");
        let unparsed = match ask.unparsed {
            "tie" => Unparsed::Tie,
            "wrong" => Unparsed::Wrong,
            _ => Unparsed::Drop,
        };
        let counting = Counting {
            policies: Policies { conflict: Conflict::Tie, unparsed },
            votes: if ask.votes == "pooled" { Votes::Pooled } else { Votes::Majority },
            ties: if ask.ties == "drop" { Ties::Drop } else { Ties::Keep },
            sampling: Sampling { resampling: Resampling { n_resamples: 20, seed: 0 }, n_min: 8 },
            weak_below: 0.75,
            epsilon: 0.2,
        };
        calibration(&sheet, counting).to_json()
    }
}

#[test]
fn mtbench_human() {
    people::mtbench_human(&Library);
}

#[test]
fn pandalm() {
    people::pandalm(&Library);
}

#[test]
fn uss_sgd() {
    people::uss_sgd(&Library);
}

#[test]
fn tweetsumm_support() {
    people::tweetsumm_support(&Library);
}

#[test]
fn prd_vicuna80_people() {
    people::prd_vicuna80_people(&Library);
}
