//! The line no judge may cross: a reply is admitted or blocked before anyone spends a judge on it.
//!
//! A gate rule is certain and cheap: it holds or it does not. Anything that needs an opinion belongs to a
//! judge. Only a [`Gate`] makes an [`Admitted`], and packets are made from nothing else, so a blocked
//! reply cannot be judged by mistake.

pub mod claim;
pub mod evidence;
mod finding;
mod integrity;
mod matched;
pub mod own;
pub mod pii;
mod policies;
pub mod policy;
mod record;
mod rules;
mod safety;
mod settings;
pub mod support;
mod text;

pub use finding::{Finding, Severity, Sighting, SourceRef};
pub use matched::{Matched, matched};
pub use policies::{Defaults, Policies, PolicyTexts, WordFile, languages};
pub use rules::{Rule, RuleSetting, ids_named, in_order, own_id, rule, rules};
pub use settings::Settings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::case::{EVIDENCE_BYTES_MAX, Entry, Evidence, EvidenceSource, Role, Situation};
use claim::Languages;
use own::OwnRules;
use pii::{PatternProblem, Scanner, Surroundings};
use safety::Forbidden;
use text::Text;

/// The rules as they are set for a run. It is made once and screens any number of replies.
#[derive(Debug, Clone)]
pub struct Gate {
    /// What the findings of each rule do. A rule that is not here is off.
    severities: BTreeMap<&'static str, Severity>,
    policies: Option<Policies>,
    forbidden: Forbidden,
    scanner: Scanner,
    own_rules: OwnRules,
    digest: String,
}

impl Default for Gate {
    /// Every rule as the table has it.
    fn default() -> Self {
        Gate::new(Settings::default()).expect("a gate without lists has no pattern that could be wrong")
    }
}

impl Gate {
    /// The gate of `settings`, unless a form of numbers in them cannot be used.
    pub fn new(settings: Settings) -> Result<Self, PatternProblem> {
        let set = |(id, severity)| {
            let set = settings.rules.get(id).map_or(Some(severity), |setting| setting.severity());
            Some((id, set?))
        };
        let built_in = rules().map(|rule| (rule.id, rule.severity));
        let own = settings.own_rules.listed().map(|(id, severity, _)| (id, severity));
        let forbidden = Forbidden::new(&settings.competitors, &settings.forbidden_advice);
        let scanner = Scanner::new(&settings.own)?;
        Ok(Gate {
            severities: built_in.chain(own).filter_map(set).collect(),
            digest: settings.digest(),
            policies: settings.policies,
            own_rules: settings.own_rules,
            forbidden,
            scanner,
        })
    }

    /// A gate without rules, which admits everything.
    pub fn open() -> Self {
        Gate { severities: BTreeMap::new(), ..Gate::default() }
    }

    /// Names what the gate checks: equal digests block the same replies for the same reasons.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether a finding of `rule` would block a reply in this run. Where there are no policies, nothing is
    /// found about evidence and claims.
    pub fn can_block(&self, rule: &str) -> bool {
        let needs_policies = is_of(rule, "evidence") || is_of(rule, "claim");
        self.severities.get(rule) == Some(&Severity::Block) && (!needs_policies || self.policies.is_some())
    }

    /// The rules whose findings would block a reply in this run.
    pub fn blocking(&self) -> BTreeSet<String> {
        self.severities.keys().filter(|rule| self.can_block(rule)).map(|rule| (*rule).to_owned()).collect()
    }

    /// The files of policies, word lists and rules, each with its text.
    pub fn sources(&self) -> Vec<(String, String)> {
        let policies = self.policies.as_ref().map_or(&[][..], |policies| &policies.sources);
        [policies, &self.own_rules.sources].concat()
    }

