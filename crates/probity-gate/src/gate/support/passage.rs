//! The sentences and clauses of a reply in which figures stand, with their words.
//!
//! Nothing is cut before somebody asks for it, and who asks goes through the reply from left to right, so that it
//! is read at most once. To the words of a passage belong the remedies that it speaks of: "send it back within
//! 60 days" is about a return. The words inside a figure or a link do not.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use super::super::claim::{Claim, ClaimKind};
use super::super::policy::{end_behind, has_stem, sentence_end};

/// Words that set a figure against a limit instead of giving the limit: "60 days is past our return window".
const AGAINST: &[&str] = &[
    "after", "ago", "already", "before", "beyond", "exceed", "exceeded", "exceeds", "expired", "instead",
    "late", "longer", "not", "outside", "over", "past", "rather", "since", "than",
];

/// A reply that is cut into pieces from left to right.
pub(super) struct Passages<'r> {
    reply: &'r str,
    /// By their place.
    claims: &'r [Claim],
    /// Where the sentence stands that was cut last.
    cut: Range<usize>,
    sentence: Option<Rc<Passage<'r>>>,
    clause: Option<Rc<Passage<'r>>>,
}

/// One piece.
pub(super) struct Passage<'r> {
    text: &'r str,
    /// Where it stands in the reply, in bytes.
    pub(super) range: Range<usize>,
    /// Those that start in it.
    claims: &'r [Claim],
    /// The words that were asked for, by where they are written, and whether it has them.
    words: RefCell<BTreeMap<*const u8, bool>>,
    against: OnceCell<bool>,
}

impl<'r> Passages<'r> {
    /// The pieces of a reply with these claims.
    pub(super) fn of(reply: &'r str, claims: &'r [Claim]) -> Self {
        Passages { reply, claims, cut: 0..0, sentence: None, clause: None }
    }

    /// The sentence that the byte `at` stands in.
    pub(super) fn sentence(&mut self, at: usize) -> Rc<Passage<'r>> {
        self.cut_to(at);
        match &self.sentence {
            Some(sentence) if sentence.range == self.cut => Rc::clone(sentence),
            _ => Rc::clone(self.sentence.insert(Rc::new(Passage::new(
                self.reply,
                self.cut.clone(),
                self.claims,
            )))),
        }
    }

    /// The clause that the byte `at` stands in.
    pub(super) fn clause(&mut self, at: usize) -> Rc<Passage<'r>> {
        self.cut_to(at);
        let last = self.clause.as_ref().map_or(0..0, |clause| clause.range.clone());
        if let Some(clause) = self.clause.as_ref().filter(|_| last.contains(&at)) {
            return Rc::clone(clause);
        }
        let goes_on = self.cut.contains(&last.end) && last.end <= at;
        let mut start = if goes_on { last.end } else { self.cut.start };
        let mut end = clause_end(self.reply, &self.cut, start);
        while end <= at && end < self.cut.end {
            start = end;
            end = clause_end(self.reply, &self.cut, start);
        }
        Rc::clone(self.clause.insert(Rc::new(Passage::new(self.reply, start..end, self.claims))))
    }

    /// Cuts the sentence that the byte `at` stands in. Where a sentence ends is decided by the few bytes before,
    /// so those between it and the last one need not be cut.
    fn cut_to(&mut self, at: usize) {
        if self.cut.contains(&at) {
            return;
        }
        let floor = if self.cut.end <= at { self.cut.end } else { 0 };
        let mut ends = (floor..at).rev().filter_map(|mark| end_behind(self.reply, mark));
        let mut start = ends.find(|end| *end <= at).unwrap_or(floor);
        let mut end = start + sentence_end(&self.reply[start..]);
        while end <= at && end < self.reply.len() {
            start = end;
            end = start + sentence_end(&self.reply[start..]);
        }
        self.cut = start..end;
    }
}

