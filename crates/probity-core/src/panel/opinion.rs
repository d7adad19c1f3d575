//! What several looks at one question come to.

/// What most looks at a question say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opinion<T> {
    /// What they say.
    pub said: T,
    /// The share of all looks that says so, above one half and at most one.
    pub signal: f64,
}

/// What more than half of `looks` say. A look without a verdict, or one that asks for a person, is `None` and counts
/// against every opinion.
pub fn opinion<T: Clone + PartialEq>(looks: &[Option<T>]) -> Option<Opinion<T>> {
    let count = |said: &T| looks.iter().flatten().filter(|other| *other == said).count();
    let said = looks.iter().flatten().find(|said| 2 * count(said) > looks.len())?;
    Some(Opinion { said: said.clone(), signal: count(said) as f64 / looks.len() as f64 })
}

/// The signals that so many looks can have, the highest first. They are known before any label is.
pub fn thresholds(n_looks: usize) -> Vec<f64> {
    (n_looks / 2 + 1..=n_looks).rev().map(|n| n as f64 / n_looks as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(looks: &[Option<u8>], want: Option<(u8, f64)>) {
        assert_eq!(opinion(looks).map(|opinion| (opinion.said, opinion.signal)), want);
    }

    #[test]
    fn more_than_half_have_to_say_the_same() {
        check(&[Some(1), Some(1)], Some((1, 1.0)));
        check(&[Some(1), Some(2)], None);
        check(&[Some(1), None], None);
        check(&[Some(1), Some(1), Some(2), None, Some(1)], Some((1, 0.6)));
        check(&[Some(3)], Some((3, 1.0)));
        check(&[], None);
    }

    #[test]
    fn thresholds_fall_to_just_above_one_half() {
        assert_eq!(thresholds(2), [1.0]);
        assert_eq!(thresholds(4), [1.0, 0.75]);
        assert_eq!(thresholds(5), [1.0, 0.8, 0.6]);
        assert_eq!(thresholds(0), Vec::<f64>::new());
    }
}
