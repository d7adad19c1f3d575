//! The figures of a set of pairs that one judge decided.
//!
//! Shares have intervals from a bootstrap that draws cases ([`crate::stats::ratios`]). Tests are exact and take
//! pairs as independent, which several pairs of one case are not.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::outcome::Status;
use super::pair::Pair;
use super::pass::{Candidate, Choice, Order};
use super::policy::Policies;
use crate::stats::{
    Crossing, Estimate, Kappas, McNemar, RatioPart, Resampling, kappas, mcnemar, ratios, sign_test_detects,
    sign_test_p_value,
};

/// A difference is shown where a two-sided p-value is at most this.
pub(super) const LEVEL: f64 = 0.05;

/// The chance with which a difference that counts as detectable is shown.
const POWER: f64 = 0.8;

/// How many pairs there are of which kind.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// All pairs.
    pub n_pairs: u64,
    /// Cases they belong to.
    pub n_cases: u64,
    /// Pairs by how they ended. They add up to all pairs.
    pub status: BTreeMap<Status, u64>,
    /// Passes without a verdict, of which an unscored pair has one or two.
    pub n_unparsed_calls: u64,
}

impl PairCounts {
    /// Pairs that ended as `status`.
    pub fn of(&self, status: Status) -> u64 {
        self.status.get(&status).copied().unwrap_or(0)
    }

    /// Pairs with a verdict, escalations included.
    pub fn n_judged(&self) -> u64 {
        self.n_pairs - self.of(Status::Unscored)
    }
}

/// Shares that belong to no variant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rates {
    /// Ties among pairs with a verdict.
    pub tie_rate: Option<Estimate>,
    /// Pairs whose winner changed with the order, among pairs with a verdict.
    pub instability_rate: Option<Estimate>,
    /// Pairs with the same verdict in both orders.
    pub consistency: Option<Estimate>,
    /// Winning passes for the first slot. One half is no lean.
    pub first_slot_lean: Option<Estimate>,
    /// Passes for the first slot, among all.
    pub first_slot_rate: Option<Estimate>,
    /// Passes for the second slot, among all.
    pub second_slot_rate: Option<Estimate>,
    /// Winning passes for the longer reply.
    pub longer_by_pass: Option<Estimate>,
    /// Pairs with the same winner in both orders that the longer reply won.
    pub longer_by_result: Option<Estimate>,
}

/// How far a judge says what people say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgreementFigures {
    /// Under both policies.
    pub agreement: Option<Estimate>,
    /// Of the passes with candidate A first.
    pub order_ab: Option<Estimate>,
    /// Of the passes with candidate B first.
    pub order_ba: Option<Estimate>,
    /// In both orders at once.
    pub both_orders: Option<Estimate>,
    /// Beyond chance, under both policies. Pooled passes are named by the slot they chose, others by candidate.
    pub kappas: Kappas,
    /// Beyond chance, of the passes with candidate A first.
    pub kappas_ab: Kappas,
    /// Beyond chance, of the passes with candidate B first.
    pub kappas_ba: Kappas,
}

/// The figures of one variant against all others it met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantFigures {
    /// The share it wins, ties half.
    #[serde(skip)]
    pub win_rate: Option<Estimate>,
    /// The share it wins of the pairs with a winner.
    #[serde(skip)]
    pub decisive_win_rate: Option<Estimate>,
    /// The share of cases it wins, ties half: what the sign test over cases is about. A case is won by the variant
    /// with more than half of it.
    pub case_win_rate: Option<Estimate>,
    /// Pairs it wins under the policies.
    #[serde(rename = "wins")]
    pub n_wins: u64,
    /// Pairs it loses.
    #[serde(rename = "losses")]
    pub n_losses: u64,
    /// Pairs that count as ties under the policies.
    #[serde(rename = "ties")]
    pub n_ties: u64,
    /// Two-sided p-value of the exact sign test on wins and losses.
    pub sign_test: Option<f64>,
    /// The smallest distance of the true win rate from one half that the sign test over cases had an 80 % chance to
    /// show with as many decisive cases. `None` where these are too few to show any.
    pub smallest_difference: Option<f64>,
    /// The standard error of the win rate, cases as clusters. `None` for fewer than two cases.
    pub standard_error: Option<f64>,
    /// The win rate with grades made winners and ties.
    pub discrete_win_rate: Option<Estimate>,
    /// The share of pairs with the same winner in both orders that the longer reply won.
    #[serde(rename = "prefers_longer")]
    pub longer_by_result: Option<Estimate>,
    /// The mean length of its replies in characters.
    pub mean_length: Option<f64>,
}

