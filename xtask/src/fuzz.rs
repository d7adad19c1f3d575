//! The fuzz targets under libFuzzer: a search for input that breaks a promise.
//!
//! The targets and what they promise are in `fuzz/src/targets`; without a fuzzer they run among the tests.
//! Built and found things stay in `target/fuzz`: a corpus grows from run to run, and an input that broke a
//! target is kept until it has become a case.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::step::{self, Ending, StepFailure};

/// Installed where cargo-fuzz is missing.
const VERSION: &str = "0.13.2";

/// How long a target is searched unless `--seconds` says otherwise.
const SECONDS: u32 = 120;

/// How long a target is searched among the steps of `ci`: enough to see that it runs and that nothing is
/// wrong on the surface.
const SMOKE_SECONDS: u32 = 5;

/// One input may not take longer than this, in seconds; the slowest that are known take a tenth of one.
const INPUT_SECONDS_MAX: u32 = 10;

/// `cargo xtask fuzz [target] [--seconds N]`: searches one target or all, one after the other.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let (wanted, seconds) = match parsed(arguments) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if let Err(failure) = installation().and_then(|()| same_versions()) {
        eprint!("{failure}");
        return ExitCode::FAILURE;
    }
    for target in wanted {
        println!("== {target}, {seconds} s");
        let command = search(&target, seconds).map(|mut command| command.status());
        match command {
            Ok(Ok(status)) if status.success() => {}
            Ok(Ok(_)) => return ExitCode::FAILURE,
            Ok(Err(error)) | Err(error) => {
                eprintln!("{target}: could not be started: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Searches every target for some seconds, where cargo-fuzz is installed. Installing it and building the targets
/// takes longer than all other steps, so elsewhere the test that feeds them with fixed inputs has to do.
pub(crate) fn smoke() -> Ending {
    if !installed() {
        return Ending::Skipped(
            "cargo fuzz (not installed; its targets ran on fixed inputs among the tests)",
        );
    }
    if let Err(failure) = same_versions() {
        return Ending::Failed(failure);
    }
    for target in targets() {
        let searched = search(&target, SMOKE_SECONDS).map(step::captured);
        match searched {
            Ok(Ok(_)) => {}
            Ok(Err(failure)) => return Ending::Failed(failure),
            Err(error) => {
                let output = format!("could not prepare the corpus: {error}");
                return Ending::Failed(StepFailure { command: format!("cargo xtask fuzz {target}"), output });
            }
        }
    }
    Ending::Passed
}

/// The targets to search and the seconds for each.
fn parsed(arguments: &[&str]) -> Result<(Vec<String>, u32), String> {
    let (mut wanted, mut seconds) = (targets(), SECONDS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--seconds" {
            let number = rest.next().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
            seconds = number.ok_or("expected a number of seconds above 0 after --seconds")?;
        } else if wanted.iter().any(|target| target == argument) {
            wanted = vec![(*argument).to_owned()];
        } else {
            return Err(format!("unknown target `{argument}`, expected one of {}", targets().join(", ")));
        }
    }
    Ok((wanted, seconds))
}

/// The targets by name: every file beside each other is one.
fn targets() -> Vec<String> {
    let folder = step::root().join("fuzz/fuzz_targets");
    let files = fs::read_dir(folder).expect("the fuzz targets are part of the repository");
    let mut names: Vec<String> = files
        .filter_map(|file| Some(file.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}

fn installed() -> bool {
    step::has_version(step::cargo(["fuzz"]))
}

/// Installs cargo-fuzz where it is missing.
fn installation() -> Result<(), StepFailure> {
    if installed() {
        return Ok(());
    }
    println!("   installing cargo-fuzz {VERSION}: this takes a minute, once");
    let install = ["install", "--locked", "--quiet", "cargo-fuzz", "--version", VERSION];
    step::captured(step::cargo(install)).map(|_| ())
}

/// Gives the targets the versions that the project is built with.
fn same_versions() -> Result<(), StepFailure> {
    let (from, to) = (step::root().join("Cargo.lock"), step::root().join("fuzz/Cargo.lock"));
    fs::copy(from, to).map(|_| ()).map_err(|error| StepFailure {
        command: "cp Cargo.lock fuzz/Cargo.lock".to_owned(),
        output: format!("could not copy the lock file: {error}"),
    })
}

/// The command that searches `target`. Its seeds are written by the target itself.
fn search(target: &str, seconds: u32) -> std::io::Result<Command> {
    let found = step::root().join("target/fuzz");
    let folder = |kind: &str| -> std::io::Result<PathBuf> {
        let folder = found.join(kind).join(target);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    let (seeds, corpus, broken) = (folder("seeds")?, folder("corpus")?, folder("broken")?);
    // There is no unsafe code to watch, so a sanitizer would only cost time.
    let mut command = step::cargo(["fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", "none"]);
    command.arg("--target-dir").arg(&found).arg(target).arg(&corpus).arg(&seeds).arg("--");
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={INPUT_SECONDS_MAX}"));
    command.arg(format!("-artifact_prefix={}/", broken.display()));
    // libFuzzer needs a flag of the compiler that is not stable yet; the compiler itself is the stable one.
    command.env("RUSTC_BOOTSTRAP", "1").env("PROBITY_FUZZ_SEEDS", seeds);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], want: &str) {
        let got = match parsed(arguments) {
            Ok((wanted, seconds)) => format!("{} for {seconds}", wanted.join(" ")),
            Err(message) => message,
        };
        assert_eq!(got, want, "{arguments:?}");
    }

    #[test]
    fn one_target_or_all() {
        check(&[], "binary foreign gate graders json load map policy prompt retry rubric verdict for 120");
        check(&["load"], "load for 120");
        check(
            &["--seconds", "5"],
            "binary foreign gate graders json load map policy prompt retry rubric verdict for 5",
        );
        check(&["load", "--seconds", "600"], "load for 600");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        check(
            &["lod"],
            "unknown target `lod`, expected one of binary, foreign, gate, graders, json, load, map, policy, prompt, retry, rubric, verdict",
        );
        for wrong in [&["--seconds"][..], &["--seconds", "0"], &["--seconds", "soon"]] {
            check(wrong, "expected a number of seconds above 0 after --seconds");
        }
    }
}
