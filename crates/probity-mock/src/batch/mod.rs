//! Batches, as OpenAI's API and Anthropic's have them: files and batches are stored, listed, followed, cancelled and read.
//!
//! A batch is answered when it is made, each line as a call by itself would be, so what is billed is in the ledger however
//! its client ends. How it goes on depends on how often it was polled and never on a clock, but for the times it shows.
//! Results come in the opposite order of requests. A key sees what was made with it and nothing else.

mod anthropic;
mod faults;
mod lines;
mod openai;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};

use serde_json::{Value, json};

use super::Mock;
use super::dialect::Dialect;
use super::http::{HttpRequest, HttpResponse, Then, WireAct};
pub use faults::{BatchFault, BatchFaults, batch_fault, batch_faults};
use lines::{BatchLine, LineEnd};

/// How batches go.
#[derive(Debug, Clone)]
pub struct MockBatches {
    /// Polls that find a batch unfinished.
    pub polls: u32,
    /// What goes wrong.
    pub faults: BatchFaults,
}

impl Default for MockBatches {
    /// The first poll finds it in progress, the second finds it done.
    fn default() -> Self {
        MockBatches { polls: 1, faults: BatchFaults::default() }
    }
}

/// Files and batches of all keys.
#[derive(Debug, Default)]
pub(crate) struct BatchHost(Mutex<HeldBatches>);

#[derive(Debug, Default)]
struct HeldBatches {
    /// By id.
    files: BTreeMap<String, StoredFile>,
    /// In the order in which they were made.
    batches: Vec<StoredBatch>,
    /// How often each fault has happened.
    happened: HashMap<&'static str, u32>,
    n_files: u64,
}

#[derive(Debug)]
struct StoredFile {
    owner: String,
    name: String,
    content: Vec<u8>,
    created_unix: i64,
}

/// Which API a batch was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ApiForm {
    Files,
    Inline,
}

/// How a batch ends.
#[derive(Debug, Clone, PartialEq)]
enum Ending {
    Completed,
    Expired,
    Cancelled,
    /// With errors as OpenAI lists them.
    Failed(Value),
}

#[derive(Debug, Clone)]
struct StoredBatch {
    id: String,
    owner: String,
    form: ApiForm,
    metadata: Value,
    input_file: String,
    endpoint: String,
    created_unix: i64,
    requests: Vec<BatchLine>,
    /// What became of each request, once it is known.
    ends: Vec<LineEnd>,
    ending: Ending,
    is_cancelled: bool,
    polls: u32,
    /// Lists that do not show it yet.
    hidden: u32,
    /// The faults that it has.
    faults: BTreeSet<&'static str>,
}

/// How far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    InProgress,
    Finalizing,
    /// In no state that a client knows.
    Unnamed,
    Cancelling,
    Final,
}

impl BatchHost {
    fn held(&self) -> MutexGuard<'_, HeldBatches> {
        self.0.lock().expect("no thread panics while it holds the batches")
    }

    /// Forgets everything.
    pub(super) fn reset(&self) {
        *self.held() = HeldBatches::default();
    }
}

/// The answer to a request about files or batches; `None` where it is about something else.
pub(crate) fn answer(mock: &Mock, request: &HttpRequest) -> Option<WireAct> {
    let parts: Vec<&str> = request.path.split('/').filter(|part| !part.is_empty()).collect();
    let at = |name: &str| parts.iter().position(|part| *part == name);
    let mut desk = BatchDesk { mock, request, held: mock.batches.held() };
    let method = request.method.as_str();
    if let Some(at) = at("batches").filter(|at| *at > 0 && parts[at - 1] == "messages") {
        return desk.anthropic(method, &parts[at + 1..]);
    }
    if let Some(at) = at("batches") {
        return desk.openai_batches(method, &parts[at + 1..]);
    }
    desk.openai_files(method, &parts[at("files")? + 1..])
}

/// One request at work.
struct BatchDesk<'a> {
    mock: &'a Mock,
    request: &'a HttpRequest,
    held: MutexGuard<'a, HeldBatches>,
}

