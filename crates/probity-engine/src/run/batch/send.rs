//! Sending what is missing: requests are cut into batches, reserved, uploaded and ordered.
//!
//! A reservation is on the disk before anything is sent, and so is the word that a batch is being made before it is. An
//! order without a reply is never repeated here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::super::{RunError, Session};
use super::{BatchWatch, Batching, Host, unix_ms};
use crate::config::StoredTexts;
use crate::dialect::BatchForm;
use crate::fault_points::{self, Point};
use crate::judge::batch::{BatchClient, BatchInput, NoHostReply, request_id, request_line};
use crate::judge::respondent::Respondent as _;
use crate::judge::{CallOutcome, Judge, Question};
use crate::ledger::{
    AttemptStart, BatchFacts, BatchId, BatchStart, BatchState, Intended, NoRoom, Store, StoreError,
};
use crate::schedule::batched::WantedCall;
use crate::schedule::classify::{CallTerms, Disposition, classify};
use crate::schedule::desk::Desk;
use crate::schedule::lane::Stop;

/// The word for a batch whose requests were written to a file.
pub(super) const EXPORTED: &str = "exported";

/// Tries of a request that proved to have made nothing.
const TRIES_MAX: u32 = 6;

/// Requests and bytes of a file that requests are written to, at most.
const FILE_LIMITS: (usize, usize) = (1_000_000, 4_000_000_000);

/// A file that requests are written to in place of a host.
#[derive(Debug)]
pub struct RequestsFile {
    path: PathBuf,
    written: Mutex<u64>,
}

impl RequestsFile {
    /// The file at `path`, which must not exist: requests in it may be on their way.
    pub fn new(path: &Path) -> RequestsFile {
        RequestsFile { path: path.to_owned(), written: Mutex::new(0) }
    }

    /// How many requests were written to it.
    pub fn n_written(&self) -> u64 {
        *self.written.lock().expect("no thread panics while it counts")
    }

    /// Adds lines. They are on the disk afterwards.
    fn append(&self, lines: &[u8], n: u64) -> std::io::Result<()> {
        use std::io::Write as _;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(lines)?;
        file.sync_all()?;
        *self.written.lock().expect("no thread panics while it counts") += n;
        Ok(())
    }
}

/// What sending came to.
#[derive(Debug, Default)]
pub(super) struct SentBatches {
    /// Requests that were sent, or may have been.
    pub(super) n_sent: u64,
    /// Packets that are left for a later command.
    pub(super) n_left: u64,
    /// Whether a batch was refused for its size, so that smaller ones are to be made of the same packets.
    pub(super) is_refused: bool,
    /// Why nothing more is sent.
    pub(super) stop: Option<Stop>,
}

/// A request that waits to be sent.
struct BatchRequest {
    id: String,
    line: Vec<u8>,
    start: AttemptStart,
}

/// Gathers requests and sends them as batches.
pub(super) struct BatchSender<'a> {
    desk: &'a Arc<Desk<Judge>>,
    session: &'a Session<'a>,
    batching: &'a Batching,
    /// Requests and bytes of a batch at most.
    limits: (usize, usize),
    waiting: Vec<BatchRequest>,
    n_bytes: usize,
    ids: HashSet<String>,
    has_begun: bool,
    sent: SentBatches,
}

impl<'a> BatchSender<'a> {
    pub(super) fn new(desk: &'a Arc<Desk<Judge>>, session: &'a Session<'a>, batching: &'a Batching) -> Self {
        let (ids, sent) = (HashSet::new(), SentBatches::default());
        let limits = batching.limits();
        BatchSender {
            desk,
            session,
            batching,
            limits,
            waiting: Vec::new(),
            n_bytes: 0,
            ids,
            has_begun: false,
            sent,
        }
    }

    /// Adds a request, and sends those that wait when they are as many as a batch may have.
    pub(super) async fn add(&mut self, wanted: WantedCall<Question>) -> Result<(), RunError> {
        if self.is_over() || self.is_tried_enough(&wanted) {
            self.sent.n_left += 1;
            return Ok(());
        }
        let request = self.request(wanted);
        let (requests_max, bytes_max) = self.limits;
        if self.waiting.len() >= requests_max || self.n_bytes + request.line.len() > bytes_max {
            self.flush().await?;
        }
        if !self.ids.insert(request.id.clone()) {
            self.sent.stop =
                Some(Stop::Unusable(format!("two requests of a batch have the id {}", request.id)));
            return Ok(());
        }
        self.n_bytes += request.line.len();
        self.waiting.push(request);
        Ok(())
    }

