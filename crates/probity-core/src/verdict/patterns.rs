//! What shows only over many verdicts: the same reasoning again and again, or the same level for everything.
//!
//! Verdicts are added one at a time and not kept. The result does not depend on their order. Memory grows by
//! one hash and one count per different reasoning.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::{BuildHasherDefault, Hasher};

use super::{CriterionScore, Verdict};
use crate::rubric::CriterionId;

/// A reasoning may stand under this many verdicts before it counts as a template.
pub const REASONING_REPEATS_MAX: u64 = 5;
/// A level that never changes says nothing until there are more verdicts than this.
pub const CONSTANT_LEVEL_VERDICTS: u64 = 50;

/// The longest reasoning that is folded in place, in bytes.
const SHORT_BYTES_MAX: usize = 512;

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

/// What is counted by a hash of its own, which need not be hashed again.
type ByHash<T> = HashMap<u128, T, BuildHasherDefault<Half>>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct CriterionPattern {
    n: u64,
    lowest: i64,
    highest: i64,
    /// How often each folded reasoning occurred, by its hash. Empty ones are not counted.
    reasonings: ByHash<u64>,
}

impl Patterns {
    /// Adds one verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        verdict.scores().iter().for_each(|score| self.add_score(score));
    }

    /// Adds the verdicts that were added to `other`.
    pub fn join(&mut self, other: Patterns) {
        for (id, pattern) in other.criteria {
            match self.criteria.entry(id) {
                Entry::Vacant(vacant) => drop(vacant.insert(pattern)),
                Entry::Occupied(occupied) => occupied.into_mut().join(pattern),
            }
        }
    }

    /// Share of a criterion's verdicts whose reasoning, apart from case, digits and white space, stands
    /// under more than [`REASONING_REPEATS_MAX`] of them. `None` where no verdict was added.
    pub fn repeated_reasoning(&self, criterion: &CriterionId) -> Option<Share> {
        let pattern = self.criteria.get(criterion)?;
        let repeated = pattern.reasonings.values().filter(|count| **count > REASONING_REPEATS_MAX);
        Some(Share { n: repeated.sum(), of: pattern.n })
    }

    /// The level that every one of more than [`CONSTANT_LEVEL_VERDICTS`] verdicts gave.
    pub fn constant_level(&self, criterion: &CriterionId) -> Option<i64> {
        let pattern = self.criteria.get(criterion)?;
        let constant = pattern.n > CONSTANT_LEVEL_VERDICTS && pattern.lowest == pattern.highest;
        constant.then_some(pattern.lowest)
    }

    /// A sentence for each pattern that a reader of the report should know about, by criterion.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for (id, pattern) in &self.criteria {
            if let Some(level) = self.constant_level(id) {
                warnings.push(format!("no discrimination: all {} verdicts on {id} are {level}", pattern.n));
            }
            if let Some(Share { n, of }) = self.repeated_reasoning(id).filter(|share| share.n > 0) {
                let mut warning =
                    format!("template reasoning: {n} of {of} verdicts on {id} share a reasoning");
                let _ = write!(warning, " that stands under more than {REASONING_REPEATS_MAX} of them");
                warnings.push(warning);
            }
        }
        warnings
    }

    fn add_score(&mut self, score: &CriterionScore) {
        if !self.criteria.contains_key(&score.criterion) {
            self.criteria.insert(score.criterion.clone(), CriterionPattern::starting_at(score.level));
        }
        let pattern = self.criteria.get_mut(&score.criterion).expect("it is there by now");
        pattern.n += 1;
        pattern.lowest = pattern.lowest.min(score.level);
        pattern.highest = pattern.highest.max(score.level);
        if let Some(hash) = reasoning_hash(&score.reasoning) {
            *pattern.reasonings.entry(hash).or_default() += 1;
        }
    }
}

impl CriterionPattern {
    /// No verdict yet, of which the first gives `level`.
    fn starting_at(level: i64) -> CriterionPattern {
        CriterionPattern { n: 0, lowest: level, highest: level, reasonings: ByHash::default() }
    }

    fn join(&mut self, mut other: CriterionPattern) {
        self.n += other.n;
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
        // What is joined is the smaller half, so that few are moved.
        if self.reasonings.len() < other.reasonings.len() {
            std::mem::swap(&mut self.reasonings, &mut other.reasonings);
        }
        for (hash, n) in other.reasonings {
            *self.reasonings.entry(hash).or_default() += n;
        }
    }
}

/// One half of a hash stands for the whole.
#[derive(Debug, Default, Clone, Copy)]
struct Half(u64);

impl Hasher for Half {
    fn write_u128(&mut self, hash: u128) {
        #[expect(clippy::cast_possible_truncation, reason = "a half is asked for")]
        let half = hash as u64;
        self.0 = half;
    }

    fn write(&mut self, _bytes: &[u8]) {
        unreachable!("nothing but whole hashes is counted");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A hash of the reasoning without case, digits and white space; `None` when nothing is left.
fn reasoning_hash(reasoning: &str) -> Option<u128> {
    // A reasoning of the usual length needs no memory of its own.
    let mut short = [0; SHORT_BYTES_MAX];
    let long;
    let folded = if reasoning.is_ascii() && reasoning.len() <= SHORT_BYTES_MAX {
        folded_short(reasoning, &mut short)
    } else {
        long = folded(reasoning);
        long.as_bytes()
    };
    let hash = blake3::hash(folded);
    let (start, _) = hash.as_bytes().split_first_chunk::<16>().expect("a hash has 32 bytes");
    (!folded.is_empty()).then_some(u128::from_le_bytes(*start))
}

fn folded(reasoning: &str) -> String {
    let kept = reasoning.chars().filter(|c| !c.is_whitespace() && !c.is_numeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The same for a short text of single bytes, which nearly every reasoning is.
fn folded_short<'a>(reasoning: &str, place: &'a mut [u8; SHORT_BYTES_MAX]) -> &'a [u8] {
    let mut n_kept = 0;
    for byte in reasoning.bytes() {
        // Each byte is written, and the next one over it unless it is kept: a branch would be guessed wrong too often.
        place[n_kept] = byte.to_ascii_lowercase();
        n_kept += usize::from(!matches!(byte, b'\t'..=b'\r' | b' ' | b'0'..=b'9'));
    }
    &place[..n_kept]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Statement;
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
            patterns.add(&Verdict { statement, repairs: Vec::new(), suspicions: Vec::new(), model: None });
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
    fn every_single_byte_is_folded_like_any_character() {
        let all: String = (0..128_u8).map(char::from).collect();
        assert_eq!(folded_short(&all, &mut [0; SHORT_BYTES_MAX]), folded(&all).as_bytes());
        let full = "A 1".repeat(SHORT_BYTES_MAX)[..SHORT_BYTES_MAX].to_owned();
        assert_eq!(folded_short(&full, &mut [0; SHORT_BYTES_MAX]), folded(&full).as_bytes());
    }

    #[test]
    fn a_long_reasoning_is_a_template_like_any_other() {
        let long = "Polite, ".repeat(SHORT_BYTES_MAX);
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
