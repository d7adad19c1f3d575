//! From flags, variables and files to what a run uses.

mod comparison;
mod endpoint;
pub(crate) mod gate;
pub(crate) mod inputs;
mod labelled;
pub(crate) mod model;
pub(crate) mod origin;
mod probing;
pub(crate) mod sources;
mod target;

pub(crate) use comparison::{PAIRWISE_RUBRIC, comparison, reply_jobs};
pub(crate) use labelled::{LabelledJob, labelled};
pub(crate) use probing::{probing, recorded_probing};

use std::path::{Path, PathBuf};

use probity_core::gate::Gate;
use probity_core::packet::AnswerForm;
use probity_core::promote::{self, Contract};
use probity_core::rubric::{self, Judged, Rubric};
use probity_core::spelling::closest;
use probity_engine::config::Tunable;
use probity_engine::config::layer::{Decimal, Layer};
use probity_engine::config::models::{Model, end_warning};
use probity_engine::config::names::Calls;
use probity_engine::config::{
    Backend, Because, ChatSettings, Config, JudgeKind, JudgeSettings, LocalFacts, Parse, SettingsError,
    StoreSettings,
};
use probity_engine::input::{
    Dataset, DatasetPart, FieldMap, Instructions, LoadOptions, MapError, Strictness, Unanswered,
};
use probity_engine::judge::prompt::Template;
use probity_engine::ledger::{ServerOptions, StoreAddress};
use probity_engine::run::asking::Asking;
use probity_engine::run::basis::Basis;
use probity_engine::run::job::Job;
use probity_engine::run::standing::clock;

use crate::args::{
    AskArgs, CallArgs, CaseArgs, JobArgs, JudgeArgs, PartArgs, ReadArgs, RecordArgs, SETTINGS_FILE,
    SettingsArgs, StoreArgs,
};
use crate::exit::{Exit, Failure, near_file};
use crate::render::problem::{problems, read_file};

/// Said when the baseline judge is used for want of another.
const NO_KEY: &str = "no key is set, so the baseline judge is used: it compares words and understands nothing (set OPENAI_API_KEY, or --base-url for a local model)";

/// The value of an environment variable, where it is set and is text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What flags say about cases, and about the judge that is asked about them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CaseFlags<'a> {
    /// The case files; one for each variant where the rubric compares.
    pub(crate) files: &'a [PathBuf],
    /// How they are read.
    pub(crate) reading: &'a ReadArgs,
    /// The judge.
    pub(crate) judge: &'a JudgeArgs,
    /// How many calls are made, where some may be.
    pub(crate) calls: Option<&'a CallArgs>,
    /// Whether all criteria are asked about in one call.
    pub(crate) one_call: bool,
    /// The seed sent with each call.
    pub(crate) seed: Option<u32>,
    /// Verdicts for the judge `recorded`.
    pub(crate) verdicts: Option<&'a Path>,
}

impl<'a> CaseFlags<'a> {
    /// Of a command that asks nothing.
    pub(crate) fn new(files: &'a [PathBuf], judge: &'a JudgeArgs, reading: &'a ReadArgs) -> Self {
        CaseFlags { files, reading, judge, calls: None, one_call: false, seed: None, verdicts: None }
    }

    /// Of a command that asks.
    pub(crate) fn of(files: &'a [PathBuf], ask: &'a AskArgs) -> Self {
        CaseFlags { calls: Some(&ask.calls), ..CaseFlags::new(files, &ask.judge, &ask.reading) }
    }

    /// The settings that they put over everything else.
    fn layer(&self) -> Result<Layer, Failure> {
        let decimal = |name: &str, text: &Option<String>| {
            let parse = |text: &String| {
                text.parse().map(Decimal).map_err(|error| Failure::usage(format!("--{name}: {error}")))
            };
            text.as_ref().map(parse).transpose()
        };
        let mut layer = judge_layer(self.judge);
        if let Some(calls) = self.calls {
            layer.schedule.concurrency = calls.concurrency;
            layer.budget.calls_max = calls.max_calls;
            layer.budget.usd_max = decimal("budget-usd", &calls.budget_usd)?;
            layer.run.min_coverage = decimal("min-coverage", &calls.min_coverage)?;
        }
        layer.run.call_plan = self.one_call.then_some(Calls::OneCall);
        Ok(layer)
    }

