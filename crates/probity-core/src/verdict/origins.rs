//! Who answered, over a run: the model that was asked for or another, one build or several, and whether two
//! packets got the same response.
//!
//! Whether a stranger's answer counts is a policy and decided elsewhere. What is found here does not depend
//! on the order of the answers.

use std::collections::{BTreeMap, BTreeSet};

use super::Completion;
use crate::packet::PacketHash;

/// How the model that answered compares with the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelMatch {
    /// The same name.
    Same,
    /// Another name, which the settings list for the one asked for.
    Alias,
    /// Another name.
    Other,
    /// The server does not say who answered.
    Unknown,
}

/// Compares the model that answered with `requested`; `aliases` lists other names it may answer under.
pub fn model_match(requested: &str, aliases: &[String], completion: &Completion) -> ModelMatch {
    match completion.model.as_deref() {
        None => ModelMatch::Unknown,
        Some(model) if model == requested => ModelMatch::Same,
        Some(model) if aliases.iter().any(|alias| alias == model) => ModelMatch::Alias,
        Some(_) => ModelMatch::Other,
    }
}

/// Who answered the packets of one run.
#[derive(Debug, Clone, Default)]
pub struct Origins {
    builds: BTreeMap<(Option<String>, Option<String>), u64>,
    /// The first packet seen with each response id, by the id's hash.
    responses: BTreeMap<[u8; 32], PacketHash>,
    shared: BTreeSet<PacketHash>,
}

impl Origins {
    /// Adds the answer to one packet.
    pub fn add(&mut self, packet: PacketHash, completion: &Completion) {
        let build = (completion.model.clone(), completion.fingerprint.clone());
        *self.builds.entry(build).or_default() += 1;
        let Some(id) = completion.response_id.as_deref().filter(|id| !id.is_empty()) else { return };
        let first = *self.responses.entry(*blake3::hash(id.as_bytes()).as_bytes()).or_insert(packet);
        if first != packet {
            self.shared.extend([first, packet]);
        }
    }

    /// The packets whose response carries the id of another packet's response.
    pub fn shared_responses(&self) -> &BTreeSet<PacketHash> {
        &self.shared
    }

    /// How many different models and builds answered.
    pub fn builds(&self) -> usize {
        self.builds.len()
    }

    /// A sentence for each thing that a reader of the report should know about.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let all: u64 = self.builds.values().sum();
        let others = all - self.builds.values().max().copied().unwrap_or(0);
        if others > 0 {
            warnings.push(format!(
                "judge changed during run: {others} of {all} answers are not from the most frequent model and build"
            ));
        }
        if !self.shared.is_empty() {
            let n = self.shared.len();
            warnings.push(format!("repeated response: {n} packets share a response id with another packet"));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(model: &str, fingerprint: &str, id: &str) -> Completion {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Completion {
            model: text(model),
            fingerprint: text(fingerprint),
            response_id: text(id),
            ..Completion::default()
        }
    }

    #[track_caller]
    fn check(answers: &[(u8, &str, &str)], want: &[&str]) {
        for reversed in [false, true] {
            let mut origins = Origins::default();
            let mut add = |(packet, fingerprint, id): &(u8, &str, &str)| {
                origins.add(PacketHash::from_bytes([*packet; 32]), &completion("m", fingerprint, id));
            };
            if reversed {
                answers.iter().rev().for_each(&mut add);
            } else {
                answers.iter().for_each(&mut add);
            }
            assert_eq!(origins.warnings(), want, "{answers:?}");
        }
    }

    #[test]
    fn f57_another_model_answered() {
        let matches =
            |model| model_match("judge-1", &["judge-1-2025".to_owned()], &completion(model, "", ""));
        assert_eq!(matches("judge-1"), ModelMatch::Same);
        assert_eq!(matches("judge-1-2025"), ModelMatch::Alias);
        assert_eq!(matches("judge-1-mini"), ModelMatch::Other);
        assert_eq!(matches(""), ModelMatch::Unknown);
    }

    #[test]
    fn f58_the_build_changed_during_the_run() {
        check(&[(1, "a", "r1"), (2, "a", "r2"), (3, "a", "r3")], &[]);
        check(
            &[(1, "a", "r1"), (2, "b", "r2"), (3, "a", "r3")],
            &["judge changed during run: 1 of 3 answers are not from the most frequent model and build"],
        );
    }

    #[test]
    fn f59_two_packets_got_one_response() {
        check(&[(1, "a", "r1"), (1, "a", "r1"), (2, "a", ""), (3, "a", "")], &[]);
        check(
            &[(1, "a", "r1"), (2, "a", "r1"), (3, "a", "r3"), (4, "a", "r1")],
            &["repeated response: 3 packets share a response id with another packet"],
        );
    }
}