/// All figures of a set of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// What counts as what in them.
    pub policies: Policies,
    /// How many pairs of which kind.
    pub counts: PairCounts,
    /// By variant name.
    pub variants: BTreeMap<Arc<str>, VariantFigures>,
    /// Shares that belong to no variant.
    pub rates: Rates,
    /// One order against the other, beyond chance.
    pub order_kappas: Kappas,
    /// Against people, where any pair has a label.
    pub agreement: Option<AgreementFigures>,
    /// `McNemar`'s test on the two orders: pairs where the first slot won twice against those where the second
    /// did. A small p-value says that the order decides.
    pub order_test: Option<McNemar>,
}

/// The figures of `pairs`. Their order does not matter as long as (item, variants) names one pair.
pub fn figures(pairs: &[&Pair], policies: Policies, resampling: Resampling) -> Figures {
    let mut pairs = pairs.to_vec();
    pairs.sort_by(|one, other| {
        (&one.case, &one.item, &one.variants).cmp(&(&other.case, &other.item, &other.variants))
    });
    let slot = |order| pairs.iter().filter(|pair| pair.slot_both_times() == Some(order)).count() as u64;
    Figures {
        policies,
        counts: counts(&pairs),
        variants: variants(&pairs, policies, resampling),
        rates: rates(&pairs, policies, resampling),
        order_kappas: kappas(
            &crossings(&pairs, &|pair| pair.crossing_of_orders(policies.unparsed)),
            resampling,
        ),
        agreement: agreement(&pairs, policies, resampling),
        order_test: mcnemar(slot(Order::Ab), slot(Order::Ba)),
    }
}

fn counts(pairs: &[&Pair]) -> PairCounts {
    let mut counts = PairCounts { n_pairs: pairs.len() as u64, ..PairCounts::default() };
    counts.n_cases = pairs.iter().map(|pair| &pair.case).collect::<BTreeSet<_>>().len() as u64;
    for pair in pairs {
        *counts.status.entry(pair.status()).or_default() += 1;
        counts.n_unparsed_calls += pair.n_unparsed();
    }
    assert_eq!(counts.status.values().sum::<u64>(), counts.n_pairs, "each pair ended in one way");
    counts
}

/// One estimate per ratio, in the order in which `parts` lists what a pair adds to each.
fn estimates<const N: usize>(
    pairs: &[&Pair],
    resampling: Resampling,
    parts: impl Fn(&Pair) -> [RatioPart; N],
) -> [Option<Estimate>; N] {
    estimates_of(&by_case(pairs, parts), resampling)
}

fn estimates_of<const N: usize>(cases: &[Vec<RatioPart>], resampling: Resampling) -> [Option<Estimate>; N] {
    let estimates = ratios(cases, resampling);
    std::array::from_fn(|ratio| estimates.get(ratio).copied().flatten())
}

/// A case as one observation: won, lost or, with one half of it, tied.
fn whole(case: RatioPart) -> RatioPart {
    if case.denominator > 0.0 {
        let numerator = match case.numerator.total_cmp(&(case.denominator / 2.0)) {
            Ordering::Greater => 1.0,
            Ordering::Less => 0.0,
            Ordering::Equal => 0.5,
        };
        return RatioPart { numerator, denominator: 1.0 };
    }
    RatioPart::default()
}

/// What each case adds, for pairs in the order of their cases.
fn by_case<const N: usize>(pairs: &[&Pair], parts: impl Fn(&Pair) -> [RatioPart; N]) -> Vec<Vec<RatioPart>> {
    let cases = pairs.chunk_by(|one, other| one.case == other.case);
    let sum = |case: &[&Pair]| {
        let mut sums = vec![RatioPart::default(); N];
        for pair in case {
            for (sum, part) in sums.iter_mut().zip(parts(pair)) {
                sum.numerator += part.numerator;
                sum.denominator += part.denominator;
            }
        }
        sums
    };
    cases.map(sum).collect()
}

