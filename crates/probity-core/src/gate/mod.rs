//! The line no judge may cross: a reply is admitted or blocked before anyone spends a judge on it.
//!
//! A gate rule is certain and cheap: it holds or it does not. Anything that needs an opinion belongs to a
//! judge. Only [`screen`] makes an [`Admitted`], and packets are made from nothing else, so a blocked
//! reply cannot be judged by mistake.

use crate::case::{Entry, TextTrait, text_traits};

/// What a finding does to the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The reply is blocked and never judged.
    Block,
    /// The reply is admitted; the finding is shown beside its score and never changes it.
    Flag,
}

impl Severity {
    /// The name used in results.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Block => "block",
            Severity::Flag => "flag",
        }
    }
}

/// What a gate saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that saw it.
    pub rule: &'static str,
    /// What it does to the reply.
    pub severity: Severity,
    /// Where in the reply it starts, in bytes.
    pub start: usize,
    /// Where in the reply it ends, in bytes.
    pub end: usize,
    /// What was seen and what was expected.
    pub message: String,
    /// The source it was checked against, where there is one.
    pub source: Option<String>,
}

/// One rule: a name, what it does, a sentence about it, and the check.
pub struct Rule {
    /// Names the rule in findings and settings.
    pub id: &'static str,
    /// What a finding of this rule does.
    pub severity: Severity,
    /// What the rule asks for, as a sentence.
    pub sentence: &'static str,
    check: fn(&Rule, &Entry) -> Option<Finding>,
}

/// The rules in the order they run, cheapest first.
pub const RULES: &[Rule] = &[
    Rule {
        id: "reply.empty",
        severity: Severity::Flag,
        sentence: "the reply has no text",
        check: |rule, entry| rule.reply_trait(entry, TextTrait::Empty),
    },
    Rule {
        id: "reply.invisible_only",
        severity: Severity::Flag,
        sentence: "the reply has no visible character",
        check: |rule, entry| rule.reply_trait(entry, TextTrait::InvisibleOnly),
    },
    Rule {
        id: "reply.hidden_characters",
        severity: Severity::Flag,
        sentence: "the reply contains characters that a reader does not see",
        check: |rule, entry| rule.reply_trait(entry, TextTrait::HiddenCharacters),
    },
];

impl Rule {
    fn reply_trait(&self, entry: &Entry, unwanted: TextTrait) -> Option<Finding> {
        text_traits(&entry.reply.text).contains(&unwanted).then(|| Finding {
            rule: self.id,
            severity: self.severity,
            start: 0,
            end: entry.reply.text.len(),
            message: self.sentence.to_owned(),
            source: None,
        })
    }
}

/// A reply that no rule blocked. Owning one is the proof: only [`screen`] makes one.
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

/// Checks a reply against every rule in order.
pub fn screen(entry: Entry, rules: &[Rule]) -> Result<Admitted, Blocked> {
    let findings: Vec<Finding> = rules.iter().filter_map(|rule| (rule.check)(rule, &entry)).collect();
    if findings.iter().any(|finding| finding.severity == Severity::Block) {
        Err(Blocked { entry: Box::new(entry), findings })
    } else {
        Ok(Admitted { entry, flags: findings })
    }
}
