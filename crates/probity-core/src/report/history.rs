//! Drift: whether the latest point of a history moved more than noise explains, and who moved.
//!
//! A [`Track`] is one figure over time, such as the pass rate of a slice by week. The rule is simple and has no
//! memory beyond the points themselves. A track has moved when both hold:
//!
//! 1. the latest point differs from all earlier ones taken together, by an exact test (shares) or Welch's t test
//!    (means), its p-value adjusted over all tracks after Benjamini and Yekutieli;
//! 2. the latest point lies beyond every earlier point. Weeks differ for reasons that no sample size knows of,
//!    and a value that was there before is no news.
//!
//! An anchor is a set of fixed replies that the judge scores again each time. They are not written anew, so when
//! they move the judge has moved. What always holds: without an anchor that could have shown it, nothing is said
//! about who moved.

use schemars::JsonSchema;
use serde::Serialize;

use crate::stats::{Estimate, Repeated, Sample, adjusted, fisher_p_value, latest_differs, welch_p_value};

/// So many earlier points make a history.
pub(crate) const EARLIER_MIN: usize = 3;

/// The points of a track, the latest last.
#[derive(Debug, Clone, PartialEq)]
pub enum Points {
    /// Counts of yes out of n: replies that pass, verdicts that agree, probes that are fooled.
    Shares(Vec<(u64, u64)>),
    /// Values with their spread: levels of a criterion.
    Means(Vec<Sample>),
}

/// One figure over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Its points.
    pub points: Points,
    /// The anchor's values of the same figure, if there is one: for each fixed reply, one value per point, 1 and
    /// 0 for shares, levels for means. Empty without an anchor.
    pub anchor: Vec<Vec<i64>>,
}

/// What a track did at its latest point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Movement {
    /// Nothing that noise does not explain.
    Steady,
    /// More than noise explains.
    Moved,
    /// There is too little to tell.
    TooFew,
}

/// Who moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriftCause {
    /// Neither.
    NoChange,
    /// The judge: it scores replies otherwise that did not change.
    Judge,
    /// What is judged: the anchor would have shown so large a move of the judge, and did not.
    Replies,
    /// Either: there is no anchor, or it is too small to rule the judge out.
    CannotTell,
}

/// What became of a track.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Drift {
    /// The value of all earlier points together; `None` where there is none.
    pub before: Option<f64>,
    /// The latest value.
    pub latest: Option<f64>,
    /// The p-value of the test, by itself.
    pub p: Option<f64>,
    /// The p-value among those of all tracks.
    pub adjusted: Option<f64>,
    /// What it did.
    pub movement: Movement,
    /// Who moved.
    pub cause: DriftCause,
    /// What its anchor did, with the p-value adjusted over all anchors.
    pub anchor: Option<AnchorMove>,
}

/// What the fixed replies of an anchor did at the latest point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct AnchorMove {
    /// How far they moved.
    pub change: Estimate,
    /// The p-value among those of all anchors.
    pub adjusted: f64,
}

/// What each track did at its latest point, so that at most the share `rate` of what is said to have moved did
/// not.
pub(crate) fn drifts(tracks: &[Track], rate: f64) -> Vec<Drift> {
    let looks: Vec<Option<PointTest>> = tracks.iter().map(|track| look(&track.points)).collect();
    let mut p_values = adjusted(&looks.iter().flatten().map(|look| look.p).collect::<Vec<_>>()).into_iter();
    let mut anchors: Vec<Option<Repeated>> =
        tracks.iter().map(|track| latest_differs(&track.anchor)).collect();
    let known: Vec<f64> = anchors.iter().flatten().map(|anchor| anchor.p).collect();
    for (anchor, p) in anchors.iter_mut().flatten().zip(adjusted(&known)) {
        anchor.p = p;
    }
    let mut drifts = Vec::new();
    for (look, anchor) in looks.into_iter().zip(anchors) {
        let adjusted = look.and_then(|_| p_values.next());
        let movement = match (look, adjusted) {
            (Some(look), Some(p)) if p <= rate && look.is_news => Movement::Moved,
            (Some(_), Some(_)) => Movement::Steady,
            _ => Movement::TooFew,
        };
        let change = look.map_or(0.0, |look| look.latest - look.before);
        drifts.push(Drift {
            before: look.map(|look| look.before),
            latest: look.map(|look| look.latest),
            p: look.map(|look| look.p),
            adjusted,
            movement,
            cause: cause(movement, change, anchor, rate),
            anchor: anchor.map(|Repeated { change, p }| AnchorMove { change, adjusted: p }),
        });
    }
    drifts
}

