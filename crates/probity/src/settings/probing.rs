//! The job of a probing: the battery, a person's own probes, and the replies that they change.

use std::path::Path;

use probity_core::exact::Exact;
use probity_core::probe::{OwnFile, OwnProbe, Setting, Tolerance, battery, read_own};
use probity_core::spelling::closest;
use probity_engine::config::layer::Layer;
use probity_engine::config::names::Calls;
use probity_engine::load::Dataset;
use probity_engine::run::probe::{Definition, ProbeJob, Selection};

use super::{OwnFlags, gate, judge, judge_layer, load_failure, load_options, read_config, rubric, template};
use crate::commands::probe::ProbeArgs;
use crate::commands::rubric::problems;
use crate::commands::session;
use crate::exit::Failure;

/// The name of a probing without a person's own cases.
const NO_CASES: &str = "shipped replies";

/// Puts a probing together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn probing(args: &ProbeArgs, over: Layer, note: &dyn Fn(&str)) -> Result<ProbeJob, Failure> {
    let selection = selection(args)?;
    let mut flags = judge_layer(&args.judge, over);
    if args.one_call {
        flags.run.call_plan = Some(Calls::OneCall);
    }
    let config = read_config(&args.reading, flags)?;
    let (judge, notices) = judge(&args.judge, OwnFlags::default(), &config)?;
    for notice in &notices {
        note(notice);
    }
    let rubric = rubric(&config.run.rubric, note)?;
    let setting = Setting::of(&rubric, config.run.call_plan)
        .map_err(|error| Failure::usage(format!("rubric {}: {error}", rubric.name())))?;
    let template = template(judge.template.as_deref(), setting.form())?;
    let dataset = dataset(args, note)?;
    let names: Vec<String> = args.files.iter().map(|path| path.display().to_string()).collect();
    let dataset_name = if names.is_empty() { NO_CASES.to_owned() } else { names.join(" ") };
    let gate = gate::gate(&config.gate, note)?;
    let definition = Definition { dataset, dataset_name, rubric, template, gate, config, judge, selection };
    ProbeJob::new(definition).map_err(session::failure)
}

fn dataset(args: &ProbeArgs, note: &dyn Fn(&str)) -> Result<Option<Dataset>, Failure> {
    if args.files.is_empty() {
        return Ok(None);
    }
    let dataset = Dataset::open(&args.files, load_options(&args.reading)?).map_err(load_failure)?;
    dataset.notices().iter().for_each(|notice| note(&notice.to_string()));
    Ok(Some(dataset))
}

fn selection(args: &ProbeArgs) -> Result<Selection, Failure> {
    let tolerance = tolerance(&args.tolerance)?;
    let (mut probes, mut own) = (battery(), OwnFile::default());
    for path in &args.probes {
        let file = own_probes(path)?;
        own.probes.extend(file.probes);
        own.criteria.extend(file.criteria);
    }
    refuse_twice(&own.probes, &probes.iter().map(|probe| probe.name.as_str()).collect::<Vec<_>>())?;
    let names = || {
        let battery = probes.iter().flat_map(|probe| [probe.name.as_str(), probe.family.name()]);
        battery.chain(own.probes.iter().flat_map(|probe| [probe.name.as_str(), OWN]))
    };
    for word in &args.only {
        if !names().any(|name| name == word) {
            let failure = Failure::usage(format!("--only: no probe and no family is called '{word}'"));
            return Err(match closest(word, names()) {
                Some(meant) => failure.hint(format!("did you mean '{meant}'?")),
                None => failure.hint("`probity probe --list` shows them"),
            });
        }
    }
    let is_chosen = |name: &str, family: &str| {
        args.only.is_empty() || args.only.iter().any(|word| word == name || word == family)
    };
    probes.retain(|probe| is_chosen(&probe.name, probe.family.name()));
    own.probes.retain(|probe| is_chosen(&probe.name, OWN));
    let n_bases = args.bases as usize;
    Ok(Selection { probes, own, only: args.only.clone(), n_bases, seed: args.seed, tolerance })
}

/// The family of a person's own probes.
const OWN: &str = "own";

fn tolerance(text: &str) -> Result<Tolerance, Failure> {
    let share: Exact = text.parse().map_err(|error| Failure::usage(format!("--tolerance: {error}")))?;
    Tolerance::new(share).ok_or_else(|| {
        Failure::usage(format!("--tolerance: expected a share from 0 to below 1, found {text}"))
    })
}

fn own_probes(path: &Path) -> Result<OwnFile, Failure> {
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{shown}: cannot be read: {error}")))?;
    read_own(&text).map_err(|found| Failure::usage(problems(&shown, &text, &found).join("\n")))
}

/// Two probes of one name could not be told apart in a contract.
fn refuse_twice(own: &[OwnProbe], battery: &[&str]) -> Result<(), Failure> {
    let is_taken = |at: usize, name: &str| {
        battery.contains(&name) || own[..at].iter().any(|earlier| earlier.name == name)
    };
    match own.iter().enumerate().find(|(at, probe)| is_taken(*at, &probe.name)) {
        None => Ok(()),
        Some((_, probe)) => {
            Err(Failure::usage(format!("--probes: there is already a probe called '{}'", probe.name))
                .hint("give yours another name"))
        }
    }
}
