//! The files that a command reads, so that none of them is where it writes; and no two of those it writes are one.
//!
//! Results replace the file of their name. Where that is a file that was read, it is gone, and nothing can be made
//! again from it. What always holds: files are compared as the disk knows them, through links and folders, and a
//! device or a pipe, which nothing replaces, is never refused.

use std::path::{Path, PathBuf};

use probity_engine::ledger::StoreAddress;
use probity_engine::platform::STANDARD_INPUT;

use super::{named_files, named_store};
use crate::args::{AskArgs, CaseArgs, JobArgs, JudgeArgs, ReadArgs, SETTINGS_FILE, SettingsArgs, StoreArgs};
use crate::exit::Failure;

/// Files with the flags that name them.
#[derive(Debug, Default)]
pub(crate) struct Inputs(Vec<(&'static str, PathBuf)>);

impl Inputs {
    /// Adds what `flag` names; what no flag names has a word of its own.
    pub(crate) fn and<'a>(
        mut self,
        flag: &'static str,
        files: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Self {
        let file =
            |path: &PathBuf| if path.as_os_str() == "-" { STANDARD_INPUT.into() } else { path.clone() };
        self.0.extend(files.into_iter().map(|path| (flag, file(path))));
        self
    }

    /// Adds what the flags of a run name.
    pub(crate) fn job(self, job: &JobArgs) -> Self {
        let CaseArgs { files, reading } = &job.cases;
        let inputs = self.and("CASES", files).and("--verdicts", &job.verdicts);
        inputs.and("--target-system", &job.target.target_system).judge(&job.judge, reading)
    }

    /// Adds what the flags of a command that asks name.
    pub(crate) fn ask(self, ask: &AskArgs) -> Self {
        self.judge(&ask.judge, &ask.reading)
    }

    /// Adds what the flags of a judge name, and its store.
    fn judge(self, judge: &JudgeArgs, reading: &ReadArgs) -> Self {
        let rubric = judge.rubric.as_ref().map(PathBuf::from);
        let mut inputs = self.and("--rubric", &rubric).and("--template", &judge.template);
        inputs.0.extend(named_files(&reading.settings));
        let inputs = inputs.and("--policies", &reading.policies).and("--rules", &reading.rules);
        inputs.kept(&reading.settings, judge.store.as_ref())
    }

    /// Adds the settings file and the store of a command that asks no judge, named by a flag or not.
    pub(crate) fn store(self, args: &StoreArgs) -> Self {
        self.kept(&args.settings, args.store.as_ref())
    }

    fn kept(self, args: &SettingsArgs, store: Option<&String>) -> Self {
        // Settings that cannot be read are refused where they are needed.
        let store = named_store(args, store).ok();
        let config = args.config.clone().unwrap_or_else(|| SETTINGS_FILE.into());
        let store: Vec<PathBuf> =
            store.iter().filter_map(StoreAddress::file).flat_map(probity_engine::ledger::files).collect();
        self.and("--config", [&config]).and("--store", &store)
    }

    /// Refuses a place of `flag` that is one of these files.
    pub(crate) fn refuse(&self, flag: &str, place: &Path) -> Result<(), Failure> {
        let Some(found) = replaced(place) else { return Ok(()) };
        match self.0.iter().find(|(_, input)| on_disk(input).as_ref() == Some(&found)) {
            None => Ok(()),
            Some((read, input)) => {
                let (place, input) = (place.display(), input.display());
                Err(Failure::usage(format!("{flag} {place} would replace what is read, {read} {input}"))
                    .hint(format!("give {flag} a name of its own")))
            }
        }
    }
}

/// Refuses two outputs, each with its flag, that would be one file.
pub(crate) fn refuse_same_output(outputs: &[(&str, &Path)]) -> Result<(), Failure> {
    for (n, (flag, place)) in outputs.iter().enumerate() {
        let found = replaced(place);
        let same = |(_, other): &&(&str, &Path)| found.is_some() && replaced(other) == found;
        if let Some((other, _)) = outputs[..n].iter().find(same) {
            let place = place.display();
            return Err(Failure::usage(format!("{flag} {place} is the same file as {other}"))
                .hint(format!("give {flag} a name of its own")));
        }
    }
    Ok(())
}

/// What is replaced when `place` is written, as the disk knows it. A device or a pipe is not replaced.
fn replaced(place: &Path) -> Option<PathBuf> {
    let is_replaced = std::fs::metadata(place).map_or(true, |found| found.is_file());
    on_disk(place).filter(|_| is_replaced)
}

/// The file as the disk knows it, also one that is yet to be made.
fn on_disk(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_where_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).expect("a folder");
        std::fs::write(at("cases.json"), "[]").expect("a file");
        std::os::unix::fs::symlink(at("cases.json"), at("link.json")).expect("a link");
        let is_refused = |input: &str, place: &str| {
            let inputs = Inputs::default().and("CASES", [&at(input)]);
            inputs.refuse("--output", &at(place)).is_err()
        };
        assert!(is_refused("cases.json", "cases.json"));
        assert!(is_refused("cases.json", "sub/../cases.json"));
        assert!(is_refused("cases.json", "link.json") && is_refused("link.json", "cases.json"));
        assert!(is_refused("new.db", "sub/../new.db"), "neither is there yet");
        assert!(!is_refused("cases.json", "other.json") && !is_refused("cases.json", "sub/cases.json"));
        let device = Inputs::default().and("CASES", [&PathBuf::from("/dev/null")]);
        assert!(device.refuse("--output", Path::new("/dev/null")).is_ok(), "nothing replaces a device");
    }
}