/// A latest point against the earlier ones.
#[derive(Debug, Clone, Copy)]
struct PointTest {
    before: f64,
    latest: f64,
    p: f64,
    /// Whether the latest point lies beyond every earlier one.
    is_news: bool,
}

fn look(points: &Points) -> Option<PointTest> {
    let (before, latest, p, values): (f64, f64, f64, Vec<f64>) = match points {
        Points::Shares(points) => {
            let points: Vec<(u64, u64)> = points.iter().copied().filter(|(_, n)| *n > 0).collect();
            let (latest, earlier) = points.split_last()?;
            let sum = earlier.iter().fold((0, 0), |(yes, n), point| (yes + point.0, n + point.1));
            let share = |(yes, n): (u64, u64)| yes as f64 / n as f64;
            let values = earlier.iter().copied().map(share).collect();
            (share(sum), share(*latest), fisher_p_value(*latest, sum)?, values)
        }
        Points::Means(points) => {
            let points: Vec<Sample> = points.iter().copied().filter(|point| point.n > 0).collect();
            let (latest, earlier) = points.split_last()?;
            let pooled = Sample::pooled(earlier)?;
            let values = earlier.iter().map(|point| point.mean).collect();
            (pooled.mean, latest.mean, welch_p_value(*latest, pooled)?, values)
        }
    };
    let above = values.iter().all(|value| latest > *value);
    let below = values.iter().all(|value| latest < *value);
    (values.len() >= EARLIER_MIN).then_some(PointTest { before, latest, p, is_news: above || below })
}

