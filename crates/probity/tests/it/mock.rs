//! The mock judge as a process: what it answers, what it breaks, what it counts, and runs against it.

mod answers;
mod calibrate;
mod compare;
mod faults;
mod panel;
pub(crate) mod process;
pub(crate) mod rehearsal;
mod runs;
mod scripts;
