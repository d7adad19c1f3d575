//! The attributes of a span, of its events and of its resource, however an exporter wrote them.
//!
//! OTLP wraps each value in its type, other exporters write plain JSON, some nest what the names only spell with
//! dots. Here all of them are one table from full names to plain values. Nothing is refused: what cannot be
//! read is not there.

use std::collections::BTreeMap;

use probity_core::json::{Json, Object};

use super::super::messages::first;

/// The wrappers of OTLP around a value that is plain JSON already.
const TYPED: &[&str] = &[
    "stringValue", "string_value", "doubleValue", "double_value", "boolValue", "bool_value", "bytesValue",
    "bytes_value",
];

/// Values by their full names.
#[derive(Debug, Default)]
pub(super) struct Attributes(BTreeMap<String, Json>);

impl Attributes {
    /// Adds what `json` lists: an array of keys with values, or an object.
    pub(super) fn add(&mut self, json: &Json) {
        match json {
            Json::Array(items) => {
                for item in items.iter().filter_map(Json::as_object) {
                    let key = first(item, &["key", "Key"]).and_then(Json::as_str);
                    if let (Some(key), Some(value)) = (key, first(item, &["value", "Value"])) {
                        self.put(key, plain(value));
                    }
                }
            }
            Json::Object(object) => {
                for (name, value) in object.iter() {
                    self.put(name, plain(value));
                }
            }
            _ => {}
        }
    }

    /// Adds the members of a record whose names are those of attributes.
    pub(super) fn add_dotted(&mut self, record: &Object) {
        for (name, value) in record.iter().filter(|(name, _)| name.contains('.')) {
            self.put(name.strip_prefix("attributes.").unwrap_or(name), plain(value));
        }
    }

    /// The first value of a name stands; what is in an object is also known by its dotted name.
    fn put(&mut self, name: &str, value: Json) {
        if let Json::Object(object) = &value {
            for (inner, value) in object.iter() {
                self.put(&format!("{name}.{inner}"), value.clone());
            }
        }
        self.0.entry(name.to_owned()).or_insert(value);
    }

    /// The value called `name`.
    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(name)
    }

    /// The value called `name` as a text that is not empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = match self.get(name)? {
            Json::String(text) | Json::Number(text) => text.clone(),
            Json::Bool(flag) => flag.to_string(),
            _ => return None,
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// Whether a name begins with `prefix`.
    pub(super) fn has_prefix(&self, prefix: &str) -> bool {
        self.0.keys().any(|name| name.starts_with(prefix))
    }

    /// What the names below `prefix` spell: a list where they are numbers, else an object.
    pub(super) fn tree(&self, prefix: &str) -> Json {
        let below = |name: &'_ str| name.strip_prefix(prefix)?.strip_prefix('.').map(str::to_owned);
        grown(self.0.iter().filter_map(|(name, value)| Some((below(name)?, value))).collect())
    }

    /// All of them as one object.
    pub(super) fn object(&self) -> Json {
        Json::object(self.0.iter().map(|(name, value)| (name.as_str(), value.clone())))
    }
}

/// The value that dotted names spell.
fn grown(named: Vec<(String, &Json)>) -> Json {
    let mut branches: BTreeMap<String, Vec<(String, &Json)>> = BTreeMap::new();
    for (name, value) in named {
        let (first, rest) = name.split_once('.').unwrap_or((&name, ""));
        branches.entry(first.to_owned()).or_default().push((rest.to_owned(), value));
    }
    let numbers: Option<Vec<u64>> = branches.keys().map(|name| name.parse().ok()).collect();
    let mut values: Vec<(String, Json)> =
        branches.into_iter().map(|(name, below)| (name, branch(below))).collect();
    match numbers {
        Some(_) => {
            values.sort_by_key(|(name, _)| name.parse::<u64>().ok());
            Json::Array(values.into_iter().map(|(_, value)| value).collect())
        }
        None => Json::object(values),
    }
}