    /// What the run is called: its own name, or those of the files.
    fn names(&self) -> String {
        if let Some(name) = &self.reading.name {
            return name.clone();
        }
        self.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
    }
}

/// What flags decide about the judge, the rubric and the store.
fn judge_layer(args: &JudgeArgs) -> Layer {
    let mut layer = Layer::default();
    layer.any_model.clone_from(&args.model);
    layer.any_base_url.clone_from(&args.base_url);
    layer.judge.name.clone_from(&args.judge);
    layer.run.rubric.clone_from(&args.rubric);
    layer.run.store.clone_from(&args.store);
    layer
}

/// Puts a job together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn job(args: &JobArgs, calls: Option<&CallArgs>, note: &dyn Fn(&str)) -> Result<Job, Failure> {
    let flags = CaseFlags {
        calls,
        one_call: args.one_call,
        seed: args.seed,
        verdicts: args.verdicts.as_deref(),
        ..CaseFlags::new(&args.cases.files, &args.judge, &args.cases.reading)
    };
    let mut layer = flags.layer()?;
    target::put_over(&args.target, &mut layer);
    let config = read_config(flags.reading, layer)?;
    let rubric = rubric(&config.run.rubric, note)?;
    let job = job_of(&flags, (config, rubric), note)?;
    Ok(job.in_round(args.round, args.repeats))
}

/// The job of the cases in one file, without a target.
pub(crate) fn one_file(file: &Path, ask: &AskArgs, note: &dyn Fn(&str)) -> Result<Job, Failure> {
    let files = [file.to_owned()];
    let flags = CaseFlags::of(&files, ask);
    let config = read_config(flags.reading, flags.layer()?)?;
    let rubric = rubric(&config.run.rubric, note)?;
    job_of(&flags, (config, rubric), note)
}

/// The job of these cases under settings and a rubric that were read.
fn job_of(
    flags: &CaseFlags<'_>,
    (config, rubric): (Config, Rubric),
    note: &dyn Fn(&str),
) -> Result<Job, Failure> {
    let chosen = judge(flags, &config)?;
    refuse_pairwise(&rubric)?;
    let template = template(chosen.0.template.as_deref(), AnswerForm::Levels)?;
    let unanswered = if config.target.is_some() { Unanswered::Take } else { Unanswered::Refuse };
    let options = LoadOptions { unanswered, ..load_options(&flags.reading.records, &config)? };
    let dataset = Dataset::open(flags.files, options)?;
    let gate = gate::gate(&config.gate, note)?;
    let judge = settled(flags, &config, chosen, note)?;
    dataset.notices().iter().for_each(|notice| note(notice));
    let target = target::definition(&config, &judge, note)?;
    let asking = asking_of(judge, template, config, AnswerForm::Levels)?;
    let basis = Basis::new(flags.names(), rubric, asking, gate);
    Ok(Job::new(basis, dataset, target)?)
}

/// The settings of a command about cases, with its other flags in `flags`.
fn read_config(args: &ReadArgs, mut flags: Layer) -> Result<Config, Failure> {
    if args.records.strict {
        flags.run.parse = Some(Parse::Strict);
    }
    if !args.policies.is_empty() {
        flags.gate.policies = Some(args.policies.clone());
    }
    if !args.rules.is_empty() {
        flags.gate.rules = Some(args.rules.clone());
    }
    flags.gate.as_of.clone_from(&args.as_of);
    flags.gate.language.clone_from(&args.language);
    resolved(&args.settings, flags)
}

/// The settings of files and environment, with flags over them.
fn resolved(args: &SettingsArgs, flags: Layer) -> Result<Config, Failure> {
    let here = LocalFacts { variable: &variable, is_outside: &sources::is_outside };
    Ok(Config::from_sources(sources::sources(args, flags)?, &here)?)
}

