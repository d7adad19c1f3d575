//! A document in Markdown, as code hosts show it: the same words and tables, without what is drawn.
//!
//! Text from outside is shown as text: nothing in it makes a link, an image, a mention or a table cell.

use std::fmt::Write as _;

use super::document::{Block, Cell, ColumnKind, Document, Quote, Section, Table};
use crate::plain::{excerpt, plain};

/// How much of a line of a quote is shown.
const LINE_COLUMNS_MAX: usize = 240;

/// The whole document.
pub(super) fn markdown(document: &Document) -> String {
    let mut out = String::new();
    push_line!(out, "## {}\n", escaped(&document.title));
    if let Some(judge) = &document.judge {
        let (name, reason) = (escaped(&judge.name), escaped(&judge.reason));
        push_line!(out, "Judge {name}, standing **{}**: {reason}. {}\n", judge.standing, judge.caution());
    }
    if !document.about.is_empty() {
        push_line!(out, "{}\n", escaped(&document.about));
    }
    if !document.lead.is_empty() {
        push_line!(out, "**{}**\n", escaped(&document.lead));
    }
    let tiles = document.tiles.iter().map(|tile| format!("{} {}", tile.value, tile.name));
    list(&mut out, tiles);
    for warning in &document.warnings {
        push_line!(out, "> {}\n", escaped(warning));
    }
    for section in &document.sections {
        self::section(&mut out, section);
    }
    if !document.calls.is_empty() {
        push_line!(out, "### Calls\n");
        list(&mut out, document.calls.iter().cloned());
    }
    if let Some(appendix) = &document.appendix {
        push_line!(out, "### Made with\n");
        list(&mut out, appendix.hashes().map(|(name, value)| format!("{name}: {value}")));
        push_line!(out, "Made again with no call by {}", escaped(appendix.command()));
    }
    out
}

fn list(out: &mut String, items: impl Iterator<Item = String>) {
    items.for_each(|item| push_line!(out, "- {}", escaped(&item)));
    push_line!(out);
}

fn section(out: &mut String, section: &Section) {
    if matches!(section.blocks[..], [Block::Rows(_)]) {
        return;
    }
    push_line!(out, "### {}\n", escaped(&section.title));
    for block in &section.blocks {
        match block {
            Block::Text(text) => push_line!(out, "{}\n", escaped(text)),
            Block::Heading(text) => push_line!(out, "#### {}\n", escaped(text)),
            Block::Table(table) => self::table(out, table),
            Block::List(items) => list(out, items.iter().cloned()),
            Block::Quotes(quotes, n) => self::quotes(out, quotes, *n),
            // A table beside each drawing has the same figures, and the results file has the rows.
            Block::Legend(_) | Block::Drawing(_) | Block::Rows(_) => {}
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
            Cell::Text(text) | Cell::Styled(text, _) => escaped(text),
            Cell::Plot(_) => String::new(),
        });
        push_line!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    push_line!(out);
}

fn quotes(out: &mut String, quotes: &[Quote], n: u64) {
    push_line!(out, "<details><summary>{} in words</summary>\n", quotes.len());
    for quote in quotes {
        push_line!(out, "- **{}** {} {}", escaped(&quote.title), escaped(&quote.about), escaped(&quote.word));
        for said in &quote.lines {
            push_line!(out, "  - {}", escaped(&excerpt(said, LINE_COLUMNS_MAX)));
        }
    }
    let more = n.saturating_sub(quotes.len() as u64);
    if more > 0 {
        push_line!(out, "- and {more} more");
    }
    push_line!(out, "\n</details>\n");
}

/// `text` on one line, every character that Markdown or HTML would act on written as an entity.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        if c.is_ascii_punctuation()
            && !matches!(c, '.' | ',' | '-' | '\'' | '(' | ')' | '?' | '%' | ';' | '/')
        {
            write!(out, "&#{};", u32::from(c)).expect("writing to a string cannot fail");
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        assert_eq!(escaped("a | b <img> @team"), "a &#124; b &#60;img&#62; &#64;team");
        assert_eq!(escaped("[x](http://y)"), "&#91;x&#93;(http&#58;//y)");
        assert_eq!(escaped("two\nlines, 5 %"), "two lines, 5 %");
    }
}
