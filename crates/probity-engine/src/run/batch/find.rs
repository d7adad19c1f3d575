//! Finding a batch again whose host did not say that it made it. It is adopted or stays in doubt, and is never made twice
//! while it is.

use super::collect::{BatchCollector, CollectedLines};
use super::unix_ms;
use crate::dialect::BatchForm;
use crate::judge::batch::{BatchInput, BatchStatus, LineCutter, NoHostReply, request_id};
use crate::ledger::{BatchFacts, BatchRecord, BatchState, StoreError};

/// How far clocks may be apart: a day, in seconds.
const CLOCKS_APART: i64 = 86_400;

/// Looks in vain before a batch counts as not made.
const LOOKS_MIN: u32 = 3;

/// What a look at the host's list found.
enum ListSearch {
    /// The batch.
    Batch(Box<BatchStatus>),
    /// Nothing that could be it.
    Nothing,
    /// Batches that may be it, which cannot be told before they have ended.
    Candidates,
}

impl BatchCollector<'_> {
    /// Looks for a batch that may have been made.
    pub(super) async fn find(
        &self,
        batch: &BatchRecord,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let found = match self.looked(batch).await? {
            Ok(found) => found,
            Err(no_reply) => {
                self.say(&format!(
                    "batch {}: its host does not list batches ({})",
                    batch.tag,
                    no_reply.message()
                ));
                self.watch.add(self.client, None, batch.facts.n_requests);
                return Ok(());
            }
        };
        if let ListSearch::Batch(status) = found {
            self.say(&format!("batch {} was made after all and is adopted", status.id));
            let adopted = BatchRecord { provider_id: Some(status.id.clone()), ..batch.clone() };
            return self.take_status(&adopted, &status, collected).await;
        }
        let facts = BatchFacts { n_looks: batch.facts.n_looks + 1, ..batch.facts.clone() };
        let batch = &BatchRecord { facts, ..batch.clone() };
        let since_ms = unix_ms() - batch.facts.create_unix_ms.unwrap_or_default();
        let search_ms = i64::try_from(self.batching.settings.search.as_millis()).unwrap_or(i64::MAX);
        let is_over = batch.facts.n_looks >= LOOKS_MIN && since_ms >= search_ms;
        match (&batch.facts.file, matches!(found, ListSearch::Candidates) || !is_over) {
            (_, true) => {
                self.say(&format!(
                    "the reply to making batch {} was lost; looking for it, and not making another one",
                    batch.tag
                ));
                self.note(batch, BatchState::Creating).await?;
                self.watch.add(self.client, None, batch.facts.n_requests);
            }
            (Some(file), false) => self.make_again(batch, file.clone(), collected).await?,
            (None, false) => {
                let why = "it may have been made, and its host has no name to find it by";
                self.undecided(batch, why).await?;
            }
        }
        Ok(())
    }

    /// Makes a batch of its uploaded file: its tag was searched for in vain, long enough.
    async fn make_again(
        &self,
        batch: &BatchRecord,
        file: String,
        collected: &mut CollectedLines,
    ) -> Result<(), StoreError> {
        let facts = BatchFacts { n_looks: 0, create_unix_ms: Some(unix_ms()), ..batch.facts.clone() };
        let batch = &BatchRecord { facts, ..batch.clone() };
        self.note(batch, BatchState::Creating).await?;
        match self.client.create(&batch.tag, &BatchInput::File(file)).await {
            Ok(status) => {
                let made = BatchRecord { provider_id: Some(status.id.clone()), ..batch.clone() };
                self.take_status(&made, &status, collected).await
            }
            Err(NoHostReply::Refused(_)) => {
                // Nothing was made, so nothing is in doubt: its packets go into a new batch.
                self.note(batch, BatchState::Reserved).await?;
                self.desk.store.withdraw_batch(batch.id).await?;
                collected.has_changed = true;
                Ok(())
            }
            Err(NoHostReply::NotSent(_) | NoHostReply::Lost(_)) => {
                self.watch.add(self.client, None, batch.facts.n_requests);
                Ok(())
            }
        }
    }

    async fn looked(&self, batch: &BatchRecord) -> Result<Result<ListSearch, NoHostReply>, StoreError> {
        let since = batch.facts.reserved_unix_ms / 1000 - CLOCKS_APART;
        let listed = match self.client.list(since).await {
            Ok(listed) => listed,
            Err(no_reply) => return Ok(Err(no_reply)),
        };
        if self.client.form() == BatchForm::Files {
            let own = listed.into_iter().find(|status| status.tag.as_deref() == Some(&batch.tag));
            return Ok(Ok(own.map_or(ListSearch::Nothing, |status| ListSearch::Batch(Box::new(status)))));
        }
        let reader = self.desk.store.reader()?;
        let known: Vec<String> =
            reader.batches()?.into_iter().filter_map(|batch| batch.provider_id).collect();
        let calls = reader.batch_calls(batch.id)?;
        let ids: Vec<String> = calls
            .iter()
            .map(|call| request_id(&call.packet, &self.desk.judge_id, call.repeat, call.n))
            .collect();
        let is_like = |status: &&BatchStatus| {
            status.n_requests == Some(batch.facts.n_requests) && !known.contains(&status.id)
        };
        let mut found = ListSearch::Nothing;
        for status in listed.iter().filter(is_like) {
            if !status.is_final() {
                found = ListSearch::Candidates;
                continue;
            }
            match self.first_id(status).await {
                Ok(Some(id)) if ids.contains(&id) => {
                    return Ok(Ok(ListSearch::Batch(Box::new(status.clone()))));
                }
                Ok(_) => {}
                Err(_) => found = ListSearch::Candidates,
            }
        }
        Ok(Ok(found))
    }

    /// The id of the first line of a batch's results.
    async fn first_id(&self, status: &BatchStatus) -> Result<Option<String>, NoHostReply> {
        let Some(path) = status.results.first() else { return Ok(None) };
        let mut download = self.client.results(path).await?;
        let (mut cutter, mut first) = (LineCutter::new(self.client.line_bytes_max()), None);
        let lost = |fault: crate::judge::TransportFault| NoHostReply::Lost(fault.to_string());
        while let Some(piece) = download.piece().await.map_err(lost)? {
            cutter.feed(&piece, &mut |line| {
                first.get_or_insert(line.map_or_else(|bad| bad.id, |line| Some(line.id)));
            });
            if first.is_some() {
                break;
            }
        }
        Ok(first.flatten())
    }
}
