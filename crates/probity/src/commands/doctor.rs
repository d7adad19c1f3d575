//! `probity doctor`: what is configured, where each setting comes from, and what would be asked. It sends nothing
//! unless `--ask` is given, and never shows a key.

use probity_core::spelling::closest;
use probity_engine::config::{Because, ChatSettings, ChosenJudge, Config, JudgeSettings};
use probity_engine::judge::key::api_key;
use probity_engine::ledger::{Store, StoreAddress};
use schemars::JsonSchema;
use serde::Serialize;

use super::outlet::deliver;
use crate::args::DoctorArgs;
use crate::exit::{Exit, Failure};
use crate::plain::plain;
use crate::render::figure::{columns, counted};
use crate::settings;
use crate::settings::model::listed;
use crate::settings::origin::{BASE_URL, JUDGE, MODEL, Origins, RUBRIC, STORE};

/// What `doctor --json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct Checkup {
    /// What is configured.
    facts: Vec<Fact>,
    /// What would stop a run.
    problems: Vec<String>,
}

/// One thing that is configured.
#[derive(Serialize, JsonSchema)]
struct Fact {
    what: &'static str,
    value: String,
    /// The flag, variable or file that decides it, or `default`.
    from: String,
}

/// Runs the command. A problem ends with the code of wrong usage, as the run would.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<Exit, Failure> {
    let (config, origins) = Origins::read(&args.judge, &args.settings)?;
    let mut checkup = Checkup { facts: Vec::new(), problems: Vec::new() };
    for (file, state) in &origins.files {
        checkup.fact("settings", file, *state);
    }
    let chosen = config.judge(&settings::variable)?;
    checkup.judge(&chosen, &origins);
    for chat in chosen.settings.chats() {
        checkup.endpoint(chat, &chosen.settings, (&config, &origins), args.ask);
    }
    checkup.rubric(&config, origins.of(&RUBRIC, &chosen.settings));
    checkup.store(&config, origins.of(&STORE, &chosen.settings));
    checkup.limits(&config);
    deliver(&args.say, &checkup, || checkup.text(args.ask))?;
    Ok(if checkup.problems.is_empty() { Exit::Done } else { Exit::Usage })
}

impl Checkup {
    fn fact(&mut self, what: &'static str, value: impl Into<String>, from: impl Into<String>) {
        self.facts.push(Fact { what, value: plain(&value.into()), from: plain(&from.into()) });
    }

    fn judge(&mut self, chosen: &ChosenJudge, origins: &Origins) {
        let judge = &chosen.settings;
        let from = match chosen.because {
            Because::Named => origins.of(&JUDGE, judge),
            Because::Endpoint => format!("an endpoint is set by {}", origins.of(&BASE_URL, judge)),
            Because::Key => "its key is set".to_owned(),
            Because::Model => format!("a model is named by {}", origins.of(&MODEL, judge)),
            Because::NoKey => "default: no key, endpoint or model is set".to_owned(),
        };
        let kind = judge.kind().name();
        let kind = if kind == judge.name { String::new() } else { format!(" ({kind})") };
        self.fact("judge", format!("{}{kind}", judge.name), from);
        for warning in &chosen.warnings {
            self.fact("warning", warning, "");
        }
    }

    /// The model, host, key and price of one endpoint.
    fn endpoint(
        &mut self,
        chat: &ChatSettings,
        judge: &JudgeSettings,
        (config, origins): (&Config, &Origins),
        ask: bool,
    ) {
        let lacks_model = config.lacks_model(judge);
        let model = if lacks_model { "the only one of the server" } else { &chat.model };
        self.fact("model", model, origins.of(&MODEL, judge));
        self.fact("host", chat.base_url.to_string(), origins.of(&BASE_URL, judge));
        let name = chat.api_key_env.as_deref().unwrap_or_default();
        match (&chat.api_key_command, api_key(chat, &settings::variable)) {
            (Some((command, _)), _) => self.fact("key", "from a program", command.argv.join(" ")),
            (None, Ok(Some(_))) => self.fact("key", "set", name),
            (None, Ok(None)) => self.fact("key", "none; this endpoint is called without one", name),
            (None, Err(error)) => {
                self.fact("key", "missing", name);
                self.problems.push(error.to_string());
            }
        }
        let price = config.price(chat).map(|price| price.standard);
        let price = price.map_or("unknown: --budget-usd cannot be used".to_owned(), |price| {
            format!("${} in, ${} out for a million tokens", price.input, price.output)
        });
        let is_own = config.written().prices.contains_key(&chat.model);
        let from = if is_own { "[prices] of the settings" } else { "probity models" };
        self.fact("price", price, from);
        if ask {
            self.ask(chat, config, lacks_model);
        }
    }

