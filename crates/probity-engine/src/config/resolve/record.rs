//! The settings of the store, and of batches, whose state it keeps.

use std::num::NonZeroU64;
use std::time::Duration;

use super::{CLOCK_MS_MAX, Resolving, given};
use crate::config::layer::{BatchLayer, StoreLayer};
use crate::config::{BatchSettings, StoreSettings};

/// The longest lease of a worker, one hour.
const LEASE_SECONDS_MAX: u32 = 3600;

impl Resolving {
    pub(super) fn store(&mut self, layer: StoreLayer) -> StoreSettings {
        let (texts, lease_seconds) = (given(layer.texts), given(layer.lease_seconds));
        if !(1..=LEASE_SECONDS_MAX).contains(&lease_seconds) {
            let message = format!("expected 1 to {LEASE_SECONDS_MAX} seconds, found {lease_seconds}");
            self.problem("store.lease_seconds", message, None);
        }
        let lease = Duration::from_secs(lease_seconds.into());
        StoreSettings { texts, password_command: layer.password_command, lease }
    }

    pub(super) fn batch(&mut self, layer: &BatchLayer) -> BatchSettings {
        let time = |value: Option<NonZeroU64>| Duration::from_millis(given(value).get().min(CLOCK_MS_MAX));
        let (poll_first, poll_max) = (time(layer.poll_ms_first), time(layer.poll_ms_max));
        if poll_first > poll_max {
            let message = format!("expected at most batch.poll_ms_max, {} ms", poll_max.as_millis());
            self.problem("batch.poll_ms_first", message, None);
        }
        BatchSettings {
            requests_max: given(layer.requests_max).get() as usize,
            bytes_max: given(layer.bytes_max).get() as usize,
            poll_first,
            poll_max,
            search: time(layer.search_ms),
        }
    }
}
