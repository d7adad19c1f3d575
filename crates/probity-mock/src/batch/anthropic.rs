//! Anthropic's form: requests go with the create, results are one stream, and nothing names a batch but its id.

use serde_json::{Value, json};

use super::super::http::{HttpResponse, WireAct};
use super::lines::{BatchLine, LineEnd};
use super::{ApiForm, BatchDesk, Stage, StoredBatch, cut, lost, openai};

impl BatchDesk<'_> {
    pub(super) fn anthropic(&mut self, method: &str, rest: &[&str]) -> Option<WireAct> {
        let mock = self.mock;
        Some(match (method, rest) {
            ("POST", []) => self.create_inline(),
            ("GET", []) => {
                let (page, has_more) = self.page(ApiForm::Inline, "after_id");
                let data: Vec<Value> = page.iter().map(|batch| object(batch, batch.stage(mock))).collect();
                let [first, last] =
                    [data.first(), data.last()].map(|batch| batch.map(|batch| batch["id"].clone()));
                let listed =
                    json!({ "data": data, "has_more": has_more, "first_id": first, "last_id": last });
                HttpResponse::json(200, listed.to_string()).into()
            }
            ("GET", [id]) => {
                if let Some(fault) = self.poll_fault() {
                    return Some(fault);
                }
                match self.batch(id).filter(|batch| !batch.faults.contains("B32")) {
                    None => self.not_found(),
                    Some(batch) => {
                        batch.polls += 1;
                        shown(batch, batch.stage(mock))
                    }
                }
            }
            ("POST", [id, "cancel"]) => {
                let is_lost = self.happens("B21");
                match self.cancel(id) {
                    None => self.not_found(),
                    Some(_) if is_lost => lost(),
                    Some(batch) => shown(batch, batch.stage(mock)),
                }
            }
            ("GET", [id, "results"]) => self.results(id),
            _ => return None,
        })
    }

    fn create_inline(&mut self) -> WireAct {
        let mut order: Value = serde_json::from_slice(&self.request.body).unwrap_or_default();
        let Some(list) = order["requests"].as_array_mut() else {
            return self.error(400, "invalid_request_error", "requests: Field required");
        };
        let requests: Vec<BatchLine> = list
            .iter_mut()
            .map(|request| BatchLine {
                custom_id: request["custom_id"].as_str().unwrap_or_default().to_owned(),
                body: request["params"].take(),
            })
            .collect();
        let is_id = |id: &str| {
            (1..=64).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
        };
        if requests.iter().any(|request| !is_id(&request.custom_id)) {
            return self.error(
                400,
                "invalid_request_error",
                "custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
            );
        }
        if self.has("B64") && requests.len() > 4 {
            return self.error(413, "request_too_large", "BatchLine exceeds the maximum size");
        }
        if self.happens("B05") {
            return self.error(400, "invalid_request_error", "This batch is refused.");
        }
        if self.happens("B06") {
            return self.error(429, "rate_limit_error", "Too many batches.");
        }
        let batch = self.begun(ApiForm::Inline, requests);
        let id = self.made(batch);
        if self.happens("B04") {
            return lost();
        }
        let mock = self.mock;
        self.batch(&id).map_or_else(lost, |batch| shown(batch, batch.stage(mock)))
    }

    fn results(&mut self, id: &str) -> WireAct {
        let mock = self.mock;
        let is_cut = self.happens("B34");
        let found = self.batch(id).filter(|batch| !batch.faults.contains("B33"));
        let Some(batch) = found.filter(|batch| batch.stage(mock) == Stage::Final) else {
            return self.not_found();
        };
        if batch.faults.contains("B37") {
            return HttpResponse::json(302, "{}").with("location", "http://192.0.2.1/results").into();
        }
        let lines = batch.broken(batch.written(|id, end| Some(line(id, end))));
        let headers = vec![("content-type", "application/x-jsonl".to_owned())];
        let response = HttpResponse { status: 200, headers, body: openai::text(&lines) };
        if is_cut { cut(&response) } else { response.into() }
    }
}

fn line(id: &str, end: &LineEnd) -> String {
    let result = match end {
        LineEnd::Answered { status: 200, body } => format!(r#"{{"type":"succeeded","message":{body}}}"#),
        LineEnd::Answered { body, .. } => format!(r#"{{"type":"errored","error":{body}}}"#),
        LineEnd::Expired => r#"{"type":"expired"}"#.to_owned(),
        LineEnd::Cancelled => r#"{"type":"canceled"}"#.to_owned(),
    };
    format!(r#"{{"custom_id":"{id}","result":{result}}}"#)
}

fn object(batch: &StoredBatch, stage: Stage) -> Value {
    let status = match stage {
        Stage::InProgress | Stage::Finalizing => "in_progress",
        Stage::Unnamed => "resting",
        Stage::Cancelling => "canceling",
        Stage::Final => "ended",
    };
    let is_final = stage == Stage::Final;
    let [succeeded, errored, canceled, expired] = if is_final { batch.counts() } else { [0; 4] };
    let processing = if is_final { 0 } else { batch.requests.len() };
    let time = |unix: i64| jiff::Timestamp::from_second(unix).map(|time| time.to_string()).ok();
    let results = is_final.then(|| format!("/v1/messages/batches/{}/results", batch.id));
    json!({
        "id": batch.id, "type": "message_batch", "processing_status": status,
        "request_counts": {
            "processing": processing, "succeeded": succeeded, "errored": errored, "canceled": canceled,
            "expired": expired,
        },
        "created_at": time(batch.created_unix), "expires_at": time(batch.created_unix + 86400),
        "ended_at": if is_final { time(batch.created_unix) } else { None },
        "cancel_initiated_at": null, "archived_at": null, "results_url": results,
    })
}

fn shown(batch: &StoredBatch, stage: Stage) -> WireAct {
    HttpResponse::json(200, object(batch, stage).to_string()).into()
}
