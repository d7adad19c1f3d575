//! Looking after the batches on record: each is found, followed and read as far as its host allows.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::Session;
use super::{BatchWatch, Batching, unix_ms};
use crate::dialect::BatchForm;
use crate::fault_points::{self, Point};
use crate::judge::Judge;
use crate::judge::batch::{BatchClient, BatchFailure, BatchStage, BatchStatus, NoHostReply};
use crate::ledger::{BatchFacts, BatchRecord, BatchState, StoreError};
use crate::schedule::batched::LineConclusion;
use crate::schedule::desk::Desk;
use crate::schedule::lane::Stop;

/// How far back batches are looked for that are not on record: three days.
const STRAY_SECONDS: i64 = 3 * 86_400;

/// Under which name it is kept that a batch which is not on record is known to a person.
pub(super) fn stray_note(id: &str) -> String {
    format!("stray batch:{id}")
}

/// Looks after the batches of one judge.
pub(super) struct BatchCollector<'a> {
    pub(super) desk: &'a Arc<Desk<Judge>>,
    pub(super) client: &'a Arc<BatchClient>,
    pub(super) watch: &'a Arc<BatchWatch>,
    pub(super) session: &'a Session<'a>,
    pub(super) batching: &'a Batching,
}

/// What looking after batches came to.
#[derive(Debug, Default)]
pub(super) struct CollectedLines {
    /// Whether packets are open or answered that were neither before.
    pub(super) has_changed: bool,
    /// Whole answers.
    pub(super) n_answered: u64,
    /// Why nothing more is to be sent.
    pub(super) stop: Option<Stop>,
}

