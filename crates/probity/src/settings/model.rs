//! The model of an endpoint for which nothing names one: the only one that its server has.

use std::collections::BTreeSet;

use probity_engine::config::models::ServerModel;
use probity_engine::config::{CallLimits, ChatSettings, Config};
use probity_engine::judge::models::{NoModels, server_models};
use probity_engine::ledger::{Store, StoreAddress};
use probity_engine::target::is_target;
use serde_json::Value;

use super::variable;
use crate::args::CallArgs;
use crate::exit::{Exit, Failure};

/// So many models are named in a hint.
const LISTED_MAX: usize = 20;

/// Asks the server of `chat` which models it has.
pub(crate) fn listed(chat: &ChatSettings, limits: CallLimits) -> Result<Vec<ServerModel>, NoModels> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| NoModels::Silent {
        url: chat.base_url.to_string(),
        problem: format!("could not start: {error}"),
    })?;
    runtime.block_on(server_models(chat, limits, &variable))
}

/// What stands for the model where nothing is sent and nothing is on record.
const NOT_ASKED: &str = "(the server's model)";

/// The only model of the server. Where it may not be asked, or does not tell, the only one of its models that the store
/// knows.
pub(super) fn only_model(
    chat: &ChatSettings,
    config: &Config,
    calls: Option<&CallArgs>,
) -> Result<ServerModel, Failure> {
    let may_ask = calls.is_some_and(|calls| !calls.offline && !calls.dry_run);
    let asked = may_ask.then(|| listed(chat, config.schedule.limits));
    let (models, found_by) = if let Some(Ok(models)) = &asked {
        (models.clone(), chat.base_url.to_string())
    } else {
        let store = super::address(config)?;
        (on_record(chat, &store), store.to_string())
    };
    match (&models[..], asked) {
        ([only], _) => Ok(only.clone()),
        ([], None) => Ok(ServerModel::named(NOT_ASKED)),
        ([], Some(Err(error))) => {
            let (exit, hint) = match error {
                NoModels::Silent { .. } => (Exit::Incomplete, "start the server, or correct --base-url"),
                _ => (Exit::Usage, "choose the model with --model"),
            };
            Err(Failure::new(exit, &error).hint(hint))
        }
        (models, _) => {
            let n = models.len();
            let names: Vec<&str> = models.iter().take(LISTED_MAX).map(|model| model.id.as_str()).collect();
            let names = names.join(", ");
            let more = if n > LISTED_MAX { format!(" and {} more", n - LISTED_MAX) } else { String::new() };
            Err(Failure::usage(format!("no model was chosen, and {found_by} has {n}"))
                .hint(format!("choose one with --model: {names}{more}")))
        }
    }
}

/// The models of this endpoint that the store has verdicts of.
fn on_record(chat: &ChatSettings, store: &StoreAddress) -> Vec<ServerModel> {
    let store = store.may_exist().then(|| Store::open_read_only(store).ok()).flatten();
    let judges = store.and_then(|store| store.reader().ok()?.judges().ok()).unwrap_or_default();
    let model = |(_, identity): &(_, String)| {
        let identity: Value = serde_json::from_str(identity).ok()?;
        let is_here = identity["base_url"] == chat.base_url.to_string();
        identity["model"].as_str().filter(|_| is_here).map(str::to_owned)
    };
    let judges = judges.iter().filter(|(_, identity)| !is_target(identity));
    judges
        .filter_map(model)
        .collect::<BTreeSet<String>>()
        .iter()
        .map(|name| ServerModel::named(name))
        .collect()
}
