//! A secret in any spelling that JSON has for it: plain, with backslashes before its characters, as `\u` escapes.
//!
//! An answer is JSON, and texts in it may be JSON again, so a character can have several backslashes before it. All
//! such spellings are found, in bytes that are JSON, were cut off or never were. It errs on the side of masking: text
//! that differs from the secret by backslashes alone is taken for it. Other encodings are not looked for.

use std::ops::Range;

/// What stands where a secret stood.
const MASK: &[u8] = b"[key]";

/// `bytes` with `[key]` in every place where `secret`, visible ASCII characters, is spelled.
pub(super) fn without(bytes: Vec<u8>, secret: &[u8]) -> Vec<u8> {
    let Some(first) = next(&bytes, 0, secret) else { return bytes };
    let mut kept = Vec::with_capacity(bytes.len());
    let (mut done, mut found) = (0, Some(first));
    while let Some(Range { start, end }) = found {
        kept.extend_from_slice(&bytes[done..start]);
        kept.extend_from_slice(MASK);
        done = end;
        found = next(&bytes, done, secret);
    }
    kept.extend_from_slice(&bytes[done..]);
    kept
}

/// `text` with `[key]` in every place where `secret` is spelled.
pub(super) fn text_without(text: String, secret: &[u8]) -> String {
    String::from_utf8(without(text.into_bytes(), secret)).expect("whole ASCII characters were taken out")
}

/// Where `secret` is spelled next, at `from` or later, with all backslashes before it.
fn next(bytes: &[u8], from: usize, secret: &[u8]) -> Option<Range<usize>> {
    let mut start = from;
    while start < bytes.len() {
        if let Some(end) = spelled(bytes, start, secret) {
            return Some(start..end);
        }
        // Whatever begins within a run of backslashes begins with the run.
        start = after_backslashes(bytes, start).max(start + 1);
    }
    None
}

/// Where `secret` ends if it is spelled from `start` on.
fn spelled(bytes: &[u8], start: usize, secret: &[u8]) -> Option<usize> {
    let mut at = start;
    for (i, character) in secret.iter().enumerate() {
        if *character == b'\\' {
            // One backslash cannot be told from several that are escaped.
            let is_repeated = i > 0 && secret[i - 1] == b'\\';
            at = if is_repeated { at } else { backslash(bytes, at)? };
            continue;
        }
        at = after_backslashes(bytes, at);
        at = match escaped(bytes, at) {
            Some(found) if found == u32::from(*character) => at + 5,
            _ if bytes.get(at) == Some(character) => at + 1,
            _ => return None,
        };
    }
    Some(at)
}

/// Where backslashes end that stand at `at`, plain or as `\u005c`; `None` where there is none.
fn backslash(bytes: &[u8], at: usize) -> Option<usize> {
    let mut end = after_backslashes(bytes, at);
    if end == at {
        return None;
    }
    while escaped(bytes, end) == Some(u32::from(b'\\')) {
        end = after_backslashes(bytes, end + 5);
    }
    Some(end)
}

fn after_backslashes(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| **byte == b'\\').count()
}

/// The character whose escape has its `u` at `at`.
fn escaped(bytes: &[u8], at: usize) -> Option<u32> {
    let is_escape = at > 0 && bytes[at - 1] == b'\\' && bytes.get(at) == Some(&b'u');
    let digits = bytes.get(at + 1..at + 5).filter(|_| is_escape)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, secret: &str, want: &str) {
        assert_eq!(text_without(text.to_owned(), secret.as_bytes()), want);
    }

    #[test]
    fn spellings() {
        check("a ab/c b", "ab/c", "a [key] b");
        check(r#"{"k":"ab\/c"}"#, "ab/c", r#"{"k":"[key]"}"#);
        check(r#"{"k":"\u0061\u0062\u002F\u0063"}"#, "ab/c", r#"{"k":"[key]"}"#);
        check(r#"{"k":"a\u0062\u002f\u0063 ab/c"}"#, "ab/c", r#"{"k":"[key] [key]"}"#);
        check(r#"{"k":"{\"k\":\"a\\u0062\\/c\"}"}"#, "ab/c", r#"{"k":"{\"k\":\"[key]\"}"}"#);
        check(r#""a\\b" "a\u005cb" "a\\\\b""#, r"a\b", r#""[key]" "[key]" "[key]""#);
        check(r"\u0075\u0076", "uv", "[key]");
    }

    #[test]
    fn what_remains_is_still_json() {
        check(r#""line\nabcdef""#, "nabcdef", r#""line[key]""#);
        check(r#""\\\\ab""#, "ab", r#""[key]""#);
        check(r#""ü ab ü""#, "ab", r#""ü [key] ü""#);
    }

    #[test]
    fn what_is_no_spelling_stays() {
        check(r"ab\c u0061b/c ab/ c ab/", "ab/c", r"ab\c u0061b/c ab/ c ab/");
        check("", "ab/c", "");
        check(r"\\\\\\\\", "ab/c", r"\\\\\\\\");
    }

    proptest! {
        /// However each character is spelled, the decoded text no longer has the secret.
        #[test]
        fn no_spelling_survives(
            secret in "[!#-&(-Z\\[\\]-_a-z]{6,20}", how in prop::collection::vec(0_u8..4, 20), before in "[a-z ]{0,9}",
        ) {
            let spell = |(character, how): (char, &u8)| match how {
                0 => format!("\\u{:04x}", u32::from(character)),
                1 => format!("\\u{:04X}", u32::from(character)),
                2 if character == '/' => "\\/".to_owned(),
                _ => character.to_string(),
            };
            let spelled: String = secret.chars().zip(&how).map(spell).collect();
            let body = format!("{{\"k\":\"{before}{spelled}\"}}");
            let nested = serde_json::to_string(&body).unwrap();
            let clean = text_without(body, secret.as_bytes());
            let decoded: serde_json::Value = serde_json::from_str(&clean).unwrap();
            prop_assert!(!decoded["k"].as_str().unwrap().contains(&secret), "{}", clean);
            let clean = text_without(nested, secret.as_bytes());
            let inner: String = serde_json::from_str(&clean).unwrap();
            let decoded: serde_json::Value = serde_json::from_str(&inner).unwrap();
            prop_assert!(!decoded["k"].as_str().unwrap().contains(&secret), "{}", clean);
        }
    }
}
