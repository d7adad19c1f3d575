//! Sentences of support in many countries, with and without personal data.
//!
//! A sentence with personal data counts as found when some sighting overlaps the span. One without counts as false when it
//! would be blocked. The rules were made with the open sentences in sight.

use probity_gate::gate::pii::{Allow, Scanner, Surroundings};
use probity_gate::gate::{Severity, Sighting, rule};
use serde_json::Value;

/// What came of the sentences.
#[derive(Debug, Default)]
struct Figures {
    found: usize,
    personal: usize,
    blocked: usize,
    harmless: usize,
    /// What was missed, and what was sighted without reason, blocked or not.
    wrong: Vec<String>,
}

impl Figures {
    fn of(corpus: &str) -> Figures {
        let scanner = Scanner::new(&Allow::default()).expect("no pattern is set");
        let mut figures = Figures::default();
        for line in corpus.lines() {
            let case: Value = serde_json::from_str(line).expect("a line is a case");
            let text = case["text"].as_str().expect("a case has a text");
            figures.add(text, case["span"].as_str(), &scanner.check(text, &Surroundings::default()));
        }
        figures
    }

    fn add(&mut self, text: &str, value: Option<&str>, seen: &[Sighting]) {
        let blocks = |seen: &Sighting| rule(seen.rule).is_some_and(|rule| rule.severity == Severity::Block);
        let start = value.and_then(|value| text.find(value));
        let is_right = if let (Some(start), Some(value)) = (start, value) {
            let is_found = seen.iter().any(|seen| seen.start < start + value.len() && start < seen.end);
            self.personal += 1;
            self.found += usize::from(is_found);
            is_found
        } else {
            self.harmless += 1;
            self.blocked += usize::from(seen.iter().any(blocks));
            seen.is_empty()
        };
        if !is_right {
            let shown: Vec<_> = seen.iter().map(|seen| (seen.rule, &text[seen.start..seen.end])).collect();
            self.wrong.push(format!("{text:?}: {shown:?}"));
        }
    }

    fn summary(&self) -> String {
        let Figures { found, personal, blocked, harmless, .. } = self;
        format!("{found} of {personal} found, {blocked} of {harmless} harmless ones blocked")
    }
}

/// No rule was made with these in sight.
#[test]
fn the_held_sentences() {
    let got = Figures::of(include_str!("../corpus/pii.held.jsonl"));
    println!("{}", got.summary());
    assert_eq!(got.summary(), "60 of 70 found, 1 of 50 harmless ones blocked");
}

#[test]
fn the_open_sentences() {
    let got = Figures::of(include_str!("../corpus/pii.open.jsonl"));
    println!("{}\n{}", got.summary(), got.wrong.join("\n"));
    assert_eq!(got.summary(), "378 of 394 found, 2 of 251 harmless ones blocked");
}
