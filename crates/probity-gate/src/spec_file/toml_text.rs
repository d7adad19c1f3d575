//! The text of a TOML file, its lines and its syntax.
//!
//! Syntax errors become problems in words for people. What the tables may hold is for
//! [`fields`](super::fields).

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Faults, Problem};
use super::tree::{Content, Member, Node, Table};

/// The table that a TOML file is. `None` where its syntax is too broken to say what it means.
pub fn toml_table(text: &str, faults: &mut Faults) -> Option<Table> {
    let source = Source::new(text);
    let tree = source.tree(faults)?;
    Some(source.table(&tree))
}

/// The text of a file and where its lines begin.
#[derive(Debug)]
struct Source<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Source { text, line_starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// The line, from 1, that a byte stands on.
    fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= offset).max(1)
    }

    /// The text between two bytes, as it was written.
    fn written(&self, span: std::ops::Range<usize>) -> &'t str {
        self.text.get(span).unwrap_or("")
    }

    fn line(&self, number: usize) -> &'t str {
        self.text.lines().nth(number - 1).unwrap_or("")
    }

    /// The tree of the whole file. `None` where its syntax is too broken to say what it means.
    fn tree(&self, faults: &mut Faults) -> Option<DeTable<'t>> {
        let (tree, syntax_errors) = DeTable::parse_recoverable(self.text);
        let mut last_line = 0;
        let mut meaning_is_clear = true;
        let mut found: Vec<(usize, &toml::de::Error)> = syntax_errors
            .iter()
            .map(|error| (self.line_of(error.span().map_or(0, |span| span.start)), error))
            .collect();
        found.sort_by_key(|(line, _)| *line);
        for (line, error) in found {
            let duplicate = error.message() == "duplicate key";
            meaning_is_clear &= duplicate;
            // The parser goes on after a fault and may trip over its own recovery; the first one counts.
            if line != last_line {
                faults.error(self.syntax_problem(line, error, duplicate));
            }
            last_line = line;
        }
        meaning_is_clear.then(|| tree.into_inner())
    }

    fn table(&self, table: &DeTable<'_>) -> Table {
        let member = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = key.get_ref();
            let line = self.line_of(key.span().start);
            Member { key: name.clone().into_owned(), line, node: self.node(value) }
        };
        Table { members: table.iter().map(member).collect() }
    }

    fn node(&self, value: &Spanned<DeValue<'_>>) -> Node {
        let written = || self.written(value.span()).to_owned();
        let content = match value.get_ref() {
            DeValue::String(text) => Content::Text(text.clone().into_owned()),
            DeValue::Integer(_) | DeValue::Float(_) => Content::Number(written()),
            DeValue::Boolean(value) => Content::Boolean(*value),
            DeValue::Datetime(_) => Content::Date(written()),
            DeValue::Array(items) => Content::List(items.iter().map(|item| self.node(item)).collect()),
            DeValue::Table(table) => Content::Table(self.table(table)),
        };
        Node { line: self.line_of(value.span().start), content }
    }

    fn syntax_problem(&self, line: usize, error: &toml::de::Error, duplicate: bool) -> Problem {
        if duplicate {
            let key = error.span().map_or("", |span| self.written(span));
            let problem = Problem::at(line, format!("duplicate key `{key}`"));
            return problem.hint("a key may stand once in a table; keep one of the two");
        }
        if let Some(word) = bare_word(self.line(line)) {
            let problem = Problem::at(line, format!("expected a value, found the bare word `{word}`"));
            return problem.hint(format!("texts stand in quotes: \"{word}\""));
        }
        if self.line(line).trim_end().ends_with('=') {
            return Problem::at(line, "expected a value after `=`").hint("such as \"a text\" or 40");
        }
        let problem = Problem::at(line, format!("not TOML: {}", error.message()));
        if error.message().starts_with("key with no value") {
            return problem.hint("a line reads: key = \"value\"");
        }
        problem
    }
}

/// The value of a `key = value` line if it is a word that TOML has no meaning for.
fn bare_word(line: &str) -> Option<&str> {
    let (_, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or("").trim();
    let starts = value.starts_with(|c: char| c.is_alphabetic());
    let plain = value.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c));
    (starts && plain && !["true", "false", "nan", "inf"].contains(&value)).then_some(value)
}
