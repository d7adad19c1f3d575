//! Known truth: judges with set rates of error, drawn two thousand times.
//!
//! Populations are so large here that none is exhausted; `tests/label_plan.rs` draws from small ones.

use super::super::Random;
use super::*;

/// Items of a population that no sample exhausts.
const MANY: u64 = 1_000_000_000;

/// A world in which a judge errs at known rates.
#[derive(Debug, Clone, Copy)]
struct World {
    population: u64,
    passes: f64,
    sensitivity: f64,
    specificity: f64,
    n_labelled: usize,
    n: usize,
}

impl World {
    fn draw(&self, random: &mut Random) -> Stratum {
        let mut stratum = Stratum { population: self.population, labelled: [[0; 2]; 3], unlabelled: [0; 3] };
        for item in 0..self.n {
            let passes = random.unit() < self.passes;
            let right = random.unit() < if passes { self.sensitivity } else { self.specificity };
            let said = passes == right;
            if item < self.n_labelled {
                stratum.labelled[usize::from(said)][usize::from(passes)] += 1;
            } else {
                stratum.unlabelled[usize::from(said)] += 1;
            }
        }
        stratum
    }
}

/// How many of 2,000 intervals hold the truth, for both corrections and for the judge as it is.
fn covered(worlds: &[World], seed: u64) -> [f64; 3] {
    let weight: f64 = worlds.iter().map(|world| world.population as f64).sum();
    let truth: f64 = worlds.iter().map(|world| world.population as f64 * world.passes).sum::<f64>() / weight;
    let mut random = Random::new(seed);
    let mut counts = [(0_u32, 0_u32); 3];
    for _ in 0..2_000 {
        let strata: Vec<Stratum> = worlds.iter().map(|world| world.draw(&mut random)).collect();
        let found = corrected(&strata);
        let figures = [found.rogan_gladen.ok(), found.prediction_powered.ok(), found.uncorrected];
        for (count, estimate) in counts.iter_mut().zip(figures) {
            let Some(estimate) = estimate else { continue };
            count.0 += u32::from(estimate.low <= truth && truth <= estimate.high);
            count.1 += 1;
        }
    }
    counts.map(|(held, n)| 100.0 * f64::from(held) / f64::from(n.max(1)))
}

#[track_caller]
fn check(worlds: &[World]) {
    let [rogan_gladen, prediction_powered, uncorrected] = covered(worlds, 7);
    assert!((93.0..=97.0).contains(&rogan_gladen), "Rogan-Gladen covers {rogan_gladen} %: {worlds:?}");
    assert!((93.0..=97.0).contains(&prediction_powered), "PPI covers {prediction_powered} %: {worlds:?}");
    assert!(uncorrected < 80.0, "the judge as it is covers {uncorrected} %: {worlds:?}");
}

fn world(passes: f64, sensitivity: f64, specificity: f64, n_labelled: usize, n: usize) -> World {
    World { population: MANY, passes, sensitivity, specificity, n_labelled, n }
}

#[test]
fn a_strict_judge_is_corrected_from_a_hundred_labels() {
    check(&[world(0.8, 0.85, 0.9, 100, 600)]);
}

#[test]
fn a_lenient_judge_is_corrected_from_a_hundred_labels() {
    check(&[world(0.7, 0.95, 0.7, 100, 600)]);
}

#[test]
fn sixty_labels_are_enough_for_an_honest_interval() {
    check(&[world(0.75, 0.8, 0.9, 60, 400)]);
}

#[test]
fn strata_that_were_sampled_at_different_rates_are_weighted() {
    let often = World { population: 4 * MANY, ..world(0.85, 0.85, 0.85, 60, 400) };
    let seldom = World { population: MANY, ..world(0.55, 0.85, 0.85, 60, 400) };
    check(&[often, seldom]);
}

#[test]
fn strata_that_were_labelled_at_different_rates_are_weighted() {
    let often = World { population: 4 * MANY, ..world(0.85, 0.85, 0.85, 40, 400) };
    let seldom = World { population: MANY, ..world(0.55, 0.85, 0.85, 240, 400) };
    let mut random = Random::new(7);
    let mut sums = [0.0; 3];
    for _ in 0..2_000 {
        let found = corrected(&[often.draw(&mut random), seldom.draw(&mut random)]);
        let figures =
            [found.people.ok_or(NotCorrected::NoLabels), found.prediction_powered, found.rogan_gladen];
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum += figure.expect("a good judge").value / 2_000.0;
        }
    }
    // (4 · 0.85 + 0.55) / 5.
    for mean in sums {
        assert!((mean - 0.79).abs() < 0.01, "{sums:?}");
    }
}

