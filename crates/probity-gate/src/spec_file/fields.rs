//! Tables read key by key, every fault noted with its line.
//!
//! A derived deserializer stops at the first wrong type, and turns `0.1` into a float before
//! it can be looked at. This reads the syntax tree instead: all faults of a file come out in one go, and numbers
//! are taken from the text as it was written. It knows types and key names, not what they mean.

use std::str::FromStr;

use super::{Content, Faults, Member, Node, Problem, Table};
use crate::case::{TextTrait, text_trait};
use crate::exact::Exact;
use crate::spelling::closest;

/// A value with the line it stands on.
#[derive(Debug, Clone)]
pub struct At<T> {
    /// The line, from 1.
    pub line: usize,
    /// The value.
    pub value: T,
}

/// A text with its label, where it has one.
pub type LabelledText = (Option<String>, String);

/// What a file has for a key.
#[derive(Debug, Clone)]
pub enum Field<T> {
    /// Nothing.
    Absent,
    /// Something that was reported as wrong, so that it is reported once.
    Faulty,
    /// A value of the right type.
    Given(At<T>),
}

impl<T> Field<T> {
    /// The value with its line, if there is a good one.
    pub fn given(&self) -> Option<&At<T>> {
        if let Field::Given(at) = self { Some(at) } else { None }
    }

    /// The same field with its value made into another.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Field<U> {
        match self {
            Field::Absent => Field::Absent,
            Field::Faulty => Field::Faulty,
            Field::Given(At { line, value }) => Field::Given(At { line, value: make(value) }),
        }
    }

    /// The value, if there is a good one.
    pub fn value(&self) -> Option<&T> {
        self.given().map(|at| &at.value)
    }
}

/// A kind of table: where it stands, and which keys it may have.
#[derive(Debug)]
pub struct Shape {
    /// As it is named in messages: `[[criterion]]`.
    pub place: &'static str,
    /// Every key it may have.
    pub keys: &'static [&'static str],
}

/// One table of the file.
#[derive(Debug, Clone, Copy)]
pub struct Fields<'a> {
    shape: &'static Shape,
    table: &'a Table,
    /// The line of its header.
    pub line: usize,
}

impl<'a> Fields<'a> {
    /// A table that stands alone: the top of a file, or one line of JSON.
    pub fn top(shape: &'static Shape, table: &'a Table, line: usize) -> Self {
        Fields { shape, table, line }
    }

