//! One text for one label, whatever file it came from, and one digest for a set of them.
//!
//! What always holds: two labels have the same text exactly when they say the same about the same, and the order
//! of a set does not change its digest. Lengths and difficulty are facts about items and no part of a label.

use super::entry::LabelEntry;
use crate::json::Json;

impl LabelEntry {
    /// Its members by the names that files use; what it does not say is left out, but for the label.
    pub fn members(&self) -> Vec<(&'static str, Json)> {
        let text = |value: &Option<String>| value.as_ref().map(Json::text);
        let [variant_a, variant_b] = match &self.facts.variants {
            Some([a, b]) => [Some(Json::text(a)), Some(Json::text(b))],
            None => [None, None],
        };
        let all = [
            ("item", Some(Json::text(&self.item))),
            ("criterion", text(&self.criterion)),
            ("variant", text(&self.facts.variant)),
            ("variant_a", variant_a),
            ("variant_b", variant_b),
            ("annotator", text(&self.annotator)),
            ("label", Some(text(&self.label).unwrap_or(Json::Null))),
            ("round", Some(Json::Number(self.round.to_string()))),
            ("blind", self.blind.map(Json::Bool)),
            ("adjudicated", self.adjudicated.map(Json::Bool)),
            ("seconds", self.seconds.map(|seconds| Json::Number(seconds.to_string()))),
            ("at", text(&self.at)),
            ("packet", text(&self.packet)),
            ("slice", text(&self.facts.slice)),
            ("case", text(&self.facts.case)),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The label as canonical JSON.
    pub fn canonical(&self) -> String {
        Json::object(self.members()).canonical()
    }
}

/// BLAKE3 over the canonical labels in order, so that the order they came in does not matter.
pub fn digest(labels: &[LabelEntry]) -> String {
    let mut rows: Vec<String> = labels.iter().map(LabelEntry::canonical).collect();
    rows.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for row in rows {
        hasher.update(row.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}
