//! How well support is told: labelled replies with the sources they rest on, precision and recall.
//!
//! The pairs are in `support/pairs.toml` and `support/held_out.toml`, the ledger in `support/policies.toml`. A finding counts as right when
//! its rule is right and it is about the labelled thing. The figures are printed; the floors only rise.

use std::collections::BTreeMap;

use probity_gate::case::{Case, CaseId, Role, Situation, Turn};
use probity_gate::gate::Sighting;
use probity_gate::gate::claim::{Language, Languages, Lexicon, extract};
use probity_gate::gate::policy::{Ledger, PolicyFile, Source, read};
use probity_gate::gate::support::{self, Allowed, Support};
use serde::Deserialize;

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
    let reading = read(&[PolicyFile { name: "policies.toml", text }], Languages::built_in());
    reading.expect("a good ledger").ledger
}

fn situation(turns: &[String]) -> Situation {
    let turn = |text: &String| {
        let (role, said) = text.split_once(": ").expect("a turn reads `role: text`");
        Turn { role: Role::parse(role).expect("a role"), text: said.into() }
    };
    match turns {
        [] => Situation::Ticket("Can you help me?".into()),
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
    let case = Case::new(CaseId::new("pair").expect("an id"), situation(&pair.turns));
    let (allowed, lexicon) = (Allowed::nothing(), Lexicon::built_in());
    let language = Language { languages: Languages::built_in(), lexicon };
    let grounds = Support::new(&sources, &case, &allowed, language);
    let sightings = support::check(&pair.reply, &extract(&pair.reply, lexicon), &grounds);
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

/// How a set of pairs came out.
struct Outcome {
    n_pairs: u32,
    precision: f64,
    recall: f64,
    /// The share of replies on which every finding is as labelled.
    exact: f64,
}

/// Runs a set of pairs and prints what differs, the counts by rule, and the figures.
#[expect(clippy::print_stdout, reason = "the figures are what the tests are run for")]
fn measure(name: &str, pairs: &str) -> Outcome {
    let file: File = toml::from_str(pairs).expect("labelled pairs");
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
    for (rule, count) in by_rule.iter().chain([(&"all".to_owned(), &total)]) {
        let Count { right, wrong, missed } = *count;
        println!("{rule:22} right {right:3}  wrong {wrong:2}  missed {missed:2}");
    }
    let n_pairs = u32::try_from(file.pair.len()).expect("few pairs");
    let exact = f64::from(n_exact) / f64::from(n_pairs);
    let (precision, recall) = (total.precision(), total.recall());
    println!(
        "{name}: {n_pairs} pairs, {n_exact} exactly as labelled ({exact:.3}), \
         precision {precision:.3}, recall {recall:.3}"
    );
    Outcome { n_pairs, precision, recall, exact }
}

#[track_caller]
fn check_floors(outcome: &Outcome, precision: f64, recall: f64, exact: f64) {
    assert!(outcome.precision >= precision, "precision below {precision}");
    assert!(outcome.recall >= recall, "recall below {recall}");
    assert!(outcome.exact >= exact, "exactly as labelled below {exact}");
}

#[test]
fn labelled_pairs_are_told_apart() {
    let outcome = measure("pairs", include_str!("support/pairs.toml"));
    assert!(outcome.n_pairs >= 60, "{} pairs", outcome.n_pairs);
    check_floors(&outcome, 0.97, 0.95, 0.95);
}

#[test]
fn pairs_written_after_the_rules_are_told_apart() {
    let outcome = measure("held out", include_str!("support/held_out.toml"));
    check_floors(&outcome, 0.83, 0.87, 0.79);
}
