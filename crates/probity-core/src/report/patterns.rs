//! What replies that do not pass have in common: the criterion or the rule, by slice, and reasons that recur.
//!
//! Grouping is deterministic and shallow. Reasons belong together when they share two neighbouring words that
//! carry meaning; the pair of words that most reasons share makes the first group, and so on. It finds what a
//! judge says again and again, and understands nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::row::{GateOutcome, Outcome, ReplyResult};
use crate::gate::Severity;
use crate::results::{FailurePattern, PatternKind, RecurringReason};
use crate::rubric::{Rubric, Scale};
use crate::score::CriterionOutcome;

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

/// Words without a meaning of their own here, by length and then by letters.
const EMPTY_WORDS: &[&str] = &[
    "all", "and", "any", "are", "but", "can", "did", "for", "had", "has", "its", "may", "not", "the", "too",
    "was", "who", "also", "been", "does", "from", "have", "into", "just", "more", "most", "only", "over",
    "some", "such", "than", "that", "them", "then", "they", "this", "very", "were", "what", "when", "will",
    "with", "about", "being", "could", "level", "reply", "score", "their", "there", "where", "which",
    "while", "would", "answer", "should", "customer", "response",
];

/// What failing replies have in common, gathered one reply at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct PatternTally {
    slices: BTreeMap<String, Weaknesses>,
    reasons: Vec<Reason>,
    /// By criterion, then by the two neighbouring words that reasons have in common.
    shared: BTreeMap<String, HashMap<String, Sharing>>,
}

/// What was weak or broken in replies of one slice.
#[derive(Debug, Clone, Default)]
struct Weaknesses {
    criteria: BTreeMap<String, Seen>,
    rules: BTreeMap<&'static str, Seen>,
}

/// Replies with something in common, and the first of them, by id.
#[derive(Debug, Clone, Default)]
struct Seen {
    n: u64,
    examples: Vec<String>,
}

#[derive(Debug, Clone)]
struct Reason {
    id: String,
    text: String,
}

/// Reasons that have two words in common, by their places, in order. Most words are of one reason alone.
#[derive(Debug, Clone)]
struct Sharing {
    first: usize,
    others: Vec<usize>,
}

impl PatternTally {
    /// Counts one result of `slice`.
    pub(super) fn add(&mut self, result: &ReplyResult, slice: &str, rubric: &Rubric) {
        if let GateOutcome::Blocked(findings) = &result.gate {
            let blocking = findings.iter().filter(|finding| finding.severity == Severity::Block);
            let rules: BTreeSet<&'static str> = blocking.map(crate::gate::Finding::rule).collect();
            let weaknesses = entry(&mut self.slices, slice);
            for rule in rules {
                weaknesses.rules.entry(rule).or_default().add(&result.id);
            }
        }
        let is_of_interest = matches!(result.outcome, Outcome::Fail(_) | Outcome::Scored);
        if !is_of_interest {
            return;
        }
        for (id, outcome) in &result.criteria {
            let CriterionOutcome::Scored(scored) = outcome else { continue };
            if rubric.criterion(id).is_some_and(|criterion| is_weak(&criterion.scale, scored.level)) {
                let weaknesses = entry(&mut self.slices, slice);
                entry(&mut weaknesses.criteria, id.as_str()).add(&result.id);
                self.hear(id.as_str(), &result.id, &scored.reasoning);
            }
        }
    }

    fn hear(&mut self, criterion: &str, id: &str, text: &str) {
        if self.reasons.len() >= REASONS_MAX {
            return;
        }
        let (words, ends) = words(text);
        if ends.len() < 2 {
            return;
        }
        let place = self.reasons.len();
        let shared = entry(&mut self.shared, criterion);
        // A word begins behind the space after the one before it, so two words and their space stand as they are.
        let begins = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
        for (begin, end) in begins.zip(&ends[1..]) {
            let pair = &words[begin..*end];
            match shared.get_mut(pair) {
                Some(sharing) => sharing.add(place),
                None => drop(shared.insert(pair.to_owned(), Sharing { first: place, others: Vec::new() })),
            }
        }
        let text = text.chars().take(QUOTE_CHARS_MAX).collect();
        self.reasons.push(Reason { id: id.to_owned(), text });
    }

