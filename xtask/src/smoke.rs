//! The first thing a newcomer types: the README's first command, with no key.
//!
//! It runs in an empty folder that holds nothing but the examples, so the store of a developer is neither used
//! nor changed, and it never spends money: settings and keys in the environment are kept from it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::step::{self, Ending, StepFailure};

/// The command as the README shows it.
const COMMAND: &str = "cargo run -- run examples/tickets.json";

/// The file it reads, relative to the folder it runs in.
const INPUT: &str = "examples/tickets.json";

/// What a name in the environment starts with when it could change which judge answers.
const WITHHELD: [&str; 3] = ["OPENAI_", "ANTHROPIC_", "PROBITY_"];

/// Runs the command; it has to end with exit code 0.
pub(crate) fn first_command() -> Ending {
    if let Err(failure) = readme_shows_it() {
        return Ending::Failed(failure);
    }
    let folder = std::env::temp_dir().join(format!("probity-smoke-{}", std::process::id()));
    let ending = match prepared(&folder) {
        Ok(()) => step::captured(command(&folder)).into(),
        Err(error) => failed(format!("could not prepare {}: {error}", folder.display())),
    };
    // A folder that stays among the temporary files does no harm.
    let _ = fs::remove_dir_all(&folder);
    ending
}

/// The README may not exist yet, but where it does, what is tested is what it shows.
fn readme_shows_it() -> Result<(), StepFailure> {
    match fs::read_to_string(step::root().join("README.md")) {
        Ok(text) if !text.contains(COMMAND) => Err(StepFailure {
            command: COMMAND.to_owned(),
            output: "README.md does not show this command, expected it as the first one".to_owned(),
        }),
        _ => Ok(()),
    }
}

fn prepared(folder: &Path) -> io::Result<()> {
    let input = folder.join(INPUT);
    fs::create_dir_all(input.parent().unwrap_or(folder))?;
    fs::copy(step::root().join(INPUT), input)?;
    Ok(())
}

fn command(folder: &Path) -> std::process::Command {
    let manifest: PathBuf = step::root().join("Cargo.toml");
    let mut command = step::cargo(["run", "--quiet", "--locked", "--manifest-path"]);
    command.arg(manifest).args(["--", "run", INPUT]).current_dir(folder);
    for (key, _) in std::env::vars_os() {
        if WITHHELD.iter().any(|start| key.to_string_lossy().starts_with(start)) {
            command.env_remove(&key);
        }
    }
    command
}

fn failed(output: String) -> Ending {
    Ending::Failed(StepFailure { command: COMMAND.to_owned(), output })
}
