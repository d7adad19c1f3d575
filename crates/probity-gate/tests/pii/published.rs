//! Recall on published sentences with typed spans, and false alarms on those without any.
//!
//! A span counts as found when some sighting overlaps it. The sentences are read from the folder that
//! `PROBITY_PUBLISHED_DATA` names and are no part of this repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use probity_gate::gate::pii::{Allow, Scanner, Surroundings};
use probity_gate::gate::{Severity, Sighting, rule};
use serde_json::Value;

/// The least that each type must reach, in found spans. Lower means that something was lost.
const FLOORS: &[(&str, usize)] = &[
    ("CREDIT_CARD", 135),
    ("EMAIL_ADDRESS", 49),
    ("IBAN_CODE", 21),
    ("IP_ADDRESS", 13),
    ("PHONE_NUMBER", 90),
    ("STREET_ADDRESS", 545),
    ("US_DRIVER_LICENSE", 5),
    ("US_SSN", 16),
];
/// Types that no rule is about. A plain link is no personal data, and neither is a name or a day by itself.
const NOT_MEANT: &[&str] = &["DOMAIN_NAME", "PERSON", "ORGANIZATION", "NRP", "TITLE", "AGE"];

/// What was found of one type.
#[derive(Default)]
struct Recall {
    found: usize,
    total: usize,
    missed: Vec<String>,
}

#[test]
fn published_sentences() {
    let Ok(folder) = std::env::var("PROBITY_PUBLISHED_DATA") else {
        return crate::skipped::skipped(
            "personal data in published sentences",
            "PROBITY_PUBLISHED_DATA is not set",
        );
    };
    let items = fs::read_to_string(Path::new(&folder).join("presidio_pii/items.jsonl")).unwrap();
    let scanner = Scanner::new(&Allow::default()).unwrap();
    let mut recalls: BTreeMap<String, Recall> = BTreeMap::new();
    let mut alarms = Vec::new();
    let mut beside = Vec::new();
    for line in items.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let text = item["text"].as_str().unwrap();
        let sightings = scanner.check(text, &Surroundings::default());
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let spans = item["spans"].as_array().unwrap();
        let at = |span: &Value, key: &str| offsets[usize::try_from(span[key].as_u64().unwrap()).unwrap()];
        for span in spans {
            let (start, end) = (at(span, "start"), at(span, "end"));
            let recall = recalls.entry(span["type"].as_str().unwrap().to_owned()).or_default();
            recall.total += 1;
            if sightings.iter().any(|sighting| sighting.start < end && start < sighting.end) {
                recall.found += 1;
            } else {
                recall.missed.push(format!("{:?} in {text:?}", &text[start..end]));
            }
        }
        let is_beside = |sighting: &&Sighting| {
            spans.iter().all(|span| at(span, "end") <= sighting.start || sighting.end <= at(span, "start"))
        };
        beside.extend(sightings.iter().filter(is_beside).map(|sighting| {
            format!("{} {:?} in {text:?}", sighting.rule, &text[sighting.start..sighting.end])
        }));
        if spans.is_empty() {
            let blocks = |id: &str| rule(id).is_some_and(|rule| rule.severity == Severity::Block);
            alarms.extend(
                sightings.iter().map(|sighting| (blocks(sighting.rule), sighting.rule, text.to_owned())),
            );
        }
    }
    print!("{}", lines(&recalls));
    println!("sightings beside every span: {}", beside.len());
    for beside in &beside {
        println!("    {beside}");
    }
    println!("false alarms on sentences without spans: {alarms:?}");
    assert_eq!(alarms, []);
    for kind in NOT_MEANT {
        // A maiden name is the answer to a question of security, and so a secret.
        let found_max = if *kind == "PERSON" { 9 } else { 0 };
        assert!(recalls[*kind].found <= found_max, "{kind}: {}", recalls[*kind].found);
    }
    for (kind, floor) in FLOORS {
        assert!(recalls[*kind].found >= *floor, "{kind}: {} found, {floor} expected", recalls[*kind].found);
    }
}

/// One line for each type, and what was missed where `PROBITY_PII_MISSED` names the type.
fn lines(recalls: &BTreeMap<String, Recall>) -> String {
    let shown = std::env::var("PROBITY_PII_MISSED").unwrap_or_default();
    let mut lines = String::new();
    for (kind, Recall { found, total, missed }) in recalls {
        lines += &format!("{kind:<20} {found:>4} of {total:>4}  {:.3}\n", *found as f64 / *total as f64);
        for missed in missed.iter().filter(|_| shown == *kind) {
            lines += &format!("    {missed}\n");
        }
    }
    lines
}
