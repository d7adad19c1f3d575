//! A judge made of judges: its members, and how they decide together.

use serde::{Deserialize, Serialize};

use super::{ChatSettings, Decimal, JudgeKind, JudgeSettings};

/// A judge made of judges.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PanelSettings {
    /// How the members decide together.
    pub rule: PanelRule,
    /// The members, in the order in which they are asked. Empty only for a built-in judge that was not chosen.
    pub members: Vec<JudgeSettings>,
    /// How often a member is asked each question, in each order; by default once about pairs and three times about
    /// levels.
    pub repeats: Option<u32>,
}

/// How the members of a panel decide together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PanelRule {
    /// The first member that is sure enough decides.
    Cascade {
        /// The least share of decisions that agree with people, above 0 and below 1.
        agreement: Decimal,
        /// How sure that is, above 0 and below 1.
        confidence: Decimal,
    },
    /// All vote.
    Jury,
}

impl PanelRule {
    /// The kind of judge.
    pub fn kind(self) -> JudgeKind {
        match self {
            PanelRule::Cascade { .. } => JudgeKind::Cascade,
            PanelRule::Jury => JudgeKind::Jury,
        }
    }
}

impl PanelSettings {
    /// The endpoints of its members.
    pub fn chats(&self) -> impl Iterator<Item = &ChatSettings> {
        self.members.iter().filter_map(JudgeSettings::chat)
    }

    /// The settings that affect its decisions, apart from its members.
    pub(super) fn parts(&self) -> Vec<(&'static str, String)> {
        let mut parts = Vec::new();
        if let PanelRule::Cascade { agreement, confidence } = self.rule {
            parts.push(("judge.agreement", agreement.0.to_string()));
            parts.push(("judge.confidence", confidence.0.to_string()));
        }
        parts.extend(self.repeats.map(|repeats| ("judge.repeats", repeats.to_string())));
        parts
    }
}
