//! What every handler shares: the room, the pages, the names the server answers to, and the clock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use probity_core::promote::Contract;
use probity_engine::review::{QueueId, Room};
use probity_engine::store::StoreError;
use tokio::sync::Semaphore;

use super::door::Names;
use super::listen::Patience;
use super::pages::Pages;
use super::refusal::Refusal;

/// What every handler shares.
pub(super) type App = Arc<Shared>;

/// What every handler shares.
pub(super) struct Shared {
    /// The store's part that people write.
    pub(super) room: Arc<Room>,
    /// The names the server answers to.
    pub(super) names: Names,
    /// The port it listens on.
    pub(super) port: u16,
    /// The templates.
    pub(super) pages: Pages,
    /// What labels are counted against, where a contract was given.
    pub(super) contract: Option<Contract>,
    /// How often a wrong token was sent lately.
    pub(super) wrong_tokens: Throttle,
    /// Figures that are computed at a time; each takes a processor for a while.
    pub(super) computing: Semaphore,
    /// How long requests may take.
    pub(super) patience: Patience,
    names_of_queues: Mutex<HashMap<QueueId, String>>,
}

impl Shared {
    pub(super) fn new(room: Arc<Room>, port: u16, contract: Option<Contract>, patience: Patience) -> Shared {
        let (names, pages, wrong_tokens) = (Names::new(port), Pages::new(), Throttle::default());
        let (computing, names_of_queues) = (Semaphore::new(1), Mutex::default());
        Shared { room, names, port, pages, contract, wrong_tokens, computing, patience, names_of_queues }
    }

    /// Reads from the store, away from the threads that answer requests.
    pub(super) async fn read<T, F>(self: &Arc<Self>, work: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce(&Room) -> Result<T, StoreError> + Send + 'static,
    {
        let room = Arc::clone(&self.room);
        let read = tokio::task::spawn_blocking(move || work(&room)).await;
        Ok(read.map_err(|_| Refusal::broken())??)
    }
}

impl Shared {
    /// The name of a queue. A queue keeps its name, and counting its items for it would cost more than the page.
    pub(super) async fn queue_name(self: &Arc<Self>, queue: QueueId) -> Result<String, Refusal> {
        let known = |names: &Mutex<HashMap<QueueId, String>>| {
            names.lock().unwrap_or_else(PoisonError::into_inner).get(&queue).cloned()
        };
        if let Some(name) = known(&self.names_of_queues) {
            return Ok(name);
        }
        let found = self.read(move |room| room.queue(queue)).await?.ok_or_else(Refusal::not_found)?;
        let mut names = self.names_of_queues.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(names.entry(queue).or_insert(found.name).clone())
    }
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_secs()).unwrap_or(i64::MAX)
}

/// Counts what went wrong within a minute.
#[derive(Debug, Default)]
pub(super) struct Throttle(Mutex<(i64, u32)>);

impl Throttle {
    /// Wrong tokens within a minute, by everybody together.
    const MAX: u32 = 20;

    /// Whether one more may be tried.
    pub(super) fn is_open(&self, now: i64) -> bool {
        let (minute, n) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        minute != now / 60 || n < Throttle::MAX
    }

    /// Counts one.
    pub(super) fn count(&self, now: i64) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.0 != now / 60 {
            *counted = (now / 60, 0);
        }
        counted.1 += 1;
    }
}
