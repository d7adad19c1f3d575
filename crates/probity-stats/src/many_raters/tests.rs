//! Intervals that hold the truth as often as they say, and what has no interval.

use super::*;
use crate::{Random, coincidences};

const QUICK: Sampling = Sampling { resampling: Resampling { n_resamples: 300, seed: 3 }, n_min: 8 };
const PLACES: [f64; 2] = [0.0, 1.0];

const MEASURES: [Measure; 4] = [
    Measure { name: "kappa", kind: MeasureKind::Coefficient, figure: CrossTable::cohen, n: CrossTable::n },
    Measure {
        name: "sensitivity",
        kind: MeasureKind::Share,
        figure: CrossTable::sensitivity,
        n: CrossTable::n_last,
    },
    Measure {
        name: "specificity",
        kind: MeasureKind::Share,
        figure: CrossTable::specificity,
        n: CrossTable::n_first,
    },
    Measure { name: "agreement", kind: MeasureKind::Share, figure: CrossTable::agreement, n: CrossTable::n },
];

/// One observation per cluster, from the counts of a table of two categories.
fn figures(counts: [u32; 4], sampling: Sampling) -> Vec<Result<Estimate, Undefined>> {
    let cell = |(cell, n): (usize, u32)| (0..n).map(move |_| vec![(cell, 1.0)]);
    let clusters = counts.into_iter().enumerate().flat_map(cell);
    crossed(clusters, &PLACES, &MEASURES, sampling).figures
}

#[test]
fn l05_too_few_are_said_to_be_too_few() {
    let few = figures([2, 1, 1, 3], QUICK);
    assert_eq!(few[0], Err(Undefined::TooFew { n: 7, n_min: 8 }));
    assert!(few[3].is_ok(), "a share says something from the first label on");
    assert_eq!(figures([0; 4], QUICK), vec![Err(Undefined::Nothing); 4]);
}

#[test]
fn full_agreement_is_not_certainty() {
    let all = figures([10, 0, 0, 10], QUICK);
    for figure in &all {
        let figure = figure.expect("a figure");
        assert_eq!((figure.value.to_bits(), figure.high.to_bits()), (1.0_f64.to_bits(), 1.0_f64.to_bits()));
        assert!((0.5..0.9).contains(&figure.low), "{figure:?}");
    }
    let units = (0..20).map(|unit| {
        let counts = if unit < 10 { [3, 0] } else { [0, 3] };
        (1, coincidences(&counts))
    });
    let people = rated(units, &PLACES, QUICK);
    let alpha = people.nominal.expect("an alpha");
    assert!((0.5..0.9).contains(&alpha.low) && alpha.n == 20, "{alpha:?}");
}

#[test]
fn full_correlation_is_not_certainty_and_a_constant_rater_is() {
    let cells = |cells: &[usize]| cells.iter().map(|cell| vec![(*cell, 1.0)]).collect::<Vec<_>>().into_iter();
    let ranked = Measure {
        name: "ranks",
        kind: MeasureKind::Coefficient,
        figure: CrossTable::spearman,
        n: CrossTable::n,
    };
    // The first rater is one level higher throughout: cells of a table of three levels.
    let shifted = crossed(cells(&[3, 7].repeat(10)), &[1.0, 2.0, 3.0], &[ranked], QUICK);
    let rho = shifted.figures[0].expect("a correlation");
    assert!((rho.value - 1.0).abs() < 1e-12 && (0.5..0.8).contains(&rho.low), "{rho:?}");
    let constant = figures([0, 0, 10, 10], QUICK);
    let kappa = constant[0].expect("a kappa");
    assert_eq!([kappa.value, kappa.low, kappa.high].map(f64::to_bits), [0; 3], "{kappa:?}");
}

/// A judge that finds passes and fails with these probabilities, where this share passes.
struct Judge {
    passes: f64,
    sensitivity: f64,
    specificity: f64,
}

impl Judge {
    /// Cohen's kappa of infinitely many labels.
    fn kappa(&self) -> f64 {
        let Judge { passes, sensitivity, specificity } = *self;
        let fails = 1.0 - passes;
        let observed = passes * sensitivity + fails * specificity;
        let says_pass = passes * sensitivity + fails * (1.0 - specificity);
        let expected = passes * says_pass + fails * (1.0 - says_pass);
        (observed - expected) / (1.0 - expected)
    }

    /// How often each cell comes up among so many labels.
    fn labels(&self, random: &mut Random, n: u32) -> [u32; 4] {
        let mut counts = [0; 4];
        for _ in 0..n {
            let pass = random.unit() < self.passes;
            let right = random.unit() < if pass { self.sensitivity } else { self.specificity };
            counts[2 * usize::from(pass == right) + usize::from(pass)] += 1;
        }
        counts
    }
}

/// The share of 2,000 simulated sets of labels whose intervals hold kappa, sensitivity and specificity.
#[track_caller]
fn check_coverage(judge: &Judge, n: u32) {
    const REPETITIONS: u32 = 2_000;
    let truth = [judge.kappa(), judge.sensitivity, judge.specificity];
    let mut random = Random::new(29);
    let mut held = [0_u32; 3];
    for seed in 0..REPETITIONS {
        let sampling =
            Sampling { resampling: Resampling { n_resamples: 300, seed: u64::from(seed) }, n_min: 8 };
        let got = figures(judge.labels(&mut random, n), sampling);
        for ((held, truth), got) in held.iter_mut().zip(truth).zip(got) {
            let got = got.expect("both classes come up");
            *held += u32::from(got.low <= truth && truth <= got.high);
        }
    }
    let shares = held.map(|held| f64::from(held) / f64::from(REPETITIONS));
    assert!(shares.iter().all(|share| (0.93..=0.97).contains(share)), "{shares:?} of {truth:?}, n {n}");
}

#[test]
fn intervals_hold_the_truth_of_simulated_judges() {
    check_coverage(&Judge { passes: 0.5, sensitivity: 0.8, specificity: 0.7 }, 200);
}