#[test]
fn a_judge_at_chance_corrects_nothing() {
    let stratum =
        Stratum { population: MANY, labelled: [[10, 20], [10, 20], [0, 0]], unlabelled: [100, 100, 0] };
    let found = corrected(&[stratum]);
    assert_eq!(found.rogan_gladen, Err(NotCorrected::NoBetterThanChance));
    assert_eq!(found.prediction_powered, Err(NotCorrected::NoBetterThanChance));
    assert_eq!(found.people.map(|people| people.n), Some(60));
    assert_eq!(label_plan(&[stratum], Wanted { half_width: 0.05 }), Err(NotCorrected::NoBetterThanChance));
}

#[test]
fn without_labels_or_with_one_answer_there_is_a_reason() {
    let none = Stratum { population: MANY, labelled: [[0; 2]; 3], unlabelled: [1, 9, 0] };
    assert_eq!(corrected(&[none]).rogan_gladen, Err(NotCorrected::NoLabels));
    let one = Stratum { labelled: [[0, 2], [0, 30], [0, 0]], ..none };
    assert_eq!(corrected(&[one]).prediction_powered, Err(NotCorrected::OneAnswer));
    assert_eq!(corrected(&[]).uncorrected, None);
}

#[test]
fn rogan_and_gladen_by_hand() {
    // q = 0.6, sensitivity 0.9, specificity 0.8: (0.6 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.4 / 0.7.
    let stratum =
        Stratum { population: MANY, labelled: [[80, 10], [20, 90], [0, 0]], unlabelled: [400, 600, 0] };
    let found = corrected(&[stratum]);
    let value = found.rogan_gladen.expect("a good judge").value;
    assert!((value - 0.4 / 0.7).abs() < 1e-12, "{value}");
    // 710 of 1,200 pass: 90 of 110 passes and 10 of 90 fails were passes.
    let (passed, share) = (710.0 / 1200.0, found.prediction_powered.expect("a good judge").value);
    let by_hand = passed * 90.0 / 110.0 + (1.0 - passed) * 10.0 / 90.0;
    assert!((share - by_hand).abs() < 1e-12, "{share}");
}

#[test]
fn a_plan_reaches_the_width_it_was_made_for() {
    let pilot = world(0.8, 0.9, 0.8, 60, 4_000).draw(&mut Random::new(3));
    let labels = label_plan(&[pilot], Wanted { half_width: 0.05 }).expect("a good judge");
    let n_labelled = usize::try_from(labels[0]).expect("not many");
    let done = world(0.8, 0.9, 0.8, n_labelled, 4_000).draw(&mut Random::new(4));
    let figure = corrected(&[done]).prediction_powered.expect("a good judge");
    let half = (figure.high - figure.low) / 2.0;
    assert!((0.03..=0.065).contains(&half), "{n_labelled} labels give {half}");
}

#[test]
fn a_sample_that_is_too_small_needs_draws_as_well() {
    let pilot = world(0.7, 0.95, 0.9, 40, 60).draw(&mut Random::new(5));
    let labels = label_plan(&[pilot], Wanted { half_width: 0.02 }).expect("a good judge");
    // A plain sample of that share takes 1.96² · 0.21 / 0.02² = 2017.
    assert!((1_700..2_300).contains(&labels[0]), "{labels:?}");
}

#[test]
fn labels_go_where_they_weigh() {
    let large = World { population: 9 * MANY, ..world(0.8, 0.9, 0.8, 30, 3_000) }.draw(&mut Random::new(6));
    let small = World { population: MANY, ..world(0.8, 0.9, 0.8, 30, 3_000) }.draw(&mut Random::new(7));
    let labels = label_plan(&[large, small], Wanted { half_width: 0.04 }).expect("a good judge");
    assert!(labels[0] > 4 * labels[1], "{labels:?}");
}

