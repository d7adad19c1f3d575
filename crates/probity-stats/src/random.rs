//! Numbers that look random and are not: the same seed gives the same numbers on every machine.
//!
//! The generator is xoshiro256++ (Blackman and Vigna 2019), its state filled by `SplitMix64`. It is for
//! resampling and shuffling, never for secrets.

/// A seeded sequence of numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// The sequence of `seed`.
    pub fn new(seed: u64) -> Self {
        let mut mixed = seed;
        let state = std::array::from_fn(|_| {
            mixed = mixed.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = mixed;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        });
        Random { state }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let drawn = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        drawn
    }

    /// A number below `end`, each equally likely up to a bias under 2⁻³² for ends below 2³²
    /// (Lemire 2019, without rejection). Panics where `end` is zero.
    pub fn below(&mut self, end: usize) -> usize {
        assert!(end > 0, "a number below zero was asked for");
        let wide = u128::from(self.bits()) * end as u128;
        usize::try_from(wide >> 64).expect("a product's upper half is below its second factor")
    }

    /// A number in [0, 1), with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Puts `items` in an order drawn from all orders (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (2..=items.len()).rev() {
            items.swap(end - 1, self.below(end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_sequence() {
        let mut first = Random::new(7);
        let mut again = Random::new(7);
        let mut other = Random::new(8);
        let drawn: Vec<u64> = (0..4).map(|_| first.bits()).collect();
        assert_eq!(drawn, (0..4).map(|_| again.bits()).collect::<Vec<_>>());
        assert_ne!(drawn, (0..4).map(|_| other.bits()).collect::<Vec<_>>());
    }

    #[test]
    fn draws_are_spread_evenly() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[random.below(10)] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..=10_400).contains(count)), "{counts:?}");
        let mean = (0..100_000).map(|_| random.unit()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
    }

    #[test]
    fn a_shuffle_loses_nothing() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn the_sequence_is_that_of_the_published_generator() {
        let mut random = Random::new(0);
        let drawn: [u64; 4] = std::array::from_fn(|_| random.bits());
        assert_eq!(
            drawn,
            [0x5317_5d61_490b_23df, 0x61da_6f3d_c380_d507, 0x5c0f_df91_ec9a_7bfc, 0x02ee_bf8c_3bbe_5e1a]
        );
    }
}