    /// Sends the rest.
    pub(super) async fn finish(&mut self) -> Result<SentBatches, RunError> {
        self.flush().await?;
        Ok(std::mem::take(&mut self.sent))
    }

    fn is_over(&self) -> bool {
        self.sent.stop.is_some() || self.batching.halt.is_some() || self.desk.lane.stop_reason().is_some()
    }

    /// Whether a packet was asked about often enough for one command. The next command begins with one more try.
    fn is_tried_enough(&self, wanted: &WantedCall<Question>) -> bool {
        let Host::Service(_, watch) = &self.batching.host else { return false };
        wanted.n > self.desk.schedule.attempts_max && !watch.is_fresh()
    }

    fn request(&self, WantedCall { task, n, cause }: WantedCall<Question>) -> BatchRequest {
        let (desk, packet) = (self.desk, task.question.packet.hash());
        let id = request_id(&packet, &desk.judge_id, desk.repeat, n);
        let line = match (&self.batching.host, &self.batching.chat) {
            (Host::Service(client, _), _) => client.line(&id, &task.question),
            (Host::File(_), (chat, left)) => request_line(chat, left, &id, &task.question),
        };
        let body = if desk.texts == StoredTexts::Full { task.question.packet.canonical() } else { "" };
        let start = AttemptStart {
            packet,
            packet_body: body.into(),
            judge: desk.judge_id.clone(),
            run: desk.run,
            repeat: desk.repeat,
            n,
            cause,
            tokens_planned: task.tokens_input,
            decisions: Judge::n_decisions(&task.question),
            started_unix_ms: unix_ms(),
            most: task.most,
            batch: None,
            again: desk.again,
        };
        BatchRequest { id, line, start }
    }

