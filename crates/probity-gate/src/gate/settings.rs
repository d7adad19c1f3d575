//! How a run wants its replies checked.

use std::collections::BTreeMap;

use super::own::OwnRules;
use super::pii::Allow;
use super::policies::Policies;
use super::rules::RuleSetting;
use crate::json::Json;

/// The version of the checks. Raise it when the same reply and settings can give another result.
const VERSION: &str = "4";

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
        let rules = self.rules.iter().map(|(id, setting)| ((*id).to_owned(), Json::text(setting.name())));
        let list = |texts: &[String]| Json::Array(texts.iter().map(Json::text).collect());
        let Allow { emails, domains, phones, addresses, ips, id_patterns, test_values } = &self.own;
        let own = [emails, domains, phones, addresses, ips, id_patterns].map(|texts| list(texts));
        let members = [
            ("version".to_owned(), Json::text(VERSION)),
            ("rules".to_owned(), Json::object(rules)),
            ("competitors".to_owned(), list(&self.competitors)),
            ("forbidden_advice".to_owned(), list(&self.forbidden_advice)),
            ("own".to_owned(), Json::Array(own.to_vec())),
            ("test_values".to_owned(), Json::text(test_values.name())),
            ("policies".to_owned(), self.policies.as_ref().map_or(Json::Null, |p| Json::text(p.canonical()))),
        ];
        let own_rules = self.own_rules.canonical().map(|rules| ("own_rules".to_owned(), rules));
        let members = members.into_iter().chain(own_rules);
        blake3::hash(Json::object(members).canonical().as_bytes()).to_hex().to_string()
    }
}
