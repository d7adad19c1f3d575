//! The sentences and clauses of a reply in which figures stand, with their words.
//!
//! To the words of a passage belong the remedies that it speaks of: "send it back within 60 days" is about a return. The
//! words inside a figure or a link do not. A passage is read at most once, however many figures stand in it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use super::super::claim::{Claim, ClaimKind, Lexicon, WordList};
use super::super::policy::stems;
use super::super::text::sentence_spans;
use super::says;

/// The sentences and the clauses of a reply, each in order, cut when one is asked for.
pub(super) struct Passages<'r> {
    reply: &'r str,
    claims: &'r [Claim],
    lexicon: &'r Lexicon,
    cut: OnceCell<[Vec<Passage<'r>>; 2]>,
}

/// One sentence or clause.
pub(super) struct Passage<'r> {
    pub(super) text: &'r str,
    /// Where it stands in the reply, in bytes.
    pub(super) range: Range<usize>,
    /// Those that start in it.
    claims: &'r [Claim],
    /// With their endings cut.
    words: OnceCell<BTreeSet<String>>,
    /// Whether it makes up an example, calculates, and says what to do; each is looked for when it is asked.
    said: [OnceCell<bool>; 3],
    lexicon: &'r Lexicon,
}

impl<'r> Passages<'r> {
    /// The passages of a reply with these claims, which are in order.
    pub(super) fn of(reply: &'r str, claims: &'r [Claim], lexicon: &'r Lexicon) -> Self {
        Passages { reply, claims, lexicon, cut: OnceCell::new() }
    }

    fn cut(&self) -> &[Vec<Passage<'r>>; 2] {
        self.cut.get_or_init(|| {
            let passage = |range| Passage::new(self.reply, range, self.claims, self.lexicon);
            let (mut all, mut start, mut end) = ([Vec::new(), Vec::new()], 0, 0);
            for sentence in sentence_spans(self.reply) {
                for clause in clauses(&self.reply[sentence]) {
                    all[1].push(passage(end..end + clause.len()));
                    end += clause.len();
                }
                all[0].push(passage(start..end));
                start = end;
            }
            all
        })
    }

    /// The sentence that the byte `at` stands in.
    pub(super) fn sentence(&self, at: usize) -> &Passage<'r> {
        passage_at(&self.cut()[0], at)
    }

    /// The clause that the byte `at` stands in.
    pub(super) fn clause(&self, at: usize) -> &Passage<'r> {
        passage_at(&self.cut()[1], at)
    }
}

fn passage_at<'p, 'r>(passages: &'p [Passage<'r>], at: usize) -> &'p Passage<'r> {
    &passages[passages.partition_point(|passage| passage.range.end <= at)]
}

impl<'r> Passage<'r> {
    fn new(reply: &'r str, range: Range<usize>, claims: &'r [Claim], lexicon: &'r Lexicon) -> Self {
        let first = claims.partition_point(|claim| claim.span.start < range.start);
        let n_claims = claims[first..].partition_point(|claim| claim.span.start < range.end);
        Passage {
            text: &reply[range.clone()],
            range,
            claims: &claims[first..first + n_claims],
            words: OnceCell::new(),
            said: Default::default(),
            lexicon,
        }
    }

    /// Whether `word`, whose ending is cut, is one of its words.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.words()).contains(word)
    }

    fn words(&self) -> BTreeSet<String> {
        let (mut words, mut from) = (BTreeSet::new(), 0);
        for claim in self.claims {
            match &claim.kind {
                ClaimKind::Remedy { remedy, .. } => words.extend(stems(remedy, self.lexicon)),
                ClaimKind::Value(_) => {
                    let start = claim.span.start - self.range.start;
                    words.extend(stems(&self.text[from.min(start)..start], self.lexicon));
                    from = from.max((claim.span.end - self.range.start).min(self.text.len()));
                }
                ClaimKind::Deed { .. } => {}
            }
        }
        words.extend(stems(&self.text[from..], self.lexicon));
        words
    }

    /// Whether it ends as a question does.
    pub(super) fn asks(&self) -> bool {
        self.text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?').ends_with('?')
    }

    /// Whether its figures are made up to explain something.
    pub(super) fn is_example(&self) -> bool {
        self.says(0, WordList::Example)
    }

    /// Whether it says that a figure is calculated. A language without words for it leaves that open.
    pub(super) fn is_derived(&self) -> bool {
        self.says(1, WordList::Derived) || self.lexicon.words(WordList::Derived).next().is_none()
    }

    /// Whether it says what to do: its lengths of time are of that.
    pub(super) fn tells_what_to_do(&self) -> bool {
        self.says(2, WordList::Steps)
    }

    fn says(&self, at: usize, list: WordList) -> bool {
        *self.said[at].get_or_init(|| says(self.text, list, self.lexicon))
    }

    /// Whether it sets a figure against a limit.
    pub(super) fn sets_against(&self) -> bool {
        let against = self.lexicon.words(WordList::Against);
        against.flat_map(|word| stems(word, self.lexicon)).any(|word| self.has(&word))
    }
}

/// The clauses of a sentence. They end at commas, semicolons, colons and brackets with white space on one side, so that
/// `1,500` stays whole, and at long dashes with white space on both and no digit before, so that `3 – 5 days` does.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let mut start = 0;
    let mut marks = sentence.match_indices([',', ';', ':', '(', ')', '\u{2013}', '\u{2014}']);
    std::iter::from_fn(move || {
        let end = marks.by_ref().find_map(|(at, mark)| {
            let end = at + mark.len();
            let before = &sentence[..at];
            let (after_space, before_space) =
                (is_space(before.chars().next_back()), is_space(sentence[end..].chars().next()));
            let is_range = before.trim_end().ends_with(|last: char| last.is_ascii_digit());
            let cuts = match mark {
                "\u{2013}" | "\u{2014}" => before_space && after_space && !is_range,
                _ => before_space || after_space,
            };
            cuts.then_some(end)
        });
        let clause = &sentence[start..end.unwrap_or(sentence.len())];
        start += clause.len();
        (!clause.is_empty()).then_some(clause)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts<'r>(passages: &[Passage<'r>]) -> Vec<&'r str> {
        passages.iter().map(|passage| passage.text).collect()
    }

    #[track_caller]
    fn check(reply: &str, want: &[&str]) {
        assert_eq!(texts(&Passages::of(reply, &[], Lexicon::built_in()).cut()[1]), want);
    }

    #[test]
    fn clauses_end_at_marks_that_are_not_inside_a_figure() {
        check(
            "It costs 1,500 EUR, or less. See a.example (page 2)!",
            &["It costs 1,500 EUR,", " or less.", " See a.example (", "page 2)!"],
        );
        check(
            "It takes 3 \u{2013} 5 days \u{2013} no more",
            &["It takes 3 \u{2013} 5 days \u{2013}", " no more"],
        );
    }

    proptest! {
        /// Nothing is lost, nothing stands in two passages, and each is found by all its bytes.
        #[test]
        fn passages_cover_the_reply(reply in "[a-z0-9 ,.;:!?()\n\u{2013}\u{a0}é-]{0,80}") {
            let passages = Passages::of(&reply, &[], Lexicon::built_in());
            prop_assert_eq!(texts(&passages.cut()[1]).concat(), &*reply);
            let sentences: Vec<&str> = sentence_spans(&reply).into_iter().map(|span| &reply[span]).collect();
            prop_assert_eq!(texts(&passages.cut()[0]), sentences);
            for at in 0..reply.len() {
                prop_assert!(passages.sentence(at).range.contains(&at) && passages.clause(at).range.contains(&at));
            }
        }
    }
}
