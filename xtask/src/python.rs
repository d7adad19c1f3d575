//! The Python package and its pytest plugin, against the program that the tests were built with.
//!
//! They run in an environment of their own below `target`, made once from Python's index. Where that cannot be had they
//! are skipped, and the closing table says so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::step::{self, Ending};

/// What the tests need, apart from Python itself.
const PACKAGES: [&str; 2] = ["pytest==9.2.0", "mypy==2.4.1"];

/// How long installing may take.
const INSTALL_LIMIT: Duration = Duration::from_mins(5);

/// Checks the types of the package and runs its tests.
pub(crate) fn tests() -> Ending {
    let root = step::root();
    let environment = root.join("target/python");
    let python = environment.join("bin/python");
    if !environment.join("bin/mypy").exists() && !is_installed(&environment, &python) {
        return Ending::Skipped("Python package (python3 with venv, or Python's index, could not be had)");
    }
    let mut types = Command::new(&python);
    types.args(["-m", "mypy", "--strict", "--no-error-summary", "probity"]).current_dir(root.join("python"));
    types.args(["--cache-dir", "../target/python/mypy"]);
    if let Err(failure) = step::captured(types) {
        return Ending::Failed(failure);
    }
    let mut tests = Command::new(&python);
    tests
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "tests"])
        .current_dir(root.join("python"));
    tests.env("PYTHONPATH", root.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    tests.env("PROBITY", root.join("target/debug/probity")).stdin(Stdio::null());
    step::captured(tests).into()
}

/// Makes the environment, and says whether that worked.
fn is_installed(environment: &Path, python: &Path) -> bool {
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(environment);
    let mut install = Command::new(python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES);
    [make, install].into_iter().all(|command| step::succeeds_within(command, INSTALL_LIMIT))
}
