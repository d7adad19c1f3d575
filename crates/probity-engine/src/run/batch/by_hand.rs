//! What a person does about batches: listing them is reading, cancelling asks their host, and answers may come in a file.

use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;

use super::super::RunError;
use super::super::spec::RunSpec;
use super::collect::stray_note;
use crate::config::{ChatSettings, Config, LeftOut, Tier};
use crate::judge::batch::{BatchClient, NoHostReply, RequestEnd, request_id, result_line};
use crate::judge::{Reception, Response};
use crate::ledger::{BatchCall, BatchFacts, BatchId, BatchRecord, BatchState, Reader, Store, StoreError};
use crate::schedule::batched::{Hearing, LineConclusion};

/// Whether the packets of a batch are opened whose end is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// They are not.
    No,
    /// They are: what the batch did may have been billed, and is asked again.
    Yes,
}

/// What cancelling a batch came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cancelled {
    /// Its host was told, and has it in this state. What it finished is delivered and billed.
    Told(String),
    /// Its packets are open again; so many of its calls are possibly billed.
    Released(u64),
    /// It was not sent, and is forgotten.
    Withdrawn,
    /// It cannot be found out what became of it, and its packets stay as they are.
    Undecided,
    /// All of its calls have ended.
    Ended,
}

/// Why a batch could not be cancelled.
#[derive(Debug, thiserror::Error)]
pub enum NotCancelled {
    /// There is none of this name.
    #[error("there is no batch {name:?} on record; `probity batch list` shows those there are")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Its host did not take the request.
    #[error("batch {name}: its host did not cancel it: {why}")]
    Refused {
        /// The batch.
        name: String,
        /// What the host said.
        why: String,
    },
    /// The store or the settings on record failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<StoreError> for NotCancelled {
    fn from(error: StoreError) -> NotCancelled {
        NotCancelled::Run(error.into())
    }
}

/// Cancels the batch called `name`, by the settings of the run that made it. `key` gives the value of an environment
/// variable. A store that is open for reading is enough, but for what is to be released.
pub async fn cancel(
    store: &Store,
    name: &str,
    release: Release,
    key: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<Cancelled, NotCancelled> {
    let reader = store.reader()?;
    let is_called = |batch: &BatchRecord| batch.tag == name || batch.provider_id.as_deref() == Some(name);
    let Some(batch) = reader.batches()?.into_iter().find(is_called) else {
        if release == Release::Yes {
            store.note(&stray_note(name), "")?;
            return Ok(Cancelled::Released(0));
        }
        return Err(NotCancelled::Unknown { name: name.to_owned() });
    };
    if batch.state == BatchState::Ended {
        return Ok(Cancelled::Ended);
    }
    let told = match &batch.provider_id {
        Some(id) if batch.state == BatchState::Running => Some(told(&reader, &batch, id, key).await?),
        _ => None,
    };
    if let (Some(told), Release::No) = (told, release) {
        return Ok(told);
    }
    let is_sent = !batch.is_unsent();
    if is_sent && release == Release::No {
        return Ok(Cancelled::Undecided);
    }
    if batch.state == BatchState::Reserved {
        store.withdraw_batch(batch.id).await?;
        return Ok(Cancelled::Withdrawn);
    }
    let calls = reader.batch_calls(batch.id)?.into_iter().filter(|call| call.is_in_flight);
    let calls: Vec<BatchCall> = calls.collect();
    if is_sent {
        store.lose(calls.iter().map(|call| call.attempt).collect()).await?;
    } else {
        for call in &calls {
            store.conclude(call.attempt, LineConclusion::not_run("batch_cancelled").end, None).await?;
        }
    }
    let facts = BatchFacts { detail: "released by hand".to_owned(), ..batch.facts.clone() };
    store.note_batch(batch.id, (BatchState::Ended, batch.provider_id.as_deref()), &facts).await?;
    Ok(if is_sent { Cancelled::Released(calls.len() as u64) } else { Cancelled::Withdrawn })
}

/// Tells the host. A reply that was lost is no reason not to say it again.
async fn told(
    reader: &Reader,
    batch: &BatchRecord,
    id: &str,
    key: &(dyn Fn(&str) -> Option<String> + Sync),
) -> Result<Cancelled, NotCancelled> {
    let (config, chat, left) = asked_with(reader, batch)?;
    let client = BatchClient::build(&chat, &left, config.schedule.limits, key).map_err(RunError::from)?;
    let refused = |why: String| NotCancelled::Refused { name: id.to_owned(), why };
    let client = client.ok_or_else(|| refused("no interface for batches is known of it".to_owned()))?;
    let mut reply = client.cancel(id).await;
    if matches!(reply, Err(NoHostReply::Lost(_))) {
        reply = client.cancel(id).await;
    }
    // One that has ended cannot be cancelled any more, which is as good.
    let status = match reply {
        Ok(status) => status,
        Err(no_reply) => client.poll(id).await.map_err(|_| refused(no_reply.message()))?,
    };
    Ok(Cancelled::Told(status.word))
}

/// The settings, the judge and what it refused, of the run that made a batch.
fn asked_with(reader: &Reader, batch: &BatchRecord) -> Result<(Config, ChatSettings, LeftOut), RunError> {
    let broken = |what: &str| RunError::NotOnRecord { run: batch.run, what: what.to_owned() };
    let spec = reader.spec(batch.run)?.ok_or_else(|| broken("its settings"))?;
    let spec: RunSpec = serde_json::from_str(&spec).map_err(|_| broken("its settings"))?;
    let config = Config::resolve([spec.settings.clone()]).map_err(|_| broken("its settings"))?;
    let chat = spec.judge.chat().cloned().ok_or_else(|| broken("its judge"))?;
    Ok((config, chat, LeftOut::parse(&spec.left_out)))
}

/// What came of reading answers from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedAnswers {
    /// Answers that were taken in.
    pub n_answers: u64,
    /// Requests that were not run or not answered, and are open again.
    pub n_open: u64,
    /// Lines about requests that had ended before.
    pub n_known: u64,
    /// Lines that answer no request on record.
    pub n_strange: u64,
    /// Lines that cannot be read.
    pub n_bad: u64,
    /// Requests on record that still wait.
    pub n_waiting: u64,
    /// Why further calls to the judge are pointless, as the first such line says it.
    pub trouble: Option<String>,
}

