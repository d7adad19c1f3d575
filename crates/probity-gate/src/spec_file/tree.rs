//! The tree of a file, whichever syntax it was written in: values with the lines they stand on.
//!
//! Nothing is converted yet. Numbers and dates are the text that stands in the file.

/// One value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// The line it starts on, from 1.
    pub(super) line: usize,
    pub(super) content: Content,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
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
    /// What kind of value this is, for messages.
    pub(super) fn kind(&self) -> &'static str {
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
    pub(super) members: Vec<Member>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// The line of the key.
    pub(super) line: usize,
    pub(super) node: Node,
}

impl Table {
    /// The value of `key`.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members.iter().find(|member| member.key == key).map(|member| &member.node)
    }
}
