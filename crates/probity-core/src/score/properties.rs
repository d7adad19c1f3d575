//! Properties of scores that hold for every valid rubric.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::fixture::{RubricShape, shapes};
use super::{Failure, Score, score};
use crate::exact::Exact;
use crate::rubric::{CriterionId, Rubric, Scale};

fn id(at: usize) -> CriterionId {
    CriterionId::new(format!("c{at}")).expect("an id")
}

/// A level for every criterion, drawn from its scale.
fn levels(shape: &RubricShape, places: &[prop::sample::Index]) -> BTreeMap<CriterionId, i64> {
    let level = |(at, place): (usize, &prop::sample::Index)| {
        let levels = &shape.criteria[at].levels;
        (id(at), levels[place.index(levels.len())])
    };
    places.iter().take(shape.criteria.len()).enumerate().map(level).collect()
}

fn places() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 8)
}

/// A rubric in two orders with one set of levels.
fn reordered() -> impl Strategy<Value = (RubricShape, Vec<usize>, Vec<prop::sample::Index>)> {
    shapes().prop_flat_map(|shape| {
        let order: Vec<usize> = (0..shape.criteria.len()).collect();
        (Just(shape), Just(order).prop_shuffle(), places())
    })
}

fn sorted_failures(score: &Score) -> Vec<String> {
    let mut failures: Vec<String> = score.failures.iter().map(Failure::describe).collect();
    failures.sort();
    failures
}

fn extreme(rubric: &Rubric, level: fn(&Scale) -> i64) -> Score {
    let levels = rubric.criteria().iter().map(|criterion| (criterion.id.clone(), level(&criterion.scale)));
    score(rubric, &levels.collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The same levels give the same result, whatever the order of criteria in the file.
    #[test]
    fn totals_do_not_depend_on_the_order_of_criteria((shape, order, places) in reordered()) {
        let levels = levels(&shape, &places);
        let one = score(&shape.in_order(), &levels);
        let other = score(&shape.rubric(&order), &levels);
        prop_assert_eq!(one.total, other.total);
        prop_assert_eq!(sorted_failures(&one), sorted_failures(&other));
        let by_id = |score: Score| score.points.into_iter().collect::<BTreeMap<_, _>>();
        prop_assert_eq!(by_id(one), by_id(other));
    }

    /// However fine the weights and however wide the scales, totals are exact, within bounds and printable.
    #[test]
    fn totals_are_exact_and_within_bounds(shape in shapes(), places in places()) {
        let rubric = shape.in_order();
        let got = score(&rubric, &levels(&shape, &places));
        let weighted = rubric.criteria().iter().all(|criterion| criterion.weight.is_some());
        prop_assert_eq!(got.total.is_some(), weighted);
        if let Some(total) = got.total {
            prop_assert!(Exact::ZERO <= total && total <= Exact::from(100), "{}", total);
            prop_assert_eq!(got.points.iter().map(|(_, points)| *points).rev().sum::<Exact>(), total);
            let shown: f64 = total.to_string().parse().expect("a number");
            prop_assert!((0.0..=100.0).contains(&shown));
            prop_assert_eq!(extreme(&rubric, Scale::best).total, Some(Exact::from(100)));
            prop_assert_eq!(extreme(&rubric, Scale::worst).total, Some(Exact::ZERO));
        }
    }

    /// A reply fails exactly for the reasons that the rubric's pass rule gives.
    #[test]
    fn failures_are_those_of_the_pass_rule(shape in shapes(), places in places()) {
        let rubric = shape.in_order();
        let levels = levels(&shape, &places);
        let got = score(&rubric, &levels);
        let Some(pass) = rubric.pass() else {
            prop_assert!(got.failures.is_empty());
            return Ok(());
        };
        let share = |id: &CriterionId, level: i64| rubric.criterion(id).expect("known").scale.share(level);
        let worse = |id: &CriterionId, than: i64| share(id, levels[id]) < share(id, than);
        let mut want: Vec<Failure> = pass
            .automatic_fails
            .iter()
            .filter(|fail| worse(&fail.criterion, fail.worse_than))
            .map(|fail| Failure::Automatic(fail.criterion.clone()))
            .collect();
        let (total, total_min) = (got.total.expect("weighted"), pass.total_min);
        want.extend((total < total_min).then_some(Failure::Total { total, total_min }));
        prop_assert_eq!(got.failures, want);
    }

    /// A missing level is named and leaves no total, and no value of it could save a reply that failed.
    #[test]
    fn what_is_missing_leaves_no_total_and_saves_no_reply(
        shape in shapes(),
        places in places(),
        lost in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let rubric = shape.in_order();
        let all = levels(&shape, &places);
        let mut known = all.clone();
        for lost in &lost {
            known.remove(&id(lost.index(shape.criteria.len())));
        }
        let missing: Vec<CriterionId> =
            (0..shape.criteria.len()).map(id).filter(|id| !known.contains_key(id)).collect();
        let (got, whole) = (score(&rubric, &known), score(&rubric, &all));
        prop_assert_eq!((got.missing, got.total), (missing.clone(), None));
        prop_assert!(got.failures.len() <= whole.failures.len());
        let mut best = known;
        let scale = |id: &CriterionId| &rubric.criterion(id).expect("known").scale;
        best.extend(missing.into_iter().map(|id| (id.clone(), scale(&id).best())));
        prop_assert_eq!(got.failures.is_empty(), score(&rubric, &best).failures.is_empty());
    }
}
