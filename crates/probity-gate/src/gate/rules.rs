//! The table of rules: what each asks for and what its findings do unless the settings say otherwise.
//!
//! The order of the table is the order of the checks, cheapest first, and the order in which findings
//! are listed.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

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
        Severity::from_name(self.name())
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
/// nothing has. Whether there is a rule of the user's own by that id is known to the gate of a run alone.
pub fn ids_named(name: &str) -> Vec<&'static str> {
    if let Some(id) = own_id(name) {
        return vec![id];
    }
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
    let known = rule(&id).map(|rule| rule.id).or_else(|| own_id(&id));
    known.ok_or_else(|| D::Error::custom(format!("there is no rule '{id}'")))
}

/// The longest name of a rule of the user's own, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The id of a rule of the user's own: `own.` and a name of lower-case letters, digits and `_`. `None` for another text.
/// An id is kept as long as the process runs, once; there are as many as rule files and records name.
pub fn own_id(id: &str) -> Option<&'static str> {
    static IDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let name = id.strip_prefix("own.")?;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if !(1..=NAME_BYTES_MAX).contains(&name.len()) || !name.bytes().all(is_name) {
        return None;
    }
    let mut ids = IDS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = ids.get(id).copied().unwrap_or_else(|| String::leak(id.to_owned()));
    ids.insert(known);
    Some(known)
}

/// Ids in the order of the checks, each once. Those of the user's own come last, by name.
pub fn in_order(ids: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    let place = |id: &&'static str| (rules().position(|rule| rule.id == *id).unwrap_or(usize::MAX), *id);
    let mut ids: Vec<&'static str> = ids.into_iter().collect();
    ids.sort_by_cached_key(place);
    ids.dedup();
    ids
}
