//! What replies that do not pass have in common: the criterion or the rule, by slice, and reasons that recur.
//!
//! Grouping is deterministic and shallow. Reasons belong together when they share two neighbouring words that carry
//! meaning; the pair of words that most reasons share makes the first group, and so on. It finds phrases that a judge
//! repeats; it understands nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use crate::exact::Exact;
use crate::results::{FailurePattern, PatternKind, RecurringReason, ResultRow, RowOutcome};
use crate::rubric::{Rubric, Scale};

/// How many patterns and groups are reported.
const LISTED_MAX: usize = 10;
/// How many replies are named for each.
const EXAMPLES_MAX: usize = 3;
/// How many reasons are read. A run has as many as it has replies, and what recurs shows early.
const REASONS_MAX: usize = 5_000;
/// Reasons that make a group.
const GROUP_MIN: usize = 2;
/// The longest that a reason is quoted.
const QUOTE_CHARS_MAX: usize = 200;

/// Words without a meaning of their own here.
static EMPTY_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let words = "all and any are but can did for had has its may not the too was who also been does from have into \
                 just more most only over some such than that them then they this very were what when will with \
                 about being could level reply score their there where which while would answer should customer \
                 response";
    words.split(' ').collect()
});

/// What failing replies have in common, gathered one reply at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct PatternTally {
    seen: BTreeMap<(String, PatternKind), PatternCount>,
    reasons: Vec<Reason>,
    /// The reasons by their places, in order, that have two neighbouring words in common: by criterion and words.
    shared: BTreeMap<(String, String), Vec<usize>>,
}

/// Replies with something in common, and the first of them, by id.
#[derive(Debug, Clone, Default)]
struct PatternCount {
    n: u64,
    examples: Vec<String>,
}

#[derive(Debug, Clone)]
struct Reason {
    id: String,
    text: String,
}

impl PatternTally {
    /// Counts one result of `slice`.
    pub(super) fn add(&mut self, row: &ResultRow, slice: &str, rubric: &Rubric) {
        for rule in row.gate.blocking().collect::<BTreeSet<&str>>() {
            self.see(slice, PatternKind::Rule(rule.to_owned()), &row.id);
        }
        let is_of_interest = matches!(row.outcome, RowOutcome::Fail | RowOutcome::Scored);
        if !is_of_interest {
            return;
        }
        for (criterion, (id, result)) in rubric.criteria().iter().zip(row.asked()) {
            if result.score.is_some_and(|level| is_weak(&criterion.scale, level)) {
                self.see(slice, PatternKind::Criterion(id.to_owned()), &row.id);
                self.hear(id, &row.id, result.reasoning.as_deref().unwrap_or_default());
            }
        }
    }

    fn see(&mut self, slice: &str, kind: PatternKind, id: &str) {
        let seen = self.seen.entry((slice.to_owned(), kind)).or_default();
        seen.n += 1;
        if seen.examples.len() < EXAMPLES_MAX {
            seen.examples.push(id.to_owned());
        }
    }

    fn hear(&mut self, criterion: &str, id: &str, text: &str) {
        if self.reasons.len() >= REASONS_MAX {
            return;
        }
        let words = words(text);
        if words.len() < 2 {
            return;
        }
        let place = self.reasons.len();
        for pair in words.windows(2) {
            let places = self.shared.entry((criterion.to_owned(), pair.join(" "))).or_default();
            // A reason may say its words again.
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
        let text = text.chars().take(QUOTE_CHARS_MAX).collect();
        self.reasons.push(Reason { id: id.to_owned(), text });
    }

    /// The most frequent patterns first; `n_entered` says how many replies a slice has.
    pub(super) fn patterns(&self, n_entered: impl Fn(&str) -> u64) -> Vec<FailurePattern> {
        let pattern = |((slice, kind), seen): (&(String, PatternKind), &PatternCount)| FailurePattern {
            slice: slice.clone(),
            kind: kind.clone(),
            n: seen.n,
            of: n_entered(slice),
            examples: seen.examples.clone(),
        };
        let mut patterns: Vec<FailurePattern> = self.seen.iter().map(pattern).collect();
        // The sort is stable, so equal counts stay in the order of slices.
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.n));
        patterns.truncate(LISTED_MAX);
        patterns
    }

    /// The largest groups of reasons first. A reason belongs to one group at the most.
    pub(super) fn recurring(&self) -> Vec<RecurringReason> {
        let mut is_left = vec![true; self.reasons.len()];
        let mut groups = Vec::new();
        while groups.len() < LISTED_MAX {
            let left = |places: &[usize]| places.iter().filter(|place| is_left[**place]).count();
            // Of equal counts the first by name, so that the order of replies changes nothing.
            let largest = self.shared.iter().rev().max_by_key(|(_, places)| left(places));
            let Some(((criterion, words), places)) = largest.filter(|(_, places)| left(places) >= GROUP_MIN)
            else {
                break;
            };
            let group: Vec<usize> = places.iter().copied().filter(|place| is_left[*place]).collect();
            let quoted = group.iter().map(|place| &self.reasons[*place]);
            groups.push(RecurringReason {
                criterion: criterion.clone(),
                words: words.clone(),
                n: group.len() as u64,
                examples: quoted.clone().take(EXAMPLES_MAX).map(|reason| reason.id.clone()).collect(),
                quote: quoted.clone().next().map(|reason| reason.text.clone()).unwrap_or_default(),
            });
            for place in group {
                is_left[place] = false;
            }
        }
        groups
    }
}