    /// The tables of a file that holds nothing else: `shapes` are the top of the file, whose only key they stand under,
    /// and theirs. A file without any is told what to `add`.
    pub(crate) fn listed(
        table: &'a Table,
        shapes: &'static [&'static Shape],
        add: &str,
        faults: &mut Faults,
    ) -> Vec<Fields<'a>> {
        let (top, key) = (Fields::top(shapes[0], table, 1), shapes[0].keys[0]);
        top.refuse_unknown_keys(shapes, faults);
        let tables = top.tables(key, shapes[1], faults);
        if tables.is_empty() && faults.n_errors() == 0 {
            faults.error(Problem::at(1, format!("the file has no {key}")).hint(add));
        }
        tables
    }

    /// Reports every key that the table must not have; `shapes` are all there are, to say where it belongs.
    pub fn refuse_unknown_keys(&self, shapes: &[&Shape], faults: &mut Faults) {
        for (name, line) in self.keys().filter(|(name, _)| !self.shape.keys.contains(name)) {
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
    pub fn required<T>(&self, key: &str, field: Field<T>, faults: &mut Faults) -> Field<T> {
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
    pub fn required_text(&self, key: &str, faults: &mut Faults) -> Field<String> {
        let field = self.text(key, faults);
        self.required(key, field, faults)
    }

    /// A text that says something, if it is there.
    pub fn text(&self, key: &str, faults: &mut Faults) -> Field<String> {
        self.field(key, |node| self.text_of(key, node, faults))
    }

    /// A text as it stands, which may be empty or have invisible characters.
    pub fn any_text(&self, key: &str, faults: &mut Faults) -> Field<String> {
        self.field(key, |node| typed(key, "a text", node, faults, Content::as_text).cloned())
    }

    /// Whether something is.
    pub fn boolean(&self, key: &str, faults: &mut Faults) -> Field<bool> {
        let value = |it: &Content| if let Content::Boolean(value) = it { Some(*value) } else { None };
        self.field(key, |node| typed(key, "true or false", node, faults, value))
    }

    /// Whether the table has `key`.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// A list of texts; none if the key is not there.
    pub fn texts(&self, key: &str, faults: &mut Faults) -> Vec<String> {
        let items = self.items(key, "a list of texts", faults).into_iter().flatten();
        items.filter_map(|node| self.text_of(key, node, faults)).collect()
    }

    /// A text, or a list of texts, each on its line.
    pub fn one_or_more_texts(&self, key: &str, faults: &mut Faults) -> Field<Vec<At<String>>> {
        self.field(key, |node| match &node.content {
            Content::Text(_) => self.text_list(key, std::slice::from_ref(node), faults),
            Content::List(items) => self.text_list(key, items, faults),
            _ => {
                faults.error(wrong_type(key, "a text or a list of texts", node));
                None
            }
        })
    }

    /// A text, a list of texts, or a table of texts whose keys are their labels.
    pub(crate) fn labelled_texts(&self, key: &str, faults: &mut Faults) -> Field<Vec<At<LabelledText>>> {
        let unlabelled = |At { line, value }: At<String>| At { line, value: (None, value) };
        let labelled = |At { line, value: (label, text) }| At { line, value: (Some(label), text) };
        if self.table.get(key).is_some_and(|node| node.content.as_table().is_some()) {
            self.free_texts(key, faults).map(|texts| texts.into_iter().map(labelled).collect())
        } else {
            self.one_or_more_texts(key, faults).map(|texts| texts.into_iter().map(unlabelled).collect())
        }
    }

    /// A date or time as it was written, in quotes or not.
    pub fn date(&self, key: &str, faults: &mut Faults) -> Field<String> {
        self.field(key, |node| match &node.content {
            Content::Date(written) => Some(written.clone()),
            _ => self.text_of(key, node, faults),
        })
    }

    /// One of the `options`, by name.
    pub fn choice<T: Clone>(&self, key: &str, options: &[(&str, T)], faults: &mut Faults) -> Field<T> {
        self.field(key, |node| {
            let word = self.text_of(key, node, faults)?;
            let choice = options.iter().find(|(name, _)| *name == word);
            if choice.is_none() {
                let names: Vec<&str> = options.iter().map(|(name, _)| *name).collect();
                let message = format!("`{key}` must be one of {}, found {word:?}", names.join(", "));
                let problem = Problem::at(node.line, message);
                faults.error(match closest(&word, names) {
                    Some(meant) => problem.hint(format!("did you mean \"{meant}\"?")),
                    None => problem,
                });
            }
            choice.map(|(_, choice)| choice.clone())
        })
    }

    /// A plain decimal, exactly as written.
    pub fn decimal(&self, key: &str, faults: &mut Faults) -> Field<Exact> {
        self.field(key, |node| number_of(key, "a plain decimal number", node, faults))
    }

    /// A whole number.
    pub fn integer(&self, key: &str, faults: &mut Faults) -> Field<i64> {
        self.field(key, |node| number_of(key, "a whole number", node, faults))
    }

    /// A list of whole numbers.
    pub fn integers(&self, key: &str, faults: &mut Faults) -> Field<Vec<i64>> {
        self.field(key, |_| {
            let items = self.items(key, "a list of whole numbers", faults)?.iter();
            let read: Vec<_> = items.map(|node| number_of(key, "a whole number", node, faults)).collect();
            read.into_iter().collect()
        })
    }

    /// A table of texts with free keys, in the order of their lines.
    pub fn free_texts(&self, key: &str, faults: &mut Faults) -> Field<Vec<At<(String, String)>>> {
        self.field(key, |node| {
            let table = typed(key, "a table", node, faults, Content::as_table)?;
            let mut texts = Vec::new();
            for Member { key: name, node, .. } in &table.members {
                let text = self.text_of(&format!("{key}.{name}"), node, faults);
                texts.extend(text.map(|text| At { line: node.line, value: (name.clone(), text) }));
            }
            texts.sort_by_key(|text| text.line);
            (texts.len() == table.members.len()).then_some(texts)
        })
    }

    /// A table inside this one.
    pub fn table(&self, key: &str, shape: &'static Shape, faults: &mut Faults) -> Field<Fields<'a>> {
        self.field(key, |node| inner(key, shape, node, faults))
    }

    /// The tables of a list of tables; none if the key is not there.
    pub fn tables(&self, key: &str, shape: &'static Shape, faults: &mut Faults) -> Vec<Fields<'a>> {
        let items = self.items(key, "a list of tables", faults).into_iter().flatten();
        items.filter_map(|node| inner(key, shape, node, faults)).collect()
    }

    /// The tables inside the table `key`, each with its name; none if the key is not there.
    pub(crate) fn named_tables(
        &self,
        key: &str,
        shape: &'static Shape,
        faults: &mut Faults,
    ) -> Vec<(&'a str, Fields<'a>)> {
        let Some(node) = self.table.get(key) else { return Vec::new() };
        let members = typed(key, "a table", node, faults, Content::as_table).map(|table| &table.members);
        let inner = |Member { key, node, .. }: &'a Member| Some((&**key, inner(key, shape, node, faults)?));
        members.into_iter().flatten().filter_map(inner).collect()
    }

    /// The keys that the table has, each with its line.
    pub fn keys(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.table.members.iter().map(|member| (member.key.as_str(), member.line))
    }

    fn items(&self, key: &str, expected: &str, faults: &mut Faults) -> Option<&'a Vec<Node>> {
        typed(key, expected, self.table.get(key)?, faults, Content::as_list)
    }

    fn text_list(&self, key: &str, items: &[Node], faults: &mut Faults) -> Option<Vec<At<String>>> {
        let text = |node: &Node| self.text_of(key, node, faults).map(|value| At { line: node.line, value });
        let texts: Vec<Option<At<String>>> = items.iter().map(text).collect();
        texts.into_iter().collect()
    }

    fn field<T>(&self, key: &str, read: impl FnOnce(&'a Node) -> Option<T>) -> Field<T> {
        let Some(node) = self.table.get(key) else { return Field::Absent };
        match read(node) {
            Some(value) => Field::Given(At { line: node.line, value }),
            None => Field::Faulty,
        }
    }

    fn text_of(&self, key: &str, node: &Node, faults: &mut Faults) -> Option<String> {
        let text = typed(key, "a text", node, faults, Content::as_text)?;
        match text_trait(text) {
            Some(TextTrait::Empty | TextTrait::InvisibleOnly) => {
                let problem = Problem::at(node.line, format!("`{key}` in {} is empty", self.shape.place));
                faults.error(problem.hint("say what is meant, or leave an optional key out"));
                return None;
            }
            Some(TextTrait::HiddenCharacters) => {
                let problem = Problem::at(node.line, format!("`{key}` has invisible characters"));
                faults.warning(problem.hint("a judge reads them; write the text again without them"));
            }
            None => {}
        }
        Some(text.clone())
    }
}

fn inner<'a>(key: &str, shape: &'static Shape, node: &'a Node, faults: &mut Faults) -> Option<Fields<'a>> {
    let table = typed(key, "a table", node, faults, Content::as_table)?;
    Some(Fields { shape, table, line: node.line })
}

/// A number from its source text, so that 0.1 is one tenth and `1e3` is not quietly a thousand.
fn number_of<T: FromStr>(key: &str, expected: &str, node: &Node, faults: &mut Faults) -> Option<T> {
    let written = typed(key, expected, node, faults, Content::as_number)?;
    let number = written.parse().ok();
    if number.is_none() {
        let message = format!("`{key}` must be {expected}, found {written}");
        faults.error(Problem::at(node.line, message).hint(number_hint(written)));
    }
    number
}

/// What `get` finds in a value; a value of another type is reported.
fn typed<'n, T>(
    key: &str,
    expected: &str,
    node: &'n Node,
    faults: &mut Faults,
    get: impl FnOnce(&'n Content) -> Option<T>,
) -> Option<T> {
    let value = get(&node.content);
    if value.is_none() {
        faults.error(wrong_type(key, expected, node));
    }
    value
}

fn wrong_type(key: &str, expected: &str, node: &Node) -> Problem {
    let found = &node.content;
    let message = format!("`{key}` must be {expected}, found {}", found.kind());
    let problem = Problem::at(node.line, message);
    match (expected, found) {
        ("a text", Content::List(_) | Content::Table(_)) => problem.hint("one text in quotes"),
        ("a text", Content::Number(written) | Content::Date(written)) => {
            problem.hint(format!("put it in quotes: \"{written}\""))
        }
        ("a text", Content::Boolean(value)) => problem.hint(format!("put it in quotes: \"{value}\"")),
        ("a list of tables", Content::Table(_)) => problem.hint(format!("write [[{key}]] with two brackets")),
        ("a list of texts", Content::Text(_)) => problem.hint(format!("write {key} = [\"…\"]")),
        (_, Content::Text(text)) if text.parse::<Exact>().is_ok() => {
            problem.hint(format!("write {text} without quotes"))
        }
        _ => problem,
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
