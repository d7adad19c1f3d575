//! Keys and tokens, by the prefix that their issuer gives them and by how random they look.

use std::ops::Range;

use super::super::text::words::{may_start, run_after};

/// The longest token that is read, in bytes.
const LENGTH_MAX: usize = 4096;
/// How many characters behind its prefix make a token.
const RANDOM_MIN: usize = 16;
/// How many bits per character a token needs to look random.
const ENTROPY_MIN: f64 = 3.0;

crate::named! {
    /// What must follow the prefix of a token, by the key of the prefix in the data files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum Token {
        /// Random characters, which are the token with its prefix.
        Random = "token",
        /// Two more segments behind dots, as in a JSON Web Token.
        Segments = "json_web_token",
        /// The frame of a private key.
        PrivateKey = "private_key",
        /// Random characters, which are the token without its prefix.
        Bearer = "bearer",
    }
}

/// The token whose prefix stands at `at`.
pub(super) fn find(text: &str, token: Token, at: &Range<usize>) -> Option<Range<usize>> {
    let end = token_end(text, at.end);
    let is_random = || end - at.end >= RANDOM_MIN && looks_random(&text[at.end..end]);
    let (is_token, span) = match token {
        Token::Random => (is_random(), at.start..end),
        Token::Bearer => (is_random(), at.end..end),
        Token::Segments => {
            let mut segments = text[at.start..end].split('.').map(str::len);
            let is_long = |len: Option<usize>| len.is_some_and(|len| len >= 8);
            ((0..3).all(|_| is_long(segments.next())), at.start..end)
        }
        Token::PrivateKey => {
            let frame = text.floor_char_boundary((at.end + 24).min(text.len()));
            (text[at.end..frame].contains("PRIVATE KEY"), at.start..frame)
        }
    };
    (is_token && may_start(text, at.start)).then_some(span)
}

/// Whether a token has letters, digits and little repetition.
pub(super) fn looks_random(token: &str) -> bool {
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && entropy(token) >= ENTROPY_MIN
}

/// Where the token that contains `at` ends. A full stop at its end belongs to the sentence.
pub(super) fn token_end(text: &str, at: usize) -> usize {
    let n =
        run_after(text, at, LENGTH_MAX, |byte| byte.is_ascii_alphanumeric() || b"_-./+=~".contains(&byte));
    at + text[at..at + n].trim_end_matches('.').len()
}

/// Shannon's entropy of the characters of a token, in bits per character.
fn entropy(token: &str) -> f64 {
    let mut counts = [0u32; 256];
    token.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let n = token.len().max(1) as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / n);
    shares.map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, token: Token, prefix: &str, want: &str) {
        let start = text.find(prefix).unwrap();
        let found = find(text, token, &(start..start + prefix.len()));
        assert_eq!(found.map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn tokens_have_a_prefix_and_look_random() {
        check("key ghp_A1b2C3d4E5f6G7h8I9j0.", Token::Random, "ghp_", "ghp_A1b2C3d4E5f6G7h8I9j0");
        check("key ghp_aaaaaaaaaaaaaaaaaaa1", Token::Random, "ghp_", "");
        check("risk-averse1customers2of3every4", Token::Random, "sk-", "");
        check(
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
            Token::Segments,
            "eyJ",
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        );
        check("Bearer A1b2C3d4E5f6G7h8I9j0", Token::Bearer, "Bearer ", "A1b2C3d4E5f6G7h8I9j0");
        check("Bearer tokens are used", Token::Bearer, "Bearer ", "");
    }
}
