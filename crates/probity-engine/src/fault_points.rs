//! Places at which a test can end the process, as `kill -9` would.
//!
//! A crash is harmless only if it is harmless everywhere, and a timer seldom hits the instant between a
//! commit and the word of it. So the instants that matter have names. In a build with debug assertions,
//! `PROBITY_FAULT_POINT=name:n` makes the process end at the n-th time the named point is reached, by a signal
//! that nothing can catch. In a release [`reach`] is empty and no variable is read. Nothing here makes a call or a write fail: faulty judges and faulty disks are
//! made outside the process.

/// A place in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// The attempt is on disk; nothing was sent.
    BeforeSend,
    /// The whole answer, or the failure, has arrived; nothing of it was written.
    AfterBody,
    /// The statements of a transaction are done; it is not committed.
    BeforeCommit,
    /// A transaction is on disk; no caller was told.
    AfterCommit,
    /// Everything is written; the write-ahead log is not checkpointed.
    BeforeCheckpoint,
    /// Some rows of the results are written, others are not.
    DuringResults,
    /// The results are written and on disk, under another name.
    BeforeRename,
    /// A batch and its calls are on disk; nothing was sent.
    BatchReserved,
    /// The requests of a batch are at its host; nothing says so on disk.
    BatchUploaded,
    /// It is on disk that a batch is being made; it was not ordered.
    BatchCreating,
    /// The host has made a batch; nothing says so on disk.
    BatchCreated,
    /// A line of results has arrived; nothing of it was written.
    BatchLine,
    /// All lines of a batch are on disk; that it has ended is not.
    BatchRead,
}

/// Every point with the name it is chosen by.
pub const POINTS: &[(Point, &str)] = &[
    (Point::BeforeSend, "before_send"),
    (Point::AfterBody, "after_body"),
    (Point::BeforeCommit, "before_commit"),
    (Point::AfterCommit, "after_commit"),
    (Point::BeforeCheckpoint, "before_checkpoint"),
    (Point::DuringResults, "during_results"),
    (Point::BeforeRename, "before_rename"),
];

/// Every further point of a run by batches.
pub const BATCH_POINTS: &[(Point, &str)] = &[
    (Point::BatchReserved, "batch_reserved"),
    (Point::BatchUploaded, "batch_uploaded"),
    (Point::BatchCreating, "batch_creating"),
    (Point::BatchCreated, "batch_created"),
    (Point::BatchLine, "batch_line"),
    (Point::BatchRead, "batch_read"),
];

/// Says that the program has come to `point`. Does not return if a test chose this time to end it.
#[cfg(debug_assertions)]
pub fn reach(point: Point) {
    armed::reach(point);
}

/// Does nothing in a release.
#[cfg(not(debug_assertions))]
#[inline]
pub fn reach(_point: Point) {}

#[cfg(debug_assertions)]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{BATCH_POINTS, POINTS, Point};
    use crate::platform::kill_itself;

    /// Names the point and the number of its turn.
    const VARIABLE: &str = "PROBITY_FAULT_POINT";

    struct PlannedFault {
        point: Point,
        turns_left: AtomicU64,
    }

    pub(super) fn reach(point: Point) {
        static FAULT: OnceLock<Option<PlannedFault>> = OnceLock::new();
        let fault = FAULT.get_or_init(|| std::env::var(VARIABLE).ok().map(|text| chosen(&text)));
        let Some(fault) = fault.as_ref().filter(|fault| fault.point == point) else { return };
        // Threads that come later find the count below zero, wrapped, and pass.
        if fault.turns_left.fetch_sub(1, Ordering::SeqCst) == 1 {
            kill_itself();
        }
    }

    fn chosen(text: &str) -> PlannedFault {
        let fault = text.split_once(':').and_then(|(name, turn)| {
            let (point, _) = POINTS.iter().chain(BATCH_POINTS).find(|(_, known)| *known == name)?;
            Some(PlannedFault { point: *point, turns_left: AtomicU64::new(turn.parse().ok()?) })
        });
        fault.unwrap_or_else(|| panic!("{VARIABLE}: expected name:n with a name of POINTS, found {text:?}"))
    }
}
