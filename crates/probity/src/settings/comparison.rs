//! The job of a comparison: one case file per variant, or one file with several.

use std::path::{Path, PathBuf};

use probity_core::packet::{AnswerForm, pair_ask};
use probity_core::rubric::Rubric;
use probity_engine::config::Config;
use probity_engine::input::Dataset;
use probity_engine::run::asking::Asking;
use probity_engine::run::basis::Basis;
use probity_engine::run::compare::{CompareJob, Side};

use super::{CaseFlags, gate, judge, load_options, read_config, rubric, settled, template};
use crate::args::CompareArgs;
use crate::exit::Failure;

/// The rubric of a comparison where none is named: the settings' own is for scores.
pub(crate) const PAIRWISE_RUBRIC: &str = "pairwise-support";

/// Puts a comparison together. Everything that can be wrong with flags, files and cases is found here.
pub(crate) fn comparison(args: &CompareArgs, note: &dyn Fn(&str)) -> Result<CompareJob, Failure> {
    let flags = CaseFlags::of(&args.files, &args.ask);
    let mut layer = flags.layer()?;
    layer.run.rubric.get_or_insert_with(|| PAIRWISE_RUBRIC.to_owned());
    let config = read_config(flags.reading, layer)?;
    let rubric = rubric(&config.run.rubric, note)?;
    comparison_of(&flags, args.seed, (config, rubric), note)
}

/// The comparison of these cases under settings that were read.
pub(super) fn comparison_of(
    flags: &CaseFlags<'_>,
    seed: u64,
    (config, rubric): (Config, Rubric),
    note: &dyn Fn(&str),
) -> Result<CompareJob, Failure> {
    let chosen = judge(flags, &config)?;
    let ask = pair_ask(&rubric).map_err(|error| {
        Failure::usage(format!("rubric {}: {error}", rubric.name()))
            .hint(format!("use --rubric {PAIRWISE_RUBRIC}, or say in the rubric when two replies are equal"))
    })?;
    let template = template(chosen.0.template.as_deref(), AnswerForm::Preference)?;
    let sides = sides(flags, note)?;
    let gate = gate::gate(&config.gate, note)?;
    let judge = settled(flags, &config, chosen, note)?;
    let basis = Basis::new(flags.names(), rubric, Asking::new(judge, template, config)?, gate);
    let job = CompareJob::new(basis, &sides, ask, seed)?;
    refuse_nothing(&job)?;
    Ok(job)
}

fn sides(flags: &CaseFlags<'_>, note: &dyn Fn(&str)) -> Result<Vec<Side>, Failure> {
    let names = variants(flags.files);
    let side = |(path, variant): (&PathBuf, String)| {
        let dataset = Dataset::open(std::slice::from_ref(path), load_options(&flags.reading.records)?)?;
        dataset.notices().iter().for_each(|notice| note(notice));
        Ok(Side { variant, dataset })
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
            .hint("name a file for each variant, or give records a `variant`"));
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
