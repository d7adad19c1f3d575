//! Labels as text: a table for spreadsheets, or one object per line.
//!
//! What always holds: what is written here is read back as the same labels, and in a table for spreadsheets a cell
//! that one would take for a formula has a quote before it. Remarks stand in columns that are no part of a label and
//! its checksum.

use probity_core::json::Json;
use probity_core::label::{LabelEntry, quoted_cell};
use probity_engine::review::Remark;

/// The columns of the table.
const COLUMNS: [&str; 17] = [
    "item", "criterion", "rubric", "variant", "variant_a", "variant_b", "annotator", "label", "round",
    "blind", "adjudicated", "seconds", "at", "packet", "slice", "case", "checksum",
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

/// The columns of what people remarked beside their labels.
const REMARKS: [&str; 2] = ["note", "root_cause"];

/// The table, with a line of names.
pub(crate) fn csv(labels: &[LabelEntry], reader: Reader) -> String {
    table(([], reader), labels.iter().map(|label| (label, [])))
}

/// The table with what people remarked in further columns.
pub(crate) fn csv_remarked(rows: &[(LabelEntry, Remark)]) -> String {
    table((REMARKS, Reader::Spreadsheet), rows.iter().map(|(label, remark)| (label, said(remark))))
}

fn said(remark: &Remark) -> [&str; 2] {
    [&remark.note, remark.root_cause.map_or("", |cause| cause.name())]
}

/// The labels with `N` further columns of texts.
fn table<'a, const N: usize>(
    (further, reader): ([&str; N], Reader),
    rows: impl Iterator<Item = (&'a LabelEntry, [&'a str; N])>,
) -> String {
    let names: Vec<&str> = COLUMNS.into_iter().chain(further).collect();
    let mut text = names.join(",") + "\n";
    for (label, said) in rows {
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
        let cells = COLUMNS.iter().map(cell).chain(said.map(quoted_cell));
        text += &cells.map(enclosed).collect::<Vec<String>>().join(",");
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
    labels.iter().map(|label| object(label, [].into_iter())).collect()
}

/// One object per line, with what people remarked where they did.
pub(crate) fn jsonl_remarked(rows: &[(LabelEntry, Remark)]) -> String {
    let line = |(label, remark): &(LabelEntry, Remark)| {
        let said = REMARKS.into_iter().zip(said(remark)).filter(|(_, text)| !text.is_empty());
        object(label, said.map(|(name, text)| (name, Json::text(text))))
    };
    rows.iter().map(line).collect()
}

fn object(label: &LabelEntry, further: impl Iterator<Item = (&'static str, Json)>) -> String {
    let checksum = ("checksum", Json::text(label.checksum()));
    Json::object(label.members().into_iter().chain([checksum]).chain(further)).canonical() + "\n"
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
