//! Figures of pairs by the models: the win rate at equal length, and a ranking of three or more variants.
//!
//! The models know rows of numbers; which pairs become which rows is decided here. Pairs that a person must
//! decide, and pairs without a verdict, are no rows; what a pair is worth whose orders disagree is the policies' to say.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::length::{self, Controlled, Hold, Instruction, LengthError, LengthRow};
use super::pair::Pair;
use super::pass::{Candidate, Choice};
use super::policy::Policies;
use super::ranking::{self, Ranking, RankingError, Winner};

/// A fit for each variant, or why there is none.
pub type Fits = BTreeMap<Arc<str>, Result<Controlled, LengthError>>;

/// Win rates at equal length by three models, which are different figures.
#[derive(Debug, Clone, PartialEq)]
pub struct LengthFits {
    /// With model, length and difficulty terms and no prior: the form of Length-Controlled `AlpacaEval`. Every pair
    /// needs the difficulty of its case.
    pub with_difficulty: Fits,
    /// With model, length and slice terms and weak priors, for a comparison of one's own.
    pub with_slices: Fits,
    /// With model and length terms alone and no prior.
    pub length_only: Fits,
}

impl LengthFits {
    /// Whether any pair with a verdict has lengths.
    pub fn has_rows(&self) -> bool {
        let is_empty =
            |fitted: &Result<_, LengthError>| matches!(fitted, Err(LengthError::TooFewCases { n_cases: 0 }));
        !self.length_only.values().all(is_empty)
    }

    /// The fits that reports show, with the name of their model: those with difficulties where there are any.
    pub fn shown(&self) -> (&'static str, &Fits) {
        let has_difficulty =
            !self.with_difficulty.is_empty() && self.with_difficulty.values().all(Result::is_ok);
        if has_difficulty {
            ("length and difficulty", &self.with_difficulty)
        } else {
            ("length and slice", &self.with_slices)
        }
    }
}

/// The win rate of each variant at equal length, against all others it met, by every model.
pub fn at_equal_length(pairs: &[&Pair], policies: Policies) -> LengthFits {
    let tables: Vec<(Arc<str>, VariantRows)> = names(pairs)
        .into_iter()
        .map(|name| (Arc::clone(&name), VariantRows::of(&name, pairs, policies)))
        .collect();
    let fits = |fit: fn(&VariantRows) -> Result<Controlled, LengthError>| {
        tables.iter().map(|(name, table)| (Arc::clone(name), fit(table))).collect()
    };
    LengthFits {
        with_difficulty: fits(|table| table.interpolated(table.with_difficulty())),
        with_slices: fits(|table| table.interpolated(table.with_slices())),
        length_only: fits(|table| table.interpolated(length::length_only(&table.rows))),
    }
}

/// The rows of one variant.
struct VariantRows {
    name: Arc<str>,
    rows: Vec<LengthRow>,
    slices: Vec<usize>,
    difficulties: Vec<f64>,
    /// The pairs with each other variant, by which reply is longer.
    lengths: BTreeMap<Arc<str>, Lengths>,
}

/// How many pairs of two variants have the longer, the shorter and an equally long reply of the first.
#[derive(Default)]
struct Lengths {
    longer: usize,
    shorter: usize,
    equal: usize,
}

impl Lengths {
    fn add(&mut self, own: u64, other: u64) {
        match own.cmp(&other) {
            Ordering::Greater => self.longer += 1,
            Ordering::Less => self.shorter += 1,
            Ordering::Equal => self.equal += 1,
        }
    }
}

impl VariantRows {
    /// `fit`, unless the replies of two variants have no length in common: a rate at equal length would then be the
    /// model's extrapolation, and no pair could contradict it.
    fn interpolated(&self, fit: Result<Controlled, LengthError>) -> Result<Controlled, LengthError> {
        let one_sided = self.lengths.iter().find_map(|(other, lengths)| match lengths {
            Lengths { longer: n_pairs, shorter: 0, equal: 0 } => {
                Some((Arc::clone(&self.name), Arc::clone(other), *n_pairs))
            }
            Lengths { longer: 0, shorter: n_pairs, equal: 0 } => {
                Some((Arc::clone(other), Arc::clone(&self.name), *n_pairs))
            }
            _ => None,
        });
        match (fit, one_sided) {
            (Ok(_) | Err(LengthError::Fit(_)), Some((longer, shorter, n_pairs))) => {
                Err(LengthError::NoOverlap { longer, shorter, n_pairs })
            }
            (fit, _) => fit,
        }
    }

