//! A comparison as test cases: a case per pair, and one per variant that is compared with the first.
//!
//! A variant that is shown to be worse is a failure, and so is a reply that the gate blocks. Verdicts that are
//! missing are an error. A pair that a person must decide is skipped, and so is everything that a judge without
//! standing says: it informs and fails no build.

use probity_core::compare::{Contest, Fate, Pair, Pass, Status, Verdicts};
use probity_core::gate::Finding;

use super::super::report::junit::{Came, TestCase};
use super::{ComparisonShown, Sides, in_words};

/// The test cases of a comparison.
pub(super) fn test_cases(shown: &ComparisonShown) -> Vec<TestCase> {
    let mut tests = worse(shown);
    for (judge, pairs) in &shown.pairs {
        for pair in pairs {
            let class = pair.slice.as_deref().unwrap_or("pairs");
            let mut name = pair_name(&pair.item, pair.variants.each_ref().map(|name| &**name));
            if shown.pairs.len() > 1 {
                name = format!("{name} by {judge}");
            }
            tests.push(TestCase::new(class, name, came(pair, shown)).by_judge());
        }
    }
    let contests = shown.live().map(|(_, compared)| compared.contests.as_slice()).unwrap_or_default();
    tests.extend(contests.iter().filter_map(at_gate));
    tests
}

fn pair_name(item: &str, [a, b]: [&str; 2]) -> String {
    format!("{item} ({a}, {b})")
}

/// The later of two variants against the earlier one.
fn worse(shown: &ComparisonShown) -> Vec<TestCase> {
    let mut tests = Vec::new();
    for (judge, figures) in &shown.comparison.judges {
        let Some(Sides { a, b }) = shown.pairs.get(judge).and_then(|pairs| Sides::of(pairs)) else {
            continue;
        };
        let Some(concluded) = shown.concluded.get(judge) else { continue };
        let sentence = concluded.sentence(&figures.overall);
        let came = if !concluded.is_complete() {
            Came::Error(vec![sentence])
        } else if concluded.conclusion.winner.as_ref() == Some(&a) {
            Came::failed(sentence)
        } else {
            Came::Passed
        };
        let name = format!("{b} is not worse than {a}, by {judge}");
        tests.push(TestCase::new("variants", name, came).by_judge());
    }
    tests
}

fn came(pair: &Pair, shown: &ComparisonShown) -> Came {
    let said = || {
        let quotes = in_words(shown.live(), std::slice::from_ref(pair));
        quotes.into_iter().flat_map(|quote| quote.lines).collect::<Vec<_>>().join("; ")
    };
    match pair.status() {
        Status::Stable | Status::Tie | Status::Graded => Came::Passed,
        Status::UnstableAfterSwap => Came::Skipped(format!("the order decided: {}", said())),
        Status::NeedsHumanReview => Came::Skipped(format!("a person should decide: {}", said())),
        Status::Unscored => Came::Error(vec![unscored(pair)]),
    }
}

fn unscored(pair: &Pair) -> String {
    let Verdicts::BothOrders { ab, ba } = &pair.verdicts else { return String::new() };
    let reason = |pass: &Pass| match pass {
        Pass::Unscored(unscored) => Some(format!("{}: {}", unscored.cause, unscored.detail)),
        Pass::Decided(_) => None,
    };
    let reasons: Vec<String> = [ab, ba].into_iter().filter_map(reason).collect();
    reasons.join("; ").trim_end_matches([':', ' ']).to_owned()
}

/// What the gate decided about a pair.
fn at_gate(contest: &Contest) -> Option<TestCase> {
    let reason = match &contest.fate {
        Fate::WonAtGate { winner, findings } => {
            let loser = contest.variant(winner.other());
            let rules: Vec<&str> = findings.iter().map(Finding::rule).collect();
            format!("the gate blocks the reply of {loser}: {}", rules.join(", "))
        }
        Fate::BothBlocked => "the gate blocks both replies".to_owned(),
        Fate::Judged(_) | Fate::Identical | Fate::NotDrawn => return None,
    };
    let names = contest.variants.each_ref().map(|name| &**name);
    let class = contest.slice.as_deref().unwrap_or("pairs");
    Some(TestCase::new(class, pair_name(&contest.case, names), Came::Blocked(vec![reason])))
}
