//! A key that a program writes, for tokens that live for an hour.

use std::process::Stdio;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use reqwest::header::HeaderName;

use super::TransportFault;
use super::command::prepared;
use super::key::ApiKey;
use crate::config::CommandSettings;

/// How long the program may take.
const TIME_MAX: Duration = Duration::from_mins(1);

/// Keys that are remembered, to be taken out of what comes back.
const KEYS_MAX: usize = 8;

/// A program that writes keys, and those it has written.
#[derive(Debug)]
pub(super) struct KeyCommand {
    pub(super) command: CommandSettings,
    pub(super) lifetime: Duration,
    /// The header that carries the key, and what stands before the key in it.
    pub(super) header: (HeaderName, String),
    /// Whose turn it is to fetch a key.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// The newest last.
    pub(super) keys: Mutex<Vec<(ApiKey, Instant)>>,
}

impl KeyCommand {
    /// The key to use: the newest while it lives and is not the `refused` one, else a new one. Calls wait for it
    /// together.
    pub(super) async fn key(&self, refused: Option<&ApiKey>) -> Result<ApiKey, TransportFault> {
        let _turn = self.turn.lock().await;
        if let Some((key, since)) = self.keys().last()
            && since.elapsed() < self.lifetime
            && refused.is_none_or(|refused| !refused.is(key))
        {
            return Ok(key.clone());
        }
        let key = self
            .fetched()
            .await
            .map_err(|why| TransportFault::ProgramGone(format!("api_key_command: {why}")))?;
        let mut keys = self.keys();
        keys.push((key.clone(), Instant::now()));
        let n_old = keys.len().saturating_sub(KEYS_MAX);
        keys.drain(..n_old);
        Ok(key)
    }

    async fn fetched(&self) -> Result<ApiKey, String> {
        let mut program = prepared(&self.command).map_err(|error| error.to_string())?;
        let output = tokio::time::timeout(TIME_MAX, program.stdin(Stdio::null()).output());
        let output =
            output.await.map_err(|_| "it took longer than a minute")?.map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("it ended with {}", output.status));
        }
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        ApiKey::from_env_value("", Some(text)).map_err(|bad| format!("its output {}", bad.problem))
    }

    /// `text` without any of the keys.
    pub(super) fn cleaned(&self, text: String) -> String {
        self.keys().iter().fold(text, |text, (key, _)| key.scrub_text(text))
    }

    fn keys(&self) -> MutexGuard<'_, Vec<(ApiKey, Instant)>> {
        self.keys.lock().expect("no thread panics while it holds the keys")
    }
}
