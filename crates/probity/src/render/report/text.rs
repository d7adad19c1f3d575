//! A document on a terminal: the same words and tables, without what is drawn and without what is long.

use std::fmt::Write as _;

use super::super::figure::columns;
use super::document::{Block, Cell, ColumnKind, Document, JudgeLine, Quote, Section, ShownIn, Table, Tone};
use crate::plain::{excerpt, plain};
use crate::terminal::{Emphasis, Ink};

/// So many quotes of a section are shown.
const QUOTES_MAX: usize = 10;
/// So many lines of a quote are shown.
const LINES_MAX: usize = 6;
/// How much of a line of a quote is shown.
const LINE_COLUMNS_MAX: usize = 160;

/// The whole document.
pub(super) fn text(document: &Document, ink: Ink) -> String {
    let mut out = ink.paint(&plain(&document.title), Emphasis::Strong);
    if let Some(judge) = &document.judge {
        write!(out, " · judge {} ({})", plain(&judge.name), judge.standing).expect("a string takes any text");
    }
    out.push('\n');
    let tiles: Vec<String> =
        document.tiles.iter().map(|tile| format!("{} {}", tile.value, tile.name)).collect();
    let verdict = ink.paint(&plain(&document.verdict), Emphasis::Strong);
    for line in [plain(&document.about), plain(&tiles.join(" · ")), verdict, plain(&document.lead)] {
        if !line.is_empty() {
            push_line!(out, "{line}");
        }
    }
    let shown = document
        .sections
        .iter()
        .filter(|section| matches!(section.shown, ShownIn::Everywhere | ShownIn::NotOnPages));
    shown.for_each(|section| self::section(&mut out, section, ink));
    let mut closing: Vec<String> = document.calls.iter().map(|line| plain(line)).collect();
    let note = ink.paint("note:", Emphasis::Doubt);
    closing.extend(document.warnings.iter().map(|line| format!("{note} {}", plain(line))));
    closing.extend(document.judge.as_ref().map(|judge| standing_line(judge, ink)));
    if !closing.is_empty() {
        push_line!(out, "\n{}", closing.join("\n"));
    }
    out
}

/// What a judge has earned, as a line of its own.
fn standing_line(judge: &JudgeLine, ink: Ink) -> String {
    let reason = plain(&judge.reason);
    if judge.is_promoted() {
        return format!("standing: {}", ink.paint(&reason, Emphasis::Good));
    }
    let standing = ink.paint(&judge.standing, Emphasis::Doubt);
    format!("standing: {standing}, {reason}. Its scores are information only and must not gate a release.")
}

fn section(out: &mut String, section: &Section, ink: Ink) {
    push_line!(out, "\n{}", ink.paint(&plain(&section.title), Emphasis::Strong));
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
            Block::Quotes(quotes, n) => self::quotes(out, quotes, *n, ink),
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

fn quotes(out: &mut String, quotes: &[Quote], n: u64, ink: Ink) {
    let shown = quotes.len().min(QUOTES_MAX);
    for quote in &quotes[..shown] {
        let about = if quote.about.is_empty() { String::new() } else { format!(" [{}]", quote.about) };
        push_line!(out, "  {}{}", plain(&format!("{}{about}", quote.title)), word(quote, ink));
        for line in quote.lines.iter().take(LINES_MAX) {
            push_line!(out, "    {}", excerpt(line, LINE_COLUMNS_MAX));
        }
    }
    let more = n.saturating_sub(shown as u64);
    if more > 0 {
        push_line!(out, "  and {more} more: --json lists them");
    }
}

/// How a quote came out, behind its title.
fn word(quote: &Quote, ink: Ink) -> String {
    if quote.word.is_empty() {
        return String::new();
    }
    let word = plain(&quote.word);
    let emphasis = match quote.tone {
        Tone::Met => Emphasis::Good,
        Tone::Missed => Emphasis::Bad,
        Tone::Unscored => Emphasis::Doubt,
        Tone::Soft => return format!(", {word}"),
    };
    format!(", {}", ink.paint(&word, emphasis))
}
