//! Personal data in replies: the table of cases, properties, and figures on published sentences.
//!
//! Every row of the table is a test of its own; `table` prints all of them with what came out.

mod corpus;
mod countries;
mod properties;
mod published;
mod replies;
mod rows;
#[path = "../../../probity-engine/tests/support/skipped.rs"]
mod skipped;

use std::sync::LazyLock;

use probity_gate::gate::pii::{Allow, Scanner, Surroundings};
use probity_gate::gate::{Severity, Sighting, rule};

/// What a row wants of each of its spellings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Nothing is sighted.
    Ok,
    /// This rule, and it blocks.
    Leak(&'static str),
    /// Some rule that blocks.
    AnyLeak,
    /// This rule, and it flags.
    Warn(&'static str),
}

/// A reply with what it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Say {
    reply: &'static str,
    earlier: &'static [&'static str],
    customer: &'static [&'static str],
    known: &'static [&'static str],
}

/// A reply that stands alone.
pub(crate) const fn say(reply: &'static str) -> Say {
    Say { reply, earlier: &[], customer: &[], known: &[] }
}

impl Say {
    const fn earlier(self, earlier: &'static [&'static str]) -> Say {
        Say { earlier, ..self }
    }

    const fn customer(self, customer: &'static [&'static str]) -> Say {
        Say { customer, ..self }
    }

    const fn known(self, known: &'static [&'static str]) -> Say {
        Say { known, ..self }
    }
}

/// One row of the table.
pub(crate) struct Row {
    name: &'static str,
    want: Want,
    says: &'static [Say],
}

/// A scanner for a company with a few contacts and one form of product numbers.
pub(crate) fn scanner() -> &'static Scanner {
    static SCANNER: LazyLock<Scanner> = LazyLock::new(new_scanner);
    &SCANNER
}

fn new_scanner() -> Scanner {
    let list = |entries: &[&str]| entries.iter().map(|entry| (*entry).to_owned()).collect();
    let allow = Allow {
        domains: list(&["acme-shop.com"]),
        phones: list(&["+1 (415) 555-0100", "1-800-555-0134"]),
        addresses: list(&["500 Warehouse Way, Columbus, OH 43004"]),
        id_patterns: list(&["AC-################"]),
        ..Allow::default()
    };
    Scanner::new(&allow).expect("the pattern has a form")
}

fn sightings(scanner: &Scanner, say: &Say) -> Vec<Sighting> {
    let known: Vec<String> = say.known.iter().map(|value| (*value).to_owned()).collect();
    scanner.check(say.reply, &Surroundings { earlier: say.earlier, customer: say.customer, known: &known })
}

/// Whether the sightings are what a row wants.
fn is_met(want: Want, sightings: &[Sighting]) -> bool {
    let has = |id: &str| sightings.iter().any(|sighting| sighting.rule == id);
    let blocks = sightings.iter().any(|sighting| severity(sighting) == Severity::Block);
    match want {
        Want::Ok => sightings.is_empty(),
        Want::Leak(id) => has(id) && blocks,
        Want::AnyLeak => blocks,
        Want::Warn(id) => has(id) && !blocks,
    }
}

fn severity(sighting: &Sighting) -> Severity {
    rule(sighting.rule).expect("every sighting falls under a rule of the table").severity
}

fn summary(sightings: &[Sighting], reply: &str) -> String {
    let shown: Vec<String> = sightings
        .iter()
        .map(|sighting| format!("{} {:?}", sighting.rule, &reply[sighting.start..sighting.end]))
        .collect();
    if shown.is_empty() { "nothing".into() } else { shown.join(", ") }
}

/// Every spelling of a row comes out as the row wants.
#[track_caller]
pub(crate) fn check_row(row: &Row) {
    let scanner = scanner();
    let missed: Vec<String> = row
        .says
        .iter()
        .map(|say| (say.reply, sightings(scanner, say)))
        .filter(|(_, seen)| !is_met(row.want, seen))
        .map(|(reply, seen)| format!("{reply:?}: {}", summary(&seen, reply)))
        .collect();
    assert!(missed.is_empty(), "{} wants {:?}\n{}", row.name, row.want, missed.join("\n"));
}

#[test]
fn table() {
    let scanner = scanner();
    let mut n_met = 0;
    println!("{:<44} {:<34} {:>9}  got", "row", "want", "met");
    for row in rows::ROWS {
        let seen: Vec<Vec<Sighting>> = row.says.iter().map(|say| sightings(scanner, say)).collect();
        let met = seen.iter().filter(|seen| is_met(row.want, seen)).count();
        let mut got: Vec<&str> = seen.iter().flatten().map(|sighting| sighting.rule).collect();
        got.sort_unstable();
        got.dedup();
        let (want, met_of) = (format!("{:?}", row.want), format!("{met}/{}", row.says.len()));
        println!("{:<44} {want:<34} {met_of:>9}  {}", row.name, got.join(" "));
        n_met += usize::from(met == row.says.len());
    }
    println!("{n_met} of {} rows", rows::ROWS.len());
    assert_eq!(n_met, rows::ROWS.len());
}
