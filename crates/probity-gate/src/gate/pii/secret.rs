//! Keys and tokens, by the prefix that their issuer gives them and by how random they look.

use std::ops::Range;

use super::super::text::words::{may_start, run_after};
use super::labelled::Announced;

/// The longest token that is read, in bytes.
const LENGTH_MAX: usize = 4096;
/// How many characters behind its prefix make a token.
const RANDOM_MIN: usize = 16;
/// How many bits per character a token needs to look random.
const ENTROPY_MIN: f64 = 3.0;

/// The token whose prefix stands at `at`: random characters, which are the token with or without their prefix; segments
/// behind dots, as in a JSON Web Token; or the frame of a private key.
pub(super) fn find(text: &str, prefix: Announced, at: &Range<usize>) -> Option<Range<usize>> {
    let end = token_end(text, at.end);
    let (is_token, span) = match prefix {
        Announced::JsonWebToken => {
            let mut segments = text[at.start..end].split('.').map(str::len);
            ((0..3).all(|_| segments.next().is_some_and(|len| len >= 8)), at.start..end)
        }
        Announced::PrivateKey => {
            let frame = text.floor_char_boundary((at.end + 24).min(text.len()));
            (text[at.end..frame].contains("PRIVATE KEY"), at.start..frame)
        }
        _ => {
            let start = if prefix == Announced::Bearer { at.end } else { at.start };
            (end - at.end >= RANDOM_MIN && looks_random(&text[at.end..end]), start..end)
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
    fn check(text: &str, token: Announced, prefix: &str, want: &str) {
        let start = text.find(prefix).unwrap();
        let found = find(text, token, &(start..start + prefix.len()));
        assert_eq!(found.map_or("", |span| &text[span]), want, "{text}");
    }

    #[test]
    fn tokens_have_a_prefix_and_look_random() {
        check("key ghp_A1b2C3d4E5f6G7h8I9j0.", Announced::Token, "ghp_", "ghp_A1b2C3d4E5f6G7h8I9j0");
        check("key ghp_aaaaaaaaaaaaaaaaaaa1", Announced::Token, "ghp_", "");
        check("risk-averse1customers2of3every4", Announced::Token, "sk-", "");
        check(
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
            Announced::JsonWebToken,
            "eyJ",
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        );
        check("Bearer A1b2C3d4E5f6G7h8I9j0", Announced::Bearer, "Bearer ", "A1b2C3d4E5f6G7h8I9j0");
        check("Bearer tokens are used", Announced::Bearer, "Bearer ", "");
    }
}