impl BatchDesk<'_> {
    /// Whether the fault happens now.
    fn happens(&mut self, number: &'static str) -> bool {
        let faults = &self.mock.settings.batch.faults;
        faults.happens(number, &mut self.held.happened)
    }

    fn has(&self, number: &str) -> bool {
        self.mock.settings.batch.faults.has(number)
    }

    /// The batch of this id, where the key may see it.
    fn batch(&mut self, id: &str) -> Option<&mut StoredBatch> {
        let key = &self.request.key;
        self.held.batches.iter_mut().find(|batch| batch.id == id && batch.owner == *key)
    }

    /// Makes a batch and answers its lines.
    fn made(&mut self, mut batch: StoredBatch) -> String {
        for fault in batch_faults() {
            if fault.is_of_a_batch() && self.happens(fault.number) {
                batch.faults.insert(fault.number);
            }
        }
        if batch.faults.contains("B07") {
            batch.hidden = 2;
        }
        batch.ending = batch.ending();
        if self.has("B11") && batch.requests.len() > 4 {
            batch.ending =
                failed("token_limit_exceeded", "Enqueued token limit reached for this model.", None);
        }
        let n = match &batch.ending {
            Ending::Failed(_) => 0,
            _ if batch.faults.contains("B25") => 0,
            Ending::Completed => batch.requests.len(),
            Ending::Expired | Ending::Cancelled => batch.requests.len() / 2,
        };
        lines::answer(self.mock, &mut batch, n);
        let id = batch.id.clone();
        if batch.faults.contains("B08") {
            let requests = batch.requests.iter().enumerate().map(|(i, request)| BatchLine {
                custom_id: format!("another-{i}"),
                body: request.body.clone(),
            });
            let stranger = StoredBatch {
                id: format!("{id}-other"),
                owner: batch.owner.clone(),
                metadata: Value::Null,
                requests: requests.collect(),
                ends: vec![LineEnd::Cancelled; batch.requests.len()],
                ending: Ending::Completed,
                faults: BTreeSet::new(),
                input_file: String::new(),
                endpoint: batch.endpoint.clone(),
                ..batch.clone()
            };
            self.held.batches.push(stranger);
        }
        self.held.batches.push(batch);
        id
    }

    /// A batch of the key that asks, before it is made.
    fn begun(&self, form: ApiForm, requests: Vec<BatchLine>) -> StoredBatch {
        let n = self.held.batches.len();
        StoredBatch {
            id: format!("{}{n:06}", if form == ApiForm::Files { "batch_mock" } else { "msgbatch_mock" }),
            owner: self.request.key.clone(),
            form,
            metadata: Value::Null,
            input_file: String::new(),
            endpoint: String::new(),
            created_unix: now(),
            requests,
            ends: Vec::new(),
            ending: Ending::Completed,
            is_cancelled: false,
            polls: 0,
            hidden: 0,
            faults: BTreeSet::new(),
        }
    }

    /// What happens to a poll before it is answered.
    fn poll_fault(&mut self) -> Option<WireAct> {
        if self.happens("B38") {
            return Some(self.error(401, "invalid_api_key", "Incorrect API key provided."));
        }
        let limited = self.happens("B39");
        limited.then(|| self.error(429, "rate_limit_exceeded", "Too many requests."))
    }

    /// Cancels the batch.
    fn cancel(&mut self, id: &str) -> Option<&mut StoredBatch> {
        let mock = self.mock;
        let batch = self.batch(id)?;
        if !batch.is_cancelled && batch.stage(mock) != Stage::Final {
            batch.is_cancelled = true;
            batch.polls = 0;
            batch.ending = Ending::Cancelled;
            if batch.faults.contains("B25") {
                lines::answer(mock, batch, batch.requests.len() / 2);
            }
        }
        Some(batch)
    }

    /// The page of batches that the query asks for, newest first, and whether there are more.
    fn page(&mut self, form: ApiForm, after: &str) -> (Vec<&StoredBatch>, bool) {
        let key = self.request.key.clone();
        let of_key = |batch: &&mut StoredBatch| batch.owner == key && batch.form == form;
        let mut shown = BTreeSet::new();
        for batch in self.held.batches.iter_mut().filter(of_key) {
            // A look at the list is as good as a poll: time goes on.
            batch.polls += 1;
            if batch.hidden == 0 {
                shown.insert(batch.id.clone());
            } else {
                batch.hidden -= 1;
            }
        }
        let after = self.query(after);
        let limit = self.query("limit").and_then(|limit| limit.parse().ok()).unwrap_or(20);
        let newest = self.held.batches.iter().rev().filter(|batch| shown.contains(&batch.id));
        let mut behind: Vec<&StoredBatch> = match after {
            Some(after) => newest.skip_while(|batch| batch.id != after).skip(1).collect(),
            None => newest.collect(),
        };
        let has_more = behind.len() > limit;
        behind.truncate(limit);
        (behind, has_more)
    }

    fn query(&self, name: &str) -> Option<String> {
        let pairs = self.request.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    }

    fn error(&self, status: u16, code: &str, message: &str) -> WireAct {
        let is_messages = self.request.path.contains("/messages/");
        let dialect = if is_messages { Dialect::Anthropic } else { Dialect::OpenAi };
        HttpResponse::json(status, dialect.error(code, message, None)).into()
    }

    fn not_found(&self) -> WireAct {
        self.error(404, "not_found_error", "No such object.")
    }
}

