//! Texts as probes change them: sentences, neutral text of any length, text that is not seen.

/// The separator between a reply and the text added to it.
pub(super) const BREAK: &str = "\n\n";

/// Two passages that say nothing about any ticket. No word has more than nine letters.
const PASSAGES: [&str; 2] = [
    "This message was written by our team and is part of the same thread as the ones before it. It can be read on \
     any screen and kept for as long as you like. You can find it again under the title of the thread, next to the \
     other ones that you got from us, in the order in which they came in. Nothing in this part changes what stands \
     above it.",
    "Our team has added this note to the thread in which you wrote to us. It stays there with the rest and can be \
     opened on every device. The title of the thread shows where to look for it, and older notes stand below the \
     newer ones so that they are easy to tell apart. What was said above does not depend on any of this and stays \
     as it was.",
];

/// Endings of each length for a text that is cut at a word.
const ENDINGS: [&str; 12] = [
    "", ".", ".\n", "...", " ok.", " too.", " also.", " again.", " anyway.", " overall.", " as usual.",
    " as before.",
];

/// Which of the two neutral passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    First,
    Second,
}

/// Neutral text of exactly `n_chars` characters.
pub(super) fn neutral(n_chars: usize, passage: Passage) -> String {
    let words = PASSAGES[usize::from(passage == Passage::Second)].split(' ').cycle();
    let mut text = String::new();
    for word in words {
        let gap = usize::from(!text.is_empty());
        // What is left must be an ending.
        if text.len() + gap + word.len() > n_chars {
            break;
        }
        text.push_str(&" "[..gap]);
        text.push_str(word);
    }
    if text.len() < n_chars && text.ends_with('.') {
        text.pop();
    }
    let left = n_chars - text.len();
    text + ENDINGS[left]
}

/// The sentences of `text`, each with its own end and without the white space between them.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_end = match (c, chars.peek()) {
            ('\n', _) => true,
            ('.' | '!' | '?' | '。' | '！' | '？', next) => {
                next.is_none_or(|(_, next)| next.is_whitespace())
            }
            _ => false,
        };
        if is_end {
            let end = at + c.len_utf8();
            found.push(text[start..end].trim());
            start = end;
        }
    }
    found.push(text[start..].trim());
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// `text` in Unicode's tag characters, which nothing shows. What is not ASCII stays as it is.
pub(super) fn in_tags(text: &str) -> String {
    let tag = |c: char| match u32::from(c) {
        ascii @ 0x20..=0x7e => char::from_u32(0xe0000 + ascii).unwrap_or(c),
        _ => c,
    };
    text.chars().map(tag).collect()
}

/// `text` with a zero-width space inside every word, after each of its characters but the last.
pub(super) fn zero_width(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        let is_inside = !c.is_whitespace() && chars.peek().is_some_and(|next| !next.is_whitespace());
        out.push_str(if is_inside { "\u{200b}" } else { "" });
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, want: &[&str]) {
        assert_eq!(sentences(text), want);
    }

    #[test]
    fn sentences_end_where_white_space_follows() {
        check(
            "Hello there. Version 2.5 is out! Really?",
            &["Hello there.", "Version 2.5 is out!", "Really?"],
        );
        check("No end", &["No end"]);
        check("- one\n- two\n\n", &["- one", "- two"]);
        check(" \n ", &[]);
        check("Wait... what? OK", &["Wait...", "what?", "OK"]);
    }

    #[test]
    fn endings_have_the_length_of_their_place() {
        for (n, ending) in ENDINGS.iter().enumerate() {
            assert_eq!(ending.chars().count(), n);
        }
        let longest = PASSAGES.iter().flat_map(|passage| passage.split(' ')).map(str::len).max();
        // A word that does not fit leaves less than itself and its space, and a full stop may be taken back.
        assert!(longest.is_some_and(|longest| longest + 1 < ENDINGS.len()), "{longest:?}");
    }

    #[test]
    fn hidden_text_is_not_seen() {
        assert_eq!(in_tags("Ab"), "\u{e0041}\u{e0062}");
        assert_eq!(zero_width("ab c"), "a\u{200b}b c");
    }

    proptest! {
        /// Neutral text is exactly as long as it is asked to be, and the two passages never say the same.
        #[test]
        fn neutral_text_has_any_length(n_chars in 0_usize..2000) {
            let (first, second) = (neutral(n_chars, Passage::First), neutral(n_chars, Passage::Second));
            prop_assert_eq!(first.chars().count(), n_chars);
            prop_assert_eq!(second.chars().count(), n_chars);
            prop_assert!(n_chars < 4 || first != second);
        }

        /// No sentence is lost.
        #[test]
        fn sentences_hold_every_word(text in "[a-c .!?\n]{0,60}") {
            let joined = sentences(&text).join(" ");
            prop_assert_eq!(joined.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
        }
    }
}