/// What stands at one name: the value that has it, or what the names below it spell.
fn branch(below: Vec<(String, &Json)>) -> Json {
    match below.iter().find(|(rest, _)| rest.is_empty()) {
        Some((_, value)) => (*value).clone(),
        None => grown(below),
    }
}

/// A value without the wrapper that says its type.
pub(super) fn plain(json: &Json) -> Json {
    let object = match json {
        Json::Object(object) => object,
        Json::Array(items) => return Json::Array(items.iter().map(plain).collect()),
        other => return other.clone(),
    };
    if object.len() == 1 {
        // OTLP/JSON writes 64-bit integers as texts.
        if let Some(value) = first(object, &["intValue", "int_value"]) {
            let digits = value.as_str().filter(|text| text.parse::<i64>().is_ok());
            return digits.map_or_else(|| value.clone(), |digits| Json::Number(digits.to_owned()));
        }
        if let Some(value) = first(object, TYPED) {
            return value.clone();
        }
        if let Some(list) = first(object, &["arrayValue", "array_value"]) {
            return Json::Array(values(list).iter().map(plain).collect());
        }
        if let Some(list) = first(object, &["kvlistValue", "kvlist_value"]) {
            let mut members = Attributes::default();
            members.add(&Json::Array(values(list).to_vec()));
            return members.object();
        }
    }
    match (object.get("Type"), object.get("Value")) {
        (Some(Json::String(_)), Some(value)) if object.len() == 2 => plain(value),
        _ => Json::Object(object.clone()),
    }
}

fn values(list: &Json) -> &[Json] {
    list.get("values").and_then(Json::as_array).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use probity_core::json::parse;

    use super::*;

    #[track_caller]
    fn check(attributes: &str, name: &str, want: Option<&str>) {
        let mut read = Attributes::default();
        read.add(&parse(attributes).expect("JSON"));
        assert_eq!(read.get(name).map(Json::canonical).as_deref(), want, "{attributes}");
    }

    #[test]
    fn one_table_from_every_way_to_write_it() {
        check(r#"[{"key":"a.b","value":{"stringValue":"x"}}]"#, "a.b", Some(r#""x""#));
        check(r#"[{"key":"a.b","value":{"intValue":"7"}}]"#, "a.b", Some("7"));
        check(r#"[{"Key":"a.b","Value":{"Type":"STRING","Value":"x"}}]"#, "a.b", Some(r#""x""#));
        check(r#"{"a.b":"x"}"#, "a.b", Some(r#""x""#));
        check(r#"{"a":{"b":"x"}}"#, "a.b", Some(r#""x""#));
        check(r#"{"a":{"b":"x"}}"#, "a", Some(r#"{"b":"x"}"#));
        let list =
            r#"[{"key":"l","value":{"arrayValue":{"values":[{"stringValue":"x"},{"boolValue":true}]}}}]"#;
        check(list, "l", Some(r#"["x",true]"#));
        let map =
            r#"[{"key":"m","value":{"kvlistValue":{"values":[{"key":"r","value":{"stringValue":"u"}}]}}}]"#;
        check(map, "m.r", Some(r#""u""#));
    }

    #[test]
    fn what_cannot_be_read_is_not_there() {
        check("[1, {\"key\":\"a\"}, {\"value\":2}]", "a", None);
        check("7", "a", None);
    }

    #[test]
    fn names_spell_lists_and_objects() {
        let mut read = Attributes::default();
        let names = r#"{"p.10.content":"c","p.2.content":"b","p.2.calls.0.id":"x","q.r":"y"}"#;
        read.add(&parse(names).expect("JSON"));
        let want = r#"[{"calls":[{"id":"x"}],"content":"b"},{"content":"c"}]"#;
        assert_eq!(read.tree("p").canonical(), want);
        assert_eq!(read.tree("q").canonical(), r#"{"r":"y"}"#);
        assert_eq!(read.tree("z").canonical(), "[]");
    }
}
