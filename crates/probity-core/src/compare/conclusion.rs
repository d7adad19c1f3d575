//! Which variant a comparison may call better.
//!
//! A claim needs two things: verdicts that are complete, and a test that holds for every sample size. Over all pairs
//! that is the exact sign test; where asking stopped early it is the bound of the confidence sequence, and never the
//! sign test, which does not allow looking after every round. An interval of the win rate that excludes one half is
//! not a claim.
//!
//! What always holds: no winner without complete verdicts; exchanging two variants exchanges the winner and
//! changes no p-value. Whether the judge may gate is not decided here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::figures::{LEVEL, smallest_difference};
use super::outcome::Status;
use super::pair::{Pair, both};
use super::policy::Policies;
use super::sequence;
use crate::stats::{RatioPart, sign_test_p_value};

/// The fewest cases with a winner that can show a difference between two variants: if one variant wins all six, the
/// p-value is 2 · 0.5⁶ = 0.031; with five it is 0.063.
pub const DECISIVE_CASES_MIN: u64 = 6;

/// Whether enough pairs have a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// Asking ended by itself, and the wanted share of pairs has a verdict.
    Complete,
    /// Verdicts are missing.
    Incomplete,
}

/// What a conclusion rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestedBy {
    /// The exact sign test over cases.
    SignTest,
    /// The confidence sequence that stopped the comparison early.
    Sequence(sequence::SequenceDecision),
}

impl TestedBy {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            TestedBy::SignTest => "sign_test",
            TestedBy::Sequence(_) => "confidence_sequence",
        }
    }
}

/// Two variants on the cases where both replied.
///
/// Several pairs of one case are one observation: the case is won by the variant with more than half of them.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantTest {
    /// The variants, in the order in which they are first met.
    pub variants: [Arc<str>; 2],
    /// Cases that each of them wins.
    pub n_won: [u64; 2],
    /// Cases that count, ties included.
    pub n_cases: u64,
    /// Two-sided, times the number of tests (Bonferroni); `None` where no case has a winner.
    pub p_value: Option<f64>,
    /// The smallest distance of the true win rate from one half that the test had an 80 % chance to show with as many
    /// decisive cases. `None` where these are too few to show any.
    pub smallest_difference: Option<f64>,
}

impl VariantTest {
    /// The variant that is shown to be better.
    pub fn winner(&self) -> Option<&Arc<str>> {
        self.variants.iter().find(|name| self.p_value_for(name) <= LEVEL)
    }

    /// Cases with a winner.
    pub fn n_decisive(&self) -> u64 {
        self.n_won[0] + self.n_won[1]
    }

    /// The p-value where `name` is ahead, 1 where it is not.
    fn p_value_for(&self, name: &str) -> f64 {
        let [a, b] = self.n_won;
        let leader = &self.variants[usize::from(b > a)];
        if **leader == *name { self.p_value.unwrap_or(1.0) } else { 1.0 }
    }

    fn has(&self, name: &str) -> bool {
        self.variants.iter().any(|known| **known == *name)
    }
}

/// What a comparison says about its variants.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// The variant that is shown to be better than every other.
    pub winner: Option<Arc<str>>,
    /// The largest p-value among the winner's tests, or, without a winner, of the variant that is nearest to being
    /// one. `None` where nothing was tested.
    pub p_value: Option<f64>,
    /// Whether enough pairs have a verdict.
    pub completeness: Completeness,
    /// What it rests on.
    pub tested_by: TestedBy,
    /// Every two variants with a pair.
    pub tests: Vec<VariantTest>,
}

impl Conclusion {
    /// The conclusion that `pairs` allow, of which the share `coverage_min` must have a verdict.
    pub fn by_sign_test(pairs: &[Pair], policies: Policies, coverage_min: f64) -> Conclusion {
        let n_unscored = pairs.iter().filter(|pair| pair.status() == Status::Unscored).count();
        let is_covered = pairs.is_empty() || 1.0 - n_unscored as f64 / pairs.len() as f64 >= coverage_min;
        let tests = tests(pairs, policies);
        let best = best(&tests).filter(|_| tests.iter().any(|test| test.p_value.is_some()));
        let conclusion = Conclusion {
            winner: best.as_ref().filter(|(p, _)| *p <= LEVEL).map(|(_, name)| Arc::clone(name)),
            p_value: best.map(|(p, _)| p),
            completeness: Completeness::Complete,
            tested_by: TestedBy::SignTest,
            tests,
        };
        if is_covered { conclusion } else { conclusion.incomplete() }
    }