    /// Reserves and sends what waits.
    async fn flush(&mut self) -> Result<(), RunError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.n_bytes = 0;
        self.ids.clear();
        if waiting.is_empty() {
            return Ok(());
        }
        if self.is_over() || !self.may_send() {
            self.sent.n_left += waiting.len() as u64;
            return Ok(());
        }
        let tag = format!("probity-{}-{:016x}", self.batching.store_name, rand::random::<u64>());
        let start = BatchStart {
            run: self.desk.run,
            judge: self.desk.judge_id.clone(),
            account: self.batching.account(),
            tag: tag.clone(),
            facts: BatchFacts {
                place: self.batching.place(),
                reserved_unix_ms: unix_ms(),
                ..BatchFacts::default()
            },
        };
        let mut facts = start.facts.clone();
        let starts = waiting.iter().map(|request| request.start.clone()).collect();
        let reserved = self.desk.store.reserve_batch(start, starts).await?;
        let mut lines = Vec::new();
        for (request, call) in waiting.iter().zip(&reserved.calls) {
            match call {
                Intended::Recorded(_) => {
                    lines.extend_from_slice(&request.line);
                    facts.n_requests += 1;
                }
                Intended::NoRoom(NoRoom::Never(exhausted)) => {
                    self.sent.stop.get_or_insert(Stop::Budget(exhausted.to_string()));
                }
                Intended::NoRoom(NoRoom::Held) | Intended::InFlight(_) | Intended::Settled(_) => {
                    self.sent.n_left += 1;
                }
            }
        }
        let Some(batch) = reserved.id else { return Ok(()) };
        fault_points::reach(Point::BatchReserved);
        (facts.n_bytes, facts.digest) = (lines.len() as u64, blake3::hash(&lines).to_hex().to_string());
        match &self.batching.host {
            Host::File(file) => self.write(batch, file, &lines, facts).await,
            Host::Service(client, watch) => {
                let order = BatchOrder { batch, tag, client, watch, facts };
                self.order(order, lines).await
            }
        }
    }

    /// Whether a batch may be sent now: a host that has refused a larger one takes them one at a time.
    fn may_send(&mut self) -> bool {
        let Host::Service(_, watch) = &self.batching.host else { return true };
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let is_idle = self.batching.open.iter().all(|batch| batch.n_in_flight == 0);
        watch.sent();
        watch.say(self.session, KEPT);
        !self.batching.is_narrow() || (is_first && is_idle)
    }

    async fn write(
        &mut self,
        batch: BatchId,
        file: &RequestsFile,
        lines: &[u8],
        mut facts: BatchFacts,
    ) -> Result<(), RunError> {
        if let Err(error) = file.append(lines, facts.n_requests) {
            self.desk.store.withdraw_batch(batch).await?;
            return Err(RunError::Output(error));
        }
        EXPORTED.clone_into(&mut facts.word);
        self.sent.n_sent += facts.n_requests;
        Ok(self.desk.store.note_batch(batch, (BatchState::Running, None), &facts).await?)
    }

    /// Uploads the lines and has the host make a batch of them.
    async fn order(&mut self, mut order: BatchOrder<'_>, lines: Vec<u8>) -> Result<(), RunError> {
        let input = match order.client.form() {
            BatchForm::Inline => BatchInput::Lines(lines),
            BatchForm::Files => match self.upload(&order, &lines).await {
                Ok(file) => {
                    order.facts.file = Some(file.clone());
                    BatchInput::File(file)
                }
                Err(no_reply) => return self.not_made(&order, &no_reply).await,
            },
        };
        fault_points::reach(Point::BatchUploaded);
        order.facts.create_unix_ms = Some(unix_ms());
        order.note(&self.desk.store, (BatchState::Creating, None)).await?;
        fault_points::reach(Point::BatchCreating);
        match self.create(&order, &input).await {
            Ok(status) => {
                fault_points::reach(Point::BatchCreated);
                order.facts.word.clone_from(&status.word);
                order.facts.created_unix = status.created_unix;
                order.facts.expires_unix = status.expires_unix;
                order.note(&self.desk.store, (BatchState::Running, Some(&status.id))).await?;
                let n = order.facts.n_requests;
                let line = format!(
                    "batch {} was made of {n} requests; it continues even if this command stops",
                    status.id
                );
                order.watch.say(self.session, &line);
                order.watch.add(order.client, Some(&status.id), n);
                self.sent.n_sent += n;
                Ok(())
            }
            Err(NoHostReply::Lost(why)) => {
                let line = format!("the reply to making batch {} was lost ({why})", order.tag);
                order.watch.say(self.session, &line);
                order.watch.add(order.client, None, order.facts.n_requests);
                self.sent.n_sent += order.facts.n_requests;
                Ok(())
            }
            Err(no_reply) => self.not_made(&order, &no_reply).await,
        }
    }

    /// Uploads the lines. A file costs nothing, so one that may be there is looked for, and uploaded again if it is not.
    async fn upload(&self, order: &BatchOrder<'_>, lines: &[u8]) -> Result<String, NoHostReply> {
        for n in 0.. {
            let no_reply = match order.client.upload(&order.tag, lines).await {
                Ok(file) => return Ok(file),
                Err(no_reply) => no_reply,
            };
            if let (NoHostReply::Lost(_), Ok(Some(file))) =
                (&no_reply, order.client.find_file(&order.tag).await)
            {
                return Ok(file);
            }
            if !self.may_try_again(&no_reply, n).await {
                return Err(no_reply);
            }
        }
        unreachable!("tries have a bound")
    }

    /// Orders the batch, and again only where the reply proves that nothing was made.
    async fn create(
        &self,
        order: &BatchOrder<'_>,
        input: &BatchInput,
    ) -> Result<crate::judge::batch::BatchStatus, NoHostReply> {
        for n in 0.. {
            match order.client.create(&order.tag, input).await {
                Ok(status) => return Ok(status),
                Err(lost @ NoHostReply::Lost(_)) => return Err(lost),
                Err(no_reply) if !self.may_try_again(&no_reply, n).await => return Err(no_reply),
                Err(_) => {}
            }
        }
        unreachable!("tries have a bound")
    }

    /// Pauses before a request that made nothing is sent again. Whether it is.
    async fn may_try_again(&self, no_reply: &NoHostReply, n: u32) -> bool {
        let is_brief = match no_reply {
            NoHostReply::NotSent(_) | NoHostReply::Lost(_) => true,
            NoHostReply::Refused(response) => {
                let body = String::from_utf8_lossy(&response.body).to_lowercase();
                // A file that was uploaded a moment ago may not be visible yet.
                response.status == 429
                    || (matches!(response.status, 400 | 404)
                        && body.contains("file")
                        && body.contains("no such"))
            }
        };
        if !is_brief || n + 1 >= TRIES_MAX {
            return false;
        }
        let pause = self.desk.schedule.backoff_first.saturating_mul(1 << n).min(Duration::from_mins(1));
        self.desk.lane.rest(pause).await.is_ok()
    }

    /// Takes back a batch that was not made, and says what follows.
    async fn not_made(&mut self, order: &BatchOrder<'_>, no_reply: &NoHostReply) -> Result<(), RunError> {
        order.note(&self.desk.store, (BatchState::Reserved, None)).await?;
        self.desk.store.withdraw_batch(order.batch).await?;
        if let Some(file) = &order.facts.file {
            let _stays = order.client.delete_file(file).await;
        }
        self.sent.n_left += order.facts.n_requests;
        let why = format!("batches cannot be made: {}", no_reply.message());
        let stop = match no_reply {
            NoHostReply::NotSent(_) | NoHostReply::Lost(_) => Stop::Unreachable(why),
            NoHostReply::Refused(response) if response.status == 413 && order.facts.n_requests > 1 => {
                self.batching.halve(&self.desk.store, order.facts.n_requests)?;
                self.sent.n_left -= order.facts.n_requests;
                self.sent.is_refused = true;
                return Ok(());
            }
            NoHostReply::Refused(response) => {
                let terms = CallTerms {
                    model: "",
                    wait_max: self.desk.schedule.retry_after_max,
                    received_unix_ms: Some(unix_ms()),
                };
                match classify(&CallOutcome::Response(response.clone()), &terms) {
                    Err(Disposition::Stop { stop: Stop::Quota(_), .. } | Disposition::Wait { .. }) => {
                        Stop::Quota(why)
                    }
                    Err(Disposition::Stop { stop: Stop::Refused(_), .. }) => Stop::Refused(why),
                    Err(Disposition::Retry { .. }) => Stop::Unreachable(why),
                    _ => Stop::Unusable(why),
                }
            }
        };
        self.sent.stop.get_or_insert(stop);
        Ok(())
    }
}

