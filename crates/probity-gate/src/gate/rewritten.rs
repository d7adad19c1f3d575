//! A text that was written anew from another, character by character, with the way back.

use std::ops::Range;

/// The new text. Every range of it stands for a range of whole characters of the original.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    text: String,
    /// For each byte of the text, the start and the end of what it stands for in the original.
    origins: Vec<(usize, usize)>,
}

impl Rewritten {
    /// Nothing yet, with room for as many bytes.
    pub(super) fn with_capacity(n_bytes: usize) -> Self {
        Rewritten { text: String::with_capacity(n_bytes), origins: Vec::with_capacity(n_bytes) }
    }

    /// Adds `char` for the characters of the original at `origin`.
    pub(super) fn push(&mut self, char: char, origin: Range<usize>) {
        self.text.push(char);
        self.origins.resize(self.text.len(), (origin.start, origin.end));
    }

    /// The new text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What a range of the new text stands for in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            return range.clone();
        }
        self.origins[range.start].0..self.origins[range.end - 1].1
    }
}