impl From<SettingsError> for Failure {
    fn from(error: SettingsError) -> Failure {
        let failure = Failure::new(Exit::Usage, &error);
        let SettingsError::NotTrusted(problems) = error else { return failure };
        let named = problems.iter().map(|problem| problem.place.as_str()).find(|file| *file != SETTINGS_FILE);
        let trust = named.map_or("probity trust".to_owned(), |file| format!("probity trust {file}"));
        failure.hint(format!(
            "read the file, then run `{trust}` (in CI: --trust-settings); or set the same by a flag, a variable or your own settings"
        ))
    }
}

/// The judge and the rubric of a command that makes no calls.
pub(crate) fn asking(
    args: &JudgeArgs,
    reading: &ReadArgs,
    note: &dyn Fn(&str),
) -> Result<(Asking, Rubric), Failure> {
    let flags = CaseFlags::new(&[], args, reading);
    let config = read_config(reading, flags.layer()?)?;
    let chosen = judge(&flags, &config)?;
    let judge = settled(&flags, &config, chosen, &|_| {})?;
    let rubric = rubric(&config.run.rubric, note)?;
    let template = template(judge.template.as_deref(), AnswerForm::Levels)?;
    Ok((asking_of(judge, template, config, AnswerForm::Levels)?, rubric))
}

/// The endpoint of the judge that flags and settings name, and the settings.
pub(crate) fn endpoint(args: &JudgeArgs, settings: &SettingsArgs) -> Result<(ChatSettings, Config), Failure> {
    let config = resolved(settings, judge_layer(args))?;
    let chosen = config.judge(&variable)?;
    match chosen.settings.backend {
        Backend::Chat(chat) => Ok((chat, config)),
        _ => Err(Failure::usage(format!("judge {} has no endpoint", chosen.settings.name))
            .hint("name one with --base-url, or a judge of kind openai or anthropic with --judge")),
    }
}

/// Whether settings have a judge called `name`.
pub(crate) fn has_judge(reading: &ReadArgs, name: &str) -> Result<bool, Failure> {
    Ok(read_config(reading, Layer::default())?.named_judge(name).is_some())
}

/// The cases of a command and the gate they are checked by.
pub(crate) fn gated(args: &CaseArgs, note: &dyn Fn(&str)) -> Result<(Dataset, Gate), Failure> {
    let config = read_config(&args.reading, Layer::default())?;
    gate::refuse_idle_date(&config.gate)?;
    if args.reading.name.is_some() {
        return Err(Failure::usage("--name has no effect here: the gate's findings are not stored"));
    }
    let dataset = Dataset::open(&args.files, load_options(&args.reading.records, &config)?)?;
    dataset.notices().iter().for_each(|notice| note(notice));
    Ok((dataset, gate::gate(&config.gate, note)?))
}

/// The judge with what flags put over its settings, and what is worth a line about the choice.
fn judge(flags: &CaseFlags<'_>, config: &Config) -> Result<(JudgeSettings, Vec<String>), Failure> {
    let args = flags.judge;
    let chosen = config.judge(&variable)?;
    let mut notices: Vec<String> =
        chosen.warnings.iter().map(|warning| format!("warning: {warning}")).collect();
    if chosen.because == Because::NoKey {
        refuse_blank_keys(config)?;
        notices.push(NO_KEY.to_owned());
    }
    let mut judge = chosen.settings;
    if args.template.is_some() {
        judge.template.clone_from(&args.template);
    }
    match &mut judge.backend {
        Backend::Chat(chat) => {
            let seed = flags.seed.filter(|_| chat.dialect().takes("seed"));
            chat.seed = seed.map_or(chat.seed, Tunable::Value);
            chat.structured = args.structured.unwrap_or(chat.structured);
        }
        Backend::Recorded { verdicts } => {
            if let Some(path) = flags.verdicts {
                *verdicts = Some(path.to_owned());
            }
        }
        Backend::Baseline | Backend::Command(_) | Backend::Panel(_) => {}
    }
    refuse_idle_flags(flags, &judge)?;
    Ok((judge, notices))
}

