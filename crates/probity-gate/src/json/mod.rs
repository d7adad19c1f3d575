//! JSON as untrusted text: what was written, not what a lenient reader would make of it.
//!
//! Everything that enters from outside (case files, judges' answers) is read here, because the questions
//! asked of it are about the text itself: was a key given twice, was the number written `1` or `1.0`, did
//! the text end too early or was it wrong. A general parser that keeps the last duplicate, turns twenty
//! digits into `1e20` or fails without telling "cut" from "malformed" cannot answer them.
//!
//! What always holds: a [`Json`] has no duplicate keys, is at most [`DEPTH_MAX`] deep, and keeps each
//! number as its source text. Repairs happen only under a [`Tolerance`] that allows them and are listed.

mod parse;
mod write;

pub use parse::{parse, parse_prefix, parse_with};
pub use write::{canonical, write_string};

/// How deep arrays and objects may nest.
pub const DEPTH_MAX: usize = 128;

/// One JSON value. Numbers keep the text they were written with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its source text: `1`, `1.0` and `1e0` are three different texts.
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, in source order, keys unique.
    Object(Object),
}

/// The members of an object in source order. No key occurs twice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object(Vec<(String, Json)>);

impl Object {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member, or says that the key is already there.
    pub fn insert(&mut self, key: impl Into<String>, value: Json) -> Result<(), DuplicateKey> {
        let key = key.into();
        if self.get(&key).is_some() {
            return Err(DuplicateKey(key));
        }
        self.0.push((key, value));
        Ok(())
    }

    /// The member called `key`, exactly.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Takes the member called `key` out. The others stay in order.
    pub fn take(&mut self, key: &str) -> Option<Json> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    /// Members in source order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Object {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    /// Members in source order.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A key stood twice in one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateKey(pub String);

impl Json {
    /// Builds an object from members whose keys are known to differ.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        let mut object = Object::new();
        for (key, value) in members {
            object.insert(key, value).expect("keys written in the source code differ");
        }
        Json::Object(object)
    }

    /// Builds a string.
    pub fn text(text: impl Into<String>) -> Self {
        Json::String(text.into())
    }

    /// Builds an integer.
    pub fn int(value: i64) -> Self {
        Json::Number(value.to_string())
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Json::String(text) = self { Some(text) } else { None }
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        if let Json::Object(object) = self { Some(object) } else { None }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&[Json]> {
        if let Json::Array(items) = self { Some(items) } else { None }
    }

    /// The member called `key`, if this is an object that has one.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_object().and_then(|object| object.get(key))
    }

    /// The non-negative whole number, if it was written as one (`12`, not `12.0` and not `"12"`).
    pub fn as_u64(&self) -> Option<u64> {
        if let Json::Number(text) = self { text.parse().ok() } else { None }
    }

    /// What kind of value this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a boolean",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Which clean-ups a reader may apply. Each one applied is listed in the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tolerance {
    /// RFC 8259 and nothing else.
    Strict,
    /// A lone surrogate escape becomes U+FFFD instead of losing the document.
    LoneSurrogates,
    /// The above, and a JSON5 subset: trailing commas, single or typographic quotes, comments, raw
    /// control characters inside strings.
    Json5,
}

crate::named! {
    /// A lossless clean-up that was applied while reading.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum JsonRepair {
        /// `\ud800` without its partner was read as U+FFFD.
        LoneSurrogate = "lone_surrogate",
        /// A comma stood before a closing bracket.
        TrailingComma = "trailing_comma",
        /// A string stood in single quotes, or a single quote was escaped.
        SingleQuotes = "single_quotes",
        /// A string stood in typographic quotes.
        SmartQuotes = "smart_quotes",
        /// A `//` or `/* */` comment was passed over.
        Comment = "comment",
        /// A newline or another control character stood unescaped in a string.
        RawControl = "raw_control",
    }
}

impl JsonRepair {
    /// The repairs that only [`Tolerance::Json5`] makes.
    pub const JSON5: &[JsonRepair] = JsonRepair::ALL.split_at(1).1;
}

/// Why a text is not JSON, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at byte {offset}")]
pub struct JsonError {
    /// What was wrong.
    pub problem: JsonProblem,
    /// Byte offset into the text.
    pub offset: usize,
}

/// What can be wrong with a JSON text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// The text stopped before the value did.
    #[error("the text ends before the value does")]
    UnexpectedEnd,
    /// Another character was expected.
    #[error("unexpected character {0:?}")]
    Unexpected(char),
    /// More text follows the value.
    #[error("text after the value")]
    TrailingText,
    /// A key occurs twice in one object.
    #[error("duplicate key {0:?}")]
    DuplicateKey(String),
    /// Nested deeper than [`DEPTH_MAX`].
    #[error("nested deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// `NaN`, `Infinity`, or a number too large for any float.
    #[error("a number that is not finite")]
    NotFinite,
    /// A malformed number such as `01` or `1.`.
    #[error("a malformed number")]
    BadNumber,
    /// An unknown escape or a malformed `\u`.
    #[error("a malformed escape")]
    BadEscape,
    /// A surrogate escape without its partner.
    #[error("a lone surrogate escape")]
    LoneSurrogate,
    /// A control character inside a string.
    #[error("an unescaped control character in a string")]
    RawControl,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, kind: &str, size: Option<usize>) {
        let value = parse(text).expect("JSON");
        assert_eq!(value.kind(), kind);
        assert_eq!(value.as_array().map(<[Json]>::len).or(value.as_object().map(Object::len)), size);
        assert_eq!(value.as_object().map(Object::is_empty), (kind == "an object").then_some(size == Some(0)));
        assert_eq!(value.as_str().is_some(), kind == "a string");
    }

    #[test]
    fn a_value_knows_its_kind_and_size() {
        check("null", "null", None);
        check("true", "a boolean", None);
        check("7", "a number", None);
        check("\"x\"", "a string", None);
        check("[1,2]", "an array", Some(2));
        check("{}", "an object", Some(0));
        check("{\"a\":1,\"b\":2}", "an object", Some(2));
    }

    #[test]
    fn only_a_whole_number_without_a_sign_or_a_point_is_one() {
        let read = |text: &str| parse(text).expect("JSON").as_u64();
        assert_eq!(read("12"), Some(12));
        for text in ["12.0", "-12", "\"12\"", "1e2", "18446744073709551616"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_member_is_found_by_its_exact_name_and_stands_once() {
        let mut object = Object::new();
        assert_eq!(object.insert("a", Json::int(1)), Ok(()));
        assert_eq!(object.insert("A", Json::int(2)), Ok(()));
        assert_eq!(object.insert("a", Json::int(3)), Err(DuplicateKey("a".to_owned())));
        assert_eq!((object.get("a"), object.get("A")), (Some(&Json::int(1)), Some(&Json::int(2))));
        assert_eq!((object.get("b"), object.len()), (None, 2));
        assert_eq!((object.take("b"), object.take("a"), object.take("a")), (None, Some(Json::int(1)), None));
        assert_eq!(object.into_iter().collect::<Vec<_>>(), [("A".to_owned(), Json::int(2))]);
    }
}
