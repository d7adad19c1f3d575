//! How often and for how long a packet has been tried, and whether that is enough.

use std::time::Duration;

use tokio::time::Instant;

use crate::config::ScheduleSettings;

/// Times a packet may be put off for each attempt it has. A full lane is not the packet's fault.
const WAITS_PER_ATTEMPT: u32 = 4;

/// What a further call counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CountsAs {
    /// As one of the packet's attempts: something broke.
    Retry,
    /// As a wait: the server put the packet off.
    Wait,
    /// As the one further question that an unusable answer is worth.
    Reask,
    /// As the one further chance that a damaged body gets.
    BodyRetry,
}

/// How often a packet has been asked about, by reason.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// Calls recorded for the packet, those of earlier processes included.
    pub(super) calls: u32,
    /// Retries so far.
    pub(super) retries: u32,
    /// Waits so far.
    pub(super) waits: u32,
    /// Further questions so far.
    pub(super) reasks: u32,
    /// Further chances for a damaged body so far.
    pub(super) body_retries: u32,
    deadline: Option<Instant>,
}

impl Tries {
    /// Counts a further call after `rest`. `None` when that is one too many, or too late.
    pub(super) fn again(
        &mut self,
        counts: CountsAs,
        rest: Duration,
        settings: &ScheduleSettings,
    ) -> Option<Duration> {
        let (count, max) = match counts {
            CountsAs::Retry => (&mut self.retries, settings.attempts_max),
            CountsAs::Wait => (&mut self.waits, settings.attempts_max.saturating_mul(WAITS_PER_ATTEMPT)),
            CountsAs::Reask => (&mut self.reasks, 2),
            CountsAs::BodyRetry => (&mut self.body_retries, 2),
        };
        *count += 1;
        let is_in_time = self.deadline.is_none_or(|deadline| Instant::now() + rest < deadline);
        (*count < max && is_in_time).then_some(rest)
    }

    /// Starts the packet's clock with its first call. Before that its waits cost nothing.
    pub(super) fn start(&mut self, settings: &ScheduleSettings) {
        self.calls += 1;
        self.deadline.get_or_insert_with(|| Instant::now() + settings.packet_max);
    }

    /// When the packet is given up whatever it waits for, once it has been asked about.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

/// Exponential back-off with full jitter, after `earlier` others.
pub(super) fn backoff(settings: &ScheduleSettings, earlier: u32) -> Duration {
    backoff_max(settings, earlier).mul_f64(rand::random::<f64>())
}

fn backoff_max(settings: &ScheduleSettings, earlier: u32) -> Duration {
    let factor = 2_u32.checked_pow(earlier).unwrap_or(u32::MAX);
    settings.backoff_first.saturating_mul(factor).min(settings.backoff_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> ScheduleSettings {
        crate::schedule::fixture::settings(1)
    }

    /// The calls that a packet gets if every one of them ends in `counts`.
    #[track_caller]
    fn check(counts: CountsAs, want: u32) {
        let mut tries = Tries::default();
        loop {
            tries.start(&settings());
            if tries.again(counts, Duration::ZERO, &settings()).is_none() {
                break;
            }
        }
        assert_eq!(tries.calls, want);
    }

    #[tokio::test(start_paused = true)]
    async fn every_kind_of_call_has_a_bound() {
        check(CountsAs::Retry, 5);
        check(CountsAs::Wait, 20);
        check(CountsAs::Reask, 2);
        check(CountsAs::BodyRetry, 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_packet_has_no_endless_time() {
        let mut tries = Tries::default();
        assert_eq!(tries.deadline(), None, "waiting for a first call costs nothing");
        tries.start(&settings());
        tokio::time::advance(Duration::from_mins(34)).await;
        assert!(tries.again(CountsAs::Wait, Duration::from_secs(59), &settings()).is_some());
        tries.start(&settings());
        assert!(tries.again(CountsAs::Wait, Duration::from_mins(1), &settings()).is_none());
    }

    #[test]
    fn f07_backing_off_doubles_up_to_a_minute_and_is_drawn_below_that() {
        let most: Vec<u64> =
            (0..9).map(|n| backoff_max(&settings(), n).as_millis().try_into().expect("short")).collect();
        assert_eq!(most, [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000]);
        assert_eq!(backoff_max(&settings(), 1000), Duration::from_mins(1));
        let drawn: Vec<Duration> = (0..200).map(|_| backoff(&settings(), 1)).collect();
        let (least, most) = (drawn.iter().min().expect("some"), drawn.iter().max().expect("some"));
        assert!(*least < Duration::from_millis(250) && *most > Duration::from_millis(750));
        assert!(*most <= Duration::from_secs(1));
    }
}
