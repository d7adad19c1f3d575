//! One table per line, as JSON objects.
//!
//! Read by the strict reader, so a key that stands twice is a fault. Everything in a line stands on that
//! line. Blank lines are passed over.

use super::problem::{Faults, Problem};
use super::tree::{Content, Member, Node, Table};
use crate::json::{Json, parse};

/// The table of each line with its number. A line that is no JSON object is a fault and gives none.
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
