//! The interface for batches of a host: files are uploaded, batches made, listed, followed, cancelled and read.
//!
//! Each method is one exchange, or one per page. Nothing is repeated here: whether a request that brought no answer may be
//! sent again depends on what it would make, and that is the driver's business. What a request says is built as for a call
//! by itself, so that the same prompt goes out.

mod lines;
mod status;

use reqwest::{Method, Url};
use serde_json::{Value, json};

pub(crate) use lines::result_line;
pub use lines::{BadLine, LineCutter, RequestEnd, ResultLine, request_id};
pub use status::{BatchFailure, BatchStage, BatchStatus};

use super::backend::request_of;
use super::http::Download;
use super::service::{Exchange, Service, fill};
use super::{CallLimits, CallOutcome, JudgeError, Question, Reception, Response, TransportFault};
use crate::config::{ChatSettings, LeftOut, ServiceTier};
use crate::dialect::{BatchForm, BatchRow};

/// How long an upload or a download may take to begin; hosts check what they get.
const SLOW: std::time::Duration = std::time::Duration::from_mins(30);

/// Pages of a list that are read at most.
const PAGES_MAX: usize = 50;

/// Batches on one page of a list.
const PAGE: usize = 100;

/// Why a request brought nothing.
#[derive(Debug, Clone)]
pub enum NoHostReply {
    /// It was not sent.
    NotSent(TransportFault),
    /// The host refused it and has done nothing.
    Refused(Response),
    /// It is not known whether the host took it in.
    Lost(String),
}

impl NoHostReply {
    /// What happened, in a few words.
    pub fn message(&self) -> String {
        match self {
            NoHostReply::NotSent(fault) => fault.to_string(),
            NoHostReply::Refused(response) => {
                let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
                let message = body.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
                format!("status {} {message}", response.status).trim_end().to_owned()
            }
            NoHostReply::Lost(why) => why.clone(),
        }
    }

    /// The status of a refusal.
    pub fn status(&self) -> Option<u16> {
        match self {
            NoHostReply::Refused(response) => Some(response.status),
            NoHostReply::NotSent(_) | NoHostReply::Lost(_) => None,
        }
    }
}

/// What a batch is made of.
#[derive(Debug, Clone)]
pub enum BatchInput {
    /// The id of an uploaded file.
    File(String),
    /// The lines themselves.
    Lines(Vec<u8>),
}

/// A host's interface for batches, as one judge uses it.
#[derive(Debug)]
pub struct BatchClient {
    service: Service,
    chat: ChatSettings,
    left: LeftOut,
    row: &'static BatchRow,
    line_bytes_max: usize,
}

