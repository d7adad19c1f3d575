//! What hosts say about a batch, in either form, read once.
//!
//! A word that is not known is not final: nothing is released or read because of it.

use jiff::Timestamp;
use probity_core::verdict::Usage;
use serde_json::Value;

use crate::dialect::BatchForm;

/// A batch as its host has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchStatus {
    /// The host's name of it.
    pub id: String,
    /// The tag that it was made with, where the host keeps one.
    pub tag: Option<String>,
    /// How far it is.
    pub stage: BatchStage,
    /// The state in the host's words.
    pub word: String,
    /// Requests in it, where that is told.
    pub n_requests: Option<u64>,
    /// Requests that were run, well or badly, where that is told.
    pub n_run: Option<u64>,
    /// When it was made, in seconds since 1970 by the host's clock.
    pub created_unix: Option<i64>,
    /// When it expires, by the same clock.
    pub expires_unix: Option<i64>,
    /// The file that it was made from.
    pub input_file: Option<String>,
    /// Where its results are: paths below the base URL.
    pub results: Vec<String>,
    /// Why it failed as a whole.
    pub failures: Vec<BatchFailure>,
    /// Tokens of all its lines, where that is told.
    pub usage: Option<Usage>,
}

/// How far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchStage {
    /// It is checked, waits or runs.
    Pending,
    /// It is being cancelled.
    Cancelling,
    /// The host has a word for it that is not known here.
    Unknown,
    /// It has ended, whatever became of its lines.
    Ended,
    /// It never began, and nothing is billed.
    Failed,
}

/// Why a batch failed as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchFailure {
    /// The host's code.
    pub code: String,
    /// Its sentence.
    pub message: String,
    /// The line of the requests that is at fault, from 1.
    pub line: Option<u64>,
}

impl BatchStatus {
    /// Whether the host does nothing more about it.
    pub fn is_final(&self) -> bool {
        matches!(self.stage, BatchStage::Ended | BatchStage::Failed)
    }

    /// Reads the object of a batch.
    pub(super) fn read(form: BatchForm, path: &str, object: &Value) -> Option<BatchStatus> {
        // Some hosts put the batch that they have just made below a name.
        let object = object.get("job").unwrap_or(object);
        let id = text(object, "/id")?;
        Some(match form {
            BatchForm::Files => files(id, object),
            BatchForm::Inline => inline(id, path, object),
        })
    }
}

fn files(id: String, object: &Value) -> BatchStatus {
    let word = text(object, "/status").unwrap_or_default().to_lowercase();
    let stage = match word.as_str() {
        "validating" | "in_progress" | "finalizing" => BatchStage::Pending,
        "cancelling" | "canceling" => BatchStage::Cancelling,
        "completed" | "expired" | "cancelled" | "canceled" => BatchStage::Ended,
        "failed" => BatchStage::Failed,
        _ => BatchStage::Unknown,
    };
    let content = |name: &str| text(object, name).map(|file| format!("files/{file}/content"));
    let count = |name: &str| object.pointer(&format!("/request_counts/{name}")).and_then(Value::as_u64);
    let tokens = |name: &str| object.pointer(&format!("/usage/{name}")).and_then(Value::as_u64);
    BatchStatus {
        id,
        tag: text(object, "/metadata/tag"),
        stage,
        word,
        n_requests: count("total"),
        n_run: count("completed").zip(count("failed")).map(|(completed, failed)| completed + failed),
        created_unix: object["created_at"].as_i64(),
        expires_unix: object["expires_at"].as_i64(),
        input_file: text(object, "/input_file_id"),
        results: ["/output_file_id", "/error_file_id"].into_iter().filter_map(content).collect(),
        failures: failures(object),
        usage: tokens("input_tokens")
            .zip(tokens("output_tokens"))
            .map(|(input, output)| Usage::new(input, output)),
    }
}

