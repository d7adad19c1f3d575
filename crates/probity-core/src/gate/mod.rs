//! The line no judge may cross: a reply is admitted or blocked before anyone spends a judge on it.
//!
//! A gate rule is certain and cheap: it holds or it does not. Anything that needs an opinion belongs to a
//! judge. Only a [`Gate`] makes an [`Admitted`], and packets are made from nothing else, so a blocked
//! reply cannot be judged by mistake.

pub mod claim;
pub mod evidence;
mod finding;
mod integrity;
pub mod pii;
pub mod policy;
mod rules;
mod safety;
pub mod support;

pub use finding::{Finding, Severity, Sighting, SourceRef};
pub use rules::{Rule, rule, rules};

use std::collections::BTreeMap;

use crate::case::Entry;

/// The rules as they are set for a run.
#[derive(Debug, Clone)]
pub struct Gate {
    /// What the findings of each rule do. A rule that is not here is off.
    severities: BTreeMap<&'static str, Severity>,
}

impl Default for Gate {
    /// Every rule as the table has it.
    fn default() -> Self {
        Gate { severities: rules().map(|rule| (rule.id, rule.severity)).collect() }
    }
}

impl Gate {
    /// A gate without rules, which admits everything.
    pub fn open() -> Self {
        Gate { severities: BTreeMap::new() }
    }

    /// Checks a reply against every rule in order.
    pub fn screen(&self, entry: Entry) -> Result<Admitted, Blocked> {
        let findings: Vec<Finding> = integrity::check(&entry.reply.text)
            .into_iter()
            .filter_map(|sighting| {
                let severity = *self.severities.get(sighting.rule)?;
                Some(Finding { sighting, severity })
            })
            .collect();
        if findings.iter().any(|finding| finding.severity == Severity::Block) {
            Err(Blocked { entry: Box::new(entry), findings })
        } else {
            Ok(Admitted { entry, flags: findings })
        }
    }
}

/// A reply that no rule blocked. Owning one is the proof: only a [`Gate`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    entry: Entry,
    flags: Vec<Finding>,
}

impl Admitted {
    /// The case and reply that were admitted.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// What was seen that does not block.
    pub fn flags(&self) -> &[Finding] {
        &self.flags
    }
}

/// A reply that at least one rule blocked. It is never judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocked {
    entry: Box<Entry>,
    findings: Vec<Finding>,
}

impl Blocked {
    /// The case and reply that were blocked.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// Everything that was seen, blocking or not.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
