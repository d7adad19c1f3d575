//! Exit codes: an interface, in one table, and what goes wrong in words.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use probity_core::spelling::closest;
use probity_engine::input::LoadError;
use probity_engine::judge::JudgeError;
use probity_engine::judge::key::KeyProblem;
use probity_engine::ledger::StoreError;
use probity_engine::platform::is_exhausted;
use probity_engine::run::RunError;

/// How many files of a folder are looked at for a name that is nearly right.
const FILES_MAX: usize = 10_000;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done; with `--enforce`: targets met by a judge with standing.
    Done = 0,
    /// A check failed: targets missed, or a judge without standing under `--enforce`.
    No = 1,
    /// Usage or input is wrong; nothing was spent.
    Usage = 2,
    /// Incomplete: run the same command again to continue.
    Incomplete = 3,
    /// The store or the disk failed.
    Store = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What went wrong, in words, with the code it ends in.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The code.
    pub(crate) exit: Exit,
    /// What was done to which thing and what was expected.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// A failure from an error and everything that caused it.
    pub(crate) fn new(exit: Exit, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Failure { exit, message, hint: None }
    }

    /// A failure in usage or input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Usage, message: message.into(), hint: None }
    }

    /// A failure of the store, the disk or the machine.
    pub(crate) fn store(message: impl Into<String>) -> Self {
        Failure { exit: Exit::Store, message: message.into(), hint: None }
    }

    /// A file that was named cannot be read.
    pub(crate) fn unreadable(named: &str, error: &io::Error) -> Self {
        if error.kind() != io::ErrorKind::NotFound {
            return Failure::usage(format!("{named}: cannot be read: {error}"));
        }
        // Some names say before the path what the file is.
        let hint = named.rsplit(' ').next().and_then(|path| near_file(Path::new(path)));
        Failure { hint, ..Failure::usage(format!("{named}: there is no such file")) }
    }

    /// Results cannot be written to a file, or to standard output.
    pub(crate) fn unwritable(output: Option<&Path>, error: &io::Error) -> Self {
        let place = output.map_or("standard output".to_owned(), |path| path.display().to_string());
        Failure::store(format!("could not write {place}: {error}"))
    }

    /// The same failure with advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let is_usage = matches!(error, StoreError::CallsSpent { .. } | StoreError::MoneySpent { .. });
        Failure::new(if is_usage { Exit::Usage } else { Exit::Store }, &error)
    }
}

/// A machine that ran out of something is no fault of the cases.
impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Failure {
        let is_machine = error.source.as_ref().is_some_and(is_exhausted);
        let failure = Failure::new(if is_machine { Exit::Store } else { Exit::Usage }, &error);
        let is_missing = error.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::NotFound);
        let near = || is_missing.then(|| near_file(Path::new(&*error.file))).flatten();
        // The message says it; what the system calls it adds nothing.
        let message = if is_missing { error.to_string() } else { failure.message };
        Failure { exit: failure.exit, message, hint: error.hint.clone().or_else(near) }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::NotFitted { ref judge, what, .. } => {
                let flag = if what == "weights" { "--jury" } else { "--cascade" };
                Failure::new(Exit::Usage, &error)
                    .hint(format!("label cases, then `probity calibrate CASES --judge {judge} {flag}`"))
            }
            RunError::Load(error) => error.into(),
            RunError::Store(error) => error.into(),
            RunError::Damaged { .. } | RunError::Output(_) => Failure::new(Exit::Store, &error),
            RunError::NoPrice { ref model } => {
                let table = format!("[prices.{model:?}]");
                Failure::new(Exit::Usage, &error).hint(format!(
                    "set input_usd_per_mtok and output_usd_per_mtok under {table} in probity.toml, or use --max-calls"
                ))
            }
            RunError::Unconfirmed { .. } => Failure::new(Exit::Usage, &error).hint(
                "nothing was sent; confirm with --yes, set a limit with --budget-usd or --max-calls, or see the details with --dry-run (settings: budget.confirm_usd, budget.confirm_calls)",
            ),
            RunError::Midway(_) => Failure::new(Exit::Incomplete, &error)
                .hint("the answers so far are kept; run again once the file no longer changes"),
            RunError::Judge(JudgeError::Key(ref bad)) if bad.problem == KeyProblem::Missing => {
                let variable = &bad.variable;
                Failure::new(Exit::Usage, &error).hint(format!(
                    "export {variable}=…, or choose --judge baseline; --base-url names a server without a key"
                ))
            }
            RunError::NotOnRecord { .. } => Failure::new(Exit::Usage, &error).hint(
                "run the same command again: what was answered is on record, and the rest is recorded then",
            ),
            RunError::NothingUsable { .. }
            | RunError::NoBase { .. }
            | RunError::NotProbed { .. }
            | RunError::BudgetTooLarge { .. }
            | RunError::ShardedTarget
            | RunError::NoBatch { .. }
            | RunError::Sequence(_)
            | RunError::Template(_)
            | RunError::Target(_)
            | RunError::OneCallPanel { .. }
            | RunError::Judge(_) => Failure::new(Exit::Usage, &error),
        }
    }
}

/// The file beside `path` that was perhaps meant.
pub(crate) fn near_file(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).take(FILES_MAX);
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let near = closest(path.file_name()?.to_str()?, names.iter().map(String::as_str))?;
    Some(format!("did you mean {}?", path.with_file_name(near).display()))
}