/// What is said before the first batch of a store.
const KEPT: &str = "hosts keep the files of a batch for up to a month, whatever is agreed for single calls; \
see docs/batch.md";

/// A batch on its way to its host.
struct BatchOrder<'a> {
    batch: BatchId,
    tag: String,
    client: &'a Arc<BatchClient>,
    watch: &'a Arc<BatchWatch>,
    facts: BatchFacts,
}

impl BatchOrder<'_> {
    async fn note(&self, store: &Store, as_known: (BatchState, Option<&str>)) -> Result<(), StoreError> {
        store.note_batch(self.batch, as_known, &self.facts).await
    }
}

impl Batching {
    /// Requests and bytes of a batch at most.
    fn limits(&self) -> (usize, usize) {
        let (requests_max, bytes_max) = match &self.host {
            Host::Service(client, _) => client.limits(),
            Host::File(_) => FILE_LIMITS,
        };
        let of_settings = (self.settings.requests_max, self.settings.bytes_max);
        let requests_max = requests_max.min(of_settings.0).min(self.requests_max.unwrap_or(usize::MAX));
        (requests_max, bytes_max.min(of_settings.1))
    }

    /// Whether the host has refused a larger batch.
    fn is_narrow(&self) -> bool {
        self.requests_max.is_some()
    }

    fn account(&self) -> String {
        match &self.host {
            Host::Service(client, _) => client.account(&self.store_name),
            Host::File(file) => file.path.display().to_string(),
        }
    }

    /// Where requests go, for people.
    fn place(&self) -> String {
        match &self.host {
            Host::Service(..) => self.chat.0.base_url.to_string(),
            Host::File(file) => file.path.display().to_string(),
        }
    }

    /// Remembers that a batch of so many requests is too large for the account.
    pub(super) fn halve(&self, store: &Store, n_requests: u64) -> Result<(), StoreError> {
        store.note(&self.narrow_note(), &(n_requests / 2).max(1).to_string())
    }

    /// Under which name it is kept how many requests a batch of this judge may have.
    pub(super) fn narrow_note(&self) -> String {
        format!("batch requests:{}", self.account())
    }
}
