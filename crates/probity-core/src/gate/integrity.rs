//! Signs that a reply is not plain text for a customer, or tries to steer whoever reads it.
//!
//! They are shown beside the score and never change it.

use super::finding::Sighting;
use super::rules::Rule;
use crate::case::{TextTrait, text_traits};

/// Signs that something is wrong with the text itself.
pub(super) const RULES: &[Rule] = &[
    Rule::flag("reply.empty", "the reply has no text"),
    Rule::flag("reply.invisible_only", "the reply has no visible character"),
    Rule::flag("reply.hidden_characters", "the reply contains characters that a reader does not see"),
];

/// What is odd about the text of a reply.
pub(super) fn check(reply: &str) -> Vec<Sighting> {
    text_traits(reply)
        .into_iter()
        .map(|unwanted| {
            let rule = match unwanted {
                TextTrait::Empty => &RULES[0],
                TextTrait::InvisibleOnly => &RULES[1],
                TextTrait::HiddenCharacters => &RULES[2],
            };
            Sighting::at(rule.id, 0..reply.len(), rule.sentence)
        })
        .collect()
}