/// What each case adds to a table of two raters, for pairs in the order of their cases.
fn crossings(pairs: &[&Pair], crossing: &dyn Fn(&Pair) -> Crossing) -> Vec<Crossing> {
    let sum = |case: &[&Pair]| {
        let mut sum = Crossing::default();
        for pair in case {
            sum.iter_mut().zip(crossing(pair)).for_each(|(cell, added)| *cell += added);
        }
        sum
    };
    pairs.chunk_by(|one, other| one.case == other.case).map(sum).collect()
}

fn rates(pairs: &[&Pair], policies: Policies, resampling: Resampling) -> Rates {
    let [tie, unstable, consistent, lean, first, second, longer_pass, longer_result] =
        estimates(pairs, resampling, |pair| {
            [
                pair.ended(Status::Tie),
                unstable(pair),
                pair.consistent(policies.unparsed),
                pair.first_slot_lean(policies.unparsed),
                pair.slot_rate(Order::Ab, policies.unparsed),
                pair.slot_rate(Order::Ba, policies.unparsed),
                pair.longer_by_pass(policies.unparsed),
                pair.longer_by_result(),
            ]
        });
    Rates {
        tie_rate: tie,
        instability_rate: unstable,
        consistency: consistent,
        first_slot_lean: lean,
        first_slot_rate: first,
        second_slot_rate: second,
        longer_by_pass: longer_pass,
        longer_by_result: longer_result,
    }
}

/// A pair that was seen once cannot show whether it is stable.
fn unstable(pair: &Pair) -> RatioPart {
    if pair.status() == Status::Graded { RatioPart::default() } else { pair.ended(Status::UnstableAfterSwap) }
}

fn agreement(pairs: &[&Pair], policies: Policies, resampling: Resampling) -> Option<AgreementFigures> {
    pairs.iter().find(|pair| pair.label.is_some())?;
    let unparsed = policies.unparsed;
    let [agreement, order_ab, order_ba, both_orders] = estimates(pairs, resampling, |pair| {
        [
            pair.agrees(policies),
            pair.agrees_in(Order::Ab, unparsed),
            pair.agrees_in(Order::Ba, unparsed),
            pair.agrees_in_both(unparsed),
        ]
    });
    let beyond_chance =
        |crossing: &dyn Fn(&Pair) -> Crossing| kappas(&crossings(pairs, crossing), resampling);
    Some(AgreementFigures {
        agreement,
        order_ab,
        order_ba,
        both_orders,
        kappas: beyond_chance(&|pair| pair.crossing(policies)),
        kappas_ab: beyond_chance(&|pair| pair.crossing_in(Order::Ab, unparsed)),
        kappas_ba: beyond_chance(&|pair| pair.crossing_in(Order::Ba, unparsed)),
    })
}

fn variants(
    pairs: &[&Pair],
    policies: Policies,
    resampling: Resampling,
) -> BTreeMap<Arc<str>, VariantFigures> {
    let names: BTreeSet<&Arc<str>> = pairs.iter().flat_map(|pair| &pair.variants).collect();
    let names: Vec<&Arc<str>> = names.into_iter().collect();
    if let [first, second] = names[..] {
        // What one wins the other loses, in the intervals as well.
        let figures = variant(first, pairs, policies, resampling);
        let mut mirrored = mirror(&figures);
        mirrored.mean_length = mean_length(second, pairs);
        return BTreeMap::from([(Arc::clone(first), figures), (Arc::clone(second), mirrored)]);
    }
    let of = |name: &&Arc<str>| (Arc::clone(*name), variant(name, pairs, policies, resampling));
    names.iter().map(of).collect()
}

/// A pair of this variant, with the candidate that the variant wrote.
type Seat<'a> = (&'a Pair, Candidate);