    /// The most frequent patterns first; `n_entered` says how many replies a slice has.
    pub(super) fn patterns(&self, n_entered: impl Fn(&str) -> u64) -> Vec<FailurePattern> {
        let mut patterns = Vec::new();
        for (slice, Weaknesses { criteria, rules }) in &self.slices {
            let criteria = criteria.iter().map(|(name, seen)| (PatternKind::Criterion(name.clone()), seen));
            let rules = rules.iter().map(|(name, seen)| (PatternKind::Rule((*name).to_owned()), seen));
            patterns.extend(criteria.chain(rules).map(|(kind, Seen { n, examples })| FailurePattern {
                slice: slice.clone(),
                kind,
                n: *n,
                of: n_entered(slice),
                examples: examples.clone(),
            }));
        }
        // The sort is stable, so equal counts stay in the order of slices.
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.n));
        patterns.truncate(LISTED_MAX);
        patterns
    }

    /// The largest groups of reasons first. A reason belongs to one group at the most.
    pub(super) fn recurring(&self) -> Vec<RecurringReason> {
        let mut candidates = self.candidates();
        let mut is_left = vec![true; self.reasons.len()];
        let mut groups = Vec::new();
        while groups.len() < LISTED_MAX {
            // Of equal counts the first by name, so that the order of replies changes nothing.
            let largest = candidates
                .iter()
                .max_by(|a, b| a.n_left.cmp(&b.n_left).then_with(|| b.name().cmp(&a.name())))
                .filter(|candidate| candidate.n_left >= GROUP_MIN);
            let Some(Candidate { criterion, words, sharing, .. }) = largest else { break };
            let group: Vec<usize> = sharing.places().filter(|place| is_left[*place]).collect();
            let quoted = group.iter().map(|place| &self.reasons[*place]);
            groups.push(RecurringReason {
                criterion: (*criterion).to_owned(),
                words: (*words).to_owned(),
                n: group.len() as u64,
                examples: quoted.clone().take(EXAMPLES_MAX).map(|reason| reason.id.clone()).collect(),
                quote: quoted.clone().next().map(|reason| reason.text.clone()).unwrap_or_default(),
            });
            for place in group {
                is_left[place] = false;
            }
            for candidate in &mut candidates {
                candidate.n_left = candidate.sharing.places().filter(|place| is_left[*place]).count();
            }
        }
        groups
    }

    /// Words that enough reasons share to make a group.
    fn candidates(&self) -> Vec<Candidate<'_>> {
        let mut candidates = Vec::new();
        for (criterion, shared) in &self.shared {
            let shared = shared.iter().map(|(words, sharing)| (words, sharing, 1 + sharing.others.len()));
            let shared = shared.filter(|(.., n_left)| *n_left >= GROUP_MIN);
            candidates.extend(shared.map(|(words, sharing, n_left)| Candidate {
                criterion,
                words,
                sharing,
                n_left,
            }));
        }
        candidates
    }
}

/// Reasons that may make a group.
struct Candidate<'a> {
    criterion: &'a str,
    words: &'a str,
    sharing: &'a Sharing,
    /// How many of the reasons belong to no group so far.
    n_left: usize,
}

impl Candidate<'_> {
    fn name(&self) -> (&str, &str) {
        (self.criterion, self.words)
    }
}

impl Seen {
    fn add(&mut self, id: &str) {
        self.n += 1;
        if self.examples.len() < EXAMPLES_MAX {
            self.examples.push(id.to_owned());
        }
    }
}

impl Sharing {
    /// Adds the reason at `place`, once: it may say its words again.
    fn add(&mut self, place: usize) {
        if *self.others.last().unwrap_or(&self.first) != place {
            self.others.push(place);
        }
    }

    fn places(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

/// The value of `key`, a new one where there was none. Nearly always there is one, and its name is not made again.
fn entry<'a, T: Default>(map: &'a mut BTreeMap<String, T>, key: &str) -> &'a mut T {
    if !map.contains_key(key) {
        map.insert(key.to_owned(), T::default());
    }
    map.get_mut(key).expect("it is there by now")
}

/// Whether a level has at most half of its scale.
fn is_weak(scale: &Scale, level: i64) -> bool {
    let distance = |one: i64, other: i64| (i128::from(one) - i128::from(other)).abs();
    2 * distance(level, scale.worst()) <= distance(scale.max(), scale.min())
}

/// Whether a word in small letters has no meaning of its own here.
fn is_empty(word: &str) -> bool {
    EMPTY_WORDS.binary_search_by_key(&(word.len(), word), |empty| (empty.len(), empty)).is_ok()
}

/// The words that carry meaning, in small letters and with a space between them, and where each ends.
fn words(text: &str) -> (String, Vec<usize>) {
    let mut words = String::with_capacity(text.len());
    let mut ends = Vec::with_capacity(16);
    for word in text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()) {
        let begin = ends.last().map_or(0, |end: &usize| end + 1);
        words.truncate(begin.saturating_sub(1));
        if begin > 0 {
            words.push(' ');
        }
        if word.is_ascii() {
            words.extend(word.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            words.push_str(&word.to_lowercase());
        }
        let word = &words[begin..];
        if word.chars().count() > 2 && !is_empty(word) {
            ends.push(words.len());
        }
    }
    words.truncate(ends.last().copied().unwrap_or(0));
    (words, ends)
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
    fn words_without_meaning_are_found() {
        assert!(EMPTY_WORDS.iter().all(|word| is_empty(word)), "they are sorted");
        assert!(!is_empty("parcel") && !is_empty("zz"));
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
        let kept = |text: &str| words(text).0;
        assert_eq!(kept("The Reply: it's NOT Polite, Ünübertroffen 12 ab"), "it's polite ünübertroffen");
        assert_eq!(kept("of"), "");
        let (text, ends) = words("Polite of Maria");
        assert_eq!((text.as_str(), ends), ("polite maria", vec![6, 12]));
    }

    #[test]
    fn a_level_up_to_the_middle_is_weak() {
        for built_in in ["relevance-tone", "support-gold"] {
            for criterion in crate::rubric::built_in(built_in).expect("built in").criteria() {
                let half = crate::exact::Exact::ratio(1, 2).expect("two is not zero");
                for level in criterion.scale.levels() {
                    assert_eq!(is_weak(&criterion.scale, *level), criterion.scale.share(*level) <= half);
                }
            }
        }
    }
}
