//! Sentences about comparisons that hold for every set of pairs.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::label::PairLabel;
use crate::score::Unscored;
use crate::stats::{Estimate, Resampling};

const QUICK: Resampling = Resampling { n_resamples: 100, seed: 3 };

fn pass() -> impl Strategy<Value = Pass> {
    let unscored = Unscored { cause: "unparsed".into(), detail: String::new(), attempts: 0 };
    prop_oneof![
        3 => Just(Pass::Decided(Choice::Wins(Candidate::A))),
        3 => Just(Pass::Decided(Choice::Wins(Candidate::B))),
        2 => Just(Pass::Decided(Choice::Tie)),
        1 => Just(Pass::Decided(Choice::NeedsHumanReview)),
        1 => Just(Pass::Unscored(unscored)),
    ]
}

fn verdicts() -> impl Strategy<Value = Verdicts> {
    prop_oneof![
        6 => (pass(), pass()).prop_map(|(ab, ba)| Verdicts::BothOrders { ab, ba }),
        1 => (0_u8..=8).prop_map(|eighths| {
            Verdicts::Graded(Grade::new(f64::from(eighths) / 8.0).expect("between 0 and 1"))
        }),
    ]
}

fn label() -> impl Strategy<Value = Option<PairLabel>> {
    prop::option::of(prop_oneof![Just(PairLabel::A), Just(PairLabel::B), Just(PairLabel::Tie)])
}

fn pair(index: usize, verdicts: Verdicts, label: Option<PairLabel>, (case, a, b): (u8, u64, u64)) -> Pair {
    Pair {
        item: Arc::from(format!("i{index}")),
        case: Arc::from(format!("c{case}")),
        slice: None,
        variants: [Arc::from("x"), Arc::from("y")],
        verdicts,
        lengths: Some([a, b]),
        difficulty: None,
        label,
    }
}

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let one = (verdicts(), label(), (0_u8..12, 0_u64..3, 0_u64..3));
    let number = |all: Vec<_>| {
        let all = all.into_iter().enumerate();
        all.map(|(index, (verdicts, label, rest))| pair(index, verdicts, label, rest)).collect()
    };
    prop::collection::vec(one, 1..40).prop_map(number)
}

fn policies() -> impl Strategy<Value = Policies> {
    let conflict = prop_oneof![Just(Conflict::Tie), Just(Conflict::Drop), Just(Conflict::Pool)];
    let unparsed = prop_oneof![Just(Unparsed::Tie), Just(Unparsed::Drop), Just(Unparsed::Wrong)];
    (conflict, unparsed).prop_map(|(conflict, unparsed)| Policies { conflict, unparsed })
}

fn of(pairs: &[Pair], policies: Policies) -> Figures {
    figures(&pairs.iter().collect::<Vec<_>>(), policies, QUICK)
}

/// The same pairs with the candidates the other way round, under the same variants' names.
fn swapped(pairs: &[Pair]) -> Vec<Pair> {
    let turn = |pass: &Pass| match pass {
        Pass::Decided(Choice::Wins(winner)) => Pass::Decided(Choice::Wins(winner.other())),
        other => other.clone(),
    };
    let swap = |pair: &Pair| Pair {
        verdicts: match &pair.verdicts {
            Verdicts::BothOrders { ab, ba } => Verdicts::BothOrders { ab: turn(ba), ba: turn(ab) },
            Verdicts::Graded(grade) => {
                Verdicts::Graded(Grade::new(1.0 - grade.value()).expect("between 0 and 1"))
            }
        },
        lengths: pair.lengths.map(|[a, b]| [b, a]),
        difficulty: pair.difficulty,
        label: pair.label.map(|label| match label {
            PairLabel::A => PairLabel::B,
            PairLabel::B => PairLabel::A,
            PairLabel::Tie => PairLabel::Tie,
        }),
        ..pair.clone()
    };
    pairs.iter().map(swap).collect()
}

fn near(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-9,
        (one, other) => one == other,
    }
}

fn value(estimate: Option<Estimate>) -> Option<f64> {
    estimate.map(|estimate| estimate.value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Swapping the variants turns each win rate into what it leaves of one, and nothing else changes.
    #[test]
    fn swapping_the_variants_mirrors_win_rates(pairs in pairs(), policies in policies()) {
        let (before, after) = (of(&pairs, policies), of(&swapped(&pairs), policies));
        let (x, turned) = (&before.variants["x"], &after.variants["x"]);
        prop_assert!(near(value(x.win_rate), value(turned.win_rate).map(|value| 1.0 - value)));
        prop_assert!(near(value(x.decisive_win_rate), value(turned.decisive_win_rate).map(|value| 1.0 - value)));
        prop_assert_eq!((x.n_wins, x.n_losses, x.n_ties), (turned.n_losses, turned.n_wins, turned.n_ties));
        prop_assert_eq!(x.sign_test, turned.sign_test);
        prop_assert!(near(x.smallest_difference, turned.smallest_difference));
        prop_assert_eq!(&before.counts, &after.counts);
        prop_assert_eq!(&before.rates, &after.rates);
        prop_assert_eq!(before.order_test, after.order_test);
        let agreement = |figures: &Figures| figures.agreement.as_ref().and_then(|it| value(it.agreement));
        prop_assert!(near(agreement(&before), agreement(&after)));
    }

    /// The order of rows in a file says nothing.
    #[test]
    fn rows_may_stand_in_any_order(pairs in pairs(), policies in policies()) {
        let mut turned = pairs.clone();
        turned.reverse();
        prop_assert_eq!(of(&pairs, policies), of(&turned, policies));
    }

    /// Two variants share each pair between them.
    #[test]
    fn what_one_wins_the_other_loses(pairs in pairs(), policies in policies()) {
        let figures = of(&pairs, policies);
        let (x, y) = (&figures.variants["x"], &figures.variants["y"]);
        prop_assert!(near(value(x.win_rate), value(y.win_rate).map(|value| 1.0 - value)));
        prop_assert_eq!((x.n_wins, x.n_losses), (y.n_losses, y.n_wins));
    }

    /// A pair without a verdict moves no figure but those that count it: not knowing is not a result.
    #[test]
    fn unscored_pairs_do_not_move_figures(pairs in pairs(), lost in 1_usize..20) {
        let policies = Policies { conflict: Conflict::Tie, unparsed: Unparsed::Drop };
        let before = of(&pairs, policies);
        let missing = Pass::Unscored(Unscored { cause: "no_json".into(), detail: String::new(), attempts: 1 });
        let mut more = pairs.clone();
        more.extend((0..lost).map(|i| Pair {
            item: Arc::from(format!("lost{i}")),
            case: Arc::from(format!("c{i}")),
            lengths: None,
            difficulty: None,
            verdicts: Verdicts::BothOrders { ab: missing.clone(), ba: Pass::Decided(Choice::Wins(Candidate::A)) },
            ..pairs[0].clone()
        }));
        let after = of(&more, policies);
        prop_assert_eq!(&before.variants, &after.variants);
        prop_assert_eq!(&before.rates, &after.rates);
        prop_assert_eq!(after.counts.of(Status::Unscored), before.counts.of(Status::Unscored) + lost as u64);
        prop_assert_eq!(after.counts.n_judged(), before.counts.n_judged());
    }

    /// The ways to end add up.
    #[test]
    fn pairs_add_up(pairs in pairs(), policies in policies()) {
        let counts = of(&pairs, policies).counts;
        let sum: u64 = Status::ALL.iter().map(|status| counts.of(*status)).sum();
        prop_assert_eq!(sum, pairs.len() as u64);
    }
}
