//! One step of a recipe: a command that is run with its output held back until it is needed.
//!
//! A step that succeeds says nothing but its name and its duration; a step that fails shows everything the
//! command wrote. What a step checks is decided by the module that runs it.

use std::borrow::BorrowMut;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::count::Count;

/// How often a command with a time limit is looked at.
const POLL: Duration = Duration::from_millis(50);

/// How long a question for a version may take.
const VERSION_LIMIT: Duration = Duration::from_secs(20);

/// A named check.
pub(crate) struct Step {
    /// Names the step in headings, in the closing table and in a failure.
    pub(crate) name: &'static str,
    /// Does the work.
    pub(crate) run: fn() -> Ending,
}

/// How a step ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// It holds.
    Passed,
    /// It holds, and this many tests say so. `None` where the runner's summary was not understood.
    Tested(Option<Count>),
    /// It could not be checked here, for this reason.
    Skipped(&'static str),
    /// It does not hold.
    Failed(StepFailure),
}

impl From<Result<String, StepFailure>> for Ending {
    fn from(result: Result<String, StepFailure>) -> Self {
        match result {
            Ok(_) => Ending::Passed,
            Err(failure) => Ending::Failed(failure),
        }
    }
}

/// A command that did not succeed.
#[derive(Debug)]
pub(crate) struct StepFailure {
    /// What was run, as one would type it.
    pub(crate) command: String,
    /// All it wrote, standard output first.
    pub(crate) output: String,
}

impl fmt::Display for StepFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n$ {}", self.output.trim_end(), self.command)
    }
}

/// The folder of the workspace manifest.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().expect("xtask is a folder inside the workspace").to_owned()
}

/// The cargo that started this task, with the workspace as its folder.
///
/// `cargo run` describes xtask to this process in environment variables. Handed on, they would look like
/// changed inputs to build scripts that read them, and those crates would be built anew in every step.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root()).env("CARGO_TERM_COLOR", "never").stdin(Stdio::null());
    for (key, _) in std::env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&key);
        }
    }
    command
}

/// Runs `command` to its end and returns what it wrote, standard output first.
pub(crate) fn captured(mut command: impl BorrowMut<Command>) -> Result<String, StepFailure> {
    let command = command.borrow_mut();
    let typed = typed(command);
    match command.output() {
        Ok(done) => {
            let text =
                format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            if done.status.success() { Ok(text) } else { Err(StepFailure { command: typed, output: text }) }
        }
        Err(error) => Err(StepFailure { command: typed, output: format!("could not be started: {error}") }),
    }
}

/// Whether `command` succeeds within `limit`. What it writes is dropped; past the limit it is ended.
pub(crate) fn succeeds_within(mut command: Command, limit: Duration) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if started.elapsed() < limit => std::thread::sleep(POLL),
            Ok(None) | Err(_) => {
                // The answer is no in either case, so a child that already ended is no concern.
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}

/// Whether `program` starts and says its version. A subcommand of cargo is a program behind `cargo`.
pub(crate) fn has_version(program: Command) -> bool {
    says(program, "--version")
}

/// Whether `program` starts and has something to say to `argument`.
pub(crate) fn says(mut program: Command, argument: &str) -> bool {
    program.arg(argument).stdin(Stdio::null());
    succeeds_within(program, VERSION_LIMIT)
}

/// The command as one would type it, with the bare name of the program.
fn typed(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_else(|| command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .collect::<Vec<_>>()
        .join(" ")
}
