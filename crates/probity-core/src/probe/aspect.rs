//! What a planted fault is about, and which criterion of a rubric it must lower.
//!
//! Rubrics name their criteria as they like. A criterion is found by its id, in a list of usual names; a file of own
//! probes can name any other. Where neither finds one, the probe has no meaning and says so.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::task::JudgeTask;
use crate::rubric::CriterionId;

crate::named! {
    /// What a planted fault is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
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

/// What to say where no criterion is known to be about an aspect.
macro_rules! absent {
    ($aspect:literal) => {
        concat!(
            "no criterion of this rubric is known to be about ",
            $aspect,
            ": name it under [criteria] in a file for --probes"
        )
    };
}

impl Aspect {
    /// The usual ids of a criterion about it, the most specific first, and what to say where there is none.
    fn ids(self) -> (&'static str, &'static str) {
        match self {
            Aspect::Accuracy => {
                ("accuracy correctness factuality faithfulness groundedness relevance", absent!("accuracy"))
            }
            Aspect::Completeness => (
                "completeness coverage answers next_step actionability resolution helpfulness relevance",
                absent!("completeness"),
            ),
            Aspect::Relevance => {
                ("relevance answers resolution helpfulness accuracy correctness", absent!("relevance"))
            }
            Aspect::Tone => {
                ("tone empathy courtesy politeness professionalism manner style", absent!("tone"))
            }
            Aspect::Safety => {
                ("safety policy compliance commitments accuracy correctness factuality", absent!("safety"))
            }
        }
    }

    /// The criterion that a fault of this kind must lower, or why there is none.
    pub(super) fn criterion(self, task: &JudgeTask) -> Result<CriterionId, &'static str> {
        let (ids, absent) = self.ids();
        let own = task.named_criterion(self);
        let usual = || ids.split(' ').find_map(|id| task.judged_criterion(id));
        own.or_else(usual).cloned().ok_or(absent)
    }
}
