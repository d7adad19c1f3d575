//! How a run wants its replies checked.

use std::collections::BTreeMap;

use serde_json::json;

use super::own::OwnRules;
use super::pii::Allow;
use super::policies::Policies;
use super::rules::RuleSetting;
use crate::json::canonical;

/// The version of the checks. Raise it when the same reply and settings can give another result.
const VERSION: &str = "6";

/// How a run wants its replies checked. The default is every rule as the table has it, with nothing listed.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Rules that do something else than the table says, by id.
    pub rules: BTreeMap<&'static str, RuleSetting>,
    /// Names that no reply may mention.
    pub competitors: Vec<String>,
    /// Advice that no reply may give.
    pub forbidden_advice: Vec<String>,
    /// What is the company's own and no person's.
    pub own: Allow,
    /// What evidence and claims are checked against. Without it they are not.
    pub policies: Option<Policies>,
    /// Rules of the user's own.
    pub own_rules: OwnRules,
}

impl Settings {
    /// Names what is checked: equal digests find the same things.
    pub(super) fn digest(&self) -> String {
        let rules: BTreeMap<_, _> = self.rules.iter().map(|(id, setting)| (id, setting.name())).collect();
        let Allow { emails, domains, phones, addresses, ips, id_patterns, test_values } = &self.own;
        let mut checked = json!({
            "version": VERSION, "rules": rules, "competitors": self.competitors,
            "forbidden_advice": self.forbidden_advice,
            "own": [emails, domains, phones, addresses, ips, id_patterns], "test_values": test_values.name(),
            "policies": self.policies.as_ref().map(|policies| &policies.canonical),
        });
        if !self.own_rules.is_empty() {
            checked["own_rules"] = self.own_rules.sources.iter().map(|(_, text)| text.as_str()).collect();
        }
        blake3::hash(canonical(checked).as_bytes()).to_hex().to_string()
    }
}
