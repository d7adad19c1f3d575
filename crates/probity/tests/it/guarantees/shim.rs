//! A disk and a network that fail on demand: `shim.c`, compiled when it is first needed and loaded before the
//! C library of the process under test.
//!
//! The library reaches the calls that the program and its database make through the C library. The rename of
//! the results file is a direct system call and is tested by other means.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::skipped;

/// Where a fault strikes and what it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault<'a> {
    /// Only files whose path contains this are touched.
    pub(crate) mark: &'a str,
    /// Which calls count, as letters of `shim.c`.
    pub(crate) calls: &'a str,
    /// The number of the call that fails, from 1.
    pub(crate) turn: u32,
    /// What it fails with, as named in `shim.c`.
    pub(crate) kind: &'a str,
    /// Whether later calls fail too: `once` or `for_good`.
    pub(crate) lasting: &'a str,
}

/// The compiled library, or `None` where it cannot be had; that counts as skipped.
pub(crate) fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let library = LIBRARY.get_or_init(compiled).as_deref();
    if library.is_none() {
        skipped(
            "a disk or a network that fails",
            "there is no C compiler for the library that makes it fail",
        );
    }
    library
}

fn compiled() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/guarantees/shim.c");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Test processes compile at the same time; each takes its own and the last one stays.
    let own = folder.join(format!("shim-{}.so", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]).arg(&own);
    let output = compiler.arg(&source).args(["-ldl", "-lpthread"]).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let library = folder.join("shim.so");
    std::fs::rename(&own, &library).expect("a folder for temporary files");
    Some(library)
}

impl Fault<'_> {
    /// Aims the fault at `command`. `hit` is made when it strikes.
    pub(crate) fn aim(&self, command: &mut Command, library: &Path, hit: &Path) {
        command
            .env("LD_PRELOAD", library)
            .env("PROBITY_SHIM_MARK", self.mark)
            .env("PROBITY_SHIM_CALLS", self.calls)
            .env("PROBITY_SHIM_TURN", self.turn.to_string())
            .env("PROBITY_SHIM_FAULT", self.kind)
            .env("PROBITY_SHIM_LASTING", self.lasting)
            .env("PROBITY_SHIM_HIT", hit);
    }
}
