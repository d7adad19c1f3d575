//! The shape of a reply that is JSON: which members it must have, and of which type each is.
//!
//! Members that the shape does not name are allowed.

use crate::json::{Json, parse};
use crate::spec_file::{At, Faults, Problem};

/// The members that a reply must have.
#[derive(Debug, Clone)]
pub(super) struct JsonShape(Vec<Member>);

/// One member.
#[derive(Debug, Clone)]
struct Member {
    /// Its name, or several with dots between them; `[]` behind one means each item of the array.
    path: String,
    kind: JsonType,
    /// Whether it may be missing or null.
    is_optional: bool,
}

crate::named! {
    /// A type of JSON.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum JsonType {
        /// Text.
        String = "string",
        /// A number.
        Number = "number",
        /// True or false.
        Boolean = "boolean",
        /// A list.
        Array = "array",
        /// Members of its own.
        Object = "object",
    }
}

impl JsonShape {
    /// The shape of members that a person wrote as `path = "type"`, with `?` behind the type where it may be missing.
    pub(super) fn new(members: &[At<(String, String)>], faults: &mut Faults) -> Option<Self> {
        let mut member = |At { line, value: (path, written) }: &At<(String, String)>| {
            let bare = written.strip_suffix('?').unwrap_or(written);
            let kind = JsonType::from_name(bare);
            if kind.is_none() {
                let names = JsonType::ALL.map(JsonType::name).join(", ");
                let problem = Problem::at(*line, format!("`json`: {written:?} is no type of JSON"));
                faults.error(
                    problem.hint(format!("one of {names}; `?` behind it where the member may be missing")),
                );
            }
            Some(Member { path: path.clone(), kind: kind?, is_optional: bare != written })
        };
        let members: Vec<Option<Member>> = members.iter().map(&mut member).collect();
        members.into_iter().collect::<Option<Vec<_>>>().map(JsonShape)
    }

    /// What a reply would have to be, where it is not.
    pub(super) fn fault(&self, reply: &str) -> Option<String> {
        let Ok(json) = parse(reply.trim()) else { return Some("one JSON value and nothing else".to_owned()) };
        let broken = self.0.iter().find(|member| !member.is_in(&json))?;
        Some(format!("a member `{}` that is of the type {}", broken.path, broken.kind.name()))
    }
}

impl Member {
    fn is_in(&self, json: &Json) -> bool {
        let found =
            self.path.split('.').fold(vec![Some(json)], |found, part| match part.strip_suffix("[]") {
                Some(name) => found
                    .into_iter()
                    .flat_map(|value| items(value.and_then(|value| value.get(name))))
                    .collect(),
                None => found.into_iter().map(|value| value.and_then(|value| value.get(part))).collect(),
            });
        found.into_iter().all(|value| match value {
            None | Some(Json::Null) => self.is_optional,
            Some(value) => self.kind.is_of(value),
        })
    }
}

/// The items of an array; one that is missing where there is no array.
fn items(value: Option<&Json>) -> Vec<Option<&Json>> {
    match value.and_then(Json::as_array) {
        Some(items) => items.iter().map(Some).collect(),
        None => vec![None],
    }
}

impl JsonType {
    fn is_of(self, value: &Json) -> bool {
        matches!(
            (self, value),
            (JsonType::String, Json::String(_))
                | (JsonType::Number, Json::Number(_))
                | (JsonType::Boolean, Json::Bool(_))
                | (JsonType::Array, Json::Array(_))
                | (JsonType::Object, Json::Object(_))
        )
    }
}
