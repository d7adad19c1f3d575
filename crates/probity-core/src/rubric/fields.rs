//! Tables read key by key, every fault noted with its line.
//!
//! A derived deserializer stops at the first wrong type, and turns `0.1` into a float before anybody
//! can look at it. This reads the syntax tree instead: all faults of a file come out in one go, and numbers
//! are taken from the text as it was written. It knows types and key names, not what they mean.

use std::str::FromStr;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Faults, Problem};
use super::source::Source;
use crate::case::{TextTrait, text_traits};
use crate::exact::Exact;
use crate::spelling::closest;

/// A value with the line it stands on.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

/// What a file has for a key.
#[derive(Debug, Clone)]
pub(super) enum Field<T> {
    /// Nothing.
    Absent,
    /// Something that was reported as wrong, so that nobody needs to complain again.
    Faulty,
    /// A value of the right type.
    Given(At<T>),
}

impl<T> Field<T> {
    /// The value with its line, if there is a good one.
    pub(super) fn given(&self) -> Option<&At<T>> {
        match self {
            Field::Given(at) => Some(at),
            Field::Absent | Field::Faulty => None,
        }
    }

    /// The same field with its value made into another.
    pub(super) fn map<U>(self, make: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Field::Absent => Field::Absent,
            Field::Faulty => Field::Faulty,
            Field::Given(At { line, value }) => Field::Given(At { line, value: make(value) }),
        }
    }

    /// The value, if there is a good one.
    pub(super) fn value(&self) -> Option<&T> {
        self.given().map(|at| &at.value)
    }
}

/// A kind of table: where it stands, and which keys it may have.
#[derive(Debug)]
pub(super) struct Shape {
    /// As it is named in messages: `[[criterion]]`.
    pub(super) place: &'static str,
    /// Every key it may have.
    pub(super) keys: &'static [&'static str],
}

type Node<'a> = &'a Spanned<DeValue<'a>>;

/// One table of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a> {
    source: &'a Source<'a>,
    shape: &'static Shape,
    table: &'a DeTable<'a>,
    /// The line of its header.
    pub(super) line: usize,
}

impl<'a> Fields<'a> {
    /// The top of the file.
    pub(super) fn top(source: &'a Source<'a>, shape: &'static Shape, table: &'a DeTable<'a>) -> Self {
        Fields { source, shape, table, line: 1 }
    }

    /// Reports every key that the table must not have; `shapes` are all there are, to say where it belongs.
    pub(super) fn refuse_unknown_keys(&self, shapes: &[&Shape], faults: &mut Faults) {
        for key in self.table.keys().filter(|key| !self.shape.keys.contains(&key.get_ref().as_ref())) {
            let name = key.get_ref().as_ref();
            let line = self.source.line_of(key.span().start);
            let problem = Problem::at(line, format!("unknown key `{name}` in {}", self.shape.place));
            let elsewhere = shapes.iter().find(|shape| shape.keys.contains(&name));
            faults.error(match (elsewhere, closest(name, self.shape.keys.iter().copied())) {
                (Some(shape), _) => problem.hint(format!("`{name}` belongs to {}", shape.place)),
                (None, Some(meant)) => problem.hint(format!("did you mean `{meant}`?")),
                (None, None) => problem.hint(format!("known keys: {}", self.shape.keys.join(", "))),
            });
        }
    }

    /// The same field, its absence reported.
    pub(super) fn required<T>(&self, key: &str, field: Field<T>, faults: &mut Faults) -> Field<T> {
        match field {
            Field::Absent => {
                let problem = Problem::at(self.line, format!("{} has no `{key}`", self.shape.place));
                faults.error(problem.hint(format!("add {key} = …")));
                Field::Faulty
            }
            there => there,
        }
    }

    /// A text that must be there and say something.
    pub(super) fn required_text(&self, key: &str, faults: &mut Faults) -> Field<String> {
        let field = self.text(key, faults);
        self.required(key, field, faults)
    }

