//! A check that cannot be made here: a test says so instead of passing in silence, and `cargo xtask ci` counts it.

#![allow(unreachable_pub, reason = "each test binary has it at a place of its own")]

use std::fs::OpenOptions;
use std::io::Write as _;

/// Names the file in which `cargo xtask ci` collects what was skipped. Its environment alone sets it.
const LIST: &str = "PROBITY_SKIPPED";

/// Says that `check` was not made in this test, and why.
pub fn skipped(check: &str, reason: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let line = format!("skipped: {test}: {check} ({reason})\n");
    // The macros that print are silenced in a test that passes.
    std::io::stderr().write_all(line.as_bytes()).expect("standard error takes a line");
    if let Some(path) = std::env::var_os(LIST) {
        let list = OpenOptions::new().create(true).append(true).open(path);
        list.and_then(|mut list| list.write_all(line.as_bytes())).expect("the list takes a line");
    }
}
