//! The smallest change that this many cases could have shown, by the interval that a limit is compared with.
//!
//! A limit that was not seen to break is worth only what the cases could have shown: with twelve pairs, a pass rate
//! can fall by a quarter unnoticed.

use super::guardrail::Limit;
use crate::stats::{Estimate, PairedCounts, proportion, share_change};

/// The lowest and the highest value of a figure.
#[derive(Debug, Clone, Copy)]
pub(super) struct Headroom {
    pub(super) lowest: f64,
    pub(super) highest: f64,
}

/// How many of how many pairs had it in the first run.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairedRate {
    pub(super) yes: u64,
    pub(super) n: u64,
}

/// The smallest move of a share, all in one direction, whose interval would lie beyond the limit. `None` where even the
/// largest would not.
pub(super) fn change_of_rate(limit: Limit, before: PairedRate) -> Option<f64> {
    let PairedRate { yes, n } = before;
    let falls = matches!(limit, Limit::DropMax(_));
    let moved = |k: u64| {
        if falls {
            PairedCounts { both: yes - k, first_only: k, second_only: 0, neither: n - yes }
        } else {
            PairedCounts { both: yes, first_only: 0, second_only: k, neither: n - yes - k }
        }
    };
    let is_shown = |k: &u64| {
        share_change(moved(*k)).is_some_and(|change| {
            if falls { change.high < -limit.value() } else { change.low > limit.value() }
        })
    };
    let most = if falls { yes } else { n - yes };
    first(most, is_shown).map(|k| k as f64 / n as f64)
}

/// The smallest distance of a share from its limit whose interval would lie beyond it.
pub(super) fn share_from_limit(limit: Limit, n: u64) -> Option<f64> {
    let limit_value = limit.value();
    let share = |k: u64| proportion(k, n);
    match limit {
        Limit::Max(_) => first(n, |k| share(*k).is_some_and(|share| share.low > limit_value))
            .map(|k| k as f64 / n as f64 - limit_value),
        _ => first(n, |k| share(n - *k).is_some_and(|share| share.high < limit_value))
            .map(|k| limit_value - (n - k) as f64 / n as f64),
    }
}

/// The smallest number from 0 to `most` that is shown, where a larger one is whenever a smaller one is.
fn first(most: u64, is_shown: impl Fn(&u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (0, most + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_shown(&middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (low <= most).then_some(low)
}

/// The same for a mean, whose interval is taken to stay as wide as it is: the move, or the distance from the limit, that
/// would put the limit outside. `from` is where the figure could move away from. `None` where it has no room for that.
pub(super) fn by_width(limit: Limit, held: &Estimate, from: f64, room: Headroom) -> Option<f64> {
    let margin = if limit.is_of_change() { limit.value() } else { 0.0 };
    let is_downward = matches!(limit, Limit::Min(_) | Limit::DropMax(_));
    let (needed, most) = if is_downward {
        (margin + held.high - held.value, from - room.lowest)
    } else {
        (margin + held.value - held.low, room.highest - from)
    };
    (needed <= most).then_some(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n26_what_pairs_could_have_shown_is_what_their_interval_shows() {
        // Forty passing pairs: Newcombe's interval excludes zero from four lost on, three are not enough.
        let all = PairedRate { yes: 40, n: 40 };
        let found = change_of_rate(Limit::DropMax(0.0), all).expect("four of forty");
        for (k, is_shown) in [(found * 40.0, true), (found * 40.0 - 1.0, false)] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
            let k = k.round() as u64;
            let counts = PairedCounts { both: 40 - k, first_only: k, second_only: 0, neither: 0 };
            assert_eq!(share_change(counts).expect("pairs").high < 0.0, is_shown, "{k}");
        }
        assert!(change_of_rate(Limit::DropMax(0.1), all) > Some(found), "a margin has to be passed first");
        assert_eq!(change_of_rate(Limit::DropMax(0.0), PairedRate { yes: 1, n: 40 }), None);
        assert_eq!(change_of_rate(Limit::DropMax(0.0), PairedRate { yes: 0, n: 0 }), None);
        let rise = change_of_rate(Limit::RiseMax(0.0), PairedRate { yes: 0, n: 40 });
        assert_eq!(rise, Some(found), "a rise is a fall seen from the other side");
    }

    #[test]
    fn n26_a_share_must_lie_so_far_from_its_limit() {
        let gap = share_from_limit(Limit::Min(0.8), 50).expect("fifty are enough");
        let share = |yes: u64| proportion(yes, 50).expect("fifty").high < 0.8;
        assert!(share(34) && !share(35) && (gap - 0.12).abs() < 1e-9, "{gap}");
        assert_eq!(share_from_limit(Limit::Max(0.0), 50), Some(0.02), "one is one too many");
        assert_eq!(share_from_limit(Limit::Min(0.2), 3), None);
        assert_eq!(share_from_limit(Limit::Min(0.8), 0), None);
    }

    #[test]
    fn n26_a_mean_without_room_shows_nothing() {
        let held = Estimate { value: -0.1, low: -0.5, high: 0.3, n: 20 };
        let room = Headroom { lowest: 0.0, highest: 4.0 };
        let near = |found: Option<f64>, want: f64| found.is_some_and(|found| (found - want).abs() < 1e-9);
        assert!(near(by_width(Limit::DropMax(0.2), &held, 3.0, room), 0.6));
        assert!(near(by_width(Limit::RiseMax(0.2), &held, 3.0, room), 0.6));
        assert_eq!(by_width(Limit::RiseMax(0.2), &held, 3.9, room), None);
        assert!(near(by_width(Limit::Min(2.0), &held, 2.0, room), 0.4));
    }
}
