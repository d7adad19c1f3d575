//! Markup in two parts: the pieces that a template itself says, each kept once, and the texts that it was filled with.
//!
//! A file of many cases holds the pieces once and the texts of each case alone, so that it is little larger than its
//! texts. What always holds: a piece comes from a template and never from a text, and a text is escaped when it is put in
//! between, here or in the browser.

use std::collections::HashMap;

use minijinja::value::Value;
use minijinja::{Error, ErrorKind, Output, State};
use serde::Serialize;

/// Stands where a text begins and ends. Texts cannot have it: it is no character.
const SEAM: char = '\u{fdd0}';

/// The pieces of templates, each with its number, in the order in which they were first met.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    known: HashMap<String, usize>,
    all: Vec<String>,
}

/// What a template was filled with: pieces by number, and a text between each two of them.
#[derive(Debug, Serialize)]
pub(crate) struct Markup {
    /// One more than there are texts.
    pub(crate) pieces: Vec<usize>,
    /// As they are, not escaped.
    pub(crate) texts: Vec<String>,
}

/// Writes what templates are filled with, with seams around every text. What is escaped already stands in a template's
/// piece: it is the same wherever the template is filled in.
pub(super) fn write_apart(out: &mut Output<'_>, _: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let failed = |_| Error::new(ErrorKind::WriteFailure, "a template could not be written");
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if value.is_safe() {
        return out.write_str(value.as_str().unwrap_or_default()).map_err(failed);
    }
    let text = match value.as_str() {
        Some(text) => text.replace(SEAM, "\u{fffd}"),
        None => value.to_string(),
    };
    write!(out, "{SEAM}{text}{SEAM}").map_err(failed)
}

impl Pieces {
    /// Takes apart what a template wrote with seams.
    pub(super) fn apart(&mut self, written: &str) -> Markup {
        let (mut pieces, mut texts) = (Vec::new(), Vec::new());
        for (at, part) in written.split(SEAM).enumerate() {
            if at % 2 == 1 {
                texts.push(part.to_owned());
            } else if let Some(number) = self.known.get(part) {
                pieces.push(*number);
            } else {
                pieces.push(self.all.len());
                self.known.insert(part.to_owned(), self.all.len());
                self.all.push(part.to_owned());
            }
        }
        Markup { pieces, texts }
    }

    /// All of them, by number.
    pub(super) fn all(self) -> Vec<String> {
        self.all
    }
}

/// What a template wrote with seams, put together with its texts escaped.
pub(super) fn together(written: &str) -> String {
    let parts = written.split(SEAM).enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { escaped(part) } else { part.to_owned() }).collect()
}

/// A text that is nothing but text in an element and in a quoted attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_never_become_pieces_and_are_escaped_when_put_together() {
        let mut environment = minijinja::Environment::new();
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
        environment.set_formatter(write_apart);
        environment.add_template("t", "<p title=\"{{ a }}\">{{ fixed|e }}</p>").unwrap();
        let filled = |a: &str| {
            let context = minijinja::context! { a, fixed => "<4>" };
            environment.get_template("t").unwrap().render(context).unwrap()
        };
        let hostile = format!("\"><script>{SEAM}'&");
        let mut pieces = Pieces::default();
        let [one, other] = [&*hostile, "plain"].map(|a| pieces.apart(&filled(a)));
        assert_eq!(one.pieces, other.pieces);
        assert_eq!(one.texts, ["\"><script>\u{fffd}'&"]);
        assert_eq!(pieces.all(), ["<p title=\"", "\">&lt;4&gt;</p>"]);
        let whole = together(&filled(&hostile));
        assert_eq!(whole, "<p title=\"&quot;&gt;&lt;script&gt;\u{fffd}&#39;&amp;\">&lt;4&gt;</p>");
    }
}
