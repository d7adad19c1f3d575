//! What a tenant forbids by name: competitors, and advice that its replies must not give.

use super::rules::Rule;

/// Names and phrases that the tenant's settings forbid.
pub(super) const RULES: &[Rule] = &[
    Rule::block("safety.competitor", "the reply names a competitor"),
    Rule::block("safety.forbidden_advice", "the reply gives advice that the settings forbid"),
];
