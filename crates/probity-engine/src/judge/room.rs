//! Memory for answers that are on their way or wait for the disk.
//!
//! Answers are small; thousands of them fit. One that grows beyond [`SMALL_BYTES_MAX`] has to have a room
//! first, and there are only so many rooms, so neither a server that floods every call nor a slow disk can
//! make the program hold more than a bounded amount. A room is taken once per body and is enough for the
//! largest one, so two bodies never wait for each other.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A body up to this size needs no room. Of one that is larger than its cap, this much is kept as evidence.
pub(super) const SMALL_BYTES_MAX: usize = 64 << 10;

/// What all rooms hold together, unless a single body may be larger than that.
const LARGE_BYTES_MAX: usize = 128 << 20;

/// The rooms of one client.
#[derive(Debug, Clone)]
pub(super) struct Rooms(Arc<Semaphore>);

impl Rooms {
    /// Rooms for bodies of at most `body_bytes_max`.
    pub(super) fn new(body_bytes_max: usize) -> Rooms {
        let n_rooms = (LARGE_BYTES_MAX / body_bytes_max.max(SMALL_BYTES_MAX)).max(1);
        Rooms(Arc::new(Semaphore::new(n_rooms)))
    }

    /// Waits for a room.
    pub(super) async fn take(&self) -> AnswerRoom {
        let permit = Arc::clone(&self.0).acquire_owned().await.expect("the semaphore is never closed");
        AnswerRoom(Some(Arc::new(permit)))
    }
}

/// The room of a large body, or none for a small one. It is free again when every copy is dropped.
#[derive(Debug, Clone, Default)]
pub struct AnswerRoom(Option<Arc<OwnedSemaphorePermit>>);

impl AnswerRoom {
    /// Whether a body of `n_bytes` has to wait for a room first.
    pub(super) fn is_needed(&self, n_bytes: usize) -> bool {
        self.0.is_none() && n_bytes > SMALL_BYTES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g12_rooms_hold_a_bounded_amount() {
        for (body_bytes_max, n_rooms) in [(1 << 20, 128), (1 << 10, 2048), (1 << 30, 1)] {
            assert_eq!(Rooms::new(body_bytes_max).0.available_permits(), n_rooms, "{body_bytes_max}");
        }
    }

    #[tokio::test]
    async fn g12_a_room_is_free_when_its_last_copy_is_gone() {
        let rooms = Rooms::new(LARGE_BYTES_MAX);
        assert!(
            !AnswerRoom::default().is_needed(SMALL_BYTES_MAX)
                && AnswerRoom::default().is_needed(SMALL_BYTES_MAX + 1)
        );
        let room = rooms.take().await;
        assert!(!room.is_needed(usize::MAX));
        let copy = room.clone();
        drop(room);
        assert_eq!(rooms.0.available_permits(), 0);
        drop(copy);
        assert_eq!(rooms.0.available_permits(), 1);
    }
}
