//! One lane per endpoint, key and model: what every call to it shares.
//!
//! Limits are set per account, so a 429 for one call is news for all of them. The lane holds the pause
//! everybody observes, the number of calls that may be in flight, and the breaker that ends a run which
//! only burns attempts. Waits use the monotonic clock: a suspended machine or a changed wall clock cannot
//! stretch or skip them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// What is left of the limit after a rate-limit episode.
const CUT: f64 = 0.8;
/// How long after a cut there is neither a further cut nor growth.
const COOLDOWN: Duration = Duration::from_secs(15);
/// How much a full round of clean answers adds to the limit.
const GROWTH: f64 = 1.05;
/// Waiters of a pause start again spread over at most this long.
const SPREAD_MAX: Duration = Duration::from_millis(250);

/// How a lane behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaneSettings {
    /// Calls in flight at most.
    pub concurrency: usize,
    /// Lane-wide failures in a row that open the breaker, at the least.
    pub breaker_consecutive: usize,
    /// How many of the latest calls the breaker's share is taken over.
    pub breaker_window: usize,
    /// The share of failures among them that opens it.
    pub breaker_share: f64,
    /// How long the first call goes alone before the others follow anyway.
    pub pilot: Duration,
}

/// Why a lane takes no further calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The judge cannot be reached or keeps failing.
    Unreachable(String),
    /// The account's quota or credit is used up, or resets too late to wait for.
    Quota(String),
    /// The key is not accepted, or the server sends the call elsewhere.
    Refused(String),
    /// The request itself cannot work: parameter, model, certificate.
    Unusable(String),
    /// The judge does not take JSON schemas.
    SchemaRefused(String),
    /// The call limit or the budget is reached.
    Budget(String),
    /// The user asked to stop.
    Interrupted,
    /// The store failed.
    Store(crate::store::StoreError),
}

/// What one call meant for its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A whole answer.
    Clean,
    /// A failure of the judge or the way to it.
    Failure,
    /// The judge says that it is overloaded: one call's bad luck, not the lane's.
    Overloaded,
    /// A rate limit.
    RateLimited,
}

/// The state that all calls of a lane share.
#[derive(Debug)]
pub struct Lane {
    settings: LaneSettings,
    state: Mutex<State>,
    room: Notify,
    stopped: watch::Sender<bool>,
}

#[derive(Debug)]
struct State {
    limit: f64,
    in_flight: usize,
    peak: usize,
    paused_until: Option<Instant>,
    cut_at: Option<Instant>,
    clean_since_growth: usize,
    failures_in_a_row: usize,
    window: VecDeque<bool>,
    answered: u64,
    pilot_until: Option<Instant>,
    piloting: bool,
    stop: Option<Stop>,
}

/// The right to make one call. Dropping it makes room for the next.
#[derive(Debug)]
pub struct Permit<'a> {
    lane: &'a Lane,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.lane.state().in_flight -= 1;
        self.lane.room.notify_one();
    }
}

impl Lane {
    /// An open lane whose first call goes alone.
    pub fn new(settings: LaneSettings) -> Self {
        let state = State {
            limit: settings.concurrency as f64,
            in_flight: 0,
            peak: 0,
            paused_until: None,
            cut_at: None,
            clean_since_growth: 0,
            failures_in_a_row: 0,
            window: VecDeque::with_capacity(settings.breaker_window),
            answered: 0,
            pilot_until: None,
            piloting: true,
            stop: None,
        };
        Lane { settings, state: Mutex::new(state), room: Notify::new(), stopped: watch::Sender::new(false) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lane")
    }

    /// Waits for the right to make a call, or learns that there will be none.
    pub async fn enter(&self) -> Result<Permit<'_>, Stop> {
        loop {
            let room = self.room.notified();
            tokio::pin!(room);
            // Registered before the look at the state, so that room made in between is not missed.
            room.as_mut().enable();
            match self.try_enter() {
                Entry::Open => return Ok(Permit { lane: self }),
                Entry::Stopped(stop) => return Err(stop),
                Entry::Full => tokio::select! { () = room => {}, () = self.stopped() => {} },
                Entry::Pilot(until) => tokio::select! {
                    () = tokio::time::sleep_until(until) => {}
                    () = room => {}
                    () = self.stopped() => {}
                },
                Entry::Paused(until) => {
                    // Everybody who waited would start at the same instant without a spread.
                    let until = until + SPREAD_MAX.mul_f64(rand::random::<f64>());
                    self.rest(until.saturating_duration_since(Instant::now())).await?;
                }
            }
        }
    }

