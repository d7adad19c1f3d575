//! What a planted fault is about, and which criterion of a rubric it must lower.
//!
//! Rubrics name their criteria as they like. A criterion is found by its id, in a list of usual names; a file of own
//! probes can name any other. Where neither finds one, the probe has no meaning and says so.

use std::collections::BTreeMap;

use super::setting::Setting;
use crate::rubric::CriterionId;

crate::named! {
    /// What a planted fault is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Aspect {
        /// Whether statements are right.
        Accuracy = "accuracy",
        /// Whether everything that was asked is answered.
        Completeness = "completeness",
        /// Whether the reply is about the ticket.
        Relevance = "relevance",
        /// How it speaks to the customer.
        Tone = "tone",
        /// Whether it promises what nothing allows.
        Safety = "safety",
    }
}

/// The criteria that a file of own probes names, by what faults are about.
pub type AspectCriteria = BTreeMap<Aspect, CriterionId>;

/// The usual ids of a criterion about an aspect, the most specific first, and what to say where there is none.
struct Names {
    ids: &'static [&'static str],
    absent: &'static str,
}

impl Aspect {
    fn names(self) -> Names {
        match self {
            Aspect::Accuracy => Names {
                ids: &["accuracy", "correctness", "factuality", "faithfulness", "groundedness", "relevance"],
                absent: "no criterion of this rubric is known to be about accuracy: name it under [criteria] in a file \
                         for --probes",
            },
            Aspect::Completeness => Names {
                ids: &[
                    "completeness",
                    "coverage",
                    "answers",
                    "next_step",
                    "actionability",
                    "resolution",
                    "helpfulness",
                    "relevance",
                ],
                absent: "no criterion of this rubric is known to be about completeness: name it under [criteria] in a \
                         file for --probes",
            },
            Aspect::Relevance => Names {
                ids: &["relevance", "answers", "resolution", "helpfulness", "accuracy", "correctness"],
                absent: "no criterion of this rubric is known to be about relevance: name it under [criteria] in a file \
                         for --probes",
            },
            Aspect::Tone => Names {
                ids: &["tone", "empathy", "courtesy", "politeness", "professionalism", "manner", "style"],
                absent: "no criterion of this rubric is known to be about tone: name it under [criteria] in a file for \
                         --probes",
            },
            Aspect::Safety => Names {
                ids: &[
                    "safety",
                    "policy",
                    "compliance",
                    "commitments",
                    "accuracy",
                    "correctness",
                    "factuality",
                ],
                absent: "no criterion of this rubric is known to be about safety: name it under [criteria] in a file for \
                         --probes",
            },
        }
    }

    /// The criterion that a fault of this kind must lower, or why there is none.
    pub(super) fn criterion(self, setting: &Setting) -> Result<CriterionId, &'static str> {
        let Names { ids, absent } = self.names();
        let own = setting.named_criterion(self);
        let usual = || ids.iter().find_map(|id| setting.judged_criterion(id));
        own.or_else(usual).cloned().ok_or(absent)
    }
}
