//! One text for one label, whatever file it came from, and one digest for a set of them.
//!
//! An exported label carries a checksum of that text, so that a row that a spreadsheet has rewritten is not taken
//! for what a person said. In a table, texts that a spreadsheet would take for a formula get a quote before them;
//! the checksum tells whether it has to come off again.
//!
//! What always holds: equal labels have equal texts, and the order of a set does not change its digest. Lengths
//! and difficulty are facts about items and no part of a label.

use super::entry::LabelEntry;
use super::rows::RowFault;
use crate::case::is_format;
use crate::json::{Json, Object};

/// The name under which an exported label carries its checksum.
pub(super) const CHECKSUM: &str = "checksum";

/// Characters of a checksum.
const CHECKSUM_CHARS: usize = 16;

/// What a spreadsheet takes for the beginning of a formula.
/// Full-width signs are signs where the keyboard writes them.
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

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
            ("rubric", text(&self.rubric)),
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

    /// What it is about, by whom and in which round: one person says one thing about it. What was shown is part of
    /// it, so that what was said about one reply is never taken for what was said about another of the same name.
    pub fn subject(&self) -> String {
        let (who, packet) = (text_or_null(self.annotator.as_ref()), text_or_null(self.packet.as_ref()));
        let adjudicated = Json::Bool(self.adjudicated == Some(true));
        let round = Json::Number(self.round.to_string());
        Json::Array(self.named().into_iter().chain([who, adjudicated, round, packet]).collect()).canonical()
    }

    /// The name of what it is about, and what was asked: all that a label without a packet says. Replies can share
    /// it.
    pub(super) fn name(&self) -> String {
        Json::Array(self.named().into()).canonical()
    }

    fn named(&self) -> [Json; 4] {
        let mut variants: Vec<&String> =
            self.facts.variants.iter().flatten().chain(&self.facts.variant).collect();
        variants.sort();
        let variants = Json::Array(variants.into_iter().map(Json::text).collect());
        let (criterion, rubric) = (text_or_null(self.criterion.as_ref()), text_or_null(self.rubric.as_ref()));
        [Json::text(&self.item), criterion, rubric, variants]
    }

    /// What tells whether an exported label has been changed.
    pub fn checksum(&self) -> String {
        blake3::hash(self.canonical().as_bytes()).to_hex()[..CHECKSUM_CHARS].to_owned()
    }
}

fn text_or_null(value: Option<&String>) -> Json {
    value.map_or(Json::Null, Json::text)
}

/// The label of a row, which must be the one that was exported where the row carries a checksum.
pub(super) fn verified(
    object: &Object,
    read: impl Fn(&Object) -> Result<LabelEntry, RowFault>,
) -> Result<LabelEntry, RowFault> {
    let Some(Json::String(sum)) = object.get(CHECKSUM) else { return read(object) };
    let as_written = read(object);
    let matches = |entry: &LabelEntry| entry.checksum() == *sum;
    if as_written.as_ref().is_ok_and(matches) {
        return as_written;
    }
    let mut bare = Object::new();
    for (name, value) in object.iter() {
        let value = value.as_str().map_or_else(|| value.clone(), |text| Json::text(without_quote(text)));
        bare.insert(name, value).expect("an object has each name once");
    }
    match read(&bare) {
        Ok(entry) if matches(&entry) => Ok(entry),
        _ => {
            let entry = as_written?;
            let reason = "'checksum' does not fit the row, which was changed after it was exported; expected the \
                          row as it was, or no 'checksum'";
            Err(RowFault { item: Some(entry.item), reason: reason.to_owned() })
        }
    }
}

/// `text` as a cell that no spreadsheet takes for a formula. Plain numbers are none.
pub fn quoted_cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    if begins_formula(text) && !is_number { format!("'{text}") } else { text.to_owned() }
}

/// The text of a cell that [`quoted_cell`] wrote.
pub fn without_quote(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| begins_formula(text)).unwrap_or(cell)
}

/// Whether a formula begins the text, or would if quotes and unseen characters before it came off.
fn begins_formula(text: &str) -> bool {
    text.trim_start_matches(|c: char| c == '\'' || is_unseen(c)).starts_with(FORMULA)
}

/// Whether a character shows nothing, so that a spreadsheet may pass over it: white space but for what counts as a
/// beginning itself, controls, format characters and the blank of Braille.
fn is_unseen(c: char) -> bool {
    let is_blank = c.is_whitespace() || c.is_control() || is_format(c) || c == '\u{2800}';
    is_blank && !FORMULA.contains(&c)
}

