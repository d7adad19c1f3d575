//! PostgreSQL and pgbouncer for the tests of a shared record, and the recipe that looks longer at it.
//!
//! Where they are missing they are installed, if this is root on a system with apt. Elsewhere the tests that need them
//! are skipped, and the closing table says so.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use crate::step::{self, Ending};

/// The packages that bring the programs.
const PACKAGES: [&str; 2] = ["postgresql", "pgbouncer"];

/// How long apt may take for one command.
const INSTALL_LIMIT: Duration = Duration::from_mins(10);

/// Kills and stops of the long form.
const HARMS: &str = "500";

/// Installs what is missing, where that is allowed.
pub(crate) fn present() -> Ending {
    if installed() {
        return Ending::Passed;
    }
    let mut who = Command::new("id");
    who.arg("-u");
    if !step::captured(who).is_ok_and(|id| id.trim() == "0") {
        return Ending::Skipped("tests on PostgreSQL (it is not installed)");
    }
    println!("   installing {}: this takes a minute, once", PACKAGES.join(" and "));
    let install = [&["install", "--yes", "--no-install-recommends"][..], &PACKAGES].concat();
    for arguments in [&["update"][..], &install] {
        if !step::succeeds_within(apt(arguments), INSTALL_LIMIT) {
            return Ending::Skipped("tests on PostgreSQL (it could not be installed)");
        }
    }
    if installed() {
        Ending::Passed
    } else {
        Ending::Skipped("tests on PostgreSQL (it is not where it belongs)")
    }
}

/// Runs the tests of many workers on one record, in the long form if asked.
pub(crate) fn fleet(arguments: &[&str]) -> ExitCode {
    let mut cargo = step::cargo(["test", "--locked", "--package", "probity", "--test", "it", "--"]);
    cargo.args(["guarantees::fleet::", "--nocapture", "--test-threads", "1"]);
    if arguments.contains(&"--long") {
        cargo.env("PROBITY_FLEET_HARMS", HARMS);
    }
    match cargo.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn installed() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut programs = versions.map(|version| version.path().join("bin/postgres"));
    programs.any(|program| Path::new(&program).exists()) && step::has_version(Command::new("pgbouncer"))
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // Without the second variable a package would start a server of its own.
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("RUNLEVEL", "1")
        .stdin(Stdio::null());
    command
}
