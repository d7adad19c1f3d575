//! Exit codes: an interface, in one table, and what goes wrong in words.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use probity_engine::input::LoadError;
use probity_engine::ledger::StoreError;
use probity_engine::run::RunError;
use rustix::io::Errno;

/// What a system says when it has no more threads, memory or files to give.
pub(crate) const EXHAUSTED: [Errno; 4] = [Errno::AGAIN, Errno::NOMEM, Errno::NFILE, Errno::MFILE];

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done; with `--enforce`: targets met by a judge with standing.
    Done = 0,
    /// A check failed: targets missed, or a judge without standing under `--enforce`.
    No = 1,
    /// Usage or input is wrong; nothing was spent.
    Usage = 2,
    /// Incomplete: run the same command again to resume.
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
        Failure::usage(format!("{named}: cannot be read: {error}"))
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
        Failure { hint: error.hint, ..failure }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Load(error) => error.into(),
            RunError::Store(error) => error.into(),
            RunError::Damaged { .. } | RunError::Output(_) => Failure::new(Exit::Store, &error),
            RunError::NoPrice { ref model } => {
                let table = format!("[prices.{model:?}]");
                Failure::new(Exit::Usage, &error).hint(format!(
                    "set input_usd_per_mtok and output_usd_per_mtok under {table} in probity.toml, or use --max-calls"
                ))
            }
            RunError::Midway(_) => Failure::new(Exit::Incomplete, &error)
                .hint("what was answered is kept; run again with a file that stays as it is"),
            RunError::NotOnRecord { .. } => Failure::new(Exit::Usage, &error).hint(
                "run the same command again: what was answered is on record, and the rest is recorded then",
            ),
            RunError::NothingUsable { .. }
            | RunError::NoBase { .. }
            | RunError::NotProbed { .. }
            | RunError::BudgetTooLarge { .. }
            | RunError::ShardedTarget
            | RunError::Sequence(_)
            | RunError::Template(_)
            | RunError::Target(_)
            | RunError::Judge(_) => Failure::new(Exit::Usage, &error),
        }
    }
}

/// Whether `error` says that the machine ran out of something, and nothing about what was asked for.
fn is_exhausted(error: &io::Error) -> bool {
    let full = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
    full || Errno::from_io_error(error).is_some_and(|errno| EXHAUSTED.contains(&errno))
}
