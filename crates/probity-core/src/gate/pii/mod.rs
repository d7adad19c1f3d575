//! Personal data and secrets in a reply.

use super::rules::Rule;

/// Personal data and secrets.
pub(super) const RULES: &[Rule] = &[];
