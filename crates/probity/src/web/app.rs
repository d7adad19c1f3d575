//! What every handler shares: the room, the pages, where they are, and the clock; and who asks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use minijinja::Value;
use probity_core::promote::Contract;
use probity_engine::ledger::StoreError;
use probity_engine::review::{Person, ReviewRoom};
use tokio::sync::Semaphore;

use super::address::ServerAddress;
use super::door::ClientAddress;
use super::home::HomeCache;
use super::listen::Patience;
use super::metrics::Traffic;
use super::pages::Pages;
use super::reach::Proxies;
use super::refusal::{PageResult, Refusal};
use super::shelf::{RunSource, Shelf};

/// What every handler shares.
pub(super) type App = Arc<AppState>;

/// Where the pages are, and who is believed about where requests come from.
pub(super) struct ServerPlace {
    /// Where the pages are.
    pub(super) address: ServerAddress,
    /// Proxies that are believed.
    pub(super) proxies: Proxies,
}

/// What every handler shares.
pub(super) struct AppState {
    /// The store's part that people write.
    pub(super) room: Arc<ReviewRoom>,
    /// Where the pages are.
    pub(super) address: ServerAddress,
    /// Proxies that are believed.
    pub(super) proxies: Proxies,
    /// What was answered since the start.
    pub(super) traffic: Traffic,
    /// The runs that are shown.
    pub(super) shelf: Shelf,
    /// What the first page showed last.
    pub(super) home: HomeCache,
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
}

impl AppState {
    pub(super) fn new(
        room: Arc<ReviewRoom>,
        source: RunSource,
        ServerPlace { address, proxies }: ServerPlace,
        contract: Option<Contract>,
        patience: Patience,
    ) -> AppState {
        let pages = Pages::new(matches!(source, RunSource::File(_)));
        AppState {
            room,
            address,
            proxies,
            traffic: Traffic::default(),
            shelf: Shelf::new(source),
            home: HomeCache::default(),
            pages,
            contract,
            wrong_tokens: Throttle::default(),
            computing: Semaphore::new(1),
            patience,
        }
    }

    /// Reads from the store, away from the threads that answer requests.
    pub(super) async fn read<T, F>(self: &Arc<Self>, work: F) -> Result<T, Refusal>
    where
        T: Send + 'static,
        F: FnOnce(&ReviewRoom) -> Result<T, StoreError> + Send + 'static,
    {
        let room = Arc::clone(&self.room);
        let read = tokio::task::spawn_blocking(move || work(&room)).await;
        Ok(read.map_err(|_| Refusal::broken())??)
    }
}

/// A request by a person who came in.
pub(super) struct Visit {
    /// What every handler shares.
    pub(super) app: App,
    /// Who asks.
    pub(super) person: Person,
    /// From where.
    pub(super) client: ClientAddress,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Refusal;

    /// The guard has put the person into the request.
    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Visit, Refusal> {
        let person = parts.extensions.get::<Person>().cloned().ok_or_else(Refusal::broken)?;
        let client = parts.extensions.get::<ClientAddress>().copied().ok_or_else(Refusal::broken)?;
        Ok(Visit { app: App::clone(app), person, client })
    }
}

impl Visit {
    /// A page for this person.
    pub(super) fn page(&self, template: &str, title: &str, view: Value) -> PageResult {
        self.app.pages.page(Some(&self.person), template, title, view)
    }

    /// A page for this person of what `command` came to.
    pub(super) fn viewer(&self, template: &str, title: &str, command: &str, view: Value) -> PageResult {
        self.app.pages.viewer(&self.person, (template, title, command), view)
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
    /// Wrong tokens within a minute, by all clients together.
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
