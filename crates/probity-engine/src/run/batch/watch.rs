//! Waiting for hosts, with a line whenever something has moved.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use super::super::Session;
use crate::config::BatchSettings;
use crate::judge::batch::BatchClient;

/// The first and the longest pause where no settings were heard of.
const PAUSES: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(5));

/// The batches that a command waits for.
#[derive(Debug, Default)]
pub struct BatchWatch {
    state: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    batches: Vec<WatchedBatch>,
    /// Whether something was waited for.
    has_waited: bool,
    pause: Duration,
    /// The first and the longest pause.
    pauses: Option<(Duration, Duration)>,
    /// What was said last, so that it is not said again.
    said: Vec<String>,
}

#[derive(Debug)]
struct WatchedBatch {
    client: Arc<BatchClient>,
    /// The host's name of it; `None` while it is searched for.
    provider_id: Option<String>,
    n_requests: u64,
}

/// How waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// There is something to look after.
    Moved,
    /// There is nothing to wait for.
    Nothing,
    /// The user asked to stop. The batches go on.
    Interrupted,
}

impl BatchWatch {
    fn state(&self) -> MutexGuard<'_, Watched> {
        self.state.lock().expect("no thread panics while it holds the batches")
    }

    /// A batch is to be waited for.
    pub(super) fn add(&self, client: &Arc<BatchClient>, provider_id: Option<&str>, n_requests: u64) {
        let provider_id = provider_id.map(str::to_owned);
        self.state().batches.push(WatchedBatch { client: Arc::clone(client), provider_id, n_requests });
    }

    /// Says `line` unless it was said before.
    pub(super) fn say(&self, session: &Session<'_>, line: &str) {
        let is_new = {
            let mut state = self.state();
            let is_new = state.said.iter().all(|said| said != line);
            if is_new {
                state.said.push(line.to_owned());
            }
            is_new
        };
        if is_new {
            session.observer.notice(line);
        }
    }

    /// Takes in how long to wait, and says whether this is the first pass of the command.
    pub(super) fn begin_pass(&self, settings: BatchSettings) -> bool {
        let mut state = self.state();
        state.pauses.replace((settings.poll_first, settings.poll_max)).is_none()
    }

    /// Something is sent. It is young, so it is asked about soon again.
    pub(super) fn sent(&self) {
        self.state().pause = Duration::ZERO;
    }

    /// Whether nothing was waited for yet in this command.
    pub(super) fn is_fresh(&self) -> bool {
        !self.state().has_waited
    }

    /// Waits until a batch has ended or a search is due. The next pass says anew what there is to wait for.
    pub async fn wait(&self, session: &Session<'_>) -> Waited {
        let batches = std::mem::take(&mut self.state().batches);
        if batches.is_empty() {
            return Waited::Nothing;
        }
        self.state().has_waited = true;
        let mut interrupted = session.mode.interrupted.clone();
        loop {
            let pause = self.next_pause();
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = interrupted.wait_for(|interrupted| *interrupted) => return Waited::Interrupted,
            }
            let mut has_moved = false;
            for WatchedBatch { client, provider_id, n_requests } in &batches {
                let Some(id) = provider_id else {
                    has_moved = true;
                    continue;
                };
                // What a poll that failed means is the next pass's business.
                let Ok(status) = client.poll(id).await.inspect_err(|no_reply| {
                    has_moved |= no_reply.status().is_some_and(|status| status != 429);
                }) else {
                    continue;
                };
                has_moved |= status.is_final();
                let run = status.n_run.filter(|n| *n > 0).map(|n| format!(", {n} of {n_requests} run"));
                let line = format!("batch {id}: {}{}", status.word, run.unwrap_or_default());
                self.say(session, &line);
            }
            if has_moved {
                return Waited::Moved;
            }
        }
    }

    /// The next pause: it grows from the first to the longest.
    fn next_pause(&self) -> Duration {
        let mut state = self.state();
        let (first, longest) = state.pauses.unwrap_or(PAUSES);
        state.pause = state.pause.mul_f64(1.5).clamp(first, longest);
        state.pause
    }
}
