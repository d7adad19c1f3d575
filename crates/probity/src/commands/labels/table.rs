//! Labels as text: a table for spreadsheets, or one object per line.
//!
//! What always holds: what is written here is read back as the same labels, and in a table for spreadsheets a cell
//! that one would take for a formula has a quote before it.

use probity_core::calibrate::{LabelEntry, quoted_cell};
use probity_core::json::Json;

/// The columns of the table.
const COLUMNS: [&str; 17] = [
    "item",
    "criterion",
    "rubric",
    "variant",
    "variant_a",
    "variant_b",
    "annotator",
    "label",
    "round",
    "blind",
    "adjudicated",
    "seconds",
    "at",
    "packet",
    "slice",
    "case",
    "checksum",
];

/// What a person who could not tell is written as.
const ABSTAINED: &str = "abstain";

/// Who opens a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A spreadsheet, which must not take a cell for a formula.
    Spreadsheet,
    /// A program, which takes cells as they are.
    Program,
}

/// The table, with a line of names.
pub(crate) fn csv(labels: &[LabelEntry], reader: Reader) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for label in labels {
        let members = label.members();
        let cell = |column: &&str| {
            let value = members.iter().find(|(name, _)| name == column).map(|(_, value)| value);
            match value {
                _ if *column == "checksum" => label.checksum(),
                Some(Json::String(text)) if reader == Reader::Spreadsheet => quoted_cell(text),
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) => ABSTAINED.to_owned(),
                Some(other) => other.canonical(),
                None => String::new(),
            }
        };
        let cells: Vec<String> = COLUMNS.iter().map(|column| enclosed(cell(column))).collect();
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// A cell between quotes where its text would end it otherwise.
fn enclosed(cell: String) -> String {
    let needs = cell.contains([',', ';', '"', '\n', '\r', '\t']) || cell.trim() != cell;
    if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// One object per line.
pub(crate) fn jsonl(labels: &[LabelEntry]) -> String {
    let line = |label: &LabelEntry| {
        let checksum = ("checksum", Json::text(label.checksum()));
        Json::object(label.members().into_iter().chain([checksum])).canonical() + "\n"
    };
    labels.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_core::json;

    #[test]
    fn a_program_gets_cells_as_they_are() {
        let object = json::parse(r#"{"item":"a","annotator":"＝ann","label":"pass"}"#).expect("JSON");
        let label = LabelEntry::read(object.as_object().expect("an object")).expect("a label");
        let cell = |reader| {
            let table = csv(std::slice::from_ref(&label), reader);
            table.lines().nth(1).and_then(|row| row.split(',').nth(6).map(str::to_owned)).expect("a cell")
        };
        assert_eq!([cell(Reader::Spreadsheet), cell(Reader::Program)], ["'＝ann", "＝ann"]);
    }

    #[test]
    fn cells_are_enclosed_and_formulas_quoted() {
        let row = r#"{"item":"a, \"b\"","annotator":"=ann","label":null,"seconds":0.5,"blind":true}"#;
        let object = json::parse(row).expect("JSON");
        let label = LabelEntry::read(object.as_object().expect("an object")).expect("a label");
        let table = csv(std::slice::from_ref(&label), Reader::Spreadsheet);
        let line = table.lines().nth(1).expect("a row");
        let want = format!(r#""a, ""b""",,,,,,'=ann,abstain,1,true,,0.5,,,,,{}"#, label.checksum());
        assert_eq!(line, want);
    }
}
