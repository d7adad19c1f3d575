//! Server messages made fit to be shown: what looks like a key is masked, control characters are dropped.
//!
//! Servers echo credentials in their error messages. A message passes through [`masked`] before it is
//! shown, stored as a reason or put into an error. It errs on the side of masking: a request id that looks
//! like a key may be lost, a key that looks like one is not shown.

/// What stands where a key stood.
const MASK: &str = "[key]";

/// How much of a message is kept, in characters.
const MESSAGE_CHARS_MAX: usize = 400;

/// How keys of known services start.
const KEY_PREFIXES: &[&str] =
    &["sk-", "sk_", "pk-", "pk_", "gsk_", "xai-", "hf_", "nvapi-", "aiza", "key-", "api-", "eyj"];

/// How ids start that are as long as keys and useful in a report to the service.
const ID_PREFIXES: &[&str] = &["req_", "req-", "org-", "org_", "chatcmpl-", "msg_", "proj_"];

/// `message` on one line, at most `MESSAGE_CHARS_MAX` characters long, without what looks like a key.
pub fn masked(message: &str) -> String {
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut shown = String::with_capacity(line.len());
    let mut after_bearer = false;
    for piece in pieces(&without_userinfo(&line)) {
        if !piece.starts_with(is_word) {
            shown.push_str(piece);
            continue;
        }
        let secret = after_bearer || looks_like_key(piece);
        shown.push_str(if secret { MASK } else { piece });
        after_bearer = piece.eq_ignore_ascii_case("bearer");
    }
    match shown.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown.trim().to_owned(),
    }
}

/// Whether `c` can stand inside a key. Asterisks can: servers print keys half masked.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '+' | '/' | '=' | '…')
}

/// `text` cut into runs of word characters and runs of everything else.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut previous: Option<bool> = None;
    for (at, c) in text.char_indices() {
        let word = is_word(c);
        if previous.is_some_and(|previous| previous != word) {
            pieces.push(&text[start..at]);
            start = at;
        }
        previous = Some(word);
    }
    pieces.push(&text[start..]);
    pieces
}

fn looks_like_key(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| lower.starts_with(prefix));
    let digits = word.bytes().any(|b| b.is_ascii_digit());
    let known = word.len() >= 6 && starts(KEY_PREFIXES) && (digits || word.len() >= 16);
    let random = !starts(ID_PREFIXES) && word.split(['-', '_', '/']).any(is_random);
    known || random || word.contains("***")
}

/// Whether `run` is too long to be a word and has both letters and digits. Names of models are long too, but
/// their parts are words and numbers with separators between them.
fn is_random(run: &str) -> bool {
    let letters = run.bytes().any(|b| b.is_ascii_alphabetic());
    let digits = run.bytes().any(|b| b.is_ascii_digit());
    run.len() >= 24 && letters && digits
}

/// `text` with `user:password@` taken out of every URL.
pub(crate) fn without_userinfo(text: &str) -> String {
    let mut parts = text.split("://");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority_end = part.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(part.len());
        let host_start = part[..authority_end].rfind('@').map_or(0, |at| at + 1);
        kept.push_str("://");
        kept.push_str(&part[host_start..]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::masked;

    #[track_caller]
    fn check(message: &str, want: &Expect) {
        want.assert_eq(&masked(message));
    }

    #[test]
    fn f24_keys_are_masked() {
        check(
            "Incorrect API key provided: sk-abc123DEF456. You can find it at https://x.example/keys.",
            &expect!["Incorrect API key provided: [key]. You can find it at https://x.example/keys."],
        );
        check("bad header 'Bearer hunter2'", &expect!["bad header 'Bearer [key]'"]);
        check("key sk-proj-Ab_9*******wxyz refused", &expect!["key [key] refused"]);
        check("x-api-key: 0123456789abcdef0123456789abcdef", &expect!["x-api-key: [key]"]);
        check("see https://user:secret@host.example/v1", &expect!["see https://host.example/v1"]);
    }

    #[test]
    fn f24_ordinary_words_stay() {
        check(
            "The model `gpt-4o-mini` does not exist (request req_0123456789abcdef0123456789abcdef)",
            &expect!["The model `gpt-4o-mini` does not exist (request req_0123456789abcdef0123456789abcdef)"],
        );
        check(
            "no model gpt-4o-mini-search-preview-2025-03-11",
            &expect!["no model gpt-4o-mini-search-preview-2025-03-11"],
        );
        check("line one\nline\u{1b}[31m two", &expect!["line one line [31m two"]);
    }

    proptest! {
        /// A key never comes through, wherever it stands in the message.
        #[test]
        fn f24_no_key_survives(before in "[ -~]{0,30}", key in "sk-[A-Za-z0-9]{20,48}", after in "[ -~]{0,30}") {
            let shown = masked(&format!("{before} {key} {after}"));
            prop_assert!(!shown.contains(&key), "{}", shown);
        }

        #[test]
        fn f24_any_text_is_masked_without_panic(text in any::<String>()) {
            prop_assert!(masked(&text).chars().count() <= super::MESSAGE_CHARS_MAX + 1);
        }
    }
}
