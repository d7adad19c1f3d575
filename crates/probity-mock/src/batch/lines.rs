//! The lines of a batch: what became of each request, and how results are written.

use serde_json::{Value, json};

use super::super::Mock;
use super::super::answer::MockCall;
use super::super::asked::asked;
use super::super::decide::{decide, line};
use super::super::dialect::Dialect;
use super::super::http::Then;
use super::{ApiForm, Ending, StoredBatch};

/// The padding of a line that is longer than any answer.
const LONG_BYTES: usize = 3 << 20;

/// One request of a batch.
#[derive(Debug, Clone)]
pub(super) struct BatchLine {
    pub(super) custom_id: String,
    pub(super) body: Value,
}

/// What became of a request.
#[derive(Debug, Clone)]
pub(super) enum LineEnd {
    /// It has an answer, with this status and this body, which is JSON.
    Answered { status: u16, body: String },
    /// The batch ended before.
    Expired,
    /// The batch was cancelled before.
    Cancelled,
}

/// Answers the first `n` requests. What is billed is in the ledger afterwards.
pub(super) fn answer(mock: &Mock, batch: &mut StoredBatch, n: usize) {
    let unanswered = if batch.ending == Ending::Expired { LineEnd::Expired } else { LineEnd::Cancelled };
    let ends = batch
        .requests
        .iter()
        .enumerate()
        .map(|(i, request)| if i < n { answered(mock, batch, (i, request)) } else { unanswered.clone() });
    batch.ends = ends.collect();
}

/// What becomes of one request: a fault of its batch, or what a call by itself would get.
fn answered(mock: &Mock, batch: &StoredBatch, (i, request): (usize, &BatchLine)) -> LineEnd {
    let (dialect, path) = match (batch.form, batch.endpoint.ends_with("/responses")) {
        (ApiForm::Files, true) => (Dialect::Responses, "/v1/responses"),
        (ApiForm::Files, false) => (Dialect::OpenAi, "/v1/chat/completions"),
        (ApiForm::Inline, _) => (Dialect::Anthropic, "/v1/messages"),
    };
    let bytes = request.body.to_string();
    let asked = match asked(dialect, path, bytes.as_bytes(), mock.settings.host.as_ref()) {
        Ok(asked) => asked,
        Err(message) => {
            let body = dialect.error("invalid_request_error", &message, None);
            return LineEnd::Answered { status: 400, body };
        }
    };
    let packet = blake3::hash(asked.user.as_bytes());
    let under_way = mock.counts.begin(packet);
    let call = MockCall::new(&mock.settings, &asked, packet, under_way.attempt);
    let decision = decide(&call);
    let (status, body) = match refused(batch, i, dialect) {
        Some(refusal) => refusal,
        None if decision.act.then == Then::Keep => {
            (decision.act.status.unwrap_or(500), body_of(&decision.act.bytes))
        }
        None => (500, dialect.error("server_error", "The connection broke.", None)),
    };
    let body = with_tier(body, batch, status);
    mock.counts.decided(decision.fault.map(|fault| fault.number), Some(status));
    mock.counts.ended();
    let mut entry = line(&call, &decision, &under_way);
    entry["status"] = json!(status);
    entry["batch"] = json!(batch.id);
    entry["custom_id"] = json!(request.custom_id);
    if let Some(ledger) = &mock.ledger
        && ledger.append(&entry.to_string()).is_err()
    {
        mock.ledger_failures.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    LineEnd::Answered { status, body }
}

/// The error that a fault of the batch puts in place of an answer.
fn refused(batch: &StoredBatch, i: usize, dialect: Dialect) -> Option<(u16, String)> {
    let has = |number: &str| batch.faults.contains(number);
    let server = || (500, dialect.error("server_error", "The server had an error.", None));
    let limited = || (429, dialect.error(dialect.rate_limit_code(), "Slow down.", None));
    match () {
        () if has("B16") => Some(server()),
        () if has("B41") => {
            let code = if dialect == Dialect::Anthropic { "not_found_error" } else { "model_not_found" };
            Some((404, dialect.error(code, "The model does not exist.", None)))
        }
        () if has("B42") => {
            let message = "Unsupported parameter: 'seed' is not supported with this model.";
            let code =
                if dialect == Dialect::Anthropic { "invalid_request_error" } else { "unsupported_parameter" };
            Some((400, dialect.error(code, message, Some("seed"))))
        }
        () if has("B43") && 2 * i >= batch.requests.len() => {
            let code = if dialect == Dialect::Anthropic { "billing_error" } else { "insufficient_quota" };
            Some((429, dialect.error(code, "You exceeded your current quota.", None)))
        }
        () if has("B44") && i % 3 == 1 => Some(if i.is_multiple_of(2) { limited() } else { server() }),
        () => None,
    }
}

/// The body of a response as it would be sent.
fn body_of(bytes: &[u8]) -> String {
    let start = bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |at| at + 4);
    let body = String::from_utf8_lossy(&bytes[start..]).into_owned();
    // A line is JSON, whatever a model or a gateway made of its answer.
    if serde_json::from_str::<Value>(&body).is_ok() { body } else { json!(body).to_string() }
}

