//! How close calls may follow each other, so that no minute holds more requests or tokens than the settings allow.
//!
//! Each call pushes the moment of the next one by its share of a minute, so calls are spread evenly and never come in a
//! burst. Tokens are estimated when a call is made; what an answer used beyond that is added when it comes.

use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

use crate::config::ScheduleSettings;

const MINUTE: Duration = Duration::from_mins(1);

/// When the next call may be made.
#[derive(Debug)]
pub(super) struct Pace {
    requests: Rate,
    tokens: Rate,
}

/// So much a minute, where that is bounded.
#[derive(Debug)]
struct Rate {
    per_minute: Option<NonZeroU32>,
    /// When what was taken so far has been made up for.
    free_at: Option<Instant>,
}

impl Pace {
    /// As settings have it, with nothing taken yet.
    pub(super) fn new(settings: &ScheduleSettings) -> Pace {
        let rate = |per_minute| Rate { per_minute, free_at: None };
        Pace { requests: rate(settings.requests_per_minute), tokens: rate(settings.tokens_per_minute) }
    }

    /// The moment until which no call may be made.
    pub(super) fn wait(&self, now: Instant) -> Option<Instant> {
        self.requests.free_at.max(self.tokens.free_at).filter(|until| *until > now)
    }

    /// Takes a call of about so many tokens.
    pub(super) fn call(&mut self, now: Instant, tokens: u64) {
        self.requests.take(now, 1);
        self.tokens.take(now, tokens);
    }

    /// Takes tokens that a call has used beyond what it was taken for.
    pub(super) fn more(&mut self, now: Instant, tokens: u64) {
        self.tokens.take(now, tokens);
    }
}

impl Rate {
    fn take(&mut self, now: Instant, n: u64) {
        let Some(per_minute) = self.per_minute else { return };
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        self.free_at = Some(self.free_at.max(Some(now)).unwrap_or(now) + MINUTE * n / per_minute.get());
    }
}
