//! What shows only over many verdicts: the same reasoning again and again, or the same level for everything.
//!
//! Verdicts are added one at a time and not kept. The result does not depend on their order. Memory grows by
//! one hash and one count per different reasoning.

use std::collections::{BTreeMap, HashMap};

use super::Verdict;
use crate::rubric::CriterionId;

/// A reasoning may stand under this many verdicts before it counts as a template.
pub(crate) const REASONING_REPEATS_MAX: u64 = 5;
/// A level that never changes says nothing until there are more verdicts than this.
pub(crate) const CONSTANT_LEVEL_VERDICTS: u64 = 50;

/// How many of how many. Never a bare rate, so a share of nothing cannot be taken for zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub n: u64,
    /// Of how many.
    pub of: u64,
}

/// What has been seen over many verdicts of one judge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patterns {
    criteria: BTreeMap<CriterionId, CriterionPattern>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct CriterionPattern {
    /// How often each level was given.
    levels: BTreeMap<i64, u64>,
    /// How often each folded reasoning occurred, by its hash. Empty ones are not counted.
    reasonings: HashMap<[u8; 32], u64>,
}

impl Patterns {
    /// Adds one verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        for score in verdict.scores() {
            let pattern = self.criteria.entry(score.criterion.clone()).or_default();
            *pattern.levels.entry(score.level).or_default() += 1;
            let folded = folded(&score.reasoning);
            if !folded.is_empty() {
                *pattern.reasonings.entry(*blake3::hash(folded.as_bytes()).as_bytes()).or_default() += 1;
            }
        }
    }

    /// Adds the verdicts that were added to `other`.
    pub fn join(&mut self, other: Patterns) {
        for (id, CriterionPattern { levels, reasonings }) in other.criteria {
            let pattern = self.criteria.entry(id).or_default();
            for (level, n) in levels {
                *pattern.levels.entry(level).or_default() += n;
            }
            for (hash, n) in reasonings {
                *pattern.reasonings.entry(hash).or_default() += n;
            }
        }
    }

    /// Share of a criterion's verdicts whose reasoning, apart from case, digits and white space, stands
    /// under more than [`REASONING_REPEATS_MAX`] of them. `None` where no verdict was added.
    pub(crate) fn repeated_reasoning(&self, criterion: &CriterionId) -> Option<Share> {
        let pattern = self.criteria.get(criterion)?;
        let repeated = pattern.reasonings.values().filter(|count| **count > REASONING_REPEATS_MAX);
        Some(Share { n: repeated.sum(), of: pattern.n() })
    }

    /// The level that every one of more than [`CONSTANT_LEVEL_VERDICTS`] verdicts gave.
    pub(crate) fn constant_level(&self, criterion: &CriterionId) -> Option<i64> {
        let pattern = self.criteria.get(criterion)?;
        let (level, n) = pattern.levels.first_key_value()?;
        (pattern.levels.len() == 1 && *n > CONSTANT_LEVEL_VERDICTS).then_some(*level)
    }

    /// A sentence for each pattern that a reader of the report should know about, by criterion.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (id, pattern) in &self.criteria {
            if let Some(level) = self.constant_level(id) {
                warnings.push(format!("no discrimination: all {} verdicts on {id} are {level}", pattern.n()));
            }
            if let Some(Share { n, of }) = self.repeated_reasoning(id).filter(|share| share.n > 0) {
                warnings.push(format!(
                    "template reasoning: {n} of {of} verdicts on {id} share a reasoning that stands under more than \
                     {REASONING_REPEATS_MAX} of them"
                ));
            }
        }
        warnings
    }
}

impl CriterionPattern {
    /// Verdicts.
    fn n(&self) -> u64 {
        self.levels.values().sum()
    }
}

/// The reasoning without case, digits and white space.
fn folded(reasoning: &str) -> String {
    let kept = reasoning.chars().filter(|c| !c.is_whitespace() && !c.is_numeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{CriterionScore, Statement};
    use super::*;

    fn tone() -> CriterionId {
        CriterionId::new("tone").expect("an id")
    }

    fn patterns(scores: impl IntoIterator<Item = (i64, String)>) -> Patterns {
        let mut patterns = Patterns::default();
        for (level, reasoning) in scores {
            let statement = Statement::Levels(vec![CriterionScore {
                criterion: tone(),
                level,
                reasoning,
                violations: Vec::new(),
            }]);
            let (repairs, suspicions) = Default::default();
            patterns.add(&Verdict { statement, repairs, suspicions, model: None, confidence: None });
        }
        patterns
    }

    #[test]
    fn f87_a_template_is_found_whatever_its_numbers() {
        let template = (0..6).map(|i| (3 + i % 2, format!("Order {i}:  polite and clear.")));
        let own = (0..4_u8).map(|i| (3, format!("Reason {}", char::from(b'a' + i))));
        let seen = patterns(template.chain(own));
        assert_eq!(seen.repeated_reasoning(&tone()), Some(Share { n: 6, of: 10 }));
        assert_eq!(
            seen.warnings(),
            [
                "template reasoning: 6 of 10 verdicts on tone share a reasoning that stands under more than 5 of them"
            ]
        );
    }

    #[test]
    fn f87_few_repeats_and_empty_reasonings_are_no_template() {
        let seen =
            patterns((0..5).map(|_| (3, "Polite.".to_owned())).chain((0..9).map(|_| (4, " ".to_owned()))));
        assert_eq!(seen.repeated_reasoning(&tone()), Some(Share { n: 0, of: 14 }));
        assert_eq!(seen.warnings(), Vec::<String>::new());
        assert_eq!(Patterns::default().repeated_reasoning(&tone()), None);
    }

    #[test]
    fn f88_one_level_for_everything() {
        let same = |n: u8| (0..n).map(|i| (4, "x".repeat(usize::from(i))));
        assert_eq!(patterns(same(50)).constant_level(&tone()), None);
        assert_eq!(patterns(same(51)).constant_level(&tone()), Some(4));
        assert_eq!(patterns(same(51)).warnings(), ["no discrimination: all 51 verdicts on tone are 4"]);
        assert_eq!(patterns(same(51).chain([(5, String::new())])).constant_level(&tone()), None);
    }

    #[test]
    fn a_long_reasoning_is_a_template_like_any_other() {
        let long = "Polite, ".repeat(512);
        let seen = patterns((0..6).map(|i| (3, format!("{long}{i}"))));
        assert_eq!(seen.repeated_reasoning(&tone()), Some(Share { n: 6, of: 6 }));
    }

    proptest! {
        #[test]
        fn order_does_not_matter(mut scores in prop::collection::vec((1_i64..3, "[ab]{0,2}"), 0..80)) {
            let forward = patterns(scores.clone());
            scores.reverse();
            prop_assert_eq!(forward, patterns(scores));
        }

        #[test]
        fn parts_join_to_the_whole(scores in prop::collection::vec((1_i64..3, "[ab]{0,2}"), 0..80), at in 0_usize..80) {
            let (first, second) = scores.split_at(at.min(scores.len()));
            let mut joined = patterns(first.to_vec());
            joined.join(patterns(second.to_vec()));
            prop_assert_eq!(joined, patterns(scores));
        }
    }
}
