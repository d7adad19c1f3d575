//! What a contract can require, and how it is said that something is not met.

use serde::Serialize;
use serde_json::Value;

/// What a contract can require, in the order in which it is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Requirement {
    /// The gate blocks what it must, and saw every labelled reply.
    HardGates,
    /// Enough labelled rows.
    LabelledRows,
    /// The lower end of the agreement with people.
    Agreement,
    /// The share of what people reach among themselves.
    HumanShare,
    /// Better than judges that understand nothing.
    BeatsBaseline,
    /// Enough labelled rows of a slice.
    SliceRows,
    /// The lower end of the agreement on a slice.
    SliceAgreement,
    /// The probes that must pass.
    Probes,
    /// Where replies go that a person should decide.
    HumanReview,
    /// Labelled items with a verdict.
    Coverage,
    /// One model, one fingerprint.
    OneModel,
    /// The contract is in force.
    Expiry,
}

impl Requirement {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Requirement::HardGates => "hard_gates",
            Requirement::LabelledRows => "labelled_rows",
            Requirement::Agreement => "agreement",
            Requirement::HumanShare => "human_share",
            Requirement::BeatsBaseline => "beats_baseline",
            Requirement::SliceRows => "slice_rows",
            Requirement::SliceAgreement => "slice_agreement",
            Requirement::Probes => "probes",
            Requirement::HumanReview => "human_review",
            Requirement::Coverage => "coverage",
            Requirement::OneModel => "one_model",
            Requirement::Expiry => "expiry",
        }
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        match self {
            Requirement::HardGates => "hard gates",
            Requirement::LabelledRows => "labelled rows",
            Requirement::Agreement => "agreement with people",
            Requirement::HumanShare => "share of people's agreement",
            Requirement::BeatsBaseline => "beats the baseline",
            Requirement::SliceRows => "labelled rows of a slice",
            Requirement::SliceAgreement => "agreement on a slice",
            Requirement::Probes => "probes",
            Requirement::HumanReview => "human review path",
            Requirement::Coverage => "coverage",
            Requirement::OneModel => "one model",
            Requirement::Expiry => "expiry",
        }
    }
}

/// A requirement that is not met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unmet {
    /// Which.
    pub requirement: Requirement,
    /// The slice, the floor or the rule that it is about, where it is about one.
    pub about: Option<String>,
    /// What was shown; null where nothing was.
    pub have: Value,
    /// What is wanted.
    pub need: Value,
    /// The same as a sentence, with what would meet it.
    pub message: String,
}
