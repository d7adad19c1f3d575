//! Results as rows and columns: the same cells for a spreadsheet and for a program.

use probity_core::exact::Exact;
use probity_core::label::quoted_cell;
use probity_core::results::ResultRow;

use super::About;

/// A cell of the table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CellValue {
    Text(Option<String>),
    Whole(Option<i64>),
    Number(Option<f64>),
}

/// The row's cells with their columns, which every row of a run has in the same order.
pub(super) fn cells(row: &ResultRow, about: &About<'_>) -> Vec<(String, CellValue)> {
    let text = |name: &str, text: Option<&str>| (name.to_owned(), CellValue::Text(text.map(str::to_owned)));
    let joined = |texts: Vec<String>| Some(texts.join("; ")).filter(|text| !text.is_empty());
    let mut cells = vec![
        text("id", Some(&row.id)),
        text("slice", row.slice.as_deref()),
        text("variant", row.variant.as_deref()),
        text("outcome", Some(row.outcome.name())),
        ("total".to_owned(), CellValue::Number(row.total.map(Exact::to_f64))),
    ];
    for (name, result) in row.criteria.iter() {
        let result = result.as_ref();
        let cause = result.and_then(|result| Some(result.unscored.as_ref()?.cause.clone()));
        let reason = result.and_then(|result| result.reasoning.clone()).or(cause);
        cells.push((format!("{name}.score"), CellValue::Whole(result.and_then(|result| result.score))));
        cells.push((format!("{name}.reasoning"), CellValue::Text(reason)));
    }
    let found = row.gate.findings.iter().map(|finding| format!("{}: {}", finding.rule, finding.message));
    cells.extend([
        ("reasons".to_owned(), CellValue::Text(joined(row.reasons()))),
        ("findings".to_owned(), CellValue::Text(joined(found.collect()))),
        text("ticket", row.ticket.as_deref()),
        text("reply", row.reply.as_deref()),
        text("judge", Some(&about.judge())),
        text("standing", Some(about.standing())),
    ]);
    cells
}

/// A row without a result, for its columns alone.
pub(super) fn columns(about: &About<'_>) -> Vec<(String, CellValue)> {
    let criteria = about.summary.record.all.criteria.names().map(|name| (name, None)).collect();
    cells(&ResultRow { criteria, ..ResultRow::default() }, about)
}

/// The first line of a CSV file.
pub(super) fn header(about: &About<'_>) -> String {
    in_csv(columns(about).into_iter().map(|(name, _)| name))
}

/// A line of a CSV file.
pub(super) fn line(row: &ResultRow, about: &About<'_>) -> String {
    in_csv(cells(row, about).into_iter().map(|(_, value)| match value {
        CellValue::Text(text) => quoted_cell(&text.unwrap_or_default()),
        CellValue::Whole(whole) => whole.map(|whole| whole.to_string()).unwrap_or_default(),
        CellValue::Number(number) => number.map(|number| number.to_string()).unwrap_or_default(),
    }))
}

/// Cells as a line of a CSV file.
pub(crate) fn in_csv(cells: impl Iterator<Item = String>) -> String {
    cells.map(enclosed).collect::<Vec<String>>().join(",") + "\n"
}

/// A cell between quotes where its text would end it otherwise.
fn enclosed(cell: String) -> String {
    let needs = cell.contains([',', ';', '"', '\n', '\r', '\t']) || cell.trim() != cell;
    if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}
