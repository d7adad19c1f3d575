//! axe-core, which looks at pages for what keeps people out, from npm in a pinned version.
//!
//! It is put into `target` where node and npm are there; elsewhere the tests that need it are skipped and say so.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::step::{self, Ending};

/// The version that pages are held to.
const PACKAGE: &str = "axe-core@4.14.0";

/// Where it is put, and the file that tests read.
const FOLDER: &str = "target/axe";
const SCRIPT: &str = "target/axe/node_modules/axe-core/axe.min.js";

/// How long npm may take.
const INSTALL_LIMIT: Duration = Duration::from_mins(3);

/// Installs it, where that can be done.
pub(crate) fn present() -> Ending {
    if Path::new(SCRIPT).is_file() {
        return Ending::Passed;
    }
    if !step::has_version(Command::new("npm")) {
        return Ending::Skipped("accessibility of pages (npm is not installed)");
    }
    let mut install = Command::new("npm");
    install.args([
        "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", FOLDER, PACKAGE,
    ]);
    install.stdin(Stdio::null());
    if step::succeeds_within(install, INSTALL_LIMIT) && Path::new(SCRIPT).is_file() {
        Ending::Passed
    } else {
        Ending::Skipped("accessibility of pages (axe-core could not be installed)")
    }
}
