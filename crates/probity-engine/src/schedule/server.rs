//! One server of a lane: how many calls may be in flight to it, the pause they make, and whether it is gone.
//!
//! Where several servers answer for one judge, each has a limit, a pause and a breaker of its own: what one of them
//! says is no news about the others. One that failed, or put a call off without saying for how long, is passed over for
//! a while, then tried with one call at a time.

use std::time::Duration;

use tokio::time::Instant;

use super::breaker::Breaker;
use super::limit::ConcurrencyLimit;
use crate::config::ScheduleSettings;

/// How long such a server is passed over while there are others.
const PASSED_OVER: Duration = Duration::from_secs(30);

/// How one server is doing.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) limit: ConcurrencyLimit,
    pub(super) breaker: Breaker,
    pub(super) in_flight: usize,
    /// How many calls may be in flight at most because other processes call it too.
    pub(super) share: usize,
    paused_until: Option<Instant>,
    /// When a call to it failed or was put off, if none was answered since and there were others to turn to.
    pub(super) failed_at: Option<Instant>,
    /// Why it is asked no more.
    pub(super) gone: Option<String>,
}

impl Server {
    /// A server that has not been asked.
    pub(super) fn new(settings: &ScheduleSettings) -> Server {
        Server {
            limit: ConcurrencyLimit::new(settings.concurrency),
            breaker: Breaker::new(settings),
            in_flight: 0,
            share: settings.concurrency.max(1),
            paused_until: None,
            failed_at: None,
            gone: None,
        }
    }

    /// How many calls to it may be in flight.
    pub(super) fn allowed(&self) -> usize {
        if self.failed_at.is_some() { 1 } else { self.limit.allowed().min(self.share) }
    }

    /// Whether no further call may be in flight to it.
    pub(super) fn is_full(&self) -> bool {
        self.in_flight >= self.allowed()
    }

    /// When its pause ends, if it makes one.
    pub(super) fn pause(&self, now: Instant) -> Option<Instant> {
        self.paused_until.filter(|until| *until > now)
    }

    /// Calls to it pause for so long, or for as long as they do already.
    pub(super) fn pause_for(&mut self, pause: Duration) {
        self.paused_until = self.paused_until.max(Some(Instant::now() + pause));
    }

    /// Servers in the order in which they are asked: the first is the one for the next call.
    pub(super) fn order(&self, now: Instant) -> impl Ord + use<> {
        let is_passed_over = self.failed_at.is_some_and(|at| now < at + PASSED_OVER);
        (is_passed_over, self.pause(now), self.is_full(), self.in_flight)
    }
}
