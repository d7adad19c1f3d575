//! The project's own tasks, run as `cargo xtask <recipe>`.
//!
//! A fresh machine needs nothing but Rust to run them, so this crate has no dependency. The recipes are few
//! and do not grow with the code: a rule about the code is a test in `crates/probity/tests/it/tidy.rs`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a task talks to the terminal")]

mod apt;
mod axe;
mod book;
mod ci;
mod count;
mod deny;
mod fleet;
mod fuzz;
mod package;
mod python;
mod size;
mod smoke;
mod step;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask <recipe>

  bench  measure the engine's figures and print them [--quick] [name of one]
  ci     everything a change has to pass, in the order of cost
  fleet [--long]
         many workers on one PostgreSQL record, killed, stopped and cut off
  fmt    format every crate
  fuzz [target] [--seconds N]
         search for input that breaks a promise
  package [--target T]… [--all-targets] [--twice]
         build everything that is published and install each of it in a clean place
  size   lines, files, public items, type names, constants, threads and module cycles of the source
  help   this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["bench", rest @ ..] => bench(rest),
        ["ci"] => ci::run(),
        ["fleet", arguments @ ..] => fleet::run(arguments),
        ["fmt"] => fmt(),
        ["fuzz", arguments @ ..] => fuzz::run(arguments),
        ["package", arguments @ ..] => package::run(arguments),
        ["size"] => size::run(),
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        unknown => {
            eprintln!(
                "unknown recipe `{}`, expected bench, ci, fleet, fmt, fuzz, package, size or help",
                unknown.join(" ")
            );
            ExitCode::from(2)
        }
    }
}

/// Measures with everything shown as it comes: a benchmark is looked at.
fn bench(arguments: &[&str]) -> ExitCode {
    let mut cargo = step::cargo(["bench", "--locked", "--package", "probity", "--bench", "figures", "--"]);
    match cargo.args(arguments).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn fmt() -> ExitCode {
    match step::captured(step::cargo(["fmt", "--all"])) {
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            eprint!("{failure}");
            ExitCode::FAILURE
        }
    }
}
