//! What a judge says compared with what people say: counted, and as what people mean when the judge says something.

use std::collections::{BTreeMap, HashMap};

use probity_core::calibrate::{Calibration, Figures, HeldUnit, JudgeFigures};
use probity_core::case::Turn;
use probity_core::label::ScaleKind;
use probity_core::stats::{Estimate, mean, proportion};

use super::super::families::folded;
use super::super::figure::none;
use super::super::report::chart;
use super::super::report::document::{Block, Cell, Cells, DocumentList, Section, Table};
use super::super::view::{ListHead, ListItem, Opened};
use super::JudgePlace;

/// What labelled items say, by item.
pub(crate) type HeldTexts = BTreeMap<String, HeldText>;

/// What a labelled item says, and why the judge said what it did.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldText {
    /// What the customer wrote last.
    pub(crate) ticket: String,
    /// The conversation.
    pub(crate) turns: Vec<Turn>,
    /// What was judged, each with a title.
    pub(crate) replies: Vec<(String, String)>,
    /// The judge's words, by criterion.
    pub(crate) reasons: BTreeMap<String, String>,
}

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

/// What the judge said against what people said, in all and for each criterion. A cell opens what it counts.
pub(super) fn confusion(all: &Calibration, judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let mut section = place
        .section("confusion", "Confusion")
        .text("Framed cells are where both say the same. Counts of labels with a verdict that counts.")
        .table(matrix(all, &judge.overall, place, None));
    let criteria = judge.by_criterion.iter().filter(|_| judge.by_criterion.len() > 1);
    for (name, figures) in criteria {
        section = section.with(folded(name, Block::Table(matrix(all, figures, place, Some(name)))));
    }
    section
}

/// Counts of what was said. The further apart judge and people are, the darker a cell.
fn matrix(all: &Calibration, figures: &Figures, place: &JudgePlace<'_>, criterion: Option<&str>) -> Table {
    let columns = all.scale.names();
    let mut rows = columns.to_vec();
    rows.push(UNPARSED.to_owned());
    let mut counts = counts(all, figures);
    let has_unparsed = counts.last().is_some_and(|row| row.iter().sum::<u64>() > 0);
    counts.truncate(if has_unparsed { rows.len() } else { columns.len() });
    let titles: Vec<String> = columns.iter().map(|name| format!("#{name}")).collect();
    let titles: Vec<&str> =
        ["the judge says / people say"].into_iter().chain(titles.iter().map(String::as_str)).collect();
    let mut table = Table::new(&titles);
    for (at, (name, counts)) in rows.iter().zip(&counts).enumerate() {
        let cell = |(column, n): (usize, &u64)| {
            let style = match (n, at.abs_diff(column)) {
                (_, 0) => "s0 same".to_owned(),
                (0, _) => "s0 soft".to_owned(),
                (_, apart) => format!("s0 h{}", 4 - apart.min(3)),
            };
            // The list has one judge's labels.
            if *n == 0 || place.number > 0 {
                return Cell::Styled(n.to_string(), style);
            }
            let cell = cell_name(name, &columns[column]);
            let mut wanted = vec![("cell", cell.as_str())];
            wanted.extend(criterion.map(|criterion| ("criterion", criterion)));
            Cell::filter(n.to_string(), &style, &wanted)
        };
        table.row([Cell::text(name)].into_iter().chain(counts.iter().enumerate().map(cell)).collect());
    }
    table
}

/// A cell of the table, as the list is filtered by it.
fn cell_name(judge: &str, people: &str) -> String {
    format!("judge {judge}, people {people}")
}

