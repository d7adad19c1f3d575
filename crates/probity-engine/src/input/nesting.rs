//! Where values and members end in the source text of JSON, without parsing it.

use probity_core::json::{Tolerance, parse_prefix};

/// How deep in JSON text a scan is. Counts brackets of both kinds together: a wrong pair is the parser's
/// to refuse.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    within: Within,
}

#[derive(Debug, Default, Clone, Copy)]
enum Within {
    #[default]
    Value,
    String,
    Escape,
}

impl Nesting {
    /// Where the value that began in earlier calls ends: the place of the `,`, `]` or `}` after it.
    pub(super) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        for (at, byte) in bytes.iter().enumerate() {
            match (self.within, byte) {
                (Within::Value, b'"') | (Within::Escape, _) => self.within = Within::String,
                (Within::Value, b'[' | b'{') => self.depth += 1,
                (Within::Value, b']' | b'}' | b',') if self.depth == 0 => return Some(at),
                (Within::Value, b']' | b'}') => self.depth -= 1,
                (Within::String, b'"') => self.within = Within::Value,
                (Within::String, b'\\') => self.within = Within::Escape,
                _ => {}
            }
        }
        None
    }
}

/// The source text of the member called `key` in an object that is known to be valid.
pub(super) fn member_text<'a>(object: &'a str, key: &str) -> Option<&'a str> {
    let mut rest = object.trim_ascii().strip_prefix('{')?;
    loop {
        let end = Nesting::default().end(rest.as_bytes())?;
        let (name, value) = member(&rest[..end])?;
        if name == key {
            return Some(value.trim_ascii_end());
        }
        rest = &rest[end + 1..];
    }
}

/// Splits `"name": value`.
pub(super) fn member(text: &str) -> Option<(String, &str)> {
    let (name, end, _) = parse_prefix(text, 0, Tolerance::Strict).ok()?;
    let value = text[end..].trim_ascii_start().strip_prefix(':')?;
    Some((name.as_str()?.to_owned(), value.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<usize>) {
        assert_eq!(Nesting::default().end(text.as_bytes()), want, "{text}");
    }

    #[test]
    fn a_value_ends_outside_strings_and_brackets() {
        check("1,2", Some(1));
        check(r#"{"a":[1,2],"b":"]}"},"#, Some(20));
        check(r#""\",\\",1"#, Some(7));
        check("[[1]", None);
    }

    #[test]
    fn d30_a_member_keeps_its_source_text() {
        let object =
            r#"{"a":[1,{"metadata":0}], "met\u0061data" : { "z": -0, "a": 1.50, "s":"}\"," } ,"b":2}"#;
        assert_eq!(member_text(object, "metadata"), Some(r#"{ "z": -0, "a": 1.50, "s":"}\"," }"#));
        assert_eq!(member_text(object, "c"), None);
    }
}