    fn with_difficulty(&self) -> Result<Controlled, LengthError> {
        let (n_known, n_rows) = (self.difficulties.len(), self.rows.len());
        if n_known < n_rows {
            return Err(LengthError::NoDifficulty { n_missing: n_rows - n_known, n_rows });
        }
        length::controlled(&self.rows, Instruction::Difficulty(&self.difficulties), Hold::None)
    }

    fn with_slices(&self) -> Result<Controlled, LengthError> {
        length::controlled(&self.rows, length::instruction_of(&self.slices), Hold::WeakPrior)
    }

    fn of(name: &Arc<str>, pairs: &[&Pair], policies: Policies) -> Self {
        let (mut cases, mut slices) = (NameNumbers::default(), NameNumbers::default());
        let mut table = VariantRows {
            name: Arc::clone(name),
            rows: Vec::new(),
            slices: Vec::new(),
            difficulties: Vec::new(),
            lengths: BTreeMap::new(),
        };
        for pair in pairs {
            let Some(candidate) = pair.candidate(name) else { continue };
            let (Some(preference), Some(own), Some(others)) = (
                pair.preference(candidate, policies),
                pair.length(candidate),
                pair.length(candidate.other()),
            ) else {
                continue;
            };
            let chars = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
            table.rows.push(LengthRow {
                case: cases.of(&pair.case),
                preference,
                candidate_chars: chars(own),
                baseline_chars: chars(others),
            });
            table.slices.push(slices.of(pair.slice.as_deref().unwrap_or_default()));
            table.difficulties.extend(pair.difficulty);
            let other = &pair.variants[usize::from(candidate == Candidate::A)];
            table.lengths.entry(Arc::clone(other)).or_default().add(own, others);
        }
        table
    }
}

/// Variants on one scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The variants in the order of their names; a place has the number of its variant here.
    pub variants: Vec<Arc<str>>,
    /// Where each stands, or why that cannot be said.
    pub ranking: Result<Ranking, RankingError>,
}

/// Where each variant stands; `None` for fewer than three, whose win rates say the same.
pub fn ranked(pairs: &[&Pair], policies: Policies) -> Option<Ranked> {
    let names: Vec<Arc<str>> = names(pairs).into_iter().collect();
    if names.len() < 3 {
        return None;
    }
    let mut cases = NameNumbers::default();
    let number = |name: &Arc<str>| names.iter().position(|known| known == name).unwrap_or_default();
    let compared = |pair: &&Pair| {
        let winner = match pair.result(policies)? {
            Choice::Wins(Candidate::A) => Winner::First,
            Choice::Wins(Candidate::B) => Winner::Second,
            Choice::Tie | Choice::NeedsHumanReview => Winner::Tie,
        };
        let [first, second] = [number(&pair.variants[0]), number(&pair.variants[1])];
        Some(ranking::VariantMatch { case: cases.of(&pair.case), first, second, winner })
    };
    let comparisons: Vec<ranking::VariantMatch> = pairs.iter().filter_map(compared).collect();
    let ranking = ranking::ranking(names.len(), &comparisons);
    Some(Ranked { variants: names, ranking })
}

fn names(pairs: &[&Pair]) -> BTreeSet<Arc<str>> {
    pairs.iter().flat_map(|pair| pair.variants.iter().cloned()).collect()
}

/// Numbers names in the order in which they are met.
#[derive(Default)]
struct NameNumbers(HashMap<String, usize>);