    /// Checks a reply against every rule in order.
    pub fn screen(&self, entry: impl Into<Box<Entry>>) -> Result<Admitted, Blocked> {
        let entry: Box<Entry> = entry.into();
        if self.severities.is_empty() {
            return Ok(admitted(entry, None, Vec::new(), Vec::new()));
        }
        let reply = &entry.reply.text;
        let text = Text::new(reply);
        let mut seen = record::check(&entry, &self.scanner);
        let (mut named, mut claims) = (None, Ok(Vec::new()));
        if let Some(policies) = &self.policies {
            let checked = policies.check(&entry, &text);
            seen.extend(checked.claims.as_ref().err().map(|language| record::no_language(&entry, language)));
            seen.extend(checked.selected.sightings);
            named = Some(checked.selected.named.into_iter().cloned().collect());
            claims = checked.claims;
        }
        let mut checks = self.families_checked(claims.is_ok());
        seen.extend(integrity::check(reply, &text));
        seen.extend(self.forbidden.check(&text));
        seen.extend(self.personal_data(&entry, &text));
        seen.extend(claims.into_iter().flatten());
        let languages = self.policies.as_ref().map_or_else(|| Languages::built_in(), Policies::languages);
        seen.extend(self.own_rules.check(&entry, &text, languages));
        let finding = |sighting: Sighting| {
            let severity = *self.severities.get(sighting.rule)?;
            Some(Finding { sighting, severity })
        };
        let findings: Vec<Finding> = seen.into_iter().filter_map(finding).collect();
        if findings.iter().any(|finding| finding.severity == Severity::Block) {
            Err(Blocked { entry, findings })
        } else {
            checks.retain(|family| !findings.iter().any(|seen| is_of(seen.rule(), family)));
            Ok(admitted(entry, named, findings, checks))
        }
    }

    /// The families of rules that check a reply against its evidence, as far as they are on. Claims need the language of
    /// the reply.
    fn families_checked(&self, reads_claims: bool) -> Vec<&'static str> {
        let is_on = |family: &&str| self.severities.keys().any(|id| is_of(id, family));
        let families = ["claim", "evidence"].into_iter().filter(|family| reads_claims || *family != "claim");
        families.filter(|_| self.policies.is_some()).filter(is_on).collect()
    }

    fn personal_data(&self, entry: &Entry, text: &Text) -> Vec<Sighting> {
        let written_by = |role: Role| -> Vec<&str> {
            match &entry.case.situation {
                Situation::Ticket(text) => (role == Role::Customer).then_some(&**text).into_iter().collect(),
                Situation::Conversation(turns) => {
                    turns.iter().filter(|turn| turn.role == role).map(|turn| &*turn.text).collect()
                }
            }
        };
        let (earlier, customer) = (written_by(Role::Agent), written_by(Role::Customer));
        let around = Surroundings { earlier: &earlier, customer: &customer, known: &entry.case.known_pii };
        self.scanner.check_read(text, &around)
    }
}

/// Whether a rule is of a family.
fn is_of(rule: &str, family: &str) -> bool {
    rule.strip_prefix(family).is_some_and(|rest| rest.starts_with('.'))
}

/// A reply with its evidence as it is shown: sources as the policies have them, where there are policies, and no
/// longer than [`EVIDENCE_BYTES_MAX`].
fn admitted(
    mut entry: Box<Entry>,
    named: Option<Vec<EvidenceSource>>,
    flags: Vec<Finding>,
    checks: Vec<&'static str>,
) -> Admitted {
    let given = &entry.case.evidence;
    let named = named.filter(|named| *named != given.sources);
    if named.is_some() || given.n_bytes() > EVIDENCE_BYTES_MAX {
        let mut shown = Evidence::clone(given);
        shown.sources = named.unwrap_or(shown.sources);
        entry.case.evidence = Arc::new(shown.bounded());
    }
    Admitted { entry, flags, checks }
}

/// A reply that no rule blocked. Owning one is the proof: only a [`Gate`] makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    entry: Box<Entry>,
    flags: Vec<Finding>,
    checks: Vec<&'static str>,
}

impl Admitted {
    /// The case and reply that were admitted, with the evidence as a judge is shown it.
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// What was seen that does not block.
    pub fn flags(&self) -> &[Finding] {
        &self.flags
    }

    /// What the reply was checked for against its evidence, and nothing was found: `claim`, `evidence`, or neither
    /// where there are no policies.
    pub fn checks_passed(&self) -> &[&'static str] {
        &self.checks
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