/// The body with the tier that it came from.
fn with_tier(body: String, batch: &StoredBatch, status: u16) -> String {
    let is_dear = batch.faults.contains("B49");
    if status != 200 || (batch.form == ApiForm::Files && !is_dear) {
        return body;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(&body) else { return body };
    match batch.form {
        ApiForm::Files => value["service_tier"] = json!("priority"),
        ApiForm::Inline if value.get("usage").is_some() => {
            value["usage"]["service_tier"] = json!(if is_dear { "standard" } else { "batch" });
        }
        ApiForm::Inline => {}
    }
    value.to_string()
}

impl StoredBatch {
    /// The lines of results that have an answer or none, by how each is written; the last request comes first.
    pub(super) fn written(&self, write: impl Fn(&str, &LineEnd) -> Option<String>) -> Vec<String> {
        let lines = self.requests.iter().zip(&self.ends).rev();
        lines.filter_map(|(request, end)| write(&request.custom_id, end)).collect()
    }

    /// What the faults of the batch make of the lines of its results.
    pub(super) fn broken(&self, mut lines: Vec<String>) -> Vec<String> {
        let has = |number: &str| self.faults.contains(number);
        if lines.is_empty() {
            return lines;
        }
        let first = lines[0].clone();
        if has("B15") {
            let kept = lines.into_iter().enumerate().filter(|(i, _)| i % 3 != 1);
            lines = kept.map(|(_, line)| line).collect();
        }
        if has("B28") {
            lines.push(first.clone());
        }
        if has("B29") {
            lines.push(first.replacen("mock", "other", 1));
        }
        if has("B30") {
            let stranger = first.replacen("\"custom_id\":\"", "\"custom_id\":\"stranger-", 1);
            lines.insert(0, stranger);
        }
        if has("B35") {
            lines[0].truncate(first.len() / 2);
        }
        if has("B36") {
            let padding = "x".repeat(LONG_BYTES);
            lines[0].insert_str(1, &format!("\"padding\":\"{padding}\","));
        }
        if has("B66") {
            let id = first.split_once("\"custom_id\":\"").and_then(|(_, rest)| rest.split('"').next());
            let id = id.unwrap_or_default();
            let (whole, cut) = (format!("\"custom_id\":\"{id}\""), &id[..id.len().saturating_sub(1)]);
            lines[0] = first.replacen(&whole, &format!("\"custom_id\":\"{cut}\""), 1);
        }
        lines
    }

    /// Requests by what became of them: with an answer, with an error, cancelled, expired.
    pub(super) fn counts(&self) -> [usize; 4] {
        let mut counts = [0; 4];
        for end in &self.ends {
            counts[match end {
                LineEnd::Answered { status: 200, .. } => 0,
                LineEnd::Answered { .. } => 1,
                LineEnd::Cancelled => 2,
                LineEnd::Expired => 3,
            }] += 1;
        }
        counts
    }
}
