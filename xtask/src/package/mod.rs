//! Everything that is published, as far as one machine can build it, and each of it installed in a clean place.
//!
//! The program is cross-built for Linux and Windows with zig as compiler and linker of C, so that it needs no library of
//! the machine it was built on. macOS needs the libraries of its maker and is left to the release workflow. What a tool
//! for is missing is skipped with its reason, as in `cargo xtask ci`.

mod build;
mod doors;
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::step::{self, StepFailure};

/// What is built where nothing is named.
const TARGET: &str = "x86_64-unknown-linux-musl";

/// Every target that can be built here.
const TARGETS: [&str; 3] = [TARGET, "aarch64-unknown-linux-musl", "x86_64-pc-windows-gnu"];

/// Where packages and the tools that make them go.
pub(crate) struct PackagePlace {
    /// The root of the workspace.
    pub(crate) root: PathBuf,
    /// Where packages are put.
    pub(crate) out: PathBuf,
    /// Python's environment with the tools.
    pub(crate) tools: PathBuf,
    /// The version of everything.
    pub(crate) version: String,
}

/// What became of a part: what there is to say about it, or why it was skipped.
pub(crate) enum PackagePart {
    Made(String),
    Skipped(String),
}

/// Builds and tests everything.
pub(crate) fn run(arguments: &[&str]) -> ExitCode {
    let mut targets = Vec::new();
    let mut words = arguments.iter();
    let mut is_twice = false;
    while let Some(word) = words.next() {
        match (*word, words.as_slice().first()) {
            ("--target", Some(target)) if TARGETS.contains(target) => targets.extend(words.next().copied()),
            ("--all-targets", _) => targets = TARGETS.to_vec(),
            ("--twice", _) => is_twice = true,
            _ => {
                eprintln!("usage: cargo xtask package [--target T]… [--all-targets] [--twice]");
                eprintln!("targets: {}", TARGETS.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    if targets.is_empty() {
        targets.push(TARGET);
    }
    match package(&targets, is_twice) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprint!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn package(targets: &[&str], is_twice: bool) -> Result<(), StepFailure> {
    let root = step::root();
    let place = PackagePlace {
        out: root.join("target/packages"),
        tools: root.join("target/package-tools"),
        version: version(&root)?,
        root,
    };
    fresh(&place.out)?;
    timed("tools", || build::tools(&place))?;
    let mut host = None;
    for target in targets {
        let mut program = PathBuf::new();
        timed(&format!("program for {target}"), || {
            program = build::program(&place, target)?;
            Ok(PackagePart::Made(size(&program)))
        })?;
        if *target == TARGET {
            host = Some(program.clone());
        }
        timed(&format!("archive for {target}"), || build::archive(&place, target, &program))?;
        timed(&format!("wheel for {target}"), || build::wheel(&place, target))?;
        timed(&format!("npm package for {target}"), || build::npm(&place, target, &program))?;
        timed(&format!("bill of materials for {target}"), || sbom::write(&place, target))?;
    }
    timed("npm package", || build::npm_wrapper(&place))?;
    timed("crates", || build::crates(&place))?;
    if let Some(program) = &host {
        timed("container image", || build::image(&place, program))?;
        if is_twice {
            timed("the same again from another folder", || build::again(&place, TARGET, program))?;
        }
        for (name, door) in doors::DOORS {
            timed(&format!("install: {name}"), || door(&place, program))?;
        }
    }
    timed("checksums", || build::checksums(&place))?;
    println!("packages are in {}", place.out.display());
    Ok(())
}

/// Does a part and prints what became of it, and how long it took.
fn timed(name: &str, part: impl FnOnce() -> Result<PackagePart, StepFailure>) -> Result<(), StepFailure> {
    let started = Instant::now();
    let part = part()?;
    let seconds = started.elapsed().as_secs_f64();
    match part {
        PackagePart::Made(text) => println!("{name:<44} {seconds:>7.1} s  {text}"),
        PackagePart::Skipped(why) => println!("{name:<44} skipped: {why}"),
    }
    Ok(())
}

/// The version of the workspace.
fn version(root: &Path) -> Result<String, StepFailure> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let (_, after) = manifest.split_once("[workspace.package]\nversion = \"").unwrap_or_default();
    Ok(after.split('"').next().unwrap_or_default().to_owned())
}

/// The size of a file for people.
pub(crate) fn size(path: &Path) -> String {
    let bytes = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{name} {:.1} MB", bytes as f64 / 1e6)
}

/// An empty folder.
pub(crate) fn fresh(folder: &Path) -> Result<(), StepFailure> {
    // What is not there need not be removed; what cannot be removed cannot be made either.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| failed(&format!("making {}", folder.display()), &error))
}

pub(crate) fn read(path: &Path) -> Result<String, StepFailure> {
    fs::read_to_string(path).map_err(|error| failed(&format!("reading {}", path.display()), &error))
}

pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), StepFailure> {
    fs::write(path, text).map_err(|error| failed(&format!("writing {}", path.display()), &error))
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), StepFailure> {
    let copied = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(from, to));
    copied
        .map(drop)
        .map_err(|error| failed(&format!("copying {} to {}", from.display(), to.display()), &error))
}

/// A program with these arguments.
pub(crate) fn program<'a>(
    name: impl AsRef<std::ffi::OsStr>,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Command {
    let mut command = Command::new(name);
    command.args(arguments);
    command
}

/// A failure in words.
pub(crate) fn failed(doing: &str, error: &dyn std::fmt::Display) -> StepFailure {
    StepFailure { command: doing.to_owned(), output: error.to_string() }
}
