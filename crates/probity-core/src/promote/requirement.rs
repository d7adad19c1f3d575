//! What a contract can require.

crate::named! {
    /// What a contract can require, in the order in which it is checked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Requirement {
        /// The gate blocks what it must, and saw every labelled reply.
        HardGates = "hard_gates",
        /// Enough labelled rows.
        LabelledRows = "labelled_rows",
        /// The lower end of the agreement with people.
        Agreement = "agreement",
        /// The share of what people reach among themselves.
        HumanShare = "human_share",
        /// Better than judges that understand nothing.
        BeatsBaseline = "beats_baseline",
        /// Enough labelled rows of a slice.
        SliceRows = "slice_rows",
        /// The lower end of the agreement on a slice.
        SliceAgreement = "slice_agreement",
        /// The probes that must pass.
        Probes = "probes",
        /// Where replies go that a person should decide.
        HumanReview = "human_review",
        /// Labelled items with a verdict.
        Coverage = "coverage",
        /// The reasons that the rubric asks for.
        Reasons = "reasons",
        /// One model, one fingerprint.
        OneModel = "one_model",
        /// The model does not end too soon.
        ModelEnd = "model_end",
        /// The contract is in force.
        Expiry = "expiry",
    }
}

impl Requirement {
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
            Requirement::Reasons => "reasons",
            Requirement::OneModel => "one model",
            Requirement::ModelEnd => "end of the model",
            Requirement::Expiry => "expiry",
        }
    }
}
