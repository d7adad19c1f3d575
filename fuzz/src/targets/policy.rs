//! The policy reader: any text is a ledger that holds together, or a list of problems with their lines.

use probity_core::gate::claim::Languages;
use probity_core::gate::policy::{PolicyFile, read};

use super::seeds as cases;

/// Panics where a text is read as a ledger that does not hold together.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let files = [PolicyFile { name: "policies", text: &text }];
    match read(&files, Languages::built_in()) {
        Ok(reading) => {
            let ledger = &reading.ledger;
            for source in ledger.sources() {
                let same = ledger.versions(&source.id).iter().filter(|other| other.version == source.version);
                assert_eq!(same.count(), 1, "{} stands twice", source.name());
            }
            let again = read(&files, Languages::built_in()).expect("the same text");
            assert_eq!(again.ledger.hash(), ledger.hash());
        }
        Err(problems) => {
            let n_lines = text.split('\n').count();
            assert!(!problems.is_empty(), "refused without a reason");
            for found in &problems {
                assert!((1..=n_lines).contains(&found.problem.line), "{found:?} in {n_lines} lines");
            }
        }
    }
}

/// Inputs to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let base = cases::file("crates/probity-gate/src/gate/policy/tests/base.toml");
    let faults = cases::literals(&cases::file("crates/probity-gate/src/gate/policy/tests/faults.rs"));
    // The tests exchange one piece of the base file; every pair that fits makes a seed.
    let pairs = faults.windows(2).filter(|pair| base.contains(&pair[0]));
    let mut texts: Vec<String> = pairs.map(|pair| base.replacen(&pair[0], &pair[1], 1)).collect();
    texts.push(base);
    texts.push(cases::file("examples/policies.toml"));
    texts.push(cases::file("crates/probity-gate/tests/support/policies.toml"));
    texts.push("{\"id\":\"a\",\"version\":\"1\",\"text\":\"Refunds within 14 days.\"}\n".to_owned());
    texts.into_iter().map(String::into_bytes).collect()
}
