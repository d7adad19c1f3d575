//! The job of a comparison: one case file per variant, or one file with several.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::packet::{AnswerForm, pair_ask};
use probity_core::rubric::{self as rubrics, Rubric};
use probity_engine::config::Config;
use probity_engine::input::Dataset;
use probity_engine::run::basis::Basis;
use probity_engine::run::compare::{CompareJob, Side, SideReplies};
use probity_engine::run::job::Job;

use super::{
    CaseFlags, asking_of, gate, job_of, judge, load_options, read_config, rubric, settled, template,
};
use crate::args::{CompareArgs, TargetArgs};
use crate::exit::Failure;

/// The rubric of a comparison where none is named: the settings' own is for scores.
pub(crate) const PAIRWISE_RUBRIC: &str = "pairwise-support";

/// The rubric of jobs that ask for replies and for no verdict.
const REPLY_RUBRIC: &str = "relevance-tone";

/// Puts a comparison together. Everything that can be wrong with flags, files and cases is found here.
/// The replies are those of files, or those that the targets of `jobs` gave.
pub(crate) fn comparison(
    args: &CompareArgs,
    jobs: &[Arc<Job>],
    note: &dyn Fn(&str),
) -> Result<CompareJob, Failure> {
    let flags = CaseFlags::of(&args.files, &args.ask);
    let mut layer = flags.layer()?;
    layer.run.rubric.get_or_insert_with(|| PAIRWISE_RUBRIC.to_owned());
    let config = read_config(flags.reading, layer)?;
    let rubric = rubric(&config.run.rubric, note)?;
    let sides =
        if jobs.is_empty() { sides(&flags, &config, note)? } else { jobs.iter().map(asked_side).collect() };
    comparison_of(&flags, args.seed, (config, rubric), &sides, note)
}

/// The side of a target that was asked.
fn asked_side(job: &Arc<Job>) -> Side {
    let variant = job.target().map(|target| target.settings.name.clone()).unwrap_or_default();
    Side { variant, replies: SideReplies::Asked(Arc::clone(job)) }
}

/// The jobs that ask the targets which flags name for replies, each under the name of its variant.
pub(crate) fn reply_jobs(args: &CompareArgs, note: &dyn Fn(&str)) -> Result<Vec<Arc<Job>>, Failure> {
    let flags = CaseFlags::of(&args.files, &args.ask);
    let specs: Vec<(&str, Option<PathBuf>)> = args.targets.iter().map(|spec| target_spec(spec)).collect();
    if specs.len() == 1 {
        return Err(Failure::usage("--target: expected two targets or more, found one")
            .hint("such as --target openai@old.txt --target openai@new.txt"));
    }
    // A prompt's file names its variant; without one, the target does.
    let names: Vec<PathBuf> =
        specs.iter().map(|(name, file)| file.clone().unwrap_or_else(|| PathBuf::from(name))).collect();
    let mut jobs = Vec::new();
    for ((name, file), variant) in specs.into_iter().zip(variants(&names)) {
        let mut layer = flags.layer()?;
        layer.run.rubric = None;
        let target = TargetArgs {
            target: Some(name.to_owned()),
            target_model: args.target_model.clone(),
            target_base_url: args.target_base_url.clone(),
            target_system: file,
        };
        super::target::put_over(&target, &mut layer);
        let mut config = read_config(flags.reading, layer)?;
        if let Some(target) = &mut config.target {
            target.name = variant;
        }
        // What the replies are judged by is the comparison's: any rubric with levels makes the job.
        let rubric = rubrics::built_in(REPLY_RUBRIC).expect("it is built in");
        let about_targets = |line: &str| {
            if line.starts_with("target ") {
                note(line);
            }
        };
        jobs.push(Arc::new(job_of(&flags, (config, rubric), &about_targets)?));
    }
    Ok(jobs)
}

