//! A page as Markdown: the same words and tables, without what is drawn.

use std::fmt::Write as _;

use super::super::chart::Matrix;
use super::super::page::{Block, Cell, ColumnKind, Page, Quote, Section, Table};
use super::escaped;

/// The whole page.
pub(in super::super) fn markdown(page: &Page) -> String {
    let mut out = String::new();
    push_line!(out, "## {}\n", escaped(&page.title));
    if let Some(judge) = &page.judge {
        let (name, reason) = (escaped(&judge.name), escaped(&judge.reason));
        push_line!(out, "Judge {name}, standing **{}**: {reason}. {}\n", judge.standing, judge.caution);
    }
    if !page.lead.is_empty() {
        push_line!(out, "**{}**\n", escaped(&page.lead));
    }
    for tile in &page.tiles {
        push_line!(out, "- {} {}", escaped(&tile.value), escaped(&tile.name));
    }
    push_line!(out);
    for warning in &page.warnings {
        push_line!(out, "> {}\n", escaped(warning));
    }
    for section in &page.sections {
        self::section(&mut out, section);
    }
    push_line!(out, "### Made with\n");
    for (name, value) in page.appendix.hashes() {
        push_line!(out, "- {}: {}", escaped(name), escaped(value));
    }
    push_line!(out, "\nMade again with no call by {}", escaped(page.appendix.command()));
    out
}

fn section(out: &mut String, section: &Section) {
    push_line!(out, "### {}\n", escaped(&section.title));
    for block in &section.blocks {
        match block {
            Block::Text { text } => push_line!(out, "{}\n", escaped(text)),
            Block::Heading { text } => push_line!(out, "#### {}\n", escaped(text)),
            Block::Table(table) => self::table(out, table),
            Block::Matrix(matrix) => self::matrix(out, matrix),
            Block::List { items } => {
                for item in items {
                    push_line!(out, "- {}", escaped(item));
                }
                push_line!(out);
            }
            Block::Quotes { quotes } => self::quotes(out, quotes),
            // A table beside each drawing has the same figures.
            Block::Legend { .. } | Block::Scatter(_) | Block::Reliability(_) => {}
        }
    }
}

fn table(out: &mut String, table: &Table) {
    let is_kept = |at: usize| table.columns[at].kind != ColumnKind::Plot;
    let titles = table.columns.iter().enumerate().filter(|(at, _)| is_kept(*at));
    let titles: Vec<String> = titles.map(|(_, column)| escaped(&column.title)).collect();
    push_line!(out, "| {} |\n|{}", titles.join(" | "), "---|".repeat(titles.len()));
    for row in &table.rows {
        let cells = row.iter().enumerate().filter(|(at, _)| is_kept(*at));
        let cells = cells.map(|(_, cell)| match cell {
            Cell::Text { text } | Cell::Word { text, .. } => escaped(text),
            Cell::Plot(_) => String::new(),
        });
        push_line!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    push_line!(out);
}

fn matrix(out: &mut String, matrix: &Matrix) {
    let columns: Vec<String> = matrix.columns.iter().map(|name| escaped(name)).collect();
    let corner = format!("{} / {}", escaped(&matrix.rows_are), escaped(&matrix.columns_are));
    push_line!(out, "| {corner} | {} |\n|---|{}", columns.join(" | "), "---|".repeat(columns.len()));
    for row in &matrix.rows {
        let cells: Vec<String> = row.cells.iter().map(|cell| cell.n.to_string()).collect();
        push_line!(out, "| {} | {} |", escaped(&row.name), cells.join(" | "));
    }
    push_line!(out);
}

fn quotes(out: &mut String, quotes: &[Quote]) {
    push_line!(out, "<details><summary>{} in words</summary>\n", quotes.len());
    for quote in quotes {
        push_line!(out, "- **{}** {} {}", escaped(&quote.title), escaped(&quote.about), escaped(&quote.word));
        for said in &quote.lines {
            push_line!(out, "  - {}", escaped(said));
        }
    }
    push_line!(out, "\n</details>\n");
}
