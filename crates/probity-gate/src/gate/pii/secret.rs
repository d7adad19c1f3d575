//! Keys and tokens, by the prefix that their issuer gives them and by how random they look.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::text::words::words_under;

/// How many different characters a token needs to look random.
const DIFFERENT_MIN: usize = 10;

/// The fewest random characters of a token.
const RANDOM_MIN: usize = 16;

/// A prefix with what makes a token of it.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let prefixes: Vec<String> =
        words_under("secret", "prefix").iter().map(|word| regex::escape(word)).collect();
    let form = format!(r"(?:(?-u:\b)|_)((?i-u:{})([A-Za-z0-9_./+=~-]{{16,}}))", prefixes.join("|"));
    Regex::new(&form).expect("prefixes are short")
});

/// The tokens of a text: a prefix and random characters behind it. A full stop at the end belongs to the sentence.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    // Most words are too short to hold one.
    let words = text.split_ascii_whitespace().filter(|word| word.len() > RANDOM_MIN);
    let tokens = words.flat_map(|word| TOKEN.captures_iter(word)).map(|found| found.extract().1);
    tokens.filter(|[_, random]| looks_random(random)).map(|[token, _]| {
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        start..start + token.trim_end_matches('.').len()
    })
}

/// Whether a token has letters, digits and little repetition.
pub(super) fn looks_random(token: &str) -> bool {
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && token.bytes().collect::<BTreeSet<u8>>().len() >= DIFFERENT_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(tokens(text).next().map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn tokens_have_a_prefix_and_look_random() {
        check("key ghp_A1b2C3d4E5f6G7h8I9j0.", "ghp_A1b2C3d4E5f6G7h8I9j0");
        check("key ghp_aaaaaaaaaaaaaaaaaaa1", "");
        check("risk-averse1customers2of3every4", "");
        let web_token = "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl";
        check(web_token, web_token);
    }
}