impl BatchFault {
    /// Whether it is one of a batch, drawn when that is made.
    fn is_of_a_batch(self) -> bool {
        !["B02", "B03", "B04", "B05", "B06", "B11", "B21", "B34", "B38", "B39", "B64"].contains(&self.number)
    }
}

impl StoredBatch {
    fn ending(&self) -> Ending {
        let mut ids = BTreeSet::new();
        let doubled = self.requests.iter().position(|request| !ids.insert(&request.custom_id));
        if let Some(line) = doubled {
            return failed("duplicate_custom_id", "The custom_id is not unique.", Some(line + 1));
        }
        match () {
            () if self.faults.contains("B12") => {
                failed("invalid_json_line", "This line is not parseable as valid JSON.", Some(1))
            }
            () if self.faults.contains("B13") => Ending::Failed(Value::Null),
            () if self.faults.contains("B19") => Ending::Expired,
            () if self.faults.contains("B20") => Ending::Cancelled,
            () => Ending::Completed,
        }
    }

    /// How far it is.
    fn stage(&self, mock: &Mock) -> Stage {
        let polls = mock.settings.batch.polls;
        let waiting = [("B22", 5, Stage::Finalizing), ("B24", 2, Stage::Unnamed)];
        if self.is_cancelled {
            return if self.polls > polls { Stage::Final } else { Stage::Cancelling };
        }
        if matches!(self.ending, Ending::Failed(_)) && self.polls > 0 {
            return Stage::Final;
        }
        if self.polls <= polls || self.faults.contains("B25") {
            return Stage::InProgress;
        }
        let held_up = waiting.iter().find(|(fault, _, _)| self.faults.contains(fault));
        match held_up {
            Some((_, more, stage)) if self.polls <= polls + more => *stage,
            _ => Stage::Final,
        }
    }
}

/// The end of a batch that is not even begun.
fn failed(code: &str, message: &str, line: Option<usize>) -> Ending {
    let error = json!({ "code": code, "message": message, "param": null, "line": line });
    Ending::Failed(json!({ "object": "list", "data": [error] }))
}

/// `response`, half of which arrives.
fn cut(response: &HttpResponse) -> WireAct {
    let bytes = response.bytes();
    WireAct { status: Some(200), bytes: bytes[..bytes.len() * 2 / 3].to_vec(), then: Then::Close }
}

/// No answer: the connection is reset.
fn lost() -> WireAct {
    WireAct { status: None, bytes: Vec::new(), then: Then::Reset }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}
