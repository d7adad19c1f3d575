//! Strengths against published values, closed forms and known truths.

use proptest::prelude::*;

use super::*;
use crate::stats::Random;

/// Comparisons of `first` with `second`, each on a case of its own.
fn met(first: usize, second: usize, [wins, ties, losses]: [usize; 3]) -> Vec<VariantMatch> {
    let winners = [(Winner::First, wins), (Winner::Tie, ties), (Winner::Second, losses)];
    let winners = winners.iter().flat_map(|&(winner, n)| std::iter::repeat_n(winner, n));
    winners.map(|winner| VariantMatch { case: 0, first, second, winner }).collect()
}

/// `comparisons` with the cases numbered anew, one for each.
fn apart(mut comparisons: Vec<VariantMatch>) -> Vec<VariantMatch> {
    for (case, comparison) in comparisons.iter_mut().enumerate() {
        comparison.case = case;
    }
    comparisons
}

/// Games of the 1987 season in the American League East, winners by row: Milwaukee, Detroit, Toronto, New
/// York, Boston, Cleveland, Baltimore (Agresti 2002, section 10.6).
const BASEBALL: [[usize; 7]; 7] = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
];

fn baseball() -> Vec<VariantMatch> {
    let pairs = (0..7).flat_map(|first| (first + 1..7).map(move |second| (first, second)));
    let games = pairs.flat_map(|(first, second)| {
        met(first, second, [BASEBALL[first][second], 0, BASEBALL[second][first]])
    });
    apart(games.collect())
}

#[test]
fn baseball_strengths_are_the_published_ones() {
    let got = ranking(7, &baseball()).expect("every team met every other");
    let strengths: Vec<f64> = got.places.iter().map(|place| place.strength.value).collect();
    let against_last: Vec<String> =
        strengths[..6].iter().map(|strength| format!("{:.2}", strength - strengths[6])).collect();
    assert_eq!(against_last, ["1.58", "1.44", "1.29", "1.25", "1.11", "0.68"]);
    assert!(strengths.iter().sum::<f64>().abs() < 1e-9, "{strengths:?}");
    assert_eq!((got.basis, got.tie_term), (Basis::MaximumLikelihood, 0.0));
}

/// The fit by another algorithm: Zermelo's (1929) iteration, which knows neither slope nor curvature.
#[test]
fn baseball_strengths_are_those_of_zermelo() {
    let mut worths = [1.0_f64; 7];
    for _ in 0..2000 {
        worths = std::array::from_fn(|team| {
            let wins: usize = BASEBALL[team].iter().sum();
            let others = (0..7).filter(|other| *other != team);
            let met = others.map(|other| {
                let games = BASEBALL[team][other] + BASEBALL[other][team];
                games as f64 / (worths[team] + worths[other])
            });
            wins as f64 / met.sum::<f64>()
        });
    }
    let got = ranking(7, &baseball()).expect("every team met every other");
    for (place, worth) in got.places.iter().zip(worths) {
        let (lead, want) = (place.strength.value - got.places[0].strength.value, (worth / worths[0]).ln());
        assert!((lead - want).abs() < 1e-8, "{lead} is not {want}");
    }
}

/// "Standard errors are about 0.3" for each team against Baltimore; to four places, those of the published R
/// package.
#[test]
fn baseball_standard_errors_are_the_published_ones() {
    let games = baseball();
    let counts = MeetingCounts::of(7, &games);
    let peak = fit(&counts, Basis::MaximumLikelihood).expect("it has a peak");
    let spread = Spread::of(&counts, &games, &peak).expect("there are cases");
    let errors = (0..6).map(|team| {
        let mut slope = vec![0.0; 7];
        (slope[team], slope[6]) = (1.0, -1.0);
        format!("{:.4}", spread.information_variance(&slope).sqrt())
    });
    assert_eq!(errors.collect::<Vec<_>>(), ["0.3433", "0.3396", "0.3367", "0.3359", "0.3339", "0.3319"]);
}

