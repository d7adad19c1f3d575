//! The figures of every judge that decided the same items, per slice, and of judges against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::adjusted::{LengthFits, at_equal_length};
use super::figures::{Figures, figures};
use super::outcome::Status;
use super::pair::{Grade, Pair, Verdicts};
use super::policy::{Conflict, Policies};
use crate::sample::NO_SLICE;
use crate::stats::{McNemar, Resampling, mcnemar};

/// The figures of one judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeFigures {
    /// Over all pairs.
    pub overall: Figures,
    /// By slice.
    pub by_slice: BTreeMap<Arc<str>, Figures>,
    /// At equal length, over all pairs.
    pub at_equal_length: LengthFits,
}

/// Two judges on the items that both decided and people labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeComparison {
    /// The judges, in the order of their names.
    pub judges: [Arc<str>; 2],
    /// The items.
    pub n_items: u64,
    /// `McNemar`'s test on being right: items that only the first judge has right against those that only the
    /// second has. Where the orders disagree a judge has said tie.
    pub test: Option<McNemar>,
}

/// A pair that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewItem {
    /// The judge that did not decide it.
    pub judge: Arc<str>,
    /// The pair.
    pub item: Arc<str>,
    /// Its slice.
    pub slice: Option<Arc<str>>,
    /// Its variants.
    pub variants: [Arc<str>; 2],
    /// [`Status::NeedsHumanReview`] or [`Status::UnstableAfterSwap`].
    pub status: Status,
}

/// Everything that recorded verdicts say.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What counts as what.
    pub policies: Policies,
    /// How intervals were made.
    pub resampling: Resampling,
    /// By judge.
    pub judges: BTreeMap<Arc<str>, JudgeFigures>,
    /// What people say, as one more judge that saw each pair once.
    pub people: Option<JudgeFigures>,
    /// Every two judges, where there are labels.
    pub judge_tests: Vec<JudgeComparison>,
    /// Pairs that a judge sent to a person, or whose winner its order decided; by judge, then by item.
    pub review: Vec<ReviewItem>,
}

/// The figures of the pairs of each judge.
pub fn comparison(
    pairs: &BTreeMap<Arc<str>, Vec<Pair>>,
    policies: Policies,
    resampling: Resampling,
) -> Comparison {
    let judge = |(name, pairs): (&Arc<str>, &Vec<Pair>)| {
        (Arc::clone(name), judge_figures(&pairs.iter().collect::<Vec<_>>(), policies, resampling))
    };
    Comparison {
        policies,
        resampling,
        judges: pairs.iter().map(judge).collect(),
        people: people(pairs, policies, resampling),
        judge_tests: judge_tests(pairs, policies),
        review: pairs.iter().flat_map(|(judge, pairs)| review(judge, pairs)).collect(),
    }
}

fn judge_figures(pairs: &[&Pair], policies: Policies, resampling: Resampling) -> JudgeFigures {
    let mut slices: BTreeMap<Arc<str>, Vec<&Pair>> = BTreeMap::new();
    for pair in pairs {
        let slice = pair.slice.clone().unwrap_or_else(|| Arc::from(NO_SLICE));
        slices.entry(slice).or_default().push(pair);
    }
    let overall = figures(pairs, policies, resampling);
    // One slice that holds everything says nothing new, but it is asked for by name.
    let by_slice =
        slices.into_iter().map(|(name, pairs)| (name, figures(&pairs, policies, resampling))).collect();
    JudgeFigures { overall, by_slice, at_equal_length: at_equal_length(pairs, policies) }
}

fn review(judge: &Arc<str>, pairs: &[Pair]) -> Vec<ReviewItem> {
    let wanted = |pair: &&Pair| matches!(pair.status(), Status::NeedsHumanReview | Status::UnstableAfterSwap);
    let item = |pair: &Pair| ReviewItem {
        judge: Arc::clone(judge),
        item: Arc::clone(&pair.item),
        slice: pair.slice.clone(),
        variants: pair.variants.clone(),
        status: pair.status(),
    };
    let mut items: Vec<ReviewItem> = pairs.iter().filter(wanted).map(item).collect();
    items.sort_by(|one, other| (&one.item, &one.variants).cmp(&(&other.item, &other.variants)));
    items
}

/// What names a pair whichever judge decided it.
type Key<'a> = (&'a str, &'a [Arc<str>; 2]);

fn key(pair: &Pair) -> Key<'_> {
    (&pair.item, &pair.variants)
}

fn people(
    pairs: &BTreeMap<Arc<str>, Vec<Pair>>,
    policies: Policies,
    resampling: Resampling,
) -> Option<JudgeFigures> {
    let mut labelled: BTreeMap<Key, Pair> = BTreeMap::new();
    for pair in pairs.values().flatten() {
        let Some(label) = pair.label else { continue };
        let said = || Pair { verdicts: Verdicts::Graded(Grade::from(label)), label: None, ..pair.clone() };
        labelled.entry(key(pair)).or_insert_with(said);
    }
    let labelled: Vec<&Pair> = labelled.values().collect();
    (!labelled.is_empty()).then(|| judge_figures(&labelled, policies, resampling))
}

fn judge_tests(pairs: &BTreeMap<Arc<str>, Vec<Pair>>, policies: Policies) -> Vec<JudgeComparison> {
    let policies = Policies { conflict: Conflict::Tie, ..policies };
    let right: Vec<(&Arc<str>, BTreeMap<Key, bool>)> =
        pairs.iter().map(|(name, pairs)| (name, right(pairs, policies))).collect();
    let mut tests = Vec::new();
    for (i, (first, first_right)) in right.iter().enumerate() {
        for (second, second_right) in &right[i + 1..] {
            let both =
                || first_right.iter().filter_map(|(key, right)| Some((*right, *second_right.get(key)?)));
            let n_items = both().count() as u64;
            if n_items == 0 {
                continue;
            }
            let only = |want: (bool, bool)| both().filter(|pair| *pair == want).count() as u64;
            tests.push(JudgeComparison {
                judges: [Arc::clone(first), Arc::clone(second)],
                n_items,
                test: mcnemar(only((true, false)), only((false, true))),
            });
        }
    }
    tests
}

/// Whether a judge has each labelled pair right.
fn right(pairs: &[Pair], policies: Policies) -> BTreeMap<Key<'_>, bool> {
    let part = |pair| (key(pair), Pair::agrees(pair, policies));
    let parts = pairs.iter().map(part).filter(|(_, part)| part.denominator > 0.0);
    parts.map(|(key, part)| (key, part.numerator > 0.0)).collect()
}