fn variant(name: &str, pairs: &[&Pair], policies: Policies, resampling: Resampling) -> VariantFigures {
    let pairs: Vec<&Pair> = pairs.iter().copied().filter(|pair| pair.candidate(name).is_some()).collect();
    let seat = |pair: &Pair| pair.candidate(name).expect("only pairs of this variant are left");
    let mut cases = by_case(&pairs, |pair| {
        let candidate = seat(pair);
        [
            pair.win(candidate, policies),
            pair.decisive_win(candidate, policies),
            pair.discrete_win(candidate, policies),
            pair.longer_by_result(),
        ]
    });
    for parts in &mut cases {
        parts.push(whole(parts[0]));
    }
    let [win_rate, decisive_win_rate, discrete_win_rate, longer_by_result, case_win_rate] =
        estimates_of(&cases, resampling);
    let seats: Vec<Seat> = pairs.iter().map(|pair| (*pair, seat(pair))).collect();
    let ended = |want: fn(Candidate) -> Choice| {
        seats.iter().filter(|(pair, candidate)| pair.result(policies) == Some(want(*candidate))).count()
            as u64
    };
    let n_wins = ended(Choice::Wins);
    let n_losses = ended(|candidate| Choice::Wins(candidate.other()));
    let decided = |parts: &&Vec<RatioPart>| (parts[4].numerator - 0.5 * parts[4].denominator).abs() > 0.0;
    let n_decisive = cases.iter().filter(decided).count() as u64;
    let n_cases = case_win_rate.map_or(0, |rate| rate.n);
    VariantFigures {
        win_rate,
        case_win_rate,
        decisive_win_rate,
        discrete_win_rate,
        longer_by_result,
        n_wins,
        n_losses,
        n_ties: ended(|_| Choice::Tie),
        sign_test: sign_test_p_value(n_wins, n_losses),
        standard_error: win_rate.and_then(|rate| standard_error(&cases, rate.value)),
        smallest_difference: smallest_difference(n_decisive, n_cases, LEVEL),
        mean_length: mean_length(name, &pairs),
    }
}

fn mirror(figures: &VariantFigures) -> VariantFigures {
    let turned = |estimate: Option<Estimate>| {
        estimate.map(|Estimate { value, low, high, n }| Estimate {
            value: 1.0 - value,
            low: 1.0 - high,
            high: 1.0 - low,
            n,
        })
    };
    VariantFigures {
        win_rate: turned(figures.win_rate),
        case_win_rate: turned(figures.case_win_rate),
        decisive_win_rate: turned(figures.decisive_win_rate),
        discrete_win_rate: turned(figures.discrete_win_rate),
        n_wins: figures.n_losses,
        n_losses: figures.n_wins,
        ..figures.clone()
    }
}

/// The standard error of a ratio of sums over cases: √(C/(C−1) · Σ(above − rate·below)²) / Σbelow, over the C
/// cases that count. With one pair per case it is the sample standard deviation over √n.
fn standard_error(cases: &[Vec<RatioPart>], rate: f64) -> Option<f64> {
    let counting = || cases.iter().map(|parts| parts[0]).filter(|part| part.denominator > 0.0);
    let n_cases = counting().count() as f64;
    let squares: f64 = counting().map(|part| (part.numerator - rate * part.denominator).powi(2)).sum();
    let n: f64 = counting().map(|part| part.denominator).sum();
    (n_cases >= 2.0).then(|| (squares * n_cases / (n_cases - 1.0)).sqrt() / n)
}

/// The smallest distance of the true win rate from one half that the exact sign test shows with 80 % power, given
/// that `n_decisive` of `n_cases` cases have a winner: (s − ½) · decisive / all, for the smallest share s of the
/// decisive cases that it shows. `None` where it shows nothing even if one variant wins all of them.
pub(super) fn smallest_difference(n_decisive: u64, n_cases: u64, level: f64) -> Option<f64> {
    let share = sign_test_detects(n_decisive, level, POWER)?;
    Some((share - 0.5) * n_decisive as f64 / n_cases as f64)
}

fn mean_length(name: &str, pairs: &[&Pair]) -> Option<f64> {
    let lengths = || pairs.iter().filter_map(|pair| pair.length(pair.candidate(name)?));
    let n = lengths().count();
    (n > 0).then(|| lengths().map(|length| length as f64).sum::<f64>() / n as f64)
}
