//! The line no judge may cross: a reply is admitted or blocked before anyone spends a judge on it.
//!
//! A gate rule is certain and cheap: it holds or it does not. Anything that needs an opinion belongs to a
//! judge. Only a [`Gate`] makes an [`Admitted`], and packets are made from nothing else, so a blocked
//! reply cannot be judged by mistake.

pub mod claim;
pub mod evidence;
mod finding;
mod integrity;
mod phrases;
pub mod pii;
pub mod policy;
mod rules;
mod safety;
pub mod support;

pub use finding::{Finding, Severity, Sighting, SourceRef};
pub use rules::{Rule, RuleSetting, rule, rules};

use std::collections::BTreeMap;

use crate::case::Entry;
use crate::json::Json;
use phrases::Plain;
use safety::Forbidden;

/// The version of the checks. Raise it when the same reply and settings can give another result.
const VERSION: &str = "1";

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
    pub own: pii::Allow,
}

impl Settings {
    fn digest(&self) -> String {
        let rules = self.rules.iter().map(|(id, setting)| ((*id).to_owned(), Json::text(setting.name())));
        let list = |texts: &[String]| Json::Array(texts.iter().map(Json::text).collect());
        let pii::Allow { emails, domains, phones, addresses, id_patterns } = &self.own;
        let own = [emails, domains, phones, addresses, id_patterns].map(|texts| list(texts));
        let members = [
            ("version".to_owned(), Json::text(VERSION)),
            ("rules".to_owned(), Json::object(rules)),
            ("competitors".to_owned(), list(&self.competitors)),
            ("forbidden_advice".to_owned(), list(&self.forbidden_advice)),
            ("own".to_owned(), Json::Array(own.to_vec())),
        ];
        blake3::hash(Json::object(members).canonical().as_bytes()).to_hex().to_string()
    }
}

/// The rules as they are set for a run. It is made once and screens any number of replies.
#[derive(Debug, Clone)]
pub struct Gate {
    /// What the findings of each rule do. A rule that is not here is off.
    severities: BTreeMap<&'static str, Severity>,
    forbidden: Forbidden,
    digest: String,
}

impl Default for Gate {
    /// Every rule as the table has it.
    fn default() -> Self {
        Gate::new(&Settings::default())
    }
}

impl Gate {
    /// The gate of `settings`.
    pub fn new(settings: &Settings) -> Self {
        let set = |rule: &Rule| match settings.rules.get(rule.id) {
            Some(setting) => setting.severity(),
            None => Some(rule.severity),
        };
        Gate {
            severities: rules().filter_map(|rule| Some((rule.id, set(rule)?))).collect(),
            forbidden: Forbidden::new(&settings.competitors, &settings.forbidden_advice),
            digest: settings.digest(),
        }
    }

    /// A gate without rules, which admits everything.
    pub fn open() -> Self {
        Gate { severities: BTreeMap::new(), ..Gate::default() }
    }

    /// Names what the gate checks: equal digests block the same replies for the same reasons.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether a finding of `rule` would block a reply in this run.
    pub fn can_block(&self, rule: &str) -> bool {
        self.severities.get(rule) == Some(&Severity::Block)
    }

    /// Checks a reply against every rule in order.
    pub fn screen(&self, entry: Entry) -> Result<Admitted, Blocked> {
        let findings: Vec<Finding> =
            self.sightings(&entry).into_iter().filter_map(|sighting| self.finding(sighting)).collect();
        if findings.iter().any(|finding| finding.severity == Severity::Block) {
            Err(Blocked { entry: Box::new(entry), findings })
        } else {
            Ok(Admitted { entry, flags: findings })
        }
    }

    fn sightings(&self, entry: &Entry) -> Vec<Sighting> {
        let reply = &entry.reply.text;
        let plain = Plain::of(reply);
        let mut seen = integrity::check(reply, &plain);
        seen.extend(self.forbidden.check(&plain));
        seen
    }

    fn finding(&self, sighting: Sighting) -> Option<Finding> {
        let severity = *self.severities.get(sighting.rule)?;
        Some(Finding { sighting, severity })
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
