//! A comparison as test cases: a case per pair, and one per variant that is held against the first.
//!
//! A variant that is shown to be worse is a failure, and so is a reply that the gate blocks. Verdicts that are
//! missing are an error. A pair that a person must decide is skipped, and so is everything that a judge without
//! standing says: it informs and fails no build.

use probity_core::compare::{Comparison, Contest, Fate, Pair, Pass, Status, Verdicts};
use probity_core::gate::Finding;

use super::super::junit::{Came, TestCase};
use super::{ComparisonDocument, Sides, in_words};

/// The test cases of a comparison.
pub(crate) fn test_cases(shown: &ComparisonDocument) -> Vec<TestCase> {
    let mut tests = worse(&shown.comparison, shown);
    for (judge, pairs) in &shown.pairs {
        for pair in pairs {
            let class = pair.slice.as_deref().unwrap_or("pairs").to_owned();
            let mut name = pair_name(&pair.item, pair.variants.each_ref().map(|name| &**name));
            if shown.pairs.len() > 1 {
                name = format!("{name} by {judge}");
            }
            let is_promoted =
                shown.concluded.get(judge).is_some_and(|concluded| concluded.standing.is_promoted());
            let came = came(pair, shown);
            let came = if is_promoted { came } else { came.by_advisory_judge() };
            tests.push(TestCase { class, name, came });
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
fn worse(comparison: &Comparison, shown: &ComparisonDocument) -> Vec<TestCase> {
    let mut tests = Vec::new();
    for (judge, figures) in &comparison.judges {
        let Some(Sides { a, b }) = shown.pairs.get(judge).and_then(|pairs| Sides::of(pairs)) else {
            continue;
        };
        let Some(concluded) = shown.concluded.get(judge) else { continue };
        let sentence = concluded.sentence(&figures.overall);
        let came = if !concluded.standing.is_promoted() {
            Came::Skipped(sentence)
        } else if !concluded.is_complete() {
            Came::Error(vec![sentence])
        } else if concluded.conclusion.winner.as_ref() == Some(&a) {
            Came::Failed { kind: "quality", reasons: vec![sentence] }
        } else {
            Came::Passed
        };
        let name = format!("{b} is not worse than {a}, by {judge}");
        tests.push(TestCase { class: "variants".to_owned(), name, came });
    }
    tests
}

fn came(pair: &Pair, shown: &ComparisonDocument) -> Came {
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
    Some(TestCase {
        class: contest.slice.as_deref().unwrap_or("pairs").to_owned(),
        name: pair_name(&contest.case, names),
        came: Came::Failed { kind: "blocked", reasons: vec![reason] },
    })
}
