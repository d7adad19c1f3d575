//! What is done about the errors that hosts of models are known to send, one folder per host.
//!
//! A line of `errors.jsonl` is a status, its decisive headers, the decisive fields of a body, and what is done about it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use probity_core::verdict::{EnvelopeFault, envelope};
use probity_engine::judge::{CallOutcome, Response};
use probity_engine::schedule::classify::{CallTerms, Disposition, classify};
use probity_engine::schedule::lane::Stop;
use serde_json::Value;

const TERMS: CallTerms<'_> =
    CallTerms { model: "m-1", wait_max: Duration::from_mins(2), received_unix_ms: Some(1_772_366_400_000) };

/// An error on record.
#[derive(serde::Deserialize)]
struct RecordedError {
    id: String,
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// A text, or JSON.
    body: Value,
    want: String,
}

impl RecordedError {
    fn outcome(self) -> CallOutcome {
        let body = self.body.as_str().map_or_else(|| self.body.to_string(), str::to_owned);
        let headers = self.headers.into_iter().collect();
        CallOutcome::Response(Response { status: self.status, headers, body: body.into_bytes() })
    }
}

fn summary(outcome: &CallOutcome) -> String {
    match classify(outcome, &TERMS) {
        // An error inside a choice is found by the reader of answers, which hands it on as the status it names.
        Ok(response) => match envelope::openai(&response.body) {
            Err(EnvelopeFault::Error { status: Some(status), .. }) => {
                summary(&CallOutcome::Response(Response { status, ..response.clone() }))
            }
            other => format!("answer {other:?}"),
        },
        Err(Disposition::Retry { reason, floor, .. }) => {
            let floor = floor.map_or_else(String::new, |floor| format!(" {floor:?}"));
            format!("retry {reason}{floor}")
        }
        Err(Disposition::Wait { reason, pause, .. }) => format!("wait {reason} {pause:?}"),
        Err(Disposition::Damaged { reason }) => format!("ask again {reason}"),
        Err(Disposition::GiveUp { reason, .. }) => format!("give up {reason}"),
        Err(Disposition::Invalid { reason, .. }) => format!("invalid {reason}"),
        Err(Disposition::Stop { stop: Stop::ParameterRefused { parameter, .. }, .. }) => {
            format!("refused {}", parameter.setting())
        }
        Err(Disposition::Stop { reason, .. }) => format!("stop {reason}"),
    }
}

#[test]
fn e01_to_e174_get_what_a_careful_client_would_do() {
    let hosts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts");
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for host in fs::read_dir(hosts).expect("the folder") {
        let file = host.expect("a folder").path().join("errors.jsonl");
        for line in fs::read_to_string(&file).expect("recorded errors").lines() {
            let error: RecordedError = serde_json::from_str(line).expect("a recorded error");
            let (id, want) = (error.id.clone(), error.want.clone());
            let got = summary(&error.outcome());
            if got != want {
                wrong.push(format!("{id}: expected {want}, got {got}"));
            }
            assert!(seen.insert(id.clone()), "{id} stands twice");
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(seen.iter().filter(|id| id.starts_with('E')).count(), 103);
}
