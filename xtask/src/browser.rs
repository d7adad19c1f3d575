//! The browser that pages are tested in: Debian's Chromium and its web driver.
//!
//! Where they are missing they are installed, if this is root on a system with apt. Elsewhere the tests that
//! need them are skipped, and the closing table says so. Nothing is changed for another user.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::step::{self, Ending};

/// The programs that the tests start.
const PROGRAMS: [&str; 2] = ["chromium", "chromedriver"];

/// The packages that bring them.
const PACKAGES: [&str; 2] = ["chromium", "chromium-driver"];

/// How long apt may take for one command.
const INSTALL_LIMIT: Duration = Duration::from_mins(10);

/// Installs what is missing, where that is allowed.
pub(crate) fn present() -> Ending {
    if installed() {
        return Ending::Passed;
    }
    if !is_root() {
        return Ending::Skipped("browser tests (chromium and chromium-driver are not installed)");
    }
    println!("   installing {}: this takes some minutes, once", PACKAGES.join(" and "));
    let install = [&["install", "--yes", "--no-install-recommends"][..], &PACKAGES].concat();
    for arguments in [&["update"][..], &install] {
        if !step::succeeds_within(apt(arguments), INSTALL_LIMIT) {
            return Ending::Skipped("browser tests (chromium and chromium-driver could not be installed)");
        }
    }
    if installed() {
        Ending::Passed
    } else {
        Ending::Skipped("browser tests (chromium or chromedriver does not start)")
    }
}

fn installed() -> bool {
    PROGRAMS.iter().all(|program| step::has_version(Command::new(program)))
}

fn is_root() -> bool {
    let mut who = Command::new("id");
    who.arg("-u");
    step::captured(who).is_ok_and(|id| id.trim() == "0")
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // Without this, a package could wait for an answer at the terminal.
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    command
}
