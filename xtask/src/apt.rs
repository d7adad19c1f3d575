//! The programs that tests start: browsers, database servers, proxies.
//!
//! Where they are missing they are installed, if this is root on a system with apt. Elsewhere the tests that need them
//! are skipped, and the closing table says so. Nothing is changed for another user.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use crate::step::{self, Ending};

/// How long apt may take for one command.
const INSTALL_LIMIT: Duration = Duration::from_mins(10);

/// Packages that tests of one kind need.
struct Packages {
    names: &'static [&'static str],
    /// Whether what they bring is there and starts.
    are_installed: fn() -> bool,
    /// What is not checked without them, and why.
    lacking: &'static str,
}

/// The browser that pages are tested in.
pub(crate) fn browser() -> Ending {
    present(&Packages {
        names: &["chromium", "chromium-driver"],
        are_installed: || ["chromium", "chromedriver"].map(Command::new).into_iter().all(step::has_version),
        lacking: "browser tests (chromium and chromium-driver are not installed)",
    })
}

/// The server of a shared record, and a pooler before it.
pub(crate) fn postgres() -> Ending {
    present(&Packages {
        names: &["postgresql", "pgbouncer"],
        are_installed: || {
            let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
            let mut programs = versions.map(|version| version.path().join("bin/postgres"));
            programs.any(|program| Path::new(&program).exists())
                && step::has_version(Command::new("pgbouncer"))
        },
        lacking: "tests on PostgreSQL (it is not installed)",
    })
}

/// The proxies whose recipes the docs have.
pub(crate) fn proxies() -> Ending {
    present(&Packages {
        names: &["caddy", "nginx-light"],
        are_installed: || {
            step::says(Command::new("caddy"), "version") && step::says(Command::new("nginx"), "-v")
        },
        lacking: "the room behind a proxy (caddy and nginx are not installed)",
    })
}

/// Installs what is missing, where that is allowed.
fn present(packages: &Packages) -> Ending {
    /// apt does one thing at a time.
    static TURN: Mutex<()> = Mutex::new(());
    if (packages.are_installed)() {
        return Ending::Passed;
    }
    if !is_root() {
        return Ending::Skipped(packages.lacking);
    }
    println!("   installing {}: this takes a minute or two, once", packages.names.join(" and "));
    let _turn = TURN.lock().expect("no step panics");
    let install = [&["install", "--yes", "--no-install-recommends"][..], packages.names].concat();
    let is_done = [&["update"][..], &install]
        .into_iter()
        .all(|arguments| step::succeeds_within(apt(arguments), INSTALL_LIMIT));
    if is_done && (packages.are_installed)() { Ending::Passed } else { Ending::Skipped(packages.lacking) }
}

fn is_root() -> bool {
    let mut who = Command::new("id");
    who.arg("-u");
    step::captured(who).is_ok_and(|id| id.trim() == "0")
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    // Without the first variable a package could wait for an answer at the terminal; without the second one it would
    // start a server of its own.
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("RUNLEVEL", "1")
        .stdin(Stdio::null());
    command
}
