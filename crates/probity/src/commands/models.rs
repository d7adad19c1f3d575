//! `probity models`: the models that are known by name, what they cost and when they end; or those of a server.

use probity_core::case::Moment;
use probity_core::exact::Exact;
use probity_engine::config::models::{MODELS, Model, ServerModel};
use probity_engine::run::standing::clock;
use probity_engine::run::told::keep_models;
use schemars::JsonSchema;
use serde::Serialize;

use super::outlet::deliver;
use super::session::open_for_writing;
use crate::args::{JudgeArgs, ModelsArgs};
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::figure::{NONE, columns};
use crate::settings;
use crate::settings::model::listed;

/// What `models --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct ModelList {
    /// The day of the oldest evidence; null where a server was asked.
    as_of: Option<String>,
    /// How many days ago that was.
    age_days: Option<i64>,
    /// The models.
    models: Vec<ModelLine>,
}

/// A model. Prices are in US dollars for a million tokens.
#[derive(Serialize, JsonSchema, Default)]
struct ModelLine {
    name: String,
    host: String,
    input: Option<Exact>,
    output: Option<Exact>,
    cached: Option<Exact>,
    batch_input: Option<Exact>,
    batch_output: Option<Exact>,
    ends: Option<String>,
    successor: Option<String>,
    as_of: Option<String>,
    source: String,
    note: Option<String>,
}

/// Runs the command.
pub(crate) fn models(args: &ModelsArgs) -> Result<Exit, Failure> {
    let list =
        if args.judge.is_some() || args.base_url.is_some() { of_server(args)? } else { known(clock()) };
    deliver(&args.say, &list, || list.text())?;
    Ok(Exit::Done)
}

/// The models of a server. When they end and how much they read is kept in the store, for the warnings of every output.
fn of_server(args: &ModelsArgs) -> Result<ModelList, Failure> {
    let judge = JudgeArgs {
        judge: args.judge.clone(),
        base_url: args.base_url.clone(),
        store: args.store.store.clone(),
        ..JudgeArgs::default()
    };
    let (chat, config) = settings::endpoint(&judge, &args.store.settings)?;
    let models =
        listed(&chat, config.schedule.limits).map_err(|error| Failure::new(Exit::Incomplete, &error))?;
    if models.iter().any(|model| model.ends.is_some() || model.context.is_some()) {
        let path = settings::store_of(&args.store)?;
        let store = open_for_writing(&path, &|line| args.say.note(line))?;
        keep_models(&store, &chat, &models)?;
        store.close()?;
    }
    let line = |ServerModel { id, ends, .. }: &ServerModel| {
        let known = Model::named(id).filter(|_| !chat.base_url.is_loopback());
        let line = known.map(ModelLine::of).unwrap_or_default();
        let ends = ends.map(|end| end.to_string()).or(line.ends);
        ModelLine { name: id.clone(), host: chat.base_url.to_string(), ends, ..line }
    };
    Ok(ModelList { as_of: None, age_days: None, models: models.iter().map(line).collect() })
}

/// The models that are known by name.
fn known(now: Moment) -> ModelList {
    let oldest = MODELS.iter().map(|model| model.as_of).min();
    ModelList {
        as_of: oldest.map(|day| day.to_string()),
        age_days: oldest.map(|day| now.days_after(day)),
        models: MODELS.iter().map(ModelLine::of).collect(),
    }
}

impl ModelLine {
    fn of(model: &Model) -> ModelLine {
        let Model { name, host, input, output, cached, batch_input, batch_output, .. } = model.clone();
        let Model { ends, successor, as_of, source, note, .. } = model.clone();
        let (ends, as_of) = (ends.map(|end| end.to_string()), Some(as_of.to_string()));
        ModelLine {
            name,
            host,
            input,
            output,
            cached,
            batch_input,
            batch_output,
            ends,
            successor,
            as_of,
            source,
            note,
        }
    }
}

impl ModelList {
    fn text(&self) -> String {
        let titles = ["model", "host", "in", "out", "cached", "batch in", "batch out", "ends", "as of"];
        let price = |price: &Option<Exact>| price.map_or(NONE.to_owned(), |usd| usd.to_string());
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| NONE.to_owned());
        let row = |line: &ModelLine| {
            let prices = [&line.input, &line.output, &line.cached, &line.batch_input, &line.batch_output];
            let mut row = vec![plain(&line.name), plain(&line.host)];
            row.extend(prices.map(price));
            row.extend([text(&line.ends), text(&line.as_of)]);
            row
        };
        let is_number = [false, false, true, true, true, true, true, false, false];
        let mut rows = vec![titles.map(str::to_owned).into()];
        rows.extend(self.models.iter().map(row));
        let age =
            self.age_days.map(|days| format!("; the oldest row is {days} days old")).unwrap_or_default();
        let notes =
            self.models.iter().filter_map(|line| Some(format!("{}: {}\n", line.name, line.note.as_ref()?)));
        format!(
            "{}\n{}US dollars for a million tokens{age}. Prices change: [prices.\"model\"] in probity.toml sets your own.\n",
            columns(&rows, &is_number),
            notes.collect::<String>()
        )
    }
}