impl BatchClient {
    /// The interface for the judge of `chat`; `None` where its host has none that is known.
    pub fn build(
        chat: &ChatSettings,
        left: &LeftOut,
        limits: CallLimits,
        key: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<BatchClient>, JudgeError> {
        let Some(row) = chat.dialect().batch() else { return Ok(None) };
        let (mut chat, left) = (chat.clone(), left.clone());
        // A batch is a tier of its own.
        chat.service_tier = ServiceTier::Standard;
        let secrets = fill(&mut chat, key)?;
        // A line has little around its body.
        let line_bytes_max = limits.body_bytes_max + 16 * 1024;
        let slow = CallLimits {
            first_byte: limits.first_byte.max(SLOW),
            total: limits.total.max(2 * SLOW),
            ..limits
        };
        let service = Service::of_chat(&chat, slow, key)?.with_secrets(secrets);
        Ok(Some(BatchClient { service, chat, left, row, line_bytes_max }))
    }

    /// The form of its batches.
    pub fn form(&self) -> BatchForm {
        self.row.form
    }

    /// The most requests and bytes of one batch, with a margin.
    pub fn limits(&self) -> (usize, usize) {
        (self.row.requests_max, self.row.bytes_max / 100 * 95)
    }

    /// The longest line of results that is read.
    pub(crate) fn line_bytes_max(&self) -> usize {
        self.line_bytes_max
    }

    /// What tells this account from others as far as that can be told without its key: the address and a few digits of
    /// a hash over what it is asked with.
    pub fn account(&self, store: &str) -> String {
        format!("{} {}", self.chat.base_url, self.service.fingerprint(store))
    }

    /// The line of one request.
    pub fn line(&self, id: &str, question: &Question) -> Vec<u8> {
        request_line(&self.chat, &self.left, id, question)
    }

    /// Uploads the lines under a name that has the tag in it. The id of the file.
    pub async fn upload(&self, tag: &str, lines: &[u8]) -> Result<String, NoHostReply> {
        let boundary = format!("probity-{}", blake3::hash(lines).to_hex());
        let mut body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{boundary}\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"{tag}.jsonl\"\r\n\
             Content-Type: application/jsonl\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(lines);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        let uploaded = self.exchanged(Method::POST, "files", Some((&content_type, body))).await?;
        let id = uploaded["id"].as_str().map(str::to_owned);
        id.ok_or_else(|| NoHostReply::Lost("the reply to an upload has no id".to_owned()))
    }

    /// The file whose name has the tag in it, if there is one.
    pub(crate) async fn find_file(&self, tag: &str) -> Result<Option<String>, NoHostReply> {
        let list = self.exchanged(Method::GET, "files?purpose=batch", None).await?;
        let files = list["data"].as_array().into_iter().flatten();
        let mut named = files.filter(|file| file["filename"].as_str().is_some_and(|name| name.contains(tag)));
        Ok(named.find_map(|file| file["id"].as_str().map(str::to_owned)))
    }

    /// Deletes an uploaded file.
    pub(crate) async fn delete_file(&self, file: &str) -> Result<(), NoHostReply> {
        self.exchanged(Method::DELETE, &format!("files/{file}"), None).await.map(drop)
    }

    /// Makes a batch.
    pub async fn create(&self, tag: &str, input: &BatchInput) -> Result<BatchStatus, NoHostReply> {
        let body = match input {
            BatchInput::File(file) => json!({
                "input_file_id": file,
                "endpoint": self.row.endpoint,
                "completion_window": "24h",
                "metadata": { "tag": tag },
            })
            .to_string()
            .into_bytes(),
            BatchInput::Lines(lines) => {
                let mut body = b"{\"requests\":[".to_vec();
                let lines: Vec<&[u8]> =
                    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
                body.extend(lines.join(&b','));
                body.extend_from_slice(b"]}");
                body
            }
        };
        let made = self.exchanged(Method::POST, &self.row.path, Some(("application/json", body))).await?;
        self.status(&made)
    }

    /// The batches that were made since, newest first, by the host's clock.
    pub async fn list(&self, since_unix: i64) -> Result<Vec<BatchStatus>, NoHostReply> {
        let (mut found, mut after) = (Vec::new(), None);
        let name = match self.row.form {
            BatchForm::Files => "after",
            BatchForm::Inline => "after_id",
        };
        for _ in 0..PAGES_MAX {
            let behind = after.as_ref().map(|id| format!("&{name}={id}")).unwrap_or_default();
            let path = format!("{}?limit={PAGE}{behind}", self.row.path);
            let list = self.exchanged(Method::GET, &path, None).await?;
            let batches = list["data"].as_array().into_iter().flatten();
            let page: Vec<BatchStatus> = batches.filter_map(|batch| self.status(batch).ok()).collect();
            after = page.last().map(|batch| batch.id.clone());
            let is_past =
                page.last().is_some_and(|batch| batch.created_unix.is_some_and(|at| at < since_unix));
            found.extend(
                page.into_iter().filter(|batch| batch.created_unix.is_none_or(|at| at >= since_unix)),
            );
            if after.is_none() || is_past || list["has_more"] != true {
                break;
            }
        }
        Ok(found)
    }

    /// How far the batch is.
    pub async fn poll(&self, id: &str) -> Result<BatchStatus, NoHostReply> {
        let object = self.exchanged(Method::GET, &format!("{}/{id}", self.row.path), None).await?;
        self.status(&object)
    }

    /// Asks the host to cancel the batch, which is safe to repeat.
    pub async fn cancel(&self, id: &str) -> Result<BatchStatus, NoHostReply> {
        let body = Some(("application/json", b"{}".to_vec()));
        let object = self.exchanged(Method::POST, &format!("{}/{id}/cancel", self.row.path), body).await?;
        self.status(&object)
    }

    /// Begins to read results at a path that the status names. Nothing is read from another host.
    pub async fn results(&self, path: &str) -> Result<Download, NoHostReply> {
        match self.service.download(self.url(path)).await {
            Ok(download) => Ok(download),
            Err(reception) => Err(no_reply(reception.outcome)),
        }
    }

    /// The answer to one request, as if it had come by itself, without the key in it.
    pub fn reception(&self, status: u16, body: Vec<u8>) -> Reception {
        self.service.clean(Reception::of_response(Response { status, headers: Vec::new(), body }))
    }

    fn status(&self, object: &Value) -> Result<BatchStatus, NoHostReply> {
        BatchStatus::read(self.row.form, &self.row.path, object)
            .ok_or_else(|| NoHostReply::Lost("the reply about a batch has no id".to_owned()))
    }

    fn url(&self, path: &str) -> Url {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut url = self.chat.base_url.call(path);
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let dialect = self.chat.dialect();
        let of_host = dialect.query.iter().chain(&self.chat.query);
        let all: Vec<(String, String)> = pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .chain(of_host.map(|(name, value)| (name.clone(), value.clone())))
            .collect();
        if !all.is_empty() {
            url.query_pairs_mut().extend_pairs(all);
        }
        url
    }

    async fn exchanged(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
    ) -> Result<Value, NoHostReply> {
        let exchange = Exchange { method, url: self.url(path), body };
        match self.service.exchange(exchange).await.outcome {
            CallOutcome::Response(response) if (200..300).contains(&response.status) => {
                serde_json::from_slice(&response.body)
                    .map_err(|error| NoHostReply::Lost(format!("the reply is not JSON: {error}")))
            }
            outcome => Err(no_reply(outcome)),
        }
    }
}

/// The line of one request to the judge of `chat`, in the form of its API.
pub(crate) fn request_line(chat: &ChatSettings, left: &LeftOut, id: &str, question: &Question) -> Vec<u8> {
    let (body, dialect) = (request_of(chat, left, question), chat.dialect());
    let line = match dialect.batch() {
        Some(BatchRow { form: BatchForm::Inline, .. }) => json!({ "custom_id": id, "params": body }),
        row => {
            let url = row.map_or_else(|| format!("/v1/{}", dialect.path), |row| row.endpoint.clone());
            json!({ "custom_id": id, "method": "POST", "url": url, "body": body })
        }
    };
    let mut line = lines::on_one_line(&line).into_bytes();
    line.push(b'\n');
    line
}

/// What a request without a usable answer means. An error of the server may have come after its work.
fn no_reply(outcome: CallOutcome) -> NoHostReply {
    match outcome {
        CallOutcome::Response(response)
            if (300..500).contains(&response.status) && response.status != 408 =>
        {
            NoHostReply::Refused(response)
        }
        CallOutcome::Response(response) => NoHostReply::Lost(format!("status {}", response.status)),
        CallOutcome::Broken { fault, .. } => match fault {
            TransportFault::Connect(_)
            | TransportFault::Tls(_)
            | TransportFault::ConnectTimeout(_)
            | TransportFault::Refused(_)
            | TransportFault::NotRecorded
            | TransportFault::ProgramGone(_) => NoHostReply::NotSent(fault),
            TransportFault::FirstByteTimeout(_)
            | TransportFault::IdleTimeout(_)
            | TransportFault::TotalTimeout(_)
            | TransportFault::Lost(_)
            | TransportFault::BadBody(_)
            | TransportFault::TooLarge(_) => NoHostReply::Lost(fault.to_string()),
        },
    }
}
