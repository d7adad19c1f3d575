//! Personal data and secrets in a reply.

use super::rules::Rule;

/// Personal data and secrets.
pub(super) const RULES: &[Rule] = &[];

/// What is the company's own and no person's. Nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allow {
    /// E-mail addresses.
    pub emails: Vec<String>,
    /// Domains of e-mail addresses and links.
    pub domains: Vec<String>,
    /// Telephone numbers.
    pub phones: Vec<String>,
    /// Street addresses.
    pub addresses: Vec<String>,
    /// Forms of numbers: `#` is a digit, `?` a letter, `*` any run of both, the rest stands for itself.
    pub id_patterns: Vec<String>,
}