    fn try_enter(&self) -> Entry {
        let mut state = self.state();
        if let Some(stop) = &state.stop {
            return Entry::Stopped(stop.clone());
        }
        let now = Instant::now();
        if let Some(until) = state.paused_until.filter(|until| *until > now) {
            return Entry::Paused(until);
        }
        if state.piloting {
            match state.pilot_until {
                Some(until) if until > now => return Entry::Pilot(until),
                Some(_) => state.piloting = false,
                None => state.pilot_until = Some(now + self.settings.pilot),
            }
        }
        if state.in_flight >= state.allowed() {
            return Entry::Full;
        }
        state.in_flight += 1;
        state.peak = state.peak.max(state.in_flight);
        Entry::Open
    }

    /// Completes when the lane has stopped.
    pub async fn stopped(&self) {
        let mut stopped = self.stopped.subscribe();
        stopped.wait_for(|stopped| *stopped).await.expect("the lane owns the sender");
    }

    /// Sleeps for `pause` unless the lane stops first.
    pub async fn rest(&self, pause: Duration) -> Result<(), Stop> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.stopped() => Err(self.stop_reason().expect("the lane has stopped")),
        }
    }

    /// Ends the lane. The first reason stays.
    pub fn stop(&self, reason: Stop) {
        self.state().stop.get_or_insert(reason);
        self.stopped.send_replace(true);
    }

    /// Why the lane has stopped, if it has.
    pub fn stop_reason(&self) -> Option<Stop> {
        self.state().stop.clone()
    }

    /// Makes everybody wait at least `pause` from now.
    pub fn pause(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut state = self.state();
        state.paused_until = Some(state.paused_until.map_or(until, |earlier| earlier.max(until)));
    }

    /// Takes in what a call meant. May cut or grow the limit, or open the breaker.
    pub fn observe(&self, signal: Signal, what: &str) {
        let mut state = self.state();
        let allowed_before = if state.piloting { 0 } else { state.allowed() };
        state.piloting = false;
        match signal {
            Signal::Clean => {
                state.answered += 1;
                state.failures_in_a_row = 0;
                state.remember(false, self.settings.breaker_window);
                state.grow(self.settings.concurrency);
            }
            Signal::RateLimited => {
                state.clean_since_growth = 0;
                state.cut();
            }
            Signal::Overloaded => state.clean_since_growth = 0,
            Signal::Failure => {
                state.clean_since_growth = 0;
                state.failures_in_a_row += 1;
                state.remember(true, self.settings.breaker_window);
            }
        }
        let more_room = state.allowed() > allowed_before;
        let broken = if signal == Signal::Failure { self.breaker(&state) } else { None };
        drop(state);
        if more_room {
            self.room.notify_waiters();
        }
        if let Some(why) = broken {
            self.stop(Stop::Unreachable(format!("{why}: {what}")));
        }
    }

    /// A single fault can hit everything in flight at once, so a row of failures counts only when it is
    /// longer than two full rounds of calls.
    fn breaker(&self, state: &State) -> Option<String> {
        let row = self.settings.breaker_consecutive.max(2 * state.allowed());
        if state.failures_in_a_row >= row {
            return Some(format!("{row} calls failed in a row"));
        }
        let failed = state.window.iter().filter(|failed| **failed).count();
        let full = state.window.len() >= self.settings.breaker_window;
        let share = failed as f64 / state.window.len().max(1) as f64;
        (full && share > self.settings.breaker_share)
            .then(|| format!("{failed} of the last {} calls failed", state.window.len()))
    }

    /// Whole answers received so far.
    pub fn answered(&self) -> u64 {
        self.state().answered
    }

    /// The most calls that were in flight at once.
    pub fn peak(&self) -> usize {
        self.state().peak
    }

    /// How many calls may be in flight now.
    pub fn limit(&self) -> usize {
        self.state().allowed()
    }
}

enum Entry {
    Open,
    Full,
    Paused(Instant),
    Pilot(Instant),
    Stopped(Stop),
}

impl State {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to the concurrency")]
    fn allowed(&self) -> usize {
        (self.limit as usize).max(1)
    }

    /// One cut per episode: calls that were in flight together report the same limit many times.
    fn cut(&mut self) {
        let now = Instant::now();
        if self.cut_at.is_none_or(|cut| now >= cut + COOLDOWN) {
            self.limit = (self.limit * CUT).max(1.0);
            self.cut_at = Some(now);
        }
    }

    fn grow(&mut self, concurrency: usize) {
        self.clean_since_growth += 1;
        let cooling = self.cut_at.is_some_and(|cut| Instant::now() < cut + COOLDOWN);
        if cooling || self.clean_since_growth < self.allowed() {
            return;
        }
        self.clean_since_growth = 0;
        self.limit = (self.limit * GROWTH).max(self.limit + 1.0).min(concurrency as f64);
    }

