//! What the machine has to give. Libraries panic where a thread or a file cannot be had, half-way through a run; so
//! a command that could not finish does not begin, and what goes missing later ends it with the exit code of a
//! machine that failed.
//!
//! Memory that runs out in the middle of a run ends the process at once: the run can be resumed, but the exit code
//! is the system's.

use probity_engine::platform::{EXHAUSTED, address_space, open_files};

use crate::exit::{Exit, Failure};
use crate::terminal;

/// Open files without which not even one call can be made beside store, cases and results.
const OPEN_FILES_MIN: u64 = 32;

/// Bytes of address space for the program itself, its threads and a small run.
const ADDRESS_SPACE_BYTES_MIN: u64 = 512 << 20;

/// Refuses to begin under limits that no run fits into.
pub(crate) fn require() -> Result<(), Failure> {
    if let Some(limit) = open_files().filter(|limit| *limit < OPEN_FILES_MIN) {
        let message = format!("this process may open {limit} files, and needs {OPEN_FILES_MIN}");
        return Err(Failure::store(message).hint("raise the limit, for example with `ulimit -n 1024`"));
    }
    if let Some(limit) = address_space().filter(|limit| *limit < ADDRESS_SPACE_BYTES_MIN) {
        let (limit, least) = (limit >> 20, ADDRESS_SPACE_BYTES_MIN >> 20);
        let message = format!("this process may use {limit} MiB of memory, and needs {least} MiB");
        return Err(Failure::store(message).hint("raise the limit, for example with `ulimit -v unlimited`"));
    }
    Ok(())
}

/// Ends the process with the code of a failed machine where a library panics because something ran out. Other panics
/// are faults of the program and stay what they are.
pub(crate) fn end_when_exhausted() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.to_string();
        let says = |code: &i32| {
            text.contains(&format!("os error {code})")) || text.contains(&format!("code: {code},"))
        };
        if !EXHAUSTED.iter().any(says) {
            return others(panic);
        }
        terminal::note(&format!("error: out of threads, memory or open files: {text}"));
        terminal::note("hint: free some, then run the same command again to continue");
        std::process::exit(Exit::Store as i32);
    }));
}
