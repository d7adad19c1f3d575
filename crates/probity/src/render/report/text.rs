//! A document on a terminal: the same words and tables, without what is drawn and without what is long.

use std::fmt::Write as _;

use super::super::figure::columns;
use super::document::{Block, Cell, ColumnKind, Document, JudgeLine, Quote, Section, ShownIn, Table};
use crate::plain::{excerpt, plain};

/// So many quotes of a section are shown.
const QUOTES_MAX: usize = 10;
/// So many lines of a quote are shown.
const LINES_MAX: usize = 6;
/// How much of a line of a quote is shown.
const LINE_COLUMNS_MAX: usize = 160;

/// The whole document.
pub(super) fn text(document: &Document) -> String {
    let mut out = plain(&document.title);
    if let Some(judge) = &document.judge {
        write!(out, " · judge {} ({})", plain(&judge.name), judge.standing).expect("a string takes any text");
    }
    out.push('\n');
    let tiles: Vec<String> =
        document.tiles.iter().map(|tile| format!("{} {}", tile.value, tile.name)).collect();
    for line in [&document.about, &tiles.join(" · "), &document.verdict, &document.lead] {
        if !line.is_empty() {
            push_line!(out, "{}", plain(line));
        }
    }
    let shown = document
        .sections
        .iter()
        .filter(|section| matches!(section.shown, ShownIn::Everywhere | ShownIn::NotOnPages));
    shown.for_each(|section| self::section(&mut out, section));
    let mut closing: Vec<String> = document.calls.iter().map(|line| plain(line)).collect();
    closing.extend(document.warnings.iter().map(|line| format!("note: {}", plain(line))));
    closing.extend(document.judge.as_ref().map(standing_line));
    if !closing.is_empty() {
        push_line!(out, "\n{}", closing.join("\n"));
    }
    out
}

/// What a judge has earned, as a line of its own.
fn standing_line(judge: &JudgeLine) -> String {
    let reason = plain(&judge.reason);
    if judge.is_promoted() {
        return format!("standing: {reason}");
    }
    format!("standing: {}, {reason}. Its scores inform, they must not gate a release.", judge.standing)
}

fn section(out: &mut String, section: &Section) {
    push_line!(out, "\n{}", plain(&section.title));
    let mut is_apart = true;
    for block in &section.blocks {
        let needs_space = matches!(block, Block::Table(_) | Block::Heading(_));
        if needs_space && !is_apart {
            out.push('\n');
        }
        match block {
            Block::Text(text) | Block::Heading(text) => push_line!(out, "{}", plain(text)),
            Block::Table(table) => *out += &self::table(table),
            Block::List(items) => items.iter().for_each(|item| push_line!(out, "  {}", plain(item))),
            Block::Quotes(quotes, n) => self::quotes(out, quotes, *n),
            // A table beside each drawing has the same figures, and the results file has the rows.
            Block::Legend(_)
            | Block::Drawing(_)
            | Block::Rows
            | Block::Fold(_)
            | Block::Command(_)
            | Block::Sides(..) => {
                continue;
            }
        }
        is_apart = matches!(block, Block::Heading(_));
    }
}

fn table(table: &Table) -> String {
    let kept = |at: &usize| table.columns[*at].kind != ColumnKind::Plot;
    let places: Vec<usize> = (0..table.columns.len()).filter(kept).collect();
    let is_number: Vec<bool> =
        places.iter().map(|at| table.columns[*at].kind == ColumnKind::Number).collect();
    let mut rows: Vec<Vec<String>> = vec![places.iter().map(|at| plain(&table.columns[*at].title)).collect()];
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Styled(text, _) | Cell::Filter(text, ..) => plain(text),
        Cell::Plot(_) => String::new(),
    };
    rows.extend(table.rows.iter().map(|row| places.iter().map(|at| cell(&row[*at])).collect()));
    columns(&rows, &is_number)
}

fn quotes(out: &mut String, quotes: &[Quote], n: u64) {
    let shown = quotes.len().min(QUOTES_MAX);
    for quote in &quotes[..shown] {
        let about = if quote.about.is_empty() { String::new() } else { format!(" [{}]", quote.about) };
        let word = if quote.word.is_empty() { String::new() } else { format!(", {}", quote.word) };
        push_line!(out, "  {}", plain(&format!("{}{about}{word}", quote.title)));
        for line in quote.lines.iter().take(LINES_MAX) {
            push_line!(out, "    {}", excerpt(line, LINE_COLUMNS_MAX));
        }
    }
    let more = n.saturating_sub(shown as u64);
    if more > 0 {
        push_line!(out, "  and {more} more: --json lists them");
    }
}
