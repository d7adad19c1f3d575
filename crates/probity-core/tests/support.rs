//! How well support is told: labelled replies with the sources they rest on, precision and recall.
//!
//! The pairs are in `support/pairs.toml`, the ledger in `support/policies.toml`. A finding counts as right when
//! its rule is right and it is about the labelled thing. The figures are printed; the floors only rise.

use std::collections::BTreeMap;

use probity_core::case::{Role, Situation, Turn};
use probity_core::gate::Sighting;
use probity_core::gate::claim::{Lexicon, extract};
use probity_core::gate::policy::{Ledger, PolicyFile, Source, read};
use probity_core::gate::support::{Allowed, Support, check};
use serde::Deserialize;

/// The least share of what is reported that must be right.
const PRECISION_MIN: f64 = 0.97;

/// The least share of what is labelled that must be reported.
const RECALL_MIN: f64 = 0.95;

/// The least share of replies on which every finding is as labelled.
const EXACT_MIN: f64 = 0.95;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    pair: Vec<Pair>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    sources: Vec<String>,
    #[serde(default)]
    turns: Vec<String>,
    reply: String,
    findings: Vec<String>,
}

fn ledger() -> Ledger {
    let text = include_str!("support/policies.toml");
    let reading = read(&[PolicyFile { name: "policies.toml", text }], Lexicon::built_in());
    reading.expect("a good ledger").ledger
}

fn situation(turns: &[String]) -> Situation {
    let turn = |text: &String| {
        let (role, said) = text.split_once(": ").expect("a turn reads `role: text`");
        Turn { role: Role::parse(role).expect("a role"), text: said.to_owned() }
    };
    match turns {
        [] => Situation::Ticket("Can you help me?".to_owned()),
        turns => Situation::Conversation(turns.iter().map(turn).collect()),
    }
}

/// A finding as the labels have it: the rule, and the remedy, the deed or the words it points at.
fn named(sighting: &Sighting, reply: &str) -> String {
    let rule = sighting.rule.trim_start_matches("claim.");
    let about = match rule {
        "unsupported_promise" => behind(&sighting.message, ": "),
        "omitted_remedy" => sighting.expected.as_deref(),
        "unsupported_deed" => {
            behind(&sighting.message, "done (").and_then(|deed| Some(deed.split_once(')')?.0))
        }
        "contradicted" => behind(&sighting.message, "requires: "),
        _ => None,
    };
    format!("{rule} {}", about.unwrap_or(&reply[sighting.start..sighting.end]))
}

fn behind<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    text.split_once(mark).map(|(_, rest)| rest)
}

fn found(pair: &Pair, ledger: &Ledger) -> Vec<String> {
    let sources: Vec<&Source> = pair.sources.iter().map(|id| &ledger.versions(id)[0]).collect();
    let (situation, allowed, lexicon) = (situation(&pair.turns), Allowed::nothing(), Lexicon::built_in());
    let support = Support::new(&sources, &situation, &allowed, lexicon);
    let sightings = check(&pair.reply, &extract(&pair.reply, lexicon), &support);
    sightings.iter().map(|sighting| named(sighting, &pair.reply)).collect()
}

/// Counts of what was reported rightly, wrongly, and not at all.
#[derive(Default, Clone, Copy)]
struct Count {
    right: u32,
    wrong: u32,
    missed: u32,
}

impl Count {
    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.missed).max(1))
    }
}

#[test]
fn labelled_pairs_are_told_apart() {
    let file: File = toml::from_str(include_str!("support/pairs.toml")).expect("labelled pairs");
    let ledger = ledger();
    let (mut total, mut by_rule, mut n_exact) = (Count::default(), BTreeMap::<String, Count>::new(), 0_u32);
    for pair in &file.pair {
        let found = found(pair, &ledger);
        if found == pair.findings {
            n_exact += 1;
        } else {
            println!("differs: {:?}\n  labelled {:?}\n  found    {found:?}", pair.reply, pair.findings);
        }
        let mut count = |finding: &String, add: fn(&mut Count)| {
            let rule = finding.split(' ').next().unwrap_or_default().to_owned();
            add(&mut total);
            add(by_rule.entry(rule).or_default());
        };
        for finding in &found {
            let is_right = pair.findings.contains(finding);
            count(finding, if is_right { |c| c.right += 1 } else { |c| c.wrong += 1 });
        }
        for finding in pair.findings.iter().filter(|finding| !found.contains(finding)) {
            count(finding, |c| c.missed += 1);
        }
    }
    let n_pairs = u32::try_from(file.pair.len()).expect("few pairs");
    for (rule, count) in by_rule.iter().chain([(&"all".to_owned(), &total)]) {
        let Count { right, wrong, missed } = *count;
        println!("{rule:22} right {right:3}  wrong {wrong:2}  missed {missed:2}");
    }
    let exact = f64::from(n_exact) / f64::from(n_pairs);
    let (precision, recall) = (total.precision(), total.recall());
    println!(
        "{n_pairs} pairs, {n_exact} exactly as labelled ({exact:.3}), precision {precision:.3}, recall {recall:.3}"
    );
    assert!(n_pairs >= 60, "{n_pairs} pairs");
    assert!(precision >= PRECISION_MIN && recall >= RECALL_MIN && exact >= EXACT_MIN, "below a floor");
}
