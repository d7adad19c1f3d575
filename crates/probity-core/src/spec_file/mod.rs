//! Files that a person writes, as TOML, read key by key with every fault on its line.
//!
//! It knows syntax, types and key names; what a key means is for whoever reads the file. Numbers keep the
//! text they were written with, and no fault hides another one.

mod fields;
mod problem;
mod toml_text;
mod tree;

pub(crate) use fields::{At, Field, Fields, Shape};
pub(crate) use problem::Faults;
pub use problem::Problem;
pub(crate) use toml_text::toml_table;
pub(crate) use tree::Table;
