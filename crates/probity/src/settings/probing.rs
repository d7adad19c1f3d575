//! The job of a probing: the battery, a person's own probes, and the replies that they change.

use probity_core::exact::Exact;
use probity_core::probe::{JudgeTask, OwnFile, OwnProbe, Tolerance, battery, read_own};
use probity_core::rubric::Rubric;
use probity_core::spelling::closest;
use probity_engine::config::Config;
use probity_engine::input::Dataset;
use probity_engine::run::basis::Basis;
use probity_engine::run::probe::{ProbeJob, Selection};

use super::{CaseFlags, asking_of, gate, judge, load_options, read_config, rubric, settled, template};
use crate::args::ProbeArgs;
use crate::exit::Failure;
use crate::render::problem::read_file;

/// The name of a probing without a person's own cases.
const NO_CASES: &str = "shipped replies";

/// Puts a probing together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn probing(args: &ProbeArgs, note: &dyn Fn(&str)) -> Result<ProbeJob, Failure> {
    let flags = CaseFlags { one_call: args.one_call, ..CaseFlags::of(&args.files, &args.ask) };
    let layer = flags.layer()?;
    let selection = selection(args)?;
    let config = read_config(flags.reading, layer)?;
    let chosen = judge(&flags, &config)?;
    let rubric = rubric(&config.run.rubric, note)?;
    let form = task(&rubric, &config)?.form();
    let template = template(chosen.0.template.as_deref(), form)?;
    let dataset = dataset(args, &config, note)?;
    let name = if args.files.is_empty() { NO_CASES.to_owned() } else { flags.names() };
    let gate = gate::gate(&config.gate, note)?;
    let judge = settled(&flags, &config, chosen, note)?;
    let basis = Basis::new(name, rubric, asking_of(judge, template, config, form)?, gate);
    Ok(ProbeJob::new(basis, dataset.as_ref(), selection)?)
}

fn dataset(args: &ProbeArgs, config: &Config, note: &dyn Fn(&str)) -> Result<Option<Dataset>, Failure> {
    if args.files.is_empty() {
        return Ok(None);
    }
    let dataset = Dataset::open(&args.files, load_options(&args.ask.reading.records, config)?)?;
    dataset.notices().iter().for_each(|notice| note(notice));
    Ok(Some(dataset))
}

/// What the records of another tool's judge are compared with, and the form of its probes.
pub(crate) fn recorded_probing(args: &ProbeArgs) -> Result<(Selection, JudgeTask), Failure> {
    let flags = CaseFlags { one_call: args.one_call, ..CaseFlags::of(&args.files, &args.ask) };
    let config = read_config(flags.reading, flags.layer()?)?;
    let task = task(&rubric(&config.run.rubric, &|_| {})?, &config)?;
    Ok((selection(args)?, task))
}

fn task(rubric: &Rubric, config: &Config) -> Result<JudgeTask, Failure> {
    JudgeTask::of(rubric, config.run.call_plan)
        .map_err(|error| Failure::usage(format!("rubric {}: {error}", rubric.name())))
}

fn selection(args: &ProbeArgs) -> Result<Selection, Failure> {
    let tolerance = tolerance(&args.tolerance)?;
    let (mut probes, mut own) = (battery(), OwnFile::default());
    for path in &args.probes {
        let (file, _) = read_file(path, "", read_own)?;
        own.probes.extend(file.probes);
        own.criteria.extend(file.criteria);
    }
    refuse_twice(&own.probes, &probes.iter().map(|probe| probe.name.as_str()).collect::<Vec<_>>())?;
    let names = || {
        let battery = probes.iter().flat_map(|probe| [probe.name.as_str(), probe.family.name()]);
        battery.chain(own.probes.iter().flat_map(|probe| [probe.name.as_str(), OWN]))
    };
    for word in &args.select {
        if !names().any(|name| name == word) {
            let failure = Failure::usage(format!("--select: no probe and no family is called '{word}'"));
            return Err(match closest(word, names()) {
                Some(meant) => failure.hint(format!("did you mean '{meant}'?")),
                None => failure.hint("`probity probe --list` shows them"),
            });
        }
    }
    let is_chosen = |name: &str, family: &str| {
        args.select.is_empty() || args.select.iter().any(|word| word == name || word == family)
    };
    probes.retain(|probe| is_chosen(&probe.name, probe.family.name()));
    own.probes.retain(|probe| is_chosen(&probe.name, OWN));
    let n_bases = args.bases as usize;
    Ok(Selection { probes, own, only: args.select.clone(), n_bases, seed: args.seed, tolerance })
}

/// The family of a person's own probes.
const OWN: &str = "own";

fn tolerance(text: &str) -> Result<Tolerance, Failure> {
    let share: Exact = text.parse().map_err(|error| Failure::usage(format!("--tolerance: {error}")))?;
    Tolerance::new(share).ok_or_else(|| {
        Failure::usage(format!("--tolerance: expected a share from 0 to below 1, found {text}"))
    })
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
