//! How long this thread took, on a machine that has other things to do as well.

use std::time::{Duration, Instant};

/// A moment to measure from.
pub(crate) struct Clock {
    wall: Instant,
    on_processor: Option<Duration>,
}

/// What went by since then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elapsed {
    /// The time that this thread was on a processor, where the kernel tells it; else the time on the wall.
    pub(crate) on_processor: Duration,
    /// The time on the wall.
    pub(crate) wall: Duration,
}

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock { wall: Instant::now(), on_processor: on_processor() }
    }

    pub(crate) fn elapsed(&self) -> Elapsed {
        let wall = self.wall.elapsed();
        let on_processor = match (self.on_processor, on_processor()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => wall,
        };
        Elapsed { on_processor, wall }
    }
}

/// The first number of a thread's `schedstat` is the time that it ran, in nanoseconds.
fn on_processor() -> Option<Duration> {
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ran: u64 = text.split_whitespace().next()?.parse().ok()?;
    (ran > 0).then(|| Duration::from_nanos(ran))
}