    /// A text that says something, if it is there.
    pub(super) fn text(&self, key: &str, faults: &mut Faults) -> Field<String> {
        self.field(key, |node| self.text_of(key, node, faults))
    }

    /// A list of texts; none if the key is not there.
    pub(super) fn texts(&self, key: &str, faults: &mut Faults) -> Vec<String> {
        let items = self.items(key, "a list of texts", faults).unwrap_or_default();
        items.into_iter().filter_map(|node| self.text_of(key, node, faults)).collect()
    }

    /// One of the `options`, by name.
    pub(super) fn choice<T: Copy>(&self, key: &str, options: &[(&str, T)], faults: &mut Faults) -> Field<T> {
        self.field(key, |node| {
            let word = self.text_of(key, node, faults)?;
            let choice = options.iter().find(|(name, _)| *name == word);
            if choice.is_none() {
                let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
                let message = format!("`{key}` must be one of {}, found {word:?}", names.join(", "));
                let problem = Problem::at(self.line_of(node), message);
                faults.error(match closest(&word, names) {
                    Some(meant) => problem.hint(format!("did you mean \"{meant}\"?")),
                    None => problem,
                });
            }
            choice.map(|(_, choice)| *choice)
        })
    }

    /// A plain decimal, exactly as written.
    pub(super) fn decimal(&self, key: &str, faults: &mut Faults) -> Field<Exact> {
        self.field(key, |node| self.number_of(key, "a plain decimal number", node, faults))
    }

    /// A whole number.
    pub(super) fn integer(&self, key: &str, faults: &mut Faults) -> Field<i64> {
        self.field(key, |node| self.number_of(key, "a whole number", node, faults))
    }

    /// A list of whole numbers.
    pub(super) fn integers(&self, key: &str, faults: &mut Faults) -> Field<Vec<i64>> {
        self.field(key, |_| {
            let items = self.items(key, "a list of whole numbers", faults)?;
            let read: Vec<_> =
                items.into_iter().map(|node| self.number_of(key, "a whole number", node, faults)).collect();
            read.into_iter().collect()
        })
    }

    /// A table of texts with free keys, in the order of their lines.
    pub(super) fn free_texts(&self, key: &str, faults: &mut Faults) -> Field<Vec<At<(String, String)>>> {
        self.field(key, |node| {
            let table = self.table_of(key, node, faults)?;
            let mut texts = Vec::new();
            for (name, node) in table {
                let (name, line) = (name.get_ref().as_ref(), self.line_of(node));
                let text = self.text_of(&format!("{key}.{name}"), node, faults);
                texts.extend(text.map(|text| At { line, value: (name.to_owned(), text) }));
            }
            texts.sort_by_key(|text| text.line);
            (texts.len() == table.len()).then_some(texts)
        })
    }

