//! What the members of a judge made of judges decided in a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::exact::Exact;

/// What the members of a judge made of judges decided.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PanelFacts {
    /// The members, in the order in which they are asked.
    pub members: Vec<PanelMember>,
    /// Questions in all.
    pub questions: u64,
    /// Questions that no member may decide: for a person.
    pub needs_human_review: u64,
    /// Questions that members have not answered yet.
    pub pending: u64,
    /// What a cascade promises, and what was seen of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<PromiseFacts>,
    /// What asking the last member about every question would have cost in dollars, by what its calls of this run cost;
    /// null where that is not known.
    pub last_alone_usd: Option<Exact>,
}

/// A member of a panel.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PanelMember {
    /// The name that settings give it.
    pub judge: String,
    /// Questions that came to it.
    pub asked: u64,
    /// Questions that it decided. In a jury, those that it voted on as the jury did.
    pub decided: u64,
    /// Calls of this run.
    pub calls: u64,
    /// Dollars over those whose cost is known; null without a price.
    pub cost_usd: Option<Exact>,
}

/// What a cascade promises, and what was seen of it on labelled cases that its thresholds were not made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromiseFacts {
    /// The share of its decisions that agrees with people at least.
    pub agreement: Exact,
    /// How sure that is.
    pub confidence: Exact,
    /// Labelled questions that were decided.
    pub seen_decided: u64,
    /// Those of them that agree with people.
    pub seen_right: u64,
}