/// Two variants have as many terms as frequencies: the model repeats them.
#[test]
fn two_variants_have_a_closed_form() {
    for outcomes @ [wins, ties, losses] in [[30, 12, 18], [5, 40, 5], [1, 1, 1], [200, 3, 7], [9, 0, 4]] {
        let got = ranking(2, &apart(met(0, 1, outcomes))).expect("they met");
        let [wins, ties, losses] = [wins, ties, losses].map(|n| n as f64);
        let n = wins + ties + losses;
        let near = |got: f64, want: f64| assert!((got - want).abs() < 1e-9, "{got} is not {want}");
        near(got.places[0].strength.value, (wins / losses).ln() / 2.0);
        near(got.tie_term, ties / (wins * losses).sqrt());
        near(got.places[0].win_rate.value, (wins + ties / 2.0) / n);
        // The rate repeats the mean score, so its sandwich is the score's sample variance over n.
        let variance = (wins + ties / 4.0) / n - ((wins + ties / 2.0) / n).powi(2);
        let rate = got.places[0].win_rate;
        let want = rate_estimate(rate.value, (variance / (n - 1.0)).sqrt(), rate.n);
        near(rate.low, want.low);
        near(rate.high, want.high);
    }
}

#[track_caller]
fn check_basis(n_variants: usize, outcomes: &[(usize, usize, [usize; 3])], want: Basis) {
    let comparisons = outcomes.iter().flat_map(|&(first, second, outcomes)| met(first, second, outcomes));
    let got = ranking(n_variants, &apart(comparisons.collect())).expect("all are connected");
    assert_eq!(got.basis, want, "{got:?}");
    assert!(got.places.iter().all(|place| place.strength.value.abs() < 20.0), "{got:?}");
}

#[test]
fn a_prior_is_used_only_where_no_likeliest_exists() {
    use Basis::{MaximumLikelihood, WeakPrior};
    check_basis(2, &[(0, 1, [5, 0, 1])], MaximumLikelihood);
    check_basis(2, &[(0, 1, [5, 0, 0])], WeakPrior);
    // One tie keeps strengths finite only if the second also won: with ν growing, ties excuse every loss not
    // seen.
    check_basis(2, &[(0, 1, [5, 1, 0])], WeakPrior);
    check_basis(2, &[(0, 1, [5, 1, 1])], MaximumLikelihood);
    check_basis(2, &[(0, 1, [0, 9, 0])], WeakPrior);
    // A circle of wins: no variant lost to all.
    check_basis(3, &[(0, 1, [3, 0, 0]), (1, 2, [3, 0, 0]), (2, 0, [3, 0, 0])], MaximumLikelihood);
    check_basis(3, &[(0, 1, [3, 0, 0]), (1, 2, [3, 0, 0]), (0, 2, [3, 0, 0])], WeakPrior);
    check_basis(3, &[(0, 1, [3, 0, 2]), (1, 2, [3, 0, 2]), (0, 2, [3, 1, 0])], MaximumLikelihood);
    // A ladder won by each over the next, and a tie between its ends, which the wins forbid to be explained
    // by ν.
    check_basis(3, &[(0, 1, [3, 0, 0]), (1, 2, [3, 0, 0]), (0, 2, [0, 3, 0])], MaximumLikelihood);
    check_basis(3, &[(0, 1, [3, 0, 0]), (1, 2, [0, 3, 0]), (0, 2, [0, 3, 0])], WeakPrior);
}

#[test]
fn a_variant_that_never_lost_is_first_and_not_certain() {
    let comparisons = [met(0, 1, [10, 0, 0]), met(1, 2, [6, 0, 4]), met(0, 2, [10, 0, 0])].concat();
    let got = ranking(3, &apart(comparisons)).expect("all are connected");
    let rate = got.places[0].win_rate;
    assert!(got.places[0].strength.value > 1.0 && rate.value > 0.85 && rate.low < 0.85, "{got:?}");
}

#[track_caller]
fn check_refused(n_variants: usize, comparisons: &[VariantMatch], want: &str) {
    let error = ranking(n_variants, comparisons).expect_err("it cannot be ranked");
    assert_eq!(error.to_string(), want);
}

#[test]
fn what_cannot_be_ranked_is_refused() {
    check_refused(2, &met(0, 1, [3, 0, 2]), "1 case is too few to rank variants, expected at least 2");
    let islands = apart([met(0, 3, [3, 0, 2]), met(1, 4, [2, 2, 2])].concat());
    let error = ranking(5, &islands).expect_err("the variants are not connected");
    assert_eq!(error, RankingError::Disconnected { groups: vec![vec![0, 3], vec![1, 4], vec![2]] });
    assert_eq!(error.to_string(), "the variants fall into 3 groups that were never compared with each other");
}

