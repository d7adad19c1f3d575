//! What a judge says held against what people say: counted, and as what people mean when the judge says something.

use probity_core::calibrate::{Calibration, Figures, JudgeFigures};
use probity_core::label::ScaleKind;
use probity_core::stats::{Estimate, mean, proportion};

use super::super::figure::none;
use super::super::report::chart;
use super::super::report::document::{Block, Cell, Cells, Section, Table};
use super::JudgePlace;

/// The row of what a judge said that is none of the scale.
const UNPARSED: &str = "unparsed";

/// Counts of what was said, row by row: the judge's word, then what people said.
fn counts(all: &Calibration, figures: &Figures) -> Vec<Vec<u64>> {
    let k = all.scale.names().len().max(1);
    let rows = figures.table.cells().chunks(k);
    rows.map(|row| row.iter().map(|count| whole(*count)).collect()).collect()
}

/// A count. Tables are kept in floating point, and what is counted is whole and not negative.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count is whole and not negative"
)]
fn whole(count: f64) -> u64 {
    count.round() as u64
}

/// What the judge said against what people said.
pub(super) fn confusion(all: &Calibration, judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let columns = all.scale.names().to_vec();
    let mut rows = columns.clone();
    let mut counts = counts(all, &judge.overall);
    rows.push(UNPARSED.to_owned());
    let has_unparsed = counts.last().is_some_and(|row| row.iter().sum::<u64>() > 0);
    if !has_unparsed {
        counts.truncate(columns.len());
        rows.truncate(columns.len());
    }
    let matrix = chart::matrix(["the judge says", "people say"], &rows, &columns, &counts);
    place
        .section("confusion", "Confusion")
        .text("Framed cells are where both say the same. Counts of labels with a verdict that counts.")
        .table(matrix)
}

/// For each thing that the judge says, how often people say the same, and what they say on average.
pub(super) fn reliability(all: &Calibration, judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let (names, positions) = (all.scale.names(), all.scale.positions());
    let counts = counts(all, &judge.overall);
    let is_ordered = all.scale.kind() != ScaleKind::Named && positions.len() == names.len();
    let mut points: Vec<(f64, Estimate)> = Vec::new();
    let has_levels = all.scale.kind() == ScaleKind::Levels;
    let mut titles = vec!["the judge says", "%people say the same"];
    titles.extend(has_levels.then_some("^people on average"));
    let mut table = Table::new(&titles);
    for (at, name) in names.iter().enumerate() {
        let row = &counts[at];
        let mut cells = cells![name, Cell::share(proportion(row[at], row.iter().sum()).as_ref())];
        let average = is_ordered.then(|| average(positions, row)).flatten();
        if has_levels {
            let interval = |mean: Estimate| format!("{:.2}–{:.2}", mean.low, mean.high);
            let shown = [average.map(|mean| format!("{:.2}", mean.value)), average.map(interval)];
            cells.extend(shown.map(|text| Cell::text(text.unwrap_or_else(none))));
        }
        points.extend(average.map(|mean| (positions[at], mean)));
        table.row(cells);
    }
    let section = place.section("reliability", "Reliability");
    if !is_ordered {
        return section.table(table);
    }
    let scale: Vec<(String, f64)> = names.iter().cloned().zip(positions.iter().copied()).collect();
    let label = "What people say on average for each thing the judge says; the table below has the figures";
    let drawn = chart::reliability(label, ["the judge says", "people say, on average"], &scale, &points);
    section
        .legend(format!(
            "On the dashed line people mean what the judge says; each point is what they say on average.{}",
            if has_levels { " Points below it: the judge is too kind; above it: too strict." } else { "" }
        ))
        .with(Block::Drawing(drawn))
        .table(table)
        .text("Each label counts once; shares have Wilson's interval, averages that of a mean with one more label at each end of the scale.")
}

fn average(positions: &[f64], counts: &[u64]) -> Option<Estimate> {
    let seen: Vec<(f64, u64)> = positions.iter().copied().zip(counts.iter().copied()).collect();
    mean(&seen)
}
