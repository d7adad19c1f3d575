//! Which models a server has, and when they end: one request, in whatever form the answer comes.

use probity_core::case::Moment;
use serde_json::Value;

use super::service::Service;
use super::{CallLimits, CallOutcome, JudgeError};
use crate::config::ChatSettings;

/// The members under which servers tell a model's end.
const ENDS: [&str; 4] = ["shutdown_date", "retires_at", "deprecation", "expiration_date"];

/// A model as a server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerModel {
    /// The name it is asked by.
    pub id: String,
    /// When it ends, where the server tells.
    pub ends: Option<Moment>,
}

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
    let reception = Service::of_chat(chat, limits, get)?.get(path, &chat.base_url).await;
    match reception.outcome {
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
        Some(ServerModel { id, ends })
    };
    Some(list.iter().filter_map(model).collect())
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
}
