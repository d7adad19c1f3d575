//! OpenAI's form: a file of requests is uploaded, a batch is made over it, and its results are files.

use serde_json::{Value, json};

use super::super::http::{HttpResponse, WireAct};
use super::lines::{BatchLine, LineEnd};
use super::{ApiForm, BatchDesk, Ending, Stage, StoredBatch, StoredFile, cut, lost, now};

impl BatchDesk<'_> {
    pub(super) fn openai_files(&mut self, method: &str, rest: &[&str]) -> Option<WireAct> {
        Some(match (method, rest) {
            ("POST", []) => self.upload(),
            ("GET", []) => {
                let key = &self.request.key;
                let own = self.held.files.iter().filter(|(_, file)| file.owner == *key);
                let data: Vec<Value> = own.map(|(id, file)| file_object(id, file)).collect();
                listed(&data, false)
            }
            ("GET", [id, "content"]) => self.content(id),
            ("DELETE", [id]) => {
                let is_own = self.held.files.get(*id).is_some_and(|file| file.owner == self.request.key);
                if !is_own {
                    return Some(self.not_found());
                }
                self.held.files.remove(*id);
                HttpResponse::json(200, json!({ "id": id, "deleted": true }).to_string()).into()
            }
            _ => return None,
        })
    }

    pub(super) fn openai_batches(&mut self, method: &str, rest: &[&str]) -> Option<WireAct> {
        let mock = self.mock;
        Some(match (method, rest) {
            ("POST", []) => self.create(),
            ("GET", []) => {
                let (page, has_more) = self.page(ApiForm::Files, "after");
                let data: Vec<Value> =
                    page.iter().map(|batch| batch_object(batch, batch.stage(mock))).collect();
                listed(&data, has_more)
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
            _ => return None,
        })
    }

    fn upload(&mut self) -> WireAct {
        let Some((name, content)) = parts(self.request) else {
            return self.error(400, "invalid_request_error", "expected a form with purpose and file");
        };
        if self.has("B64") && content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count() > 4
        {
            return self.error(413, "", "");
        }
        self.held.n_files += 1;
        let id = format!("file-mock{:06}", self.held.n_files);
        let owner = self.request.key.clone();
        let file = StoredFile { owner, name, content, created_unix: now() };
        let object = file_object(&id, &file);
        self.held.files.insert(id, file);
        if self.happens("B02") { lost() } else { HttpResponse::json(200, object.to_string()).into() }
    }

    fn create(&mut self) -> WireAct {
        let order: Value = serde_json::from_slice(&self.request.body).unwrap_or_default();
        let input = order["input_file_id"].as_str().unwrap_or_default().to_owned();
        if self.happens("B05") {
            return self.error(400, "invalid_request_error", "This batch is refused.");
        }
        if self.happens("B06") {
            return self.error(429, "rate_limit_exceeded", "Too many batches.");
        }
        let file = self.held.files.get(&input).filter(|file| file.owner == self.request.key);
        let content = file.map(|file| file.content.clone());
        let Some(content) = content.filter(|_| !self.happens("B03")) else {
            return self.error(404, "file_not_found", "No such File object.");
        };
        let mut batch = self.begun(ApiForm::Files, requests(&content));
        batch.metadata = order["metadata"].clone();
        batch.input_file = input;
        order["endpoint"].as_str().unwrap_or_default().clone_into(&mut batch.endpoint);
        let id = self.made(batch);
        if self.happens("B04") {
            return lost();
        }
        let mock = self.mock;
        self.batch(&id).map_or_else(lost, |batch| shown(batch, batch.stage(mock)))
    }

    fn content(&mut self, id: &str) -> WireAct {
        let mock = self.mock;
        let (batch, is_output) = match (id.strip_prefix("file-out-"), id.strip_prefix("file-err-")) {
            (Some(batch), _) => (batch, true),
            (None, Some(batch)) => (batch, false),
            (None, None) => return self.not_found(),
        };
        let is_cut = self.happens("B34");
        let found = self.batch(batch).filter(|batch| !batch.faults.contains("B33"));
        let Some(batch) = found.filter(|batch| batch.stage(mock) == Stage::Final) else {
            return self.not_found();
        };
        if batch.faults.contains("B37") {
            let elsewhere = HttpResponse::json(302, "{}").with("location", "http://192.0.2.1/results");
            return elsewhere.into();
        }
        let lines = if is_output { batch.broken(outputs(batch)) } else { errors(batch) };
        let headers = vec![("content-type", "application/octet-stream".to_owned())];
        let response = HttpResponse { status: 200, headers, body: text(&lines) };
        if is_cut { cut(&response) } else { response.into() }
    }
}

/// The name and the content of the file in a form.
fn parts(request: &super::HttpRequest) -> Option<(String, Vec<u8>)> {
    let boundary = request.content_type.split_once("boundary=")?.1.trim_matches('"');
    let marker = format!("--{boundary}").into_bytes();
    let find = |from: usize, what: &[u8]| {
        let rest = request.body.get(from..)?;
        rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
    };
    let name_at = find(0, b"filename=\"")? + 10;
    let name_end = find(name_at, b"\"")?;
    let start = find(name_end, b"\r\n\r\n")? + 4;
    let end = find(start, &[b"\r\n", &marker[..]].concat())?;
    let name = String::from_utf8(request.body[name_at..name_end].to_vec()).ok()?;
    Some((name, request.body[start..end].to_vec()))
}

