//! Keys and tokens, by the prefix that their issuer gives them and by how random they look.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::text::words::{may_start, run_after};

/// The longest token that is read, in bytes.
const LENGTH_MAX: usize = 4096;
/// How many characters behind its prefix make a token.
const RANDOM_MIN: usize = 16;
/// How many different characters a token needs to look random.
const DIFFERENT_MIN: usize = 10;

/// The token whose prefix stands at `prefix`: random characters behind it.
pub(super) fn find(text: &str, prefix: &Range<usize>) -> Option<Range<usize>> {
    let end = token_end(text, prefix.end);
    let is_long = end - prefix.end >= RANDOM_MIN;
    let is_token = is_long && looks_random(&text[prefix.end..end]) && may_start(text, prefix.start);
    is_token.then_some(prefix.start..end)
}

/// Whether a token has letters, digits and little repetition.
pub(super) fn looks_random(token: &str) -> bool {
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && token.bytes().collect::<BTreeSet<u8>>().len() >= DIFFERENT_MIN
}

/// Where the token that contains `at` ends. A full stop at its end belongs to the sentence.
pub(super) fn token_end(text: &str, at: usize) -> usize {
    let n =
        run_after(text, at, LENGTH_MAX, |byte| byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte));
    at + text[at..at + n].trim_end_matches('.').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, prefix: &str, want: &str) {
        let start = text.find(prefix).unwrap();
        let found = find(text, &(start..start + prefix.len()));
        assert_eq!(found.map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn tokens_have_a_prefix_and_look_random() {
        check("key ghp_A1b2C3d4E5f6G7h8I9j0.", "ghp_", "ghp_A1b2C3d4E5f6G7h8I9j0");
        check("key ghp_aaaaaaaaaaaaaaaaaaa1", "ghp_", "");
        check("risk-averse1customers2of3every4", "sk-", "");
        let web_token = "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl";
        check(web_token, "eyJ", web_token);
    }
}