    /// The same comparison decided by the sequence that stopped it. A is the first of `variants`.
    #[must_use]
    pub fn by_sequence(self, decided: sequence::SequenceDecision, [a, b]: [&Arc<str>; 2]) -> Conclusion {
        let winner = match decided {
            sequence::SequenceDecision::BetterA => Some(Arc::clone(a)),
            sequence::SequenceDecision::BetterB => Some(Arc::clone(b)),
            sequence::SequenceDecision::WithinMargin | sequence::SequenceDecision::Undecided => None,
        };
        let winner = winner.filter(|_| self.completeness == Completeness::Complete);
        Conclusion { winner, p_value: None, tested_by: TestedBy::Sequence(decided), ..self }
    }

    /// The same comparison with verdicts missing: no variant has won.
    #[must_use]
    pub fn incomplete(self) -> Conclusion {
        Conclusion { winner: None, completeness: Completeness::Incomplete, ..self }
    }
}

/// The variant that is nearest to being better than every other, with the largest p-value among its tests.
fn best(tests: &[VariantTest]) -> Option<(f64, Arc<str>)> {
    let names = names(tests.iter().flat_map(|test| &test.variants));
    let weakest = |name: &Arc<str>| {
        let own: Vec<&VariantTest> = tests.iter().filter(|test| test.has(name)).collect();
        // Without a pair against some variant nothing is known about that one.
        let missing = if own.len() + 1 < names.len() { 1.0 } else { 0.0 };
        let p = own.iter().map(|test| test.p_value_for(name)).fold(missing, f64::max);
        (p, Arc::clone(name))
    };
    names.iter().map(weakest).min_by(|one, other| one.0.total_cmp(&other.0))
}

fn tests(pairs: &[Pair], policies: Policies) -> Vec<VariantTest> {
    let names = names(pairs.iter().flat_map(|pair| &pair.variants));
    let couples = (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)));
    let mut tests: Vec<VariantTest> =
        couples.filter_map(|(a, b)| test([&names[a], &names[b]], pairs, policies)).collect();
    let n_tests = tests.len() as f64;
    for test in &mut tests {
        test.p_value = test.p_value.map(|p| (p * n_tests).min(1.0));
        test.smallest_difference = smallest_difference(test.n_decisive(), test.n_cases, LEVEL / n_tests);
    }
    tests
}

/// The test of two variants, alone; `None` where they have no pair.
fn test([a, b]: [&Arc<str>; 2], pairs: &[Pair], policies: Policies) -> Option<VariantTest> {
    let mut cases: BTreeMap<&str, RatioPart> = BTreeMap::new();
    for pair in pairs {
        let (Some(candidate), Some(_)) = (pair.candidate(a), pair.candidate(b)) else { continue };
        let sum = cases.entry(&pair.case).or_default();
        *sum = both(*sum, pair.win(candidate, policies));
    }
    let count = |holds: fn(&RatioPart) -> bool| {
        cases.values().filter(|part| part.denominator > 0.0 && holds(part)).count()
    };
    let n_won = [
        count(|part| part.numerator > part.denominator / 2.0),
        count(|part| part.numerator < part.denominator / 2.0),
    ];
    let n_won = n_won.map(|n| n as u64);
    (!cases.is_empty()).then(|| VariantTest {
        variants: [Arc::clone(a), Arc::clone(b)],
        n_won,
        n_cases: count(|_| true) as u64,
        p_value: sign_test_p_value(n_won[0], n_won[1]),
        smallest_difference: None,
    })
}

