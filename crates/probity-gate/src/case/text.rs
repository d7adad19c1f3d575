//! What a text is made of, where that matters before it is read.

/// Something about a text that a reader would not see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextTrait {
    /// No characters, or white space only.
    Empty,
    /// Characters, but none that is visible.
    InvisibleOnly,
    /// Visible text with zero-width, bidirectional, tag or other format characters in it.
    HiddenCharacters,
}

/// What can be said about `text`, if anything. The text itself is never changed.
pub fn text_trait(text: &str) -> Option<TextTrait> {
    // Nearly every reply: nothing in ASCII is hidden, so one visible character settles it.
    if text.is_ascii() && text.bytes().any(|b| b.is_ascii_graphic()) {
        None
    } else if text.chars().all(char::is_whitespace) {
        Some(TextTrait::Empty)
    } else if text.chars().all(|c| c.is_whitespace() || is_format(c)) {
        Some(TextTrait::InvisibleOnly)
    } else {
        let mut pairs = std::iter::once(' ').chain(text.chars()).zip(text.chars());
        let is_hidden = |(previous, c)| is_format(c) && !joins_visible(c, previous);
        pairs.any(is_hidden).then_some(TextTrait::HiddenCharacters)
    }
}

/// Whether a character takes no space and shows nothing: Unicode's format characters, fillers and tags.
pub fn is_format(c: char) -> bool {
    matches!(
        u32::from(c),
        0xad | 0x34f | 0x600..=0x605 | 0x61c | 0x6dd | 0x70f | 0x115f..=0x1160 | 0x17b4..=0x17b5
            | 0x180b..=0x180f | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164
            | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3
            | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff
    )
}

/// Joiners and variation selectors that belong to the character before them, as in emoji.
fn joins_visible(c: char, previous: char) -> bool {
    matches!(u32::from(c), 0x200c | 0x200d | 0xfe00..=0xfe0f)
        && !previous.is_whitespace()
        && !previous.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<TextTrait>) {
        assert_eq!(text_trait(text), want, "{text:?}");
    }

    #[test]
    fn visible_text_has_no_traits() {
        check("Hello", None);
        check("\u{2764}\u{fe0f} \u{1f468}\u{200d}\u{1f469}", None);
    }

    #[test]
    fn nothing_to_read_is_told_from_nothing_visible() {
        check("", Some(TextTrait::Empty));
        check(" \n\t\u{a0}", Some(TextTrait::Empty));
        check("\u{200b}\u{2060} \u{feff}", Some(TextTrait::InvisibleOnly));
    }

    #[test]
    fn hidden_characters_are_seen() {
        check("pass\u{200b}word", Some(TextTrait::HiddenCharacters));
        check("abc\u{202e}def", Some(TextTrait::HiddenCharacters));
        check("hi\u{e0041}", Some(TextTrait::HiddenCharacters));
    }
}
