//! What is done about the errors that hosts of models are known to send, one folder per host.
//!
//! A line of `errors.jsonl` is a status, its decisive headers, the decisive fields of a body, and what is done about it; a
//! line of `answers.jsonl` is an answer with a whole verdict in it, and whether its end lets that count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use probity_core::verdict::{EnvelopeFault, Finish, envelope};
use probity_engine::dialect::Dialect;
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

/// The lines of the files called `name`, each with the folder it lies in.
fn recorded<T: serde::de::DeserializeOwned>(name: &str) -> Vec<(String, T)> {
    let hosts = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")).expect("the folder");
    let mut all = Vec::new();
    for host in hosts.map(|host| host.expect("a folder")) {
        let text = fs::read_to_string(host.path().join(name)).unwrap_or_default();
        let folder = host.file_name().into_string().expect("a name");
        all.extend(text.lines().map(|line| (folder.clone(), serde_json::from_str(line).expect("a line"))));
    }
    all
}

#[test]
fn e01_to_e174_get_what_a_careful_client_would_do() {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for (_, error) in recorded::<RecordedError>("errors.jsonl") {
        let (id, want) = (error.id.clone(), error.want.clone());
        let got = summary(&error.outcome());
        if got != want {
            wrong.push(format!("{id}: expected {want}, got {got}"));
        }
        assert!(seen.insert(id.clone()), "{id} stands twice");
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(seen.iter().filter(|id| id.starts_with('E')).count(), 107);
}

/// An answer on record.
#[derive(serde::Deserialize)]
struct RecordedAnswer {
    id: String,
    body: Value,
    want: String,
}

#[test]
fn r01_to_r46_only_a_known_end_is_complete() {
    let mut wrong = Vec::new();
    let answers = recorded::<RecordedAnswer>("answers.jsonl");
    assert!(answers.len() >= 60, "{}", answers.len());
    for (host, RecordedAnswer { id, body, want }) in answers {
        // What no row knows is spoken to as any compatible server.
        let dialect = host.parse::<Dialect>().unwrap_or_else(|_| "compatible".parse().expect("a row"));
        let got = match dialect.completion(body.to_string().as_bytes()) {
            Ok(completion) => {
                let end = match &completion.finish {
                    _ if completion.refusal.is_some() => "never",
                    Finish::Stop => "complete",
                    Finish::Length => "cut",
                    Finish::ToolCalls => "tool",
                    Finish::Missing => "unsaid",
                    Finish::ContentFilter | Finish::Refusal | Finish::Other(_) => "never",
                };
                let text = completion.text.as_deref().unwrap_or_default();
                assert!(!text.contains("Level 1?"), "{id}: a thought is no answer");
                let usage = completion.usage.map(|usage| format!(" {}+{}", usage.input, usage.output));
                format!("{end}{}", usage.unwrap_or_default())
            }
            Err(EnvelopeFault::Error { .. }) => "error".to_owned(),
            Err(fault) => fault.to_string(),
        };
        if got != want {
            wrong.push(format!("{host} {id}: expected {want}, got {got}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