fn requests(content: &[u8]) -> Vec<BatchLine> {
    let lines = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let read = lines.map(|line| {
        let mut line: Value = serde_json::from_slice(line).unwrap_or_default();
        let custom_id = line["custom_id"].as_str().unwrap_or_default().to_owned();
        BatchLine { custom_id, body: line["body"].take() }
    });
    read.collect()
}

fn file_object(id: &str, file: &StoredFile) -> Value {
    json!({
        "id": id, "object": "file", "bytes": file.content.len(), "created_at": file.created_unix,
        "filename": file.name, "purpose": "batch",
    })
}

fn batch_object(batch: &StoredBatch, stage: Stage) -> Value {
    let [completed, failed, ..] = batch.counts();
    let is_final = stage == Stage::Final;
    let has_failed = matches!(batch.ending, Ending::Failed(_));
    let status = match (stage, &batch.ending) {
        (Stage::InProgress, _) => "in_progress",
        (Stage::Finalizing, _) => "finalizing",
        (Stage::Unnamed, _) => "resting",
        (Stage::Cancelling, _) => "cancelling",
        (Stage::Final, Ending::Completed) => "completed",
        (Stage::Final, Ending::Expired) => "expired",
        (Stage::Final, Ending::Cancelled) => "cancelled",
        (Stage::Final, Ending::Failed(_)) => "failed",
    };
    let missing = if batch.faults.contains("B17") { json!("") } else { Value::Null };
    let file = |prefix: &str, lines: &[String]| {
        let is_there = is_final && !has_failed && !lines.is_empty();
        if is_there { json!(format!("{prefix}{}", batch.id)) } else { missing.clone() }
    };
    let counts = if is_final && !has_failed { (completed, failed) } else { (0, 0) };
    let errors_of_batch = match &batch.ending {
        Ending::Failed(errors) if is_final => errors.clone(),
        _ => Value::Null,
    };
    json!({
        "id": batch.id, "object": "batch", "endpoint": batch.endpoint, "errors": errors_of_batch,
        "input_file_id": batch.input_file, "completion_window": "24h", "status": status,
        "output_file_id": file("file-out-", &outputs(batch)), "error_file_id": file("file-err-", &errors(batch)),
        "created_at": batch.created_unix, "expires_at": batch.created_unix + 86400,
        "request_counts": { "total": batch.requests.len(), "completed": counts.0, "failed": counts.1 },
        "metadata": batch.metadata, "usage": if is_final { usage(batch) } else { Value::Null },
    })
}

/// The tokens of all lines, and more where that is the fault.
fn usage(batch: &StoredBatch) -> Value {
    let (mut input, mut output) = (0, 0);
    for end in &batch.ends {
        let LineEnd::Answered { body, .. } = end else { continue };
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        input += body.pointer("/usage/prompt_tokens").and_then(Value::as_u64).unwrap_or(0);
        output += body.pointer("/usage/completion_tokens").and_then(Value::as_u64).unwrap_or(0);
    }
    if batch.faults.contains("B51") {
        input += 1000;
    }
    json!({ "input_tokens": input, "output_tokens": output, "total_tokens": input + output })
}

fn outputs(batch: &StoredBatch) -> Vec<String> {
    batch.written(|id, end| match end {
        LineEnd::Answered { status: 200, body } => Some(line(id, 200, body)),
        _ => None,
    })
}

fn errors(batch: &StoredBatch) -> Vec<String> {
    let mut lines = batch.written(|id, end| match end {
        LineEnd::Answered { status: 200, .. } => None,
        LineEnd::Answered { status, body } => Some(line(id, *status, body)),
        LineEnd::Expired => Some(not_run(
            id,
            "batch_expired",
            "This request could not be executed before the completion window expired.",
        )),
        LineEnd::Cancelled => Some(not_run(id, "batch_cancelled", "This request was cancelled.")),
    });
    if batch.faults.contains("B18")
        && let Some(request) = batch.requests.last()
    {
        lines.push(line(
            &request.custom_id,
            500,
            r#"{"error":{"message":"The server had an error.","type":"server_error"}}"#,
        ));
    }
    lines
}

fn line(id: &str, status: u16, body: &str) -> String {
    format!(
        r#"{{"id":"batch_req_{id}","custom_id":"{id}","response":{{"status_code":{status},"request_id":"req_{id}","body":{body}}},"error":null}}"#
    )
}

fn not_run(id: &str, code: &str, message: &str) -> String {
    let error = json!({ "code": code, "message": message });
    format!(r#"{{"id":"batch_req_{id}","custom_id":"{id}","response":null,"error":{error}}}"#)
}

fn shown(batch: &StoredBatch, stage: Stage) -> WireAct {
    HttpResponse::json(200, batch_object(batch, stage).to_string()).into()
}

fn listed(data: &[Value], has_more: bool) -> WireAct {
    HttpResponse::json(200, json!({ "object": "list", "data": data, "has_more": has_more }).to_string())
        .into()
}

/// Lines as a file has them.
pub(super) fn text(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect()
}
