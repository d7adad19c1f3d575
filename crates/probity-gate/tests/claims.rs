//! How well claims are recognised, on labelled sentences: precision and recall, overall and by kind.
//!
//! The sentences are in `tests/claims/*.toml`. A claim is written as `<remedy> <polarity>`, `deed <what>`, or
//! a value in its normal form: `money 12.5 EUR`, `percent 15`, `span 3..5 wd`, `span 14 d`, `day 2026-04-01`,
//! `code RPL-14`, `number 48291`, `link example.com/a`, `email a@example.com`, `phone +4930123456`,
//! `address 12 main street`. Lengths of time are in the largest of days, hours and seconds that is whole.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use probity_gate::gate::claim::{Claim, ClaimKind, Lexicon, TimeUnit, Value, extract};
use serde::Deserialize;

/// What each part must reach, as (precision, recall) in percent.
const FLOORS: &[(&str, f64, f64)] = &[("tuned", 98.0, 98.0), ("held_out", 94.0, 96.0), ("fresh", 97.0, 97.0)];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSpec {
    sentence: Vec<SentenceSpec>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentenceSpec {
    text: String,
    claims: Vec<String>,
}

#[derive(Default, Clone, Copy)]
struct Count {
    found: usize,
    expected: usize,
    right: usize,
}

impl Count {
    fn precision(self) -> f64 {
        share(self.right, self.found)
    }

    fn recall(self) -> f64 {
        share(self.right, self.expected)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// The claim as the files write it.
fn written(claim: &Claim) -> String {
    match &claim.kind {
        ClaimKind::Remedy { remedy, polarity } => format!("{remedy} {}", polarity.name()),
        ClaimKind::Deed { deed, .. } if Lexicon::built_in().is_act(deed) => String::new(),
        ClaimKind::Deed { deed, .. } => format!("deed {deed}"),
        ClaimKind::Value(value) => written_value(value),
    }
}

fn written_value(value: &Value) -> String {
    match value {
        Value::Money { amount, currency: Some(code) } => format!("money {amount} {code}"),
        Value::Money { amount, currency: None } => format!("money {amount}"),
        Value::Percent(share) => format!("percent {share}"),
        Value::Span { least, most, unit } => {
            let (divisor, name) = match unit {
                TimeUnit::WorkingDays => (1, "wd"),
                TimeUnit::Months => (1, "months"),
                TimeUnit::Seconds => [(86_400, "d"), (3600, "h"), (1, "s")]
                    .into_iter()
                    .find(|(divisor, _)| {
                        [least, most].iter().all(|part| {
                            part.over(*divisor)
                                .is_some_and(|part| part.to_decimal() == Some(part.floor().to_string()))
                        })
                    })
                    .unwrap_or((1, "s")),
            };
            let part = |part: &probity_gate::exact::Exact| part.over(divisor).expect("not zero").to_string();
            let (least, most) = (part(least), part(most));
            if least == most {
                format!("span {least} {name}")
            } else {
                format!("span {least}..{most} {name}")
            }
        }
        Value::Day { year: Some(year), month, day } => format!("day {year:04}-{month:02}-{day:02}"),
        Value::Day { year: None, month, day } => format!("day {month:02}-{day:02}"),
        Value::Time { minutes, .. } => format!("time {:02}:{:02}", minutes / 60, minutes % 60),
        Value::Code(text) => format!("code {text}"),
        Value::Number(text) => format!("number {text}"),
        Value::Link(text) => format!("link {text}"),
        Value::Email(text) => format!("email {text}"),
        Value::Phone(text) => format!("phone {text}"),
        Value::Address(text) => format!("address {text}"),
    }
}

/// The row that a claim is counted in.
fn row(claim: &str) -> String {
    let (first, rest) = claim.split_once(' ').unwrap_or((claim, ""));
    let values = [
        "money", "percent", "span", "day", "time", "code", "number", "link", "email", "phone", "address",
        "deed",
    ];
    if values.contains(&first) { first.to_owned() } else { rest.to_owned() }
}

fn sentences(part: &str) -> Vec<SentenceSpec> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/claims").join(format!("{part}.toml"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    toml::from_str::<FileSpec>(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).sentence
}

/// Takes what both lists have out of both.
fn match_up(found: &mut Vec<String>, expected: &mut Vec<String>) -> Vec<String> {
    let mut right = Vec::new();
    expected.retain(|claim| match found.iter().position(|other| other == claim) {
        Some(at) => {
            right.push(found.remove(at));
            false
        }
        None => true,
    });
    right
}

/// Counts the claims of a part, and says what was wrong or missed.
fn measure(part: &str) -> (BTreeMap<String, Count>, String) {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut faults = String::new();
    for sentence in sentences(part) {
        let mut found: Vec<String> = extract(&sentence.text, Lexicon::built_in())
            .iter()
            .map(written)
            .filter(|claim| !claim.is_empty())
            .collect();
        let mut expected = sentence.claims.clone();
        let right = match_up(&mut found, &mut expected);
        for claim in &right {
            let count = counts.entry(row(claim)).or_default();
            (count.right, count.found, count.expected) =
                (count.right + 1, count.found + 1, count.expected + 1);
        }
        for claim in &found {
            counts.entry(row(claim)).or_default().found += 1;
        }
        for claim in &expected {
            counts.entry(row(claim)).or_default().expected += 1;
        }
        if !(found.is_empty() && expected.is_empty()) {
            let _ = writeln!(faults, "{:?}\n    wrong {found:?}\n    missed {expected:?}", sentence.text);
        }
    }
    (counts, faults)
}

fn sum(counts: &BTreeMap<String, Count>) -> Count {
    counts.values().fold(Count::default(), |sum, count| Count {
        found: sum.found + count.found,
        expected: sum.expected + count.expected,
        right: sum.right + count.right,
    })
}

/// A row per kind, and their sum.
fn report(part: &str, counts: &BTreeMap<String, Count>) -> String {
    let mut lines = format!("{part:<12} expected  found  right  precision  recall\n");
    let all = ("all", sum(counts));
    for (name, count) in counts.iter().map(|(name, count)| (name.as_str(), *count)).chain([all]) {
        let (precision, recall) = (count.precision(), count.recall());
        let Count { found, expected, right } = count;
        let _ = writeln!(
            lines,
            "{name:<12} {expected:>8} {found:>6} {right:>6} {precision:>9.1} % {recall:>5.1} %"
        );
    }
    lines
}

/// Prints the figures; with `PROBITY_SHOW_CLAIMS=<part>` also the sentences of a part that were not read
/// right.
#[test]
fn labelled_sentences_reach_their_floors() {
    for (part, precision_min, recall_min) in FLOORS {
        let (counts, faults) = measure(part);
        println!("{}", report(part, &counts));
        if std::env::var_os("PROBITY_SHOW_CLAIMS").is_some_and(|shown| shown == *part) {
            println!("{faults}");
        }
        let sum = sum(&counts);
        assert!(sum.precision() >= *precision_min, "{part}: precision {:.1} %", sum.precision());
        assert!(sum.recall() >= *recall_min, "{part}: recall {:.1} %", sum.recall());
    }
}
