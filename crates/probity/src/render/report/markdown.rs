//! A document in Markdown, as code hosts show it: the same words and tables, with figures drawn in characters.
//!
//! Text from outside is shown as text: nothing in it makes a link, an image, a mention or a table cell.

use std::fmt::Write as _;

use super::chart::in_characters;
use super::document::{Block, Cell, Column, ColumnKind, Document, Quote, Section, ShownIn, Table};
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
    if !document.verdict.is_empty() {
        push_line!(out, "**{}**\n", escaped(&document.verdict));
    }
    if !document.lead.is_empty() {
        push_line!(out, "{}\n", escaped(&document.lead));
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
    // A table beside each drawing has the same figures, and the results file has the rows.
    let is_shown = |block: &Block| !matches!(block, Block::Legend(_) | Block::Drawing(_) | Block::Rows);
    if section.shown == ShownIn::OnPages || !section.blocks.iter().any(is_shown) {
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
            Block::Legend(_)
            | Block::Drawing(_)
            | Block::Rows
            | Block::Fold(_)
            | Block::Command(_)
            | Block::Sides(..) => {}
        }
    }
}

fn table(out: &mut String, table: &Table) {
    let title = |column: &Column| match &column.ruler {
        Some(ruler) => ruler.ends(),
        None => escaped(&column.title),
    };
    // Levels are drawn on pages; here the column beside them has the counts.
    let is_shown =
        |at: usize| table.columns[at].kind != ColumnKind::Plot || table.columns[at].ruler.is_some();
    let shown: Vec<usize> = (0..table.columns.len()).filter(|at| is_shown(*at)).collect();
    let titles: Vec<String> = shown.iter().map(|at| title(&table.columns[*at])).collect();
    push_line!(out, "| {} |\n|{}", titles.join(" | "), "---|".repeat(titles.len()));
    for row in &table.rows {
        let cells = shown.iter().map(|at| match &row[*at] {
            Cell::Text(text) | Cell::Styled(text, _) | Cell::Filter(text, ..) => escaped(text),
            Cell::Plot(drawn) => format!("`{}`", in_characters(drawn)),
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

/// `text` on one line, with an escape before each character that Markdown, HTML or a code host would act on where it
/// stands, and before no other.
fn escaped(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_start();
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '<' => out.push_str("&lt;"),
            '&' if begins_entity(after) => out.push_str("&amp;"),
            // Mentions and references are found in the rendered text, where no escape is left: a comment parts them.
            '@' | '#' if after.starts_with(char::is_alphanumeric) => {
                write!(out, "{}{c}<!-- -->", if before.is_empty() && c == '#' { "\\" } else { "" })
                    .expect("a string takes any text");
            }
            _ => {
                out.extend(acts(before, c, after).then_some('\\'));
                out.push(c);
            }
        }
    }
    out
}

/// Whether Markdown acts on `c` between what stands before and after it on its line.
fn acts(before: &str, c: char, after: &str) -> bool {
    let ends_marker = after.is_empty() || after.starts_with(' ');
    match c {
        '\\' | '`' | '*' | '[' | '|' | '~' => true,
        // Inside a word it is a letter.
        '_' => !(before.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)),
        // A formula ends with one that no digit follows.
        '$' => !after.starts_with(|c: char| c.is_ascii_digit()),
        // Addresses become links by themselves.
        ':' => after.starts_with("//"),
        '.' if before.to_ascii_lowercase().ends_with("www") => true,
        // The rest begins a heading, a quote or a list.
        '#' | '>' => before.is_empty(),
        '-' => before.is_empty() && (ends_marker || after.starts_with('-')),
        '+' => before.is_empty() && ends_marker,
        '.' | ')' => ends_marker && !before.is_empty() && before.bytes().all(|digit| digit.is_ascii_digit()),
        _ => false,
    }
}

/// Whether `&` with this after it stands for another character.
fn begins_entity(after: &str) -> bool {
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#'));
    end.is_some_and(|end| end > 0 && after[end..].starts_with(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(escaped(text), want);
    }

    #[test]
    fn nothing_from_outside_is_markup() {
        check("a | b <img> @team", "a \\| b &lt;img> @<!-- -->team");
        check("[x](http://y) ![z](//w) www.x.y", "\\[x](http\\://y) !\\[z](//w) www\\.x.y");
        check(
            "**b** __c__ `d` ~~e~~ $x$ \\*",
            "\\*\\*b\\*\\* \\_\\_c\\_\\_ \\`d\\` \\~\\~e\\~\\~ \\$x\\$ \\\\\\*",
        );
        check("&lt;b&#x3e; &amp", "&amp;lt;b&amp;#<!-- -->x3e; &amp");
        check("see #12, o/r#3 and a@b.example", "see #<!-- -->12, o/r#<!-- -->3 and a@<!-- -->b.example");
        check("    two\nlines", "two lines");
    }

    #[test]
    fn nothing_from_outside_begins_a_block() {
        check("# a", "\\# a");
        check("#a", "\\#<!-- -->a");
        check("> a > b", "\\> a > b");
        check("- a - b", "\\- a - b");
        check("---", "\\---");
        check("+ a + b", "\\+ a + b");
        check("1. a 2. b", "1\\. a 2. b");
        check("12) a", "12\\) a");
    }

    #[test]
    fn what_is_no_markup_stays_as_it_is() {
        for text in [
            "harmful_content 1",
            "0: 2 · 1: 3, 5 % of 20 (n = 7); 12:30",
            "-0.05 to +0.03",
            "1.5 & 2.0, \"quoted\", it's {so}! ^ = / ?",
            "$0.0123",
        ] {
            check(text, text);
        }
    }
}
