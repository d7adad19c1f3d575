//! From flags, variables and files to what a run uses.

use std::path::{Path, PathBuf};

use probity_core::rubric::{self, Rubric};
use probity_engine::config::layer::{Decimal, Layer};
use probity_engine::config::names::Calls;
use probity_engine::config::{Backend, Because, Config, JudgeSettings, Parse, SettingsProblem, Structured};
use probity_engine::judge::prompt::Template;
use probity_engine::load::{Dataset, Dedup, LoadError, LoadOptions, Strictness};
use probity_engine::run::job::Job;

use crate::args::{DedupArg, JobArgs, RunArgs, StructuredArg};
use crate::commands::rubric::problems;
use crate::exit::{Exit, Failure};

/// The settings file that is read where it exists.
const FILE: &str = "probity.toml";

/// Said when the baseline judge is used for want of another.
const NO_KEY: &str = "no key is configured, so the baseline judge is used: it compares words and \
    understands nothing (set OPENAI_API_KEY or --base-url for a model)";

/// The value of an environment variable, where it is set and is text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Puts a job together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn job(args: &JobArgs, over: Layer, note: &dyn Fn(&str)) -> Result<Job, Failure> {
    let config = config(args, over)?;
    let (judge, notices) = judge(args, &config);
    let rubric = rubric(&config.run.rubric, note)?;
    let template = template(judge.template.as_deref())?;
    let dataset = Dataset::open(&args.files, load_options(args)?).map_err(load_failure)?;
    let about_cases = dataset.notices().iter().map(ToString::to_string);
    notices.into_iter().chain(about_cases).for_each(|notice| note(&notice));
    let names: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
    Job::new(dataset, names.join(" "), rubric, template, (config, judge))
        .map_err(crate::commands::run::failure)
}

/// A failure to read cases, with its hint.
pub(crate) fn load_failure(error: LoadError) -> Failure {
    let failure = Failure::new(Exit::Usage, &error);
    match error.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The settings that flags of `run` put over everything else.
pub(crate) fn run_layer(args: &RunArgs) -> Result<Layer, Failure> {
    let decimal = |name: &str, text: &Option<String>| {
        let parse = |text: &String| {
            text.parse().map(Decimal).map_err(|error| Failure::usage(format!("--{name}: {error}")))
        };
        text.as_ref().map(parse).transpose()
    };
    let mut layer = Layer::default();
    layer.schedule.concurrency = args.concurrency;
    layer.budget.calls_max = args.max_calls;
    layer.budget.usd_max = decimal("budget-usd", &args.budget_usd)?;
    layer.run.min_coverage = decimal("min-coverage", &args.min_coverage)?;
    Ok(layer)
}

fn config(args: &JobArgs, over: Layer) -> Result<Config, Failure> {
    let mut flags = over;
    flags.any_model.clone_from(&args.model);
    flags.any_base_url.clone_from(&args.base_url);
    flags.judge.name.clone_from(&args.judge);
    flags.run.rubric.clone_from(&args.rubric);
    flags.run.store.clone_from(&args.store);
    if args.one_call {
        flags.run.call_plan = Some(Calls::OneCall);
    }
    if args.strict {
        flags.run.parse = Some(Parse::Strict);
    }
    let environment = Layer::from_env(&variable).map_err(|found| settings_failure(&found))?;
    Config::resolve([file_layer(args.config.as_deref())?, environment, flags])
        .map_err(|error| Failure::new(Exit::Usage, &error))
}

fn file_layer(named: Option<&Path>) -> Result<Layer, Failure> {
    let path = named.unwrap_or(Path::new(FILE));
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Layer::default());
        }
        Err(error) => return Err(Failure::usage(format!("{}: cannot be read: {error}", path.display()))),
    };
    Layer::read(&path.display().to_string(), &text).map_err(|found| settings_failure(&found))
}

fn settings_failure(found: &[SettingsProblem]) -> Failure {
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    let failure = Failure::usage(lines.join("\n"));
    match found.iter().find_map(|problem| problem.hint.clone()) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The judge with what flags put over its settings, and what is worth a line about the choice.
fn judge(args: &JobArgs, config: &Config) -> (JudgeSettings, Vec<String>) {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.trim().is_empty());
    let chosen = config.judge(&is_set);
    let mut notices: Vec<String> =
        chosen.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    if chosen.because == Because::NoKey {
        notices.push(NO_KEY.to_owned());
    }
    let mut judge = chosen.settings;
    if args.template.is_some() {
        judge.template.clone_from(&args.template);
    }
    match &mut judge.backend {
        Backend::Openai(chat) | Backend::Anthropic(chat) => {
            chat.seed = args.seed.or(chat.seed);
            if let Some(structured) = args.structured {
                chat.structured = match structured {
                    StructuredArg::Auto => Structured::Auto,
                    StructuredArg::Schema => Structured::Schema,
                    StructuredArg::JsonObject => Structured::JsonObject,
                    StructuredArg::Plain => Structured::Plain,
                };
            }
        }
        Backend::Recorded { verdicts } => {
            if args.verdicts.is_some() {
                verdicts.clone_from(&args.verdicts);
            }
        }
        Backend::Baseline | Backend::Command(_) => {}
    }
    (judge, notices)
}

/// The rubric called `name`: a built-in one, or the file of that name.
pub(crate) fn rubric(name: &str, note: &dyn Fn(&str)) -> Result<Rubric, Failure> {
    if let Some(rubric) = rubric::built_in(name) {
        return Ok(rubric);
    }
    let known: Vec<&str> = rubric::BUILT_IN.iter().map(|(name, _)| *name).collect();
    let text = std::fs::read_to_string(name).map_err(|error| {
        Failure::usage(format!(
            "rubric {name}: no built-in rubric has this name and the file cannot be read: {error}"
        ))
        .hint(format!("built in: {}", known.join(", ")))
    })?;
    match rubric::read(&text) {
        Ok(reading) => {
            for warning in problems(name, &text, &reading.warnings) {
                note(&format!("warning: {warning}"));
            }
            Ok(reading.rubric)
        }
        Err(found) => Err(Failure::usage(problems(name, &text, &found).join("\n"))),
    }
}

fn template(path: Option<&Path>) -> Result<Template, Failure> {
    let Some(path) = path else { return Ok(Template::built_in()) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("template {}: cannot be read: {error}", path.display())))?;
    Template::parse(&text).map_err(|error| {
        let mut failure = Failure::new(Exit::Usage, &error);
        failure.message = format!("template {}: {}", path.display(), failure.message);
        failure
    })
}

fn load_options(args: &JobArgs) -> Result<LoadOptions, Failure> {
    let delimiter = match args.delimiter.as_deref() {
        None => None,
        Some("\\t" | "tab") => Some(b'\t'),
        Some(text) if text.len() == 1 => Some(text.as_bytes()[0]),
        Some(text) => {
            return Err(Failure::usage(format!(
                "--delimiter: expected one character or `tab`, found {text:?}"
            )));
        }
    };
    Ok(LoadOptions {
        strict: if args.strict { Strictness::Strict } else { Strictness::Skip },
        dedup: match args.dedup {
            Some(DedupArg::Identical) => Dedup::Identical,
            Some(DedupArg::Refuse) | None => Dedup::Refuse,
        },
        delimiter,
        ..LoadOptions::default()
    })
}

/// The store's path.
pub(crate) fn store_path(job: &Job) -> Result<PathBuf, Failure> {
    let store = &job.config.run.store;
    if store.contains("://") {
        return Err(Failure::usage(format!("store {store}: expected a file, URLs are not supported")));
    }
    Ok(PathBuf::from(store))
}
