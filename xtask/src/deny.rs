//! The dependency tree against `deny.toml`: licences, banned crates, sources, advisories.
//!
//! The first three need only the tree and have to hold. Advisories need a database from the network; a machine
//! that cannot fetch it skips them and says so, and an advisory that is found fails like any other check.

use std::time::Duration;

use crate::step::{self, Ending};

/// Installed where cargo-deny is missing. `deny.toml` is written for this version.
const VERSION: &str = "0.20.2";

/// How long the advisory database may take to arrive.
const FETCH_LIMIT: Duration = Duration::from_mins(2);

/// Checks what needs no network: licences, bans and sources. Installs cargo-deny where it is missing.
pub(crate) fn tree() -> Ending {
    if !installed() {
        println!("   installing cargo-deny {VERSION}: this takes some minutes, once");
        let install = step::cargo(["install", "--locked", "--quiet", "cargo-deny", "--version", VERSION]);
        if let Err(failure) = step::captured(install) {
            println!("{failure}");
            return Ending::Skipped("cargo deny (could not be installed)");
        }
    }
    let check = ["deny", "--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
    step::captured(step::cargo(check)).into()
}

/// Checks for published advisories and withdrawn versions.
pub(crate) fn advisories() -> Ending {
    if !installed() {
        return Ending::Skipped("advisories (cargo deny could not be installed)");
    }
    let mut fetch = step::cargo(["deny", "fetch", "db"]);
    // Without this, git would wait for a password to be typed.
    fetch.env("GIT_TERMINAL_PROMPT", "0");
    if !step::succeeds_within(fetch, FETCH_LIMIT) {
        return Ending::Skipped("advisories (the advisory database could not be fetched)");
    }
    step::captured(step::cargo(["deny", "--locked", "check", "advisories"])).into()
}

fn installed() -> bool {
    step::has_version(step::cargo(["deny"]))
}