impl BatchCollector<'_> {
    /// Looks after every batch on record once.
    pub(super) async fn collect(&self) -> Result<CollectedLines, StoreError> {
        let mut collected = CollectedLines::default();
        if self.watch.begin_pass(self.batching.settings) {
            collected.stop = self.stray().await?;
        }
        let account = self.client.account(&self.batching.store_name);
        let address = |account: &str| account.split(' ').next().unwrap_or_default().to_owned();
        for batch in &self.batching.open {
            if batch.facts.is_exported() {
                continue;
            }
            if address(&batch.account) != address(&account) {
                let line = format!("batch {} was made at {}", batch.name(), address(&batch.account));
                self.watch.say(self.session, &line);
                continue;
            }
            match batch.state {
                BatchState::Reserved => {
                    self.forget(batch).await?;
                    collected.has_changed = true;
                }
                BatchState::Creating => self.find(batch, &mut collected).await?,
                BatchState::Running => self.follow(batch, &account, &mut collected).await?,
                BatchState::Undecided | BatchState::Ended => {}
            }
        }
        Ok(collected)
    }

    /// A batch that was made from this store and is not on its record: the store was copied, or restored from a backup. What
    /// is in it must not be asked again unseen.
    async fn stray(&self) -> Result<Option<Stop>, StoreError> {
        if self.client.form() != BatchForm::Files {
            return Ok(None);
        }
        let prefix = format!("probity-{}-", self.batching.store_name);
        let Ok(listed) = self.client.list(unix_ms() / 1000 - STRAY_SECONDS).await else { return Ok(None) };
        let reader = self.desk.store.reader()?;
        let known: HashSet<String> = reader.batches()?.into_iter().map(|batch| batch.tag).collect();
        let is_stray = |status: &&BatchStatus| {
            let tag = status.tag.as_deref().filter(|tag| tag.starts_with(&prefix));
            status.stage != BatchStage::Failed && tag.is_some_and(|tag| !known.contains(tag))
        };
        for status in listed.iter().filter(is_stray) {
            if reader.noted(&stray_note(&status.id))?.is_none() {
                return Ok(Some(Stop::InBatch(format!(
                    "batch {0} was made from this store and is not on its record, as in a copy or a backup; \
                     `probity batch cancel {0} --release` says that its requests may be asked again",
                    status.id
                ))));
            }
        }
        Ok(None)
    }

    /// Takes a batch back that its host was never asked to make.
    async fn forget(&self, batch: &BatchRecord) -> Result<(), StoreError> {
        self.desk.store.withdraw_batch(batch.id).await?;
        // A file that was uploaded for it holds texts of customers; nothing is lost if it stays.
        if let Ok(Some(file)) = self.client.find_file(&batch.tag).await {
            let _stays = self.client.delete_file(&file).await;
        }
        Ok(())
    }

    /// Asks how far a batch is, and reads it when it has ended.
    async fn follow(
        &self,
        batch: &BatchRecord,
        account: &str,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let Some(id) = &batch.provider_id else { return Ok(()) };
        match self.client.poll(id).await {
            Ok(status) => self.take_status(batch, &status, collected).await,
            Err(no_reply) => {
                let stop = |why: String| Some(Stop::Refused(why));
                match no_reply.status() {
                    Some(401 | 403) => {
                        collected.stop = stop(format!("batch {id}: {}", no_reply.message()));
                    }
                    Some(404 | 410) if batch.account != account => {
                        let why = format!(
                            "batch {id} is not visible with this key; ask with the key that it was made with"
                        );
                        collected.stop = stop(why);
                    }
                    Some(404 | 410) => {
                        let why = "its host no longer knows it; its requests may have been billed";
                        self.undecided(batch, why).await?;
                    }
                    _ => {
                        self.say(&format!("batch {id}: no news ({})", no_reply.message()));
                        self.watch.add(self.client, Some(id), batch.facts.n_requests);
                    }
                }
                Ok(())
            }
        }
    }

    /// Takes in how far a batch is.
    pub(super) async fn take_status(
        &self,
        batch: &BatchRecord,
        status: &BatchStatus,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let facts = BatchFacts {
            word: status.word.clone(),
            n_run: status.n_run,
            created_unix: status.created_unix.or(batch.facts.created_unix),
            expires_unix: status.expires_unix.or(batch.facts.expires_unix),
            ..batch.facts.clone()
        };
        let batch = &BatchRecord { facts, ..batch.clone() };
        self.note(batch, BatchState::Running).await?;
        match status.stage {
            BatchStage::Ended => self.read(batch, status, collected).await,
            BatchStage::Failed => self.failed(batch, status, collected).await,
            BatchStage::Pending | BatchStage::Cancelling | BatchStage::Unknown => {
                if status.stage == BatchStage::Unknown {
                    let word = &status.word;
                    self.say(&format!("batch {}: unknown state {word:?}; waiting", status.id));
                }
                let late = batch.facts.expires_unix.is_some_and(|at| unix_ms() / 1000 > at);
                if late {
                    self.say(&format!(
                        "batch {0}: it is past its deadline and its host has not ended it; `probity batch cancel {0}` does",
                        status.id
                    ));
                }
                self.watch.add(self.client, Some(&status.id), batch.facts.n_requests);
                Ok(())
            }
        }
    }

    /// A batch that never began: nothing is billed, and its packets are open again.
    async fn failed(
        &self,
        batch: &BatchRecord,
        status: &BatchStatus,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let failure = status.failures.first();
        let why = failure.map_or("it does not say why".to_owned(), |failure| {
            let line = failure.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            format!("{line}{}", failure.message)
        });
        let first = |failure: &BatchFailure| (failure.code.clone(), failure.line);
        match failure.map(first) {
            Some((code, _)) if code == "token_limit_exceeded" => {
                self.batching.halve(&self.desk.store, batch.facts.n_requests)?;
                self.say(&format!("batch {} failed: {why}; asking with smaller ones", status.id));
            }
            None if self.n_failed(batch)? == 0 => {
                self.say(&format!("batch {} failed: {why}; trying once more", status.id));
            }
            _ => collected.stop = Some(Stop::Refused(format!("batch {} failed: {why}", status.id))),
        }
        let calls = self.desk.store.reader()?.batch_calls(batch.id)?;
        for call in calls.iter().filter(|call| call.is_in_flight) {
            let end = LineConclusion::not_run("batch_failed").end;
            self.desk.store.conclude(call.attempt, end, None).await?;
        }
        collected.has_changed = true;
        self.end(batch, &format!("failed: {why}")).await
    }

    /// Batches of the same run that failed before.
    fn n_failed(&self, batch: &BatchRecord) -> Result<usize, StoreError> {
        let batches = self.desk.store.reader()?.batches()?;
        let has_failed =
            |other: &&BatchRecord| other.run == batch.run && other.facts.detail.starts_with("failed");
        Ok(batches.iter().filter(has_failed).count())
    }

    /// Says that it cannot be found out what became of a batch. Only a person opens its packets again.
    pub(super) async fn undecided(&self, batch: &BatchRecord, why: &str) -> Result<(), StoreError> {
        self.say(&format!(
            "batch {0}: {why}; `probity batch cancel {0} --release` opens its packets",
            batch.name()
        ));
        let facts = BatchFacts { detail: why.to_owned(), ..batch.facts.clone() };
        self.note(&BatchRecord { facts, ..batch.clone() }, BatchState::Undecided).await
    }

    /// Ends a batch whose calls have all ended. Its file of requests goes.
    pub(super) async fn end(&self, batch: &BatchRecord, detail: &str) -> Result<(), StoreError> {
        fault_points::reach(Point::BatchRead);
        let facts = BatchFacts { detail: detail.to_owned(), ..batch.facts.clone() };
        self.note(&BatchRecord { facts, ..batch.clone() }, BatchState::Ended).await?;
        if let Some(file) = &batch.facts.file {
            // It holds texts of customers; nothing is lost if it stays.
            let _stays = self.client.delete_file(file).await;
        }
        Ok(())
    }

    pub(super) async fn note(&self, batch: &BatchRecord, state: BatchState) -> Result<(), StoreError> {
        let as_known = (state, batch.provider_id.as_deref());
        self.desk.store.note_batch(batch.id, as_known, &batch.facts).await
    }

    pub(super) fn say(&self, line: &str) {
        self.watch.say(self.session, line);
    }

    /// What a reply that did not come means for reading results.
    pub(super) fn not_read(
        &self,
        batch: &BatchRecord,
        no_reply: &NoHostReply,
        collected: &mut CollectedLines,
    ) {
        match no_reply.status() {
            Some(401 | 403) => {
                let why = format!("the results of batch {}: {}", batch.name(), no_reply.message());
                collected.stop = Some(Stop::Refused(why));
            }
            Some(300..=399) => {
                let why = format!(
                    "the results of batch {} are at another host; the key is not sent there",
                    batch.name()
                );
                collected.stop = Some(Stop::Refused(why));
            }
            _ => {
                self.say(&format!(
                    "batch {}: its results did not come ({})",
                    batch.name(),
                    no_reply.message()
                ));
                self.watch.add(self.client, batch.provider_id.as_deref(), batch.facts.n_requests);
            }
        }
    }
}
