//! How many calls may be in flight: cut when the server says it is too much, grown while all goes well.
//!
//! It starts at what the user asked for and never exceeds that. A cut takes a fifth, once per episode; a
//! full round of clean answers gives a twentieth back. After an explicit `slow_down` the lane starts from
//! a quarter and adds at most half per round until it is where a plain cut would have left it.

use std::time::Duration;

use tokio::time::Instant;

use super::lane::Ramp;

/// What is left of the limit after a rate-limit episode.
const CUT: f64 = 0.8;
/// What is left of it after a `slow_down`.
const SLOW_CUT: f64 = 0.25;
/// How much a full round of clean answers adds.
const GROWTH: f64 = 1.05;
/// How much it adds at most while the lane recovers from a `slow_down`.
const SLOW_GROWTH: f64 = 1.5;
/// How long after a cut there is neither a further cut nor growth.
pub(super) const COOLDOWN: Duration = Duration::from_secs(15);

/// A limit that moves.
#[derive(Debug)]
pub(super) struct ConcurrencyLimit {
    most: f64,
    now: f64,
    /// Where a slow recovery ends.
    slow_until: f64,
    cut_at: Option<Instant>,
    clean_since_growth: usize,
    busiest_since_growth: usize,
}

impl ConcurrencyLimit {
    /// A limit at its most.
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1) as f64;
        ConcurrencyLimit {
            most,
            now: most,
            slow_until: 0.0,
            cut_at: None,
            clean_since_growth: 0,
            busiest_since_growth: 0,
        }
    }

    /// How many calls may be in flight now; at least one.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to the concurrency")]
    pub(super) fn allowed(&self) -> usize {
        self.now as usize
    }

    /// A call has entered; now `in_flight` are.
    pub(super) fn entered(&mut self, in_flight: usize) {
        self.busiest_since_growth = self.busiest_since_growth.max(in_flight);
    }

    /// Something went wrong that is no reason to cut: growth starts over.
    pub(super) fn hold(&mut self) {
        self.clean_since_growth = 0;
    }

    /// One cut per episode: calls that were in flight together report the same limit many times.
    pub(super) fn cut(&mut self, ramp: Ramp) {
        self.hold();
        if self.is_cooling() {
            return;
        }
        let cut = (self.now * CUT).max(1.0);
        (self.now, self.slow_until) = match ramp {
            Ramp::Normal => (cut, self.slow_until),
            Ramp::Slow => ((self.now * SLOW_CUT).max(1.0), cut),
        };
        self.cut_at = Some(Instant::now());
    }

    /// A whole answer came. Grows after a full round of them, if the room there is has been used.
    pub(super) fn clean(&mut self) {
        self.clean_since_growth += 1;
        let allowed = self.allowed();
        let is_saturated = 5 * self.busiest_since_growth >= 4 * allowed;
        if self.clean_since_growth < allowed || !is_saturated || self.now >= self.most || self.is_cooling() {
            return;
        }
        let grown = if self.now < self.slow_until {
            (self.now * SLOW_GROWTH).min(self.slow_until)
        } else {
            (self.now * GROWTH).max(self.now + 1.0)
        };
        self.now = grown.min(self.most);
        self.clean_since_growth = 0;
        self.busiest_since_growth = 0;
    }

    fn is_cooling(&self) -> bool {
        self.cut_at.is_some_and(|cut| Instant::now() < cut + COOLDOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits after each of `n` full rounds of clean answers.
    fn rounds(limit: &mut ConcurrencyLimit, n: usize) -> Vec<usize> {
        (0..n)
            .map(|_| {
                limit.entered(limit.allowed());
                (0..limit.allowed()).for_each(|_| limit.clean());
                limit.allowed()
            })
            .collect()
    }

    #[tokio::test(start_paused = true)]
    async fn f01_one_episode_is_cut_once_and_grows_back() {
        let mut limit = ConcurrencyLimit::new(100);
        (0..30).for_each(|_| limit.cut(Ramp::Normal));
        assert_eq!(limit.allowed(), 80);
        assert_eq!(rounds(&mut limit, 3), [80, 80, 80], "no growth while it cools down");
        tokio::time::advance(COOLDOWN).await;
        assert_eq!(rounds(&mut limit, 6), [84, 88, 92, 97, 100, 100]);
    }

    #[tokio::test(start_paused = true)]
    async fn f01_the_next_episode_cuts_again() {
        let mut limit = ConcurrencyLimit::new(100);
        for want in [80, 64, 51] {
            limit.cut(Ramp::Normal);
            assert_eq!(limit.allowed(), want);
            tokio::time::advance(COOLDOWN).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn f13_slow_down_recovers_by_half_per_round() {
        let mut limit = ConcurrencyLimit::new(100);
        limit.cut(Ramp::Slow);
        assert_eq!(limit.allowed(), 25);
        tokio::time::advance(COOLDOWN).await;
        assert_eq!(rounds(&mut limit, 5), [37, 56, 80, 84, 88]);
    }

    #[tokio::test(start_paused = true)]
    async fn f13_one_call_never_doubles_within_a_round() {
        let mut limit = ConcurrencyLimit::new(4);
        limit.cut(Ramp::Slow);
        tokio::time::advance(COOLDOWN).await;
        assert_eq!(rounds(&mut limit, 5), [1, 2, 3, 4, 4]);
    }

    #[tokio::test(start_paused = true)]
    async fn f16_a_failure_blocks_growth_and_cuts_nothing() {
        let mut limit = ConcurrencyLimit::new(10);
        limit.cut(Ramp::Normal);
        tokio::time::advance(COOLDOWN).await;
        limit.entered(8);
        for _ in 0..20 {
            (0..7).for_each(|_| limit.clean());
            limit.hold();
        }
        assert_eq!(limit.allowed(), 8);
    }

    #[tokio::test(start_paused = true)]
    async fn room_that_nobody_uses_does_not_grow() {
        let mut limit = ConcurrencyLimit::new(10);
        limit.cut(Ramp::Normal);
        tokio::time::advance(COOLDOWN).await;
        limit.entered(6);
        (0..100).for_each(|_| limit.clean());
        assert_eq!(limit.allowed(), 8);
        limit.entered(7);
        limit.clean();
        assert_eq!(limit.allowed(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_never_reaches_zero() {
        let mut limit = ConcurrencyLimit::new(1);
        for ramp in [Ramp::Normal, Ramp::Slow] {
            limit.cut(ramp);
            assert_eq!(limit.allowed(), 1);
            tokio::time::advance(COOLDOWN).await;
        }
    }
}
