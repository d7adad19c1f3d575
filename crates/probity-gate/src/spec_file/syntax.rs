//! From the text of a file to its tables: TOML, or one JSON object per line.
//!
//! Syntax errors become problems in words for people. What the tables may hold is for
//! [`fields`](super::fields).

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Content, Faults, Member, Node, Problem, Table};
use crate::json::{Json, parse};

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
        let (tree, mut errors) = DeTable::parse_recoverable(self.text);
        let line = |error: &toml::de::Error| self.line_of(error.span().map_or(0, |span| span.start));
        let is_clear = errors.iter().all(is_duplicate);
        errors.sort_by_key(line);
        // The parser goes on after a fault and may trip over its own recovery; the first of a line counts.
        errors.dedup_by_key(|error| line(error));
        for error in &errors {
            faults.error(self.syntax_problem(line(error), error));
        }
        is_clear.then(|| tree.into_inner())
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

    fn syntax_problem(&self, line: usize, error: &toml::de::Error) -> Problem {
        if is_duplicate(error) {
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

/// Whether a key stands twice, so that it is clear what the rest means.
fn is_duplicate(error: &toml::de::Error) -> bool {
    error.message() == "duplicate key"
}

/// The value of a `key = value` line if it is a word that TOML has no meaning for.
fn bare_word(line: &str) -> Option<&str> {
    let (_, value) = line.split_once('=')?;
    let value = value.split('#').next().unwrap_or("").trim();
    let starts = value.starts_with(|c: char| c.is_alphabetic());
    let plain = value.chars().all(|c| c.is_alphanumeric() || "_- ".contains(c));
    (starts && plain && !["true", "false", "nan", "inf"].contains(&value)).then_some(value)
}

/// The table of each line of JSON with its number, blank lines passed over. A line that is no object, or has a key
/// twice, is a fault and gives none.
pub(crate) fn json_tables(text: &str, faults: &mut Faults) -> Vec<(usize, Table)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    filled.filter_map(|(number, line)| Some((number, line_table(number, line, faults)?))).collect()
}

fn line_table(number: usize, line: &str, faults: &mut Faults) -> Option<Table> {
    let problem = match parse(line.trim()) {
        Ok(json) => match node(number, &json).content {
            Content::Table(table) => return Some(table),
            _ => Problem::at(number, format!("expected an object, found {}", json.kind())),
        },
        Err(error) => Problem::at(number, format!("not JSON: {error} of the line")),
    };
    faults.error(problem.hint("each line holds one whole object in braces"));
    None
}

fn node(line: usize, json: &Json) -> Node {
    let content = match json {
        Json::Null => Content::Null,
        Json::Bool(value) => Content::Boolean(*value),
        Json::Number(written) => Content::Number(written.clone()),
        Json::String(text) => Content::Text(text.clone()),
        Json::Array(items) => Content::List(items.iter().map(|item| node(line, item)).collect()),
        Json::Object(object) => {
            let given = object.iter().filter(|(_, value)| **value != Json::Null);
            let member =
                |(key, value): (&str, &Json)| Member { key: key.to_owned(), line, node: node(line, value) };
            Content::Table(Table { members: given.map(member).collect() })
        }
    };
    Node { line, content }
}