/// Each name once, in the order in which they are met.
fn names<'a>(all: impl Iterator<Item = &'a Arc<str>>) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    for name in all {
        if !names.contains(name) {
            names.push(Arc::clone(name));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::super::examples::pairs;
    use super::*;

    #[track_caller]
    fn check(pairs: &[Pair], want: (Option<&str>, &str, Completeness)) {
        let conclusion = Conclusion::by_sign_test(pairs, Policies::default(), 0.9);
        let p = conclusion.p_value.map_or("-".to_owned(), |p| format!("{p:.3}"));
        assert_eq!((conclusion.winner.as_deref(), p.as_str(), conclusion.completeness), want);
    }

    fn repeated(parts: &[(&str, usize)]) -> Vec<Pair> {
        let words: Vec<&str> = parts.iter().flat_map(|(word, n)| vec![*word; *n]).collect();
        pairs(&words.join(" "))
    }

    /// Pairs between two variants, on cases of their own numbers.
    fn between(names: [&str; 2], word: &str, n: usize) -> Vec<Pair> {
        let mut pairs = repeated(&[(word, n)]);
        for pair in &mut pairs {
            pair.variants = names.map(Arc::from);
        }
        pairs
    }

    #[test]
    fn n02_four_wins_and_six_ties_show_no_difference() {
        let four = repeated(&[("aa", 4), ("tt", 6)]);
        check(&four, (None, "0.125", Completeness::Complete));
        let test = &Conclusion::by_sign_test(&four, Policies::default(), 0.9).tests[0];
        assert_eq!((test.n_won, test.n_cases), ([4, 0], 10));
        check(&repeated(&[("aa", 6), ("tt", 4)]), (Some("old"), "0.031", Completeness::Complete));
        check(&repeated(&[("bb", 6), ("tt", 4)]), (Some("new"), "0.031", Completeness::Complete));
        check(&repeated(&[("tt", 6)]), (None, "-", Completeness::Complete));
        check(&[], (None, "-", Completeness::Complete));
    }

    #[test]
    fn n02_an_incomplete_comparison_has_no_winner() {
        check(&repeated(&[("aa", 20), ("??", 5)]), (None, "0.000", Completeness::Incomplete));
        check(&repeated(&[("aa", 20), ("??", 2)]), (Some("old"), "0.000", Completeness::Complete));
        let whole = Conclusion::by_sign_test(&repeated(&[("aa", 20)]), Policies::default(), 0.9);
        assert_eq!(whole.incomplete().winner, None);
    }

    #[test]
    fn n02_a_sequence_decides_by_its_own_bound() {
        let even = || Conclusion::by_sign_test(&repeated(&[("aa", 3), ("bb", 3)]), Policies::default(), 0.9);
        let names = [Arc::from("old"), Arc::from("new")];
        let by = |decided| even().by_sequence(decided, names.each_ref());
        let better = by(sequence::SequenceDecision::BetterB);
        assert_eq!((better.winner.as_deref(), better.p_value), (Some("new"), None));
        assert_eq!(by(sequence::SequenceDecision::WithinMargin).winner, None);
        let cut = even().incomplete().by_sequence(sequence::SequenceDecision::BetterB, names.each_ref());
        assert_eq!(cut.winner, None);
    }

    #[test]
    fn n02_pairs_of_one_case_are_one_observation() {
        let mut pairs = repeated(&[("aa", 12)]);
        pairs.iter_mut().enumerate().for_each(|(at, pair)| pair.case = Arc::from(format!("c{}", at / 3)));
        check(&pairs, (None, "0.125", Completeness::Complete));
    }

    #[test]
    fn n02_the_difference_that_could_be_shown_is_possible() {
        let could = |pairs: &[Pair]| {
            Conclusion::by_sign_test(pairs, Policies::default(), 0.9).tests[0].smallest_difference
        };
        assert_eq!(could(&repeated(&[("aa", 3), ("bb", 2)])), None, "five cases show nothing");
        assert_eq!(could(&repeated(&[("aa", 4), ("tt", 6)])), None, "and four of ten do not either");
        assert_eq!(could(&repeated(&[("tt", 9)])), None);
        let near = |pairs: &[Pair], want: f64| {
            let got = could(pairs).expect("a difference");
            assert!((got - want).abs() < 1e-6, "{got} is not {want}");
        };
        near(&repeated(&[("aa", 3), ("bb", 3)]), 0.463_492);
        near(&repeated(&[("aa", 3), ("bb", 3), ("tt", 6)]), 0.463_492 / 2.0);
        near(&repeated(&[("aa", 60), ("bb", 40)]), 0.145_131);
        let least = |n| sign_test_p_value(n, 0).expect("cases");
        assert!(least(DECISIVE_CASES_MIN) <= LEVEL && least(DECISIVE_CASES_MIN - 1) > LEVEL);
    }

    #[test]
    fn n02_one_of_three_must_beat_both_others() {
        let mut all = between(["x", "y"], "aa", 9);
        all.extend(between(["x", "z"], "aa", 9));
        all.extend(between(["y", "z"], "tt", 9));
        check(&all, (Some("x"), "0.012", Completeness::Complete));
        let mut some = between(["x", "y"], "aa", 9);
        some.extend(between(["x", "z"], "tt", 9));
        check(&some, (None, "1.000", Completeness::Complete));
        // Six of six is p 0.0312, and 0.0938 among three tests.
        let mut few = between(["x", "y"], "aa", 6);
        few.extend(between(["x", "z"], "aa", 6));
        few.extend(between(["y", "z"], "tt", 6));
        check(&few, (None, "0.094", Completeness::Complete));
    }
}