    fn remember(&mut self, failed: bool, window: usize) {
        if self.window.len() >= window {
            self.window.pop_front();
        }
        self.window.push_back(failed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn settings(concurrency: usize) -> LaneSettings {
        LaneSettings {
            concurrency,
            breaker_consecutive: 20,
            breaker_window: 200,
            breaker_share: 0.5,
            pilot: Duration::from_millis(250),
        }
    }

    /// A lane whose first call has been answered.
    fn flown(concurrency: usize) -> Lane {
        let lane = Lane::new(settings(concurrency));
        lane.observe(Signal::Clean, "");
        lane
    }

    async fn entered_after(lane: &Lane) -> Duration {
        let before = Instant::now();
        let _permit = lane.enter().await.expect("open");
        before.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_call_goes_alone_but_not_for_long() {
        let lane = Lane::new(settings(4));
        let first = lane.enter().await.expect("open");
        assert_eq!(entered_after(&lane).await, Duration::from_millis(250));
        drop(first);
        assert_eq!(flown(4).limit(), 4);
        assert_eq!(entered_after(&flown(4)).await, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_than_the_limit_is_in_flight() {
        let lane = Arc::new(flown(3));
        let tasks: Vec<_> = (0..50)
            .map(|_| {
                let lane = Arc::clone(&lane);
                tokio::spawn(async move {
                    let _permit = lane.enter().await.expect("open");
                    tokio::time::sleep(Duration::from_millis(10)).await;
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert_eq!(lane.peak(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn f01_a_pause_holds_everybody_and_they_start_spread() {
        let lane = flown(4);
        lane.pause(Duration::from_secs(7));
        lane.pause(Duration::from_secs(1));
        let waited = entered_after(&lane).await;
        assert!(
            waited >= Duration::from_secs(7) && waited <= Duration::from_secs(7) + SPREAD_MAX,
            "{waited:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn f01_one_episode_is_cut_once_and_grows_back() {
        let lane = flown(100);
        for _ in 0..30 {
            lane.observe(Signal::RateLimited, "");
        }
        assert_eq!(lane.limit(), 80);
        for _ in 0..1000 {
            lane.observe(Signal::Clean, "");
        }
        assert_eq!(lane.limit(), 80, "no growth while cooling down");
        tokio::time::advance(COOLDOWN).await;
        for _ in 0..2000 {
            lane.observe(Signal::Clean, "");
        }
        assert_eq!(lane.limit(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn f16_a_server_error_does_not_shrink_the_limit() {
        let lane = flown(100);
        lane.observe(Signal::Failure, "500");
        lane.observe(Signal::Overloaded, "529");
        assert_eq!(lane.limit(), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn f29_failures_in_a_row_stop_the_lane() {
        let lane = flown(5);
        for n in 0..20 {
            assert_eq!(lane.stop_reason(), None, "after {n}");
            lane.observe(Signal::Failure, "connection refused");
        }
        let stop = lane.stop_reason().expect("stopped");
        assert_eq!(stop, Stop::Unreachable("20 calls failed in a row: connection refused".into()));
        assert_eq!(lane.enter().await.expect_err("closed"), stop);
    }

    #[tokio::test(start_paused = true)]
    async fn one_round_of_failures_is_not_an_outage() {
        let lane = flown(64);
        for _ in 0..64 {
            lane.observe(Signal::Failure, "reset");
        }
        assert_eq!(lane.stop_reason(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_judge_that_mostly_fails_is_stopped() {
        let lane = flown(5);
        for n in 0..400 {
            lane.observe(if n % 3 == 0 { Signal::Clean } else { Signal::Failure }, "500");
        }
        assert!(
            matches!(lane.stop_reason(), Some(Stop::Unreachable(why)) if why.contains("of the last 200"))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_wakes_those_who_rest_or_wait() {
        let lane = Arc::new(flown(1));
        let held = lane.enter().await.expect("open");
        let resting = tokio::spawn({
            let lane = Arc::clone(&lane);
            async move { lane.rest(Duration::from_hours(1)).await }
        });
        let waiting = tokio::spawn({
            let lane = Arc::clone(&lane);
            async move { lane.enter().await.map(|_| ()) }
        });
        tokio::task::yield_now().await;
        lane.stop(Stop::Interrupted);
        assert_eq!(resting.await.expect("no panic"), Err(Stop::Interrupted));
        assert_eq!(waiting.await.expect("no panic"), Err(Stop::Interrupted));
        drop(held);
    }
}
