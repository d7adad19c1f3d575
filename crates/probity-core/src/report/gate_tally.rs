//! What the gate found over a run: how often each rule, and the first replies that it blocked.

use std::collections::{BTreeMap, BTreeSet};

use crate::gate::{Severity, rules};
use crate::results::{FindingRecord, GateStatus, Members, ResultRow, RuleCount};

/// How many blocked replies are kept.
const BLOCKED_MAX: usize = 5;

/// Findings over a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateTally {
    counts: BTreeMap<String, RuleCount>,
    /// The first replies that were blocked.
    pub blocked: Vec<ResultRow>,
    /// Admitted replies with a finding.
    pub n_flagged: u64,
}

impl GateTally {
    /// Counts what the gate found in one reply.
    pub fn add(&mut self, row: &ResultRow) {
        let findings = &row.gate.findings;
        match row.gate.status {
            GateStatus::Admitted => self.n_flagged += u64::from(!findings.is_empty()),
            GateStatus::Blocked if self.blocked.len() < BLOCKED_MAX => self.blocked.push(row.clone()),
            GateStatus::Blocked | GateStatus::NoReply => {}
        }
        let seen = |finding: &FindingRecord| (finding.rule.clone(), finding.severity.clone());
        for (rule, severity) in findings.iter().map(seen).collect::<BTreeSet<_>>() {
            let count = self.counts.entry(rule).or_default();
            *(if severity == Severity::Block.name() { &mut count.blocked } else { &mut count.flagged }) += 1;
        }
    }

    /// Each rule that found something, in the order of the checks, with how many replies it was found in.
    pub fn by_rule(&self) -> Members<RuleCount> {
        let mut found: Vec<(&str, RuleCount)> =
            self.counts.iter().map(|(id, count)| (id.as_str(), *count)).collect();
        found.sort_by_key(|(id, _)| rules().position(|rule| rule.id == *id).unwrap_or(usize::MAX));
        found.into_iter().collect()
    }
}