impl NameNumbers {
    fn of(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::pair::Verdicts;
    use super::super::pass::Pass;
    use super::*;

    fn pair(case: usize, variants: [&str; 2], choice: Choice, lengths: [u64; 2]) -> Pair {
        let name: Arc<str> = Arc::from(format!("case {case}").as_str());
        let pass = Pass::Decided(choice);
        Pair {
            item: Arc::clone(&name),
            case: name,
            slice: None,
            variants: variants.map(Arc::from),
            verdicts: Verdicts::BothOrders { ab: pass.clone(), ba: pass },
            lengths: Some(lengths),
            difficulty: None,
            label: None,
        }
    }

    /// A judge that always prefers the longer reply, and a variant that is usually longer.
    fn by_length(n: usize) -> Vec<Pair> {
        let one = |case: usize| {
            let extra = (case as u64 * 37) % 200;
            let (old, new) = if case.is_multiple_of(5) { (100 + extra, 100) } else { (100, 100 + extra + 1) };
            let winner = if old > new { Candidate::A } else { Candidate::B };
            pair(case, ["old", "new"], Choice::Wins(winner), [old, new])
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn length_explains_what_only_length_decided() {
        let pairs = by_length(200);
        let controlled = at_equal_length(&pairs.iter().collect::<Vec<_>>(), Policies::default()).with_slices;
        let rate = |name: &str| controlled[name].as_ref().expect("fitted").rate.value;
        assert!((rate("old") + rate("new") - 1.0).abs() < 1e-6, "{} {}", rate("old"), rate("new"));
        assert!(rate("new") < 0.77, "the raw rate is 0.8, at equal length {}", rate("new"));
    }

    #[test]
    fn n09_lengths_that_never_meet_have_no_rate_at_equal_length() {
        let of = |pairs: &[Pair]| at_equal_length(&pairs.iter().collect::<Vec<_>>(), Policies::default());
        // The reply of new is always longer than that of old; that of third is on both sides of new's.
        let lengths = |case: usize| [20 + case as u64 % 5, 40 + case as u64 % 7, 38 + case as u64 % 11];
        let choice =
            |case: usize| if case.is_multiple_of(3) { Choice::Tie } else { Choice::Wins(Candidate::A) };
        let mut pairs: Vec<Pair> = Vec::new();
        for case in 0..30_usize {
            let [old, new, third] = lengths(case);
            pairs.push(pair(case, ["old", "new"], choice(case), [old, new]));
            pairs.push(pair(case, ["new", "third"], choice(case + 1), [new, third]));
        }
        let fits = of(&pairs);
        let why = "the reply of new is longer than that of old in all of their 30 pairs, so a rate at equal \
                   length would be extrapolated";
        for fits in [&fits.with_slices, &fits.length_only] {
            for name in ["old", "new"] {
                assert_eq!(fits[name].as_ref().expect_err("no overlap").to_string(), why);
            }
            assert!(fits["third"].is_ok(), "{:?}", fits["third"]);
        }
        // One pair of equal length is enough to interpolate to.
        pairs[0].lengths = Some([40, 40]);
        assert!(of(&pairs).with_slices["old"].is_ok());
    }

    #[test]
    fn too_few_cases_say_so() {
        let pairs = by_length(3);
        assert!(
            at_equal_length(&pairs.iter().collect::<Vec<_>>(), Policies::default()).with_slices["old"]
                .is_err()
        );
    }

    #[test]
    fn n09_the_published_form_needs_the_difficulty_of_every_case() {
        let mut pairs = by_length(200);
        let fits = |pairs: &[Pair]| at_equal_length(&pairs.iter().collect::<Vec<_>>(), Policies::default());
        let without = fits(&pairs);
        assert_eq!(
            without.with_difficulty["new"],
            Err(LengthError::NoDifficulty { n_missing: 200, n_rows: 200 })
        );
        assert_eq!(without.shown().0, "length and slice");
        // Half of the cases are decided against their length, so that a fit without priors exists.
        for (at, pair) in pairs.iter_mut().enumerate() {
            pair.difficulty = Some((at % 7) as f64 - 3.0);
            if at % 3 == 0 {
                let pass = Pass::Decided(Choice::Wins(Candidate::A));
                pair.verdicts = Verdicts::BothOrders { ab: pass.clone(), ba: pass };
            }
        }
        let with = fits(&pairs);
        let rate = |fits: &Fits| fits["new"].as_ref().expect("fitted").rate.value;
        assert_eq!(with.shown().0, "length and difficulty");
        assert!(
            (rate(&with.with_difficulty) - rate(&with.with_slices)).abs() > 1e-6,
            "two models, two figures"
        );
        pairs[17].difficulty = None;
        let why = fits(&pairs).with_difficulty["old"].clone().expect_err("one is missing").to_string();
        assert_eq!(why, "1 of its 200 pairs has no difficulty, expected a number for every case");
    }

    #[test]
    fn three_variants_are_ranked_and_two_are_not() {
        let mut pairs = by_length(20);
        assert!(ranked(&pairs.iter().collect::<Vec<_>>(), Policies::default()).is_none());
        for case in 0..20_usize {
            let choice = if case.is_multiple_of(4) { Choice::Tie } else { Choice::Wins(Candidate::B) };
            pairs.push(pair(case, ["new", "next"], choice, [1, 2]));
            pairs.push(pair(case, ["old", "next"], choice, [1, 2]));
        }
        let Ranked { variants, ranking } =
            ranked(&pairs.iter().collect::<Vec<_>>(), Policies::default()).expect("three variants");
        let places = ranking.expect("a ranking").places;
        assert_eq!(variants.iter().map(|name| &**name).collect::<Vec<_>>(), ["new", "next", "old"]);
        assert!(places[1].strength.value > places[0].strength.value);
        assert!(places[0].strength.value > places[2].strength.value);
    }
}
