//! What several looks at one question come to.

use crate::stats::TestedThreshold;
use crate::verdict::Confidence;

/// What says how sure a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The share of its looks that say the same.
    Looks,
    /// The same, where each look counts for as much as its own confidence.
    Confidence,
}

/// The signals from which a member with confidences of its own may decide, the highest first. They are known before any
/// label is.
const CONFIDENCES: [f64; 5] = [0.99, 0.95, 0.9, 0.8, 0.6];

/// How a member looks at a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks {
    /// How often.
    pub n: usize,
    /// What says how sure it is.
    pub signal: Signal,
}

impl Looks {
    /// The signals from which the member may decide, the highest first, with the share of a test's level that each has.
    ///
    /// Few looks have few signals, and the sharpest is never rare: tests begin there. How high confidences go is not known
    /// before they are seen, so that each has its share.
    pub fn thresholds(self) -> Vec<TestedThreshold> {
        let (values, shares): (Vec<f64>, fn(usize) -> f64) = match self.signal {
            Signal::Looks => {
                let shares = (self.n / 2 + 1..=self.n).rev().map(|n| n as f64 / self.n as f64);
                (shares.collect(), |place| if place == 0 { 1.0 } else { 0.0 })
            }
            Signal::Confidence => (CONFIDENCES.to_vec(), |_| 1.0 / CONFIDENCES.len() as f64),
        };
        let test = |(place, threshold)| TestedThreshold { threshold, share: shares(place) };
        values.into_iter().enumerate().map(test).collect()
    }
}

/// What one look says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look<T> {
    /// What it says.
    pub said: T,
    /// How sure it is: wholly, where the member's looks alone are the signal.
    pub confidence: Confidence,
}

impl Signal {
    /// A look of a member with this signal. One that lacks the confidence it was asked for is not sure at all.
    pub fn look<T>(self, said: T, confidence: Option<Confidence>) -> Look<T> {
        let confidence = match self {
            Signal::Looks => Confidence::WHOLE,
            Signal::Confidence => confidence.unwrap_or(Confidence::NONE),
        };
        Look { said, confidence }
    }
}

/// What most looks at a question say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opinion<T> {
    /// What they say.
    pub said: T,
    /// The mean confidence in it over all looks, of which those that say otherwise have none: at most one.
    pub signal: f64,
}

/// What more than half of `looks` say. A look without a verdict, or one that asks for a person, is `None` and counts
/// against every opinion.
pub fn opinion<T: Clone + PartialEq>(looks: &[Option<Look<T>>]) -> Option<Opinion<T>> {
    let same = |said: &T| looks.iter().flatten().filter(|look| look.said == *said).collect::<Vec<_>>();
    let said = &looks.iter().flatten().find(|look| 2 * same(&look.said).len() > looks.len())?.said;
    // Whole numbers, so that equal confidences come to the same signal however many looks there are.
    let sum: u64 = same(said).iter().map(|look| u64::from(look.confidence.ppm())).sum();
    let all = looks.len() as u64 * u64::from(Confidence::WHOLE.ppm());
    Some(Opinion { said: said.clone(), signal: sum as f64 / all as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(looks: &[Option<u8>], want: Option<(u8, f64)>) {
        let looks: Vec<Option<Look<u8>>> =
            looks.iter().map(|said| said.map(|said| Signal::Looks.look(said, None))).collect();
        assert_eq!(opinion(&looks).map(|opinion| (opinion.said, opinion.signal)), want);
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
    fn confidences_count_where_they_are_the_signal() {
        let look = |said: u8, ppm: u32| Some(Signal::Confidence.look(said, Confidence::of_ppm(ppm)));
        let signal = |looks: &[Option<Look<u8>>]| opinion(looks).map(|opinion| opinion.signal);
        assert_eq!(signal(&[look(1, 950_000); 3]), Some(0.95), "as much as one of them");
        assert_eq!(signal(&[look(1, 900_000), look(1, 800_000)]), Some(0.85));
        assert_eq!(signal(&[look(1, 900_000), look(2, 800_000), look(1, 900_000)]), Some(0.6));
        let silent = Some(Signal::Confidence.look(1, None));
        assert_eq!(signal(&[silent]), Some(0.0), "no confidence is none, and never full");
    }

    #[test]
    fn thresholds_fall_to_just_above_one_half() {
        let looks = |n, signal| -> Vec<(f64, f64)> {
            let tests = Looks { n, signal }.thresholds();
            tests.iter().map(|test| (test.threshold, test.share)).collect()
        };
        assert_eq!(looks(2, Signal::Looks), [(1.0, 1.0)]);
        assert_eq!(looks(5, Signal::Looks), [(1.0, 1.0), (0.8, 0.0), (0.6, 0.0)]);
        assert_eq!(looks(0, Signal::Looks), []);
        let shares: f64 = looks(1, Signal::Confidence).iter().map(|(_, share)| share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
    }
}
