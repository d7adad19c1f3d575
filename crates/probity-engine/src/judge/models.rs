//! Which models a server has, when they end and how much they read: one request, in whatever form the answer comes.

use serde_json::Value;

use super::service::Service;
use super::{CallLimits, CallOutcome, JudgeError};
use crate::config::ChatSettings;
use crate::config::models::ServerModel;

/// The members under which servers tell a model's end.
const ENDS: [&str; 4] = ["shutdown_date", "retires_at", "deprecation", "expiration_date"];

/// Where servers tell how many tokens a model reads, as it is loaded or at the most.
const CONTEXTS: [&str; 8] = [
    "/loaded_context_length", "/max_model_len", "/meta/n_ctx", "/context_window", "/context_length",
    "/max_context_length", "/max_input_tokens", "/inputTokenLimit",
];

/// Why a server did not list its models.
#[derive(Debug, thiserror::Error)]
pub enum NoModels {
    /// It could not be asked.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    /// It did not answer.
    #[error("{url} did not answer: {problem}")]
    Silent {
        /// What was asked.
        url: String,
        /// What happened.
        problem: String,
    },
    /// Its answer is no list.
    #[error("{url} does not list models: {problem}")]
    NoList {
        /// What was asked.
        url: String,
        /// The status, or what is wrong.
        problem: String,
    },
}

/// The models of the server of `chat`, in its order. `get` gives the value of an environment variable.
pub async fn server_models(
    chat: &ChatSettings,
    limits: CallLimits,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<ServerModel>, NoModels> {
    let path = if chat.base_url.ends_with("v1") || !is_bare(chat) { "models" } else { "v1/models" };
    let url = chat.base_url.call(path).to_string();
    match Service::of_chat(chat, limits, get)?.get(path, &chat.base_url).await.outcome {
        CallOutcome::Broken { fault, .. } => Err(NoModels::Silent { url, problem: fault.to_string() }),
        CallOutcome::Response(response) if response.status != 200 => {
            Err(NoModels::NoList { url, problem: format!("status {}", response.status) })
        }
        CallOutcome::Response(response) => {
            listed(&response.body).ok_or_else(|| NoModels::NoList { url, problem: "another form".to_owned() })
        }
    }
}

/// Whether nothing stands behind the host: the Messages API is named that way.
fn is_bare(chat: &ChatSettings) -> bool {
    chat.base_url.url().path().trim_end_matches('/').is_empty()
}

/// The models in `data` or `models`, by `id` or `name`; `None` where there is no such list.
fn listed(body: &[u8]) -> Option<Vec<ServerModel>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let list = body.as_array().or_else(|| body["data"].as_array()).or_else(|| body["models"].as_array())?;
    let model = |model: &Value| {
        let id = model["id"].as_str().or_else(|| model["name"].as_str())?.to_owned();
        let ends = ENDS.iter().find_map(|name| model[*name].as_str()?.parse().ok());
        let context = CONTEXTS.iter().find_map(|place| tokens(model, place));
        Some(ServerModel { id, ends, context })
    };
    Some(list.iter().filter_map(model).collect())
}

fn tokens(document: &Value, place: &str) -> Option<u32> {
    document.pointer(place)?.as_u64()?.try_into().ok().filter(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, want: Option<&[(&str, Option<&str>)]>) {
        let got = listed(body.as_bytes());
        let got = got.map(|list| {
            list.into_iter()
                .map(|model| (model.id, model.ends.map(|end| end.to_string())))
                .collect::<Vec<_>>()
        });
        let want = want.map(|list| {
            list.iter().map(|(id, end)| ((*id).to_owned(), end.map(str::to_owned))).collect::<Vec<_>>()
        });
        assert_eq!(got, want);
    }

    #[test]
    fn every_form_of_a_list_is_read() {
        check(
            r#"{"object":"list","data":[{"id":"m","shutdown_date":"2027-01-14"},{"id":"n","shutdown_date":null}]}"#,
            Some(&[("m", Some("2027-01-14")), ("n", None)]),
        );
        check(
            r#"{"data":[{"id":"c","retires_at":"2026-11-30T00:00:00Z"}]}"#,
            Some(&[("c", Some("2026-11-30"))]),
        );
        check(r#"{"models":[{"name":"models/g"}]}"#, Some(&[("models/g", None)]));
        check(r#"[{"id":"t"}]"#, Some(&[("t", None)]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }

    #[test]
    fn how_much_a_model_reads_stands_in_many_places() {
        for body in [
            r#"{"data":[{"id":"m","max_model_len":4096}]}"#,
            r#"{"data":[{"id":"m","meta":{"n_ctx":4096,"n_ctx_train":8192}}]}"#,
            r#"{"data":[{"id":"m","loaded_context_length":4096,"max_context_length":8192}]}"#,
            r#"{"models":[{"name":"m","inputTokenLimit":4096}]}"#,
        ] {
            let list = listed(body.as_bytes()).expect("a list");
            assert_eq!(list[0].context, Some(4096), "{body}");
        }
        assert_eq!(listed(br#"{"data":[{"id":"m"}]}"#).expect("a list")[0].context, None);
    }
}
