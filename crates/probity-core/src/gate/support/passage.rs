//! The sentences and clauses of a reply in which figures stand, with their words.
//!
//! A passage is read at most once, and only where somebody asks for it. To its words belong the remedies that it
//! speaks of: "send it back within 60 days" is about a return. The words inside a figure or a link do not.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::claim::{Claim, ClaimKind};
use super::super::policy::{sentence_end, stems};

/// Words that set a figure against a limit instead of giving the limit: "60 days is past our return window".
const AGAINST: &[&str] = &[
    "after", "ago", "already", "before", "beyond", "exceed", "exceeded", "exceeds", "expired", "instead",
    "late", "longer", "not", "outside", "over", "past", "rather", "since", "than",
];

/// A reply cut into pieces.
pub(super) struct Passages<'r> {
    sentences: Vec<Passage<'r>>,
    clauses: Vec<Passage<'r>>,
}

/// One piece.
pub(super) struct Passage<'r> {
    text: &'r str,
    /// Where it stands in the reply, in bytes.
    pub(super) range: Range<usize>,
    /// The ids of the remedies that it speaks of.
    remedies: Vec<&'r str>,
    /// Where in it figures and references stand, in order.
    values: Vec<Range<usize>>,
    words: OnceCell<BTreeSet<String>>,
    against: OnceCell<bool>,
}

impl<'r> Passages<'r> {
    /// The pieces of a reply with these claims.
    pub(super) fn of(reply: &'r str, claims: &'r [Claim]) -> Self {
        // About as many as ordinary prose has.
        let mut sentences = Vec::with_capacity(reply.len() / 64 + 1);
        let mut clauses = Vec::with_capacity(reply.len() / 48 + 1);
        let mut at = 0;
        while at < reply.len() {
            let end = at + sentence_end(&reply[at..]);
            sentences.push(Passage::new(reply, at..end));
            cut_clauses(reply, at..end, &mut clauses);
            at = end;
        }
        for claim in claims {
            for pieces in [&mut sentences, &mut clauses] {
                let index = pieces.partition_point(|piece: &Passage<'_>| piece.range.end <= claim.span.start);
                if let Some(piece) = pieces.get_mut(index) {
                    piece.note(claim);
                }
            }
        }
        Passages { sentences, clauses }
    }

    /// The sentence that the byte `at` stands in.
    pub(super) fn sentence(&self, at: usize) -> Option<&Passage<'r>> {
        piece(&self.sentences, at)
    }

    /// The clause that the byte `at` stands in.
    pub(super) fn clause(&self, at: usize) -> Option<&Passage<'r>> {
        piece(&self.clauses, at)
    }
}

impl<'r> Passage<'r> {
    fn new(reply: &'r str, range: Range<usize>) -> Self {
        Passage {
            text: &reply[range.clone()],
            range,
            remedies: Vec::new(),
            values: Vec::new(),
            words: OnceCell::new(),
            against: OnceCell::new(),
        }
    }

    fn note(&mut self, claim: &'r Claim) {
        match &claim.kind {
            ClaimKind::Remedy { remedy, .. } => self.remedies.push(remedy),
            ClaimKind::Value(_) => {
                let start = claim.span.start - self.range.start;
                self.values.push(start..(claim.span.end - self.range.start).min(self.text.len()));
            }
            ClaimKind::Deed { .. } => {}
        }
    }

    /// Its words, with their endings cut.
    pub(super) fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| {
            let mut words: BTreeSet<String> = self.remedies.iter().flat_map(|remedy| stems(remedy)).collect();
            let mut from = 0;
            for value in &self.values {
                words.extend(stems(&self.text[from.min(value.start)..value.start]));
                from = from.max(value.end);
            }
            words.extend(stems(&self.text[from..]));
            words
        })
    }

    /// Whether it sets a figure against a limit.
    pub(super) fn sets_against(&self) -> bool {
        *self.against.get_or_init(|| {
            let mut words = self.text.split(|c: char| !c.is_alphanumeric());
            words.any(|word| AGAINST.contains(&word.to_lowercase().as_str()))
        })
    }
}

fn piece<'p, 'r>(pieces: &'p [Passage<'r>], at: usize) -> Option<&'p Passage<'r>> {
    pieces.get(pieces.partition_point(|piece| piece.range.end <= at))
}

/// Clauses end at commas, semicolons, colons and brackets with white space on one side, so that `1,500` stays
/// whole, and at long dashes with white space on both and no digit before, so that `3 – 5 days` does.
fn cut_clauses<'r>(reply: &'r str, sentence: Range<usize>, clauses: &mut Vec<Passage<'r>>) {
    let text = &reply[sentence.clone()];
    let (mut start, mut from) = (0, 0);
    while let Some(at) = text.as_bytes()[from..].iter().position(|byte| may_cut(*byte)).map(|at| from + at) {
        let c = text[at..].chars().next().expect("no byte inside a character may cut");
        from = at + c.len_utf8();
        if cuts(&text[..at], c, &text[from..]) {
            clauses.push(Passage::new(reply, sentence.start + start..sentence.start + from));
            start = from;
        }
    }
    if start < text.len() {
        clauses.push(Passage::new(reply, sentence.start + start..sentence.end));
    }
}

/// Whether a character that starts with this byte can end a clause; that of a long dash is shared by others.
fn may_cut(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b':' | b'(' | b')' | 0xE2)
}

fn cuts(before: &str, c: char, behind: &str) -> bool {
    let after_space = || before.chars().next_back().is_none_or(char::is_whitespace);
    let before_space = || behind.chars().next().is_none_or(char::is_whitespace);
    match c {
        ',' | ';' | ':' | '(' | ')' => before_space() || after_space(),
        '\u{2013}' | '\u{2014}' => {
            before_space()
                && after_space()
                && !before.trim_end().ends_with(|last: char| last.is_ascii_digit())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(reply: &str, want: &[&str]) {
        let clauses = Passages::of(reply, &[]).clauses;
        assert_eq!(clauses.iter().map(|clause| clause.text).collect::<Vec<_>>(), want);
    }

    #[test]
    fn clauses_end_at_marks_that_are_not_inside_a_figure() {
        check(
            "It costs 1,500 EUR, or less. See a.example (page 2)!",
            &["It costs 1,500 EUR,", " or less. ", "See a.example (", "page 2)!"],
        );
        check(
            "It takes 3 \u{2013} 5 days \u{2013} no more",
            &["It takes 3 \u{2013} 5 days \u{2013}", " no more"],
        );
    }

    proptest! {
        /// Nothing is lost and nothing stands in two pieces.
        #[test]
        fn pieces_cover_the_reply(reply in "[a-z0-9 ,.;:!?()\n\u{2013}é-]{0,80}") {
            let passages = Passages::of(&reply, &[]);
            for pieces in [&passages.sentences, &passages.clauses] {
                let joined: String = pieces.iter().map(|piece| piece.text).collect();
                prop_assert_eq!(&joined, &reply);
            }
        }
    }
}