/// A request that waits for its answer.
struct Awaited {
    batch: usize,
    call: BatchCall,
}

/// Takes in the answers in `lines`: each goes to the request on record that has its id. They are read when the run that
/// asked is made again.
pub async fn import_answers(store: &Store, lines: impl BufRead) -> Result<ImportedAnswers, RunError> {
    let reader = store.reader()?;
    let batches: Vec<BatchRecord> =
        reader.batches()?.into_iter().filter(|batch| batch.state != BatchState::Ended).collect();
    let (mut awaited, mut judges) = (HashMap::new(), Vec::new());
    for (place, batch) in batches.iter().enumerate() {
        for call in reader.batch_calls(batch.id)? {
            let id = request_id(&call.packet, &batch.judge, call.repeat, call.n);
            awaited.insert(id, Awaited { batch: place, call });
        }
        judges.push(asked_with(&reader, batch)?);
    }
    let (mut imported, mut met) = (ImportedAnswers::default(), BTreeSet::new());
    for line in lines.split(b'\n') {
        let line = line.map_err(RunError::Output)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(line) = result_line(&line) else {
            imported.n_bad += 1;
            continue;
        };
        let Some(Awaited { batch, call }) = awaited.get(&line.id) else {
            imported.n_strange += 1;
            continue;
        };
        if !call.is_in_flight || !met.insert(line.id) {
            imported.n_known += 1;
            continue;
        }
        let conclusion = concluded(&judges[*batch], call.n, line.end);
        let counted = if conclusion.is_answer { &mut imported.n_answers } else { &mut imported.n_open };
        *counted += 1;
        imported.trouble = imported.trouble.take().or(conclusion.stop.map(|stop| stop.message()));
        store.conclude(call.attempt, conclusion.end, conclusion.settlement).await?;
    }
    let reader = store.reader()?;
    for batch in reader.batches()? {
        let is_done = batch.state != BatchState::Ended && batch.n_in_flight == 0;
        if is_done && batches.iter().any(|before| before.id == batch.id) {
            end(store, &batch).await?;
        }
        imported.n_waiting += batch.n_in_flight;
    }
    Ok(imported)
}

async fn end(store: &Store, batch: &BatchRecord) -> Result<(), StoreError> {
    let facts = BatchFacts { detail: "all answers were imported".to_owned(), ..batch.facts.clone() };
    let id: BatchId = batch.id;
    store.note_batch(id, (BatchState::Ended, batch.provider_id.as_deref()), &facts).await
}

/// What one line comes to for a judge. What a file costs is not known: the price of a batch counts.
fn concluded((config, chat, _): &(Config, ChatSettings, LeftOut), n: u32, end: RequestEnd) -> LineConclusion {
    let (status, body) = match end {
        RequestEnd::NotRun { why } => return LineConclusion::not_run(why),
        RequestEnd::Answered { status, body } => (status, body),
    };
    let read = |body: &[u8]| chat.dialect().completion(body);
    let hearing = Hearing {
        read: &read,
        model: &chat.model,
        wait_max: config.schedule.retry_after_max,
        price: config.price(chat),
        tier: Tier::Batch,
    };
    let response = Response { status, headers: Vec::new(), body };
    LineConclusion::of(&hearing, n, Reception::of_response(response))
}
