//! The table of rules: what each asks for and what its findings do unless the settings say otherwise.
//!
//! The order of the table is the order of the checks, cheapest first, and the order in which findings
//! are listed.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::finding::Severity;
use super::{claim, evidence, integrity, pii, record, safety};

/// One rule: a name, what its findings do, and a sentence about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Names the rule in findings and settings, as `family.rule`.
    pub id: &'static str,
    /// What a finding of this rule does by default.
    pub severity: Severity,
    /// What a finding of this rule says about the reply, as a sentence.
    pub sentence: &'static str,
}

impl Rule {
    /// A rule whose findings block.
    pub(super) const fn block(id: &'static str, sentence: &'static str) -> Self {
        Rule { id, severity: Severity::Block, sentence }
    }

    /// A rule whose findings are shown and do no more.
    pub(super) const fn flag(id: &'static str, sentence: &'static str) -> Self {
        Rule { id, severity: Severity::Flag, sentence }
    }
}

crate::named! {
    /// What the findings of a rule do in a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RuleSetting {
        /// They block the reply.
        Block = "block",
        /// They are shown and do no more.
        Flag = "flag",
        /// There are none: the rule is not checked.
        Off = "off",
    }
}

impl RuleSetting {
    /// What a finding does, where there can be one.
    pub fn severity(self) -> Option<Severity> {
        match self {
            RuleSetting::Block => Some(Severity::Block),
            RuleSetting::Flag => Some(Severity::Flag),
            RuleSetting::Off => None,
        }
    }
}

/// The families in the order of their checks.
const FAMILIES: &[&[Rule]] =
    &[record::RULES, evidence::RULES, integrity::RULES, safety::RULES, pii::RULES, claim::RULES];

/// Every rule, in the order of the checks.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().copied().flatten()
}

/// The ids that `name` stands for: that of one rule, or with `family.*` those of a family. None for a name that
/// nothing has.
pub fn ids_named(name: &str) -> Vec<&'static str> {
    let is_named = |id: &str| match name.strip_suffix('*') {
        Some(family) => family.ends_with('.') && id.starts_with(family),
        None => id == name,
    };
    rules().map(|rule| rule.id).filter(|id| is_named(id)).collect()
}

/// The rule called `id`.
pub fn rule(id: &str) -> Option<&'static Rule> {
    rules().find(|rule| rule.id == id)
}

/// The id of a rule that is read back.
pub(super) fn known_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static str, D::Error> {
    let id = String::deserialize(deserializer)?;
    rule(&id).map(|rule| rule.id).ok_or_else(|| D::Error::custom(format!("there is no rule '{id}'")))
}
