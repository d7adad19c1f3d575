//! Exit codes: an interface, in one table.

use std::process::ExitCode;

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

    /// The same failure with advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