/// The judge with its model, where only the server knows that, and says what is worth a line. This is the last thing
/// that is done before a job is put together: what is wrong with files is found without a connection.
fn settled(
    flags: &CaseFlags<'_>,
    config: &Config,
    (mut judge, mut notices): (JudgeSettings, Vec<String>),
    note: &dyn Fn(&str),
) -> Result<JudgeSettings, Failure> {
    with_model(&mut judge, config, flags)?;
    if let Backend::Panel(panel) = &mut judge.backend {
        panel.members.iter_mut().try_for_each(|member| with_model(member, config, flags))?;
    }
    let told = |chat: &ChatSettings| chat.told.as_ref()?.ends;
    let listed =
        |chat: &ChatSettings| Model::named(&chat.model).filter(|_| !chat.base_url.is_loopback())?.ends;
    for chat in judge.chats() {
        let Some(end) = told(chat).or_else(|| listed(chat)) else { continue };
        let now = config.gate.as_of.unwrap_or_else(clock);
        notices.extend(end_warning(&chat.model, end, now).map(|warning| format!("warning: {warning}")));
    }
    note(&endpoint::notice(config, &judge));
    for notice in &notices {
        note(notice);
    }
    Ok(judge)
}

/// Asks the server of `judge` for its model, where only that knows it.
fn with_model(judge: &mut JudgeSettings, config: &Config, flags: &CaseFlags<'_>) -> Result<(), Failure> {
    let lacks_model = config.lacks_model(judge);
    if let Backend::Chat(chat) = &mut judge.backend
        && lacks_model
    {
        let found = model::only_model(chat, config, flags.calls)?;
        chat.model.clone_from(&found.id);
        chat.told = Some(found);
    }
    Ok(())
}

/// Who is asked, and how: the judge with its template, and likewise the judges that it is made of.
fn asking_of(
    judge: JudgeSettings,
    template: Template,
    config: Config,
    form: AnswerForm,
) -> Result<Asking, Failure> {
    let member = |member: &JudgeSettings| {
        let template = self::template(member.template.as_deref(), form)?;
        Ok(Asking::new(member.clone(), template, config.clone())?)
    };
    let members = judge.panel().map(|panel| panel.members.iter().map(member).collect::<Result<_, Failure>>());
    let members: Vec<Asking> = members.transpose()?.unwrap_or_default();
    Ok(Asking::new(judge, template, config)?.made_of(members))
}

/// The cascades of the settings that end with the judge of `basis`, and ask others before it.
pub(crate) fn cascades_over(basis: &Basis) -> Result<Vec<Asking>, Failure> {
    let Asking { judge, config, .. } = &basis.asking;
    let ends_here = |other: &&JudgeSettings| {
        let panel = other.panel().filter(|_| other.kind() == JudgeKind::Cascade);
        panel.is_some_and(|panel| panel.members.last() == Some(judge))
    };
    let cascades = config.judge_names().filter_map(|name| config.named_judge(name)).filter(ends_here);
    let is_pairs = basis.rubric.criteria().iter().any(|criterion| criterion.judged == Judged::Pairwise);
    let form = if is_pairs { AnswerForm::Preference } else { AnswerForm::Levels };
    let asking = |cascade: &JudgeSettings| {
        let template = template(cascade.template.as_deref(), form)?;
        asking_of(cascade.clone(), template, config.clone(), form)
    };
    cascades.map(asking).collect()
}

/// An empty key is a secret that did not arrive: its owner wants a model, not the baseline.
fn refuse_blank_keys(config: &Config) -> Result<(), Failure> {
    let judges = config.judge_names().filter_map(|name| config.named_judge(name));
    let variables = judges.filter_map(|judge| judge.chat()?.api_key_env.clone());
    match variables.into_iter().find(|name| variable(name).is_some_and(|value| value.trim().is_empty())) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(format!("the environment variable {name} is set but empty"))
            .hint("give it a key, unset it, or choose --judge baseline")),
    }
}

