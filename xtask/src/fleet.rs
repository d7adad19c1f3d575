//! The recipe that looks longer at many workers on one record.

use std::process::ExitCode;

use crate::step;

/// Kills and stops of the long form.
const HARMS: &str = "500";

/// Runs the tests of many workers on one record, in the long form if asked.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
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
