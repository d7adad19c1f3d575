//! Files that a person writes, as TOML or as JSON lines, read key by key with every fault on its line.
//!
//! It knows syntax, types and key names; what a key means is for its reader. Numbers keep the
//! text they were written with. Faults are collected, never thrown: a person who fixes a file wants the whole list. An
//! error means the file cannot be used; a warning means that it can, and should be looked at.

mod fields;
mod syntax;

pub use fields::{At, Field, Fields, LabelledText, Shape};
pub(crate) use syntax::json_tables;
pub use syntax::toml_table;
/// Reads a file that comes with Probity and is tested to be good, where a line for each fault is not needed.
pub use toml::from_str as from_toml;

/// One thing wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line it stands on, from 1.
    pub line: usize,
    /// What is wrong: lower case, no final period.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem on `line`, without a hint.
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Problem { line, message: message.into(), hint: None }
    }

    /// The same problem with what to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Problem { hint: Some(hint.into()), ..self }
    }
}

/// Everything found wrong while reading one file.
#[derive(Debug, Default)]
pub struct Faults {
    errors: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Faults {
    /// Notes what makes the file unusable.
    pub fn error(&mut self, problem: Problem) {
        self.errors.push(problem);
    }

    /// Notes what does not make the file unusable.
    pub fn warning(&mut self, problem: Problem) {
        self.warnings.push(problem);
    }

    /// How many errors there are so far.
    pub(crate) fn n_errors(&self) -> usize {
        self.errors.len()
    }

    /// The warnings by line, or the errors by line if there is any.
    pub fn settle(mut self) -> Result<Vec<Problem>, Vec<Problem>> {
        self.errors.sort_by_key(|problem| problem.line);
        self.warnings.sort_by_key(|problem| problem.line);
        if self.errors.is_empty() { Ok(self.warnings) } else { Err(self.errors) }
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    /// The line it starts on, from 1.
    line: usize,
    content: Content,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Text(String),
    Number(String),
    Boolean(bool),
    Date(String),
    List(Vec<Node>),
    Table(Table),
    /// What JSON writes where something is missing. As the value of a key it is left out of the tree.
    Null,
}

impl Content {
    fn as_text(&self) -> Option<&String> {
        if let Content::Text(text) = self { Some(text) } else { None }
    }

    fn as_number(&self) -> Option<&String> {
        if let Content::Number(written) = self { Some(written) } else { None }
    }

    fn as_list(&self) -> Option<&Vec<Node>> {
        if let Content::List(items) = self { Some(items) } else { None }
    }

    fn as_table(&self) -> Option<&Table> {
        if let Content::Table(table) = self { Some(table) } else { None }
    }

    /// What kind of value this is, for messages.
    fn kind(&self) -> &'static str {
        match self {
            Content::Text(_) => "a text",
            Content::Number(_) => "a number",
            Content::Boolean(_) => "a boolean",
            Content::Date(_) => "a date or time",
            Content::List(_) => "a list",
            Content::Table(_) => "a table",
            Content::Null => "null",
        }
    }
}

/// Keys with their values, in the order of the parser. No key stands twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    members: Vec<Member>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    key: String,
    /// The line of the key.
    line: usize,
    node: Node,
}

impl Table {
    /// The value of `key`.
    fn get(&self, key: &str) -> Option<&Node> {
        self.members.iter().find(|member| member.key == key).map(|member| &member.node)
    }
}
