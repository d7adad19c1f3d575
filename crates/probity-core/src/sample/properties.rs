//! Sentences about draws that hold for every population.

use proptest::prelude::*;

use super::allocation::allocation;
use super::tests::{design, entry, told_apart};
use super::*;

fn spreads() -> impl Strategy<Value = Spread> {
    prop_oneof![Just(Spread::Proportional), Just(Spread::Equal), (1_u64..6).prop_map(Spread::Minimum)]
}

/// Slices of these populations.
fn named(populations: &[u64]) -> Vec<(&'static str, u64)> {
    populations.iter().map(|n| ("slice", *n)).collect()
}

proptest! {
    /// Draws add up to what was asked for or to all there are, and no slice is left out or overdrawn.
    #[test]
    fn draws_add_up(
        populations in prop::collection::vec(prop_oneof![1_u64..8, 1_u64..2_000], 1..20),
        size in 1_u64..400,
        spread in spreads(),
    ) {
        let all: u64 = populations.iter().sum();
        match allocation(&named(&populations), size, &spread) {
            Ok(drawn) => {
                prop_assert_eq!(drawn.iter().sum::<u64>(), size.min(all));
                prop_assert!(drawn.iter().zip(&populations).all(|(drawn, n)| (1..=*n).contains(drawn)));
            }
            Err(refused) => prop_assert!(refused.needed > size.min(all), "{:?}", refused),
        }
    }

    /// Where no bound is met, a proportional share is off by less than one draw.
    #[test]
    fn shares_are_exact_to_one_draw(populations in prop::collection::vec(500_u64..2_000, 1..10), size in 100_u64..400) {
        let all: u64 = populations.iter().sum();
        for (drawn, n) in allocation(&named(&populations), size, &Spread::Proportional).expect("enough").iter().zip(&populations) {
            let exact = size as f64 * *n as f64 / all as f64;
            prop_assert!((*drawn as f64 - exact).abs() < 1.0, "{} for {}", drawn, exact);
        }
    }

    /// The order of the file does not matter, probabilities add up to the draws, and weights to the population.
    #[test]
    fn the_order_of_the_file_does_not_matter(
        tickets in prop::collection::vec((0_usize..40, 0_u8..4), 1..120),
        turned in any::<prop::sample::Index>(),
        spread in prop_oneof![Just(Spread::Proportional), Just(Spread::Equal)],
        size in 1_u64..60,
    ) {
        let names = [None, Some("a"), Some("b"), Some("c")];
        let all: Vec<_> = tickets.iter().enumerate().map(|(place, (number, slice))| {
            (place, entry(&format!("t{place}"), names[usize::from(*slice)], &told_apart(*number)))
        }).collect();
        let mut other = all.clone();
        other.rotate_left(turned.index(all.len()));
        other.reverse();
        let draw = |entries: &[(usize, crate::case::Entry)]| {
            let mut frame = Frame::new(design(size, spread.clone(), 3));
            for (place, entry) in entries {
                frame.add(*place, entry);
            }
            frame.draw().expect("one draw for each stratum")
        };
        let drawn = draw(&all);
        prop_assert_eq!(&drawn, &draw(&other));
        let probabilities: f64 = drawn.strata.iter().map(|s| s.probability() * s.population as f64).sum();
        prop_assert!((probabilities - drawn.chosen.len() as f64).abs() < 1e-9);
        let weights: f64 = drawn.chosen.values().map(|chosen| drawn.strata[chosen.stratum].weight()).sum();
        prop_assert!((weights - drawn.counts.n_population as f64).abs() < 1e-6);
        let replies: u64 = drawn.strata.iter().map(|stratum| stratum.n_replies).sum();
        prop_assert_eq!(replies, tickets.len() as u64);
    }
}