#[test]
fn n06_no_plan_asks_for_more_than_there_is() {
    let strata = [
        Stratum { population: 300, labelled: [[1, 1], [0, 4], [0, 0]], unlabelled: [0, 1, 0] },
        Stratum { population: 2_500, labelled: [[7, 2], [1, 31], [0, 0]], unlabelled: [3, 16, 0] },
        Stratum { population: 1_500, labelled: [[4, 1], [5, 14], [0, 0]], unlabelled: [5, 7, 0] },
        Stratum { population: 700, labelled: [[2, 0], [1, 6], [0, 0]], unlabelled: [3, 5, 0] },
    ];
    let n_labels =
        |half_width| -> Vec<u64> { label_plan(&strata, Wanted { half_width }).expect("a good judge") };
    // A plain sample takes 1.96² · 0.19 / 0.05² = 292 of an endless population, and 276 of these 5,000.
    let for_five_points: u64 = n_labels(0.05).iter().sum();
    assert!((230..=290).contains(&for_five_points), "{for_five_points}");
    for (times, half_width) in [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 1e-9].into_iter().enumerate() {
        let labels = n_labels(half_width);
        let within = labels
            .iter()
            .zip(&strata)
            .all(|(n, stratum)| (stratum.n_labelled()..=stratum.population).contains(n));
        assert!(within, "{times}: {labels:?}");
    }
    assert_eq!(n_labels(0.5), [6, 41, 24, 9]);
    assert_eq!(n_labels(1e-9), [300, 2_500, 1_500, 700]);
}

#[test]
fn n08_with_everything_labelled_both_figures_are_one() {
    let strata = [
        Stratum { population: 900, labelled: [[10, 2], [3, 45], [0, 0]], unlabelled: [0, 0, 0] },
        Stratum { population: 100, labelled: [[20, 1], [2, 17], [0, 0]], unlabelled: [0, 0, 0] },
    ];
    let found = corrected(&strata);
    let (people, together) = (found.people.expect("labels"), found.prediction_powered.expect("a good judge"));
    for (one, other) in
        [(people.value, together.value), (people.low, together.low), (people.high, together.high)]
    {
        assert!((one - other).abs() < 1e-12, "{people:?} {together:?}");
    }
    assert_eq!(people.n, together.n);
    // One verdict without a label moves the interval a little, not by a leap.
    let more = [Stratum { unlabelled: [0, 1, 0], ..strata[0] }, strata[1]];
    let more = corrected(&more).prediction_powered.expect("a good judge");
    assert!((more.low - together.low).abs() < 0.01 && (more.high - together.high).abs() < 0.01, "{more:?}");
}

#[test]
fn a_population_that_is_labelled_throughout_is_known() {
    let stratum = Stratum { population: 90, labelled: [[20, 10], [10, 50], [0, 0]], unlabelled: [0, 0, 0] };
    let found = corrected(&[stratum]);
    for estimate in [found.people.expect("labels"), found.prediction_powered.expect("a good judge")] {
        assert!((estimate.high - estimate.low).abs() < 1e-9 && (estimate.value - 2.0 / 3.0).abs() < 1e-12);
    }
}

#[test]
fn n08_with_everything_labelled_a_judge_at_chance_does_not_matter() {
    let at_chance = Stratum { population: 90, labelled: [[20, 20], [20, 20], [0, 0]], unlabelled: [0; 3] };
    let one_answer = Stratum { labelled: [[0, 20], [0, 40], [0, 20]], ..at_chance };
    for stratum in [at_chance, one_answer] {
        let found = corrected(&[stratum]);
        let (people, together) = (found.people.expect("labels"), found.prediction_powered.expect("labels"));
        assert_eq!((people.value, people.n), (together.value, together.n));
        assert!((people.low - together.low).abs() < 1e-12 && (people.high - together.high).abs() < 1e-12);
    }
    assert_eq!(label_plan(&[at_chance], Wanted { half_width: 1e-6 }), Ok(vec![90]));
}

#[test]
fn n08_items_without_a_verdict_count_once_some_have_a_label() {
    // Judge and people agree; of 30 items without a verdict people pass one in three.
    let unknown = Stratum { population: MANY, labelled: [[20, 0], [0, 60], [0, 0]], unlabelled: [5, 15, 30] };
    let known = Stratum { labelled: [[20, 0], [0, 60], [10, 5]], unlabelled: [5, 15, 15], ..unknown };
    let shares =
        [unknown, known].map(|stratum| corrected(&[stratum]).prediction_powered.expect("a good judge"));
    assert!((shares[0].value - 0.75).abs() < 1e-12 && shares[0].n == 100, "{shares:?}");
    // 75 of 130 are passes, and a third of 30.
    assert!((shares[1].value - 85.0 / 130.0).abs() < 1e-12 && shares[1].n == 130, "{shares:?}");
    // A stratum about which nothing is known has no part.
    let nothing = Stratum { labelled: [[0; 2]; 3], unlabelled: [0, 0, 4], ..unknown };
    assert_eq!(corrected(&[unknown, nothing]).prediction_powered, Ok(shares[0]));
    let plan = label_plan(&[unknown, nothing], Wanted { half_width: 0.05 }).expect("a good judge");
    assert!(plan[0] > 80 && plan[1] == 0, "{plan:?}");
}
