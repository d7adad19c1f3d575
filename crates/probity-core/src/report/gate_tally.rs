//! What the gate found over a run: how often each rule, and the first replies that it blocked.

use std::collections::{BTreeMap, BTreeSet};

use super::row::{GateOutcome, ReplyResult};
use crate::gate::{self, Severity};
use crate::results::{Members, RuleCount};

/// How many blocked replies are kept.
const BLOCKED_MAX: usize = 5;

/// Findings over a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateTally {
    counts: BTreeMap<&'static str, RuleCount>,
    /// The first replies that were blocked.
    pub blocked: Vec<ReplyResult>,
    /// Admitted replies with a finding.
    pub n_flagged: u64,
}

impl GateTally {
    /// Counts what the gate found in one reply.
    pub fn add(&mut self, result: &ReplyResult) {
        let findings = match &result.gate {
            GateOutcome::Admitted(flags) => {
                self.n_flagged += u64::from(!flags.is_empty());
                flags
            }
            GateOutcome::Blocked(findings) => {
                if self.blocked.len() < BLOCKED_MAX {
                    self.blocked.push(result.clone());
                }
                findings
            }
            GateOutcome::NoReply => return,
        };
        let seen = |severity| {
            let of_severity = findings.iter().filter(move |finding| finding.severity == severity);
            of_severity.map(gate::Finding::rule).collect::<BTreeSet<&'static str>>()
        };
        for rule in seen(Severity::Block) {
            self.counts.entry(rule).or_default().blocked += 1;
        }
        for rule in seen(Severity::Flag) {
            self.counts.entry(rule).or_default().flagged += 1;
        }
    }

    /// Each rule that found something, in the order of the checks, with how many replies it was found in.
    pub fn by_rule(&self) -> Members<RuleCount> {
        gate::rules().filter_map(|rule| Some((rule.id, *self.counts.get(rule.id)?))).collect()
    }
}