/// A flag that the judge has no use for would be believed to have done something.
fn refuse_idle_flags(flags: &CaseFlags<'_>, judge: &JudgeSettings) -> Result<(), Failure> {
    let kind = judge.kind().name();
    let is_chat = judge.chat().is_some();
    let reads_prompts = is_chat || matches!(judge.backend, Backend::Command(_));
    let is_recorded = matches!(judge.backend, Backend::Recorded { .. });
    let idle = [
        ("--verdicts", flags.verdicts.is_some() && !is_recorded),
        ("--structured", flags.judge.structured.is_some() && !is_chat),
        ("--template", flags.judge.template.is_some() && !reads_prompts),
    ];
    match idle.iter().find(|(_, is_idle)| *is_idle) {
        None => Ok(()),
        Some((flag, _)) => Err(Failure::usage(format!("{flag} has no effect on the judge {kind}"))),
    }
}

/// A rubric that compares replies says nothing about one of them.
fn refuse_pairwise(rubric: &Rubric) -> Result<(), Failure> {
    let pairwise = rubric.criteria().iter().find(|criterion| criterion.judged == Judged::Pairwise);
    pairwise.map_or(Ok(()), |criterion| {
        let (name, id) = (rubric.name(), &criterion.id);
        Err(Failure::usage(format!(
            "rubric {name}: criterion {id} compares two replies, and a run scores one"
        ))
        .hint("use `probity compare`, or a rubric with levels"))
    })
}

/// The rubric called `name`: a built-in one, or the file of that name.
pub(crate) fn rubric(name: &str, note: &dyn Fn(&str)) -> Result<Rubric, Failure> {
    if let Some(rubric) = rubric::built_in(name) {
        return Ok(rubric);
    }
    let known: Vec<&str> = rubric::BUILT_IN.iter().map(|(name, _)| *name).collect();
    let text = std::fs::read_to_string(name).map_err(|error| {
        let failure = if error.kind() == std::io::ErrorKind::NotFound {
            Failure::usage(format!("there is no rubric {name}: it is neither built in nor a file"))
        } else {
            Failure::unreadable(&format!("rubric {name}"), &error)
        };
        failure.hint(match closest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => near_file(Path::new(name)).unwrap_or_else(|| format!("built in: {}", known.join(", "))),
        })
    })?;
    let reading =
        rubric::read(&text).map_err(|found| Failure::usage(problems(name, &text, "", &found).join("\n")))?;
    for warning in problems(name, &text, "", &reading.warnings) {
        note(&format!("warning: {warning}"));
    }
    if let Some(overdue) = reading.rubric.overdue(clock()) {
        note(&format!("notice: {overdue}"));
    }
    Ok(reading.rubric)
}

/// The contract in a file.
pub(crate) fn contract(path: &Path, note: &dyn Fn(&str)) -> Result<Contract, Failure> {
    let (reading, text) = read_file(path, "contract ", promote::read)?;
    if !reading.warnings.is_empty() {
        let name = path.display().to_string();
        note(&problems(&name, &text, "warning: ", &reading.warnings).join("\n"));
    }
    Ok(reading.contract)
}

fn template(path: Option<&Path>, form: AnswerForm) -> Result<Template, Failure> {
    let Some(path) = path else { return Ok(Template::built_in(form)) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::unreadable(&format!("template {}", path.display()), &error))?;
    Template::parse(&text).map_err(|error| {
        let mut failure = Failure::new(Exit::Usage, &error);
        failure.message = format!("template {}: {}", path.display(), failure.message);
        failure
    })
}

/// The byte that a delimiter flag stands for.
pub(crate) fn delimiter(flag: Option<&str>) -> Result<Option<u8>, Failure> {
    match flag {
        None => Ok(None),
        Some("\\t" | "tab") => Ok(Some(b'\t')),
        Some(text) if text.len() == 1 => Ok(Some(text.as_bytes()[0])),
        Some(text) => {
            Err(Failure::usage(format!("--delimiter: expected one character or `tab`, found {text:?}")))
        }
    }
}

/// Where fields come from, as settings and the flag `--map` say.
pub(crate) fn field_map(settings: &SettingsArgs, flags: &[String]) -> Result<FieldMap, Failure> {
    resolved_map(flags, &resolved(settings, Layer::default())?)
}