/// Outcomes under known strengths and ν, every pair on every case. `shared` of the cases give all pairs the
/// same draw.
fn simulated(strengths: &[f64], tie_term: f64, n_cases: usize, shared: f64, seed: u64) -> Vec<VariantMatch> {
    let mut random = Random::new(seed);
    let mut comparisons = Vec::new();
    for case in 0..n_cases {
        let common = (random.unit() < shared).then(|| random.unit());
        for first in 0..strengths.len() {
            for second in first + 1..strengths.len() {
                let chances = Chances::of(strengths[first] - strengths[second], Some(tie_term.ln()));
                let draw = common.unwrap_or_else(|| random.unit());
                let winner = if draw < chances.score - chances.tie / 2.0 {
                    Winner::First
                } else if draw < chances.score + chances.tie / 2.0 {
                    Winner::Tie
                } else {
                    Winner::Second
                };
                comparisons.push(VariantMatch { case, first, second, winner });
            }
        }
    }
    comparisons
}

/// Intervals of 95 % cover the true strengths and rates in at least 92 % of 1,200 looks (300 rankings of 4
/// variants).
#[track_caller]
fn check_covers(shared: f64) {
    let strengths = [0.9, 0.2, -0.1, -1.0];
    let expected = |variant: usize| {
        let others = (0..4).filter(|other| *other != variant);
        others
            .map(|other| Chances::of(strengths[variant] - strengths[other], Some(0.7_f64.ln())).score)
            .sum::<f64>()
            / 3.0
    };
    let (mut covered, mut covered_rates, mut sum) = (0, 0, [0.0; 4]);
    for seed in 0..300 {
        let got = ranking(4, &simulated(&strengths, 0.7, 60, shared, seed)).expect("all are connected");
        for (variant, place) in got.places.iter().enumerate() {
            let holds = |of: Estimate, truth: f64| u32::from(of.low <= truth && truth <= of.high);
            covered += holds(place.strength, strengths[variant]);
            covered_rates += holds(place.win_rate, expected(variant));
            sum[variant] += place.strength.value / 300.0;
        }
    }
    assert!(covered >= 1104 && covered_rates >= 1104, "{covered} and {covered_rates} of 1200");
    assert!(sum.iter().zip(strengths).all(|(mean, truth)| (mean - truth).abs() < 0.05), "{sum:?}");
}

#[test]
fn intervals_cover_known_strengths() {
    check_covers(0.0);
}

#[test]
fn intervals_cover_strengths_where_pairs_of_a_case_move_together() {
    check_covers(0.8);
}

proptest! {
    /// Who is named first in a comparison, and in which order comparisons come, changes nothing.
    #[test]
    fn order_does_not_matter(seed in any::<u64>(), n_cases in 3_usize..30) {
        let comparisons = simulated(&[0.5, 0.0, -0.5], 0.5, n_cases, 0.0, seed);
        let mut turned: Vec<VariantMatch> = comparisons
            .iter()
            .map(|of| VariantMatch {
                case: of.case,
                first: of.second,
                second: of.first,
                winner: match of.winner {
                    Winner::First => Winner::Second,
                    Winner::Second => Winner::First,
                    Winner::Tie => Winner::Tie,
                },
            })
            .collect();
        Random::new(seed).shuffle(&mut turned);
        let (one, other) = (ranking(3, &comparisons), ranking(3, &turned));
        let (one, other) = (one.expect("all are connected"), other.expect("all are connected"));
        prop_assert_eq!(one.basis, other.basis);
        for (one, other) in one.places.iter().zip(&other.places) {
            prop_assert!((one.strength.value - other.strength.value).abs() < 1e-9);
            prop_assert!((one.win_rate.low - other.win_rate.low).abs() < 1e-9);
            prop_assert!(one.win_rate.low <= one.win_rate.value && one.win_rate.value <= one.win_rate.high);
        }
    }

    /// A likeliest set of strengths is announced exactly where the climb without prior finds one.
    #[test]
    fn the_likeliest_is_announced_where_it_exists(cells in prop::collection::vec(0_usize..3, 9)) {
        let pairs = [(0, 1), (1, 2), (0, 2)];
        let comparisons: Vec<VariantMatch> = pairs
            .iter()
            .zip(cells.chunks(3))
            .flat_map(|(&(first, second), cells)| met(first, second, [cells[0], cells[1], cells[2]]))
            .collect();
        let counts = MeetingCounts::of(3, &comparisons);
        prop_assume!(counts.groups().len() == 1);
        let found = fit(&counts, Basis::MaximumLikelihood);
        let bounded = found.is_ok_and(|peak| peak.at.iter().all(|term| term.abs() < 12.0));
        prop_assert_eq!(counts.has_a_likeliest(), bounded);
    }
}
