//! What servers told of their models, in a list of them or in an error, kept for later runs: when a model ends, and how
//! many tokens it reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use probity_core::case::Moment;

use super::asking::Asking;
use crate::config::ChatSettings;
use crate::config::models::{Model, ServerModel};
use crate::ledger::{Reader, Store, StoreError};

fn end_note(chat: &ChatSettings) -> String {
    format!("model_end:{}:{}", chat.base_url, chat.model)
}

fn context_note(chat: &ChatSettings) -> String {
    format!("model_context:{}:{}", chat.base_url, chat.model)
}

/// Keeps what the server of `chat` told of its models.
pub fn keep_models(store: &Store, chat: &ChatSettings, models: &[ServerModel]) -> Result<(), StoreError> {
    for ServerModel { id, ends, context } in models {
        let chat = ChatSettings { model: id.clone(), ..chat.clone() };
        if let Some(ends) = ends {
            store.note(&end_note(&chat), &ends.to_string())?;
        }
        if let Some(context) = context {
            keep_context(store, &chat, *context)?;
        }
    }
    Ok(())
}

/// When the model of `asking` ends: as its server told `probity models`, or as the list of models says. A server on
/// this machine has no end but its own.
pub fn model_end(asking: &Asking, reader: &Reader) -> Result<Option<Moment>, StoreError> {
    let Some(chat) = asking.judge.chat() else { return Ok(None) };
    let told = reader.noted(&end_note(chat))?.and_then(|text| text.parse().ok());
    let listed = || Model::named(&chat.model).filter(|_| !chat.base_url.is_loopback())?.ends;
    Ok(told.or_else(listed))
}

/// How many tokens the model of a judge reads: what the store knows, and what is learned while it is asked.
pub(super) struct Context<'a> {
    chat: Option<&'a ChatSettings>,
    known: u32,
    /// 0 where its server has not told.
    pub(super) learned: Arc<AtomicU32>,
}

impl<'a> Context<'a> {
    /// What `store` knows, after it has been told what the server said before the run.
    pub(super) fn of(chat: Option<&'a ChatSettings>, store: &Store) -> Result<Context<'a>, StoreError> {
        if let Some((chat, told)) = chat.and_then(|chat| Some((chat, chat.told.as_ref()?))) {
            keep_models(store, chat, std::slice::from_ref(told))?;
        }
        let noted = chat.map(|chat| store.noted(&context_note(chat))).transpose()?.flatten();
        let known = noted.and_then(|text| text.parse().ok()).unwrap_or(0);
        Ok(Context { chat, known, learned: Arc::new(known.into()) })
    }

    /// Keeps what was learned.
    pub(super) fn keep(&self, store: &Store) -> Result<(), StoreError> {
        let learned = self.learned.load(Ordering::Relaxed);
        match self.chat.filter(|_| learned != self.known) {
            Some(chat) => keep_context(store, chat, learned),
            None => Ok(()),
        }
    }
}

fn keep_context(store: &Store, chat: &ChatSettings, tokens: u32) -> Result<(), StoreError> {
    store.note(&context_note(chat), &tokens.to_string())
}
