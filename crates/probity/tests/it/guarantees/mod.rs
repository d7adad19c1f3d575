//! What the program promises, proved on the binary itself: each test is named after the guarantee (`g02_…`)
//! or the injected fault (`c09_…`) of `docs/guarantees.md`.
//!
//! Processes are killed, disks fail, judges misbehave; files, exit codes, the bytes of the store and the
//! judge's own ledger say what happened. Nothing here trusts the program's word about itself. Tests that
//! end the process at a named point need a build with debug assertions, as every build for tests is.

#![expect(clippy::print_stdout, reason = "how many kills there were is worth a line")]

mod answers;
mod beside;
mod bounds;
mod changes;
mod disk;
mod fleet;
mod independence;
mod journal;
mod kill;
pub(crate) mod ledger;
mod offline;
mod outages;
mod record;
mod scene;
mod secrets;
mod series;
mod shared;
pub(crate) mod shim;