fn resolved_map(flags: &[String], config: &Config) -> Result<FieldMap, Failure> {
    let refused = |place: &'static str| move |error: MapError| Failure::usage(format!("{place}: {error}"));
    let (mut set, mut map) = (FieldMap::default(), FieldMap::default());
    for (field, source) in &config.input.map {
        set.add(field, source).map_err(refused("input.map"))?;
    }
    for flag in flags {
        let given: FieldMap = flag.parse().map_err(refused("--map"))?;
        map = map.under(given);
    }
    Ok(set.under(map))
}

/// How files of records are read, as settings and flags say.
fn load_options(args: &RecordArgs, config: &Config) -> Result<LoadOptions, Failure> {
    let PartArgs { limit, slices, only } = &args.part;
    let limit = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let date_format = args.date_format.as_ref().or(config.input.date_format.as_ref());
    Ok(LoadOptions {
        map: resolved_map(&args.map, config)?,
        encoding: args.encoding,
        date_format: date_format.map(|format| format.as_str().into()),
        part: DatasetPart { limit, slices: slices.clone(), only: only.clone() },
        strict: if args.strict { Strictness::Strict } else { Strictness::Skip },
        dedup: args.dedup.unwrap_or_default(),
        delimiter: delimiter(args.delimiter.as_deref())?,
        slice_attribute: args.slice_attribute.as_deref().map(Into::into),
        turns: args.turns.unwrap_or_default(),
        instructions: if args.system_prompts { Instructions::Shown } else { Instructions::Apart },
        ..LoadOptions::default()
    })
}

/// How files of records are read by a command that asks no judge.
pub(crate) fn records(settings: &SettingsArgs, args: &RecordArgs) -> Result<LoadOptions, Failure> {
    load_options(args, &resolved(settings, Layer::default())?)
}

/// Where the store is.
pub(crate) fn store_address(asking: &Asking) -> Result<StoreAddress, Failure> {
    address(&asking.config)
}

/// The store of a command that asks no judge.
pub(crate) fn store_of(args: &StoreArgs) -> Result<StoreAddress, Failure> {
    named_store(&args.settings, args.store.as_ref())
}

/// The store that settings and a flag name.
pub(crate) fn named_store(args: &SettingsArgs, store: Option<&String>) -> Result<StoreAddress, Failure> {
    let mut flags = Layer::default();
    flags.run.store = store.cloned();
    address(&resolved(args, flags)?)
}

/// The file of limits for a second run that the settings name.
pub(crate) fn guardrails(args: &SettingsArgs) -> Result<Option<PathBuf>, Failure> {
    Ok(resolved(args, Layer::default())?.guardrails)
}

/// The files that settings name for whatever judge is asked, each with its setting. Settings that cannot be read are
/// refused where they are needed and name none.
pub(crate) fn named_files(args: &SettingsArgs) -> Vec<(&'static str, PathBuf)> {
    let Ok(config) = resolved(args, Layer::default()) else { return Vec::new() };
    let mut files = vec![("run.rubric", PathBuf::from(&config.run.rubric))];
    files.extend(config.gate.policies.iter().map(|path| ("gate.policies", path.clone())));
    files.extend(config.gate.own_rules.iter().map(|path| ("gate.rules", path.clone())));
    files.extend(config.gate.languages.iter().map(|path| ("gate.languages", path.clone())));
    files.extend(config.guardrails.iter().map(|path| ("diff.guardrails", path.clone())));
    let judges = config.judge_names().filter_map(|name| config.named_judge(name));
    files.extend(judges.filter_map(|judge| Some(("a judge's template", judge.template.clone()?))));
    files
}

/// The store that settings name.
pub(crate) fn address(config: &Config) -> Result<StoreAddress, Failure> {
    let StoreSettings { password_command, lease, .. } = config.store.clone();
    let address = StoreAddress::parse(&config.run.store, &ServerOptions { password_command, lease });
    address.map_err(|error| Failure::new(Exit::Usage, &error))
}
