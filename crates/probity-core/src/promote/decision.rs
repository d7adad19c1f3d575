//! What was decided: every check, and the proof that none is unmet.

use serde_json::{Value, json};

use super::requirement::Requirement;
use crate::case::Moment;

/// One requirement and what was shown for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Which.
    pub requirement: Requirement,
    /// The slice, the floor or the rule that it is about, where it is about one.
    pub about: Option<String>,
    /// What was shown; null where nothing was.
    pub have: Value,
    /// What is wanted.
    pub need: Value,
    /// Why it is not met, with what would meet it; `None` where it is.
    pub unmet: Option<String>,
}

impl Check {
    /// Why it is not met; empty where it is.
    pub fn message(&self) -> &str {
        self.unmet.as_deref().unwrap_or_default()
    }
}

/// What a contract says about a judge. Only [`decide`](super::decide) makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Every requirement that was checked, in the order of the checks.
    pub checks: Vec<Check>,
    /// `None` where nothing shows what the gate did.
    promotion: Option<Promotion>,
}

/// A judge met a contract. Owning one is the proof: only a [`Decision`] without an unmet requirement has one, on
/// evidence that shows what the gate did.
///
/// It cannot be read from a file, and nothing else makes a
/// [`StandingRecord`](super::StandingRecord):
///
/// ```compile_fail
/// use probity_core::promote::Promotion;
/// let promotion: Promotion = serde_json::from_str("{}").expect("a promotion");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promotion {
    pub(super) contract: [String; 3],
    pub(super) granted: Moment,
    pub(super) until: Option<Moment>,
}

impl Decision {
    /// What these checks came to, with the promotion that follows where none is unmet.
    pub(super) fn new(checks: Vec<Check>, promotion: Option<Promotion>) -> Decision {
        Decision { checks, promotion }
    }

    /// The checks that are not met, in their order.
    pub fn unmet(&self) -> Vec<&Check> {
        self.checks.iter().filter(|check| check.unmet.is_some()).collect()
    }

    /// Whether every requirement that was checked is met.
    pub fn is_met(&self) -> bool {
        self.checks.iter().all(|check| check.unmet.is_none())
    }

    /// The proof that nothing is unmet. Files alone give none: they do not show what the gate did.
    pub fn promotion(&self) -> Option<&Promotion> {
        self.promotion.as_ref().filter(|_| self.is_met())
    }

    /// For reports: what is unmet, and everything that was checked.
    pub fn to_json(&self) -> Value {
        let shown = |check: &Check, (key, value): (&str, Value)| {
            let (requirement, Check { about, have, need, .. }) = (check.requirement.name(), check);
            json!({ "requirement": requirement, "about": about, "have": have, "need": need, key: value })
        };
        let unmet = |check: &&Check| shown(check, ("message", json!(check.unmet)));
        let check = |check: &Check| shown(check, ("met", json!(check.unmet.is_none())));
        json!({
            "unmet": self.unmet().iter().map(unmet).collect::<Vec<_>>(),
            "checked": self.checks.iter().map(check).collect::<Vec<_>>(),
        })
    }
}