    /// Asks the host for its models.
    fn ask(&mut self, chat: &ChatSettings, config: &Config, lacks_model: bool) {
        match listed(chat, config.schedule.limits) {
            Err(error) => self.problems.push(error.to_string()),
            Ok(models) => {
                let n = counted(models.len() as u64, "model");
                self.fact("answer", format!("the host lists {n}"), "asked just now");
                if !lacks_model && !models.iter().any(|model| model.id == chat.model) {
                    let near = closest(&chat.model, models.iter().map(|model| model.id.as_str()));
                    let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    self.problems.push(format!("the host does not list the model {}{near}", chat.model));
                }
            }
        }
    }

    fn rubric(&mut self, config: &Config, from: String) {
        match settings::rubric(&config.run.rubric, &|_| {}) {
            Ok(rubric) => {
                let n =
                    counted(rubric.criteria().len() as u64, "criterion").replace("criterions", "criteria");
                self.fact("rubric", format!("{} {}, {n}", rubric.name(), rubric.version()), from);
            }
            Err(failure) => {
                self.fact("rubric", format!("{}: unusable", config.run.rubric), from);
                self.problems.push(failure.message);
            }
        }
    }

    /// The store. One on a server is not connected to.
    fn store(&mut self, config: &Config, from: String) {
        let address = match settings::address(config) {
            Ok(address) => address,
            Err(failure) => return self.problems.push(failure.message),
        };
        let state = match &address {
            StoreAddress::Server(_) => "on a server".to_owned(),
            StoreAddress::File(path) if !path.exists() => "the first run makes it".to_owned(),
            StoreAddress::File(_) => {
                let runs = Store::open_read_only(&address).and_then(|store| store.reader()?.runs());
                match runs {
                    Ok(runs) => counted(runs.len() as u64, "run"),
                    Err(error) => {
                        self.problems.push(Failure::from(error).message);
                        "unusable".to_owned()
                    }
                }
            }
        };
        self.fact("store", format!("{address}: {state}"), from);
    }

    fn limits(&mut self, config: &Config) {
        let (gate, budget) = (&config.gate, &config.budget);
        let policies = match gate.policies.len() {
            0 => "none: claims are not checked against policies".to_owned(),
            n => counted(n as u64, "file"),
        };
        self.fact("policies", policies, "gate.policies");
        self.fact("own rules", counted(gate.own_rules.len() as u64, "file"), "gate.rules");
        let usd = budget.usd_max.map(|usd| format!("${usd}"));
        let calls = budget.calls_max.map(|calls| counted(calls, "call"));
        let limits: Vec<String> = usd.into_iter().chain(calls).collect();
        let limit = if limits.is_empty() { "none".to_owned() } else { limits.join(", ") };
        let confirm = format!("{limit}; asks first above ${}", budget.confirm_usd);
        self.fact("budget", confirm, "budget");
    }

    fn text(&self, ask: bool) -> String {
        let row = |fact: &Fact| {
            let from = if fact.from.is_empty() { String::new() } else { format!("({})", fact.from) };
            vec![fact.what.to_owned(), fact.value.clone(), from]
        };
        let rows: Vec<Vec<String>> = self.facts.iter().map(row).collect();
        let mut text = columns(&rows, &[false; 3]);
        for problem in &self.problems {
            text += &format!("problem: {}\n", plain(problem));
        }
        text += if ask { "" } else { "No call was made; --ask asks the judge's host for its models.\n" };
        text
    }
}
