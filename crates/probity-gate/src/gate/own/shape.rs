//! The shape of a reply that is JSON: which members it must have, and of which type each is.
//!
//! Members that the shape does not name are allowed.

use crate::json::{Json, parse};
use crate::spec_file::{At, Faults, Problem};

/// The types of JSON, as files name them.
const TYPES: [&str; 5] = ["string", "number", "boolean", "array", "object"];

/// The members that a reply must have.
#[derive(Debug, Clone)]
pub(super) struct JsonShape(Vec<Member>);

/// One member.
#[derive(Debug, Clone)]
struct Member {
    /// Its name, or several with dots between them; `[]` behind one means each item of the array.
    path: String,
    /// One of [`TYPES`].
    kind: String,
    /// Whether it may be missing or null.
    is_optional: bool,
}

impl JsonShape {
    /// The shape of members that a person wrote as `path = "type"`, with `?` behind the type where it may be missing.
    pub(super) fn new(members: &[At<(String, String)>], faults: &mut Faults) -> Self {
        let member = |At { line, value: (path, written) }: &At<(String, String)>| {
            let kind = written.strip_suffix('?').unwrap_or(written);
            if !TYPES.contains(&kind) {
                let problem = Problem::at(*line, format!("`json`: {written:?} is no type of JSON"));
                let types = TYPES.join(", ");
                faults.error(
                    problem.hint(format!("one of {types}; `?` behind it where the member may be missing")),
                );
            }
            Member { path: path.clone(), kind: kind.to_owned(), is_optional: kind != written }
        };
        JsonShape(members.iter().map(member).collect())
    }

    /// What a reply would have to be, where it is not.
    pub(super) fn fault(&self, reply: &str) -> Option<String> {
        let Ok(json) = parse(reply.trim()) else { return Some("one JSON value and nothing else".to_owned()) };
        let Member { path, kind, .. } = self.0.iter().find(|member| !member.is_in(&json))?;
        Some(format!("a member `{path}` that is of the type {kind}"))
    }
}

impl Member {
    fn is_in(&self, json: &Json) -> bool {
        let mut found = vec![Some(json)];
        for part in self.path.split('.') {
            let name = part.strip_suffix("[]").unwrap_or(part);
            let values = found.into_iter().map(|value| value.and_then(|value| value.get(name)));
            found = if name == part { values.collect() } else { values.flat_map(items).collect() };
        }
        found.into_iter().all(|value| match value {
            None | Some(Json::Null) => self.is_optional,
            Some(value) => value.kind().ends_with(&self.kind),
        })
    }
}

/// The items of an array; one that is missing where there is no array.
fn items(value: Option<&Json>) -> Vec<Option<&Json>> {
    value.and_then(Json::as_array).map_or(vec![None], |items| items.iter().map(Some).collect())
}