    /// A table inside this one.
    pub(super) fn table(&self, key: &str, shape: &'static Shape, faults: &mut Faults) -> Field<Fields<'a>> {
        self.field(key, |node| self.inner(key, shape, node, faults))
    }

    /// The tables of a list of tables; none if the key is not there.
    pub(super) fn tables(&self, key: &str, shape: &'static Shape, faults: &mut Faults) -> Vec<Fields<'a>> {
        let items = self.items(key, "a list of tables", faults).unwrap_or_default();
        items.into_iter().filter_map(|node| self.inner(key, shape, node, faults)).collect()
    }

    fn line_of(&self, node: Node<'_>) -> usize {
        self.source.line_of(node.span().start)
    }

    fn field<T>(&self, key: &str, read: impl FnOnce(Node<'a>) -> Option<T>) -> Field<T> {
        let Some(node) = self.table.get(key) else { return Field::Absent };
        match read(node) {
            Some(value) => Field::Given(At { line: self.line_of(node), value }),
            None => Field::Faulty,
        }
    }

    fn items(&self, key: &str, expected: &str, faults: &mut Faults) -> Option<Vec<Node<'a>>> {
        let node = self.table.get(key)?;
        let DeValue::Array(items) = node.get_ref() else {
            faults.error(self.wrong_type(key, expected, node));
            return None;
        };
        Some(items.iter().collect())
    }

    fn inner(
        &self,
        key: &str,
        shape: &'static Shape,
        node: Node<'a>,
        faults: &mut Faults,
    ) -> Option<Fields<'a>> {
        let table = self.table_of(key, node, faults)?;
        Some(Fields { source: self.source, shape, table, line: self.line_of(node) })
    }

    fn table_of(&self, key: &str, node: Node<'a>, faults: &mut Faults) -> Option<&'a DeTable<'a>> {
        let DeValue::Table(table) = node.get_ref() else {
            faults.error(self.wrong_type(key, "a table", node));
            return None;
        };
        Some(table)
    }

    fn text_of(&self, key: &str, node: Node<'_>, faults: &mut Faults) -> Option<String> {
        let DeValue::String(text) = node.get_ref() else {
            faults.error(self.wrong_type(key, "a text", node));
            return None;
        };
        let (line, traits) = (self.line_of(node), text_traits(text));
        if traits.contains(&TextTrait::Empty) || traits.contains(&TextTrait::InvisibleOnly) {
            let problem = Problem::at(line, format!("`{key}` in {} is empty", self.shape.place));
            faults.error(problem.hint("say what is meant, or leave an optional key out"));
            return None;
        }
        if traits.contains(&TextTrait::HiddenCharacters) {
            let problem = Problem::at(line, format!("`{key}` has characters that nobody can see"));
            faults.warning(problem.hint("a judge reads them; write the text again without them"));
        }
        Some(text.clone().into_owned())
    }

    /// A number from its source text, so that 0.1 is one tenth and `1e3` is not quietly a thousand.
    fn number_of<T: FromStr>(
        &self,
        key: &str,
        expected: &str,
        node: Node<'a>,
        faults: &mut Faults,
    ) -> Option<T> {
        let (DeValue::Integer(_) | DeValue::Float(_)) = node.get_ref() else {
            faults.error(self.wrong_type(key, expected, node));
            return None;
        };
        let written = self.source.written(node.span());
        let number = written.parse().ok();
        if number.is_none() {
            let message = format!("`{key}` must be {expected}, found {written}");
            faults.error(Problem::at(self.line_of(node), message).hint(number_hint(written)));
        }
        number
    }

    fn wrong_type(&self, key: &str, expected: &str, node: Node<'_>) -> Problem {
        let found = node.get_ref();
        let message = format!("`{key}` must be {expected}, found {}", kind(found));
        let problem = Problem::at(self.line_of(node), message);
        let written = self.source.written(node.span());
        match (expected, found) {
            ("a text", DeValue::Array(_) | DeValue::Table(_)) => problem.hint("one text in quotes"),
            ("a text", _) => problem.hint(format!("put it in quotes: \"{written}\"")),
            ("a list of tables", DeValue::Table(_)) => {
                problem.hint(format!("write [[{key}]] with two brackets"))
            }
            ("a list of texts", DeValue::String(_)) => problem.hint(format!("write {key} = [\"…\"]")),
            (_, DeValue::String(text)) if text.parse::<Exact>().is_ok() => {
                problem.hint(format!("write {text} without quotes"))
            }
            _ => problem,
        }
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

fn number_hint(written: &str) -> &'static str {
    let lower = written.to_ascii_lowercase();
    if lower.contains("nan") || lower.contains("inf") {
        "only a number that can be counted with will do"
    } else if ["0x", "0o", "0b"].iter().any(|radix| lower.starts_with(radix)) {
        "write it in decimal: 16, not 0x10"
    } else if lower.contains('_') {
        "write it without `_`: 1000, not 1_000"
    } else if lower.contains('e') {
        "write it without an exponent: 1000, not 1e3"
    } else {
        "write digits such as 4; decimals such as 12.5 only for weights, marks and targets, at most twelve"
    }
}