/// Everything that the figures of a judge are made of, as it can be looked at.
pub(super) fn list(all: &Calibration, judge: &JudgeFigures, texts: &HeldTexts) -> DocumentList {
    let facets = [
        ("o", "Labels"),
        ("slice", "Slice"),
        ("criterion", "Criterion"),
        ("cell", "Cell"),
        ("said", "The judge says"),
    ];
    let names = all.scale.names();
    let said = |row: usize| names.get(row).map_or(UNPARSED, String::as_str);
    let mut known: HashMap<String, usize> = HashMap::new();
    let item = |held: &HeldUnit| {
        let criterion = held.criterion.as_deref().unwrap_or_default();
        let name = if criterion.is_empty() {
            held.item.to_string()
        } else {
            format!("{} · {criterion}", held.item)
        };
        let n = known.entry(name.clone()).or_default();
        *n += 1;
        let name = if *n > 1 { format!("{name} ({n})") } else { name };
        let outcome = if held.cells.iter().all(|(row, column)| row == column) { "agrees" } else { "differs" };
        let cells = held.cells.iter().map(|(row, column)| cell_name(said(*row), &names[*column])).collect();
        let people = held.votes.iter().map(|(person, place)| (person.to_string(), names[*place].clone()));
        let about = texts.get(&*held.item);
        let reason = about.and_then(|about| about.reasons.get(criterion).cloned());
        let judge = held.cells.first().map(|(row, _)| said(*row).to_owned()).unwrap_or_default();
        let people: Vec<(String, String)> = people.collect();
        let votes: Vec<String> = people.iter().map(|(person, said)| format!("{person} {said}")).collect();
        let second = reason.clone().unwrap_or_else(|| format!("judge {judge}; {}", votes.join(", ")));
        ListItem {
            name,
            values: vec![
                vec![outcome.to_owned()],
                vec![held.slice.to_string()],
                held.criterion.iter().map(ToString::to_string).collect(),
                cells,
                vec![judge.clone()],
            ],
            total: held
                .cells
                .iter()
                .map(|(row, column)| row.abs_diff(*column))
                .max()
                .map(|apart| apart as f64),
            levels: Vec::new(),
            lines: [about.map(|about| about.ticket.clone()).unwrap_or_default(), second],
            view: Opened::Held {
                turns: about.map(|about| about.turns.clone()).unwrap_or_default(),
                replies: about.map(|about| about.replies.clone()).unwrap_or_default(),
                asked: criterion.to_owned(),
                judge,
                people,
                reason,
                outcome: outcome.to_owned(),
            },
        }
    };
    let head = ListHead::new("labelled items", "Apart", &facets).sorted("-total");
    DocumentList { head, items: judge.held.iter().map(item).collect() }
}

/// For each thing that the judge says, how often people say the same, and what they say on average.
pub(super) fn reliability(all: &Calibration, judge: &JudgeFigures, place: &JudgePlace<'_>) -> Section {
    let (names, positions) = (all.scale.names(), all.scale.positions());
    let counts = counts(all, &judge.overall);
    let is_ordered = all.scale.kind() != ScaleKind::Named && positions.len() == names.len();
    let mut points: Vec<(&str, f64, Estimate)> = Vec::new();
    let has_levels = all.scale.kind() == ScaleKind::Levels;
    let mut titles = vec!["the judge says", "%people say the same"];
    titles.extend(has_levels.then_some("^people on average"));
    let mut table = Table::new(&titles);
    for (at, name) in names.iter().enumerate() {
        let row = &counts[at];
        let same = Cell::share(proportion(row[at], row.iter().sum()).as_ref());
        let same = same.opening(&format!("the judge says {name}, people say the same"), &[("said", name)]);
        let mut cells = cells![name, same];
        let average = is_ordered.then(|| average(positions, row)).flatten();
        if has_levels {
            let interval = |mean: Estimate| format!("{:.2}–{:.2}", mean.low, mean.high);
            let shown = [average.map(|mean| format!("{:.2}", mean.value)), average.map(interval)];
            cells.extend(shown.map(|text| Cell::text(text.unwrap_or_else(none))));
        }
        points.extend(average.map(|mean| (&**name, positions[at], mean)));
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
