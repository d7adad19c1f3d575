//! What replies that do not pass have in common: the criterion or the rule, by slice, and reasons that recur.
//!
//! Grouping is deterministic and shallow. Reasons belong together when they share two neighbouring words that
//! carry meaning; the pair of words that most reasons share makes the first group, and so on. It finds what a
//! judge says again and again, and understands nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::row::{GateOutcome, Outcome, ReplyResult};
use crate::exact::Exact;
use crate::gate::Severity;
use crate::rubric::Rubric;
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

/// Words without a meaning of their own here.
const EMPTY_WORDS: &[&str] = &[
    "the", "and", "but", "for", "with", "that", "this", "are", "was", "were", "has", "have", "had", "its",
    "not", "does", "did", "from", "into", "they", "them", "their", "which", "while", "there", "than", "then",
    "who", "what", "when", "where", "will", "would", "could", "should", "can", "may", "any", "all", "also",
    "only", "very", "too", "such", "just", "more", "most", "some", "been", "being", "about", "over", "reply",
    "response", "answer", "customer", "level", "score",
];

/// What was seen in replies of one slice that do not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailurePattern {
    /// The slice.
    pub slice: String,
    /// What was weak or broken.
    pub kind: PatternKind,
    /// Replies with it.
    pub n: u64,
    /// The first of them, by id.
    pub examples: Vec<String>,
}

/// What a pattern is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatternKind {
    /// A criterion with at most half of its scale.
    Criterion(String),
    /// A rule of the gate that blocks.
    Rule(&'static str),
}

/// Reasons for weak levels of a criterion that share their words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecurringReason {
    /// The criterion.
    pub criterion: String,
    /// The words that they share.
    pub words: String,
    /// How many reasons.
    pub n: u64,
    /// The first replies, by id.
    pub examples: Vec<String>,
    /// The first reason, shortened.
    pub quote: String,
}

/// What failing replies have in common, gathered one reply at a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PatternTally {
    cells: BTreeMap<(String, PatternKind), (u64, Vec<String>)>,
    reasons: Vec<Reason>,
}

#[derive(Debug, Clone, PartialEq)]
struct Reason {
    criterion: String,
    id: String,
    text: String,
    /// Two neighbouring words that carry meaning, each pair once.
    pairs: BTreeSet<String>,
}

impl PatternTally {
    /// Counts one result of `slice`.
    pub(super) fn add(&mut self, result: &ReplyResult, slice: &str, rubric: &Rubric) {
        if let GateOutcome::Blocked(findings) = &result.gate {
            let blocking = findings.iter().filter(|finding| finding.severity == Severity::Block);
            let rules: BTreeSet<&'static str> = blocking.map(crate::gate::Finding::rule).collect();
            for rule in rules {
                self.count(slice, PatternKind::Rule(rule), &result.id);
            }
        }
        let is_of_interest = matches!(result.outcome, Outcome::Fail(_) | Outcome::Scored);
        if !is_of_interest {
            return;
        }
        let half = Exact::ratio(1, 2).expect("two is not zero");
        for (id, outcome) in &result.criteria {
            let CriterionOutcome::Scored(scored) = outcome else { continue };
            let share = rubric.criterion(id).map(|criterion| criterion.scale.share(scored.level));
            if share.is_some_and(|share| share <= half) {
                self.count(slice, PatternKind::Criterion(id.to_string()), &result.id);
                self.hear(id.as_str(), &result.id, &scored.reasoning);
            }
        }
    }

    fn count(&mut self, slice: &str, kind: PatternKind, id: &str) {
        let (n, examples) = self.cells.entry((slice.to_owned(), kind)).or_default();
        *n += 1;
        if examples.len() < EXAMPLES_MAX {
            examples.push(id.to_owned());
        }
    }

    fn hear(&mut self, criterion: &str, id: &str, text: &str) {
        if self.reasons.len() >= REASONS_MAX {
            return;
        }
        let pairs = pairs(text);
        if !pairs.is_empty() {
            let text = text.chars().take(QUOTE_CHARS_MAX).collect();
            self.reasons.push(Reason { criterion: criterion.to_owned(), id: id.to_owned(), text, pairs });
        }
    }

    /// The most frequent patterns first.
    pub(super) fn patterns(&self) -> Vec<FailurePattern> {
        let pattern = |((slice, kind), (n, examples)): (&(String, PatternKind), &(u64, Vec<String>))| {
            FailurePattern { slice: slice.clone(), kind: kind.clone(), n: *n, examples: examples.clone() }
        };
        let mut patterns: Vec<FailurePattern> = self.cells.iter().map(pattern).collect();
        // The sort is stable, so equal counts stay in the order of slices.
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.n));
        patterns.truncate(LISTED_MAX);
        patterns
    }

    /// The largest groups of reasons first. A reason belongs to one group at the most.
    pub(super) fn recurring(&self) -> Vec<RecurringReason> {
        let mut shared = self.shared();
        let mut is_left = vec![true; self.reasons.len()];
        let mut groups = Vec::new();
        while groups.len() < LISTED_MAX {
            // Of equal counts the first by name, so that the order of replies changes nothing.
            let largest = shared.iter().max_by(|a, b| a.1.n_left.cmp(&b.1.n_left).then_with(|| b.0.cmp(a.0)));
            let Some(((criterion, words), sharing)) = largest.filter(|(_, s)| s.n_left >= GROUP_MIN) else {
                break;
            };
            let group: Vec<usize> = sharing.reasons.iter().copied().filter(|place| is_left[*place]).collect();
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
                let Reason { criterion, pairs, .. } = &self.reasons[place];
                for pair in pairs {
                    if let Some(sharing) = shared.get_mut(&(criterion.as_str(), pair.as_str())) {
                        sharing.n_left -= 1;
                    }
                }
            }
        }
        groups
    }

    /// The reasons of a criterion that have two words in common, by criterion and words, where they make a group.
    fn shared(&self) -> HashMap<(&str, &str), Sharing> {
        let mut shared: HashMap<(&str, &str), Sharing> = HashMap::new();
        for (place, reason) in self.reasons.iter().enumerate() {
            for pair in &reason.pairs {
                let sharing = shared.entry((&reason.criterion, pair)).or_default();
                sharing.reasons.push(place);
                sharing.n_left += 1;
            }
        }
        shared.retain(|_, sharing| sharing.n_left >= GROUP_MIN);
        shared
    }
}

/// Reasons that have two words in common.
#[derive(Default)]
struct Sharing {
    /// Their places, in order.
    reasons: Vec<usize>,
    /// How many of them belong to no group so far.
    n_left: usize,
}

/// Pairs of neighbouring words that carry meaning.
fn pairs(text: &str) -> BTreeSet<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .map(str::to_lowercase)
        .filter(|word| word.chars().count() > 2 && !EMPTY_WORDS.contains(&word.as_str()))
        .collect();
    words.windows(2).map(|pair| pair.join(" ")).collect()
}

impl FailurePattern {
    pub(super) fn to_json(&self, n_slice: u64) -> Value {
        let (kind, name) = match &self.kind {
            PatternKind::Criterion(name) => ("criterion", name.as_str()),
            PatternKind::Rule(name) => ("rule", *name),
        };
        json!({
            "slice": self.slice, kind: name, "n": self.n, "of": n_slice, "examples": self.examples,
        })
    }
}

impl RecurringReason {
    pub(super) fn to_json(&self) -> Value {
        json!({
            "criterion": self.criterion, "words": self.words, "n": self.n, "examples": self.examples,
            "quote": self.quote,
        })
    }
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
}