/// BLAKE3 over the canonical labels in order, each once, so that neither the order they came in nor a row that is there
/// twice matters.
pub fn digest(labels: &[LabelEntry]) -> String {
    let mut rows: Vec<String> = labels.iter().map(LabelEntry::canonical).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut hasher = blake3::Hasher::new();
    for row in rows {
        hasher.update(row.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn object(text: &str) -> Object {
        json::parse(text).expect("JSON").as_object().expect("an object").clone()
    }

    fn label(text: &str) -> LabelEntry {
        LabelEntry::read(&object(text)).expect("a label")
    }

    /// The row as an export writes it, with `change` made to its cells.
    fn exported(entry: &LabelEntry, change: impl Fn(&str, String) -> String) -> Object {
        let cells = entry.members().into_iter().map(|(name, value)| {
            let text = match &value {
                Json::String(text) => quoted_cell(text),
                other => other.canonical(),
            };
            (name, Json::text(change(name, text)))
        });
        let sum = (CHECKSUM, Json::text(entry.checksum()));
        Json::object(cells.chain([sum])).as_object().expect("an object").clone()
    }

    #[test]
    fn the_order_of_a_set_does_not_change_its_digest() {
        let (one, other) = (label(r#"{"item":"1","label":"a"}"#), label(r#"{"item":"2","label":"b"}"#));
        assert_eq!(digest(&[one.clone(), other.clone()]), digest(&[other.clone(), one.clone()]));
        assert_ne!(digest(std::slice::from_ref(&one)), digest(&[one, other]));
    }

    #[test]
    fn other_spellings_are_the_same_label() {
        let one = label(r#"{"item":"1","annotator":" ann ","label":4,"round":1,"len_a":3,"len_b":4}"#);
        assert_eq!(one.canonical(), label(r#"{"id":"1","rater":"ann","score":"4"}"#).canonical());
        assert_eq!(one.canonical(), r#"{"annotator":"ann","item":"1","label":"4","round":1}"#);
    }

    #[test]
    fn a_pair_is_the_same_whichever_variant_is_named_first() {
        let one = label(r#"{"item":"1","label":"a","variant_a":"old","variant_b":"new"}"#);
        let other = label(r#"{"item":"1","label":"b","variant_a":"new","variant_b":"old"}"#);
        assert_eq!(one.subject(), other.subject());
        assert_ne!(one.subject(), label(r#"{"item":"1","label":"a","round":2}"#).subject());
    }

    #[test]
    fn n05_what_was_shown_is_part_of_the_subject() {
        let of = |packet: &str| label(&format!(r#"{{"item":"1","annotator":"ann","label":"4"{packet}}}"#));
        let (one, other, bare) = (of(r#","packet":"p1""#), of(r#","packet":"p2""#), of(""));
        assert_ne!(one.subject(), other.subject());
        assert_ne!(one.subject(), bare.subject());
        assert_eq!(one.name(), bare.name());
    }

    #[test]
    fn l13_a_changed_export_is_detected() {
        let entry =
            label(r#"{"item":"=cmd()","annotator":"'@ann","label":"-1","at":"2026-04-01T09:30:00Z"}"#);
        assert_eq!(LabelEntry::read(&exported(&entry, |_, cell| cell)), Ok(entry.clone()));
        let changes = [("item", "other"), ("label", "-2"), ("at", "2026-04-01"), ("annotator", "ann")];
        for (cell, to) in changes {
            let change = |name: &str, text| if name == cell { to.to_owned() } else { text };
            let fault = LabelEntry::read(&exported(&entry, change)).expect_err("a changed row");
            assert!(fault.reason.starts_with("'checksum' does not fit the row"), "{}", fault.reason);
        }
        let change = |name: &str, text| if name == "at" { "01.04.2026".to_owned() } else { text };
        let fault = LabelEntry::read(&exported(&entry, change)).expect_err("no date");
        assert!(fault.reason.contains("01.04.2026"), "{}", fault.reason);
    }

    #[test]
    fn formulas_get_a_quote_and_numbers_none() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("@ann", "'@ann"),
            ("-", "'-"),
            ("'=x", "''=x"),
            ("\tx", "'\tx"),
            ("＝1+1", "'＝1+1"),
            ("＋x", "'＋x"),
            ("－x", "'－x"),
            ("＠ann", "'＠ann"),
            ("\u{feff}=1", "'\u{feff}=1"),
            ("\u{200b}\u{2066}@ann", "'\u{200b}\u{2066}@ann"),
            ("\u{a0}-x", "'\u{a0}-x"),
            ("\u{0}=1", "'\u{0}=1"),
            ("'\u{feff}=1", "''\u{feff}=1"),
            ("\u{feff}ann", "\u{feff}ann"),
            ("-1", "-1"),
            ("+2.5", "+2.5"),
            ("'tis", "'tis"),
        ] {
            assert_eq!(quoted_cell(text), cell);
            assert_eq!(without_quote(&quoted_cell(text)), text);
        }
    }
}
