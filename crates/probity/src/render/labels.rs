//! Labels as text: a table for spreadsheets, or one object per line.
//!
//! What always holds: what is written here is read back as the same labels, and in a table for spreadsheets a cell
//! that one would take for a formula has a quote before it. Remarks stand in columns that are no part of a label and
//! its checksum.

use probity_core::json::Json;
use probity_core::label::{LabelEntry, quoted_cell};
use probity_engine::review::Remark;

use super::export::in_csv;

/// The columns of the table.
const COLUMNS: [&str; 17] = [
    "item", "criterion", "rubric", "variant", "variant_a", "variant_b", "annotator", "label", "round",
    "blind", "adjudicated", "seconds", "at", "packet", "slice", "case", "checksum",
];

/// What a person who could not tell is written as.
const ABSTAINED: &str = "abstain";

/// Who opens a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableReader {
    /// A spreadsheet, which must not take a cell for a formula.
    Spreadsheet,
    /// The same, with further columns for what people remarked.
    RemarksToo,
    /// A program, which takes cells as they are.
    Program,
}

/// A label, and what its person remarked.
pub(crate) type LabelRow<'a> = (&'a LabelEntry, Option<&'a Remark>);

/// The columns of what people remarked beside their labels.
const REMARKS: [&str; 2] = ["note", "root_cause"];

/// The table, with a line of names, as `reader` takes it.
pub(crate) fn csv<'a>(rows: impl Iterator<Item = LabelRow<'a>>, reader: TableReader) -> String {
    let further = if reader == TableReader::RemarksToo { &REMARKS[..] } else { &[] };
    let mut text = [&COLUMNS[..], further].concat().join(",") + "\n";
    for (label, remark) in rows {
        let members = label.members();
        let cell = |column: &&str| {
            let value = members.iter().find(|(name, _)| name == column).map(|(_, value)| value);
            match value {
                _ if *column == "checksum" => label.checksum(),
                Some(Json::String(text)) if reader != TableReader::Program => quoted_cell(text),
                Some(Json::String(text)) => text.clone(),
                Some(Json::Null) => ABSTAINED.to_owned(),
                Some(other) => other.canonical(),
                None => String::new(),
            }
        };
        let remarks = remark.map(said).unwrap_or_default().map(quoted_cell).into_iter().take(further.len());
        let cells = COLUMNS.iter().map(cell).chain(remarks);
        text += &in_csv(cells);
    }
    text
}

fn said(remark: &Remark) -> [&str; 2] {
    [&remark.note, remark.root_cause.map_or("", |cause| cause.name())]
}

/// One object per line, with what people remarked where they did.
pub(crate) fn jsonl<'a>(rows: impl Iterator<Item = LabelRow<'a>>) -> String {
    let line = |(label, remark): LabelRow<'a>| {
        let said = REMARKS.into_iter().zip(remark.map(said).unwrap_or_default());
        let said = said.filter(|(_, text)| !text.is_empty()).map(|(name, text)| (name, Json::text(text)));
        let checksum = ("checksum", Json::text(label.checksum()));
        Json::object(label.members().into_iter().chain([checksum]).chain(said)).canonical() + "\n"
    };
    rows.map(line).collect()
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
            let table = csv([(&label, None)].into_iter(), reader);
            table.lines().nth(1).and_then(|row| row.split(',').nth(6).map(str::to_owned)).expect("a cell")
        };
        assert_eq!([cell(TableReader::Spreadsheet), cell(TableReader::Program)], ["'＝ann", "＝ann"]);
    }

    #[test]
    fn cells_are_enclosed_and_formulas_quoted() {
        let row = r#"{"item":"a, \"b\"","annotator":"=ann","label":null,"seconds":0.5,"blind":true}"#;
        let object = json::parse(row).expect("JSON");
        let label = LabelEntry::read(object.as_object().expect("an object")).expect("a label");
        let table = csv([(&label, None)].into_iter(), TableReader::Spreadsheet);
        let line = table.lines().nth(1).expect("a row");
        let want = format!(r#""a, ""b""",,,,,,'=ann,abstain,1,true,,0.5,,,,,{}"#, label.checksum());
        assert_eq!(line, want);
    }
}
