//! Writing JSON: one canonical form, so that equal content has equal bytes and one hash.

use serde_json::Value;

use super::Json;

/// The canonical text of plain data whose keys are ASCII: what [`Json::canonical`] writes of it.
pub fn canonical(mut value: Value) -> String {
    value.sort_all_objects();
    value.to_string()
}

impl Json {
    /// The canonical text: RFC 8785 for strings, key order and white space.
    ///
    /// Numbers are written as their source text. What is hashed must therefore hold integers only, as packets and
    /// manifests do.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        write(self, &mut out);
        out
    }
}

/// Appends `text` as a JSON string literal.
pub fn write_string(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("every text can be written as JSON"));
}

fn write(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(true) => out.push_str("true"),
        Json::Bool(false) => out.push_str("false"),
        Json::Number(text) => out.push_str(text),
        Json::String(text) => write_string(text, out),
        Json::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                out.push(if i == 0 { '[' } else { ',' });
                write(item, out);
            }
            out.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        Json::Object(object) => {
            let mut members: Vec<(&str, &Json)> = object.iter().collect();
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            for (i, (key, member)) in members.into_iter().enumerate() {
                out.push(if i == 0 { '{' } else { ',' });
                write_string(key, out);
                out.push(':');
                write(member, out);
            }
            out.push_str(if object.is_empty() { "{}" } else { "}" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(parse(text).expect("valid JSON").canonical(), want);
    }

    #[test]
    fn keys_sort_by_utf16_code_units() {
        check(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}",
        );
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        check(r#""\u001f\u007f\u2028\/<\"\\""#, "\"\\u001f\u{7f}\u{2028}/<\\\"\\\\\"");
    }

    #[test]
    fn white_space_goes_and_numbers_stay() {
        check(" [ 1 , -0 , 1.50 , { } ] ", "[1,-0,1.50,{}]");
    }

    #[test]
    fn a_space_is_no_control_character() {
        check(r#"" \u001f""#, "\" \\u001f\"");
    }
}
