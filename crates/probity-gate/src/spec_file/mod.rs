//! Files that a person writes, as TOML or as JSON lines, read key by key with every fault on its line.
//!
//! It knows syntax, types and key names; what a key means is for its reader. Numbers keep the
//! text they were written with, and no fault hides another one.

mod fields;
mod json_lines;
mod problem;
mod toml_text;
mod tree;

pub use fields::{At, Field, Fields, LabelledText, Shape};
pub(crate) use json_lines::json_tables;
pub use problem::{Faults, Problem};
/// Reads a file that comes with Probity and is tested to be good, where a line for each fault is not needed.
pub use toml::from_str as from_toml;
pub use toml_text::toml_table;
pub use tree::Table;