/// A target's name, and the file of its system prompt.
fn target_spec(spec: &str) -> (&str, Option<PathBuf>) {
    match spec.split_once('@') {
        None => (spec, None),
        Some((name, file)) => (if name.is_empty() { "openai" } else { name }, Some(PathBuf::from(file))),
    }
}

/// The comparison of these cases under settings that were read.
pub(super) fn comparison_of(
    flags: &CaseFlags<'_>,
    seed: u64,
    (config, rubric): (Config, Rubric),
    sides: &[Side],
    note: &dyn Fn(&str),
) -> Result<CompareJob, Failure> {
    let chosen = judge(flags, &config)?;
    let ask = pair_ask(&rubric).map_err(|error| {
        Failure::usage(format!("rubric {}: {error}", rubric.name()))
            .hint(format!("use --rubric {PAIRWISE_RUBRIC}, or say in the rubric when two replies are equal"))
    })?;
    let template = template(chosen.0.template.as_deref(), AnswerForm::Preference)?;
    let gate = gate::gate(&config.gate, note)?;
    let judge = settled(flags, &config, chosen, note)?;
    let asking = asking_of(judge, template, config, AnswerForm::Preference)?;
    let basis = Basis::new(flags.names(), rubric, asking, gate);
    let job = CompareJob::new(basis, sides, ask, seed)?;
    refuse_nothing(&job)?;
    Ok(job)
}

pub(super) fn sides(
    flags: &CaseFlags<'_>,
    config: &Config,
    note: &dyn Fn(&str),
) -> Result<Vec<Side>, Failure> {
    let names = variants(flags.files);
    let side = |(path, variant): (&PathBuf, String)| {
        let dataset =
            Dataset::open(std::slice::from_ref(path), load_options(&flags.reading.records, config)?)?;
        dataset.notices().iter().for_each(|notice| note(notice));
        Ok(Side { variant, replies: SideReplies::File(dataset) })
    };
    flags.files.iter().zip(names).map(side).collect()
}

/// What replies are called whose records name no variant: the file's name without folder and suffix, or all of
/// it where two files would be called the same.
fn variants(files: &[PathBuf]) -> Vec<String> {
    let stem = |path: &Path| {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        name.split('.').next().filter(|stem| !stem.is_empty()).map_or(name.clone(), str::to_owned)
    };
    let stems: Vec<String> = files.iter().map(|path| stem(path)).collect();
    let is_taken =
        |at: usize| stems.iter().enumerate().any(|(other, name)| other != at && *name == stems[at]);
    let named = |(at, path): (usize, &PathBuf)| {
        if is_taken(at) { path.display().to_string() } else { stems[at].clone() }
    };
    files.iter().enumerate().map(named).collect()
}

/// A comparison without a pair is a mistake in the files' names or ids.
fn refuse_nothing(job: &CompareJob) -> Result<(), Failure> {
    let variants = &job.field.variants;
    if variants.len() < 2 {
        let found = variants.first().map_or("none".to_owned(), |only| format!("only '{only}'"));
        return Err(Failure::usage(format!("{}: expected replies of two variants, found {found}", job.name))
            .hint(if variants.is_empty() {
                "every record was skipped, each with its reason above; records without ids are numbered by --map 'id=#'"
            } else {
                "name a file for each variant, or give records a `variant`"
            }));
    }
    if job.meetings.is_empty() {
        let why = match job.mismatched.first() {
            Some(first) => format!("case '{}': {}", first.case, first.reason),
            None => "no case has replies of two variants; cases are paired by `id`".to_owned(),
        };
        return Err(Failure::usage(format!("{}: {why}", job.name)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[&str], want: &[&str]) {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        assert_eq!(variants(&files), want);
    }

    #[test]
    fn variants_are_called_after_their_files() {
        check(&["runs/old.jsonl", "new.json.gz"], &["old", "new"]);
        check(
            &["a/replies.jsonl", "b/replies.jsonl", "new.csv"],
            &["a/replies.jsonl", "b/replies.jsonl", "new"],
        );
        check(&["-", ".hidden"], &["-", ".hidden"]);
    }
}
