//! Text from outside, made safe to show on a terminal.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` on one line: line breaks become spaces, and whatever could move the cursor, change colours or
/// reorder letters is shown as an escape.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || reorders(c) => {
                write!(out, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail");
            }
            c => out.push(c),
        }
    }
    out
}

/// How many columns of a terminal `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` with spaces behind it, as wide as `n_columns`.
pub(crate) fn padded(text: &str, n_columns: usize) -> String {
    format!("{text}{}", " ".repeat(n_columns.saturating_sub(width(text))))
}

/// The first `n_columns` of `text`, the last of them `…` if anything was left out.
pub(crate) fn cut(text: &str, n_columns: usize) -> String {
    if width(text) <= n_columns {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used < n_columns
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The first `n_columns` of `text` on one line, with a mark where it was cut.
pub(crate) fn excerpt(text: &str, n_columns: usize) -> String {
    cut(plain(text).trim(), n_columns)
}

fn reorders(c: char) -> bool {
    matches!(
        u32::from(c),
        0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe0000..=0xe007f
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f90_nothing_reaches_the_terminal_that_acts_on_it() {
        assert_eq!(plain("a\u{1b}[31mred\u{7}\nb"), "a\\u{1b}[31mred\\u{7} b");
        assert_eq!(plain("x\u{202e}y\u{9b}z"), "x\\u{202e}y\\u{9b}z");
        assert_eq!(plain("Grüße \u{1f600}"), "Grüße \u{1f600}");
    }

    #[test]
    fn an_excerpt_is_cut_visibly() {
        assert_eq!(excerpt("short", 10), "short");
        assert_eq!(excerpt("a longer sentence", 9), "a longer…");
    }
}