fn cause(movement: Movement, change: f64, anchor: Option<Repeated>, rate: f64) -> DriftCause {
    match (movement, anchor) {
        (_, Some(anchor)) if anchor.p <= rate => DriftCause::Judge,
        (Movement::Steady | Movement::TooFew, _) => DriftCause::NoChange,
        (Movement::Moved, None) => DriftCause::CannotTell,
        (Movement::Moved, Some(Repeated { change: Estimate { low, high, .. }, .. })) => {
            if low <= change && change <= high { DriftCause::CannotTell } else { DriftCause::Replies }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Random;

    const RATE: f64 = 0.05;

    fn shares(points: &[(u64, u64)], anchor: Vec<Vec<i64>>) -> Track {
        Track { points: Points::Shares(points.to_vec()), anchor }
    }

    #[track_caller]
    fn check(track: Track, movement: Movement, cause: DriftCause) {
        let got = &drifts(&[track], RATE)[0];
        assert_eq!((got.movement, got.cause), (movement, cause), "{got:?}");
    }

    const FELL: [(u64, u64); 5] = [(160, 200), (158, 200), (164, 200), (161, 200), (120, 200)];

    #[test]
    fn a_fall_is_the_replies_where_the_anchor_stood_still() {
        let still: Vec<Vec<i64>> = (0..60).map(|i| vec![i64::from(i % 5 > 0); 5]).collect();
        check(shares(&FELL, still), Movement::Moved, DriftCause::Replies);
        check(shares(&FELL, Vec::new()), Movement::Moved, DriftCause::CannotTell);
    }

    #[test]
    fn a_fall_is_the_judge_where_the_anchor_fell_too() {
        let fell: Vec<Vec<i64>> = (0..60).map(|i| vec![1, 1, 1, 1, i64::from(i % 5 > 0)]).collect();
        check(shares(&FELL, fell.clone()), Movement::Moved, DriftCause::Judge);
        check(shares(&[(16, 20); 5], fell), Movement::Steady, DriftCause::Judge);
    }

    #[test]
    fn an_anchor_that_is_noisy_and_small_rules_nobody_out() {
        let noisy: Vec<Vec<i64>> =
            (0..6).map(|i| (0..5).map(|j| i64::from((i + j) % 2 == 0)).collect()).collect();
        check(shares(&FELL, noisy), Movement::Moved, DriftCause::CannotTell);
    }

    #[test]
    fn what_was_there_before_is_no_news() {
        let mut points = FELL.to_vec();
        points[1] = (119, 200);
        check(shares(&points, Vec::new()), Movement::Steady, DriftCause::NoChange);
        check(shares(&FELL[2..], Vec::new()), Movement::TooFew, DriftCause::NoChange);
        check(shares(&[], Vec::new()), Movement::TooFew, DriftCause::NoChange);
    }

    /// Ten tracks of nine weeks: five pass rates and five means of 200 replies each, the true rate of week `w` as
    /// `truth` says.
    fn weeks(random: &mut Random, truth: impl Fn(&mut Random, usize) -> f64) -> Vec<Track> {
        let mut tracks = Vec::new();
        for at in 0..10 {
            let mut counts = Vec::new();
            for week in 0..9 {
                let rate = truth(random, week);
                counts.push(((0..200).filter(|_| random.unit() < rate).count() as u64, 200));
            }
            let sample = |(yes, n): &(u64, u64)| {
                let mean = *yes as f64 / *n as f64;
                Sample { n: *n, mean, variance: mean * (1.0 - mean) * *n as f64 / (*n - 1) as f64 }
            };
            let points = if at < 5 {
                Points::Shares(counts)
            } else {
                Points::Means(counts.iter().map(sample).collect())
            };
            tracks.push(Track { points, anchor: Vec::new() });
        }
        tracks
    }

    /// The share of simulated histories in which any of ten tracks is said to have moved.
    fn alarms(n: usize, truth: impl Fn(&mut Random, usize) -> f64 + Copy) -> f64 {
        let mut random = Random::new(31);
        let moved = |drift: &Drift| drift.movement == Movement::Moved;
        let alarmed = (0..n).filter(|_| drifts(&weeks(&mut random, truth), RATE).iter().any(moved));
        alarmed.count() as f64 / n as f64
    }

    #[test]
    fn histories_of_noise_raise_few_alarms() {
        // Ten tracks together stay below the rate of one; 400 histories know that to 0.01.
        let share = alarms(400, |_, _| 0.8);
        assert!(share <= 0.05, "{share}");
        // Weeks that differ by 3 points more than samples do.
        let restless = alarms(400, |random, _| 0.8 + 0.03 * (2.0 * random.unit() - 1.0));
        assert!(restless <= 0.08, "{restless}");
    }

    #[test]
    fn a_fall_of_fifteen_points_is_seen() {
        let share = alarms(100, |_, week| if week == 8 { 0.65 } else { 0.8 });
        assert!(share >= 0.99, "{share}");
    }

    /// The share of simulated anchors of 100 replies, each scored anew in nine weeks with 5 % of the verdicts
    /// wrong, that are said to be another judge when the last week has `off` of them wrong.
    fn judged_to_move(off: f64) -> f64 {
        let mut random = Random::new(5);
        let moved = (0..400).filter(|_| {
            let mut anchor = Vec::new();
            for i in 0..100 {
                let truth = i % 4 > 0;
                let wrong = |week| if week == 8 { off } else { 0.05 };
                let value = |week| i64::from(truth != (random.unit() < wrong(week)));
                anchor.push((0..9).map(value).collect());
            }
            drifts(&[shares(&[(160, 200); 9], anchor)], RATE)[0].cause == DriftCause::Judge
        });
        moved.count() as f64 / 400.0
    }

    #[test]
    fn a_judge_that_stands_still_is_rarely_said_to_move() {
        let (still, moved) = (judged_to_move(0.05), judged_to_move(0.25));
        assert!(still <= 0.07, "{still}");
        assert!(moved >= 0.8, "{moved}");
    }
}
