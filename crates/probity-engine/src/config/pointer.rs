//! JSON pointers (RFC 6901): where in an answer to look.

use std::fmt;

use probity_core::json::Json;

/// A place in a JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(Vec<String>);

/// A text that is not a pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a JSON pointer such as /choices/0/text, found {found:?}")]
pub struct NotAPointer {
    /// The text.
    pub found: String,
}

impl Pointer {
    /// Reads a pointer. The empty one is the whole document.
    pub fn parse(text: &str) -> Result<Pointer, NotAPointer> {
        let bad = || NotAPointer { found: text.to_owned() };
        let Some(rest) = text.strip_prefix('/') else {
            return if text.is_empty() { Ok(Pointer(Vec::new())) } else { Err(bad()) };
        };
        rest.split('/').map(|token| unescaped(token).ok_or_else(bad)).collect::<Result<_, _>>().map(Pointer)
    }

    /// The value at this place, if there is one.
    pub fn find<'a>(&self, document: &'a Json) -> Option<&'a Json> {
        self.0.iter().try_fold(document, |here, token| match here {
            Json::Object(object) => object.get(token),
            Json::Array(items) => {
                let is_index = token == "0" || (!token.starts_with('0') && !token.starts_with('+'));
                items.get(token.parse::<usize>().ok().filter(|_| is_index)?)
            }
            _ => None,
        })
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|token| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

/// A token with `~1` and `~0` unescaped; `None` for any other tilde.
fn unescaped(token: &str) -> Option<String> {
    let mut pieces = token.split('~');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (escaped, rest) = piece.split_at_checked(1)?;
        text.push(match escaped {
            "0" => '~',
            "1" => '/',
            _ => return None,
        });
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use probity_core::json::parse;

    use super::*;

    const DOCUMENT: &str = r#"{"a":[{"b/c":1,"m~n":2}],"":3,"0":4}"#;

    #[track_caller]
    fn check(pointer: &str, want: &str) {
        let document = parse(DOCUMENT).expect("JSON");
        let found = match Pointer::parse(pointer) {
            Err(error) => error.to_string(),
            Ok(pointer) => pointer.find(&document).map_or("nothing".to_owned(), Json::canonical),
        };
        assert_eq!(found, want, "{pointer}");
    }

    #[test]
    fn places() {
        check("/a/0/b~1c", "1");
        check("/a/0/m~0n", "2");
        check("/", "3");
        check("/0", "4");
        check("/a/00", "nothing");
        check("/a/+0", "nothing");
        check("/a/1", "nothing");
        check("/a/-", "nothing");
        check("/a/0/b~1c/d", "nothing");
        assert_eq!(Pointer::parse("/a~1b/m~0").expect("a pointer").to_string(), "/a~1b/m~0");
    }

    #[test]
    fn what_is_no_pointer() {
        for text in ["reply", "$.reply", "/a~2", "/a~"] {
            check(text, &format!("expected a JSON pointer such as /choices/0/text, found {text:?}"));
        }
    }
}
