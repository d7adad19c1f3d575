//! Whether a place in the text lies inside a link.
//!
//! Rows of digits in a link are mostly ids of pages. A value in a link counts where its own form is sure or
//! the parameter before it names it.

/// How far back a link is looked for, in bytes. A longer link reads as text from there on.
const BACK_MAX: usize = 300;

/// Whether `at` lies inside a link.
pub(super) fn covers(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let floor = at.saturating_sub(BACK_MAX);
    let start = bytes[floor..at]
        .iter()
        .rposition(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'"' | b'(' | b')' | b'\''))
        .map_or(floor, |i| floor + i + 1);
    let word = &bytes[start..at];
    word.windows(3).any(|part| part == b"://") || word.starts_with(b"www.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: bool) {
        assert_eq!(covers(text, text.find('7').unwrap()), want, "{text}");
    }

    #[test]
    fn a_link_reaches_to_the_next_space() {
        check("see https://shop.example/a/7", true);
        check("see (www.shop.example/7)", true);
        check("see https://shop.example/a 7", false);
        check("7", false);
    }
}
