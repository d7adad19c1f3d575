//! Keys and tokens, by the prefix that their issuer gives them and by how random they look.

use std::ops::Range;

use super::words::is_word_byte;

/// The longest token that is read, in bytes.
const LENGTH_MAX: usize = 4096;
/// How many bits per character a token needs to look random.
const ENTROPY_MIN: f64 = 3.0;

/// What must follow the prefix of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// At least this many random characters.
    Random(usize),
    /// Two more segments behind dots, as in a JSON Web Token.
    Segments,
    /// The frame of a private key.
    PrivateKey,
    /// A token after the word "Bearer".
    Bearer,
}

/// The token whose prefix stands at `at`.
pub(super) fn find(text: &str, token: Token, at: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if at.start > 0 && is_word_byte(bytes[at.start - 1]) {
        return None;
    }
    let end = token_end(bytes, at.end);
    match token {
        Token::Random(min) => {
            let rest = &text[at.end..end];
            (rest.len() >= min && looks_random(rest)).then_some(at.start..end)
        }
        Token::Segments => {
            let segments: Vec<&str> = text[at.start..end].split('.').collect();
            let is_whole = segments.len() >= 3 && segments[..3].iter().all(|segment| segment.len() >= 8);
            is_whole.then_some(at.start..end)
        }
        Token::PrivateKey => {
            let rest = &bytes[at.end..(at.end + 24).min(bytes.len())];
            rest.windows(11)
                .any(|part| part == b"PRIVATE KEY")
                .then_some(at.start..at.end + rest.len().min(24))
                .map(|span| floor(text, span))
        }
        Token::Bearer => {
            let from = at.end;
            (end - from >= 16 && looks_random(&text[from..end])).then_some(from..end)
        }
    }
}

/// Whether a token has letters, digits and little repetition.
pub(super) fn looks_random(token: &str) -> bool {
    let has_digit = token.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = token.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && entropy(token) >= ENTROPY_MIN
}

/// Where the token that contains `at` ends.
pub(super) fn token_end(bytes: &[u8], at: usize) -> usize {
    let belongs = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
    };
    let n = bytes[at..].iter().take(LENGTH_MAX).take_while(|byte| belongs(byte)).count();
    let end = at + n;
    // A full stop at the end belongs to the sentence.
    end - bytes[at..end].iter().rev().take_while(|byte| **byte == b'.').count()
}

/// The span up to a whole character.
fn floor(text: &str, span: Range<usize>) -> Range<usize> {
    let mut end = span.end;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    span.start..end
}

/// Shannon's entropy of the characters of a token, in bits per character.
fn entropy(token: &str) -> f64 {
    let mut counts = [0u32; 256];
    token.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let n = token.len().max(1) as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / n)
        .map(|share| -share * share.log2())
        .sum()
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
        check("key ghp_A1b2C3d4E5f6G7h8I9j0.", Token::Random(16), "ghp_", "ghp_A1b2C3d4E5f6G7h8I9j0");
        check("key ghp_aaaaaaaaaaaaaaaaaaa1", Token::Random(16), "ghp_", "");
        check("risk-averse1customers2of3every4", Token::Random(16), "sk-", "");
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