/// Whether a level has at most half of its scale.
fn is_weak(scale: &Scale, level: i64) -> bool {
    scale.share(level) + scale.share(level) <= Exact::from(1)
}

/// The words that carry meaning, in small letters.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').map(str::to_lowercase);
    words.filter(|word| word.chars().count() > 2 && !EMPTY_WORDS.contains(word.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(reasons: &[(&str, &str)]) -> PatternTally {
        let mut tally = PatternTally::default();
        for (at, (criterion, text)) in reasons.iter().enumerate() {
            tally.hear(criterion, &format!("case {at}"), text);
        }
        tally
    }

    #[track_caller]
    fn check(reasons: &[(&str, &str)], want: &[(&str, &str, u64)]) {
        let groups = tally(reasons).recurring();
        let got: Vec<(&str, &str, u64)> =
            groups.iter().map(|group| (group.criterion.as_str(), group.words.as_str(), group.n)).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn reasons_that_share_words_are_one_group() {
        check(
            &[
                ("accuracy", "The refund window is wrong."),
                ("accuracy", "It names a wrong refund window for sale items."),
                ("accuracy", "States the refund window incorrectly."),
                ("tone", "Curt, and the refund window is missing."),
                ("accuracy", "Invents a loyalty programme."),
            ],
            &[("accuracy", "refund window", 3)],
        );
    }

    #[test]
    fn a_reason_belongs_to_one_group() {
        check(
            &[
                ("tone", "Reads cold and robotic throughout."),
                ("tone", "Cold robotic wording; blames the traveller."),
                ("tone", "It blames traveller and agent alike."),
            ],
            &[("tone", "blames traveller", 2)],
        );
    }

    #[test]
    fn the_order_of_replies_changes_no_group() {
        let reasons = [
            ("a", "late parcel again"),
            ("a", "parcel late again"),
            ("a", "late parcel today"),
            ("a", "again today late parcel"),
        ];
        let mut turned = reasons;
        turned.reverse();
        let names = |tally: PatternTally| {
            tally.recurring().into_iter().map(|group| (group.words, group.n)).collect::<Vec<_>>()
        };
        assert_eq!(names(tally(&reasons)), names(tally(&turned)));
    }

    #[test]
    fn words_without_meaning_make_no_group() {
        check(&[("tone", "The reply and the customer"), ("tone", "This is the reply.")], &[]);
    }

    #[test]
    fn a_reason_that_repeats_itself_is_one_reason() {
        check(&[("tone", "Cold robotic, cold robotic, cold robotic."), ("tone", "Warm.")], &[]);
        check(
            &[("tone", "COLD robotic. Cold robotic!"), ("tone", "It's cold, robotic")],
            &[("tone", "cold robotic", 2)],
        );
    }

    #[test]
    fn words_are_kept_in_small_letters() {
        let kept = |text: &str| words(text).join(" ");
        assert_eq!(kept("The Reply: it's NOT Polite, Ünübertroffen 12 ab"), "it's polite ünübertroffen");
        assert_eq!(kept("of"), "");
        assert_eq!(kept("Polite of Maria"), "polite maria");
    }

    #[test]
    fn a_level_up_to_the_middle_is_weak() {
        for built_in in ["relevance-tone", "support-gold"] {
            for criterion in crate::rubric::built_in(built_in).expect("built in").criteria() {
                let half = Exact::ratio(1, 2).expect("two is not zero");
                for level in criterion.scale.levels() {
                    assert_eq!(is_weak(&criterion.scale, *level), criterion.scale.share(*level) <= half);
                }
            }
        }
    }
}