impl<'r> Passage<'r> {
    fn new(reply: &'r str, range: Range<usize>, claims: &'r [Claim]) -> Self {
        let first = claims.partition_point(|claim| claim.span.start < range.start);
        let n_claims = claims[first..].partition_point(|claim| claim.span.start < range.end);
        Passage {
            text: &reply[range.clone()],
            range,
            claims: &claims[first..first + n_claims],
            words: RefCell::default(),
            against: OnceCell::new(),
        }
    }

    /// Whether `word`, whose ending is cut, is one of its words.
    pub(super) fn has(&self, word: &str) -> bool {
        *self.words.borrow_mut().entry(word.as_ptr()).or_insert_with(|| self.reads(word))
    }

    fn reads(&self, word: &str) -> bool {
        let mut from = 0;
        for claim in self.claims {
            match &claim.kind {
                ClaimKind::Remedy { remedy, .. } if has_stem(remedy, word) => return true,
                ClaimKind::Value(_) => {
                    let start = claim.span.start - self.range.start;
                    if has_stem(&self.text[from.min(start)..start], word) {
                        return true;
                    }
                    from = from.max((claim.span.end - self.range.start).min(self.text.len()));
                }
                ClaimKind::Remedy { .. } | ClaimKind::Deed { .. } => {}
            }
        }
        has_stem(&self.text[from..], word)
    }

    /// Whether it sets a figure against a limit.
    pub(super) fn sets_against(&self) -> bool {
        *self.against.get_or_init(|| {
            let mut words = self.text.split(|c: char| !c.is_alphanumeric());
            words.any(|word| AGAINST.iter().any(|against| against.eq_ignore_ascii_case(word)))
        })
    }
}

/// Where the clause that starts at `start` in a sentence ends. Clauses end at commas, semicolons, colons and
/// brackets with white space on one side, so that `1,500` stays whole, and at long dashes with white space on both
/// and no digit before, so that `3 – 5 days` does.
fn clause_end(reply: &str, sentence: &Range<usize>, start: usize) -> usize {
    let text = &reply[sentence.clone()];
    let mut from = start - sentence.start;
    while let Some(at) = text.as_bytes()[from..].iter().position(|byte| may_cut(*byte)).map(|at| from + at) {
        let c = text[at..].chars().next().expect("no byte inside a character may cut");
        from = at + c.len_utf8();
        if cuts(&text[..at], c, &text[from..]) {
            return sentence.start + from;
        }
    }
    sentence.end
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

    use super::super::super::policy::sentences;
    use super::*;

    /// All pieces of a reply in order.
    fn pieces<'r>(reply: &'r str, find: fn(&mut Passages<'r>, usize) -> Rc<Passage<'r>>) -> Vec<&'r str> {
        let (mut passages, mut pieces, mut at) = (Passages::of(reply, &[]), Vec::new(), 0);
        while at < reply.len() {
            let piece = find(&mut passages, at);
            pieces.push(piece.text);
            at = piece.range.end;
        }
        pieces
    }

    #[track_caller]
    fn check(reply: &str, want: &[&str]) {
        assert_eq!(pieces(reply, Passages::clause), want);
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
            prop_assert_eq!(pieces(&reply, Passages::clause).concat(), &*reply);
            prop_assert_eq!(pieces(&reply, Passages::sentence), sentences(&reply).collect::<Vec<_>>());
        }

        /// Going over pieces changes none of those behind.
        #[test]
        fn a_piece_is_the_same_from_wherever_one_comes(
            reply in "[a-z0-9 ,.;:!?()\n\u{2013}\u{a0}é-]{0,80}",
            at in any::<prop::sample::Index>(),
        ) {
            prop_assume!(!reply.is_empty());
            let at = at.index(reply.len());
            for find in [Passages::sentence, Passages::clause] {
                let one = find(&mut Passages::of(&reply, &[]), at).range.clone();
                let mut start = 0;
                let mut all = pieces(&reply, find).into_iter().map(|piece| {
                    start += piece.len();
                    start - piece.len()..start
                });
                prop_assert_eq!(Some(one), all.find(|piece| piece.contains(&at)));
            }
        }
    }
}