fn inline(id: String, path: &str, object: &Value) -> BatchStatus {
    let word = text(object, "/processing_status").unwrap_or_default();
    let stage = match word.as_str() {
        "in_progress" => BatchStage::Pending,
        "canceling" => BatchStage::Cancelling,
        "ended" => BatchStage::Ended,
        _ => BatchStage::Unknown,
    };
    let counts = object["request_counts"].as_object();
    let count = |name: &str| counts.and_then(|counts| counts.get(name)?.as_u64()).unwrap_or(0);
    let run = count("succeeded") + count("errored");
    let unix = |name: &str| text(object, name)?.parse::<Timestamp>().ok().map(Timestamp::as_second);
    let results = (stage == BatchStage::Ended).then(|| format!("{path}/{id}/results"));
    BatchStatus {
        id,
        tag: None,
        stage,
        word,
        n_requests: counts.map(|_| run + count("processing") + count("canceled") + count("expired")),
        // The counts stay zero until all has ended.
        n_run: counts.filter(|_| stage == BatchStage::Ended).map(|_| run),
        created_unix: unix("/created_at"),
        expires_unix: unix("/expires_at"),
        input_file: None,
        results: results.into_iter().collect(),
        failures: Vec::new(),
        usage: None,
    }
}

fn failures(object: &Value) -> Vec<BatchFailure> {
    let list = object.pointer("/errors/data").and_then(Value::as_array);
    let failure = |error: &Value| BatchFailure {
        code: text(error, "/code").unwrap_or_default(),
        message: text(error, "/message").unwrap_or_default(),
        line: error["line"].as_u64(),
    };
    let one = text(object, "/error").map(|message| BatchFailure { code: String::new(), message, line: None });
    list.into_iter().flatten().map(failure).chain(one).collect()
}

/// A text that is there; an empty one is not.
fn text(object: &Value, pointer: &str) -> Option<String> {
    let text = object.pointer(pointer)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(word: &str, want: BatchStage) {
        let object = json!({ "id": "b1", "status": word });
        assert_eq!(
            BatchStatus::read(BatchForm::Files, "batches", &object).map(|status| status.stage),
            Some(want),
            "{word}"
        );
    }

    #[test]
    fn b24_a_word_that_is_not_known_is_not_final() {
        for word in ["validating", "in_progress", "finalizing", "IN_PROGRESS"] {
            check(word, BatchStage::Pending);
        }
        for word in ["completed", "expired", "cancelled", "COMPLETED"] {
            check(word, BatchStage::Ended);
        }
        check("failed", BatchStage::Failed);
        check("cancelling", BatchStage::Cancelling);
        check("archived", BatchStage::Unknown);
        check("", BatchStage::Unknown);
    }

    #[test]
    fn b17_a_file_without_a_name_is_none() {
        let object =
            json!({ "id": "b1", "status": "completed", "output_file_id": "", "error_file_id": "file-2" });
        let status = BatchStatus::read(BatchForm::Files, "batches", &object).unwrap();
        assert_eq!(status.results, ["files/file-2/content"]);
        let object = json!({ "id": "b1", "status": "completed", "output_file_id": null });
        assert!(BatchStatus::read(BatchForm::Files, "batches", &object).unwrap().results.is_empty());
    }

    #[test]
    fn b40_times_are_those_of_the_host() {
        let counts = json!({ "processing": 3, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0 });
        let object = json!({
            "id": "m1", "processing_status": "in_progress", "request_counts": counts,
            "created_at": "2026-11-17T00:00:00Z", "expires_at": "2026-11-18T00:00:00Z", "results_url": null,
        });
        let status = BatchStatus::read(BatchForm::Inline, "v1/messages/batches", &object).unwrap();
        assert_eq!((status.n_requests, status.n_run), (Some(3), None));
        assert_eq!(status.expires_unix.unwrap() - status.created_unix.unwrap(), 86_400);
    }
}
