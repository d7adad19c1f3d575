//! What the gate found over a run: how often each rule, and the first replies that it blocked.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::row::{GateOutcome, ReplyResult};
use crate::gate::{self, Severity};

/// How many blocked replies are kept.
const BLOCKED_MAX: usize = 5;

/// Replies in which a rule found something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCount {
    /// Replies in which it blocks.
    pub blocked: u64,
    /// Replies in which it is only shown.
    pub flagged: u64,
}

/// Findings over a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateTally {
    counts: BTreeMap<&'static str, RuleCount>,
    blocked: Vec<ReplyResult>,
    n_flagged: u64,
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
    pub fn by_rule(&self) -> impl Iterator<Item = (&'static str, RuleCount)> {
        gate::rules().filter_map(|rule| Some((rule.id, *self.counts.get(rule.id)?)))
    }

    /// The first replies that were blocked.
    pub fn blocked(&self) -> &[ReplyResult] {
        &self.blocked
    }

    /// Admitted replies with a finding.
    pub fn n_flagged(&self) -> u64 {
        self.n_flagged
    }

    /// `findings_by_rule` of the results file.
    pub(super) fn to_json(&self) -> Value {
        let rules = self.by_rule().map(|(rule, RuleCount { blocked, flagged })| {
            (rule.to_owned(), json!({ "blocked": blocked, "flagged": flagged }))
        });
        Value::Object(rules.collect::<Map<String, Value>>())
    }
}
